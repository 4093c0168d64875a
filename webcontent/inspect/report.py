"""Items -> counts -> one HTML page that needs nothing else. Everything that comes from a page is escaped."""

from __future__ import annotations

import gzip
import heapq
import json
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

from webcontent.crawl.discovery.urls import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import TextIO

EXAMPLES = 20
"""Items of the lowest score that are shown."""
MAX_SITES = 50
MAX_ROWS = 30
BINS = 10
ARTICLE_FIELDS = ("title", "time", "source", "authors", "body", "images", "language", "related", "canonical_url")
LIST_FIELDS = ("title", "entries", "next_page", "language")
_SHOWN_CHARACTERS = 240


@dataclass(slots=True)
class Site:
    """What came from one site."""

    articles: int = 0
    lists: int = 0
    flagged: int = 0
    scores: float = 0.0
    missing: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        return self.articles + self.lists


class Summary:
    """Counts over items. Memory grows with the number of sites, not of items."""

    def __init__(self) -> None:
        self.count = 0
        self.broken = 0
        """Lines that are no items."""
        self.by: dict[str, Counter[str]] = {name: Counter() for name in ("type", "kind", "language", "flag", "extractor")}
        self.sites: defaultdict[str, Site] = defaultdict(Site)
        self.missing: dict[str, Counter[str]] = {"article": Counter(), "list": Counter()}
        self.scores = [0] * BINS
        self.characters: Counter[str] = Counter()
        self.published_hours, self.fetched_hours = [0] * 24, [0] * 24
        self.days: Counter[str] = Counter()
        self.fetched: tuple[str, str] | None = None
        self.least: list[tuple[float, int, dict[str, Any]]] = []

    def read(self, path: Path) -> None:
        """Adds the items of a file of JSON lines, gzipped or not. Raises OSError."""
        with _opened(path) as file:
            for line in file:
                try:
                    item = json.loads(line)
                except (ValueError, RecursionError):
                    item = None
                if isinstance(item, dict) and ("url" in item or "title" in item):
                    self.add(item)
                elif line.strip():
                    self.broken += 1

    def add(self, item: dict[str, Any]) -> None:
        self.count += 1
        kind = "list" if item.get("type") == "list" else "article"
        score = _number(item.get("score"))
        flags = [str(flag) for flag in item.get("flags") or ()]
        for name in ("kind", "language", "extractor"):
            self.by[name][str(item.get(name) or "none")] += 1
        self.by["type"][kind] += 1
        self.by["flag"].update(flags)
        missing = [name for name in (LIST_FIELDS if kind == "list" else ARTICLE_FIELDS) if not item.get(name)]
        self.missing[kind].update(missing)
        self.scores[min(BINS - 1, int(score * BINS))] += 1
        self._add_to_site(item, kind, score, missing, bool(flags))
        self._add_times(item)
        entry = (-score, -self.count, {name: item.get(name) for name in ("url", "title", "type", "kind", "score", "flags", "body", "time")})
        (heapq.heappush if len(self.least) < EXAMPLES else heapq.heappushpop)(self.least, entry)

    def _add_to_site(self, item: dict[str, Any], kind: str, score: float, missing: list[str], is_flagged: bool) -> None:
        site = self.sites[site_of(str(item.get("url") or "")) or "no address"]
        site.articles += kind == "article"
        site.lists += kind == "list"
        site.flagged += is_flagged
        site.scores += score
        if kind == "article":
            site.missing.update(missing)

    def _add_times(self, item: dict[str, Any]) -> None:
        time, fetched = str(item.get("time") or ""), str(item.get("fetched_at") or "")
        if (hour := _hour(time)) is not None:
            self.published_hours[hour] += 1
        if (hour := _hour(fetched)) is not None:
            self.fetched_hours[hour] += 1
            first, last = self.fetched or (fetched, fetched)
            self.fetched = min(first, fetched), max(last, fetched)
        if _is_day(time[:10]):
            self.days[time[:10]] += 1


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
            yield file
    else:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            yield file


def _number(value: Any) -> float:
    try:
        return min(1.0, max(0.0, float(value)))
    except (TypeError, ValueError):
        return 0.0


def _hour(time: str) -> int | None:
    """The hour as the page shows it."""
    hour = time[11:13] if len(time) > 12 and time[10] == "T" else ""
    return int(hour) if hour.isascii() and hour.isdigit() and int(hour) < 24 else None


