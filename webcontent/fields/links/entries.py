"""The entries of a list page: for each article that it leads to the title, address, time, source, summary and image."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

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
"""Share of the best group's score that a group in other markup needs ..."""
MIN_OTHER_MEAN = 0.5
"""... and share of its mean score."""

MAX_BLOCKS = 40
"""Blocks of a record that are read."""
MAX_TITLE_CHARS = 300
MAX_DATE_LINE_CHARS = 60
"""A date line has fewer characters than this beside the date; the first date counts in a record without one."""
MAX_SOURCE_LINE_CHARS = 100
MIN_SUMMARY_CHARS = 20
MIN_PLAIN_SUMMARY_CHARS = 15
"""Letters and digits of a summary that are not the title's."""
MAX_SUMMARY_CHARS = 1000

_IMAGE = TAG_CODES["img"]
_FRONT_PAGE = re.compile(r"[^/?#]*(?:/(?:index|default|home)\.\w{3,5})?")
"""Address key of a site's front page, which is no entry of a list."""
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
        if key and key != own and not _FRONT_PAGE.fullmatch(key):
            records.setdefault(key, record)
    entries = [_entry(signals, anchors, record) for record in list(records.values())[:MAX_ENTRIES]]
    xpath = xpath_of(anchors.elements.nodes[best.parent])
    return [Candidate(entries, "records", xpath, round(min(1.0, best.score / FULL_SCORE), 4))] if entries else []


def _is_part_of_list(anchors: Anchors, group: RecordGroup, best: RecordGroup) -> bool:
    """Whether a group is another part of the page's main list: in the same markup (years of an archive), or with a score as high."""
    elements = anchors.elements
    mean, best_mean = group.score / len(group.records), best.score / len(best.records)
    if (
        group.key == best.key
        and elements.tag[group.parent] == elements.tag[best.parent]
        and elements.classes[group.parent] == elements.classes[best.parent]
        and elements.depth[group.parent] == elements.depth[best.parent]
    ):
        return mean > MIN_SIMILAR_MEAN * best_mean
    return group.score > MIN_OTHER_SCORE * best.score and mean > MIN_OTHER_MEAN * best_mean


def _entry(signals: PageSignals, anchors: Anchors, record: Record) -> Entry:
    blocks, anchor = anchors.blocks, record.anchor
    start = anchors.places.starts[record.first_row]
    end = max(start + 1, anchors.places.starts[record.last_row] if record.last_row < len(anchors.places.starts) else len(blocks))
    lines = blocks.texts[start : min(end, start + MAX_BLOCKS)]
    title = anchor.full_text if anchor.text and plain(record.title) == plain(anchor.text) else record.title
    return Entry(
        title=title[:MAX_TITLE_CHARS],
        url=anchor.url or "",
        time=_time(signals, [line.replace(title, " ") for line in lines], anchor.url) or _time_in_two_lines(signals, lines),
        source=_source(lines),
        summary=_summary(lines, title),
        image=_image(anchors, record),
    )


def _time(signals: PageSignals, lines: list[str], url: str | None) -> str | None:
    """The date of the date line among a record's lines without their title, else the first date; a missing year is that of the address."""
    from_address = time_from_url(url, now=signals.now) or signals.url_time
    year = int(from_address[:4]) if from_address else None
    best: str | None = None
    fewest_chars = MAX_DATE_LINE_CHARS
    for line in lines:
        if len(line) > MAX_DATE_HINT_CHARS or not has_date_hint(line):
            continue
        times = iter_times(line, now=signals.now, year_hint=year, day_first=signals.day_first, relative=signals.fetched is not None)
        first = next(times, None)
        if first is None:
            continue
        chars_beside = len(line) - (first.end - first.start)
        if best is None or chars_beside < fewest_chars:
            best, fewest_chars = first.value, min(chars_beside, MAX_DATE_LINE_CHARS)
    return best


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


def _source(lines: list[str]) -> str | None:
    """The name behind a label such as "source:"."""
    for line in lines:
        if len(line) <= MAX_SOURCE_LINE_CHARS and (match := _SOURCE.search(line)):
            return match[1].strip()
    return None


def _summary(lines: list[str], title: str) -> str | None:
    """The longest line that is more than the title and a date."""
    key = plain(title)
    long = (line for line in lines if len(line) >= MIN_SUMMARY_CHARS)
    best = max((line for line in long if len(plain(line).replace(key, "", 1)) >= MIN_PLAIN_SUMMARY_CHARS), key=len, default=None)
    return best[:MAX_SUMMARY_CHARS] if best and plain(best) not in key else None


def _image(anchors: Anchors, record: Record) -> str | None:
    """Address of the first image."""
    elements = anchors.elements
    for row in range(record.first_row, min(record.last_row, anchors.places.subtree_ends[record.first_row])):
        if anchors.places.tags[row] == _IMAGE and (url := image_url(anchors.document, elements.nodes[row])):
            return url
    return None
