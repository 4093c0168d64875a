"""python -m benchmarks [quality|crawl|micro]: writes report.md and its pictures into a folder.

quality: ours and other libraries on the same pages. crawl: ours against bare scrapy-playwright. micro: single steps.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.peers import OWN, PEERS, SYSTEMS
from webcontent.evaluation.corpora import find_corpus, load_corpus

CORPORA = ("wcxb-dev", "zh-gold-dev", "zh-silver", "fundus-dev")


def main(words: list[str] | None = None) -> None:
    """Reads the command line, measures, writes."""
    arguments = _arguments(words)
    arguments.out.mkdir(parents=True, exist_ok=True)
    report = {"quality": _quality, "crawl": _crawl, "micro": _micro}[arguments.part](arguments)
    path = arguments.out / "report.md"
    path.write_text(report, encoding="utf-8")
    print(report)
    print(f"Written to {path}.", file=sys.stderr)


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("part", nargs="?", choices=("quality", "crawl", "micro"), default="quality")
    parser.add_argument("--out", type=Path, default=Path("benchmark-report"), help="folder of the report (default: %(default)s)")
    parser.add_argument("--limit", type=int, help="pages a corpus, or pages of the crawl, spread evenly (default: 100, 300, 60)")
    parser.add_argument("--corpora", default=",".join(CORPORA), help="names or paths, parted by commas (default: %(default)s)")
    parser.add_argument("--extra", action="append", default=[], metavar="DIR", help="one more corpus: a folder with pages.jsonl(.xz)")
    parser.add_argument("--peers", help="systems, parted by commas (default: all): " + ", ".join(SYSTEMS))
    parser.add_argument(
        "--predictions",
        action="append",
        default=[],
        metavar="EXTRACTOR=DIR",
        help="bodies that a training run gave for unseen sites (its folder `predictions`): judged instead of what the trained model gives",
    )
    parser.add_argument("--rounds", type=int, default=2, help="crawl: how often each crawls (default: %(default)s)")
    parser.add_argument("--browser", action="append", help="crawl: the browser of both; given twice, ours and the other's")
    arguments = parser.parse_args(words)
    for name in (arguments.peers or "").split(","):
        if name and name not in SYSTEMS:
            parser.error(f"--peers names {name!r}; there are: {', '.join(SYSTEMS)}")
    for pair in arguments.predictions:
        if f"webcontent:{pair.partition('=')[0]}" not in SYSTEMS or not Path(pair.partition("=")[2]).is_dir():
            parser.error(f"--predictions takes an extractor's name and a folder, as in fusion=DIR, not {pair!r}")
    return arguments


def _quality(arguments: argparse.Namespace) -> str:
    from benchmarks.plots import draw_all
    from benchmarks.quality import measure, read_predictions
    from benchmarks.report import quality_report

    pages: list[tuple[str, dict[str, Any]]] = []
    for name in [*filter(None, arguments.corpora.split(",")), *arguments.extra]:
        if find_corpus(name) is None:
            print(f"{name}: left out, no such corpus.", file=sys.stderr)
            continue
        pages += [(Path(name).name, record) for record in load_corpus(name, limit=arguments.limit or 100)]
    if not pages:
        sys.exit("No pages. Name a folder with --extra, or set WEBCONTENT_CORPORA.")
    chosen = [SYSTEMS[name] for name in arguments.peers.split(",")] if arguments.peers else [*OWN, *PEERS]
    folders = {f"webcontent:{name}": Path(folder) for name, _, folder in (pair.partition("=") for pair in arguments.predictions)}
    rows, megabytes, left_out = measure(chosen, pages, read_predictions(folders))
    (arguments.out / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    return quality_report(rows, megabytes, left_out, draw_all(rows, megabytes, arguments.out), sorted(folders))


def _crawl(arguments: argparse.Namespace) -> str:
    from benchmarks.crawl import compare

    return compare(arguments.limit or 300, arguments.rounds, arguments.out, arguments.browser)


def _micro(arguments: argparse.Namespace) -> str:
    from benchmarks.micro import micro_report

    return micro_report(arguments.limit or 60)


if __name__ == "__main__":
    main()
