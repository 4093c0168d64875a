"""NEMTF: its features, from labels to fields, small pages, and its model against what was frozen when it was made."""

from __future__ import annotations

import numpy as np
import pytest

from tests.references import read_reference
from webcontent.api import extract
from webcontent.document.parsing import Document
from webcontent.extraction import LABELS as ALL_LABELS
from webcontent.extraction import PageContext
from webcontent.extractors.nemtf import extractor as module
from webcontent.extractors.nemtf.extractor import Nemtf, body_probabilities, choose, line_probabilities
from webcontent.extractors.nemtf.features import (
    FEATURES,
    LABELS,
    NOISE,
    RELATED,
    SOURCE,
    TEXT_FEATURES,
    TIME,
    TITLE,
    Subject,
    Vocabulary,
    features,
    length_row,
    writing,
)
from webcontent.items import Page, PageType
from webcontent.models import SHIPPED

LENGTHS = {"noise": [1.5, 0.5, 2, 8], "body": [4.5, 0.8, 20, 400], "title": [3.0, 0.4, 10, 30]}
SENTENCES = (
    "市议会周一晚间开会讨论去年春天洪水以来一直关闭的老桥问题，工程师表示中间的两个桥墩必须重建，之后才能通车。",
    "市长说，大桥工程大约需要一年时间，费用由县银行贷款支付，预计明年五月开工，届时交通将绕行老城区。",
    "记者从会上了解到，老桥建于上世纪五十年代，多年来一直是两岸居民往来的主要通道，居民希望新桥早日建成。",
)
STORY = (
    "<html><head><title>大桥将重建_某某新闻网</title></head><body><ul><li><a href='/'>首页</a></li><li><a href='/n'>新闻</a></li>"
    "<li><a href='/s'>体育</a></li></ul><h1>大桥将重建</h1><div>2019-10-08 12:00</div><div>来源：参考消息</div>"
    + "".join(f"<p>{text}</p>" for text in SENTENCES)
    + "<div>相关新闻</div><ul><li><a href='/a.html'>老城区将修建两座新的停车场</a></li></ul><div>版权所有 联系我们</div></body></html>"
)


class FixedModel:
    """A model with given outputs, in the place of a registry's only model."""

    config = {
        "words": [], "lengths": LENGTHS, "score": {"raw": [0, 1], "corrected": [0, 1]}, "decoding": {"run": 0.5, "weight": 0.0, "outside": 0.0},
        "least": {"title": 0.5, "time": 0.5, "source": 0.5, "related": 0.5},
    }  # fmt: skip

    def __init__(self, labels: dict[int, int], probability: float = 0.9) -> None:
        self.labels, self.probability = labels, probability

    def load(self, name):
        return self

    def run(self, features):
        outputs = np.full((len(features), len(LABELS)), (1 - self.probability) / (len(LABELS) - 1), np.float32)
        for line in range(len(features)):
            outputs[line, self.labels.get(line, 0)] = self.probability
        return [outputs]


def extraction_of(html: str, labels: dict[int, int], probability: float = 0.9, page_type: str = "article"):
    """The extraction of a page when the network gives these labels to its lines."""
    document = Document.from_page(Page(html=html, url="https://town.example/news/1.html"))
    context = PageContext(page_type=PageType(page_type, page_type, 1.0), models=FixedModel(labels, probability))
    return Nemtf()(document, context)


def test_labels_have_the_codes_of_the_table():
    """A label of the network is the label of that name of all extractors."""
    assert [ALL_LABELS[code] for code in module._CODES] == list(LABELS)


def test_a_row_a_line_a_column_a_feature():
    """No line, no row."""
    vocabulary = Vocabulary(["bridge"])
    assert features("A bridge", ["A bridge", "Home"], vocabulary, LENGTHS).shape == (2, len(FEATURES))
    assert features(None, [], vocabulary, LENGTHS).shape == (0, len(FEATURES))


def test_words_are_rows_of_the_table():
    """Known words have rows of their own, others one by kind; digits are all the same; nothing is row 0."""
    vocabulary = Vocabulary(["bridge", "0000", "桥"])
    x = features(None, ["The bridge 2024 2023 桥!"], vocabulary, LENGTHS)[0]
    the, bridge, first, second, sign, mark, nothing = x[:7].astype(int).tolist()
    assert (bridge, first, second, sign) == (Vocabulary.UNKNOWN, Vocabulary.UNKNOWN + 1, Vocabulary.UNKNOWN + 1, Vocabulary.UNKNOWN + 2)
    assert 0 < the < Vocabulary.UNKNOWN
    assert 0 < mark < Vocabulary.UNKNOWN
    assert the != mark
    assert nothing == 0
    assert len(vocabulary) == Vocabulary.UNKNOWN + 3


