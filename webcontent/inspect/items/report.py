"""A report about the items of a crawl, as one HTML page that loads nothing. All text of the items is escaped."""

from __future__ import annotations

import math
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from webcontent.addresses import site_of
from webcontent.inspect.items.counts import BINS, HOURS, flags_of, number_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Sequence

    from webcontent.inspect.items.counts import ItemCounts, SiteCounts

MAX_SITES = 50
MAX_ROWS = 30
"""Rows of a table of counts."""
CHART_PX, LABEL_PX, CHARACTER_PX = 280, 12, 6.2
"""Width of the narrowest chart, distance between two labels below its columns, and width of a character of theirs."""
MAX_MISSING = 4
"""Missing fields that are named for a site."""
MAX_CHARACTERS = 240
"""Characters of a title or a body."""
MAIN_FIELDS = frozenset({"title", "time", "source", "authors", "body"})
"""Fields that are named for a site if its articles lack them."""
WHOLE_PERCENT = 10
"""Larger percentages are shown without decimals."""


def report_html(counts: ItemCounts, names: Sequence[str]) -> str:
    """The report; `names`: the files that the items came from."""
    types, kinds = counts.by["type"], counts.by["kind"]
    hours = [str(hour) for hour in range(HOURS)]
    bins = [f"{number / BINS:.1f}" for number in range(BINS)]
    parts = [
        "<h1>Items of a crawl</h1>",
        f"<p class=quiet>{escape(', '.join(names))}{_fetched_span(counts)}{_broken_lines(counts)}</p>",
        _facts(counts),
        '<div class="grid">',
        _counts_table("Type", types, counts.items),
        _counts_table("Kind", kinds, counts.items),
        _counts_table("Language", counts.by["language"], counts.items),
        _counts_table("Flags", counts.by["flag"], counts.items, empty="No item has a flag."),
        _counts_table("Missing in articles", counts.missing["article"], types["article"], empty="No article lacks a field."),
        _counts_table("Missing in lists", counts.missing["list"], types["list"], empty="No list lacks a field."),
        _counts_table("Extractor", counts.by["extractor"], counts.items),
        "</div><div class=grid>",
        _chart("Scores", bins, counts.scores, "score of the items, 0 to 1"),
        _chart("Published, by hour", hours, counts.published_hours, "as shown on the pages; only times with an hour"),
        _chart("Fetched, by hour", hours, counts.fetched_hours, "UTC"),
        "</div>",
        _sites_table(counts),
        _examples(counts),
    ]
    style = files("webcontent.inspect.items").joinpath("report.css").read_text(encoding="utf-8")
    return _PAGE.format(style=style, body="\n".join(part for part in parts if part))


def _facts(counts: ItemCounts) -> str:
    """The most important numbers."""
    types = counts.by["type"]
    facts = {
        "items": f"{counts.items:,}",
        "articles": f"{types['article']:,}",
        "lists": f"{types['list']:,}",
        "sites": f"{len(counts.sites):,}",
        "with a flag": f"{sum(site.flagged for site in counts.sites.values()):,}",
        "mean score": f"{sum(site.score_sum for site in counts.sites.values()) / max(1, counts.items):.2f}",
    }
    return "<div class=facts>" + "".join(f"<div><b>{value}</b>{escape(name)}</div>" for name, value in facts.items()) + "</div>"


def _fetched_span(counts: ItemCounts) -> str:
    if counts.fetched is None:
        return ""
    first, last = (escape(time[: len("2024-03-05T14:22")].replace("T", " ")) for time in counts.fetched)
    return f" · fetched {first} to {last}" if first != last else f" · fetched {first}"


def _broken_lines(counts: ItemCounts) -> str:
    return f" · <b>lines that are not items: {counts.broken_lines:,}</b>" if counts.broken_lines else ""


def _counts_table(title: str, counts: Counter[str], total: int, empty: str = "") -> str:
    """A table with a bar per row; the bar is the share of the total. `empty`: the text if nothing was counted."""
    if not counts:
        return f"<section><h2>{escape(title)}</h2><p class=quiet>{escape(empty)}</p></section>" if empty and total else ""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td class=n>{count:,}</td><td class=n>{_percent(count, total)}</td>"
        f'<td class=bar><i style="width:{100 * count / max(1, total):.1f}%"></i></td></tr>'
        for name, count in counts.most_common(MAX_ROWS)
    )
    return f"<section><h2>{escape(title)}</h2><table>{rows}</table>{_more(len(counts) - MAX_ROWS)}</section>"


