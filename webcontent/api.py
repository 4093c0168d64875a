"""A page's life without Scrapy: `extract`, `extract_many` and `classify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.document.garbage import without_collection
from webcontent.document.parsing import Document
from webcontent.extractors import DEFAULT, load_extractor
from webcontent.fields.assembly import assemble
from webcontent.history.host import SiteHistory
from webcontent.history.prior import learn
from webcontent.items import Page, PageType
from webcontent.pagetype import classify_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from webcontent.extractors import Extractor
    from webcontent.items import Article, Listing


def extract(
    html: str | bytes,
    *,
    url: str | None = None,
    extractor: str | Extractor | None = None,
    language: str | None = None,
    screenshot: bytes | None = None,
    boxes: list[list[Any]] | None = None,
    encoding: str | None = None,
    fetched_at: str | None = None,
) -> Article | Listing:
    """The item of a page: an Article (one main text) or a Listing (entries that lead on).

    `extractor`: a name of the table, a callable that takes a Document and gives an Extraction, or None = the default.
    `screenshot`: bytes of a WebP, JPEG or PNG; `boxes`: the browser's rows in the order of `document.boxes.COLUMNS`;
    `language`: ISO 639-1, when it is known; `fetched_at`: ISO 8601; relative times ("3小时前") are
    counted back from it, and not read without it.
    Never raises on page content: what can't be understood gives an item with flags and score 0. Raises TypeError or
    ValueError naming the argument for wrong calls, ModelError for missing or damaged models.
    """
    page = Page(url=url, html=html, screenshot=screenshot, boxes=boxes, encoding=encoding, fetched_at=fetched_at)
    _check_page(page)
    return extract_page(page, extractor=extractor, language=language)


def extract_many(
    pages: Iterable[Page],
    *,
    extractor: str | Extractor | None = None,
    language: str | None = None,
    sites: SiteHistory | None = None,
) -> Iterator[Article | Listing]:
    """The items of many pages, in their order, one at a time: what earlier pages show of a site helps with its later ones.

    A site's pages may come in any order and between those of other sites; a page without `url` belongs to none. `sites`: what was
    learned before (`webcontent.SiteHistory.load`), added to; None: nothing. `extractor` and `language` as for `extract`; the same errors,
    raised when the page is asked for.
    """
    known = SiteHistory() if sites is None else sites
    for page in pages:
        if not isinstance(page, Page):
            raise TypeError(f"pages holds a {type(page).__name__}; it takes Page objects")
        _check_page(page)
        yield extract_page(page, extractor=extractor, language=language, sites=known)


def classify(
    html: str | bytes | None = None,
    *,
    url: str | None = None,
    screenshot: bytes | None = None,
    boxes: list[list[Any]] | None = None,
) -> PageType:
    """Type, kind, score and flags of a page, from whatever is given of it; the same arguments and errors as `extract`."""
    if html is None and screenshot is None and boxes is None:
        raise TypeError("classify() needs html, screenshot or boxes")
    page = Page(url=url, html=b"" if html is None else html, screenshot=screenshot, boxes=boxes)
    _check_page(page)
    return classify_document(Document.from_page(page))


@without_collection()
def extract_page(
    page: Page,
    *,
    extractor: str | Extractor | None = None,
    routes: Mapping[str, str] | None = None,
    table: dict[str, str] | None = None,
    page_type: PageType | None = None,
    language: str | None = None,
    sites: SiteHistory | None = None,
) -> Article | Listing:
    """The item of a page that came in; blocking.

    `routes`: the extractor's name by page type; `table`: a user's additions to the table of extractors; `page_type`: what was
    found before; `sites`: what earlier pages showed of their sites, used and added to. The page's own route
    (`page.meta["extractor"]`) wins over `routes`, the argument `extractor` over both.
    """
    document = Document.from_page(page, language=language)
    document.site = sites.find(page.url) if sites is not None else None
    document.page_type = page_type = page_type or classify_document(document)
    chosen = extractor or page.meta.get("extractor") or (routes or {}).get(page_type.type, DEFAULT)
    method = load_extractor(chosen, table) if isinstance(chosen, str) else chosen
    extraction = method(document)
    item = assemble(document, page_type, extraction, getattr(method, "name", None) or type(method).__name__)
    learn(document, extraction, item)
    return item


def _check_page(page: Page) -> None:
    """The caller's mistakes, each named; the page's own are not errors."""
    kinds: dict[str, tuple[type, ...]] = {
        "html": (str, bytes, bytearray, memoryview),
        "url": (str, type(None)),
        "screenshot": (bytes, type(None)),
        "boxes": (list, tuple, type(None)),
        "encoding": (str, type(None)),
        "fetched_at": (str, type(None)),
    }
    for name, accepted in kinds.items():
        value = getattr(page, name)
        if not isinstance(value, accepted):
            names = " or ".join("None" if kind is type(None) else kind.__name__ for kind in accepted)
            raise TypeError(f"{name} is {type(value).__name__}; it takes {names}")
    if isinstance(page.html, (bytearray, memoryview)):
        page.html = bytes(page.html)
