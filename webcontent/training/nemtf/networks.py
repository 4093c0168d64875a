"""The networks of NEMTF and the loop that trains them (torch; training only)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from webcontent.document.lines import byte_sizes
from webcontent.extractors.nemtf import FIRST, LABELS, LAST, LENGTHS, NOISE, POSITIONS, TEXT_FEATURES, WRITING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.lines import Sample

WORDS = FIRST + LAST
_WRITING, _POSITION = slice(WORDS, WORDS + len(WRITING)), WORDS + len(WRITING)


@dataclass(frozen=True, slots=True)
class Form:
    """What a network is made of. The default is the shipped one; `PLAIN` is the paper's."""

    parts: str = "WSL"
    """Features: W writing, S semantic, L position."""
    kernels: tuple[int, ...] = (1, 2, 3, 4, 5)
    filters: int = 8
    """Of each kernel."""
    word_size: int = 16
    table_size: int = 12
    """Numbers for a length and for a position."""
    hidden: int = 64
    dropout: float = 0.25
    figures: bool = True
    dilations: tuple[int, ...] = (1, 2, 4, 8)
    """Of the convolutions over the page's lines; empty: each line is judged alone."""


PLAIN = Form(figures=False, dilations=(), dropout=0.5)


class LineNet(nn.Module):
    """Features of lines, float32 [pages, lines, len(FEATURES)] -> logits [pages, lines, len(LABELS)].

    en = [ew; ep; es] of the paper (equations 1 and 2), a dense layer, then residual convolutions over the lines where the form has some,
    and half way what the page as a whole is like.
    """

    def __init__(self, words: int, form: Form) -> None:
        super().__init__()
        self.form = form
        widest, size = max(form.kernels), 0
        if "S" in form.parts:
            self.word_table = nn.Embedding(words, form.word_size, padding_idx=0)
            self.over_words = nn.Conv1d(form.word_size, form.filters * len(form.kernels), widest, padding=widest // 2)
            narrow = torch.zeros(len(form.kernels), widest)
            for place, kernel in enumerate(form.kernels):
                narrow[place, (widest - kernel + 1) // 2 :][:kernel] = 1
            self.register_buffer("narrow", narrow.repeat_interleave(form.filters, 0)[:, None], persistent=False)
            size += form.filters * len(form.kernels)
        if "W" in form.parts:
            self.length_tables = nn.ModuleList([nn.Embedding(LENGTHS, form.table_size) for _ in WRITING])
            size += len(WRITING) * form.table_size
        if "L" in form.parts:
            self.position_table = nn.Embedding(POSITIONS, form.table_size)
            size += form.table_size
        self.dense = nn.Linear(size + len(TEXT_FEATURES) * form.figures, form.hidden)
        self.dropout = nn.Dropout(form.dropout)
        self.over_lines = nn.ModuleList([nn.Conv1d(form.hidden, form.hidden, 3, padding=step, dilation=step) for step in form.dilations])
        self.over_page = nn.Linear(2 * form.hidden, form.hidden) if form.dilations else None
        self.last = nn.Linear(form.hidden, len(LABELS))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """`mask`: float32 [pages, lines, 1], 0 for lines that only fill up."""
        line = self.dropout(torch.relu(self.dense(torch.cat(self._parts(x), 2))))
        for place, layer in enumerate(self.over_lines):
            if place == len(self.over_lines) // 2:
                line = line + self._page(line, mask)
            line = line if mask is None else line * mask
            line = line + self.dropout(torch.relu(layer(line.transpose(1, 2)).transpose(1, 2)))
        logits: torch.Tensor = self.last(line)
        return logits

    def _page(self, line: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """What the page is like, from mean and maximum over its lines: the same for each of them, float32 [pages, 1, hidden]."""
        assert self.over_page is not None
        mask = torch.ones_like(line[:, :, :1]) if mask is None else mask
        mean = (line * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True)
        largest = (line * mask).amax(1, keepdim=True)  # they are not negative
        return torch.relu(self.over_page(torch.cat((mean, largest), 2)))

    def _parts(self, x: torch.Tensor) -> list[torch.Tensor]:
        found = []
        if "W" in self.form.parts:
            rows = x[:, :, _WRITING].long()
            found += [table(rows[:, :, i]) for i, table in enumerate(self.length_tables)]
        if "L" in self.form.parts:
            found.append(self.position_table(x[:, :, _POSITION].long()))
        if "S" in self.form.parts:
            pages, lines = x.shape[0], x.shape[1]
            words = self.word_table(x[:, :, :WORDS].long().reshape(pages * lines, WORDS))
            narrow = cast("torch.Tensor", self.narrow)
            weight = self.over_words.weight * narrow  # a kernel of k words is one of the widest with zeros at its ends
            folded = functional.conv1d(words.transpose(1, 2), weight, self.over_words.bias, padding=weight.shape[2] // 2)
            found.append(torch.relu(folded.amax(2)).reshape(pages, lines, -1))
        if self.form.figures:
            found.append(x[:, :, _POSITION + 1 :])
        return found


class OnePage(nn.Module):
    """What is exported: the lines of one page -> probabilities, float32 [lines, len(LABELS)]; the mean of what several networks say."""

    def __init__(self, nets: Sequence[LineNet]) -> None:
        super().__init__()
        self.nets = nn.ModuleList(nets)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        said = [torch.softmax(net(features[None])[0], dim=1) for net in self.nets]
        return torch.stack(said).mean(dim=0)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a network is trained: AdamW, one cycle of the learning rate, running mean of the weights."""

    epochs: int = 7
    pages: int = 4
    """Of a batch."""
    lines: int = 256
    """A longer page is cut to so many that follow each other, elsewhere in each round."""
    rate: float = 5e-3
    decay: float = 0.01
    mean: float = 0.998
    """How much of the mean of the weights stays at each step."""
    rare: float = 3.0
    """Weight of lines that hold a title, time, source or related story."""
    forget: float = 0.2
    """Share of words that are taken away at random."""
    silent: float = 0.1
    """Share of pages whose words are taken away altogether."""
    thin: float = 0.3
    """Share of noise lines that are taken away at most."""
    doubt: float = 0.1
    """How much a line that the gold does not speak of may be a field of which the gold says nothing, against being noise."""


def fit(
    net: LineNet,
    samples: Sequence[Sample],
    inputs: Sequence[NDArray[np.float32]],
    schedule: Schedule,
    *,
    draws: NDArray[np.float64],
    seed: int,
    checkpoint: Path | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> LineNet:
    """Trains a network in place and gives it back, ready for use.

    `inputs`: features of each sample; `draws`: how often a sample is drawn in a round, on average.
    With a `checkpoint` the state after each round is kept there, and a run that was interrupted goes on behind it.
    """
    optimizer = torch.optim.AdamW(net.parameters(), schedule.rate, weight_decay=schedule.decay)
    steps = -(-max(1, round(draws.sum())) // schedule.pages)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, schedule.rate, total_steps=schedule.epochs * steps)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=partial(_mean_of_weights, kept=schedule.mean))
    parts: dict[str, Any] = {"net": net, "optimizer": optimizer, "rates": rates, "mean": mean}
    weights = [line_weights(sample) for sample in samples]
    first = _resume(checkpoint, parts)
    for epoch in range(first, schedule.epochs):
        random = np.random.default_rng((seed, epoch))  # by round, so that a resumed run sees what an unbroken one sees
        torch.manual_seed(seed * 1000 + epoch)
        net.train()
        total = 0.0
        pages = [(samples[i], inputs[i], weights[i]) for i in draw(draws, random)]
        for x, mask, targets, each, noise in _iter_batches(pages, schedule, random):
            loss = _loss(net, x, mask, targets, each, noise, schedule.rare)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            rates.step()
            mean.update_parameters(net)
            total += loss.item() / steps
        if checkpoint is not None:
            torch.save({"epoch": epoch + 1, **{name: part.state_dict() for name, part in parts.items()}}, checkpoint)
        if on_epoch is not None:
            on_epoch(epoch, total)
    net.load_state_dict(mean.module.state_dict())
    return net.eval()


def _mean_of_weights(mean: torch.Tensor, own: torch.Tensor, count: torch.Tensor | int, kept: float) -> torch.Tensor:
    """Running mean; of the first steps little is kept."""
    return mean + (own - mean) * max(1 - kept, 1 / (1 + int(count) / 10))


def line_weights(sample: Sample) -> NDArray[np.float32]:
    """How much each line counts: the judge counts words, so long lines more."""
    result: NDArray[np.float32] = sample.weights * np.clip(np.sqrt(byte_sizes(sample.texts) / 60), 0.5, 3).astype(np.float32)
    return result


def draw(draws: NDArray[np.float64], random: np.random.Generator) -> list[int]:
    """Places that are drawn in a round, each as often as `draws` says on average; always as many in all."""
    sums = np.cumsum(draws)
    count = max(1, round(sums[-1]))
    picked = np.searchsorted(sums, (np.arange(count) + random.random()) * sums[-1] / count, side="right")
    places: list[int] = np.minimum(picked, len(draws) - 1).tolist()
    return places


def _resume(checkpoint: Path | None, parts: dict[str, Any]) -> int:
    """Loads what a checkpoint holds and gives the number of rounds that are done."""
    if checkpoint is None or not checkpoint.is_file():
        return 0
    state = torch.load(checkpoint, weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(state[name])
    return int(state["epoch"])


def _iter_batches(
    drawn: Sequence[tuple[Sample, NDArray[np.float32], NDArray[np.float32]]], schedule: Schedule, random: np.random.Generator
) -> Iterator[tuple[torch.Tensor, ...]]:
    """Pages of like length together, in random order: features, mask, targets, weights, log share of each label in noise."""
    taken = [_rows_taken(sample, schedule, random) for sample, _, _ in drawn]
    length = np.array([len(rows) for rows in taken]) * random.uniform(0.85, 1.2, len(drawn))
    groups = np.array_split(np.argsort(length), -(-len(drawn) // schedule.pages))
    for place in random.permutation(len(groups)).tolist():
        own = groups[place].tolist()
        longest = max(len(taken[i]) for i in own)
        x = np.zeros((len(own), longest, drawn[0][1].shape[1]), np.float32)
        mask, weights = np.zeros((len(own), longest, 1), np.float32), np.zeros((len(own), longest), np.float32)
        targets, noise = np.zeros((len(own), longest, len(LABELS)), np.float32), np.full((len(own), len(LABELS)), 1e-9, np.float32)
        for row, i in enumerate(own):
            (sample, figures, each), rows = drawn[i], taken[i]
            count = len(rows)
            x[row, :count], targets[row, :count] = figures[rows], sample.targets[rows]
            weights[row, :count], mask[row, :count] = each[rows], 1
            noise[row, list(sample.unknown)] = schedule.doubt
        noise[:, NOISE] = 1
        x[:, :, :WORDS] *= random.random((*x.shape[:2], WORDS)) >= schedule.forget
        x[:, :, :WORDS] *= random.random((len(own), 1, 1)) >= schedule.silent
        moved = x[:, :, _POSITION] * random.uniform(0.6, 1.5, (len(own), 1)) + random.integers(0, 12, (len(own), 1))
        x[:, :, _POSITION] = np.minimum(moved.astype(np.int64), POSITIONS - 1)  # as if the menu were shorter or longer
        yield tuple(map(torch.from_numpy, (x, mask, targets, weights, np.log(noise))))


def _rows_taken(sample: Sample, schedule: Schedule, random: np.random.Generator) -> NDArray[np.int64]:
    """Lines of a page that are learned from this time: now and then less noise, of long pages a part, mostly one with something in it."""
    is_noise = sample.targets[:, NOISE] > 0.9
    keep = np.ones(len(sample), np.bool_)
    if random.random() < 0.3:
        keep &= ~is_noise | (random.random(len(sample)) >= random.random() * schedule.thin)
    wanted = np.flatnonzero(~is_noise)
    if len(wanted):
        if random.random() < 0.25:  # a page that begins later ...
            keep[: int(random.integers(wanted[0] + 1))] = False
        if random.random() < 0.25:  # ... or ends sooner
            keep[int(random.integers(wanted[-1] + 1, len(sample) + 1)) :] = False
    rows = np.flatnonzero(keep)
    if len(rows) <= schedule.lines:
        return rows
    wanted = np.flatnonzero(~is_noise[rows])
    if len(wanted) and random.random() < 0.7:
        start = int(random.choice(wanted)) - int(random.integers(schedule.lines))
    else:
        start = int(random.integers(len(rows)))
    start = max(0, min(start, len(rows) - schedule.lines))
    return rows[start : start + schedule.lines]


def _loss(
    net: LineNet, x: torch.Tensor, mask: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor, noise: torch.Tensor, rare: float
) -> torch.Tensor:
    """Cross entropy with soft targets; where the gold does not speak of a label, noise may be that label too."""
    chances = functional.log_softmax(net(x, mask), 2)
    unsaid = torch.logsumexp(chances + noise[:, None], 2)
    entropy = -(targets[:, :, 1:] * chances[:, :, 1:]).sum(2) - targets[:, :, NOISE] * unsaid
    weights = weights * (1 + (rare - 1) * targets[:, :, 2:].sum(2))
    return (entropy * weights).sum() / weights.sum().clamp(min=1)


@torch.no_grad()
def probabilities(nets: Sequence[LineNet], x: NDArray[np.float32]) -> NDArray[np.float32]:
    """What networks say of a page's lines: float32 [lines, len(LABELS)]."""
    found: NDArray[np.float32] = OnePage(nets).eval()(torch.from_numpy(x)).numpy()
    return found
