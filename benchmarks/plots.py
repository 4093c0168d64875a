"""The pictures of the report."""

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

Row = dict[str, Any]
LEAST_PAGES = 10
"""A kind or language with fewer pages has no bars."""


def draw_all(rows: list[Row], megabytes: dict[str, float], folder: Path) -> list[str]:
    """Writes every picture; gives the names of the files."""
    systems = list(megabytes)
    colours = {name: plt.get_cmap("tab10")(i % 10) for i, name in enumerate(systems)}
    pictures: dict[str, Callable[[Axes], None]] = {
        "quality-and-time.png": lambda axes: _quality(axes, rows, systems, colours),
        "by-kind.png": lambda axes: _bars(axes, rows, systems, colours, "kind"),
        "by-language.png": lambda axes: _bars(axes, rows, systems, colours, "lang"),
        "time-and-size.png": lambda axes: _growth(axes, rows, systems, colours),
        "memory.png": lambda axes: _memory(axes, megabytes, colours),
    }
    for name, draw in pictures.items():
        figure, axes = plt.subplots(figsize=(11, 5.5), layout="constrained")
        draw(axes)
        figure.savefig(folder / name, dpi=110)
        plt.close(figure)
    return list(pictures)


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
    judged = [row for row in rows if row.get("f1") is not None]
    pages = {value: len({row["id"] for row in judged if row[key] == value}) for value in {row[key] for row in judged}}
    groups = sorted((value for value in pages if value and pages[value] >= LEAST_PAGES), key=lambda value: -pages[value])[:10]
    width = 0.8 / max(1, len(systems))
    for i, name in enumerate(systems):
        own = _of(judged, name)
        heights = [mean([row for row in own if row[key] == group], "f1") or 0.0 for group in groups]
        axes.bar([place + i * width for place in range(len(groups))], heights, width, label=name, color=colours[name])
    axes.set_xticks([place + 0.4 - width / 2 for place in range(len(groups))], [f"{group} ({pages[group]})" for group in groups])
    axes.set(ylabel="body word F1", ylim=(0, 1))
    axes.legend(fontsize=8, ncols=2)


def _growth(axes: Axes, rows: list[Row], systems: list[str], colours: dict[str, Any]) -> None:
    """Median time in classes of page size, each twice as large as the one before."""
    for name in systems:
        classes: dict[int, list[Row]] = {}
        for row in _of(rows, name):
            classes.setdefault(max(1, int(row["kilobytes"])).bit_length(), []).append(row)
        points = [
            (statistics.median(row["kilobytes"] for row in members), statistics.median(row["ms"] for row in members))
            for _, members in sorted(classes.items())
            if len(members) >= 3
        ]
        if points:
            axes.plot(*zip(*points, strict=True), marker=".", color=colours[name], label=name)
    axes.set(xscale="log", yscale="log", xlabel="page size, KB", ylabel="CPU ms (median)")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)


def _memory(axes: Axes, megabytes: dict[str, float], colours: dict[str, Any]) -> None:
    names = sorted(megabytes, key=lambda name: megabytes[name])
    axes.barh(names, [megabytes[name] for name in names], color=[colours[name] for name in names])
    axes.set(xlabel="most memory of the process after a page, MB")
