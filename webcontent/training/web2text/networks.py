"""The unary and the pairwise network of Web2Text, their loss, and their ONNX graph."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from webcontent.extractors.web2text import BLOCK_FEATURES, EDGE_FEATURES
from webcontent.training.common.export import OPSET, checked_graph

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnx
    from numpy.typing import NDArray

    from webcontent.training.web2text.samples import LeafSample
    from webcontent.training.web2text.settings import Settings

LEAST_VARIANCE = 1e-4
"""Of a feature that is scaled."""


class SequenceNet(nn.Module):
    """Convolutions over a sequence of leaves with ReLU between them. Dropout is of the weights, as in the authors' code."""

    def __init__(self, settings: Settings, inputs: int, outputs: int) -> None:
        super().__init__()
        sizes = [inputs, *settings.widths, outputs]
        self.dropout = settings.dropout
        self.layers = [
            nn.Conv1d(before, after, kernel, padding=dilation * (kernel // 2), dilation=dilation)
            for (before, after), kernel, dilation in zip(pairwise(sizes), settings.kernels, settings.dilations, strict=True)
        ]
        self.stack = nn.ModuleList(self.layers)  # registers them with torch
        for layer in self.layers:
            nn.init.trunc_normal_(layer.weight, std=settings.spread or (2 / layer.weight[0].numel()) ** 0.5)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """[n, inputs, leaves] -> log probabilities [n, outputs, leaves]; `mask` [n, 1, leaves] is 0 after the end of a page."""
        for place, layer in enumerate(self.layers):
            weight = nn.functional.dropout(layer.weight, self.dropout, self.training)
            x = nn.functional.conv1d(x, weight, layer.bias, padding=int(layer.padding[0]), dilation=layer.dilation)
            if place < len(self.layers) - 1:
                x = torch.relu(x)
                x = x if mask is None else x * mask
        return torch.log_softmax(x, dim=1)


class Nets(nn.Module):
    """The unary and the pairwise network."""

    mean: torch.Tensor
    deviation: torch.Tensor
    """Of the block features on the training pages; 0 and 1 for the paper's features, which its authors' constants scale."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.columns = settings.columns
        self.register_buffer("mean", torch.zeros(settings.columns))
        self.register_buffer("deviation", torch.ones(settings.columns))
        self.unary = SequenceNet(settings, settings.columns, 2)
        self.pairwise = SequenceNet(settings, len(EDGE_FEATURES), 4)

    def forward(self, x: torch.Tensor, edges: torch.Tensor, mask: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Log probabilities of both networks."""
        return self.unary((x - self.mean[:, None]) / self.deviation[:, None], mask), self.pairwise(edges, mask)

    def scale(self, samples: Sequence[LeafSample]) -> None:
        """Sets mean and deviation of our own features to those of some pages. Each page counts the same."""
        own = slice(len(BLOCK_FEATURES), self.columns)
        mean = np.mean([s.x[:, own].mean(0, dtype=np.float64) for s in samples], axis=0)
        square = np.mean([(s.x[:, own].astype(np.float32) ** 2).mean(0, dtype=np.float64) for s in samples], axis=0)
        self.mean[own] = torch.from_numpy(mean).float()
        self.deviation[own] = torch.from_numpy(np.sqrt(np.maximum(LEAST_VARIANCE, square - mean**2))).float()

    @torch.no_grad()
    def potentials(self, x: NDArray[Any], edges: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Log probabilities for one page: float32 [leaves, 2] and [leaves, 4]."""
        self.eval()
        inputs = (torch.from_numpy(part.astype(np.float32).T[None].copy()) for part in (x[:, : self.columns], edges))
        unary, pairs = self(*inputs)
        return unary[0].T.numpy().copy(), pairs[0].T.numpy().copy()


def loss_of(unary: torch.Tensor, pairs: torch.Tensor, mask: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Cross entropy of both networks (section 3.4): the mean over leaves and over pairs of leaves in the same patch."""
    labels = torch.stack((1 - target, target), 1)
    of_leaves = -(labels * unary).sum(1) * weight
    pair_labels = (labels[:, :, None, :-1] * labels[:, None, :, 1:]).flatten(1, 2)  # (0, 0), (0, 1), (1, 0), (1, 1)
    is_pair = mask[:, 0, 1:]
    of_pairs = -(pair_labels * pairs[:, :, :-1]).sum(1) * is_pair * (weight[:, 1:] + weight[:, :-1]) / 2
    return of_leaves.mean() + of_pairs.sum() / is_pair.sum().clamp(min=1)


# --------------------------------------------------------------------------------------------------------------- graph
def graph_of(nets: Nets) -> onnx.ModelProto:
    """Both networks as one graph: `blocks` [leaves, features] and `edges` [leaves, EDGE_FEATURES] -> log probabilities `unary`
    [leaves, 2] and `pairwise` [leaves, 4]."""
    parts = (_nodes_of("blocks/scaled", "unary", nets.unary), _nodes_of("edges", "pairwise", nets.pairwise))
    scale = [numpy_helper.from_array(getattr(nets, name).numpy(), f"blocks/{name}") for name in ("mean", "deviation")]
    nodes = [
        helper.make_node("Sub", ["blocks", "blocks/mean"], ["blocks/shifted"]),
        helper.make_node("Div", ["blocks/shifted", "blocks/deviation"], ["blocks/scaled"]),
        *(node for part in parts for node in part[0]),
    ]
    weights = [*scale, *(weight for part in parts for weight in part[1])]
    sizes = {"blocks": nets.columns, "edges": len(EDGE_FEATURES), "unary": 2, "pairwise": 4}
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["leaves", size]) for name, size in sizes.items()}
    graph = helper.make_graph(nodes, "web2text", [values["blocks"], values["edges"]], [values["unary"], values["pairwise"]], weights)
    return checked_graph(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)]))


def _nodes_of(source: str, target: str, net: SequenceNet) -> tuple[list[Any], list[Any]]:
    """Nodes and weights of one network."""
    axis = numpy_helper.from_array(np.array([0], np.int64), f"{target}/axis")
    nodes = [
        helper.make_node("Transpose", [source], [f"{target}/turned"], perm=[1, 0]),
        helper.make_node("Unsqueeze", [f"{target}/turned", axis.name], [f"{target}/0"]),
    ]
    weights = [axis]
    last = len(net.layers) - 1
    for place, layer in enumerate(net.layers):
        assert layer.bias is not None
        names = [f"{target}/{place}/weight", f"{target}/{place}/bias"]
        for name, tensor in zip(names, (layer.weight, layer.bias), strict=True):
            weights.append(numpy_helper.from_array(tensor.detach().numpy(), name))
        output = f"{target}/{place + 1}" if place == last else f"{target}/{place}/linear"
        pads = [int(layer.padding[0])] * 2
        nodes.append(helper.make_node("Conv", [f"{target}/{place}", *names], [output], pads=pads, dilations=list(layer.dilation)))
        if place < last:
            nodes.append(helper.make_node("Relu", [output], [f"{target}/{place + 1}"]))
    nodes += [
        helper.make_node("Squeeze", [f"{target}/{last + 1}", axis.name], [f"{target}/flat"]),
        helper.make_node("Transpose", [f"{target}/flat"], [f"{target}/leaves"], perm=[1, 0]),
        helper.make_node("LogSoftmax", [f"{target}/leaves"], [target], axis=1),
    ]
    return nodes, weights
