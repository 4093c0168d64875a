"""The pages of hosts with several pages: fingerprints, and probabilities by models that were not trained on their sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features.blocks import FEATURES
from webcontent.document.features.context import FeatureContext
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.site_snapshots import load_snapshot, snapshot_names
from webcontent.extractors.decoding import decode
from webcontent.extractors.fusion import MODEL, block_probabilities
from webcontent.fields.body.left_out import MIN_SHARE_BESIDE_COMMENTS, caption_blocks, comment_blocks, unless_most
from webcontent.history.host import HISTORY_FEATURES, MAX_BLOCKS, HostProfile, host_of
from webcontent.history.prior import logits_of
from webcontent.items import ARTICLE, LIST, Page
from webcontent.pagetype.classify import classify_document
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.samples import PageSample, cached_samples, page_fields, progress
from webcontent.training.fusion.settings import Settings as FusionSettings
from webcontent.training.fusion.stages import FoldContexts
from webcontent.training.history.settings import CORPORA, FEATURE_VERSION, SNAPSHOTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.document.fingerprints import Fingerprints
    from webcontent.evaluation.corpora import Record
    from webcontent.items import PageType
    from webcontent.training.history.settings import Settings

    Rows = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]
    """Features, labels and weights of blocks."""

SAME_SITE = {"lcx": "lcx.cc", "linuxcn": "undefined.today", "xinghuo": "undefined.today", "wpblog": "guozhiman.github.io"}
"""Site snapshots whose pages or texts are in the corpora, too, and the name of the site there: both are in the same fold."""
PAGES, TEXT_PAGES, TEXT_SHARE = (HISTORY_FEATURES.index(name) for name in ("pages", "text_pages", "text_share"))
NOTICE_SHARE = 0.7
"""Smallest share of the pages that repeat a notice."""
NOTICE_LABEL, NOTICE_PROBABILITY = 0.9, 0.5
"""Blocks that become notices have a higher label and a higher probability: they are main text, and look like it."""


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


def read_samples(cache: Path, fusion_cache: Path, rendered: Path | None, limit: int | None = None) -> list[HistorySample]:
    """The samples of all corpora and site snapshots, from the cache where they were read before.

    `fusion_cache`: the cache of the default extractor's training. `rendered`: pages of snapshots that need JavaScript.
    """
    run = fusion_cache / FusionSettings().run_name
    trained_at = [path.stat().st_mtime for path in run.glob("first-0.txt")]
    contexts = FoldContexts(run)

    def read(name: str) -> list[HistorySample]:
        records = list(load_corpus(name, limit=limit) if name in CORPORA else load_snapshot(name, rendered=rendered))
        counts = Counter(host_of(record["url"]) for record in records)
        repeated = [record for record in records if counts[host_of(record["url"])] > 1]
        samples = (_sample(name, record, contexts) for record in progress(repeated, name))
        return [sample for sample in samples if sample is not None]

    samples = []
    for name in (*CORPORA, *snapshot_names()):
        version = [run.name, FEATURE_VERSION, FEATURES, trained_at, limit]
        samples += cached_samples(cache / name, version, partial(read, name))
    return samples


def _sample(corpus: str, record: Record, contexts: FoldContexts) -> HistorySample | None:
    """None for a page that is not looked up in a site history."""
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    if not 0 < len(document.blocks) <= MAX_BLOCKS or not host_of(record["url"]):
        return None
    context = FeatureContext(document)
    site = record["site"] if corpus in CORPORA else SAME_SITE.get(corpus, corpus)
    probabilities = block_probabilities(document, context, contexts[site].models.load(MODEL))
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
    return dropped | unless_most(blocks, chosen, comment_blocks(blocks), MIN_SHARE_BESIDE_COMMENTS)


@dataclass(slots=True)
class Case:
    """A page with the history of its host."""

    sample: HistorySample
    history: int
    """Number of pages in the history."""
    x: NDArray[np.float32]
    """HISTORY_FEATURES of the blocks."""
    is_known: bool
    """Whether the page itself is part of the history."""


def iter_cases(samples: Sequence[HistorySample], settings: Settings) -> Iterator[Case]:
    """Pages with histories: the pages of each host in random orders."""
    random = np.random.default_rng(settings.seed)
    hosts: dict[tuple[str, str], list[HistorySample]] = {}
    for sample in samples:
        hosts.setdefault((sample.corpus, host_of(sample.url)), []).append(sample)
    for (corpus, _), pages in hosts.items():
        for _ in range(settings.orders[_source(corpus)]):
            ordered = [pages[place] for place in random.permutation(len(pages)).tolist()]
            yield from _cases_of_order(ordered, settings, settings.pages[_source(corpus)])


def _source(corpus: str) -> str:
    """The key of a corpus in the settings."""
    return "corpora" if corpus in CORPORA else SNAPSHOTS


def _cases_of_order(pages: Sequence[HistorySample], settings: Settings, next_pages: int) -> Iterator[Case]:
    """The cases of one order of the pages of a host."""
    profile = HostProfile()
    for place, page in enumerate(pages):
        if place in settings.histories:
            following = [other for other in pages[place:] if other.match is not None][:next_pages]
            known = [other for other in pages[:place] if other.match is not None][-settings.again :]
            for sample, is_known in [*((other, False) for other in following), *((other, True) for other in known)]:
                x = None if sample.is_list else profile.features(sample.document, logits_of(sample.probabilities), sample.words)
                if x is not None:
                    yield Case(sample, place, x, is_known)
        if not page.is_list:
            profile.learn(page.document, page.probabilities, page.words)


def training_rows(cases: Sequence[Case], settings: Settings) -> Rows:
    """The blocks of cases and the notices made of them, without those of weight 0."""
    random = np.random.default_rng(settings.seed)
    parts = [part for case in cases for part in (_rows(case), notices_of(case, settings, random))]
    x, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    is_kept = weights > 0
    return x[is_kept], labels[is_kept], weights[is_kept]


def _rows(case: Case) -> Rows:
    assert case.sample.match is not None
    return case.x, case.sample.match.labels, np.sqrt(case.sample.words) * ~case.sample.is_dropped


def notices_of(case: Case, settings: Settings, random: np.random.Generator) -> Rows:
    """Some blocks of main text, with the features that they would have if nearly every page repeated their text."""
    x, labels, weights = _rows(case)
    pages = x[0, PAGES]
    places = np.flatnonzero((labels > NOTICE_LABEL) & (weights > 0) & (case.sample.probabilities > NOTICE_PROBABILITY))
    if pages < settings.notice_pages or len(places) < 2 * settings.notices:
        return x[:0], labels[:0], weights[:0]
    chosen = random.choice(places, settings.notices, replace=False)
    share = random.uniform(NOTICE_SHARE, 1, settings.notices)
    notices = x[chosen].copy()
    notices[:, TEXT_SHARE] = share
    notices[:, TEXT_PAGES] = np.maximum(2, np.round(share * pages))
    return notices, np.zeros(settings.notices, np.float32), weights[chosen]
