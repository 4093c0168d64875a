"""What is asked of the browser, one page with everything that its rendering depends on; and what comes of it."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import http
from scrapy.exceptions import NotSupported

from webcontent.addresses import site_of
from webcontent.crawl.config import IDENTITY, PREPARATION
from webcontent.crawl.meta import AUTO, EXPAND, FULL_SIZE, OVERLAYS, RENDER_WISHES, SCREENSHOT, SCROLL, WAIT_FOR
from webcontent.crawl.rendering.filter.reach import Upstream

if TYPE_CHECKING:
    from scrapy import Request

    from webcontent.crawl.config import Config

DEADLINE_S = 30.0
"""The longest life of a page; DOWNLOAD_TIMEOUT and `download_timeout` make it shorter."""
_HARMLESS = {(OVERLAYS, "reject"): "hide", (SCROLL, "list"): "page", (SCROLL, "auto"): "page", (EXPAND, "click"): "css"}
"""Settings that click, and what stands for each in a session that may be logged in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderJob:
    request: Request
    identity: dict[str, Any]
    """What the browser context says of its reader, by the names of settings: IDENTITY."""
    steps: dict[str, Any]
    """What is done to the page, by the names of settings: PREPARATION."""
    wait_for: str | None
    """CSS selector of an element without which the page is not ready."""
    proxy: Upstream | None
    """The user's, which Scrapy or the launch options have chosen."""
    cookiejar: Any
    """Scrapy's, which has a context of its own; so have the requests that merge no cookies."""
    shares_cookies: bool
    """Whether cookies go both ways between that jar and the context."""
    screenshot: bool | str
    """AUTO: only if the page has no boxes."""
    full_size: bool
    deadline_s: float

    @classmethod
    def of(cls, request: Request, config: Config, proxy: Upstream | None, *, has_jars: bool = False) -> RenderJob:
        """The settings, overridden by the wishes of the request. In a session that may be logged in only such a wish clicks.

        `proxy` is that of a request that names none, `has_jars`: whether Scrapy keeps cookies. Raises NotSupported for a proxy of an
        unknown kind.
        """
        wishes = request.meta[RENDER_WISHES]
        identity = {name: wishes.get(name, getattr(config, name)) for name in IDENTITY}
        state = identity["storage_state"]
        if state is not None and not is_for_session(state, request.url):
            state = identity["storage_state"] = None
        merges = not request.meta.get("dont_merge_cookies")
        steps = {name: getattr(config, name) for name in PREPARATION}
        if state is not None:
            steps = {name: _HARMLESS.get((name, value), value) for name, value in steps.items()}
        return cls(
            request=request,
            identity=identity,
            steps=steps | {name: wishes[name] for name in PREPARATION if name in wishes},
            wait_for=wishes.get(WAIT_FOR),
            proxy=proxy_of(request) or proxy,
            cookiejar=request.meta.get("cookiejar") if merges else ("dont_merge_cookies",),
            shares_cookies=has_jars and merges and state is None,
            screenshot=wishes.get(SCREENSHOT, AUTO),
            full_size=bool(wishes.get(FULL_SIZE)),
            deadline_s=min(DEADLINE_S, float(request.meta.get("download_timeout") or DEADLINE_S)),
        )

    @property
    def url(self) -> str:
        return self.request.url

    def context_options(self) -> dict[str, Any]:
        """Arguments of Playwright's `new_context`. Pages that differ in them have different contexts."""
        names = {"timezone": "timezone_id"}
        return {names.get(name, name): value for name, value in self.identity.items() if value is not None}


class NotRenderedError(Exception):
    """The page could not be rendered. `reason` is the last part of the stat, `response` what the browser has of the page."""

    def __init__(self, reason: str, response: http.Response | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.response = response


class NoPageError(Exception):
    """The server sent no HTML page but a file, a feed or nothing at all. This is no failure."""


class RenderedResponse(http.HtmlResponse):
    """A page as the browser showed it, with the server's status and headers. The HTTP cache restores all of it."""

    attributes: tuple[str, ...] = (*http.HtmlResponse.attributes, "screenshot", "boxes", "page_flags", "fetched_at", "preparation")

    def __init__(
        self,
        *args: Any,
        screenshot: bytes | None = None,
        boxes: list[list[Any]] | None = None,
        page_flags: list[str] | None = None,
        fetched_at: str | None = None,
        preparation: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.screenshot = screenshot
        """JPEG, PNG or WebP; None if there is none."""
        self.boxes = boxes
        """Rows in the order of `document.boxes.COLUMNS`; None if the page was not rendered."""
        self.page_flags = list(page_flags or ())
        """Flags that the item will carry, such as render-failed, not-rendered, truncated, hidden-text."""
        self.fetched_at = fetched_at
        """ISO 8601 with offset."""
        self.preparation = dict(preparation or {})
        """What was hidden, opened and scrolled before the page was read, and `ms` by step; empty if nothing was."""
        super().__init__(*args, **kwargs)


class HtmlResponse(RenderedResponse):
    """A page of a user's own Playwright request, with its capture. It has the name of its base, by which some spiders and logs tell
    responses apart."""


def now() -> str:
    """The current time in the format of `fetched_at`."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def is_for_session(storage_state: str, url: str) -> bool:
    """Whether a page is of a site for which the session in a file has cookies or storage: pages of others render without it."""
    sites = _sites_of(storage_state)
    return not sites or site_of(f"http://{urlsplit(url).hostname}") in sites


@lru_cache(maxsize=8)
def _sites_of(storage_state: str) -> frozenset[str | None]:
    """The sites of a session; empty if the file can't be read, which the browser will report."""
    try:
        state = json.loads(Path(storage_state).read_text(encoding="utf-8"))
        hosts = [cookie["domain"].lstrip(".") for cookie in state["cookies"]]
        hosts += [urlsplit(origin["origin"]).hostname for origin in state["origins"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return frozenset()
    return frozenset(site_of(f"http://{host}") for host in hosts)


def proxy_of(request: Request) -> Upstream | None:
    """The proxy that Scrapy has chosen for a request. Raises NotSupported for one of an unknown kind."""
    server = request.meta.get("proxy")
    if not server:
        return None
    scheme, _, token = (request.headers.get("Proxy-Authorization") or b"").partition(b" ")
    user = password = ""
    try:
        if scheme.lower() == b"basic":
            user, _, password = b64decode(token).decode("latin-1").partition(":")
        return Upstream.from_url(str(server), user, password)
    except ValueError as error:  # of the base64 code, too
        raise NotSupported(f"{request.url}: the proxy can't be used. {error}") from None
