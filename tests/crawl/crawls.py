"""A loopback site of a few pages, and crawls of it in processes of their own (a reactor can't start twice)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.crawl.forking import Command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHECKOUT = Path(__file__).parents[2]
OUR_PROJECT = {"SCRAPY_SETTINGS_MODULE": "webcontent.crawl.settings"}
"""Environment of a command that runs the spiders `seeds` and `demo` in any folder."""

# Scrapy as the command line starts it, with its deprecation warnings turned into errors.
SCRAPY = """
import sys, warnings
from scrapy.exceptions import ScrapyDeprecationWarning
warnings.filterwarnings("error", category=ScrapyDeprecationWarning)
from scrapy.cmdline import execute
execute(["scrapy", *sys.argv[1:]])
"""

TEXTS = (
    "The council met on Monday to decide about the new bridge over the river, after two years of planning and three public hearings.",
    "Most of the residents who spoke were in favour, but some pointed to the cost, which has grown by a third since the first estimate.",
    "The mayor said that building could begin next spring if the state pays its part, and that the old bridge would stay open until then.",
    "Work on the road that leads there has been under way since the autumn; the shops along it complain about noise and missing parking.",
)


POLL_S = 0.02
"""How soon a server notices that it is shut down; by default it takes half a second."""
STYLED = "<style>body { font: 16px sans-serif; width: 800px; margin: 40px auto }</style>"


class Site:
    """Pages by path: HTML, or (status, headers, body). `asked` is what was asked for, in order."""

    def __init__(self, pages: Mapping[str, Any]) -> None:
        self.pages = dict(pages)
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.asked.append(self.path)
                status, headers, body = site.answer(self.path)
                self.send_response(status)
                for name, value in {"Content-Type": "text/html; charset=utf-8", **headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        page = self.pages.get(path, self.pages.get(urlsplit(path).path, (404, {}, b"<title>404</title>")))
        status, headers, body = page if isinstance(page, tuple) else (200, {}, page)
        return status, headers, body.encode() if isinstance(body, str) else body


@contextmanager
def serve(pages: Mapping[str, Any]) -> Iterator[Site]:
    site = Site(pages)
    Thread(target=site.server.serve_forever, kwargs={"poll_interval": POLL_S}, daemon=True).start()
    try:
        yield site
    finally:
        site.server.shutdown()
        site.server.server_close()


def article(title: str, *, links: str = "", head: str = "") -> str:
    """A page with one main text; the title stands in each paragraph, so that no two pages are alike."""
    paragraphs = "".join(f"<p>{title}: {text}</p>" for text in TEXTS)
    return f"<html><head><title>{title}</title>{head}</head><body><article><h1>{title}</h1>{paragraphs}</article>{links}</body></html>"


def listing(title: str, links: Mapping[str, str], more: str = "") -> str:
    """A page of links: address -> text."""
    records = "".join(
        f'<li><h2><a href="{url}">{text}</a></h2><p>What the story is about, in one sentence.</p></li>' for url, text in links.items()
    )
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><ul>{records}</ul>{more}</body></html>"


def start_scrapy(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, start_new_session: bool = False
) -> Command | subprocess.Popen[str]:
    """A Scrapy command that runs by itself, in a folder of the test's own. `env`: variables to be added to those of this process."""
    if sys.platform == "linux":
        return Command("scrapy", *arguments, cwd=cwd, env=env, start_new_session=start_new_session)
    return _start_python(SCRAPY, *arguments, cwd=cwd, env=env, start_new_session=start_new_session)


def _start_python(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, start_new_session: bool = False
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", *arguments],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        text=True,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=start_new_session,
    )


def scrapy(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    """What a Scrapy command printed and logged; its process is killed after `timeout_s`."""
    return _outcome(start_scrapy(*arguments, cwd=cwd, env=env), timeout_s)


def python(code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """What `python -c` with this code printed, in a process that has imported what Scrapy commands need."""
    return _outcome(Command("-c", code, *arguments, cwd=cwd) if sys.platform == "linux" else _start_python(code, *arguments, cwd=cwd), 120)


def _outcome(process: Command | subprocess.Popen[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        raise AssertionError(f"The command did not end within {timeout_s} s:\n{stderr[-3000:]}") from None
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def crawl_seeds(urls: str, folder: Path, *arguments: str, timeout_s: float = 120) -> list[dict[str, Any]]:
    """The items of `scrapy crawl seeds`, without rendering, without delays, and without what earlier runs left."""
    output = folder / "items.jsonl"
    done = scrapy(
        *("crawl", "seeds", "-a", f"urls={urls}", "-O", str(output)),
        *("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False", "-s", "WEBCONTENT_CRAWL_STATE="),
        *arguments,
        cwd=folder,
        env=OUR_PROJECT,
        timeout_s=timeout_s,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
