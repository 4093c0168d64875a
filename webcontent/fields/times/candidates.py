"""Times of publishing and change: from JSON-LD, meta elements, markup, visible lines, scripts and the address."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.text import node_text
from webcontent.fields.dates import DateMatch, iter_times, parse_time
from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.declared import Row
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

CHANGE, PUBLISHED = "change", "published"
_QUOTE = TAG_CODES["blockquote"]
SURE_SCORE = 0.6
"""With a candidate above this score, less certain places are not looked at."""

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
JSON_LD_SCORE, JSON_LD_OTHER_SCORE = 0.87, 0.74
"""Of the first object of an article, and of other objects."""
JSON_LD_SCORE_PER_OBJECT = 0.05
META_SCORE, MODIFIED_META_SCORE = 0.86, 0.8
DATED = 0.16
"""Subtracted for a declared date that is not said to be that of publishing: the one of creating, of uploading, of whatever."""
STAMPED_SCORE = 0.5
"""Of meta elements with names like "timestamp"."""
ITEMPROP_SCORE, ITEMPROP_BONUS = 0.8, 0.05
PUBDATE_SCORE, TIME_SCORE = 0.84, 0.78
"""Of <time> elements marked as the date of publishing, and of others."""
URL_DAY_SCORE, URL_MONTH_SCORE = 0.62, 0.2
SCRIPT_SCORE = 0.6
OPENING_SCORE = 0.45
LINE_SCORE = 0.66
CHINESE_DAY_SCORE, CHINESE_CLOCK_SCORE = 0.8, 0.88
"""Of lines of Chinese pages, without and with a clock time."""
LABEL_BONUS, CLASS_BONUS, CLOCK_BONUS = 0.1, 0.05, 0.04
SCORE_PER_DATE = 0.02
"""Subtracted for each date before it in its line."""
IN_SENTENCE, IN_LINK = 0.3, 0.35
"""Subtracted for a date in a sentence, and for a date in a link."""
LIST_FACTOR = 0.4
"""For dates in three lines running: those of a list."""
QUOTE_FACTOR = 0.4
"""For dates in quotes, such as those of embedded posts."""

# How near a place is to the title: 1 beside it.
BESIDE_TITLE, FAR_FROM_TITLE = range(-4, 13), range(-12, 31)
NEARNESS_PER_BLOCK = 0.01
BEFORE_BODY, BEHIND_BODY = 6, 4
EDGE_NEARNESS, BODY_NEARNESS = 0.75, 0.55
FAR_NEARNESS, AWAY_NEARNESS = 0.7, 0.4
TOP_BLOCKS, TOP_NEARNESS, BELOW_NEARNESS = 60, 0.8, 0.5
"""On pages without title and body."""

# Places that are looked at, at most, and characters of them.
MAX_TIME_CHARS = 100
MAX_CLASS_LINES, MAX_CLASS_LINE_CHARS = 40, 200
TAIL_BLOCKS_BEFORE, TAIL_BLOCKS_BEHIND, MAX_TAIL_CHARS = 2, 5, 120
MAX_FAR_BLOCKS, MAX_FAR_LINES = 3_000, 12
FAR_LINE_CHARS = range(8, 161)
MAX_DATES_OF_LINE = 3
MAX_OPENING_CHARS, MAX_OPENING_OFFSET = 60, 2
MAX_SCRIPT_CHARS = 2_000_000
MAX_LABEL_LINE_CHARS = 20
"""A line before a date that is shorter may be its label."""
LABEL_CHARS, MODIFIED_LABEL_CHARS, OTHER_LABEL_CHARS, ELEMENT_LABEL_CHARS = 25, 35, 20, 40
"""Characters before a date in which its label is looked for."""
LINK_SHARE = 0.6
"""A line with a greater share of its characters in links is a link."""
MAX_AROUND_CHARS = 60
"""A line with more characters around its date is a sentence, not a date line."""

MONTH_CHARS, DAY_CHARS = 7, 10
"""Lengths of 2024-03 and 2024-03-05."""

_DECLARED = ("published", "dated", "stamped", "modified")


def _either(*names: str) -> str:
    return f"(?:{alternation('times', *names)})"


_PUBLISHED_LABEL = re.compile(
    rf"{_either('published_prefix')}?{_either('date_noun')}?\s?[:：]\s?$"
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
_YEAR = re.compile(r"(?:19|20)\d\d")
_LABELLED_YEAR = re.compile(
    rf"{_either('labelled')}.{{0,60}}(?:19|20)\d\d|(?:19|20)\d\d.{{0,12}}{_either('labelled_behind')}",
    re.I,
)
_SCRIPT_VALUE = re.compile(r"""[:=]\s*(?:\w{1,30}\()?["']?(\d[\dT:+ ./Z-]{7,30})""")
"""A value that may be a time, perhaps in a call that decodes it."""
_SCRIPT_NAME = re.compile(
    r"""(?:pub_?(?:lish(?:ed)?)?_?(?:time|date|at)|date_?published|create_?time|published_?date|ptime)["']?\s*$""", re.I
)
_SCRIPT_SECONDS = re.compile(r"\bvar\s+ct\s*$", re.I)
"""Some pages have nothing but the seconds since 1970 in a variable `ct`."""
_SECONDS = re.compile(r"1\d{9}\b")
MAX_NAME_CHARS = 60
"""Before a value, of which its name is the end."""


@dataclass(slots=True, frozen=True)
class SeenTime:
    """A time with its place and score."""

    value: str
    """ISO 8601."""
    origin: str
    xpath: str | None
    score: float
    block: int | None = None
    is_change: bool = False
    """Whether it is a time of change, not of publishing."""
    label: str = ""
    """CHANGE or PUBLISHED, if its line has such a label."""


def iter_seen_times(signals: PageSignals, anchor: TitleAnchor) -> Iterator[SeenTime]:
    """Times of all places, with the places' scores."""
    declared = list(_iter_declared(signals))
    yield from declared
    hint = next((int(time.value[:4]) for time in declared), None) or (int(signals.url_time[:4]) if signals.url_time else None)
    if signals.url_time:
        yield SeenTime(signals.url_time, "url", None, URL_DAY_SCORE if len(signals.url_time) == DAY_CHARS else URL_MONTH_SCORE)
    quoted = _quoted_blocks(signals, anchor)
    shown = [_less_in_quote(time, quoted) for time in (*_iter_marked(signals, anchor, hint), *_iter_lines(signals, anchor, hint))]
    yield from shown
    if not any(time.score > SURE_SCORE and len(time.value) > MONTH_CHARS for time in (*declared, *shown)):
        yield from _iter_scripts(signals)


# ------------------------------------------------------------------------------------------- declared
def _iter_declared(signals: PageSignals) -> Iterator[SeenTime]:
    """JSON-LD and meta elements."""
    for row in (row for field in _DECLARED for row in signals.declared.rows(field)):
        if row.position == 0 and (value := parse_time(row.value, now=signals.now, day_first=signals.day_first)):
            yield SeenTime(
                value, row.origin, None, _declared_score(row, is_article=signals.declared.is_article), is_change=row.field == "modified"
            )


def _declared_score(row: Row, *, is_article: bool) -> float:
    if row.field == "stamped":
        return STAMPED_SCORE
    if row.field == "modified" and not row.is_json_ld:
        return MODIFIED_META_SCORE
    first = JSON_LD_SCORE if is_article else JSON_LD_OTHER_SCORE
    json_ld = first if row.object == 0 else JSON_LD_OTHER_SCORE - JSON_LD_SCORE_PER_OBJECT * row.object
    return (json_ld if row.is_json_ld else META_SCORE) - DATED * (row.field == "dated")


def _iter_scripts(signals: PageSignals) -> Iterator[SeenTime]:
    """Times in the data of scripts: pages that scripts fill."""
    if not (signals.is_han or signals.declared.is_article or "article" in signals.declared.values("type", "og:type")):
        return
    written = _time_in_scripts(signals.document.text[:MAX_SCRIPT_CHARS])
    if written and (value := parse_time(written, now=signals.now)):
        yield SeenTime(value, "script", None, SCRIPT_SCORE)


def _time_in_scripts(text: str) -> str:
    """The first value with the name of a time; empty if there is none. Values are found first: few texts look like one."""
    for match in _SCRIPT_VALUE.finditer(text):
        before = text[max(0, match.start() - MAX_NAME_CHARS) : match.start()]
        if _SCRIPT_NAME.search(before):
            return match[1].strip()
        if _SCRIPT_SECONDS.search(before) and (seconds := _SECONDS.match(match[1])):
            return seconds[0]
    return ""


# ------------------------------------------------------------------------------------------- elements
def _iter_marked(signals: PageSignals, anchor: TitleAnchor, hint: int | None) -> Iterator[SeenTime]:
    """Microdata and <time> elements; those near the title score higher."""
    parse = partial(parse_time, now=signals.now, day_first=signals.day_first, year_hint=hint, relative=signals.fetched is not None)
    for node, row in (*signals.declared.marked("published"), *signals.declared.marked("modified")):
        if value := _element_time(node, parse):
            block = signals.block_of(node)
            score = ITEMPROP_SCORE * _nearness(signals, anchor, block) + ITEMPROP_BONUS
            yield SeenTime(value, row.origin, xpath_of(node), score, block, row.field == "modified")
    for node, _ in signals.declared.marked("time"):
        value = _element_time(node, parse)
        if not value:
            continue
        block = signals.block_of(node)
        names = f"{node.get('class') or ''} {node.get('itemprop') or ''}".lower()
        is_change = "modif" in names or ("updat" in names and "publi" not in names) or _has_modified_label(node)
        score = PUBDATE_SCORE if node.get("pubdate") is not None or "publi" in names else TIME_SCORE
        yield SeenTime(value, "time", xpath_of(node), score * _nearness(signals, anchor, block), block, is_change)


def _element_time(node: HtmlElement, parse: partial[str | None]) -> str | None:
    for name in ("datetime", "content", "title"):
        if (text := node.get(name)) and (value := parse(text)):
            return value
    return parse(node_text(node)[:MAX_TIME_CHARS])


def _has_modified_label(node: HtmlElement) -> bool:
    """Whether the words before an element say "updated"."""
    before, parent = node.getprevious(), node.getparent()
    text = (before.tail or before.text) if before is not None else parent.text if parent is not None else None
    return bool(text) and _MODIFIED_LABEL.search((text or "").strip()[-ELEMENT_LABEL_CHARS:]) is not None


def _nearness(signals: PageSignals, anchor: TitleAnchor, block: int | None) -> float:
    """1 beside the title, less far away from it and before it."""
    if block is None:
        return AWAY_NEARNESS
    if anchor.block is None and signals.body is None:
        return TOP_NEARNESS if block < TOP_BLOCKS else BELOW_NEARNESS
    distance = anchor.distance(block)
    if distance in BESIDE_TITLE:
        return 1.0 - NEARNESS_PER_BLOCK * abs(distance)
    if signals.body is not None and signals.body[0] - BEFORE_BODY <= block <= signals.body[1] + BEHIND_BODY:
        return EDGE_NEARNESS if block <= signals.body[0] + 1 or block >= signals.body[1] - 1 else BODY_NEARNESS
    return FAR_NEARNESS if distance in FAR_FROM_TITLE else AWAY_NEARNESS


# ------------------------------------------------------------------------------------------- lines
def _iter_lines(signals: PageSignals, anchor: TitleAnchor, hint: int | None) -> Iterator[SeenTime]:
    """Dates in short lines near the title, in lines whose class names a time, and in the last lines of the body."""
    find = partial(iter_times, now=signals.now, day_first=signals.day_first, year_hint=hint, relative=signals.fetched is not None)
    starts = signals.blocks.elements.start
    fields_of = {int(starts[row]): fields for row, fields in signals.field_rows if "time" in fields or "modified" in fields}
    near = {block: (text, list(find(text))) for block, text in dict(_iter_date_lines(signals, anchor, list(fields_of))).items()}
    times = [
        time
        for block, (text, dates) in near.items()
        for time in _line_times(signals, anchor, (block, text), dates, fields_of.get(block, ()))
    ]
    dated = {block for block, (_, dates) in near.items() if dates}
    times = [_less_in_list(time, dated) for time in times]
    is_named = not signals.is_han or any(time.label == PUBLISHED for time in times)
    yield from times if is_named else _with_first_change_as_published(times)
    if not any(time.score > SURE_SCORE for time in times):
        yield from _iter_openings(signals, find)
        far = [(line, list(find(line[1]))) for line in _iter_far_lines(signals, set(near))]
        others = [time for line, dates in far for time in _line_times(signals, anchor, line, dates, ())]
        yield from others if is_named else _with_first_change_as_published(others)


def _iter_date_lines(signals: PageSignals, anchor: TitleAnchor, with_class: list[int]) -> Iterator[tuple[int, str]]:
    yield from anchor.lines()
    texts = signals.blocks.texts
    for block in with_class[:MAX_CLASS_LINES]:
        if block < len(texts) and len(texts[block]) <= MAX_CLASS_LINE_CHARS:
            yield block, texts[block]
    if signals.body is not None:
        last = signals.body[1]
        for block in range(max(0, last - TAIL_BLOCKS_BEFORE), min(len(texts), last + TAIL_BLOCKS_BEHIND)):
            if len(texts[block]) <= MAX_TAIL_CHARS:
                yield block, texts[block]


def _iter_far_lines(signals: PageSignals, near: set[int]) -> Iterator[tuple[int, str]]:
    """Other short lines of the page with a year and a word for publishing or changing."""
    blocks = signals.blocks
    count = 0
    for block, text in enumerate(blocks.texts[:MAX_FAR_BLOCKS]):
        is_short = len(text) in FAR_LINE_CHARS and block not in near
        if is_short and _YEAR.search(text) and _LABELLED_YEAR.search(text) and not blocks.hidden[block]:
            yield block, text
            count += 1
            if count >= MAX_FAR_LINES:
                return


def _iter_openings(signals: PageSignals, find: partial[Iterator[DateMatch]]) -> Iterator[SeenTime]:
    """A date that opens the text: 01.02.2022 - The harbour ..."""
    if signals.body is None or signals.is_han:
        return
    for block in range(signals.body[0], min(signals.body[0] + 2, signals.body[1] + 1)):
        first = next(find(signals.blocks.texts[block][:MAX_OPENING_CHARS]), None)
        if first and first.start <= MAX_OPENING_OFFSET:
            yield SeenTime(first.value, "text", signals.xpath(block), OPENING_SCORE, block)


def _less_in_list(time: SeenTime, dated: set[int]) -> SeenTime:
    """Dates in three lines running are those of a list."""
    block = time.block or 0
    is_listed = any({block + shift, block + shift + 1, block + shift + 2} <= dated for shift in (-2, -1, 0))
    return replace(time, score=LIST_FACTOR * time.score) if is_listed else time


def _quoted_blocks(signals: PageSignals, anchor: TitleAnchor) -> set[int]:
    """The blocks of quotes, such as posts of other sites that an article shows; not those of quotes with the title or most of the body."""
    elements = signals.blocks.elements
    body = range(signals.body[0], signals.body[1] + 1) if signals.body else range(0)
    quotes = [range(int(elements.start[row]), int(elements.end[row])) for row in np.flatnonzero(elements.tag == _QUOTE).tolist()]
    others = [quote for quote in quotes if anchor.block not in quote and 2 * len(_common(quote, body)) <= len(body)]
    return {block for quote in others for block in quote}


def _common(a: range, b: range) -> range:
    return range(max(a.start, b.start), min(a.stop, b.stop))


def _less_in_quote(time: SeenTime, quoted: set[int]) -> SeenTime:
    """A date in a quote is mostly that of what is quoted."""
    return replace(time, score=QUOTE_FACTOR * time.score) if time.block in quoted else time


def _with_first_change_as_published(times: list[SeenTime]) -> list[SeenTime]:
    """Chinese pages say "updated" of the time of publishing; where they name both, each is what its label says."""
    lines: set[int | None] = set()
    result = []
    for time in times:
        result.append(replace(time, is_change=False) if time.block not in lines else time)
        lines.add(time.block)
    return result


def _line_times(
    signals: PageSignals, anchor: TitleAnchor, line: tuple[int, str], dates: list[DateMatch], fields: tuple[str, ...]
) -> Iterator[SeenTime]:
    """The times of a line (its block and text) whose dates are known; `fields`: those that its class names."""
    block, text = line
    nearness = _nearness(signals, anchor, block)
    linked = signals.blocks.link_chars[block] > LINK_SHARE * len(text)
    for place, date in enumerate(dates[:MAX_DATES_OF_LINE]):
        before = _text_before(signals, line, dates, place)
        if _OTHER_LABEL.search(before[-OTHER_LABEL_CHARS:]) or _SPAN_BEHIND.match(text[date.end :]):
            continue
        is_labelled = bool(before.strip()) and _PUBLISHED_LABEL.search(before[-LABEL_CHARS:]) is not None
        has_change_label = bool(before) and _MODIFIED_LABEL.search(before[-MODIFIED_LABEL_CHARS:]) is not None
        is_change = has_change_label or ("modified" in fields and "time" not in fields)
        score = _line_score(signals, date, is_labelled=is_labelled, has_class="time" in fields) - SCORE_PER_DATE * place
        if len(text) - (date.end - date.start) > MAX_AROUND_CHARS and not is_labelled:
            score -= IN_SENTENCE
        label = CHANGE if has_change_label else PUBLISHED if is_labelled else ""
        yield SeenTime(date.value, "text", signals.xpath(block), (score - IN_LINK * linked) * nearness, block, is_change, label)


def _text_before(signals: PageSignals, line: tuple[int, str], dates: list[DateMatch], place: int) -> str:
    """The text between a date and the one before it; before the first character of a line a short line above."""
    block, text = line
    if place:
        return text[dates[place - 1].end : dates[place].start]
    if dates[place].start:
        return text[: dates[place].start]
    previous = signals.blocks.texts[block - 1] if block else ""
    return previous if len(previous) < MAX_LABEL_LINE_CHARS else ""


def _line_score(signals: PageSignals, date: DateMatch, *, is_labelled: bool, has_class: bool) -> float:
    has_clock = "T" in date.value
    score = LINE_SCORE if not signals.is_han else CHINESE_CLOCK_SCORE if has_clock else CHINESE_DAY_SCORE
    return score + LABEL_BONUS * is_labelled + CLASS_BONUS * has_class + CLOCK_BONUS * has_clock
