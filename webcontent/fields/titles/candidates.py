"""Candidates of the title: from JSON-LD, meta elements, headings, the title element and lines that repeat it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from webcontent.document.blocks import xpath_of
from webcontent.document.text import node_text
from webcontent.fields.page_signals import collapse, plain
from webcontent.fields.titles.site_names import MAX_TITLE_CHARS, SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import Heading, PageSignals

# Places that are looked at, at most.
MAX_HEADINGS = 40
MAX_HEADING_LINES = 4
MAX_HEADLINES = 3
MAX_LINES = 400
LINES_BEFORE_BODY = 14
"""Blocks before the running text in which a title without any markup may stand."""
MIN_LINE_CHARS = 4
MAX_TITLE_PER_LINE = 5
"""A line that repeats a part of the title element has at least a fifth of its letters and digits."""
MAX_LEVEL_OF_PARTS = 2
"""Headings up to this level are also candidates without their first or last part."""

_KICKER_MARKS = " :：|-–—"
"""What parts a kicker or the name of the site from a title."""


@dataclass(slots=True)
class TitleGroup:
    """One candidate: all places that show or declare the same title."""

    text: str
    key: str
    """Its plain form."""
    origins: dict[str, str | None] = field(default_factory=dict)
    """Origin -> xpath."""
    block: int | None = None
    level: int = 0
    """1 to 4 where it is a heading."""


class _Place(NamedTuple):
    """A text that may be the title, and where it stands."""

    text: str
    origin: str
    xpath: str | None = None
    block: int | None = None
    level: int = 0


def title_groups(signals: PageSignals) -> list[TitleGroup]:
    """The candidates, in the order in which they were seen: declared ones, headings, lines."""
    groups: dict[str, TitleGroup] = {}
    for place in _iter_places(signals):
        text = clean_title(place.text)
        key = plain(text)
        if not key or len(text) > MAX_TITLE_CHARS:
            continue
        group = groups.setdefault(key, TitleGroup(text, key))
        group.origins.setdefault(place.origin, place.xpath)
        if place.block is not None and (
            group.block is None or _prominence(signals, place.block, place.level) > _prominence(signals, group.block, group.level)
        ):
            group.block, group.level = place.block, place.level
            group.text = text  # as the reader sees it
    return list(groups.values())


def _prominence(signals: PageSignals, block: int, level: int) -> tuple[bool, bool, bool, int]:
    """Of two places of a title the greater one is its own: shown, not only a link, a heading, just before the running text."""
    blocks = signals.blocks
    start = signals.running[0] if signals.running else 0
    unlinked = int(blocks.link_chars[block]) * 2 < len(blocks.texts[block])
    return not blocks.hidden[block], level == 1 or unlinked, level > 0, -abs(start - block)


def clean_title(text: str) -> str:
    """One line, without the marks that pages hang on a heading.

    >>> clean_title("  Two \\n words ¶ ")
    'Two words'
    """
    return collapse(text.replace("\xad", "").replace("\u200b", "")).strip(" ¶#|»«›·•_")


# ------------------------------------------------------------------------------------------- places
def _iter_places(signals: PageSignals) -> Iterator[_Place]:
    yield from _iter_declared(signals)
    yield from _iter_headings(signals)
    for node, row in signals.declared.marked("title")[:MAX_HEADLINES]:
        yield _Place(node_text(node), row.origin, xpath_of(node), signals.block_of(node))
    yield from _iter_lines(signals)


def _iter_declared(signals: PageSignals) -> Iterator[_Place]:
    """JSON-LD, meta elements and the title element, whole and without the name of the site."""
    document = signals.document
    for row in signals.declared.rows("title"):
        if row.position == 0:
            yield _Place(row.value, row.origin)
            for part, kind in _parts(row.value) if not row.is_json_ld else ():
                yield _Place(part, f"{row.origin} {kind}")
    if document.title:
        yield _Place(document.title, "title")
        for part, kind in _parts(document.title):
            yield _Place(part, f"title {kind}")
        for part in _parts_at_spaces(document.title) if signals.is_han else ():
            yield _Place(part, "title space")


def _iter_headings(signals: PageSignals) -> Iterator[_Place]:
    """Headings, whole and, those of high levels, without their first or last part."""
    for heading in signals.headings[:MAX_HEADINGS]:
        xpath = signals.blocks.xpath(heading.block)
        yield _Place(heading.text, f"h{heading.level}", xpath, heading.block, heading.level)
        for part in _parts_of_heading(signals, heading) if heading.level <= MAX_LEVEL_OF_PARTS else ():
            yield _Place(part, f"h{heading.level} part", xpath, heading.block)


def _iter_lines(signals: PageSignals) -> Iterator[_Place]:
    """Lines before the running text ("line"), and lines anywhere that repeat a part of the title element ("text")."""
    blocks = signals.blocks
    whole, lowered = plain(signals.document.title), (signals.document.title or "").lower()
    start = signals.running[0] if signals.running else -1
    first, last = max(0, start - LINES_BEFORE_BODY), start + 1
    for block, text in enumerate(blocks.texts[: max(MAX_LINES, last)]):
        near = first <= block < last
        if (
            not MIN_LINE_CHARS <= len(text) <= MAX_TITLE_CHARS
            or not near
            and (text[:3].lower() not in lowered or blocks.link_chars[block] * 2 > len(text))  # the prefix: cheaper than `plain`
        ):
            continue
        if near or ((key := plain(text)) and len(key) * MAX_TITLE_PER_LINE >= len(whole) and key in whole):
            yield _Place(text, "line" if near else "text", blocks.xpath(block), block)


# ------------------------------------------------------------------------------------------- parts
def _parts(title: str) -> Iterator[tuple[str, str]]:
    """A title without what stands behind its last or first separators, or before its first; with the kind of the part."""
    cuts = list(SEPARATOR.finditer(title[:MAX_TITLE_CHARS]))
    if not cuts:
        return
    for match in dict.fromkeys((cuts[0], cuts[-1], cuts[max(0, len(cuts) - 2)])):
        yield title[: match.start()], "head"
    yield title[cuts[0].end() :], "tail"
    if len(cuts) > 1:
        yield title[cuts[-1].end() :], "last"
        yield title[cuts[0].end() : cuts[-1].start()], "middle"


def _parts_at_spaces(title: str) -> Iterator[str]:
    """A Chinese title element up to its first and its last space, which separate the site's name there."""
    gaps = [match.start() for match in re.finditer(r"\s+", title[:MAX_TITLE_CHARS])]
    for gap in {*gaps[:1], *gaps[-1:]}:
        yield title[:gap]


def _parts_of_heading(signals: PageSignals, heading: Heading) -> Iterator[str]:
    """A heading without its first or last line or element (a kicker, the site's name), and these."""
    blocks = signals.blocks
    lines = blocks.texts[heading.block : min(int(blocks.elements.end[heading.row]), heading.block + MAX_HEADING_LINES)]
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
        yield heading.text[len(first) :].lstrip(_KICKER_MARKS)
        yield first
    if last and last != heading.text and heading.text.endswith(last) and not (children[-1].tail or "").strip():
        yield heading.text[: -len(last)].rstrip(_KICKER_MARKS)
        yield last
