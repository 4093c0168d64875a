"""The default extractor on small pages, and its model against what was frozen when it was made."""

from __future__ import annotations

import json

import numpy as np
import pytest

from webcontent.document.features.context import FeatureContext
from webcontent.document.features.second_stage import block_groups, score_features
from webcontent.document.parsing import Document
from webcontent.extraction import BODY
from webcontent.extractors import fusion as module
from webcontent.extractors import load_extractor
from webcontent.extractors.decoding import calibrated_probability, decode, page_features, without_copies
from webcontent.extractors.fusion import ALL, FIRST, Fusion, first_columns
from webcontent.items import Page
from webcontent.models import SHIPPED

SENTENCES = (
    "The council met on Monday evening to talk about the old bridge, which has been closed since the flood of last spring.",
    "Engineers told the meeting that the two middle piers have to be built anew before any cart may cross again.",
    "The work will take about a year, the mayor said, and the town will pay for it with a loan from the county bank.",
)
LINKS = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in ("Home", "News", "Sport", "Weather"))
MENU = f"<nav class='menu'><ul>{LINKS}</ul></nav>"
FOOTER = "<footer class='footer'><p>Copyright Town News. All rights reserved.</p><a href='/terms'>Terms of use</a></footer>"
ARTICLE = (
    f"<html><head><title>Bridge to be rebuilt</title></head><body>{MENU}<main><article class='post'><h1>Bridge to be rebuilt</h1>"
    + "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    + "<ul><li>Cost: four million</li><li>Start: in May</li></ul></article></main>"
    + "<aside class='sidebar'><h2>Most read</h2><ul><li><a href='/1'>Fair moved to June</a></li>"
    + "<li><a href='/2'>School gets new roof</a></li></ul></aside>"
    + f"{FOOTER}</body></html>"
)
CHINESE = (
    "<html><head><title>大桥将重建</title></head><body>"
    "<div class='nav'><a href='/'>首页</a><a href='/n'>新闻</a><a href='/s'>体育</a></div><div class='content'><h1>大桥将重建</h1>"
    "<p>市议会周一晚间开会讨论去年春天洪水以来一直关闭的老桥问题，工程师表示中间的两个桥墩必须重建。</p>"
    "<p>市长说，工程大约需要一年时间，费用由县银行贷款支付，预计明年五月开工，届时交通将绕行。</p></div>"
    "<div class='footer'><p>版权所有 某某新闻网 联系我们</p></div></body></html>"
)


def extraction_of(html: str):
    return load_extractor("fusion")(Document.from_page(Page(html=html, url="https://town.example/bridge")))


@pytest.fixture(scope="module")
def reference():
    return json.loads((SHIPPED.load("fusion_v1").folder / "reference.json").read_text(encoding="utf-8"))


def test_an_article_is_its_text_without_the_frame():
    """Paragraphs and lists of the article are the body; menu, sidebar and footer are not."""
    body = extraction_of(ARTICLE).body
    assert all(sentence in body for sentence in SENTENCES)
    assert "Weather" not in body
    assert "Most read" not in body
    assert "Copyright" not in body


def test_paragraphs_stand_once_in_reading_order():
    """A line a paragraph, none twice."""
    lines = extraction_of(ARTICLE).body.splitlines()
    places = [lines.index(sentence) for sentence in SENTENCES]
    assert places == sorted(places)
    assert len(lines) == len(set(lines))


def test_chinese_text_is_found_like_any_other():
    """The same model serves Chinese."""
    body = extraction_of(CHINESE).body
    assert "工程师表示中间的两个桥墩必须重建" in body
    assert "预计明年五月开工" in body
    assert "版权所有" not in body


def test_labels_scores_and_body_agree():
    """A label and a score a block; the body is made of the blocks labelled so."""
    document = Document.from_page(Page(html=ARTICLE))
    extraction = Fusion()(document)
    assert extraction.labels is not None
    assert extraction.scores is not None
    assert len(extraction.labels) == len(extraction.scores) == len(document.blocks)
    assert extraction.body.split() == " ".join(document.blocks.texts[i] for i in np.flatnonzero(extraction.labels == BODY)).split()
    assert 0 <= extraction.score <= 1


@pytest.mark.parametrize(
    ("html", "flag"),
    [("", "empty"), ("<p> </p>", "empty"), ("<html><body><div id=root></div><script>render()</script></body></html>", "not-rendered")],
    ids=["nothing", "white space", "shell"],
)
def test_a_page_without_text_gives_an_empty_answer_and_says_why(html, flag):
    """Shells that scripts fill are flagged not-rendered, others empty."""
    extraction = extraction_of(html)
    assert (extraction.body, extraction.score) == ("", 0.0)
    assert extraction.flags == {flag}


def test_a_page_of_too_many_blocks_is_bounded(monkeypatch):
    """Beyond the budget the running text is taken without the model; the flag says so."""
    monkeypatch.setattr(module, "MAX_BLOCKS", 5)
    extraction = Fusion(model="none")(Document.from_page(Page(html=ARTICLE)))
    assert "truncated" in extraction.flags
    assert extraction.body.splitlines() == list(SENTENCES)


def test_the_same_page_gives_the_same_answer():
    """Bytes in, answer out; no state in between."""
    first, other, second = extraction_of(ARTICLE), extraction_of(CHINESE), extraction_of(ARTICLE)
    assert other.body != first.body
    assert first.body == second.body
    assert np.array_equal(first.scores, second.scores)


