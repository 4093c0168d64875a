"""LightGBM's gradient-boosted trees: mean raw scores of several models, and their ONNX graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from webcontent.training.common.export import make_graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from onnx import GraphProto, ModelProto, NodeProto

CONVERTER_OPSET = 15
"""Opset of the graphs that onnxmltools converts; it does not support newer ones."""


def fit_boosters(
    x: NDArray[np.float32], labels: NDArray[Any], weights: NDArray[np.float64], parameters: dict[str, Any], trees: int, seeds: Iterable[int]
) -> list[lgb.Booster]:
    """Models that differ in their seeds. `x`: [rows, features]."""
    return [lgb.train({**parameters, "seed": seed}, lgb.Dataset(x, labels, weight=weights), trees) for seed in seeds]


def mean_raw_scores(boosters: Sequence[lgb.Booster], x: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean of the raw scores of several models: float64 [rows]. The probability is the sigmoid of it."""
    return np.asarray(np.mean([booster.predict(x, raw_score=True, num_threads=1) for booster in boosters], axis=0), np.float64)


def sigmoid(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of log-odds."""
    probabilities: NDArray[np.float64] = 1 / (1 + np.exp(-raw))
    return probabilities


def load_boosters(paths: Sequence[Path]) -> list[lgb.Booster]:
    """Models from LightGBM's text files."""
    return [lgb.Booster(model_file=path) for path in paths]


def onnx_of_stages(first: Sequence[lgb.Booster], second: Sequence[lgb.Booster], columns: int, *, name: str) -> ModelProto:
    """One graph for two stages: inputs `features` float32 [rows, columns] and `second` (bool: which stage), output
    `probabilities` float32 [rows, 1].

    Each stage is the sigmoid of the mean raw score of its models. The graph equals LightGBM on float32 input: thresholds are
    rounded down to float32, so that `x <= threshold` has the same result for every float32 x. Features must not be NaN.
    """
    choice = helper.make_node("If", ["second"], ["raw"], then_branch=_stage(second, "second"), else_branch=_stage(first, "first"))
    nodes, shapes = [choice, helper.make_node("Sigmoid", ["raw"], ["probabilities"])], {"features": [None, columns], "second": []}
    return make_graph(name, nodes, shapes, {"probabilities": [None, 1]}, types={"second": TensorProto.BOOL})


def onnx_of_boosters(boosters: Sequence[lgb.Booster], columns: int, *, name: str, raw: bool = False) -> ModelProto:
    """The graph of one stage: input `features` float32 [rows, columns], output `probabilities` float32 [rows, 1].

    `raw`: the output is `only_raw`, the mean raw score without the sigmoid.
    """
    trees = _stage(boosters, "only")
    score = trees.output[0].name
    output, last = (score, []) if raw else ("probabilities", [helper.make_node("Sigmoid", [score], ["probabilities"])])
    return make_graph(name, [*trees.node, *last], {"features": [None, columns]}, {output: [None, 1]})


def onnx_of_classifiers(models: Mapping[str, Any], features: int) -> onnx.ModelProto:
    """LightGBM classifiers as one graph: input `features` float32 [rows, features].

    Each model has an output of its name: probabilities float32 [rows, classes], or float32 [rows] for the second of two classes.
    """
    from onnxmltools import convert_lightgbm
    from onnxmltools.convert.common.data_types import FloatTensorType

    nodes: list[onnx.NodeProto] = []
    constants: dict[str, NDArray[Any]] = {}
    for name, model in models.items():
        types = [("features", FloatTensorType([None, features]))]
        part = convert_lightgbm(model, initial_types=types, zipmap=False, target_opset=CONVERTER_OPSET)
        part = onnx.compose.add_prefix(part, f"{name}/", rename_inputs=False, rename_outputs=True)
        nodes += part.graph.node
        constants |= {tensor.name: numpy_helper.to_array(tensor) for tensor in part.graph.initializer}
        probabilities = part.graph.output[1].name
        if len(model.classes_) == 2:
            constants[f"{name}/second"] = np.array(1, dtype=np.int64)
            nodes.append(helper.make_node("Gather", [probabilities, f"{name}/second"], [name], axis=1))
        else:
            nodes.append(helper.make_node("Identity", [probabilities], [name]))
    outputs = {name: [None] if len(model.classes_) == 2 else [None, len(model.classes_)] for name, model in models.items()}
    return make_graph("gradient-boosted trees", nodes, {"features": [None, features]}, outputs, constants)


def _stage(boosters: Sequence[lgb.Booster], stage: str) -> GraphProto:
    """The trees of a stage. They read `features` of the graph around them."""
    output = f"{stage}_raw"
    return helper.make_graph(
        tree_nodes(boosters, "features", output), stage, [], [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, 1])]
    )


def tree_nodes(boosters: Sequence[lgb.Booster], columns: str, output: str) -> list[NodeProto]:
    """The trees of several models as a node of a graph: `columns` float32 [rows, features] -> `output`, their mean raw score."""
    table = _TreeTable()
    for booster in boosters:
        for tree in booster.dump_model()["tree_info"]:
            table.add(tree["tree_structure"], scale=1 / len(boosters))
    attributes: dict[str, Any] = {"n_targets": 1, "aggregate_function": "SUM", **table.attributes}
    return [helper.make_node("TreeEnsembleRegressor", [columns], [output], domain="ai.onnx.ml", **attributes)]


class _TreeTable:
    """The attributes of the operator TreeEnsembleRegressor: one row for each node of all trees."""

    def __init__(self) -> None:
        self.attributes: dict[str, list[Any]] = {
            key: []
            for key in (
                "nodes_treeids", "nodes_nodeids", "nodes_featureids", "nodes_values", "nodes_modes", "nodes_truenodeids",
                "nodes_falsenodeids", "target_treeids", "target_nodeids", "target_ids", "target_weights",
            )
        }  # fmt: skip
        self.trees = 0

    def add(self, root: dict[str, Any], *, scale: float) -> None:
        """Adds a tree. The values of its leaves are multiplied by `scale`."""
        queue = [root]
        numbers = {id(root): 0}
        for node in queue:  # the queue grows during the loop
            for child in (node.get("left_child"), node.get("right_child")):
                if child is not None:
                    numbers[id(child)] = len(queue)
                    queue.append(child)
        for number, node in enumerate(queue):
            self._add_node(node, number, numbers, scale)
        self.trees += 1

    def _add_node(self, node: dict[str, Any], number: int, numbers: dict[int, int], scale: float) -> None:
        is_split = "split_feature" in node
        row = {
            "nodes_treeids": self.trees,
            "nodes_nodeids": number,
            "nodes_featureids": node["split_feature"] if is_split else 0,
            "nodes_values": _rounded_down(node["threshold"]) if is_split else 0.0,
            "nodes_modes": "BRANCH_LEQ" if is_split else "LEAF",
            "nodes_truenodeids": numbers[id(node["left_child"])] if is_split else 0,
            "nodes_falsenodeids": numbers[id(node["right_child"])] if is_split else 0,
        }
        if not is_split:
            row |= {"target_treeids": self.trees, "target_nodeids": number, "target_ids": 0, "target_weights": node["leaf_value"] * scale}
        for key, value in row.items():
            self.attributes[key].append(value)


def _rounded_down(threshold: float) -> float:
    """The largest float32 that is not above the threshold."""
    value = np.float32(threshold)
    return float(value if float(value) <= threshold else np.nextafter(value, np.float32(-np.inf)))
