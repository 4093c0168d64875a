"""Metrics of the rankers: what a page's candidates and their probabilities give, compared with its gold."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.fields.bylines.choice import author_probabilities, choose_authors, source_probabilities
from webcontent.fields.bylines.ranking import MIN_SOURCE
from webcontent.training.common.settings import corpus_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.training.bylines.samples import BylineSample
    from webcontent.training.bylines.settings import Settings

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Of the sites, in the learning curve."""


def metrics_of(samples: Sequence[BylineSample], results: Mapping[str, Mapping[str, NDArray[np.float64]]]) -> dict[str, dict[str, Any]]:
    """Metrics by corpus. `results`: by field and page, the probabilities of the candidates."""
    corpora: dict[str, list[BylineSample]] = defaultdict(list)
    for sample in samples:
        corpora[corpus_name(sample.corpus)].append(sample)
    return {corpus: _corpus_metrics(pages, results) for corpus, pages in corpora.items()}


def _corpus_metrics(pages: list[BylineSample], results: Mapping[str, Mapping[str, NDArray[np.float64]]]) -> dict[str, Any]:
    """F1 of the source, mean F1 of authors and editors, share of pages without a name that get one, and the best that candidates allow."""
    metrics: dict[str, Any] = {}
    chosen = {page.id: _chosen(page, results) for page in pages}
    sources = [(page.gold["source"], chosen[page.id]["source"]) for page in pages if "source" in page.gold]
    if sources:
        metrics["source"] = _single_f1(sources)
        metrics["sources"] = len(sources)
    authors = [(page.gold["authors"], chosen[page.id]["authors"]) for page in pages if "authors" in page.gold]
    if authors:
        scores = [set_f1(*pair) for pair in authors]
        without = [bool(given) for gold, given in authors if not gold]
        metrics |= {"authors": _mean(scores), "spread": _error(scores), "author_pages": len(authors)}
        metrics |= {"rules": _mean(set_f1(page.gold["authors"], page.ruled) for page in pages if "authors" in page.gold)}
        metrics |= {"false_names": _mean(without), "without": len(without)}
    editors = [set_f1(page.gold["editors"], page.editors) for page in pages if "editors" in page.gold]
    if editors:
        metrics["editors"] = _mean(editors)
    for name in ("source", "authors"):
        found = [len(page.parts[name] & set(page.keys)) / len(page.parts[name]) for page in pages if page.gold.get(name)]
        if found:
            metrics[f"{name}_candidates"] = _mean(found)
    return metrics


def _chosen(page: BylineSample, results: Mapping[str, Mapping[str, NDArray[np.float64]]]) -> dict[str, set[str]]:
    probabilities = {name: scores[page.id] for name, scores in results.items() if page.id in scores}
    return {name: chosen_keys(page, name, probabilities) for name in probabilities}


def chosen_keys(page: BylineSample, name: str, probabilities: Mapping[str, NDArray[np.float64]]) -> set[str]:
    """Plain forms of the values of a field that are given, as `find_bylines` chooses them. `probabilities`: by field."""
    own = probabilities[name].tolist()
    if name == "authors":
        return {page.keys[place] for place in choose_authors(page.options, author_probabilities(page.options, own))}
    authors = probabilities["authors"].tolist() if "authors" in probabilities else [0.0] * len(own)
    scores = source_probabilities(page.sources, own, authors)
    return {page.keys[int(np.argmax(scores))]} if max(scores, default=0.0) >= MIN_SOURCE else set()


def _single_f1(pairs: Sequence[tuple[frozenset[str], set[str]]]) -> dict[str, float]:
    """Precision, recall and F1 over pages of a field with one value."""
    right = sum(bool(gold) and set(gold) == given for gold, given in pairs)
    precision = right / max(1, sum(bool(given) for _, given in pairs))
    recall = right / max(1, sum(bool(gold) for gold, _ in pairs))
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"f1": round(f1, 4), "precision": round(precision, 4), "recall": round(recall, 4)}


def set_f1(gold: frozenset[str], given: set[str] | frozenset[str]) -> float:
    """F1 of a set of names; 1 where both are empty."""
    return 2 * len(gold & given) / (len(gold) + len(given)) if gold or given else 1.0


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return round(float(np.mean(numbers)), 4) if numbers else 0.0


def _error(values: Sequence[float]) -> float:
    """The standard error of the mean."""
    return round(float(np.std(values) / np.sqrt(len(values))), 4)


def learning_curve(
    samples: Sequence[BylineSample], settings: Settings, cross_validate: Callable[..., dict[str, dict[str, NDArray[np.float64]]]]
) -> dict[str, dict[str, Any]]:
    """Metrics by the share of the sites that the models of the folds learn from."""
    return {str(share): metrics_of(samples, cross_validate(samples, settings, share)) for share in SHARES}
