"""Trains the rankers of source and authors.

A candidate is right when it equals a gold value without case, spaces and punctuation. The rankers are cross-validated by site over all
corpora together, then trained on everything. The metrics of the card come from the folds, and from models that were trained without
a corpus and without its sites.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.extractors.decoding import sigmoid
from webcontent.fields.names import candidates, context, ranking, value
from webcontent.fields.names.context import SLOTS
from webcontent.fields.names.features import FEATURES
from webcontent.fields.names.ranking import MODEL, author_probabilities, source_probabilities
from webcontent.fields.names.value import MIN_SOURCE, choose_authors
from webcontent.training.bylines.rankers import fit, onnx_of_rankers
from webcontent.training.bylines.samples import BylineSample, read_samples
from webcontent.training.bylines.settings import FIELDS, LEFT_OUT, OWN_WEIGHT, WEIGHTS, Settings
from webcontent.training.common.cards import DataFacts, table
from webcontent.training.common.samples import cached_samples
from webcontent.training.common.settings import cache_folder, corpus_name
from webcontent.training.common.trainer import Trainer, cached_json, run_folder, training_weights

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Probabilities = Mapping[str, NDArray[np.float64]]
    """By page, the probabilities of its candidates."""

REFERENCE_SAMPLES = 200
"""Pages whose candidates are compared between the graph and LightGBM."""
FORM_FOLDS = 2
"""Parts of the sites for forms that are left out."""
VERSION = 14
"""Of the code that makes candidates and features."""
TEXT_RUN = "each page is read with the model that did not learn its site"


class BylineTrainer(Trainer):
    """Reads the candidates of the corpora, evaluates by folds and without whole corpora, and trains on everything."""

    room, model, trains = "bylines", MODEL, "the rankers of source and authors"
    card = Path(__file__).with_name("card.md")
    cache, folds = cache_folder("bylines"), Settings().folds
    takes_own_pages = True
    libraries = ("lightgbm", "scikit-learn")
    own_options = {
        "--text-run": {"type": Path, "metavar": "DIR", "help": f"a run of the default extractor's training in its cache: {TEXT_RUN}"},
    }
    settings: Settings

    @staticmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
        weights = training_weights(parser, options, WEIGHTS, OWN_WEIGHT)
        return Settings(seed=options.seed, folds=options.folds, corpora=dict.fromkeys(weights, options.limit), weights=weights)

    def train(self) -> None:
        settings, options = self.settings, self.options
        version = [settings.corpora, settings.doubtful, settings.site_named, FEATURES, SLOTS, VERSION, str(options.text_run)]
        samples = cached_samples(options.cache / "samples", version, lambda: read_samples(settings, options.text_run))
        run = run_folder(options.cache, settings.checksum(FEATURES, VERSION, str(options.text_run)))
        metrics = {
            "folds": cached_json(run / "folds.json", lambda: metrics_of(samples, cross_validate(samples, settings))),
            "left out": cached_json(run / "left-out.json", lambda: left_out(samples, settings)),
            "forms": cached_json(run / "forms.json", lambda: forms_left_out(samples, settings)),
        }
        rankers = {name: fit(samples, name, settings) for name in FIELDS}
        some = [sample for sample in samples[:: max(1, len(samples) // REFERENCE_SAMPLES)] if sample.keys]
        inputs = {name: np.concatenate([getattr(sample, name) for sample in some]) for name in ("features", "context")}
        self.save(
            onnx_of_rankers(rankers, MODEL),
            DataFacts.of([sample for sample in samples if not sample.form]),
            config={"features": list(FEATURES), "metrics": metrics},
            inputs=inputs,
            expected=[sigmoid(ranker.raw(**inputs)).reshape(-1, 1) for ranker in rankers.values()],
            figures=card_figures(metrics),
        )


main = BylineTrainer.main


def card_figures(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """What the card states besides facts and settings."""
    limits = {"candidates": candidates, "context": context, "ranking": ranking, "value": value, "columns": len(FEATURES)}
    tables = {"folds": _metrics_table(metrics["folds"]), "left_out": _metrics_table(metrics["left out"])}
    forms = [(form, row["pages"], *(row.get(name, "-") for name in FIELDS)) for form, row in metrics["forms"].items()]
    return {**limits, **tables, "forms": table(("form", "pages", *FIELDS), forms)}


def predict(splits: Iterable[tuple[list[BylineSample], list[BylineSample]]], settings: Settings) -> dict[str, Probabilities]:
    """By field, the probabilities of tested pages. `splits`: pages that models learn from, and pages that are tested with them."""
    results: dict[str, dict[str, NDArray[np.float64]]] = {name: {} for name in FIELDS}
    for known, tested in splits:
        for name in FIELDS:
            if judged := [sample for sample in tested if name in sample.gold]:
                results[name] |= fit(known, name, settings).probabilities(judged)
    return {**results}


def cross_validate(samples: Sequence[BylineSample], settings: Settings) -> dict[str, Probabilities]:
    """By field, the probabilities from models that saw no page of the page's site."""
    return predict(map(partial(_split, samples, settings.folds), range(settings.folds)), settings)


def _split(samples: Sequence[BylineSample], folds: int, fold: int) -> tuple[list[BylineSample], list[BylineSample]]:
    """The pages of the other folds, and those of one fold."""
    known = [sample for sample in samples if sample.fold(folds) != fold]
    return known, [sample for sample in samples if sample.fold(folds) == fold]


