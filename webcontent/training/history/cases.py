"""Pages together with histories of their hosts: what the trees are trained and evaluated on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webcontent.history.host import HISTORY_FEATURES, HostProfile, host_of
from webcontent.history.prior import logits_of
from webcontent.training.history.settings import CORPORA, SNAPSHOTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.training.history.samples import HistorySample
    from webcontent.training.history.settings import Settings

    Rows = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]
    """Features, labels and weights of blocks."""

PAGES, TEXT_PAGES, TEXT_SHARE = (HISTORY_FEATURES.index(name) for name in ("pages", "text_pages", "text_share"))
NOTICE_SHARE = 0.7
"""Smallest share of the pages that repeat a notice."""
NOTICE_LABEL, NOTICE_PROBABILITY = 0.9, 0.5
"""Blocks that become notices have a higher label and a higher probability: they are main text, and look like it."""


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
            profile.learn(page.document, page.probabilities, page.words, {})


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
