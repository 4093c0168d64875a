"""What earlier pages of a site change of a page's answer, and what they learn from it.

Trees learned on pages with histories of drawn lengths (`training/sites.py`) say by how much the log-odds of each block change.
A page whose site is not known keeps its probabilities to the bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.extractors import BODY
from webcontent.history.host import PLACE_KINDS, SITE_FEATURES, location_key
from webcontent.models import load_model

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.extractors import Extraction
    from webcontent.items import Article, Listing

    Numbers = NDArray[np.floating[Any]]

MODEL = "sites_v1"
_LOGIT, _PAGES, _TEXT_PAGES = (SITE_FEATURES.index(name) for name in ("logit", "pages", "text_pages"))
_GAPS = [SITE_FEATURES.index(f"{kind}_gap") for kind in PLACE_KINDS]
LEARNED_FIELDS = ("time", "source")
TRUSTED = 0.5
"""A field of a higher score is remembered with its place."""


def with_memory(document: Document, probabilities: NDArray[np.float32], words: Numbers) -> NDArray[np.float32]:
    """The probabilities of the blocks to be main text, with what is known of the site; the same array where nothing is."""
    if document.site is None:
        return probabilities
    logits = logits_of(probabilities)
    x = document.site.features(document, logits, words.astype(np.float64))
    if x is None:
        return probabilities
    model = load_model(MODEL)
    return changed(x, model.run(features=x)[0][:, 0], model.config["largest_change"])


def changed(x: NDArray[np.float32], change: Numbers, largest: float) -> NDArray[np.float32]:
    """Probabilities after a change of the log-odds, which has two limits.

    It is at most `largest` after one page, and as much more with every doubling. And it leads no further than to what was thought
    of the block's places, but for a text that stood on other pages: that may be taken for noise whatever is thought of its place.
    `x`: SITE_FEATURES of the blocks.
    """
    limit = largest * np.log2(1 + x[:, _PAGES].astype(np.float64))
    gaps = x[:, _GAPS].astype(np.float64)
    lowest = np.where(x[:, _TEXT_PAGES] > 0, -limit, np.maximum(-limit, gaps.min(axis=1)))
    highest = np.minimum(limit, gaps.max(axis=1))
    found = x[:, _LOGIT] + np.clip(change, np.minimum(0, lowest), np.maximum(0, highest))
    result: NDArray[np.float32] = (1 / (1 + np.exp(-found))).astype(np.float32)
    return result


def learn(document: Document, extraction: Extraction, item: Article | Listing) -> None:
    """Adds a page to what is known of its site; the page's answer is not changed."""
    if document.site is None or not len(document.blocks):
        return
    scores = extraction.page_scores if extraction.page_scores is not None else extraction.scores
    if scores is None and extraction.labels is not None:
        scores = (extraction.labels == BODY).astype(np.float32)
    if scores is None:
        return
    found = {}
    for name in LEARNED_FIELDS:
        best = next(iter(item.evidence.get(name, ())), None)
        found[name] = location_key(best.origin, best.xpath) if best is not None and best.score >= TRUSTED else None
    document.site.learn(document, scores, document.blocks.words.astype(np.float64), found)


def logits_of(probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Log-odds of probabilities."""
    p = np.clip(probabilities.astype(np.float64), 1e-6, 1 - 1e-6)
    result: NDArray[np.float64] = np.log(p / (1 - p))
    return result
