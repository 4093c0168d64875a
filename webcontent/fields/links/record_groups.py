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
from webcontent.fields.links.anchors import NO_TITLE
from webcontent.fields.page_signals import rows_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webcontent.document.blocks import Elements
    from webcontent.fields.links.anchors import Anchor, Anchors

MAX_RECORD_LINKS = 40
"""Links of a record that are looked at."""
RIVAL_SHARE = 0.55
"""A link with more than this share of the best title weight is a rival for the title of the record."""
MIN_GOOD_TITLE_CHARS = 8
"""A group is worth the share of its records with titles of this length."""
MAX_SCORED_TITLE_CHARS = 40
MAX_SCORED_TEXT_CHARS = 150
BOILERPLATE_FACTOR = 0.15
"""For a group in navigation, footer, sidebar or the like."""

_IS_BOILERPLATE = are_tags("nav footer aside header")
_IS_CONTENT = are_tags("body html main article")
"""No boilerplate, whatever their class."""
_BOILERPLATE_CLASS = re.compile(rf"(?:^|[\s_-])(?:{alternation('class_names', 'boilerplate')})(?:$|[\s_-])")
_DIGITS = re.compile(r"\d+")


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

    @property
    def score(self) -> float:
        """What a record adds to the score of its group, by its title, its date and its text."""
        title = min(1, len(self.title) / MAX_SCORED_TITLE_CHARS)
        return title * (1 + self.has_time + self.in_heading + min(1, self.text_chars / MAX_SCORED_TEXT_CHARS))


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
    is_boilerplate = boilerplate_rows(anchors.elements, np.zeros(len(anchors.elements), np.bool_))
    groups = []
    known: dict[tuple[int, int], Record | None] = {}
    for parent, rows in _children_of_ancestors(anchors).items():
        for key, starts in _iter_similar(anchors, rows) if len(rows) > 1 else ():  # an only child is no record
            group = _group(anchors, parent, key, starts, known)
            is_named_so = group is not None and is_boilerplate[group.records[0].first_row]
            if group is not None and not ((is_named_so or not group.score) and _is_menu(group.records)):
                group.score *= BOILERPLATE_FACTOR if is_named_so else 1
                groups.append(group)
    return _without_overlaps(groups)


def _is_menu(records: list[Record]) -> bool:
    """Whether records are links and nothing else, or one alone."""
    return len(records) == 1 or not any(record.has_time or record.in_heading or record.text_chars for record in records)


def _children_of_ancestors(anchors: Anchors) -> dict[int, list[int]]:
    """Rows of the children of each element that holds a link, by row of the element."""
    parents = anchors.places.parents
    ancestors: set[int] = set()
    for anchor in anchors.all:
        row = parents[anchor.row]
        while row >= 0 and row not in ancestors:
            ancestors.add(row)
            row = parents[row]
    children: dict[int, list[int]] = {}
    for row, parent in enumerate(parents):
        if parent in ancestors:
            children.setdefault(parent, []).append(row)
    return children


def _iter_similar(anchors: Anchors, rows: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Children by tag, and by tag and class where that splits them."""
    elements = anchors.elements
    by_tag: dict[str, list[int]] = {}
    by_class: dict[str, list[int]] = {}
    for row in rows:
        tag = TAGS[elements.tag[row]]
        by_tag.setdefault(tag, []).append(row)
        by_class.setdefault(f"{tag}.{_first_class(elements.classes[row])}", []).append(row)
    yield from by_tag.items()
    yield from ((key, starts) for key, starts in by_class.items() if len(starts) < len(by_tag[key.split(".")[0]]))


@lru_cache(maxsize=20_000)
def _first_class(class_name: str) -> str:
    """The first class without digits: post-12 and post-13 are alike."""
    return _DIGITS.sub("", (class_name.split(None, 1) or [""])[0])


def boilerplate_rows(elements: Elements, others: NDArray[np.bool_]) -> list[bool]:
    """Whether each element lies in navigation, footer, sidebar or the like, or in one of `others`: bool [elements]."""
    names = [f"{class_name} {element_id}" for class_name, element_id in zip(elements.classes, elements.ids, strict=True)]
    named = {name for name in set(names) if _BOILERPLATE_CLASS.search(name.lower())}
    is_named = np.fromiter(map(named.__contains__, names), np.bool_, len(names))
    return rows_within(elements, others | _IS_BOILERPLATE[elements.tag] | is_named & ~_IS_CONTENT[elements.tag])


def _group(anchors: Anchors, parent: int, key: str, starts: list[int], known: dict[tuple[int, int], Record | None]) -> RecordGroup | None:
    """The records that begin with the given children of an element; None where they are no records.

    `known`: the record of each range of rows that was tried; it is updated.
    """
    places, first, end = anchors.places, starts[0], anchors.places.subtree_ends[parent]
    times = places.date_hints_before[places.starts[end]] - places.date_hints_before[places.starts[first]]
    if len(starts) == 1 and not times and places.headings_before[first] == places.headings_before[end] and not places.in_heading[first]:
        return None
    rows = list(zip(starts, [*starts[1:], end], strict=True))
    known |= {both: _record(anchors, *both) for both in rows if both not in known}
    records = [record for both in rows if (record := known[both]) is not None]
    is_lone = len(records) == 1 and not (records[0].in_heading or records[0].has_time)
    if is_lone or len({record.anchor.href for record in records}) * 2 <= len(records):
        return None
    titled = sum(len(record.title) >= MIN_GOOD_TITLE_CHARS for record in records)
    return RecordGroup(parent, key, records, sum(record.score for record in records) * titled / len(starts))


def _record(anchors: Anchors, first_row: int, last_row: int) -> Record | None:
    """The record in rows [first_row, last_row); None where it leads nowhere or to several places alike."""
    places = anchors.places
    own_end = min(last_row, places.subtree_ends[first_row])
    links = anchors.between(first_row, own_end, MAX_RECORD_LINKS) or anchors.between(first_row, last_row, MAX_RECORD_LINKS)
    start = places.starts[first_row]
    if not links or start >= len(anchors.blocks) or anchors.blocks.hidden[start]:
        return None
    anchor, *others = sorted(links, key=attrgetter("title_weight"), reverse=True)
    is_cover = not anchor.text or NO_TITLE.match(anchor.text) is not None  # a link without text over the record, or "read more"
    heading = places.heading_text(first_row, last_row) if is_cover else ""
    title = heading or anchor.title
    if len(title) < 2 or _is_contested(anchor, others):
        return None
    end = max(start + 1, places.starts[last_row])
    text_chars = max(0, len(anchor.text) - len(title)) or places.chars_before[end] - places.chars_before[start]
    has_time = places.date_hints_before[end] > places.date_hints_before[start]
    return Record(first_row, last_row, anchor, title, text_chars, has_time, bool(heading) or anchor.is_heading)


def _is_contested(anchor: Anchor, others: list[Anchor]) -> bool:
    """Whether other addresses may be the record's: it is a group of records, not one."""
    rivals = {other.href for other in others if other.title_weight > RIVAL_SHARE * anchor.title_weight} - {anchor.href}
    return len(rivals) > 1 or (len(rivals) == 1 and not anchor.is_heading)


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
