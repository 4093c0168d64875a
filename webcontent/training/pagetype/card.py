"""The model cards of the page type models: `cards/<name>.md`, filled with the results of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webcontent.items import KINDS
from webcontent.pagetype.classify import DEFAULT_MODEL
from webcontent.training.common.cards import fill, settings_block, table
from webcontent.training.pagetype.samples import LEARNED_PAGES, SNAPSHOTS_DATA
from webcontent.training.pagetype.settings import UNSEEN_CORPORA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.common.cards import DataFacts

    Metrics = Mapping[str, Any]

CARDS = Path(__file__).with_name("cards")
LABELS = ("list", "article")
"""Names of the labels 0 and 1."""
SHOWN_COMBINATIONS = {
    "layout + dom": "A rendered page: layout and markup",
    "dom": "Markup alone",
    "picture": "The screenshot alone",
}
"""Combinations of parts that the card of the default describes in full, and what it calls them; that of a rendered page is the first."""


def model_card(
    name: str,
    folder: str,
    facts: DataFacts,
    settings: Mapping[str, Any],
    metrics: Metrics,
    cost: Mapping[str, float],
    *,
    weights: int | None = None,
    losses: Mapping[str, float] | None = None,
) -> str:
    """The card of one model.

    `folder`: the name of the model; `cost`: megabytes, ms of the graph, and minutes of the training. Of a network, `weights` is the number
    of weights, and `losses` has the last training loss of each fold.
    """
    figures = _figures(folder, facts, settings)
    count = f", {weights:,} weights" if weights else ""
    shown = ", ".join(f"{title} {loss:.3f}" for title, loss in (losses or {}).items())
    if losses:
        figures["split"] += f"\nTraining loss of the last epoch: {shown}."
    command = f"`python -m webcontent.training.pagetype --arch {name}{figures['option']}`"
    return fill(
        CARDS / f"{name}.md",
        **figures,
        metrics=metrics,
        accuracy=_accuracy_table(metrics),
        details=_details(metrics),
        calibration=_calibration_table(metrics),
        cost=f"{cost['megabytes']:.2f} MB, {cost['ms']:.2f} ms of CPU time for a page (the graph alone, one thread){count}.",
        train_again=f"""{figures["rendering"]} {command} took {cost["minutes"]:.0f} min on one busy thread, without what an interrupted run
had stored.""",
    )


def default_card(
    facts: DataFacts,
    settings: Mapping[str, Any],
    metrics: Mapping[str, Metrics],
    weights: Mapping[str, Sequence[float]],
    cost: Mapping[str, float],
) -> str:
    """The card of the weighted sum. `metrics` and `weights`: by combination of parts; `cost`: megabytes, ms and seconds of the training."""
    parts = list(weights)[-1].split(" + ")
    screens = {name: own.get("screens", own) for name, own in metrics.items()}
    titles = SHOWN_COMBINATIONS.items()
    return fill(
        CARDS / "default.md",
        **_figures(DEFAULT_MODEL, facts, settings),
        part_count=len(parts),
        parts=", ".join(parts),
        learned_pages=LEARNED_PAGES,
        combinations=_combinations_table(metrics),
        screens=_combinations_table(screens),
        rendered=metrics[next(iter(SHOWN_COMBINATIONS))],
        by_parts="\n\n".join(f"### {title}\n\n{_parts_table(metrics[name])}" for name, title in titles),
        weights=table([*("parts", *parts), "constant"], [[name, *values] for name, values in weights.items()]),
        calibration="\n\n".join(f"### {title}\n\n{_calibration_table(metrics[name])}" for name, title in titles),
        cost=cost,
    )


def _figures(folder: str, facts: DataFacts, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the cards of all models state."""
    has_snapshots = SNAPSHOTS_DATA in facts.corpora
    rendering = "`python -m webcontent.training.snapshots --out DIR` renders the site snapshots. After that,"
    return {
        "name": folder,
        "data": fill(CARDS / "data.md", facts=facts),
        "split": fill(CARDS / "split.md", settings=settings),
        "settings_block": settings_block(settings),
        "rendering": rendering if has_snapshots else "",
        "option": " --snapshots DIR" if has_snapshots else "",
    }


def _accuracy_table(metrics: Metrics) -> str:
    columns = ["pages of", "pages", "accuracy", "spread over folds", "articles", "lists", "calibration error"]
    screens = [["screens", *_row(metrics["screens"])]] if "screens" in metrics else []
    return table(columns, [["all", *_row(metrics)], *screens])


def _details(metrics: Metrics) -> str:
    parts = [
        "By fold: " + ", ".join(f"{value:.3f}" for value in metrics["by_fold"]),
        _parts_table(metrics),
        *_article_corpora(metrics),
        *_kinds(metrics),
    ]
    return "\n\n".join(parts)


def _row(metrics: Metrics) -> list[Any]:
    return [metrics[name] for name in ("pages", "accuracy", "spread", "articles", "lists", "calibration_error")]


def _parts_table(metrics: Metrics) -> str:
    rows = [[name, *values] for group in ("by_slice", "by_language") for name, values in metrics[group].items()]
    return table(["corpus, kind of design, or language", "pages", "accuracy"], rows)


def _article_corpora(metrics: Metrics) -> list[str]:
    """Pages of the corpora of articles alone, which the tables above leave out."""
    if "article_corpora" not in metrics:
        return []
    names = " and ".join(UNSEEN_CORPORA)
    text = "Pages of the corpora that hold articles alone, which the table above leaves out."
    text += f" {names} were never trained on; of the others, the sites were not."
    rows = [[name, *values] for name, values in metrics["article_corpora"].items()]
    return [text, table(["corpus", "pages", "classified as article"], rows)]


def _kinds(metrics: Metrics) -> list[str]:
    if "kinds" not in metrics:
        return []
    rows = [[kind, *row] for kind, row in zip(KINDS, metrics["kind_confusion"], strict=True)]
    text = f"Kinds on wcxb-dev: {metrics['kinds']:.3f} of {metrics['kind_pages']} pages are right. Rows: gold; columns: predicted."
    return [text, table(["", *KINDS], rows)]


def _calibration_table(metrics: Metrics) -> str:
    return table(["score from", "pages", "mean score", "right"], [list(row.values()) for row in metrics["calibration"]])


def _combinations_table(metrics: Mapping[str, Metrics]) -> str:
    rows = [
        [name, *_row(own)[:-1], own["by_slice"].get("real site", [0, "-"])[1], own["calibration_error"]] for name, own in metrics.items()
    ]
    return table(["parts", "pages", "accuracy", "spread over folds", "articles", "lists", "real sites", "calibration error"], rows)
