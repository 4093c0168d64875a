"""Times of publishing and change: from JSON-LD, meta elements, markup, visible lines, the address and scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.document.text import node_text
from webcontent.fields.dates import iter_times, parse_time
from webcontent.fields.lexicon import alternation
from webcontent.fields.titles.ranking import BEFORE, BEHIND, MAX_LINE_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.fields.dates import DateContext, DateMatch
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

DECLARED, OTHERWISE, SHOWN, ADDRESS, SCRIPT = "declared", "declared otherwise", "shown", "address", "script"
"""Kinds of evidence. Otherwise: of another object than the article's, or not said to be the date of publishing."""
BESIDE_TITLE = range(-4, 13)
"""Distances in blocks from the title at which a time is the page's."""
AT_BODY_EDGE = 4
"""A time in the first or last two blocks of the body, and this number of blocks before or behind it, may be the page's."""
MAX_TIME_CHARS = 100
MAX_CLASS_LINES = 40
MAX_SCRIPT_CHARS = 2_000_000
LABEL_CHARS = 40
"""Characters before a date in which its label is looked for."""
MAX_AROUND_CHARS = 60
"""A line with more characters around its date is a sentence, not a date line."""


def _either(*names: str) -> str:
    return f"(?:{alternation('times', *names)})"


_PUBLISHED_LABEL = re.compile(
    rf"(?:{_either('published_prefix')}{_either('date_noun')}?|{_either('date_noun')})\s?[:：]\s?$"
    rf"|{_either('published')}\W{{0,3}}{_either('preposition')}?\s?$",
    re.I,
)
_MODIFIED_LABEL = re.compile(
    rf"{_either('modified')}{_either('modified_noun')}?\s?[:：]?\s?$"
    rf"|{_either('modified_before')}?{_either('modified_word')}"
    rf"(?:[^\w]{{0,3}}{_either('preposition', 'preposition_of_change')})?\W{{0,3}}$",
    re.I,
)
_OTHER_LABEL = re.compile(rf"{_either('another_date')}\W{{0,4}}$", re.I)
_SPAN_BEHIND = re.compile(rf"^\s?{_either('span')}\s?\d", re.I)
_SCRIPT_VALUE = re.compile(r"""[:=]\s*(?:\w{1,30}\()?["']?(\d[\dT:+ ./Z-]{7,30})""")
"""A value that may be a time, perhaps in a call that decodes it."""
_SCRIPT_NAME = re.compile(
    r"""(?:pub_?(?:lish(?:ed)?)?_?(?:time|date|at)|date_?published|create_?time|published_?date|ptime)["']?\s*$""", re.I
)
_SCRIPT_SECONDS = re.compile(r"\bvar\s+ct\s*$", re.I)
"""Some pages have nothing but the seconds since 1970 in a variable `ct`."""
_SECONDS = re.compile(r"1\d{9}\b")


@dataclass(slots=True, frozen=True)
class TimeCandidate:
    """A time, where it stands, and what speaks for and against it."""

    value: str
    """ISO 8601."""
    origin: str
    kind: str
    doubts: int
    """How many things speak against it: its distance from the title (up to two), a link, a sentence around it."""
    is_change: bool = False
    """Whether it is a time of change, not of publishing."""
    xpath: str | None = None
    block: int | None = None
    is_labelled: bool = False
    """Whether its line says that it is the time of publishing."""

    @property
    def place(self) -> str:
        """Kind of place: json-ld, meta, itemprop, time (elements), text, url."""
        return self.origin.partition(":")[0]


def time_candidates(signals: PageSignals, anchor: TitleAnchor) -> list[TimeCandidate]:
    """The times of all places but scripts."""
    declared = list(_iter_declared(signals))
    day = signals.url_time if signals.url_time and signals.url_time.count("-") == 2 else None  # a month alone is no time of publishing
    address = [TimeCandidate(day, "url", ADDRESS, 0)] if day else []
    years = (int(value[:4]) for value in (*(time.value for time in declared), signals.url_time) if value)
    context = replace(signals.dates, year=next(years, None))
    return [*declared, *address, *_iter_marked(signals, anchor, context), *_iter_lines(signals, anchor, context)]


# ------------------------------------------------------------------------------------------- declared
def _iter_declared(signals: PageSignals) -> Iterator[TimeCandidate]:
    """JSON-LD and meta elements."""
    for row in (row for field in ("published", "dated", "stamped", "modified") for row in signals.declared.rows(field)):
        if row.position == 0 and (value := parse_time(row.value, signals.dates)):
            is_articles = not row.is_json_ld or (signals.declared.is_article and row.object == 0)
            kind = DECLARED if is_articles and row.field in ("published", "modified") else OTHERWISE
            yield TimeCandidate(value, row.origin, kind, 0, row.field == "modified")


