"""NEMTF: title, time, source, body, related article or noise for each line of a page, from its text alone.

Weng Binyue et al., doi 10.19734/j.issn.1001-3695.2021.10.0407. Writing feature, position feature and semantic feature, convolutions
k = 1..5 with max pooling and the six labels are the paper's. The paper classifies a line alone. The shipped networks (`models/nemtf_v1`)
also see the lines around it, through convolutions over the page's lines, and TEXT_FEATURES: how many terms of the page's title and of
its running text a line holds, and what characters it is made of. They see no tags.

From labels to fields: the likeliest line of each field that can be parsed as one, where its probability is high enough (`least` in
config.json). Fields that it does not give come from `fields`.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent import extraction
from webcontent.document.blocks import TAG_CODES
from webcontent.document.characters import CJK, COMMA, DIGIT, SYMBOL, TERMINATOR, UPPER, character_classes
from webcontent.document.lines import PUNCTUATION, Words, byte_sizes, clean_title, terms_of, words_of
from webcontent.document.text import body_text
from webcontent.extraction import NO_CONTEXT, Extraction, PageContext
from webcontent.extractors.decoding import best_run, calibrated, decode, expected_f1
from webcontent.fields.dates import iter_times
from webcontent.fields.page_signals import PageSignals, collapse
from webcontent.fields.sources import SOURCE_LABEL, source_name
from webcontent.items import Candidate, Link

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

MODEL = "nemtf_v1"
LABELS = ("noise", "body", "title", "time", "source", "related")
"""The labels of lines, in the order of the network's outputs."""
NOISE, BODY, TITLE, TIME, SOURCE, RELATED = range(len(LABELS))
_CODES = np.array([getattr(extraction, name.upper()) for name in LABELS], np.int8)
"""The same labels as `extraction.LABELS` numbers them."""

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
RUN, OVERLAP = 8192, 64
"""A page of more lines is classified in runs of RUN lines that overlap by OVERLAP."""
SHOWN = 400
"""Characters of a line whose terms are used."""
FREQUENT = 300
"""This many words at the head of the table count as frequent."""
RUNNING = 80
"""Bytes of a line that may be running text."""
CANDIDATES = 3
"""Lines that are tried for a field."""
LONGEST_FIELD = 300
"""Characters of a line that is a title, a time or a source."""
_LINK = TAG_CODES["a"]


class Nemtf:
    """Fields and main text by the network over lines."""

    name = "nemtf"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL) -> None:
        self.model_name = model

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        blocks = document.blocks
        if not len(blocks):
            return Extraction(labels=np.zeros(0, np.int8), scores=np.zeros(0, np.float32))
        model = context.models.load(self.model_name)
        probabilities = line_probabilities(document, model)
        config = model.config
        labels = probabilities.argmax(axis=1).astype(np.int64)
        body, chosen = choose(body_probabilities(probabilities), byte_sizes(blocks.texts), **config["decoding"])
        fields = {} if context.is_list else _fields(document, probabilities, config["least"])
        labels = np.where(chosen, BODY, np.where(labels == BODY, NOISE, labels))
        return Extraction(
            body=body_text(blocks, chosen),
            labels=_CODES[labels],
            scores=probabilities[:, BODY].copy(),
            fields=fields,
            score=calibrated(expected_f1(body, blocks.chars, chosen), config["score"]),
        )


def line_probabilities(document: Document, model: Model) -> NDArray[np.float32]:
    """Probability of each of LABELS for each line: float32 [lines, 6]."""
    x = features(document.title, document.blocks.texts, _vocabulary_of(model), model.config["lengths"])
    return run_in_parts(model, x)


@lru_cache(maxsize=8)
def _vocabulary_of(model: Model) -> Vocabulary:
    return Vocabulary(model.config["words"])


