"""Our crawl against bare scrapy-playwright: the same stored pages from loopback, in turn (A B A B), in one run."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import matplotlib as mpl

from benchmarks.report import heading, shown, table
from webcontent.evaluation.corpora import serve_site, sites_folder

mpl.use("Agg")
import matplotlib.pyplot as plt

Result = dict[str, Any]
OURS, BARE = "ours", "bare"
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


def compare(count: int, rounds: int, out: Path, browsers: list[str] | None = None) -> str:
    """Crawls `count` pages `rounds` times with each; writes the pictures and gives the report.

    With one browser both use it; with two the first is ours and the second the other's ("each with its own").
    """
    found = browsers or [path for name in BROWSERS if (path := shutil.which(name))][:1]
    if not found:
        raise FileNotFoundError("No Chromium on PATH; name one with --browser.")
    pair = {OURS: found[0], BARE: found[-1]}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as servers:
        urls = Path(folder) / "urls.json"
        urls.write_text(json.dumps(_stored_urls(servers, count)), encoding="utf-8")
        results = [_crawl(kind, urls, pair[kind]) for _ in range(rounds) for kind in (OURS, BARE)]
    (out / "crawl.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    _draw_memory(results, out / "crawl-memory.png")
    return _report(results)


def _stored_urls(servers: ExitStack, count: int) -> list[str]:
    """Addresses of pages of all stored sites, spread evenly; the sites are served until the stack closes."""
    urls: list[str] = []
    for facts in sorted(sites_folder().glob("*.json")):
        known = json.loads(facts.read_text(encoding="utf-8"))
        base = servers.enter_context(serve_site(facts.stem))
        urls += [base + path.lstrip("/") for path in known["articles"] + known["lists"]]
    if not urls:
        raise FileNotFoundError(f"No stored sites in {sites_folder()}; WEBCONTENT_CORPORA names the folder beside it.")
    if count <= len(urls):
        return [urls[i * len(urls) // count] for i in range(count)]
    return (urls * (count // len(urls) + 1))[:count]


def _crawl(kind: str, urls: Path, browser: str) -> Result:
    command = [sys.executable, "-m", "benchmarks.crawler", kind, str(urls), browser]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  (our own command)
    if done.returncode or not done.stdout.strip():
        raise RuntimeError(f"The crawl {kind!r} failed: {done.stderr[-2000:]}")
    result: Result = json.loads(done.stdout.splitlines()[-1])
    print(f"{kind}: {result['pages']} pages, {result['pages_a_second']:.2f} a second", file=sys.stderr)
    return result


def _report(results: list[Result]) -> str:
    columns = ["pages", "seconds", "pages_a_second", "cpu_s", "lag_p50_ms", "lag_p99_ms", "lag_max_ms"]
    lines = [
        [result["kind"], Path(result["browser"]).name, *(shown(result[column], 2) for column in columns), *_memory(result)]
        for result in results
    ]
    by_kind = {kind: [result for result in results if result["kind"] == kind] for kind in (OURS, BARE)}
    rates = {kind: statistics.fmean(result["pages_a_second"] for result in some) for kind, some in by_kind.items()}
    costs = {kind: statistics.fmean(result["cpu_s"] / max(1, result["pages"]) for result in some) for kind, some in by_kind.items()}
    return "\n".join(
        [
            heading("Crawl: webcontent (screenshot, boxes, type, extraction) against bare scrapy-playwright"),
            table(["crawl", "browser", *columns, "python MB (a quarter of the way, end)", "browser MB (the same)"], lines),
            f"Pages a second, ours / bare: {rates[OURS] / rates[BARE]:.2f}. CPU a page, ours / bare: {costs[OURS] / costs[BARE]:.2f}.\n",
            "![memory](crawl-memory.png)\n",
        ]
    )


def _memory(result: Result) -> list[str]:
    """Memory after a quarter of the pages and at the end, of Python and of the browser's processes."""
    samples = [sample for sample in result["samples"] if sample["browser_mb"] > 0]
    if not samples:
        return ["-", "-"]
    early = next((sample for sample in samples if sample["pages"] >= result["pages"] / 4), samples[-1])
    late = samples[-1]
    return [f"{early[key]:.0f}, {late[key]:.0f} ({late[key] / early[key] - 1:+.0%})" for key in ("python_mb", "browser_mb")]


def _draw_memory(results: list[Result], path: Path) -> None:
    figure, axes = plt.subplots(figsize=(11, 5.5), layout="constrained")
    for number, result in enumerate(results):
        for key, style in (("python_mb", "-"), ("browser_mb", ":")):
            points = [(sample["pages"], sample[key]) for sample in result["samples"]]
            axes.plot(*zip(*points, strict=True), style, label=f"{result['kind']} {number // 2 + 1} {key.removesuffix('_mb')}")
    axes.set(xlabel="pages", ylabel="resident memory, MB", ylim=(0, None))
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
