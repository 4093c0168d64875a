"""Trains Web2Text: python -m webcontent.training.web2text

Pages with gold bodies -> features and labels of the leaves (cached) -> the paper's own experiment (CleanEval, 60 pages for training,
676 for testing, other libraries on the same pages) -> five folds by site over all corpora together -> the model of all pages ->
a calibrated trust in each answer -> ONNX, card. A run that was stopped goes on where it was: pages, networks (every few hundred steps)
and other libraries' answers are kept under --cache, by the settings' checksum.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from tqdm import tqdm

from webcontent.document.collapsed import Collapsed
from webcontent.document.parsing import Document
from webcontent.evaluation.baselines import BASELINE_BY_NAME, baseline_texts
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.evaluation.scores import word_f1
from webcontent.extractors.fusion import PAGE_FIGURES, page_figures
from webcontent.extractors.web2text import (
    BLOCK_FEATURES,
    EDGE_FEATURES,
    EXTRA_FEATURES,
    MODEL,
    VERSION,
    Web2Text,
    biased,
    block_shares,
    chosen_blocks,
    features,
    viterbi,
)
from webcontent.items import Page
from webcontent.training.export import OPSET, TOLERANCE, ExportError, _checked, open_graph, versions
from webcontent.training.fusion import REFERENCE_HTML
from webcontent.training.fusion import _chances as chances_out_of_fold
from webcontent.training.labels import GoldMatch
from webcontent.training.web2text_card import card, cleaneval_rows, figures_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import onnx
    from numpy.typing import NDArray

    from webcontent.evaluation.baselines import System
    from webcontent.evaluation.corpora import Record

# ------------------------------------------------------------------------------------------------------------ settings
WEIGHTS = {"wcxb-dev": 1.0, "zh-gold-dev": 4.0, "zh-silver": 2.0, "l3s-gn1": 1.0, "cleaneval": 1.0}
"""Corpora that are trained on (of cleaneval the 60 pages of the paper), and how often a page of each is drawn."""
JUDGED = ("fundus-dev",)
"""Corpora that are only judged."""
FOLDS = 5
CLEANEVAL_SYSTEMS = tuple(BASELINE_BY_NAME[name] for name in ("boilerpy3", "readability-lxml", "trafilatura", "resiliparse", "justext"))
CACHE = Path(tempfile.gettempdir()) / "webcontent-web2text"
CONTENT = 2 / 3
"""A leaf is main text when more than this share of its words is (section 4.1)."""
GOOD_F1 = 0.9
"""The score is the chance that a body's word F1 is above this."""
CHECK = 100
"""Steps between two looks at the validation pages, and between two checkpoints."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a pair of networks is made and trained; the defaults are the paper's (sections 3.4, 4.2)."""

    seed: int = 1
    columns: int = len(BLOCK_FEATURES)
    """Block features that are used."""
    widths: tuple[int, ...] = (50, 50, 50, 10)
    kernels: tuple[int, ...] = (1, 1, 3, 3, 3)
    dilations: tuple[int, ...] = (1, 1, 1, 1, 1)
    spread: float = 0.1
    """Standard deviation of the first weights; 0: what keeps the values' own (He 2015)."""
    dropout: float = 0.2
    """Of the weights of every layer."""
    decay: float = 1e-4
    steps: int = 5000
    batch: int = 128
    patch: int = 9
    """Neighbouring leaves that are cut out of a page."""
    rate: float = 1e-3
    falling: bool = False
    """The rate falls along half a cosine."""
    soft: bool = False
    """Targets are shares of words, not 0 or 1."""
    by_words: bool = False
    """A leaf's loss counts by the root of its words."""
    weight: float = 0.1
    """Lambda: how much the pairwise network counts."""
    bias: float = 0.0
    """Added to the log probability of text before decoding ..."""
    furniture_bias: float = 0.0
    """... and this too inside <nav> and <footer>."""

    def checksum(self, *more: Any) -> str:
        trained = {name: value for name, value in asdict(self).items() if name not in ("weight", "bias", "furniture_bias")}
        told = json.dumps([trained, BLOCK_FEATURES, EXTRA_FEATURES, EDGE_FEATURES, VERSION, WEIGHTS, *more], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:12]


