"""Features of title candidates: what the ranking model learns from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import plain
from webcontent.fields.titles.site_names import MAX_TITLE_CHARS, site_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles.candidates import TitleGroup

FEATURES = (
    "h1", "h3", "json_headline", "json_name", "og", "og_head", "og_tail", "twitter", "meta", "title", "title_head", "title_tail",
    "title_middle", "line", "class", "article_class", "bold", "origins", "kinds",
    "first_h1", "only_h1", "no_h1", "h1s", "h1_in_title", "h1_in_og", "og_in_h1", "in_h1", "h1_distance", "h1_length",
    "in_og", "og_length", "title_share", "starts_title", "ends_title", "holding", "held",
    "is_site", "holds_site", "ends_site",
    "words_in_title", "title_words", "words_in_og", "og_words", "words_in_h1", "h1_words", "words_in_slug", "slug_words", "url_overlap",
    "characters", "words", "sentence", "shouting", "digits", "kicker", "kicker_mark", "marks",
    "place", "candidates", "block", "before_body", "body_distance", "headings_before", "same_headings", "link_share",
    "date_behind", "is_article", "og_article",
    "in_text", "links_with_it", "font_size", "alt", "picture", "caption_class",
)  # fmt: skip
"""Names of the columns of `title_features`, in their order."""

# Bounds and fill-in values of features. They are part of the model: a change needs a new training.
MISSING = -1
FAR = 99
MAX_H1_DISTANCE = 30
MAX_BLOCK = 400
MAX_TITLE_SHARE = 9.0
MAX_WORDS = 20
MIN_LONG_NAME = 4
"""Shorter names of the site are not looked for inside a candidate."""
MIN_SLUG_WORD = 3
MAX_DATE_DISTANCE = 4
"""Blocks behind a candidate in which a date is looked for."""
MAX_DATE_LINE_CHARS = 120
MAX_ANCESTORS = 4
TEXT_CHARS = 3_000
"""Of the running text, among whose words those of a headline are looked for."""
MIN_CONTENT_WORD = 4
"""Letters of a word that says what a text is about; of Chinese and Japanese each character does."""
PICTURE_BLOCKS = 3
"""An element with a picture and at most as many blocks holds little beside its caption."""

_CLASS = re.compile(alternation("class_names", "title"), re.I)
_CAPTION_CLASS = re.compile(alternation("class_names", "image"), re.I)
_ARTICLE_CLASS = re.compile(
    rf"(?:{alternation('class_names', 'article')})[\w-]*(?:{alternation('class_names', 'title_of_article')})|headline", re.I
)
_IMG = TAG_CODES["img"]
_FONT_SIZES = {"1": 10, "2": 13, "3": 16, "4": 18, "5": 24, "6": 32, "7": 48, "-1": 13, "+1": 18, "+2": 24, "+3": 32, "+4": 48}
"""Pixels of the sizes of <font>."""
_PX_PER_PT = 4 / 3
_FONT_STYLE = re.compile(r"font(?:-size)?\s*:[^;]*?\b(\d+(?:\.\d+)?)(px|pt)", re.I)
_BOLD = frozenset(TAG_CODES[name] for name in ("b", "strong"))
_DIGIT = re.compile(r"\d")
_DATE = re.compile(r"(?:19|20)\d\d|\d月\d|[小時时分]前|\bago\b")
_WORD = re.compile(r"[\u3040-\u9fff]|[^\W_\u3040-\u9fff]+")
_MARK = re.compile(r"\s?[:：|｜]\s?|\s[-–—+]+\s|\s?[—–]\s?")
_MARK_CODES = {":": 1, "：": 1, "|": 2, "｜": 2, "-": 3, "–": 4, "—": 4, "+": 5}
_SENTENCE_ENDS = (".", "。", "…", ",", ":", "：")


def title_features(signals: PageSignals, groups: list[TitleGroup]) -> NDArray[np.float32]:
    """Features of a page's candidates: float32 [candidates, len(FEATURES)]."""
    page = _Page(signals, len(groups))
    rows = [page.features(place, group) for place, group in enumerate(groups)]
    return np.array(rows, np.float32).reshape(len(groups), len(FEATURES))


