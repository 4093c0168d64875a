"""Images of a training run: curves of loss and accuracy, reliability diagrams, and a sheet of screenshots."""

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

DPI = 90
SHEET_COLUMNS = 8
THUMBNAIL_PX = (300, 600)
"""Width and height of a screenshot on the sheet; of a longer one only the top is shown."""


def draw_curves(history: Mapping[str, Sequence[Mapping[str, float]]], path: Path, title: str) -> None:
    """By epoch, a line for each fold: the loss in training (dashed) and on held-out pages, and the accuracy on these.

    `history`: by fold, an entry for each epoch with loss, tested_loss, tested_accuracy (the last two only where pages were held out).
    """
    figure, (losses, accuracies) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for i, (name, epochs) in enumerate(history.items()):
        colour = plt.get_cmap("tab10")(i % 10)
        steps = range(1, len(epochs) + 1)
        losses.plot(steps, [epoch["loss"] for epoch in epochs], "--", color=colour, linewidth=1)
        if epochs and "tested_loss" in epochs[0]:
            losses.plot(steps, [epoch["tested_loss"] for epoch in epochs], color=colour, label=name)
            accuracies.plot(steps, [epoch["tested_accuracy"] for epoch in epochs], color=colour, label=name)
    losses.set(xlabel="epoch", ylabel="loss (dashed: training pages)", title=title)
    accuracies.set(xlabel="epoch", ylabel="accuracy on held-out pages", title=title)
    for axes in (losses, accuracies):
        axes.grid(alpha=0.3)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    _save(figure, path)


def draw_calibration(tables: Mapping[str, Sequence[tuple[float, float, float]]], path: Path) -> None:
    """Reliability diagram: the share of right answers by the mean score of each bin, a line for each model.

    `tables`: by model, for each bin: number of pages, mean score, share of right answers. The size of a dot shows the number of pages.
    """
    figure, axes = plt.subplots(figsize=(5.5, 5), layout="constrained")
    least = min([0.5, *(score for rows in tables.values() for _, score, _ in rows)])
    axes.plot([least, 1], [least, 1], color="grey", linewidth=1, linestyle=":")
    for i, (name, rows) in enumerate(tables.items()):
        colour = plt.get_cmap("tab10")(i % 10)
        pages, scores, right = zip(*rows, strict=True) if rows else ((), (), ())
        axes.plot(scores, right, color=colour, linewidth=1, label=name)
        axes.scatter(scores, right, s=[6 + 3 * np.sqrt(count) for count in pages], color=colour)
    axes.set(
        xlabel="mean score",
        ylabel="share of right answers",
        xlim=(least - 0.02, 1.02),
        ylim=(-0.02, 1.04),
        title="Calibration of the score",
    )
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    _save(figure, path)


def draw_sheet(images: Sequence[Path], captions: Sequence[str], path: Path) -> None:
    """A sheet of thumbnails of screenshots with a caption above each."""
    rows = -(-len(images) // SHEET_COLUMNS)
    figure, grid = plt.subplots(rows, SHEET_COLUMNS, figsize=(2.1 * SHEET_COLUMNS, 4.4 * rows), layout="constrained", squeeze=False)
    for axes in grid.flat:
        axes.axis("off")
        axes.set_anchor("N")
    for axes, image, caption in zip(grid.flat, images, captions, strict=False):
        axes.imshow(_thumbnail(image))
        axes.set_title(caption, fontsize=7)
    _save(figure, path)


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def _thumbnail(path: Path) -> Any:
    with Image.open(path) as image:
        top = image.convert("RGB")
    top = top.crop((0, 0, top.width, min(top.height, top.width * THUMBNAIL_PX[1] // THUMBNAIL_PX[0])))
    top.thumbnail(THUMBNAIL_PX)
    return np.asarray(top)
