"""Compares extraction systems on corpora: quality, CPU time, memory. Writes report.md, its plots and rows.json into a folder.

Every system reads the same pages, in turn, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.quality.systems import SYSTEMS
from webcontent.evaluation.corpora import find_corpus, load_corpus

if TYPE_CHECKING:
    from webcontent.evaluation.corpora import Record

CORPORA = ("wcxb-dev", "zh-gold-dev", "zh-silver", "fundus-dev")
LIMIT = 100


def main(words: list[str] | None = None) -> None:
    """Read the command line, measure, write the report."""
    from benchmarks.quality.evaluator import evaluate, read_predictions
    from benchmarks.quality.plots import draw_all
    from benchmarks.quality.tables import quality_report

    arguments = _arguments(words)
    pages = _load_pages([*filter(None, arguments.corpora.split(",")), *arguments.extra], arguments.limit)
    if not pages:
        sys.exit("No pages. Name a folder with --extra, or set WEBCONTENT_CORPORA.")
    systems = [SYSTEMS[name] for name in arguments.systems.split(",")] if arguments.systems else list(SYSTEMS.values())
    folders = {f"webcontent:{name}": Path(folder) for name, _, folder in (pair.partition("=") for pair in arguments.predictions)}
    arguments.out.mkdir(parents=True, exist_ok=True)
    results = evaluate(systems, pages, read_predictions(folders))
    (arguments.out / "rows.json").write_text(json.dumps(results.rows), encoding="utf-8")
    plots = draw_all(results, arguments.out)
    report = quality_report(results, plots, out_of_fold=sorted(folders))
    path = arguments.out / "report.md"
    path.write_text(report, encoding="utf-8")
    print(report)
    print(f"The report is in {path}.", file=sys.stderr)


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks quality", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("benchmark-report"), help="folder of the report (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=LIMIT, help="pages per corpus, spread evenly (default: %(default)s)")
    parser.add_argument("--corpora", default=",".join(CORPORA), help="names or paths, separated by commas (default: %(default)s)")
    parser.add_argument("--extra", action="append", default=[], metavar="DIR", help="one more corpus: a folder with pages.jsonl(.xz)")
    parser.add_argument("--systems", help="names separated by commas (default: all): " + ", ".join(SYSTEMS))
    parser.add_argument(
        "--predictions",
        action="append",
        default=[],
        metavar="EXTRACTOR=DIR",
        help="evaluate these out-of-fold bodies in place of the extractor's own; DIR is the folder `predictions` of a training run",
    )
    arguments = parser.parse_args(words)
    for name in (arguments.systems or "").split(","):
        if name and name not in SYSTEMS:
            parser.error(f"--systems names {name!r}. There are: {', '.join(SYSTEMS)}.")
    for pair in arguments.predictions:
        if f"webcontent:{pair.partition('=')[0]}" not in SYSTEMS or not Path(pair.partition("=")[2]).is_dir():
            parser.error(f"--predictions takes the name of an extractor and a folder, as in fusion=DIR, not {pair!r}")
    return arguments


def _load_pages(corpora: list[str], limit: int) -> list[tuple[str, Record]]:
    """Pairs of a corpus's name and a page. Missing corpora are named on standard error."""
    pages: list[tuple[str, Record]] = []
    for name in corpora:
        if find_corpus(name) is None:
            print(f"There is no corpus {name}; it is left out.", file=sys.stderr)
            continue
        pages += [(Path(name).name, record) for record in load_corpus(name, limit=limit)]
    return pages


if __name__ == "__main__":
    main()
