"""Signals of a page, each computed once: headings, classes that name a field, the body."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.features.columns import covered
from webcontent.document.text import MAX_TEXT_CHARS
from webcontent.extraction import BODY
from webcontent.fields.dates import DateContext, time_from_url
from webcontent.fields.lexicon import alternation, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.declared import Declared
    from webcontent.document.parsing import Document
    from webcontent.extraction import Extraction
    from webcontent.items import Candidate

RUNNING_WORDS = 12
"""A block is running text if it has at least this number of words ..."""
RUNNING_WORDS_PER_LINK_WORD = 3
"""... and more than this number for each word in a link."""
MIN_RUNNING_SHARE = 0.6
"""The element of the running text holds at least this share of its words."""
MAX_FIELD_BLOCKS = 12
"""An element whose class names a field has fewer blocks; a larger one is a section about it."""

# Elements that are looked at, at most: pages that have more repeat them without end.
MAX_HEADINGS_OF_LEVEL = 60
MAX_HEADING_BLOCKS = 4
MAX_FIGURE_DEPTH = 4
"""The element itself and its nearest ancestors, in all this number of elements, may be the figure around it."""

_HAN_SAMPLE_BLOCKS = 40
_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_HEADINGS = tuple((TAG_CODES[f"h{level}"], level) for level in (1, 2, 3, 4))
_BUTTON = TAG_CODES["button"]
_MONTH_FIRST_LANGUAGES = re.compile(r"^en(?:$|[-_]us|[-_]ca|[-_]ph)|^$", re.I)
_DAY_FIRST_HOSTS = re.compile(r"\.(?:uk|au|nz|ie|in|za|sg|hk|my|ng|ke|gh|pk|lk|eu)$")
_AROUND_HOST = re.compile(r"^https?://|[:/].*$")

_FIELD_CLASSES = tuple((name, re.compile(alternation("class_names", name), re.I)) for name in ("time", "authors", "source", "modified"))
"""Fields and the class names that name them."""
_IMAGE_CLASS = re.compile(alternation("class_names", "image"), re.I)
_NO_FIELD_CLASS = re.compile(alternation("class_names", "no_field"), re.I)
_ANY_FIELD = re.compile(alternation("class_names", *(name for name, _ in _FIELD_CLASSES)))
"""Found in every class that one of _FIELD_CLASSES names: a quick test."""


@dataclass(slots=True, frozen=True)
class Heading:
    """A heading of level 1 to 4."""

    row: int
    level: int
    block: int
    """Its first block."""
    text: str


class PageSignals:
    """All signals of a document, each computed when it is first asked for. Nothing changes after construction."""

    def __init__(self, document: Document, extraction: Extraction | None = None, day_first: bool | None = None) -> None:
        """`extraction`: its labels tell where the body is. `day_first`: whether 3/4/2024 is in April, if it is known."""
        self.document = document
        self.blocks: Blocks = document.blocks
        self.declared: Declared = document.declared
        self.labels = extraction.labels if extraction is not None else None
        self._day_first = day_first

    @cached_property
    def dates(self) -> DateContext:
        """How the page's dates are read. Where the moment of the fetch is unknown, the present is the bound, and nothing is relative."""
        now = DateContext.of(self.document.fetched_at).now
        return DateContext(now or datetime.now(UTC), None, self._is_day_first(), relative=now is not None)

    @cached_property
    def is_han(self) -> bool:
        """Whether the title element (else the text) is Chinese: conventions of date lines and bylines differ there."""
        text = self.document.title or " ".join(self.blocks.texts[:_HAN_SAMPLE_BLOCKS])
        return bool(_HAN.search(text)) and not _KANA.search(text)

    def follows(self, convention: str) -> bool:
        """Whether a convention of the lexicon is one of the page's language."""
        return self.is_han and "zh" in words("conventions", convention)

    @cached_property
    def headings(self) -> list[Heading]:
        """Headings with text, first those of level 1, each level in page order."""
        elements = self.blocks.elements
        headings = []
        for code, level in _HEADINGS:
            for row in np.flatnonzero(elements.tag == code)[:MAX_HEADINGS_OF_LEVEL].tolist():
                start, end = int(elements.start[row]), int(elements.end[row])
                blocks = range(start, min(end, start + MAX_HEADING_BLOCKS))
                text = " ".join([self.blocks.texts[block] for block in blocks if self.blocks.tag[block] != _BUTTON])
                if text:
                    headings.append(Heading(row, level, start, text[:MAX_TEXT_CHARS]))
        return headings

    def block_of(self, node: HtmlElement) -> int | None:
        """The first block of an element; of one without text the block behind it, or the last one of the page."""
        row, count = self.blocks.row_of.get(node), len(self.blocks)
        return None if row is None or not count else min(int(self.blocks.elements.start[row]), count - 1)

    @cached_property
    def body(self) -> tuple[int, int] | None:
        """First and last block of the body: of the blocks with that label, else of the running text."""
        if self.labels is not None:
            chosen = np.flatnonzero(self.labels == BODY)
            if len(chosen):
                return int(chosen[0]), int(chosen[-1])
        return self.running

    @cached_property
    def running(self) -> tuple[int, int] | None:
        """First and last block of running text in the smallest element that holds most of it; the same for every extractor."""
        blocks, elements = self.blocks, self.blocks.elements
        good = (blocks.words >= RUNNING_WORDS) & (blocks.link_words * RUNNING_WORDS_PER_LINK_WORD < blocks.words) & ~blocks.hidden
        if not good.any():
            return None
        sums = blocks.subtree_sums(np.where(good, blocks.words, 0))
        inner = np.flatnonzero(sums >= MIN_RUNNING_SHARE * sums[0])
        row = int(inner[np.argmax(elements.depth[inner])])
        inside = np.arange(int(elements.start[row]), int(elements.end[row]))
        chosen = inside[good[inside]]
        return int(chosen[0]), int(chosen[-1])

    @cached_property
    def field_rows(self) -> list[tuple[int, tuple[str, ...]]]:
        """Rows of small elements whose class or id names one of time, authors, source and modified, with these fields."""
        elements = self.blocks.elements
        lengths = elements.end - elements.start
        rows = np.flatnonzero((lengths > 0) & (lengths < MAX_FIELD_BLOCKS)).tolist()
        classes, ids = elements.classes, elements.ids
        keys = ((row, f"{classes[row][:200]} {ids[row][:100]}".lower()) for row in rows if classes[row] or ids[row])
        return [(row, fields) for row, key in keys if (fields := _fields_of(key))]

    def ancestors(self, row: int, count: int | None = None) -> Iterator[int]:
        """Rows of an element and its ancestors, nearest first: `count` rows, else all; none of a row below 0."""
        while row >= 0 and count != 0:
            yield row
            row, count = int(self.blocks.elements.parent[row]), None if count is None else count - 1

    def in_figure(self, row: int) -> bool:
        """Whether an element belongs to an image: a name there is the photographer's, a source the agency's."""
        nodes, classes = self.blocks.elements.nodes, self.blocks.elements.classes
        return any(
            nodes[place].tag in ("figure", "figcaption") or _IMAGE_CLASS.search(classes[place])
            for place in self.ancestors(row, MAX_FIGURE_DEPTH)
        )

    @cached_property
    def url_time(self) -> str | None:
        """The date in the page's address."""
        return time_from_url(self.document.url, self.dates)

    def _is_day_first(self) -> bool:
        """Whether 3/4/2024 is in April: as the caller knows, else by the page's language and the host's country."""
        if self._day_first is not None:
            return self._day_first
        language = (self.document.root.get("lang") or "").strip()
        host = _AROUND_HOST.sub("", self.document.url or "")
        return not _MONTH_FIRST_LANGUAGES.match(language) or _DAY_FIRST_HOSTS.search(host) is not None


