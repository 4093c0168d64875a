"""What a page says about itself, gathered once: JSON-LD objects, headings, marked-up elements, short lines of text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.extraction import NO_CONTEXT
from webcontent.fields.dates import time_from_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document
    from webcontent.extraction import Extraction, PageContext

LONGEST_LINE = 200
"""Characters of a block that may still be a byline or a date line."""
LONGEST_TEXT = 500
"""Characters of an element's text that are looked at."""
RUNNING_WORDS = 12
"""A block with so many words outside links is running text."""
BODY = 1
"""Code of `body` among `extractors.LABELS`, which stand above this module."""

_HAN = re.compile("[\u3400-\u9fff]")
_KANA = re.compile("[\u3040-\u30ff]")
_HEADINGS = tuple((TAG_CODES[f"h{level}"], level) for level in (1, 2, 3, 4))
_ITEMPROP = etree.XPath("descendant::*[@itemprop]")
_TIME = TAG_CODES["time"]
_LINK = TAG_CODES["a"]
_ARTICLE_TYPE = re.compile(r"(?:article|posting|report|review|recipe)$", re.I)
_PAGE_TYPE = re.compile(r"(?:page|work|object|product|event|course|dataset|episode|movie|book|show|podcast|thesis|paper)$", re.I)
_AMERICAN_ORDER = re.compile(r"^en(?:$|[-_]us|[-_]ca|[-_]ph)|^$", re.I)
_DAY_FIRST_HOSTS = re.compile(r"\.(?:uk|au|nz|ie|in|za|sg|hk|my|ng|ke|gh|pk|lk|eu)$")


@dataclass(slots=True, frozen=True)
class Heading:
    """A heading of level 1 to 4."""

    row: int
    level: int
    block: int
    """Its first block."""
    text: str


