"""The functions for use without Scrapy: `extract`, `extract_many` and `classify`."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from webcontent.document.encoding import text_encoding
from webcontent.extractors import load_extractor
from webcontent.fields.language import code_of
from webcontent.history.host import SiteHistory
from webcontent.items import Page
from webcontent.pipeline import Options, page_item, read
from webcontent.pipeline import classify as classify_page
from webcontent.site_files import SiteFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webcontent.extraction import Extraction, Extractor
    from webcontent.items import Article, Listing, PageType

_SCHEME = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*:")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
_NAME = re.compile(r"https?://[^\s<]{1,2000}|[^\s<>]{1,400}\.(?:html?|xhtml|mhtml|aspx?|php)", re.IGNORECASE)
"""What nobody means as HTML: an address, or the name of a file."""


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
    site_files: SiteFiles | None = None,
) -> Article | Listing:
    """The item of a page: an Article (one main text) or a Listing (entries that lead to other pages).

    `url`: absolute URL of the page; without it, relative links stay relative. `extractor`: the name of an extractor, or a callable that
    takes a Document and returns an Extraction; None to choose by page type. `language`: ISO 639-1, if it is known. `screenshot`: a WebP,
    JPEG or PNG file. `boxes`: the boxes that the browser drew, with the columns of `document.boxes.COLUMNS`. `encoding`: of bytes, if it
    is known, such as "gbk". `fetched_at`: ISO 8601; without it, relative times ("3 hours ago") are not read.
    `site_files`: what you wrote about sites, as in `webcontent.SiteFiles("sites")`.

    Page content never raises: a page that can't be read gives an item with flags and score 0. Raises TypeError or ValueError for wrong
    arguments, ModelError for missing or damaged models. Warns if `html` is an address or a file name.
    """
    page = Page(url=url, html=html, screenshot=screenshot, boxes=boxes, encoding=encoding, fetched_at=fetched_at)
    _check_values(page)
    if isinstance(html, str) and _NAME.fullmatch(html):
        warnings.warn(f"html is {html!r}, which looks like an address or a file name; extract() takes the page itself.", stacklevel=2)
    return page_item(_checked(page), _options(extractor, language, site_files))


def extract_many(
    pages: Iterable[Page],
    *,
    extractor: str | Extractor | Callable[..., Extraction] | None = None,
    language: str | None = None,
    history: SiteHistory | None = None,
    site_files: SiteFiles | None = None,
) -> Iterator[Article | Listing]:
    """The items of many pages, in order, one at a time. Earlier pages of a site improve the items of its later pages.

    The pages of several sites may be mixed in any order. Pages without `url` are read without history. `history`: what earlier runs
    learned; it is updated. None starts with an empty history. The other arguments are as for `extract`.
    Raises TypeError for a page with a value of a wrong type, when it is reached; a URL, encoding or time that can't be read is ignored,
    so that one bad record of a large archive ends no run.
    """
    options = _options(extractor, language, site_files)
    history = SiteHistory() if history is None else history
    for page in pages:
        if not isinstance(page, Page):
            raise TypeError(f"pages contains {page!r:.60}; it takes Page objects, such as Page(url=..., html=...)")
        yield page_item(_checked(page), options, history)


def classify(
    html: str | bytes | None = None, *, url: str | None = None, screenshot: bytes | None = None, boxes: list[list[Any]] | None = None
) -> PageType:
    """The type, kind, score and flags of a page. At least one of `html`, `screenshot` and `boxes` is needed.

    The arguments and errors are those of `extract`.
    """
    if html is None and screenshot is None and boxes is None:
        raise TypeError("classify() needs html, screenshot or boxes")
    page = Page(url=url, html=b"" if html is None else html, screenshot=screenshot, boxes=boxes)
    _check_values(page)
    return classify_page(read(_checked(page), Options()), Options())


def _options(extractor: str | Extractor | Callable[..., Extraction] | None, language: str | None, site_files: SiteFiles | None) -> Options:
    """The options of a call. Raises TypeError or ValueError for an unknown extractor or language."""
    if isinstance(extractor, str):
        load_extractor(extractor)
    if language is not None:
        _check_type("language", language, str, type(None))
        code = code_of(language) if _LANGUAGE.fullmatch(language) else None
        if code is None:
            raise ValueError(f"language is {language!r:.60}; it takes a code of ISO 639-1 such as 'en', or None")
        language = code
    _check_type("site_files", site_files, SiteFiles, type(None))
    return Options(extractor=extractor, language=language, evidence=True, site_files=site_files)


def _checked(page: Page) -> Page:
    """The page with its HTML as text or bytes. Raises TypeError for an argument of a wrong type."""
    if isinstance(page.html, Page):
        raise TypeError("html is a Page; extract_many() takes Page objects, extract() their HTML")
    _check_type("html", page.html, str, bytes, bytearray, memoryview)
    for name in ("url", "encoding", "fetched_at"):
        _check_type(name, getattr(page, name), str, type(None))
    _check_type("screenshot", page.screenshot, bytes, type(None))
    _check_type("boxes", page.boxes, list, tuple, type(None))
    return replace(page, html=bytes(page.html)) if isinstance(page.html, (bytearray, memoryview)) else page


def _check_type(name: str, value: Any, *accepted: type) -> None:
    if not isinstance(value, accepted):
        names = " or ".join("None" if one is type(None) else one.__name__ for one in accepted)
        raise TypeError(f"{name} is {type(value).__name__}; it takes {names}")


def _check_values(page: Page) -> None:
    """Raises ValueError for a URL without a scheme, an encoding or a time that can't be read. Wrong types are left to `_checked`.

    Pages and lists of links may lead to any address, so one with a scheme that is no page's costs only the field `url`.
    """
    if isinstance(page.url, str) and not _SCHEME.match(page.url):
        raise ValueError(f"url is {page.url!r:.200}; it takes an absolute URL such as 'https://example.org/news/1.html', or None")
    if isinstance(page.encoding, str) and text_encoding(page.encoding) is None:
        raise ValueError(f"encoding is {page.encoding!r:.60}; it takes the name of an encoding such as 'utf-8' or 'gbk', or None")
    if isinstance(page.fetched_at, str):
        try:
            datetime.fromisoformat(page.fetched_at)
        except ValueError:
            takes = "it takes a time in ISO 8601 such as '2024-03-05T14:22:08+08:00', or None"
            raise ValueError(f"fetched_at is {page.fetched_at!r:.60}; {takes}") from None
