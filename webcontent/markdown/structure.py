"""Blocks in the forms that Markdown has: code, headings, definition lists, figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.markdown.tokens import PARTING
from webcontent.markdown.trees import add_before, append_text, has_content, move_content, replace_with_text, strip_tags, trim_end

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
        strip_tags(node, "b", "strong", "p", "div")
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
        strip_tags(node, "b", "strong")
        if not has_content(node) or any(child.tag == "code" for child in node):
            continue
        term = node.makeelement("b")
        move_content(node, term)
        term.text = (term.text or "").lstrip()
        node.append(term)
    for node in root.iter("dd", "dl"):
        node.tag = "div"


def part_quotes(root: HtmlElement) -> None:
    """Puts a mark between two quotes that follow each other; Markdown would make one of them."""
    for node in list(root.iter("blockquote")):
        following = node.getnext()
        if following is not None and following.tag == "blockquote" and not (node.tail or "").strip():
            mark = node.makeelement("p")
            mark.text = PARTING
            node.addnext(mark)


def tidy_figures(root: HtmlElement) -> None:
    """A caption is a paragraph in italics below its image, and its credit follows it. Quotes and code in a figure stay as they are."""
    for node in list(root.iter("figure")):
        _move_credits(node)
    of_images: dict[HtmlElement, bool] = {}
    for node in list(root.iter("figcaption")):
        figure = next(node.iterancestors("figure"), None)
        if figure is not None and figure not in of_images:
            of_images[figure] = figure.find(".//img") is not None and figure.find(".//blockquote") is None
        if not has_content(node):
            node.drop_tag()
            continue
        is_simple = not any(child.tag in ("ul", "ol", "table", "pre", "figure") for child in node.iterdescendants())
        if is_simple:
            _tidy_caption(node, is_of_image=figure is not None and of_images[figure])
        node.tag = "p" if is_simple else "div"
    for node in root.iter("figure"):
        node.tag = "div"
    strip_tags(root, "cite")


def _move_credits(figure: HtmlElement) -> None:
    """Moves the credits of an image from beside its caption to the end of the caption; without caption they are a paragraph."""
    if figure.find(".//img") is None or figure.find(".//blockquote") is not None:
        return
    caption = figure.find(".//figcaption")
    for credit in list(figure.iter("cite")):
        if next(credit.iterancestors("figcaption"), None) is not None:
            continue
        if caption is None:
            credit.tag = "p"
        else:
            add_before(credit, credit.tail)
            credit.tail = None
            caption.append(credit)


def _tidy_caption(node: HtmlElement, *, is_of_image: bool) -> None:
    """Puts the text of a caption into italics, and the credits of an image behind it."""
    sources = [credit for credit in node.iter("cite") if has_content(credit)] if is_of_image else []
    for credit in sources:
        credit.drop_tree()
        credit.tail = None
    for block in list(node.iter("p", "div", *HEADINGS)):  # a blank in the place of the border between two blocks
        block.tail = f" {block.tail or ''}"
    strip_tags(node, "p", "div", "i", "em", *HEADINGS)
    caption = node.makeelement("i")
    move_content(node, caption)
    trim_end(caption)
    if has_content(caption):
        node.append(caption)
    for credit in sources:
        append_text(node, " " if len(node) else "")
        node.append(credit)
