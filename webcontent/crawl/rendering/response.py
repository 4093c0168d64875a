"""What comes of a page that is rendered: its response, or the reason why there is none."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from scrapy import http


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
