"""Trains the ranker of titles: python -m webcontent.training.titles [--out DIR] [--folds N] [--data DIR].

A candidate is right when it equals the gold without case, spaces and punctuation. Cross-validated by site over all corpora together,
then trained on everything; the figures of the card come from the folds.
"""

from __future__ import annotations

import argparse
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
from tqdm import tqdm

from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import DATA_HELP, checksum, load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.fields.page_signals import PageSignals
from webcontent.fields.titles import FIGURES, MODEL, title_figures, title_groups
from webcontent.items import Page
from webcontent.training import export
from webcontent.training.trees import onnx_of_boosters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

WEIGHTS = {"zh-gold-dev": 4.0, "zh-silver": 0.5, "fundus-dev": 1.5, "traf-dev": 1.0, "fixtures-dev": 1.0, "l3s-gn1": 1.0, "wcxb-dev": 0.7}
"""Corpora and the weight of their pages: Chinese up, templates of few sites and unruly titles down."""
OWN_WEIGHT = 2.0
"""Of a user's own pages."""
TREES = {
    "objective": "binary", "num_leaves": 15, "learning_rate": 0.08, "min_data_in_leaf": 20, "feature_fraction": 0.6,
    "bagging_fraction": 0.8, "bagging_freq": 1,
    "lambda_l2": 5.0, "deterministic": True, "num_threads": 1, "verbose": -1,
}  # fmt: skip
ROUNDS = 150
SEEDS = (1, 2)
"""One model each; their mean is less a matter of chance than one."""


@dataclass(frozen=True)
class Settings:
    """One run: what the command line says."""

    out: Path
    folds: int = 5
    weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    """Corpora and the weight of their pages."""


@dataclass
class Sample:
    """A page with its candidates."""

    corpus: str
    site: str
    figures: NDArray[np.float32]
    right: NDArray[np.bool_]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.titles", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("models"), help="folder of the model folders")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--data", action="append", default=[], metavar="DIR", help=f"your own pages, beside the corpora: {DATA_HELP}")
    given = parser.parse_args(arguments)
    train(Settings(given.out, given.folds, {**WEIGHTS, **dict.fromkeys(given.data, OWN_WEIGHT)}))


