"""A trained model -> a model folder: model.onnx, config.json, reference.json, CARD.md.

The graph is compared with the training framework before anything is written. `webcontent.models` reads the folder.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import platform
import tempfile
import time
import warnings
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from webcontent.models import SHIPPED, Model, ModelRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

OPSET, OPSET_ML, IR_VERSION = 17, 3, 8
"""Versions of graphs: operators, those of machine learning, the format."""
TOLERANCE = 1e-4
"""Maximum difference between the outputs of the graph and those of the training framework."""
REFERENCE_ROWS = 8
COST_RUNS = 50
LARGEST_LIST = 20_000
"""Arrays of more numbers are stored in reference.json as compressed bytes."""

REFERENCE_HTML = """<html><head><title>Bridge reopens - Example</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<article class="post"><h1>Bridge reopens</h1><p class="byline">By A. Writer</p>
<p>The old bridge over the river reopened on Monday after two years of repairs, and the first carts crossed it before noon.</p>
<p>Shopkeepers on both banks said that they had waited long for this day; the town paid for the work with a loan.</p></article>
<aside class="sidebar"><h2>Related</h2><ul><li><a href="/a">Market day moved</a></li><li><a href="/b">Mill for sale</a></li></ul></aside>
<footer>Copyright Example. All rights reserved.</footer></body></html>"""
"""The reference page of models whose features are those of a whole page."""


class ExportError(Exception):
    """The outputs of the graph differ from those of the training framework."""


# ------------------------------------------------------------------------------------------------------- model folders
def save_model(
    folder: Path,
    graph: onnx.ModelProto,
    *,
    config: Mapping[str, Any],
    inputs: Mapping[str, NDArray[Any]],
    expected: Sequence[NDArray[Any]],
    card: str,
    reference: Mapping[str, Any] | None = None,
    libraries: Sequence[str] = (),
) -> None:
    """Writes a model folder.

    `inputs` (by name) and `expected` (an array for each output, from the training framework) have a row for each sample. `reference` is
    what reference.json holds; None: some rows of `inputs` with their outputs. `config` is extended by the checksum, the names and shapes
    of inputs and outputs, and the versions of `libraries`. Raises ExportError when an output differs from `expected` by more than
    TOLERANCE; nothing is written then.
    """
    model = open_graph(graph)
    outputs = [value.name for value in graph.graph.output]
    check_outputs(folder.name, outputs, model.run(**inputs), expected)
    described = {
        "inputs": {value.name: _shape(value) for value in graph.graph.input},
        "outputs": outputs,
        "versions": versions(libraries),
    }
    write_graph(folder, graph, {**config, **described})
    _write_json(folder / "reference.json", reference or make_reference(model, outputs, inputs), indent=None)
    (folder / "CARD.md").write_text(card, encoding="utf-8")


def check_outputs(model: str, names: Sequence[str], outputs: Sequence[NDArray[Any]], expected: Sequence[NDArray[Any]]) -> None:
    """Raises ExportError when an output differs from the training framework's by more than TOLERANCE."""
    for name, output, wanted in zip(names, outputs, expected, strict=True):
        difference = float(np.abs(np.asarray(output, float) - np.asarray(wanted, float)).max())
        if not difference <= TOLERANCE:
            raise ExportError(f"{model}: output {name!r} of the graph differs from the trained model's by {difference:.2g}.")


def open_graph(graph: onnx.ModelProto) -> Model:
    """The graph as the package opens it at run time."""
    with tempfile.TemporaryDirectory() as folder:
        write_graph(Path(folder), graph, {})
        return Model(Path(folder))


def write_graph(folder: Path, graph: onnx.ModelProto, config: Mapping[str, Any]) -> None:
    """Writes what the package opens: the graph, and its configuration with the checksum."""
    weights = graph.SerializeToString()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(weights)
    _write_json(folder / "config.json", {**config, "sha256": hashlib.sha256(weights).hexdigest()})


def graph_cost(graph: onnx.ModelProto, inputs: Mapping[str, NDArray[Any]], runs: int = COST_RUNS) -> dict[str, float]:
    """Size of a graph in `megabytes`, mean CPU time in `ms` of a run, after one that is not measured, and `rows` of the inputs."""
    model = open_graph(graph)
    model.run(**inputs)
    started = time.process_time()
    for _ in range(runs):
        model.run(**inputs)
    cost = {"megabytes": graph.ByteSize() / 1e6, "ms": (time.process_time() - started) / runs * 1e3}
    return {**cost, "rows": len(next(iter(inputs.values())))}


