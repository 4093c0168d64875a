"""LightGBM's trees -> ONNX: a TreeEnsembleRegressor a stage and a sigmoid; several models of a stage are averaged before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, checker, helper

if TYPE_CHECKING:
    import lightgbm as lgb
    from onnx import GraphProto, ModelProto

OPSET, OPSET_ML = 17, 3


def onnx_of_stages(first: list[lgb.Booster], second: list[lgb.Booster], columns: int, *, name: str) -> ModelProto:
    """One graph for two stages: inputs `features` float32 [rows, columns] and `second` (bool: which stage), output
    `probabilities` float32 [rows, 1].

    Each stage is the mean of its models' raw values and a sigmoid. Equal to LightGBM on float32 input: thresholds are
    rounded down to float32, so `x <= threshold` says the same for every float32 x. Features must not be NaN.
    """
    choice = helper.make_node("If", ["second"], ["raw"], then_branch=_branch(second, "second"), else_branch=_branch(first, "first"))
    graph = helper.make_graph(
        [choice, helper.make_node("Sigmoid", ["raw"], ["probabilities"])],
        name,
        [
            helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, columns]),
            helper.make_tensor_value_info("second", TensorProto.BOOL, []),
        ],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, 1])],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="webcontent", ir_version=8)
    checker.check_model(model)
    return model


def onnx_of_boosters(boosters: list[lgb.Booster], columns: int, *, name: str, raw: bool = False) -> ModelProto:
    """The graph of one stage: input `features` float32 [rows, columns], output `probabilities` float32 [rows, 1].

    `raw`: the output is `only_raw`, the trees' sum as it is.
    """
    trees = _branch(boosters, "only")
    output = trees.output[0].name if raw else "probabilities"
    graph = helper.make_graph(
        [*trees.node] if raw else [*trees.node, helper.make_node("Sigmoid", [trees.output[0].name], [output])],
        name,
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, columns])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, 1])],
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="webcontent", ir_version=8)
    checker.check_model(model)
    return model


def _branch(boosters: list[lgb.Booster], stage: str) -> GraphProto:
    """The trees of a stage; they read `features` of the graph around them."""
    table = _Table()
    for booster in boosters:
        for tree in booster.dump_model()["tree_info"]:
            table.add(tree["tree_structure"], scale=1 / len(boosters))
    output = f"{stage}_raw"
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        [output],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function="SUM",
        **table.attributes,  # type: ignore[arg-type]
    )
    return helper.make_graph([node], stage, [], [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None, 1])])


class _Table:
    """The attributes of the operator: a row a node, over all trees."""

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
        """Adds a tree; its leaves' values are scaled."""
        queue = [root]
        numbers = {id(root): 0}
        for node in queue:  # grows while it is read
            for child in (node.get("left_child"), node.get("right_child")):
                if child is not None:
                    numbers[id(child)] = len(queue)
                    queue.append(child)
        for number, node in enumerate(queue):
            self._add_node(node, number, numbers, scale)
        self.trees += 1

    def _add_node(self, node: dict[str, Any], number: int, numbers: dict[int, int], scale: float) -> None:
        split = "split_feature" in node
        row = {
            "nodes_treeids": self.trees,
            "nodes_nodeids": number,
            "nodes_featureids": node["split_feature"] if split else 0,
            "nodes_values": _rounded_down(node["threshold"]) if split else 0.0,
            "nodes_modes": "BRANCH_LEQ" if split else "LEAF",
            "nodes_truenodeids": numbers[id(node["left_child"])] if split else 0,
            "nodes_falsenodeids": numbers[id(node["right_child"])] if split else 0,
        }
        if not split:
            row |= {"target_treeids": self.trees, "target_nodeids": number, "target_ids": 0, "target_weights": node["leaf_value"] * scale}
        for key, value in row.items():
            self.attributes[key].append(value)


def _rounded_down(threshold: float) -> float:
    """The largest float32 that is not above the threshold."""
    value = np.float32(threshold)
    return float(value if float(value) <= threshold else np.nextafter(value, np.float32(-np.inf)))
