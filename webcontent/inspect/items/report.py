"""A report about the items of a crawl: what is counted, and one HTML page that loads nothing. All text of the items is escaped."""

from __future__ import annotations

from bisect import insort
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webcontent.addresses import site_of
from webcontent.inspect.items.files import from_postgresql, read_items
from webcontent.inspect.items.nights import CURVES, changes, shown, value
from webcontent.inspect.markup import MAX_CELL, Markup, bars, fill, join, own_file, tag
from webcontent.inspect.text import MAX_ROWS, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.inspect.items.nights import Night

EXAMPLES = 20
COUNTED = {
    "article": ("title", "time", "source", "authors", "body", "images", "language", "related", "canonical_url"),
    "list": ("title", "entries", "next_page", "language"),
}
"""Fields by page type that are counted where they are missing."""
MAIN_FIELDS = ("title", "time", "source", "authors", "body")
"""Fields that are named for a site if its articles lack them."""


class ItemCounts:
    """Counts over items. Memory grows with the number of sites, not with the number of items."""

    def __init__(self) -> None:
        self.items = self.broken_lines = 0
        """Lines that are not items."""
        self.by: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Items by type, kind, language, flag, extractor and score."""
        self.sites: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        """By site: items of each type, those that are "flagged", the sum of the "score", the fields that articles lack."""
        self.missing: dict[str, Counter[str]] = {"article": Counter(), "list": Counter()}
        self.lowest: list[tuple[float, int, dict[str, Any]]] = []
        """The EXAMPLES items with the lowest scores: score, number, item; lowest first."""

    def read(self, source: str) -> None:
        """Adds the items of a file or a PostgreSQL database. Raises OSError, and ValueError if the content can't be read."""
        for item in from_postgresql(source) if "://" in source else read_items(Path(source)):
            if item is None:
                self.broken_lines += 1
            else:
                self.add(item)

    def add(self, item: dict[str, Any]) -> None:
        """Adds an item, given as its JSON object. Wrong values count as missing."""
        self.items += 1
        page_type = "list" if item.get("type") == "list" else "article"
        score, flags = number_of(item.get("score")), flags_of(item)
        for name in ("kind", "language", "extractor"):
            self.by[name][str(item.get(name) or "none")] += 1
        self.by["type"][page_type] += 1
        self.by["flag"].update(flags)
        self.by["score"][f"{score:.1f}"] += 1
        missing = [name for name in COUNTED[page_type] if not item.get(name)]
        if "source" in missing and item.get("publisher"):
            missing[missing.index("source")] = "source (publisher known)"
        self.missing[page_type].update(missing)
        site = self.sites[site_of(str(item.get("url") or "")) or "no URL"]
        for name in (page_type, *(missing if page_type == "article" else ()), *(["flagged"] if flags else [])):
            site[name] += 1
        site["score"] += score
        insort(self.lowest, (score, self.items, item))
        del self.lowest[EXAMPLES:]


def flags_of(item: dict[str, Any]) -> list[str]:
    flags = item.get("flags")
    return [str(flag) for flag in flags] if isinstance(flags, list) else []


def number_of(value: Any) -> float:
    """A score, limited to 0 to 1; 0 for what is not a number."""
    try:
        return min(1.0, max(0.0, float(value)))
    except (TypeError, ValueError, OverflowError):
        return 0.0


# The page