def run_in_parts(model: Model, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The outputs for a page; a long page is run in parts that overlap by more than the convolutions' receptive field."""
    if len(x) <= RUN:
        whole: NDArray[np.float32] = model.run(features=x)[0]
        return whole
    parts = []
    for start in range(0, len(x), RUN):
        first = max(0, start - OVERLAP)
        outputs = model.run(features=x[first : start + RUN + OVERLAP])[0]
        parts.append(outputs[start - first : start - first + RUN])
    return np.concatenate(parts)


# ------------------------------------------------------------------------------------------------------------- features
class Vocabulary:
    """Rows of the word table: 0 is no word, 1 to 5 are unknown words by character class, then come the known words."""

    UNKNOWN = 6

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
    """FEATURES of a page's lines: float32 [lines, len(FEATURES)]. `lengths`: of each label, as `lengths_of` gives them."""
    count = len(texts)
    x = np.zeros((count, len(FEATURES)), np.float32)
    if not count:
        return x
    chars = np.fromiter(map(len, texts), np.int64, count)
    shown = [text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} {text[-TAIL:]}" for text in texts]
    column = FIRST + LAST
    words = words_of(shown, same_digits=True)
    rows = vocabulary.rows_of(words.codes, words.classes)
    x[:, :column] = _word_rows(words, rows)
    x[:, column : column + 3] = writing(chars, lengths)
    x[:, column + 3] = np.minimum(np.arange(count), POSITIONS - 1)
    x[:, column + 4 :] = _text_features(title, texts, shown, words, rows)
    return x


def _word_rows(words: Words, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of the first and last words of each line: int64 [lines, FIRST + LAST]."""
    starts, ends = words.starts[:-1, None], words.starts[1:, None]
    place = np.hstack((starts + np.arange(FIRST), np.maximum(ends - LAST, starts + FIRST) + np.arange(LAST)))
    result: NDArray[np.int64] = np.where(place < ends, np.append(rows, 0)[np.minimum(place, len(rows))], 0)
    return result


def length_row(lengths: NDArray[np.integer[Any]] | NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Row of the table of lengths: fine for short texts, coarse for long ones.

    >>> length_row(np.array([0, 1, 2, 100, 10_000])).tolist()
    [0, 4, 6, 26, 47]
    """
    rows: NDArray[np.int64] = np.minimum(np.log2(1 + np.asarray(lengths, np.float64)) * 4, LENGTHS - 1).astype(np.int64)
    return rows


def lengths_of(chars: NDArray[np.int64], labels: NDArray[np.int64]) -> dict[str, list[float]]:
    """Lengths of the lines of each label: mean and deviation of the log lengths, and the 5 % and 95 % quantiles."""
    lengths = {}
    for label, name in enumerate(LABELS):
        own = chars[labels == label]
        if len(own):
            logs = np.log1p(own)
            statistics = (logs.mean(), max(float(logs.std()), 0.1), np.quantile(own, 0.05), np.quantile(own, 0.95))
            lengths[name] = [round(float(statistic), 3) for statistic in statistics]
    return lengths


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
            np.log1p(np.fromiter(map(len, texts), np.int64, count)) / 8,
            np.log1p(sizes) / 8,
            np.minimum(1, sizes / largest),
            np.log1p(place) / 8,
            np.log1p(count - 1 - place) / 8,
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
    result: NDArray[np.float64] = np.clip((np.arange(len(both)) - best) / 32, -1, 1) if both[best] > 0.3 else np.zeros(len(both))
    return result


def _around(values: NDArray[np.float64], lines: int) -> NDArray[np.float64]:
    """Half of the sum over `lines` lines around each (an odd number), at most 2."""
    sums = np.cumsum(np.pad(values, (lines // 2 + 1, lines // 2)))
    result: NDArray[np.float64] = np.minimum(4, sums[lines:] - sums[:-lines]) / 2
    return result


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
        of_title = self._by_line(in_title)
        self.of_title = of_title / max(1, len(wanted))
        """Share of the title's terms that the line holds ..."""
        self.of_line = of_title / np.maximum(1, np.bincount(lines, minlength=count))
        """... and their share of the line's terms."""
        others = self._in_other_lines(is_running.astype(np.float64))
        usual = lines_of[self._term] <= max(2, count / 2)
        self.shared = self._by_line_sum((others > 0) & usual) / np.maximum(1, np.bincount(self._line, minlength=count))
        """Share of the line's terms that occur in other lines of running text too."""
        near = np.where(is_running, np.minimum(8, self._by_line(rare * in_title)), 0)
        if not near.any():
            near = is_running.astype(np.float64)
        related = np.clip(self._in_other_lines(near) / 4, 0, 1)
        self.story = self._by_line_sum(rare[self._term] * related) / np.maximum(3, self._by_line(rare))
        """Share of the line's rare terms that occur in other lines of running text that share terms with the title."""

    def _by_line(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Sum over the terms of each line of a value that each term has."""
        return self._by_line_sum(values[self._term])

    def _by_line_sum(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Sum over the terms of each line of a value that each occurrence has."""
        sums: NDArray[np.float64] = np.bincount(self._line, values, self._count).astype(np.float64)
        return sums

    def _in_other_lines(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum of a value of lines over the other lines that hold a term; for each term of each line."""
        own = values[self._line]
        result: NDArray[np.float64] = np.bincount(self._term, own)[self._term] - own if len(own) else own
        return result


# --------------------------------------------------------------------------------------------------------------- fields
def body_probabilities(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probability of each line to be main text; 0 for lines that are more likely another field."""
    other = probabilities[:, TITLE:].max(axis=1)
    result: NDArray[np.float32] = np.where(probabilities[:, BODY] > other, probabilities[:, BODY], 0).astype(np.float32)
    return result


def choose(
    probabilities: NDArray[np.float32], sizes: NDArray[np.int64], *, run: float, weight: float, outside: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The probability of each line to be main text, lower outside the best run of text, and the lines of the highest expected F1."""
    first, end = best_run(probabilities, sizes, run, weight)
    lowered = probabilities * np.float32(outside)
    lowered[first:end] = probabilities[first:end]
    return lowered, decode(lowered, sizes.astype(np.float64))


def _fields(document: Document, probabilities: NDArray[np.float32], least: Mapping[str, float]) -> dict[str, list[Candidate]]:
    """The candidates whose probability is high enough, best first. `least`: the lowest probability by label."""
    fields: dict[str, list[Candidate]] = {}
    signals = PageSignals(document)
    for label, read in ((TITLE, _read_title), (TIME, _read_time), (SOURCE, _read_source)):
        own = probabilities[:, label] + (probabilities[:, TIME] if label == SOURCE else 0)  # mostly one line holds both
        for line in np.argsort(-own, kind="stable")[:CANDIDATES].tolist():
            text = document.blocks.texts[line]
            if own[line] < least[LABELS[label]]:
                break
            if len(text) <= LONGEST_FIELD and (value := read(text, signals)):
                candidate = Candidate(value, "nemtf", document.blocks.xpath(line), round(float(own[line]), 4))
                fields.setdefault(LABELS[label], []).append(candidate)
    if links := _links(document, probabilities[:, RELATED], least["related"]):
        fields["related"] = [Candidate([link for link, _ in links], "nemtf", None, round(float(np.mean([p for _, p in links])), 4))]
    return fields


def _read_title(text: str, signals: PageSignals) -> str | None:
    return collapse(text) or None


def _read_time(text: str, signals: PageSignals) -> str | None:
    found = next(iter_times(text, now=signals.now, day_first=signals.day_first, relative=signals.fetched is not None), None)
    return found.value if found else None


def _read_source(text: str, signals: PageSignals) -> str | None:
    """The source behind a label; other text beside a time may be anything."""
    return source_name(text) if SOURCE_LABEL.search(f" {text}") else None


def _links(document: Document, probabilities: NDArray[np.float32], least: float) -> list[tuple[Link, float]]:
    """The links of the lines that are related articles, each address once, with the line's probability."""
    elements = document.blocks.elements
    likely = np.append(probabilities >= least, False)
    starts = np.minimum(elements.start, len(probabilities))
    found: dict[str, tuple[Link, float]] = {}
    for row in np.flatnonzero((elements.tag == _LINK) & (elements.end > elements.start) & likely[starts]).tolist():
        line = int(elements.start[row])
        url = document.absolute(elements.nodes[row].get("href"))
        title = collapse(document.blocks.link_texts[line]) or document.blocks.texts[line]
        if url and url.startswith(("http:", "https:")):
            found.setdefault(url, (Link(title, url), float(probabilities[line])))
    return list(found.values())
