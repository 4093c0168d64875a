"""A loopback server between the browser and a site, whose pages ask for data that never comes."""

from __future__ import annotations

import contextlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

NEVER = "/never-answered"
ASKS = f"<script>fetch('{NEVER}?' + Math.random())</script>".encode()
LONGEST_S = 60


@contextmanager
def hanging_server(base: str) -> Iterator[str]:
    """Serve the site at `base` while the block runs; gives the new base address, with a slash at the end."""
    closing = Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path.startswith(NEVER):
                closing.wait(LONGEST_S)
                return
            try:
                with urlopen(base.rstrip("/") + self.path) as answer:  # noqa: S310  (our own server)
                    status, kind, body = answer.status, answer.headers.get("Content-Type", ""), answer.read()
            except HTTPError as error:
                status, kind, body = error.code, "text/html", b""
            if kind.startswith("text/html") and status == 200:
                body += ASKS
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):  # the browser has closed the page
                super().handle()

        def log_message(self, *arguments: object) -> None:
            """Nothing: requests are of no interest."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
