"""Trains what a site's memory changes: python -m webcontent.training.sites

Pages of hosts with several pages (corpora and stored sites) -> what the default extractor says of their blocks, from models that
did not learn from their sites -> histories of drawn lengths -> boosted trees that change the log-odds of each block by what the
site's earlier pages showed; judged on hosts that they did not see; ONNX and card.

The fold models of `webcontent.training.fusion` are needed (its --cache). Pages are kept under --cache with what was said of them,
so a second run takes a few minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import pickle
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
from tqdm import tqdm

from webcontent.document.features import (
    FEATURES,
    FeatureContext,
    block_groups,
    class_name_features,
    class_name_tokens,
    features,
    score_features,
)
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.evaluation.site_snapshots import load_snapshot, snapshot_names
from webcontent.extraction import BODY, Extraction
from webcontent.extractors.fusion import ALL, FIRST, decode
from webcontent.fields.body import _captions, _end_of_first_story, _without_comments
from webcontent.fields.page_signals import PageSignals
from webcontent.history.host import FEATURE_VERSION, HISTORY_FEATURES, MAX_BLOCKS, HostProfile, host_of
from webcontent.history.prior import MODEL, changed_probabilities
from webcontent.items import ARTICLE, LIST, Page, PageType
from webcontent.pagetype import classify_document
from webcontent.training import export, fusion
from webcontent.training.labels import GoldMatch
from webcontent.training.sites_card import card
from webcontent.training.trees import onnx_of_boosters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.document.fingerprints import Fingerprints
    from webcontent.evaluation.corpora import Record

CORPORA = ("wcxb-dev", "zh-gold-dev", "zh-silver", "fundus-dev", "l3s-gn1", "cleaneval")
SAME_SITE = {"lcx": "lcx.cc", "linuxcn": "undefined.today", "xinghuo": "undefined.today", "wpblog": "guozhiman.github.io"}
"""Stored sites of which the corpora hold pages, or whose texts they hold: learned from and judged together."""
CACHE = Path(tempfile.gettempdir()) / "webcontent-sites"
SHOWN = (1, 2, 5, 20, 100)
"""Lengths of history that the figures are told for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run depends on beside the corpora and the code of the features."""

    seed: int = 1
    orders: dict[str, int] = field(default_factory=lambda: {"stored": 8, "corpora": 2})
    """Random orders of each host's pages."""
    histories: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 50, 100)
    """Pages that are known when some of the next ones are looked at."""
    pages: dict[str, int] = field(default_factory=lambda: {"stored": 6, "corpora": 3})
    """How many of the next ones."""
    again: int = 1
    """And so many pages that are known already: they must not get worse."""
    folds: int = 9
    trees: int = 60
    largest_change: float = 1.5
    """Log-odds after one page, and with every doubling of their number."""
    notices: int = 2
    """So many blocks of main text a page are learned a second time, as noise: as if their text had stood on nearly all pages.

    The default extractor finds most repeated texts by itself, so that the corpora hardly show the others: notices in the midst of a
    story that every page repeats.
    """
    notice_pages: int = 3
    """From so many known pages on."""
    parameters: dict[str, Any] = field(
        default_factory=lambda: {
            "objective": "cross_entropy",
            "num_leaves": 15,
            "learning_rate": 0.08,
            "min_data_in_leaf": 200,
            "feature_fraction": 0.5,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "lambda_l2": 5.0,
            "max_bin": 63,
            "deterministic": True,
            "force_col_wise": True,
            "num_threads": 1,
            "verbose": -1,
        }
    )


def direction_of(feature: str) -> int:
    """Which way a feature may only push: what was main text there before speaks for a block, what repeats against it."""
    if feature == "logit" or feature.endswith(("_gap", "_opinion")):
        return 1
    return -1 if feature in ("text_pages", "text_share") or feature.endswith("_repeats") else 0


# --------------------------------------------------------------------------------------------------------------- pages
@dataclass(slots=True)
class Sample:
    """A page, read once."""

    id: str
    corpus: str
    site: str
    """Group that folds keep together."""
    url: str
    title: str | None
    page_type: PageType
    fingerprints: Fingerprints
    probabilities: NDArray[np.float32]
    """By the page alone, from a model that did not learn from its site."""
    words: NDArray[np.float64]
    dropped: NDArray[np.bool_]
    """Blocks that no story keeps, whatever is chosen: captions, comments, what stands behind its end."""
    match: GoldMatch | None
    """None: no gold body."""

    @property
    def document(self) -> Any:
        """What a site's memory asks of a document."""
        blocks = range(len(self.words))
        return SimpleNamespace(url=self.url, blocks=blocks, fingerprints=self.fingerprints, title=self.title)

    @property
    def is_list(self) -> bool:
        """Lists are neither looked up nor learned, as in the pipeline."""
        return self.page_type.type == LIST

    def f1(self, probabilities: NDArray[np.float32]) -> float:
        """Word F1 of the body."""
        assert self.match is not None
        return self.match.f1(decode(probabilities, self.words) & ~self.dropped)


