"""What a rendered page may request, from whom, and with which headers."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from contextlib import suppress
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError
from scrapy.http import Headers

from webcontent.crawl.config import RESOURCE_TYPES
from webcontent.crawl.discovery.urls import is_private
from webcontent.crawl.rendering.tasks import run_in_background

if TYPE_CHECKING:
    from playwright.async_api import CDPSession
    from scrapy import Request

DATA = frozenset({"XHR", "Fetch"})
"""Requests by which scripts load what the page will show."""
_PRIVATE_STARTS = ("localhost", "127.", "10.", "192.168.", "169.254.", "172.", "0.", "[")
"""How the hosts of the private network begin. Some public hosts begin so, too: `is_blocked` decides."""
_BROWSERS_OWN = frozenset({"host", "connection", "accept-encoding", "content-length", "proxy-authorization", "proxy-connection"})
"""Headers of Scrapy's request that the browser writes itself."""
_PROTOCOL_NAMES = {"xhr": "XHR", "websocket": "WebSocket", "eventsource": "EventSource", "texttrack": "TextTrack"}
"""Resource types whose name in the DevTools protocol is not just capitalised."""


# What is blocked


@lru_cache(maxsize=8)
def fetch_patterns(block: tuple[str, ...], *, on_private_page: bool) -> list[dict[str, str]]:
    """Patterns of the DevTools protocol for the requests that are paused and judged by `is_blocked`; all others pass unseen.

    Documents are paused because the first one gets Scrapy's headers, data because the page waits for it; the responses to both
    are paused for their status and headers. The patterns of hosts match too much on purpose.
    """
    types = [{"urlPattern": "*", "resourceType": _protocol_name(part)} for part in block if part in RESOURCE_TYPES]
    hosts = [{"urlPattern": f"*{part}*"} for part in block if part not in RESOURCE_TYPES]
    private = [{"urlPattern": f"*://{start}*"} for start in _PRIVATE_STARTS]
    watched = [{"urlPattern": "*", "resourceType": name} for name in ("Document", *sorted(DATA))]
    responses = [{**pattern, "requestStage": "Response"} for pattern in watched]
    return [*watched, *responses, *types, *hosts, *([] if on_private_page else private)]


def is_blocked(url: str, resource_type: str, block: tuple[str, ...], *, on_private_page: bool) -> bool:
    """Whether the browser may not load this. Public pages may not reach into the private network.

    >>> is_blocked("https://ads.doubleclick.net/x.js", "Script", ("font", "doubleclick.net"), on_private_page=False)
    True
    >>> is_blocked("http://192.168.0.1/reboot", "Image", (), on_private_page=False)
    True
    """
    if any(part in RESOURCE_TYPES and _protocol_name(part) == resource_type for part in block):
        return True
    host = _host(url)
    if any(host == part or host.endswith(f".{part}") for part in block):
        return True
    if url.startswith("ws"):
        url = "http" + url[2:]
    return not on_private_page and url.startswith("http") and is_private(url)


def _protocol_name(resource_type: str) -> str:
    return _PROTOCOL_NAMES.get(resource_type, resource_type.capitalize())


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


# The requests of one page


class DataRequests:
    """The requests for data of one page that have no response yet, with the time at which each was sent."""

    def __init__(self) -> None:
        self._sent: dict[str, float] = {}
        self._changed = asyncio.Event()

    def update(self, network_id: str, *, has_response: bool) -> None:
        if has_response:
            self._sent.pop(network_id, None)
            self._changed.set()
        else:
            self._sent[network_id] = monotonic()

    def is_waiting(self, patience_s: float) -> bool:
        """Whether a request of the last `patience_s` has no response yet."""
        return any(monotonic() - sent < patience_s for sent in self._sent.values())

    async def wait(self, longest_s: float, patience_s: float) -> None:
        """Waits for the responses, at most `longest_s`, and for each at most `patience_s` after its request."""
        end = monotonic() + longest_s
        while (now := monotonic()) < end and self.is_waiting(patience_s):
            self._changed.clear()
            rest = min(end - now, *(sent + patience_s - now for sent in self._sent.values() if sent + patience_s > now))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), rest)


