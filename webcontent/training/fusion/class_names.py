"""How much of the text under each class name is main text: the weights of class name tokens."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from webcontent.evaluation.folds import fold_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from webcontent.training.fusion.samples import FusionSample
    from webcontent.training.fusion.settings import Settings

LONG_WORDS = 60
"""A longer block counts as one of so many words."""
LEAST_WEIGHT = 0.1
"""Tokens with a smaller absolute weight are left out."""


class ClassNameStatistics:
    """Sums by fold of the share of main text under each class name token, so that any folds can be left out."""

    def __init__(self, samples: Sequence[FusionSample], folds: int) -> None:
        self.codes: dict[str, int] = {}
        self.folds = folds
        pages_by_site: dict[str, list[dict[int, float]]] = {}
        for sample in samples:
            if sample.match is not None and sample.names is not None:
                pages_by_site.setdefault(sample.site, []).append(self._shares(sample))
        self.sums = np.zeros((folds, len(self.codes)))
        self.sites = np.zeros((folds, len(self.codes)))
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
