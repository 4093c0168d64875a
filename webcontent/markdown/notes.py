"""Footnotes: links to `#fn-1` become `[^1]`, and elements with the id `fn-1` become the notes at the end of the document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.markdown.trees import has_content, replace_content

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from webcontent.markdown.tokens import Tokens

_REFERENCE = re.compile(r"#fn-?(\d{1,5})")
_NOTE = re.compile(r"fn-?(\d{1,5})")
_AFTER_LABEL = re.compile(r"^\s*[.:)\]]\s+")
"""What stood behind the number of a note."""
_BACK = re.compile(r"#fnref-?[\d:-]+")


def place_references(root: HtmlElement, tokens: Tokens) -> None:
    """References to notes of this text become tokens; links back to them go."""
    notes = {match[1] for node in root.iter("li", "div", "p", "dd") if (match := _NOTE.fullmatch(node.get("id") or ""))}
    if not notes:
        return
    for node in list(root.iter("a")):
        href = node.get("href") or ""
        if _BACK.fullmatch(href):
            replace_content(node, "")
        elif (match := _REFERENCE.fullmatch(href)) and match[1] in notes:
            parent = node.getparent()
            is_alone = parent is not None and parent.tag == "sup" and len(parent) == 1 and not (parent.text or node.tail or "").strip()
            replace_content(parent if is_alone and parent is not None else node, tokens.add(f"[^{match[1]}]"))


def take_notes(root: HtmlElement) -> list[tuple[str, HtmlElement]]:
    """Number and element of each note, in order of their numbers; removed from the tree with the lists that hold nothing else."""
    notes: dict[int, HtmlElement] = {}
    parents: dict[HtmlElement, None] = {}
    for node in list(root.iter("li", "div", "p", "dd")):
        if match := _NOTE.fullmatch(node.get("id") or ""):
            parent = node.getparent()
            node.drop_tree()
            if node.tag == "li":
                node.tag = "div"
            node.text = _AFTER_LABEL.sub("", node.text or "")
            if has_content(node):
                notes.setdefault(int(match[1]), node)
            if parent is not None:
                parents[parent] = None
    for holder in parents:
        _drop_empty(holder, root)
    if notes:
        _drop_rules_at_end(root)
    return [(str(number), node) for number, node in sorted(notes.items())]


def _drop_empty(node: HtmlElement, root: HtmlElement) -> None:
    """Removes an element without content, and those around it that hold nothing else."""
    parent: HtmlElement | None = node
    while parent is not None and parent is not root and not has_content(parent):
        empty, parent = parent, parent.getparent()
        if parent is not None:
            empty.drop_tree()


def _drop_rules_at_end(root: HtmlElement) -> None:
    """Removes the line that separated the notes from the text."""
    for rule in reversed(list(root.iter("hr"))):
        following = [node for node in rule.itersiblings() if has_content(node)]
        if following or (rule.tail or "").strip():
            return
        rule.drop_tree()
