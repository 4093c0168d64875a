"""The item of one page among many: the same as `webcontent.extract`, and no page ends the run."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webcontent.document.parsing import Document
from webcontent.extractors import DEFAULT, load_extractor
from webcontent.fields.assembly import assemble
from webcontent.items import Article, Page
from webcontent.models import ModelError
from webcontent.pagetype import classify_document, load_models

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webcontent.items import Listing

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the pages of a run are read. The defaults are those of `webcontent.extract`."""

    extractor: str | None = None
    """A name: all pages go to that extractor, whatever their type."""
    routes: Mapping[str, str] = field(default_factory=dict)
    """Type of page -> name of the extractor."""
    extractors: Mapping[str, str] = field(default_factory=dict)
    """A user's own extractors: name -> dotted path."""
    page_type_model: str | None = None
    """Name, or path of the folder, of another page type model."""
    models: str | None = None
    """Folder of own models."""
    max_bytes: int = 10_000_000
    """A longer page is cut here and flagged `truncated`."""
    evidence: bool = False
    """Whether items carry all candidates of each field."""


def check_options(options: Options) -> None:
    """Raises ModelError for models that are missing or damaged, ValueError for extractors that nobody knows."""
    load_models(options.page_type_model)
    for name in {options.extractor or DEFAULT, *options.routes.values()}:
        load_extractor(name, dict(options.extractors))(Document.from_page(Page(html="<p>A page to try the models on.")))


def make_item(page: Page, options: Options) -> Article | Listing:
    """The item of a page; a page on which a stage fails gives one with the flag `empty` and score 0, and a line in the log."""
    if len(page.html) > options.max_bytes:
        page.html = page.html[: options.max_bytes]
        page.flags.append("truncated")
    try:
        item = _extract(page, options)
    except ModelError:
        raise
    except Exception as error:  # the border where a page may not stop a run
        logger.exception("%s was not extracted: %s", page.url, type(error).__name__)
        return failed_item(page)
    if not options.evidence:
        item.evidence = {}
    return item


def failed_item(page: Page) -> Article:
    """What is left of a page that could not be read: its address and flags."""
    return Article(url=page.url, flags=sorted({*page.flags, "empty"}), fetched_at=page.fetched_at)


def _extract(page: Page, options: Options) -> Article | Listing:
    document = Document.from_page(page)
    document.page_type = page_type = classify_document(document, model=options.page_type_model)
    name = options.extractor or options.routes.get(page_type.type, DEFAULT)
    extractor = load_extractor(name, dict(options.extractors))
    return assemble(document, page_type, extractor(document), name)