class PageSignals:
    """All signals of a document; computed when first asked for."""

    def __init__(self, document: Document, extraction: Extraction | None = None, context: PageContext = NO_CONTEXT) -> None:
        self.document = document
        self.host = context.host
        self.models = context.models
        self.blocks: Blocks = document.blocks
        self.labels = extraction.labels if extraction is not None else None
        self.title_block: int | None = None
        """Block of the title; set once the title is known."""
        self.title_key: str | None = None
        """Plain form of the title; set with it."""

    @cached_property
    def now(self) -> datetime:
        """When the page was fetched; this moment where nobody says."""
        try:
            return datetime.fromisoformat(self.document.fetched_at or "")
        except ValueError:
            return datetime.now(UTC)

    @cached_property
    def fetched(self) -> datetime | None:
        """When the page was fetched, where somebody says: relative times and days without a year hang on it."""
        return self.now if self.document.fetched_at else None

    @cached_property
    def is_han(self) -> bool:
        """Whether the title element (else the text) is Chinese: its conventions for date lines differ."""
        text = self.document.title or " ".join(self.blocks.texts[:40])
        return bool(_HAN.search(text)) and not _KANA.search(text)

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """JSON-LD objects that may describe the page, articles first, each kind in page order."""
        articles, pages = [], []
        for item in self.document.json_ld:
            name = type_of(item)
            if _ARTICLE_TYPE.search(name):
                articles.append(item)
            elif _PAGE_TYPE.search(name) and name != "ImageObject" or not name:
                pages.append(item)
        return articles + pages

    @cached_property
    def is_article(self) -> bool:
        """Whether JSON-LD calls something on the page an article."""
        return any(_ARTICLE_TYPE.search(type_of(item)) for item in self.objects[:1])

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """The fullest JSON-LD object of each @id."""
        found: dict[str, dict[str, Any]] = {}
        for item in self.document.json_ld:
            key = item.get("@id")
            if isinstance(key, str) and len(item) > len(found.get(key, {})):
                found[key] = item
        return found

    def resolve(self, value: Any) -> Any:
        """What a reference `{"@id": ...}` points to; other values as they are."""
        if isinstance(value, dict) and len(value) <= 2 and isinstance(key := value.get("@id"), str) and "name" not in value:
            return self.by_id.get(key, value)
        return value

    @cached_property
    def headings(self) -> list[Heading]:
        elements = self.blocks.elements
        found = []
        for code, level in _HEADINGS:
            for row in np.flatnonzero(elements.tag == code)[:60].tolist():
                start, end = int(elements.start[row]), int(elements.end[row])
                text = " ".join(self.blocks.texts[start : min(end, start + 4)])
                if text:
                    found.append(Heading(row, level, start, text[:LONGEST_TEXT]))
        return found

    @cached_property
    def marked(self) -> dict[str, list[HtmlElement]]:
        """Elements by each word of their itemprop in lower case, `rel=author`, and `time`."""
        found: dict[str, list[HtmlElement]] = {}
        elements = self.blocks.elements
        for node in _ITEMPROP(self.document.root)[:2000] if "itemprop" in self.document.text else ():
            for name in node.get("itemprop").lower().split():
                found.setdefault(name, []).append(node)
        links = (elements.nodes[row] for row in np.flatnonzero(elements.tag == _LINK)[:2000].tolist())
        found["rel=author"] = [node for node in links if "author" in (node.get("rel") or "")]
        found["time"] = [elements.nodes[row] for row in np.flatnonzero(elements.tag == _TIME)[:100].tolist()]
        return found

    @cached_property
    def row_of(self) -> dict[HtmlElement, int]:
        """Row in the table of elements of each element that was walked."""
        return {node: row for row, node in enumerate(self.blocks.elements.nodes)}

    def block_of(self, node: HtmlElement) -> int | None:
        """The first block of an element."""
        row = self.row_of.get(node)
        return None if row is None else int(self.blocks.elements.start[row])

    @cached_property
    def body(self) -> tuple[int, int] | None:
        """First and last block of the body: of the blocks labelled so, else of the running text."""
        if self.labels is not None:
            chosen = np.flatnonzero(self.labels == BODY)
            if len(chosen):
                return int(chosen[0]), int(chosen[-1])
        return self.running

    @cached_property
    def running(self) -> tuple[int, int] | None:
        """First and last block of running text in the smallest element that holds most of it; the same for every extractor."""
        blocks, elements = self.blocks, self.blocks.elements
        good = (blocks.words >= RUNNING_WORDS) & (blocks.link_words * 3 < blocks.words) & ~blocks.hidden
        if not good.any():
            return None
        sums = blocks.subtree_sums(np.where(good, blocks.words, 0))
        inner = np.flatnonzero(sums >= 0.6 * sums[0])
        row = int(inner[np.argmax(elements.depth[inner])])
        inside = np.arange(int(elements.start[row]), int(elements.end[row]))
        chosen = inside[good[inside]]
        return int(chosen[0]), int(chosen[-1])

    @cached_property
    def short_rows(self) -> list[tuple[int, str]]:
        """Rows of elements whose class or id speaks of time, author or source, with that name; small ones only."""
        elements = self.blocks.elements
        lengths = elements.end - elements.start
        rows = np.flatnonzero((lengths > 0) & (lengths < 12)).tolist()
        classes, ids = elements.classes, elements.ids
        spoken = _spoken_among({(classes[row], ids[row]) for row in rows if classes[row] or ids[row]})
        return [(row, spoken[key]) for row in rows if (key := (classes[row], ids[row])) in spoken]

    def row_text(self, row: int) -> str:
        """Text of an element, white space collapsed, cut at LONGEST_TEXT."""
        return node_text(self.blocks.elements.nodes[row])

    def lines(self) -> Iterator[tuple[int, str]]:
        """Short visible blocks around the title (all of the first hundreds where it is unknown), with their numbers."""
        texts, hidden = self.blocks.texts, self.blocks.hidden
        first, last = self.window
        for block in range(first, last):
            if len(texts[block]) <= LONGEST_LINE and not hidden[block]:
                yield block, texts[block]

    @cached_property
    def window(self) -> tuple[int, int]:
        """Blocks [first, last) where the lines about the article stand: from a little before the title to a little behind it."""
        count = len(self.blocks)
        if self.title_block is not None:
            return max(0, self.title_block - 15), min(count, self.title_block + 30)
        if self.body is not None:
            return max(0, self.body[0] - 25), min(count, self.body[0] + 15)
        return 0, min(count, 150)

    def distance(self, block: int) -> int:
        """Blocks between a line and the title; negative before it. Without a title: to the body, else to the top."""
        anchor = self.title_block
        if anchor is None:
            anchor = self.body[0] if self.body is not None else 0
        return block - anchor

    @cached_property
    def url_time(self) -> str | None:
        return time_from_url(self.document.url, now=self.now)

    @cached_property
    def day_first(self) -> bool:
        """Whether 3/4/2024 is in April: by the page's region."""
        language = (self.document.root.get("lang") or "").strip()
        host = re.sub(r"^https?://|[:/].*$", "", self.document.url or "")
        return not _AMERICAN_ORDER.match(language) or _DAY_FIRST_HOSTS.search(host) is not None

    def xpath(self, block: int) -> str:
        return self.blocks.xpath(block)


