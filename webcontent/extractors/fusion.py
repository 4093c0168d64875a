"""The default: a learned block model for every kind of page and language.

Gradient-boosted trees give each block a probability of being main text. A second stage classifies again, with the probabilities that the
first stage gave to everything around the block. The result is the set of blocks with the highest expected F1. It is empty where an empty
body is more likely right (shells that scripts fill).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features.blocks import FEATURES, features
from webcontent.document.features.class_names import CLASS_NAME_FEATURES, class_name_features, class_name_tokens
from webcontent.document.features.context import FeatureContext
from webcontent.document.features.second_stage import SCORE_FEATURES, block_groups, score_features
from webcontent.document.features.stories import STORY_FEATURES, story_features
from webcontent.extraction import BODY, NO_CONTEXT, Extraction, PageContext
from webcontent.extractors.decoding import calibrated_probability, decode, extraction_of, page_features, without_copies
from webcontent.history.prior import with_history

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

    Numbers = NDArray[np.floating[Any]]

MODEL = "fusion_v1"
MAX_BLOCKS = 15_000
"""A page of more blocks is not worth the model's time: its running text is taken, by a rule of lengths and links."""
EMPTY = 0.5
"""The body is empty where the probability that this is right is higher."""
MIN_RECALL = 0.2
"""Share of the words chosen by the page alone that site history must leave; where it leaves less, the pages of the host are too much
alike to learn from."""
PAGE_SPREAD = 1.0
"""Standard deviation of what the log-odds of a page's blocks share, chosen by folds."""
RUNNING_TEXT_SCORE = 0.1
"""Score of a page of more than MAX_BLOCKS blocks."""
BLOCK = len(FEATURES) + len(STORY_FEATURES)
"""Columns that follow from the page alone."""
FIRST, ALL = BLOCK + len(CLASS_NAME_FEATURES), BLOCK + len(CLASS_NAME_FEATURES) + len(SCORE_FEATURES)
"""Columns of the first stage, and of both."""


class Fusion:
    """Main text by two stages of gradient-boosted trees over block features."""

    name = "fusion"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL) -> None:
        self.model_name = model

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        if not len(document.blocks):
            return _empty_extraction(document, np.zeros(0, np.float32), 1.0)
        feature_context = FeatureContext(document)
        if feature_context.count > MAX_BLOCKS:
            return _running_text(document, feature_context)
        model, words = context.models.load(self.model_name), feature_context.words
        alone = block_probabilities(document, feature_context, model)
        host = None if context.is_list else context.host
        informed = alone if host is None else with_history(host, document, alone, words, context.models)
        if informed is alone:
            return _choose(document, feature_context, alone, model)
        extraction = _choose(document, feature_context, informed, model)
        if words[extraction.labels == BODY].sum() < MIN_RECALL * words[decode(alone, words)].sum():
            extraction = _choose(document, feature_context, alone, model)
        extraction.page_scores = alone
        return extraction


def page_columns(document: Document, feature_context: FeatureContext) -> NDArray[np.float32]:
    """The columns that follow from the page alone: float32 [blocks, BLOCK]."""
    return np.hstack((features(document, feature_context), story_features(feature_context)))


def first_columns(document: Document, feature_context: FeatureContext, names: dict[str, float]) -> NDArray[np.float32]:
    """The columns of both stages, float32 [blocks, ALL]; those of the scores of the first stage are still 0.

    `names`: weights of class names.
    """
    x = np.zeros((feature_context.count, ALL), np.float32)
    x[:, :BLOCK] = page_columns(document, feature_context)
    x[:, BLOCK:FIRST] = class_name_features(class_name_tokens(feature_context), names)
    return x


def all_columns(document: Document, feature_context: FeatureContext, model: Model, names: dict[str, float]) -> NDArray[np.float32]:
    """The columns of both stages, with those of the scores of the first stage: float32 [blocks, ALL]. `names`: weights of class names."""
    x = first_columns(document, feature_context, names)
    first = model.run(features=x, second=np.array(False))[0][:, 0]
    x[:, FIRST:] = score_features(block_groups(feature_context), first)
    return x


def block_probabilities(document: Document, feature_context: FeatureContext, model: Model) -> NDArray[np.float32]:
    """Probability of each block to be main text: float32 [blocks]."""
    x = all_columns(document, feature_context, model, model.config["names"])
    return model.run(features=x, second=np.array(True))[0][:, 0]


def choose_blocks(
    probabilities: Numbers, texts: Sequence[str], words: Numbers, paths: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], list[float]]:
    """The blocks with the highest expected F1, and PAGE_FEATURES of that choice. `paths`: for each block the number of its path."""
    lowered = without_copies(probabilities, texts, words, paths)
    chosen = decode(lowered, words, PAGE_SPREAD)
    return chosen, page_features(lowered, words, chosen)


def _choose(document: Document, feature_context: FeatureContext, probabilities: NDArray[np.float32], model: Model) -> Extraction:
    """The extraction with the highest expected F1, which may be empty."""
    chosen, x = choose_blocks(probabilities, document.blocks.texts, feature_context.words, feature_context.paths[0])
    empty = calibrated_probability(x, model.config["empty"])
    if empty > EMPTY:
        return _empty_extraction(document, probabilities, empty)
    return extraction_of(document.blocks, chosen, scores=probabilities, score=calibrated_probability(x, model.config["score"]))


def _empty_extraction(document: Document, probabilities: NDArray[np.float32], score: float) -> Extraction:
    """No main text: a page that scripts would fill, or one that has none."""
    has_scripts = next(document.root.iter("script"), None) is not None
    chosen = np.zeros(len(probabilities), np.bool_)
    flag, score = "not-rendered" if has_scripts else "empty", score if len(probabilities) else 0.0
    return extraction_of(document.blocks, chosen, scores=probabilities, score=score, flags={flag})


def _running_text(document: Document, feature_context: FeatureContext) -> Extraction:
    is_good = feature_context.is_good
    return extraction_of(document.blocks, is_good, scores=is_good.astype(np.float32), score=RUNNING_TEXT_SCORE, flags={"truncated"})
