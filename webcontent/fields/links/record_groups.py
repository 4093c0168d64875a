"""Groups of records: sibling elements of a list page that each lead to one article.

The children of every element that leads somewhere are tried as records, by tag and by tag and class. A record begins with such a child
and has one link that stands out as its title. The score of a group says how much it looks like a list of articles. The weights are set
by hand, not learned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAGS, are_tags
from webcontent.fields.lexicon import alternation
from webcontent.fields.links.anchors import HEADING_ANCESTORS, HEADING_TAGS, NO_TITLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.links.anchors import Anchor, Anchors

MAX_ANCESTORS = 9
"""Ancestors of a link whose children are tried as records."""
MAX_RECORD_LINKS = 40
"""Links of a record that are looked at."""
MAX_HEADING_ROWS = 60
"""Elements of a record among which its heading is looked for."""
MAX_TIME_BLOCKS = 12
"""Blocks of a record that are searched for its date."""
MAX_CLASS_CHARS = 50

RIVAL_SHARE = 0.55
"""A link with more than this share of the best title weight is a rival for the title of the record."""
MIN_CARD_CHARS = 15
"""A link with more characters than this beside its title wraps the whole record."""
MIN_TITLE_CHARS = 2
MIN_GOOD_TITLE_CHARS = 8
"""A group is worth less by the share of records with shorter titles."""
MIN_DISTINCT_SHARE = 0.7
"""Of the records of a group: where fewer lead to an address of their own, they are no records."""
MIN_LONE_TEXT_CHARS = 20
"""Text beside the title that a group of one record needs."""

MAX_SCORED_RECORDS = 60
"""The best records of a group that make its score."""
MAX_SCORED_TITLE_CHARS = 40
MAX_SCORED_TEXT_CHARS = 150
TIME_BONUS = 0.8
HEADING_BONUS = 0.8
LONE_FACTOR = 0.5
"""For a group of one record."""
UNTITLED_FACTOR = 0.25
"""For a group whose titles are all short; groups with longer titles lie between this and 1."""
BOILERPLATE_FACTOR = 0.15
"""For a group in navigation, footer, sidebar or the like."""
MAX_BOILERPLATE_SHARE = 0.5
"""An element with a larger share of the page's blocks is no boilerplate, whatever its class."""
MAX_NAME_CHARS = 200
"""A class and id as long as this name nothing."""

_IS_BOILERPLATE = are_tags("nav footer aside header")
_IS_CONTENT = are_tags("body html main article")
"""No boilerplate, whatever their class."""
_BOILERPLATE_CLASS = re.compile(rf"(?:^|[\s_-])(?:{alternation('class_names', 'boilerplate')})(?:$|[\s_-])", re.I)
_DIGITS = re.compile(r"\d+")
_TITLE_WEIGHT = attrgetter("title_weight")


@dataclass(slots=True)
class Record:
    """An element, or what lies between it and its next similar sibling, that leads to one article."""

    first_row: int
    last_row: int
    """Rows [first_row, last_row)."""
    anchor: Anchor
    title: str
    text_chars: int
    """Characters beside the title and outside of links."""
    has_time: bool
    in_heading: bool
    """Whether the title is a heading."""


@dataclass(slots=True)
class RecordGroup:
    """Records that are children of one element."""

    parent: int
    """Row of that element."""
    key: str
    """Tag of the records, or tag and class as `tag.class`."""
    records: list[Record]
    score: float
    """How much the group looks like a list of articles: a rank among the groups of a page."""


def find_record_groups(anchors: Anchors) -> list[RecordGroup]:
    """The groups of records of a page, best first. Of groups that share most of their links only the best is given."""
    boilerplate = _boilerplate_rows(anchors)
    groups = []
    known: dict[tuple[int, int], Record | None] = {}
    for parent, rows in _children_of_ancestors(anchors).items():
        for key, starts in _iter_similar(anchors, rows) if len(rows) > 1 else ():  # an only child is no record
            group = _group(anchors, parent, key, starts, known)
            if group is not None:
                if boilerplate[group.records[0].first_row]:
                    group.score *= BOILERPLATE_FACTOR
                groups.append(group)
    return _without_overlaps(groups)


