"""Features of blocks: one row a block, one column a name, finite whatever the page holds."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from webcontent.document.features.blocks import FEATURES, all_features, features
from webcontent.document.features.class_names import CLASS_NAME_FEATURES, class_name_features, class_name_tokens, name_tokens
from webcontent.document.features.context import FeatureContext
from webcontent.document.features.second_stage import SCORE_FEATURES, block_groups, score_features
from webcontent.document.features.stories import STORY_FEATURES
from webcontent.document.parsing import Document
from webcontent.items import Page
from webcontent.models import SHIPPED

STORY = (
    "<title>Mill sold - Town News</title><nav><a href=/>Home</a></nav><article class='post'><h1>Mill sold</h1>"
    "<p>The old mill by the river was sold on Tuesday for a sum that nobody in the town would name.</p>"
    "<p>Its new owner plans to grind flour there again, as was done for three hundred years.</p></article>"
    "<ul class='cards'><li><a href=/a>Fair moved</a> $3</li><li><a href=/b>Road closed</a> $4</li>"
    "<li><a href=/c>School opens</a> $5</li></ul>"
    "<footer>All rights reserved</footer>"
)


def document_of(html: str) -> Document:
    return Document.from_page(Page(html=html))


def column(html: str, name: str) -> dict[str, float]:
    """A column of a page by the blocks' texts."""
    document = document_of(html)
    values = features(document)[:, FEATURES.index(name)]
    return dict(zip(document.blocks.texts, values.tolist(), strict=True))


PAGES = {
    "empty": "",
    "one block": "<p>one",
    "two blocks": "<p>a<br>b",
    "preformatted": "<pre>\n\n x\n</pre>",
    "hidden Chinese": "<div hidden>新闻</div>",
    "beyond the basic plane": "<p>\U0001f600 \ud800",
    "story": STORY,
    "3,000 blocks": "<p>x" * 3000,
    "900 deep": "<div>" * 900 + "deep",
}


@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_every_block_has_a_finite_row(html):
    """Shapes are fixed and no number is infinite or undefined, on any page."""
    document = document_of(html)
    x = features(document)
    assert x.shape == (len(document.blocks), len(FEATURES))
    assert x.dtype == np.float32
    assert np.isfinite(x).all()
    if len(x):
        context = FeatureContext(document)
        named = class_name_features(class_name_tokens(context), {"post": 1.0})
        scored = score_features(block_groups(context), np.linspace(0, 1, len(x), dtype=np.float32))
        assert named.shape == (len(x), len(CLASS_NAME_FEATURES))
        assert scored.shape == (len(x), len(SCORE_FEATURES))
        assert np.isfinite(named).all()
        assert np.isfinite(scored).all()


def test_names_are_unique_and_all_are_made():
    """FEATURES names columns that the code makes, each once."""
    assert len(set(FEATURES)) == len(FEATURES)
    assert set(FEATURES) <= set(all_features(FeatureContext(document_of(STORY))))


def test_the_shipped_model_was_trained_on_these_features():
    """config.json of the model lists exactly the columns that the code gives."""
    assert SHIPPED.load("fusion_v1").config["features"] == [*FEATURES, *STORY_FEATURES, *CLASS_NAME_FEATURES, *SCORE_FEATURES]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("words", "Mill sold", 2),
        ("link_share", "Home", 1),
        ("heading_level", "Mill sold", 1),
        ("after_heading", "Mill sold", 0),
        ("tag_nav", "Home", 0),
        ("tag_footer", "All rights reserved", 0),
        ("class_post", "Mill sold", 1),
        ("run_size", "Fair moved $3", 3),
        ("run_size", "Road closed $4", 3),
        ("run_size", "All rights reserved", -1),
        ("in_title", "Mill sold", 1),
        ("currencies", "School opens $5", 1),
    ],
)
def test_a_column_says_what_its_name_says(name, text, value):
    """One case a group of columns."""
    assert column(STORY, name)[text] == pytest.approx(value)


def test_chinese_is_counted_by_character():
    """A Chinese character is a word, Latin words beside it count as words."""
    assert column("<p>新闻 two words", "words") == {"新闻 two words": 4}


def test_hidden_text_is_flagged_not_dropped():
    """The model decides on hidden text, so it stays."""
    assert column("<p>shown<p hidden>held back", "hidden") == {"shown": 0, "held back": 1}


def test_a_sites_name_changes_nothing():
    """The same page under another address has the same features."""
    first = Document.from_page(Page(url="https://a.example/x", html=STORY))
    second = Document.from_page(Page(url="https://b.example.org/other/y?z=1", html=STORY))
    assert np.array_equal(features(first), features(second))


def test_class_names_become_words():
    """Whole names keep their sort, digits become 0, camel case is parted."""
    assert name_tokens("postBody col-12", "main") == (".post-body", "post", "body", ".col-00", "col", "#main", "main")


def test_the_nearest_known_class_word_decides():
    """A block takes the weight of the nearest ancestor that has one; the sums go over all."""
    document = document_of("<div class=story><div class=promo><p>one</p></div><p>two</p></div>")
    found = class_name_features(class_name_tokens(FeatureContext(document)), {"story": 2.0, "promo": -1.0})
    assert found[:, CLASS_NAME_FEATURES.index("name_nearest")].tolist() == [-1, 2]
    assert found[:, CLASS_NAME_FEATURES.index("name_sum")].tolist() == [1, 2]


def test_memory_grows_with_the_page_not_faster():
    """Twenty thousand blocks take no more than some thirty times what a thousand take: no table of all pairs of blocks."""

    def peak(count: int) -> int:
        document = document_of("<div class=a><p>Some words of text here</p></div>" * count)
        assert len(document.blocks) == count
        tracemalloc.start()
        try:
            features(document)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1000)
    assert peak(20_000) < 30 * peak(1000)
