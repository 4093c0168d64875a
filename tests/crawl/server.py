"""A loopback server of hostile pages, each named by what it provokes."""

from __future__ import annotations

import gzip
import socket
import ssl
import struct
import tempfile
import threading
import zlib
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

SENTENCE = "The harbour was closed for two days after the storm, and the ferries to the islands did not run before Sunday evening. "
TEXT = f"<h1>Storm closes the harbour</h1><p>{SENTENCE * 3}</p><p>{SENTENCE * 3}</p>"
GBK_TITLE = "港口因风暴关闭两天"

HTML = "text/html; charset=utf-8"


def page(body: str = TEXT, head: str = "", title: str = "Storm closes the harbour") -> str:
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def script(code: str) -> str:
    return f"<script>{code}</script>"


def png(width: int, height: int) -> bytes:
    """A white picture of one bit a pixel."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress((b"\0" + b"\xff" * ((width + 7) // 8)) * height, 9)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
        + chunk(b"IDAT", rows)
        + chunk(b"IEND", b"")
    )


NAVIGATE = "location = location.pathname + '?' + Math.random()"
SHELL = '<div id="root"></div>'
FILL = f"document.getElementById('root').innerHTML = {TEXT!r}"

PAGES: dict[str, str] = {
    "/article": page(),
    "/private/article": page(title="Not for robots"),
    "/shell": page(SHELL + script(FILL), title="Shell"),
    "/shell-data": page(
        SHELL + script("fetch('/slow-data').then(answer => answer.text()).then(text => root.innerHTML = text)"), title="Shell with data"
    ),
    "/loop-before-load": page(TEXT + script("while (true) {}")),
    "/loop-after-load": page(TEXT + script("onload = () => setTimeout(() => { while (true) {} }, 0)")),
    "/renavigate": page(TEXT + script(f"setInterval(() => {{ {NAVIGATE} }}, 60)")),
    "/moves-once": page(TEXT * 40 + script("onload = () => setTimeout(() => { location = '/js-target' }, 120)")),
    "/moves-often": page(TEXT + script(f"setTimeout(() => {{ {NAVIGATE} }}, 400)")),
    "/hang-font": page(TEXT, "<style>@font-face { font-family: F; src: url(/never/font) } body { font-family: F }</style>"),
    "/hang-image": page(TEXT + '<img src="/never/image" width="300" height="200">'),
    "/hang-script": page(TEXT + '<script src="/never/script"></script>' + f"<p>{SENTENCE * 2}Behind the script.</p>"),
    "/hang-late-script": page(TEXT + '<script async src="/never/script"></script>'),
    "/hang-style": page(TEXT, '<link rel="stylesheet" href="/never/style">'),
    "/hang-iframe": page(TEXT + '<iframe src="/never/iframe"></iframe>'),
    "/hang-fetch": page(TEXT + script("fetch('/never/fetch')")),
    "/js-redirect": page("<p>Going on.</p>" + script("location = '/js-target'"), title="First"),
    "/js-late-redirect": page("<p>Going on.</p>" + script("setTimeout(() => { location = '/js-target' }, 150)"), title="First"),
    "/js-target": page(title="Target"),
    "/js-to-file": page("<p>Going on.</p>" + script("location = '/json'"), title="First"),
    "/popups": page(
        TEXT + script("for (const name of ['a', 'b', 'c']) open('/article?' + name); open('/article?d', '_blank', 'noopener')")
    ),
    "/popups-of-popups": page(TEXT + script("open('/popups')")),
    "/dialogs": page(TEXT + script("alert(1); confirm(2); prompt(3); onbeforeunload = event => { event.preventDefault(); return 'stay' }")),
    "/tall": page(TEXT + '<div style="height: 60000px; background: linear-gradient(red, blue)"></div>'),
    "/wide-image": page(TEXT + '<img src="/image/12000">'),
    "/big": page(TEXT + "<p>" + (SENTENCE + "</p><p>") * 80_000 + "</p>"),
    "/blank": page(TEXT + script("location = 'about:blank'")),
    "/emptied": page(TEXT + script("onload = () => document.documentElement.replaceChildren()")),
    "/clobbered": page(
        TEXT
        + "<form id=documentElement><input name=nodeType><input name=firstChild><input name=parentNode><input name=localName></form><img name=body>"
        + script(
            "JSON.stringify = Array.prototype.push = Map.prototype.get = () => 'stolen'; document.documentElement.getBoundingClientRect = null"
        )
    ),
    "/surrogate": page(TEXT + script("document.body.append('lone \\ud800 surrogate')")),
    "/click": page(TEXT + "<button onclick=\"document.body.append('clicked')\">More</button>"),
    "/click-hang": page(TEXT + "<button onclick=\"document.body.append('clicked')\">More</button><img src='/never/image'>"),
    "/storage": page(
        TEXT + script("const seen = localStorage.seen || 'nothing'; localStorage.seen = 'something'; document.body.append('seen: ' + seen)")
    ),
    "/moves-later": page("<p>Going on.</p>" + script("setTimeout(() => { location = '/js-target' }, 600)"), title="First"),
    "/lengthens": page(TEXT + script("setTimeout(() => document.body.append('too late'), 700)")),
    "/file-link": page(TEXT + '<a id="file" href="/attachment">File</a>'),
    "/measures": page(
        TEXT
        + script(
            "document.body.append(`${innerWidth} ${navigator.language} `); addEventListener('resize', () => { window.resized = true })"
        )
    ),
    "/shadow": page(
        '<p>Words outside.</p><div id="host"></div>' + script(f"host.attachShadow({{mode: 'open'}}).innerHTML = {TEXT!r}"), title="Shadow"
    ),
    "/few-words": page("<p>Not much to read.</p>" + script("0"), title="Few words"),
    "/media": page(
        TEXT
        + '<img src="/image/20"><video src="/media/film.mp4" autoplay></video><audio src="/media/sound.mp3" autoplay></audio>'
        + "<p style='font-family: F'>In a font of its own</p>",
        "<style>@font-face { font-family: F; src: url(/media/font.woff2) }</style>",
    ),
}

OTHERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n"),
    "/slow-data": (200, {"Content-Type": "text/html"}, TEXT.encode()),
    "/attachment": (
        200,
        {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=a.bin"},
        b"\0\1\2" * 100,
    ),
    "/attachment-html": (200, {"Content-Type": HTML, "Content-Disposition": "attachment; filename=a.html"}, page().encode()),
    "/attachment-empty": (200, {"Content-Type": "application/octet-stream", "Content-Disposition": "attachment; filename=a.bin"}, b""),
    "/pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"),
    "/json": (200, {"Content-Type": "application/json"}, b'{"title": "data"}'),
    "/xml": (200, {"Content-Type": "application/rss+xml"}, b"<?xml version='1.0'?><rss><channel><title>Feed</title></channel></rss>"),
    "/text": (200, {"Content-Type": "text/plain"}, b"plain text"),
    "/empty": (200, {"Content-Type": HTML}, b""),
    "/no-content": (204, {}, b""),
    "/asks-as-a-proxy": (407, {"Content-Type": HTML, "Proxy-Authenticate": 'Basic realm="webcontent"'}, page(title="407").encode()),
    "/not-found": (404, {"Content-Type": HTML}, page("<h1>Nothing here</h1>", title="404").encode()),
    "/gbk": (
        200,
        {"Content-Type": "text/html; charset=gbk"},
        page(f"<h1>{GBK_TITLE}</h1>" + "<p>海边的天气很好。</p>" * 30, title=GBK_TITLE).encode("gbk"),
    ),
    "/gbk-meta": (
        200,
        {"Content-Type": "text/html"},
        page(f"<h1>{GBK_TITLE}</h1>" + "<p>海边的天气很好。</p>" * 30, "<meta charset=gbk>", title=GBK_TITLE).encode("gbk"),
    ),
    "/redirect/3": (302, {"Location": "/redirect/2"}, b""),
    "/redirect/2": (301, {"Location": "/redirect/1"}, b""),
    "/redirect/1": (302, {"Location": "/article"}, b""),
    "/redirect-loop": (302, {"Location": "/redirect-loop"}, b""),
    "/cached": (200, {"Content-Type": HTML, "Cache-Control": "max-age=1000"}, page().encode()),
    "/shell-gzip": (
        200,
        {"Content-Type": HTML, "Content-Encoding": "gzip"},
        gzip.compress(page(SHELL + script(FILL), title="Shell").encode()),
    ),
    "/set-cookie": (200, {"Content-Type": HTML, "Set-Cookie": "flavour=plain; Path=/"}, page().encode()),
}


class HostileServer:
    """Serves until it is closed. `asked`: (path with query, headers in lower case) of each request, in order.

    With `tls` it speaks https, and http on the same port.
    """

    def __init__(self, *, tls: bool = False) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.closing = threading.Event()
        self.slow_s = 0.3
        self._http = _Server(self)
        if tls:
            self._http.tls = _tls_context()
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    tls: ssl.SSLContext | None = None

    def __init__(self, hostile: HostileServer) -> None:
        self.hostile = hostile
        super().__init__(("127.0.0.1", 0), _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        if self.tls and request.recv(1, socket.MSG_PEEK) == b"\x16":  # a TLS handshake
            with self.tls.wrap_socket(request, server_side=True) as encrypted:
                super().finish_request(encrypted, client_address)
        else:
            super().finish_request(request, client_address)

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers that are killed leave broken connections behind."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.hostile.asked.append(
            (f"POST {self.path} {body.decode()}", {name.lower(): value for name, value in self.headers.items()})
        )
        self._send_echo(body)

    def do_GET(self) -> None:
        hostile = self.server.hostile
        hostile.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        path = urlsplit(self.path).path  # a proxy is asked for whole addresses
        if path.startswith(("/never/", "/silent")):
            hostile.closing.wait(60)
        elif path == "/redirect":
            self._send(302, {"Location": unquote(urlsplit(self.path).query.removeprefix("to="))}, b"")
        elif path.startswith("/reset"):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif path.startswith("/truncated"):
            self._send(200, {"Content-Type": HTML}, page().encode(), missing=5000)
            hostile.closing.wait(60)
        elif path.startswith("/slow/"):
            hostile.closing.wait(hostile.slow_s)
            self._send(200, {"Content-Type": HTML}, page(title=path).encode())
        elif path.startswith("/endless"):
            self._send_endless()
        elif path.startswith("/echo"):
            self._send_echo(b"")
        elif path.startswith("/image/"):
            size = int(path.rpartition("/")[2])
            self._send(200, {"Content-Type": "image/png"}, png(size, size))
        elif path.startswith("/page/"):
            name = path.rpartition("/")[2]
            self._send(200, {"Content-Type": HTML, "X-Page": name}, page(f"<h1>Page {name}</h1>{TEXT}", title=f"Page {name}").encode())
        elif path == "/slow-data":
            hostile.closing.wait(0.4)
            self._send(*OTHERS[path])
        elif path in PAGES:
            self._send(200, {"Content-Type": HTML, "X-Path": path}, PAGES[path].encode())
        else:
            self._send(*OTHERS.get(path, OTHERS["/not-found"]))

    def _send(self, status: int, headers: dict[str, str], body: bytes, missing: int = 0) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body) + missing))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def _send_echo(self, body: bytes) -> None:
        """A page with the method, the body and some headers of its own request."""
        names = ("accept-language", "cookie", "referer", "user-agent", "x-own")
        text = " | ".join(f"{name}: {self.headers.get(name)}" for name in names)
        self._send(200, {"Content-Type": HTML}, page(f"<p>{self.command} {body.decode()} {text}</p>{TEXT}").encode())

    def _send_endless(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", HTML)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"<title>Endless</title>" + TEXT.encode())
        while not self.server.hostile.closing.wait(0.05):
            self.wfile.write(b"<p>more and more</p>")

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def hostile_server(*, tls: bool = False) -> Iterator[HostileServer]:
    server = HostileServer(tls=tls)
    try:
        yield server
    finally:
        server.close()


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _tls_context() -> ssl.SSLContext:
    """With a certificate that nobody has signed."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    begin = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)  # the same for two servers
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=10))
        .sign(key, hashes.SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "both.pem"
        secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        path.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
        context.load_cert_chain(path)
    return context
