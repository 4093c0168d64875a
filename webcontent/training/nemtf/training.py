"""How NEMTF's networks are trained: batches of pages, soft labels, a running mean of the weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from webcontent.extractors.lines import byte_sizes
from webcontent.extractors.nemtf.extractor import MODEL
from webcontent.extractors.nemtf.features import LABELS, NOISE, POSITIONS, Vocabulary, features
from webcontent.training.common.export import RegistryWith, UnsavedModel
from webcontent.training.common.metrics import UNCORRECTED
from webcontent.training.common.nets import Optimization, epoch_generator
from webcontent.training.nemtf.networks import POSITION, WORDS, LineNet, learn_words, line_probabilities, word_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.training.common.lines import LineSample
    from webcontent.training.nemtf.networks import Tokens
    from webcontent.training.nemtf.settings import LineSchedule, Settings

    Drawn = Sequence[tuple[LineSample, NDArray[np.float32], NDArray[np.float32]]]
    """Pages of a batch: samples, features, weights of lines."""

AVERAGED_STEPS = 10
"""During the first steps, the running mean of the weights keeps less."""
USUAL_BYTES, LEAST_WEIGHT, MOST_WEIGHT = 60, 0.5, 3
"""A line of so many bytes has the weight 1; limits of the weights."""
IS_NOISE = 0.9
"""Share of noise in a line above which it is only noise."""
THINNED_PAGES, CUT_PAGES, CENTRED_PAGES = 0.3, 0.25, 0.7
"""Share of pages with less noise, of pages that begin later or end sooner, and of long pages whose part has a line that is not noise."""
LENGTH_NOISE = (0.85, 1.2)
"""Pages of similar length are in one batch; the length varies by a factor in this range, so that batches differ between epochs."""
POSITION_FACTORS, POSITION_SHIFT = (0.6, 1.5), 12
"""Positions vary by a factor in this range and by fewer lines than this, as if the menu were shorter or longer."""
NO_DOUBT = 1e-9


@dataclass(slots=True)
class Trained:
    """Trained networks and what their features need."""

    nets: list[LineNet]
    config: dict[str, Any]

    def run(self, features: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The outputs of the graph for its input."""
        return [line_probabilities(self.nets, features)]

    def models(self, **config: Any) -> RegistryWith:
        """A registry in which the extractor finds these networks. `config`: entries of the configuration that are replaced."""
        return RegistryWith(UnsavedModel(MODEL, {**self.config, **config}, self.run))

    def probabilities(self, samples: Sequence[LineSample]) -> list[NDArray[np.float32]]:
        """Probabilities of the lines of samples: float32 [lines, 6] each."""
        vocabulary = Vocabulary(self.config["words"])
        return [line_probabilities(self.nets, features(s.title, s.texts, vocabulary, self.config["lengths"])) for s in samples]


def train(samples: Sequence[LineSample], tokens: Tokens, settings: Settings, *, title: str = "") -> Trained:
    """Networks trained on samples. Their words, the vectors of the words and the lengths of lines are learned from the samples, too."""
    words = learn_words(samples, tokens, settings)
    vocabulary = Vocabulary(words)
    chars = np.concatenate([[len(text) for text in sample.texts] for sample in samples])
    lengths = lengths_of(chars, np.concatenate([sample.targets.argmax(axis=1) for sample in samples]))
    vectors = torch.from_numpy(word_vectors(samples, vocabulary, settings.form.word_size, settings.seed))
    inputs = [features(sample.title, sample.texts, vocabulary, lengths) for sample in samples]
    draws = np.array([settings.weights.get(sample.corpus, 1.0) for sample in samples])
    nets = []
    for number in range(settings.nets):
        seed = settings.seed + number
        torch.manual_seed(seed)
        net = LineNet(len(vocabulary), settings.form)
        if "S" in settings.form.parts:
            with torch.no_grad():
                net.word_table.weight[1:] = vectors[1:]
        nets.append(fit(net, samples, inputs, settings.schedule, draws=draws, seed=seed, title=f"{title}, network {number + 1}"))
    config = {"words": words, "lengths": lengths, "least": settings.least, "decoding": settings.decoding, "score": UNCORRECTED}
    return Trained(nets, config)


