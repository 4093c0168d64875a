"""FeatureContext: the sums, ancestors, paths and records that several feature columns share.

All columns are numpy operations over the arrays of `Blocks` and `Elements`. Sums over subtrees are differences of cumulative sums;
values are inherited from ancestors level by level.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAGS, count_ranks, number_all
from webcontent.document.characters import CJK_RANGES, count_classes
from webcontent.document.features.groups import ancestor_tree
from webcontent.document.features.markup_groups import TAG_GROUPS, TAG_TABLE, class_group_membership
from webcontent.hashing import GOLDEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.features.groups import AncestorTree
    from webcontent.document.parsing import Document

FAR = 60
"""Distance to an ancestor that does not exist."""
LEVELS = 6
"""Ancestors of a block that are looked at, each wider (holding more blocks) than the one before."""
MIN_RECORDS = 3
"""Siblings of one tag and class that make a record group."""
MIN_COMPOSITE_BLOCKS = 2
"""Mean number of blocks in the records of a group that counts as composite."""
GOOD_WORDS, GOOD_LINK_SHARE = 12, 0.35
"""A block with so many words, and so few of them in links, counts as running text ("good")."""
MAX_TITLE_CHARACTERS = 400
"""Longer blocks are not compared with the page's title."""
_HEADINGS = [list(TAG_GROUPS).index(name) for name in ("h1", "h2", "h3", "heading")]
"""Columns of the tag groups of headings, by level."""
_TOKEN = re.compile(rf"[{CJK_RANGES}]|\w+")
_ASCII_WORDS = bytes(code if code < 128 and (chr(code).isalnum() or chr(code) == "_") else ord(" ") for code in range(256))
"""Translates all but the characters of words to blanks: four times as fast as the pattern."""


