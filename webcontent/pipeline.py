"""The page pipeline: bytes -> Document -> page type -> extractor -> Extraction -> Article | Listing.

All entry points use it: `extract`, crawls, `scrapy inspect`, `--check`, archives, scrapy-poet. `page_item` runs all steps. A crawl calls
the steps one by one, because it may wait for other pages between them.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from webcontent.addresses import page_address
from webcontent.document.parsing import Document
from webcontent.extraction import Extraction, PageContext, WrongExtractorError, name_of, run_extractor
from webcontent.extractors import DEFAULT, load_extractor
from webcontent.fields.assembly import assemble
from webcontent.items import BAD_ADDRESS, LIST, TYPES, Article, Listing, Page, PageType
from webcontent.models import SHIPPED, ModelError, ModelRegistry
from webcontent.pagetype.classify import classify_document, load_models
from webcontent.printable import on_terminal
from webcontent.site_files import applying

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from webcontent.extraction import Extractor
    from webcontent.history.host import SiteHistory
    from webcontent.site_files import SiteFile, SiteFiles

P = ParamSpec("P")
T = TypeVar("T")
logger = logging.getLogger(__name__)

MAX_BYTES = 10_000_000
"""The default of `Options.max_bytes`."""
UNKNOWN = PageType(type="article", kind="article", score=0.0)
"""The type of a page whose classification failed."""
SAMPLE_HTML = "<title>Sample</title><h1>Sample</h1><p>A page that opens the models before the first real page arrives.</p>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How pages are read. Raises TypeError if `extractor` or `models` has a wrong type."""

    extractor: str | Extractor | Callable[..., Extraction] | None = None
    """A name or a callable for all pages; None to choose by `Page.meta["extractor"]` and `routes`."""
    routes: Mapping[str, str] = field(default_factory=dict)
    """Page type -> name of the extractor. `Page.meta["extractor"]` takes precedence."""
    extractors: Mapping[str, str] = field(default_factory=dict)
    """Your own extractors: name -> dotted path."""
    page_type_model: str | None = None
    """Name or folder of another page type model."""
    models: ModelRegistry = SHIPPED
    """The models to use. `ModelRegistry("folder")` adds your own."""
    max_bytes: int = MAX_BYTES
    """Bytes of a page. A longer page is cut and flagged `truncated`."""
    evidence: bool = False
    """Whether items keep all candidates of each field. `webcontent.extract` always keeps them."""
    language: str | None = None
    """Language of the pages in ISO 639-1, if it is known."""
    markdown: bool = False
    """Whether items have the field `markdown`. `to_markdown()` of an item works without it."""
    site_files: SiteFiles | None = None
    """What a person wrote about sites (docs/site-files.md)."""

    def __post_init__(self) -> None:
        if isinstance(self.extractor, type):
            name = self.extractor.__name__
            raise TypeError(f"extractor is the class {name}; it takes a name, a callable such as {name}(), or None")
        if not (self.extractor is None or isinstance(self.extractor, str) or callable(self.extractor)):
            raise TypeError(f"extractor is {type(self.extractor).__name__}; it takes a name, a callable or None")
        if not isinstance(self.models, ModelRegistry):
            raise TypeError(f"models is {self.models!r}; it takes a webcontent.ModelRegistry, as in ModelRegistry('folder')")

    def site_file(self, url: str | None) -> SiteFile | None:
        """The site file of an address."""
        return None if self.site_files is None else self.site_files.find(url)


class Failure(NamedTuple):
    """A step that raised on a page. The item is made without the result of that step."""

    stage: str
    """One of reading, pagetype, extraction, assembly, history, markdown."""
    error: Exception


def page_item(page: Page, options: Options, history: SiteHistory | None = None) -> Article | Listing:
    """The item of a page; blocking.

    `history`: what earlier pages of each host showed; it is used and updated. A step that fails is logged, and the item is made without
    it. Raises ModelError for missing or damaged models and WrongExtractorError for a wrong extractor, never on page content.
    """
    failures: list[Failure] = []
    item = failed_item(page)
    if (document := attempt(failures, "reading", read, page, options)) is not None:
        page_type = attempt(failures, "pagetype", classify, document, options) or UNKNOWN
        host = history.find(page.url) if history is not None else None
        item = make_item(failures, document, PageContext(page_type=page_type, host=host, models=options.models), options)
    for stage, error in failures:
        logger.error("%s of %s failed: %s: %s", stage, item.url, type(error).__name__, on_terminal(str(error)), exc_info=error)
    return item


def read(page: Page, options: Options) -> Document:
    """The page, cut at `options.max_bytes`, decoded and parsed."""
    if len(page.html) > options.max_bytes:
        page = replace(page, html=page.html[: options.max_bytes], flags=[*page.flags, "truncated"])
    address = page_address(page.url, others=("file:",))  # a caller may name a file
    if address != page.url:
        page = replace(page, url=address, flags=page.flags if address else [*page.flags, BAD_ADDRESS])
    return Document.from_page(page, language=options.language)


