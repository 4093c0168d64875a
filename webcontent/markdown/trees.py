"""Small operations on lxml trees that lxml lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def append_text(parent: HtmlElement, text: str | None) -> None:
    """Adds text behind the last child of an element."""
    if not text:
        return
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def add_before(node: HtmlElement, text: str | None) -> None:
    """Adds text directly before an element."""
    if not text:
        return
    previous, parent = node.getprevious(), node.getparent()
    if previous is not None:
        previous.tail = (previous.tail or "") + text
    elif parent is not None:
        parent.text = (parent.text or "") + text


def replace_with_text(node: HtmlElement, text: str) -> None:
    """Puts text in the place of an element."""
    add_before(node, text + (node.tail or ""))
    parent = node.getparent()
    if parent is not None:
        node.tail = None
        parent.remove(node)


def move_content(source: HtmlElement, target: HtmlElement) -> None:
    """Appends the text and the children of one element to another."""
    append_text(target, source.text)
    source.text = None
    for child in list(source):
        target.append(child)


def has_content(node: HtmlElement) -> bool:
    """Whether an element has text that is not blank, or an image."""
    if node.text and not node.text.isspace():
        return True
    return bool("".join(node.itertext()).strip()) or node.find(".//img") is not None or node.tag == "img"


def isolate(node: HtmlElement) -> None:
    """Puts an element of a paragraph into a paragraph of its own, between those of what stands before and behind it."""
    paragraph = node.getparent()
    if paragraph is None or paragraph.tag != "p" or paragraph.getparent() is None:
        return
    behind, alone = paragraph.makeelement("p"), paragraph.makeelement("p")
    behind.text, node.tail = (node.tail or "").lstrip(), None
    for sibling in list(node.itersiblings()):
        behind.append(sibling)
    behind.tail, paragraph.tail = paragraph.tail, None
    paragraph.addnext(alone)
    alone.append(node)
    alone.addnext(behind)
    for part in (paragraph, behind):
        if not has_content(part):
            part.drop_tree()
