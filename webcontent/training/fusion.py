"""Trains the default extractor's models: python -m webcontent.training.fusion

Pages with gold bodies -> features and soft labels (cached) -> boosted trees, five folds by site over all corpora together
-> the same with the first stage's scores of each block's surroundings -> a calibrated trust in each answer -> ONNX, card.
A run that was stopped goes on where it was: pages, folds and models are kept under --cache, by the settings' checksum.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
from tqdm import tqdm

from webcontent.corpus import fold_of, load_corpus
from webcontent.document.features import (
    FEATURES,
    NAMING_FEATURES,
    SCORE_FEATURES,
    VERSION,
    Frame,
    Naming,
    Shape,
    features,
    name_tokens,
    naming_features,
    naming_of,
    score_features,
    shape_of,
)
from webcontent.document.parsing import Document
from webcontent.extractors.fusion import PAGE_FIGURES, decode, page_figures
from webcontent.items import Page
from webcontent.training.labels import GoldMatch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.corpus import Record

# ------------------------------------------------------------------------------------------------------------ settings
WEIGHTS = {"wcxb-dev": 1.0, "zh-gold-dev": 5.0, "zh-silver": 3.0, "fundus-dev": 3.0, "l3s-gn1": 2.0, "cleaneval": 1.0}
"""Corpora that are trained on, and the weight of their blocks: few Chinese pages, so they count more."""
JUDGED = ("traf-dev",)
"""Corpora that are only judged: they have snippets, no bodies."""
FOLDS = 5
GOOD_F1 = 0.9
"""The score is the chance that a body's word F1 is above this."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run depends on beside the corpora and the code of the features."""

    seed: int = 1
    limit: int | None = None
    """Pages of each corpus, spread evenly; None: all."""
    page_blocks: int = 300
    """At most so many blocks of a page are trained on, drawn at random."""
    first_trees: int = 160
    second_trees: int = 120
    first: dict[str, Any] = field(default_factory=lambda: {"learning_rate": 0.1, "num_leaves": 63, "min_data_in_leaf": 60})
    second: dict[str, Any] = field(default_factory=lambda: {"learning_rate": 0.06, "num_leaves": 31, "min_data_in_leaf": 100})
    common: dict[str, Any] = field(
        default_factory=lambda: {
            "objective": "cross_entropy",
            "max_bin": 63,
            "feature_fraction": 0.3,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "lambda_l2": 2.0,
            "force_col_wise": True,
            "deterministic": True,
            "verbose": -1,
        }
    )
    name_prior: float = 0.3
    """Share of main text that a class word is taken to mean before it was seen ..."""
    name_strength: float = 3.0
    """... as if it had been seen on so many sites."""
    name_sites: int = 4
    """Class words of fewer sites are not learned."""

    @property
    def checksum(self) -> str:
        told = json.dumps([asdict(self), FEATURES, NAMING_FEATURES, SCORE_FEATURES, VERSION, WEIGHTS], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:12]


# --------------------------------------------------------------------------------------------------------------- pages
@dataclass(slots=True)
class Sample:
    """A page, read once: everything that training and judging need of it."""

    id: str
    corpus: str
    site: str
    kind: str
    language: str
    url: str
    texts: list[str]
    x: NDArray[np.float32]
    shape: Shape | None
    """None: a page without text."""
    naming: Naming | None
    match: GoldMatch | None
    """None: no gold body."""
    snippets: tuple[list[str], list[str]]

    @property
    def fold(self) -> int:
        return fold_of(self.site)

    def __len__(self) -> int:
        return len(self.texts)


def read_samples(names: Sequence[str], cache: Path, limit: int | None) -> list[Sample]:
    """The samples of the corpora, from the cache where they were read before with the same features."""
    samples: list[Sample] = []
    for name in names:
        version = hashlib.sha256(repr((name, limit, FEATURES, VERSION)).encode()).hexdigest()[:12]
        path = cache / f"{name}-{version}.pickle"
        if not path.exists():
            records = tqdm(load_corpus(name, limit=limit), desc=name, unit="page", mininterval=5)
            found = [_sample(name, record) for record in records if name in JUDGED or record["gold"].get("body") is not None]
            path.write_bytes(pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
        samples += pickle.loads(path.read_bytes())  # noqa: S301  (our own file)
    return samples


def _sample(corpus: str, record: Record) -> Sample:
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]
    frame = Frame(document) if len(blocks) else None
    return Sample(
        id=record["id"],
        corpus=corpus,
        site=record["site"],
        kind=record.get("type", ""),
        language=record.get("lang", ""),
        url=record["url"],
        texts=blocks.texts,
        x=features(document, frame),
        shape=shape_of(frame) if frame else None,
        naming=naming_of(frame) if frame else None,
        match=GoldMatch(blocks.texts, gold["body"]) if gold.get("body") is not None else None,
        snippets=(gold.get("with") or [], gold.get("without") or []),
    )


