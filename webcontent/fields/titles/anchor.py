"""Where the title stands on the page: finders of other fields look around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.document.blocks import Blocks
    from webcontent.fields.page_signals import PageSignals

MAX_LINE_CHARS = 200
"""A longer block is no byline and no date line."""

BEFORE, BEHIND = 15, 30
"""Blocks of the window before and behind the title, else the first block of the body, else the first one of the page."""


@dataclass(slots=True, frozen=True)
class TitleAnchor:
    """The place of the title, and what is measured from it."""

    blocks: Blocks
    block: int | None = None
    """Block of the title; None where the page does not show it."""
    key: str | None = None
    """Plain form of the title; None where there is none."""
    body: tuple[int, int] | None = None
    """First and last block of the body."""

    @classmethod
    def of(cls, signals: PageSignals, block: int | None = None, key: str | None = None) -> TitleAnchor:
        """The anchor of a page's title, or of a page without one."""
        return cls(signals.blocks, block, key, signals.body)

    @property
    def origin(self) -> int:
        """The block from which distances are counted: the title's, without one the first one of the body, else of the page."""
        return self.block if self.block is not None else self.body[0] if self.body is not None else 0

    def lines(self) -> Iterator[tuple[int, str]]:
        """Short visible blocks around the origin, among which lines about the article stand, with their numbers."""
        texts, hidden = self.blocks.texts, self.blocks.hidden
        for block in range(max(0, self.origin - BEFORE), min(len(texts), self.origin + BEHIND)):
            if len(texts[block]) <= MAX_LINE_CHARS and not hidden[block]:
                yield block, texts[block]

    def distance(self, block: int) -> int:
        """Blocks from the origin to a block, negative before it."""
        return block - self.origin