def test_of_a_long_line_the_first_and_last_words_count():
    """What is between them changes nothing but the length."""
    vocabulary = Vocabulary(["a", "b", "c"])
    x = features(None, ["a " * 500 + "b " * 500 + "c " * 500], vocabulary, LENGTHS)[0]
    assert set(x[:12].tolist()) == {Vocabulary.UNKNOWN}
    assert set(x[12:16].tolist()) == {Vocabulary.UNKNOWN + 2}


def test_no_word_is_seen_twice_in_a_short_line():
    """The last words are those behind the first."""
    words = [chr(0x4E00 + i) for i in range(14)]
    x = features(None, ["".join(words)], Vocabulary(words), LENGTHS)[0, :16]
    assert sorted(x[x > 0].tolist()) == [Vocabulary.UNKNOWN + i for i in range(len(words))]


def test_the_writing_feature_names_the_label_of_like_length():
    """Length, and the usual shortest and longest line of the label whose lines are most like it (equation 1)."""
    found = writing(np.array([4, 100]), LENGTHS)
    assert found[0].tolist() == length_row(np.array([4, 2, 8])).tolist()
    assert found[1].tolist() == length_row(np.array([100, 20, 400])).tolist()


def test_the_position_is_the_lines_number():
    """Those behind the table's end share its last row."""
    column = FEATURES.index("position")
    x = features(None, ["x"] * 261, Vocabulary([]), LENGTHS)
    assert x[:3, column].tolist() == [0, 1, 2]
    assert x[-1, column] == 255


def test_the_figures_know_the_title():
    """Its share in the line and the other way round, and where the line stands behind the one that holds it best."""
    x = features("Old bridge - News", ["Home", "Old bridge", "The old bridge is old"], Vocabulary([]), LENGTHS)
    figures = {name: x[:, FEATURES.index(name)].tolist() for name in TEXT_FEATURES}
    assert figures["share_of_title"] == [0, 1, 1]
    assert figures["share_of_line"] == pytest.approx([0, 1, 0.4])
    assert figures["after_title"] == pytest.approx([-1 / 32, 0, 1 / 32])


def test_the_figures_know_the_characters():
    """How a line ends and begins, and what it is made of; a teaser that is cut off is no sentence of a story."""
    lines = ["The Bridge is closed.", "He said: “It is closed.”", "The bridge is clo...", "Time:", "大桥，关闭。"]
    x = features(None, lines, Vocabulary([]), LENGTHS)
    figures = {name: x[:, FEATURES.index(name)].tolist() for name in TEXT_FEATURES}
    assert figures["ends_as_sentence"] == pytest.approx([1, 0.7, 1, 0, 1])
    assert figures["is_cut_off"] == [0, 0, 1, 0, 0]
    assert figures["is_label"] == [0, 0, 0, 1, 0]
    assert figures["begins_upper"] == [1, 1, 1, 1, 0]
    assert figures["signs"] == pytest.approx([0, 0, 0, 0, 4 / 6])
    assert figures["commas"][4] > figures["commas"][0] == 0


def test_lines_of_the_same_subject_are_known():
    """What a running line shares with running lines that speak of the title makes it part of the story; the menu has no part in it."""
    title = "Bridge over the river stays closed"
    story = [
        "The bridge over the river stays closed until engineer Kowalski has looked at both pillars of it and at the old ramp.",
        "Engineer Kowalski said on Monday that the pillars and the ramp have to be built anew before winter comes to the town.",
        "A recipe for a cake of apples and cinnamon, with a cup of sugar, three eggs, a pinch of salt and plenty of butter inside.",
    ]
    texts = ["Home", "Sports", *story, "Imprint"]
    subject = Subject(title, texts, np.array([len(text) for text in texts]))
    assert subject.of_title.argmax() == 2
    assert subject.story[3] > 2 * subject.story[4]
    assert subject.story[[0, 1, 5]].tolist() == [0, 0, 0]
    assert subject.shared[3] > subject.shared[4]