@pytest.mark.parametrize(
    ("probabilities", "words", "chosen"),
    [
        ([], [], []),
        ([0.9], [10], [True]),
        ([0.01], [10], [True]),
        ([0.9, 0.1], [100, 100], [True, False]),
        ([0.9, 0.6, 0.05], [100, 100, 100], [True, True, False]),
        ([0.3, 0.3, 0.0], [50, 50, 50], [True, True, False]),
        ([1.0, 0.4], [1000, 10], [True, False]),
    ],
    ids=["none", "one", "one unlikely", "clear", "likely", "even", "a little doubt beside much text"],
)
def test_decoding_takes_the_set_with_the_highest_expected_f1(probabilities, words, chosen):
    """The most probable blocks, as many as raise 2 * right / (taken + wanted)."""
    assert decode(np.array(probabilities), np.array(words, float)).tolist() == chosen


def test_a_grid_in_doubt_is_dropped_where_the_blocks_of_a_page_err_together():
    """By independent blocks the grid raises expected F1; if it is one decision, the certain introduction alone is worth more."""
    probabilities, words = np.array([0.9] * 4 + [0.35] * 20), np.array([50.0] * 4 + [30.0] * 20)
    assert decode(probabilities, words).sum() == 24
    assert np.flatnonzero(decode(probabilities, words, spread=2.0)).tolist() == [0, 1, 2, 3]


def test_a_spread_changes_nothing_where_the_blocks_are_certain():
    """The choice of a clear page does not depend on what the blocks share."""
    probabilities, words = np.array([0.02, 0.98, 0.97, 0.9, 0.03]), np.array([20.0, 60.0, 80.0, 10.0, 30.0])
    assert decode(probabilities, words, spread=1.0).tolist() == decode(probabilities, words).tolist() == [False, True, True, True, False]


NOTE = "Read the safety notes before you begin"


@pytest.mark.parametrize(
    ("texts", "probabilities", "paths", "lowered"),
    [
        ([NOTE, NOTE], [0.9, 0.6], [1, 2], [0.9, 0.0]),
        ([NOTE, NOTE], [0.6, 0.9], [1, 2], [0.0, 0.9]),
        ([NOTE, NOTE], [0.9, 0.8], [1, 2], [0.9, 0.8]),
        ([NOTE, NOTE], [0.9, 0.6], [1, 1], [0.9, 0.6]),
        ([NOTE, NOTE, NOTE], [0.9, 0.6, 0.5], [1, 2, 2], [0.9, 0.0, 0.0]),
        ([NOTE, NOTE + "!"], [0.9, 0.6], [1, 2], [0.9, 0.6]),
        (["Add to cart", "Add to cart"], [0.9, 0.6], [1, 2], [0.9, 0.6]),
    ],
    ids=["copy", "copy first", "certain copy", "same path", "two copies", "another text", "few words"],
)
def test_a_copy_of_another_path_is_taken_once(texts, probabilities, paths, lowered):
    """Of equal texts the likeliest keeps its probability; notes that are repeated on one path keep theirs."""
    words = np.array([len(text.split()) for text in texts], float)
    given = np.array(probabilities)
    assert without_copies(given, texts, words, np.array(paths)).tolist() == lowered
    assert given.tolist() == probabilities


def test_a_mobile_copy_of_an_article_is_taken_once():
    """The second copy, in a container of its own, is no part of the body."""
    copied = ARTICLE.replace("</main>", "</main><div class='mobile-only'>" + "".join(f"<p>{text}</p>" for text in SENTENCES) + "</div>")
    body = Fusion()(Document.from_page(Page(html=copied))).body
    assert all(body.count(text) == 1 for text in SENTENCES)


def test_figures_tell_sure_pages_from_doubtful_ones():
    """Expected F1 and margin are higher where probabilities are near 0 and 1."""
    words = np.array([50.0, 50.0, 50.0])
    sure, doubtful = np.array([0.99, 0.98, 0.01]), np.array([0.6, 0.5, 0.4])
    found = [page_features(p, words, decode(p, words)) for p in (sure, doubtful)]
    assert found[0][0] > 0.95 > found[1][0]
    assert found[0][1] > 0.9 > found[1][1]


def test_a_chance_is_a_corrected_logistic_regression():
    """Weights and bias give a raw chance, the pairs correct it."""
    learned = {"weights": [1.0, 0.0], "bias": 0.0, "raw": [0.0, 0.5, 1.0], "corrected": [0.0, 0.2, 1.0]}
    assert calibrated_probability([0.0, 9.0], learned) == pytest.approx(0.2)


def test_the_features_are_those_of_the_reference(reference):
    """What the feature code gives for the frozen page is what it gave when the model was made."""
    document = Document.from_page(Page(html=reference["html"]))
    frame = FeatureContext(document)
    names = SHIPPED.load("fusion_v1").config["names"]
    x = first_columns(document, frame, names)[:, :FIRST]
    frozen = np.array(reference["features"], np.float32)
    assert np.allclose(x, frozen[:, :FIRST], atol=1e-4, rtol=1e-4)
    scored = score_features(block_groups(frame), np.array(reference["first"]))
    assert np.allclose(scored, frozen[:, FIRST:], atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("stage", ["first", "second"])
def test_the_model_says_what_the_reference_says(reference, stage):
    """Inference on frozen features: equal to the training framework's to 1e-4."""
    x = np.array(reference["features"], np.float32)
    assert x.shape[1] == ALL
    found = SHIPPED.load("fusion_v1").run(features=x, second=np.array(stage == "second"))[0][:, 0]
    assert np.allclose(found, reference[stage], atol=1e-4)


def test_the_model_is_small_enough():
    """Below 10 MB."""
    assert (SHIPPED.load("fusion_v1").folder / "model.onnx").stat().st_size < 10e6
