"""The pages that the default extractor is trained on: block features, labels and what class names say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.features import (
    FEATURES,
    STORY_FEATURES,
    VERSION,
    BlockGroups,
    ClassNameTokens,
    FeatureContext,
    block_groups,
    class_name_tokens,
)
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import checksum
from webcontent.extractors.fusion import BLOCK, page_columns
from webcontent.items import Page
from webcontent.training.common.gold import gold_body
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.samples import PageSample, cached_samples, iter_pages, page_fields
from webcontent.training.common.settings import corpus_name
from webcontent.training.fusion.settings import WEIGHTS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.training.fusion.settings import Settings


@dataclass(slots=True, kw_only=True)
class FusionSample(PageSample):
    """A page with the features of its blocks and its gold."""

    texts: list[str]
    x: NDArray[np.float32]
    """[blocks, FEATURES and STORY_FEATURES]"""
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
    version = [name, limit, only_body, FEATURES, STORY_FEATURES, VERSION, ClassNameTokens.__slots__]
    if name not in WEIGHTS and only_body:
        version.append(checksum(name))  # a user's own pages may change

    def read() -> list[FusionSample]:
        samples = (read_sample(name, record) for record in iter_pages(name, limit))
        return [sample for sample in samples if sample.match is not None or not only_body]

    return cached_samples(cache / corpus_name(name), version, read)


def read_sample(corpus: str, record: Record) -> FusionSample:
    """The sample of a page."""
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]
    context = FeatureContext(document) if len(blocks) else None
    body = gold_body(corpus, record, blocks.texts, context.link_share.tolist() if context else ())
    return FusionSample(
        **page_fields(corpus, record),
        texts=blocks.texts,
        x=page_columns(document, context) if context else np.zeros((0, BLOCK), np.float32),
        groups=block_groups(context) if context else None,
        names=class_name_tokens(context) if context else None,
        match=GoldMatch(blocks.texts, body) if body is not None else None,
        snippets=(gold.get("with") or [], gold.get("without") or []),
    )
