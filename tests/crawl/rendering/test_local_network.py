"""What a rendered page can reach: real servers on loopback, of which 127.0.0.1 counts as the internet and 127.0.0.2 as private."""

from __future__ import annotations

import shutil
import socket
import threading
from contextlib import contextmanager

import pytest

from tests.crawl.crawls import article, serve
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl

pytestmark = pytest.mark.browser

INTERNET = "127.0.0.1"
PRIVATE = "127.0.0.2"
RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "DOWNLOAD_TIMEOUT": 60}
FROM_OUTSIDE = {**RENDER, "WEBCONTENT_PRIVATE_HOSTS": [INTERNET]}
NAMES = {"inside.example": PRIVATE, "outside.example": INTERNET}
"""What the name server says."""
BROWSERS = [path for name in ("chromium-headless-shell", "chromium") if (path := shutil.which(name))] or [None]
SECRET = "the secret of the local network"


def never(request: object) -> bool:
    """A user's hook that aborts no request."""
    return False


class Listener:
    """Counts the connections and datagrams that reach the private address, and answers each request with a secret."""

    def __init__(self, port: int = 0) -> None:
        self.asked: list[bytes] = []
        self.datagrams = 0
        self._tcp = socket.create_server((PRIVATE, port), backlog=100)
        self.port: int = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind((PRIVATE, self.port))
        for serve_forever in (self._accept, self._receive):
            threading.Thread(target=serve_forever, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(10)
            try:
                self.asked.append(connection.recv(65_536).split(b"\r\n")[0])
                body = article(SECRET).encode()
                head = (
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\nContent-Length: "
                )
                connection.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body)
            except OSError:
                pass

    def _receive(self) -> None:
        while True:
            try:
                self._udp.recv(2048)
            except OSError:
                return
            self.datagrams += 1

    def close(self) -> None:
        self._tcp.close()
        self._udp.close()

    def paths(self) -> set[str]:
        return {line.split(b" ")[1].decode() for line in self.asked if b" " in line}


@contextmanager
def listening(port: int = 0):
    listener = Listener(port)
    try:
        yield listener
    finally:
        listener.close()


def attack(port: int) -> str:
    """A page that tries to reach the private address in every way that a page has; each way has a path of its own."""
    inside = f"http://{PRIVATE}:{port}"
    markup = f"""
        <img src="{inside}/image"><script src="{inside}/script"></script><iframe src="{inside}/frame"></iframe>
        <link rel="stylesheet" href="{inside}/style"><link rel="prefetch" href="{inside}/prefetch"><object data="{inside}/object"></object>
        <embed src="{inside}/embed"><img src="http://inside.example:{port}/name"><img src="http://%31%32%37.0.0.2:{port}/encoded">
        <img src="http://2130706434:{port}/decimal"><img src="http://0x7f.2:{port}/hexadecimal"><img src="http://[::ffff:7f00:2]:{port}/mapped">
        <iframe srcdoc="<img src='{inside}/nested'>"></iframe><iframe src="/sandboxed" sandbox="allow-scripts"></iframe>
        <form id=form action="{inside}/form" target="elsewhere" method=post><input name=a></form>"""
    code = f"""
        for (const way of [
            () => fetch('{inside}/fetch', {{mode: 'no-cors'}}), () => fetch('{inside}/post', {{method: 'POST', body: 'a', mode: 'no-cors'}}),
            () => navigator.sendBeacon('{inside}/beacon', 'a'), () => new WebSocket('ws://{PRIVATE}:{port}/socket'),
            () => new EventSource('{inside}/events'), () => open('{inside}/popup'), () => open('{inside}/opener', '_blank', 'noopener'),
            () => form.submit(), () => {{ const request = new XMLHttpRequest(); request.open('GET', '{inside}/xhr'); request.send() }},
            () => new Worker(URL.createObjectURL(new Blob(["fetch('{inside}/worker', {{mode: 'no-cors'}})"]))),
            () => new Worker(URL.createObjectURL(new Blob(["new WebTransport('https://{PRIVATE}:{port}/transport')"]))),
            () => {{
                const frame = document.createElement('iframe'); document.body.append(frame)
                frame.contentWindow.fetch('{inside}/blank', {{mode: 'no-cors'}})
            }},
            ...[() => window, () => frames[0], () => frames[2], () => document.body.appendChild(document.createElement('iframe')).contentWindow]
                .map(where => () => {{
                    const peer = new (where().RTCPeerConnection)({{iceServers: [{{urls: 'stun:{PRIVATE}:{port}'}}]}})
                    peer.createDataChannel('a'); peer.createOffer().then(offer => peer.setLocalDescription(offer))
                }}),
        ]) {{ try {{ Promise.resolve(way()).catch(() => 0) }} catch (error) {{}} }}
        setTimeout(() => document.body.append('every way was tried'), 600)"""
    return article("Outside", links=f"{markup}<script>{code}; fetch('/slow-end')</script>")


