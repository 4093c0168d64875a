"""Training the BP network: labels of lines, back-propagation, the graph, the paper's measure, and a whole miniature run."""

from __future__ import annotations

import json
import lzma

import numpy as np
import pytest

pytest.importorskip("onnx")

from webcontent.extractors.bpnn import FEATURES
from webcontent.extractors.nemtf import BODY, NOISE, RELATED, SOURCE, TIME, TITLE
from webcontent.models import Model
from webcontent.training import bpnn, export
from webcontent.training.lines import alignment_table, read_sample, story_pages

WORDS = "river bridge mayor loan flour mill county spring flood engineer council cart market winter harvest ferry".split()


def page(number: int) -> dict:
    """A small story of a site of its own, with all its fields."""
    random = np.random.default_rng(number)
    title = " ".join(random.permutation(WORDS)[:4])
    paragraphs = [f"{title} " + " ".join(random.choice(WORDS, 25)) + "." for _ in range(random.integers(3, 7))]
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in random.choice(WORDS, 6))
    html = (
        f"<title>{title} - Site</title><ul>{menu}</ul><h1>{title}</h1><div>2024-03-{number % 20 + 10} 08:30</div><div>Source: The Paper</div>"
        f"{''.join(f'<p>{text}</p>' for text in paragraphs)}<h3>Related</h3><a href='/story'>Another story of it</a><div>All rights reserved</div>"
    )
    gold = {
        "body": "\n".join(paragraphs), "title": title, "time": f"2024-03-{number % 20 + 10}T08:30", "source": "The Paper",
        "related": [{"title": "Another story of it", "url": f"https://s{number}.example/story"}],
    }  # fmt: skip
    site = f"s{number}.example"
    return {"id": f"p{number}", "url": f"https://{site}/", "site": site, "lang": "en", "type": "article", "html": html, "gold": gold}


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus."""
    for place, name in enumerate(bpnn.Settings().corpora):
        pages = [page(100 * place + i) for i in range(10)]
        (tmp_path / name).mkdir()
        (tmp_path / name / "pages.jsonl.xz").write_bytes(lzma.compress("\n".join(map(json.dumps, pages)).encode()))
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    return tmp_path


def test_gold_texts_are_aligned_with_lines():
    """Each field has its line, everything else is noise; nothing is missed."""
    sample = read_sample("test", page(1))
    label = {text: int(target.argmax()) for text, target in zip(sample.texts, sample.targets, strict=True)}
    assert label[page(1)["gold"]["title"]] == TITLE
    assert label["2024-03-11 08:30"] == TIME
    assert label["Source: The Paper"] == SOURCE
    assert label["Another story of it"] == RELATED
    assert label["All rights reserved"] == label["Related"] == NOISE
    assert [label[line] for line in page(1)["gold"]["body"].split("\n")] == [BODY] * len(page(1)["gold"]["body"].split("\n"))
    assert not +sample.missed
    assert sample.unknown == ()
    assert np.allclose(sample.targets.sum(axis=1), 1)


def test_a_line_that_holds_two_fields_belongs_half_to_each():
    """A date line mostly names the source, too."""
    record = page(1)
    record["html"] = record["html"].replace("08:30</div><div>", "08:30 ")
    sample = read_sample("test", record)
    assert sample.targets[sample.texts.index("2024-03-11 08:30 Source: The Paper")].tolist() == [0, 0, 0, 0.5, 0.5, 0]


@pytest.mark.parametrize(("change", "label"), [({"source": "Somebody else"}, SOURCE), ({"time": "1999-01-01"}, TIME)])
def test_what_stands_in_no_line_is_missed_and_unknown(change, label):
    """It may be there in other words: lines are not held to be noise for sure."""
    record = page(1)
    record["gold"] |= change
    sample = read_sample("test", record)
    assert label in sample.unknown
    assert sum(sample.missed.values()) == 1
    assert [row for row in alignment_table([sample]) if row[3]] == [["test", next(iter(change)), 1, 1.0]]


def test_what_the_gold_does_not_speak_of_is_unknown():
    """No key: nobody has looked."""
    record = page(1)
    del record["gold"]["related"]
    assert read_sample("test", record).unknown == (RELATED,)


def test_pages_without_a_story_are_left_out(corpora):
    """Lists, and pages whose gold has no body; what is left is spread evenly."""
    pages = [page(i) for i in range(10)]
    pages[0]["type"], pages[1]["gold"]["body"] = "list", ""
    (corpora / "zh-silver" / "pages.jsonl.xz").write_bytes(lzma.compress("\n".join(map(json.dumps, pages)).encode()))
    assert [record["id"] for record in story_pages("zh-silver")] == [f"p{i}" for i in range(2, 10)]
    assert [record["id"] for record in story_pages("zh-silver", 2)] == ["p2", "p6"]


def test_the_network_learns_what_can_be_learned():
    """Lines of body are those where two features are high."""
    random = np.random.default_rng(1)
    x = random.random((600, len(FEATURES))).astype(np.float32)
    y = (x[:, 4] + x[:, 6] > 1).astype(float)
    weights, error = bpnn.train(x, y, bpnn.Settings(epochs=60))
    assert error < 0.15
    assert ((bpnn.answer(weights, x) > 0.5) == y).mean() > 0.8


def test_training_ends_at_the_error_goal():
    """Not later: all the same is learned in one round."""
    x, y = np.zeros((100, len(FEATURES)), np.float32), np.zeros(100)
    assert bpnn.train(x, y, bpnn.Settings(epochs=1000))[1] < 0.05


def test_the_graph_equals_numpy(tmp_path):
    """To 1e-4, for any number of lines."""
    random = np.random.default_rng(2)
    weights = [random.normal(size=size) * 3 for size in ((12, 5), 5, 5, 1)]
    model = export.open_graph(bpnn.graph_of(weights))
    for lines in (1, 500):
        x = random.random((lines, 12)).astype(np.float32)
        assert np.abs(model.run(features=x)[0][:, 0] - bpnn.answer(weights, x)).max() < 1e-4


def test_words_of_most_pages_are_stop_words():
    """Learned from titles and the pages' lines; words of a subject are none."""
    samples = [read_sample("test", page(i)) for i in range(10)]
    for sample in samples:
        sample.title += " rights"
    words = bpnn.learn_stop_words(samples, 1.0)
    assert "rights" in words