class FeatureContext:
    """What the features of a document share. It reads the blocks and changes nothing."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks: Blocks = document.blocks
        self.elements = self.blocks.elements
        self.class_codes = self.blocks.class_codes[1]
        self.count = len(self.blocks)
        classes, starts = self.blocks.character_classes
        self.class_counts = count_classes(classes, starts)
        """Characters of each class in each block."""
        self.first_class, self.last_class = classes[starts], classes[np.append(starts[1:], len(classes)) - 2]
        self.chars = self.blocks.chars.astype(np.float64)
        self.words = self.blocks.words.astype(np.float64)
        self.link_share = np.minimum(1.0, self.blocks.link_chars / np.maximum(self.chars, 1))
        self.link_words = self.words * self.link_share
        is_shown = ~(self.blocks.hidden | self.blocks.noscript)
        self.is_good = (self.words >= GOOD_WORDS) & (self.link_share < GOOD_LINK_SHARE) & is_shown
        self.good_words = np.where(self.is_good, self.words, 0.0)

    # ---- the tree
    @cached_property
    def ancestors(self) -> AncestorTree:
        """The elements around the blocks."""
        return ancestor_tree(self.blocks)

    @cached_property
    def levels(self) -> NDArray[np.int32]:
        """For each block its element and the next ancestors that hold more blocks, int32 [LEVELS, blocks]; above the root it is again."""
        tree = self.ancestors
        start, end = self.elements.start[tree.rows], self.elements.end[tree.rows]
        is_same = (start == start[tree.parent]) & (end == end[tree.parent])
        wider = tree.parent[tree.nearest(~is_same)]
        levels = [tree.block]
        for _ in range(LEVELS - 1):
            levels.append(wider[levels[-1]])
        return tree.rows.astype(np.int32)[np.stack(levels)]

    @cached_property
    def names(self) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
        """The different pairs of class and id in the ancestor tree, and for each of its elements the number of its pair."""
        classes, ids = self.elements.classes, self.elements.ids
        return number_all([(classes[row], ids[row]) for row in self.ancestors.rows.tolist()])

    @cached_property
    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each block the number of its path of tags and classes, and of its path of tags alone."""
        tree = self.ancestors
        tags = self.elements.tag[tree.rows].astype(np.uint64)
        own = np.stack((self.class_codes[tree.rows].astype(np.uint64) * np.uint64(len(TAGS)) + tags, tags))
        path = own.copy()
        own += np.uint64(1)
        for level in tree.depths:
            path[:, level] = (path[:, tree.parent[level]] + own[:, level]) * GOLDEN
        with_classes, tags_only = (np.unique(codes, return_inverse=True)[1] for codes in path[:, tree.block])
        return with_classes, tags_only

    @cached_property
    def distances(self) -> NDArray[np.uint8]:
        """Steps from each block's element to the nearest ancestor of each tag group and class group; 0: itself, FAR: none."""
        tree = self.ancestors
        names, number = self.names
        own = np.hstack((TAG_TABLE[self.elements.tag[tree.rows]], class_group_membership(names)[number]))
        depth = self.elements.depth[tree.rows].astype(np.int16)[:, None]
        steps = (depth - tree.highest(np.where(own, depth, np.int16(-FAR))))[tree.block]
        distances: NDArray[np.uint8] = np.minimum(steps, FAR).astype(np.uint8)
        return distances

    @cached_property
    def heading_levels(self) -> NDArray[np.int64]:
        """1 to 4 for blocks in headings, 0 for others; the highest level counts."""
        is_in = [self.distances[:, place] < FAR for place in _HEADINGS]
        return np.select(is_in, range(1, len(is_in) + 1), 0)

    @cached_property
    def copies(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each block how often its text occurs on the page before, and how often it occurs there at all."""
        codes = number_all(self.blocks.texts)[1]
        return count_ranks(codes), np.bincount(codes)[codes]

    # ---- the title
    @cached_property
    def title_shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each block the share of its words that are in the page's title, and the share of the title's words that it has."""
        title = frozenset(_tokens((self.document.title or "").lower()))
        share_of_block, share_of_title = np.zeros(self.count), np.zeros(self.count)
        for i in np.flatnonzero(self.chars <= MAX_TITLE_CHARACTERS).tolist() if title else []:
            words = _tokens(self.blocks.texts[i].lower())
            if not title.isdisjoint(words):
                tokens = frozenset(words)
                both = len(tokens & title)
                share_of_block[i], share_of_title[i] = both / len(tokens), both / len(title)
        return share_of_block, share_of_title

    @cached_property
    def title_likeness(self) -> NDArray[np.float64]:
        """Product of both shares: 1 where a block has the words of the title and no others."""
        share_of_block, share_of_title = self.title_shares
        return share_of_block * share_of_title

    @cached_property
    def sums(self) -> dict[str, NDArray[np.float64]]:
        """For each element the sums over the blocks of its subtree."""
        columns = {
            "words": self.words,
            "links": self.link_words,
            "good": self.good_words,
            "terminators": self.class_counts["terminator"],
            "currencies": self.class_counts["currency"],
        }
        return {name: self.blocks.subtree_sums(column) for name, column in columns.items()}

    # ---- records
    @cached_property
    def record_groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each element the number of its group (siblings of one tag and class under one parent), and the groups' sizes.

        A group's size counts the elements with text.
        """
        elements = self.elements
        classes = int(self.class_codes.max(initial=0)) + 1
        key = ((elements.parent.astype(np.int64) + 1) * classes + self.class_codes) * len(TAGS) + elements.tag
        _, group = np.unique(key, return_inverse=True)
        sizes = np.bincount(group, weights=elements.end > elements.start).astype(np.int64)
        return group, sizes

    @cached_property
    def records(self) -> dict[str, NDArray[np.int32]]:
        """For each block the row of the record around it, or -1, by the prefix of the features of that record's group.

        `run`: the innermost record; `card` and `outer`: the innermost and the outermost record of a composite group.
        """
        elements = self.elements
        group, sizes = self.record_groups
        blocks_inside = (elements.end - elements.start).astype(np.float64)
        is_record = (sizes[group] >= MIN_RECORDS) & (blocks_inside > 0)
        means = np.bincount(group, weights=blocks_inside) / np.maximum(1, sizes)
        is_composite = is_record & (means[group] >= MIN_COMPOSITE_BLOCKS)
        tree = self.ancestors
        rows = tree.rows.astype(np.int32)
        own_record, own_composite = is_record[rows], is_composite[rows]
        own_record[0] = own_composite[0] = False
        inner, composite = tree.nearest(own_record), tree.nearest(own_composite)
        outermost = tree.highest(np.where(own_composite & ~own_composite[composite[tree.parent]], rows, np.int32(-1)))
        found = {
            "run": np.where(own_record[inner], rows[inner], np.int32(-1)),
            "card": np.where(own_composite[composite], rows[composite], np.int32(-1)),
            "outer": outermost,
        }
        return {name: record[tree.block] for name, record in found.items()}


def _tokens(text: str) -> list[str]:
    """Words of a text; of Chinese, Japanese and Korean the characters.

    >>> _tokens("re-opens: 新闻")
    ['re', 'opens', '新', '闻']
    """
    return text.encode().translate(_ASCII_WORDS).decode().split() if text.isascii() else _TOKEN.findall(text)
