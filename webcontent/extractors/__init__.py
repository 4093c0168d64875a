"""What is what on a page: the protocol of extractors, what they give, and the table of their names."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.items import Candidate, Entry

LABELS = ("noise", "body", "title", "time", "source", "authors", "related")
"""What a block can be; a label is an index into this."""
NOISE, BODY, TITLE, TIME, SOURCE, AUTHORS, RELATED = range(len(LABELS))


@dataclass(slots=True, kw_only=True)
class Extraction:
    """What an extractor says of a document. What its method does not give stays empty; `fields` fills it in."""

    body: str = ""
    body_html: str = ""
    """Of a method without labels; where there are labels it is made of them."""
    labels: NDArray[np.int8] | None = None
    """One of LABELS a block."""
    scores: NDArray[np.float32] | None = None
    """Probability of `body` a block."""
    page_scores: NDArray[np.float32] | None = None
    """The same by the page alone, where earlier pages of its site have changed `scores`."""
    fields: dict[str, list[Candidate]] = field(default_factory=dict)
    """Candidates of the fields that the method knows, best first."""
    entries: list[Entry] | None = None
    """Records of a list page; None: the method finds none, `fields` looks for them."""
    score: float = 0.0
    """The extractor's own trust in the body, 0 to 1."""
    flags: set[str] = field(default_factory=set)


class Extractor(Protocol):
    """A method that turns a document into an extraction."""

    name: str
    needs: frozenset[str]
    """Of boxes, screenshot, companion: what a crawl has to get for it."""

    def __call__(self, document: Document) -> Extraction: ...


TABLE = {
    "awce": "webcontent.extractors.awce:Awce",
    "bpnn": "webcontent.extractors.bpnn:BpNetwork",
    "fusion": "webcontent.extractors.fusion:Fusion",
    "nemtf": "webcontent.extractors.nemtf:Nemtf",
    "ngfv": "webcontent.extractors.ngfv:Ngfv",
    "web2text": "webcontent.extractors.web2text:Web2Text",
}
"""Name -> dotted path of a class without arguments (module:Class); users add theirs with WEBCONTENT_EXTRACTORS."""
DEFAULT = "fusion"


def load_extractor(name: str, table: dict[str, str] | None = None) -> Extractor:
    """The extractor of that name, loaded on first use and shared.

    `table`: a user's additions. Raises ValueError naming the known ones.
    """
    paths = {**TABLE, **(table or {})}
    if name not in paths:
        known = ", ".join(sorted(paths))
        raise ValueError(f"No extractor is named {name!r}. There are: {known}. Add your own with WEBCONTENT_EXTRACTORS.")
    return _load(paths[name])


@cache
def _load(path: str) -> Extractor:
    module, _, name = path.replace(":", ".").rpartition(".")
    try:
        made = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"The extractor {path!r} can't be loaded: {error}.") from error
    return cast("Extractor", made() if isinstance(made, type) else made)
