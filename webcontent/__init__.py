"""webcontent extracts clean, typed items from web pages. See README.md."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webcontent.api import classify, extract, extract_many
    from webcontent.crawl.addon import Addon
    from webcontent.history.host import SiteHistory
    from webcontent.items import Article, Audio, Candidate, Entry, Image, Link, Listing, Page, PageType, Video
    from webcontent.models import ModelError, ModelRegistry
    from webcontent.site_files import SiteFiles

__version__ = "0.1.0"

_HOMES = {
    "Addon": "crawl.addon",
    "ModelError": "models",
    "ModelRegistry": "models",
    "SiteFiles": "site_files",
    "SiteHistory": "history.host",
    **dict.fromkeys(("classify", "extract", "extract_many"), "api"),
}
"""Where names are defined that are not in `items`."""

__all__ = [
    "Addon",
    "Article",
    "Audio",
    "Candidate",
    "Entry",
    "Image",
    "Link",
    "Listing",
    "ModelError",
    "ModelRegistry",
    "Page",
    "PageType",
    "SiteFiles",
    "SiteHistory",
    "Video",
    "classify",
    "extract",
    "extract_many",
]


if not TYPE_CHECKING:  # a type checker that sees it accepts any name, also a misspelled one

    def __getattr__(name: str) -> Any:
        """Loads public names on first use, so that importing the package imports neither Scrapy nor onnxruntime."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'items')}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
