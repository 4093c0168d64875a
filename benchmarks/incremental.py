"""Measures incremental crawls: `python -m benchmarks incremental kills|twice`.

kills: kills a crawl of a small site with SIGKILL at random moments, restarts it until a run ends by itself, and counts pages that were
lost or emitted twice. twice: crawls each site snapshot twice and counts the requests of both runs.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from benchmarks.page_server import PageServer
from webcontent.evaluation.site_snapshots import load_facts, serve_snapshot, snapshot_names

if TYPE_CHECKING:
    from collections.abc import Iterator

ARTICLES = 60
LISTED_PER_PAGE = 8
LIST_PAGES = 5
KILLS = 50
LONGEST_S = 4.0
"""A crawl is killed this long after its first request at the latest: later it is nearly always done."""
START_LIMIT_S = 120
CRAWL_LIMIT_S = 300
SNAPSHOT_LIMIT_S = 900
LOG_CHARACTERS = 3000
SCRAPY = "from scrapy.cmdline import execute; import sys; execute(['scrapy', *sys.argv[1:]])"
_SENTENCES = (
    "The council met on {} to decide about the bridge over the river, after two years of planning and three public hearings.",
    "Most of the {} residents who spoke were in favour, but some pointed to the cost, which has grown by a third since then.",
    "The mayor said that building could begin {} months from now if the state pays its part, and that the old bridge stays open.",
    "Work on road {} that leads there has been under way since autumn; the shops along it complain about noise and dust.",
)


def main(words: list[str] | None = None) -> None:
    """Read the command line, measure, print JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks incremental", description=__doc__)
    parser.add_argument("part", choices=("kills", "twice"))
    parser.add_argument("--count", type=int, default=KILLS, help="number of kills (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", default="jsonl", choices=("jsonl", "csv"), help="of the feed (default: %(default)s)")
    parser.add_argument("--store", help="address of the crawl state, e.g. redis://... (default: a new file per round)")
    parser.add_argument("--sites", help="names of snapshots, separated by commas (default: all that need no JavaScript)")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        if arguments.part == "kills":
            test = KillTest(Path(folder), arguments.count, seed=arguments.seed, store=arguments.store, form=arguments.format)
            print(json.dumps(test.run()))
            return
        for name in arguments.sites.split(",") if arguments.sites else snapshot_names(needs_javascript=False):
            print(json.dumps(crawl_twice(name, Path(folder))), flush=True)


def site_pages() -> dict[str, str]:
    """A small site: a front page, further list pages, and articles. Every third article is linked from another article only."""
    texts = {number: " ".join(f"<p>{number}: {line.format(number)}</p>" for line in _SENTENCES) for number in range(1, ARTICLES + 1)}
    pages = {}
    for number, text in texts.items():
        related = f'<p>Related: <a href="/story/{number + 1}.html">Story number {number + 1} of the bridge</a></p>' if number % 3 else ""
        title = f"Story number {number} of the bridge"
        pages[f"/story/{number}.html"] = _page(title, f"<article><h1>{title}</h1>{text}</article>{related}")
    listed = [number for number in texts if number % 3 != 0]
    for page in range(1, LIST_PAGES + 1):
        records = "".join(
            f'<li><h2><a href="/story/{number}.html">Story number {number} of the bridge</a></h2><p>What it is about.</p></li>'
            for number in listed[(page - 1) * LISTED_PER_PAGE : page * LISTED_PER_PAGE]
        )
        following = f'<a rel="next" href="/list/{page + 1}.html">Next</a>' if page < LIST_PAGES else ""
        pages["/" if page == 1 else f"/list/{page}.html"] = _page(f"News {page}", f"<h1>News {page}</h1><ul>{records}</ul>{following}")
    return pages


def _page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