def _chart(title: str, labels: Sequence[str], values: Sequence[int], note: str) -> str:
    """A column chart; "" if all values are 0."""
    if not any(values):
        return ""
    highest, shown = max(values), _shown_labels(labels)
    columns = "".join(
        f'<div title="{escape(label)}: {value:,}"><i style="height:{100 * value / highest:.1f}%"></i>'
        f"<span>{escape(label) if number in shown else ''}</span></div>"
        for number, (label, value) in enumerate(zip(labels, values, strict=True))
    )
    head = f"<h2>{escape(title)}</h2><p class=quiet>{escape(note)}; highest column: {highest:,}</p>"
    return f"<section>{head}<div class=columns>{columns}</div></section>"


def _shown_labels(labels: Sequence[str]) -> range:
    """The numbers of the columns with a label: as many as fit beside each other in the narrowest chart."""
    width_px = CHARACTER_PX * max(map(len, labels)) + LABEL_PX
    columns = math.ceil(width_px * len(labels) / CHART_PX)  # that a label covers
    return range(0, max(1, len(labels) - columns + 1), columns)


def _sites_table(counts: ItemCounts) -> str:
    largest = sorted(counts.sites.items(), key=lambda pair: (-pair[1].items, pair[0]))[:MAX_SITES]
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td class=n>{site.articles:,}</td><td class=n>{site.lists:,}</td><td class=n>{site.flagged:,}</td>"
        f"<td class=n>{site.score_sum / max(1, site.items):.2f}</td><td>{_missing_fields(site)}</td></tr>"
        for name, site in largest
    )
    return (
        "<section class=wide><h2>Sites</h2><table><thead><tr><th>site</th><th class=n>articles</th><th class=n>lists</th>"
        "<th class=n>flagged</th><th class=n>mean score</th><th>missing in its articles</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>{_more(len(counts.sites) - MAX_SITES)}</section>"
    )


def _more(count: int) -> str:
    """The number of rows that are not shown, if there are any."""
    return f"<p class=quiet>and {count:,} more</p>" if count > 0 else ""


def _missing_fields(site: SiteCounts) -> str:
    fields = [(name, count) for name, count in site.missing.most_common(MAX_MISSING) if name in MAIN_FIELDS]
    return escape(", ".join(f"{name} {_percent(count, site.articles)}" for name, count in fields))


def _examples(counts: ItemCounts) -> str:
    items = counts.lowest_items()
    title = "The item with the lowest score" if len(items) == 1 else f"The {len(items)} items with the lowest scores"
    return f"<section class=wide><h2>{title}</h2><ol>" + "".join(f"<li>{_example(item)}</li>" for item in items) + "</ol></section>"


def _example(item: dict[str, Any]) -> str:
    url, body = str(item.get("url") or ""), " ".join(str(item.get("body") or "").split())
    title = escape(str(item.get("title") or url or "no title")[:MAX_CHARACTERS])
    # Only http(s) URLs become links, because a file of items may contain any text.
    heading = f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{title}</a>' if site_of(url) else title
    facts: Iterable[str] = (
        f"score {number_of(item.get('score')):.2f}",
        str(item.get("kind") or item.get("type") or ""),
        str(item.get("time") or "no time"),
        *flags_of(item),
    )
    text = body[:MAX_CHARACTERS] + ("…" if len(body) > MAX_CHARACTERS else "")
    details = f"<span class=quiet>{escape(' · '.join(filter(None, facts)))}<br>{escape(url)}</span>"
    return f"<b>{heading}</b><br>{details}<br>{escape(text) or '<i>no text</i>'}"


def _percent(count: int, total: int) -> str:
    percent = 100 * count / max(1, total)
    return f"{percent:.0f} %" if percent >= WHOLE_PERCENT or not percent else f"{percent:.1f} %"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Items of a crawl</title><style>
{style}</style></head>
<body>
{body}
</body></html>
"""
