"""A page that opens, computes, stores or loads without end costs the other sites of a crawl nothing, through the command line."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import OUR_PROJECT, POLL_S, article, listing, scrapy, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.browser

WAYS = {
    "/windows": "setInterval(() => { for (let n = 0; n < 50; n++) open('/window/' + n, '_blank', 'noopener') }, 0)",
    "/links": "setInterval(() => { for (const link of document.links) { link.target = '_blank'; link.click() } }, 0)",
    "/frames": "for (let n = 0; n < 3000; n++) document.body.append(Object.assign(document.createElement('iframe'), { src: '/frame' + n }))",
    "/dialogs": "for (;;) { alert(1); confirm(2); prompt(3) }",
    "/workers": "for (let n = 0; n < 8; n++) new Worker(URL.createObjectURL(new Blob(['for (;;) postMessage(new Array(1000))'])))",
    "/wasm": """const code = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 8, 1, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11])
        new Worker(URL.createObjectURL(new Blob([`new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([${code}])))`])))
        const context = document.createElement('canvas').getContext('webgl')
        setTimeout(() => new WebAssembly.Instance(new WebAssembly.Module(code)), 100)""",
    "/roots": "for (let n = 0; n < 1e6; n++) document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' }).append('x')",
    "/service": """navigator.serviceWorker?.register('/service.js').catch(() => 0)
        for (let n = 0; n < 100; n++) history.pushState(0, '', '/service/' + n)
        setInterval(() => document.body.append(...Array.from({ length: 999 }, () => document.createElement('p'))), 0)""",
    "/slow": "for (let n = 0; n < 60; n++) fetch('SLOW/' + n); document.write('<link rel=stylesheet href=SLOW/style><script src=SLOW/script><' + '/script>')",
}
"""What each hostile page does."""
STORIES = {f"/story/{number}": f"A story of the harbour, number {number}" for number in range(6)}
SETTINGS = {"WEBCONTENT_RENDER": True, "AUTOTHROTTLE_ENABLED": False, "DOWNLOAD_TIMEOUT": 15, "WEBCONTENT_CRAWL_STATE": ""}


@contextmanager
def dribbling() -> Iterator[str]:
    """The address of a server that sends a byte of its endless answers every second."""
    stop = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            with suppress(OSError):
                while not stop.wait(1):
                    self.wfile.write(b"/")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": POLL_S}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        stop.set()
        server.shutdown()


def harvest(tmp_path: Path, *seeds: str, **settings: object):
    options = [part for name, value in {**SETTINGS, **settings}.items() for part in ("-s", f"{name}={value}")]
    done = scrapy("harvest", *seeds, "-o", "items.jsonl", *options, cwd=tmp_path, env=OUR_PROJECT)
    file = tmp_path / "items.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else [], done


def test_the_other_sites_of_a_crawl_are_rendered(tmp_path):
    links = {path: f"A story of the town that is at {path}" for path in WAYS}
    stories = {path: article(title) for path, title in STORIES.items()}
    with dribbling() as slow, serve({"/": listing("News", STORIES), **stories}) as good:
        codes = {path: code.replace("SLOW", slow) for path, code in WAYS.items()}
        hostile = {path: article(path, links=f"<a href='/else'>Else</a><script>{code}</script>") for path, code in codes.items()}
        worker = (200, {"Content-Type": "text/javascript"}, "onfetch = (event) => event.respondWith(new Response('caught'))")
        with serve({"/": listing("Hostile", links), "/service.js": worker, **hostile}) as bad:
            items, done = harvest(tmp_path, bad.url, good.url)
            assert not [path for path in bad.asked if path.startswith("/window/")]
            assert "/service.js" not in bad.asked
    found = {item["title"]: item.get("flags") or [] for item in items if item["url"].startswith(good.url)}
    assert set(STORIES.values()) <= set(found), done.stderr[-3000:]
    assert not any("render-failed" in found[title] for title in STORIES.values())


def test_a_crawl_of_such_pages_ends_when_it_is_told_to(tmp_path):
    links = {f"/{number}": f"A story of the town, number {number}" for number in range(100)}
    hostile = {path: article(path, links=f"<script>{WAYS['/windows']}; {WAYS['/dialogs']}</script>") for path in links}
    with serve({"/": listing("Hostile", links), **hostile}) as bad:
        _, done = harvest(tmp_path, bad.url, CLOSESPIDER_TIMEOUT=3, DOWNLOAD_TIMEOUT=8, LOG_LEVEL="INFO")
    assert "closespider_timeout" in done.stderr, done.stderr[-3000:]
