"""What a rendered page may request, with which headers, and where its document may move on to.

A move within an origin stays in the browser, after robots.txt was asked. One to another origin, by a redirect of the server, a script
or meta refresh, becomes a redirect of Scrapy's, so that all its middlewares are asked: allowed domains, the site of the seed,
robots.txt, cookies, delays and the duplicates filter.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from playwright.async_api import Error as PlaywrightError
from scrapy.http import Headers, Response

from webcontent.addresses import DEFAULT_PORTS, REDIRECTS, split_url
from webcontent.crawl.config import RESOURCE_TYPES
from webcontent.crawl.rendering.tasks import run_in_background

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import CDPSession

    from webcontent.crawl.rendering.filter.reach import Policy
    from webcontent.crawl.rendering.job import RenderJob

DATA = frozenset({"XHR", "Fetch"})
"""Requests by which scripts load what the page will show."""
_BROWSERS_OWN = frozenset({"host", "connection", "accept-encoding", "content-length", "proxy-authorization", "proxy-connection"})
"""Headers of Scrapy's request that the browser writes itself."""
_CREDENTIALS = frozenset({"cookie", "authorization"})
"""Headers of Scrapy's request that go to its own origin only."""
_BLOCKED, _ABORTED = {"errorReason": "BlockedByClient"}, {"errorReason": "Aborted"}
"""Of requests that are failed: the second leaves the page whole that the browser shows."""


# What is blocked


def fetch_patterns(block: tuple[str, ...]) -> list[dict[str, str]]:
    """Patterns of the DevTools protocol for the requests that are paused and judged by `is_blocked`; all others pass unseen.

    Documents are paused because the first one gets Scrapy's headers, data because the page waits for it; the responses to both
    are paused for their status and headers. The patterns of hosts match too much on purpose.
    """
    blocked = [
        {"urlPattern": "*", "resourceType": RESOURCE_TYPES[part]} if part in RESOURCE_TYPES else {"urlPattern": f"*{part}*"}
        for part in block
    ]
    watched = [{"urlPattern": "*", "resourceType": name} for name in ("Document", *sorted(DATA))]
    responses = [{**pattern, "requestStage": "Response"} for pattern in watched]
    return [*watched, *responses, *blocked]


def is_blocked(url: str, resource_type: str, block: tuple[str, ...]) -> bool:
    """Whether the browser may not load this. What may be reached at all is judged by our own proxy.

    >>> is_blocked("https://ads.doubleclick.net/x.js", "Script", ("font", "doubleclick.net"))
    True
    """
    host = ((parts := split_url(re.sub("^ws", "http", url))) and parts.hostname or "").rstrip(".")
    return any(RESOURCE_TYPES.get(part) == resource_type or host == part or host.endswith(f".{part}") for part in block)


def is_same_origin(one: str, other: str) -> bool:
    """Whether two URLs have scheme, host and port in common; False for one that is broken."""
    origins = [
        (parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme]) for url in (one, other) if (parts := split_url(url))
    ]
    return len(origins) > 1 and origins[0] == origins[1]


# The requests of one page


class DataRequests:
    """The requests for data of one page that have no response yet, with the time at which each was sent."""

    def __init__(self) -> None:
        self._sent: dict[str, float] = {}
        self._changed = asyncio.Event()
        self.on_change: Callable[[], None] | None = None
        """Called after each request and response."""

    def update(self, network_id: str, *, has_response: bool) -> None:
        if has_response:
            self._sent.pop(network_id, None)
            self._changed.set()
        else:
            self._sent[network_id] = monotonic()
        if self.on_change is not None:
            self.on_change()

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


