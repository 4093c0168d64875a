"""NEMTF: title, time, source, body, related story or noise, for each line of a page, from nothing but its text.

Weng Binyue et al., doi 10.19734/j.issn.1001-3695.2021.10.0407. Writing feature, position feature and semantic feature, convolutions
k = 1..5 with max pooling and the six labels are the paper's. It judges a line alone; the shipped network (`models/nemtf_v1`) also
sees the lines around it through convolutions over the page's lines, and how much of the page's title a line holds. It sees no tags.

From labels to fields: the likeliest line of each field that reads as one, where the network is sure enough (`least` in config.json);
what it does not give comes from `fields`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent import extractors
from webcontent.document.blocks import TAG_CODES
from webcontent.document.lines import DIGIT, PUNCTUATION, Words, clean_title, term_counts, terms_of, words_of
from webcontent.document.text import body_text
from webcontent.extractors import Extraction
from webcontent.extractors.bpnn import decode, trust
from webcontent.fields.clues import Clues, collapse
from webcontent.fields.dates import iter_times
from webcontent.fields.people import _SOURCE_LABEL, _source_name
from webcontent.items import LIST, Candidate, Link
from webcontent.models import load_model

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

MODEL = "nemtf_v1"
LABELS = ("noise", "body", "title", "time", "source", "related")
"""What a line can be, in the order of the network's outputs."""
NOISE, BODY, TITLE, TIME, SOURCE, RELATED = range(len(LABELS))
_CODES = np.array([getattr(extractors, name.upper()) for name in LABELS], np.int8)
"""The same labels as `extractors.LABELS` numbers them."""

FIRST, LAST = 12, 4
"""Words of a line that are looked at: so many at its beginning and its end."""
HEAD, TAIL = 160, 50
"""Characters of a long line that hold them."""
WRITING = ("length", "shortest", "longest")
FIGURES = ("share_of_title", "share_of_line", "length", "place", "place_from_end", "same_line", "after_title", "marks", "numbers")
FEATURES = (*(f"word_{i}" for i in range(FIRST + LAST)), *WRITING, "position", *FIGURES)
"""Names of the columns of `features`; words, writing and position are rows of tables."""
LENGTHS, POSITIONS = 48, 256
"""Rows of the tables of lengths and of line numbers."""
RUN, OVERLAP = 8192, 64
"""A page of more lines is read in runs of so many, which overlap."""
CANDIDATES = 3
"""Lines of a field that are tried."""
LONGEST_FIELD = 300
"""Characters of a line that is a title, a time or a source."""
_LINK = TAG_CODES["a"]


class Nemtf:
    """Fields and main text by the network over lines."""

    name = "nemtf"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL) -> None:
        self.model_name = model

    @cached_property
    def model(self) -> Model:
        return load_model(self.model_name)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.model.config["words"])

    def __call__(self, document: Document) -> Extraction:
        blocks = document.blocks
        if not len(blocks):
            return Extraction(labels=np.zeros(0, np.int8), scores=np.zeros(0, np.float32))
        probabilities = self.probabilities(document)
        config = self.model.config
        labels = probabilities.argmax(axis=1).astype(np.int64)
        likely = body_probabilities(probabilities)
        chosen = decode(likely, blocks.chars, **config["decoding"])
        is_list = document.page_type is not None and document.page_type.type == LIST  # a list page has no time or source of its own
        found = {} if is_list else _fields(document, probabilities, config["least"])
        labels = np.where(chosen, BODY, np.where(labels == BODY, NOISE, labels))
        return Extraction(
            body=body_text(blocks, chosen),
            labels=_CODES[labels],
            scores=probabilities[:, BODY].copy(),
            fields=found,
            score=trust(likely, blocks.chars, chosen),
        )

    def probabilities(self, document: Document) -> NDArray[np.float32]:
        """Chance of each of LABELS for each line: float32 [lines, 6]."""
        x = features(document.title, document.blocks.texts, self.vocabulary, self.model.config["lengths"])
        return run_in_parts(self.model, x)


