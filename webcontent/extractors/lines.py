"""Lines of a page, as BP network and NEMTF read them: their texts and sizes, words of any script, the title.

A line is a block: the text between two block boundaries is one line of the papers' tidied source. Line i is block i,
and a label of the line is the label of the block.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import INLINE, TAGS
from webcontent.document.characters import BASIC_PLANE, CJK_RANGES, code_points, iter_ranges
from webcontent.document.text import MAX_RAW_CHARS, MAX_TEXT_CHARS
from webcontent.hashing import GOLDEN, MAX_RUN, mix64, polynomial_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

# Separates a page's title from the site's name. The paper names - and _; typographic dashes and the bar serve the same end.
_TITLE_SEPARATOR = re.compile(
    r"(?:(?<!\s)\s++)?[_|｜＿]+\s*|(?<!\s)\s++[-–—]+\s+|(?<=[\u3000-\u9fff\uff00-\uffef])\s*[-–—－]+\s*|(?:(?<!\s)\s++)?[-–—－]+\s*(?=[\u3000-\u9fff])"
)
_IS_INLINE = np.array([name in INLINE for name in TAGS])
SPACE, PUNCTUATION, LETTER, DIGIT, IDEOGRAPH = range(5)
"""Classes of words. IDEOGRAPH: a single character of a script that is written without spaces."""
UNSPACED_SCRIPTS = f"\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff{CJK_RANGES}"
"""Thai, Lao, Tibetan, Burmese, Khmer; Chinese, Japanese, Korean: each character is a word. Inside of a character class."""


def clean_title(title: str | None) -> str:
    """The title element's text without the site's name, which follows its last separator (An 2010, section 2.2.2).

    A hyphen inside a word of a script with spaces is no separator.

    >>> clean_title("A post-war story - part two - The Paper"), clean_title("大桥将重建_新闻-某网"), clean_title("Only words")
    ('A post-war story - part two', '大桥将重建_新闻', 'Only words')
    """
    title = " ".join((title or "")[:MAX_TEXT_CHARS].split())
    cuts = [match.start() for match in _TITLE_SEPARATOR.finditer(title) if match.start()]
    return title[: cuts[-1]] if cuts else title


def markup_sizes(blocks: Blocks) -> NDArray[np.int64]:
    """Characters of each line's markup: int64 [lines].

    Counts the tags of the inline elements that hold some of the line's text, and of the block-level element around it (for the first
    line in it), with their attributes. Empty elements are left out (An 2010, section 2.2.1).
    """
    elements = blocks.elements
    holds = np.zeros(len(elements), np.bool_)
    holds[blocks.element] = True
    rows = np.flatnonzero((elements.end > elements.start) & (_IS_INLINE[elements.tag] | holds))
    nodes = elements.nodes
    tags = [_tag_size(nodes[row]) for row in rows.tolist()]
    return np.bincount(elements.start[rows], tags, len(blocks)).astype(np.int64)


def byte_sizes(texts: Sequence[str]) -> NDArray[np.int64]:
    """Length of each line in bytes of UTF-8. It compares scripts fairly: one ideograph carries about as much as three letters."""
    return np.fromiter((len(text) if text.isascii() else len(text.encode("utf-8", "replace")) for text in texts), np.int64, len(texts))


def _tag_size(node: HtmlElement) -> int:
    """Characters of an element's start tag and end tag."""
    size = len("<></>") + 2 * len(str(node.tag))
    for name, value in node.items():
        size += len(name) + len(value) + len(' =""')
    return size


# --------------------------------------------------------------------------------------------------------------- words
def _class_table() -> NDArray[np.uint8]:
    """Word class of each character of the basic plane."""
    table = np.full(BASIC_PLANE, PUNCTUATION, np.uint8)
    for code in range(BASIC_PLANE):
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            table[code] = LETTER
        elif category[0] == "N":
            table[code] = DIGIT
        elif category[0] in "ZC":
            table[code] = SPACE
    for first, last in iter_ranges(UNSPACED_SCRIPTS):
        table[first : last + 1][table[first : last + 1] == LETTER] = IDEOGRAPH
    return table


_CLASS_OF = _class_table()


@dataclass(slots=True, frozen=True, eq=False)
class Words:
    """The words of lines, one after the other, as numbers: equal words have equal codes."""

    codes: NDArray[np.uint64]
    """64-bit hash of each word in lower case."""
    classes: NDArray[np.uint8]
    starts: NDArray[np.int64]
    """Line i has the words [starts[i], starts[i + 1]); lines + 1 numbers."""

    @property
    def lines(self) -> NDArray[np.int64]:
        """Line of each word."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def terms(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The terms that a search engine would index, and the line of each: spaced words, and pairs of adjacent ideographs.

        Punctuation gives no term. A single ideograph carries little meaning, a pair is mostly a word.
        """
        lines = self.lines
        is_word = (self.classes == LETTER) | (self.classes == DIGIT)
        if len(self.codes) < 2:
            return self.codes[is_word], lines[is_word]
        is_ideograph = self.classes == IDEOGRAPH
        pairs = np.flatnonzero(is_ideograph[:-1] & is_ideograph[1:] & (lines[:-1] == lines[1:]))
        codes = self.codes[pairs] * GOLDEN + self.codes[pairs + 1]
        return np.concatenate((self.codes[is_word], codes)), np.concatenate((lines[is_word], lines[pairs]))


def words_of(texts: Sequence[str], *, longest: int | None = MAX_RAW_CHARS, same_digits: bool = False) -> Words:
    """The words of lines of any script, without a dictionary.

    A word is a run of letters, a run of digits, a single ideograph, or a single punctuation mark.
    Characters beyond Unicode's basic plane (emoji, rare ideographs) are read as blanks.
    `same_digits`: all digits count as equal, so that dates have the same form; `longest`: characters of a line that are read; None: all.
    """
    lowered = [text[:longest].lower() for text in texts]
    chars = code_points("\n".join([*lowered, ""]))
    classes = _CLASS_OF[np.minimum(chars, BASIC_PLANE - 1)]
    ends = np.cumsum(np.fromiter((len(text) + 1 for text in lowered), np.int64, len(lowered)))
    is_run = (classes == LETTER) | (classes == DIGIT)
    goes_on = np.zeros(len(chars), np.bool_)
    goes_on[1:] = is_run[1:] & (classes[1:] == classes[:-1])
    begins = (classes != SPACE) & ~goes_on
    first = np.flatnonzero(begins)
    starts = np.searchsorted(first, np.concatenate(([0], ends)))
    if not len(first):
        return Words(np.zeros(0, np.uint64), np.zeros(0, np.uint8), starts)
    codes = np.where(classes == DIGIT, ord("0"), chars) if same_digits else chars
    values = np.where(classes == SPACE, 0, codes).astype(np.uint64)
    word = np.cumsum(begins) - 1
    positions = np.minimum(np.arange(len(chars)) - first[np.maximum(word, 0)], MAX_RUN - 1)
    return Words(mix64(polynomial_sums(values, np.maximum(positions, 0), first)), classes[first], starts)


def terms_of(*texts: str) -> NDArray[np.uint64]:
    """The different terms of some texts, sorted."""
    return np.unique(words_of(texts, longest=None).terms()[0])


def term_counts(texts: Sequence[str], wanted: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each line how many different ones of the `wanted` terms it holds."""
    codes, lines = words_of(texts).terms()
    is_wanted = np.isin(codes, wanted)
    pairs = {*zip(lines[is_wanted].tolist(), codes[is_wanted].tolist(), strict=True)}
    return np.bincount(np.array([line for line, _ in pairs], np.int64), minlength=len(texts))
