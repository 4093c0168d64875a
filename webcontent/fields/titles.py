"""The title: candidates from JSON-LD, meta tags, headings, the title element and lines that repeat it; ranked by their figures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.clues import collapse, node_text, node_xpath, plain, strings_of, type_of
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.clues import Clues

LONGEST_TITLE = 300

_META = ("og:title", "twitter:title", "title", "headline", "dc.title", "dcterms.title", "parsely-title", "sailthru.title", "citation_title", "twitter:text:title")
_SEPARATOR = re.compile(r"\s+[|–—\-·•:»«<>/~›‹→*@]+\s+|\s*[|｜]\s*|\s*_+\s*|(?<=[\u3000-\u9fff\uff00-\uffef])\s*[-–—]+\s*|\s*[-–—]+\s*(?=[\u3000-\u9fff])|\s+::\s+|:\s+|\s+\(|\s*»\s*|\s*«\s*|\s*—\s*")
_CLASS = re.compile(r"title|headline|heading|subject", re.I)
_ARTICLE_CLASS = re.compile(r"(?:article|post|entry|news|content|main|page|story|detail|art|single)[\w-]*(?:title|headline|heading|header)|headline", re.I)
_TITLE_CODES = tuple(TAG_CODES[name] for name in ("h1", "h2", "h3", "h4"))


@dataclass(slots=True)
class TitleGroup:
    """All places that say the same title."""

    text: str
    origins: dict[str, str | None] = field(default_factory=dict)
    """Origin -> xpath."""
    block: int | None = None
    level: int = 0
    """1 to 4 where it is a heading."""
    class_name: str = ""


def find_titles(clues: Clues) -> list[Candidate]:
    """All candidates, best first; sets the block of the title on the clues."""
    groups = list(_group(clues).values())
    if not groups:
        return []
    figures = title_figures(clues, groups)
    ranked = sorted(zip(map(_score, figures), groups, strict=True), key=lambda pair: -pair[0])
    clues.title_block = _block_of(clues, ranked[0][1])
    return [
        Candidate(group.text, origin, xpath, round(score, 4))
        for score, group in ranked
        for origin, xpath in list(group.origins.items())[:1]
    ]


def site_names(clues: Clues) -> set[str]:
    """Plain names of the site: og:site_name, publisher, application name, the host's own label."""
    meta = clues.document.meta
    names = [name for key in ("og:site_name", "application-name", "apple-mobile-web-app-title", "dc.publisher", "publisher") for name in meta.get(key, ())]
    for item in clues.document.json_ld[:50]:
        names += strings_of(clues.resolve(item.get("publisher")), "name")
        if type_of(item) in ("WebSite", "NewsMediaOrganization"):
            names += strings_of(item, "name")
    found = {plain(name) for name in names}
    try:
        host = urlsplit(clues.document.url or "").hostname or ""
    except ValueError:
        host = ""
    labels = host.split(".")
    if len(labels) > 1:
        found |= {plain(host), plain(host.removeprefix("www.")), plain(labels[-2])}
        if len(labels) > 2:
            found.add(plain(labels[-3]))
    return {name for name in found if len(name) > 1}


# ---------------------------------------------------------------------------------------------- candidates
def _group(clues: Clues) -> dict[str, TitleGroup]:
    groups: dict[str, TitleGroup] = {}
    for text, origin, xpath, block, level, class_name in _iter_places(clues):
        text = clean_title(text)
        key = plain(text)
        if not key or len(text) > LONGEST_TITLE:
            continue
        group = groups.setdefault(key, TitleGroup(text))
        group.origins.setdefault(origin, xpath)
        if block is not None and (group.block is None or _prominence(clues, block, level) > _prominence(clues, group.block, group.level)):
            group.block, group.level = block, level
            group.text = text  # as the reader sees it
        group.class_name = group.class_name or class_name
    return groups


def _prominence(clues: Clues, block: int, level: int) -> tuple[bool, bool, bool, int]:
    """Which of two places of a title is the title's own: shown, no mere link, a heading, just before the running text."""
    blocks = clues.blocks
    start = clues.running[0] if clues.running else 0
    unlinked = int(blocks.link_chars[block]) * 2 < len(blocks.texts[block])
    return not blocks.hidden[block], level == 1 or unlinked, level > 0, -abs(start - block)


def clean_title(text: str) -> str:
    """One line; without the marks that pages hang on a heading.

    >>> clean_title("  Two \\n words ¶ ")
    'Two words'
    """
    return collapse(text.replace("\xad", "").replace("\u200b", "")).strip(" ¶#|»«›·•_")


