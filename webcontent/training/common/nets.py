"""How the torch networks of all models are trained: schedule, seeds and the loop over epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Rows = NDArray[np.intp]
    Inputs = Callable[[Rows, np.random.Generator | None], NDArray[Any]]
    """Rows of the samples -> inputs of the network. A generator is given in training, where inputs may vary."""
    Batch = tuple[torch.Tensor, torch.Tensor]

EPOCH_SEEDS = 1000
"""The seed of an epoch is the seed of the run times this, plus the number of the epoch."""


# ------------------------------------------------------------------------------------------------------------- schedule
@dataclass(frozen=True)
class Schedule:
    """How a network is trained: AdamW (Adam where `decay` is 0) and cross entropy, with soft labels where `smoothing` is not 0."""

    epochs: int
    batch: int
    rate: float
    """The largest learning rate."""
    decay: float
    smoothing: float = 0.05
    course: str = "cycle"
    """Of the learning rate: one `cycle` over all steps, `constant`, or `ramp`: equations 2 and 3 of I-AWCE."""


START_RATE, MAX_RATE, MIN_RATE = 1e-5, 4e-4, 1e-5
RISING, FALLING = 15, 0.8
"""Epochs of the rise, and the factor of each later epoch (I-AWCE, section 1.2)."""


def ramp_rate(epoch: int) -> float:
    """Learning rate of an epoch, counted from 0: I-AWCE, equation 2 up to epoch 14, equation 3 from epoch 15, where it is largest.

    Equation 3 is printed with the start rate in its difference and the least rate behind it; both are 1e-5.

    >>> [round(ramp_rate(epoch), 8) for epoch in (0, 14, 15, 16)]
    [1e-05, 0.000374, 0.0004, 0.000322]
    """
    if epoch < RISING:
        return (MAX_RATE - START_RATE) / RISING * epoch + START_RATE
    factor: float = FALLING ** (epoch - RISING)
    return (MAX_RATE - START_RATE) * factor + MIN_RATE


def rate_schedule(optimizer: torch.optim.Optimizer, schedule: Schedule, steps: int) -> torch.optim.lr_scheduler.LRScheduler:
    """Sets the learning rate, step by step; `steps`: of an epoch. ValueError names an unknown course."""
    if schedule.course == "cycle":
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, schedule.rate, total_steps=schedule.epochs * steps)
    if schedule.course == "constant":
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    if schedule.course == "ramp":
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: ramp_rate(step // steps) / schedule.rate)
    raise ValueError(f"The learning rate has no course {schedule.course!r}; there are: constant, cycle, ramp.")


# ----------------------------------------------------------------------------------------------------------------- loop
class Optimization:
    """A network with its optimizer and learning rate."""

    def __init__(self, net: nn.Module, optimizer: torch.optim.Optimizer, rates: torch.optim.lr_scheduler.LRScheduler) -> None:
        self.net, self.optimizer, self.rates = net, optimizer, rates

    def step(self, loss: torch.Tensor) -> float:
        """Changes the weights by the gradient of a loss; gives the value of the loss."""
        self.optimizer.zero_grad()
        torch.autograd.backward(loss)
        self.optimizer.step()
        self.rates.step()
        return float(loss.item())

    def run(self, epochs: int, train_epoch: Callable[[int], float], title: str = "") -> list[float]:
        """Calls `train_epoch` with the number of each epoch, below a progress bar; gives the mean loss of each epoch.

        FloatingPointError names the epoch whose loss is not finite.
        """
        losses: list[float] = []
        for epoch in tqdm(range(epochs), desc=title, unit="epoch", mininterval=10, disable=None):
            self.net.train()
            losses.append(train_epoch(epoch))
            if not np.isfinite(losses[-1]):
                raise FloatingPointError(f"The loss of epoch {epoch + 1} is not finite.")
        return losses


def epoch_generator(seed: int, epoch: int) -> np.random.Generator:
    """Seeds torch for an epoch and gives numpy's generator of it."""
    torch.manual_seed(seed * EPOCH_SEEDS + epoch)
    return np.random.default_rng((seed, epoch))


def train(
    net: nn.Module,
    batch: Callable[[Rows, np.random.Generator], Batch],
    criterion: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    rows: Rows,
    schedule: Schedule,
    *,
    seed: int,
    title: str = "",
) -> list[float]:
    """Trains a network in place; gives the mean loss of each epoch. `batch` gives the inputs and targets of some rows, `criterion` the
    loss."""
    steps = max(1, -(-len(rows) // schedule.batch))
    optimizer = torch.optim.AdamW(net.parameters(), schedule.rate, weight_decay=schedule.decay)
    optimization = Optimization(net, optimizer, rate_schedule(optimizer, schedule, steps))

    def train_epoch(epoch: int) -> float:
        generator = epoch_generator(seed, epoch)
        _use_channels_last(net)
        order, total = generator.permutation(rows), 0.0
        for start in range(0, len(order), schedule.batch):
            chosen = order[start : start + schedule.batch]
            inputs, targets = batch(chosen, generator)
            with torch.autocast("cpu", torch.bfloat16):
                outputs = net(inputs.contiguous(memory_format=torch.channels_last) if inputs.ndim == 4 else inputs)
            total += optimization.step(criterion(outputs.float(), targets)) * len(chosen)
        return total / len(rows)

    losses = optimization.run(schedule.epochs, train_epoch, title)
    net.eval()
    return losses


def _use_channels_last(net: nn.Module) -> None:
    """Changes the memory layout of a network's images, in place: a third faster, with the same results."""
    for parameter in net.parameters():
        if parameter.ndim == 4:
            parameter.data = parameter.data.to(parameter.dtype, memory_format=torch.channels_last)


# --------------------------------------------------------------------------------------------------------- classification
def train_classifier(
    net: nn.Module,
    inputs: Inputs,
    labels: NDArray[np.int64],
    rows: Rows,
    schedule: Schedule,
    *,
    seed: int,
    fresh: bool = True,
    title: str = "",
) -> list[float]:
    """Trains a network to classify, in place, on some rows; gives the mean loss of each epoch.

    `labels` are 0 (list) and 1 (article). `fresh`: the weights are initialized first; otherwise training starts from the network's own.
    """

    def batch(chosen: Rows, generator: np.random.Generator) -> Batch:
        return torch.from_numpy(inputs(chosen, generator)), torch.from_numpy(labels[chosen])

    def criterion(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(logits, targets, label_smoothing=schedule.smoothing)

    torch.manual_seed(seed)
    if fresh:
        _initialize(net)
    return train(net, batch, criterion, rows, schedule, seed=seed, title=title)


def _initialize(net: nn.Module) -> None:
    """Draws the weights again, so that they depend on the seed alone."""
    for module in net.modules():
        reset = getattr(module, "reset_parameters", None)
        if callable(reset):
            reset()


@torch.no_grad()
def probabilities(net: nn.Module, inputs: Inputs, rows: Rows, batch: int = 64) -> NDArray[np.float32]:
    """Softmax of the outputs of a network: float32 [len(rows), 2]."""
    net.eval()
    parts = [torch.softmax(net(torch.from_numpy(inputs(rows[i : i + batch], None))), 1).numpy() for i in range(0, len(rows), batch)]
    return np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)


class Probabilities(nn.Module):
    """A network with its softmax: what is exported."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.net(x), dim=1)
