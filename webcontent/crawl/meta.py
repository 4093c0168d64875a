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

# Options of a page: keys of the dict under PAGE in request.meta, and of Page.meta, which is a copy of it

RENDER = "render"
"""As WEBCONTENT_RENDER."""
SCREENSHOT = "screenshot"
"""As WEBCONTENT_SCREENSHOT."""
CAPTURE = "capture"
"""As WEBCONTENT_CAPTURE."""
FULL_SIZE = "full_size"
"""True: the screenshot is not scaled down."""
OVERLAYS = "overlays"
"""As WEBCONTENT_OVERLAYS."""
SCROLL = "scroll"
"""As WEBCONTENT_SCROLL."""
SCROLL_ROUNDS = "scroll_rounds"
"""As WEBCONTENT_SCROLL_ROUNDS."""
EXPAND = "expand"
"""As WEBCONTENT_EXPAND."""
FRAMES = "frames"
"""As WEBCONTENT_FRAMES."""
READY_MS = "ready_ms"
"""As WEBCONTENT_READY_MS."""
BUDGET_MS = "budget_ms"
"""As WEBCONTENT_BUDGET_MS."""
LOCALE = "locale"
"""As WEBCONTENT_LOCALE."""
TIMEZONE = "timezone"
"""As WEBCONTENT_TIMEZONE."""
STORAGE_STATE = "storage_state"
"""As WEBCONTENT_STORAGE_STATE."""
IDENTITY = (LOCALE, TIMEZONE, STORAGE_STATE)
"""As whom a rendered page is visited."""
PREPARATION = (OVERLAYS, SCROLL, SCROLL_ROUNDS, EXPAND, FRAMES, READY_MS, BUDGET_MS)
"""The options of the preparation of a rendered page."""
EXTRACTOR = "extractor"
"""Name of the page's extractor, whatever its type."""

# Further keys of Page.meta

DOCUMENT = "document"
"""The parsed document. One pipeline leaves it to the next; pages are not serialised between pipelines."""
PAGE_TYPE = "page_type"
"""The page type. PageTypePipeline leaves it to ExtractionPipeline."""
FEEDS = "feeds"
"""Of a seed: the feeds that the page names. They are requested in later runs even if the page has not changed."""
