"""Small pages for the tests of fields."""

from __future__ import annotations

import numpy as np

from webcontent.document.parsing import Document
from webcontent.extraction import Extraction, PageContext
from webcontent.fields.assembly import assemble
from webcontent.fields.page_signals import PageSignals
from webcontent.fields.titles import TitleAnchor, find_titles
from webcontent.items import Article, Listing, Page, PageType

URL = "https://news.example/story.html"
FETCHED = "2024-06-10T12:00:00+08:00"
ENGLISH = (
    "<p>The ferry across the sound was cancelled for a third day because the ice on the far shore would not give way to the old hull.</p>"
    * 3
)
CHINESE = (
    "<p>连日低温之后，海峡里的浮冰仍未散去，老渡轮第三天停航，两岸居民只得绕行六十公里外的公路桥，商贩的鱼获也因此积压在码头。</p>" * 3
)


def signals_of(html: str, *, url: str = URL, fetched_at: str | None = FETCHED, labels: list[int] | None = None) -> PageSignals:
    """The signals of a page; `labels`: of its blocks, where an extractor gave them."""
    extraction = None if labels is None else Extraction(labels=np.array(labels, np.int8))
    return PageSignals(Document.from_page(Page(url=url, html=html, fetched_at=fetched_at)), extraction)


def titled(html: str, *, url: str = URL, fetched_at: str | None = FETCHED) -> tuple[PageSignals, TitleAnchor]:
    """The signals of a page and the place of its title, as finders of other fields take them."""
    signals = signals_of(html, url=url, fetched_at=fetched_at)
    return signals, find_titles(signals)[1]


def article_of(html: str, *, url: str = URL, fetched_at: str | None = FETCHED, score: float = 0.9) -> Article:
    """The item that the fields alone make of an article page; `score`: of its type."""
    context = PageContext(page_type=PageType("article", "article", score))
    item = assemble(Document.from_page(Page(url=url, html=html, fetched_at=fetched_at)), context, Extraction(), "none")
    assert isinstance(item, Article)
    return item


def listing_of(html: str, *, url: str = URL, fetched_at: str | None = FETCHED, score: float = 0.9) -> Listing:
    """The item that the fields alone make of a list page; `score`: of its type."""
    context = PageContext(page_type=PageType("list", "listing", score))
    item = assemble(Document.from_page(Page(url=url, html=html, fetched_at=fetched_at)), context, Extraction(), "none")
    assert isinstance(item, Listing)
    return item
