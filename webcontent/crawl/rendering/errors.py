"""Why a page could not be rendered, in the terms of Scrapy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.async_api import TimeoutError as PlaywrightTimeoutError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)

if TYPE_CHECKING:
    from playwright.async_api import Error as PlaywrightError
    from scrapy.http import Response

    from webcontent.crawl.rendering.filter.reach import ReachError

_ERRORS: tuple[tuple[str, type[Exception]], ...] = (
    ("ERR_NAME_NOT_RESOLVED", CannotResolveHostError),
    ("ERR_CONNECTION_REFUSED", DownloadConnectionRefusedError),
    ("TIMED_OUT", DownloadTimeoutError),
    ("net::ERR_", DownloadFailedError),
)
"""Parts of the browser's messages, and the exceptions of Scrapy that mean the same."""
_REASONS: dict[str, type[Exception]] = {
    "private": IgnoreRequest,
    "name": CannotResolveHostError,
    "refused": DownloadConnectionRefusedError,
    "timeout": DownloadTimeoutError,
}
"""The same for the reasons of our own proxy."""


class NotRenderedError(Exception):
    """The page could not be rendered. `reason` is the last part of the stat, `response` what the browser has of the page."""

    def __init__(self, reason: str, response: Response | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.response = response


class NoPageError(Exception):
    """The server sent no HTML page but a file, a feed or nothing at all. This is no failure."""


def scrapy_error(error: PlaywrightError, url: str, failure: ReachError | None) -> Exception:
    """The exception of Scrapy that means the same, so that the request is retried; NotRenderedError if there is none.

    `failure`: what our own proxy knows about it.
    """
    if failure is not None:
        return _REASONS.get(failure.reason, DownloadFailedError)(f"{url}: {failure}")
    if isinstance(error, PlaywrightTimeoutError):
        return DownloadTimeoutError(f"{url}: {error.message}")
    if "ERR_CERT_" in error.message:
        return NotRenderedError("certificate")
    for part, exception in _ERRORS:
        if part in error.message:
            return exception(f"{url}: {error.message}")
    return NotRenderedError("error")