class FoldModels:
    """The default extractor's models of each fold, as its training kept them."""

    def __init__(self, cache: Path) -> None:
        settings = fusion.Settings()
        self.folder = cache / settings.checksum
        missing = [path for path in (self._path("first", 0, 0), self._path("second", 0, 0)) if not path.exists()]
        if missing:
            raise FileNotFoundError(f"{missing[0]} is missing. Make it: python -m webcontent.training.fusion --cache {cache}")
        self.members = {"first": len(settings.first), "second": len(settings.second)}
        samples = fusion.read_samples(list(fusion.WEIGHTS), cache, settings.limit)
        statistics = fusion.NameStatistics(samples)
        self.names = [statistics.weights(settings, {fold}) for fold in range(fusion.FOLDS)]
        self._boosters: dict[tuple[str, int], list[lgb.Booster]] = {}

    def _path(self, stage: str, member: int, fold: int) -> Path:
        return self.folder / f"{stage}-{member}-{fold}.txt"

    def _raw(self, stage: str, fold: int, x: NDArray[np.float32]) -> NDArray[np.float64]:
        if (stage, fold) not in self._boosters:
            paths = [self._path(stage, member, fold) for member in range(self.members[stage])]
            self._boosters[stage, fold] = [lgb.Booster(model_file=path) for path in paths]
        found = [booster.predict(x, raw_score=True, num_threads=1) for booster in self._boosters[stage, fold]]
        return np.asarray(np.mean(found, axis=0), np.float64)

    def probabilities(self, document: Document, frame: FeatureContext, fold: int) -> NDArray[np.float32]:
        """As `Fusion.probabilities`, from the models that did not learn from a fold."""
        x = np.zeros((frame.count, ALL), np.float32)
        x[:, : len(FEATURES)] = features(document, frame)
        x[:, len(FEATURES) : FIRST] = class_name_features(class_name_tokens(frame), self.names[fold])
        first = 1 / (1 + np.exp(-self._raw("first", fold, x[:, :FIRST])))
        x[:, FIRST:] = score_features(block_groups(frame), first.astype(np.float32))
        return (1 / (1 + np.exp(-self._raw("second", fold, x)))).astype(np.float32)


def read_samples(cache: Path, fusion_cache: Path, rendered: Path | None) -> list[Sample]:
    """The samples of all corpora and stored sites, from the cache where they were read before."""
    own = fusion.Settings().checksum
    made = [path.stat().st_mtime for path in (fusion_cache / own).glob("first-0-0.txt")]
    version = [own, FEATURE_VERSION, FEATURES, *made]
    mark = hashlib.sha256(repr(version).encode()).hexdigest()[:12]
    models: FoldModels | None = None
    samples: list[Sample] = []
    for name in (*CORPORA, *snapshot_names()):
        path = cache / f"{name}-{mark}.pickle"
        if not path.exists():
            models = models or FoldModels(fusion_cache)
            records = list(load_corpus(name) if name in CORPORA else load_snapshot(name, rendered=rendered))
            several = Counter(host_of(record["url"]) for record in records)
            kept = [record for record in records if several[host_of(record["url"])] > 1]
            found = [_sample(name, record, models) for record in tqdm(kept, desc=name, unit="page", mininterval=5)]
            cache.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickle.dumps([sample for sample in found if sample is not None], pickle.HIGHEST_PROTOCOL))
        samples += pickle.loads(path.read_bytes())  # noqa: S301  (our own file)
    return samples


def _sample(corpus: str, record: Record, models: FoldModels) -> Sample | None:
    """None for a page that no memory would keep."""
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    if not 0 < len(document.blocks) <= MAX_BLOCKS or not host_of(record["url"]):
        return None
    frame = FeatureContext(document)
    site = record["site"] if corpus in CORPORA else SAME_SITE.get(corpus, corpus)
    probabilities = models.probabilities(document, frame, fold_of(site))
    document.page_type = classify_document(document)
    body = record["gold"].get("body")
    return Sample(
        id=record["id"],
        corpus=corpus,
        site=site,
        url=record["url"],
        title=document.title,
        page_type=document.page_type,
        fingerprints=document.fingerprints,
        probabilities=probabilities,
        words=frame.words,
        dropped=_dropped(document, decode(probabilities, frame.words)),
        match=GoldMatch(document.blocks.texts, body) if body is not None else None,
    )


