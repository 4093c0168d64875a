"""A loopback server of pages, for the crawls that the benchmarks start."""

from __future__ import annotations

import contextlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class PageServer:
    """Serves pages in daemon threads until it is closed.

    `find_page`: from the path of a request to the page's HTML in UTF-8, or None for status 404.
    """

    def __init__(self, find_page: Callable[[str], bytes | None]) -> None:
        self.find_page = find_page
        self.has_page_request = Event()
        """Set by every request but that for robots.txt."""
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, owner: PageServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = owner


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        owner = self.server.owner
        if self.path != "/robots.txt":
            owner.has_page_request.set()
        page = owner.find_page(self.path)
        body = b"<title>404</title>" if page is None else page
        self.send_response(404 if page is None else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the crawl was killed
            super().handle()

    def log_message(self, *arguments: object) -> None:
        """The crawl logs its requests already."""
