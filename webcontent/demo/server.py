"""The server of the demo site, on loopback. The demo spider crawls it and the tests start it."""

from __future__ import annotations

import re
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from webcontent.demo.images import draw_banner, draw_image
from webcontent.demo.site import Resource, build_site

if TYPE_CHECKING:
    from types import TracebackType

IMAGE_PATH = re.compile(r"/pictures/([a-z]{1,40})-(\d{1,4})x(\d{1,4})\.jpg")
NOT_FOUND = Resource("text/html; charset=utf-8", b"<!DOCTYPE html><title>404</title><h1>404 Not Found</h1>")
LOG_LENGTH = 10_000
POLL_S = 0.05
"""How often the server looks whether it was stopped."""
IDLE_S = 10
"""An idle connection holds a thread no longer than this."""


class DemoServer:
    """Serves the site on a free port of 127.0.0.1, in daemon threads. A context manager."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLL_S,), name="demo-server", daemon=True)

    @property
    def url(self) -> str:
        """The site's address, without a slash at the end."""
        return self._server.url

    @property
    def requested(self) -> list[str]:
        """Paths of the requests in their order, at most LOG_LENGTH."""
        return self._server.requested

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the server. A second call does nothing."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.site = build_site(self.url)
        self.requested: list[str] = []

    def handle_error(self, *arguments: Any) -> None:
        """Ignore the connections that a browser breaks off when it closes a page."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*arguments)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        path = urlsplit(self.path).path
        if len(self.server.requested) < LOG_LENGTH:
            self.server.requested.append(path)
        resource = _drawn(path) or self.server.site.get(path)
        self.send_response(HTTPStatus.OK if resource else HTTPStatus.NOT_FOUND)
        resource = resource or NOT_FOUND
        self.send_header("Content-Type", resource.content_type)
        self.send_header("Content-Length", str(len(resource.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(resource.body)

    def log_message(self, *arguments: object) -> None:
        """The crawl logs its requests already."""


def _drawn(path: str) -> Resource | None:
    if path == "/ads/banner.png":
        return Resource("image/png", draw_banner("SALE"))
    if match := IMAGE_PATH.fullmatch(path):
        return Resource("image/jpeg", draw_image(match[1], int(match[2]), int(match[3])))
    return None
