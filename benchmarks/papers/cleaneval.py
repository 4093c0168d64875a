"""Repeats the experiment of Web2Text's paper: `python -m benchmarks cleaneval [--baselines NAME ...] [--cache DIR] [--steps N]`.

CleanEval with the paper's split (60 pages for training, 676 for testing), our networks and other libraries on the same pages. Nothing of
it ships. The table is kept in the cache of a training run with the same options, and the card that this run writes has it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.evaluation.baselines import BASELINE_BY_NAME, baseline_texts
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.scores import word_f1
from webcontent.training.common.cards import table
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.trainer import cached_json, run_folder
from webcontent.training.web2text.networks import fit
from webcontent.training.web2text.samples import CONTENT, read_samples
from webcontent.training.web2text.settings import CACHE, PAPER
from webcontent.training.web2text.trainer import CLEANEVAL, Web2textTrainer, body_of, predict, predict_out_of_fold

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.evaluation.baselines import System
    from webcontent.evaluation.corpora import Record
    from webcontent.training.web2text.networks import Nets
    from webcontent.training.web2text.samples import LeafSample
    from webcontent.training.web2text.settings import Settings
    from webcontent.training.web2text.trainer import Prediction

CORPUS = "cleaneval"
BASELINES = ("boilerpy3", "readability-lxml", "trafilatura", "resiliparse", "justext")
LAMBDAS = (0.0, 1.0)
"""Weights of the pairwise network that the paper's form is evaluated with, besides its own."""
BLOCKS: dict[str, Any] = {"soft": False, "by_words": False, "bias": 0.0, "furniture_bias": 0.0}
"""Differences from SHIPPED where blocks are evaluated, not words."""


def main(words: Sequence[str] | None = None) -> None:
    """Run the experiment and keep its table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cleaneval", description=__doc__)
    parser.add_argument("--baselines", nargs="*", default=list(BASELINES), metavar="NAME", help="libraries to compare with (default: all)")
    parser.add_argument("--cache", type=Path, default=CACHE, help="cache of the training run (default: %(default)s)")
    parser.add_argument("--steps", type=int, help="as in training")
    parser.add_argument("--limit", type=int, help="maximum number of pages of each corpus, as in training")
    parser.add_argument("--seed", type=int, default=1, help="as in training (default: %(default)s)")
    options = parser.parse_args(words)
    settings = Web2textTrainer.settings_of(parser, options)
    paper = replace(PAPER, seed=settings.seed, corpora=settings.corpora, steps=options.steps or PAPER.steps)
    folder = run_folder(options.cache, settings.run_name)
    samples = read_samples(settings, options.cache)
    ours = replace(settings, steps=settings.steps // 2, **BLOCKS)
    rows = cleaneval_table(samples, {"the paper's form": paper, "ours": ours}, options.baselines, options.cache)
    rows.append(shipped_row(samples, predict_out_of_fold(samples, settings)))
    (folder / CLEANEVAL).write_text(section(rows), encoding="utf-8")
    print(section(rows), folder / CLEANEVAL, sep="\n")


def section(rows: Sequence[Mapping[str, Any]]) -> str:
    """The section of the card."""
    return f"""\
### The paper's experiment: CleanEval, 676 test pages, one run

{cleaneval_rows(rows)}

Values over blocks and over words are micro averages over all pages; words are counted as multisets. `word F1` is the mean over pages,
as the evaluator computes it. The paper's table is lost in the available copies, so its values are not printed here.
"""


def cleaneval_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """The comparison on CleanEval."""
    columns = [f"{over} {name}" for over in ("blocks", "words") for name in ("accuracy", "P", "R", "F1")]
    names = ("accuracy", "precision", "recall", "f1")
    cells = [[row["system"], *(row[over][name] for over in ("blocks", "words") for name in names), row["word_f1"]] for row in rows]
    return table(["system", *columns, "word F1"], cells)


def cleaneval_table(
    samples: Sequence[LeafSample], forms: Mapping[str, Settings], baselines: Collection[str], cache: Path
) -> list[dict[str, Any]]:
    """The rows of the experiment: each form of our networks, trained on the 55 + 5 pages, and the baselines."""
    pages = [sample for sample in samples if sample.corpus == CORPUS]
    train, valid, test = ([sample for sample in pages if sample.part == part] for part in ("train", "valid", "test"))
    rows = []
    for name, settings in forms.items():
        nets = fit_best(train, valid, settings, label=f"{CORPUS} {name}")
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


# ------------------------------------------------------------------------------------------------------------ validation
def fit_best(train: Sequence[LeafSample], validation: Sequence[LeafSample], settings: Settings, *, label: str) -> Nets:
    """Networks trained on some pages, in the state that is best on the validation pages: unary by F1, pairwise by accuracy."""
    best = BestStates(validation)
    nets = fit(train, settings, label=label, on_check=best.update)
    best.restore(nets)
    return nets.eval()


class BestStates:
    """The states of the networks that were best on the validation pages, and their metrics."""

    def __init__(self, validation: Sequence[LeafSample]) -> None:
        self.validation = validation
        self.metrics: dict[str, float] = {}
        self.states: dict[str, Any] = {}

    def update(self, nets: Nets) -> None:
        """Keeps the state of each network that is better than before."""
        for name, value in _validation_metrics(nets, self.validation).items():
            if name not in self.metrics or value > self.metrics[name]:
                self.metrics[name] = value
                self.states[name] = {key: part.clone() for key, part in getattr(nets, name).state_dict().items()}

    def restore(self, nets: Nets) -> None:
        """Loads the best states into the networks."""
        for name, state in self.states.items():
            getattr(nets, name).load_state_dict(state)


def _validation_metrics(nets: Nets, validation: Sequence[LeafSample]) -> dict[str, float]:
    """F1 of the unary network and accuracy of the pairwise one."""
    chosen, labels, right, pairs = [], [], 0, 0
    for sample in validation:
        unary, pairwise = nets.potentials(sample.x, sample.edges)
        label = sample.shares > CONTENT
        chosen.append(unary[:, 1] > unary[:, 0])
        labels.append(label)
        right += int((pairwise[:-1].argmax(1) == 2 * label[:-1] + label[1:]).sum())
        pairs += len(label) - 1
    return {"unary": Counts.of(np.concatenate(chosen), np.concatenate(labels)).f1, "pairwise": right / max(1, pairs)}


@dataclass(slots=True)
class Counts:
    """Numbers of right and wrong decisions."""

    right: int = 0
    """Chosen, and in the gold."""
    wrong: int = 0
    missed: int = 0
    rejected: int = 0
    """Not chosen, and not in the gold."""

    @classmethod
    def of(cls, chosen: NDArray[np.bool_], gold: NDArray[np.bool_]) -> Counts:
        """The counts of decisions."""
        return cls(int((chosen & gold).sum()), int((chosen & ~gold).sum()), int((~chosen & gold).sum()), int((~chosen & ~gold).sum()))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed, self.rejected + other.rejected)

    @property
    def accuracy(self) -> float:
        """Share of right decisions."""
        return (self.right + self.rejected) / max(1, self.right + self.wrong + self.missed + self.rejected)

    @property
    def precision(self) -> float:
        """Share of the chosen that is in the gold."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the gold that is chosen."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)

    def metrics(self) -> dict[str, float]:
        """Accuracy, precision, recall and F1."""
        return {name: getattr(self, name) for name in ("accuracy", "precision", "recall", "f1")}
