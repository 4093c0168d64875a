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
import time
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from webcontent.document.features import (
    CLASS_NAME_FEATURES,
    FEATURES,
    SCORE_FEATURES,
    VERSION,
    BlockGroups,
    ClassNameTokens,
    FeatureContext,
    block_groups,
    class_name_features,
    class_name_tokens,
    features,
    score_features,
)
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import DATA_HELP, checksum, load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.extractors.fusion import ALL, EMPTY, FIRST, MODEL, PAGE_FIGURES, chance, decode, page_figures
from webcontent.items import Page
from webcontent.models import Model
from webcontent.training.fusion_card import card, draw_reliability
from webcontent.training.labels import GoldMatch
from webcontent.training.trees import onnx_of_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record

# ------------------------------------------------------------------------------------------------------------ settings
WEIGHTS = {"wcxb-dev": 1.0, "zh-gold-dev": 5.0, "zh-silver": 3.0, "fundus-dev": 3.0, "l3s-gn1": 2.0, "cleaneval": 1.0}
"""Corpora that are trained on, and the weight of their blocks: few Chinese pages, so they count more."""
OWN_WEIGHT = 3.0
"""Of the blocks of a user's own pages."""
JUDGED = ("traf-dev",)
"""Corpora that are only judged: they have snippets, no bodies."""
FOLDS = 5
CACHE = Path(tempfile.gettempdir()) / "webcontent-fusion"
TOLERANCE = 1e-4
"""By so much the graph may differ from LightGBM."""
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
    first_trees: int = 140
    second_trees: int = 120
    first: tuple[dict[str, Any], ...] = (
        {"learning_rate": 0.11, "num_leaves": 63, "min_data_in_leaf": 60},
        {"learning_rate": 0.11, "num_leaves": 63, "min_data_in_leaf": 60, "feature_fraction": 0.25},
    )
    """Models of the first stage; their raw values are averaged."""
    second: tuple[dict[str, Any], ...] = (
        {"learning_rate": 0.06, "num_leaves": 31, "min_data_in_leaf": 100},
        {"learning_rate": 0.06, "num_leaves": 31, "min_data_in_leaf": 100, "feature_fraction": 0.25},
    )
    """Models of the second stage, averaged alike."""
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
    weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    """Corpora and the weight of their blocks."""

    @property
    def checksum(self) -> str:
        own = {name: value for name, value in asdict(self).items() if name != "weights"}
        told = json.dumps([own, FEATURES, CLASS_NAME_FEATURES, SCORE_FEATURES, VERSION, self.weights], sort_keys=True)
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
    shape: BlockGroups | None
    """None: a page without text."""
    naming: ClassNameTokens | None
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
        edited = (checksum(name),) if name not in (*WEIGHTS, *JUDGED) else ()  # a user's own pages change
        version = hashlib.sha256(repr((name, limit, FEATURES, VERSION, ClassNameTokens.__slots__, *edited)).encode()).hexdigest()[:12]
        path = cache / f"{Path(name).name}-{version}.pickle"
        if not path.exists():
            records = tqdm(load_corpus(name, limit=limit), desc=name, unit="page", mininterval=5)
            found = [_sample(name, record) for record in records if name in JUDGED or record["gold"].get("body") is not None]
            path.write_bytes(pickle.dumps(found, pickle.HIGHEST_PROTOCOL))
        samples += pickle.loads(path.read_bytes())  # noqa: S301  (our own file)
    return samples


