"""The plots of the report."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from webcontent.evaluation.scores import half_width, mean

mpl.use("Agg")
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.quality.evaluator import Results, Row

MIN_PAGES = 10
"""A kind or language with fewer pages has no bars."""
MOST_GROUPS = 10
MIN_CLASS = 3
"""A class of page sizes with fewer pages has no point."""
BAR_SHARE = 0.8
"""Of the width of a group."""
DPI = 110


def draw_all(results: Results, folder: Path) -> list[str]:
    """Write every plot; gives the names of the files."""
    rows, megabytes = results.rows, results.megabytes
    systems = list(megabytes)
    colours = {name: plt.get_cmap("tab10")(i % 10) for i, name in enumerate(systems)}
    plots: dict[str, Callable[[Axes], None]] = {
        "quality-and-time.png": lambda axes: _quality(axes, rows, systems, colours),
        "by-kind.png": lambda axes: _bars(axes, rows, systems, colours, "kind"),
        "by-language.png": lambda axes: _bars(axes, rows, systems, colours, "lang"),
        "time-and-size.png": lambda axes: _growth(axes, rows, systems, colours),
        "memory.png": lambda axes: _memory(axes, megabytes, colours),
    }
    for name, draw in plots.items():
        figure, axes = plt.subplots(figsize=(11, 5.5), layout="constrained")
        draw(axes)
        figure.savefig(folder / name, dpi=DPI)
        plt.close(figure)
    return list(plots)


def _of(rows: list[Row], system: str) -> list[Row]:
    return [row for row in rows if row["system"] == system]


def _quality(axes: Axes, rows: list[Row], systems: list[str], colours: dict[str, Any]) -> None:
    for name in systems:
        own = _of(rows, name)
        quality = mean(own, "f1")
        if quality is None:
            continue
        cost = statistics.fmean(row["ms"] for row in own)
        axes.errorbar(cost, quality, yerr=half_width(own, "f1"), fmt="o", color=colours[name], capsize=3)
        axes.annotate(name, (cost, quality), textcoords="offset points", xytext=(7, 5))
    axes.set(xscale="log", xlabel="CPU ms per page (mean)", ylabel="body word F1 (mean, 95 % interval)")
    axes.margins(x=0.15)
    axes.grid(alpha=0.3)


def _bars(axes: Axes, rows: list[Row], systems: list[str], colours: dict[str, Any], key: str) -> None:
    evaluated = [row for row in rows if row.get("f1") is not None]
    pages = {value: len({row["id"] for row in evaluated if row[key] == value}) for value in {row[key] for row in evaluated}}
    groups = sorted((value for value in pages if value and pages[value] >= MIN_PAGES), key=lambda value: -pages[value])[:MOST_GROUPS]
    width = BAR_SHARE / max(1, len(systems))
    for i, name in enumerate(systems):
        own = _of(evaluated, name)
        heights = [mean([row for row in own if row[key] == group], "f1") or 0.0 for group in groups]
        axes.bar([place + i * width for place in range(len(groups))], heights, width, label=name, color=colours[name])
    axes.set_xticks([place + BAR_SHARE / 2 - width / 2 for place in range(len(groups))], [f"{group} ({pages[group]})" for group in groups])
    axes.set(ylabel="body word F1", ylim=(0, 1))
    axes.legend(fontsize=8, ncols=2)


def _growth(axes: Axes, rows: list[Row], systems: list[str], colours: dict[str, Any]) -> None:
    """Median time by class of page size. Each class is twice as large as the one before."""
    for name in systems:
        classes: dict[int, list[Row]] = {}
        for row in _of(rows, name):
            classes.setdefault(max(1, int(row["kilobytes"])).bit_length(), []).append(row)
        points = [
            (statistics.median(row["kilobytes"] for row in members), statistics.median(row["ms"] for row in members))
            for _, members in sorted(classes.items())
            if len(members) >= MIN_CLASS
        ]
        if points:
            axes.plot(*zip(*points, strict=True), marker=".", color=colours[name], label=name)
    axes.set(xscale="log", yscale="log", xlabel="page size, KB", ylabel="CPU ms (median)")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)


def _memory(axes: Axes, megabytes: dict[str, float], colours: dict[str, Any]) -> None:
    names = sorted(megabytes, key=lambda name: megabytes[name])
    axes.barh(names, [megabytes[name] for name in names], color=[colours[name] for name in names])
    axes.set(xlabel="peak memory of the process after a page, MB")
