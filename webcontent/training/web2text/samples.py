"""The pages that Web2Text is trained on: features and labels of the leaves of the collapsed DOM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.parsing import Document
from webcontent.extractors.web2text.collapsed import Collapsed
from webcontent.extractors.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, EXTRA_FEATURES, features
from webcontent.items import Page
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.samples import PageSample, cached_samples, iter_pages, page_fields
from webcontent.training.web2text.settings import VERSION, WEIGHTS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.training.web2text.settings import Settings

CONTENT = 2 / 3
"""A leaf is main text when more than this share of its words is (section 4.1)."""


@dataclass(slots=True, kw_only=True)
class LeafSample(PageSample):
    """A page with the features and labels of its leaves."""

    part: str
    """train, valid or test, where the corpus has such a split."""
    x: NDArray[np.float16]
    edges: NDArray[np.float16]
    leaf_texts: list[str]
    leaf_words: NDArray[np.float32]
    shares: NDArray[np.float32]
    """Share of the words of each leaf that are main text."""
    block: NDArray[np.int64]
    """The block of the document that each leaf is a part of."""
    characters: NDArray[np.float64]
    texts: list[str]
    """Of the document's blocks."""
    match: GoldMatch
    gold: str

    @property
    def is_trained_on(self) -> bool:
        """Whether networks may be trained on the page."""
        return self.corpus in WEIGHTS and self.part != "test" and len(self.shares) > 0

    def words_of_blocks(self) -> NDArray[np.float64]:
        """Number of words of each block of the document."""
        return np.bincount(self.block, self.leaf_words, len(self.texts)).astype(np.float64)

    def shares_of_text(self, text: str) -> NDArray[np.float32]:
        """`leaf_shares` of another text than the gold body."""
        return leaf_shares(self.leaf_texts, self.block, text, len(self.texts))


def read_samples(settings: Settings, cache: Path) -> list[LeafSample]:
    """The samples of all corpora of the settings, from the cache where they were read before with the same features."""
    limit = next(iter(settings.corpora.values()))
    samples: list[LeafSample] = []
    for name in (*settings.corpora, *settings.evaluated_only):

        def read(name: str = name) -> list[LeafSample]:
            return [_sample(name, record) for record in iter_pages(name, limit) if record["gold"].get("body") is not None]

        samples += cached_samples(cache / name, [name, limit, BLOCK_FEATURES, EXTRA_FEATURES, EDGE_FEATURES, VERSION], read)
    return samples


def _sample(corpus: str, record: Record) -> LeafSample:
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]["body"]
    collapsed = Collapsed(blocks)
    x, edges = features(document, collapsed)
    return LeafSample(
        **page_fields(corpus, record),
        part=record.get("split", ""),
        x=x.astype(np.float16),
        edges=edges.astype(np.float16),
        leaf_texts=collapsed.texts,
        leaf_words=collapsed.leaf_sums["words"].astype(np.float32),
        shares=leaf_shares(collapsed.texts, collapsed.block, gold, len(blocks)),
        block=collapsed.block,
        characters=collapsed.leaf_sums["characters"],
        texts=blocks.texts,
        match=GoldMatch(blocks.texts, gold),
        gold=gold,
    )


def leaf_shares(leaves: list[str], block: NDArray[np.int64], text: str, blocks: int) -> NDArray[np.float32]:
    """Share of the words of each leaf that a text has in this order: by the longest common subsequence of page and text.

    A leaf without letters and digits has the share of its block. `block`: the block of each leaf; `blocks`: number of blocks.
    """
    match = GoldMatch(leaves, text)
    counts = match.counts.astype(np.float64)
    total = np.bincount(block, counts, blocks)
    common = np.bincount(block, counts * match.labels, blocks)
    shares: NDArray[np.float32] = np.where(counts > 0, match.labels, (common / np.maximum(1, total))[block]).astype(np.float32)
    return shares
