"""Elements that a page hides for good, and those that open: tabs, answers, text behind "read more"."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from webcontent.document.blocks import INLINE, is_not_displayed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks

MAX_CHARS = 200
"""A longer hidden text is the page's own: on wcxb-dev leaving it out lowers the F1 of three pages for each one that gains (2026-11-22)."""
MAX_CLIMB = 3
"""Elements around a hidden one whose names are read too."""
_UNNAMED = frozenset(("style", "hidden", "aria-hidden", "align", "dir", "lang"))
OPENED = re.compile(r"tab|acc?ord|collaps|faq|expand|toggle|swap|spoiler|slide|carousel", re.IGNORECASE)
"""Names of elements that open when the reader clicks, or that hold such elements."""
OPENED_ITSELF = re.compile(rf"{OPENED.pattern}|panel|more|answer|drop-?down|content|description|step", re.IGNORECASE)


def stays_hidden(node: HtmlElement) -> bool:
    """Whether an element is hidden, and neither opens nor is a part that a script puts into place (`id="S:1"`)."""
    return is_not_displayed(node) and not opens(node)


def opens(node: HtmlElement) -> bool:
    """Whether a hidden element is one that opens, by its name and the names around it, or that a script puts into place."""
    if (node.get("id") or "").startswith("S:") or node.get("role") in ("tabpanel", "region") or OPENED_ITSELF.search(_names(node)):
        return True
    around = islice(node.iterancestors(), MAX_CLIMB)
    return any(parent.tag == "details" or OPENED.search(_names(parent)) for parent in around)


def is_unnamed(node: HtmlElement) -> bool:
    """Whether a hidden element has nothing by which a script finds it."""
    return _UNNAMED.issuperset(node.keys())


def iter_hidden_inline(blocks: Blocks) -> Iterator[int]:
    """Rows of the short inline elements that stay hidden within text that is shown, such as the keys by which tables are sorted."""
    elements = blocks.elements
    has_text = elements.piece_end > elements.piece
    yield from (row for row in blocks.unseen if elements.nodes[row].tag in INLINE and has_text[row])
    for row in blocks.hiding:
        if elements.nodes[row].tag in INLINE:
            chars = sum(len(text) for text, _ in blocks.pieces[int(elements.piece[row]) : int(elements.piece_end[row])])
            if 0 < chars <= MAX_CHARS and stays_hidden(elements.nodes[row]):
                yield row


def _names(node: HtmlElement) -> str:
    return f"{node.get('class') or ''} {node.get('id') or ''}"
