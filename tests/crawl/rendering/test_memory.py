"""Pages that fill the memory: of the browser, and of the crawl's own process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
import zlib
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.crawl import server as served
from tests.crawl.crawls import article, serve
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl, processes
from tests.crawl.server import TEXT, hostile_server, page, script
from webcontent.crawl.rendering import memory
from webcontent.crawl.rendering.memory import megabytes

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "DOWNLOAD_TIMEOUT": 15}
LIMIT_MB = 800
OVERSHOOT_MB = 900
"""What a page can take between two looks at it, on a slow machine."""
MOST_PYTHON_MB = 600
CANVASES = """
    for (let count = 0; count < 60; count++) {
        const canvas = document.createElement('canvas'), context = (canvas.width = canvas.height = 4096, canvas.getContext('2d'))
        context.fillRect(0, 0, 4096, 4096)
        document.body.append(canvas)
    }"""


class Watcher:
    """The most memory of the browser of a run."""

    def __init__(self) -> None:
        self.most_mb = 0

    def watch(self, process: Any, run: str) -> None:
        threading.Thread(target=self._watch, args=(process, run), daemon=True).start()

    def _watch(self, process: Any, run: str) -> None:
        browser = None
        while process.returncode is None:  # set by the thread that waits for the process
            if browser is None:
                browser = next((found for found in processes(run, "--headless") if "--type=" not in " ".join(_words(found))), None)
            if browser is not None:
                self.most_mb = max(self.most_mb, sum(megabytes(found.pid) for found in [browser, *_children(browser)]))
            time.sleep(0.1)


def test_a_process_that_has_ended_has_no_memory() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert megabytes(ended.pid) == 0


@pytest.mark.parametrize(
    ("browser_mb", "pages", "ended"),
    [
        (300, {11: (299, 5), 12: (250, 9)}, None),
        (300, {11: (301, 5), 12: (250, 9)}, 11),
        (500, {11: (200, 5), 12: (150, 9)}, 12),
        (100, {11: (301, 5), 12: (250, 9)}, None),
    ],
    ids=["many pages", "one page", "storage", "below the limit"],
)
def test_which_page_is_ended(browser_mb: int, pages: dict[int, tuple[int, int]], ended: int | None, monkeypatch: pytest.MonkeyPatch):
    """The largest, if it uses 300 MB; the busiest, if the browser's own process uses half. Above 800 MB; by process: MB, CPU time."""

    class Session:
        async def send(self, command: str) -> dict[str, Any]:
            own = {"id": 1, "type": "browser", "cpuTime": 50}
            return {"processInfo": [own, *({"id": pid, "type": "renderer", "cpuTime": cpu} for pid, (_, cpu) in pages.items())]}

    killed: list[int] = []
    monkeypatch.setattr(memory, "megabytes", lambda pid: browser_mb if pid == 1 else pages[pid][0])
    monkeypatch.setattr(memory.os, "kill", lambda pid, _: killed.append(pid))
    watch = memory.MemoryWatch(800, lambda: True)
    watch._session = Session()  # type: ignore[assignment]
    asyncio.run(watch._check())
    assert killed == ([ended] if ended else [])


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return ["--type="]


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


def bomb() -> bytes:
    """A compressed page of 3 MB that becomes one of 700 MB."""
    compressor = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    block = b"<p>0000000</p>" * 1_000_000
    return b"".join([*(compressor.compress(block) for _ in range(50)), compressor.flush()])


def _pages() -> Iterator[tuple[str, Any]]:
    yield "/canvases", article("Canvases", links=f"<script>{CANVASES}</script>")
    for number in range(4):
        yield f"/{number}", article(f"Story {number}")


def test_the_page_that_fills_the_browser_is_ended_and_the_others_go_on():
    """Sixty canvases of 64 MB. The page comes without the browser and carries a flag; it is not rendered again."""
    watcher = Watcher()
    with serve(dict(_pages())) as site:
        urls = [site.url + path for path, _ in _pages()]
        done = crawl(urls, settings={**RENDER, "WEBCONTENT_BROWSER_MEMORY": LIMIT_MB}, during=watcher.watch)
    done.check()
    assert done.response(urls[0])["page_flags"] == ["render-failed"]
    assert done.response(urls[0])["title"] == "Canvases"
    assert done.stats["webcontent/render_failed/memory"] == 1
    assert all(done.response(url)["page_flags"] == [] for url in urls[1:])
    assert LIMIT_MB / 2 < watcher.most_mb < LIMIT_MB + OVERSHOOT_MB


FILLS = {
    "blobs": "const kept = []; setInterval(() => kept.push(new Blob([new Uint8Array(60e6).fill(kept.length)])), 100)",
    "caches": "caches.open('x').then(c => { let n = 0; setInterval(() => c.put('/' + n++, new Response(new Uint8Array(50e6).fill(n))), 80) })",
    "database": """const asked = indexedDB.open('x'); asked.onupgradeneeded = () => asked.result.createObjectStore('s', {autoIncrement: true})
        asked.onsuccess = () => setInterval(() => {
            asked.result.transaction('s', 'readwrite').objectStore('s').add(crypto.getRandomValues(new Uint8Array(65536)).slice().buffer)
            asked.result.transaction('s', 'readwrite').objectStore('s').add(new Uint8Array(50e6).fill(7)) }, 80)""",
}


@pytest.mark.parametrize("name", FILLS)
def test_a_page_that_fills_the_browser_with_what_it_stores_is_ended(name, monkeypatch):
    """The browser's own process keeps blobs and storage, not the page's. The page waits for a script that never comes."""
    watcher, limit_mb = Watcher(), 450
    monkeypatch.setattr(
        served, "PAGES", served.PAGES | {"/fills": page(TEXT + script(FILLS[name]) + "<script src=/never/script></script>")}
    )
    with hostile_server() as site:
        urls = [f"{site.url}/{path}" for path in ("fills", "page/0", "page/1", "page/2", "page/3")]
        settings = {**RENDER, "WEBCONTENT_BROWSER_MEMORY": limit_mb, "WEBCONTENT_BUDGET_MS": 13_000, "DOWNLOAD_TIMEOUT": 30}
        done = crawl(urls, settings=settings, during=watcher.watch)
    done.check()
    assert watcher.most_mb < limit_mb + OVERSHOOT_MB
    assert done.response(urls[0])["page_flags"] == ["render-failed"]
    assert done.stats["webcontent/render_failed/memory"] == 1
    assert all(done.response(url)["page_flags"] == [] for url in urls[1:])


def test_a_small_compressed_page_does_not_fill_the_process():
    """In the browser, in the download without it after the browser has failed, and without a browser; one after the other."""
    pages = {"/bomb": (200, {"Content-Encoding": "gzip"}, bomb()), "/": article("Story")}
    with serve(pages) as site:
        rendered, plain = ([f"{site.url}/{path}?{way}" for path in ("bomb", "")] for way in ("rendered", "plain"))
        requests = [*rendered, *({"url": url, "meta": {"webcontent": {"render": False}}} for url in plain)]
        done = crawl(requests, settings={**RENDER, "CONCURRENT_REQUESTS": 1, "WEBCONTENT_BROWSER_MEMORY": LIMIT_MB})
    done.check()
    assert done.state["peak_mb"] < MOST_PYTHON_MB
    assert [done.response(url)["title"] for url in (rendered[1], plain[1])] == ["Story", "Story"]
    assert done.error(plain[0]) == "IgnoreRequest"
