"""Every key that the crawl's components write to `request.meta` and `Page.meta`, named once."""

# For users: marks a request for a page.
PAGE = "webcontent"
"""`request.meta`: a dict that overrides settings for this page: render, screenshot, full_size, extractor."""

# Rendering. These live only between the render middleware and the download handler.
MARK = "webcontent_render"
"""`request.meta`: tells the download handler to render."""
SHELL = "webcontent_shell"
"""`request.meta`: on the second request for a page whose HTML was an empty shell."""

# The incremental crawl.
VALIDATORS = "webcontent_validators"
"""`request.meta`: the crawl state's record of a URL whose request carries If-None-Match or If-Modified-Since."""
IS_NEXT_PAGE = "webcontent_is_next_page"
"""`request.meta`: whether the request is for a next page of a listing."""
SKIP_IF_GONE = "webcontent_skip_if_gone"
"""`request.meta`: the request is not sent to a URL that recently had no page."""

# The crawl by several processes.
LEASE = "webcontent_lease"
"""`request.meta`: id of the lease under which this process works on the request. It never enters the queue."""

# The seeds spider.
SITE = "seeds_site"
"""`request.meta`: the site (registered domain) that the request may not leave."""
DEPTH = "seeds_depth"
"""`request.meta`: links followed from the seed; next pages are not counted."""
SEED = "seeds_seed"
"""`request.meta`: number of the seed in the list of seeds."""
FALLBACKS = "seeds_fallbacks"
"""`request.meta` of a feed or sitemap: URLs to try next. If this one is a sitemap index, they are tried as well."""
FEEDS = "feeds"
"""`Page.meta` of a seed: the feeds that the page names. They are requested in later runs even when the page has not changed."""