def test_the_papers_measure_counts_right_and_complete_pages():
    """P: right pages of all; R: complete ones of the right."""
    text = " ".join(WORDS * 5)
    rows = [{"body": body, "gold": {"body": text}} for body in (text, f"{text} one more sentence stands at the very end of this text", "")]
    figures = bpnn.judge(rows)
    assert figures["p"] == pytest.approx(2 / 3)
    assert figures["r"] in (1 / 2, 1)  # a sentence more may or may not cost ten bits
    assert 0.5 < figures["f1"] < 0.7


def test_a_run_makes_a_model_folder_and_goes_on_where_it_was(corpora, tmp_path):
    """Figures and predictions are kept; a second run makes the same model."""
    arguments = ["--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "bpnn_v1"), "--epochs", "8"]
    bpnn.main(arguments)
    first = {path.name: path.read_bytes() for path in (tmp_path / "bpnn_v1").iterdir()}
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md"}
    predictions = next((tmp_path / "cache").glob("*/zh-gold-dev.jsonl"))
    assert sorted(json.loads(line)["id"] for line in predictions.read_text().splitlines()) == [f"p{i}" for i in range(10)]
    config = json.loads(first["config.json"])
    assert config["figures"]["judged"]["zh-gold-dev"]["f1"] > 0.6
    bpnn.main(arguments)
    assert (tmp_path / "bpnn_v1" / "model.onnx").read_bytes() == first["model.onnx"]
    Model(tmp_path / "bpnn_v1")