def run_in_parts(model: Model, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """One run of the network for a page; long pages in parts that overlap by more than the network looks around."""
    if len(x) <= RUN:
        whole: NDArray[np.float32] = model.run(features=x)[0]
        return whole
    parts = []
    for start in range(0, len(x), RUN):
        first = max(0, start - OVERLAP)
        found = model.run(features=x[first : start + RUN + OVERLAP])[0]
        parts.append(found[start - first : start - first + RUN])
    return np.concatenate(parts)


# ------------------------------------------------------------------------------------------------------------- features
class Vocabulary:
    """Rows of the word table: 0 nothing, 1 to 5 words that are not in it, by kind, then the known words."""

    UNKNOWN = 6

    def __init__(self, words: Sequence[str]) -> None:
        found = words_of(words, same_digits=True)
        codes = found.codes[found.starts[:-1]] if len(words) else np.zeros(0, np.uint64)
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
    x[:, :column] = _word_rows(words, vocabulary)
    x[:, column : column + 3] = writing(chars, lengths)
    x[:, column + 3] = np.minimum(np.arange(count), POSITIONS - 1)
    x[:, column + 4 :] = _figures(title, shown, chars, words)
    return x


def _word_rows(words: Words, vocabulary: Vocabulary) -> NDArray[np.int64]:
    """The first and last words of each line as rows of the table: int64 [lines, FIRST + LAST]."""
    rows = vocabulary.rows_of(words.codes, words.kinds)
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
    """What the writing feature knows of each label: mean and deviation of log lengths, the usual shortest and longest line."""
    found = {}
    for label, name in enumerate(LABELS):
        own = chars[labels == label]
        if len(own):
            logs = np.log1p(own)
            figures = (logs.mean(), max(float(logs.std()), 0.1), np.quantile(own, 0.05), np.quantile(own, 0.95))
            found[name] = [round(float(figure), 3) for figure in figures]
    return found


def writing(chars: NDArray[np.int64], lengths: Mapping[str, Sequence[float]]) -> NDArray[np.int64]:
    """Length of each line, and the usual shortest and longest line of the label whose lines are most like it in length (eq. 1)."""
    known = np.array(list(lengths.values()))
    distance = np.abs(np.log1p(chars)[:, None] - known[:, 0]) / known[:, 1] + np.log(known[:, 1])
    nearest = known[distance.argmin(axis=1)]
    return np.stack((length_row(chars), length_row(nearest[:, 2]), length_row(nearest[:, 3])), axis=1)


def _figures(title: str | None, texts: Sequence[str], chars: NDArray[np.int64], words: Words) -> NDArray[np.float64]:
    """FIGURES: what the sequence variant knows beside the paper's features."""
    count = len(texts)
    wanted = terms_of(clean_title(title))
    found, total = term_counts(texts, wanted)
    of_title, of_line = found / max(1, len(wanted)), found / np.maximum(total, 1)
    both = of_title * of_line
    best = int(both.argmax())
    copies: dict[str, int] = {}
    for text in texts:
        copies[text] = copies.get(text, 0) + 1
    place = np.arange(count)
    lines, each = words.lines, np.maximum(1, np.diff(words.starts))
    marks, numbers = (np.bincount(lines[words.kinds == kind], minlength=count) / each for kind in (PUNCTUATION, DIGIT))
    return np.stack(
        (
            of_title,
            of_line,
            np.log1p(chars) / 8,
            np.log1p(place) / 8,
            np.log1p(count - 1 - place) / 8,
            np.fromiter((copies[text] > 1 for text in texts), np.float64, count),
            np.clip((place - best) / 32, -1, 1) if both[best] > 0.3 else np.zeros(count),
            marks,
            numbers,
        ),
        axis=1,
    )


# --------------------------------------------------------------------------------------------------------------- fields
def body_probabilities(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Chance of each line to be main text, none for lines that are rather something else that is wanted."""
    other = probabilities[:, TITLE:].max(axis=1)
    result: NDArray[np.float32] = np.where(probabilities[:, BODY] > other, probabilities[:, BODY], 0).astype(np.float32)
    return result


def _fields(document: Document, probabilities: NDArray[np.float32], least: Mapping[str, float]) -> dict[str, list[Candidate]]:
    """The candidates of which the network is sure enough, best first."""
    found: dict[str, list[Candidate]] = {}
    clues = Clues(document)
    for label, read in ((TITLE, _read_title), (TIME, _read_time), (SOURCE, _read_source)):
        chances = probabilities[:, label] + (probabilities[:, TIME] if label == SOURCE else 0)  # mostly one line holds both
        for line in np.argsort(-chances, kind="stable")[:CANDIDATES].tolist():
            text = document.blocks.texts[line]
            if chances[line] < least[LABELS[label]]:
                break
            if len(text) <= LONGEST_FIELD and (value := read(text, clues)):
                candidate = Candidate(value, "nemtf", document.blocks.xpath(line), round(float(chances[line]), 4))
                found.setdefault(LABELS[label], []).append(candidate)
    if links := _links(document, probabilities[:, RELATED], least["related"]):
        found["related"] = [Candidate([link for link, _ in links], "nemtf", None, round(float(np.mean([p for _, p in links])), 4))]
    return found


def _read_title(text: str, clues: Clues) -> str | None:
    return collapse(text) or None


def _read_time(text: str, clues: Clues) -> str | None:
    found = next(iter_times(text, now=clues.now, day_first=clues.day_first, relative=clues.fetched is not None), None)
    return found.value if found else None


def _read_source(text: str, clues: Clues) -> str | None:
    """Only behind a label: what else stands beside a time may be anything."""
    return _source_name(text) if _SOURCE_LABEL.search(f" {text}") else None


def _links(document: Document, chances: NDArray[np.float32], least: float) -> list[tuple[Link, float]]:
    """The links of the lines that are related stories, each address once, with the line's chance."""
    elements = document.blocks.elements
    likely = np.append(chances >= least, False)
    starts = np.minimum(elements.start, len(chances))
    found: dict[str, tuple[Link, float]] = {}
    for row in np.flatnonzero((elements.tag == _LINK) & (elements.end > elements.start) & likely[starts]).tolist():
        line = int(elements.start[row])
        url = document.absolute(elements.nodes[row].get("href"))
        title = collapse(document.blocks.link_texts[line]) or document.blocks.texts[line]
        if url and url.startswith(("http:", "https:")):
            found.setdefault(url, (Link(title, url), float(chances[line])))
    return list(found.values())
