"""What a rendered page may not do behind its reader's back: act in a session of another site, stay for later pages, fill the disk."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawls import article, serve
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl

pytestmark = pytest.mark.browser

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "DOWNLOAD_TIMEOUT": 60, "WEBCONTENT_PRIVATE_HOSTS": ["127.0.0.1"]}
WORKER = "self.addEventListener('fetch', event => event.respondWith(new Response('taken over')))"
REGISTER = "navigator.serviceWorker.register('/worker.js'); navigator.serviceWorker.ready.then(() => document.body.append('is', 'ready'))"
DOWNLOADS = """
    const blob = new Blob([new Uint8Array(30_000_000)]);
    for (let n = 0; n < 8; n++) {
        const link = Object.assign(document.createElement('a'), {href: URL.createObjectURL(blob), download: 'file' + n});
        document.body.append(link); link.click();
        document.body.append(Object.assign(document.createElement('iframe'), {src: '/attachment/' + n}));
    }
    setTimeout(() => fetch('/all-tried'), 2000)"""


def forgery(address: str) -> str:
    """A page that requests things of another site in all ways that carry cookies."""
    ways = "".join(
        f"<form method=post action='{address}/form/{n}' target=frame{n}></form><iframe name=frame{n}></iframe>" for n in range(2)
    )
    code = f"""
        for (const form of document.forms) form.submit();
        fetch('{address}/post', {{method: 'POST', mode: 'no-cors', credentials: 'include', body: 'a'}});
        fetch('{address}/get', {{mode: 'no-cors', credentials: 'include'}}); navigator.sendBeacon('{address}/beacon', 'a')"""
    return article("A page", links=f"<img src='{address}/image'>{ways}<script>{code}</script>")


def test_a_session_is_not_used_by_pages_of_other_sites(tmp_path: Path):
    """A page of the session's own site is rendered with it, and requests the same with its cookies."""
    cookie = {"name": "session", "value": "secret", "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": True}
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"cookies": [{**cookie, "secure": True, "sameSite": "None"}], "origins": []}))
    with_cookie: list[str] = []
    without: list[str] = []
    with serve({}) as bank, serve({"/": forgery(bank.url)}) as site:
        handler = bank.server.RequestHandlerClass

        def answer(self: Any) -> None:
            (with_cookie if "secret" in self.headers.get("Cookie", "") else without).append(self.path)
            self.send_response(204)
            self.end_headers()

        handler.do_GET = handler.do_POST = answer  # type: ignore[attr-defined]
        port = site.url.rpartition(":")[2]
        settings = {**RENDER, "WEBCONTENT_STORAGE_STATE": str(state)}
        crawl([f"http://evil.example:{port}/"], settings=settings, hosts={"evil.example": "127.0.0.1"}).check()
        assert len(without) >= 3
        assert with_cookie == []
        crawl([site.url + "/"], settings=settings).check()
        assert len(with_cookie) >= 3


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, int]:
    """A crawl of pages that want to stay, one after the other; and the bytes of the largest file in its folder of temporary files."""
    folder, sizes = tmp_path_factory.mktemp("temporary"), [0]

    def watch(process: Any, run: str) -> None:
        while process.poll() is None:
            for place, _, names in os.walk(folder):
                for name in names:
                    with suppress(OSError):
                        if not name.startswith(".org.chromium."):  # shared memory
                            sizes.append(Path(place, name).stat().st_size)
            time.sleep(0.1)

    pages: dict[str, Any] = {
        "/registers": article("Registers", links=f"<script>{REGISTER}</script>"),
        "/worker.js": (200, {"Content-Type": "text/javascript"}, WORKER),
        "/later": article("Later"),
        "/downloads": article("Downloads", links=f"<script>{DOWNLOADS}</script>"),
    }
    attachment = {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=a.bin"}
    pages |= {f"/attachment/{n}": (200, attachment, bytes(20_000_000)) for n in range(8)}
    with serve(pages) as site:
        requests = [site.url + path for path in ("/registers", "/later", "/downloads")]
        settings = {**RENDER, "CONCURRENT_REQUESTS": 1}
        done = crawl(requests, settings=settings, during=watch, env={"TMPDIR": str(folder)})
        done.check()
        return {path: done.response(site.url + path)["text"] for path in ("/registers", "/later", "/downloads")}, max(sizes)


def test_no_service_worker_answers_for_later_pages(left: tuple[Any, int]):
    assert "isready" not in left[0]["/registers"]
    assert "taken over" not in left[0]["/later"]


def test_downloads_are_not_written(left: tuple[Any, int]):
    """None of 16, of 20 and of 30 MB."""
    assert "Downloads" in left[0]["/downloads"]
    assert 0 < left[1] < 10_000_000
