"""A report about the items of a crawl, as one HTML page that loads nothing. All text of the items is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.addresses import site_of
from webcontent.inspect.items.counts import BINS, flags_of, number_of
from webcontent.inspect.markup import MAX_CELL, Markup, fill, join, own_file, tag
from webcontent.inspect.text import shorten

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from webcontent.inspect.items.counts import ItemCounts, SiteCounts

MAX_SITES = 50
MAX_ROWS = 30
"""Rows of a table of counts."""
MAX_MISSING = 4
"""Missing fields that are named for a site."""
MAIN_FIELDS = frozenset({"title", "time", "source", "authors", "body"})
"""Fields that are named for a site if its articles lack them."""


def report_html(counts: ItemCounts, names: Sequence[str]) -> str:
    """The report; `names`: the files that the items came from."""
    by, types, missing = counts.by, counts.by["type"], counts.missing
    tables = [
        _counts_table("Type", types, counts.items),
        _counts_table("Kind", by["kind"], counts.items),
        _counts_table("Language", by["language"], counts.items),
        _counts_table("Flags", by["flag"], counts.items, empty="No item has a flag."),
        _counts_table("Missing in articles", missing["article"], types["article"], empty="No article lacks a field."),
        _counts_table("Missing in lists", missing["list"], types["list"], empty="No list lacks a field."),
        _counts_table("Extractor", by["extractor"], counts.items),
    ]
    facts = {
        "items": f"{counts.items:,}",
        "articles": f"{types['article']:,}",
        "lists": f"{types['list']:,}",
        "sites": f"{len(counts.sites):,}",
        "with a flag": f"{sum(site.flagged for site in counts.sites.values()):,}",
        "mean score": f"{sum(site.score_sum for site in counts.sites.values()) / max(1, counts.items):.2f}",
    }
    sites = sorted(counts.sites.items(), key=lambda pair: (-pair[1].items, pair[0]))
    examples = [tag("li", *_example(item)) for _, _, item in counts.lowest]
    parts = {
        "style": Markup(own_file("items/report.css")),
        "files": join((", ".join(names), *_about_the_files(counts))),
        "facts": join(tag("div", tag("b", value), name) for name, value in facts.items()),
        "tables": join(filter(None, tables)),
        "scores": _scores_chart(counts.scores),
        "sites": join(_site_row(name, site) for name, site in sites[:MAX_SITES]),
        "more_sites": _more(len(sites) - MAX_SITES) or "",
        "lowest": "The item with the lowest score" if len(examples) == 1 else f"The {len(examples)} items with the lowest scores",
        "examples": join(examples),
    }
    return fill("items/report.html", parts)


def _about_the_files(counts: ItemCounts) -> list[str]:
    parts = []
    if counts.fetched is not None:
        first, last = (time[: len("2024-03-05T14:22")].replace("T", " ") for time in counts.fetched)
        parts.append(f" · fetched {first} to {last}" if first != last else f" · fetched {first}")
    if counts.broken_lines:
        parts += [" · ", tag("b", f"lines that are not items: {counts.broken_lines:,}")]
    return parts


def _counts_table(title: str, counts: Counter[str], total: int, empty: str = "") -> Markup | None:
    """A table with a bar per row; the bar is the share of the total. `empty`: the text if nothing was counted."""
    if not counts:
        return tag("section", tag("h2", title), tag("p", empty, class_="quiet")) if empty and total else None
    rows = (
        tag(
            "tr",
            tag("th", name),
            _number(f"{count:,}"),
            _number(_percent(count, total)),
            tag("td", _bar("width", count, total), class_="bar"),
        )
        for name, count in counts.most_common(MAX_ROWS)
    )
    return tag("section", tag("h2", title), tag("table", *rows), _more(len(counts) - MAX_ROWS))


def _scores_chart(scores: Sequence[int]) -> Markup:
    """A column for each bin; every second one has a label, so that they fit beside each other on a phone."""
    highest = max(scores)
    labels = [f"{number / BINS:.1f}" for number in range(BINS)]
    columns = (
        tag("div", _bar("height", value, highest), tag("span", "" if number % 2 else label), title=f"{label}: {value:,}")
        for number, (label, value) in enumerate(zip(labels, scores, strict=True))
    )
    about = tag("p", f"score of the items, 0 to 1; highest column: {highest:,}", class_="quiet")
    return tag("section", tag("h2", "Scores"), about, tag("div", *columns, class_="columns"))


def _bar(side: str, part: int, whole: int) -> Markup:
    return tag("i", style=f"{side}:{100 * part / max(1, whole):.1f}%")


def _number(text: str) -> Markup:
    return tag("td", text, class_="n")


def _site_row(name: str, site: SiteCounts) -> Markup:
    numbers = (f"{site.articles:,}", f"{site.lists:,}", f"{site.flagged:,}", f"{site.score_sum / max(1, site.items):.2f}")
    fields = [(field, count) for field, count in site.missing.most_common(MAX_MISSING) if field in MAIN_FIELDS]
    missing = ", ".join(f"{field} {_percent(count, site.articles)}" for field, count in fields)
    return tag("tr", tag("th", name), *map(_number, numbers), tag("td", missing))


def _more(count: int) -> Markup | None:
    return tag("p", f"and {count:,} more", class_="quiet") if count > 0 else None


def _example(item: dict[str, Any]) -> tuple[Markup, ...]:
    url, body = str(item.get("url") or ""), str(item.get("body") or "")
    title = shorten(str(item.get("title") or url or "no title"), MAX_CELL)
    # Only http(s) URLs become links, because a file of items may contain any text.
    heading = tag("a", title, href=url, rel="noopener noreferrer nofollow") if site_of(url) else title
    publisher = f"{item['publisher']} (publisher)" if item.get("publisher") else ""
    facts = [str(item.get("kind") or item.get("type") or ""), str(item.get("time") or "no time"), str(item.get("source") or publisher)]
    details = " · ".join(filter(None, (f"score {number_of(item.get('score')):.2f}", *facts, *flags_of(item))))
    text = shorten(body, MAX_CELL) if body else tag("i", "no text")
    return tag("b", heading), tag("div", details, tag("br"), url, class_="quiet"), tag("div", text)


def _percent(count: int, total: int) -> str:
    return f"{count / max(1, total):.1%}"
