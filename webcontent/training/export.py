"""A trained model -> a model folder: model.onnx, config.json, reference.json, CARD.md.

The graph is checked against the training framework before anything is written, and the figures of the card are handed in by the run
that measured them. `webcontent.models.load_model` reads the folder.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
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

from webcontent.models import Model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

OPSET = 17
TOLERANCE = 1e-4
"""By so much the graph's outputs may differ from the training framework's."""
REFERENCE_ROWS = 8
LARGE_WEIGHTS = 1_000_000
"""Matrices with more numbers than this are stored as bytes."""


class ExportError(Exception):
    """The graph does not give what the training framework gives."""


def save_model(
    folder: Path,
    graph: onnx.ModelProto,
    *,
    config: Mapping[str, Any],
    inputs: Mapping[str, NDArray[Any]],
    expected: Sequence[NDArray[Any]],
    card: str,
    libraries: Sequence[str] = (),
) -> None:
    """Writes a model folder.

    `inputs` (by name) and `expected` (one array an output, the training framework's) have a row a page; some rows become
    reference.json. `config` gets the checksum, names and shapes of inputs and outputs, and versions added.
    Raises ExportError when an output differs from `expected` by more than 1e-4; then nothing is written.
    """
    model = open_graph(graph)
    outputs = model.run(**inputs)
    for value, found, wanted in zip(graph.graph.output, outputs, expected, strict=True):
        gap = float(np.abs(np.asarray(found, float) - np.asarray(wanted, float)).max())
        if not gap <= TOLERANCE:
            raise ExportError(f"{folder.name}: output {value.name!r} of the graph differs from the trained model's by {gap:.2g}.")
    described = {
        "sha256": model.config["sha256"],
        "inputs": {value.name: _shape(value) for value in graph.graph.input},
        "outputs": [value.name for value in graph.graph.output],
        "versions": versions(libraries),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(graph.SerializeToString())
    _write_json(folder / "config.json", {**config, **described})
    _write_json(folder / "reference.json", reference(model, described["outputs"], inputs), indent=None)
    (folder / "CARD.md").write_text(card, encoding="utf-8")


def open_graph(graph: onnx.ModelProto) -> Model:
    """The graph as the package opens it at run time."""
    weights = graph.SerializeToString()
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "model.onnx").write_bytes(weights)
        _write_json(Path(place) / "config.json", {"sha256": hashlib.sha256(weights).hexdigest()})
        return Model(Path(place))


def cost(graph: onnx.ModelProto, one: Mapping[str, NDArray[Any]], rounds: int = 50) -> dict[str, float]:
    """Bytes of the graph and CPU milliseconds for one row of inputs."""
    model = open_graph(graph)
    model.run(**one)
    started = time.process_time()
    for _ in range(rounds):
        model.run(**one)
    return {"megabytes": len(graph.SerializeToString()) / 1e6, "ms": (time.process_time() - started) / rounds * 1e3}


def _shape(value: onnx.ValueInfoProto) -> list[int | None]:
    """Sizes of an input; None where any will do."""
    return [size.dim_value or None for size in value.type.tensor_type.shape.dim]


def reference(model: Model, names: Sequence[str], inputs: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Inputs and outputs of a few rows, spread evenly."""
    count = len(next(iter(inputs.values())))
    rows = np.unique(np.linspace(0, count - 1, min(REFERENCE_ROWS, count)).astype(int))
    given = {name: np.round(array[rows], 4) for name, array in inputs.items()}
    outputs = model.run(**given)
    return {
        "inputs": {name: _packed(array) for name, array in given.items()},
        "outputs": {name: np.round(np.asarray(array, float), 7).tolist() for name, array in zip(names, outputs, strict=True)},
    }


def read_reference(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Inputs and outputs by name, as `save_model` froze them."""
    stored = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    inputs = {name: _unpacked(entry) for name, entry in stored["inputs"].items()}
    return inputs, {name: np.asarray(values) for name, values in stored["outputs"].items()}


def _packed(array: NDArray[Any]) -> dict[str, Any]:
    """Small arrays as numbers that a person can read, pictures as compressed bytes."""
    entry: dict[str, Any] = {"dtype": str(array.dtype), "shape": list(array.shape)}
    if array.size <= 20_000:
        return {**entry, "values": [float(f"{value:.8g}") for value in array.ravel().tolist()]}
    return {**entry, "zlib": base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()}


def _unpacked(entry: Mapping[str, Any]) -> NDArray[Any]:
    if "zlib" in entry:
        flat = np.frombuffer(zlib.decompress(base64.b64decode(entry["zlib"])), dtype=entry["dtype"])
    else:
        flat = np.array(entry["values"], dtype=entry["dtype"])
    return flat.reshape(entry["shape"])


def _write_json(path: Path, value: Any, indent: int | None = 1) -> None:
    path.write_text(
        json.dumps(value, ensure_ascii=False, indent=indent, separators=(",", ": ") if indent else (",", ":")) + "\n", encoding="utf-8"
    )


def versions(libraries: Sequence[str] = ()) -> dict[str, str]:
    """Of Python and of the libraries that made the model."""
    return {"python": platform.python_version(), **{name: version(name) for name in ("numpy", "onnx", "onnxruntime", *libraries)}}


def forest_to_onnx(models: Mapping[str, Any], features: int) -> onnx.ModelProto:
    """LightGBM classifiers as one graph: input `features` float32 [n, features]; an output a model, by its name: probabilities
    float32 [n, classes] (for two classes only the second one's, float32 [n])."""
    from onnxmltools import convert_lightgbm
    from onnxmltools.convert.common.data_types import FloatTensorType

    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    outputs: list[onnx.ValueInfoProto] = []
    for name, model in models.items():
        part = convert_lightgbm(model, initial_types=[("features", FloatTensorType([None, features]))], zipmap=False, target_opset=15)
        part = onnx.compose.add_prefix(part, f"{name}/", rename_inputs=False, rename_outputs=True)
        nodes += part.graph.node
        weights += part.graph.initializer
        probabilities = part.graph.output[1].name
        classes = len(model.classes_)
        if classes == 2:
            weights.append(numpy_helper.from_array(np.array(1, dtype=np.int64), f"{name}/second"))
            nodes.append(helper.make_node("Gather", [probabilities, f"{name}/second"], [name], axis=1))
            outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]))
        else:
            nodes.append(helper.make_node("Identity", [probabilities], [name]))
            outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, classes]))
    given = helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, features])
    graph = helper.make_graph(nodes, "forest", [given], outputs, weights)
    return _checked(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", 3)]))


def net_to_onnx(
    net: Any, example: NDArray[Any], input_name: str, output_name: str, steps: tuple[int, int] | None = None
) -> onnx.ModelProto:
    """A torch module of one input and one output; the first dimension is left open. `steps`: so is the second, in multiples of the first
    number, up to so many of them."""
    import torch

    net.eval()
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it misses packages that are not needed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns of its own parts
        program = torch.onnx.export(
            net,
            (torch.from_numpy(np.repeat(example[:1], 2, axis=0)),),
            input_names=[input_name],
            output_names=[output_name],
            dynamic_shapes=(
                {
                    0: torch.export.Dim("n", min=1, max=4096),
                    **({1: steps[0] * torch.export.Dim("steps", min=8, max=steps[1])} if steps else {}),
                },
            ),
            opset_version=18,
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    return without_traces(program.model_proto)


def without_traces(graph: onnx.ModelProto) -> onnx.ModelProto:
    """The graph, in place, without what the exporter wrote of its own run: stack traces with the paths of a machine."""
    inner = graph.graph
    for part in (graph, inner, *inner.node, *inner.value_info, *inner.initializer, *inner.input, *inner.output, *graph.functions):
        part.ClearField("metadata_props")
        part.ClearField("doc_string")
    return graph


def quantize_weights(net: Any) -> None:
    """Rounds the large matrices of a torch module, in place, to 255 steps a row: what `pack_weights` stores as bytes."""
    import torch

    with torch.no_grad():
        for parameter in net.parameters():
            if parameter.ndim == 2 and parameter.numel() > LARGE_WEIGHTS:
                codes, scale = _codes(parameter.numpy())
                parameter.copy_(torch.from_numpy(codes.astype(np.float32) * scale[:, None]))


def pack_weights(graph: onnx.ModelProto) -> onnx.ModelProto:
    """The graph with its large matrices as int8 and a scale a row (or column); onnxruntime unfolds them when it opens the model."""
    inner = graph.graph
    for tensor in [entry for entry in inner.initializer if len(entry.dims) == 2 and np.prod(entry.dims) > LARGE_WEIGHTS]:
        matrix = numpy_helper.to_array(tensor)
        axis = int(np.argmin(matrix.shape))
        codes, scale = _codes(matrix if axis == 0 else matrix.T)
        inner.initializer.remove(tensor)
        inner.initializer.extend([
            numpy_helper.from_array(np.ascontiguousarray(codes if axis == 0 else codes.T), f"{tensor.name}/codes"),
            numpy_helper.from_array(scale, f"{tensor.name}/scale"),
        ])  # fmt: skip
        inner.node.insert(
            0, helper.make_node("DequantizeLinear", [f"{tensor.name}/codes", f"{tensor.name}/scale"], [tensor.name], axis=axis)
        )
    return _checked(graph)


def _codes(matrix: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers from -127 to 127 and the scale of each row."""
    scale = (np.abs(matrix).max(axis=1) / 127).astype(np.float32)
    scale[scale == 0] = 1
    return np.clip(np.rint(matrix / scale[:, None]), -127, 127).astype(np.int8), scale


def _checked(graph: onnx.ModelProto) -> onnx.ModelProto:
    graph.ir_version = min(graph.ir_version, 10)  # onnxruntime 1.20 reads no newer one
    onnx.checker.check_model(graph)
    return graph


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table; floats with three digits.

    >>> print(table(["a", "b"], [[1, 0.5]]))
    | a | b |
    |---|---|
    | 1 | 0.500 |
    """
    shown = [[f"{cell:.3f}" if isinstance(cell, float | np.floating) else str(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in ([*columns], *shown)).replace("|\n", f"|\n|{'---|' * len(columns)}\n", 1)
