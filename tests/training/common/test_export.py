"""Model folders, and large matrices as bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch")

from tests.references import read_reference
from webcontent.models import SHIPPED, Model
from webcontent.training.common import export
from webcontent.training.pagetype.combination import combiner_graph

if TYPE_CHECKING:
    from pathlib import Path

INPUTS = {"logits": np.zeros((1, 2), np.float32), "present": np.ones((1, 2), np.float32)}


def test_a_graph_that_differs_from_its_model_is_not_written(tmp_path: Path):
    """Export compares with the outputs of the training framework first."""
    graph = combiner_graph(np.ones((4, 3), np.float32))
    with pytest.raises(export.ExportError, match="differs"):
        export.save_model(tmp_path / "m", graph, config={}, inputs=INPUTS, expected=[np.array([0.1])], card="")
    assert not (tmp_path / "m").exists()


def test_a_model_folder_is_complete(tmp_path: Path):
    """The package opens it; config.json describes inputs and outputs; the reference is replayed."""
    graph = combiner_graph(np.ones((4, 3), np.float32))
    expected = export.open_graph(graph).run(**INPUTS)
    export.save_model(tmp_path / "m", graph, config={"name": "m"}, inputs=INPUTS, expected=expected, card="# m\n")
    model = Model(tmp_path / "m")
    assert model.config["inputs"] == {"logits": [None, 2], "present": [None, 2]}
    assert model.config["outputs"] == ["article"]
    inputs, outputs = read_reference(tmp_path / "m")
    assert np.allclose(model.run(**inputs)[0], outputs["article"])
    assert (tmp_path / "m" / "CARD.md").read_text() == "# m\n"


def test_large_references_are_compressed(tmp_path: Path):
    """Both forms give the same arrays."""
    array = np.random.default_rng(0).random((2, 20_000)).astype(np.float32)
    reference = {"inputs": {"x": export._packed(array), "y": export._packed(array[:, :9])}, "outputs": {}}
    assert "zlib" in reference["inputs"]["x"]
    (tmp_path / "reference.json").write_text(json.dumps(reference))
    inputs, _ = read_reference(tmp_path)
    assert np.array_equal(inputs["x"], array)
    assert np.allclose(inputs["y"], array[:, :9], atol=1e-6)


def test_an_unsaved_model_stands_beside_the_shipped_ones():
    """Extractors find it under its name, and the others where they are."""
    model = export.UnsavedModel("bpnn_v1", {"largest": []}, lambda features: [features * 2])
    registry = export.RegistryWith(model)
    assert registry.load("bpnn_v1").run(features=np.ones(3))[0].tolist() == [2, 2, 2]
    assert registry.load("titles_v1") is SHIPPED.load("titles_v1")
