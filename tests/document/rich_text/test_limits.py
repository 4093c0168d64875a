"""How far code, formulas, notes, images and tables are looked for: a size that is within the limit, beside one that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lxml.html
import numpy as np
import pytest

from tests.document.rich_text.test_constructs import cleaned, document_of
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.document.rich_text.formulas import formula_html, formula_of, has_renderer
from webcontent.document.rich_text.images import image_url, is_fallback
from webcontent.document.rich_text.writer import body_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.html import HtmlElement

REFERENCE = "<p>a<sup id=r class=reference><a href='#n'>1</a></sup></p>"
PLAYER = "<iframe src=https://www.youtube.com/embed/abcdefghijk></iframe>"
BACK = "<a href='#r'>↑</a>"


def element(html: str) -> HtmlElement:
    return lxml.html.fromstring(html)


def is_large(html: str) -> bool:
    """Whether the address of the last image is the one of its sets."""
    document = document_of(html)
    return image_url(document, list(document.root.iter("img"))[-1]) == "https://example.org/big.jpg"


def is_credited(html: str) -> bool:
    return bool(find_constructs(document_of(html)).credits)


def has_player(lines: int) -> bool:
    """Whether a text has a player so many other lines behind a part of it."""
    other = "<p>x</p>"
    document = document_of(f"<div><p>a</p>{other * lines}{PLAYER}{other * 9}<p>a</p></div>")
    chosen = np.array([text == "a" for text in document.blocks.texts])
    return "youtube" in body_texts(document, chosen, find_constructs(document))[1]


def player_title(length: int) -> bool:
    return f">{'x' * length}</a>" in cleaned(f"<p>a</p>{PLAYER.replace('src', f'title={chr(120) * length} src')}<p>b</p>")


LIMITS: dict[str, tuple[Callable[[int], object], int, int]] = {
    "bar above code": (lambda n: "Copy" not in cleaned(f"<div><div><button>Copy</button>{'x' * (n - 4)}</div><pre>a\nb</pre></div>"), 40, 41),
    "label of a tool": (lambda n: "x" not in cleaned(f"<p>a <a class=headerlink href=#a>{'x' * n}</a></p>"), 40, 41),
    "lines without numbers": (lambda n: "<pre>" in cleaned(f"<table>{'<tr><td>x<td>y' * n}{'<tr><td class=lineno>1<td>code' * 99}</table>"), 24, 25),
    "elements around code": (lambda n: "language-js" in cleaned(f"<div class=language-js>{'<div>' * n}<pre>a\nb</pre>"), 4, 5),
    "paragraphs of a callout": (lambda n: 'class="note"' in cleaned(f"<div class='admonition note'>{'<p>x' * n}</div>"), 30, 31),
    "sources of an image": (lambda n: is_large(f"<picture>{'<source>' * (n - 1)}<source srcset=/big.jpg><img src=/a.jpg></picture>"), 30, 31),
    "characters of a set of images": (lambda n: is_large(f"<img srcset='{' ' * (n - 8)}/big.jpg' src=/a.jpg>"), 8000, 8001),
    "elements between an image and its copy": (lambda n: is_fallback(element(f"<div><img>{'<i></i>' * n}<noscript><img class=x></noscript></div>").find(".//img[@class]")), 19, 20),
    "characters of a credit": (lambda n: is_credited(f"<figure><img src=/a.jpg><cite>{'x' * n}</cite></figure>"), 200, 201),
    "characters around a credit": (lambda n: is_credited(f"<div><img src=/a.jpg><p>{'x' * (n - 4)}</p><p class=photo-credit>abcd</p></div>"), 600, 601),
    "elements around a credit": (lambda n: is_credited(f"<div><img src=/a.jpg>{'<div>' * n}<p class=photo-credit>a</p></div>"), 2, 3),
    "elements within a figure": (lambda n: is_credited(f"<figure><img src=/a.jpg>{'<div>' * n}<cite>a</cite></figure>"), 5, 6),
    "characters of a formula": (lambda n: formula_html("x" * n, is_display=False), 20_000, 20_001),
    "words that a formula hides": (lambda n: "abc" in formula_of(element(f"<span data-tex='{'abc def ghi'[: 4 * n]}'><math><mi>x</mi></math></span>")), 2, 3),
    "characters of a script": (lambda n: has_renderer(element(f"<div><script>{' ' * (n - 7)}mathjax</script></div>"), ["mathjax"]), 2000, 2001),
    "characters before a delimiter": (lambda n: "display" in formula_of(element(f"<span>{' ' * n}$$x$$</span>")), 1998, 1999),
    "paragraphs of a cell": (lambda n: "<table" in cleaned(f"<table><tr><td>a<td>b<tr><td>c<td>{'<p>x' * n}</table>"), 12, 13),
    "rows around a table": (lambda n: "<td" not in cleaned(f"<table>{'<tr><td>a<td>b' * (n - 1)}<tr><td>a<td><table>{'<tr><td>1<td>2<td>3' * 2}</table></table>"), 3, 4),
    "links back of a named element": (lambda n: "*" not in cleaned(f"{REFERENCE}<ol><li id=n><span class=mw-cite-backlink>{BACK}{'*' * (n - 1)}</span> The survey</ol>"), 80, 81),
    "links back": (lambda n: "*" not in cleaned(f"{REFERENCE}<ol><li id=n><span>{BACK}{'*' * (n - 1)}</span> The survey</ol>"), 12, 13),
    "elements around the target of a reference": (lambda n: "fn-1" in cleaned(f"<p>a<sup><a href='#n'>1</a></sup></p><ol><li>{'<b>' * n}<i id=n>The text of the note</i>"), 2, 3),
    "characters of a reference": (lambda n: "fn-1" in cleaned(f"<p>a<sup><a href='#n'>note{' ' * (n - 5)}1</a></sup></p><ol><li id=n>The text of the note</ol>"), 12, 13),
    "lines before a player": (has_player, 3, 4),
    "title of a player": (player_title, 200, 201),
    "nested quotes": (lambda n: cleaned("<blockquote>" * n + "<p>x").count("<blockquote>") == n, 64, 65),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_constructs_are_found_up_to_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)


def test_the_block_that_begins_a_note_is_none_unless_it_is_named():
    """A note of an element of its own is the text of the element."""
    assert 'id="fn-1">The text' in cleaned("<p>a<sup><a href='#n'>1</a></sup></p><ol><li id=n>The text of the note</ol>")