WAYS = {
    *("/image", "/script", "/frame", "/style", "/object", "/embed", "/name", "/encoded", "/decimal", "/hexadecimal", "/nested"),
    *("/fetch", "/post", "/socket", "/events", "/xhr", "/worker", "/blank"),
}
"""Those of the ways that lead there from a page that may use them. Others are closed by the browser or by the crawl already."""


def moves(port: int) -> dict[str, object]:
    """Pages whose document itself moves to the private address."""
    inside = f"http://{PRIVATE}:{port}"
    name = f"http://inside.example:{port}"
    return {
        "/302": (302, {"Location": f"{inside}/302"}, b""),
        "/302-name": (302, {"Location": f"{name}/302-name"}, b""),
        "/302-302": (302, {"Location": "/302"}, b""),
        "/metadata": (302, {"Location": "http://169.254.169.254/latest/meta-data/"}, b""),
        "/refresh": f'<title>Going</title><meta http-equiv="refresh" content="0; url={inside}/refresh"><p>Going on.</p>',
        "/refresh-name": f'<title>Going</title><meta http-equiv="refresh" content="0; url={name}/refresh-name"><p>Going on.</p>',
        "/script": f"<title>Going</title><p>Going on.</p><script>location = '{inside}/script'</script>",
        "/script-name": f"<title>Going</title><p>Going on.</p><script>location = '{name}/script-name'</script>",
        "/hijack": article("Outside", links=f"<script>location = '{inside}/hijack'</script>"),
    }


@pytest.mark.parametrize("browser", BROWSERS)
@pytest.mark.parametrize("hooks", [{}, {"PLAYWRIGHT_ABORT_REQUEST": "tests.crawl.rendering.test_local_network.never"}], ids=["", "hooks"])
def test_no_way_out_of_a_page_leads_into_the_local_network(browser, hooks):
    """Frames, popups, workers, sockets, images, WebRTC ...: by any spelling of the address, and by a name that leads there."""
    with listening() as listener, serve({"/": attack(listener.port), "/sandboxed": "<p>x</p>", "/slow-end": "x"}) as site:
        settings = {**FROM_OUTSIDE, **hooks, "WEBCONTENT_BROWSER": browser}
        done = crawl([f"{site.url}/"], settings=settings, hosts=NAMES)
        assert (listener.asked, listener.datagrams) == ([], 0)
    done.check()
    assert done.response(f"{site.url}/")["title"] == "Outside"
    assert done.response(f"{site.url}/")["page_flags"] == []
    assert done.stats["webcontent/private_refused"] >= len(WAYS)


