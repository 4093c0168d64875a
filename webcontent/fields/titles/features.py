"""Features of title candidates, by name: what the ranking model learns from. The model's config has their order."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import plain
from webcontent.fields.titles.site_names import MAX_TITLE_CHARS, site_names

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles.candidates import TitleGroup

# They are part of the model: a change needs a new training.
MISSING, FAR = -1, 99
"""Of a share, and of a distance that is not known."""
MIN_CONTAINED_CHARS = 4
"""Shorter names of the site and headings are not looked for inside a title."""
MAX_DATE_DISTANCE, MAX_DATE_LINE_CHARS = 4, 120
"""Blocks behind a candidate in which a date is looked for, and characters of a line with one."""
TEXT_CHARS = 3_000
"""Of the running text, among whose words those of a headline are looked for."""
MIN_CONTENT_WORD = 4
"""Letters of a word that says what a text is about; of Chinese and Japanese each character does."""

_ORIGINS = {
    "h1": "h1",
    "og": "og:title",
    "og_head": "og:title head",
    "twitter": "twitter:title",
    "title_head": "title head",
    "line": "line",
}
_CLASS = re.compile(alternation("class_names", "title"), re.I)
_ARTICLE_CLASS = re.compile(
    rf"(?:{alternation('class_names', 'article')})[\w-]*(?:{alternation('class_names', 'title_of_article')})|headline", re.I
)
_DIGIT = re.compile(r"\d")
_DATE = re.compile(r"(?:19|20)\d\d|\d月\d|[小時时分]前|\bago\b")
_WORD = re.compile(r"[\u3040-\u9fff]|[^\W_\u3040-\u9fff]+")
_MARK = re.compile(r"\s?[:：|｜]\s?|\s[-–—+]+\s|\s?[—–]\s?")
_SENTENCE_ENDS = (".", "。", "…", ",", ":", "：")


def title_features(signals: PageSignals, groups: list[TitleGroup]) -> list[dict[str, float]]:
    """The features of each candidate of a page."""
    page = _Page(signals, len(groups))
    return [page.features(place, group) for place, group in enumerate(groups)]


class _Page:
    """What the features of all candidates of a page share."""

    def __init__(self, signals: PageSignals, candidates: int) -> None:
        document, declared = signals.document, signals.declared
        first_titles = {row.origin: row.value for row in reversed(declared.rows("title")) if row.object == 0}
        og, twitter, headline = (first_titles.get(origin, "") for origin in ("og:title", "twitter:title", "json-ld:headline"))
        first = next((heading for heading in signals.headings if heading.level == 1), None)
        slug = (document.url or "").rstrip("/").rsplit("/", 1)[-1]
        self.blocks = signals.blocks
        self.title, self.og = plain(document.title), plain(og)
        self.names = [name for name in site_names(signals) if len(name) >= MIN_CONTAINED_CHARS]
        self.heading_blocks = sorted(heading.block for heading in signals.headings)
        self.h1s = [plain(heading.text) for heading in signals.headings if heading.level == 1]
        self.h1 = self.h1s[0] if self.h1s else ""
        self.titles = {key for key in (self.title, self.og, plain(twitter), plain(headline), *self.h1s[:2]) if key}
        texts = {"title": document.title or "", "og": og, "h1": first.text if first else "", "slug": slug}
        self.words_of = {name: _words(text) for name, text in texts.items()}
        self.text_words = _text_words(signals)
        self.links = Counter(self.blocks.link_texts)
        self.start = signals.running[0] if signals.running is not None else None
        self.shared: dict[str, float] = {
            "candidates": candidates,
            "no_h1": not self.h1s,
            "h1s": len(self.h1s),
            "h1_in_title": bool(self.title) and any(key in self.title for key in self.h1s),
            "is_article": declared.is_article,
            "og_article": "article" in declared.values("type", "og:type"),
        }

    def features(self, place: int, group: TitleGroup) -> dict[str, float]:
        """By name."""
        return self.shared | self._origins(group) | self._relations(group) | self._text(group) | self._places(place, group)

    def _origins(self, group: TitleGroup) -> dict[str, float]:
        """Where a candidate was seen."""
        origins = group.origins
        named, article = _names_title(group.class_name)
        found = {name: origin in origins for name, origin in _ORIGINS.items()}
        kinds = {origin.partition(" ")[0].partition(":")[0] for origin in origins}
        return {**found, "class": named, "article_class": article, "origins": len(origins), "kinds": len(kinds)}

    def _relations(self, group: TitleGroup) -> dict[str, float]:
        """What it has in common with the headings, the declared titles, the address, the running text and the site's names."""
        key, title, og, h1 = group.key, self.title, self.og, self.h1
        words, content = _words(group.text), _content_words(group.text)
        shares: dict[str, float] = {}
        for name, others in self.words_of.items():
            both, either = len(words & others), words and others
            shares[f"words_in_{name}"] = both / len(words) if either else MISSING
            shares[f"{name}_words"] = both / len(others) if either else MISSING
        return shares | {
            "only_h1": h1 == key and len(self.h1s) == 1,
            "in_h1": key in h1 and key != h1,
            "h1_length": len(key) / len(h1) if h1 else MISSING,
            "in_og": key in og,
            "og_length": len(key) / len(og) if og else MISSING,
            "title_share": len(key) / max(1, len(title)),
            "starts_title": title.startswith(key),
            "ends_title": title.endswith(key),
            "holding": sum([key in other for other in self.titles]),
            "held": sum([other in key for other in self.titles]) - (key in self.titles),
            "holds_site": any(name in key for name in self.names),
            "ends_site": any(key.endswith(name) and key != name for name in self.names),
            "in_text": len(content & self.text_words) / len(content) if content and self.text_words else MISSING,
        }

    def _text(self, group: TitleGroup) -> dict[str, float]:
        """What it looks like; a kicker ends at its first mark."""
        text = group.text
        marks = list(_MARK.finditer(text))
        return {
            "characters": len(text),
            "words": len(text.split()),
            "sentence": text.endswith(_SENTENCE_ENDS),
            "digits": len(_DIGIT.findall(text)) / len(text),
            "kicker": marks[0].start() / len(text) if marks else 0,
            "marks": len(marks),
        }

    def _places(self, place: int, group: TitleGroup) -> dict[str, float]:
        """Where it stands, among the candidates and on the page."""
        block, start = group.block, self.start
        found: dict[str, float] = {
            "place": place,
            "block": MISSING,
            "body_distance": FAR,
            "headings_before": MISSING,
            "link_share": 0.0,
            "date_behind": MAX_DATE_DISTANCE + 1,
            "links_with_it": self.links[group.text],
        }
        if block is None:
            return found
        found["block"] = block
        found["headings_before"] = bisect_left(self.heading_blocks, block)
        found["link_share"] = len(self.blocks.link_texts[block]) / len(self.blocks.texts[block])
        found["date_behind"] = self._date_behind(block)
        if start is not None:
            found["body_distance"] = min(FAR, block - start)
        return found

    def _date_behind(self, block: int) -> int:
        """Blocks until one with a date, up to MAX_DATE_DISTANCE; one more for none."""
        behind = enumerate(self.blocks.texts[block + 1 : block + 1 + MAX_DATE_DISTANCE], 1)
        return next((step for step, text in behind if len(text) < MAX_DATE_LINE_CHARS and _DATE.search(text)), MAX_DATE_DISTANCE + 1)


@lru_cache(maxsize=10_000)
def _names_title(class_name: str) -> tuple[bool, bool]:
    """Whether a class names a title, and an article's title."""
    return _CLASS.search(class_name) is not None, _ARTICLE_CLASS.search(class_name) is not None


def _text_words(signals: PageSignals) -> set[str]:
    """Content words at the beginning of the running text."""
    text = ""
    for block in range(signals.running[0], signals.running[1] + 1) if signals.running else ():
        text += f" {signals.blocks.texts[block]}"[: TEXT_CHARS - len(text)]
        if len(text) >= TEXT_CHARS:
            break
    return _content_words(text)


def _content_words(text: str) -> set[str]:
    """Words that say what a text is about, in lower case."""
    return {word for word in _WORD.findall(text.lower()) if len(word) >= MIN_CONTENT_WORD or word >= "\u3040"}


def _words(text: str) -> set[str]:
    """Words in lower case; of Chinese and Japanese the characters."""
    return set(_WORD.findall(text[:MAX_TITLE_CHARS].lower()))
