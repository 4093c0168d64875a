"""Which lines of a page are read for bylines: around the title, at the edges of the body, and where markup names a person or a source."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from webcontent.fields.names.labels import LABELS, kind_alone, squeezed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

ZONES = ("head", "opening", "ending", "behind", "marked")
"""Before the body; its first and last blocks; what follows it; elements elsewhere whose markup or label names a person or a source."""

# Blocks from the title and from the edges of the body that are read, and the characters of them.
TITLE_RANGE = (-7, 16)
BEFORE_BODY, BEHIND_BODY = 8, 10
FROM_TOP = 60
OPENING_BLOCKS, ENDING_BLOCKS = 3, 4
MAX_LINE_CHARS = 220
OPENING_CHARS, ENDING_CHARS = 90, 80
MAX_MARKED_BLOCKS = 12
MAX_LABELLED_BLOCKS, MAX_LABELLED_CHARS = 6, 60
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
    zones = _zones(signals, anchor)
    blocks = signals.blocks
    lines = []
    is_all_hidden = signals.body is not None and bool(blocks.hidden[signals.body[0]])  # until scripts have run
    for block in sorted(zones):
        if not blocks.hidden[block] or zones[block] == "marked" or is_all_hidden:
            line = _line(signals, block, zones[block])
            if line is not None:
                lines.append(line)
    return lines[:MAX_LINES]


def _zones(signals: PageSignals, anchor: TitleAnchor) -> dict[int, str]:
    """Block -> zone."""
    count = len(signals.blocks)
    zones = dict.fromkeys(islice(_labelled_blocks(signals), MAX_LABELLED_BLOCKS), "marked")
    zones |= dict.fromkeys(_marked_blocks(signals), "marked")
    body = signals.body
    last_of_head = count if body is None else body[0]
    for block in _head_blocks(anchor, last_of_head, count):
        zones[block] = "head"
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
    chars = len(signals.blocks.texts[block])
    is_long = chars > MAX_LINE_CHARS
    if is_long and zone not in ("opening", "ending"):
        return None
    text, starts, rows = _marked_text(signals, block)
    limit = OPENING_CHARS if zone == "opening" else ENDING_CHARS
    if zone in ("opening", "ending") and len(text) > limit:
        if zone == "opening":
            return Line(block, zone, text[:limit], starts, rows, is_part=True)
        cut = len(text) - limit
        return Line(block, zone, text[cut:], [start - cut for start in starts], rows, is_part=True)
    return Line(block, zone, text, starts, rows, is_part=False)


def _marked_text(signals: PageSignals, block: int) -> tuple[str, list[int], list[int]]:
    """Text of a block with MARK between its text nodes, where these begin, and the rows that hold them."""
    blocks = signals.blocks
    first, end = int(blocks.piece_start[block]), int(blocks.piece_start[block + 1])
    parts: list[str] = []
    starts: list[int] = []
    rows: list[int] = []
    size = 0
    for text, row in blocks.pieces[first:end]:
        collapsed = _SPACE.sub(" ", text.replace(SOFT_HYPHEN, ""))
        if parts:
            parts.append(MARK)
            size += 1
        starts.append(size)
        rows.append(row)
        parts.append(collapsed)
        size += len(collapsed)
    return "".join(parts), starts, rows


def ancestors(signals: PageSignals, row: int, count: int) -> Iterator[int]:
    """Rows of an element and its nearest ancestors."""
    parent = signals.blocks.elements.parent
    for _ in range(count):
        if row < 0:
            return
        yield row
        row = int(parent[row])