def _is_day(text: str) -> bool:
    try:
        datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return False
    return True


# The page


def page(summary: Summary, names: Sequence[str]) -> str:
    """The report as HTML."""
    types = summary.by["type"]
    facts = [
        (f"{summary.count:,}", "items"),
        (f"{types['article']:,}", "articles"),
        (f"{types['list']:,}", "lists"),
        (f"{len(summary.sites):,}", "sites"),
        (f"{sum(site.flagged for site in summary.sites.values()):,}", "with a flag"),
        (f"{_mean(summary):.2f}", "mean score"),
    ]
    parts = [
        "<h1>Items of a crawl</h1>",
        f"<p class=quiet>{escape(', '.join(names))}{_span(summary)}{_broken(summary)}</p>",
        "<div class=facts>" + "".join(f"<div><b>{value}</b>{escape(name)}</div>" for value, name in facts) + "</div>",
        '<div class="grid">',
        _counts("Type", summary.by["type"], summary.count),
        _counts("Kind", summary.by["kind"], summary.count),
        _counts("Language", summary.by["language"], summary.count),
        _counts("Flags", summary.by["flag"], summary.count, empty="No item has a flag."),
        _counts("Missing in articles", summary.missing["article"], types["article"], empty="Every article has every field."),
        _counts("Missing in lists", summary.missing["list"], types["list"], empty="Every list has every field."),
        _counts("Extractor", summary.by["extractor"], summary.count),
        "</div><div class=grid>",
        _columns("Scores", [f"{place / BINS:.1f}" for place in range(BINS)], summary.scores, "how sure the items are, 0 to 1"),
        _columns(
            "Published, by hour",
            [str(hour) for hour in range(24)],
            summary.published_hours,
            "as the pages show it; only times with an hour",
        ),
        _columns("Fetched, by hour", [str(hour) for hour in range(24)], summary.fetched_hours, "UTC"),
        _days(summary.days),
        "</div>",
        _sites(summary),
        _examples(summary),
    ]
    return _PAGE.format(style=_STYLE, body="\n".join(part for part in parts if part))


def _mean(summary: Summary) -> float:
    return sum(site.scores for site in summary.sites.values()) / max(1, summary.count)


def _span(summary: Summary) -> str:
    if summary.fetched is None:
        return ""
    first, last = (escape(time[:16].replace("T", " ")) for time in summary.fetched)
    return f" · fetched {first} to {last}" if first != last else f" · fetched {first}"


def _broken(summary: Summary) -> str:
    return f" · <b>lines that are no items: {summary.broken:,}</b>" if summary.broken else ""


def _counts(title: str, counts: Counter[str], whole: int, empty: str = "") -> str:
    """A table with a bar a row; the bar is the share of all."""
    if not counts:
        return f"<section><h2>{escape(title)}</h2><p class=quiet>{escape(empty)}</p></section>" if empty and whole else ""
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td class=n>{count:,}</td><td class=n>{_percent(count, whole)}</td>"
        f'<td class=bar><i style="width:{100 * count / max(1, whole):.1f}%"></i></td></tr>'
        for name, count in counts.most_common(MAX_ROWS)
    )
    more = f"<p class=quiet>and {len(counts) - MAX_ROWS} more</p>" if len(counts) > MAX_ROWS else ""
    return f"<section><h2>{escape(title)}</h2><table>{rows}</table>{more}</section>"


def _columns(title: str, labels: Sequence[str], values: Sequence[int], note: str) -> str:
    if not any(values):
        return ""
    highest, step = max(values), max(1, round(len(values) / 8))
    bars = "".join(
        f'<div title="{escape(label)}: {value:,}"><i style="height:{100 * value / highest:.1f}%"></i>'
        f"<span>{escape(label) if place % step == 0 else ''}</span></div>"
        for place, (label, value) in enumerate(zip(labels, values, strict=True))
    )
    head = f"<h2>{escape(title)}</h2><p class=quiet>{escape(note)}; the highest column: {highest:,}</p>"
    return f"<section>{head}<div class=columns>{bars}</div></section>"


def _days(days: Counter[str]) -> str:
    shown = sorted(days)[-30:]
    return _columns("Published, by day", shown, [days[day] for day in shown], f"the latest {len(shown)} days") if shown else ""


