"""How much of a page is read: a size that counts, beside one that no longer does."""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from webcontent.document import parsing
from webcontent.document.attributes import bound_attributes
from webcontent.document.boxes import box_columns
from webcontent.document.encoding import decode
from webcontent.document.features.blocks import all_features
from webcontent.document.features.class_names import CLASS_NAME_FEATURES, class_name_features, class_name_tokens, name_tokens
from webcontent.document.features.context import FeatureContext
from webcontent.document.features.second_stage import SCORE_FEATURES, block_groups, score_features
from webcontent.document.features.stories import STORY_FEATURES, story_features
from webcontent.document.hidden import opens, sheet_of
from webcontent.document.parsing import Document
from webcontent.document.text import node_text
from webcontent.fields.body.left_out import hidden_blocks
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "The ferry stopped in the ice on Monday morning."


def document_of(html: str | bytes) -> Document:
    return Document.from_page(Page(url="https://news.example/a", html=html))


def words(count: int) -> str:
    return "word " * (count - 1) + "word"


# ------------------------------------------------------------------------------------------- what is read
def is_bounded(size: int) -> bool:
    """Whether the attributes of a page with so many bytes are bounded."""
    html = b"<p " + b"a=b " * 300 + b">"
    return bound_attributes(html + b" " * (size - len(html)))[1]


def box(number: float) -> list[object]:
    return ["/html/body/p", "p", number, 16, 1350, 18, 16, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]


def publisher(number: int) -> bool:
    """Whether the publisher of the nth JSON-LD object is read."""
    objects = [{"@type": "Thing", "publisher": {"name": f"Paper {place}"}} for place in range(1, number + 1)]
    rows = document_of(f'<script type="application/ld+json">{json.dumps(objects)}</script>').declared.rows("publisher")
    return f"Paper {number}" in [row.value for row in rows]


def person(elements: int) -> str:
    """The author whose name is the last of so many elements."""
    page = document_of(f"<p itemprop=author>{'<i>x</i>' * (elements - 2)}<b itemprop=name>Jane Doe</b></p>")
    return page.declared.marked("authors")[0][1].value


def json_objects(values: int) -> list[object]:
    """The JSON-LD objects behind so many other values."""
    return [*document_of(f'<script type="application/ld+json">[{"[]," * values}{{"@type": "Thing"}}]</script>').json_ld]


def wide(chinese: int) -> str:
    """The encoding of a text in UTF-16 that begins with so many Chinese characters."""
    return decode(("渡" * chinese + "ferry " * 99).encode("utf-16-le"))[1]


# ------------------------------------------------------------------------------------------- features
def column(name: str, html: str, block: int = 0) -> float:
    values = all_features(FeatureContext(document_of(html)))[name]
    return float(np.ravel(values)[block if np.ndim(values) else 0])


def story(name: str, html: str, block: int = 0) -> float:
    return float(story_features(FeatureContext(document_of(html)))[block, STORY_FEATURES.index(name)])


def nearest(weight: float) -> float:
    """The weight of the nearest class name where it is near to 0 and the next one is 2."""
    context = FeatureContext(document_of("<div class=story><p class=promo>one"))
    return float(
        class_name_features(class_name_tokens(context), {"story": 2.0, "promo": weight})[0, CLASS_NAME_FEATURES.index("name_nearest")]
    )


def share(name: str, probability: float) -> float:
    groups = block_groups(FeatureContext(document_of("<p>one two")))
    return float(score_features(groups, np.array([probability], np.float32))[0, SCORE_FEATURES.index(name)])


def described(text: str, description: str = TEXT) -> float:
    return story("description_found", f'<meta name=description content="{description}"><p>{text}')


def declared(text: str) -> float:
    body = json.dumps({"@type": "NewsArticle", "articleBody": TEXT})
    return story("declared_body", f'<script type="application/ld+json">{body}</script><p>{text}')


def copied(words_of_it: int, between: int) -> float:
    return story(
        "copied_near", f"<p>{words(words_of_it)}{'<p>Other' * 9}<p>{words(words_of_it)}{'<p>x' * (between - 1)}<p>end", 10 + between
    )


# ------------------------------------------------------------------------------------------- hidden texts
def unseen(html: str, head: str = "") -> int:
    return len(document_of(f"{head}<p>{words(300)}</p>{html}").blocks.unseen)


def stays(chars: int) -> bool:
    """Whether a hidden text with a name of its own stays in a long page."""
    blocks = document_of(f"<p>{'x' * 9000}</p><p class=note hidden>{'h' * chars}</p>").blocks
    return not hidden_blocks(blocks, np.ones(2, np.bool_))[1]


def is_opened(elements: int) -> bool:
    root = document_of(f"<div class=accordion>{'<div>' * (elements - 1)}<p hidden>x").root
    return opens(next(root.iter("p")))


