"""The labelled pages that trainers learn from: their common fields, their folds, and the cache of what was read."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tqdm import tqdm

from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.folds import FOLDS, fold_of
from webcontent.training.common.settings import checksum_of, corpus_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from webcontent.evaluation.corpora import Record


@dataclass(slots=True, kw_only=True)
class PageSample:
    """A labelled page, read once. Each trainer adds the features and labels of its own model."""

    id: str
    corpus: str
    site: str
    """Registered domain of the page, or another group of pages that stays in one fold."""
    language: str = ""
    kind: str = ""
    """Kind of the page where the corpus states it, else ""."""
    url: str = ""

    def fold(self, folds: int = FOLDS) -> int:
        """The number of the page's fold."""
        return fold_of(self.site, folds)


Sample = TypeVar("Sample")


def page_fields(corpus: str, record: Record) -> dict[str, Any]:
    """The fields of PageSample of a page of a corpus."""
    return {
        "id": record["id"],
        "corpus": corpus,
        "site": record["site"],
        "language": record.get("lang") or "",
        "kind": record.get("type") or "",
        "url": record["url"],
    }


def iter_pages(corpus: str, limit: int | None = None) -> Iterator[Record]:
    """The pages of a corpus with a progress bar; `limit`: the maximum number, spread evenly."""
    yield from progress(load_corpus(corpus, limit=limit), corpus)


def progress(pages: Iterable[Any], name: str) -> Iterator[Any]:
    """Pages with a progress bar."""
    yield from tqdm(pages, desc=corpus_name(name), unit="page", mininterval=5, disable=None)


def cached_samples(path: Path, version: object, read: Callable[[], Iterable[Sample]]) -> list[Sample]:
    """Samples from a file in the cache; where it is missing, they are read and stored first.

    `path`: the file without its ending. `version`: all that the samples depend on; its checksum becomes part of the file's name.
    """
    file = path.with_name(f"{path.name}-{checksum_of(version)}.pickle")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(list(read()), pickle.HIGHEST_PROTOCOL))
    samples: list[Sample] = pickle.loads(file.read_bytes())  # noqa: S301  (a file that this function wrote)
    return samples
