"""Document -> Collapsed: the collapsed DOM of Web2Text, from the tables of Blocks and Elements, without another parse or walk.

Vogels, Ganea, Eickhoff: Web2Text: Deep Structured Boilerplate Removal, ECIR 2018, section 3.1. A leaf is a text node that is not
blank. An element without text is dropped; an element with a single kept child is merged with it. So the elements that hold the same
leaves are one node, and elements around a single leaf are part of that leaf.

Differences from the paper: text inside <noscript> is kept (forums use it); positions count characters of text, not of the source;
a Chinese, Japanese or Korean character is a word; ratios are true ones where the authors' code divides integers.
"""

from __future__ import annotations

import re
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAGS, are_tags
from webcontent.document.characters import CJK_RANGES, DIGIT, LETTER, TERMINATOR, UPPER, character_classes, code_points
from webcontent.document.features.columns import covered
from webcontent.extractors.lines import IDEOGRAPH, PUNCTUATION, words_of
from webcontent.hashing import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

    Column = NDArray[np.float64]
    Rows = NDArray[np.int64]

DROPPED = "select textarea"
"""Elements whose text is no leaf. The blocks' walk leaves out scripts, styles, frames, videos and the head already."""
SUMS = (
    "words", "stopwords", "spaced_words", "capitals", "characters", "punctuation", "digits", "sentences", "link_characters",
    "copyrights", "emails", "urls", "years",
)  # fmt: skip
"""The counts of each leaf, summed over a node's leaves."""

_FIRST_WIDE = 0x3000
"""From this code point on characters are as wide as they are high, and sentences end without a space."""
_EMAIL = re.compile(r"\w@\w[\w-]*(?:\.\w[\w-]*)+")
_URL = re.compile(r"(?:https?|ftp)://")
_YEAR = re.compile(rf"(?<![^\W_{CJK_RANGES}])\d{{4}}(?![^\W_{CJK_RANGES}])")
"""A number of four digits that no letter touches."""
_COPYRIGHT = re.compile("©")


def _codes(words: Iterable[str]) -> NDArray[np.uint64]:
    return np.unique(words_of(sorted(words)).codes)


def _stop_words() -> NDArray[np.uint64]:
    lines = files("webcontent.extractors.web2text").joinpath("stopwords.txt").read_text(encoding="utf-8").splitlines()
    return _codes({word for line in lines if not line.startswith("#") for word in line.split()})


_STOP_WORDS = _stop_words()
_PUNCTUATION = ".,?;:!。，？；：！、"
_PUNCTUATION_WORDS = _codes(_PUNCTUATION)
_ENDS = np.array(sorted(map(ord, _PUNCTUATION)), np.uint32)
_QUESTIONS = np.array([ord("?"), ord("？")], np.uint32)
_IS_WORD_CLASS = np.isin(np.arange(256), [UPPER, LETTER, DIGIT])