_Place = tuple[str, str, str | None, int | None, int, str]


def _iter_places(clues: Clues) -> Iterator[_Place]:
    document, blocks = clues.document, clues.blocks
    for item in clues.objects[:3]:
        for key in ("headline", "name", "title"):
            for text in strings_of(item.get(key))[:1]:
                yield text, f"json-ld:{key}", None, None, 0, ""
    for name in _META:
        for text in document.meta.get(name, ())[:1]:
            yield text, name if ":" in name else f"meta:{name}", None, None, 0, ""
            for part, origin in _parts(text):
                yield part, f"{name} {origin}", None, None, 0, ""
    if document.title:
        yield document.title, "title", None, None, 0, ""
        for part, origin in _parts(document.title):
            yield part, f"title {origin}", None, None, 0, ""
    for heading in clues.headings[:40]:
        class_name = blocks.elements.classes[heading.row]
        yield heading.text, f"h{heading.level}", clues.xpath(heading.block), heading.block, heading.level, class_name
    for node in clues.marked.get("headline", ())[:3]:
        yield node_text(node), "itemprop:headline", node_xpath(node), clues.block_of(node), 0, node.get("class") or ""
    whole = plain(document.title)
    first, last = _lines_before_body(clues)
    for block, text in enumerate(blocks.texts[: max(400, last)]):
        if not 4 <= len(text) <= LONGEST_TITLE or blocks.link_chars[block] * 2 > len(text) and not first <= block < last:
            continue
        near = first <= block < last
        if near or (len(key := plain(text)) * 5 >= len(whole) and key and key in whole):
            row = int(blocks.element[block])
            yield text, "text" if not near else "line", clues.xpath(block), block, 0, blocks.elements.classes[row]


def _lines_before_body(clues: Clues) -> tuple[int, int]:
    """Blocks [first, last) in which a title without any mark may stand: the last before the running text."""
    if clues.running is None:
        return 0, 0
    return max(0, clues.running[0] - 14), clues.running[0] + 1


def _parts(title: str) -> Iterator[tuple[str, str]]:
    """A title without what stands behind its last or first separators, or before its first."""
    cuts = list(_SEPARATOR.finditer(title[:LONGEST_TITLE]))
    if not cuts:
        return
    for match in {cuts[0].start(): cuts[0], cuts[-1].start(): cuts[-1], cuts[max(0, len(cuts) - 2)].start(): cuts[max(0, len(cuts) - 2)]}.values():
        yield title[: match.start()], "head"
    yield title[cuts[0].end() :], "tail"
    if len(cuts) > 1:
        yield title[cuts[-1].end() :], "last"
        yield title[cuts[0].end() : cuts[-1].start()], "middle"


# ---------------------------------------------------------------------------------------------- figures and ranking
FIGURES = (
    "h1", "h2", "h3", "first_h1", "only_h1", "json_headline", "json_name", "og", "og_head", "twitter", "meta_title", "title", "title_head", "title_tail",
    "title_middle", "title_last", "itemprop", "text", "class", "article_class", "origins", "in_title", "in_og", "title_share", "starts_title", "ends_title", "site_name", "contains_site", "length",
    "line", "bold", "large", "sentence", "shouting", "words", "position", "before_body", "body_distance", "hidden", "link_share", "headings_before", "no_h1", "h1_in_title", "url_overlap", "repeats", "ends_site", "digits", "rank",
)  # fmt: skip
"""Names of the columns of `title_figures`."""