def left_out(samples: Sequence[BylineSample], settings: Settings) -> dict[str, Any]:
    """Metrics of each corpus of LEFT_OUT, from models that saw none of its pages and sites."""
    metrics: dict[str, Any] = {}
    for corpus in LEFT_OUT:
        tested = [sample for sample in samples if sample.corpus == corpus]
        sites = {sample.site for sample in tested}
        others = [sample for sample in samples if sample.corpus != corpus and sample.site not in sites]
        metrics |= metrics_of(tested, predict([(others, tested)], settings))
    return metrics


def forms_left_out(samples: Sequence[BylineSample], settings: Settings) -> dict[str, Any]:
    """By form of composed pages and field, the share of its pages that are right with models that saw neither form nor site."""
    forms = sorted({sample.form for sample in samples if sample.form})
    splits = (
        ([page for page in known if page.form not in hidden], [page for page in tested if page.form in hidden])
        for known, tested in map(partial(_split, samples, FORM_FOLDS), range(FORM_FOLDS))
        for hidden in (set(forms[part :: settings.folds]) for part in range(settings.folds))
    )
    results = predict(splits, settings)
    return {form: _shares_right([sample for sample in samples if sample.form == form], results) for form in forms}


def _shares_right(pages: Sequence[BylineSample], results: Mapping[str, Probabilities]) -> dict[str, float]:
    found = {name: [page.gold[name] == chosen_keys(page, name, results) for page in pages if name in page.gold] for name in FIELDS}
    return {"pages": len(pages), **{name: _mean(right) for name, right in found.items() if right}}


# -------------------------------------------------------------------------------------------------------------- metrics
def metrics_of(samples: Sequence[BylineSample], results: Mapping[str, Probabilities]) -> dict[str, dict[str, Any]]:
    """Metrics by corpus. `results`: by field and page, the probabilities of the candidates."""
    corpora: dict[str, list[BylineSample]] = defaultdict(list)
    for sample in samples:
        corpora[corpus_name(sample.corpus)].append(sample)
    return {corpus: _corpus_metrics(pages, results) for corpus, pages in corpora.items()}


def _corpus_metrics(pages: list[BylineSample], results: Mapping[str, Probabilities]) -> dict[str, Any]:
    """F1 of the source, mean F1 of authors and editors, share of pages without a name that get one, and the best that candidates allow."""
    metrics: dict[str, Any] = {}
    if sources := [(page.gold["source"], chosen_keys(page, "source", results)) for page in pages if "source" in page.gold]:
        metrics |= {"source": _single_f1(sources), "sources": len(sources)}
    if authors := [(page.gold["authors"], chosen_keys(page, "authors", results)) for page in pages if "authors" in page.gold]:
        scores = [set_f1(*pair) for pair in authors]
        without = [bool(given) for gold, given in authors if not gold]
        metrics |= {"authors": _mean(scores), "spread": _error(scores), "author_pages": len(authors)}
        metrics |= {"false_names": _mean(without), "without": len(without)}
    if editors := [set_f1(page.gold["editors"], page.editors) for page in pages if "editors" in page.gold]:
        metrics["editors"] = _mean(editors)
    for name in FIELDS:
        if found := [len(page.parts[name] & set(page.keys)) / len(page.parts[name]) for page in pages if page.gold.get(name)]:
            metrics[f"{name}_candidates"] = _mean(found)
    return metrics


def chosen_keys(page: BylineSample, name: str, results: Mapping[str, Probabilities]) -> set[str]:
    """Plain forms of the values of a field that are given, as `find_bylines` chooses them. `results`: as in `metrics_of`."""
    by_source, by_author = (results.get(field, {}).get(page.id, np.zeros(len(page.keys))).tolist() for field in FIELDS)
    if name == "authors":
        return {page.keys[place] for place in choose_authors(page.options, author_probabilities(page.options, by_author))}
    scores = source_probabilities(page.options, by_source, by_author)
    return {page.keys[int(np.argmax(scores))]} if max(scores, default=0.0) >= MIN_SOURCE else set()


def _single_f1(pairs: Sequence[tuple[frozenset[str], set[str]]]) -> dict[str, float]:
    """Precision, recall and F1 over pages of a field with one value."""
    right = sum(bool(gold) and set(gold) == given for gold, given in pairs)
    precision = right / max(1, sum(bool(given) for _, given in pairs))
    recall = right / max(1, sum(bool(gold) for gold, _ in pairs))
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"f1": f1, "precision": precision, "recall": recall}


def set_f1(gold: frozenset[str], given: set[str] | frozenset[str]) -> float:
    """F1 of a set of names; 1 where both are empty."""
    return 2 * len(gold & given) / (len(gold) + len(given)) if gold or given else 1.0


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return float(np.mean(numbers)) if numbers else 0.0


def _error(values: Sequence[float]) -> float:
    """The standard error of the mean."""
    return float(np.std(values) / np.sqrt(len(values)))


# ----------------------------------------------------------------------------------------------------------------- card
def _metrics_table(metrics: Mapping[str, Mapping[str, Any]]) -> str:
    columns = (
        "pages of", "source F1 (precision, recall), pages", "authors F1 (± standard error), pages",
        "pages without authors that get one", "editors F1", "sources, authors among candidates",
    )  # fmt: skip
    return table(columns, [_row(corpus, row) for corpus, row in metrics.items()])


def _row(corpus: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    source, without = row.get("source"), row.get("without")
    return (
        corpus,
        f"{source['f1']:.3f} ({source['precision']:.3f}, {source['recall']:.3f}), {row['sources']}" if source else "-",
        f"{row['authors']:.3f} ± {row['spread']:.3f}, {row['author_pages']}" if "authors" in row else "-",
        f"{row['false_names']:.3f} of {without}" if without else "-",
        f"{row['editors']:.3f}" if "editors" in row else "-",
        ", ".join(f"{row[name]:.3f}" if name in row else "-" for name in ("source_candidates", "authors_candidates")),
    )
