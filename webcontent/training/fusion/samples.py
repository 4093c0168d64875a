"""The pages that the default extractor is trained on: block features, labels and what class names say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webcontent.document.features import (
    FEATURES,
    VERSION,
    BlockGroups,
    ClassNameTokens,
    FeatureContext,
    block_groups,
    class_name_tokens,
    features,
)
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import checksum
from webcontent.items import Page
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.samples import PageSample, cached_samples, iter_pages, page_fields
from webcontent.training.common.settings import corpus_name
from webcontent.training.fusion.settings import WEIGHTS

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.training.fusion.settings import Settings


@dataclass(slots=True, kw_only=True)
class FusionSample(PageSample):
    """A page with the features of its blocks and its gold."""

    texts: list[str]
    x: NDArray[np.float32]
    """[blocks, FEATURES]"""
    groups: BlockGroups | None
    """None: a page without text."""
    names: ClassNameTokens | None
    match: GoldMatch | None
    """None: the page has no gold body."""
    snippets: tuple[list[str], list[str]]
    """Texts that must be in the body, and texts that must not."""

    def __len__(self) -> int:
        return len(self.texts)


def read_samples(settings: Settings, cache: Path) -> list[FusionSample]:
    """The samples of all corpora of the settings, from the cache where they were read before with the same features."""
    limits = {**settings.corpora, **dict.fromkeys(settings.evaluated_only, next(iter(settings.corpora.values())))}
    return [sample for name, limit in limits.items() for sample in read_corpus(name, cache, limit, only_body=name in settings.corpora)]


def read_corpus(name: str, cache: Path, limit: int | None = None, *, only_body: bool = True) -> list[FusionSample]:
    """The samples of one corpus. `only_body`: only pages with a gold body."""
    version = [name, limit, only_body, FEATURES, VERSION, ClassNameTokens.__slots__]
    if name not in WEIGHTS and only_body:
        version.append(checksum(name))  # a user's own pages may change

    def read() -> list[FusionSample]:
        return [_sample(name, record) for record in iter_pages(name, limit) if not only_body or record["gold"].get("body") is not None]

    return cached_samples(cache / corpus_name(name), version, read)


def _sample(corpus: str, record: Record) -> FusionSample:
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]
    context = FeatureContext(document) if len(blocks) else None
    return FusionSample(
        **page_fields(corpus, record),
        texts=blocks.texts,
        x=features(document, context),
        groups=block_groups(context) if context else None,
        names=class_name_tokens(context) if context else None,
        match=GoldMatch(blocks.texts, gold["body"]) if gold.get("body") is not None else None,
        snippets=(gold.get("with") or [], gold.get("without") or []),
    )
