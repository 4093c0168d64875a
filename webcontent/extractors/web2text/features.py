"""The features of Web2Text: 128 of a leaf of the collapsed DOM and 25 of two neighbours, and EXTRA_FEATURES, which are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.document.blocks import TAGS
from webcontent.document.features.blocks import FEATURES
from webcontent.document.features.blocks import features as features_of_blocks
from webcontent.document.features.context import FeatureContext
from webcontent.extractors.web2text.collapsed import SUMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.extractors.web2text.collapsed import Collapsed

    Column = NDArray[np.float64]
    Matrix = NDArray[np.float32]


class Row(NamedTuple):
    """A feature: a quantity, cut to a range, shifted and scaled by the constants of the paper's authors."""

    name: str
    quantity: str
    low: float = -np.inf
    high: float = np.inf
    mean: float = 0.0
    deviation: float = 1.0
    needs: str = ""
    """Where this quantity is 0 the feature is `blank`."""
    blank: float = 0.0


LEAF = (
    Row("has_word", "has_words", mean=0.8255, deviation=0.5643817),
    Row("log_words", "log_words", 0, 3.5, 1.5086, 1.205, "words"),
    Row("average_word_length", "average_word_length", 3, 15, 4.910001, 1.905709, "words", -1.0),
    Row("has_stopword", "has_stopwords"),
    Row("stopword_ratio", "stopword_ratio", mean=0.374, deviation=0.1529, needs="words"),
    Row("log_characters", "log_characters", 2.5, 5.5, 3.392, 1.06445),
    Row("contains_punctuation", "has_punctuation"),
    Row("punctuation", "punctuation", 0, 10, 0.06938, 0.4083676),
    Row("log_punctuation_ratio", "log_punctuation_ratio", -4, -2.5, -3.338525, 0.6058926, "punctuation"),
    Row("has_numeric", "has_digits", mean=-0.5900983, deviation=0.8073342),
    Row("numeric_ratio", "digit_ratio", mean=0.2655969, deviation=0.3052819),
    Row("log_average_sentence_length", "log_sentence_length", 2, 5, 3.109, 1.011),
    Row("has_multiple_sentences", "has_more_sentences"),
    Row("relative_position", "position", mean=0.5198038, deviation=0.2996195),
    Row("relative_position_squared", "position_squared", mean=0.3599672, deviation=0.3157282),
    Row("ends_with_punctuation", "ends_with_punctuation"),
    Row("ends_with_question_mark", "ends_with_question_mark"),
    Row("contains_copyright", "has_copyrights"),
    Row("contains_email", "has_emails"),
    Row("contains_url", "has_urls"),
    Row("contains_year", "has_years"),
    Row("capital_ratio", "capital_ratio", mean=0.4475758, deviation=0.4129316, needs="spaced_words"),
    Row("capital_ratio_squared", "capital_ratio_squared", mean=0.3708354, deviation=0.4334037, needs="spaced_words"),
    Row("capital_ratio_cubed", "capital_ratio_cubed", mean=0.340843, deviation=0.4404389, needs="spaced_words"),
)
"""Of the leaf itself."""
NODE = (
    Row("body_percentage", "page_share"),
    Row("link_density", "link_density", mean=0.5, deviation=0.5),
    *(row for row in LEAF if row.name in ("average_word_length", "has_stopword", "stopword_ratio")),
    Row("log_characters", "log_characters", 2.5, 10, 6, 2.14),
    *(row for row in LEAF if row.name in ("log_punctuation_ratio", "has_numeric", "numeric_ratio", "log_average_sentence_length")),
    *LEAF[15:24],
    Row("contains_form_element", "has_input"),
)
"""Of the node above a leaf, of the one above that, of the root, and of the node that two neighbours share."""
PARENT_TAGS = (
    "td", "div", "p", "tr", "table", "body", "ul", "span", "li", "blockquote", "b", "small", "a", "ol", "ul", "i", "form", "dl",
    "strong", "pre",
)  # fmt: skip
LEAF_TAGS = (
    "a", "p", "td", "b", "li", "span", "i", "tr", "div", "strong", "em", "h3", "h2", "table", "h4", "small", "sup", "h1", "blockquote",
)  # fmt: skip
BLOCK_FEATURES = (
    "has_duplicate", "has_10_duplicates", "same_class_path_ratio",
    *(f"leaf_{row.name}" for row in LEAF),
    "has_parent",
    *(f"parent_{row.name}" for row in NODE),
    *(f"parent_is_{tag}{'_again' if tag in PARENT_TAGS[:place] else ''}" for place, tag in enumerate(PARENT_TAGS)),
    "has_grandparent",
    *(f"grandparent_{row.name}" for row in NODE),
    *(f"root_{row.name}" for row in NODE),
    *(f"leaf_is_{tag}" for tag in LEAF_TAGS),
)  # fmt: skip
"""The 128 of the paper, in the order of its authors' code."""
EDGE_FEATURES = (
    "tree_distance_2", "tree_distance_3", "tree_distance_4", "tree_distance_more", "block_break",
    *(f"common_{row.name}" for row in NODE),
)  # fmt: skip
"""The 25 of two neighbours."""
EXTRA_FEATURES = (
    "is_hidden", "is_noscript", "is_in_link", "wide_word_ratio", "block_log_characters", "block_link_share", "place_in_block",
    "path_log_characters", "path_log_leaves", "path_link_share",
    *(f"paragraph_{name}" for name in FEATURES),
)  # fmt: skip
"""Not in the paper: hidden text, the whole block, leaves of the same path; and the features of the leaf's block (`document.features`), of
which the inverse hyperbolic sine is taken, since many of them are counts."""