_CLASS_WORDS = (
    ("time", re.compile(r"date|time|publi|posted|created|fecha|datum|shijian|riqi|rq\b", re.I)),
    ("authors", re.compile(r"author|byline|writer|autor|auteur|redakt|creator|by-?line|contributor|zuozhe|reporter|journalist", re.I)),
    ("source", re.compile(r"source|laiyuan|origin|media-?name|nickname|account-?name|from\b", re.I)),
    ("modified", re.compile(r"updat|modif|edit", re.I)),
)
_CLASS_NOISE = re.compile(r"comment|related|sidebar|timeline|times\b|runtime|countdown|timer|resource|footer|validate|candidate", re.I)
_CLASS_ANY = tuple(
    "date time publi posted created fecha datum shijian riqi rq author byline writer autor auteur redakt creator by-line "
    "contributor zuozhe reporter journalist "
    "source laiyuan origin medianame media-name nickname accountname account-name from updat modif edit".split()
)
"""One of these stands in every class that _CLASS_WORDS find: looking for plain words is faster."""


def _spoken_among(names: set[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Of pairs of a class and an id those that speak of fields, with these; the words are looked for in all pairs at once."""
    pairs = list(names)
    keys = [_class_key(class_name, element_id) for class_name, element_id in pairs]
    begins = list(accumulate((len(key) + 1 for key in keys), initial=0))
    joined = "\n".join(keys)
    found = {bisect_right(begins, place) - 1 for word in _CLASS_ANY for place in _iter_places(joined, word)}
    spoken = ((pairs[place], _spoken(keys[place])) for place in found)
    return {pair: name for pair, name in spoken if name is not None}


def _class_key(class_name: str, element_id: str) -> str:
    return f"{class_name[:200]} {element_id[:100]}".lower()


def _iter_places(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


@lru_cache(maxsize=20_000)
def _spoken(key: str) -> str | None:
    """Fields that a class and id speak of, parted by spaces; None where they speak of none or of something else."""
    if _CLASS_NOISE.search(key):
        return None
    return " ".join(name for name, pattern in _CLASS_WORDS if pattern.search(key)) or None


def type_of(item: dict[str, Any]) -> str:
    """The last @type of a JSON-LD object, without its vocabulary's address; "" where there is none."""
    value = item.get("@type")
    if isinstance(value, list):
        value = next((name for name in value if isinstance(name, str)), "")
    return value.rsplit("/", 1)[-1] if isinstance(value, str) else ""


def strings_of(value: Any, *keys: str, depth: int = 3) -> list[str]:
    """Every string of a JSON value that may be a string, an object (its `keys`) or a list of these."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if depth and isinstance(value, list):
        return [text for item in value[:50] for text in strings_of(item, *keys, depth=depth - 1)]
    if depth and isinstance(value, dict):
        for key in keys:
            if texts := strings_of(value.get(key), *keys, depth=depth - 1):
                return texts
    return []


def node_text(node: HtmlElement) -> str:
    """Text of an element, white space collapsed, cut at LONGEST_TEXT; scripts and styles left out."""
    parts: list[str] = []
    size = 0
    for element in node.iter():
        if element.tag not in ("script", "style") and element.text:
            parts.append(element.text)
        if element is not node and element.tail:
            parts.append(element.tail)
        size += len(parts[-1]) if parts else 0
        if size > 4 * LONGEST_TEXT:
            break
    return " ".join("".join(parts).split())[:LONGEST_TEXT]


def plain(text: str | None) -> str:
    """Letters and digits only, NFKC and lower case: what makes two forms of a title or a name the same."""
    text = text or ""
    if text.isascii():
        return text.lower().translate(_NO_PUNCTUATION)
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).lower()))


_NO_PUNCTUATION = {code: None for code in range(128) if not chr(code).isalnum()}


def collapse(text: str) -> str:
    return " ".join(text.split())


def node_xpath(node: HtmlElement) -> str:
    return xpath_of(node)