def classify(document: Document, options: Options) -> PageType:
    """The page's type, kind, score and flags."""
    page_type = classify_document(document, model=options.page_type_model, models=options.models)
    file = options.site_file(document.url)
    return page_type if file is None else applying.with_type(file, document, page_type)


def make_item(failures: list[Failure], document: Document, context: PageContext, options: Options) -> Article | Listing:
    """Extracts, assembles and learns: the item of a classified page. Steps that raise are appended to `failures`."""
    extraction = attempt(failures, "extraction", extract, document, context, options) or Extraction()
    item = attempt(failures, "assembly", assemble_item, document, context, extraction, options)
    if item is None:
        return failed_item(document.page, context.page_type or UNKNOWN)
    attempt(failures, "history", learn, document, context, extraction)
    if not options.evidence:
        item.evidence = {}
    if options.markdown:
        item.markdown = attempt(failures, "markdown", item.to_markdown)
    return item


def assemble_item(document: Document, context: PageContext, extraction: Extraction, options: Options) -> Article | Listing:
    """The item of an extraction, with what the site's file says."""
    name, file = extractor_name(document.page, context, options), options.site_file(document.url)
    if file is None:
        return assemble(document, context, extraction, name)
    if file.date_order is not None:
        context = replace(context, day_first=file.date_order == "dmy")
    extraction = applying.with_file(file, document, extraction, context.page_type or UNKNOWN)
    return applying.with_zone(file, assemble(document, context, extraction, name))


def extract(document: Document, context: PageContext, options: Options) -> Extraction:
    """The extraction by the extractor of the page, see `choose_extractor`. Raises ValueError for an unknown name."""
    return run_extractor(choose_extractor(document.page, context, options), document, context)


def choose_extractor(page: Page, context: PageContext, options: Options) -> Extractor | Callable[..., Extraction]:
    """The extractor of a page: that of the options, else that of the page's own route, of its site file, of its type.

    Raises ValueError for an unknown name.
    """
    chosen = _choice(page, context, options)
    return load_extractor(chosen, options.extractors) if isinstance(chosen, str) else chosen


def extractor_name(page: Page, context: PageContext, options: Options) -> str:
    """The name of a page's extractor."""
    chosen = _choice(page, context, options)
    return chosen if isinstance(chosen, str) else name_of(chosen)


def _choice(page: Page, context: PageContext, options: Options) -> str | Extractor | Callable[..., Extraction]:
    if options.extractor is not None:
        return options.extractor
    file = options.site_file(page.url)
    own = page.meta.get("extractor") or (file.options.get("extractor") if file is not None else None)
    return own or options.routes.get((context.page_type or UNKNOWN).type, DEFAULT)


def learn(document: Document, context: PageContext, extraction: Extraction) -> None:
    """Adds the page to the history of its host. List pages are not learned."""
    probabilities = extraction.body_probabilities()
    if context.host is not None and not context.is_list and probabilities is not None and len(document.blocks):
        context.host.learn(document, probabilities, document.blocks.words.astype(np.float64))


def failed_item(page: Page, page_type: PageType = UNKNOWN) -> Article | Listing:
    """The item of a page that could not be read: its URL and flags, with the flag `empty` and score 0."""
    return (Listing if page_type.type == LIST else Article)(
        url=page_address(page.url, others=("file:",)),
        kind=page_type.kind,
        flags=sorted({*page.flags, *page_type.flags, "empty"}),
        page_type_score=page_type.score,
        fetched_at=page.fetched_at,
    )


def attempt(failures: list[Failure], stage: str, step: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T | None:
    """The result of a step; None if it raised, which is appended to `failures`. Errors that no page causes are raised."""
    try:
        return step(*arguments, **keywords)
    except (ModelError, WrongExtractorError):
        raise
    except Exception as error:  # one page must not stop a run
        failures.append(Failure(stage, error))
        return None


def check_options(options: Options, names: Iterable[str] = ()) -> None:
    """Opens all models that the options and the extractors `names` need, so that a run fails before its first page.

    Raises ModelError for missing or damaged models, ValueError for unknown extractors, WrongExtractorError for wrong ones.
    """
    load_models(options.page_type_model, models=options.models)
    document = read(Page(html=SAMPLE_HTML), options)
    page_type = classify(document, options)
    routes: set[Any] = {options.routes.get(name, DEFAULT) for name in TYPES} if options.extractor is None else {options.extractor}
    for extractor in dict.fromkeys((*routes, *names)):
        its_options, context = replace(options, extractor=extractor), PageContext(page_type=page_type, models=options.models)
        choose_extractor(document.page, context, its_options)  # make_item would only note an unknown name
        make_item([], document, context, its_options)