class PageNetwork:
    """The requests of one page: blocks some, gives Scrapy's headers to the first, and keeps the response to the page itself.

    `user_agent` is Scrapy's; None leaves all headers to the browser. `adds_headers`: whether the headers of Scrapy's request
    are added here; a user's own hooks do that themselves.
    """

    def __init__(self, request: Request, block: tuple[str, ...], *, user_agent: str | None, adds_headers: bool) -> None:
        self.request = request
        self.block = block
        self.user_agent = user_agent
        self.adds_headers = adds_headers
        self.is_private = is_private(request.url)
        self.frame = ""
        """Id of the main frame."""
        self.status = 0
        self.headers = Headers()
        """Of the document that is shown: the last one if scripts have navigated on."""
        self.data = DataRequests()
        self.dynamic = False
        """Whether scripts have loaded data."""
        self._session: CDPSession | None = None

    async def attach(self, session: CDPSession) -> None:
        """Starts to judge the requests of a page that has not requested anything yet."""
        self._session = session
        session.on("Fetch.requestPaused", lambda event: run_in_background(self._judge(event)))
        tree = session.send("Page.getFrameTree")
        patterns = session.send("Fetch.enable", {"patterns": fetch_patterns(self.block, on_private_page=self.is_private)})
        self.frame = (await asyncio.gather(tree, patterns))[0]["frameTree"]["frame"]["id"]

    async def _judge(self, event: dict[str, Any]) -> None:
        """Lets a paused request of the page pass, with Scrapy's headers if it is the first, or blocks it."""
        url, kind = event["request"]["url"], event.get("resourceType", "")
        is_main = kind == "Document" and event.get("frameId") == self.frame
        is_first = is_main and not self.status
        has_response = "responseStatusCode" in event or "responseErrorReason" in event
        if is_main:
            self._keep_response(event)
        if not has_response and not is_first and is_blocked(url, kind, self.block, on_private_page=self.is_private):
            await self._send("Fetch.failRequest", event, errorReason="BlockedByClient")
            return
        if kind in DATA:
            self.dynamic = True
            self.data.update(event.get("networkId", ""), has_response=has_response)
        if has_response:
            await self._send("Fetch.continueRequest", event)
        elif is_first and self.adds_headers and _same_host(url, self.request.url):
            await self._send("Fetch.continueRequest", event, headers=self._merged_headers(event["request"]["headers"]))
        else:
            await self._send("Fetch.continueRequest", event)

    async def _send(self, command: str, event: dict[str, Any], **parameters: Any) -> None:
        assert self._session is not None
        with suppress(PlaywrightError):  # the page was closed meanwhile
            await self._session.send(command, {"requestId": event["requestId"], **parameters})

    def _keep_response(self, event: dict[str, Any]) -> None:
        """Keeps status and headers of a response that is no redirect."""
        if "responseStatusCode" in event and not 300 <= event["responseStatusCode"] < 400:  # redirects
            self.status, self.headers = event["responseStatusCode"], Headers()
            for part in event["responseHeaders"]:
                self.headers.appendlist(part["name"], part["value"])

    def _merged_headers(self, browser_headers: dict[str, str]) -> list[dict[str, str]]:
        """The browser's headers, overridden by Scrapy's. They ask caches for a fresh response."""
        headers = {name.lower(): value for name, value in browser_headers.items()}
        if self.user_agent is not None:
            for name, values in self.request.headers.items():
                if (lower := name.decode("latin-1").lower()) not in _BROWSERS_OWN:
                    headers[lower] = b", ".join(values).decode("latin-1")
        headers.setdefault("cache-control", "no-cache")
        return [{"name": name, "value": value} for name, value in headers.items()]


def _same_host(one: str, other: str) -> bool:
    return one.split("/", 3)[2:3] == other.split("/", 3)[2:3]  # never raises, whatever a script navigates to


# Proxies


def proxy_of(request: Request) -> dict[str, str] | None:
    """The proxy that Scrapy has chosen for a request, as Playwright takes it."""
    server = request.meta.get("proxy")
    if not server:
        return None
    scheme, _, token = (request.headers.get("Proxy-Authorization") or b"").partition(b" ")
    if scheme.lower() != b"basic":
        return {"server": server}
    user, _, password = b64decode(token).decode("latin-1").partition(":")
    return {"server": server, "username": user, "password": password}
