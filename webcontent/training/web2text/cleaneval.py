"""The paper's experiment: CleanEval with the paper's split, our networks and baselines on the same pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.evaluation.baselines import BASELINE_BY_NAME, baseline_texts
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.scores import word_f1
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.runs import cached_json
from webcontent.training.web2text.predictions import Counts, body_of, predict
from webcontent.training.web2text.samples import CONTENT
from webcontent.training.web2text.settings import PAPER
from webcontent.training.web2text.training import fit

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.evaluation.baselines import System
    from webcontent.evaluation.corpora import Record
    from webcontent.training.web2text.networks import Nets
    from webcontent.training.web2text.predictions import Prediction
    from webcontent.training.web2text.samples import LeafSample
    from webcontent.training.web2text.settings import Settings

CORPUS = "cleaneval"
BASELINES = ("boilerpy3", "readability-lxml", "trafilatura", "resiliparse", "justext")
LAMBDAS = (0.0, 1.0)
"""Weights of the pairwise network that the paper's form is evaluated with, besides its own."""


def cleaneval_table(
    samples: Sequence[LeafSample], forms: Mapping[str, Settings], baselines: Collection[str], cache: Path
) -> list[dict[str, Any]]:
    """The rows of the experiment: each form of our networks, trained on the 55 + 5 pages, and the baselines."""
    pages = [sample for sample in samples if sample.corpus == CORPUS]
    train, valid, test = ([sample for sample in pages if sample.part == part] for part in ("train", "valid", "test"))
    rows = []
    for name, settings in forms.items():
        nets = fit(train, settings, cache / f"{CORPUS}-{settings.run_name}.pt", validation=valid, label=f"{CORPUS} {name}")
        rows.append(compare_nets(f"web2text, {name}", test, nets, settings))
        if settings.spread == PAPER.spread:
            others = [replace(settings, weight=weight) for weight in LAMBDAS]
            rows += [compare_nets(f"web2text, {name}, lambda {other.weight:g}", test, nets, other) for other in others]
    records = {record["id"]: record for record in load_corpus(CORPUS)} if baselines else {}
    for system in (BASELINE_BY_NAME[name] for name in BASELINES if name in baselines):
        try:
            rows.append(compare_baseline(system, test, [records[sample.id] for sample in test], cache))
        except ImportError as error:
            tqdm.write(f"{system.name} is not installed ({error}); it is left out.")
    return rows


def shipped_row(samples: Sequence[LeafSample], predictions: Sequence[Prediction]) -> dict[str, Any]:
    """The row of the shipped form, by networks that were not trained on the sites of the test pages."""
    pairs = zip(samples, predictions, strict=True)
    tested = [(sample, own) for sample, own in pairs if sample.corpus == CORPUS and sample.part == "test"]
    labels, texts = [own.labels for _, own in tested], [body_of(*pair) for pair in tested]
    return compare("web2text, the shipped form, sites not seen", [sample for sample, _ in tested], labels, texts)


def compare(system: str, samples: Sequence[LeafSample], labels: Sequence[NDArray[np.bool_]], texts: Sequence[str]) -> dict[str, Any]:
    """A row of the table: a system's decisions over blocks (leaves, as in the paper) and over words."""
    blocks, words, f1 = Counts(), Counts(), []
    for sample, own, text in zip(samples, labels, texts, strict=True):
        blocks += Counts.of(own, sample.shares > CONTENT)
        words += counts_of_words(sample, text)
        f1.append(word_f1(text, sample.gold)[0])
    return {"system": system, "blocks": blocks.metrics(), "words": words.metrics(), "word_f1": float(np.mean(f1))}


def counts_of_words(sample: LeafSample, text: str) -> Counts:
    """Decisions over the words of the page: multisets, as the word F1 counts them."""
    match = GoldMatch([text], sample.gold)
    chosen, right = len(match.tokens), match.common_tokens(match.tokens)
    gold, page = int(match.gold_counts.sum()), len(sample.match.tokens)
    return Counts(right, chosen - right, gold - right, max(0, page - chosen - gold + right))


def compare_nets(system: str, samples: Sequence[LeafSample], nets: Nets, settings: Settings) -> dict[str, Any]:
    """The row of trained networks."""
    predictions = [predict(sample, nets, settings) for sample in samples]
    texts = [body_of(sample, own) for sample, own in zip(samples, predictions, strict=True)]
    return compare(system, samples, [own.labels for own in predictions], texts)


def compare_baseline(system: System, samples: Sequence[LeafSample], records: Sequence[Record], cache: Path) -> dict[str, Any]:
    """The row of another library, whose text is aligned with the page as the gold text is. Kept in the cache, by its version."""
    path = cache / f"baseline-{system.name}-{system.version}-{len(samples)}.json"

    def measure() -> dict[str, Any]:
        by_id = baseline_texts(system, records, path.with_suffix(".jsonl"))
        texts = [by_id[sample.id] for sample in samples]
        labels = [sample.shares_of_text(text) > CONTENT for sample, text in zip(samples, texts, strict=True)]
        return compare(f"{system.name} {system.version}", samples, labels, texts)

    row: dict[str, Any] = cached_json(path, measure)
    return row
