"""Every key of `request.meta` and `Page.meta` that the package defines.

The documented keys of Scrapy (`proxy`, `redirect_urls`, `download_timeout` ...) and of scrapy-playwright (`playwright`,
`playwright_page_methods` ...) are not repeated here.
"""

from __future__ import annotations

# Keys of request.meta

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
"""Id of the lease of a shared request. It never enters the queue."""
SITE = "seeds_site"
"""The site (registered domain) that a request may not leave."""
DEPTH = "seeds_depth"
"""Links that were followed from the seed, next pages not counted."""
SEED = "seeds_seed"
"""Number of the seed in the list of seeds."""
FALLBACKS = "seeds_fallbacks"
"""On a request for a feed or sitemap: URLs to try next if this one gives neither."""

# Options of a page: keys of the dict under PAGE in request.meta, and of Page.meta, which is a copy of it. Those without a comment are
# settings, too (see `config.SETTINGS`).

RENDER = "render"
SCREENSHOT = "screenshot"
CAPTURE = "capture"
OVERLAYS = "overlays"
SCROLL = "scroll"
EXPAND = "expand"
AUTO = "auto"
"""Value of RENDER and SCREENSHOT: where it is of use."""
FULL_SIZE = "full_size"
"""True: the screenshot is not scaled down."""
EXTRACTOR = "extractor"
"""Name of the page's extractor, whatever its type."""
