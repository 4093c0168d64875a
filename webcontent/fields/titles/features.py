"""Features of title candidates: what the ranking model learns from."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.page_signals import plain
from webcontent.fields.titles.site_names import MAX_TITLE_CHARS, site_names

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles.candidates import TitleGroup

# Parts of the model: a change needs a new training.
MISSING, FAR = -1, 99
"""What features have where there is nothing to measure, and distances from what is not there."""
MIN_LONG_NAME = 4
"""Shorter names of the site are not looked for inside a candidate."""
MAX_DATE_DISTANCE = 4
"""Blocks behind a candidate in which a date is looked for."""
MAX_DATE_LINE_CHARS = 120
TEXT_CHARS = 3_000
"""Of the running text, among whose words those of a headline are looked for."""
MAX_ANCESTORS = 4
"""Elements around a text, the nearest first, that may make it bold."""
MIN_CONTENT_WORD = 4
"""Letters of a word that says what a text is about; of Chinese and Japanese each character does."""

_BOLD = frozenset(TAG_CODES[name] for name in ("b", "strong"))
_DIGIT = re.compile(r"\d")
_DATE = re.compile(r"(?:19|20)\d\d|\d月\d|[小時时分]前|\bago\b")
_WORD = re.compile(r"[\u3040-\u9fff]|[^\W_\u3040-\u9fff]+")
_MARK = re.compile(r"\s?[:：|｜]\s?|\s[-–—+]+\s|\s?[—–]\s?")
_MARK_CODES = {":": 1, "：": 1, "|": 2, "｜": 2, "-": 3, "–": 4, "—": 4, "+": 5}


def title_features(signals: PageSignals, groups: list[TitleGroup]) -> list[dict[str, float]]:
    """The features of each of a page's candidates, by name."""
    page = _Page(signals)
    return [{**page.features(group), "place": place, "candidates": len(groups)} for place, group in enumerate(groups)]


class _Page:
    """What the features of all candidates of a page share."""

    def __init__(self, signals: PageSignals) -> None:
        document, declared = signals.document, signals.declared
        first_titles = {row.origin: row.value for row in reversed(declared.rows("title")) if row.object == 0}
        og, twitter, headline = (first_titles.get(origin, "") for origin in ("og:title", "twitter:title", "json-ld:headline"))
        first = next((heading for heading in signals.headings if heading.level == 1), None)
        slug = (document.url or "").rstrip("/").rsplit("/", 1)[-1]
        self.blocks, self.title = signals.blocks, plain(document.title)
        self.long_names = [name for name in site_names(signals) if len(name) >= MIN_LONG_NAME]
        self.heading_blocks = sorted(heading.block for heading in signals.headings)
        self.h1s = [plain(heading.text) for heading in signals.headings if heading.level == 1]
        self.h1 = self.h1s[0] if self.h1s else ""
        self.titles = {key for key in (self.title, plain(og), plain(twitter), plain(headline), *self.h1s[:2]) if key}
        texts = {"title": document.title or "", "og": og, "h1": first.text if first else "", "slug": slug}
        self.words = {name: _words(text) for name, text in texts.items()}
        self.signals, self.links = signals, Counter(signals.blocks.link_texts)
        start, end = signals.running or (0, -1)
        self.start = signals.running[0] if signals.running else None
        self.text_words = _content_words(" ".join(self.blocks.texts[start : end + 1])[:TEXT_CHARS])

    def features(self, group: TitleGroup) -> dict[str, float]:
        """What follows from a candidate alone."""
        own = {"links_with_it": self.links[group.text], "bold": self._is_bold(group.block)}
        return {**own, **self._relations(group), **self._overlaps(group.text), **_text_features(group.text), **self._location(group.block)}

    def _relations(self, group: TitleGroup) -> dict[str, float]:
        """Where it was seen, and what it has in common with the headings, the declared titles and the site's names."""
        key, origins = group.key, group.origins
        return {
            **{name.replace(" ", "_"): name in origins for name in ("h1", "title head", "line")},
            "origins": len(origins),
            "kinds": len({origin.replace(" ", ":").partition(":")[0] for origin in origins}),  # og of "og:title head"
            "first_h1": self.h1 == key,
            "only_h1": self.h1s == [key],
            "no_h1": not self.h1s,
            "h1s": len(self.h1s),
            "in_h1": key in self.h1 and key != self.h1,
            "title_share": len(key) / max(1, len(self.title)),
            "starts_title": self.title.startswith(key),
            "holding": sum([key in other for other in self.titles]),
            "held": sum([other in key for other in self.titles]) - (key in self.titles),
            "holds_site": any(name in key for name in self.long_names),
            "ends_site": any(key.endswith(name) and key != name for name in self.long_names),
        }

    def _overlaps(self, text: str) -> dict[str, float]:
        """Its share of the words of the title element, og:title, the first heading and the address, and theirs of its own."""
        words, content = _words(text), _content_words(text)
        shares: dict[str, float] = {}
        for name, others in self.words.items():
            both = len(words & others)
            of_both = (both / len(words), both / len(others)) if words and others else (MISSING, MISSING)
            shares |= dict(zip((f"words_in_{name}", f"{name}_words"), of_both, strict=True))
        known = content and self.text_words
        return {**shares, "in_text": len(content & self.text_words) / len(content) if known else MISSING}

    def _location(self, block: int | None) -> dict[str, float]:
        """Where it stands on the page, if it is shown."""
        if block is None:
            return {
                **dict.fromkeys(("block", "headings_before"), MISSING),
                "body_distance": FAR,
                **dict.fromkeys(("before_body", "link_share"), 0),
                "date_behind": MAX_DATE_DISTANCE + 1,
            }
        return {
            "block": block,
            "headings_before": bisect_left(self.heading_blocks, block),
            "body_distance": FAR if self.start is None else block - self.start,
            "before_body": self.start is not None and block <= self.start,
            "link_share": len(self.blocks.link_texts[block]) / len(self.blocks.texts[block]),
            "date_behind": self._date_behind(block),
        }

    def _is_bold(self, block: int | None) -> bool:
        """Whether a block's first text stands in a bold element."""
        row = -1 if block is None else self.blocks.pieces[int(self.blocks.piece_start[block])][1]
        return any(int(self.blocks.elements.tag[above]) in _BOLD for above in self.signals.ancestors(row, MAX_ANCESTORS))

    def _date_behind(self, block: int) -> int:
        """Blocks until one with a date, up to MAX_DATE_DISTANCE; one more for none."""
        lines = enumerate(self.blocks.texts[block + 1 : block + 1 + MAX_DATE_DISTANCE], 1)
        dated = (step for step, text in lines if len(text) < MAX_DATE_LINE_CHARS and _DATE.search(text))
        return next(dated, MAX_DATE_DISTANCE + 1)


def _text_features(text: str) -> dict[str, float]:
    """What it looks like; a kicker ends at its first mark."""
    mark = _MARK.search(text)
    return {
        "characters": len(text),
        "words": len(text.split()),
        "digits": len(_DIGIT.findall(text)) / len(text),
        "kicker": mark.start() / len(text) if mark else 0,
        "kicker_mark": _MARK_CODES[mark[0].strip()[0]] if mark else 0,
    }


def _content_words(text: str) -> set[str]:
    """Words that say what a text is about, in lower case."""
    return {word for word in _WORD.findall(text.lower()) if len(word) >= MIN_CONTENT_WORD or word >= "\u3040"}


def _words(text: str) -> set[str]:
    """Words in lower case; of Chinese and Japanese the characters."""
    return set(_WORD.findall(text[:MAX_TITLE_CHARS].lower()))
