"""The weighted sum of what the page type models say: one set of weights for each combination of parts that a page can be judged by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.pagetype.classify import PARTS, logit
from webcontent.training import export
from webcontent.training.samples import Samples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


def save_said(folder: Path, name: str, samples: Samples, article: NDArray[np.float64]) -> None:
    """Keeps what a model says of pages that it has not seen: the default is made of that."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(
        folder / f"{name}.npz",
        ids=samples.ids,
        corpus=samples.corpus,
        group=samples.group,
        slices=samples.slices,
        lang=samples.lang,
        label=samples.labels,
        learned=samples.learned,
        article=article,
    )


def read_said(folder: Path) -> tuple[Samples, NDArray[np.float64], NDArray[np.bool_]]:
    """Log-odds [pages, parts] of what the parts said of unseen pages, and which of them there are."""
    stored = {}
    for part in PARTS:
        path = folder / f"{'pixels' if part == 'picture' else part}.npz"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: train the other models first (python -m webcontent.training.pagetype).")
        stored[part] = np.load(path)
    pages = stored["dom"]
    rows = {page: row for row, page in enumerate(pages["ids"].tolist())}
    said, present = np.zeros((len(rows), len(PARTS))), np.zeros((len(rows), len(PARTS)), bool)
    for column, part in enumerate(PARTS):
        places = [rows[page] for page in stored[part]["ids"].tolist()]
        said[places, column] = [logit(value) for value in stored[part]["article"].tolist()]
        present[places, column] = True
    samples = Samples(
        ids=pages["ids"].tolist(),
        corpus=pages["corpus"].tolist(),
        group=pages["group"].tolist(),
        slices=pages["slices"].tolist(),
        lang=pages["lang"].tolist(),
        kinds=[""] * len(rows),
        article=pages["label"].tolist(),
        learned=pages["learned"].tolist(),
    )
    return samples, said, present


def combination_name(mask: int, parts: Sequence[str]) -> str:
    return " + ".join(part for i, part in enumerate(parts) if mask >> i & 1)


def weighted(said: NDArray[np.float64], weights: NDArray[np.float64]) -> Any:
    return 1 / (1 + np.exp(-(said @ weights[:-1] + weights[-1])))


def combiner_graph(weights: NDArray[np.float32]) -> Any:
    """Inputs `logits` and `present`, float32 [n, parts]; output `article`, float32 [n]. Those present pick the row of weights."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    parts = weights.shape[1] - 1
    constants = {
        "powers": (2 ** np.arange(parts)).astype(np.float32)[:, None],
        "weights": weights[:, :-1],
        "constants": weights[:, -1],
        "last": np.array([1], dtype=np.int64),
    }
    nodes = [
        helper.make_node("MatMul", ["present", "powers"], ["mask_column"]),
        helper.make_node("Squeeze", ["mask_column", "last"], ["mask_float"]),
        helper.make_node("Cast", ["mask_float"], ["mask"], to=TensorProto.INT64),
        helper.make_node("Gather", ["weights", "mask"], ["row_weights"]),
        helper.make_node("Gather", ["constants", "mask"], ["constant"]),
        helper.make_node("Mul", ["logits", "row_weights"], ["products"]),
        helper.make_node("ReduceSum", ["products", "last"], ["sum"], keepdims=0),
        helper.make_node("Add", ["sum", "constant"], ["log_odds"]),
        helper.make_node("Sigmoid", ["log_odds"], ["article"]),
    ]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [None, parts]) for name in ("logits", "present")]
    outputs = [helper.make_tensor_value_info("article", TensorProto.FLOAT, [None])]
    tensors = [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "weighted sum", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", export.OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    return model
