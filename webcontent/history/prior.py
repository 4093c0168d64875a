"""The page's own probabilities, changed by what the earlier pages of its host showed.

Boosted trees, which learned from pages with histories of random lengths (`webcontent.training.history`), give a change of the log-odds
of each block. A page of an unknown host keeps its probabilities bit by bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.fingerprints import PATH_KINDS
from webcontent.history.host import HISTORY_FEATURES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.history.host import HostProfile
    from webcontent.models import ModelRegistry

    Numbers = NDArray[np.floating[Any]]

MODEL = "history_v1"
SMALLEST_PROBABILITY = 1e-6
"""Keeps log-odds finite."""
_LOGIT, _PAGES, _TEXT_PAGES = (HISTORY_FEATURES.index(name) for name in ("logit", "pages", "text_pages"))
_DIFFERENCES = [HISTORY_FEATURES.index(f"{kind}_logit_difference") for kind in PATH_KINDS]


def with_history(
    host: HostProfile, document: Document, probabilities: NDArray[np.float32], words: Numbers, models: ModelRegistry
) -> NDArray[np.float32]:
    """The probabilities of the blocks to be main text, changed by the history of the host; the same array where nothing is known."""
    x = host.features(document, logits_of(probabilities), words.astype(np.float64))
    if x is None:
        return probabilities
    model = models.load(MODEL)
    return changed_probabilities(x, model.run(features=x)[0][:, 0], model.config["largest_change"])


def changed_probabilities(x: NDArray[np.float32], change: Numbers, largest: float) -> NDArray[np.float32]:
    """Probabilities after a change of the log-odds, which two limits bound.

    The change is at most `largest` after one page, and as much more with every doubling. It leads no further than to the priors of the
    block's paths; only a text of other pages may become noise whatever the priors of its paths. `x`: HISTORY_FEATURES of the blocks.
    """
    limit = largest * np.log2(1 + x[:, _PAGES].astype(np.float64))
    differences = x[:, _DIFFERENCES].astype(np.float64)
    lowest = np.where(x[:, _TEXT_PAGES] > 0, -limit, np.maximum(-limit, differences.min(axis=1)))
    highest = np.minimum(limit, differences.max(axis=1))
    logits = x[:, _LOGIT] + np.clip(change, np.minimum(0, lowest), np.maximum(0, highest))
    return (1 / (1 + np.exp(-logits))).astype(np.float32)


def logits_of(probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Log-odds of probabilities."""
    p = np.clip(probabilities.astype(np.float64), SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
    return np.log(p / (1 - p))
