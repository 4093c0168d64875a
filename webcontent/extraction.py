"""The interface of extractors: their input (`PageContext`) and their output (`Extraction`)."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from webcontent.models import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.history.host import HostProfile
    from webcontent.items import Candidate, Entry, PageType
    from webcontent.models import ModelRegistry

LABELS = ("noise", "body", "title", "time", "source", "authors", "related")
"""The labels of blocks. A label is an index into this tuple."""
NOISE, BODY, TITLE, TIME, SOURCE, AUTHORS, RELATED = range(len(LABELS))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """What is known about a page beyond its own bytes and boxes."""

    page_type: PageType | None = None
    """The result of page type classification; None if the page was not classified."""
    host: HostProfile | None = None
    """The site history of the page's host; None if there is none."""
    reference_pages: tuple[Any, ...] = ()
    """Other pages of the same site, the latest last, for extractors that need `reference_page`: trees of `extractors.ngfv.positions`."""
    models: ModelRegistry = SHIPPED
    """The models to use."""
    day_first: bool | None = None
    """Whether 3/4/2024 is in April; None: by the page's language and the host's country."""

    @property
    def is_list(self) -> bool:
        """Whether the page was classified as a list."""
        return self.page_type is not None and self.page_type.type == "list"


NO_CONTEXT = PageContext()
"""The context of a page about which nothing else is known."""


@dataclass(slots=True, kw_only=True)
class Extraction:
    """The result of an extractor. Fields that its method does not provide stay empty and are filled in by `webcontent.fields`."""

    body: str = ""
    """Plain text, one line per paragraph."""
    body_html: str = ""
    """HTML of the body, from methods without labels. If there are labels, it is made from them."""
    labels: NDArray[np.int8] | None = None
    """One of LABELS per block: int8 [blocks]."""
    scores: NDArray[np.float32] | None = None
    """Probability of `body` per block: float32 [blocks]."""
    page_scores: NDArray[np.float32] | None = None
    """The same from the page alone, if site history changed `scores`."""
    fields: dict[str, list[Candidate]] = field(default_factory=dict)
    """Name of a field -> its candidates, best first, for the fields that the method finds."""
    entries: list[Entry] | None = None
    """Records of a list page; None if the method does not look for them. `webcontent.fields` then does."""
    score: float | None = None
    """Probability that the body's word F1 exceeds 0.9; None where the method gives none."""
    dropped: NDArray[np.bool_] | None = None
    """Blocks that are not in the body, whatever belongs to it otherwise: bool [blocks]."""
    is_exact: bool = False
    """Whether the blocks labeled as body are the body, without further lines to add or to leave out."""
    flags: set[str] = field(default_factory=set)
    """Flags of the item, of `items.FLAGS`."""

    def body_probabilities(self) -> NDArray[np.float32] | None:
        """Probability of `body` per block from the page alone, float32 [blocks]: 0 or 1 if there are labels only, None without either."""
        probabilities = self.page_scores if self.page_scores is not None else self.scores
        if probabilities is None and self.labels is not None:
            probabilities = (self.labels == BODY).astype("float32")
        return probabilities


class Extractor(Protocol):
    """A method that turns a document into an extraction."""

    name: str
    """Name in settings and items."""
    needs: frozenset[str]
    """What a crawl has to provide: some of boxes, screenshot, reference_page."""

    def __call__(self, document: Document, context: PageContext = ...) -> Extraction: ...


class WrongExtractorError(TypeError):
    """An extractor can't be called, or returned something else than an Extraction. No page causes it."""


def run_extractor(extractor: Extractor | Callable[..., Extraction], document: Document, context: PageContext) -> Extraction:
    """The extraction of a document. The context is passed only to extractors that accept two arguments.

    Raises WrongExtractorError if the extractor returns anything but an Extraction.
    """
    extraction: object = extractor(document, context) if _takes_context(extractor) else extractor(document)
    if not isinstance(extraction, Extraction):
        message = f"The extractor {name_of(extractor)} returned {type(extraction).__name__}"
        raise WrongExtractorError(f"{message}; it must return a webcontent.extraction.Extraction.")
    return extraction


def name_of(extractor: Extractor | Callable[..., Extraction]) -> str:
    """The name that an extractor gives itself, else that of its class."""
    return getattr(extractor, "name", None) or type(extractor).__name__


def _takes_context(extractor: Callable[..., Any]) -> bool:
    """Whether a callable accepts a second positional argument. Not cached, because it takes 20 µs and callables may be unhashable."""
    try:
        inspect.signature(extractor).bind(None, None)
    except TypeError:
        return False
    return True
