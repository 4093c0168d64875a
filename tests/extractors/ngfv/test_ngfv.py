"""NGFV: definitions by hand, and what it makes of pages of one site."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.extractors.ngfv.drawn import drawn
from tests.extractors.ngfv.test_positions import BANNER, OTHER, page, story
from webcontent.document.parsing import Document
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.extraction import BODY, PageContext
from webcontent.extractors import DEFAULT, load_extractor
from webcontent.extractors.ngfv.extractor import Ngfv, diverse_block, diversity, noise_positions
from webcontent.extractors.ngfv.positions import align, visual_tree
from webcontent.fields.body.selection import selected_body
from webcontent.fields.page_signals import PageSignals
from webcontent.items import ARTICLE, Page, PageType, Type


def document_of(html: str) -> Document:
    return Document.from_page(drawn(html, url="https://example.org/story.html"))


def context_of(*others: str, page_type: Type = "article") -> PageContext:
    trees = [visual_tree(Document.from_page(drawn(other))) for other in others]
    kind = "article" if page_type == "article" else "listing"
    return PageContext(page_type=PageType(page_type, kind, 1.0), reference_pages=tuple(tree for tree in trees if tree is not None))


def body_of(html: str, *others: str, **options: Any) -> list[str]:
    return Ngfv()(document_of(html), context_of(*others, **options)).body.split("\n")


STORY = [f"Headline number {1}", *Document.from_page(Page(html=story(1))).blocks.texts]


def test_the_content_is_what_differs():
    """Menu, sidebar and footer stand on both pages."""
    assert body_of(page(1), page(2)) == STORY


@pytest.mark.parametrize(
    ("one", "other"), [(page(1, before=BANNER), page(2)), (page(1), page(2, before=BANNER))], ids=["on this page", "on the other page"]
)
def test_a_banner_on_one_page_changes_nothing(one: str, other: str):
    """The story is found, and the banner is no part of it."""
    assert body_of(one, other) == STORY


def test_a_story_of_the_same_length_is_found():
    """Where Diversity is 0 everywhere the text that changes decides."""
    assert body_of(page(1), page(3)) == STORY


def test_what_stands_in_the_story_on_every_page_is_noise():
    """A call to subscribe between two paragraphs."""
    call = "<div class=call><p>Subscribe to our letter</p></div>"
    one, two = (page(number).replace("part 1:", f"part 1:</p>{call}<p>") for number in (1, 2))
    assert "Subscribe to our letter" not in body_of(one, two)
    assert "Story 1, part 3" in body_of(one, two)[-1]


def test_lists_of_links_that_differ_are_no_content():
    """Related stories are others on every page."""
    one, two = (
        page(number).replace("</div>\n    <div class=side>", "<div class=related><ul>" + "".join(f"<li><a href=/{number}{n}>Related {number} {n}</a></li>" for n in range(5)) + "</ul></div></div>\n    <div class=side>")
        for number in (1, 2)
    )  # fmt: skip
    assert "Related 1 3" in one
    assert body_of(one, two) == STORY


def test_a_list_page_keeps_its_links():
    """There the links are the content."""

    def front(number: int) -> str:
        return page(1).replace(
            story(1), "<ul>" + "".join(f"<li><a href=/{number}/{n}>Headline {number} of {n} others</a></li>" for n in range(8)) + "</ul>"
        )

    lines = body_of(front(1), front(2), page_type="list")
    assert [line for line in lines if line.startswith("Headline 1 of")] == [f"Headline 1 of {n} others" for n in range(8)]
    assert "News" not in lines


def test_several_companions_know_more_noise():
    """What one companion lacks another has."""
    note = "<div class=note><p>A note that stands on two of three pages</p></div>"
    one, three = (page(number).replace("<h1>", f"{note}<h1>") for number in (1, 3))
    assert "A note that stands on two of three pages" in body_of(one, page(2))
    assert body_of(one, page(2), three) == STORY
    assert body_of(one, three, page(2)) == STORY


def test_labels_say_what_the_body_says():
    """A label a block, body_html with the same words, a score from 0 to 1."""
    document = document_of(page(1))
    extraction = Ngfv()(document, context_of(page(2)))
    assert extraction.labels is not None
    assert [text for text, label in zip(document.blocks.texts, extraction.labels, strict=True) if label == BODY] == STORY
    assert "Headline number 1</h1>" in selected_body(PageSignals(document, extraction), extraction, find_constructs(document), ARTICLE)[1]
    assert 0.5 < extraction.score <= 1
    assert not extraction.flags


def test_without_boxes_the_default_answers():
    """And says that the page was not rendered."""
    document = document_of(page(1))
    document.page.boxes = document.boxes = None
    extraction = Ngfv()(document, context_of(page(2)))
    assert extraction.flags == {"not-rendered"}
    assert extraction.body == load_extractor(DEFAULT)(document).body


@pytest.mark.parametrize("others", [[], [page(1)], [OTHER]], ids=["none", "the same page", "another design"])
def test_without_a_reference_page_the_default_answers(others: list[str]):
    """The extraction is flagged; a page that shows no difference is no reference page."""
    document = document_of(page(1))
    extraction = Ngfv()(document, context_of(*others))
    assert extraction.flags == {"no-reference-page"}
    assert extraction.body == load_extractor(DEFAULT)(document).body


# Definitions


def boxed(*parts: tuple[int, int, int]) -> Document:
    """A page 100 px wide of parts below one another: (height, characters, of these in a link)."""
    rows: list[list[Any]] = []
    html, top = "", 0
    for number, (height, text, link) in enumerate(parts, 1):
        plain = text - link
        html += f"<div><p>{'x' * plain}</p><p><a>{'y' * link}</a></p></div>"
        for place, (tag, chars) in enumerate((("p[1]", plain), ("p[2]/a", link)), 1):
            path = f"/html/body/div[{number}]/{tag}"
            half = [0, top + (place - 1) * height // 2, 100, height // 2]
            rows.append(
                [
                    path,
                    tag[-1:] if "/" in tag else "p",
                    *half,
                    16,
                    400,
                    "#000000",
                    "#ffffff",
                    chars,
                    chars,
                    chars * (place - 1),
                    place - 1,
                    0,
                ]
            )
        top += height
    return Document.from_page(Page(html=f"<body>{html}</body>", boxes=rows))


def test_diversity_by_hand():
    """Definition 5 in both readings: gamma, text density a square px, share of the characters in links."""
    one, other = (visual_tree(boxed(*parts)) for parts in ([(200, 100, 20), (600, 90, 9)], [(400, 100, 60), (400, 90, 9)]))
    assert one is not None
    assert other is not None
    alignment = align(one, other)
    gamma, text_one, text_other = abs(200 / 800 - 400 / 800), 100 / 20_000, 100 / 40_000
    position = one.xpaths.index("/html/body/div[1]")
    assert diversity([alignment])[position] == pytest.approx(gamma + abs(text_one - text_other) + abs(0.2 - 0.6))
    assert diversity([alignment], corrected=False)[position] == pytest.approx(gamma + abs(text_one - 0.6))


def test_the_papers_answer_is_the_first_level_that_differs():
    """Breadth-first, below the page; the page where nothing differs."""
    document, context = document_of(page(1)), context_of(page(2, paragraphs=9))
    tree = visual_tree(document)
    assert tree is not None
    values = diversity([align(tree, context.reference_pages[0])])
    assert tree.xpaths[diverse_block(values, 0.06)] == "/html/body/div[2]"
    assert diverse_block(values, 9.0) == 0
    whole = Ngfv(literal=True)(document, context).body.split("\n")
    assert whole == [*STORY, "Most read", "One other story", "And another one"]


def test_noise_holds_all_that_is_in_it():
    """A part of noise is noise."""
    document, context = document_of(page(1)), context_of(page(2))
    tree = visual_tree(document)
    assert tree is not None
    noise = noise_positions([align(tree, context.reference_pages[0])])
    assert noise[[path.startswith("/html/body/div[3]") for path in tree.xpaths]].all()
    assert not noise[0]
    assert np.isnan(diversity([align(tree, context.reference_pages[0])])).sum() == 0
