"""What NEMTF's network reads of each line: its words, its length, its place, and its relation to the page's other lines.

Writing feature (eq. 1) and position feature are the paper's; TEXT_FEATURES are not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.characters import CJK, COMMA, DIGIT, SYMBOL, TERMINATOR, UPPER, character_classes
from webcontent.extractors.lines import IDEOGRAPH, PUNCTUATION, Words, byte_sizes, clean_title, terms_of, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

LABELS = ("noise", "body", "title", "time", "source", "related")
"""The labels of lines, in the order of the network's outputs."""
NOISE, BODY, TITLE, TIME, SOURCE, RELATED = range(len(LABELS))

FIRST, LAST = 12, 4
"""Number of words that are used at the beginning and at the end of a line."""
HEAD, TAIL = 160, 50
"""Characters at the beginning and the end of a long line that hold these words."""
WRITING = ("length", "shortest", "longest")
TEXT_FEATURES = (
    "length", "size", "relative_size", "place", "place_from_end", "text_before", "same_line",
    "share_of_title", "share_of_line", "title_around", "after_title", "shared_terms", "story_terms", "story_around",
    "marks", "upper", "digits", "stops", "commas", "signs", "separators", "ends_as_sentence", "begins_upper",
    "is_cut_off", "is_label", "frequent_words",
)  # fmt: skip
FEATURES = (*(f"word_{i}" for i in range(FIRST + LAST)), *WRITING, "position", *TEXT_FEATURES)
"""Names of the columns of `features`; words, writing and position are row numbers of tables."""
LENGTHS, POSITIONS = 48, 256
"""Rows of the tables of lengths and of line numbers."""
SHOWN = 400
"""Characters of a line whose terms are used."""
FREQUENT = 300
"""This many words at the head of the table count as frequent."""
RUNNING = 80
"""Bytes of a line that may be running text."""


