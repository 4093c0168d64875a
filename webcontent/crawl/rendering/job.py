"""What is asked of the browser: one page, with everything that its rendering depends on."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

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
    """A page to render."""

    request: Request
    locale: str | None
    """What the browser context says of its reader; so do the next two."""
    timezone: str | None
    storage_state: str | None
    """File with the cookies and the local storage of a session, as Playwright writes it."""
    overlays: str
    """What is done to the page, as the settings of the same names say; so are the next four."""
    scroll: str
    expand: str
    frames: bool
    budget_ms: int
    wait_for: str | None
    """CSS selector of an element without which the page is not ready."""
    proxy: Upstream | None
    """The user's, which Scrapy or the launch options have chosen."""
    user_context: str | None
    """Name of the browser context, if the user names one."""
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
        wishes, user_context = request.meta[RENDER_WISHES], request.meta.get("playwright_context")
        identity = {name: wishes.get(name, getattr(config, name)) for name in IDENTITY}
        state = identity["storage_state"]
        if state is not None and not is_for_session(state, request.url):
            state = identity["storage_state"] = None
        merges = not request.meta.get("dont_merge_cookies")
        steps = {name: getattr(config, name) for name in PREPARATION}
        if user_context or state is not None:
            steps = {name: _HARMLESS.get((name, value), value) for name, value in steps.items()}
        return cls(
            request=request,
            **identity | steps | {name: wishes[name] for name in PREPARATION if name in wishes},
            wait_for=wishes.get(WAIT_FOR),
            proxy=proxy_of(request) or proxy,
            user_context=user_context,
            cookiejar=request.meta.get("cookiejar") if merges else ("dont_merge_cookies",),
            shares_cookies=has_jars and merges and not user_context and state is None,
            screenshot=wishes.get(SCREENSHOT, AUTO),
            full_size=bool(wishes.get(FULL_SIZE)),
            deadline_s=min(DEADLINE_S, float(request.meta.get("download_timeout") or DEADLINE_S)),
        )

    @property
    def url(self) -> str:
        return self.request.url

    def context_options(self) -> dict[str, Any]:
        """Arguments of Playwright's `new_context`. Pages that differ in them have different contexts."""
        options = {"locale": self.locale, "timezone_id": self.timezone, "storage_state": self.storage_state}
        return {name: value for name, value in options.items() if value is not None}


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
