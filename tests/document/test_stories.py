"""Features of where a story begins and ends."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.features.context import FeatureContext
from webcontent.document.features.stories import STORY_FEATURES, story_features
from webcontent.document.parsing import Document
from webcontent.items import Page

TEXT = "The ferry stopped in the ice on Monday morning, and all of the forty people on board had to wait for a day."
HEAD = "<title>Ice stops the ferry</title><meta name=description content='The ferry stopped in the ice on Monday'>"


def rows_of(html: str) -> dict[str, dict[str, float]]:
    """Text of each block -> its features; of equal texts the last one's."""
    document = Document.from_page(Page(html=html))
    features = story_features(FeatureContext(document))
    assert features.shape == (len(document.blocks), len(STORY_FEATURES))
    assert np.isfinite(features).all()
    return {text: dict(zip(STORY_FEATURES, row.tolist(), strict=True)) for text, row in zip(document.blocks.texts, features, strict=True)}


def test_a_second_story_is_behind_a_headline_of_the_same_design() -> None:
    """Endless scrolling appends it."""
    rows = rows_of(f"{HEAD}<h1>Ice stops the ferry</h1><p>{TEXT}</p><h1>Snow stops the train</h1><p>Another text.</p>")
    assert [rows[text]["title_design_before"] for text in (TEXT, "Snow stops the train", "Another text.")] == [0, 1, 1]
    assert rows[TEXT]["title_design_total"] == 2


def test_teasers_have_linked_headings_of_one_design() -> None:
    """Little text stands under each."""
    teasers = "".join(f"<h3><a href=/{n}>Headline number {n}</a></h3><p>What it is about: {n}.</p>" for n in range(5))
    rows = rows_of(f"{HEAD}<h1>Ice stops the ferry</h1><p>{TEXT}</p><div>{teasers}</div>")
    teaser, own = rows["What it is about: 3."], rows[TEXT]
    assert (teaser["design_sections"], teaser["section_linked"], teaser["design_linked"]) == (5, 1, 1)
    assert (own["design_sections"], own["section_linked"]) == (1, 0)
    assert teaser["design_section_words"] < own["design_section_words"]


def test_articles_that_ended_before_a_block() -> None:
    """The title's article element holds its own text, and no other."""
    rows = rows_of(f"{HEAD}<article><h1>Ice stops the ferry</h1><p>{TEXT}</p></article><article><p>Another text.</p></article>")
    assert [(rows[text]["in_title_article"], rows[text]["articles_before"]) for text in (TEXT, "Another text.")] == [(1, 0), (0, 1)]


def test_dates_behind_the_title() -> None:
    """A second one mostly begins another story."""
    rows = rows_of(f"{HEAD}<h1>Ice stops the ferry</h1><p>May 1, 2024</p><p>{TEXT}</p><p>April 30, 2024</p><p>Another text.</p>")
    assert [rows[text]["dates_before"] for text in (TEXT, "Another text.")] == [1, 2]


def test_repeated_text() -> None:
    """A copy for small screens."""
    rows = rows_of(f"<p>{TEXT}</p><p>Other.</p><p>{TEXT}</p>")
    assert rows[TEXT]["copied_near"] > 0.9
    assert rows_of(f"<p>{TEXT}</p><p>Other.</p>")[TEXT]["copied_near"] == 0


@pytest.mark.parametrize(("body", "expected"), [(TEXT, 1), ("Something else.", 0), (None, -1)])
def test_what_json_ld_declares(body: str | None, expected: float) -> None:
    """-1 where it declares no body."""
    declared = f'<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": "{body}"}}</script>' if body else ""
    assert rows_of(f"{declared}<p>{TEXT}</p>")[TEXT]["declared_body"] == expected


def test_the_description_is_mostly_the_beginning_of_the_text() -> None:
    """Blocks are counted from it."""
    rows = rows_of(f"{HEAD}<p>Menu</p><p>{TEXT}</p><p>The end.</p>")
    assert [rows[text]["after_description"] for text in ("Menu", TEXT, "The end.")] == [-1, 0, 1]
    assert rows_of("<p>Menu</p>")["Menu"]["description_found"] == 0
