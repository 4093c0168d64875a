"""The unary and the pairwise network of Web2Text, their loss, and their ONNX graph."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from webcontent.extractors.web2text.features import BLOCK_FEATURES, EDGE_FEATURES
from webcontent.training.common.nets import Optimization
from webcontent.training.web2text.samples import CONTENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from webcontent.training.web2text.samples import LeafSample
    from webcontent.training.web2text.settings import Settings

LEAST_VARIANCE = 1e-4
"""Of a feature that is scaled."""
CHECK_STEPS = 100
"""Steps between two reports of the loss."""
STEP_SEEDS = 1_000_003
"""The seed of a step is the seed of the run times this, plus the number of the step."""
WARMUP = 20
"""The learning rate rises over the first 1 / WARMUP of the steps."""


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
        unary, pairs = OnePage(self).eval()(*(torch.from_numpy(part.astype(np.float32)) for part in (x[:, : self.columns], edges)))
        return unary.numpy().copy(), pairs.numpy().copy()


def loss_of(unary: torch.Tensor, pairs: torch.Tensor, mask: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Cross entropy of both networks (section 3.4): the mean over leaves and over pairs of leaves in the same patch."""
    labels = torch.stack((1 - target, target), 1)
    of_leaves = -(labels * unary).sum(1) * weight
    pair_labels = (labels[:, :, None, :-1] * labels[:, None, :, 1:]).flatten(1, 2)  # (0, 0), (0, 1), (1, 0), (1, 1)
    is_pair = mask[:, 0, 1:]
    of_pairs = -(pair_labels * pairs[:, :, :-1]).sum(1) * is_pair * (weight[:, 1:] + weight[:, :-1]) / 2
    return of_leaves.mean() + of_pairs.sum() / is_pair.sum().clamp(min=1)


class OnePage(nn.Module):
    """What is exported: [leaves, features] and [leaves, EDGE_FEATURES] of a page -> log probabilities [leaves, 2] and [leaves, 4]."""

    def __init__(self, nets: Nets) -> None:
        super().__init__()
        self.nets = nets

    def forward(self, blocks: torch.Tensor, edges: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        unary, pairs = self.nets(blocks.T[None], edges.T[None])
        return unary[0].T, pairs[0].T


def fit(samples: Sequence[LeafSample], settings: Settings, *, label: str = "", on_check: Callable[[Nets], None] | None = None) -> Nets:
    """Networks trained on some pages. `on_check` gets the networks every CHECK_STEPS."""
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    nets = Nets(settings)
    if settings.columns > len(BLOCK_FEATURES):
        nets.scale(samples)
    optimizer = torch.optim.Adam(nets.parameters(), settings.rate, weight_decay=settings.decay)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _cosine(step / settings.steps) if settings.falling else 1.0)
    optimization = Optimization(nets, optimizer, rates)
    patches = Patches(samples, settings)

    def train_round(number: int) -> float:
        steps = range(number * CHECK_STEPS, min((number + 1) * CHECK_STEPS, settings.steps))
        total = 0.0
        for step in steps:
            torch.manual_seed(settings.seed * STEP_SEEDS + step)
            x, edges, mask, target, weight = patches(step)
            unary, pairs = nets(x, edges, mask)
            total += optimization.step(loss_of(unary, pairs, mask, target, weight))
        if on_check is not None:
            on_check(nets)
        return total / len(steps)

    optimization.run(-(-settings.steps // CHECK_STEPS), train_round, label)
    return nets.eval()


def _cosine(share: float) -> float:
    """Factor of the learning rate: it rises at first, then falls to 0."""
    return min(1.0, share * WARMUP) * (1 + float(np.cos(np.pi * share))) / 2


class Patches:
    """Random patches of neighbouring leaves of some pages, with their targets."""

    def __init__(self, samples: Sequence[LeafSample], settings: Settings) -> None:
        self.samples, self.settings = samples, settings
        weights = np.array([settings.weights.get(sample.corpus, 1.0) for sample in samples])
        self.probabilities = weights / weights.sum()

    def __call__(self, step: int) -> tuple[torch.Tensor, ...]:
        """Features, edges, mask, targets and weights of a step; the same for every call with this step."""
        settings, random = self.settings, np.random.default_rng((self.settings.seed, step))
        n, length = settings.batch, settings.patch
        x = np.zeros((n, length, settings.columns), np.float32)
        edges = np.zeros((n, length, len(EDGE_FEATURES)), np.float32)
        mask, target, weight = (np.zeros((n, length), np.float32) for _ in range(3))
        for row, place in enumerate(random.choice(len(self.samples), n, p=self.probabilities).tolist()):
            sample = self.samples[place]
            count = len(sample.shares)
            start = int(random.integers(0, max(1, count - length + 1)))
            size = min(length, count - start)
            part = slice(start, start + size)
            x[row, :size], edges[row, :size] = sample.x[part, : settings.columns], sample.edges[part]
            mask[row, :size] = 1
            target[row, :size] = sample.shares[part] if settings.soft else sample.shares[part] > CONTENT
            weight[row, :size] = np.sqrt(np.maximum(1, sample.leaf_words[part])) if settings.by_words else 1
        arrays = (x.transpose(0, 2, 1), edges.transpose(0, 2, 1), mask[:, None], target, weight / weight.mean())
        return tuple(torch.from_numpy(np.ascontiguousarray(array)) for array in arrays)