PAPER = Settings()
SHIPPED = Settings(
    columns=len(BLOCK_FEATURES) + len(EXTRA_FEATURES),
    widths=(64, 64, 48, 48, 32, 32, 16),
    kernels=(1, 1, 3, 3, 3, 3, 3, 3),
    dilations=(1, 1, 1, 2, 4, 8, 16, 1),
    spread=0.0,
    dropout=0.1,
    steps=2000,
    batch=16,
    patch=128,
    rate=3e-3,
    falling=True,
    soft=True,
    by_words=True,
    bias=0.8,
    furniture_bias=-3.0,
)
CLEANEVAL: dict[str, Any] = {"soft": False, "by_words": False, "bias": 0.0, "furniture_bias": 0.0}
"""What of our settings is otherwise where blocks are judged, not words."""


# --------------------------------------------------------------------------------------------------------------- pages
@dataclass(slots=True)
class Sample:
    """A page, read once: everything that training and judging need of it."""

    id: str
    corpus: str
    site: str
    kind: str
    language: str
    part: str
    """train, valid or test, where the corpus has such a split."""
    x: NDArray[np.float16]
    edges: NDArray[np.float16]
    leaf_texts: list[str]
    leaf_words: NDArray[np.float32]
    shares: NDArray[np.float32]
    """Of each leaf's words that are main text."""
    collapsed: Shape
    texts: list[str]
    """Of the document's blocks."""
    match: GoldMatch
    gold: str

    @property
    def fold(self) -> int:
        return fold_of(self.site)

    @property
    def is_trained_on(self) -> bool:
        return self.corpus in WEIGHTS and self.part != "test" and len(self.shares) > 0

    def words_of_blocks(self) -> NDArray[np.float64]:
        return np.bincount(self.collapsed.block, self.leaf_words, len(self.texts)).astype(np.float64)


@dataclass(slots=True)
class Shape:
    """What `block_shares` asks of a collapsed DOM."""

    block: NDArray[np.int64]
    leaf_sums: dict[str, NDArray[np.float64]]


def read_samples(names: Sequence[str], cache: Path, limit: int | None) -> list[Sample]:
    """The samples of the corpora, from the cache where they were read before with the same features."""
    samples: list[Sample] = []
    for name in names:
        version = hashlib.sha256(repr((name, limit, BLOCK_FEATURES, EXTRA_FEATURES, EDGE_FEATURES, VERSION)).encode()).hexdigest()[:12]
        path = cache / f"{name}-{version}.pickle"
        if not path.exists():
            records = tqdm(load_corpus(name, limit=limit), desc=name, unit="page", mininterval=5)
            found = [_sample(name, record) for record in records if record["gold"].get("body") is not None]
            path.write_bytes(pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
        samples += pickle.loads(path.read_bytes())  # noqa: S301  (our own file)
    return samples


def _sample(corpus: str, record: Record) -> Sample:
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]["body"]
    collapsed = Collapsed(blocks)
    x, edges = features(document, collapsed)
    return Sample(
        id=record["id"],
        corpus=corpus,
        site=record["site"],
        kind=record.get("type", ""),
        language=record.get("lang", ""),
        part=record.get("split", ""),
        x=x.astype(np.float16),
        edges=edges.astype(np.float16),
        leaf_texts=collapsed.texts,
        leaf_words=collapsed.leaf_sums["words"].astype(np.float32),
        shares=shares_of(collapsed, gold, len(blocks)),
        collapsed=Shape(collapsed.block, {"characters": collapsed.leaf_sums["characters"]}),
        texts=blocks.texts,
        match=GoldMatch(blocks.texts, gold),
        gold=gold,
    )