def report_html(counts: ItemCounts, names: Sequence[str], nights: Mapping[str, Mapping[str, Night]] | None = None) -> str:
    """The report; `names`: the files that the items came from; `nights`: of the crawl state, by host and start of the run."""
    by, types, missing = counts.by, counts.by["type"], counts.missing
    tables = [
        *(_counts_table(name.capitalize(), by[name].most_common(), counts.items) for name in ("type", "kind", "language")),
        _counts_table("Flags", by["flag"].most_common(), counts.items, empty="No item has a flag."),
        _counts_table("Missing in articles", missing["article"].most_common(), types["article"], empty="No article lacks a field."),
        _counts_table("Missing in lists", missing["list"].most_common(), types["list"], empty="No list lacks a field."),
        _counts_table("Extractor", by["extractor"].most_common(), counts.items),
        _counts_table("Scores", sorted(by["score"].items()), counts.items),
    ]
    facts = {
        "items": f"{counts.items:,}",
        "articles": f"{types['article']:,}",
        "lists": f"{types['list']:,}",
        "sites": f"{len(counts.sites):,}",
        "with a flag": f"{sum(site['flagged'] for site in counts.sites.values()):,.0f}",
        "mean score": f"{sum(site['score'] for site in counts.sites.values()) / max(1, counts.items):.2f}",
    }
    sites = sorted(counts.sites.items(), key=lambda pair: (-_total(pair[1]), pair[0]))
    examples = [tag("li", *_example(item)) for _, _, item in counts.lowest]
    parts = {
        "style": Markup(own_file("items/report.css")),
        "files": ", ".join(names) + (f" · lines that are not items: {counts.broken_lines:,}" if counts.broken_lines else ""),
        "facts": join(tag("div", tag("b", value), name) for name, value in facts.items()),
        "tables": join(filter(None, tables)),
        "nights": join(_nights_of(host, list(of_host.values())) for host, of_host in list((nights or {}).items())[:MAX_ROWS]),
        "sites": join(_site_row(name, site) for name, site in sites[:MAX_ROWS]),
        "more_sites": _more(len(sites) - MAX_ROWS) or "",
        "lowest": "The item with the lowest score" if len(examples) == 1 else f"The {len(examples)} items with the lowest scores",
        "examples": join(examples),
    }
    return fill("items/report.html", parts)


def _counts_table(title: str, counts: Sequence[tuple[str, int]], total: int, empty: str = "") -> Markup | None:
    """A table with a bar per row, its share of the total. `empty`: the text if nothing was counted."""
    if not counts:
        return tag("section", tag("h2", title), tag("p", empty, class_="quiet")) if empty and total else None
    rows = bars((name, count / max(1, total), f"{count:,} · {_percent(count, total)}") for name, count in counts[:MAX_ROWS])
    return tag("section", tag("h2", title), tag("table", rows), _more(len(counts) - MAX_ROWS))


def _numbers(*texts: str) -> list[Markup]:
    return [tag("td", text, class_="number") for text in texts]


def _total(site: Mapping[str, float]) -> float:
    return site["article"] + site["list"]


def _site_row(name: str, site: Mapping[str, float]) -> Markup:
    numbers = _numbers(*(f"{site[part]:,.0f}" for part in ("article", "list", "flagged")), f"{site['score'] / max(1, _total(site)):.2f}")
    lacked = sorted(filter(site.get, MAIN_FIELDS), key=lambda field: -site[field])
    missing = [f"{field} {_percent(site[field], site['article'])}" for field in lacked]
    return tag("tr", tag("th", name), *numbers, tag("td", ", ".join(missing)))


def _nights_of(host: str, nights: Sequence[Night]) -> Markup:
    """The curves of a host; a night in which a curve is not as before is marked."""
    changed = [{change.curve for change in changes(nights[: number + 1])} for number in range(len(nights))]
    rows = []
    for curve in CURVES:
        values = [value(night, curve) for night in nights]
        highest = max((number for number in values if number is not None), default=0) or 1
        columns = (
            tag("i", class_="changed" if curve in names else None, style=f"height:{100 * (number or 0) / highest:.0f}%")
            for number, names in zip(values, changed, strict=True)
        )
        last, mark = shown(curve, values[-1]), "changed" if curve in changed[-1] else ""
        rows.append(
            tag("tr", tag("th", curve), tag("td", tag("div", *columns, class_="curve")), *_numbers(last), tag("td", tag("b", mark)))
        )
    return tag("section", tag("h2", host), tag("table", *rows)) if nights else Markup()


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


def _percent(count: float, total: float) -> str:
    return f"{count / max(1, total):.1%}"
