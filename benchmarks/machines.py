"""Several processes on one crawl: `python -m benchmarks.machines [--pages N] [--processes 1 2 3]`.

Serves N stored pages on loopback, starts a Redis, and crawls them without a browser by plain Scrapy and by so many processes that share a
queue. Says pages a second from the first page to the last, processor time a page of the crawlers and of Redis, and Redis' memory.
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from webcontent.evaluation.corpora import load_corpus

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

CORPUS = "wcxb-dev"
LINKS_PER_LIST = 50
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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    if not shutil.which("redis-server"):
        sys.exit("There is no redis-server: apt-get install redis-server")
    parent, child = get_context("spawn").Pipe()
    server = get_context("spawn").Process(target=serve, args=(child, options.pages), daemon=True)
    server.start()
    site = parent.recv()
    for _ in range(options.rounds):
        for count in (0, *options.processes):  # 0: one process, Scrapy's own queue
            print(json.dumps(measure(site, options.pages, count)), flush=True)
    server.terminate()


def serve(connection: Connection, count: int) -> None:
    """Stored pages at /<number>.html, and lists that lead to them."""
    pages: list[bytes] = [page["html"].encode("utf-8", "replace") for page in load_corpus(CORPUS, limit=count)]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.body()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def body(self) -> bytes:
            name = self.path.strip("/").partition(".")[0]
            if name.isdigit():
                return pages[int(name) % len(pages)]
            targets = range(0, count, LINKS_PER_LIST) if not name else range(int(name[4:]), min(count, int(name[4:]) + LINKS_PER_LIST))
            links = "".join(f'<a href="/{"" if name else "list"}{number}.html">{number}</a>' for number in targets)
            return f"<html><title>list</title>{links}".encode()

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    connection.send(f"http://127.0.0.1:{server.server_port}")
    server.serve_forever()


def measure(site: str, pages: int, count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        spider, port = Path(folder) / "front.py", free_port()
        spider.write_text(SPIDER)
        command = ["redis-server", "--port", str(port), "--save", "", "--dir", folder]
        redis = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603  (our own words)
        try:
            wait_for(port)
            crawlers = [start(spider, site, folder, port if count else None, number) for number in range(max(1, count))]
            stats, cpu_s = zip(*(ended(crawler) for crawler in crawlers), strict=True)
            redis_cpu = psutil.Process(redis.pid).cpu_times()
            redis_mb = psutil.Process(redis.pid).memory_info().rss / 2**20
        finally:
            redis.kill()
            redis.wait()
        times = [float(line) for file in Path(folder).glob("times*") for line in file.read_text().split()]
        elapsed_s = max(times) - min(times)
        return {
            "processes": count or "1, without Redis",
            "pages": len(times),
            "pages_per_s": round(len(times) / elapsed_s, 1),
            "crawlers_cpu_ms_per_page": round(1000 * sum(cpu_s) / len(times), 1),
            "redis_cpu_ms_per_page": round(1000 * (redis_cpu.user + redis_cpu.system) / len(times), 2),
            "redis_mb": round(redis_mb),
            "exit": [code for code in stats if code],
        }


def start(spider: Path, site: str, folder: str, port: int | None, number: int) -> subprocess.Popen[bytes]:
    """A crawler that writes when each item was there."""
    program = (
        "import sys, time\n"
        "from scrapy.cmdline import execute\n"
        f"file = open({str(Path(folder) / f'times{number}')!r}, 'w')\n"
        "class Times:\n"
        "    def process_item(self, item):\n"
        "        file.write(f'{time.time()}\\n'); file.flush()\n"
        "        return item\n"
        "sys.modules['times'] = sys.modules['__main__']\n"
        "execute(['scrapy', *sys.argv[1:]])\n"
    )
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
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    command = [sys.executable, "-c", program, "runspider", str(spider), "-a", f"site={site}", *options]
    return subprocess.Popen(command, cwd=folder)  # noqa: S603  (as above)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Exit code, and processor time."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise ConnectionError("redis-server does not answer")


if __name__ == "__main__":
    main()
