"""Training the BP network: back-propagation, the graph, the paper's measure, and a whole miniature run."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("onnx")

from tests.training.pages import WORDS, files_of, news_page, write_corpus
from webcontent.extractors.bpnn.extractor import FEATURES
from webcontent.models import Model
from webcontent.training import bpnn
from webcontent.training.common import export
from webcontent.training.common.lines import read_sample


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus."""
    for place, name in enumerate(bpnn.Settings().corpora):
        write_corpus(tmp_path, name, [news_page(100 * place + i) for i in range(10)])
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    return tmp_path


def test_the_network_learns_what_can_be_learned():
    """Lines of body are those where two features are high."""
    random = np.random.default_rng(1)
    x = random.random((600, len(FEATURES))).astype(np.float32)
    y = (x[:, 4] + x[:, 6] > 1).astype(float)
    weights, error = bpnn.train(x, y, bpnn.Settings(epochs=60))
    assert error < 0.15
    assert ((bpnn.network_output(weights, x) > 0.5) == y).mean() > 0.8


def test_training_ends_at_the_error_goal():
    """Not later: equal rows are learned in one epoch."""
    x, y = np.zeros((100, len(FEATURES)), np.float32), np.zeros(100)
    assert bpnn.train(x, y, bpnn.Settings(epochs=1000))[1] < 0.05


def test_the_graph_equals_numpy(tmp_path):
    """To 1e-4, for any number of lines."""
    random = np.random.default_rng(2)
    weights = [random.normal(size=size) * 3 for size in ((12, 5), 5, 5, 1)]
    model = export.open_graph(bpnn.graph_of(weights))
    for lines in (1, 500):
        x = random.random((lines, 12)).astype(np.float32)
        assert np.abs(model.run(features=x)[0][:, 0] - bpnn.network_output(weights, x)).max() < 1e-4


def test_words_of_most_pages_are_stop_words():
    """Learned from titles and the pages' lines; words of a subject are none."""
    samples = [read_sample("test", news_page(i)) for i in range(10)]
    for sample in samples:
        sample.title += " rights"
    words = bpnn.learn_stop_words(samples, 1.0)
    assert "rights" in words


def test_the_papers_measure_counts_right_and_complete_pages():
    """P: right pages of all; R: complete ones of the right."""
    text = " ".join(WORDS * 5)
    rows = [{"body": body, "gold": {"body": text}} for body in (text, f"{text} one more sentence stands at the very end of this text", "")]
    metrics = bpnn.evaluate(rows)
    assert metrics["p"] == pytest.approx(2 / 3)
    assert metrics["r"] in (1 / 2, 1)  # a sentence more may or may not cost ten bits
    assert 0.5 < metrics["f1"] < 0.7


def test_a_run_makes_a_model_folder_and_continues_where_it_stopped(corpora, tmp_path):
    """Metrics and predictions are kept; a second run makes the same model."""
    arguments = ["--cache", str(tmp_path / "cache"), "--out", str(tmp_path / "bpnn_v1"), "--epochs", "8"]
    bpnn.main(arguments)
    first = files_of(tmp_path / "bpnn_v1")
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md"}
    predictions = next((tmp_path / "cache").glob("*/zh-gold-dev.jsonl"))
    assert sorted(json.loads(line)["id"] for line in predictions.read_text().splitlines()) == [f"p{i}" for i in range(10)]
    config = json.loads(first["config.json"])
    assert config["metrics"]["evaluated"]["zh-gold-dev"]["f1"] > 0.6
    bpnn.main(arguments)
    assert (tmp_path / "bpnn_v1" / "model.onnx").read_bytes() == first["model.onnx"]
    Model(tmp_path / "bpnn_v1")
