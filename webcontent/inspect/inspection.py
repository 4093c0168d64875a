"""How a page became its item: the result and the duration of each stage, by each extractor that is asked for.

`html` draws an inspection; `text` prints it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from webcontent.extraction import Extraction, PageContext
from webcontent.fields.assembly import assemble
from webcontent.inspect.labels import NOISE, block_labels
from webcontent.inspect.places import Places
from webcontent.inspect.visual_levels import reference_pages, visual_levels
from webcontent.models import ModelError
from webcontent.pagetype.layout_raster import WIDTH_PX
from webcontent.pipeline import check_options, classify, extract, extractor_name, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.document.parsing import Document
    from webcontent.inspect.places import TextBox
    from webcontent.inspect.visual_levels import VisualArea
    from webcontent.items import Article, Listing, Page, PageType
    from webcontent.pipeline import Options

MS_PER_SECOND = 1000
LEAST_SCORE = 0.005
"""Smaller scores are shown as 0.00."""


@dataclass(frozen=True, slots=True)
class ExtractorResult:
    """The result of one extractor for the page."""

    name: str
    extraction: Extraction
    item: Article | Listing
    labels: tuple[str, ...]
    """One of `labels.COLORS` per block."""
    extraction_ms: float
    fields_ms: float
    error: str = ""
    """What the extractor raised, if it failed. The item is then made without it."""

    def block_score(self, block: int) -> float | None:
        """The extractor's probability of `body` for a block; None if it gives none."""
        scores = self.extraction.scores
        return float(scores[block]) if scores is not None and len(scores) > block else None


@dataclass(frozen=True)
class Inspection:
    """The result of each stage for a page."""

    document: Document
    page_type: PageType
    results: tuple[ExtractorResult, ...]
    """The first is that of the page's own extractor: the item that a crawl gives. The others are for comparison."""
    stages: dict[str, float]
    """Milliseconds by stage, in the order of the stages. Opening the models is not included."""
    width_px: int
    """Width of the screenshot in CSS px."""

    @property
    def result(self) -> ExtractorResult:
        """The result of the page's own extractor."""
        return self.results[0]

    @property
    def item(self) -> Article | Listing:
        return self.result.item

    @property
    def labels(self) -> tuple[str, ...]:
        return self.result.labels

    def is_plain_noise(self, block: int) -> bool:
        """Whether a block is noise beyond doubt, with a score that is shown as 0.00."""
        score = self.result.block_score(block)
        return self.labels[block] == NOISE and score is not None and score < LEAST_SCORE

    def box_label(self, blocks: Sequence[int]) -> str:
        """The first label of these blocks that is not noise."""
        return next((self.labels[i] for i in blocks if self.labels[i] != NOISE), NOISE)

    @cached_property
    def places(self) -> Places:
        return Places(self.document)

    @cached_property
    def text_boxes(self) -> list[TextBox]:
        """The browser's boxes that hold text; empty without boxes."""
        return self.places.text_boxes()

    @cached_property
    def visual_levels(self) -> list[list[VisualArea]]:
        """The visual blocks level by level, the largest first; empty without boxes."""
        return visual_levels(self.places)


@contextmanager
def _timer(stages: dict[str, float], stage: str) -> Iterator[None]:
    start = perf_counter()
    yield
    stages[stage] = (perf_counter() - start) * MS_PER_SECOND


def inspect_page(
    page: Page, options: Options, compare: Sequence[str] = (), reference_page: Page | None = None, *, width_px: int = WIDTH_PX
) -> Inspection:
    """Runs a page through the pipeline and keeps the result of each stage; blocking.

    `compare`: names of further extractors. `reference_page`: another page of the same site, for extractors that compare two pages.
    `width_px`: width of the screenshot in CSS px. Raises ModelError for missing or damaged models and ValueError for unknown
    extractors, never on page content.
    """
    stages: dict[str, float] = {}
    check_options(options, compare)
    with _timer(stages, "reading"):
        document = read(page, options)
    with _timer(stages, "blocks"):
        _ = document.blocks  # computed on first use
    with _timer(stages, "page type"):
        page_type = classify(document, options)
    other = read(reference_page, options) if reference_page is not None else None
    context = PageContext(page_type=page_type, reference_pages=reference_pages(other), models=options.models)
    names = dict.fromkeys((extractor_name(page, context, options), *compare))
    results = tuple(_run_extractor(document, context, replace(options, extractor=name)) for name in names)
    stages |= {"extraction": results[0].extraction_ms, "fields": results[0].fields_ms}
    return Inspection(document, page_type, results, stages, width_px)


def _run_extractor(document: Document, context: PageContext, options: Options) -> ExtractorResult:
    name, error = str(options.extractor), ""
    stages: dict[str, float] = {}
    with _timer(stages, "extraction"):
        try:
            extraction = extract(document, context, options)
        except ModelError:
            raise
        except Exception as exception:  # the failure of an extractor is shown, so that a user can find its cause
            extraction, error = Extraction(), f"{type(exception).__name__}: {exception}"
    with _timer(stages, "fields"):
        item = assemble(document, context, extraction, name)
    return ExtractorResult(name, extraction, item, block_labels(document, extraction, item), stages["extraction"], stages["fields"], error)
