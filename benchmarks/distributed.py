"""Measures several processes on one crawl: `python -m benchmarks distributed [--pages N] [--processes 1 2 3]`.

Serves N corpus pages on loopback, starts a Redis, and crawls the pages without a browser: first with plain Scrapy in one process, then
with each number of processes on one queue. Prints pages a second from the first item to the last, CPU time per page of the crawlers and
of Redis, and the memory of Redis.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import psutil

from benchmarks.page_server import PageServer
from webcontent.evaluation.corpora import load_corpus

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

CORPUS = "wcxb-dev"
PAGES = 600
PROCESSES = (1, 2, 3)
ROUNDS = 2
LINKS_PER_LIST = 50
REDIS_START_S = 30
SPIDER = """
import scrapy

class Front(scrapy.Spider):
    name = "front"

    async def start(self):
        yield scrapy.Request(self.site + "/")

    def parse(self, response):
        if response.url.rpartition("/")[2][:4] in ("", "list"):
            for link in response.css("a"):
                yield response.follow(link)
        else:
            import webcontent
            yield webcontent.Page.from_response(response)
"""
SCRAPY = """
import sys, time
from scrapy.cmdline import execute

file = open(sys.argv.pop(1), "w")

class Times:
    def process_item(self, item):
        file.write(f"{time.time()}\\n")
        file.flush()
        return item

sys.modules["times"] = sys.modules["__main__"]
execute(["scrapy", *sys.argv[1:]])
"""
"""Scrapy, with a pipeline that writes the time of each item into a file."""


def main(words: list[str] | None = None) -> None:
    """Read the command line, measure, print one JSON object per crawl."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks distributed", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of the crawl (default: %(default)s)")
    parser.add_argument("--processes", type=int, nargs="+", default=PROCESSES, help="numbers of processes (default: 1 2 3)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="crawls per number of processes (default: %(default)s)")
    options = parser.parse_args(words)
    if not shutil.which("redis-server"):
        sys.exit("There is no redis-server. Install it: apt-get install redis-server")
    parent, child = get_context("spawn").Pipe()
    server = get_context("spawn").Process(target=serve_corpus, args=(child, options.pages), daemon=True)
    server.start()
    site = parent.recv()
    for _ in range(options.rounds):
        for count in (0, *options.processes):
            print(json.dumps(measure(site, count)), flush=True)
    server.terminate()


def serve_corpus(connection: Connection, count: int) -> None:
    """Serve corpus pages at /<number>.html and lists that link to them; send the server's address; never return."""
    pages: list[bytes] = [page["html"].encode("utf-8", "replace") for page in load_corpus(CORPUS, limit=count)]

    def find_page(path: str) -> bytes | None:
        name = path.strip("/").partition(".")[0]
        if name.isdigit():
            return pages[int(name) % len(pages)]
        first = int(name.removeprefix("list")) if name.startswith("list") else None
        targets = range(0, count, LINKS_PER_LIST) if first is None else range(first, min(count, first + LINKS_PER_LIST))
        links = "".join(f'<a href="/{"list" if first is None else ""}{number}.html">{number}</a>' for number in targets)
        return f"<html><title>list</title>{links}".encode()

    connection.send(PageServer(find_page).url)
    Event().wait()


def measure(site: str, processes: int) -> dict[str, Any]:
    """Crawl the site once. `processes`: 0 is one process with Scrapy's own queue."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), _free_port()
        (folder / "front.py").write_text(SPIDER, encoding="utf-8")
        redis = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--dir", name], stdout=subprocess.DEVNULL)
        try:
            _wait_for(port)
            crawlers = [_start_crawler(site, folder, port if processes else None, number) for number in range(max(1, processes))]
            codes, cpu_s = zip(*map(_wait, crawlers), strict=True)
            redis_cpu = psutil.Process(redis.pid).cpu_times()
            redis_mb = psutil.Process(redis.pid).memory_info().rss / 2**20
        finally:
            redis.kill()
            redis.wait()
        times = [float(line) for file in folder.glob("times*") for line in file.read_text().split()]
    return {
        "processes": processes or "1, without Redis",
        "pages": len(times),
        "pages_per_s": round(len(times) / (max(times) - min(times)), 1),
        "crawlers_cpu_ms_per_page": round(1000 * sum(cpu_s) / len(times), 1),
        "redis_cpu_ms_per_page": round(1000 * (redis_cpu.user + redis_cpu.system) / len(times), 2),
        "redis_mb": round(redis_mb),
        "exit": [code for code in codes if code],
    }


def _start_crawler(site: str, folder: Path, port: int | None, number: int) -> subprocess.Popen[bytes]:
    """A crawler that writes the times of its items into a file of the folder."""
    settings: dict[str, Any] = {
        "ADDONS": '{"webcontent.Addon": 300}',
        "ITEM_PIPELINES": '{"times.Times": 900}',
        "WEBCONTENT_RENDER": False,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
    }
    if port is not None:
        settings |= {"WEBCONTENT_REDIS": f"redis://127.0.0.1:{port}/0", "WEBCONTENT_REDIS_ITEMS": True, "SCHEDULER_PERSIST": True}
    arguments = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    program = [sys.executable, "-c", SCRAPY, str(folder / f"times{number}")]
    return subprocess.Popen([*program, "runspider", "front.py", "-a", f"site={site}", *arguments], cwd=folder)


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Exit code and CPU seconds of a process."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + REDIS_START_S
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise ConnectionError(f"redis-server does not answer on port {port}.")


if __name__ == "__main__":
    main()
