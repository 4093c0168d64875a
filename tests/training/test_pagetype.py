"""The trainer on a dozen made-up pictures: it learns, resumes, and writes a folder that the package opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image

from webcontent.models import load_model
from webcontent.pagetype.classify import logit
from webcontent.training import export
from webcontent.training.nets import LayoutNet, LeNet5, Schedule, fit, probabilities
from webcontent.training.pagetype import main
from webcontent.training.pagetype_weights import combiner_graph
from webcontent.training.samples import Samples, calibration_error, calibration_table, fit_weights

if TYPE_CHECKING:
    from pathlib import Path


def draw_pages(folder: Path, count: int = 6) -> Path:
    """Articles are a grey block, lists are stripes; each in a folder of a made-up site."""
    generator = np.random.default_rng(0)
    for name in ("article", "list"):
        for i in range(count):
            page = np.full((300, 128), 255, np.uint8)
            top = int(generator.integers(10, 40))
            page[top : 250 : 1 if name == "article" else 12, 10:110] = 90
            path = folder / name / f"site{i}" / "page.png"
            path.parent.mkdir(parents=True)
            Image.fromarray(page).save(path)
    return folder


def test_two_epochs_on_own_pictures_make_a_model(tmp_path: Path):
    """The command writes graph, config, reference and card; the graph gives its reference outputs."""
    data = draw_pages(tmp_path / "data")
    arguments = ["--model", "lenet5", "--data", str(data), "--epochs", "2", "--folds", "3", "--out", str(tmp_path / "out")]
    main([*arguments, "--work", str(tmp_path / "work")])
    folder = tmp_path / "out" / "pagetype_lenet5_v1"
    inputs, outputs = export.read_reference(folder)
    model = load_model(str(folder))
    assert np.abs(model.run(**inputs)[0] - outputs["probabilities"]).max() < 1e-4
    assert model.config["figures"]["pages"] == 12
    assert model.config["weights"] == 5_610_114  # section 1.2: 60 + 880 + 5,598,840 + 10,164 + 170
    assert (folder / "model.onnx").stat().st_size < 10e6
    assert b"nets.py" not in (folder / "model.onnx").read_bytes()  # the exporter's stack traces name the machine's paths
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    assert f"{model.config['figures']['accuracy']:.3f}" in card
    assert "own pictures" in card


def test_own_pictures_must_be_there(tmp_path: Path):
    """The message names the folder that lacks pictures."""
    with pytest.raises(ValueError, match="article has no pictures"):
        main(["--model", "lenet5", "--data", str(tmp_path), "--work", str(tmp_path / "work")])


def test_an_interrupted_run_ends_like_an_unbroken_one(tmp_path: Path):
    """A run that stops after an epoch and goes on from its checkpoint gives the same weights."""
    x = np.random.default_rng(1).random((12, 5, 192, 64), dtype=np.float32)
    labels = np.array([0, 1] * 6)
    rows = np.arange(12)
    schedule = Schedule(epochs=2, batch=4, rate=1e-3, decay=0.01)

    def stop(epoch: int, loss: float) -> None:
        raise KeyboardInterrupt

    unbroken = fit(LayoutNet(), lambda chosen, _: x[chosen], labels, rows, schedule, seed=3)
    with pytest.raises(KeyboardInterrupt):
        fit(LayoutNet(), lambda chosen, _: x[chosen], labels, rows, schedule, seed=3, checkpoint=tmp_path / "a.pt", on_epoch=stop)
    resumed = fit(LayoutNet(), lambda chosen, _: x[chosen], labels, rows, schedule, seed=3, checkpoint=tmp_path / "a.pt")
    for name, weights in unbroken.state_dict().items():
        assert torch.equal(weights, resumed.state_dict()[name]), name


def test_lenet_has_the_layers_of_the_paper():
    """60 + 880 + 5,598,840 (and 120 constants in it) + 10,164 + 170 weights."""
    sizes = [sum(part.numel() for part in layer.parameters()) for layer in LeNet5().children()]
    assert sizes == [60, 880, 46_656 * 120 + 120, 10_164, 170]


def test_rounding_the_weights_hardly_moves_the_answers():
    """Bytes instead of floats in the large matrix: probabilities move by less than a hundredth."""
    torch.manual_seed(0)
    net = LeNet5()
    x = np.random.default_rng(2).random((3, 1, 224, 224), dtype=np.float32)
    before = probabilities(net, lambda rows, _: x[rows], np.arange(3))
    export.quantize_weights(net)
    after = probabilities(net, lambda rows, _: x[rows], np.arange(3))
    assert 0 < np.abs(before - after).max() < 0.01


def test_the_combiner_picks_the_weights_of_what_is_present():
    """Row 1 for the first part, row 2 for the second, row 3 for both."""
    weights = np.array([[0, 0, 0], [1, 0, 0.5], [0, 2, 0], [1, 1, -1]], np.float32)
    graph = export.open_graph(combiner_graph(weights))
    logits = np.array([[3, 9], [9, 1], [1, 2]], np.float32)
    present = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    logits_used = np.array([3.5, 2.0, 2.0])
    assert np.allclose(graph.run(logits=logits, present=present)[0], 1 / (1 + np.exp(-logits_used)), atol=1e-6)


def test_a_graph_that_differs_from_its_model_is_not_written(tmp_path: Path):
    """Export compares with the training framework's outputs first."""
    given = {"logits": np.zeros((1, 2), np.float32), "present": np.ones((1, 2), np.float32)}
    graph = combiner_graph(np.ones((4, 3), np.float32))
    with pytest.raises(export.ExportError, match="differs"):
        export.save_model(tmp_path / "m", graph, config={}, inputs=given, expected=[np.array([0.1])], card="")
    assert not (tmp_path / "m").exists()


def test_weights_of_a_part_that_errs_are_not_negative():
    """A part that says the opposite of the truth gets no weight."""
    labels = np.array([0, 1] * 50)
    said = np.stack([labels * 4.0 - 2, 2 - labels * 4.0], axis=1) + np.random.default_rng(0).normal(0, 1, (100, 2))
    weights = fit_weights(said, labels)
    assert weights[0] > 0
    assert weights[1] == 0


def test_folds_keep_groups_together():
    """No family stands on both sides."""
    samples = Samples()
    for i in range(60):
        samples.add({"id": str(i), "type": "article"}, "own", f"family{i % 12}", "own")
    for _, rows, tested in samples.splits(4):
        assert not {samples.group[i] for i in rows} & {samples.group[i] for i in tested}
        assert len(rows) + len(tested) == 60


def test_calibration_compares_scores_with_what_is_right():
    """Scores of 0.95 that are right half the time are off by 0.45."""
    score, right = np.full(10, 0.94), np.array([True, False] * 5)
    assert calibration_table(score, right) == [[0.9, 0.95, 10, pytest.approx(0.94), 0.5]]
    assert calibration_error(score, right) == pytest.approx(0.44)


def test_log_odds_are_bounded():
    """No model is believed without limit."""
    assert logit(1.0) == pytest.approx(8, abs=0.01)
    assert logit(0.0) == pytest.approx(-8, abs=0.01)
    assert logit(0.5) == 0
