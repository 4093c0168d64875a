"""Every key of `request.meta` and `Page.meta` that the package defines; those of Scrapy and of scrapy-playwright are not repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy import Request

PAGE = "webcontent"
"""Marks a request for a page. Its value is a dict of the options below, which override the settings for that page."""
RENDER_WISHES = "webcontent_render"
"""Asks the download handler to render. It lives only between RenderMiddleware and the handler."""
IS_SHELL = "webcontent_shell"
"""Stands on the second request for a page that came as an empty shell."""
VALIDATORS = "webcontent_validators"
"""The crawl state's record of a URL, on a request that carries If-None-Match or If-Modified-Since."""
IS_NEXT_PAGE = "webcontent_is_next_page"
"""Stands on a request for a next page of a list."""
SKIP_IF_GONE = "webcontent_skip_if_gone"
"""Stands on a request that is not sent to a URL that recently had no page."""
LEASE = "webcontent_lease"
"""Number of the lease of a shared request, of those of its process. It never enters the queue."""
SITE = "seeds_site"
"""The site (registered domain) that a request may not leave."""
DEPTH = "seeds_depth"
"""Links that were followed from the seed, next pages not counted."""
SEED = "seeds_seed"
"""Number of the seed in the list of seeds."""

# Options of a page: keys of the dict under PAGE in request.meta, and of Page.meta, which is a copy of it.

RENDER, SCREENSHOT, CAPTURE, OVERLAYS, SCROLL, EXPAND = "render", "screenshot", "capture", "overlays", "scroll", "expand"
"""Some of the settings that are options, too (see `config.SETTINGS`)."""
AUTO = "auto"
"""Value of RENDER and SCREENSHOT: where it is of use."""
FULL_SIZE = "full_size"
"""True: the screenshot is not scaled down."""
WAIT_FOR = "wait_for"
"""CSS selector of an element that the browser waits for before it reads the page."""
EXTRACTOR = "extractor"
"""Name of the page's extractor, whatever its type."""


def options_of(request: Request | None) -> dict[str, Any]:
    """The options of a request for a page; none of another request."""
    options = request.meta.get(PAGE) if request is not None else None
    return options if isinstance(options, dict) else {}
