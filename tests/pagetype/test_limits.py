"""How much text makes a page what it is: a size at which it is so, beside one at which it no longer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.pagetype.pages import document_of, encoded
from tests.pagetype.test_flags import HELD
from webcontent.pagetype.classify import logit
from webcontent.pagetype.dom import page_tokens
from webcontent.pagetype.dom_blocks import block_features
from webcontent.pagetype.flags import page_flags
from webcontent.pagetype.layout_raster import layout_raster, read_boxes
from webcontent.pagetype.screenshot import top_of_page, whole_page

if TYPE_CHECKING:
    from collections.abc import Callable

MISSING = "<h1>Page not found</h1>"


def words(count: int) -> str:
    return "word " * (count - 1) + "word"


def has(flag: str, html: str) -> bool:
    return flag in page_flags(document_of(html))


def feature(name: str, html: str) -> float:
    return block_features(document_of(html))[name]


def linked(count: int, links: int) -> str:
    """A paragraph of so many words, some of them in a link."""
    return f"<p>{words(count - links)} <a href=/x>{words(links)}</a>"


def top_rows(height: int) -> int:
    top = top_of_page(encoded(Image.new("RGB", (512, height))))
    return 0 if top is None else top.shape[1]


def shown_columns(width: int) -> int:
    """Columns of the layout that a text of such a width covers."""
    boxes = read_boxes([["/html/body/p", "p", 0, 0, width, 40, 16, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]])
    assert boxes is not None
    return int((layout_raster(boxes)[0, 0] > 0).any(axis=0).sum())


LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "an empty page": (lambda n: has("empty", f"<p>{words(n)}"), 4, 5),
    "a shell": (lambda n: has("not-rendered", f"<div id=root></div><script>x()</script><p>{words(n)}"), 39, 40),
    "words of an error": (lambda n: has("error-page", MISSING + "<p>word" * (n - 3)), 249, 250),
    "running words of an error": (lambda n: has("error-page", f"{MISSING}<p>{words(n)}"), 119, 120),
    "words of a block": (lambda n: not has("error-page", MISSING + f"<p>{words(n)}" * 20), 8, 7),
    "links of a block": (lambda n: not has("error-page", MISSING + linked(130, n)), 38, 40),
    "a stub behind a paywall": (lambda n: has("paywall", f"{HELD}<p>Subscribe to continue reading.<p>{words(n)}"), 399, 400),
    "a stub that sells nothing": (lambda n: has("paywall", f"{HELD}<p>{words(n)}"), 199, 200),
    "characters that are searched": (lambda n: has("robot-check", f"<p>{'x' * (n - 33)} Please verify you are a human."), 4000, 4033),
    "share of shown words": (lambda n: feature("p_share", f"<div>{words(n)}</div><p hidden>{words(100 - n)}") == 0, 30, 29),
    "words in the links of a title": (lambda n: feature("titles_share", linked(10, n)), 6, 5),
    "words in the links of running text": (lambda n: feature("plain", linked(10, n)), 2, 3),
    "words of a title": (lambda n: feature("titles_share", f"<p><a href=/x>{words(n)}</a>"), 5, 4),
    "words of running text": (lambda n: feature("plain", f"<p>{words(n)}"), 8, 7),
    "words of a long block": (lambda n: feature("plain_25", f"<p>{words(n)}"), 25, 24),
    "words of a block in a group": (lambda n: feature("plain_count", f"<p>{words(n)}" * 9), 3, 2),
    "blocks of a group": (lambda n: feature("plain_count", f"<p>{words(9)}" * n), 3, 2),
    "words beside a price": (lambda n: feature("prices", f"<p>{words(n - 1)} $5"), 20, 21),
    "characters before a price": (lambda n: feature("prices", f"<p>{'x' * (n - 3)} $5"), 200, 201),
    "characters of a token": (lambda n: f"meta:{'x' * n}" in page_tokens(document_of(f"<meta name={'x' * n} content=y>")), 40, 41),
    "characters of an address": (lambda n: "url:story" in page_tokens(document_of("<p>x", url=f"https://a.example/{'1' * (n - 8)}/story/")), 500, 501),
    "rows of a short screenshot": (lambda n: top_rows(n) == 192, 80, 81),
    "px of half the width of a layout": (lambda n: shown_columns(n) == 32, 683, 685),
    "generators": (lambda n: "generator:last" in page_tokens(document_of("<meta name=generator content=other>" * (n - 1) + "<meta name=generator content=last>")), 3, 4),
    "characters of a generator": (lambda n: "generator:last" in page_tokens(document_of(f"<meta name=generator content='{'1' * (n - 5)} last'>")), 100, 101),
    "bytes of a screenshot": (lambda n: whole_page(encoded(Image.new("1", (9, 9))).ljust(n, b"\0"), 8) is not None, 67_108_864, 67_108_865),
    "log-odds": (lambda n: logit(1) > n, 7.9, 8.1),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_types_and_flags_have_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