def _sample(corpus: str, record: Record) -> Sample:
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]
    frame = FeatureContext(document) if len(blocks) else None
    return Sample(
        id=record["id"],
        corpus=corpus,
        site=record["site"],
        kind=record.get("type", ""),
        language=record.get("lang", ""),
        url=record["url"],
        texts=blocks.texts,
        x=features(document, frame),
        shape=block_groups(frame) if frame else None,
        naming=class_name_tokens(frame) if frame else None,
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
        assert naming is not None
        assert match is not None
        assert sample.shape is not None
        words, spine = np.minimum(sample.shape.words, 60), naming.spine
        total = np.bincount(spine.block, weights=words, minlength=len(spine.rows))
        good = np.bincount(spine.block, weights=words * match.labels, minlength=len(spine.rows))
        for level in reversed(spine.depths):
            np.add.at(total, spine.parent[level], total[level])
            np.add.at(good, spine.parent[level], good[level])
        bears = [[self.codes.setdefault(token, len(self.codes)) for token in tokens] for tokens in naming.tokens]
        codes = np.array(list(chain.from_iterable(bears[name] for name in naming.name.tolist())), np.int64)
        row = np.repeat(np.arange(len(spine.rows)), [len(bears[name]) for name in naming.name.tolist()])
        found, place = np.unique(codes, return_inverse=True)
        shares = np.bincount(place, weights=good[row]) / np.bincount(place, weights=total[row])
        return dict(zip(found.tolist(), shares.tolist(), strict=True))

    def weights(self, settings: Settings, without: set[int] = frozenset()) -> dict[str, float]:  # type: ignore[assignment]
        """Log odds of each token against the prior, learned without some folds."""
        kept = [fold for fold in range(FOLDS) if fold not in without]
        sums, sites = self.sums[kept].sum(axis=0), self.sites[kept].sum(axis=0)
        share = (sums + settings.name_prior * settings.name_strength) / (sites + settings.name_strength)
        odds = np.log(share / (1 - share)) - np.log(settings.name_prior / (1 - settings.name_prior))
        names = list(self.codes)
        telling = (sites >= settings.name_sites) & (np.abs(odds) >= 0.1)
        return {names[i]: round(float(odds[i]), 2) for i in np.flatnonzero(telling).tolist()}


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
            self.weight[rows] = np.sqrt(sample.shape.words) * settings.weights[sample.corpus]
            count = len(sample)
            self.drawn[rows] = True if count <= settings.page_blocks else random.permutation(count) < settings.page_blocks
        self.weight /= self.weight[self.drawn].mean()


class FirstInputs:
    """What the first stage learns from: features, and class words learned without the fold that is judged and the page's own."""

    def __init__(self, samples: Sequence[Sample], names: NameStatistics, settings: Settings) -> None:
        self.samples, self.names, self.settings = samples, names, settings
        self._own = np.concatenate([sample.x for sample in samples])
        self._named: dict[int | None, NDArray[np.float32]] = {}

    def __call__(self, fold: int | None) -> NDArray[np.float32]:
        """The matrix for a judged fold; None: for the model of all pages."""
        if fold not in self._named:
            left_out = set() if fold is None else {fold}
            weights = [self.names.weights(self.settings, {own, *left_out}) for own in range(FOLDS)]
            nothing = np.zeros((0, len(CLASS_NAME_FEATURES)), np.float32)
            parts = [class_name_features(page.naming, weights[page.fold]) if page.naming else nothing for page in self.samples]
            self._named[fold] = np.concatenate(parts)
        return np.hstack((self._own, self._named[fold]))


def second_inputs(samples: Sequence[Sample], rows: Rows, probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the first stage says around each block."""
    pages = zip(samples, rows.slices, strict=True)
    return np.concatenate([score_features(sample.shape, probabilities[part]) for sample, part in pages if sample.shape])


def train(x: NDArray[np.float32], rows: Rows, kept: NDArray[np.bool_], parameters: dict[str, Any], trees: int) -> lgb.Booster:
    """Boosted trees on the drawn rows that are kept."""
    chosen = kept & rows.drawn
    data = lgb.Dataset(x[chosen], rows.label[chosen], weight=rows.weight[chosen], free_raw_data=True)
    return lgb.train(parameters, data, trees)


def train_stage(
    stage: str, inputs: Callable[[int | None], NDArray[np.float32]], rows: Rows, settings: Settings, folder: Path, threads: int
) -> tuple[NDArray[np.float32], list[lgb.Booster]]:
    """Out-of-fold probabilities of all blocks, and the models of all pages. `inputs(fold)`: the matrix for a judged fold."""
    members, trees = (settings.first, settings.first_trees) if stage == "first" else (settings.second, settings.second_trees)
    raw = np.zeros(rows.total)
    boosters: list[lgb.Booster] = []
    for fold in [*range(FOLDS), None]:
        judged = rows.fold == (-1 if fold is None else fold)
        for number, own in enumerate(members):
            label = f"{stage}-{number}-{'all' if fold is None else fold}"
            parameters = {**settings.common, **own, "seed": settings.seed + number, "num_threads": threads}
            booster, found = _train_or_load(folder / label, inputs, fold, judged, rows, parameters, trees)
            raw[judged] += found / len(members)
            boosters += [booster] if fold is None else []
            tqdm.write(f"{label}: done")
    return (1 / (1 + np.exp(-raw))).astype(np.float32), boosters


def _train_or_load(
    path: Path,
    inputs: Callable[[int | None], NDArray[np.float32]],
    fold: int | None,
    judged: NDArray[np.bool_],
    rows: Rows,
    parameters: dict[str, Any],
    trees: int,
) -> tuple[lgb.Booster, NDArray[np.float64]]:
    """A model and its raw values for the judged fold (none for all pages), from the files where they were made before."""
    model, values = path.with_suffix(".txt"), path.with_suffix(".npy")
    if not (model.exists() and values.exists()):
        x = inputs(fold)
        booster = train(x, rows, ~judged, parameters, trees)
        found = booster.predict(x[judged], raw_score=True, num_threads=1) if judged.any() else np.zeros(0)
        np.save(values, np.asarray(found, np.float64))
        booster.save_model(model)
    found_values: NDArray[np.float64] = np.load(values)
    return lgb.Booster(model_file=model), found_values


# ------------------------------------------------------------------------------------------------------------- answers
@dataclass(slots=True)
class Answers:
    """What the model says of pages whose sites it has not seen: out-of-fold, a row a sample."""

    chosen: list[NDArray[np.bool_]]
    """Blocks of the body; none where the empty answer is the better bet."""
    figures: NDArray[np.float64]
    """PAGE_FIGURES; zeros for a page without text."""
    f1: NDArray[np.float64]
    """Of the body; NaN where there is no gold body."""
    empty: NDArray[np.float64]
    """Chance that the page has no main text."""
    score: NDArray[np.float64]
    """Calibrated chance that the body's F1 is above GOOD_F1."""


def answer(samples: Sequence[Sample], rows: Rows, probabilities: NDArray[np.float32]) -> tuple[Answers, dict[str, Any]]:
    """The answers, and the two page models (`empty` and `trust`) learned from all pages; the answers' own are out of fold."""
    chosen: list[NDArray[np.bool_]] = []
    figures = np.zeros((len(samples), len(PAGE_FIGURES)))
    for i, (sample, part) in enumerate(zip(samples, rows.slices, strict=True)):
        chosen.append(decode(probabilities[part], sample.shape.words) if sample.shape else np.zeros(0, np.bool_))
        if sample.shape:
            figures[i] = page_figures(probabilities[part], sample.shape.words, chosen[i])
    folds = np.array([sample.fold for sample in samples])
    judged = np.array([sample.match is not None and sample.shape is not None for sample in samples])
    no_gold = np.array([sample.match is not None and not sample.match.wanted.sum() for sample in samples])
    empty, empty_model = _chances(figures, no_gold, folds, judged, monotone=False)
    for i in np.flatnonzero(empty > EMPTY).tolist():
        chosen[i] = np.zeros(len(samples[i]), np.bool_)
    f1 = np.array([s.match.f1(blocks) if s.match else np.nan for s, blocks in zip(samples, chosen, strict=True)])
    kept = judged & np.array([bool(blocks.any()) for blocks in chosen])
    score, trust_model = _chances(figures, f1 > GOOD_F1, folds, kept, monotone=True)
    score = np.where([bool(blocks.any()) for blocks in chosen], score, np.where(judged, empty, 0.0))
    return Answers(chosen, figures, f1, empty, score), {"empty": empty_model, "trust": trust_model}


def _chances(
    figures: NDArray[np.float64], targets: NDArray[np.bool_], folds: NDArray[np.int64], kept: NDArray[np.bool_], *, monotone: bool
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Out-of-fold chances of a target, and what is learned from all kept pages: a logistic regression, then a monotone correction."""
    raw = np.zeros(len(figures))
    for fold in range(FOLDS):
        part = kept & (folds != fold)
        raw[folds == fold] = chances_of(figures[folds == fold], _logistic(figures[part], targets[part]))
    learned = _logistic(figures[kept], targets[kept])
    if not monotone:
        return raw, learned
    corrected = np.zeros(len(figures))
    for fold in range(FOLDS):
        part = kept & (folds != fold)
        corrected[folds == fold] = np.interp(raw[folds == fold], *_monotone(raw[part], targets[part]))
    grid, values = _monotone(raw[kept], targets[kept])
    return corrected, {**learned, "raw": grid.round(4).tolist(), "corrected": values.round(4).tolist()}


def _logistic(figures: NDArray[np.float64], targets: NDArray[np.bool_]) -> dict[str, Any]:
    """A logistic regression, written for the figures as they are."""
    if targets.all() or not targets.any():
        return {"weights": [0.0] * figures.shape[1], "bias": 9.0 if targets.all() else -9.0, "raw": [0.0, 1.0], "corrected": [0.0, 1.0]}
    mean, spread = figures.mean(axis=0), np.maximum(1e-6, figures.std(axis=0))
    model = LogisticRegression(C=0.1, max_iter=5000).fit((figures - mean) / spread, targets)
    weights = model.coef_[0] / spread
    return {"weights": weights.tolist(), "bias": float(model.intercept_[0] - weights @ mean), "raw": [0.0, 1.0], "corrected": [0.0, 1.0]}


def chances_of(figures: NDArray[np.float64], learned: dict[str, Any]) -> NDArray[np.float64]:
    """`extractors.fusion.chance` of many pages."""
    return np.array([chance(row.tolist(), learned) for row in figures])


def _monotone(raw: NDArray[np.float64], targets: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A monotone curve from raw to observed chances on an even grid, never quite 0 or 1."""
    grid = np.linspace(0, 1, 21)
    curve = IsotonicRegression(out_of_bounds="clip").fit(raw, targets)
    smooth = np.convolve(np.pad(curve.predict(np.linspace(0, 1, 201)), 5, mode="edge"), np.full(11, 1 / 11), "valid")[::10]
    return grid, np.clip(smooth, 0.01, 0.99)


# -------------------------------------------------------------------------------------------------------------- figures
def snippet_counts(sample: Sample, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Wanted found, unwanted found, wanted missed."""
    text = " ".join(" ".join(sample.texts[i].split()) for i in np.flatnonzero(chosen))
    wanted, unwanted = (sum(" ".join(snippet.split()) in text for snippet in snippets) for snippets in sample.snippets)
    return np.array([wanted, unwanted, len(sample.snippets[0]) - wanted])


def measured(samples: Sequence[Sample], answers: Answers) -> list[dict[str, Any]]:
    """A row for each corpus, and for each kind of page and language of many pages: word F1, its spread over folds, score."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, sample in enumerate(samples):
        for name in ("all", sample.kind, sample.language[:2].lower()):
            if name:
                groups.setdefault((sample.corpus, name), []).append(i)
    rows = []
    for (corpus, name), places in groups.items():
        if name != "all" and (len(places) < 20 or len(places) == len(groups[corpus, "all"])):
            continue
        row: dict[str, Any] = {"corpus": corpus, "pages": name, "count": len(places)}
        if corpus in JUDGED:
            found, wrong, missed = np.sum([snippet_counts(samples[i], answers.chosen[i]) for i in places], axis=0)
            row["snippets"] = 2 * found / (2 * found + wrong + missed)
        else:
            values = answers.f1[places]
            by_fold = [values[[samples[i].fold == fold for i in places]] for fold in range(FOLDS)]
            spread = float(np.std([fold.mean() for fold in by_fold if len(fold)]))
            row |= {"f1": values.mean(), "spread": spread, "good": (values > GOOD_F1).mean(), "score": answers.score[places].mean()}
        rows.append(row)
    return rows


def reliability(samples: Sequence[Sample], answers: Answers) -> list[dict[str, float]]:
    """For each tenth of the scores: pages, mean score, share of bodies with an F1 above GOOD_F1."""
    judged = np.array([sample.match is not None for sample in samples])
    rows = []
    for tenth in range(10):
        part = judged & (np.minimum(9, (answers.score * 10).astype(int)) == tenth)
        if part.any():
            good = float((answers.f1[part] > GOOD_F1).mean())
            rows.append({"pages": int(part.sum()), "score": float(answers.score[part].mean()), "good": good})
    return rows


def write_predictions(samples: Sequence[Sample], answers: Answers, folder: Path) -> None:
    """A file for each corpus, for the referee: an object a line with id, body, score."""
    folder.mkdir(exist_ok=True)
    files: dict[str, list[str]] = {}
    for sample, chosen, score in zip(samples, answers.chosen, answers.score, strict=True):
        body = "\n".join(sample.texts[i] for i in np.flatnonzero(chosen))
        line = json.dumps({"id": sample.id, "body": body, "score": round(float(score), 4)}, ensure_ascii=False)
        files.setdefault(sample.corpus, []).append(line)
    for corpus, lines in files.items():
        (folder / f"{Path(corpus).name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


# --------------------------------------------------------------------------------------------------------------- export
REFERENCE_HTML = """<html><head><title>Bridge reopens - Example</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<article class="post"><h1>Bridge reopens</h1><p class="byline">By A. Writer</p>
<p>The old bridge over the river reopened on Monday after two years of repairs, and the first carts crossed it before noon.</p>
<p>Shopkeepers on both banks said that they had waited long for this day; the town paid for the work with a loan.</p></article>
<aside class="sidebar"><h2>Related</h2><ul><li><a href="/a">Market day moved</a></li><li><a href="/b">Mill for sale</a></li></ul></aside>
<footer>Copyright Example. All rights reserved.</footer></body></html>"""


def export(folder: Path, first: Sequence[lgb.Booster], second: Sequence[lgb.Booster], config: dict[str, Any]) -> None:
    """Writes model.onnx, config.json and reference.json; the graph is checked against LightGBM on the reference page."""
    graph = onnx_of_stages(list(first), list(second), ALL, name=folder.name)
    weights = graph.SerializeToString()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(weights)
    config = {"sha256": hashlib.sha256(weights).hexdigest(), **config}
    (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    (folder / "reference.json").write_text(json.dumps(_reference(Model(folder), first, second)) + "\n", encoding="utf-8")


def _reference(model: Model, first: Sequence[lgb.Booster], second: Sequence[lgb.Booster]) -> dict[str, Any]:
    """The reference page, its features and what both stages say of it. ValueError where the graph differs from LightGBM."""
    document = Document.from_page(Page(html=REFERENCE_HTML))
    frame = FeatureContext(document)
    x = np.zeros((frame.count, ALL), np.float32)
    x[:, :FIRST] = np.hstack((features(document, frame), class_name_features(class_name_tokens(frame), model.config["names"])))
    said = model.run(features=x, second=np.array(False))[0][:, 0]
    x[:, FIRST:] = score_features(block_groups(frame), said)
    said_second = model.run(features=x, second=np.array(True))[0][:, 0]
    for found, boosters, columns in ((said, first, FIRST), (said_second, second, ALL)):
        raw = np.mean([booster.predict(x[:, :columns], raw_score=True) for booster in boosters], axis=0)
        gap = float(np.abs(found - 1 / (1 + np.exp(-raw))).max())
        if gap > TOLERANCE:
            raise ValueError(f"The graph differs from LightGBM by {gap:.2g}.")
    return {"html": REFERENCE_HTML, "features": x.round(5).tolist(), "first": said.tolist(), "second": said_second.tolist()}


def cost(model: Model, x: NDArray[np.float32], blocks: int = 300) -> dict[str, float]:
    """CPU milliseconds of both stages for a page of so many blocks; `x`: features of some real ones."""
    rows = np.zeros((blocks, ALL), np.float32)
    rows[:, : x.shape[1]] = np.resize(x, (blocks, x.shape[1]))
    model.run(features=rows, second=np.array(True))
    started, rounds = time.process_time(), 20
    for _ in range(rounds):
        for second in (False, True):
            model.run(features=rows, second=np.array(second))
    return {"ms": (time.process_time() - started) / rounds * 1e3, "blocks": blocks}


# -------------------------------------------------------------------------------------------------------------- command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.fusion", description="Train the default extractor's model.")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where pages and folds are kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[2] / "models" / MODEL, help="the model folder")
    parser.add_argument("--limit", type=int, help="pages of each corpus, spread evenly (default: all)")
    parser.add_argument("--trees", type=int, nargs=2, help="of the first and the second stage (default: as in Settings)")
    parser.add_argument("--data", action="append", default=[], metavar="DIR", help=f"your own pages, beside the corpora: {DATA_HELP}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    trees = dict(zip(("first_trees", "second_trees"), options.trees, strict=True)) if options.trees else {}
    settings = Settings(seed=options.seed, limit=options.limit, weights={**WEIGHTS, **dict.fromkeys(options.data, OWN_WEIGHT)}, **trees)
    folder = options.cache / settings.checksum
    folder.mkdir(parents=True, exist_ok=True)
    samples = read_samples((*settings.weights, *JUDGED), options.cache, settings.limit)
    rows, names = Rows(samples, settings), NameStatistics(samples)

    first_inputs = FirstInputs(samples, names, settings)
    first, first_models = train_stage("first", first_inputs, rows, settings, folder, options.threads)
    scored = second_inputs(samples, rows, first)

    def both_inputs(fold: int | None) -> NDArray[np.float32]:
        return np.hstack((first_inputs(fold), scored))

    second, second_models = train_stage("second", both_inputs, rows, settings, folder, options.threads)
    answers, page_models = answer(samples, rows, second)
    write_predictions(samples, answers, folder / "predictions")
    config = {
        "name": options.out.name,
        "version": 1,
        "feature_version": VERSION,
        "features": [*FEATURES, *CLASS_NAME_FEATURES, *SCORE_FEATURES],
        "page_figures": PAGE_FIGURES,
        **page_models,
        "settings": {**asdict(settings), "weights": {Path(name).name: weight for name, weight in settings.weights.items()}},
        "versions": {"lightgbm": lgb.__version__, "numpy": np.__version__},
        "names": names.weights(settings),
    }
    export(options.out, first_models, second_models, config)
    stages = {"first": first, "second": second}
    figures: dict[str, Any] = {
        "stages": {name: body_figures(samples, rows, found) for name, found in stages.items()},
        "measured": measured(samples, answers),
        "reliability": reliability(samples, answers),
        "cost": cost(Model(options.out), np.concatenate([sample.x for sample in samples[:: max(1, len(samples) // 50)]])),
    }
    (folder / "figures.json").write_text(json.dumps(figures, indent=1), encoding="utf-8")
    (options.out / "CARD.md").write_text(card(options.out, settings, samples, figures), encoding="utf-8")
    draw_reliability(figures["reliability"], options.out / "calibration.png")
    tqdm.write(f"{options.out}: done; predictions for the referee in {folder / 'predictions'}")


def body_figures(samples: Sequence[Sample], rows: Rows, probabilities: NDArray[np.float32]) -> dict[str, float]:
    """Mean word F1 of each corpus where every page gets an answer: what the stages give before the choice of empty answers."""
    found: dict[str, list[float]] = {}
    for sample, part in zip(samples, rows.slices, strict=True):
        if sample.match is not None:
            chosen = decode(probabilities[part], sample.shape.words) if sample.shape else np.zeros(0, np.bool_)
            found.setdefault(sample.corpus, []).append(sample.match.f1(chosen))
    return {name: float(np.mean(values)) for name, values in found.items()}


if __name__ == "__main__":
    from webcontent.training.fusion import main as run  # so that cached samples carry the module's own name

    run()
