"""The demo site on loopback: what the demo spider crawls and the tests start."""

from __future__ import annotations

import re
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from webcontent.demo.pictures import draw_advert, draw_picture
from webcontent.demo.site import Resource, build_site

if TYPE_CHECKING:
    from types import TracebackType

PICTURE = re.compile(r"/pictures/([a-z]{1,40})-(\d{1,4})x(\d{1,4})\.jpg")
NOT_FOUND = Resource("text/html; charset=utf-8", b"<!DOCTYPE html><title>404</title><h1>404 Not Found</h1>")
LOG_LENGTH = 10_000


class DemoServer:
    """A context manager: serves the site on a free port of 127.0.0.1, in daemon threads, until it is left."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="demo-server", daemon=True)

    @property
    def url(self) -> str:
        """The site's address, without a slash at its end."""
        return self._server.url

    @property
    def requested(self) -> list[str]:
        """Paths in the order of their requests, at most LOG_LENGTH."""
        return self._server.requested

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Safe to call twice."""
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
        """A browser that closes a page hangs up on what it was loading: nothing to report."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*arguments)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 10  # seconds that an idle connection may hold a thread

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
        return Resource("image/png", draw_advert("SALE"))
    if found := PICTURE.fullmatch(path):
        return Resource("image/jpeg", draw_picture(found[1], int(found[2]), int(found[3])))
    return None
