"""webcontent extracts clean, typed items from web pages. See README.md."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webcontent.api import classify, extract, extract_many
    from webcontent.crawl.addon import Addon
    from webcontent.history.store import SiteHistory
    from webcontent.items import Article, Audio, Candidate, Entry, Image, Link, Listing, Page, PageType, Video
    from webcontent.models import ModelError, ModelRegistry

__version__ = "0.1.0"

_HOMES = {
    "Addon": "crawl.addon",
    "Article": "items",
    "Audio": "items",
    "Candidate": "items",
    "Entry": "items",
    "Image": "items",
    "Link": "items",
    "Listing": "items",
    "ModelError": "models",
    "ModelRegistry": "models",
    "Page": "items",
    "PageType": "items",
    "SiteHistory": "history.store",
    "Video": "items",
    "classify": "api",
    "extract": "api",
    "extract_many": "api",
}

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
    "SiteHistory",
    "Video",
    "classify",
    "extract",
    "extract_many",
]


if not TYPE_CHECKING:  # a type checker that sees it accepts any name, also a misspelled one

    def __getattr__(name: str) -> Any:
        """Loads public names on first use, so that importing the package imports neither Scrapy nor onnxruntime."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