# --------------------------------------------------------------------------------------------------------- class words
class NameStatistics:
    """How much of the text under each class word is main text: sums by fold, so that any folds can be left out."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self.codes: dict[str, int] = {}
        by_site: dict[str, list[dict[int, float]]] = {}
        for sample in samples:
            if sample.match is not None and sample.naming is not None:
                by_site.setdefault(sample.site, []).append(self._shares(sample))
        self.sums = np.zeros((FOLDS, len(self.codes)))
        self.sites = np.zeros((FOLDS, len(self.codes)))
        for site, pages in by_site.items():
            together: dict[int, list[float]] = {}
            for page in pages:
                for code, share in page.items():
                    together.setdefault(code, []).append(share)
            for code, shares in together.items():
                self.sums[fold_of(site), code] += np.mean(shares)
                self.sites[fold_of(site), code] += 1

    def _shares(self, sample: Sample) -> dict[int, float]:
        """For each token the share of main text in the elements that bear it; long blocks count as 60 words."""
        naming, match = sample.naming, sample.match
        assert naming is not None and match is not None and sample.shape is not None
        words = np.minimum(sample.shape.words, 60)
        rows = len(naming.names)
        total = np.bincount(naming.element, weights=words, minlength=rows)
        good = np.bincount(naming.element, weights=words * match.labels, minlength=rows)
        for children, parents in reversed(naming.steps):
            np.add.at(total, parents, total[children])
            np.add.at(good, parents, good[children])
        sums: dict[int, list[float]] = {}
        for row in np.flatnonzero(total > 0).tolist():
            for token in name_tokens(naming.names[row]) if naming.names[row] else ():
                pair = sums.setdefault(self.codes.setdefault(token, len(self.codes)), [0.0, 0.0])
                pair[0] += good[row]
                pair[1] += total[row]
        return {code: pair[0] / pair[1] for code, pair in sums.items()}

    def weights(self, settings: Settings, without: set[int] = frozenset()) -> dict[str, float]:  # type: ignore[assignment]
        """Log odds of each token against the prior, learned without some folds."""
        kept = [fold for fold in range(FOLDS) if fold not in without]
        sums, sites = self.sums[kept].sum(axis=0), self.sites[kept].sum(axis=0)
        share = (sums + settings.name_prior * settings.name_strength) / (sites + settings.name_strength)
        odds = np.log(share / (1 - share)) - np.log(settings.name_prior / (1 - settings.name_prior))
        names = list(self.codes)
        return {names[i]: round(float(odds[i]), 2) for i in np.flatnonzero((sites >= settings.name_sites) & (np.abs(odds) >= 0.1)).tolist()}


# -------------------------------------------------------------------------------------------------------------- stages
class Rows:
    """The samples' blocks one after the other: labels, weights, folds, and which are drawn for training."""

    def __init__(self, samples: Sequence[Sample], settings: Settings) -> None:
        counts = [len(sample) for sample in samples]
        ends = np.cumsum(counts)
        self.slices = [slice(int(end) - count, int(end)) for end, count in zip(ends, counts, strict=True)]
        self.total = int(ends[-1])
        self.fold = np.repeat([sample.fold for sample in samples], counts)
        self.label = np.zeros(self.total, np.float32)
        self.weight = np.zeros(self.total, np.float32)
        self.drawn = np.zeros(self.total, np.bool_)
        random = np.random.default_rng(settings.seed)
        for sample, rows in zip(samples, self.slices, strict=True):
            if sample.match is None or sample.shape is None:
                continue
            self.label[rows] = sample.match.labels
            self.weight[rows] = np.sqrt(sample.shape.words) * WEIGHTS[sample.corpus]
            count = len(sample)
            self.drawn[rows] = True if count <= settings.page_blocks else random.permutation(count) < settings.page_blocks
        self.weight /= self.weight[self.drawn].mean()