class _Page:
    """What the features of all candidates of a page share."""

    def __init__(self, signals: PageSignals, candidates: int) -> None:
        document, declared = signals.document, signals.declared
        first_titles = {row.origin: row.value for row in reversed(declared.rows("title")) if row.object == 0}
        og, twitter, headline = (first_titles.get(origin, "") for origin in ("og:title", "twitter:title", "json-ld:headline"))
        first = next((heading for heading in signals.headings if heading.level == 1), None)
        slug = (document.url or "").rstrip("/").rsplit("/", 1)[-1]
        headings = [(heading.level, heading.block, plain(heading.text)) for heading in signals.headings]
        self.signals, self.blocks = signals, signals.blocks
        self.candidates = candidates
        self.title, self.og, self.slug = plain(document.title), plain(og), plain(slug)
        self.names = site_names(signals)
        self.long_names = [name for name in self.names if len(name) >= MIN_LONG_NAME]
        self.heading_blocks = sorted(block for _, block, _ in headings)
        self.heading_keys = Counter(key for _, _, key in headings)
        self.h1s = [key for level, _, key in headings if level == 1]
        self.h1 = self.h1s[0] if self.h1s else ""
        self.h1_block = first.block if first else None
        self.titles = {key for key in (self.title, self.og, plain(twitter), plain(headline), *self.h1s[:2]) if key}
        self.words = [_words(text) for text in (document.title or "", og, first.text if first else "", slug)]
        self.text_words = _text_words(signals)
        self.links = Counter(self.blocks.link_texts)
        images = np.flatnonzero(self.blocks.elements.tag == _IMG).tolist()
        self.alts = {(self.blocks.elements.nodes[row].get("alt") or "").strip() for row in images}
        self.pictures = _near_pictures(signals, images)
        self.start = signals.running[0] if signals.running is not None else None
        self.shared = (
            not self.h1s, len(self.h1s), bool(self.title) and any(key in self.title for key in self.h1s),
            bool(self.h1) and self.h1 in self.og, bool(self.og) and self.og in self.h1,
        )  # fmt: skip
        self.article = declared.is_article, "article" in declared.values("type", "og:type")

    def features(self, place: int, group: TitleGroup) -> tuple[float, ...]:
        """In the order of FEATURES."""
        return (
            *self._origins(group),
            *self._relations(group),
            *self._overlaps(group),
            *self._text(group),
            *self._places(place, group),
            *self._surroundings(group),
        )

    def _origins(self, group: TitleGroup) -> tuple[float, ...]:
        """Where a candidate was seen."""
        origins = group.origins
        return (
            "h1" in origins, "h3" in origins or "h4" in origins, "json-ld:headline" in origins,
            "json-ld:name" in origins or "json-ld:title" in origins,
            "og:title" in origins, "og:title head" in origins, "og:title tail" in origins, "twitter:title" in origins,
            any(origin[:5] == "meta:" for origin in origins),
            "title" in origins, "title head" in origins, "title tail" in origins, "title middle" in origins, "line" in origins,
            *_names_title(group.class_name), stands_in(self.signals, group.block, _BOLD),
            len(origins), len(set(map(_origin_kind, origins))),
        )  # fmt: skip

    def _relations(self, group: TitleGroup) -> tuple[float, ...]:
        """What it has in common with the headings, the declared titles and the site's names."""
        key, block, title, og, h1 = group.key, group.block, self.title, self.og, self.h1
        return (
            h1 == key, h1 == key and len(self.h1s) == 1, *self.shared, key in h1 and key != h1,
            FAR if block is None or self.h1_block is None else max(-MAX_H1_DISTANCE, min(MAX_H1_DISTANCE, block - self.h1_block)),
            len(key) / len(h1) if h1 else MISSING, key in og, len(key) / len(og) if og else MISSING,
            min(MAX_TITLE_SHARE, len(key) / max(1, len(title))), title.startswith(key), title.endswith(key),
            sum([key in other for other in self.titles]),
            sum([other in key for other in self.titles]) - (key in self.titles),
            key in self.names, any(name in key for name in self.long_names),
            any(key.endswith(name) and key != name for name in self.long_names),
        )  # fmt: skip

    def _overlaps(self, group: TitleGroup) -> list[float]:
        """Its share of the words of the title element, og:title, the first heading and the address, and theirs of its own."""
        words = _words(group.text)
        shares: list[float] = []
        for others in self.words:
            both = len(words & others)
            shares += (both / len(words), both / len(others)) if words and others else (MISSING, MISSING)
        parts = group.text.lower().split()[:MAX_WORDS]
        return [*shares, sum([len(part) >= MIN_SLUG_WORD and part in self.slug for part in parts]) / max(1, len(parts))]

    def _text(self, group: TitleGroup) -> tuple[float, ...]:
        """What it looks like; a kicker ends at its first mark."""
        text = group.text
        marks = list(_MARK.finditer(text))
        return (
            len(text), len(text.split()[:MAX_WORDS]), text.endswith(_SENTENCE_ENDS), text.isupper(),
            len(_DIGIT.findall(text)) / len(text), marks[0].start() / len(text) if marks else 0,
            _MARK_CODES[marks[0][0].strip()[0]] if marks else 0, len(marks),
        )  # fmt: skip

    def _places(self, place: int, group: TitleGroup) -> tuple[float, ...]:
        """Where it stands, among the candidates and on the page."""
        key, block, start, blocks = group.key, group.block, self.start, self.blocks
        return (
            place, self.candidates,
            MISSING if block is None else min(block, MAX_BLOCK), start is not None and block is not None and block <= start,
            FAR if start is None or block is None else max(-FAR, min(FAR, block - start)),
            MISSING if block is None else bisect_left(self.heading_blocks, block),
            self.heading_keys[key], 0.0 if block is None else len(blocks.link_texts[block]) / len(blocks.texts[block]),
            self._date_behind(block), *self.article,
        )  # fmt: skip

    def _surroundings(self, group: TitleGroup) -> tuple[float, ...]:
        """What it shares with the running text, links and pictures; sections and sites are linked, captions stand beside pictures."""
        words, block = _content_words(group.text), group.block
        row = -1 if block is None else int(self.blocks.element[block])
        return (
            len(words & self.text_words) / len(words) if words and self.text_words else MISSING,
            self.links[group.text], self._font_size(block), group.text in self.alts, row in self.pictures,
            any(_names_caption(self.blocks.elements.classes[place]) for place in self.signals.ancestors(row, 2)),
        )  # fmt: skip

    def _font_size(self, block: int | None) -> float:
        """Pixels that <font> or a style attribute gives a block's first text."""
        for row in _around(self.signals, block):
            node = self.blocks.elements.nodes[row]
            if size := _FONT_SIZES.get(node.get("size") or "") if node.tag == "font" else None:
                return size
            if found := _FONT_STYLE.search(node.get("style") or ""):
                return float(found[1]) * (_PX_PER_PT if found[2].lower() == "pt" else 1)
        return MISSING

    def _date_behind(self, block: int | None) -> int:
        """Blocks until one with a date, up to MAX_DATE_DISTANCE; one more for none."""
        if block is not None:
            for step, text in enumerate(self.blocks.texts[block + 1 : block + 1 + MAX_DATE_DISTANCE], 1):
                if len(text) < MAX_DATE_LINE_CHARS and _DATE.search(text):
                    return step
        return MAX_DATE_DISTANCE + 1


