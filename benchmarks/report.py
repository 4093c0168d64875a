"""report.md: the tables of a run."""

from __future__ import annotations

import os
import platform
import statistics
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.peers import SYSTEMS
from webcontent.evaluation.scores import half_width, mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Row = dict[str, Any]
IN_SAMPLE = (
    "Our models were trained on pages of these corpora, so our figures on them are in-sample and too good; the models' cards have the "
    "figures on sites never seen. Use `--extra` with pages of your own for a fair comparison.\n"
)
COLUMNS = (
    "system", "version", "body F1", "±", "P", "R", "snippets", "title", "date", "type", "ms mean", "median", "p90", "p99.9", "MB",
    "errors",
)  # fmt: skip
FIGURES = ("f1", "precision", "recall", "snippets", "title", "date", "type")


def table(heads: Iterable[str], lines: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    rows = [list(heads)]
    rows += [["---"] * len(rows[0]), *([str(cell) for cell in line] for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def shown(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def machine() -> str:
    """CPU, cores and Python of this run."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"


def heading(title: str) -> str:
    moment = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"# {title}\n\n{moment}. {machine()}.\n"


def quality_report(
    rows: list[Row], megabytes: dict[str, float], left_out: dict[str, str], pictures: list[str], unseen: Sequence[str] = ()
) -> str:
    """The whole report of `quality.measure`. `unseen`: systems whose bodies are predictions for sites that they had not seen."""
    systems = list(megabytes)
    pages = len({(row["corpus"], row["id"]) for row in rows})
    parts = [
        heading("webcontent against other libraries"),
        f"{pages} pages, all systems on the same ones, in turn, each in a process of its own. ms is CPU time a page, parsing included.\n",
        IN_SAMPLE,
        *(f"The bodies of {name} are from a training run, each for a site that it had not seen.\n" for name in unseen),
        table(COLUMNS, [_system_line(name, [row for row in rows if row["system"] == name], megabytes[name]) for name in systems]),
        *(f"{name}: left out, {reason}.\n" for name, reason in left_out.items()),
        *(_by(rows, systems, key) for key in ("corpus", "kind", "lang")),
        *(f"![{name.removesuffix('.png')}]({name})\n" for name in pictures),
    ]
    return "\n".join(parts)


def _system_line(name: str, own: list[Row], megabytes: float) -> list[str]:
    cost = sorted(row["ms"] for row in own)
    figures = [shown(mean(own, figure) or None) for figure in FIGURES]  # a field that is never right is not given
    return [
        name,
        SYSTEMS[name].version,
        figures[0],
        shown(half_width(own, "f1")),
        *figures[1:],
        shown(statistics.fmean(cost), 1),
        shown(statistics.median(cost), 1),
        *(shown(cost[min(len(cost) - 1, int(len(cost) * share))], 1) for share in (0.9, 0.999)),
        shown(megabytes, 0),
        str(sum(bool(row["error"]) for row in own)),
    ]


def _by(rows: list[Row], systems: list[str], key: str) -> str:
    judged = [row for row in rows if row.get("f1") is not None and row[key]]
    pages = {value: len({row["id"] for row in judged if row[key] == value}) for value in {row[key] for row in judged}}
    groups = sorted(pages, key=lambda value: -pages[value])[:12]
    lines = [
        [name, *(shown(mean([row for row in judged if row["system"] == name and row[key] == group], "f1")) for group in groups)]
        for name in systems
    ]
    return f"## Body F1 by {key}\n\n" + table(["system", *(f"{group} ({pages[group]})" for group in groups)], lines)
