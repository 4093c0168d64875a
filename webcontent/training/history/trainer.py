"""Trains the model that applies site history.

Pages of hosts with several pages (corpora and site snapshots) -> probabilities of their blocks by the default extractor's models that
were not trained on their sites -> histories of various lengths -> gradient-boosted trees that change the log-odds of each block;
evaluated on hosts that they did not see; ONNX and card.

The fold models of `webcontent.training.fusion` are needed (its --cache). Pages are kept under --cache with their probabilities.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
from tqdm import tqdm

from webcontent.evaluation.folds import fold_of
from webcontent.history import host
from webcontent.history.host import HISTORY_FEATURES, host_of
from webcontent.history.prior import MODEL, changed_probabilities
from webcontent.training.common.cards import DataFacts, corpus_versions, listed, table
from webcontent.training.common.trainer import Trainer
from webcontent.training.common.trees import onnx_of_boosters
from webcontent.training.fusion.settings import CACHE as FUSION_CACHE
from webcontent.training.history.samples import iter_cases, read_samples, training_rows
from webcontent.training.history.settings import CACHE, CORPORA, FEATURE_VERSION, SNAPSHOTS, Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.training.history.samples import Case

RISING, FALLING = ("logit",), ("text_pages", "text_share")
RISING_ENDS, FALLING_ENDS = ("_logit_difference", "_prior"), ("_repeats",)
"""Features, and ends of their names, that may only raise or only lower the log-odds."""
RENDERED = "the rendered pages of site snapshots that need JavaScript"
ORDERS = "random orders of the pages of each host: of snapshots, of corpora"
LEAST_SHIFT = 0.01
"""A page is better or worse when its F1 changes by more."""
REFERENCE_CASES = 200
"""Cases whose blocks are compared between the graph and LightGBM."""


KNOWN = "known already"
"""Group of the cases whose page is part of its history."""


class HistoryTrainer(Trainer):
    """Reads pages with their histories, evaluates the trees by site, and trains them on all cases."""

    room, model, trains = "history", MODEL, "the model that applies site history"
    card, cache = Path(__file__).with_name("card.md"), CACHE
    own_options = {
        "--fusion-cache": {"type": Path, "default": FUSION_CACHE, "metavar": "DIR", "help": "--cache of the trainer fusion"},
        "--rendered": {"type": Path, "metavar": "DIR", "help": f"folder that WEBCONTENT_SAVE wrote: {RENDERED}"},
        "--orders": {"type": int, "nargs": 2, "metavar": "N", "help": f"{ORDERS} (default: as in Settings)"},
    }
    settings: Settings

    @staticmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
        settings = Settings(seed=options.seed)
        if options.orders:
            settings = replace(settings, orders=dict(zip((SNAPSHOTS, "corpora"), options.orders, strict=True)))
        return replace(settings, corpora=dict.fromkeys(settings.corpora, options.limit))

    def train(self) -> None:
        options, settings = self.options, self.settings
        samples = read_samples(options.cache, options.fusion_cache, options.rendered, options.limit)
        cases = list(iter_cases(samples, settings))
        metrics = metrics_by_history(cases, cross_validate(cases, settings))
        booster = fit(cases, settings)
        x = np.concatenate([case.x for case in cases[:: max(1, len(cases) // REFERENCE_CASES)]])
        hosts, pages = len({host_of(sample.url) for sample in samples}), Counter(sample.corpus for sample in samples)
        features = {"features": list(HISTORY_FEATURES), "feature_version": FEATURE_VERSION, "largest_change": settings.largest_change}
        self.save(
            onnx_of_boosters([booster], len(HISTORY_FEATURES), name=options.out.name, raw=True),
            DataFacts.of(samples, corpus_versions(name for name in pages if name in CORPORA)),
            config={**features, "metrics": metrics},
            inputs={"features": x},
            expected=[np.asarray(booster.predict(x, raw_score=True)).reshape(-1, 1)],
            figures=card_figures(hosts, pages, settings, metrics),
        )
        tqdm.write(f"{options.out}: done")


main = HistoryTrainer.main


def fit(cases: Sequence[Case], settings: Settings) -> lgb.Booster:
    """Trees that change the log-odds of blocks."""
    x, labels, weights = training_rows(cases, settings)
    directions = [direction_of(name) for name in HISTORY_FEATURES]
    parameters = {**settings.parameters, "seed": settings.seed, "monotone_constraints": directions}
    data = lgb.Dataset(x, labels, weight=weights, init_score=x[:, 0].astype(np.float64))
    return lgb.train(parameters, data, settings.trees)


def direction_of(feature: str) -> int:
    """1 for a feature that may only raise the log-odds, -1 for one that may only lower them, 0 for the others.

    A path whose blocks were main text before speaks for a block; a text that repeats speaks against it.
    """
    if feature in RISING or feature.endswith(RISING_ENDS):
        return 1
    return -1 if feature in FALLING or feature.endswith(FALLING_ENDS) else 0


def cross_validate(cases: Sequence[Case], settings: Settings) -> list[float]:
    """The F1 of each case with site history, from trees that saw no page of its site."""
    folds = _folds(cases, settings)
    f1 = np.zeros(len(cases))
    for fold in tqdm(sorted(set(folds.tolist())), desc="folds", unit="fold", mininterval=5):
        booster = fit([case for case, own in zip(cases, folds, strict=True) if own != fold], settings)
        for place in np.flatnonzero(folds == fold).tolist():
            f1[place] = f1_with_history(cases[place], booster, settings)
    return [float(value) for value in f1]


def _folds(cases: Sequence[Case], settings: Settings) -> NDArray[np.int64]:
    """The fold of each case. Each site snapshot is a fold of its own."""
    snapshots = sorted({case.sample.site for case in cases if case.sample.corpus not in CORPORA})
    sites = [case.sample.site for case in cases]
    return np.array([snapshots.index(site) if site in snapshots else fold_of(site, settings.folds) for site in sites])


def f1_with_history(case: Case, booster: lgb.Booster, settings: Settings) -> float:
    """Word F1 of a case after the change of its log-odds."""
    change = np.asarray(booster.predict(case.x, raw_score=True, num_threads=1))
    return case.sample.f1(changed_probabilities(case.x, change, settings.largest_change))


def metrics_by_history(cases: Sequence[Case], with_history: Sequence[float]) -> list[dict[str, Any]]:
    """A row for each corpus or snapshot and each length of history, and one for known pages.

    A row has the number of cases, the mean F1 of the body without and with history, and the numbers of better and worse pages.
    """
    groups: dict[tuple[str, int], list[tuple[float, float]]] = {}
    known: list[tuple[float, float]] = []
    for case, f1 in zip(cases, with_history, strict=True):
        pair = (case.sample.f1(case.sample.probabilities), f1)
        (known if case.is_known else groups.setdefault((case.sample.corpus, case.history), [])).append(pair)
    rows = [_row(group, history, pairs) for (group, history), pairs in groups.items()]
    return [*rows, _row(KNOWN, 0, known)] if known else rows


def _row(group: str, history: int, pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    before, after = np.array(pairs).T
    shift = after - before
    return {
        "group": group,
        "history": history,
        "cases": len(pairs),
        "without": float(before.mean()),
        "with": float(after.mean()),
        "better": int((shift > LEAST_SHIFT).sum()),
        "worse": int((shift < -LEAST_SHIFT).sum()),
    }


def card_figures(hosts: int, pages: Mapping[str, int], settings: Settings, metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the card states besides settings. `pages`: number of pages by corpus or snapshot."""
    snapshots = list(dict.fromkeys(row["group"] for row in metrics if row["group"] not in (*CORPORA, KNOWN)))
    return {
        "host": host,
        "halved_pages": host.MAX_PAGES // 2,
        "hosts": hosts,
        "page_count": sum(pages.values()),
        "pages": listed(pages),
        "histories": ", ".join(map(str, settings.histories)),
        "by_history": history_table(metrics, snapshots, settings),
    }


def history_table(metrics: Sequence[Mapping[str, Any]], snapshots: Sequence[str], settings: Settings) -> str:
    """A row for each corpus or snapshot, a column for each length of history."""
    lengths = [length for length in settings.histories if any(row["history"] == length for row in metrics)]
    rows_by_place = {(row["group"], row["history"]): row for row in metrics}
    groups = dict.fromkeys(row["group"] for row in metrics if row["history"])
    ordered = sorted(groups, key=lambda group: (group not in snapshots, group))
    rows = [(group, *(_cell(rows_by_place.get((group, length))) for length in lengths)) for group in ordered]
    return table(("", *(f"{length} pages" if length > 1 else "1 page" for length in lengths)), rows)


def _cell(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{row['without']:.3f} → {row['with']:.3f} ({row['cases']})"
