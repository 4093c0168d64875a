"""Names and words that pages keep apart by style sheets alone: `<a>Ada Byron</a><a>Carl Gauss</a>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webcontent.document.blocks import Blocks

_SEPARATE = frozenset(("a", "span", "time", "cite", "button", "label"))
_CODE = frozenset(("code", "pre", "kbd", "samp"))


def is_glued(blocks: Blocks, place: int) -> bool:
    """Whether a piece of text and the one before it are words of two sibling elements without a blank between them.

    A small letter before a capital is the sign: within a word that two elements divide, it is rare.
    """
    (before, row_before), (text, row) = blocks.pieces[place - 1], blocks.pieces[place]
    if row == row_before or not text[:1].isupper() or not before[-1:].islower():
        return False
    elements = blocks.elements
    parent = int(elements.parent[row])
    if parent != int(elements.parent[row_before]) or parent < 0 or elements.nodes[parent].tag in _CODE:
        return False
    return elements.nodes[row].tag in _SEPARATE and elements.nodes[row_before].tag in _SEPARATE
