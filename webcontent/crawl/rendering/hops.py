"""Where the document of a page may move on to: redirects of the server, of scripts, and by meta refresh.

A hop within an origin stays in the browser, after robots.txt was asked. A hop to another origin becomes a redirect of Scrapy's, so
that all its middlewares are asked: allowed domains, the site of the seed, robots.txt, cookies, delays and the duplicates filter.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Headers, Response

from webcontent.addresses import DEFAULT_PORTS, REDIRECTS, is_public
from webcontent.crawl.discovery.urls import is_private

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

    from scrapy.crawler import Crawler

    from webcontent.crawl.private_hosts import PrivateHosts

_FOUND = 302


@dataclass(frozen=True, slots=True)
class Hop:
    """A redirect to another origin, which Scrapy decides about."""

    url: str
    """Of the document that redirects."""
    target: str
    status: int = _FOUND
    headers: Headers | None = None

    def response(self, request: Request) -> Response:
        headers = Headers(self.headers or {})
        headers["Location"] = self.target
        return Response(self.url, status=self.status, headers=headers, request=request, flags=["playwright"])


def redirect_in(event: dict[str, Any]) -> Hop | None:
    """The redirect that a paused response of a document is, whether it leaves its origin or not."""
    status = event.get("responseStatusCode")
    if status not in REDIRECTS:
        return None
    headers = Headers()
    for part in event.get("responseHeaders") or ():
        headers.appendlist(part["name"], part["value"])
    location = headers.get("Location")
    url = event["request"]["url"]
    try:
        return Hop(url, urljoin(url, location.decode("utf-8", "replace").strip()), status, headers) if location else None
    except ValueError:
        return None


def is_same_origin(one: str, other: str) -> bool:
    """Whether two URLs have scheme, host and port in common; False for one that is broken."""
    try:
        return _origin(one) == _origin(other)
    except ValueError:
        return False


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


async def obeys_robots(crawler: Crawler, request: Request, url: str) -> bool:
    """Whether robots.txt, as far as the crawl asks it, allows the page of a request to move on to a URL of the same origin."""
    middleware = crawler.get_downloader_middleware(RobotsTxtMiddleware)
    if middleware is None:
        return True
    meta = {key: request.meta[key] for key in ("dont_obey_robotstxt",) if key in request.meta}
    try:
        asked = middleware.process_request(Request(url, headers=request.headers, meta=meta))
        if isawaitable(asked):
            await asked
    except (IgnoreRequest, ValueError):
        return False
    return True


def has_gone_inside(request: Request, allowed: PrivateHosts, response: Response | None = None) -> bool:
    """Whether redirects have led a request into the local network, from the internet or from another host of that network.

    Without a response the host is judged by its name alone; with one, by the IP address that answered.
    """
    asked = request.meta.get("redirect_urls")
    if not asked:
        return False
    try:
        host = urlsplit(request.url).hostname or ""
        if host == urlsplit(asked[0]).hostname or allowed.allows(host):
            return False
    except ValueError:
        return True
    if response is None or _address_of(request, response) is None:
        return is_private(request.url)
    return _is_inside(request, response, allowed)


def answers_inside(request: Request, allowed: PrivateHosts, response: Response) -> bool:
    """Whether an address of the local network has answered in the name of a public host."""
    host = urlsplit(request.url).hostname or ""
    return not is_private(request.url) and not allowed.allows(host) and _is_inside(request, response, allowed)


def _is_inside(request: Request, response: Response, allowed: PrivateHosts) -> bool:
    address = _address_of(request, response)
    return address is not None and not is_public(address) and not allowed.has_address(str(address))


def _address_of(request: Request, response: Response) -> IPv4Address | IPv6Address | None:
    """The IP address that answered, if it is known: that of a request with a proxy is the proxy's."""
    return None if request.meta.get("proxy") else response.ip_address
