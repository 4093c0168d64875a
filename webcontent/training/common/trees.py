"""LightGBM's gradient-boosted trees: mean raw scores of several models, and their ONNX graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
import onnx
from onnx import TensorProto, helper

from webcontent.training.common.export import make_graph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray
    from onnx import GraphProto, ModelProto, NodeProto


def fit_boosters(
    x: NDArray[np.float32], labels: NDArray[Any], weights: NDArray[np.float64], parameters: dict[str, Any], trees: int, seeds: Iterable[int]
) -> list[lgb.Booster]:
    """Models that differ in their seeds. `x`: [rows, features]."""
    return [lgb.train({**parameters, "seed": seed}, lgb.Dataset(x, labels, weight=weights), trees) for seed in seeds]


def mean_raw_scores(boosters: Sequence[lgb.Booster], x: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean of the raw scores of several models: float64 [rows]. The probability is the sigmoid of it."""
    return np.asarray(np.mean([booster.predict(x, raw_score=True, num_threads=1) for booster in boosters], axis=0), np.float64)


def onnx_of_stages(first: lgb.Booster, second: lgb.Booster, columns: int, *, name: str) -> ModelProto:
    """One graph for two stages: inputs `features` float32 [rows, columns] and `second` (bool: which stage), output
    `probabilities` float32 [rows, 1].

    Each stage is the sigmoid of the raw score of its model. The graph equals LightGBM on float32 input: thresholds are
    rounded down to float32, so that `x <= threshold` has the same result for every float32 x. Features must not be NaN.
    """
    choice = helper.make_node("If", ["second"], ["raw"], then_branch=_stage([second], "second"), else_branch=_stage([first], "first"))
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
    nodes: list[onnx.NodeProto] = []
    outputs: dict[str, list[int | None]] = {}
    for name, model in models.items():
        raw, classes = f"{name}/raw", len(model.classes_)
        if classes == 2:
            nodes += tree_nodes([model.booster_], "features", raw)
            nodes += [helper.make_node("Squeeze", [raw, "last"], [f"{name}/flat"]), helper.make_node("Sigmoid", [f"{name}/flat"], [name])]
        else:
            nodes += [*tree_nodes([model.booster_], "features", raw, classes), helper.make_node("Softmax", [raw], [name], axis=1)]
        outputs[name] = [None] if classes == 2 else [None, classes]
    return make_graph("gradient-boosted trees", nodes, {"features": [None, features]}, outputs, {"last": np.array([1], np.int64)})


def _stage(boosters: Sequence[lgb.Booster], stage: str) -> GraphProto:
    """The trees of a stage. They read `features` of the graph around them."""
    output = f"{stage}_raw"
    return helper.make_graph(
        tree_nodes(boosters, "features", output), stage, [], [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, 1])]
    )


def tree_nodes(boosters: Sequence[lgb.Booster], columns: str, output: str, classes: int = 1) -> list[NodeProto]:
    """The trees of several models as a node of a graph: `columns` float32 [rows, features] -> `output`, their mean raw score by class."""
    table = _TreeTable()
    for booster in boosters:
        for place, tree in enumerate(booster.dump_model()["tree_info"]):
            table.add(tree["tree_structure"], scale=1 / len(boosters), target=place % classes)
    attributes: dict[str, Any] = {"n_targets": classes, "aggregate_function": "SUM", **table.attributes}
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

    def add(self, root: dict[str, Any], *, scale: float, target: int) -> None:
        """Adds a tree that counts for a target. The values of its leaves are multiplied by `scale`."""
        queue = [root]
        numbers = {id(root): 0}
        for node in queue:  # the queue grows during the loop
            for child in (node.get("left_child"), node.get("right_child")):
                if child is not None:
                    numbers[id(child)] = len(queue)
                    queue.append(child)
        for number, node in enumerate(queue):
            self._add_node(node, number, numbers, scale, target)
        self.trees += 1

    def _add_node(self, node: dict[str, Any], number: int, numbers: dict[int, int], scale: float, target: int) -> None:
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
            row |= {"target_treeids": self.trees, "target_nodeids": number, "target_ids": target}
            row["target_weights"] = node["leaf_value"] * scale
        for key, value in row.items():
            self.attributes[key].append(value)


def _rounded_down(threshold: float) -> float:
    """The largest float32 that is not above the threshold."""
    value = np.float32(threshold)
    return float(value if float(value) <= threshold else np.nextafter(value, np.float32(-np.inf)))
