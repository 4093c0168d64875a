"""The trainer on a dozen synthetic screenshots: it learns, and writes a folder that the package opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.references import read_reference
from tests.training.pagetype.files import draw_pages, random_weights
from webcontent.document.parsing import Document
from webcontent.items import Page
from webcontent.models import SHIPPED
from webcontent.pagetype.classify import classify_document
from webcontent.training.pagetype import backbones
from webcontent.training.pagetype.trainer import main

if TYPE_CHECKING:
    from pathlib import Path


def test_two_epochs_on_own_screenshots_make_a_model(tmp_path: Path):
    """The command writes graph, config, reference and card; the graph gives its reference outputs."""
    data = draw_pages(tmp_path / "data")
    arguments = ["--arch", "lenet5", "--input", "48", "--data", str(data), "--epochs", "2", "--folds", "3", "--out", str(tmp_path / "out")]
    main([*arguments, "--work", str(tmp_path / "work")])
    folder = tmp_path / "out" / "pagetype_lenet5-48_v1"
    inputs, outputs = read_reference(folder)
    model = SHIPPED.load(str(folder))
    assert np.abs(model.run(**inputs)[0] - outputs["probabilities"]).max() < 1e-4
    assert model.config["metrics"]["pages"] == 12
    assert b"networks.py" not in (folder / "model.onnx").read_bytes()  # no stack traces, which name the machine's paths
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    assert f"{model.config['metrics']['accuracy']:.3f}" in card
    assert "own screenshots" in card
    assert [len(epochs) for epochs in model.config["history"].values()] == [2, 2, 2, 2]  # three folds, and all pages


def test_own_screenshots_must_be_there(tmp_path: Path):
    """The message names the folder that has none."""
    with pytest.raises(ValueError, match="article has no screenshots"):
        main(["--arch", "lenet5", "--data", str(tmp_path), "--work", str(tmp_path / "work")])


def test_efficientnet_learns_from_a_dozen_screenshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With weights from a local file the command trains the last layers over colours, and writes a model that the package runs.

    Each stage has one block here, for the sake of time.
    """
    monkeypatch.setattr(backbones, "STAGES", tuple((*sizes, 1) for *sizes, _ in backbones.STAGES))
    data = draw_pages(tmp_path / "data")
    weights = random_weights(backbones.EfficientNet(), tmp_path / "efficientnet_b0.pth")
    arguments = ["--arch", "efficientnet", "--weights", str(weights), "--input", "64", "--data", str(data), "--epochs", "1", "--folds", "2"]
    main([*arguments, "--out", str(tmp_path / "out"), "--work", str(tmp_path / "work")])
    model = SHIPPED.load(str(tmp_path / "out" / "pagetype_efficientnet-64_v1"))
    assert model.config["settings"]["schedule"]["course"] == "ramp"
    assert model.config["channels"] == ["red", "green", "blue"]
    page = next((data / "list").rglob("*.png")).read_bytes()
    found = classify_document(Document(Page(screenshot=page)), model=str(tmp_path / "out" / "pagetype_efficientnet-64_v1"))
    assert "pagetype_efficientnet-64_v1" in found.evidence


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--arch", "resnet101"], "--arch resnet101 needs --weights FILE"),
        (["--arch", "efficientnet", "--weights", "nowhere.pth"], "--weights nowhere.pth is no file"),
        (["--arch", "lenet5", "--input", "9000"], "it takes 32 to 1366 px"),
        (["--arch", "dom", "--input", "448"], "only these take a square screenshot"),
        (["--arch", "dom", "--data", "."], "--data needs --arch lenet5"),
        (["--arch", "layout", "--data", "."], "--arch layout needs boxes"),
    ],
)
def test_wrong_arguments_are_named(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    """The command ends before it reads a page, and says what it takes."""
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err