def _children_of_ancestors(anchors: Anchors) -> dict[int, list[int]]:
    """Rows of the children of each element that has a link among its nearer descendants, by row of the element."""
    parents = anchors.places.parents
    ancestors: dict[int, int] = {}  # with the number of steps that were left there
    for anchor in anchors.all:
        row = anchor.row
        for left in range(MAX_ANCESTORS, 0, -1):
            row = parents[row]
            if row < 0 or ancestors.get(row, 0) >= left:
                break
            ancestors[row] = left
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        if parent in ancestors:
            children.setdefault(parent, []).append(row)
    return children


def _iter_similar(anchors: Anchors, rows: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Children by tag, and by tag and class where that splits them."""
    by_tag: dict[str, list[int]] = {}
    by_class: dict[str, list[int]] = {}
    for row in rows:
        tag = TAGS[anchors.places.tags[row]]
        by_tag.setdefault(tag, []).append(row)
        by_class.setdefault(f"{tag}.{_first_class(anchors.elements.classes[row])}", []).append(row)
    yield from by_tag.items()
    for key, starts in by_class.items():
        if len(starts) < len(by_tag[key.split(".")[0]]):
            yield key, starts


@lru_cache(maxsize=20_000)
def _first_class(class_name: str) -> str:
    """The first class without digits: post-12 and post-13 are alike."""
    return _DIGITS.sub("", (class_name.split(None, 1) or [""])[0])[:MAX_CLASS_CHARS]


def _boilerplate_rows(anchors: Anchors) -> list[bool]:
    """Whether each element lies in navigation, footer, sidebar or the like."""
    elements = anchors.elements
    named = {names for names in set(zip(elements.classes, elements.ids, strict=True)) if _names_boilerplate(*names)}
    is_named = np.fromiter(map(named.__contains__, zip(elements.classes, elements.ids, strict=True)), np.bool_, len(elements))
    is_large = elements.end - elements.start > MAX_BOILERPLATE_SHARE * len(anchors.blocks)
    is_own = (is_named & ~_IS_CONTENT[elements.tag] | _IS_BOILERPLATE[elements.tag]) & ~is_large
    rows, count = np.flatnonzero(is_own), len(elements) + 1
    around = np.bincount(rows, minlength=count) - np.bincount(elements.last[rows] + 1, minlength=count)
    result: list[bool] = (np.cumsum(around)[:-1] > 0).tolist()
    return result


def _names_boilerplate(class_name: str, element_id: str) -> bool:
    """Whether a class or an id is that of navigation or the like."""
    name = f"{class_name} {element_id}"
    return 1 < len(name) < MAX_NAME_CHARS and _BOILERPLATE_CLASS.search(name) is not None


def _group(anchors: Anchors, parent: int, key: str, starts: list[int], known: dict[tuple[int, int], Record | None]) -> RecordGroup | None:
    """The records that begin with the given children of an element; None where they are no records.

    `known`: the record of each range of rows that was tried; it is updated.
    """
    following = [*starts[1:], anchors.places.subtree_ends[parent]]
    if len(starts) == 1 and not _may_stand_alone(anchors, starts[0], following[0]):
        return None
    rows = list(zip(starts, following, strict=True))
    known |= {(first, end): _record(anchors, first, end) for first, end in rows if (first, end) not in known}
    records = [record for both in rows if (record := known[both]) is not None]
    if not records or len({record.anchor.href for record in records}) < len(records) * MIN_DISTINCT_SHARE:
        return None
    if len(records) == 1 and not _can_stand_alone(records[0]):
        return None
    return RecordGroup(parent, key, records, _group_score(records, len(starts)))


def _may_stand_alone(anchors: Anchors, row: int, end: int) -> bool:
    """Whether the rows [row, end) may be a record alone: they have a title and something beside it, and a heading or a date."""
    places = anchors.places
    start = places.starts[row]
    if places.ends[row] - start < 2:
        return False
    if places.headings_before[end] > places.headings_before[row]:
        return True
    above = row
    for _ in range(HEADING_ANCESTORS):
        above = places.parents[above]
        if above < 0:
            break
        if places.tags[above] in HEADING_TAGS:
            return True
    return _has_time(anchors, start, _block_of(anchors, end))


def _has_time(anchors: Anchors, start: int, end: int) -> bool:
    """Whether the first of the blocks [start, end) may hold a date."""
    hints = anchors.places.date_hints_before
    return hints[min(end, start + MAX_TIME_BLOCKS)] > hints[start]


def _can_stand_alone(record: Record) -> bool:
    return (record.in_heading or record.has_time) and record.text_chars >= MIN_LONE_TEXT_CHARS


def _group_score(records: list[Record], children: int) -> float:
    """The sum of the best records' scores, less where titles are short or where many of the children are no records."""
    score = sum(sorted(map(_record_score, records), reverse=True)[:MAX_SCORED_RECORDS])
    if len(records) == 1:
        score *= LONE_FACTOR
    titled = sum(len(record.title) >= MIN_GOOD_TITLE_CHARS for record in records) / len(records)
    score *= UNTITLED_FACTOR + (1 - UNTITLED_FACTOR) * titled
    return score * (len(records) / children)


def _record_score(record: Record) -> float:
    """What a record adds to the score of its group, by its title, its date and its text."""
    title = min(len(record.title), MAX_SCORED_TITLE_CHARS) / MAX_SCORED_TITLE_CHARS
    text = min(record.text_chars, MAX_SCORED_TEXT_CHARS) / MAX_SCORED_TEXT_CHARS
    return title * (1 + TIME_BONUS * record.has_time + HEADING_BONUS * record.in_heading + text)


def _record(anchors: Anchors, first_row: int, last_row: int) -> Record | None:
    """The record in rows [first_row, last_row); None where it leads nowhere or to several places alike."""
    start = anchors.places.starts[first_row]
    if start >= len(anchors.blocks) or anchors.blocks.hidden[start]:
        return None
    own_end = min(last_row, anchors.places.subtree_ends[first_row])
    links = anchors.between(first_row, own_end, MAX_RECORD_LINKS) or anchors.between(first_row, last_row, MAX_RECORD_LINKS)
    if not links:
        return None
    anchor, *others = sorted(links, key=_TITLE_WEIGHT, reverse=True)
    is_cover = not anchor.text or NO_TITLE.match(anchor.text) is not None  # a link without text over the record, or "read more"
    heading = anchors.places.first_heading_text(first_row, min(last_row, first_row + MAX_HEADING_ROWS)) if is_cover else ""
    title = heading or anchor.title
    if len(title) < MIN_TITLE_CHARS or _is_contested(anchor, others):
        return None
    end = max(start + 1, _block_of(anchors, last_row))
    text_chars = _text_chars(anchors, start, end, anchor, title)
    return Record(first_row, last_row, anchor, title, text_chars, _has_time(anchors, start, end), bool(heading) or anchor.is_heading)


def _block_of(anchors: Anchors, row: int) -> int:
    """First block of a row; the number of blocks for the row behind the last."""
    return anchors.places.starts[row] if row < len(anchors.places.starts) else len(anchors.blocks)


def _is_contested(anchor: Anchor, others: list[Anchor]) -> bool:
    """Whether other addresses may be the record's: it is a group of records, not one."""
    rivals = {other.href for other in others if other.title_weight > RIVAL_SHARE * anchor.title_weight} - {anchor.href}
    return len(rivals) > 1 or (len(rivals) == 1 and not anchor.is_heading)


def _text_chars(anchors: Anchors, start: int, end: int, anchor: Anchor, title: str) -> int:
    """Characters of a record beside its title; inside of the link where that wraps the record, else outside of links."""
    beside_title = len(anchor.text) - len(title)
    if beside_title > MIN_CARD_CHARS:
        return beside_title
    chars = anchors.places.chars_before[end] - anchors.places.chars_before[start]
    return chars - (anchors.places.link_chars_before[end] - anchors.places.link_chars_before[start])


def _without_overlaps(groups: list[RecordGroup]) -> list[RecordGroup]:
    """The groups, best first, without those that share more than half of their links with better ones."""
    kept: list[RecordGroup] = []
    taken: set[int] = set()
    for group in sorted(groups, key=lambda group: -group.score):
        rows = {record.anchor.row for record in group.records}
        if len(rows & taken) * 2 <= len(rows):
            kept.append(group)
            taken |= rows
    return kept
