"""How much of what is still part of a body: a size that is, beside one that no longer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.fields.pages import ENGLISH
from webcontent.document.parsing import Document
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.document.text import body_text
from webcontent.extraction import BODY, Extraction, PageContext
from webcontent.fields.assembly import assemble
from webcontent.fields.body.edges import detached_end, edge_lines, is_closing_line
from webcontent.fields.body.included import with_belongings, with_whole_units
from webcontent.fields.body.left_out import further_articles, has_unseen_sentence, hidden_blocks
from webcontent.items import Page, PageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

URL = "https://news.example/story.html"
SENTENCE = "连日低温之后，海峡里的浮冰仍未散去。"


def document_of(html: str) -> Document:
    return Document.from_page(Page(url=URL, html=html))


def body_of(html: str, kind: str = "article", **fields: object) -> list[str]:
    """Lines of the body where all blocks were selected."""
    document = document_of(html)
    labels = np.full(len(document.blocks), BODY, np.int8)
    extraction = Extraction(**{"labels": labels, "body": body_text(document.blocks, labels == BODY), **fields})
    return assemble(document, PageContext(page_type=PageType("article", kind, 1.0)), extraction, "test").body.split("\n")


def all_but(html: str, *missing: int) -> tuple[Document, NDArray[np.bool_]]:
    """A page, and the blocks that are selected."""
    document = document_of(html)
    kept = np.ones(len(document.blocks), np.bool_)
    kept[list(missing)] = False
    return document, kept


def whole(html: str, *missing: int) -> bool:
    """Whether blocks that were not selected are part of the text because of their neighbours."""
    document, kept = all_but(html, *missing)
    return bool(with_whole_units(document.blocks, kept, find_constructs(document))[list(missing)].all())


def belongs(html: str, block: int, probability: float) -> bool:
    """Whether cleaned HTML has a block that was not selected, which is text with this probability."""
    document, kept = all_but(html, block)
    scores = np.where(kept, 0.9, probability).astype(np.float32)
    return bool(with_belongings(document.blocks, kept, find_constructs(document), scores)[block])


def stays(gap: int = 20, score: float = 0.1, share: float = 0.05) -> bool:
    """Whether the end of a text stays behind so many other blocks, with such a score and share of all characters."""
    document = document_of(f"<p>{'x' * round(1000 - 1000 * share)}</p><p>y<p>z{'<p>other' * gap}<p>{'e' * round(1000 * share)}")
    kept = np.array([not text.startswith("other") for text in document.blocks.texts])
    return not detached_end(document.blocks, kept, np.where(kept, score, 0).astype(np.float32)).any()


def hidden(share: int, attributes: str) -> bool:
    """Whether a hidden element with so many of 1,000 characters is left out."""
    document = document_of(f"<p>{'x' * (1000 - share)}</p><p {attributes}>{'h' * share}</p>")
    return bool(hidden_blocks(document.blocks, np.ones(2, np.bool_))[1])


def unseen_sentence(text: str) -> bool:
    document = document_of(f"{ENGLISH * 2}<p hidden>{text}</p>")
    return has_unseen_sentence(document.blocks, np.ones(len(document.blocks), np.bool_))


def second_article(chars: int) -> bool:
    document = document_of(f"<article><h1>A</h1><p>{'x' * 999}</article><article><h1>B</h1><p>{'x' * (chars - 1)}</article>")
    return bool(further_articles(document.blocks, np.ones(len(document.blocks), np.bool_)).any())


def words(count: int) -> str:
    return "word " * (count - 1) + "word"


CELLS = "<td>a<td>b"
CLOSING = "来源：新报"
LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "a closing line": (lambda n: is_closing_line(f"来源：{'报' * (n - 3)}"), 120, 121),
    "a short line behind a closing line": (lambda n: 3 in edge_lines([SENTENCE] * 3 + [CLOSING, "x" * n]), 40, 41),
    "a kicker before a dateline": (lambda n: 0 in edge_lines(["x" * n, "【本報訊】渡轮", SENTENCE, SENTENCE]), 40, 41),
    "lines that stay": (lambda n: n not in edge_lines([SENTENCE, *[CLOSING] * 5]), 1, 2),
    "blocks before a detached end": (lambda n: stays(gap=n), 7, 8),
    "score of a detached end": (lambda n: stays(score=n), 0.81, 0.79),
    "share of a detached end": (lambda n: stays(share=n), 0.16, 0.14),
    "items of a list": (lambda n: whole(f"<ul>{'<li>item' * n}</ul>", n - 1), 400, 401),
    "rows of a small table": (lambda n: whole(f"<table>{f'<tr>{CELLS}' * n}</table>", *range(1, 2 * n)), 6, 7),
    "characters of a small table": (lambda n: whole(f"<table><tr><td>a<td>{'b' * (n - 1)}</table>", 1), 120, 121),
    "prose between selected paragraphs": (lambda n: whole(f"<p>{'x' * 500}<p>{'y' * n}<p>z", 1), 80, 79),
    "probability of a list within a text": (lambda n: belongs(f"<p>{'x' * 99}</p><ul><li>item</ul><p>y</p>", 1, n), 0.21, 0.19),
    "blocks of a list within a text": (lambda n: belongs(f"<p>x</p><ul>{'<li>item' * n}</ul><p>y</p>", n // 2, 0.9), 400, 401),
    "attribution of a quote": (lambda n: belongs(f"<blockquote><p>quote</p><p>{'a' * n}</p></blockquote>", 1, 0.1), 120, 121),
    "a further article": (second_article, 300, 299),
    "text beside captions": (lambda n: "c" * (1000 - n) not in body_of(f"<p>{'x' * n}</p><figcaption>{'c' * (1000 - n)}</figcaption>"), 301, 299),
    "text beside comments": (lambda n: "c" * (1000 - n) not in body_of(f"<p>{'x' * n}</p><div class=comments>{'c' * (1000 - n)}</div>"), 101, 99),
    "a hidden text with a name": (lambda n: hidden(n, "class=note hidden"), 100, 101),
    "a hidden text without name": (lambda n: hidden(n, "hidden"), 300, 301),
    "a hidden sentence": (lambda n: unseen_sentence(words(n)), 12, 11),
    "a hidden sentence with its end": (lambda n: unseen_sentence(f"{words(n)}."), 5, 4),
    "lines before the title": (lambda n: "A calm day" not in body_of(f"{'<p>Line' * n}<h1>A calm day</h1>{ENGLISH}"), 4, 5),
    "a line before the title": (lambda n: "A calm day" not in body_of(f"<p>{'x' * n}<h1>A calm day</h1>{ENGLISH}"), 80, 81),
    "words of a short page": (lambda n: body_of(f"<p>{words(n - 5)}</p><p>It is shut on Mondays.", labels=np.zeros(2, np.int8), body="") != [""], 100, 101),
    "words of a sentence on a short page": (lambda n: body_of(f"<p>{words(n)}.", labels=np.zeros(1, np.int8), body="") != [""], 3, 2),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_a_body_ends_at_its_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
