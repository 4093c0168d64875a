"""The page type networks and the loop that trains them (torch; training only)."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


class LeNet5(nn.Module):
    """LeNet-5 as in I-AWCE, section 1.2 and figure 4: 224 x 224 x 1 -> 6 kernels of 3 x 3, pooling before ReLU, 16 kernels, 46,656 ->
    120 -> 84 -> 2. Input 0 to 1; `mean` and `deviation` of the training pictures are part of the graph.

    Of a larger `size` only the first dense layer grows (193,600 numbers at 448 px, 1,849,600 at 1366). `by_picture`: each picture is
    brought to mean 0 and deviation 1 by itself, so that a dark page looks like a light one.
    """

    def __init__(self, size: int = 224, mean: float = 0.85, deviation: float = 0.25, *, by_picture: bool = False) -> None:
        super().__init__()
        self.mean, self.deviation, self.by_picture = mean, deviation, by_picture
        side = ((size - 2) // 2 - 2) // 2
        self.first = nn.Conv2d(1, 6, 3)
        self.second = nn.Conv2d(6, 16, 3)
        self.dense = nn.Linear(16 * side * side, 120)
        self.denser = nn.Linear(120, 84)
        self.last = nn.Linear(84, 2)

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        x = (picture - self.mean) / self.deviation
        if self.by_picture:
            x = picture - picture.mean((1, 2, 3), keepdim=True)
            x = x / (x.square().mean((1, 2, 3), keepdim=True).sqrt() + 0.05)
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


class LayoutNets(nn.Module):
    """The mean of what several LayoutNets say, each of which sees channels of its own: `seen`, by number."""

    def __init__(self, seen: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.seen = [list(channels) for channels in seen]
        self.members = nn.ModuleList(LayoutNet(len(channels)) for channels in self.seen)

    def forward(self, layout: torch.Tensor) -> torch.Tensor:
        said = [member(layout[:, channels]) for member, channels in zip(self.members, self.seen, strict=True)]
        logits: torch.Tensor = torch.stack(said).mean(0)
        return logits


class LayoutReader(nn.Module):
    """Reads the layout picture off the pixels: 8 x 8 px of a strip are a cell. Three convolutions of growing reach over the cells see the
    lines around it; all three are looked at, since a heading is told by its size, a link by its colour, a text by its lines."""

    def __init__(self, width: int = 32, channels: int = 5) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 24, 4, 4), nn.ReLU(), *_normed(24, 48, 2, stride=2), *_normed(48, width, 3, padding=1))
        self.wider = nn.Sequential(*_normed(width, width, 3, padding=2, dilation=2))
        self.widest = nn.Sequential(*_normed(width, width, 3, padding=4, dilation=4))
        self.last = nn.Conv2d(3 * width, channels, 1)

    def forward(self, colours: torch.Tensor) -> torch.Tensor:
        return self.look(colours - 0.5)

    def look(self, centred: torch.Tensor) -> torch.Tensor:
        near = self.stem(centred)
        wider = self.wider(near)
        layout: torch.Tensor = self.last(torch.cat([near, wider, self.widest(wider)], 1))
        return layout


def _normed(channels: int, out: int, kernel: int, **options: Any) -> list[nn.Module]:
    return [nn.Conv2d(channels, out, kernel, bias=False, **options), nn.BatchNorm2d(out), nn.ReLU()]


class PixelNet(nn.Module):
    """Article or list by pixels alone: a reader draws the layout picture as the browser's boxes would give it, a LayoutNet judges that.

    Input: uint8 [n, rows, columns, 3] (`webcontent.pagetype.screenshot.top_of_page`). `scale`: the spread of each channel of the layout,
    in which the reader answers.
    """

    reach = 7
    """Cells around a cell that the reader looks at: 1, 2 and 4, the reach of its three convolutions over cells."""

    scale: torch.Tensor

    def __init__(self, reader: LayoutReader, judge: nn.Module, scale: NDArray[np.float32]) -> None:
        super().__init__()
        self.reader, self.judge = reader, judge
        self.register_buffer("scale", torch.from_numpy(scale)[None, :, None, None])

    def forward(self, strips: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.judge(self.read(strips))
        return logits

    def read(self, strips: torch.Tensor) -> torch.Tensor:
        """Layout pictures: float32 [n, 5, rows / 8, columns / 8]."""
        layout: torch.Tensor = self.reader(strips.permute(0, 3, 1, 2).float() / 255) * self.scale
        return layout


class ShortPixelNet(nn.Module):
    """A trained PixelNet that gives for a strip cut off in the white below a page's end what it gives for the whole strip: what is read in
    white is known beforehand. `cells`: rows of cells of a whole strip, `columns`: its pixels across.

    The last `reach` rows of a short strip see its edge and count as white: so much white has to stand below the page.
    """

    white: torch.Tensor
    places: torch.Tensor

    def __init__(self, net: PixelNet, cells: int, columns: int) -> None:
        super().__init__()
        self.net, self.cells = copy.deepcopy(net).eval(), cells
        with torch.no_grad():
            white = self.net.read(torch.full((1, 8 * cells, columns, 3), 255, dtype=torch.uint8))
            first = self.net.reader.stem[0]  # takes bytes as they are: c / 255 - 0.5 becomes part of its weights
            assert isinstance(first, nn.Conv2d)
            assert first.bias is not None
            first.bias -= 0.5 * first.weight.sum((1, 2, 3))
            first.weight /= 255
        self.register_buffer("white", white)
        self.register_buffer("places", torch.arange(cells, dtype=torch.float32)[:, None])

    def forward(self, strips: torch.Tensor) -> torch.Tensor:
        read = self.net.reader.look(strips.permute(0, 3, 1, 2).float()) * self.net.scale
        count = torch.ones_like(read[0, 0, :, 0]).sum()  # a tensor, where a shape would be fixed in the graph
        known = torch.where(count < self.cells, count - self.net.reach, count)
        whole = nn.functional.pad(read, (0, 0, 0, self.cells - read.shape[2]))
        logits: torch.Tensor = self.net.judge(torch.where(self.places < known, whole, self.white))
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
    """How a network is trained: AdamW (Adam where `decay` is 0), cross entropy, with soft labels where `smoothing` is not 0."""

    epochs: int
    batch: int
    rate: float
    """The largest learning rate."""
    decay: float
    smoothing: float = 0.05
    course: str = "cycle"
    """Of the learning rate: one `cycle` over all steps, `constant`, or `ramp`: equations 2 and 3 of I-AWCE."""


START_RATE, MAX_RATE, MIN_RATE = 1e-5, 4e-4, 1e-5
RISING, STEADY, FALLING = 15, 0, 0.8
"""Epochs of the rise, epochs at the top, and the factor an epoch after it (I-AWCE, section 1.2)."""


def ramp_rate(epoch: int) -> float:
    """Learning rate of an epoch, counted from 0: I-AWCE, equation 2 up to epoch 14, equation 3 from epoch 15, where it is largest.

    Equation 3 is printed with the start rate in its difference and the least rate behind it; both are 1e-5.

    >>> [round(ramp_rate(epoch), 8) for epoch in (0, 14, 15, 16)]
    [1e-05, 0.000374, 0.0004, 0.000322]
    """
    if epoch < RISING:
        return (MAX_RATE - START_RATE) / RISING * epoch + START_RATE
    if epoch < RISING + STEADY:
        return MAX_RATE
    factor: float = FALLING ** (epoch - RISING - STEADY)
    return (MAX_RATE - START_RATE) * factor + MIN_RATE


def _course(optimizer: torch.optim.Optimizer, schedule: Schedule, steps: int) -> Any:
    """Sets the learning rate, step by step; `steps` an epoch. ValueError names an unknown course."""
    if schedule.course == "cycle":
        return torch.optim.lr_scheduler.OneCycleLR(optimizer, schedule.rate, total_steps=schedule.epochs * steps)
    if schedule.course == "constant":
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    if schedule.course == "ramp":
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: ramp_rate(step // steps) / schedule.rate)
    raise ValueError(f"{schedule.course!r} is no course of the learning rate; there are: constant, cycle, ramp.")


def fit(
    net: nn.Module,
    inputs: Any,
    labels: NDArray[np.int64],
    rows: NDArray[np.intp],
    schedule: Schedule,
    *,
    seed: int,
    fresh: bool = True,
    tested: NDArray[np.intp] | None = None,
    history: list[dict[str, float]] | None = None,
    checkpoint: Path | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> nn.Module:
    """Trains a network to classify, in place, on some rows and gives it back, ready for use.

    `inputs(rows, generator)` gives float32 [n, ...]; `labels` are 0 (list) and 1 (article). `fresh`: the weights are drawn anew; without,
    the network's own are where it starts. `history` gets an entry an epoch: `loss`, and with rows `tested`, which are not learned from,
    `tested_loss` and `tested_accuracy`. With a `checkpoint` the state after each epoch is kept there, and a run that was interrupted goes
    on behind it. `on_epoch` gets the epoch and its mean loss.
    """

    def lesson(chosen: NDArray[np.intp], generator: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.from_numpy(inputs(chosen, generator)), torch.from_numpy(labels[chosen])

    def loss(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(logits, wanted, label_smoothing=schedule.smoothing)

    def examine() -> dict[str, float]:
        return {} if tested is None or not len(tested) else _tested_figures(net, inputs, labels, tested)

    torch.manual_seed(seed)
    if fresh:
        _initialise(net)
    return train(net, lesson, loss, rows, schedule, seed=seed, examine=examine, history=history, checkpoint=checkpoint, on_epoch=on_epoch)


def train(
    net: nn.Module,
    lesson: Callable[[NDArray[np.intp], np.random.Generator], tuple[torch.Tensor, torch.Tensor]],
    criterion: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    rows: NDArray[np.intp],
    schedule: Schedule,
    *,
    seed: int,
    examine: Callable[[], dict[str, float]] | None = None,
    history: list[dict[str, float]] | None = None,
    checkpoint: Path | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> nn.Module:
    """The loop: `lesson` gives a batch's inputs and what is wanted of them, `criterion` the loss, `examine` more figures of an epoch."""
    history = [] if history is None else history
    optimizer = torch.optim.AdamW(net.parameters(), schedule.rate, weight_decay=schedule.decay)
    steps = max(1, -(-len(rows) // schedule.batch))
    rates = _course(optimizer, schedule, steps)
    parts: dict[str, Any] = {"net": net, "optimizer": optimizer, "rates": rates}
    first = _resume(checkpoint, parts, history)
    for epoch in range(first, schedule.epochs):
        generator = np.random.default_rng((seed, epoch))  # by epoch, so that a resumed run sees what an unbroken one sees
        torch.manual_seed(seed * 1000 + epoch)
        net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # a third faster, the same sums
        net.train()
        order, total = generator.permutation(rows), 0.0
        for start in range(0, len(order), schedule.batch):
            chosen = order[start : start + schedule.batch]
            given, wanted = lesson(chosen, generator)
            with torch.autocast("cpu", torch.bfloat16):
                answer = net(given.contiguous(memory_format=torch.channels_last) if given.ndim == 4 else given)
            loss = criterion(answer.float(), wanted)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            rates.step()
            total += loss.item() * len(chosen)
        if not np.isfinite(total):
            raise FloatingPointError(f"The loss of epoch {epoch + 1} is no number.")
        entry = {"loss": total / len(rows), **(examine() if examine else {})}
        history.append(entry)
        if checkpoint is not None:
            state = {name: part.state_dict() for name, part in parts.items()}
            torch.save({"epoch": epoch + 1, "history": list(history), **state}, checkpoint)
        if on_epoch is not None:
            on_epoch(epoch, entry["loss"])
    return net.eval()


def _initialise(net: nn.Module) -> None:
    """Draws the weights anew, so that they follow from the seed alone."""
    for module in net.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()  # type: ignore[operator]  # torch types it as a Tensor or a Module


def _resume(checkpoint: Path | None, parts: dict[str, Any], history: list[dict[str, float]]) -> int:
    """Loads what a checkpoint holds, in place, and gives the number of epochs that are done."""
    if checkpoint is None or not checkpoint.is_file():
        return 0
    state = torch.load(checkpoint, weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    history[:] = state["history"]
    return int(state["epoch"])


def _tested_figures(net: nn.Module, inputs: Any, labels: NDArray[np.int64], rows: NDArray[np.intp]) -> dict[str, float]:
    said = probabilities(net, inputs, rows)
    of_label = np.clip(said[np.arange(len(rows)), labels[rows]], 1e-6, 1)
    return {"tested_loss": float(-np.log(of_label).mean()), "tested_accuracy": float((said.argmax(axis=1) == labels[rows]).mean())}


@torch.no_grad()
def probabilities(net: nn.Module, inputs: Any, rows: NDArray[np.intp], batch: int = 64) -> NDArray[np.float32]:
    """Softmax of a network's answers: float32 [len(rows), 2]."""
    net.eval()
    parts = [torch.softmax(net(torch.from_numpy(inputs(rows[i : i + batch], None))), 1).numpy() for i in range(0, len(rows), batch)]
    return np.concatenate(parts) if parts else np.zeros((0, 2), np.float32)
