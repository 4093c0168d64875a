"""Small pages for the tests of fields."""

from __future__ import annotations

from webcontent.document.parsing import Document
from webcontent.extraction import Extraction, PageContext
from webcontent.fields.assembly import assemble
from webcontent.fields.page_signals import PageSignals
from webcontent.fields.titles import find_titles
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


def clues_of(html: str, *, url: str = URL, fetched_at: str | None = FETCHED, titled: bool = True) -> PageSignals:
    """The signals of a page; `titled`: its title is found first, as in an extraction."""
    signals = PageSignals(Document.from_page(Page(url=url, html=html, fetched_at=fetched_at)))
    if titled:
        find_titles(signals)
    return signals


def article_of(html: str, *, url: str = URL, fetched_at: str | None = FETCHED) -> Article:
    """The item that the fields alone make of an article page."""
    context = PageContext(page_type=PageType("article", "article", 0.9))
    item = assemble(Document.from_page(Page(url=url, html=html, fetched_at=fetched_at)), context, Extraction(), "none")
    assert isinstance(item, Article)
    return item


def listing_of(html: str, *, url: str = URL, fetched_at: str | None = FETCHED) -> Listing:
    """The item that the fields alone make of a list page."""
    context = PageContext(page_type=PageType("list", "listing", 0.9))
    item = assemble(Document.from_page(Page(url=url, html=html, fetched_at=fetched_at)), context, Extraction(), "none")
    assert isinstance(item, Listing)
    return item