def _dropped(document: Document, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What `fields.body` takes out of a story."""
    if document.page_type is None or document.page_type.kind != ARTICLE:
        return np.zeros(len(chosen), np.bool_)
    signals = PageSignals(document, Extraction(labels=np.where(chosen, BODY, 0).astype(np.int8)))
    dropped = _captions(signals)
    dropped[_end_of_first_story(signals, chosen & ~dropped) :] = True
    return dropped | (chosen & ~_without_comments(signals, chosen))


# ----------------------------------------------------------------------------------------------------------- histories
@dataclass(slots=True)
class Case:
    """A page with what was known of its site."""

    sample: Sample
    history: int
    x: NDArray[np.float32]
    is_known: bool
    """Whether the page itself is part of the history."""

    @property
    def group(self) -> str:
        """What the figures are told for: a stored site, else the corpus."""
        return self.sample.corpus


def iter_cases(samples: Sequence[Sample], settings: Settings) -> Iterator[Case]:
    """Pages with histories: each host's pages in random orders."""
    random = np.random.default_rng(settings.seed)
    hosts: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        hosts.setdefault((sample.corpus, host_of(sample.url)), []).append(sample)
    for (corpus, _), pages in hosts.items():
        kind = "corpora" if corpus in CORPORA else "stored"
        wanted = settings.pages[kind]
        for _ in range(settings.orders[kind]):
            order = random.permutation(len(pages)).tolist()
            site = HostProfile()
            for place in range(len(pages)):
                if place in settings.histories:
                    judged = [i for i in order[place:] if pages[i].match is not None][:wanted]
                    known = [i for i in order[:place] if pages[i].match is not None][-settings.again :]
                    for i, is_known in [*((i, False) for i in judged), *((i, True) for i in known)]:
                        x = None if pages[i].is_list else site.features(pages[i].document, _logits(pages[i]), pages[i].words)
                        if x is not None:
                            yield Case(pages[i], place, x, is_known)
                page = pages[order[place]]
                if not page.is_list:
                    site.learn(page.document, page.probabilities, page.words, {})


def _logits(sample: Sample) -> NDArray[np.float64]:
    p = np.clip(sample.probabilities.astype(np.float64), 1e-6, 1 - 1e-6)
    result: NDArray[np.float64] = np.log(p / (1 - p))
    return result


# ---------------------------------------------------------------------------------------------------------------- trees
def fit(cases: Sequence[Case], settings: Settings) -> lgb.Booster:
    """Trees that change the log-odds of blocks."""
    random = np.random.default_rng(settings.seed)
    parts = [part for case in cases for part in (_rows(case), _notices(case, settings, random))]
    x, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    kept = weights > 0
    parameters = {**settings.parameters, "seed": settings.seed, "monotone_constraints": [direction_of(name) for name in HISTORY_FEATURES]}
    data = lgb.Dataset(x[kept], labels[kept], weight=weights[kept], init_score=x[kept, 0].astype(np.float64))
    return lgb.train(parameters, data, settings.trees)


Rows = tuple["NDArray[np.float32]", "NDArray[np.float32]", "NDArray[np.float64]"]
"""Features, labels, weights."""


def _rows(case: Case) -> Rows:
    assert case.sample.match is not None
    return case.x, case.sample.match.labels, np.sqrt(case.sample.words) * ~case.sample.dropped


def _notices(case: Case, settings: Settings, random: np.random.Generator) -> Rows:
    """Some blocks of main text as they would look if every page repeated them."""
    x, labels, weights = _rows(case)
    pages = x[0, HISTORY_FEATURES.index("pages")]
    places = np.flatnonzero((labels > 0.9) & (weights > 0) & (case.sample.probabilities > 0.5))
    if pages < settings.notice_pages or len(places) < 2 * settings.notices:
        return x[:0], labels[:0], weights[:0]
    chosen = random.choice(places, settings.notices, replace=False)
    share = random.uniform(0.7, 1, settings.notices)
    notices = x[chosen].copy()
    notices[:, HISTORY_FEATURES.index("text_share")] = share
    notices[:, HISTORY_FEATURES.index("text_pages")] = np.maximum(2, np.round(share * pages))
    return notices, np.zeros(settings.notices, np.float32), weights[chosen]


def cross_validate(cases: Sequence[Case], settings: Settings) -> list[float]:
    """The F1 of each case with memory, from trees that saw no page of its site; each stored site is a fold of its own."""
    folds = _folds(cases, settings)
    found = np.zeros(len(cases))
    for fold in tqdm(sorted(set(folds.tolist())), desc="folds", unit="fold", mininterval=5):
        booster = fit([case for case, own in zip(cases, folds, strict=True) if own != fold], settings)
        for place in np.flatnonzero(folds == fold).tolist():
            found[place] = f1_with_memory(cases[place], booster, settings)
    return [float(value) for value in found]


def _folds(cases: Sequence[Case], settings: Settings) -> NDArray[np.int64]:
    stored = sorted({case.sample.site for case in cases if case.sample.corpus not in CORPORA})
    return np.array([stored.index(site) if (site := case.sample.site) in stored else fold_of(site, settings.folds) for case in cases])


def f1_with_memory(case: Case, booster: lgb.Booster, settings: Settings) -> float:
    change = np.asarray(booster.predict(case.x, raw_score=True, num_threads=1))
    return case.sample.f1(changed_probabilities(case.x, change, settings.largest_change))


# -------------------------------------------------------------------------------------------------------------- figures
def measured(cases: Sequence[Case], with_memory: Sequence[float]) -> list[dict[str, Any]]:
    """A row for each group and length of history: cases, mean F1 of the body without and with memory, pages better and worse."""
    groups: dict[tuple[str, int], list[tuple[float, float]]] = {}
    known: list[tuple[float, float]] = []
    for case, found in zip(cases, with_memory, strict=True):
        pair = (case.sample.f1(case.sample.probabilities), found)
        (known if case.is_known else groups.setdefault((case.group, case.history), [])).append(pair)
    rows = [_row(group, history, pairs) for (group, history), pairs in groups.items()]
    return [*rows, _row("known already", 0, known)] if known else rows


def _row(group: str, history: int, pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    before, after = np.array(pairs).T
    shift = after - before
    return {
        "group": group,
        "history": history,
        "cases": len(pairs),
        "without": float(before.mean()),
        "with": float(after.mean()),
        "better": int((shift > 0.01).sum()),
        "worse": int((shift < -0.01).sum()),
    }


# -------------------------------------------------------------------------------------------------------------- command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.sites", description="Train what a site's memory changes.")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where pages are kept with what was said of them")
    parser.add_argument("--fusion-cache", type=Path, default=fusion.CACHE, help="the --cache of webcontent.training.fusion")
    parser.add_argument("--rendered", type=Path, help="folder that WEBCONTENT_SAVE wrote: the pages of stored sites that scripts fill")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[2] / "models" / MODEL, help="the model folder")
    parser.add_argument("--orders", type=int, nargs=2, help="random orders of each host's pages: stored, corpora (default: as in Settings)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    settings = Settings(seed=options.seed)
    if options.orders:
        settings = replace(settings, orders=dict(zip(("stored", "corpora"), options.orders, strict=True)))
    samples = read_samples(options.cache, options.fusion_cache, options.rendered)
    cases = list(iter_cases(samples, settings))
    figures = measured(cases, cross_validate(cases, settings))
    save(options.out, samples, cases, figures, settings)
    tqdm.write(f"{options.out}: done")


def save(folder: Path, samples: Sequence[Sample], cases: Sequence[Case], figures: list[dict[str, Any]], settings: Settings) -> None:
    """Writes the model folder, learned from all cases."""
    booster = fit(cases, settings)
    inputs = np.concatenate([case.x for case in cases[:: max(1, len(cases) // 200)]])
    gain = dict(zip(HISTORY_FEATURES, booster.feature_importance("gain").tolist(), strict=True))
    export.save_model(
        folder,
        onnx_of_boosters([booster], len(HISTORY_FEATURES), name=folder.name, raw=True),
        config={
            "features": list(HISTORY_FEATURES),
            "feature_version": FEATURE_VERSION,
            "largest_change": settings.largest_change,
            "settings": asdict(settings),
            "figures": figures,
        },
        inputs={"features": inputs},
        expected=[np.asarray(booster.predict(inputs, raw_score=True)).reshape(-1, 1)],
        card=card(folder.name, samples, figures, gain, settings),
        libraries=("lightgbm",),
    )


if __name__ == "__main__":
    from webcontent.training.sites import main as run  # so that cached samples carry the module's own name

    run()