def test_the_same_ways_are_open_to_a_page_that_may_use_them():
    """The test above would see a connection; WebRTC stays closed to every page."""
    with listening() as listener, serve({"/": attack(listener.port), "/sandboxed": "<p>x</p>", "/slow-end": "x"}) as site:
        crawl([f"{site.url}/"], settings={**RENDER, "WEBCONTENT_PRIVATE_HOSTS": ["127.0.0.0/8"]}, hosts=NAMES).check()
        assert listener.paths() >= WAYS
        assert listener.datagrams == 0


def test_no_redirect_leads_into_the_local_network():
    """Of the server, of scripts, by meta refresh: no text comes, and the private server is not asked at all."""
    with listening() as listener, serve(moves(listener.port)) as site:
        paths = list(site.pages)
        done = crawl([site.url + path for path in paths], settings=FROM_OUTSIDE, hosts=NAMES)
        assert listener.asked == []
    done.check()
    assert not [response["url"] for response in done.responses if SECRET in (response["text"] or "")]
    assert {error["url"].removeprefix(site.url) for error in done.errors} == {path for path in paths if path != "/hijack"}
    assert {error["error"] for error in done.errors} == {"IgnoreRequest"}
    assert done.response(f"{site.url}/hijack")["title"] == "Outside"


def test_a_public_name_with_a_private_address_is_not_requested():
    """Neither by the browser nor, afterwards, without it."""
    with listening() as listener:
        url = f"http://inside.example:{listener.port}/"
        done = crawl([url], settings=FROM_OUTSIDE, hosts=NAMES)
        assert listener.asked == []
    assert done.error(url) == "IgnoreRequest"
    assert "WEBCONTENT_PRIVATE_HOSTS" in done.errors[0]["message"]


def test_a_page_of_the_own_network_loads_from_its_own_host_only():
    """A private page that the crawl itself requests is rendered with what its host serves; other private hosts stay closed."""
    with listening() as listener:
        page = article("At home", links="<script src='/fill.js'></script>" + f"<img src='http://{PRIVATE}:{listener.port}/image'>")
        with serve({"/": page, "/fill.js": (200, {"Content-Type": "text/javascript"}, "document.title = 'Filled'")}) as site:
            done = crawl([f"{site.url}/"], settings=RENDER)
        assert listener.asked == []
    assert done.response(f"{site.url}/")["title"] == "Filled"


def test_a_named_private_host_is_open_to_public_pages():
    with (
        listening() as listener,
        serve({"/": article("Outside", links=f"<img src='http://inside.example:{listener.port}/image'>")}) as site,
    ):
        settings = {**RENDER, "WEBCONTENT_PRIVATE_HOSTS": "inside.example,outside.example"}
        done = crawl([site.url.replace(INTERNET, "outside.example") + "/"], settings=settings, hosts=NAMES)
        assert listener.paths() == {"/image"}
    assert done.responses[0]["title"] == "Outside"


def test_a_users_page_methods_may_go_anywhere_but_into_the_local_network():
    """To another origin, without a redirect that Scrapy would be asked about."""
    button = "<button onclick=\"location = '{}'\">On</button>"
    with listening() as listener, serve({"/there": article("There")}) as other:
        inside = f"http://{PRIVATE}:{listener.port}/inside"
        pages = {"/out": article("Out", links=button.format(f"{other.url}/there")), "/in": article("In", links=button.format(inside))}
        with serve(pages) as site:
            done = crawl([{"url": site.url + path, "methods": ["click"]} for path in pages], settings=FROM_OUTSIDE)
            assert done.response(f"{site.url}/out")["url"] == f"{other.url}/there"
        assert listener.asked == []


def test_redirects_into_the_local_network_are_refused_without_a_browser_too():
    with listening() as listener, serve({"/302": (302, {"Location": f"http://{PRIVATE}:{listener.port}/"}, b"")}) as site:
        done = crawl([f"{site.url}/302"], settings={**FROM_OUTSIDE, "WEBCONTENT_RENDER": False})
        assert listener.asked == []
    assert done.error(f"{site.url}/302") == "IgnoreRequest"
