"""The pages of hosts with several pages: fingerprints, and probabilities by models that were not trained on their sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features import (
    FEATURES,
    FeatureContext,
    block_groups,
    score_features,
)
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.evaluation.site_snapshots import load_snapshot, snapshot_names
from webcontent.extractors.decoding import decode
from webcontent.extractors.fusion import FIRST, first_columns
from webcontent.fields.body import caption_blocks, first_article_end, without_comments
from webcontent.history.host import FEATURE_VERSION, MAX_BLOCKS, host_of
from webcontent.items import ARTICLE, LIST, Page
from webcontent.pagetype import classify_document
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.samples import PageSample, cached_samples, page_fields, progress
from webcontent.training.common.trees import load_boosters, mean_raw_scores, sigmoid
from webcontent.training.fusion.class_names import ClassNameStatistics
from webcontent.training.fusion.samples import read_corpus
from webcontent.training.fusion.settings import Settings as FusionSettings
from webcontent.training.fusion.stages import STAGES, model_path
from webcontent.training.history.settings import CORPORA

if TYPE_CHECKING:
    from pathlib import Path

    import lightgbm as lgb
    from numpy.typing import NDArray

    from webcontent.document.fingerprints import Fingerprints
    from webcontent.evaluation.corpora import Record
    from webcontent.items import PageType

SAME_SITE = {"lcx": "lcx.cc", "linuxcn": "undefined.today", "xinghuo": "undefined.today", "wpblog": "guozhiman.github.io"}
"""Site snapshots whose pages or texts are in the corpora, too, and the name of the site there: both are in the same fold."""


@dataclass(slots=True, kw_only=True)
class HistorySample(PageSample):
    """A page with what site history needs of it, n blocks."""

    title: str | None
    page_type: PageType
    fingerprints: Fingerprints
    probabilities: NDArray[np.float32]
    """By the page alone, from a model that was not trained on its site."""
    words: NDArray[np.float64]
    is_dropped: NDArray[np.bool_]
    """Blocks that are never part of the body of an article: captions, comments, what follows its end."""
    match: GoldMatch | None
    """None: the page has no gold body."""

    @property
    def document(self) -> Any:
        """What a HostProfile needs of a document."""
        return SimpleNamespace(url=self.url, blocks=range(len(self.words)), fingerprints=self.fingerprints, title=self.title)

    @property
    def is_list(self) -> bool:
        """Whether the page is a list. Lists are neither looked up nor learned, as in the pipeline."""
        return self.page_type.type == LIST

    def f1(self, probabilities: NDArray[np.float32]) -> float:
        """Word F1 of the body."""
        assert self.match is not None
        return self.match.f1(decode(probabilities, self.words) & ~self.is_dropped)


class FoldModels:
    """The default extractor's models of each fold, as its training kept them in its cache."""

    def __init__(self, cache: Path, settings: FusionSettings) -> None:
        self.folder = cache / settings.run_name
        self.settings = settings
        missing = [path for stage in STAGES if not (path := model_path(self.folder, stage, 0, 0)).exists()]
        if missing:
            raise FileNotFoundError(f"{missing[0]} is missing. Train it: python -m webcontent.training.fusion --cache {cache}")
        samples = [sample for name, limit in settings.corpora.items() for sample in read_corpus(name, cache, limit)]
        statistics = ClassNameStatistics(samples, settings.folds)
        self.names = [statistics.weights(settings, {fold}) for fold in range(settings.folds)]
        self._boosters: dict[tuple[str, int], list[lgb.Booster]] = {}

    def probabilities(self, document: Document, context: FeatureContext, site: str) -> NDArray[np.float32]:
        """Probability of each block to be main text, as the default extractor computes it: float32 [blocks]."""
        fold = fold_of(site, self.settings.folds)
        x = first_columns(document, context, self.names[fold])
        first = sigmoid(mean_raw_scores(self._stage("first", fold), x[:, :FIRST])).astype(np.float32)
        x[:, FIRST:] = score_features(block_groups(context), first)
        return sigmoid(mean_raw_scores(self._stage("second", fold), x)).astype(np.float32)

    def _stage(self, stage: str, fold: int) -> list[lgb.Booster]:
        if (stage, fold) not in self._boosters:
            members = self.settings.first if stage == STAGES[0] else self.settings.second
            paths = [model_path(self.folder, stage, member, fold) for member in range(len(members))]
            self._boosters[stage, fold] = load_boosters(paths)
        return self._boosters[stage, fold]


def read_samples(cache: Path, fusion_cache: Path, rendered: Path | None, limit: int | None = None) -> list[HistorySample]:
    """The samples of all corpora and site snapshots, from the cache where they were read before.

    `fusion_cache`: the cache of the default extractor's training. `rendered`: pages of snapshots that need JavaScript.
    """
    settings = FusionSettings()
    trained_at = [path.stat().st_mtime for path in (fusion_cache / settings.run_name).glob("first-0-0.txt")]
    models: list[FoldModels] = []

    def read(name: str) -> list[HistorySample]:
        if not models:
            models.append(FoldModels(fusion_cache, settings))
        records = list(load_corpus(name, limit=limit) if name in CORPORA else load_snapshot(name, rendered=rendered))
        counts = Counter(host_of(record["url"]) for record in records)
        repeated = [record for record in records if counts[host_of(record["url"])] > 1]
        samples = (_sample(name, record, models[0]) for record in progress(repeated, name))
        return [sample for sample in samples if sample is not None]

    samples = []
    for name in (*CORPORA, *snapshot_names()):
        version = [settings.run_name, FEATURE_VERSION, FEATURES, trained_at, limit]
        samples += cached_samples(cache / name, version, partial(read, name))
    return samples


def _sample(corpus: str, record: Record, models: FoldModels) -> HistorySample | None:
    """None for a page that is not looked up in a site history."""
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    if not 0 < len(document.blocks) <= MAX_BLOCKS or not host_of(record["url"]):
        return None
    context = FeatureContext(document)
    site = record["site"] if corpus in CORPORA else SAME_SITE.get(corpus, corpus)
    probabilities = models.probabilities(document, context, site)
    page_type = classify_document(document)
    body = record["gold"].get("body")
    return HistorySample(
        **{**page_fields(corpus, record), "site": site},
        title=document.title,
        page_type=page_type,
        fingerprints=document.fingerprints,
        probabilities=probabilities,
        words=context.words,
        is_dropped=_dropped(document, page_type, decode(probabilities, context.words)),
        match=GoldMatch(document.blocks.texts, body) if body is not None else None,
    )


def _dropped(document: Document, page_type: PageType, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The blocks that `fields.body` removes from the body of an article."""
    if page_type.kind != ARTICLE:
        return np.zeros(len(chosen), np.bool_)
    blocks = document.blocks
    dropped = caption_blocks(blocks)
    dropped[first_article_end(blocks, chosen & ~dropped) :] = True
    return dropped | (chosen & ~without_comments(blocks, chosen))
