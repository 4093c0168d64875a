"""Cookies between Scrapy's jar and the browser context of a page. Each jar has a context of its own."""

from __future__ import annotations

from contextlib import suppress
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

    from webcontent.crawl.rendering.job import RenderJob

Cookies = dict[tuple[str, str, str, str], Any]
"""A context's cookies for a URL, by name, value, domain and path."""


async def lend(job: RenderJob, context: BrowserContext) -> Cookies:
    """Gives the context the cookies that Scrapy would send; afterwards they are the browser's to send. Gives all that it has then."""
    if not job.shares_cookies:
        return {}
    known = await _cookies(context, job.url)
    held = {(name, value) for name, value, *_ in known}
    header = (job.request.headers.get("Cookie") or b"").decode("latin-1")
    pairs = [(name, value) for name, _, value in (part.strip().partition("=") for part in header.split(";")) if name]
    new = [pair for pair in pairs if pair not in held]
    for name, value in new:
        with suppress(PlaywrightError):  # one that no browser accepts
            await context.add_cookies([{"name": name, "value": value, "url": urljoin(job.url, "/")}])
    return await _cookies(context, job.url) if new else known


async def give_back(job: RenderJob, context: BrowserContext, url: str, before: Cookies) -> list[str]:
    """Headers Set-Cookie for the cookies that have come since `before`: from redirects, scripts and what the page has loaded."""
    found = await _cookies(context, url) if job.shares_cookies else {}
    return [_line(cookie) for key, cookie in found.items() if key not in before]


async def _cookies(context: BrowserContext, url: str) -> Cookies:
    return {(part["name"], part["value"], part["domain"], part["path"]): part for part in await context.cookies(url)}


def _line(cookie: Any) -> str:
    age = f"; Max-Age={max(0, round(cookie['expires'] - time()))}" if cookie["expires"] > 0 else ""
    domain = f"; Domain={cookie['domain']}" if cookie["domain"].startswith(".") else ""
    return f"{cookie['name']}={cookie['value']}; Path={cookie['path']}{domain}{age}" + ("; Secure" if cookie["secure"] else "")
