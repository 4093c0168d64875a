"""How Web2Text's networks are trained: on random patches of random pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tqdm import tqdm

from webcontent.extractors.web2text import BLOCK_FEATURES, EDGE_FEATURES
from webcontent.training.common.nets import Optimization, Progress
from webcontent.training.web2text.networks import Nets, loss_of
from webcontent.training.web2text.predictions import Counts
from webcontent.training.web2text.samples import CONTENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webcontent.training.web2text.samples import LeafSample
    from webcontent.training.web2text.settings import Settings

CHECK_STEPS = 100
"""Steps between two evaluations on the validation pages, and between two checkpoints."""
STEP_SEEDS = 1_000_003
"""The seed of a step is the seed of the run times this, plus the number of the step."""
WARMUP = 20
"""The learning rate rises over the first 1 / WARMUP of the steps."""


def fit(samples: Sequence[LeafSample], settings: Settings, path: Path, *, validation: Sequence[LeafSample] = (), label: str = "") -> Nets:
    """Networks trained on some pages. With validation pages the best state of each is kept: unary by F1, pairwise by accuracy.

    `path`: where the state is kept every CHECK_STEPS; an interrupted run continues from there, a finished one is loaded.
    """
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    nets = Nets(settings)
    if settings.columns > len(BLOCK_FEATURES):
        nets.scale(samples)
    optimizer = torch.optim.Adam(nets.parameters(), settings.rate, weight_decay=settings.decay)
    rates = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _cosine(step / settings.steps) if settings.falling else 1.0)
    best = BestStates()
    optimization = Optimization(nets, optimizer, rates, best=best)
    patches = Patches(samples, settings)

    def train_round(number: int) -> dict[str, float]:
        steps = range(number * CHECK_STEPS, min((number + 1) * CHECK_STEPS, settings.steps))
        total = 0.0
        for step in steps:
            torch.manual_seed(settings.seed * STEP_SEEDS + step)
            x, edges, mask, target, weight = patches(step)
            unary, pairs = nets(x, edges, mask)
            total += optimization.step(loss_of(unary, pairs, mask, target, weight))
        if validation:
            best.update(nets, validation)
        return {"loss": total / len(steps)}

    rounds = -(-settings.steps // CHECK_STEPS)
    with tqdm(total=rounds, desc=label, unit="round", mininterval=10, disable=None) as bar:

        def show(number: int, loss: float) -> None:
            bar.update(number + 1 - bar.n)

        optimization.run(rounds, train_round, Progress(path, on_epoch=show))
    best.restore(nets)
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


class BestStates:
    """The states of the networks that were best on the validation pages, and their metrics."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}
        self.states: dict[str, Any] = {}

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint stores."""
        return {"metrics": self.metrics, "states": self.states}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restores what a checkpoint stores."""
        self.metrics, self.states = state["metrics"], state["states"]

    def update(self, nets: Nets, validation: Sequence[LeafSample]) -> None:
        """Keeps the state of each network that is better than before."""
        for name, value in _validation_metrics(nets, validation).items():
            if name not in self.metrics or value > self.metrics[name]:
                self.metrics[name] = value
                self.states[name] = {key: part.clone() for key, part in getattr(nets, name).state_dict().items()}

    def restore(self, nets: Nets) -> None:
        """Loads the best states into the networks."""
        for name, state in self.states.items():
            getattr(nets, name).load_state_dict(state)


def _validation_metrics(nets: Nets, validation: Sequence[LeafSample]) -> dict[str, float]:
    """F1 of the unary network and accuracy of the pairwise one."""
    chosen, labels, right, pairs = [], [], 0, 0
    for sample in validation:
        unary, pairwise = nets.potentials(sample.x, sample.edges)
        label = sample.shares > CONTENT
        chosen.append(unary[:, 1] > unary[:, 0])
        labels.append(label)
        right += int((pairwise[:-1].argmax(1) == 2 * label[:-1] + label[1:]).sum())
        pairs += len(label) - 1
    return {"unary": Counts.of(np.concatenate(chosen), np.concatenate(labels)).f1, "pairwise": right / max(1, pairs)}