def _sites(summary: Summary) -> str:
    shown = sorted(summary.sites.items(), key=lambda pair: (-pair[1].count, pair[0]))[:MAX_SITES]
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td class=n>{site.articles:,}</td><td class=n>{site.lists:,}</td><td class=n>{site.flagged:,}</td>"
        f"<td class=n>{site.scores / max(1, site.count):.2f}</td><td>{_missing(site)}</td></tr>"
        for name, site in shown
    )
    more = f"<p class=quiet>and {len(summary.sites) - MAX_SITES:,} more</p>" if len(summary.sites) > MAX_SITES else ""
    return (
        "<section class=wide><h2>Sites</h2><table><thead><tr><th>site</th><th class=n>articles</th><th class=n>lists</th>"
        "<th class=n>flagged</th><th class=n>mean score</th><th>missing in its articles</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>{more}</section>"
    )


def _missing(site: Site) -> str:
    named = [(name, count) for name, count in site.missing.most_common(4) if name in ("title", "time", "source", "authors", "body")]
    return escape(", ".join(f"{name} {_percent(count, site.articles)}" for name, count in named))


def _examples(summary: Summary) -> str:
    items = [item for *_, item in sorted(summary.least, key=lambda entry: (-entry[0], -entry[1]))]
    return (
        f"<section class=wide><h2>The {len(items)} least sure items</h2><ol>"
        + "".join(f"<li>{_example(item)}</li>" for item in items)
        + "</ol></section>"
    )


def _example(item: dict[str, Any]) -> str:
    url, body = str(item.get("url") or ""), " ".join(str(item.get("body") or "").split())
    title = escape(str(item.get("title") or url or "no title")[:_SHOWN_CHARACTERS])
    # Nothing but http(s) may be clicked, whatever a file of items holds.
    linked = f'<a href="{escape(url)}" rel="noopener noreferrer nofollow">{title}</a>' if site_of(url) else title
    facts: Iterable[str] = (
        f"score {_number(item.get('score')):.2f}",
        str(item.get("kind") or item.get("type") or ""),
        str(item.get("time") or "no time"),
        *map(str, item.get("flags") or ()),
    )
    text = body[:_SHOWN_CHARACTERS] + ("…" if len(body) > _SHOWN_CHARACTERS else "")
    known = f"<span class=quiet>{escape(' · '.join(filter(None, facts)))}<br>{escape(url)}</span>"
    return f"<b>{linked}</b><br>{known}<br>{escape(text) or '<i>no text</i>'}"


def _percent(count: int, whole: int) -> str:
    share = 100 * count / max(1, whole)
    return f"{share:.0f} %" if share >= 10 or not share else f"{share:.1f} %"


_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --quiet: #667585; --line: #dfe5ea; --fill: #3d7ea6; --back: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --quiet: #93a1ae; --line: #34404b; --fill: #5b9fc9; --back: #161c22 } }
body { font: 15px/1.45 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; color: var(--ink); background: var(--back);
  max-width: 1100px; margin: 32px auto; padding: 0 20px; overflow-wrap: anywhere }
h1 { font-size: 26px; margin: 0 } h2 { font-size: 16px; margin: 0 0 6px }
.quiet { color: var(--quiet); font-size: 13px; margin: 4px 0 10px; font-weight: normal }
.facts { display: flex; flex-wrap: wrap; gap: 10px 36px; margin: 18px 0 28px }
.facts div { color: var(--quiet); font-size: 13px } .facts b { display: block; font-size: 24px; color: var(--ink) }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 28px 40px; margin-bottom: 28px }
section { min-width: 0 } .wide { margin-top: 36px }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: normal }
th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top }
thead th { color: var(--quiet); font-size: 13px }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.bar { width: 34% } .bar i, .columns i { display: block; background: var(--fill); border-radius: 2px }
.bar i { height: 10px; margin-top: 6px; min-width: 1px }
.columns { display: flex; align-items: flex-end; gap: 2px; height: 130px; padding-bottom: 18px }
.columns div { flex: 1; height: 100%; display: flex; flex-direction: column; justify-content: flex-end; min-width: 0;
  position: relative }
.columns i { min-height: 1px }
.columns span { position: absolute; bottom: -17px; left: 0; font-size: 10px; color: var(--quiet); white-space: nowrap }
li { margin-bottom: 14px } a { color: inherit }
"""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Items of a crawl</title><style>{style}</style></head>
<body>
{body}
</body></html>
"""