def script_times(signals: PageSignals) -> list[TimeCandidate]:
    """The first time in the data of scripts: for pages that scripts fill. Values are found before names: few texts look like one."""
    is_article = signals.declared.is_article or "article" in signals.declared.values("type", "og:type")
    if is_article or signals.follows("time_in_scripts"):
        text = signals.document.text[:MAX_SCRIPT_CHARS]
        for match in _SCRIPT_VALUE.finditer(text):
            before = text[max(0, match.start() - MAX_TIME_CHARS) : match.start()]
            seconds = _SECONDS.match(match[1]) if _SCRIPT_SECONDS.search(before) else None
            if seconds or _SCRIPT_NAME.search(before):
                value = parse_time(seconds[0] if seconds else match[1].strip(), signals.dates)
                return [TimeCandidate(value, "script", SCRIPT, 0)] if value else []
    return []


# ------------------------------------------------------------------------------------------- elements
def _iter_marked(signals: PageSignals, anchor: TitleAnchor, context: DateContext) -> Iterator[TimeCandidate]:
    """Microdata and <time> elements."""
    for node, row in (row for field in ("published", "modified", "time") for row in signals.declared.marked(field)):
        block = signals.block_of(node)
        texts = (node.get("datetime"), node.get("content"), node.get("title"), node_text(node)[:MAX_TIME_CHARS])
        if value := next(filter(None, (parse_time(text, context) for text in texts)), None):
            is_change, origin = (_is_change(node), "time") if row.field == "time" else (row.field == "modified", row.origin)
            yield TimeCandidate(value, origin, SHOWN, _doubts(signals, anchor, block), is_change, xpath_of(node), block)


def _is_change(node: HtmlElement) -> bool:
    """Whether the names of a <time> element, or the words before it, say "updated"."""
    names = f"{node.get('class') or ''} {node.get('itemprop') or ''}".lower()
    if "modif" in names or ("updat" in names and "publi" not in names):
        return True
    before, parent = node.getprevious(), node.getparent()
    text = before.tail or before.text if before is not None else parent.text if parent is not None else None
    return _MODIFIED_LABEL.search((text or "").strip()[-LABEL_CHARS:]) is not None


def _doubts(signals: PageSignals, anchor: TitleAnchor, block: int | None) -> int:
    """0 beside the title, 1 near it and at the edges of the body, 2 elsewhere."""
    if block is None:
        return 2
    distance = anchor.distance(block)
    if distance in BESIDE_TITLE:
        return 0
    is_near = -BEFORE <= distance < BEHIND
    if signals.body is not None and signals.body[0] - AT_BODY_EDGE <= block <= signals.body[1] + AT_BODY_EDGE:
        is_near = not signals.body[0] + 1 < block < signals.body[1] - 1
    return 1 if is_near else 2


# ------------------------------------------------------------------------------------------- lines
def _iter_lines(signals: PageSignals, anchor: TitleAnchor, context: DateContext) -> Iterator[TimeCandidate]:
    """Dates in short lines near the title and at the end of the body, and in lines whose class names a time.

    Dates in three lines running are those of a list.
    """
    starts = signals.blocks.elements.start
    fields_of = {int(starts[row]): fields for row, fields in signals.field_rows if "time" in fields or "modified" in fields}
    texts = signals.blocks.texts
    last = signals.body[1] if signals.body is not None else len(texts)
    others = (*list(fields_of)[:MAX_CLASS_LINES], *range(max(0, last - 2), min(len(texts), last + AT_BODY_EDGE + 1)))
    lines = dict(anchor.lines()) | {block: texts[block] for block in others if len(texts[block]) <= MAX_LINE_CHARS}
    dated = {block: dates for block, text in lines.items() if (dates := list(iter_times(text, context)))}
    for block, dates in dated.items():
        is_listed = any(dated.keys() >= {block + first, block + first + 1, block + first + 2} for first in (-2, -1, 0))
        if not is_listed:
            yield from _line_times(signals, anchor, (block, lines[block]), dates, fields_of.get(block, ()))


def _line_times(
    signals: PageSignals, anchor: TitleAnchor, line: tuple[int, str], dates: list[DateMatch], fields: tuple[str, ...]
) -> Iterator[TimeCandidate]:
    """The times of a line (its block and text) whose dates are known; `fields`: those that its class names."""
    block, text = line
    doubts = _doubts(signals, anchor, block) + int(2 * signals.blocks.link_chars[block] > len(text))
    previous = signals.blocks.texts[block - 1] if block else ""
    for place, date in enumerate(dates):
        before = text[dates[place - 1].end if place else 0 : date.start]
        if not date.start and len(previous) <= LABEL_CHARS:
            before = previous
        before = before[-LABEL_CHARS:]
        if _OTHER_LABEL.search(before) or _SPAN_BEHIND.match(text[date.end :]):
            continue
        is_update = _MODIFIED_LABEL.search(before) is not None
        is_labelled = not is_update and bool(before.strip()) and _PUBLISHED_LABEL.search(before) is not None
        is_change = is_update or (not is_labelled and "modified" in fields and "time" not in fields)
        in_sentence = len(text) - (date.end - date.start) > MAX_AROUND_CHARS and not is_labelled
        yield TimeCandidate(date.value, "text", SHOWN, doubts + in_sentence, is_change, signals.blocks.xpath(block), block, is_labelled)