def shares_of(collapsed: Collapsed | Sample, text: str, blocks: int) -> NDArray[np.float32]:
    """For each leaf the share of its words that a text has in this order: the longest common subsequence with the page.

    A leaf without letters and digits has the share of its block.
    """
    texts, shape = (collapsed.leaf_texts, collapsed.collapsed) if isinstance(collapsed, Sample) else (collapsed.texts, collapsed)
    match = GoldMatch(texts, text)
    counts = match.counts.astype(np.float64)
    total = np.bincount(shape.block, counts, blocks)
    good = np.bincount(shape.block, counts * match.labels, blocks)
    result: NDArray[np.float32] = np.where(counts > 0, match.labels, (good / np.maximum(1, total))[shape.block]).astype(np.float32)
    return result


# ------------------------------------------------------------------------------------------------------------ networks
class SequenceNet(nn.Module):
    """Convolutions over a sequence of leaves, ReLU between them; dropout is of the weights, as in the authors' code."""

    def __init__(self, settings: Settings, inputs: int, outputs: int) -> None:
        super().__init__()
        sizes = [inputs, *settings.widths, outputs]
        self.dropout = settings.dropout
        self.layers = [
            nn.Conv1d(before, after, kernel, padding=dilation * (kernel // 2), dilation=dilation)
            for (before, after), kernel, dilation in zip(pairwise(sizes), settings.kernels, settings.dilations, strict=True)
        ]
        self.stack = nn.ModuleList(self.layers)  # so that torch knows them
        for layer in self.layers:
            nn.init.trunc_normal_(layer.weight, std=settings.spread or (2 / layer.weight[0].numel()) ** 0.5)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """[n, inputs, leaves] -> log probabilities [n, outputs, leaves]; `mask` [n, 1, leaves] is 0 behind a page's end."""
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
    """Of the block features on the training pages; the paper's are scaled by its authors' constants already: 0 and 1."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.columns = settings.columns
        self.register_buffer("mean", torch.zeros(settings.columns))
        self.register_buffer("deviation", torch.ones(settings.columns))
        self.unary = SequenceNet(settings, settings.columns, 2)
        self.pairwise = SequenceNet(settings, len(EDGE_FEATURES), 4)

    def forward(self, x: torch.Tensor, edges: torch.Tensor, mask: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        return self.unary((x - self.mean[:, None]) / self.deviation[:, None], mask), self.pairwise(edges, mask)

    def scale(self, samples: Sequence[Sample]) -> None:
        """Sets mean and deviation of our own features to those of some pages, a page counting as much as another."""
        own = slice(len(BLOCK_FEATURES), self.columns)
        mean = np.mean([s.x[:, own].mean(0, dtype=np.float64) for s in samples], axis=0)
        square = np.mean([(s.x[:, own].astype(np.float32) ** 2).mean(0, dtype=np.float64) for s in samples], axis=0)
        self.mean[own] = torch.from_numpy(mean).float()
        self.deviation[own] = torch.from_numpy(np.sqrt(np.maximum(1e-4, square - mean**2))).float()

    @torch.no_grad()
    def potentials(self, x: NDArray[Any], edges: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Of one page: float32 [leaves, 2] and [leaves, 4]."""
        self.eval()
        inputs = (torch.from_numpy(part.astype(np.float32).T[None].copy()) for part in (x[:, : self.columns], edges))
        unary, pairwise = self(*inputs)
        return unary[0].T.numpy().copy(), pairwise[0].T.numpy().copy()


class Patches:
    """Random patches of neighbouring leaves of some pages, with their targets."""

    def __init__(self, samples: Sequence[Sample], settings: Settings) -> None:
        self.samples, self.settings = samples, settings
        chances = np.array([WEIGHTS.get(sample.corpus, 1.0) for sample in samples])
        self.chances = chances / chances.sum()

    def __call__(self, step: int) -> tuple[torch.Tensor, ...]:
        """Features, edges, mask, targets and weights of a step: the same ones whenever it is asked for."""
        settings, random = self.settings, np.random.default_rng((self.settings.seed, step))
        n, length = settings.batch, settings.patch
        x = np.zeros((n, length, settings.columns), np.float32)
        edges = np.zeros((n, length, len(EDGE_FEATURES)), np.float32)
        mask, target, weight = (np.zeros((n, length), np.float32) for _ in range(3))
        for row, place in enumerate(random.choice(len(self.samples), n, p=self.chances).tolist()):
            sample = self.samples[place]
            count = len(sample.shares)
            start = int(random.integers(0, max(1, count - length + 1)))
            size = min(length, count - start)
            part = slice(start, start + size)
            x[row, :size], edges[row, :size] = sample.x[part, : settings.columns], sample.edges[part]
            mask[row, :size] = 1
            target[row, :size] = sample.shares[part] if settings.soft else sample.shares[part] > CONTENT
            weight[row, :size] = np.sqrt(np.maximum(1, sample.leaf_words[part])) if settings.by_words else 1
        made = (x.transpose(0, 2, 1), edges.transpose(0, 2, 1), mask[:, None], target, weight / weight.mean())
        return tuple(torch.from_numpy(np.ascontiguousarray(part)) for part in made)


def loss_of(unary: torch.Tensor, pairwise: torch.Tensor, mask: torch.Tensor, target: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Cross entropy of both networks (section 3.4), the mean over leaves and over pairs; pairs are those of two leaves of the patch."""
    goal = torch.stack((1 - target, target), 1)
    alone = -(goal * unary).sum(1) * weight
    pairs = (goal[:, :, None, :-1] * goal[:, None, :, 1:]).flatten(1, 2)  # (0, 0), (0, 1), (1, 0), (1, 1)
    is_pair = mask[:, 0, 1:]
    both = -(pairs * pairwise[:, :, :-1]).sum(1) * is_pair * (weight[:, 1:] + weight[:, :-1]) / 2
    return alone.mean() + both.sum() / is_pair.sum().clamp(min=1)


def fit(samples: Sequence[Sample], settings: Settings, path: Path, *, validation: Sequence[Sample] = (), label: str = "") -> Nets:
    """Networks trained on some pages. With validation pages the best state of each is kept: unary by F1, pairwise by accuracy.

    `path`: where the state is kept every CHECK steps; a run that was stopped goes on from there, a finished one is loaded.
    """
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    nets = Nets(settings)
    if settings.columns > len(BLOCK_FEATURES):
        nets.scale(samples)
    optimizer = torch.optim.Adam(nets.parameters(), settings.rate, weight_decay=settings.decay)
    best: dict[str, tuple[float, Any]] = {}
    first = 0
    if path.is_file():
        state = torch.load(path, weights_only=False)
        nets.load_state_dict(state["nets"])
        optimizer.load_state_dict(state["optimizer"])
        first, best = state["step"], state["best"]
    patches = Patches(samples, settings)
    for step in tqdm(range(first, settings.steps), desc=label, unit="step", mininterval=10, initial=first, total=settings.steps):
        torch.manual_seed(settings.seed * 1_000_003 + step)
        nets.train()
        if settings.falling:
            optimizer.param_groups[0]["lr"] = settings.rate * _cosine(step / settings.steps)
        x, edges, mask, target, weight = patches(step)
        unary, pairs = nets(x, edges, mask)
        loss = loss_of(unary, pairs, mask, target, weight)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if (step + 1) % CHECK == 0 or step + 1 == settings.steps:
            if validation:
                _keep_best(best, nets, validation)
            state = {"step": step + 1, "nets": nets.state_dict(), "optimizer": optimizer.state_dict(), "best": best}
            torch.save(state, path.with_suffix(".new"))
            path.with_suffix(".new").replace(path)
    for name, (_, kept) in best.items():
        getattr(nets, name).load_state_dict(kept)
    return nets.eval()


def _cosine(share: float) -> float:
    """Rises over the first twentieth, then falls to nothing."""
    return min(1.0, share * 20) * (1 + float(np.cos(np.pi * share))) / 2


def _keep_best(best: dict[str, tuple[float, Any]], nets: Nets, validation: Sequence[Sample]) -> None:
    """`best` is updated inline."""
    found, wanted, right, pairs = [], [], 0, 0
    for sample in validation:
        unary, pairwise = nets.potentials(sample.x, sample.edges)
        label = sample.shares > CONTENT
        found.append(unary[:, 1] > unary[:, 0])
        wanted.append(label)
        right += int((pairwise[:-1].argmax(1) == 2 * label[:-1] + label[1:]).sum())
        pairs += len(label) - 1
    values = {"unary": Counts.of(np.concatenate(found), np.concatenate(wanted)).f1, "pairwise": right / max(1, pairs)}
    for name, value in values.items():
        if name not in best or value > best[name][0]:
            best[name] = (value, {key: part.clone() for key, part in getattr(nets, name).state_dict().items()})


# ------------------------------------------------------------------------------------------------------------- figures
@dataclass(slots=True)
class Counts:
    """Right and wrong decisions."""

    right: int = 0
    """Taken and wanted."""
    wrong: int = 0
    missed: int = 0
    left: int = 0
    """Rightly left out."""

    @classmethod
    def of(cls, found: NDArray[np.bool_], wanted: NDArray[np.bool_]) -> Counts:
        return cls(int((found & wanted).sum()), int((found & ~wanted).sum()), int((~found & wanted).sum()), int((~found & ~wanted).sum()))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed, self.left + other.left)

    @property
    def accuracy(self) -> float:
        return (self.right + self.left) / max(1, self.right + self.wrong + self.missed + self.left)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)

    def figures(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in ("accuracy", "precision", "recall", "f1")}


@dataclass(slots=True)
class Answer:
    """What networks say of a page."""

    labels: NDArray[np.bool_]
    """Of the leaves."""
    chosen: NDArray[np.bool_]
    """Of the document's blocks."""
    scores: NDArray[np.float32]
    """Of the document's blocks: chance of main text."""


def answer_of(sample: Sample, nets: Nets, settings: Settings) -> Answer:
    """As `extractors.web2text` answers."""
    count = len(sample.texts)
    if not len(sample.shares):
        return Answer(np.zeros(0, np.bool_), np.zeros(count, np.bool_), np.zeros(count, np.float32))
    unary, pairwise = nets.potentials(sample.x, sample.edges)
    labels = viterbi(biased(unary, sample.x, settings.bias, settings.furniture_bias), pairwise, settings.weight)
    shape: Any = sample.collapsed
    scores = block_shares(shape, np.exp(unary[:, 1]), count).astype(np.float32)
    return Answer(labels, chosen_blocks(block_shares(shape, labels, count), scores, sample.words_of_blocks()), scores)


def body_of(sample: Sample, answer: Answer) -> str:
    return "\n".join(sample.texts[place] for place in np.flatnonzero(answer.chosen).tolist())


def counts_of_words(sample: Sample, text: str) -> Counts:
    """Decisions over the page's words: multisets, as the word F1 counts them."""
    match = GoldMatch([text], sample.gold)
    given, both = len(match.tokens), int(np.minimum(np.bincount(match.tokens, minlength=len(match.wanted)), match.wanted).sum())
    wanted, page = int(match.wanted.sum()), len(sample.match.tokens)
    return Counts(both, given - both, wanted - both, max(0, page - given - wanted + both))


def compared(name: str, samples: Sequence[Sample], labels: Sequence[NDArray[np.bool_]], texts: Sequence[str]) -> dict[str, Any]:
    """A row of the CleanEval table: a system's decisions over blocks (the paper's: leaves) and over words."""
    blocks, words, f1 = Counts(), Counts(), []
    for sample, found, text in zip(samples, labels, texts, strict=True):
        blocks += Counts.of(found, sample.shares > CONTENT)
        words += counts_of_words(sample, text)
        f1.append(word_f1(text, sample.gold)[0])
    return {"system": name, "blocks": blocks.figures(), "words": words.figures(), "word_f1": float(np.mean(f1))}


def compare_nets(name: str, samples: Sequence[Sample], nets: Nets, settings: Settings) -> dict[str, Any]:
    answers = [answer_of(sample, nets, settings) for sample in samples]
    return compared(name, samples, [a.labels for a in answers], [body_of(s, a) for s, a in zip(samples, answers, strict=True)])


def compare_peer(system: System, samples: Sequence[Sample], records: Sequence[Record], cache: Path) -> dict[str, Any]:
    """The same of another library: its text is aligned with the page as the gold text is. Kept in the cache, by its version."""
    path = cache / f"peer-{system.name}-{system.version}-{len(samples)}.json"
    if not path.exists():
        texts = baseline_texts(system, records, path.with_suffix(".jsonl"))
        given = [texts[sample.id] for sample in samples]
        labels = [shares_of(sample, text, len(sample.texts)) > CONTENT for sample, text in zip(samples, given, strict=True)]
        path.write_text(json.dumps(compared(f"{system.name} {system.version}", samples, labels, given)), encoding="utf-8")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def measured(samples: Sequence[Sample], answers: Sequence[Answer], scores: NDArray[np.float64]) -> list[dict[str, Any]]:
    """A row for each corpus, and for each kind of page and language of many pages: word F1, its spread over folds, score."""
    f1 = np.array([sample.match.f1(answer.chosen) for sample, answer in zip(samples, answers, strict=True)])
    folds = np.array([sample.fold for sample in samples])
    groups: dict[tuple[str, str], list[int]] = {}
    for i, sample in enumerate(samples):
        for name in ("all", sample.kind, sample.language[:2].lower()):
            if name:
                groups.setdefault((sample.corpus, name), []).append(i)
    rows = []
    for (corpus, name), places in groups.items():
        if name != "all" and (len(places) < 20 or len(places) == len(groups[corpus, "all"])):
            continue
        values = f1[places]
        by_fold = [values[folds[places] == fold] for fold in range(FOLDS)]
        spread = float(np.std([fold.mean() for fold in by_fold if len(fold)]))
        row = {"corpus": corpus, "pages": name, "count": len(places), "f1": float(values.mean()), "spread": spread}
        rows.append({**row, "good": float((values > GOOD_F1).mean()), "score": float(scores[places].mean())})
    return rows


def trust(samples: Sequence[Sample], answers: Sequence[Answer]) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Calibrated chances, out of fold, that a body's F1 is above GOOD_F1, and what is learned from all pages."""
    figures = np.array([page_figures(a.scores, s.words_of_blocks(), a.chosen) for s, a in zip(samples, answers, strict=True)])
    good = np.array([s.match.f1(a.chosen) > GOOD_F1 for s, a in zip(samples, answers, strict=True)])
    kept = np.array([bool(a.chosen.any()) for a in answers])
    scores, learned = chances_out_of_fold(figures, good, np.array([s.fold for s in samples]), kept, monotone=True)
    return np.where(kept, scores, 0.0), learned


def write_predictions(samples: Sequence[Sample], answers: Sequence[Answer], folder: Path) -> None:
    """A file for each corpus, for the referee: an object a line with id and body."""
    folder.mkdir(exist_ok=True)
    files: dict[str, list[str]] = {}
    for sample, answer in zip(samples, answers, strict=True):
        line = json.dumps({"id": sample.id, "body": body_of(sample, answer)}, ensure_ascii=False)
        files.setdefault(sample.corpus, []).append(line)
    for corpus, lines in files.items():
        (folder / f"{corpus}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


# -------------------------------------------------------------------------------------------------------------- export
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
    return _checked(helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)]))


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
        made = f"{target}/{place + 1}" if place == last else f"{target}/{place}/linear"
        pads = [int(layer.padding[0])] * 2
        nodes.append(helper.make_node("Conv", [f"{target}/{place}", *names], [made], pads=pads, dilations=list(layer.dilation)))
        if place < last:
            nodes.append(helper.make_node("Relu", [made], [f"{target}/{place + 1}"]))
    nodes += [
        helper.make_node("Squeeze", [f"{target}/{last + 1}", axis.name], [f"{target}/flat"]),
        helper.make_node("Transpose", [f"{target}/flat"], [f"{target}/leaves"], perm=[1, 0]),
        helper.make_node("LogSoftmax", [f"{target}/leaves"], [target], axis=1),
    ]
    return nodes, weights


def export(folder: Path, nets: Nets, config: dict[str, Any]) -> None:
    """Writes model.onnx, config.json and reference.json; the graph is checked against torch on the reference page."""
    graph = graph_of(nets)
    document = Document.from_page(Page(html=REFERENCE_HTML))
    x, edges = (np.round(part, 5) for part in features(document, Collapsed(document.blocks)))
    found = open_graph(graph).run(blocks=x[:, : nets.columns], edges=edges)
    for said, expected in zip(found, nets.potentials(x, edges), strict=True):
        gap = float(np.abs(said - expected).max())
        if not gap <= TOLERANCE:
            raise ExportError(f"{folder.name}: the graph differs from the trained networks by {gap:.2g}.")
    weights = graph.SerializeToString()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(weights)
    config = {"sha256": hashlib.sha256(weights).hexdigest(), **config}
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    arrays = {"blocks": x, "edges": edges, "unary": found[0], "pairwise": found[1]}
    reference = {"html": REFERENCE_HTML, **{name: np.round(array.astype(float), 6).tolist() for name, array in arrays.items()}}
    (folder / "reference.json").write_text(json.dumps(reference) + "\n", encoding="utf-8")


def cost(folder: Path, records: Sequence[Record]) -> dict[str, float]:
    """Median CPU ms of pages of about 100 KB: decoded, parsed, walked, extracted; and of the extractor alone."""
    extractor = Web2Text(str(folder))
    whole, alone = [], []
    for record in records:
        html = record["html"].encode("utf-8", "replace")
        times = []
        for _ in range(3):
            started = time.process_time()
            document = Document.from_page(Page(url=record["url"], html=html))
            document.blocks  # noqa: B018  (computed here)
            walked = time.process_time()
            extractor(document)
            times.append((time.process_time() - started, time.process_time() - walked))
        whole.append(min(times)[0] * 1e3)
        alone.append(min(times)[1] * 1e3)
    return {"pages": len(records), "ms": float(np.median(whole)), "extractor_ms": float(np.median(alone))} if records else {}


# -------------------------------------------------------------------------------------------------------------- command
def cleaneval_table(samples: Sequence[Sample], settings: dict[str, Settings], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The paper's experiment on its split: each form of our networks trained on the 55 + 5 pages, and other libraries."""
    pages = [sample for sample in samples if sample.corpus == "cleaneval"]
    train, valid, test = ([sample for sample in pages if sample.part == part] for part in ("train", "valid", "test"))
    rows = []
    for name, own in settings.items():
        nets = fit(train, own, options.cache / f"cleaneval-{own.checksum(options.limit)}.pt", validation=valid, label=f"cleaneval {name}")
        rows += [compare_nets(f"web2text, {name}", test, nets, own)]
        if own.spread == PAPER.spread:
            others = [replace(own, weight=weight) for weight in (0.0, 1.0)]
            rows += [compare_nets(f"web2text, {name}, lambda {other.weight:g}", test, nets, other) for other in others]
    records = {record["id"]: record for record in load_corpus("cleaneval")} if options.peers else {}
    for system in CLEANEVAL_SYSTEMS:
        if system.name in options.peers:
            try:
                rows.append(compare_peer(system, test, [records[sample.id] for sample in test], options.cache))
            except ImportError as error:
                tqdm.write(f"{system.name} is not installed ({error}); it is left out.")
    return rows


def out_of_fold(samples: Sequence[Sample], settings: Settings, folder: Path) -> list[Answer]:
    """Each page's answer by networks that have not seen its site."""
    answers: dict[str, Answer] = {}
    for fold in range(FOLDS):
        nets = fit([s for s in samples if s.is_trained_on and s.fold != fold], settings, folder / f"fold-{fold}.pt", label=f"fold {fold}")
        answers |= {f"{s.corpus} {s.id}": answer_of(s, nets, settings) for s in samples if s.fold == fold}
    return [answers[f"{sample.corpus} {sample.id}"] for sample in samples]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.web2text", description="Train Web2Text's networks.")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where pages and networks are kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[2] / "models" / MODEL, help="the model folder")
    parser.add_argument("--limit", type=int, help="pages of each corpus, spread evenly (default: all)")
    parser.add_argument("--steps", type=int, help="of each network (default: as in Settings)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peers", nargs="*", default=[system.name for system in CLEANEVAL_SYSTEMS], help="other libraries to compare with")
    options = parser.parse_args(arguments)
    own = {"seed": options.seed} | ({"steps": options.steps} if options.steps else {})
    paper, settings = replace(PAPER, **own), replace(SHIPPED, **own)
    folder = options.cache / settings.checksum(options.limit)
    folder.mkdir(parents=True, exist_ok=True)
    samples = read_samples((*WEIGHTS, *JUDGED), options.cache, options.limit)
    ours = replace(settings, steps=settings.steps // 2, **CLEANEVAL)
    table = cleaneval_table(samples, {"the paper's form": paper, "ours": ours}, options)
    answers = out_of_fold(samples, settings, folder)
    tested = [place for place, sample in enumerate(samples) if sample.corpus == "cleaneval" and sample.part == "test"]
    shipped = [(samples[place], answers[place]) for place in tested]
    table.append(
        compared(
            "web2text, the shipped form, sites not seen",
            [sample for sample, _ in shipped],
            [answer.labels for _, answer in shipped],
            [body_of(*pair) for pair in shipped],
        )
    )
    scores, learned = trust(samples, answers)
    write_predictions(samples, answers, folder / "predictions")
    nets = fit([sample for sample in samples if sample.is_trained_on], settings, folder / "all.pt", label="all pages")
    config = {
        "name": options.out.name,
        "version": 1,
        "feature_version": VERSION,
        "features": [*BLOCK_FEATURES, *EXTRA_FEATURES][: settings.columns],
        "edge_features": EDGE_FEATURES,
        "page_figures": PAGE_FIGURES,
        "lambda": settings.weight,
        "bias": settings.bias,
        "furniture_bias": settings.furniture_bias,
        "trust": learned,
        "settings": {**asdict(settings), "weights": WEIGHTS},
        "versions": versions(["torch"]),
    }
    export(options.out, nets, config)
    pages = [record for record in load_corpus("wcxb-dev", limit=options.limit) if 80_000 < len(record["html"]) < 120_000]
    figures: dict[str, Any] = {
        "cleaneval": table,
        "measured": measured(samples, answers, scores),
        "reliability": reliability(np.array([s.match.f1(a.chosen) for s, a in zip(samples, answers, strict=True)]), scores),
        "cost": cost(options.out, pages[:40]),
    }
    (folder / "figures.json").write_text(json.dumps(figures, indent=1), encoding="utf-8")
    (options.out / "CARD.md").write_text(card(options.out, settings, samples, figures), encoding="utf-8")
    print(figures_table(figures["measured"]), cleaneval_rows(table), sep="\n\n")
    tqdm.write(f"{options.out}: done; predictions for the referee in {folder / 'predictions'}")


def reliability(f1: NDArray[np.float64], scores: NDArray[np.float64]) -> list[dict[str, float]]:
    """For each tenth of the scores: pages, mean score, share of bodies with an F1 above GOOD_F1."""
    tenths = np.minimum(9, (scores * 10).astype(int))
    parts = [tenths == tenth for tenth in range(10)]
    return [
        {"pages": int(part.sum()), "score": float(scores[part].mean()), "good": float((f1[part] > GOOD_F1).mean())}
        for part in parts
        if part.any()
    ]


if __name__ == "__main__":
    from webcontent.training.web2text import main as run  # so that cached samples carry the module's own name

    run()