@lru_cache(maxsize=1_000)
def _origin_kind(origin: str) -> str:
    """og of "og:title head", title of "title tail"."""
    return re.split(r"[: ]", origin, maxsplit=1)[0]


@lru_cache(maxsize=10_000)
def _names_title(class_name: str) -> tuple[bool, bool]:
    """Whether a class names a title, and an article's title."""
    return _CLASS.search(class_name) is not None, _ARTICLE_CLASS.search(class_name) is not None


@lru_cache(maxsize=10_000)
def _names_caption(class_name: str) -> bool:
    """Whether a class names pictures, captions or credits."""
    return _CAPTION_CLASS.search(class_name) is not None


def _text_words(signals: PageSignals) -> set[str]:
    """Content words at the beginning of the running text."""
    first, last = signals.running or (0, -1)
    return _content_words(" ".join(signals.blocks.texts[first : last + 1])[:TEXT_CHARS])


def _content_words(text: str) -> set[str]:
    """Words that say what a text is about, in lower case."""
    return {word for word in _WORD.findall(text.lower()) if len(word) >= MIN_CONTENT_WORD or word >= "\u3040"}


def _near_pictures(signals: PageSignals, images: Sequence[int]) -> set[int]:
    """Rows of the small elements that hold one of the `images`, given by their rows, and of what they hold."""
    elements = signals.blocks.elements
    near: set[int] = set()
    for image in images:
        for row in signals.ancestors(int(elements.parent[image])):
            if row in near or int(elements.end[row]) - int(elements.start[row]) > PICTURE_BLOCKS:
                break
            near.update(signals.blocks.element[int(elements.start[row]) : int(elements.end[row])].tolist())
    return near


def _words(text: str) -> set[str]:
    """Words in lower case; of Chinese and Japanese the characters."""
    return set(_WORD.findall(text[:MAX_TITLE_CHARS].lower()))


def _around(signals: PageSignals, block: int | None) -> Iterator[int]:
    """Rows of the elements around a block's first text, the nearest first."""
    return signals.ancestors(-1 if block is None else signals.blocks.pieces[int(signals.blocks.piece_start[block])][1], MAX_ANCESTORS)


def stands_in(signals: PageSignals, block: int | None, codes: frozenset[int]) -> bool:
    """Whether a block's first text stands in an element with one of these tag codes."""
    return any(int(signals.blocks.elements.tag[row]) in codes for row in _around(signals, block))
