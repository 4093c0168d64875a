"""What a person looks at after a training run: curves of loss and accuracy, and a sheet of the pages that were judged wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from PIL import Image

mpl.use("Agg")
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.samples import Samples

SHEET_PAGES = 40
SHEET_COLUMNS = 8
THUMB = (300, 600)
"""Pixels of a page on the sheet: its first part where it is longer."""


def draw_curves(history: Mapping[str, Sequence[Mapping[str, float]]], path: Path, title: str) -> None:
    """By epoch, a line a fold: loss while learning (dashed) and on the pages left out, and the accuracy there.

    `history`: by fold, an entry an epoch with loss, tested_loss, tested_accuracy (the last two are missing where nothing was left out).
    """
    figure, (losses, accuracies) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for i, (name, epochs) in enumerate(history.items()):
        colour = plt.get_cmap("tab10")(i % 10)
        steps = range(1, len(epochs) + 1)
        losses.plot(steps, [epoch["loss"] for epoch in epochs], "--", color=colour, linewidth=1)
        if epochs and "tested_loss" in epochs[0]:
            losses.plot(steps, [epoch["tested_loss"] for epoch in epochs], color=colour, label=name)
            accuracies.plot(steps, [epoch["tested_accuracy"] for epoch in epochs], color=colour, label=name)
    losses.set(xlabel="epoch", ylabel="loss (dashed: pages learned from)", title=title)
    accuracies.set(xlabel="epoch", ylabel="accuracy on pages left out", title=title)
    for axes in (losses, accuracies):
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def draw_calibration(tables: Mapping[str, Sequence[Sequence[float]]], path: Path) -> None:
    """Reliability diagram: the share right by the mean score of each bin; a line a model, dots as large as the bins.

    `tables`: by model, rows of `samples.calibration_table`: from, to, pages, mean score, share right.
    """
    figure, axes = plt.subplots(figsize=(5.5, 5), layout="constrained")
    least = min([0.5, *(row[3] for rows in tables.values() for row in rows)])
    axes.plot([least, 1], [least, 1], color="grey", linewidth=1, linestyle=":")
    for i, (name, rows) in enumerate(tables.items()):
        colour = plt.get_cmap("tab10")(i % 10)
        said, right = [row[3] for row in rows], [row[4] for row in rows]
        axes.plot(said, right, color=colour, linewidth=1, label=name)
        axes.scatter(said, right, s=[6 + 3 * np.sqrt(row[2]) for row in rows], color=colour)
    axes.set(
        xlabel="mean score",
        ylabel="share right",
        xlim=(least - 0.02, 1.02),
        ylim=(-0.02, 1.04),
        title="Is a score of 0.9 right nine times in ten?",
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=90)
    plt.close(figure)


def surest_mistakes(samples: Samples, article: NDArray[np.float64], count: int) -> list[tuple[int, float]]:
    """Rows judged wrong and the score of the wrong answer, surest first."""
    wrong = np.flatnonzero((article >= 0.5) != (samples.labels == 1))
    score = np.maximum(article, 1 - article)
    return [(int(row), float(score[row])) for row in wrong[np.argsort(-score[wrong], kind="stable")][:count]]


def draw_wrong_pages(samples: Samples, article: NDArray[np.float64], paths: Sequence[Path], path: Path) -> int:
    """Thumbnails of the surest mistakes with name, what the page is, and the score of the wrong answer; gives how many are wrong in all.

    No file is written where nothing is wrong. The sheet shows pages of others: it belongs beside the run's state, into no model's folder.
    """
    mistakes = surest_mistakes(samples, article, SHEET_PAGES)
    if not mistakes:
        return 0
    rows = -(-len(mistakes) // SHEET_COLUMNS)
    figure, grid = plt.subplots(rows, SHEET_COLUMNS, figsize=(2.1 * SHEET_COLUMNS, 4.4 * rows), layout="constrained", squeeze=False)
    for axes in grid.flat:
        axes.axis("off")
        axes.set_anchor("N")
    for axes, (row, score) in zip(grid.flat, mistakes, strict=False):
        axes.imshow(_thumbnail(paths[row]))
        axes.set_title(f"{samples.ids[row][-26:]}\nis {('list', 'article')[samples.article[row]]}, other: {score:.3f}", fontsize=7)
    figure.savefig(path, dpi=90)
    plt.close(figure)
    return int(((article >= 0.5) != (samples.labels == 1)).sum())


def _thumbnail(path: Path) -> Any:
    with Image.open(path) as image:
        shown = image.convert("RGB")
    shown = shown.crop((0, 0, shown.width, min(shown.height, shown.width * THUMB[1] // THUMB[0])))
    shown.thumbnail(THUMB)
    return np.asarray(shown)
