"""Training Web2Text: gold blocks, the loss, networks in ONNX, and a whole miniature run."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from benchmarks.papers import cleaneval
from benchmarks.papers.cleaneval import Counts
from tests.training.pages import files_of, framed_page, write_corpus
from webcontent.document.parsing import Document
from webcontent.extractors.web2text.collapsed import Collapsed
from webcontent.extractors.web2text.extractor import Web2Text
from webcontent.extractors.web2text.features import EDGE_FEATURES
from webcontent.items import Page
from webcontent.training.common.export import onnx_of_network, open_graph
from webcontent.training.web2text import networks, trainer
from webcontent.training.web2text.networks import Nets, OnePage, loss_of
from webcontent.training.web2text.samples import leaf_shares
from webcontent.training.web2text.settings import EVALUATED_ONLY, PAPER, SHIPPED, WEIGHTS, Settings


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus; only cleaneval has a split."""
    for place, name in enumerate((*WEIGHTS, *EVALUATED_ONLY)):
        pages = [framed_page(1000 * place + i, paragraphs=3 + i % 4) for i in range(12)]
        for number, each in enumerate(pages if name == "cleaneval" else ()):
            each["split"] = ("train", "valid", "test")[number % 3]
        write_corpus(tmp_path, name, pages)
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    return tmp_path


def nets_of(settings: Settings) -> Nets:
    torch.manual_seed(3)
    return Nets(settings).eval()


def test_the_papers_networks_have_its_number_of_weights() -> None:
    """17,960 and 12,870 without the biases (section 4.3)."""
    nets = nets_of(PAPER)
    counts = [sum(layer.weight.numel() for layer in net.layers) for net in (nets.unary, nets.pairwise)]
    assert counts == [17_960, 12_870]


def test_gold_blocks_are_shares_of_the_common_subsequence() -> None:
    """A leaf without words has the share of its paragraph."""
    collapsed = Collapsed(Document.from_page(Page(html="<p>menu</p><p>one two <b>!</b> three <i>four five</i></p>")).blocks)
    assert collapsed.texts == ["menu", "one two", "!", "three", "four five"]
    shares = leaf_shares(collapsed.texts, collapsed.block, "one two three four", 2)
    assert shares.tolist() == pytest.approx([0, 1, 0.8, 1, 0.5])


@pytest.mark.parametrize("settings", [PAPER, SHIPPED], ids=["the paper's", "ours"])
def test_the_graph_equals_torch(settings: Settings) -> None:
    """Both networks in one run, for any number of leaves: to 1e-4."""
    nets, random = nets_of(settings), np.random.default_rng(1)
    x, edges = (random.normal(size=(50, size)).astype(np.float32) for size in (settings.columns, len(EDGE_FEATURES)))
    model = open_graph(onnx_of_network(OnePage(nets), {"blocks": x, "edges": edges}, ["unary", "pairwise"]))
    for count in (1, 2, 50):
        outputs = model.run(blocks=x[:count], edges=edges[:count])
        for output, expected in zip(outputs, nets.potentials(x[:count], edges[:count]), strict=True):
            assert output.shape == expected.shape
            np.testing.assert_allclose(output, expected, atol=1e-4)


def test_padding_after_a_page_changes_nothing() -> None:
    """Leaves of a short page, padded to a patch, are judged as the page alone."""
    settings = SHIPPED
    nets = nets_of(settings)
    x, edges = torch.randn(1, settings.columns, 9), torch.randn(1, len(EDGE_FEATURES), 9)
    mask = torch.ones(1, 1, 9)
    alone = nets(x, edges, mask)
    padded = nets(*(torch.nn.functional.pad(part, (0, 7)) for part in (x, edges, mask)))
    for short, long in zip(alone, padded, strict=True):
        torch.testing.assert_close(short, long[:, :, :9])


def test_the_loss_is_the_cross_entropy_of_leaves_and_pairs() -> None:
    """Perfect answers cost nothing, even ones the logarithm of 2 and of 4; a patch's last pair counts only inside it."""
    target = torch.tensor([[1.0, 0.0, 1.0]])
    mask, weight = torch.ones(1, 1, 3), torch.ones(1, 3)
    even = torch.full((1, 2, 3), 0.5).log(), torch.full((1, 4, 3), 0.25).log()
    assert float(loss_of(*even, mask, target, weight)) == pytest.approx(np.log(2) + np.log(4))
    sure = torch.full((1, 2, 3), -50.0), torch.full((1, 4, 3), -50.0)
    sure[0][0, target[0].long(), torch.arange(3)] = 0
    sure[1][0, [2, 1], [0, 1]] = 0  # (1, 0), then (0, 1)
    assert float(loss_of(*sure, mask, target, weight)) == pytest.approx(0)


def test_counts_give_the_usual_metrics() -> None:
    """Accuracy, precision, recall, F1."""
    counts = Counts.of(np.array([1, 1, 0, 0], bool), np.array([1, 0, 1, 0], bool))
    assert counts.metrics() == {"accuracy": 0.5, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert (counts + counts).right == 2


def test_two_runs_make_the_same_model_folder(corpora, tmp_path, monkeypatch):
    """Folds, networks, predictions, card.

    The card has the paper's experiment where it was run with the same cache.
    """
    monkeypatch.setattr(networks, "CHECK_STEPS", 20)
    monkeypatch.setattr(trainer, "SHIPPED", replace(SHIPPED, batch=8, patch=24, widths=(16,) * 7, folds=2))
    cache, out = tmp_path / "cache", tmp_path / "web2text_v1"
    arguments = ["--cache", str(cache), "--out", str(out), "--steps", "40"]
    trainer.main(arguments)
    assert trainer.LEFT_OUT in (out / "CARD.md").read_text()
    cleaneval.main(["--cache", str(cache), "--steps", "40", "--baselines"])
    first = files_of(out)
    trainer.main(arguments)
    assert "| web2text, the paper's form, lambda 0 |" in (out / "CARD.md").read_text()
    assert {**files_of(out), "CARD.md": b""} == {**first, "CARD.md": b""}  # the card states the time that the model takes
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md"}
    metrics = json.loads(next(cache.glob("*/metrics.json")).read_text())
    everything = next(row for row in metrics["groups"] if row["corpus"] == "wcxb-dev")
    assert 0.8 < everything["f1"] <= 1
    predictions = next(cache.glob("*/predictions"))
    rows = [json.loads(line) for line in (predictions / "wcxb-dev.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [f"p{i}" for i in range(12)]
    page = framed_page(5, paragraphs=5)
    body = Web2Text(str(out))(Document.from_page(Page(html=page["html"]))).body
    assert set(page["gold"]["body"].split("\n")) <= set(body.split("\n"))
