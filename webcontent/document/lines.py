"""Lines of a page, as BP network and NEMTF see them: texts with their way back, sizes, words of any script, the title.

A line is a block: what stands between two block boundaries is what the papers' tidied source has in a line. So the way back from
line i to its element is block i, and what is said of a line is said of its block.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import INLINE, TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

LONGEST = 2000
"""Characters of a line whose words are looked at."""
LONGEST_TITLE = 500

# What parts the title from the site's name. The paper names - and _; their typographic forms and the bar serve the same end.
_TITLE_SEPARATOR = re.compile(
    r"\s*[_|｜＿]+\s*|\s+[-–—]+\s+|(?<=[\u3000-\u9fff\uff00-\uffef])\s*[-–—－]+\s*|\s*[-–—－]+\s*(?=[\u3000-\u9fff])"
)
_IS_INLINE = np.array([name in INLINE for name in TAGS])
SPACE, PUNCTUATION, LETTER, DIGIT, SIGN = range(5)
"""Kinds of words; a sign is a character of a script without spaces."""
# Scripts whose words no space parts: Chinese, Japanese and Korean; Thai, Lao, Tibetan, Burmese, Khmer. Each character is a word.
SIGNS = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_POWERS = np.array([pow(0x100000001B3, place, 1 << 64) for place in range(64)], np.uint64)


def clean_title(title: str | None) -> str:
    """The title element's text without what stands behind its last separator, the site's name (An 2010, section 2.2.2).

    A hyphen inside a word of a script with spaces is no separator.

    >>> clean_title("A post-war story - part two - The Paper"), clean_title("大桥将重建_新闻-某网"), clean_title("Only words")
    ('A post-war story - part two', '大桥将重建_新闻', 'Only words')
    """
    title = " ".join((title or "")[:LONGEST_TITLE].split())
    cuts = [match.start() for match in _TITLE_SEPARATOR.finditer(title) if match.start()]
    return title[: cuts[-1]] if cuts else title


def markup_sizes(blocks: Blocks) -> NDArray[np.int64]:
    """Characters of each line's markup: int64 [lines].

    Counted are the tags of the inline elements that hold some of the line's text, and those of the block-level element around it
    (for the first line in it); with attributes, as written. Empty elements are left out (An 2010, section 2.2.1).
    """
    elements = blocks.elements
    holds = np.zeros(len(elements), np.bool_)
    holds[blocks.element] = True
    rows = np.flatnonzero((elements.end > elements.start) & (_IS_INLINE[elements.tag] | holds))
    nodes = elements.nodes
    tags = [_tag_size(nodes[row]) for row in rows.tolist()]
    return np.bincount(elements.start[rows], tags, len(blocks)).astype(np.int64)


def byte_sizes(texts: Sequence[str]) -> NDArray[np.int64]:
    """Length of each line in bytes of UTF-8: a measure that is fair to all scripts, as a Chinese sign says what three letters say."""
    return np.fromiter((len(text) if text.isascii() else len(text.encode("utf-8", "replace")) for text in texts), np.int64, len(texts))


def _tag_size(node: object) -> int:
    """Characters of an element's two tags."""
    size = 5 + 2 * len(node.tag)  # type: ignore[attr-defined]
    for name, value in node.items():  # type: ignore[attr-defined]
        size += len(name) + len(value) + 4
    return size


# --------------------------------------------------------------------------------------------------------------- words
def _character_kinds() -> NDArray[np.uint8]:
    """Kind of each character of the basic plane."""
    kinds = np.full(0x10000, PUNCTUATION, np.uint8)
    for code in range(0x10000):
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            kinds[code] = LETTER
        elif category[0] == "N":
            kinds[code] = DIGIT
        elif category[0] in "ZC":
            kinds[code] = SPACE
    for first, last in (map(ord, part.split("-")) for part in re.findall(".-.", SIGNS)):
        kinds[first : last + 1][kinds[first : last + 1] == LETTER] = SIGN
    return kinds


_KINDS = _character_kinds()


