"""Measures how well an item's score is calibrated: `python -m benchmarks calibration [--out DIR] [--limit N]`.

A score is right when, of the items with about that score, that share has a body whose word F1 exceeds 0.9. Writes `calibration.md` (a
table per extractor and corpus) and `calibration.png` (a reliability diagram per extractor). The score of an extractor that learned from
a corpus is optimistic there; dragnet-dev is in no training set.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.report import decimal, heading, markdown_table
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.scores import word_f1
from webcontent.items import Page
from webcontent.pipeline import Options, page_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

CORPORA = ("dragnet-dev", "cleaneval", "wcxb-dev", "fundus-dev", "zh-gold-dev")
"""Corpora whose gold holds the body."""
EXTRACTORS = ("fusion", "web2text", "nemtf", "bpnn", "awce")
"""ngfv is missing: these pages have no boxes."""
GOOD_F1 = 0.9
BINS = 10
MIN_PAGES = 10
"""A bin of the diagram with fewer pages has no point."""
LIMIT = 500
DPI = 110


@dataclass(frozen=True, slots=True)
class Judged:
    """The score of an item and whether its body is right."""

    extractor: str
    corpus: str
    score: float
    is_right: bool


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, measure, write the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calibration", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/calibration"), help="folder of the report (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=LIMIT, help="pages of a corpus (default: %(default)s)")
    options = parser.parse_args(words)
    rows = list(judged(options.limit))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "calibration.md").write_text(f"{heading('Calibration of scores')}\n{table(rows)}", encoding="utf-8")
    draw(rows, options.out / "calibration.png")
    print(options.out / "calibration.md")


def judged(limit: int) -> Iterator[Judged]:
    """The items of all corpora by all extractors."""
    for corpus in CORPORA:
        for record in load_corpus(corpus, limit=limit):
            gold = record["gold"].get("body")
            if gold is None:
                continue
            for name in EXTRACTORS:
                item = page_item(Page(url=record["url"], html=record["html"]), Options(extractor=name))
                yield Judged(name, corpus, item.score, word_f1(item.body, gold)[0] > GOOD_F1)


def calibration_error(rows: Sequence[Judged]) -> float:
    """Expected calibration error: the mean distance of score and share of right items over BINS bins, weighted by items."""
    scores = np.array([row.score for row in rows])
    right = np.array([row.is_right for row in rows], float)
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    errors = [abs(scores[bins == k].mean() - right[bins == k].mean()) * (bins == k).mean() for k in np.unique(bins)]
    return float(sum(errors))


def table(rows: Sequence[Judged]) -> str:
    """Pages, mean score, share of right bodies and calibration error, by extractor and corpus."""
    lines = []
    for name in EXTRACTORS:
        for corpus in (*CORPORA, "all"):
            own = [row for row in rows if row.extractor == name and corpus in (row.corpus, "all")]
            if own:
                scores, right = (float(np.mean(values)) for values in ([row.score for row in own], [row.is_right for row in own]))
                lines.append([name, corpus, len(own), decimal(scores), decimal(right), decimal(calibration_error(own))])
    return markdown_table(["extractor", "corpus", "pages", "mean score", "share with F1 > 0.9", "calibration error"], lines)


def draw(rows: Sequence[Judged], path: Path) -> None:
    """Write the reliability diagrams."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(EXTRACTORS), figsize=(3 * len(EXTRACTORS), 3.4), sharey=True, layout="constrained")
    for axes, name in zip(panels, EXTRACTORS, strict=True):
        own = [row for row in rows if row.extractor == name]
        if own:
            _reliability(axes, own)
            axes.set_title(f"{name}, error {calibration_error(own):.3f}")
    panels[0].set_ylabel("share with F1 > 0.9")
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def _reliability(axes: Axes, rows: Sequence[Judged]) -> None:
    """The share of right bodies by score; the area of a point grows with its pages."""
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle="--")
    for low in np.arange(BINS) / BINS:
        own = [row for row in rows if low <= row.score < low + 1 / BINS]
        if len(own) >= MIN_PAGES:
            score, share = float(np.mean([row.score for row in own])), float(np.mean([row.is_right for row in own]))
            axes.scatter(score, share, s=10 + len(own) / 3, color="tab:blue")
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="score")
    axes.set_aspect("equal")