class Vocabulary:
    """Rows of the word table: 0 is no word, 1 to 5 are unknown words by character class, then come the known words."""

    UNKNOWN = IDEOGRAPH + 2

    def __init__(self, words: Sequence[str]) -> None:
        split = words_of(words, same_digits=True)
        codes = split.codes[split.starts[:-1]] if len(words) else np.zeros(0, np.uint64)
        order = np.argsort(codes, kind="stable")
        self.codes, self.rows = codes[order], order.astype(np.int64) + self.UNKNOWN

    def __len__(self) -> int:
        return len(self.codes) + self.UNKNOWN

    def rows_of(self, codes: NDArray[np.uint64], kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The row of each word."""
        unknown = kinds.astype(np.int64) + 1
        if not len(self.codes):
            return unknown
        place = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[place] == codes, self.rows[place], unknown)


def features(
    title: str | None, texts: Sequence[str], vocabulary: Vocabulary, lengths: Mapping[str, Sequence[float]]
) -> NDArray[np.float32]:
    """FEATURES of a page's lines: float32 [lines, len(FEATURES)]. `lengths`: of each label, as `training.nemtf` measures them."""
    count = len(texts)
    if not count:
        return np.zeros((0, len(FEATURES)), np.float32)
    chars = np.fromiter(map(len, texts), np.int64, count)
    shown = [text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} {text[-TAIL:]}" for text in texts]
    words = words_of(shown, same_digits=True)
    rows = vocabulary.rows_of(words.codes, words.classes)
    positions = np.minimum(np.arange(count), POSITIONS - 1)[:, None]
    parts = (_word_rows(words, rows), writing(chars, lengths), positions, _text_features(title, texts, shown, words, rows))
    return np.hstack(parts).astype(np.float32)


def _word_rows(words: Words, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of the first and last words of each line: int64 [lines, FIRST + LAST]."""
    starts, ends = words.starts[:-1, None], words.starts[1:, None]
    place = np.hstack((starts + np.arange(FIRST), np.maximum(ends - LAST, starts + FIRST) + np.arange(LAST)))
    return np.where(place < ends, np.append(rows, 0)[np.minimum(place, len(rows))], 0)


def length_row(lengths: NDArray[np.integer[Any]] | NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Row of the table of lengths: fine for short texts, coarse for long ones.

    >>> length_row(np.array([0, 1, 2, 100, 10_000])).tolist()
    [0, 4, 6, 26, 47]
    """
    rows: NDArray[np.int64] = np.minimum(np.log2(1 + np.asarray(lengths, np.float64)) * 4, LENGTHS - 1).astype(np.int64)
    return rows


def writing(chars: NDArray[np.int64], lengths: Mapping[str, Sequence[float]]) -> NDArray[np.int64]:
    """Length of each line, and the shortest and longest usual length of the label whose lines are most like it in length (eq. 1)."""
    known = np.array(list(lengths.values()))
    distance = np.abs(np.log1p(chars)[:, None] - known[:, 0]) / known[:, 1] + np.log(known[:, 1])
    nearest = known[distance.argmin(axis=1)]
    return np.stack((length_row(chars), length_row(nearest[:, 2]), length_row(nearest[:, 3])), axis=1)


def _text_features(title: str | None, texts: Sequence[str], shown: list[str], words: Words, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """TEXT_FEATURES, which the paper does not have. `shown`: heads and tails of the lines; `rows`: rows of their words."""
    count = len(texts)
    sizes = byte_sizes(texts)
    subject = Subject(title, [text[:SHOWN] for text in texts], sizes)
    place = np.arange(count)
    copies = Counter(texts)
    lines, each = words.lines, np.maximum(1, np.diff(words.starts))
    largest = max(1, int(np.sort(sizes)[-min(count, 5)]))
    return np.stack(
        (
            *(np.log1p(np.stack((np.fromiter(map(len, texts), np.int64, count), sizes))) / 8),
            np.minimum(1, sizes / largest),
            *(np.log1p(np.stack((place, count - 1 - place))) / 8),
            (np.cumsum(sizes) - sizes) / max(1, int(sizes.sum())),
            np.fromiter((copies[text] > 1 for text in texts), np.float64, count),
            subject.of_title,
            subject.of_line,
            _around(subject.of_title * subject.of_line, 5),
            _after_title(subject),
            subject.shared,
            subject.story,
            _around(subject.story * np.minimum(sizes, SHOWN) / SHOWN, 9),
            np.bincount(lines[words.classes == PUNCTUATION], minlength=count) / each,
            *_characters(shown),
            np.fromiter((text.endswith(("…", "...", "。。。")) for text in texts), np.float64, count),
            np.fromiter((text.endswith((":", "：")) for text in texts), np.float64, count),
            np.bincount(lines, (rows >= Vocabulary.UNKNOWN) & (rows < Vocabulary.UNKNOWN + FREQUENT), count) / each,
        ),
        axis=1,
    )


def _characters(shown: list[str]) -> list[NDArray[np.float64]]:
    """Of each line: shares of capitals, digits, sentence terminators, commas, ideographs and separators; how it ends and begins."""
    classes, starts = character_classes(shown)
    lengths = np.append(starts[1:], len(classes)) - starts - 1
    shares = {code: np.add.reduceat((classes == code).astype(np.float64), starts) / np.maximum(1, lengths) for code in _SCALES}
    last, before = (classes[np.maximum(starts + lengths - back, 0)] for back in (1, 2))
    ends = (last == TERMINATOR) + 0.7 * ((before == TERMINATOR) & (last == 0))  # a closing quotation mark may follow the terminator
    return [*(np.minimum(1, scale * shares[code]) for code, scale in _SCALES.items()), ends, (classes[starts] == UPPER).astype(np.float64)]


_SCALES = {UPPER: 4.0, DIGIT: 1.0, TERMINATOR: 10.0, COMMA: 10.0, CJK: 1.0, SYMBOL: 10.0}
"""Factors that bring the shares of text lines to about 1."""


def _after_title(subject: Subject) -> NDArray[np.float64]:
    """Distance of each line to the one that holds the title best, -1 to 1; zeros where none holds it."""
    both = subject.of_title * subject.of_line
    best = int(both.argmax())
    return np.clip((np.arange(len(both)) - best) / 32, -1, 1) if both[best] > 0.3 else np.zeros(len(both))


def _around(values: NDArray[np.float64], lines: int) -> NDArray[np.float64]:
    """Half of the sum over `lines` lines around each (an odd number), at most 2."""
    sums = np.cumsum(np.pad(values, (lines // 2 + 1, lines // 2)))
    return np.minimum(4, sums[lines:] - sums[:-lines]) / 2


class Subject:
    """Shares of the terms that lines have in common with the title and with the page's running text."""

    def __init__(self, title: str | None, texts: Sequence[str], sizes: NDArray[np.int64]) -> None:
        count = len(texts)
        codes, lines = words_of(texts).terms()
        different, inverse = np.unique(codes, return_inverse=True)
        pairs = np.unique(inverse.astype(np.int64) * count + lines)  # each term of a line once
        self._term, self._line, self._count = pairs // max(1, count), pairs % max(1, count), count
        wanted = terms_of(clean_title(title))
        in_title = np.isin(different, wanted)
        lines_of = np.bincount(self._term, minlength=len(different))
        is_running = sizes >= RUNNING
        rare = np.where(lines_of <= max(3, 0.3 * count), np.log((count + 1) / np.maximum(lines_of, 1)), 0.0)
        of_title = self._by_line(in_title[self._term])
        self.of_title = of_title / max(1, len(wanted))
        """Share of the title's terms that the line holds ..."""
        self.of_line = of_title / np.maximum(1, np.bincount(lines, minlength=count))
        """... and their share of the line's terms."""
        others = self._in_other_lines(is_running.astype(np.float64))
        usual = lines_of[self._term] <= max(2, count / 2)
        self.shared = self._by_line((others > 0) & usual) / np.maximum(1, np.bincount(self._line, minlength=count))
        """Share of the line's terms that occur in other lines of running text too."""
        near = np.where(is_running, np.minimum(8, self._by_line((rare * in_title)[self._term])), 0)
        if not near.any():
            near = is_running.astype(np.float64)
        related = np.clip(self._in_other_lines(near) / 4, 0, 1)
        self.story = self._by_line(rare[self._term] * related) / np.maximum(3, self._by_line(rare[self._term]))
        """Share of the line's rare terms that occur in other lines of running text that share terms with the title."""

    def _by_line(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Sum over the terms of each line of a value that each occurrence has."""
        return np.bincount(self._line, values, self._count).astype(np.float64)

    def _in_other_lines(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of a value of lines over the other lines that hold a term; for each term of each line."""
        own = values[self._line]
        result: NDArray[np.float64] = np.bincount(self._term, own)[self._term] - own if len(own) else own
        return result
