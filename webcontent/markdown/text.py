"""The texts of a tree, escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.markdown.escaping import escape_line_start, escape_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from webcontent.markdown.tokens import Tokens


def escape_texts(root: HtmlElement, tokens: Tokens) -> None:
    """Escapes all texts outside of code; updated inline."""
    code = {node for holder in root.iter("pre", "code") for node in holder.iter()}
    for node in root.iter():
        if node.text and node not in code:
            node.text = escape_text(node.text)
        if node.tail and (parent := node.getparent()) is not None and parent not in code:
            tail = escape_text(node.tail)
            node.tail = escape_line_start(tail) if node.tag == "br" else tail
