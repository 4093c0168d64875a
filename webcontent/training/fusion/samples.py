"""The pages that the default extractor is trained on: block features, labels, and how much main text there is under each class name."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.features.blocks import FEATURES
from webcontent.document.features.class_names import ClassNameTokens, class_name_tokens
from webcontent.document.features.context import FeatureContext
from webcontent.document.features.second_stage import block_groups
from webcontent.document.features.stories import STORY_FEATURES
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import checksum
from webcontent.evaluation.folds import fold_of
from webcontent.extractors.fusion import BLOCK, page_columns
from webcontent.items import Page
from webcontent.training.common.labels import GoldMatch, gold_body
from webcontent.training.common.samples import PageSample, cached_samples, iter_pages, page_fields
from webcontent.training.common.settings import corpus_name
from webcontent.training.fusion.settings import VERSION, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.document.features.groups import BlockGroups
    from webcontent.evaluation.corpora import Record
    from webcontent.training.fusion.settings import Settings

LONG_WORDS = 60
"""A longer block counts as one of so many words under its class names."""
LEAST_WEIGHT = 0.1
"""Class name tokens with a smaller absolute weight are left out."""


@dataclass(slots=True, kw_only=True)
class FusionSample(PageSample):
    """A page with the features of its blocks and its gold."""

    texts: list[str]
    x: NDArray[np.float32]
    """[blocks, FEATURES and STORY_FEATURES]"""
    groups: BlockGroups | None
    """None: a page without text."""
    names: ClassNameTokens | None
    match: GoldMatch | None
    """None: the page has no gold body."""
    snippets: tuple[list[str], list[str]]
    """Texts that must be in the body, and texts that must not."""

    def __len__(self) -> int:
        return len(self.texts)


def read_samples(settings: Settings, cache: Path) -> list[FusionSample]:
    """The samples of all corpora of the settings, from the cache where they were read before with the same features."""
    limits = {**settings.corpora, **dict.fromkeys(settings.evaluated_only, next(iter(settings.corpora.values())))}
    return [sample for name, limit in limits.items() for sample in read_corpus(name, cache, limit, only_body=name in settings.corpora)]


def read_corpus(name: str, cache: Path, limit: int | None = None, *, only_body: bool = True) -> list[FusionSample]:
    """The samples of one corpus. `only_body`: only pages with a gold body."""
    version = [name, limit, only_body, FEATURES, STORY_FEATURES, VERSION, ClassNameTokens.__slots__]
    if name not in WEIGHTS and only_body:
        version.append(checksum(name))  # a user's own pages may change

    def read() -> list[FusionSample]:
        samples = (read_sample(name, record) for record in iter_pages(name, limit))
        return [sample for sample in samples if sample.match is not None or not only_body]

    return cached_samples(cache / corpus_name(name), version, read)


def read_sample(corpus: str, record: Record) -> FusionSample:
    """The sample of a page."""
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]
    context = FeatureContext(document) if len(blocks) else None
    body = gold_body(corpus, record, blocks.texts, context.link_share.tolist() if context else ())
    return FusionSample(
        **page_fields(corpus, record),
        texts=blocks.texts,
        x=page_columns(document, context) if context else np.zeros((0, BLOCK), np.float32),
        groups=block_groups(context) if context else None,
        names=class_name_tokens(context) if context else None,
        match=GoldMatch(blocks.texts, body) if body is not None else None,
        snippets=(gold.get("with") or [], gold.get("without") or []),
    )


class ClassNameStatistics:
    """Sums by fold of the share of main text under each class name token, so that any folds can be left out."""

    def __init__(self, samples: Sequence[FusionSample], folds: int) -> None:
        self.codes: dict[str, int] = {}
        self.folds = folds
        pages_by_site: dict[str, list[dict[int, float]]] = {}
        for sample in samples:
            if sample.match is not None and sample.names is not None:
                pages_by_site.setdefault(sample.site, []).append(self._shares(sample))
        self.sums, self.sites = np.zeros((2, folds, len(self.codes)))
        for site, pages in pages_by_site.items():
            shares_by_code: dict[int, list[float]] = {}
            for page in pages:
                for code, share in page.items():
                    shares_by_code.setdefault(code, []).append(share)
            for code, shares in shares_by_code.items():
                self.sums[fold_of(site, folds), code] += np.mean(shares)
                self.sites[fold_of(site, folds), code] += 1

    def _shares(self, sample: FusionSample) -> dict[int, float]:
        """For each token the share of main text in the elements that have it."""
        names, match = sample.names, sample.match
        assert names is not None
        assert match is not None
        assert sample.groups is not None
        words, tree = np.minimum(sample.groups.words, LONG_WORDS), names.ancestors
        total = np.bincount(tree.block, weights=words, minlength=len(tree.rows))
        main = np.bincount(tree.block, weights=words * match.labels, minlength=len(tree.rows))
        for level in reversed(tree.depths):
            np.add.at(total, tree.parent[level], total[level])
            np.add.at(main, tree.parent[level], main[level])
        own_codes = [[self.codes.setdefault(token, len(self.codes)) for token in tokens] for tokens in names.tokens]
        codes = np.array(list(chain.from_iterable(own_codes[pair] for pair in names.pair.tolist())), np.int64)
        row = np.repeat(np.arange(len(tree.rows)), [len(own_codes[pair]) for pair in names.pair.tolist()])
        distinct, place = np.unique(codes, return_inverse=True)
        shares = np.bincount(place, weights=main[row]) / np.bincount(place, weights=total[row])
        return dict(zip(distinct.tolist(), shares.tolist(), strict=True))

    def weights(self, settings: Settings, without: Collection[int] = ()) -> dict[str, float]:
        """The log-odds of each token less those of the prior, learned without some folds."""
        folds = [fold for fold in range(self.folds) if fold not in without]
        sums, sites = self.sums[folds].sum(axis=0), self.sites[folds].sum(axis=0)
        share = (sums + settings.name_prior * settings.name_strength) / (sites + settings.name_strength)
        weights = np.log(share / (1 - share)) - np.log(settings.name_prior / (1 - settings.name_prior))
        tokens = list(self.codes)
        is_kept = (sites >= settings.name_sites) & (np.abs(weights) >= LEAST_WEIGHT)
        return {tokens[i]: round(float(weights[i]), 2) for i in np.flatnonzero(is_kept).tolist()}