_BITS = {tag: np.uint64(1 << place) for place, tag in enumerate(dict.fromkeys((*PARENT_TAGS, *LEAF_TAGS)))}
_TAG_BITS = np.array([_BITS.get(tag, 0) for tag in TAGS], np.uint64)


def features(document: Document, collapsed: Collapsed) -> tuple[Matrix, Matrix]:
    """Features of the leaves, float32 [leaves, BLOCK_FEATURES + EXTRA_FEATURES], and of each leaf with the next one,
    float32 [leaves, EDGE_FEATURES]. The row of the last leaf is 0."""
    count = len(collapsed)
    if not count:
        return np.zeros((0, len(BLOCK_FEATURES) + len(EXTRA_FEATURES)), np.float32), np.zeros((0, len(EDGE_FEATURES)), np.float32)
    nodes = _matrix(NODE, _quantities_of_nodes(collapsed))
    nodes = np.vstack((nodes, np.zeros((1, len(NODE)), np.float32)))  # row -1: there is none
    masks = np.append(collapsed.tags_of_nodes(_TAG_BITS), np.uint64(0))
    parent = collapsed.leaf_parent
    grandparent = np.append(collapsed.parent, -1)[parent]
    has_parent, has_grandparent = parent >= 0, grandparent >= 0
    blocks = np.hstack((
        _duplicates(collapsed),
        _matrix(LEAF, _quantities_of_leaves(collapsed)),
        has_parent[:, None],
        nodes[parent],
        np.where(has_parent[:, None], _tags(masks[parent], PARENT_TAGS), 0),
        has_grandparent[:, None],
        nodes[grandparent],
        np.broadcast_to(nodes[0], (count, len(NODE))),
        _tags(masks[collapsed.leaf_node], LEAF_TAGS),
        _extra(document, collapsed),
    ), dtype=np.float32)  # fmt: skip
    edges = np.zeros((count, len(EDGE_FEATURES)), np.float32)
    if count > 1:
        edges[:-1, :4] = np.where(np.minimum(collapsed.distance, 5)[:, None] == np.arange(2, 6), 1, -1)
        edges[:-1, 4] = collapsed.block[1:] != collapsed.block[:-1]
        edges[:-1, 5:] = nodes[collapsed.common]
    return blocks, edges


def _matrix(rows: Sequence[Row], quantities: Mapping[str, Column]) -> Matrix:
    """The features of a table's rows: float32 [leaves or nodes, rows]."""
    low, high, mean, deviation, blank = np.array([(row.low, row.high, row.mean, row.deviation, row.blank) for row in rows]).T
    x = np.stack([quantities[row.quantity] for row in rows], axis=1)
    x = (np.minimum(np.maximum(x, low), high) - mean) / deviation
    for needed in {row.needs for row in rows if row.needs}:
        missing = (quantities[needed] <= 0)[:, None] & np.array([row.needs == needed for row in rows])
        x = np.where(missing, blank, x)
    result: Matrix = x.astype(np.float32)
    return result