# ------------------------------------------------------------------------------------------- class names that name a field
@lru_cache(maxsize=20_000)
def _fields_of(key: str) -> tuple[str, ...]:
    """Fields that a class and id name; empty where they name none, or something that only looks like one."""
    if not _ANY_FIELD.search(key) or _NO_FIELD_CLASS.search(key):
        return ()
    return tuple(name for name, pattern in _FIELD_CLASSES if pattern.search(key))


# ------------------------------------------------------------------------------------------- rows, values and texts
def text_within(blocks: Blocks, row: int) -> str:
    """Text of an element, white space collapsed."""
    pieces = blocks.pieces[int(blocks.elements.piece[row]) : int(blocks.elements.piece_end[row])]
    return collapse("".join([text for text, _ in pieces]))


def rows_within(elements: Elements, marked: NDArray[np.bool_]) -> list[bool]:
    """Whether each element is one of the marked ones or lies in one."""
    rows = np.flatnonzero(marked)
    within: list[bool] = covered(rows, elements.last[rows] + 1, len(elements)).tolist()
    return within


_PUNCTUATION = bytes(code for code in range(128) if not chr(code).isalnum())
_LOWER = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))


def plain(text: str | None) -> str:
    """Letters and digits only, NFKC and lower case: two forms of one title or name have the same.

    >>> plain("Ice stops the ferry!") == plain("ICE STOPS  THE FERRY")
    True
    """
    text = text or ""
    if text.isascii():
        return text.encode().translate(_LOWER, _PUNCTUATION).decode()  # four times as fast as to translate the text
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).lower()))


def ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates, best first, with 1/rank as their scores."""
    return [replace(candidate, score=round(1 / place, 4)) for place, candidate in enumerate(candidates, 1)]


def collapse(text: str) -> str:
    """Runs of white space as one space; none at the ends."""
    return " ".join(text.split())
