"""The report of the evaluator."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from benchmarks.quality.systems import SYSTEMS
from benchmarks.report import decimal, heading, markdown_table
from webcontent.evaluation.scores import half_width, mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.quality.evaluator import Results, Row

IN_SAMPLE = (
    "Our models were trained on data that includes pages of these corpora, so their results here are in-sample and too high. The model "
    "cards have the results on unseen sites. For a fair comparison, add your own pages with `--extra`.\n"
)
METRICS = ("f1", "precision", "recall", "snippets", "title", "date", "type")
COLUMNS = (
    "system", "version", "body F1", "±", "P", "R", "snippets", "title", "date", "type", "ms mean", "median", "p90", "p99.9", "MB",
    "errors",
)  # fmt: skip
QUANTILES = (0.9, 0.999)
MOST_GROUPS = 12
"""Columns of a table by corpus, kind or language."""


def quality_report(results: Results, plots: Sequence[str], out_of_fold: Sequence[str] = ()) -> str:
    """The whole report. `plots`: names of image files. `out_of_fold`: systems whose bodies are predictions for unseen sites."""
    rows, systems = results.rows, list(results.megabytes)
    pages = len({(row["corpus"], row["id"]) for row in rows})
    lines = [_system_line(name, [row for row in rows if row["system"] == name], results.megabytes[name]) for name in systems]
    parts = [
        heading("webcontent and other libraries"),
        f"{pages} pages. All systems read the same pages in turn, each in a process of its own. ms is CPU time per page with parsing.\n",
        IN_SAMPLE,
        *(f"The bodies of {name} are out-of-fold predictions: no model saw the site that it was evaluated on.\n" for name in out_of_fold),
        markdown_table(COLUMNS, lines),
        *(f"{name} is left out: {reason}.\n" for name, reason in results.left_out.items()),
        *(_f1_by(rows, systems, key) for key in ("corpus", "kind", "lang")),
        *(f"![{name.removesuffix('.png')}]({name})\n" for name in plots),
    ]
    return "\n".join(parts)


def _system_line(name: str, rows: list[Row], megabytes: float) -> list[str]:
    costs = sorted(row["ms"] for row in rows)
    metrics = [decimal(mean(rows, metric) or None) for metric in METRICS]  # a system that never gets a field right does not give it
    return [
        name,
        SYSTEMS[name].version,
        metrics[0],
        decimal(half_width(rows, "f1")),
        *metrics[1:],
        decimal(statistics.fmean(costs), 1),
        decimal(statistics.median(costs), 1),
        *(decimal(costs[min(len(costs) - 1, int(len(costs) * share))], 1) for share in QUANTILES),
        decimal(megabytes, 0),
        str(sum(bool(row["error"]) for row in rows)),
    ]


def _f1_by(rows: list[Row], systems: list[str], key: str) -> str:
    evaluated = [row for row in rows if row.get("f1") is not None and row[key]]
    pages = {value: len({row["id"] for row in evaluated if row[key] == value}) for value in {row[key] for row in evaluated}}
    groups = sorted(pages, key=lambda value: -pages[value])[:MOST_GROUPS]
    lines = [
        [name, *(decimal(mean([row for row in evaluated if row["system"] == name and row[key] == group], "f1")) for group in groups)]
        for name in systems
    ]
    return f"## Body F1 by {key}\n\n" + markdown_table(["system", *(f"{group} ({pages[group]})" for group in groups)], lines)
