"""How a page became its item: the result and the duration of each stage, by each extractor that is asked for.

`html` draws an inspection; `text` prints it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from webcontent.extraction import Extraction, PageContext
from webcontent.inspect.places import NOISE, Places, block_labels, field_places
from webcontent.models import ModelError
from webcontent.pagetype.layout_raster import WIDTH_PX
from webcontent.pipeline import assemble_item, check_options, classify, extract, extractor_name, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.document.parsing import Document
    from webcontent.inspect.places import Place
    from webcontent.items import Article, Listing, Page, PageType
    from webcontent.pipeline import Options

MS_PER_SECOND = 1000


@dataclass(frozen=True, slots=True)
class ExtractorResult:
    name: str
    extraction: Extraction
    item: Article | Listing
    labels: tuple[str, ...]
    """One of `places.SHOWN` per block."""
    places: dict[str, Place]
    """Where the page shows each field."""
    stages: dict[str, float]
    """Milliseconds for the extraction and for the fields."""
    error: str = ""
    """What the extractor raised, if it failed. The item is then made without it."""

    def block_score(self, block: int) -> float | None:
        """The extractor's probability of `body` for a block; None if it gives none."""
        scores = self.extraction.scores
        return float(scores[block]) if scores is not None and len(scores) > block else None

    def is_plain_noise(self, block: int) -> bool:
        """Whether a block is noise beyond doubt, with a score that is shown as 0.00."""
        score = self.block_score(block)
        return self.labels[block] == NOISE and score is not None and f"{score:.2f}" == "0.00"


@dataclass(frozen=True)
class Inspection:
    document: Document
    places: Places
    page_type: PageType
    results: tuple[ExtractorResult, ...]
    """The first is that of the page's own extractor: the item that a crawl gives. The others are for comparison."""
    stages: dict[str, float]
    """Milliseconds by stage, in the order of the stages. Opening the models is not included."""
    width_px: int

    @property
    def result(self) -> ExtractorResult:
        """The result of the page's own extractor."""
        return self.results[0]


@contextmanager
def _timer(stages: dict[str, float], stage: str) -> Iterator[None]:
    start = perf_counter()
    yield
    stages[stage] = (perf_counter() - start) * MS_PER_SECOND


def inspect_page(page: Page, options: Options, compare: Sequence[str] = (), *, width_px: int = WIDTH_PX) -> Inspection:
    """Runs a page through the pipeline and keeps the result of each stage; blocking.

    `compare`: names of further extractors. `width_px`: width of the screenshot in CSS px. Raises ModelError for missing or damaged
    models and ValueError for unknown extractors, never on page content.
    """
    stages: dict[str, float] = {}
    check_options(options, compare)
    with _timer(stages, "reading"):
        document = read(page, options)
    with _timer(stages, "blocks"):
        _ = document.blocks  # computed on first use
    with _timer(stages, "page type"):
        page_type = classify(document, options)
    context, places = PageContext(page_type=page_type, models=options.models), Places(document)
    names = dict.fromkeys((extractor_name(page, context, options), *compare))
    results = tuple(_run_extractor(document, places, context, replace(options, extractor=name)) for name in names)
    return Inspection(document, places, page_type, results, stages | results[0].stages, width_px)


def _run_extractor(document: Document, places: Places, context: PageContext, options: Options) -> ExtractorResult:
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
        item = assemble_item(document, context, extraction, options)
    shown = field_places(places, item)
    labels = block_labels(extraction, len(document.blocks), shown)
    return ExtractorResult(name, extraction, item, labels, shown, stages, error)
