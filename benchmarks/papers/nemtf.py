"""Repeats the experiments of NEMTF's paper: `python -m benchmarks nemtf [--cache DIR] [--epochs N] [--limit N] [--seed N]`.

Features (figure 5), sizes of kernels (figure 8), and pages of new sites, as F1 of lines. Nothing of it ships. The results are kept in the
cache of a training run with the same options, and the card that this run writes has them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.extractors.nemtf.extractor import MODEL
from webcontent.extractors.nemtf.features import LABELS
from webcontent.training.common.cards import table
from webcontent.training.common.lines import read_samples
from webcontent.training.common.trainer import cached_json, run_folder
from webcontent.training.nemtf.networks import tokens_of
from webcontent.training.nemtf.settings import CACHE, PLAIN, LineSchedule
from webcontent.training.nemtf.trainer import EXPERIMENTS, NemtfTrainer, line_counts, line_f1
from webcontent.training.nemtf.training import train

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.common.lines import LineSample
    from webcontent.training.nemtf.networks import Tokens
    from webcontent.training.nemtf.settings import Settings

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
FORMS = {
    "sequence": "this form, Chinese pages only",
    "ALL": "the paper's plain form (NEMTF-ALL)",
    "W": "NEMTF-W: writing only",
    "S": "NEMTF-S: semantic only",
    "L": "NEMTF-L: position only",
}
"""Forms of the network, as the table names them."""


def main(words: Sequence[str] | None = None) -> None:
    """Run the experiments and keep their results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks nemtf", description=__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="cache of the training run (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=LineSchedule().epochs, help="as in training (default: %(default)s)")
    parser.add_argument("--limit", type=int, help="maximum number of pages of each corpus, as in training")
    parser.add_argument("--seed", type=int, default=1, help="as in training (default: %(default)s)")
    options = parser.parse_args(words)
    settings = NemtfTrainer.settings_of(parser, options)
    folder = run_folder(options.cache, f"{MODEL}-{settings.run_name}")
    samples = read_samples(settings.corpora, options.cache)
    results = run_experiments(samples, {sample.id: tokens_of(sample) for sample in samples}, settings, folder)
    path = folder / f"{EXPERIMENTS}.md"
    path.write_text(section(results), encoding="utf-8")
    path.with_suffix(".json").write_text(json.dumps(results), encoding="utf-8")
    print(section(results), path, sep="\n")


def section(results: Mapping[str, Any]) -> str:
    """The section of the card."""
    forms = {text: results[name] for name, text in FORMS.items()}
    kernels = {name: f1 for name, f1 in results.items() if name.startswith("k=")}
    new = {f"{int(row[0])} pages": row[1:] for row in results["new sites"]}
    return f"""\
The paper's experiments, on Chinese pages (zh-gold-dev and zh-silver, two folds by site), F1 of lines. Each form is one network: this form
is trained for {results["epochs"]} epochs, the paper's plain form and its parts for {results["plain epochs"]}.

Features (figure 5):

{_lines_table("form", forms)}

One size of kernel (figure 8), plain form; in the paper k = 5 is best:

{_lines_table("kernel", {**kernels, "k=1..5": results["ALL"]})}

This form with some pages of a new site among the training pages, evaluated on the other pages of that site:

{_lines_table("added", new)}
"""


def _lines_table(head: str, rows: Mapping[str, Sequence[float]]) -> str:
    return table((head, *LABELS[1:]), [[name, *f1] for name, f1 in rows.items()])


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