@dataclass(slots=True)
class KillTest:
    """Rounds of killed crawls, until `kills` is reached. A round starts with an empty state and ends with a run that is not killed."""

    folder: Path
    kills: int
    seed: int = 0
    longest_s: float = LONGEST_S
    store: str | None = None
    """Address of the crawl state; None: a new SQLite file per round."""
    form: str = "jsonl"
    counts: Counter[str] = field(default_factory=lambda: Counter(kills=0, rounds=0, lost=0, twice=0, broken=0))

    def run(self) -> dict[str, int]:
        """Counts of kills, rounds, pages lost, pages emitted twice, and lines of the feed that are no JSON (broken)."""
        randomness = random.Random(self.seed)
        while self.counts["kills"] < self.kills:
            self.counts["rounds"] += 1
            folder = self.folder / f"round{self.counts['rounds']}"
            folder.mkdir(parents=True)
            self._round(folder / f"items.{self.form}", self.store or f"sqlite:///{folder}/state.db", randomness)
        return dict(self.counts)

    def _round(self, feed: Path, store: str, randomness: random.Random) -> None:
        content = site_pages()
        server = PageServer(lambda path: content[path].encode() if path in content else None)
        try:
            while not self._is_finished(server, feed, store, randomness):
                server.has_page_request.clear()
        finally:
            server.close()
        emitted = Counter(urlsplit(url).path for url in self._iter_urls(feed))
        self.counts["lost"] += len(set(content) - set(emitted))
        self.counts["twice"] += sum(count - 1 for count in emitted.values())

    def _is_finished(self, server: PageServer, feed: Path, store: str, randomness: random.Random) -> bool:
        """Start a crawl, kill it at a random moment unless there were enough kills; whether it ended by itself."""
        process = start_crawl(f"{server.url}/", feed, store, "-s", "DOWNLOAD_DELAY=0.05")
        if self.counts["kills"] < self.kills and server.has_page_request.wait(START_LIMIT_S):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(randomness.uniform(0, self.longest_s))
        else:
            process.wait(CRAWL_LIMIT_S)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            self.counts["kills"] += 1
        _, log = process.communicate()
        if process.returncode not in {0, -signal.SIGKILL}:
            raise RuntimeError(log[-LOG_CHARACTERS:])
        return process.returncode == 0

    def _iter_urls(self, feed: Path) -> Iterator[str]:
        if self.form == "csv":
            for path in (feed, feed.with_name("items.listings.csv")):
                with path.open(encoding="utf-8-sig", newline="") as file:
                    yield from (row["url"] for row in csv.DictReader(file))
            return
        for line in feed.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(line)["url"]
            except ValueError:
                self.counts["broken"] += 1


def start_crawl(url: str, feed: Path, store: str, *arguments: str) -> subprocess.Popen[str]:
    """`scrapy crawl seeds` in a process of its own, with its state in `store`."""
    command = [
        *(sys.executable, "-c", SCRAPY, "crawl", "seeds", "-a", f"urls={url}", "-o", str(feed), "-s", f"WEBCONTENT_CRAWL_STATE={store}"),
        *("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False", *arguments),
    ]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "webcontent.crawl.settings", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def crawl_twice(name: str, folder: Path) -> dict[str, Any]:
    """Requests, article fetches, items and seconds of two crawls of a site snapshot that share their crawl state."""
    articles = {_page_path(path) for path in load_facts(name)["articles"]}
    feed = folder / f"{name}.jsonl"
    result: dict[str, Any] = {"site": name}
    with serve_snapshot(name) as url:
        for run in ("first", "second"):
            items_before, started = _count_lines(feed), time.monotonic()
            log = folder / f"{name}.{run}.log"
            process = start_crawl(url, feed, f"sqlite:///{folder}/{name}.db", "-s", "LOG_LEVEL=DEBUG", "-s", f"LOG_FILE={log}")
            process.communicate(timeout=SNAPSHOT_LIMIT_S)
            paths = [_page_path(urlsplit(address).path) for address in _crawled(log)]
            result[run] = {
                "requests": len(paths),
                "article_fetches": sum(path in articles for path in paths),
                "items": _count_lines(feed) - items_before,
                "seconds": round(time.monotonic() - started, 1),
            }
    return result


def _crawled(log: Path) -> list[str]:
    """The addresses that Scrapy's log says were fetched."""
    lines = log.read_text(encoding="utf-8").splitlines()
    return [line.split("<GET ")[1].split(">")[0] for line in lines if "DEBUG: Crawled (" in line]


def _count_lines(feed: Path) -> int:
    return len(feed.read_text(encoding="utf-8").splitlines()) if feed.exists() else 0


def _page_path(path: str) -> str:
    """The path of a page without the endings in which mirrors differ."""
    return unquote(path).removesuffix("index.html").removesuffix(".html").rstrip("/") or "/"


if __name__ == "__main__":
    main()
