"""What earlier pages of a site change of a page's answer, and what they learn from it.

Trees learned on pages with histories of drawn lengths (`training/sites.py`) say by how much the log-odds of each block change.
A page whose site is not known keeps its probabilities to the bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.history.host import PLACE_KINDS, SITE_FEATURES, location_key

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.history.host import HostProfile
    from webcontent.items import Article, Listing
    from webcontent.models import ModelRegistry

    Numbers = NDArray[np.floating[Any]]

MODEL = "sites_v1"
_LOGIT, _PAGES, _TEXT_PAGES = (SITE_FEATURES.index(name) for name in ("logit", "pages", "text_pages"))
_GAPS = [SITE_FEATURES.index(f"{kind}_gap") for kind in PLACE_KINDS]
LEARNED_FIELDS = ("time", "source")
TRUSTED = 0.5
"""A field of a higher score is remembered with its place."""


def with_history(
    host: HostProfile, document: Document, probabilities: NDArray[np.float32], words: Numbers, models: ModelRegistry
) -> NDArray[np.float32]:
    """The probabilities of the blocks to be main text, changed by what is known of the host; the same array where nothing is."""
    x = host.features(document, logits_of(probabilities), words.astype(np.float64))
    if x is None:
        return probabilities
    model = models.load(MODEL)
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


def field_locations(item: Article | Listing) -> dict[str, str | None]:
    """Where the best candidates of LEARNED_FIELDS are on the page, by field; None where there is none to trust."""
    locations: dict[str, str | None] = {}
    for name in LEARNED_FIELDS:
        best = next(iter(item.evidence.get(name, ())), None)
        locations[name] = location_key(best.origin, best.xpath) if best is not None and best.score >= TRUSTED else None
    return locations


def logits_of(probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Log-odds of probabilities."""
    p = np.clip(probabilities.astype(np.float64), 1e-6, 1 - 1e-6)
    result: NDArray[np.float64] = np.log(p / (1 - p))
    return result
