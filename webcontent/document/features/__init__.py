"""Features of blocks: a package of numpy columns. `features` gives those of each block, `score_features` those of a second stage."""

from webcontent.document.features.blocks import FEATURES, VERSION, all_features, features
from webcontent.document.features.class_names import (
    CLASS_NAME_FEATURES,
    ClassNameTokens,
    class_name_features,
    class_name_tokens,
    name_tokens,
)
from webcontent.document.features.context import FAR, FeatureContext
from webcontent.document.features.groups import AncestorTree, BlockGroups
from webcontent.document.features.markup_groups import CLASS_GROUPS, TAG_GROUPS, has_class_word
from webcontent.document.features.second_stage import SCORE_FEATURES, block_groups, score_features
from webcontent.document.features.stories import STORY_FEATURES, story_features

__all__ = [
    "CLASS_GROUPS",
    "CLASS_NAME_FEATURES",
    "FAR",
    "FEATURES",
    "SCORE_FEATURES",
    "STORY_FEATURES",
    "TAG_GROUPS",
    "VERSION",
    "AncestorTree",
    "BlockGroups",
    "ClassNameTokens",
    "FeatureContext",
    "all_features",
    "block_groups",
    "class_name_features",
    "class_name_tokens",
    "features",
    "has_class_word",
    "name_tokens",
    "score_features",
    "story_features",
]