@pytest.mark.parametrize("texts", [[], [""], ["", "!"]])
def test_lines_without_words_have_no_subject(texts):
    """Nothing to divide by."""
    subject = Subject("Title", texts, np.zeros(len(texts), np.int64))
    assert subject.story.tolist() == subject.shared.tolist() == subject.of_title.tolist() == [0] * len(texts)


def test_text_outside_the_best_run_counts_less():
    """A line that is likely, far from the story, is left out; in the story it is taken."""
    likely = np.array([0.9, 0.9, 0.9, 0, 0, 0, 0, 0, 0, 0.6], np.float32)
    sizes = np.full(len(likely), 100)
    chances, chosen = choose(likely, sizes, run=0.25, weight=20.0, outside=0.5)
    assert chosen.tolist() == [True] * 3 + [False] * 7
    assert chances[9] == pytest.approx(0.3)
    assert choose(likely, sizes, run=0.25, weight=20.0, outside=1.0)[1][9]


def test_a_line_that_is_rather_a_field_is_no_text():
    """Even where it could be."""
    found = np.array([[0, 0.45, 0.55, 0, 0, 0], [0.5, 0.5, 0, 0, 0, 0]], np.float32)
    assert body_probabilities(found).tolist() == [0, 0.5]


def test_fields_are_read_from_their_lines():
    """Title as it stands, time in ISO 8601, source without its label, related stories with their addresses."""
    extraction = extraction_of(STORY, {3: TITLE, 4: TIME, 5: SOURCE, 6: 1, 7: 1, 8: 1, 10: RELATED})
    assert extraction.body.splitlines() == list(SENTENCES)
    assert extraction.fields["title"][0].value == "大桥将重建"
    assert extraction.fields["time"][0].value == "2019-10-08T12:00"
    assert extraction.fields["source"][0].value == "参考消息"
    assert [(link.title, link.url) for link in extraction.fields["related"][0].value] == [
        ("老城区将修建两座新的停车场", "https://town.example/a.html")
    ]
    assert extraction.fields["title"][0].xpath == "/html/body/h1"
    assert {candidates[0].origin for candidates in extraction.fields.values()} == {"nemtf"}


def test_what_the_network_doubts_is_left_to_the_fields():
    """Below `least` there is no candidate of its own."""
    assert extraction_of(STORY, {3: TITLE, 4: TIME}, probability=0.4).fields == {}


def test_a_line_that_reads_as_no_time_gives_none():
    """Whatever the network says of it."""
    assert "time" not in extraction_of(STORY, {3: TIME}).fields


def test_a_list_page_has_no_fields_of_a_story():
    """Its records have."""
    assert extraction_of(STORY, {3: TITLE, 4: TIME, 5: SOURCE}, page_type="list").fields == {}


def test_the_end_of_a_long_page_is_noise():
    """Lines from 8,192 on are not classified."""
    html = "".join(f"<p>The council met in room {n}." for n in range(8200))
    probabilities = line_probabilities(Document.from_page(Page(html=html)), SHIPPED.load("nemtf_v1"))
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-4)
    assert (probabilities[8192:, NOISE] == 1).all()
    assert (probabilities[:8192, NOISE] < 1).all()


def test_a_story_has_its_text_and_fields():
    """The whole item; the evidence says which field the network gave."""
    item = extract(STORY, url="https://town.example/news/1.html", extractor="nemtf")
    assert all(text in item.body for text in SENTENCES)
    assert "联系我们" not in item.body
    assert (item.title, item.time, item.source) == ("大桥将重建", "2019-10-08T12:00", "参考消息")
    assert item.extractor == "nemtf"
    assert len({link.url for link in item.related}) == len(item.related)


def test_the_model_says_what_the_reference_says():
    """Inference on frozen features."""
    model = SHIPPED.load("nemtf_v1")
    inputs, outputs = read_reference(model.folder)
    assert np.allclose(model.run(**inputs)[0], outputs["probabilities"], atol=1e-4)


def test_config_and_code_name_the_same_features():
    """And labels; every word of the table is one word."""
    config = SHIPPED.load("nemtf_v1").config
    assert tuple(config["features"]) == FEATURES
    assert tuple(config["labels"]) == LABELS
    assert len(Vocabulary(config["words"]).codes) == len(set(config["words"]))


def test_the_model_is_small():
    """At most 4 MB."""
    assert (SHIPPED.load("nemtf_v1").folder / "model.onnx").stat().st_size <= 4_000_000
