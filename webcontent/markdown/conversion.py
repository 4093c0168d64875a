"""Cleaned HTML -> GitHub-flavoured Markdown.

The library html-to-markdown converts. Before that, the tree is brought into the forms that Markdown has: spans of tables are filled in,
emphasis ends beside a word, formulas and notes become tokens. What the library is given has no other tags than those of Markdown.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import lxml.html
from lxml import etree

from webcontent.garbage import without_collection
from webcontent.markdown.inline import (
    mark_scripts,
    place_formulas,
    tidy_emphasis,
    tidy_links,
    unwrap_blocks_in_inline,
)
from webcontent.markdown.lines import shorten_lines
from webcontent.markdown.notes import place_references, take_notes
from webcontent.markdown.structure import part_quotes, tidy_code, tidy_definitions, tidy_figures, tidy_headings
from webcontent.markdown.tables import tidy_tables
from webcontent.markdown.text import escape_texts
from webcontent.markdown.tokens import BORDER, Tokens, without_noncharacters
from webcontent.markdown.trees import strip_tags, strip_unwrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from html_to_markdown import ConversionOptions
    from lxml.html import HtmlElement

REMOVED = ("script", "style", "template", "iframe", "object", "embed", "canvas", "svg", "noscript", "form", "head")
"""Tags that go with their content. Cleaned HTML has none of them."""
UNWRAPPED = (
    "abbr", "acronym", "big", "data", "dfn", "font", "ins", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "samp", "small",
    "time", "u", "var", "wbr",
)  # fmt: skip
"""Inline tags that Markdown has no mark for; their text stays."""
_FENCE = re.compile(r"\s*(`{3,})")
_ELEMENT_CLASSES = etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement)
"""One class for all elements, because lxml.html would ask a Python function for the class of each."""


@without_collection()
def html_to_markdown(html: str, *, links: bool = True, images: bool = True) -> str:
    """Cleaned HTML, such as `Article.body_html`, as Markdown without a line break at the end.

    `links`: whether links keep their addresses; without, their texts stay. `images`: whether images stay.
    """
    if not html.strip():
        return ""
    root = _parse(without_noncharacters(html))
    nodes = list(root.iter())  # lxml makes an object of each node again wherever none is kept, which takes half of the time
    tokens = Tokens()
    _prepare(root, tokens, links=links, images=images)
    notes = take_notes(root)
    escape_texts(root, tokens)
    nodes.clear()
    for part in (root, *(note for _, note in notes)):
        shorten_lines(part, tokens, _convert)
    body, *texts = _convert([root, *(note for _, note in notes)])
    parts = [body, *(f"[^{number}]: {_indented(text)}" for (number, _), text in zip(notes, texts, strict=True))]
    return tokens.restore("\n\n".join(part for part in parts if part))


def _parse(html: str) -> HtmlElement:
    """The tree below a <div>."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_ELEMENT_CLASSES)
    document = lxml.html.document_fromstring(f"<html><body><div>{html}</div></body></html>".encode("utf-8", "replace"), parser=parser)
    return document[-1]


def _prepare(root: HtmlElement, tokens: Tokens, *, links: bool, images: bool) -> None:
    """Brings a tree into forms that Markdown has; updated inline."""
    etree.strip_elements(root, *REMOVED, with_tail=False)
    if not images:
        etree.strip_elements(root, "img", with_tail=False)
    place_formulas(root, tokens)
    place_references(root, tokens)
    tidy_code(root)
    strip_tags(root, *UNWRAPPED, *(() if links else ("a",)))
    mark_scripts(root, tokens)
    strip_unwrapped(root)
    tidy_headings(root)
    unwrap_blocks_in_inline(root)
    tidy_links(root)
    tidy_emphasis(root)
    strip_unwrapped(root)
    tidy_definitions(root)
    tidy_figures(root)
    part_quotes(root)
    tidy_tables(root, tokens)


def _convert(nodes: Sequence[HtmlElement]) -> list[str]:
    """The Markdown of each of some elements. One call of the converter for all of them, because each call reads its options again."""
    from html_to_markdown import convert

    if not nodes:
        return []
    html = f"<p>{BORDER}</p>".join([etree.tostring(node, encoding="unicode", method="html", with_tail=False) for node in nodes])
    texts = (convert(html, _options()).content or "").split(BORDER)
    return [_with_blank_lines_before_quotes(text.strip("\n")) if "\n> " in text else text.strip("\n") for text in texts]


def _with_blank_lines_before_quotes(text: str) -> str:
    """A text in which quotes are separated from the paragraphs before them, outside of code."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        opened = _FENCE.match(line)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) and not line.strip().strip("`") else fence
        elif opened:
            fence = opened[1]
        elif line.startswith("> ") and lines and lines[-1] and not lines[-1].startswith(">"):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


@cache
def _options() -> ConversionOptions:
    from html_to_markdown import ConversionOptions

    return ConversionOptions(
        heading_style="atx",
        bullets="-",
        code_block_style="backticks",
        br_in_tables=True,
        compact_tables=True,
        autolinks=False,
        extract_metadata=False,
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )


def _indented(text: str) -> str:
    """A text whose later lines belong to the note that its first line begins."""
    return re.sub(r"\n(?=[^\n])", "\n    ", text)
