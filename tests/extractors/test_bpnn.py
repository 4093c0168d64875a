"""The BP network: its features by hand, its decoding, small pages, and its model against what was frozen when it was made."""

from __future__ import annotations

import numpy as np
import pytest

from tests.references import read_reference
from webcontent.document.parsing import Document
from webcontent.extraction import BODY
from webcontent.extractors import load_extractor
from webcontent.extractors.bpnn.extractor import FEATURES, BpNetwork, decode, features, scaled
from webcontent.extractors.decoding import expected_f1
from webcontent.extractors.lines import markup_sizes, terms_of
from webcontent.items import Page
from webcontent.models import SHIPPED

SENTENCES = (
    "The council met on Monday evening to talk about the old bridge, which has been closed since the flood of last spring.",
    "Engineers told the meeting that the two middle piers have to be built anew before any cart may cross again.",
    "The work will take about a year, the mayor said, and the town will pay for it with a loan from the county bank.",
    "The old bridge was built in the days of the first settlers, and nobody in the town has ever known it otherwise.",
)
MENU = (
    "<ul>"
    + "".join(f"<li><a href='/section/{name}.html' class='menu-item'>{name}</a></li>" for name in ("Home", "News", "Sport"))
    + "</ul>"
)
ARTICLE = (
    f"<html><head><title>Old bridge to be rebuilt - Town News</title></head><body>{MENU}<h1>Old bridge to be rebuilt</h1>"
    + "".join(f"<p>{sentence}</p>" for sentence in SENTENCES)
    + f"<div class='footer'><a href='/terms'>Terms of use</a></div>{MENU}</body></html>"
)
CHINESE = (
    "<html><head><title>大桥将重建-某某新闻网</title></head><body><a href='/section/news.html' class='menu-item'>新闻</a><div>"
    "<p>市议会周一晚间开会讨论去年春天洪水以来一直关闭的老桥问题，工程师表示中间的两个桥墩必须重建，之后才能通车。</p>"
    "<p>市长说，大桥工程大约需要一年时间，费用由县银行贷款支付，预计明年五月开工，届时交通将绕行老城区。</p></div>"
    "<ul><li><a href='/section/about.html' class='menu-item'>联系我们</a></li></ul></body></html>"
)


def extraction_of(html: str, **options: bool):
    return BpNetwork(**options)(Document.from_page(Page(html=html)))


def test_features_are_the_papers_figures_of_three_lines():
    """Length, length with markup, density and relevance of the line before, the line and the line behind; zeros where there is none."""
    document = Document.from_page(Page(html="<title>Old bridge - News</title><p>The old mill</p><p class=x>bridge</p>"))
    x = features(document.title, document.blocks.texts, markup_sizes(document.blocks))
    assert x.shape == (2, len(FEATURES))
    first = [np.log1p(12), np.log1p(12 + 7), 12 / 19, 1 / 2]
    second = [np.log1p(6), np.log1p(6 + 17), 6 / 23, 1 / 2]  # <p class="x"></p>
    assert np.allclose(x[0], [0, 0, 0, 0, *first, *second])
    assert np.allclose(x[1], [*first, *second, 0, 0, 0, 0])


def test_stop_words_are_not_relevant():
    """They stand on every page."""
    texts, markup = ["the bridge", "the mill"], np.zeros(2, np.int64)
    plain = features("the bridge", texts, markup)
    without = features("the bridge", texts, markup, terms_of("the"))
    column = FEATURES.index("own_relevance")
    assert plain[:, column].tolist() == [1.0, 0.5]
    assert without[:, column].tolist() == [1.0, 0.0]


def test_scaled_features_lie_between_0_and_1():
    """Larger ones than the training pages had are cut."""
    assert scaled(np.array([[2.0, 8.0]], np.float32), [4.0, 4.0]).tolist() == [[0.5, 1.0]]


@pytest.mark.parametrize(
    ("probabilities", "lengths", "weight", "chosen"),
    [
        ([], [], 0, []),
        ([0.9], [10], 0, [True]),
        ([0.1], [10], 0, [False]),
        ([0.9, 0.9, 0.2, 0.2, 0.9], [100, 100, 60, 60, 10], 0, [True, True, False, False, False]),
        ([0.9, 0.3, 0.9], [100, 10, 100], 0, [True, True, True]),
        ([0.9, 0.01, 0.9], [100, 10, 100], 0, [True, False, True]),
        ([0.9, 0.2, 0.2, 0.6], [100, 4, 4, 100], 0, [True, True, True, True]),
        ([0.9, 0.2, 0.2, 0.6], [100, 4, 4, 100], 30, [True, False, False, False]),
        ([0.9, 0.3, 0.9, 0.52], [100, 10, 100, 100], 0, [True, True, True, False]),
        ([0.52, 0.1, 0.52], [500, 10, 500], 0, [True, False, True]),
        ([0.2, 0.9, 0.9], [10, 50, 50], 0, [False, True, True]),
    ],
    ids=[
        "none",
        "one",
        "one unlikely",
        "a notice behind the text",
        "a short line inside",
        "an advert inside",
        "short lines between",
        "short lines that count",
        "a doubtful end",
        "nothing but doubt",
        "menu before",
    ],
)
def test_the_run_of_lines_with_most_text_is_the_answer(probabilities, lengths, weight, chosen):
    """What stands apart from it stays out, however likely."""
    assert decode(np.array(probabilities), np.array(lengths, int), run=0.5, line=0.1, edge=0.55, weight=weight).tolist() == chosen


def test_trust_is_the_expected_f1():
    """1 for sure lines, 0 where nothing is chosen."""
    sure = np.array([1.0, 0.0])
    assert expected_f1(sure, np.array([10, 10]), np.array([True, False])) == 1.0
    assert expected_f1(sure, np.array([10, 10]), np.array([False, False])) == 0.0


@pytest.mark.parametrize(
    ("html", "wanted", "unwanted"), [(ARTICLE, SENTENCES, ("Sport", "Terms")), (CHINESE, ("必须重建", "绕行老城区"), ("联系我们",))]
)
def test_a_story_is_its_text_without_the_frame(html, wanted, unwanted):
    """In any script."""
    body = extraction_of(html).body
    assert sum(text in body for text in wanted) >= len(wanted) - 1  # a paragraph beside the menu may be lost: three lines are all it sees
    assert not any(text in body for text in unwanted)


def test_the_papers_way_takes_each_line_by_itself():
    """Whatever is likelier body than not."""
    extraction = extraction_of(ARTICLE, alone=True)
    assert ((extraction.labels == BODY) == (extraction.scores > 0.5)).all()


def test_labels_scores_and_body_agree():
    """The body is made of the blocks labelled so."""
    document = Document.from_page(Page(html=ARTICLE))
    extraction = load_extractor("bpnn")(document)
    assert extraction.body.splitlines() == [document.blocks.texts[i] for i in np.flatnonzero(extraction.labels == BODY)]
    assert 0 < extraction.score <= 1


def test_the_model_says_what_the_reference_says():
    """Inference on frozen features."""
    model = SHIPPED.load("bpnn_v1")
    inputs, outputs = read_reference(model.folder)
    assert np.allclose(model.run(**inputs)[0], outputs["probabilities"], atol=1e-4)


def test_config_and_code_name_the_same_features():
    """And have a scale for each."""
    config = SHIPPED.load("bpnn_v1").config
    assert tuple(config["features"]) == FEATURES
    assert len(config["largest"]) == len(FEATURES)
