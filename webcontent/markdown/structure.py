"""Blocks in the forms that Markdown has: code, headings, definition lists, figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from webcontent.markdown.trees import has_content, move_content, replace_with_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def tidy_code(root: HtmlElement) -> None:
    """Code has no tags inside. A <br> in it is a line break, and <kbd> is code too."""
    for node in list(root.iter("pre", "code", "kbd")):
        if any(parent.tag in ("pre", "code", "kbd") for parent in node.iterancestors()) and node.tag != "code":
            node.drop_tag()
            continue
        for line_break in list(node.iter("br")):
            replace_with_text(line_break, "\n")
        if node.tag != "pre":
            text = "".join(node.itertext())
            for child in list(node):
                node.remove(child)
            node.text, node.tag = text, "code"
        elif not (len(node) == 1 and node[0].tag == "code" and not (node.text or node[0].tail or "").strip()):
            text = "".join(node.itertext())
            for child in list(node):
                node.remove(child)
            node.text = text


def tidy_headings(root: HtmlElement) -> None:
    """A heading is one line without bold type; one without content goes."""
    for node in list(root.iter(*HEADINGS)):
        etree.strip_tags(node, "b", "strong", "p", "div")
        for line_break in list(node.iter("br")):
            replace_with_text(line_break, " ")
        if not has_content(node):
            node.drop_tag()


def tidy_definitions(root: HtmlElement) -> None:
    """A definition list becomes paragraphs: each term in bold type, its definitions below it."""
    for node in list(root.iter("dt")):
        if any(child.tag in ("p", "div", "pre", "ul", "ol", "table", *HEADINGS) for child in node.iterdescendants()):
            node.tag = "div"
            continue
        node.tag = "p"
        etree.strip_tags(node, "b", "strong")
        if not has_content(node) or any(child.tag == "code" for child in node):
            continue
        term = node.makeelement("b")
        move_content(node, term)
        term.text = (term.text or "").lstrip()
        node.append(term)
    for node in root.iter("dd", "dl"):
        node.tag = "div"


def tidy_figures(root: HtmlElement) -> None:
    """A caption is a paragraph in italics below its image. Quotes and code in a figure stay as they are."""
    for node in list(root.iter("figcaption")):
        if not has_content(node):
            node.drop_tag()
            continue
        is_simple = not any(child.tag in ("ul", "ol", "table", "pre", "figure") for child in node.iterdescendants())
        if is_simple:
            etree.strip_tags(node, "p", "div", "i", "em", *HEADINGS)
            caption = node.makeelement("i")
            move_content(node, caption)
            node.append(caption)
        node.tag = "p" if is_simple else "div"
    for node in root.iter("figure"):
        node.tag = "div"
