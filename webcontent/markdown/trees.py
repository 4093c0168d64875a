"""Small operations on lxml trees that lxml lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

NEUTRAL = "span"
"""Tag of the elements whose tags go."""


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


def unwrap(node: HtmlElement) -> None:
    """Marks an element as one whose tags go, which `strip_unwrapped` does for all at once.

    To take out one after the other would copy the text before it each time, which takes minutes for a paragraph of 2 MB.
    """
    node.tag = NEUTRAL
    node.attrib.clear()


def replace_content(node: HtmlElement, text: str) -> None:
    """Puts text in the place of an element, see `unwrap`."""
    for child in list(node):
        node.remove(child)
    node.text = text
    unwrap(node)


def strip_tags(root: HtmlElement, *names: str) -> None:
    """Takes away the tags of all elements of these names below one. Their texts and children stay."""
    for node in root.iter(*names):
        if node is not root:
            unwrap(node)
    strip_unwrapped(root)


def strip_unwrapped(root: HtmlElement) -> None:
    """Takes away the tags of all elements that were unwrapped. lxml's own `strip_tags` leaves texts that take quadratic time to read."""
    parents = dict.fromkeys(node.getparent() for node in root.iter(NEUTRAL) if node is not root)
    for parent in reversed(parents):
        if parent is not None:
            _strip_children(parent)


def _strip_children(parent: HtmlElement) -> None:
    """Takes away the tags of those children that were unwrapped."""
    texts, last = [parent.text or ""], None
    for child in list(parent):
        if child.tag != NEUTRAL:
            _set_text_behind(parent, last, texts)
            texts, last = [child.tail or ""], child
            continue
        texts.append(child.text or "")
        for inner in list(child):
            _set_text_behind(parent, last, texts)
            texts, last = [inner.tail or ""], inner
            child.addprevious(inner)
        texts.append(child.tail or "")
        parent.remove(child)
    _set_text_behind(parent, last, texts)


def _set_text_behind(parent: HtmlElement, node: HtmlElement | None, texts: list[str]) -> None:
    """Sets the text behind a child, or that at the beginning of its parent."""
    text = "".join(texts)
    if node is None:
        parent.text = text
    else:
        node.tail = text


def move_content(source: HtmlElement, target: HtmlElement) -> None:
    """Appends the text and the children of one element to another."""
    append_text(target, source.text)
    source.text = None
    for child in list(source):
        target.append(child)


def trim_end(node: HtmlElement) -> None:
    """Removes the blanks at the end of an element's text."""
    if len(node):
        node[-1].tail = (node[-1].tail or "").rstrip()
    else:
        node.text = (node.text or "").rstrip()


def has_content(node: HtmlElement) -> bool:
    """Whether an element has text that is not blank, or an image."""
    if node.text and not node.text.isspace():
        return True
    return bool("".join(node.itertext()).strip()) or node.find(".//img") is not None or node.tag == "img"


def isolate(nodes: Iterable[HtmlElement]) -> None:
    """Puts elements of paragraphs into paragraphs of their own, between those of what stands before and behind them."""
    paragraphs: dict[HtmlElement, set[HtmlElement]] = {}
    for node in nodes:
        paragraph = node.getparent()
        if paragraph is not None and paragraph.tag == "p" and paragraph.getparent() is not None:
            paragraphs.setdefault(paragraph, set()).add(node)
    for paragraph, alone in paragraphs.items():
        _divide(paragraph, alone)


def _divide(paragraph: HtmlElement, alone: set[HtmlElement]) -> None:
    """Divides a paragraph at some of its children."""
    tail, paragraph.tail = paragraph.tail, None
    parts = [paragraph]
    for child in list(paragraph):
        if child in alone:
            behind = (child.tail or "").lstrip()
            child.tail = None
            parts += [paragraph.makeelement("p"), paragraph.makeelement("p")]
            parts[-2].append(child)
            parts[-1].text = behind
        elif len(parts) > 1:
            parts[-1].append(child)
    place = paragraph
    for part in parts[1:]:
        place.addnext(part)
        place = part
    place.tail = tail
    for part in parts:
        if not has_content(part):
            part.drop_tree()
