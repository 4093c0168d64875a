"""The page type networks and the loop that trains them (torch; training only)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray


class LeNet5(nn.Module):
    """LeNet-5 as in I-AWCE, section 1.2 and figure 4: 224 x 224 x 1 -> 6 kernels of 3 x 3, pooling before ReLU, 16 kernels, 46,656 ->
    120 -> 84 -> 2. Input 0 to 1; `mean` and `deviation` of the training pictures are part of the graph."""

    size = 224

    def __init__(self, mean: float = 0.85, deviation: float = 0.25) -> None:
        super().__init__()
        self.mean, self.deviation = mean, deviation
        self.first = nn.Conv2d(1, 6, 3)
        self.second = nn.Conv2d(6, 16, 3)
        self.dense = nn.Linear(46_656, 120)
        self.denser = nn.Linear(120, 84)
        self.last = nn.Linear(84, 2)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        x = (picture - self.mean) / self.deviation
        x = torch.relu(nn.functional.max_pool2d(self.first(x), 2))
        x = torch.relu(nn.functional.max_pool2d(self.second(x), 2))
        x = torch.relu(self.denser(torch.relu(self.dense(x.flatten(1)))))
        logits: torch.Tensor = self.last(x)
        return logits


class LayoutNet(nn.Module):
    """Six convolutions over the layout picture, then mean and maximum over the page."""

    widths = (16, 24, 32, 48, 64, 64)

    def __init__(self, channels: int = 5) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for depth, width in enumerate(self.widths):
            layers += [nn.Conv2d(channels, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            layers += [nn.MaxPool2d(2)] if depth < 4 else []
            channels = width
        self.features = nn.Sequential(*layers)
        self.dropout = nn.Dropout(0.3)
        self.last = nn.Linear(2 * channels, 2)

    def forward(self, layout: torch.Tensor) -> torch.Tensor:
        x = self.features(layout)
        logits: torch.Tensor = self.last(self.dropout(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)))
        return logits


class Probabilities(nn.Module):
    """A network with its softmax: what is exported."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(self.net(x), dim=1)


@dataclass(frozen=True)
class Schedule:
    """How a network is trained: AdamW, one cycle of the learning rate, cross entropy with soft labels."""

    epochs: int
    batch: int
    rate: float
    decay: float
    smoothing: float = 0.05


def fit(
    net: nn.Module,
    inputs: Any,
    labels: NDArray[np.int64],
    rows: NDArray[np.intp],
    schedule: Schedule,
    *,
    seed: int,
    checkpoint: Path | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> nn.Module:
    """Trains a network in place on some rows and gives it back, ready for use.

    `inputs(rows, generator)` gives float32 [n, ...]; `labels` are 0 (list) and 1 (article). With a `checkpoint` the state after each
    epoch is kept there, and a run that was interrupted goes on behind it. `on_epoch` gets the epoch and its mean loss.
    """
    torch.manual_seed(seed)
    _initialise(net)
    optimizer = torch.optim.AdamW(net.parameters(), schedule.rate, weight_decay=schedule.decay)
    steps = max(1, -(-len(rows) // schedule.batch))
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, schedule.rate, total_steps=schedule.epochs * steps)
    parts: dict[str, Any] = {"net": net, "optimizer": optimizer, "rates": rates}
    first = _resume(checkpoint, parts)
    for epoch in range(first, schedule.epochs):
        generator = np.random.default_rng((seed, epoch))  # by epoch, so that a resumed run sees what an unbroken one sees
        torch.manual_seed(seed * 1000 + epoch)
        net.train()
        order, total = generator.permutation(rows), 0.0
        for start in range(0, len(order), schedule.batch):
            chosen = order[start : start + schedule.batch]
            with torch.autocast("cpu", torch.bfloat16):
                logits = net(torch.from_numpy(inputs(chosen, generator)))
            loss = nn.functional.cross_entropy(logits.float(), torch.from_numpy(labels[chosen]), label_smoothing=schedule.smoothing)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            rates.step()
            total += loss.item() * len(chosen)
        if checkpoint is not None:
            torch.save({"epoch": epoch + 1, **{name: part.state_dict() for name, part in parts.items()}}, checkpoint)
        if on_epoch is not None:
            on_epoch(epoch, total / len(rows))
    return net.eval()


def _initialise(net: nn.Module) -> None:
    """Draws the weights anew, so that they follow from the seed alone."""
    for module in net.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()  # type: ignore[operator]  # torch types it as a Tensor or a Module


def _resume(checkpoint: Path | None, parts: dict[str, Any]) -> int:
    """Loads what a checkpoint holds and gives the number of epochs that are done."""
    if checkpoint is None or not checkpoint.is_file():
        return 0
    state = torch.load(checkpoint, weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    return int(state["epoch"])


@torch.no_grad()
def probabilities(net: nn.Module, inputs: Any, rows: NDArray[np.intp], batch: int = 64) -> NDArray[np.float32]:
    """Softmax of a network's answers: float32 [len(rows), 2]."""
    net.eval()
    parts = [torch.softmax(net(torch.from_numpy(inputs(rows[i : i + batch], None))), 1).numpy() for i in range(0, len(rows), batch)]
    return np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)