@dataclass(slots=True, eq=False)
class PageNetwork:
    """The requests of one page: blocks some, gives Scrapy's headers to the first, and keeps the response to the page itself."""

    job: RenderJob
    block: tuple[str, ...]
    user_agent: str | None
    """Scrapy's; None leaves all headers to the browser."""
    adds_headers: bool
    """Whether the headers of Scrapy's request are added here; a user's own hooks do that themselves."""
    policy: Policy
    """With what the browser logs in at our own proxy."""
    may_visit: Callable[[str], Awaitable[bool]] | None = None
    """Whether the document may move on to a URL of its own origin; None lets it move anywhere, as a page method of the user's may."""
    redirect: Response | None = None
    """To another origin, at which the browser was stopped."""
    frame: str = ""
    """Id of the main frame, which is the first to request a document."""
    status: int = 0
    headers: Headers = field(default_factory=Headers)
    """Of the document that is shown: the last one if scripts have navigated on."""
    data: DataRequests = field(default_factory=DataRequests)
    documents: int = 0
    """Documents that were requested for the main frame."""
    is_guarded: bool = False
    """Whether the document stays where it is: a click of ours is at work."""
    _session: CDPSession | None = None

    async def attach(self, session: CDPSession) -> None:
        """Starts to judge the requests of a page that has not requested anything yet."""
        self._session = session
        session.on("Fetch.requestPaused", lambda event: run_in_background(self._judge(event)))
        session.on("Fetch.authRequired", lambda event: run_in_background(self._log_in(event)))
        await session.send("Fetch.enable", {"patterns": fetch_patterns(self.block), "handleAuthRequests": True})

    async def _judge(self, event: dict[str, Any]) -> None:
        """Lets a paused request or response of the page pass, or fails it."""
        parameters = await self._verdict(event)
        await self._send("Fetch.failRequest" if "errorReason" in parameters else "Fetch.continueRequest", event, **parameters)

    async def _verdict(self, event: dict[str, Any]) -> dict[str, Any]:
        """Why a request or response is failed, or with which headers it passes; empty if it passes as it is."""
        url, kind = event["request"]["url"], event.get("resourceType", "")
        if kind == "Document" and not self.frame:
            self.frame = event["frameId"]
        is_main = kind == "Document" and event["frameId"] == self.frame
        has_response = "responseStatusCode" in event or "responseErrorReason" in event
        if is_main and "responseStatusCode" in event and not 300 <= event["responseStatusCode"] < 400:  # redirects
            self.status, self.headers = event["responseStatusCode"], _headers_in(event)
        if not has_response and self.is_guarded and kind == "Document" and (is_main or event["request"]["method"] != "GET"):
            return _ABORTED
        is_judged = not has_response and (self.documents > 0 or not is_main)
        if is_judged and is_blocked(url, kind, self.block):
            return _BLOCKED
        if kind in DATA:
            self.data.update(event.get("networkId", ""), has_response=has_response)
        if has_response:
            return _ABORTED if is_main and self._leaves_origin(event) else {}
        return await self._verdict_on_document(event, url) if is_main else {}

    async def _verdict_on_document(self, event: dict[str, Any], url: str) -> dict[str, Any]:
        """Of the page itself: the first request passes, further ones are moves. Scrapy's headers go to its own origin only."""
        self.documents += 1
        if self.documents > 1 and not await self._may_move_to(url, is_redirect="redirectedRequestId" in event):
            return _ABORTED
        headers, is_own = event["request"]["headers"], is_same_origin(url, self.job.url)
        if not self.adds_headers or (is_own and self.status):
            return {}
        changed = self._merged_headers(headers) if is_own else {name: headers[name] for name in headers if name.lower() not in _CREDENTIALS}
        return {} if changed == headers else {"headers": [{"name": name, "value": value} for name, value in changed.items()]}

    async def _may_move_to(self, url: str, *, is_redirect: bool) -> bool:
        """Whether the document may move on to a URL. A script's way to another origin is kept as a redirect."""
        if self.may_visit is None or not url.startswith("http"):
            return True
        if not is_redirect and not is_same_origin(url, self.job.url):
            self.redirect = self.redirect or self._redirect(self.job.url, url, Headers())
            return False
        return await self.may_visit(url)

    def _leaves_origin(self, event: dict[str, Any]) -> bool:
        """Whether the response of the document redirects to another origin; the redirect is kept."""
        headers, url = _headers_in(event), event["request"]["url"]
        location = headers.get("Location")
        if self.may_visit is None or event.get("responseStatusCode") not in REDIRECTS or not location:
            return False
        with suppress(ValueError):  # the browser refuses an address that is broken
            target = urljoin(url, location.decode("utf-8", "replace").strip())
            if target.startswith("http") and not is_same_origin(target, self.job.url):
                self.redirect = self._redirect(url, target, headers, event["responseStatusCode"])
                return True
        return False

    def _redirect(self, url: str, target: str, headers: Headers, status: int = HTTPStatus.FOUND) -> Response:
        headers["Location"] = target
        return Response(url, status=status, headers=headers, request=self.job.request, flags=["playwright"])

    async def _log_in(self, event: dict[str, Any]) -> None:
        """Gives our own proxy the secret. A server that asks for a password shows its page for those without one."""
        answer = {"response": "CancelAuth"}
        if event["authChallenge"].get("source") == "Proxy":
            answer = {"response": "ProvideCredentials", "username": self.policy.name, "password": self.policy.password}
        await self._send("Fetch.continueWithAuth", event, authChallengeResponse=answer)

    async def _send(self, command: str, event: dict[str, Any], **parameters: Any) -> None:
        assert self._session is not None
        with suppress(PlaywrightError):  # the page was closed meanwhile
            await self._session.send(command, {"requestId": event["requestId"], **parameters})

    def _merged_headers(self, browser_headers: dict[str, str]) -> dict[str, str]:
        """The browser's headers, overridden by Scrapy's. They ask caches for a fresh response."""
        headers = {name.lower(): value for name, value in browser_headers.items()}
        identity = self.job.identity
        browsers = {"cookie": identity["storage_state"] or self.job.shares_cookies, "accept-language": identity["locale"]}
        unsent = _BROWSERS_OWN | {name for name, is_sent in browsers.items() if is_sent}
        if self.user_agent is not None:
            for name, values in self.job.request.headers.items():
                if (lower := name.decode("latin-1").lower()) not in unsent:
                    headers[lower] = b", ".join(values).decode("latin-1")
        headers.setdefault("cache-control", "no-cache")
        return headers


def _headers_in(event: dict[str, Any]) -> Headers:
    headers = Headers()
    for part in event.get("responseHeaders") or ():
        headers.appendlist(part["name"], part["value"])
    return headers