class UnsavedModel(Model):
    """A trained model that is in no folder yet, as the extractors use it."""

    def __init__(self, name: str, config: dict[str, Any], outputs: Callable[..., Sequence[NDArray[Any]]]) -> None:
        """`outputs`: the model itself, which takes inputs by name."""
        self.name, self.config, self._outputs = name, config, outputs

    def run(self, **inputs: NDArray[Any]) -> list[NDArray[Any]]:
        """The outputs of the trained model."""
        return list(self._outputs(**inputs))


class RegistryWith(ModelRegistry):
    """The shipped models, one of them replaced by a model that is in no folder yet."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._model = model

    def load(self, name: str) -> Model:
        """The model of that name."""
        return self._model if name == self._model.name else SHIPPED.load(name)


def versions(libraries: Sequence[str] = ()) -> dict[str, str]:
    """Versions of Python and of the libraries that made the model."""
    return {"python": platform.python_version(), **{name: version(name) for name in ("numpy", "onnx", "onnxruntime", *libraries)}}


def _shape(value: onnx.ValueInfoProto) -> list[int | None]:
    """Sizes of an input; None where any size is accepted."""
    return [size.dim_value or None for size in value.type.tensor_type.shape.dim]


def _write_json(path: Path, value: Any, indent: int | None = 1) -> None:
    separators = (",", ": ") if indent else (",", ":")
    path.write_text(json.dumps(value, ensure_ascii=False, indent=indent, separators=separators) + "\n", encoding="utf-8")


# ------------------------------------------------------------------------------------------------------ reference data
def make_reference(model: Model, outputs: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Inputs and outputs of a few rows, spread evenly."""
    count = len(next(iter(inputs.values())))
    rows = np.unique(np.linspace(0, count - 1, min(REFERENCE_ROWS, count)).astype(int))
    rounded = {name: np.round(array[rows], 4) for name, array in inputs.items()}
    results = zip(outputs, model.run(**rounded), strict=True)
    return {
        "inputs": {name: _packed(array) for name, array in rounded.items()},
        "outputs": {name: np.round(np.asarray(array, float), 7).tolist() for name, array in results},
    }


def _packed(array: NDArray[Any]) -> dict[str, Any]:
    """A small array as readable numbers, a large one as compressed bytes."""
    entry: dict[str, Any] = {"dtype": str(array.dtype), "shape": list(array.shape)}
    if array.size <= LARGEST_LIST:
        return {**entry, "values": [float(f"{value:.8g}") for value in array.ravel().tolist()]}
    return {**entry, "zlib": base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()}


# --------------------------------------------------------------------------------------------------------------- graphs
def make_graph(
    name: str,
    nodes: Sequence[Any],
    inputs: Mapping[str, Sequence[Any]],
    outputs: Mapping[str, Sequence[Any]],
    constants: Mapping[str, Any] | None = None,
    types: Mapping[str, int] | None = None,
) -> onnx.ModelProto:
    """A graph of nodes. `inputs`, `outputs`: shapes by name, float32 where `types` names no other type; `constants`: arrays by name."""

    def described(shapes: Mapping[str, Sequence[Any]]) -> list[Any]:
        return [helper.make_tensor_value_info(own, (types or {}).get(own, TensorProto.FLOAT), shape) for own, shape in shapes.items()]

    tensors = [numpy_helper.from_array(array, own) for own, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, name, described(inputs), described(outputs), tensors)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="webcontent", ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    return model


def onnx_of_network(net: Any, examples: Mapping[str, NDArray[Any]], outputs: Sequence[str], open_axes: int = 1) -> onnx.ModelProto:
    """The graph of a torch module with named inputs and outputs. The first axis of all, and `open_axes` of the inputs, take any size."""
    import torch

    file: Any = io.BytesIO()  # torch's signature names paths alone
    axes = {name: {axis: f"axis {axis}" for axis in range(open_axes)} for name in examples} | {name: {0: "axis 0"} for name in outputs}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch has a newer exporter, too, which takes seconds
        torch.onnx.export(
            net.eval(),
            tuple(torch.from_numpy(example[:2]) for example in examples.values()),
            file,
            input_names=list(examples),
            output_names=list(outputs),
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    graph = onnx.load_from_string(file.getvalue())
    onnx.checker.check_model(graph)
    return graph