def train(settings: Settings) -> None:
    samples = load_samples(settings.weights)
    figures = cross_validate(samples, settings.folds, settings.weights)
    boosters = fit(samples, settings.weights)
    graph = onnx_of_boosters(boosters, len(FIGURES), name=MODEL)
    inputs = np.concatenate([sample.figures for sample in samples[:: max(1, len(samples) // 200)]])
    export.save_model(
        settings.out / MODEL,
        graph,
        config={"features": list(FIGURES), "trees": TREES, "rounds": ROUNDS, "seeds": list(SEEDS),
                "weights": {Path(name).name: weight for name, weight in settings.weights.items()},
                "corpora": {Path(name).name: checksum(name) for name in settings.weights},
                "settings": {"folds": str(settings.folds)}, "figures": figures},
        inputs={"features": inputs},
        expected=[1 / (1 + np.exp(-raw_scores(boosters, inputs))).reshape(-1, 1)],
        card=card(samples, figures, settings),
        libraries=("lightgbm",),
    )  # fmt: skip


def load_samples(names: Iterable[str] = WEIGHTS) -> list[Sample]:
    """Pages whose gold has a title."""
    samples = []
    for name in names:
        for record in tqdm(load_corpus(name), desc=name, disable=None):
            title = plain(record["gold"].get("title"))
            if not title:
                continue
            signals = PageSignals(Document.from_page(Page(url=record["url"], html=record["html"])))
            groups = title_groups(signals)
            right = np.array([plain(group.text) == title for group in groups], bool)
            samples.append(Sample(name, record["site"], title_figures(signals, groups), right))
    return samples


def plain(value: Any) -> str:
    """The referee's form of a title."""
    return "".join(c for c in unicodedata.normalize("NFKC", str(value or "")).lower() if c.isalnum())


def fit(samples: Sequence[Sample], corpus_weights: dict[str, float] = WEIGHTS) -> list[lgb.Booster]:
    """A model of each seed."""
    used = [sample for sample in samples if len(sample.right)]
    rows = np.concatenate([sample.figures for sample in used])
    labels = np.concatenate([sample.right for sample in used])
    weights = np.concatenate([np.full(len(sample.right), corpus_weights[sample.corpus]) for sample in used])
    return [
        lgb.train({**TREES, "seed": seed}, lgb.Dataset(rows, labels, weight=weights, feature_name=list(FIGURES)), ROUNDS) for seed in SEEDS
    ]


def raw_scores(boosters: Sequence[lgb.Booster], figures: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean of the models' raw values; the model's probability is its sigmoid."""
    values: NDArray[np.float64] = np.mean([booster.predict(figures, raw_score=True) for booster in boosters], axis=0)
    return values


def cross_validate(samples: Sequence[Sample], folds: int, weights: dict[str, float] = WEIGHTS) -> dict[str, dict[str, float]]:
    """By corpus: pages, and the share of pages where the best candidate, the first one, any one is right."""
    fold = np.array([fold_of(sample.site, folds) for sample in samples])
    results: dict[str, list[tuple[bool, bool, bool]]] = defaultdict(list)
    for number in range(folds):
        boosters = fit([sample for sample, of in zip(samples, fold, strict=True) if of != number], weights)
        for sample, of in zip(samples, fold, strict=True):
            if of == number:
                best = int(np.argmax(raw_scores(boosters, sample.figures))) if len(sample.right) else -1
                results[sample.corpus].append(
                    (best >= 0 and bool(sample.right[best]), best >= 0 and bool(sample.right[0]), bool(sample.right.any()))
                )
    return {
        Path(name).name: {
            "pages": len(rows),
            "right": round(_mean(rows, 0), 4),
            "spread": round(_error(rows), 4),
            "first": round(_mean(rows, 1), 4),
            "any": round(_mean(rows, 2), 4),
        }
        for name, rows in results.items()
    }


def _mean(rows: list[tuple[bool, bool, bool]], column: int) -> float:
    return float(np.mean([row[column] for row in rows]))


def _error(rows: list[tuple[bool, bool, bool]]) -> float:
    """Standard error of the share that is right."""
    return float(np.sqrt(_mean(rows, 0) * (1 - _mean(rows, 0)) / len(rows)))


def card(samples: Sequence[Sample], figures: dict[str, dict[str, float]], settings: Settings) -> str:
    rows = [
        [name, f"{row['pages']}", f"{row['right']:.3f} ± {row['spread']:.3f}", f"{row['first']:.3f}", f"{row['any']:.3f}"]
        for name, row in figures.items()
    ]
    table = export.table(
        ["corpus", "pages", "best candidate right (± standard error)", "first declared candidate right", "any candidate right"], rows
    )
    sites = len({sample.site for sample in samples})
    return f"""# {MODEL}

1. Candidates of a page's title -> the probability that each is the title. Our own: gradient boosting
   (LightGBM) over figures of where a candidate was seen and what it agrees with.
2. Use it through `webcontent.fields.titles.find_titles`. Do not use it for titles of sections or of list entries.
3. `features` float32 [n, {len(FIGURES)}] (`title_figures`, names in config.json) -> `probabilities` float32 [n, 1].
   A page's candidates are ranked; they need not sum to 1.
4. Data: {", ".join(Path(name).name for name in settings.weights)}: {len(samples)} pages of {sites} sites; checksums in config.json;
   licences and how the gold was made: the corpora's READMEs.
   Features know no site and no language. Weights a page by corpus in config.json.
5. {settings.folds} folds by registered domain over all corpora together;
   the number of trees, the weights and which figures to keep were chosen on the same folds, by eye.
6. Figures:

{table}

7. Calibration: not measured; the probabilities order candidates.
8. Known faults: where a site gives a story several titles (search, social, page) the one on the page is mostly taken;
   gold that follows a publisher's metadata differs (fundus-dev: 17 of the 20 pages that the first edition missed are such).
   On pages whose title stands in no mark-up and whose title element names only the site, a bold line above the text may win.
9. Cost: about 30 candidates a page, 1.5 ms for the candidates and their figures, 0.2 ms for the trees, on one core.
10. Train again: `python -m webcontent.training.titles`, about three minutes on one core.
11. History: v1, the first. Second edition of v1: parts of headings and of Chinese title elements as candidates, figures of what
    candidates share with headings, declared titles and the address, mean of {len(SEEDS)} models: zh-gold-dev 0.947 -> 1.000,
    fundus-dev 0.862 -> 0.876, traf-dev 0.897 -> 0.913, wcxb-dev 0.818 -> 0.829, fixtures-dev 0.929 -> 0.905, l3s-gn1 0.926 -> 0.916.
"""


if __name__ == "__main__":
    main()
