"""Long lines: the converter's time grows with the square of the marks in one line, so long ones are converted in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lxml.html import HtmlElement

    from webcontent.markdown.tokens import Tokens

MAX_MARKS = 100
"""Inline elements of a part. A paragraph of 2 MB with 20,000 links took 1.2 s in one part."""
_MARKS = frozenset(("a", "b", "code", "del", "em", "i", "img", "s", "strike", "strong"))
_CELLS = ("td", "th")


def shorten_lines(root: HtmlElement, tokens: Tokens, convert: Callable[[Sequence[HtmlElement]], list[str]]) -> None:
    """Puts a token in the place of each MAX_MARKS inline elements that follow each other; updated inline.

    Line breaks and blocks stay, because the Markdown of what follows them depends on the blocks around them. So do cells of tables.
    """
    runs = [run for node in list(root.iter()) if len(node) > MAX_MARKS and node.tag not in _CELLS for run in _iter_runs(node)]
    marks = [run[0].makeelement("span") for run in runs]
    paragraphs = [_moved(run, mark) for run, mark in zip(runs, marks, strict=True)]
    for mark, text in zip(marks, convert(paragraphs), strict=True):
        mark.text = tokens.add(text)


def _iter_runs(node: HtmlElement) -> Iterator[list[HtmlElement]]:
    """Groups of MAX_MARKS children that follow each other and hold neither blocks nor line breaks."""
    run: list[HtmlElement] = []
    for child in node:
        if child.tag in _MARKS and all(inner.tag in _MARKS for inner in child.iterdescendants()):
            run.append(child)
            if len(run) == MAX_MARKS:
                yield run
                run = []
        else:
            run = []


def _moved(run: list[HtmlElement], mark: HtmlElement) -> HtmlElement:
    """A paragraph with some elements and the texts between them. `mark` is put into their place; the text behind the last one stays."""
    mark.tail, run[-1].tail = run[-1].tail, None
    run[0].addprevious(mark)
    paragraph = mark.makeelement("p")
    for node in run:
        paragraph.append(node)
    return paragraph
