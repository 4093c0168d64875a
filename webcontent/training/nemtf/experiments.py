"""The paper's experiments: features (figure 5), sizes of kernels (figure 8), and pages of new sites."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.extractors.nemtf import LABELS
from webcontent.training.common.runs import cached_json
from webcontent.training.nemtf.evaluation import line_counts, line_f1
from webcontent.training.nemtf.settings import PLAIN, LineSchedule
from webcontent.training.nemtf.training import train

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webcontent.training.common.lines import LineSample
    from webcontent.training.nemtf.settings import Settings
    from webcontent.training.nemtf.words import Tokens

CHINESE = ("zh-gold-dev", "zh-silver")
"""The experiments use these corpora, since the paper's pages are Chinese news."""
EPOCHS = 16
"""Of each network: it is trained on few pages, so that an epoch has few steps."""
SLOWER = 3
"""The plain forms learn more slowly and get so many times the epochs."""
FOLDS = (0, 2)
"""The folds with most pages of the first corpus."""
NEW_PAGES = (0, 1, 5, 10)
NEW_SITES = 2
"""Numbers of pages of a new site that are added to the training pages, and number of such sites: those with most pages."""
KERNELS = (1, 2, 3, 4, 5)


def run_experiments(samples: Sequence[LineSample], tokens: Tokens, settings: Settings, folder: Path) -> dict[str, Any]:
    """F1 of lines by label for each form of the network. Each result is kept in `folder` when it is done."""
    own = [sample for sample in samples if sample.corpus in CHINESE]
    epochs = EPOCHS if settings.schedule.epochs >= LineSchedule().epochs else settings.schedule.epochs
    settings = replace(settings, nets=1, weights={}, schedule=replace(settings.schedule, epochs=epochs))
    plain = replace(settings, form=PLAIN, schedule=replace(settings.schedule, epochs=SLOWER * epochs))
    forms = {"sequence": settings, "ALL": plain}
    forms |= {parts: replace(plain, form=replace(PLAIN, parts=parts)) for parts in ("W", "S", "L")}
    forms |= {f"k={kernel}": replace(plain, form=replace(PLAIN, kernels=(kernel,))) for kernel in KERNELS}
    result: dict[str, Any] = {"epochs": epochs, "plain epochs": SLOWER * epochs}
    for name, form in tqdm(forms.items(), desc="features, kernels", unit="network", disable=None):
        result[name] = _kept_f1(folder / f"form-{name}.json", own, tokens, form)
    result["new sites"] = cached_json(folder / "new-sites.json", lambda: _few_shot(own, tokens, settings))
    return result


def _kept_f1(path: Path, samples: Sequence[LineSample], tokens: Tokens, settings: Settings) -> Any:
    return cached_json(path, lambda: _f1_on_folds(samples, tokens, settings))


def _f1_on_folds(samples: Sequence[LineSample], tokens: Tokens, settings: Settings) -> list[float]:
    """F1 of lines on FOLDS."""
    counts = np.zeros((len(LABELS), 3))
    for fold in FOLDS:
        training = [sample for sample in samples if sample.fold(settings.folds) != fold]
        tested = [sample for sample in samples if sample.fold(settings.folds) == fold]
        if training and tested:
            counts += line_counts(tested, train(training, tokens, settings).probabilities(tested))
    return line_f1(counts)


def _few_shot(samples: Sequence[LineSample], tokens: Tokens, settings: Settings) -> list[list[float]]:
    """For each number of pages of a new site that are added to the training pages: F1 of lines on the other pages of that site."""
    sites = [site for site, _ in Counter(sample.site for sample in samples).most_common(NEW_SITES)]
    rows = []
    for count in NEW_PAGES:
        counts = np.zeros((len(LABELS), 3))
        for site in sites:
            others = [sample for sample in samples if sample.site != site]
            own = [sample for sample in samples if sample.site == site]
            tested = own[max(NEW_PAGES) :]
            counts += line_counts(tested, train([*others, *own[:count]], tokens, settings).probabilities(tested))
        rows.append([count, *line_f1(counts)])
    return rows