def fit(
    net: LineNet,
    samples: Sequence[LineSample],
    inputs: Sequence[NDArray[np.float32]],
    schedule: LineSchedule,
    *,
    draws: NDArray[np.float64],
    seed: int,
    title: str,
) -> LineNet:
    """Trains a network in place and gives it back, ready for use.

    `inputs`: features of each sample; `draws`: how often a sample is drawn in an epoch, on average.
    """
    steps = -(-max(1, round(draws.sum())) // schedule.pages)
    optimizer = torch.optim.AdamW(net.parameters(), schedule.rate, weight_decay=schedule.decay)
    rates = torch.optim.lr_scheduler.OneCycleLR(optimizer, schedule.rate, total_steps=schedule.epochs * steps)
    mean = torch.optim.swa_utils.AveragedModel(net, avg_fn=partial(_mean_of_weights, kept=schedule.mean))
    optimization = Optimization(net, optimizer, rates)
    weights = [line_weights(sample) for sample in samples]

    def train_epoch(epoch: int) -> float:
        random = epoch_generator(seed, epoch)
        total = 0.0
        pages = [(samples[i], inputs[i], weights[i]) for i in draw(draws, random)]
        for x, mask, targets, each, noise in _iter_batches(pages, schedule, random):
            total += optimization.step(loss_of(net(x, mask), targets, each, noise, schedule.rare)) / steps
            mean.update_parameters(net)
        return total

    optimization.run(schedule.epochs, train_epoch, title)
    net.load_state_dict(mean.module.state_dict())
    return net.eval()


def _mean_of_weights(mean: torch.Tensor, own: torch.Tensor, count: torch.Tensor | int, kept: float) -> torch.Tensor:
    """Running mean of a weight; the first steps keep less of it."""
    return mean + (own - mean) * max(1 - kept, 1 / (1 + int(count) / AVERAGED_STEPS))


def loss_of(logits: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor, noise: torch.Tensor, rare: float) -> torch.Tensor:
    """Cross entropy with soft targets. A noise line may have a label that the gold does not state.

    `noise`: for each page the logarithm of the weight of each label as noise; `rare`: weight of lines with a rare label.
    """
    log_probabilities = functional.log_softmax(logits, 2)
    as_noise = torch.logsumexp(log_probabilities + noise[:, None], 2)
    entropy = -(targets[:, :, 1:] * log_probabilities[:, :, 1:]).sum(2) - targets[:, :, NOISE] * as_noise
    weights = weights * (1 + (rare - 1) * targets[:, :, 2:].sum(2))
    return (entropy * weights).sum() / weights.sum().clamp(min=1)


def line_weights(sample: LineSample) -> NDArray[np.float32]:
    """Weights of lines: long lines count more, since the evaluator counts words."""
    by_size = np.clip(np.sqrt(byte_sizes(sample.texts) / USUAL_BYTES), LEAST_WEIGHT, MOST_WEIGHT)
    weights: NDArray[np.float32] = sample.weights * by_size.astype(np.float32)
    return weights


def draw(draws: NDArray[np.float64], random: np.random.Generator) -> list[int]:
    """The pages that are drawn in an epoch, each as often as `draws` states, on average; the total number is always the same."""
    sums = np.cumsum(draws)
    count = max(1, round(sums[-1]))
    picked = np.searchsorted(sums, (np.arange(count) + random.random()) * sums[-1] / count, side="right")
    places: list[int] = np.minimum(picked, len(draws) - 1).tolist()
    return places


def _iter_batches(drawn: Drawn, schedule: LineSchedule, random: np.random.Generator) -> Iterator[tuple[torch.Tensor, ...]]:
    """Batches of pages of similar length, in random order: features, mask, targets, weights, logarithm of the weights as noise."""
    lines = [lines_of_epoch(sample, schedule, random) for sample, _, _ in drawn]
    length = np.array([len(rows) for rows in lines]) * random.uniform(*LENGTH_NOISE, len(drawn))
    groups = np.array_split(np.argsort(length), -(-len(drawn) // schedule.pages))
    for place in random.permutation(len(groups)).tolist():
        own = groups[place].tolist()
        yield _batch([drawn[i] for i in own], [lines[i] for i in own], schedule, random)


def _batch(
    pages: Drawn, lines: Sequence[NDArray[np.int64]], schedule: LineSchedule, random: np.random.Generator
) -> tuple[torch.Tensor, ...]:
    """The arrays of a batch; `lines`: the lines of each page that are trained on."""
    count, longest = len(pages), max(map(len, lines))
    mask, weights = np.zeros((count, longest, 1), np.float32), np.zeros((count, longest), np.float32)
    x, targets = (np.zeros((count, longest, width), np.float32) for width in (pages[0][1].shape[1], len(LABELS)))
    noise = np.full((count, len(LABELS)), NO_DOUBT, np.float32)
    for row, ((sample, inputs, each), rows) in enumerate(zip(pages, lines, strict=True)):
        size = len(rows)
        x[row, :size], targets[row, :size] = inputs[rows], sample.targets[rows]
        weights[row, :size], mask[row, :size] = each[rows], 1
        noise[row, list(sample.unknown)] = schedule.doubt
    noise[:, NOISE] = 1
    _vary(x, schedule, random)
    return tuple(map(torch.from_numpy, (x, mask, targets, weights, np.log(noise))))


def _vary(x: NDArray[np.float32], schedule: LineSchedule, random: np.random.Generator) -> None:
    """Removes words and moves positions, in place."""
    count = len(x)
    x[:, :, :WORDS] *= random.random((*x.shape[:2], WORDS)) >= schedule.forget
    x[:, :, :WORDS] *= random.random((count, 1, 1)) >= schedule.silent
    moved = x[:, :, POSITION] * random.uniform(*POSITION_FACTORS, (count, 1)) + random.integers(0, POSITION_SHIFT, (count, 1))
    x[:, :, POSITION] = np.minimum(moved.astype(np.int64), POSITIONS - 1)


def lines_of_epoch(sample: LineSample, schedule: LineSchedule, random: np.random.Generator) -> NDArray[np.int64]:
    """The lines of a page that are trained on in an epoch: sometimes with less noise; of a long page a part."""
    is_noise = sample.targets[:, NOISE] > IS_NOISE
    is_kept = np.ones(len(sample), np.bool_)
    if random.random() < THINNED_PAGES:
        is_kept &= ~is_noise | (random.random(len(sample)) >= random.random() * schedule.thin)
    labelled = np.flatnonzero(~is_noise)
    if len(labelled):
        if random.random() < CUT_PAGES:  # a page that begins later ...
            is_kept[: int(random.integers(labelled[0] + 1))] = False
        if random.random() < CUT_PAGES:  # ... or ends sooner
            is_kept[int(random.integers(labelled[-1] + 1, len(sample) + 1)) :] = False
    rows = np.flatnonzero(is_kept)
    if len(rows) <= schedule.lines:
        return rows
    labelled = np.flatnonzero(~is_noise[rows])
    if len(labelled) and random.random() < CENTRED_PAGES:
        start = int(random.choice(labelled)) - int(random.integers(schedule.lines))
    else:
        start = int(random.integers(len(rows)))
    start = max(0, min(start, len(rows) - schedule.lines))
    return rows[start : start + schedule.lines]


def lengths_of(chars: NDArray[np.int64], labels: NDArray[np.int64]) -> dict[str, list[float]]:
    """Lengths of the lines of each label: mean and deviation of the log lengths, and the 5 % and 95 % quantiles."""
    lengths = {}
    for label, name in enumerate(LABELS):
        own = chars[labels == label]
        if len(own):
            logs = np.log1p(own)
            statistics = (logs.mean(), max(float(logs.std()), 0.1), np.quantile(own, 0.05), np.quantile(own, 0.95))
            lengths[name] = [round(float(statistic), 3) for statistic in statistics]
    return lengths