class Collapsed:
    """The collapsed DOM of a page: leaves and nodes in document order. It reads the blocks and changes nothing."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.elements = elements = blocks.elements
        kept = np.array([not text.isspace() for text, _ in blocks.pieces], np.bool_)
        for row in self.rows_named(DROPPED).tolist():
            kept[int(elements.piece[row]) : int(elements.piece_end[row])] = False
        pieces = np.flatnonzero(kept)
        self.texts = [" ".join(blocks.pieces[place][0].split()) for place in pieces.tolist()]
        """Texts of the leaves, white space collapsed; never empty."""
        self.block = np.searchsorted(blocks.piece_start, pieces, side="right") - 1
        """The block of the document that each leaf is a part of."""
        self.holder = np.array([blocks.pieces[place][1] for place in pieces.tolist()], np.int64)
        """Row of the element that directly holds each leaf."""
        before = np.concatenate(([0], np.cumsum(kept)))
        self.element_first, self.element_end = before[elements.piece], before[elements.piece_end]
        """The leaves [first, end) that each element holds."""
        self._find_nodes()

    def __len__(self) -> int:
        return len(self.texts)

    def rows_named(self, names: str) -> Rows:
        """Rows of the elements of some tags, which blanks divide."""
        return np.flatnonzero(are_tags(names)[self.elements.tag])

    def _find_nodes(self) -> None:
        """Chains of elements that hold the same leaves become nodes; a node of one leaf is part of that leaf."""
        first, end = self.element_first, self.element_end
        rows = np.flatnonzero(end > first)
        parents = self.elements.parent[rows]
        above = np.concatenate(([-1], rows[:-1]))  # the first kept child of an element follows it
        opens = (parents != above) | (first[rows] != first[parents]) | (end[rows] != end[parents]) | (parents < 0)
        self.element_node = np.full(len(first), -1, np.int64)
        """The node that each element is part of; -1 for an element without leaves."""
        self.element_node[rows] = np.cumsum(opens) - 1
        tops = rows[opens]
        self.first, self.end = first[tops], end[tops]
        """The leaves [first, end) that each node holds."""
        self.top = tops
        """Row of each node's outermost element."""
        self.parent = np.where(self.elements.parent[tops] >= 0, self.element_node[self.elements.parent[tops]], -1)
        """Of each node; -1 at the root."""
        depth: list[int] = []
        for parent in self.parent.tolist():
            depth.append(depth[parent] + 1 if parent >= 0 else 0)
        own = np.maximum(self.element_node[self.holder], 0)
        is_merged = self.end[own] - self.first[own] == 1
        self.leaf_node = np.where(is_merged, own, -1)
        """The node that is part of each leaf; -1 for a leaf that is a text node alone."""
        self.leaf_parent = np.where(is_merged, self.parent[own], own)
        """The node above each leaf; -1 where the page has a single leaf."""
        self.leaf_depth = np.where(self.leaf_parent >= 0, np.array([*depth, -1])[self.leaf_parent] + 1, 0)
        self.depth = np.array(depth, np.int64)

    @cached_property
    def common(self) -> Rows:
        """For each leaf but the last the lowest common node of it and the next leaf.

        Among the nodes that begin with the next leaf the outermost comes first in the order of the page; its parent is that node.
        """
        following = np.arange(1, len(self))
        place = np.minimum(np.searchsorted(self.first, following), len(self.first) - 1)
        return np.maximum(np.where(self.first[place] == following, self.parent[place], self.leaf_parent[1:]), 0)

    @cached_property
    def distance(self) -> Rows:
        """Steps from each leaf but the last to the next one over their common node."""
        return self.leaf_depth[:-1] + self.leaf_depth[1:] - 2 * self.depth[self.common]

    def tags_of_nodes(self, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """For each node the union of its elements' bits; `bits`: a number a tag code."""
        rows = np.flatnonzero(self.element_node >= 0)
        starts = np.searchsorted(self.element_node[rows], np.arange(len(self.first)))
        return np.bitwise_or.reduceat(bits[self.elements.tag[rows]], starts) if len(rows) else np.zeros(0, np.uint64)

    @cached_property
    def class_paths(self) -> Rows:
        """For each element a number of its path of tags and classes from the root."""
        own = (self.blocks.class_codes[1] * len(TAGS) + self.elements.tag).astype(np.uint64)
        paths = own.copy()
        for rows, parents in self.blocks.steps:
            paths[rows] = (paths[parents] + own[rows] + np.uint64(1)) * GOLDEN
        return np.unique(paths, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def has_input(self) -> NDArray[np.bool_]:
        """Whether each element holds an <input>."""
        inputs = np.concatenate(([0], np.cumsum(are_tags("input")[self.elements.tag])))
        return inputs[self.elements.last + 1] > inputs[:-1]

    @cached_property
    def leaf_sums(self) -> dict[str, Column]:
        """SUMS of each leaf."""
        rows = self.rows_named("a")
        return _counts(self.texts, covered(self.element_first[rows], self.element_end[rows], len(self)))

    @cached_property
    def node_sums(self) -> dict[str, Column]:
        """SUMS of each node's leaves."""
        table = np.zeros((len(self) + 1, len(SUMS)))
        np.cumsum(np.stack([self.leaf_sums[name] for name in SUMS], axis=1), axis=0, out=table[1:])
        sums = table[self.end] - table[self.first]
        return {name: sums[:, i] for i, name in enumerate(SUMS)}

    @cached_property
    def ends(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether each leaf ends with punctuation, and with a question mark."""
        last = code_points("".join([text[-1] for text in self.texts]))
        return np.isin(last, _ENDS), np.isin(last, _QUESTIONS)


def _counts(texts: list[str], is_link: NDArray[np.bool_]) -> dict[str, Column]:
    """SUMS of some texts, none of them empty."""
    count = len(texts)
    if not count:
        return {name: np.zeros(0) for name in SUMS}
    words = words_of(texts, longest=None)
    lines, is_word = words.lines, words.classes != PUNCTUATION
    classes, starts = character_classes(texts)
    joined = " ".join(texts)
    characters = np.fromiter(map(len, texts), np.float64, count)

    def each(rows: Rows | NDArray[np.bool_]) -> Column:
        """How many of the characters at some places each text holds."""
        return np.bincount(np.searchsorted(starts, rows, side="right") - 1, minlength=count).astype(np.float64)

    return {
        "words": np.bincount(lines[is_word], minlength=count).astype(np.float64),
        "stopwords": np.bincount(lines[np.isin(words.codes, _STOP_WORDS)], minlength=count).astype(np.float64),
        "spaced_words": np.bincount(lines[is_word & (words.classes != IDEOGRAPH)], minlength=count).astype(np.float64),
        "capitals": each(np.flatnonzero((classes == UPPER) & ~np.append(False, _IS_WORD_CLASS[classes[:-1]]))),
        "characters": characters,
        "punctuation": np.bincount(lines[np.isin(words.codes, _PUNCTUATION_WORDS)], minlength=count).astype(np.float64),
        "digits": each(np.flatnonzero(classes == DIGIT)),
        "sentences": 1 + each(_sentence_ends(joined, classes, starts)),
        "link_characters": np.where(is_link, characters, 0.0),
        "copyrights": each(_places(joined, _COPYRIGHT)),
        "emails": each(_places(joined, _EMAIL)) if "@" in joined else np.zeros(count),
        "urls": each(_places(joined, _URL)) if "://" in joined else np.zeros(count),
        "years": each(_places(joined, _YEAR)),
    }


def _sentence_ends(joined: str, classes: NDArray[np.uint8], starts: Rows) -> Rows:
    """Places inside the texts where one sentence ends and another begins.

    That is a terminator before a space and an upper-case letter, or a wide terminator.
    """
    codes = code_points(joined + " ")
    places = np.flatnonzero((classes == TERMINATOR) | (codes == ord(";")) | (codes == ord("；")))
    last = np.append(starts[1:], len(classes)) - 2
    places = places[~np.isin(places, last) & (places + 2 < len(classes))]
    result: Rows = places[(codes[places] >= _FIRST_WIDE) | ((codes[places + 1] == ord(" ")) & (classes[places + 2] == UPPER))]
    return result


def _places(joined: str, pattern: re.Pattern[str]) -> Rows:
    return np.array([match.start() for match in pattern.finditer(joined)], np.int64)
