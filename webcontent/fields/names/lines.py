"""Which lines of a page are read for bylines: around the title, at the edges of the body, and where markup names a person or a source."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

ZONES = ("head", "opening", "ending", "behind", "marked")
"""Before the body; its first and last blocks; what follows it; elements elsewhere whose markup names a person or a source."""

BEFORE, BEHIND, EDGE_BLOCKS = 8, 16, 4
"""Blocks before title and body, behind them, and at both edges of the body."""
MAX_LINE_CHARS, EDGE_CHARS = 220, 90
"""Of a line, and of the blocks at the edges of the body."""
MAX_MARKED_BLOCKS = 12
SOFT_HYPHEN = "\xad"
MARK = "\x02"
"""Stands between the texts of two elements."""

_SPACE = re.compile(r"\s+")
_AUTHOR_BOX = re.compile(alternation("bylines", "author_box"))


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
    return list(filter(None, (_line(signals, block, zones[block]) for block in blocks)))


def _zones(signals: PageSignals, anchor: TitleAnchor) -> dict[int, str]:
    """Block -> zone."""
    count, body = len(signals.blocks), signals.body
    zones = dict.fromkeys(_marked_blocks(signals), "marked")
    if anchor.block is not None or body is None:
        title = anchor.block or 0
        zones |= dict.fromkeys(range(max(0, title - BEFORE), min(count, title + BEHIND)), "head")
    if body is not None:
        first, last = body
        zones |= dict.fromkeys(range(max(0, first - BEFORE), first), "head")
        zones |= dict.fromkeys(range(max(first, last + 1 - EDGE_BLOCKS), last + 1), "ending")
        zones |= dict.fromkeys(range(first, min(first + EDGE_BLOCKS, last + 1)), "opening")
        boxes = (block for block in range(last + 1, count) if _AUTHOR_BOX.match(signals.blocks.texts[block]))
        zones |= dict.fromkeys([*range(last + 1, min(count, last + 1 + BEFORE)), *islice(boxes, 1)], "behind")
    return zones


def _marked_blocks(signals: PageSignals) -> Iterator[int]:
    """First blocks of the elements whose class, itemprop or rel names a person or a source."""
    rows = [row for row, fields in signals.field_rows if "authors" in fields or "source" in fields]
    found = [int(signals.blocks.elements.start[row]) for row in rows[:MAX_MARKED_BLOCKS]]
    found += [block for node, _ in signals.declared.marked("authors") if (block := signals.block_of(node)) is not None]
    return (block for block in found if block < len(signals.blocks))


def _line(signals: PageSignals, block: int, zone: str) -> Line | None:
    """The line of a block; None for a long one that is no edge of the body."""
    is_edge = zone in ("opening", "ending")
    if not is_edge and len(signals.blocks.texts[block]) > MAX_LINE_CHARS:
        return None
    text, starts, rows = _marked_text(signals, block)
    limit = EDGE_CHARS if is_edge else len(text)
    cut = max(0, len(text) - limit) if zone == "ending" else 0
    return Line(block, zone, text[cut:][:limit], [start - cut for start in starts], rows, is_part=len(text) > limit)


def _marked_text(signals: PageSignals, block: int) -> tuple[str, list[int], list[int]]:
    """Text of a block with MARK between its text nodes, where these begin, and the rows that hold them."""
    blocks = signals.blocks
    pieces = blocks.pieces[int(blocks.piece_start[block]) : int(blocks.piece_start[block + 1])]
    parts = [_SPACE.sub(" ", text.replace(SOFT_HYPHEN, "")) for text, _ in pieces]
    starts = [0, *accumulate(len(part) + 1 for part in parts[:-1])]
    return MARK.join(parts), starts, [row for _, row in pieces]