def title_figures(clues: Clues, groups: list[TitleGroup]) -> list[dict[str, float]]:
    """One row of figures a candidate."""
    blocks = clues.blocks
    title, og = plain(clues.document.title), plain(next(iter(clues.document.meta.get("og:title", ())), ""))
    names = site_names(clues)
    h1s = [heading for heading in clues.headings if heading.level == 1]
    h1_in_title = any(plain(heading.text) in title for heading in h1s) if title else False
    slug = plain((clues.document.url or "").rstrip("/").rsplit("/", 1)[-1])
    body = clues.running
    rows: list[dict[str, float]] = []
    for group in groups:
        key, origins = plain(group.text), group.origins
        block = group.block
        words = [plain(word) for word in group.text.split()][:20]
        rows.append({
            "h1": "h1" in origins, "h2": "h2" in origins, "h3": "h3" in origins or "h4" in origins,
            "first_h1": bool(h1s) and plain(h1s[0].text) == key, "only_h1": len(h1s) == 1 and "h1" in origins,
            "json_headline": "json-ld:headline" in origins, "json_name": "json-ld:name" in origins or "json-ld:title" in origins,
            "og": "og:title" in origins, "og_head": "og:title head" in origins, "twitter": "twitter:title" in origins,
            "meta_title": any(origin.startswith("meta:") for origin in origins), "title": "title" in origins, "title_head": "title head" in origins,
            "title_tail": "title tail" in origins, "title_middle": "title middle" in origins, "title_last": "title last" in origins,
            "itemprop": "itemprop:headline" in origins, "text": "text" in origins,
            "class": bool(_CLASS.search(group.class_name)), "article_class": bool(_ARTICLE_CLASS.search(group.class_name)),
            "origins": len(origins), "in_title": bool(title) and key in title, "in_og": bool(og) and key in og,
            "title_share": len(key) / max(1, len(title)), "starts_title": bool(title) and title.startswith(key), "ends_title": bool(title) and title.endswith(key),
            "site_name": key in names, "contains_site": any(len(name) > 3 and name in key for name in names),
            "ends_site": any(len(name) > 3 and key != name and (key.endswith(name)) for name in names),
            "line": "line" in origins, "bold": _stands_out(clues, block, _BOLD), "large": _stands_out(clues, block, _LARGE),
            "sentence": group.text.endswith((".", "。", "…", ",", ":", "：")), "shouting": group.text.isupper(), "digits": sum(map(str.isdigit, group.text)) / len(group.text),
            "length": min(len(group.text), 200), "words": len(words), "position": -1 if block is None else min(block, 300),
            "before_body": body is not None and block is not None and block <= body[0],
            "body_distance": 99 if body is None or block is None else max(-99, min(99, block - body[0])),
            "hidden": block is not None and bool(blocks.hidden[block]),
            "link_share": 0.0 if block is None else float(blocks.link_chars[block]) / max(1, len(blocks.texts[block])),
            "headings_before": -1 if block is None else sum(1 for heading in clues.headings if heading.block < block),
            "no_h1": not h1s, "h1_in_title": h1_in_title, "url_overlap": sum(len(word) > 2 and word in slug for word in words) / max(1, len(words)),
            "rank": len(rows), "repeats": sum(1 for heading in clues.headings if heading.block != block and plain(heading.text) == key),
        })  # fmt: skip
    return rows


_BOLD = frozenset(TAG_CODES[name] for name in ("b", "strong"))
_LARGE = frozenset(TAG_CODES[name] for name in ("font", "center", "th"))


def _stands_out(clues: Clues, block: int | None, codes: frozenset[int]) -> bool:
    """Whether a block's first text stands in one of these elements."""
    if block is None:
        return False
    blocks = clues.blocks
    elements = blocks.elements
    row = blocks.pieces[int(blocks.piece_start[block])][1]
    for _ in range(4):
        if row < 0:
            return False
        if int(elements.tag[row]) in codes:
            return True
        row = int(elements.parent[row])
    return False


def _score(row: dict[str, float]) -> float:
    score = 0.0
    score += 3.0 * row["h1"] * (1.0 if row["in_title"] or row["in_og"] or row["only_h1"] else 0.4)
    score += 1.0 * row["h2"] * bool(row["in_title"]) + 0.4 * row["first_h1"]
    score += 1.6 * row["json_headline"] + 0.6 * row["json_name"]
    score += 1.5 * row["og"] + 0.7 * row["og_head"] + 0.4 * row["twitter"] + 0.6 * row["meta_title"]
    score += 0.8 * row["title"] + 1.2 * row["title_head"] + 0.3 * row["title_tail"] + 0.2 * row["title_middle"]
    score += 1.5 * row["itemprop"] + 1.2 * row["text"] + 0.2 * row["line"] * (row["bold"] + row["large"]) + 0.5 * row["class"] + 0.7 * row["article_class"]
    score += 1.0 * bool(row["in_title"]) + 0.3 * bool(row["starts_title"])
    score -= 4.0 * row["site_name"] + 1.2 * row["ends_site"] + 1.0 * row["hidden"]
    score -= 1.5 * (row["length"] < 8) * (row["title_share"] < 0.5)
    return score


def _block_of(clues: Clues, best: TitleGroup) -> int | None:
    """Where the title stands on the page: its own heading or line, else the first line that holds it."""
    if best.block is not None:
        return best.block
    key = plain(best.text)
    for heading in clues.headings:
        other = plain(heading.text)
        if len(other) > 5 and (other in key or key in other):
            return heading.block
    return None
