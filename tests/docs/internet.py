"""A small internet on loopback: a proxy that answers for every host, so that examples run with the addresses that they are written with."""

from __future__ import annotations

import gzip
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.crawl.crawls import TEXTS, article, listing
from tests.crawl.server import _tls_context

if TYPE_CHECKING:
    from collections.abc import Iterator

STORIES = {f"/news/{number}.html": f"Headline number {number} about a thing that happened" for number in (1234, 1235, 1236)}


def pages(host: str) -> dict[str, bytes]:
    """The pages of a site: a front page, a page of news, and stories that differ by host."""
    stories = {path: article(f"{title} at {host}").replace(TEXTS[0], f"At {host}: {TEXTS[0]}") for path, title in STORIES.items()}
    front = listing(f"News of {host}", {path: f"{title} at {host}" for path, title in STORIES.items()})
    return {path: text.encode() for path, text in {"/": front, "/news/": front, "/story.html": article("A story"), **stories}.items()}


class Proxy(BaseHTTPRequestHandler):
    """Answers requests for any host itself. Hosts are reached by http and by https with a certificate that nobody has signed."""

    protocol_version = "HTTP/1.1"
    host = ""
    tls = _tls_context()

    def do_CONNECT(self) -> None:
        self.host = self.path.partition(":")[0]
        self.send_response(200)
        self.end_headers()
        self.connection = self.request = self.tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb", self.rbufsize)
        self.wfile = self.connection.makefile("wb", 0)

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        found = pages(parts.hostname or self.host)
        content = gzip.compress(found.get(parts.path, b"<title>Not found</title>"))
        self.send_response(200 if parts.path in found else 404)
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Encoding": "gzip", "Content-Length": str(len(content))}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def finish(self) -> None:
        """Closes the connection, that of TLS as well."""
        with suppress(OSError):
            super().finish()
        self.connection.close()

    def log_message(self, *arguments: object) -> None:
        """Writes nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients may go away at any moment."""


@contextmanager
def internet() -> Iterator[dict[str, str]]:
    """The environment variables by which programs reach it."""
    server = Server(("127.0.0.1", 0), Proxy)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield {"http_proxy": address, "https_proxy": address, "no_proxy": "127.0.0.1"}
    finally:
        server.shutdown()
        server.server_close()
