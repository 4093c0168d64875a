"""python -m benchmarks.monitor kills|twice: does `scrapy crawl seeds` lose or repeat anything, what does a second run cost?

kills: a crawl of a small site is killed with SIGKILL at random moments, again and again, and started anew until one run ends.
twice: each stored site is crawled twice; the second run's requests by kind.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from webcontent.evaluation.corpora import serve_site, sites_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ARTICLES = 60
_SENTENCES = (
    "The council met on {} to decide about the bridge over the river, after two years of planning and three public hearings.",
    "Most of the {} residents who spoke were in favour, but some pointed to the cost, which has grown by a third since then.",
    "The mayor said that building could begin {} months from now if the state pays its part, and that the old bridge stays open.",
    "Work on road {} that leads there has been under way since autumn; the shops along it complain about noise and dust.",
)


def pages() -> dict[str, str]:
    """A front page, five pages of a list, 60 articles; a third of them is linked from another article alone."""
    texts = {number: " ".join(f"<p>{number}: {line.format(number)}</p>" for line in _SENTENCES) for number in range(1, ARTICLES + 1)}
    found = {}
    for number, text in texts.items():
        related = f'<p>Related: <a href="/story/{number + 1}.html">Story number {number + 1} of the bridge</a></p>' if number % 3 else ""
        title = f"Story number {number} of the bridge"
        found[f"/story/{number}.html"] = _page(title, f"<article><h1>{title}</h1>{text}</article>{related}")
    listed = [number for number in texts if number % 3 != 0]
    for page in range(1, 6):
        records = "".join(
            f'<li><h2><a href="/story/{number}.html">Story number {number} of the bridge</a></h2><p>What it is about.</p></li>'
            for number in listed[(page - 1) * 8 : page * 8]
        )
        following = f'<a rel="next" href="/list/{page + 1}.html">Next</a>' if page < 5 else ""
        found["/" if page == 1 else f"/list/{page}.html"] = _page(f"News {page}", f"<h1>News {page}</h1><ul>{records}</ul>{following}")
    return found


def _page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


class Server:
    """Pages on loopback. `asked` are the paths in the order in which they were asked for."""

    def __init__(self, content: Mapping[str, str]) -> None:
        self.asked: list[str] = []
        self.was_asked = Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.asked.append(self.path)
                if self.path != "/robots.txt":
                    server.was_asked.set()
                page = content.get(self.path)
                body = (page or "<title>404</title>").encode()
                self.send_response(404 if page is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

            def handle(self) -> None:
                with contextlib.suppress(ConnectionError):  # the other side was killed
                    super().handle()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def kill_test(
    folder: Path, kills: int, *, seed: int = 0, longest_s: float = 4.0, store: str | None = None, form: str = "jsonl"
) -> dict[str, int]:
    """Counts over rounds of kills: pages lost, pages given twice, lines that are no JSON, kills, rounds.

    A round starts with nothing and goes on until a run ends by itself; rounds follow each other until there were enough kills.
    """
    randomness = random.Random(seed)
    counts: Counter[str] = Counter(kills=0, rounds=0, lost=0, twice=0, broken=0)
    while counts["kills"] < kills:
        counts["rounds"] += 1
        here = folder / f"round{counts['rounds']}"
        here.mkdir(parents=True)
        _round(here, counts, kills, randomness, longest_s, store or f"sqlite:///{here}/crawl_state.db", form)
    return dict(counts)


def _round(folder: Path, counts: Counter[str], kills: int, randomness: random.Random, longest_s: float, store: str, form: str) -> None:
    content = pages()
    server = Server(content)
    feed = folder / f"items.{form}"
    try:
        while True:
            server.was_asked.clear()
            process = start(server.url, feed, store, "-s", "DOWNLOAD_DELAY=0.05")
            if counts["kills"] < kills and server.was_asked.wait(120):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(randomness.uniform(0, longest_s))
            else:
                process.wait(300)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                counts["kills"] += 1
            _, log = process.communicate()
            if process.returncode == 0:
                break
            if process.returncode != -signal.SIGKILL:
                raise RuntimeError(log[-3000:])
    finally:
        server.close()
    urls = [urlsplit(url).path for url in _urls(feed, counts)]
    given = Counter(urls)
    counts["lost"] += len(set(content) - set(given))
    counts["twice"] += sum(count - 1 for count in given.values())


def _urls(feed: Path, counts: Counter[str]) -> Iterator[str]:
    if feed.suffix == ".csv":
        import csv

        for name in (feed, feed.with_name("items.listings.csv")):
            with name.open(encoding="utf-8-sig", newline="") as file:
                yield from (row["url"] for row in csv.DictReader(file))
        return
    for line in feed.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)["url"]
        except ValueError:
            counts["broken"] += 1


def start(url: str, feed: Path, store: str, *arguments: str) -> subprocess.Popen[str]:
    """A crawl in a process of its own."""
    code = "from scrapy.cmdline import execute; import sys; execute(['scrapy', *sys.argv[1:]])"
    command = [
        *(sys.executable, "-c", code, "crawl", "seeds", "-a", f"urls={url}", "-o", str(feed), "-s", f"WEBCONTENT_CRAWL_STATE={store}"),
        *("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False", *arguments),
    ]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "webcontent.crawl.settings", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603


def twice(site: str, folder: Path) -> dict[str, Any]:
    """What two runs over a stored site asked for and gave."""
    facts = json.loads((sites_folder() / f"{site}.json").read_text(encoding="utf-8"))
    articles = {_page_path(path) for path in facts["articles"]}
    feed = folder / f"{site}.jsonl"
    result: dict[str, Any] = {"site": site}
    with serve_site(site) as url:
        for run in ("first", "second"):
            before = len(feed.read_text(encoding="utf-8").splitlines()) if feed.exists() else 0
            log = folder / f"{site}.{run}.log"
            begin = time.monotonic()
            process = start(url, feed, f"sqlite:///{folder}/{site}.db", "-s", "LOG_LEVEL=DEBUG", "-s", f"LOG_FILE={log}")
            process.communicate(timeout=900)
            asked = [
                line.split("<GET ")[1].split(">")[0] for line in log.read_text(encoding="utf-8").splitlines() if "DEBUG: Crawled (" in line
            ]
            paths = [_page_path(urlsplit(address).path) for address in asked]
            result[run] = {
                "requests": len(asked),
                "article_fetches": sum(path in articles for path in paths),
                "items": len(feed.read_text(encoding="utf-8").splitlines()) - before,
                "seconds": round(time.monotonic() - begin, 1),
            }
    return result


def _page_path(path: str) -> str:
    """The path of a page, whichever way a mirror writes it."""
    return unquote(path).removesuffix("index.html").removesuffix(".html").rstrip("/") or "/"


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.monitor", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("part", choices=("kills", "twice"))
    parser.add_argument("--count", type=int, default=50, help="kills (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", default="jsonl", choices=("jsonl", "csv"), help="of the feed (default: %(default)s)")
    parser.add_argument("--store", help="redis://... instead of a file a round")
    parser.add_argument("--sites", help="names, parted by commas (default: all that need no JavaScript)")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        if arguments.part == "kills":
            print(json.dumps(kill_test(Path(folder), arguments.count, seed=arguments.seed, store=arguments.store, form=arguments.format)))
            return
        for site in arguments.sites.split(",") if arguments.sites else _static_sites():
            print(json.dumps(twice(site, Path(folder))), flush=True)


def _static_sites() -> list[str]:
    facts = sorted(sites_folder().glob("*.json"))
    return [path.stem for path in facts if not json.loads(path.read_text(encoding="utf-8")).get("needs_javascript")]


if __name__ == "__main__":
    main()