def _quantities(sums: Mapping[str, Column]) -> dict[str, Column]:
    """The quantities that the rows of both tables name, from the sums of leaves or nodes."""
    words, characters, punctuation = np.maximum(1, sums["words"]), np.maximum(1, sums["characters"]), sums["punctuation"]
    capitals = sums["capitals"] / np.maximum(1, sums["spaced_words"])
    return {
        **sums,
        **{f"has_{name}": np.where(sums[name] > 0, 1.0, -1.0) for name in SUMS},
        "has_more_sentences": np.where(sums["sentences"] > 1, 1.0, -1.0),
        "log_words": np.log(words),
        "average_word_length": characters / words,
        "stopword_ratio": sums["stopwords"] / words,
        "log_characters": np.log(characters),
        "log_punctuation_ratio": np.log(np.maximum(1, punctuation) / characters),
        "digit_ratio": sums["digits"] / characters,
        "log_sentence_length": np.log(characters / sums["sentences"]),
        "link_density": sums["link_characters"] / characters,
        "capital_ratio": capitals,
        "capital_ratio_squared": capitals**2,
        "capital_ratio_cubed": capitals**3,
    }


def _quantities_of_leaves(collapsed: Collapsed) -> dict[str, Column]:
    sums = collapsed.leaf_sums
    position = (np.cumsum(sums["characters"]) - sums["characters"] / 2) / sums["characters"].sum()
    return {**_quantities(sums), "position": position, "position_squared": position**2, **_ends(collapsed, slice(None))}


def _quantities_of_nodes(collapsed: Collapsed) -> dict[str, Column]:
    quantities = _quantities(collapsed.node_sums)
    return {
        **quantities,
        "page_share": quantities["characters"] / quantities["characters"][0],
        "has_input": np.where(collapsed.has_input[collapsed.top], 1.0, -1.0),
        **_ends(collapsed, collapsed.end - 1),
    }


def _ends(collapsed: Collapsed, last: NDArray[np.int64] | slice) -> dict[str, Column]:
    """How the last leaf of each node ends."""
    punctuation, question = collapsed.ends
    return {"ends_with_punctuation": np.where(punctuation[last], 1.0, -1.0), "ends_with_question_mark": np.where(question[last], 1.0, -1.0)}


def _tags(masks: NDArray[np.uint64], tags: Sequence[str]) -> Matrix:
    """+1 where a node has a tag, -1 where not."""
    return np.where(masks[:, None] & np.array([_BITS[tag] for tag in tags], np.uint64), np.float32(1), np.float32(-1))


def _duplicates(collapsed: Collapsed) -> Matrix:
    count = len(collapsed)
    codes = {text: code for code, text in enumerate(dict.fromkeys(collapsed.texts))}
    code = np.array([codes[text] for text in collapsed.texts], np.int64)
    copies = np.bincount(code)[code]
    path = collapsed.class_paths[collapsed.holder]
    return np.stack((
        np.where(copies > 1, 1.0, -1.0),
        np.where(copies > 10, 1.0, -1.0),
        np.bincount(path)[path] / count,
    ), axis=1, dtype=np.float32)  # fmt: skip


def _extra(document: Document, collapsed: Collapsed) -> Matrix:
    """EXTRA_FEATURES of the leaves."""
    sums, block, blocks = collapsed.leaf_sums, collapsed.block, document.blocks
    characters, links = sums["characters"], sums["link_characters"]
    path = collapsed.class_paths[collapsed.holder]
    path_characters = np.bincount(path, characters)[path]
    block_characters = np.bincount(block, characters, len(blocks))[block]
    place = np.cumsum(characters) - characters
    starts = np.concatenate(([True], block[1:] != block[:-1]))
    own = np.stack((
        blocks.hidden[block],
        blocks.noscript[block],
        links > 0,
        1 - sums["spaced_words"] / np.maximum(1, sums["words"]),
        np.log(block_characters) / 4 - 1,
        np.bincount(block, links, len(blocks))[block] / block_characters,
        (place - np.maximum.accumulate(np.where(starts, place, 0))) / block_characters,
        np.log(path_characters) / 4 - 1.5,
        np.log(np.bincount(path)[path]) / 3 - 0.5,
        np.bincount(path, links)[path] / path_characters,
    ), axis=1)  # fmt: skip
    paragraphs = np.arcsinh(features_of_blocks(document, FeatureContext(document)))
    return np.hstack((own, paragraphs[block]), dtype=np.float32)
