"""Web2Text: its features by name, decoding, and what it makes of small pages."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from webcontent.api import extract
from webcontent.document.parsing import Document
from webcontent.extraction import BODY
from webcontent.extractors.web2text.collapsed import Collapsed
from webcontent.extractors.web2text.extractor import MODEL, Web2Text, biased, block_shares, chosen_blocks, viterbi
from webcontent.extractors.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, EXTRA_FEATURES, features
from webcontent.items import Page
from webcontent.models import SHIPPED

SENTENCES = (
    "The council met on Monday and decided that the old bridge over the river will be rebuilt before the next winter comes.",
    "Engineers had said that the two pillars in the middle could not carry the load of the new trams any longer.",
    "The work will cost about nine million, half of which the county pays, and it is to begin in the first week of May.",
    "Until then lorries have to take the long way round, which the shopkeepers on the north bank are not happy about.",
)
ARTICLE = f"""<html><head><title>Bridge to be rebuilt</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<article class="story"><h1>Bridge to be rebuilt</h1>{"".join(f"<p>{sentence}</p>" for sentence in SENTENCES)}</article>
<aside class="sidebar"><h3>Most read</h3><ul><li><a href="/a">Market day moved</a></li><li><a href="/b">Mill for sale</a></li></ul></aside>
<footer>Copyright 2024 Example. All rights reserved. <a href="/imprint">Imprint</a></footer></body></html>"""
CHINESE = (
    "<html><body><div class='nav'><a href='/'>首页</a> <a href='/news'>新闻</a> <a href='/sports'>体育</a></div><div class='article'><h1>老桥将重建</h1>"
    + "".join(
        f"<p>{text}</p>"
        for text in (
            "市议会星期一决定，横跨大河的老桥将在明年冬天之前重建，工程费用约九百万元，由市县两级共同承担。",
            "工程师表示中间的两个桥墩必须重建，因为它们已经不能承受新电车的重量，预计明年五月开工。",
            "在此之前，货车必须绕行，北岸的店主们对此并不满意，他们希望工程能够尽快完成。",
        )
    )
    + "</div><div class='footer'>版权所有 <a href='/about'>关于我们</a></div></body></html>"
)


def columns(html: str) -> dict[str, np.ndarray]:
    """The features of a page's leaves, by name."""
    document = Document.from_page(Page(html=html))
    x, edges = features(document, Collapsed(document.blocks))
    return dict(zip((*BLOCK_FEATURES, *EXTRA_FEATURES, *EDGE_FEATURES), np.hstack((x, edges)).T, strict=True))


@pytest.fixture(scope="module")
def reference() -> dict:
    return json.loads((SHIPPED.load(MODEL).folder / "reference.json").read_text(encoding="utf-8"))


def test_the_features_are_those_of_the_paper() -> None:
    """128 of a block and 25 of an edge, each with a name of its own."""
    assert (len(BLOCK_FEATURES), len(EDGE_FEATURES)) == (128, 25)
    assert len({*BLOCK_FEATURES, *EXTRA_FEATURES}) == len(BLOCK_FEATURES) + len(EXTRA_FEATURES)
    config = SHIPPED.load(MODEL).config
    assert config["features"] == [*BLOCK_FEATURES, *EXTRA_FEATURES][: len(config["features"])]
    assert config["edge_features"] == list(EDGE_FEATURES)


@pytest.mark.parametrize(
    ("feature", "html", "values"),
    [
        ("has_duplicate", "<p>same</p><p>other</p><p>same</p>", [1, -1, 1]),
        ("has_10_duplicates", "<p>same</p>" * 11, [1] * 11),
        ("same_class_path_ratio", "<p class=a>x</p><p class=a>y</p><p class=b>z</p><p>w</p>", [0.5, 0.5, 0.25, 0.25]),
        ("leaf_log_words", "<p>...</p><p>one</p>", [0, -1.5086 / 1.205]),
        ("leaf_capital_ratio", "<p>新闻</p><p>One two</p>", [0, (0.5 - 0.4475758) / 0.4129316]),
        ("leaf_ends_with_question_mark", "<p>How?</p><p>So.</p><p>什么？</p>", [1, -1, 1]),
        ("has_parent", "<p>alone</p>", [0]),
        ("parent_link_density", "<p>ab <a href=x>cd</a></p><p>x</p>", [0, 0, -0.2]),
        ("parent_is_p", "<p>one <b>two</b></p><p>x</p>", [1, 1, -1]),
        ("has_grandparent", "<p>one <b>two</b></p><p>x</p>", [1, 1, 0]),
        ("root_link_density", "<p>ab <a href=x>cd</a></p>", [0, 0]),
        ("root_contains_form_element", "<p>one <input></p><p>two</p>", [1, 1]),
        ("leaf_is_b", "<p>one <b>two</b></p><p>x</p>", [-1, 1, -1]),
        ("tree_distance_2", "<p>one <b>two</b></p><p>x</p>", [1, -1, 0]),
        ("tree_distance_3", "<p>one <b>two</b></p><p>x</p>", [-1, 1, 0]),
        ("block_break", "<p>one <b>two</b></p><p>x</p>", [0, 1, 0]),
        ("is_noscript", "<noscript><p>x</p></noscript><p>y</p>", [1, 0]),
        ("wide_word_ratio", "<p>新闻 news</p><p>y</p>", [2 / 3, 0]),
        ("place_in_block", "<p>ab<b>cd</b></p><p>x</p>", [0, 0.5, 0]),
        ("paragraph_words", "<p>one two <b>three</b></p><p>y</p>", np.arcsinh([3, 3, 1])),
    ],
)
def test_a_feature_says_what_its_name_says(feature: str, html: str, values: list[float]) -> None:
    """A row a rule."""
    assert columns(html)[feature].tolist() == pytest.approx(values, abs=1e-4)


