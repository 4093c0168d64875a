"""Compares a rendered crawl with one without preparation, and with bare scrapy-playwright: `python -m benchmarks crawl`.

All crawl the same pages of the site snapshots from loopback, in turn (A B A B), each in a process of its own. With --hang, a request
of each page is never answered. Writes report.md, crawl.json and a plot of memory into a folder.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from benchmarks.crawl_process import KINDS_OF_PROCESSES
from benchmarks.hanging_server import hanging_server
from benchmarks.page_server import PageServer
from benchmarks.report import decimal, heading, markdown_table
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.site_snapshots import load_facts, serve_snapshot, snapshot_names, snapshots_folder

mpl.use("Agg")
import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Callable

Result = dict[str, Any]
OURS, UNPREPARED, BARE = "ours", "unprepared", "bare"
KINDS = (OURS, UNPREPARED, BARE)
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
PAGES = 300
ROUNDS = 2
COLUMNS = ("pages", "seconds", "pages_per_s", "cpu_s", "lag_p50_ms", "lag_p99_ms", "lag_max_ms")
WARM = 1 / 4
"""Memory at the end is compared with memory after this share of the pages, when the browser is warm."""
LOG_CHARACTERS = 2000
DPI = 110
_OUTSIDE = re.compile(r"""\b((?:src|href|srcset|data)\s*=\s*["']?)\s*(?:https?:)?//""", re.IGNORECASE)
"""The beginning of an attribute that names another server."""


def main(words: list[str] | None = None) -> None:
    """Read the command line, measure, write the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks crawl", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("benchmark-report"), help="folder of the report (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=PAGES, help="pages per crawl, spread evenly (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="crawls of each kind (default: %(default)s)")
    parser.add_argument("--browser", action="append", help="browser of both crawls; if given twice, ours and the other's")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[OURS, BARE], help="what is compared (default: %(default)s)")
    parser.add_argument("--hang", action="store_true", help="a request of each page is never answered")
    parser.add_argument("--corpus", help="crawl the pages of a corpus, without their styles and images, instead of snapshots of sites")
    arguments = parser.parse_args(words)
    arguments.out.mkdir(parents=True, exist_ok=True)
    chosen = find_browsers(arguments.browser)
    with ExitStack() as servers:
        if arguments.corpus:
            urls = corpus_urls(servers, arguments.corpus, arguments.limit)
        else:
            urls = snapshot_urls(servers, arguments.limit, hang=arguments.hang)
        report = compare(urls, arguments.kinds, arguments.rounds, arguments.out, chosen)
    path = arguments.out / "report.md"
    path.write_text(report, encoding="utf-8")
    print(report)
    print(f"The report is in {path}.", file=sys.stderr)


def find_browsers(named: list[str] | None = None) -> dict[str, str]:
    """The browser of each kind of crawl. `named`: one for all, or ours and the other's. Raises FileNotFoundError without any."""
    chosen = named or [path for name in BROWSERS if (path := shutil.which(name))][:1]
    if not chosen:
        raise FileNotFoundError("No Chromium on PATH. Name one with --browser.")
    return {OURS: chosen[0], UNPREPARED: chosen[0], BARE: chosen[-1]}


def compare(urls: list[str], kinds: list[str], rounds: int, out: Path, browser_of: dict[str, str]) -> str:
    """Crawl the addresses `rounds` times with each kind in turn; write plot and results into `out`; give the report."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "urls.json"
        file.write_text(json.dumps(urls), encoding="utf-8")
        results = [_crawl(kind, file, browser_of[kind]) for _ in range(rounds) for kind in kinds]
    (out / "crawl.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    _draw_memory(results, len(kinds), out / "crawl-memory.png")
    return _report(results)


def snapshot_urls(servers: ExitStack, count: int, *, hang: bool = False) -> list[str]:
    """Addresses of pages of all site snapshots, spread evenly. The sites are served until the stack closes."""
    urls: list[str] = []
    for name in snapshot_names():
        facts = load_facts(name)
        base = servers.enter_context(serve_snapshot(name))
        if hang:
            base = servers.enter_context(hanging_server(base))
        urls += [base + path.lstrip("/") for path in facts["articles"] + facts["lists"]]
    if not urls:
        raise FileNotFoundError(f"No site snapshots in {snapshots_folder()}. WEBCONTENT_CORPORA names the folder beside it.")
    if count <= len(urls):
        return [urls[i * len(urls) // count] for i in range(count)]
    return (urls * (count // len(urls) + 1))[:count]


def corpus_urls(servers: ExitStack, name: str, count: int) -> list[str]:
    """Addresses of pages of a corpus, spread evenly. They are served until the stack closes. What they load is asked of the same server,
    which does not have it, so that no crawl waits for the network."""
    records = load_corpus(name, limit=count)
    pages = {f"/{number}": _OUTSIDE.sub(r"\1/gone/", record["html"]).encode() for number, record in enumerate(records)}
    server = PageServer(pages.get)
    servers.callback(server.close)
    return [server.url + path for path in pages]


def _crawl(kind: str, urls: Path, browser: str) -> Result:
    command = [sys.executable, "-m", "benchmarks.crawl_process", kind, str(urls), browser]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode or not process.stdout.strip():
        raise RuntimeError(f"The crawl {kind!r} failed: {process.stderr[-LOG_CHARACTERS:]}")
    result: Result = json.loads(process.stdout.splitlines()[-1])
    print(f"{kind}: {result['pages']} pages, {result['pages_per_s']:.2f} a second", file=sys.stderr)
    return result


def _report(results: list[Result]) -> str:
    lines = [
        [result["kind"], Path(result["browser"]).name, *(decimal(result[column], 2) for column in COLUMNS), *_memory_cells(result)]
        for result in results
    ]
    kinds = list(dict.fromkeys(result["kind"] for result in results))
    speeds = {kind: _mean(results, kind, lambda result: result["pages_per_s"]) for kind in kinds}
    costs = {kind: _mean(results, kind, lambda result: result["cpu_s"] / max(1, result["pages"])) for kind in kinds}
    cpu = [[kind, *(_mean_cpu(results, kind, part) for part in KINDS_OF_PROCESSES)] for kind in kinds]
    heads = ["crawl", "browser", *COLUMNS, "Python MB (after a quarter, at the end)", "browser MB (the same)"]
    ratios = [
        f"{kinds[0]} / {kind}: {speeds[kinds[0]] / speeds[kind]:.2f} pages a second, {costs[kinds[0]] / costs[kind]:.2f} CPU a page.\n"
        for kind in kinds[1:]
    ]
    title = "Crawls with and without the preparation of pages, and bare scrapy-playwright"
    return "\n".join(
        [
            heading(title),
            markdown_table(heads, lines),
            *ratios,
            markdown_table(["CPU s", *KINDS_OF_PROCESSES], cpu),
            "![memory](crawl-memory.png)\n",
        ]
    )


def _mean(results: list[Result], kind: str, value: Callable[[Result], float]) -> float:
    return statistics.fmean(value(result) for result in results if result["kind"] == kind)


def _mean_cpu(results: list[Result], kind: str, part: str) -> str:
    return decimal(_mean(results, kind, lambda result: result["cpu_s_by_kind"][part]), 2)


def _memory_cells(result: Result) -> list[str]:
    """Memory of Python and of the browser's processes, early and at the end."""
    samples = [sample for sample in result["samples"] if sample["browser_mb"] > 0]
    if not samples:
        return ["-", "-"]
    early = next((sample for sample in samples if sample["pages"] >= result["pages"] * WARM), samples[-1])
    late = samples[-1]
    return [f"{early[key]:.0f}, {late[key]:.0f} ({late[key] / early[key] - 1:+.0%})" for key in ("python_mb", "browser_mb")]


def _draw_memory(results: list[Result], kinds: int, path: Path) -> None:
    figure, axes = plt.subplots(figsize=(11, 5.5), layout="constrained")
    for number, result in enumerate(results):
        for key, style in (("python_mb", "-"), ("browser_mb", ":")):
            points = [(sample["pages"], sample[key]) for sample in result["samples"]]
            axes.plot(*zip(*points, strict=True), style, label=f"{result['kind']} {number // kinds + 1} {key.removesuffix('_mb')}")
    axes.set(xlabel="pages", ylabel="resident memory, MB", ylim=(0, None))
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


if __name__ == "__main__":
    main()
