"""The entries of a list page: for each article that it leads to the title, address, time, source, summary and image."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.rich_text.images import image_url
from webcontent.fields.dates import iter_times, time_from_url
from webcontent.fields.lexicon import alternation
from webcontent.fields.links.anchors import MAX_DATE_HINT_CHARS, address_key, has_date_hint
from webcontent.fields.links.record_groups import find_record_groups
from webcontent.fields.page_signals import plain
from webcontent.fields.titles.site_names import MAX_TITLE_CHARS
from webcontent.items import Candidate, Entry

if TYPE_CHECKING:
    from webcontent.fields.links.anchors import Anchors
    from webcontent.fields.links.record_groups import Record, RecordGroup
    from webcontent.fields.page_signals import PageSignals

FULL_SCORE = 20
"""Score of a record group from which on the candidate's score is 1."""
MIN_SHARE_OF_BEST = 0.5
"""Of the best group's score: of the mean for another group in the same markup (years of an archive), else of the sum."""
MAX_BLOCKS = 40
"""Blocks of a record that are read."""
MIN_SUMMARY_CHARS = 15
"""Letters and digits of a summary that are not the title's."""
MAX_SUMMARY_CHARS = 1000

_IMAGE = TAG_CODES["img"]
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
    entries = [_entry(signals, anchors, record) for record in records.values()]
    xpath = xpath_of(anchors.elements.nodes[best.parent])
    return [Candidate(entries, "records", xpath, round(min(1.0, best.score / FULL_SCORE), 4))] if entries else []


def _is_part_of_list(anchors: Anchors, group: RecordGroup, best: RecordGroup) -> bool:
    """Whether a group is another part of the page's main list."""
    elements = anchors.elements
    markup, best_markup = ((one.key, elements.depth[one.parent], elements.classes[one.parent]) for one in (group, best))
    count, best_count = (len(group.records), len(best.records)) if markup == best_markup else (1, 1)
    return group.score / count > MIN_SHARE_OF_BEST * best.score / best_count


def _entry(signals: PageSignals, anchors: Anchors, record: Record) -> Entry:
    anchor, starts = record.anchor, anchors.places.starts
    start = starts[record.first_row]
    lines = anchors.blocks.texts[start : min(max(start + 1, starts[record.last_row]), start + MAX_BLOCKS)]
    title = anchor.full_text if anchor.text and plain(record.title) == plain(anchor.text) else record.title
    return Entry(
        title=title[:MAX_TITLE_CHARS],
        url=anchor.url or "",
        time=_time(signals, [line.replace(title, " ") for line in lines], anchor.url),
        source=next((match[1].strip() for line in lines if (match := _SOURCE.search(line))), None),
        summary=_summary(lines, title),
        image=_image(anchors, record),
    )


def _time(signals: PageSignals, lines: list[str], url: str | None) -> str | None:
    """The date that fills its line most, of a record's lines without their title; a missing year is that of the address."""
    from_address = time_from_url(url, signals.dates) or signals.url_time
    context = replace(signals.dates, year=int(from_address[:4]) if from_address else None)
    best: dict[int, str] = {}
    for line in lines:
        if len(line) > MAX_DATE_HINT_CHARS or not has_date_hint(line):
            continue
        if first := next(iter_times(line, context), None):
            best.setdefault(len(line) - (first.end - first.start), first.value)
    return best[min(best)] if best else None


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