def is_within(html: bytes) -> bool:
    """Whether a page is read to its end where it may have 100 characters."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "MAX_CHARACTERS", 100)
        return not document_of(html).flags


LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "bytes of a page whose attributes are bounded": (is_bounded, 20_000, 19_999),
    "bytes of a tag's name": (lambda n: bound_attributes(b"<" + b"x" * n + b">" + b" " * 20_000)[0][n : n + 1] == b"x", 1001, 1002),
    "characters of a class": (lambda n: len(document_of(f"<p class={'x' * n}>a").blocks.elements.classes[-1]) == n, 500, 501),
    "boxes": (lambda n: len(box_columns([box(1)] * n)["own"]) == n, 2500, 2501),
    "numbers of boxes": (lambda n: len(box_columns([box(n)])["own"]), 1e6, 1e6 + 1),
    "publishers": (publisher, 60, 61),
    "elements with properties": (lambda n: document_of(f"{'<i itemprop=x>' * (n - 1)}<p itemprop=author>Jane").declared.marked("authors"), 2000, 2001),
    "elements of a person": (lambda n: person(n) == "Jane Doe", 200, 201),
    "values of JSON-LD": (json_objects, 19_998, 19_999),
    "Chinese characters of UTF-16": (lambda n: wide(n) == "utf-16-le", 33, 34),
    "bytes of a page by which its encoding is guessed": (lambda n: decode(b"<meta charset=utf-8>" + b"a\n" * (n // 2 - 10) + ("渡轮在浮冰中停航，海峡两岸的居民只能等待。" * 20).encode("gb18030"))[1] == "gb18030", 399_000, 400_000),
    "characters of an element's text": (lambda n: len(node_text(document_of(f"<p>{'x' * n}").root)) == n, 500, 501),
    "bytes of 100 characters": (lambda n: is_within(codecs.BOM_UTF8[: n - 400] + "😀".encode() * 100), 400, 403),
    "characters of a page": (lambda n: not document_of(" " * n).flags, 6_000_000, 6_000_001),
    "words like the title": (lambda n: column("after_title", f"<title>a b c d e f g h i j</title><p>x<p>{'a b c d e f g h i j'[: 2 * n - 1]}", 1) == 0, 4, 3),
    "scripts": (lambda n: column("page_scripts", f"<p>a{'<script></script>' * n}") == n, 99, 100),
    "elements within a menu": (lambda n: column("tag_nav", f"<nav>{'<div>' * n}x") == n, 60, 61),
    "levels": (lambda n: f"level{n}_words" in all_features(FeatureContext(document_of("<p>a"))), 5, 6),
    "records of a group": (lambda n: column("run_size", f"<ul>{'<li>a' * n}</ul>") > 0, 3, 2),
    "blocks of a composite record": (lambda n: column("card_size", f"<ul>{f'<li>{chr(60)}p>a'.replace('<p>a', '<p>a' * n) * 3}</ul>") > 0, 2, 1),
    "words of running text": (lambda n: column("page_good_blocks", f"<p>{words(n)}"), 12, 11),
    "links of running text": (lambda n: column("page_good_blocks", f"<p>{'a ' * ((100 - n) // 2)}<a href=/x>{'b' * n}</a>"), 34, 36),
    "characters of a block like the title": (lambda n: column("in_title", f"<title>ferry</title><p>ferry{' x' * ((n - 5) // 2)}{'y' * ((n - 5) % 2)}"), 400, 401),
    "characters of a token": (lambda n: len(name_tokens("a" * n, "")[0]) == n + 1, 39, 40),
    "classes": (lambda n: len(name_tokens(" ".join(chr(97 + place) for place in range(n)), "")) == n, 16, 17),
    "weight of a class": (lambda n: nearest(n) < 1, 0.16, 0.14),
    "certain probability": (lambda n: share("page_certain_share", n), 0.71, 0.69),
    "doubtful probability": (lambda n: share("page_doubtful_share", n), 0.21, 0.19),
    "words of a heading": (lambda n: story("design_sections", f"<h2>{words(n)}</h2>"), 40, 41),
    "fewest digits of a date": (lambda n: story("dates_total", f"<p>{'1' * n}"), 5, 4),
    "digits of a date": (lambda n: story("dates_total", f"<p>{'1' * n}"), 14, 15),
    "characters of a date": (lambda n: story("dates_total", f"<p>{'1' * 9}{'x' * (n - 9)}"), 60, 61),
    "blocks between copies": (lambda n: copied(9, n), 3, 4),
    "words of a copy": (lambda n: copied(n, 1), 6, 5),
    "characters of a declared block": (lambda n: declared(TEXT[:n]), 12, 11),
    "characters of a description": (lambda n: described(TEXT[:n] + "#" * 9), 30, 29),
    "characters that are read of a description": (lambda n: described(TEXT, f"The ferry{' ' * (n - 11)}st"), 100, 101),
    "characters of a hidden text": (lambda n: not stays(n), 200, 201),
    "elements around one that opens": (is_opened, 3, 4),
    "characters of styles": (lambda n: len(sheet_of(document_of(f"<style>{'x' * n}</style>").tagged["style"])) == n, 400_000, 400_001),
    "rules": (lambda n: unseen("<p class=secret>Not seen</p>", f"<style>{''.join(f'.a{i}{{display:none}}' for i in range(n - 1))}.secret{{display:none}}</style>"), 50, 51),
    "hidden elements": (lambda n: unseen("<p style=display:none>Not seen</p>" * n) == n, 200, 201),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_pages_are_read_up_to_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
