"""What an extractor is, what it gets and what it gives."""

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
    from webcontent.document.positions import VisualTree
    from webcontent.history.host import HostProfile
    from webcontent.items import Candidate, Entry, PageType
    from webcontent.models import ModelRegistry

LABELS = ("noise", "body", "title", "time", "source", "authors", "related")
"""The labels of blocks; a label is an index into this."""
NOISE, BODY, TITLE, TIME, SOURCE, AUTHORS, RELATED = range(len(LABELS))


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContext:
    """What is known of a page beyond its own bytes and boxes."""

    page_type: PageType | None = None
    """The result of page type classification; None: the page was not classified."""
    host: HostProfile | None = None
    """The site history of the page's host; None: there is none."""
    reference_pages: tuple[VisualTree, ...] = ()
    """Visual trees of other pages of the same site, the latest last, where the extractor needs them."""
    models: ModelRegistry = SHIPPED
    """Where models come from."""

    @property
    def is_list(self) -> bool:
        """Whether the page was classified as a list."""
        return self.page_type is not None and self.page_type.type == "list"


NO_CONTEXT = PageContext()
"""Of a page of which nothing else is known."""


@dataclass(slots=True, kw_only=True)
class Extraction:
    """The result of an extractor. What its method does not give stays empty; `fields` fills it in."""

    body: str = ""
    body_html: str = ""
    """Of a method without labels; where there are labels, it is made from them."""
    labels: NDArray[np.int8] | None = None
    """One of LABELS per block."""
    scores: NDArray[np.float32] | None = None
    """Probability of `body` per block."""
    page_scores: NDArray[np.float32] | None = None
    """The same from the page alone, where site history has changed `scores`."""
    fields: dict[str, list[Candidate]] = field(default_factory=dict)
    """Candidates of the fields that the method finds, best first."""
    entries: list[Entry] | None = None
    """Records of a list page; None: the method finds none and `fields` looks for them."""
    score: float = 0.0
    """Probability that the body's word F1 exceeds 0.9; 0 where the method gives none."""
    flags: set[str] = field(default_factory=set)

    def body_probabilities(self) -> NDArray[np.float32] | None:
        """Probability of `body` per block by the page alone; 0 or 1 of a method with labels only; None without either."""
        probabilities = self.page_scores if self.page_scores is not None else self.scores
        if probabilities is None and self.labels is not None:
            probabilities = (self.labels == BODY).astype("float32")
        return probabilities


class Extractor(Protocol):
    """A method that turns a document into an extraction."""

    name: str
    needs: frozenset[str]
    """Of boxes, screenshot, reference_page: what a crawl has to get for it."""

    def __call__(self, document: Document, context: PageContext = ...) -> Extraction: ...


def run_extractor(extractor: Extractor | Callable[..., Extraction], document: Document, context: PageContext) -> Extraction:
    """The extraction of a document. A user's extractor that takes the document alone gets no context."""
    return extractor(document, context) if _takes_context(extractor) else extractor(document)


def _takes_context(extractor: Callable[..., Any]) -> bool:
    """Whether a callable accepts a second positional argument. Its signature is read each time: 20 µs, and it need not be hashable."""
    try:
        inspect.signature(extractor).bind(None, None)
    except TypeError:
        return False
    return True
