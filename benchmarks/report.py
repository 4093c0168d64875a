"""Markdown of the reports: headings, tables, numbers."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def markdown_table(heads: Iterable[str], lines: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    rows = [list(heads)]
    rows += [["---"] * len(rows[0]), *([str(cell) for cell in line] for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def decimal(value: float | None, digits: int = 3) -> str:
    """A number with so many digits behind the point; a dash for None."""
    return "-" if value is None else f"{value:.{digits}f}"


def heading(title: str) -> str:
    """The title of a report, the time, and the machine."""
    moment = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"# {title}\n\n{moment}. {_machine()}.\n"


def _machine() -> str:
    """CPU, cores, operating system and Python of this run."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"