@dataclass(slots=True, frozen=True, eq=False)
class Words:
    """The words of lines, one after the other, as numbers: equal words have equal codes."""

    codes: NDArray[np.uint64]
    """64-bit hash of each word in lower case."""
    kinds: NDArray[np.uint8]
    starts: NDArray[np.int64]
    """Line i has the words [starts[i], starts[i + 1]); lines + 1 numbers."""

    @property
    def lines(self) -> NDArray[np.int64]:
        """Line of each word."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def terms(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """What a search engine would index, and the line of each: words with spaces between them, pairs of adjacent signs.

        Punctuation is none. A sign (a character of a script without spaces) alone says little, a pair is mostly a word.
        """
        lines = self.lines
        is_word = (self.kinds == LETTER) | (self.kinds == DIGIT)
        if len(self.codes) < 2:
            return self.codes[is_word], lines[is_word]
        pairs = np.flatnonzero((self.kinds[:-1] == SIGN) & (self.kinds[1:] == SIGN) & (lines[:-1] == lines[1:]))
        codes = self.codes[pairs] * np.uint64(0x9E3779B97F4A7C15) + self.codes[pairs + 1]
        return np.concatenate((self.codes[is_word], codes)), np.concatenate((lines[is_word], lines[pairs]))


def words_of(texts: Sequence[str], *, longest: int = LONGEST, same_digits: bool = False) -> Words:
    """The words of lines of any script, without a dictionary.

    Runs of letters, runs of digits, single signs of scripts without spaces, single marks of punctuation are words.
    Characters beyond Unicode's basic plane (emoji, rare signs) are read as blanks.
    `same_digits`: all digits count as equal, so that dates have the same form; `longest`: characters of a line that are read.
    """
    lowered = [text[:longest].lower() for text in texts]
    chars = np.frombuffer("\n".join([*lowered, ""]).encode("utf-32-le", "replace"), np.uint32)
    kinds = _KINDS[np.minimum(chars, 0xFFFF)]
    ends = np.cumsum(np.fromiter((len(text) + 1 for text in lowered), np.int64, len(lowered)))
    is_run = (kinds == LETTER) | (kinds == DIGIT)
    goes_on = np.zeros(len(chars), np.bool_)
    goes_on[1:] = is_run[1:] & (kinds[1:] == kinds[:-1])
    first = np.flatnonzero((kinds != SPACE) & ~goes_on)
    starts = np.searchsorted(first, np.concatenate(([0], ends)))
    if not len(first):
        return Words(np.zeros(0, np.uint64), np.zeros(0, np.uint8), starts)
    values = np.where(kinds == DIGIT, ord("0"), chars) if same_digits else chars
    values = np.where(kinds == SPACE, 0, values).astype(np.uint64)
    word = np.cumsum((kinds != SPACE) & ~goes_on) - 1
    place = np.minimum(np.arange(len(chars)) - first[np.maximum(word, 0)], len(_POWERS) - 1)
    codes = np.add.reduceat(values * _POWERS[np.maximum(place, 0)], first)
    return Words(_mixed(codes), kinds[first], starts)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spreads what little differs between short words over all bits (finaliser of MurmurHash3, Appleby 2011)."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    result: NDArray[np.uint64] = values ^ (values >> np.uint64(33))
    return result


def terms_of(text: str) -> NDArray[np.uint64]:
    """The different terms of one text, sorted."""
    return np.unique(words_of([text], longest=len(text)).terms()[0])


def term_counts(texts: Sequence[str], wanted: NDArray[np.uint64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each line how many different ones of the `wanted` terms (sorted) it holds, and how many terms it has."""
    codes, lines = words_of(texts).terms()
    count = len(texts)
    total = np.bincount(lines, minlength=count).astype(np.float64)
    if not len(wanted) or not len(codes):
        return np.zeros(count), total
    place = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
    found = wanted[place] == codes
    pairs = np.unique(lines[found] * len(wanted) + place[found])
    return np.bincount(pairs // len(wanted), minlength=count).astype(np.float64), total
