"""A page's life without Scrapy: `extract`, `extract_many` and `classify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.extractors import load_extractor
from webcontent.history.store import SiteHistory
from webcontent.items import Page
from webcontent.pipeline import Options, page_item, read
from webcontent.pipeline import classify as classify_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webcontent.extraction import Extraction, Extractor
    from webcontent.items import Article, Listing, PageType


def extract(
    html: str | bytes,
    *,
    url: str | None = None,
    extractor: str | Extractor | Callable[..., Extraction] | None = None,
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
    return page_item(page, _options(extractor, language))


def extract_many(
    pages: Iterable[Page],
    *,
    extractor: str | Extractor | Callable[..., Extraction] | None = None,
    language: str | None = None,
    history: SiteHistory | None = None,
) -> Iterator[Article | Listing]:
    """The items of many pages, in their order, one at a time: what earlier pages show of a site helps with its later ones.

    A site's pages may come in any order and between those of other sites; a page without `url` belongs to none. `history`: what was
    learned before (`webcontent.SiteHistory.load`), added to; None: nothing. `extractor` and `language` as for `extract`; the same errors,
    raised when the page is asked for.
    """
    options, known = _options(extractor, language), SiteHistory() if history is None else history
    for page in pages:
        if not isinstance(page, Page):
            raise TypeError(f"pages holds a {type(page).__name__}; it takes Page objects")
        _check_page(page)
        yield page_item(page, options, known)


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
    options = Options()
    return classify_page(read(page, options), options)


def _options(extractor: str | Extractor | Callable[..., Extraction] | None, language: str | None) -> Options:
    """The options of a call. Raises ValueError for the name of an extractor that nobody knows."""
    if isinstance(extractor, str):
        load_extractor(extractor)
    return Options(extractor=extractor, language=language, evidence=True)


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
