"""The entries of a list page: for each article that it leads to the title, address, time, source, summary and image."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.rich_text.images import image_url
from webcontent.fields.dates import iter_times, time_from_url
from webcontent.fields.lexicon import alternation
from webcontent.fields.links.anchors import MAX_DATE_HINT_CHARS, address_key, has_date_hint
from webcontent.fields.links.record_groups import find_record_groups
from webcontent.fields.page_signals import plain
from webcontent.items import Candidate, Entry

if TYPE_CHECKING:
    from webcontent.fields.links.anchors import Anchors
    from webcontent.fields.links.record_groups import Record, RecordGroup
    from webcontent.fields.page_signals import PageSignals

MAX_ENTRIES = 500
FULL_SCORE = 20
"""Score of a record group from which on the candidate's score is 1."""
MIN_SIMILAR_MEAN = 0.4
"""Share of the best group's mean score that another group in the same markup needs to be a part of the list."""
MIN_OTHER_SCORE = 0.6
"""Share of the best group's score that a group in other markup needs to be a part of the list."""

MAX_BLOCKS = 40
"""Blocks of a record that are read."""
MAX_TITLE_CHARS = 300
MIN_SUMMARY_CHARS = 15
"""Letters and digits of a summary that are not the title's."""
MAX_SUMMARY_CHARS = 1000

_IMAGE = TAG_CODES["img"]
_DAY = re.compile(r"\d{1,2}日?")
_YEAR_AND_MONTH = re.compile(r"((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})月?|([A-Za-zÀ-ÿ]{3,9}\.?),? ((?:19|20)\d\d)")
_SOURCE = re.compile(
    rf"(?:{alternation('sources', 'label_in_entry')})\s?[:：]\s*([^\s|，,:：][^|，,:：]{{0,30}}?)(?=\s{{1,}}|$|[|，,])", re.I
)


def find_entries(signals: PageSignals, anchors: Anchors) -> list[Candidate]:
    """The entries of a list page in page order, as one candidate (a list of Entry); an empty list where there are none."""
    groups = find_record_groups(anchors)
    if not groups:
        return []
    best = groups[0]
    chosen = [group for group in groups if group is best or _is_part_of_list(anchors, group, best)]
    chosen.sort(key=lambda group: group.records[0].first_row)
    own = address_key(signals.document.url)
    records: dict[str, Record] = {}
    for record in (record for group in chosen for record in group.records):
        key = address_key(record.anchor.url)
        if key and key != own and "/" in key:
            records.setdefault(key, record)
    entries = [_entry(signals, anchors, record) for record in list(records.values())[:MAX_ENTRIES]]
    xpath = xpath_of(anchors.elements.nodes[best.parent])
    return [Candidate(entries, "records", xpath, round(min(1.0, best.score / FULL_SCORE), 4))] if entries else []


def _is_part_of_list(anchors: Anchors, group: RecordGroup, best: RecordGroup) -> bool:
    """Whether a group is another part of the page's main list: in the same markup (years of an archive), or with a score as high."""
    elements, rows = anchors.elements, [group.parent, best.parent]
    tags, depths, classes = elements.tag[rows], elements.depth[rows], [elements.classes[row] for row in rows]
    is_similar = group.key == best.key and tags[0] == tags[1] and depths[0] == depths[1] and classes[0] == classes[1]
    if is_similar:
        return group.score / len(group.records) > MIN_SIMILAR_MEAN * best.score / len(best.records)
    return group.score > MIN_OTHER_SCORE * best.score


def _entry(signals: PageSignals, anchors: Anchors, record: Record) -> Entry:
    anchor, starts = record.anchor, anchors.places.starts
    start = starts[record.first_row]
    lines = anchors.blocks.texts[start : min(max(start + 1, starts[record.last_row]), start + MAX_BLOCKS)]
    title = anchor.full_text if anchor.text and plain(record.title) == plain(anchor.text) else record.title
    return Entry(
        title=title[:MAX_TITLE_CHARS],
        url=anchor.url or "",
        time=_time(signals, [line.replace(title, " ") for line in lines], anchor.url) or _time_in_two_lines(signals, lines),
        source=next((match[1].strip() for line in lines if (match := _SOURCE.search(line))), None),
        summary=_summary(lines, title),
        image=_image(anchors, record),
    )


def _time(signals: PageSignals, lines: list[str], url: str | None) -> str | None:
    """The date that fills its line most, of a record's lines without their title; a missing year is that of the address."""
    from_address = time_from_url(url, now=signals.now) or signals.url_time
    year = int(from_address[:4]) if from_address else None
    best: dict[int, str] = {}
    for line in lines:
        if len(line) > MAX_DATE_HINT_CHARS or not has_date_hint(line):
            continue
        times = iter_times(line, now=signals.now, year_hint=year, day_first=signals.day_first, relative=signals.fetched is not None)
        if first := next(times, None):
            best.setdefault(len(line) - (first.end - first.start), first.value)
    return best[min(best)] if best else None


def _time_in_two_lines(signals: PageSignals, lines: list[str]) -> str | None:
    """The date of a day and a month that stand apart: `05` and `2024-03` (or `March 2024`) in two lines, in either order."""
    for first, second in pairwise(lines):
        for day, month in ((first, second), (second, first)):
            if _DAY.fullmatch(day) and (match := _YEAR_AND_MONTH.fullmatch(month)):
                number = day.rstrip("日")
                text = f"{match[1]}-{match[2]}-{number}" if match[1] else f"{number} {match[3]} {match[4]}"
                if time := next(iter_times(text, now=signals.now), None):
                    return time.value
    return None


def _summary(lines: list[str], title: str) -> str | None:
    """The longest line that is more than the title and a date."""
    key = plain(title)
    best = max((line for line in lines if len(plain(line).replace(key, "", 1)) >= MIN_SUMMARY_CHARS), key=len, default=None)
    return best[:MAX_SUMMARY_CHARS] if best and plain(best) not in key else None


def _image(anchors: Anchors, record: Record) -> str | None:
    """Address of the first image."""
    elements, first = anchors.elements, record.first_row
    rows = first + np.flatnonzero(elements.tag[first : min(record.last_row, anchors.places.subtree_ends[first])] == _IMAGE)
    return next((url for row in rows.tolist() if (url := image_url(anchors.document, elements.nodes[row]))), None)
