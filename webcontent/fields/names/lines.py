"""Which lines of a page are read for bylines: around the title, at the edges of the body, and where markup names a person or a source."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

from webcontent.fields.names.labels import LABELS, kind_alone, squeezed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

ZONES = ("head", "opening", "ending", "behind", "marked")
"""Before the body; its first and last blocks; what follows it; elements elsewhere whose markup or label names a person or a source."""

TITLE_RANGE, FROM_TOP = (-7, 16), 60
"""Blocks around the title; those of a page whose title and body are unknown."""
BEFORE_BODY, OPENING_BLOCKS, ENDING_BLOCKS, BEHIND_BODY = 8, 3, 4, 10
MAX_LINE_CHARS, OPENING_CHARS, ENDING_CHARS = 220, 90, 80
"""Of a line, and of the edges of the body: of its first and its last blocks."""
MAX_MARKED_BLOCKS, MAX_LABELLED_BLOCKS, MAX_LABELLED_CHARS = 12, 6, 60
MAX_LINES = 64
SOFT_HYPHEN = "\xad"
MARK = "\x02"
"""Stands between the texts of two elements."""

NAMING = ("source", "author")
"""Kinds of labels whose values are looked for far from the body, too."""
_SPACE = re.compile(r"\s+")
_COLON = re.compile("[:：]")


class Line(NamedTuple):
    """A block that is read, or the part of a paragraph at one of its ends."""

    block: int
    zone: str
    text: str
    """White space collapsed, MARK between the texts of different elements."""
    starts: list[int]
    """Offsets at which the text nodes begin."""
    rows: list[int]
    """Rows of the elements that hold these text nodes."""
    is_part: bool
    """Whether it is a part of a longer paragraph."""

    def row_at(self, offset: int) -> int:
        """The row of the element that holds a character."""
        return self.rows[max(0, bisect_right(self.starts, offset) - 1)]


def byline_lines(signals: PageSignals, anchor: TitleAnchor) -> list[Line]:
    """The lines that are read, in page order."""
    zones, hidden = _zones(signals, anchor), signals.blocks.hidden
    is_all_hidden = signals.body is not None and bool(hidden[signals.body[0]])  # until scripts have run
    blocks = [block for block in sorted(zones) if not hidden[block] or zones[block] == "marked" or is_all_hidden]
    return list(islice(filter(None, (_line(signals, block, zones[block]) for block in blocks)), MAX_LINES))


def _zones(signals: PageSignals, anchor: TitleAnchor) -> dict[int, str]:
    """Block -> zone."""
    count, body = len(signals.blocks), signals.body
    zones = dict.fromkeys(islice(_labelled_blocks(signals), MAX_LABELLED_BLOCKS), "marked")
    zones |= dict.fromkeys(_marked_blocks(signals), "marked")
    zones |= dict.fromkeys(_head_blocks(anchor, count if body is None else body[0], count), "head")
    if body is not None:
        first, last = body
        zones |= dict.fromkeys(range(max(first, last + 1 - ENDING_BLOCKS), last + 1), "ending")
        zones |= dict.fromkeys(range(first, min(first + OPENING_BLOCKS, last + 1)), "opening")
        zones |= dict.fromkeys(range(last + 1, min(count, last + 1 + BEHIND_BODY)), "behind")
    return zones


def _head_blocks(anchor: TitleAnchor, body_start: int, count: int) -> Iterator[int]:
    if anchor.block is not None:
        yield from range(max(0, anchor.block + TITLE_RANGE[0]), min(count, anchor.block + TITLE_RANGE[1]))
    if anchor.body is not None:
        yield from range(max(0, body_start - BEFORE_BODY), body_start)
    elif anchor.block is None:
        yield from range(min(count, FROM_TOP))


def _marked_blocks(signals: PageSignals) -> Iterator[int]:
    """First blocks of the elements whose class, itemprop or rel names a person or a source."""
    starts = signals.blocks.elements.start
    rows = [row for row, fields in signals.field_rows if "authors" in fields or "source" in fields]
    found = [int(starts[row]) for row in rows[:MAX_MARKED_BLOCKS]]
    found += [block for node, _ in signals.declared.marked("authors") if (block := signals.block_of(node)) is not None]
    count = len(signals.blocks)
    return (block for block in found if block < count)


def _labelled_blocks(signals: PageSignals) -> Iterator[int]:
    """Short blocks behind the body that begin with the label of a name or a source: the box under an article."""
    blocks = signals.blocks
    if signals.body is None:
        return
    for block in range(signals.body[1] + 1, len(blocks)):
        text = blocks.texts[block]
        if len(text) <= MAX_LABELLED_CHARS and not blocks.hidden[block] and _begins_with_label(signals, block, text):
            yield block


def _begins_with_label(signals: PageSignals, block: int, text: str) -> bool:
    """Whether a label stands before the first colon of a block, or is all the text of its first element."""
    label = _COLON.split(text, maxsplit=1)[0]
    if len(label) < len(text):
        return LABELS.get(squeezed(label)) in NAMING
    first = signals.blocks.pieces[int(signals.blocks.piece_start[block])][0]
    return kind_alone(first.strip()) in NAMING


def _line(signals: PageSignals, block: int, zone: str) -> Line | None:
    """The line of a block; None for a long one that is no edge of the body."""
    limit = {"opening": OPENING_CHARS, "ending": ENDING_CHARS}.get(zone)
    if limit is None and len(signals.blocks.texts[block]) > MAX_LINE_CHARS:
        return None
    text, starts, rows = _marked_text(signals, block)
    if limit is None or len(text) <= limit:
        return Line(block, zone, text, starts, rows, is_part=False)
    cut = len(text) - limit if zone == "ending" else 0
    return Line(block, zone, text[cut:][:limit], [start - cut for start in starts], rows, is_part=True)


def _marked_text(signals: PageSignals, block: int) -> tuple[str, list[int], list[int]]:
    """Text of a block with MARK between its text nodes, where these begin, and the rows that hold them."""
    blocks = signals.blocks
    pieces = blocks.pieces[int(blocks.piece_start[block]) : int(blocks.piece_start[block + 1])]
    parts = [_SPACE.sub(" ", text.replace(SOFT_HYPHEN, "")) for text, _ in pieces]
    starts = [0, *accumulate(len(part) + 1 for part in parts[:-1])]
    return MARK.join(parts), starts, [row for _, row in pieces]
