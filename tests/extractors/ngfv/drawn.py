"""Pages with the boxes that a browser would give for them: blocks stand below one another, the children of `<div columns>` side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lxml.html

from webcontent.document.blocks import INLINE
from webcontent.items import Page

if TYPE_CHECKING:
    from lxml.html import HtmlElement

WIDTH, LINE, GAP = 1200, 20, 10
FONTS = {"h1": 32, "h2": 24, "h3": 20}


def drawn(html: str, url: str | None = None, **page: Any) -> Page:
    """The page with its boxes: a row for each element with text of its own or a picture. `color` attributes are backgrounds."""
    root = lxml.html.document_fromstring(html)
    rows: list[list[Any]] = []
    body = root.find("body")
    if body is not None:
        _draw(body, 0, 0, WIDTH, "#ffffff", rows)
    return Page(url=url, html=html, boxes=rows, **page)


def _draw(node: HtmlElement, x: int, y: int, width: int, background: str, rows: list[list[Any]]) -> int:
    """Adds the rows of an element; its height."""
    background = node.get("color", background)
    children = [child for child in node if isinstance(child.tag, str) and child.tag not in ("script", "style")]
    own = len("".join([node.text or "", *(child.tail or "" for child in node)]).strip())
    text = len(node.text_content().strip())
    is_text = own > 0 or (bool(children) and all(child.tag in INLINE and child.tag != "img" for child in children))
    row = len(rows)
    if is_text or node.tag == "img":
        height = 100 if node.tag == "img" else LINE * -(-text * 8 // width)
        inner_x = x
        for child in children:
            chars = len(child.text_content().strip())
            _draw(child, inner_x, y, max(8, min(width, chars * 8)), background, rows)
            inner_x += chars * 8
    elif node.get("columns") is not None:
        part = width // len(children)
        height = max(_draw(child, x + place * part, y, part - GAP, background, rows) for place, child in enumerate(children))
    else:
        height = 0
        for child in children:
            height += _draw(child, x, y + height, width, background, rows) + GAP
    if own or node.tag == "img":
        rows.insert(row, _row(node, (x, y, width, height), background, own, text))
    return height


def _row(node: HtmlElement, rectangle: tuple[int, int, int, int], background: str, own: int, text: int) -> list[Any]:
    in_link = next(node.iterancestors("a"), None) is not None or node.tag == "a"
    links = node.xpath("count(.//a)") + in_link
    link_text = text if in_link else sum(len(link.text_content().strip()) for link in node.iter("a"))
    font = FONTS.get(node.tag, 16)
    bold = 700 if node.tag in FONTS or node.tag in ("b", "strong") else 400
    display = "inline" if node.tag in INLINE else "block"
    path = node.getroottree().getpath(node)
    return [
        path,
        node.tag,
        *rectangle,
        font,
        bold,
        "#000000",
        background,
        own,
        text,
        link_text,
        int(links),
        0,
        display,
        "",
        "",
        int(node.tag == "img"),
        1,
    ]
