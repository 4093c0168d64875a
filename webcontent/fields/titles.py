"""The title: candidates from JSON-LD, meta tags, headings, the title element and lines that repeat it; ranked by their figures."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.page_signals import collapse, node_text, node_xpath, plain, strings_of, type_of
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.fields.page_signals import Heading, PageSignals

LONGEST_TITLE = 300

_META = (
    "og:title",
    "twitter:title",
    "title",
    "headline",
    "dc.title",
    "dcterms.title",
    "parsely-title",
    "sailthru.title",
    "citation_title",
    "twitter:text:title",
)
_SEPARATOR = re.compile(
    r"\s+[|–—\-·•:»«<>/~›‹→*@]+\s+|\s*[|｜]\s*|\s*_+\s*|(?<=[\u3000-\u9fff\uff00-\uffef])\s*[-–—]+\s*|"
    r"\s*[-–—]+\s*(?=[\u3000-\u9fff])|\s+::\s+|:\s+|\s+\(|\s*»\s*|\s*«\s*|\s*—\s*"
)
_CLASS = re.compile(r"title|headline|heading|subject", re.I)
_ARTICLE_CLASS = re.compile(
    r"(?:article|post|entry|news|content|main|page|story|detail|art|single)[\w-]*(?:title|headline|heading|header)|headline", re.I
)
_FRAME = frozenset((TAG_CODES["aside"], TAG_CODES["nav"]))
_TITLE_CODES = tuple(TAG_CODES[name] for name in ("h1", "h2", "h3", "h4"))


@dataclass(slots=True)
class TitleGroup:
    """All places that say the same title."""

    text: str
    key: str
    """Its plain form."""
    origins: dict[str, str | None] = field(default_factory=dict)
    """Origin -> xpath."""
    block: int | None = None
    level: int = 0
    """1 to 4 where it is a heading."""
    class_name: str = ""


def find_titles(signals: PageSignals) -> list[Candidate]:
    """All candidates, best first; sets the block of the title on the signals."""
    groups = _without_shared(signals, _without_frame(signals, title_groups(signals)))
    if not groups:
        return []
    ranked = sorted(zip(_scores(signals, groups), groups, strict=True), key=lambda pair: -pair[0])
    signals.title_block = _block_of(signals, ranked[0][1])
    signals.title_key = plain(ranked[0][1].text)
    return [Candidate(group.text, *_place_of(group), round(score, 4)) for score, group in ranked]


def _without_frame(signals: PageSignals, groups: list[TitleGroup]) -> list[TitleGroup]:
    """The candidates without the first-level headings of sidebars and menus (the site's name), where the page has one of its own too."""
    h1s = [group for group in groups if "h1" in group.origins and group.block is not None]
    framed = [group for group in h1s if _stands_in(signals.blocks, group.block, _FRAME) and not any(map(_is_declared, group.origins))]
    return [group for group in groups if group not in framed] if len(framed) < len(h1s) else groups


def _without_shared(signals: PageSignals, groups: list[TitleGroup]) -> list[TitleGroup]:
    """The candidates without what the title elements of the site's other pages end or begin with, too."""
    shared = set(map(plain, _shared_names(signals)))
    return [group for group in groups if group.key not in shared] or groups if shared else groups


def _is_declared(origin: str) -> bool:
    """Whether a machine was told so, not a reader."""
    return ":" in origin


def _place_of(group: TitleGroup) -> tuple[str, str | None]:
    """Origin and xpath of a candidate: where the reader sees it, else the first place that declares it."""
    return next(((origin, xpath) for origin, xpath in group.origins.items() if xpath), next(iter(group.origins.items())))


def tail_of_title(title: str, key: str) -> str | None:
    """What stands behind the title in the title element, parted from it: mostly the site's name.

    >>> tail_of_title("A story - The Paper", plain("A story"))
    'The Paper'
    """
    for match in _SEPARATOR.finditer(title[:LONGEST_TITLE]):
        if plain(title[: match.start()]) == key:
            tail = list(_SEPARATOR.split(title[match.end() :]))[-1].strip(" )|_-")
            return tail if 1 < len(tail) <= 40 else None
    return None


def site_names(signals: PageSignals) -> set[str]:
    """Plain names of the site: og:site_name, publisher, application name, the host's own label."""
    meta = signals.document.meta
    names = [
        name
        for key in ("og:site_name", "application-name", "apple-mobile-web-app-title", "dc.publisher", "publisher")
        for name in meta.get(key, ())
    ]
    for item in signals.document.json_ld[:50]:
        names += strings_of(signals.resolve(item.get("publisher")), "name")
        if type_of(item) in ("WebSite", "NewsMediaOrganization"):
            names += strings_of(item, "name")
    found = {plain(name) for name in names}
    try:
        host = urlsplit(signals.document.url or "").hostname or ""
    except ValueError:
        host = ""
    labels = host.split(".")
    if len(labels) > 1:
        found |= {plain(host), plain(host.removeprefix("www.")), plain(labels[-2])}
        if len(labels) > 2:
            found.add(plain(labels[-3]))
    return {name for name in (*found, *map(plain, _shared_names(signals))) if len(name) > 1}


def _shared_names(signals: PageSignals) -> Iterator[str]:
    """What the title element has in common with those of the site's other pages, up to a separator."""
    site, title = signals.host, signals.document.title
    if site is None or not title:
        return
    tail, head = site.title_tail(title), site.title_head(title)
    if cuts := list(_SEPARATOR.finditer(tail)):
        yield tail[cuts[0].end() :]
        yield tail[cuts[-1].end() :]
    if cuts := list(_SEPARATOR.finditer(head)):
        yield head[: cuts[0].start()]
        yield head[: cuts[-1].start()]


# ---------------------------------------------------------------------------------------------- candidates
def title_groups(signals: PageSignals) -> list[TitleGroup]:
    """The candidates, in the order in which they were seen: declared ones, headings, lines."""
    groups: dict[str, TitleGroup] = {}
    for value, origin, xpath, block, level, class_name in _iter_places(signals):
        text = clean_title(value)
        key = plain(text)
        if not key or len(text) > LONGEST_TITLE:
            continue
        group = groups.setdefault(key, TitleGroup(text, key))
        group.origins.setdefault(origin, xpath)
        if block is not None and (
            group.block is None or _prominence(signals, block, level) > _prominence(signals, group.block, group.level)
        ):
            group.block, group.level = block, level
            group.text = text  # as the reader sees it
        group.class_name = group.class_name or class_name
    return list(groups.values())


def _prominence(signals: PageSignals, block: int, level: int) -> tuple[bool, bool, bool, int]:
    """Which of two places of a title is the title's own: shown, no mere link, a heading, just before the running text."""
    blocks = signals.blocks
    start = signals.running[0] if signals.running else 0
    unlinked = int(blocks.link_chars[block]) * 2 < len(blocks.texts[block])
    return not blocks.hidden[block], level == 1 or unlinked, level > 0, -abs(start - block)


def clean_title(text: str) -> str:
    """One line; without the marks that pages hang on a heading.

    >>> clean_title("  Two \\n words ¶ ")
    'Two words'
    """
    return collapse(text.replace("\xad", "").replace("\u200b", "")).strip(" ¶#|»«›·•_")


_Place = tuple[str, str, str | None, int | None, int, str]


def _iter_places(signals: PageSignals) -> Iterator[_Place]:
    document, blocks = signals.document, signals.blocks
    for item in signals.objects[:3]:
        for key in ("headline", "name", "title"):
            for text in strings_of(item.get(key))[:1]:
                yield text, f"json-ld:{key}", None, None, 0, ""
    for name in _META:
        for text in document.meta.get(name, ())[:1]:
            place = name if ":" in name else f"meta:{name}"
            yield text, place, None, None, 0, ""
            for part, origin in _parts(text):
                yield part, f"{place} {origin}", None, None, 0, ""
    if document.title:
        yield document.title, "title", None, None, 0, ""
        for part, origin in _parts(document.title):
            yield part, f"title {origin}", None, None, 0, ""
        for part in _parts_at_spaces(document.title) if signals.is_han else ():
            yield part, "title space", None, None, 0, ""
    for heading in signals.headings[:40]:
        class_name = blocks.elements.classes[heading.row]
        xpath = signals.xpath(heading.block)
        yield heading.text, f"h{heading.level}", xpath, heading.block, heading.level, class_name
        for part in _parts_of_heading(signals, heading) if heading.level < 3 else ():
            yield part, f"h{heading.level} part", xpath, heading.block, 0, class_name
    for node in signals.marked.get("headline", ())[:3]:
        yield node_text(node), "itemprop:headline", node_xpath(node), signals.block_of(node), 0, node.get("class") or ""
    whole, lowered = plain(document.title), (document.title or "").lower()
    first, last = _lines_before_body(signals)
    for block, text in enumerate(blocks.texts[: max(400, last)]):
        near = first <= block < last
        if (
            not 4 <= len(text) <= LONGEST_TITLE
            or not near
            and (text[:3].lower() not in lowered or blocks.link_chars[block] * 2 > len(text))
        ):
            continue
        if near or (len(key := plain(text)) * 5 >= len(whole) and key and key in whole):
            row = int(blocks.element[block])
            yield text, "text" if not near else "line", signals.xpath(block), block, 0, blocks.elements.classes[row]


def _lines_before_body(signals: PageSignals) -> tuple[int, int]:
    """Blocks [first, last) in which a title without any mark may stand: the last before the running text."""
    if signals.running is None:
        return 0, 0
    return max(0, signals.running[0] - 14), signals.running[0] + 1


def _parts(title: str) -> Iterator[tuple[str, str]]:
    """A title without what stands behind its last or first separators, or before its first."""
    cuts = list(_SEPARATOR.finditer(title[:LONGEST_TITLE]))
    if not cuts:
        return
    for match in {
        cuts[0].start(): cuts[0],
        cuts[-1].start(): cuts[-1],
        cuts[max(0, len(cuts) - 2)].start(): cuts[max(0, len(cuts) - 2)],
    }.values():
        yield title[: match.start()], "head"
    yield title[cuts[0].end() :], "tail"
    if len(cuts) > 1:
        yield title[cuts[-1].end() :], "last"
        yield title[cuts[0].end() : cuts[-1].start()], "middle"


_MARKS_BETWEEN = " :：|-–—"
"""What parts a kicker or a site's name from a title."""


def _parts_at_spaces(title: str) -> Iterator[str]:
    """A Chinese title element up to its first and its last space, which part the site's name there."""
    gaps = [match.start() for match in re.finditer(r"\s+", title[:LONGEST_TITLE])]
    for gap in {*gaps[:1], *gaps[-1:]}:
        yield title[:gap]


def _parts_of_heading(signals: PageSignals, heading: Heading) -> Iterator[str]:
    """A heading without its first or last line or element (a kicker, the site's name), and these."""
    blocks = signals.blocks
    lines = blocks.texts[heading.block : min(int(blocks.elements.end[heading.row]), heading.block + 4)]
    if len(lines) > 1:
        yield " ".join(lines[1:])
        yield " ".join(lines[:-1])
    node = blocks.elements.nodes[heading.row]
    while len(node) == 1 and not (node.text or "").strip() and not (node[0].tail or "").strip():
        node = node[0]
    children = [child for child in node if isinstance(child.tag, str)]
    if not children:
        return
    first, last = node_text(children[0]), node_text(children[-1])
    if first and first != heading.text and heading.text.startswith(first) and not (node.text or "").strip():
        yield heading.text[len(first) :].lstrip(_MARKS_BETWEEN)
        yield first
    if last and last != heading.text and heading.text.endswith(last) and not (children[-1].tail or "").strip():
        yield heading.text[: -len(last)].rstrip(_MARKS_BETWEEN)
        yield last


# ---------------------------------------------------------------------------------------------- figures and ranking
MODEL = "titles_v1"
FIGURES = (
    "h1", "h3", "json_headline", "json_name", "og", "og_head", "og_tail", "twitter", "meta", "title", "title_head", "title_tail",
    "title_middle", "line", "class", "article_class", "bold", "origins", "kinds",
    "first_h1", "only_h1", "no_h1", "h1s", "h1_in_title", "h1_in_og", "og_in_h1", "in_h1", "h1_distance", "h1_length",
    "in_og", "og_length", "title_share", "starts_title", "ends_title", "holding", "held",
    "is_site", "holds_site", "ends_site",
    "words_in_title", "title_words", "words_in_og", "og_words", "words_in_h1", "h1_words", "words_in_slug", "slug_words", "url_overlap",
    "characters", "words", "sentence", "shouting", "digits", "kicker", "kicker_mark", "marks",
    "place", "candidates", "block", "before_body", "body_distance", "headings_before", "same_headings", "link_share",
    "date_behind", "is_article", "og_article",
)  # fmt: skip
"""Names of the columns of `title_figures`."""

_BOLD = frozenset(TAG_CODES[name] for name in ("b", "strong"))
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d|\d月\d|[小時时分]前|\bago\b")
_WORD = re.compile(r"[\u3040-\u9fff]|[^\W_\u3040-\u9fff]+")
_MARK = re.compile(r"\s?[:：|｜]\s?|\s[-–—+]+\s|\s?[—–]\s?")
_MARKS = {":": 1, "：": 1, "|": 2, "｜": 2, "-": 3, "–": 4, "—": 4, "+": 5}


def title_figures(signals: PageSignals, groups: list[TitleGroup]) -> NDArray[np.float32]:
    """One row of FIGURES a candidate: float32 [candidates, len(FIGURES)]."""
    page = _Page(signals, len(groups))
    rows = [page.figures(place, group) for place, group in enumerate(groups)]
    return np.array(rows, np.float32).reshape(len(groups), len(FIGURES))


class _Page:
    """What the figures of all candidates of a page share."""

    def __init__(self, signals: PageSignals, candidates: int) -> None:
        document, meta = signals.document, signals.document.meta
        og, twitter = next(iter(meta.get("og:title", ())), ""), next(iter(meta.get("twitter:title", ())), "")
        headline = next((text for item in signals.objects[:1] for text in strings_of(item.get("headline"))[:1]), "")
        first = next((heading for heading in signals.headings if heading.level == 1), None)
        slug = (document.url or "").rstrip("/").rsplit("/", 1)[-1]
        headings = [(heading.level, heading.block, plain(heading.text)) for heading in signals.headings]
        self.blocks = signals.blocks
        self.candidates = candidates
        self.title, self.og, self.slug = plain(document.title), plain(og), plain(slug)
        self.names = site_names(signals)
        self.long_names = [name for name in self.names if len(name) > 3]
        self.heading_blocks = sorted(block for _, block, _ in headings)
        self.heading_keys = Counter(key for _, _, key in headings)
        self.h1s = [key for level, _, key in headings if level == 1]
        self.h1 = self.h1s[0] if self.h1s else ""
        self.h1_block = first.block if first else None
        self.statements = {key for key in (self.title, self.og, plain(twitter), plain(headline), *self.h1s[:2]) if key}
        self.words = [_words(text) for text in (document.title or "", og, first.text if first else "", slug)]
        self.tags: list[int] = self.blocks.elements.tag.tolist()
        self.parents: list[int] = self.blocks.elements.parent.tolist()
        self.start = signals.running[0] if signals.running is not None else None
        self.shared = (
            not self.h1s, len(self.h1s), bool(self.title) and any(key in self.title for key in self.h1s),
            bool(self.h1) and self.h1 in self.og, bool(self.og) and self.og in self.h1,
        )  # fmt: skip
        self.kinds = signals.is_article, "article" in meta.get("og:type", ())

    def figures(self, place: int, group: TitleGroup) -> tuple[float, ...]:
        """In the order of FIGURES."""
        return (*self._origins(group), *self._relations(group), *self._overlaps(group), *self._text(group), *self._places(place, group))

    def _origins(self, group: TitleGroup) -> tuple[float, ...]:
        """Where a candidate was seen."""
        origins = group.origins
        return (
            "h1" in origins, "h3" in origins or "h4" in origins, "json-ld:headline" in origins,
            "json-ld:name" in origins or "json-ld:title" in origins,
            "og:title" in origins, "og:title head" in origins, "og:title tail" in origins, "twitter:title" in origins,
            any(origin[:5] == "meta:" for origin in origins),
            "title" in origins, "title head" in origins, "title tail" in origins, "title middle" in origins, "line" in origins,
            *_speaks_of_title(group.class_name), self._is_bold(group.block),
            len(origins), len(set(map(_kind_of, origins))),
        )  # fmt: skip

    def _is_bold(self, block: int | None) -> bool:
        """Whether a block's first text stands in bold type."""
        row = -1 if block is None else self.blocks.pieces[int(self.blocks.piece_start[block])][1]
        for _ in range(4):
            if row < 0:
                return False
            if self.tags[row] in _BOLD:
                return True
            row = self.parents[row]
        return False

    def _relations(self, group: TitleGroup) -> tuple[float, ...]:
        """What it has in common with the headings, the declared titles and the site's names."""
        key, block, title, og, h1 = group.key, group.block, self.title, self.og, self.h1
        return (
            h1 == key, h1 == key and len(self.h1s) == 1, *self.shared, key in h1 and key != h1,
            99 if block is None or self.h1_block is None else max(-30, min(30, block - self.h1_block)),
            len(key) / len(h1) if h1 else -1, key in og, len(key) / len(og) if og else -1,
            min(9.0, len(key) / max(1, len(title))), title.startswith(key), title.endswith(key),
            sum([key in other for other in self.statements]),
            sum([other in key for other in self.statements]) - (key in self.statements),
            key in self.names, any(name in key for name in self.long_names),
            any(key.endswith(name) and key != name for name in self.long_names),
        )  # fmt: skip

    def _overlaps(self, group: TitleGroup) -> list[float]:
        """Its share of the words of the title element, og:title, the first heading and the address, and theirs of its own."""
        words = _words(group.text)
        shares: list[float] = []
        for others in self.words:
            both = len(words & others)
            shares += (both / len(words), both / len(others)) if words and others else (-1, -1)
        parts = group.text.lower().split()[:20]
        return [*shares, sum([len(part) > 2 and part in self.slug for part in parts]) / max(1, len(parts))]

    def _text(self, group: TitleGroup) -> tuple[float, ...]:
        """What it looks like; a kicker ends at its first mark."""
        text = group.text
        marks = list(_MARK.finditer(text))
        return (
            len(text), len(text.split()[:20]), text.endswith((".", "。", "…", ",", ":", "：")), text.isupper(),
            len(_DIGIT.findall(text)) / len(text), marks[0].start() / len(text) if marks else 0,
            _MARKS[marks[0][0].strip()[0]] if marks else 0, len(marks),
        )  # fmt: skip

    def _places(self, place: int, group: TitleGroup) -> tuple[float, ...]:
        """Where it stands, among the candidates and on the page."""
        key, block, start, blocks = group.key, group.block, self.start, self.blocks
        return (
            place, self.candidates,
            -1 if block is None else min(block, 400), start is not None and block is not None and block <= start,
            99 if start is None or block is None else max(-99, min(99, block - start)),
            -1 if block is None else bisect_left(self.heading_blocks, block),
            self.heading_keys[key], 0.0 if block is None else len(blocks.link_texts[block]) / len(blocks.texts[block]),
            self._date_behind(block), *self.kinds,
        )  # fmt: skip

    def _date_behind(self, block: int | None) -> int:
        """Blocks until one with a year, up to 4; 5 for none."""
        if block is None:
            return 5
        for step, text in enumerate(self.blocks.texts[block + 1 : block + 5], 1):
            if len(text) < 120 and _YEAR.search(text):
                return step
        return 5


@lru_cache(maxsize=1_000)
def _kind_of(origin: str) -> str:
    """og of "og:title head", title of "title tail"."""
    return re.split(r"[: ]", origin, maxsplit=1)[0]


@lru_cache(maxsize=10_000)
def _speaks_of_title(class_name: str) -> tuple[bool, bool]:
    """Whether a class speaks of a title, and of an article's."""
    return _CLASS.search(class_name) is not None, _ARTICLE_CLASS.search(class_name) is not None


def _words(text: str) -> set[str]:
    """Words in lower case; of Chinese and Japanese the characters."""
    return set(_WORD.findall(text[:LONGEST_TITLE].lower()))


def _stands_in(blocks: Blocks, block: int | None, codes: frozenset[int]) -> bool:
    """Whether a block's first text stands in one of these elements."""
    if block is None:
        return False
    elements = blocks.elements
    row = blocks.pieces[int(blocks.piece_start[block])][1]
    for _ in range(4):
        if row < 0:
            return False
        if int(elements.tag[row]) in codes:
            return True
        row = int(elements.parent[row])
    return False


def _scores(signals: PageSignals, groups: list[TitleGroup]) -> list[float]:
    """Probability of each candidate to be the title, from the model."""
    scores: list[float] = signals.models.load(MODEL).run(features=title_figures(signals, groups))[0][:, 0].tolist()
    return scores


def _block_of(signals: PageSignals, best: TitleGroup) -> int | None:
    """Where the title stands on the page: its own heading or line, else the first line that holds it."""
    if best.block is not None:
        return best.block
    key = plain(best.text)
    for heading in signals.headings:
        other = plain(heading.text)
        if len(other) > 5 and (other in key or key in other):
            return heading.block
    return None