def first_inputs(samples: Sequence[Sample], names: NameStatistics, settings: Settings, fold: int | None) -> NDArray[np.float32]:
    """Features of all blocks; class words learned without the fold that is judged and without the page's own."""
    weights = {own: names.weights(settings, {own} if fold is None else {own, fold}) for own in range(FOLDS)}
    parts = []
    for sample in samples:
        named = naming_features(sample.naming, weights[sample.fold]) if sample.naming else np.zeros((0, len(NAMING_FEATURES)), np.float32)
        parts.append(np.hstack((sample.x, named)))
    return np.concatenate(parts)


def second_inputs(samples: Sequence[Sample], rows: Rows, probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the first stage says around each block."""
    parts = [score_features(sample.shape, probabilities[part]) for sample, part in zip(samples, rows.slices, strict=True) if sample.shape]
    return np.concatenate(parts)


def train(x: NDArray[np.float32], rows: Rows, kept: NDArray[np.bool_], own: dict[str, Any], trees: int, settings: Settings, threads: int) -> lgb.Booster:
    """Boosted trees on the drawn rows that are kept."""
    chosen = kept & rows.drawn
    data = lgb.Dataset(x[chosen], rows.label[chosen], weight=rows.weight[chosen], free_raw_data=True)
    return lgb.train({**settings.common, **own, "seed": settings.seed, "num_threads": threads}, data, trees)


def train_stage(
    stage: str, inputs: Any, rows: Rows, settings: Settings, folder: Path, threads: int
) -> tuple[NDArray[np.float32], lgb.Booster]:
    """Out-of-fold probabilities of all blocks, and the model of all pages. `inputs(fold)`: the matrix for a judged fold."""
    own, trees = (settings.first, settings.first_trees) if stage == "first" else (settings.second, settings.second_trees)
    result = np.zeros(rows.total, np.float32)
    for fold in [*range(FOLDS), None]:
        path = folder / f"{stage}-{'all' if fold is None else fold}.txt"
        stored = folder / f"{stage}-{fold}.npy"
        judged = rows.fold == (-1 if fold is None else fold)
        if not path.exists() or (fold is not None and not stored.exists()):
            x = inputs(fold)
            booster = train(x, rows, ~judged, own, trees, settings, threads)
            if fold is not None:
                np.save(stored, booster.predict(x[judged], num_threads=threads).astype(np.float32))
            booster.save_model(path)
        if fold is not None:
            result[judged] = np.load(stored)
        tqdm.write(f"{stage} stage, {'all pages' if fold is None else f'fold {fold}'}: done")
    return result, lgb.Booster(model_file=path)


# -------------------------------------------------------------------------------------------------------------- command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.fusion", description="Train the default extractor's models.")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "webcontent-fusion", help="where pages and folds are kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[2] / "models", help="folder of the model folders")
    parser.add_argument("--limit", type=int, help="pages of each corpus, spread evenly (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    settings = Settings(seed=options.seed, limit=options.limit)
    options.cache.mkdir(parents=True, exist_ok=True)
    folder = options.cache / settings.checksum
    folder.mkdir(exist_ok=True)
    samples = read_samples((*WEIGHTS, *JUDGED), options.cache, settings.limit)
    rows, names = Rows(samples, settings), NameStatistics(samples)
    first, first_model = train_stage("first", lambda fold: first_inputs(samples, names, settings, fold), rows, settings, folder, options.threads)
    scored = second_inputs(samples, rows, first)
    second, second_model = train_stage(
        "second",
        lambda fold: np.hstack((first_inputs(samples, names, settings, fold), scored)),
        rows, settings, folder, options.threads,
    )  # fmt: skip
    for stage, found in (("first", first), ("second", second)):
        print(stage, body_figures(samples, rows, found))


def body_figures(samples: Sequence[Sample], rows: Rows, probabilities: NDArray[np.float32]) -> dict[str, float]:
    """Mean word F1 of each corpus, and of each kind of page in the first."""
    found: dict[str, list[float]] = {}
    for sample, part in zip(samples, rows.slices, strict=True):
        if sample.match is None:
            continue
        chosen = decode(probabilities[part], sample.shape.words) if sample.shape else np.zeros(0, np.bool_)
        value = sample.match.f1(chosen)
        found.setdefault(sample.corpus, []).append(value)
        if sample.corpus == next(iter(WEIGHTS)):
            found.setdefault(f"{sample.corpus} {sample.kind}", []).append(value)
    return {name: round(float(np.mean(values)), 4) for name, values in found.items()}


if __name__ == "__main__":
    main()