@pytest.mark.parametrize("weight", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_viterbi_finds_the_best_of_all_sequences(count: int, weight: float) -> None:
    """As trying all of them does."""
    random = np.random.default_rng(count)
    unary, pairwise = (np.log(random.dirichlet(np.ones(size), count)).astype(np.float32) for size in (2, 4))

    def total(labels: tuple[int, ...]) -> float:
        pairs = sum(pairwise[i, 2 * labels[i] + labels[i + 1]] for i in range(count - 1))
        return float(sum(unary[i, label] for i, label in enumerate(labels)) + weight * pairs)

    best = max(itertools.product((0, 1), repeat=count), key=total)
    assert viterbi(unary, pairwise, weight).astype(int).tolist() == list(best)


def test_viterbi_of_nothing_is_nothing() -> None:
    """A page without text."""
    assert viterbi(np.zeros((0, 2), np.float32), np.zeros((0, 4), np.float32), 0.1).tolist() == []


def test_text_in_menus_and_footers_is_held_back() -> None:
    """A number is added to the log probability of text, another one inside <nav> and <footer>."""
    document = Document.from_page(Page(html="<nav><p>a</p></nav><p>b</p><footer><div>c</div></footer>"))
    x, _ = features(document, Collapsed(document.blocks))
    unary = np.zeros((3, 2), np.float32)
    assert biased(unary, x, 0.5, -3.0).tolist() == [[0, -2.5], [0, 0.5], [0, -2.5]]
    assert not unary.any()


@pytest.mark.parametrize(
    ("shares", "scores", "chosen"),
    [([0.6, 0.4], [0.1, 0.9], [True, False]), ([0.2, 0.4], [0.1, 0.9], [False, True]), ([0.0, 0.0], [0.3, 0.3], [True, True])],
    ids=["most of its characters", "nothing: what is likeliest", "nothing sure: all"],
)
def test_a_page_with_text_is_never_answered_with_none(shares: list[float], scores: list[float], chosen: list[bool]) -> None:
    """Where no block is text for the most part, those with the highest expected F1 are."""
    assert chosen_blocks(np.array(shares), np.array(scores, np.float32), np.array([10.0, 10.0])).tolist() == chosen


def test_a_block_is_judged_by_most_of_its_characters() -> None:
    """Its leaves' labels, weighted."""
    document = Document.from_page(Page(html="<p>a long beginning <b>end</b></p><p>x</p>"))
    collapsed = Collapsed(document.blocks)
    found = block_shares(collapsed.block, collapsed.leaf_sums["characters"], np.array([True, False, True]), 2)
    assert found.tolist() == pytest.approx([16 / 19, 1])


@pytest.mark.parametrize(
    ("html", "wanted"),
    [(ARTICLE, SENTENCES), (CHINESE, ("市议会星期一决定", "预计明年五月开工", "北岸的店主们"))],
    ids=["English", "Chinese"],
)
def test_the_story_is_found_without_menu_and_footer(html: str, wanted: tuple[str, ...]) -> None:
    """In any script."""
    body = Web2Text()(Document.from_page(Page(html=html))).body
    assert all(text in body for text in wanted)
    assert not any(text in body for text in ("Home", "Mill for sale", "All rights", "首页", "版权所有"))


def test_labels_scores_and_body_agree() -> None:
    """A label and a score a block; the body is made of the blocks labelled so."""
    document = Document.from_page(Page(html=ARTICLE))
    extraction = Web2Text()(document)
    assert extraction.labels is not None
    assert extraction.scores is not None
    assert len(extraction.labels) == len(extraction.scores) == len(document.blocks)
    assert extraction.body.split("\n") == [document.blocks.texts[i] for i in np.flatnonzero(extraction.labels == BODY)]
    assert 0 < extraction.score <= 1


def test_the_item_is_filled_from_the_fields() -> None:
    """What the method does not give comes from the page's signals, and the evidence says so."""
    html = ARTICLE.replace("</head>", "<meta property='article:published_time' content='2024-03-05T10:00:00Z'></head>")
    item = extract(html, url="https://example.org/news/bridge.html", extractor="web2text")
    assert item.extractor == "web2text"
    assert item.title == "Bridge to be rebuilt"
    assert item.time.startswith("2024-03-05")
    assert item.evidence["time"][0].origin


@pytest.mark.parametrize(
    "html", ["", "<p> </p>", "<select><option>x</option></select>", "<p>x</p>"], ids=["nothing", "blanks", "only controls", "one leaf"]
)
def test_short_pages_work(html: str) -> None:
    """No leaf, or one."""
    document = Document.from_page(Page(html=html))
    extraction = Web2Text()(document)
    assert extraction.labels is not None
    assert len(extraction.labels) == len(document.blocks)


def test_the_features_are_those_of_the_reference(reference: dict) -> None:
    """What the feature code gives for the frozen page is what it gave when the model was made."""
    document = Document.from_page(Page(html=reference["html"]))
    for found, name in zip(features(document, Collapsed(document.blocks)), ("blocks", "edges"), strict=True):
        np.testing.assert_allclose(found, np.array(reference[name]), atol=1e-4)


def test_the_model_says_what_the_reference_says(reference: dict) -> None:
    """Inference on frozen features: equal to the training framework's to 1e-4."""
    model = SHIPPED.load(MODEL)
    blocks, edges = (np.array(reference[name], np.float32) for name in ("blocks", "edges"))
    for found, name in zip(model.run(blocks=blocks[:, : len(model.config["features"])], edges=edges), ("unary", "pairwise"), strict=True):
        np.testing.assert_allclose(found, np.array(reference[name]), atol=1e-4)
