"""Links that a page offers as related to its article."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from webcontent.document.blocks import are_tags
from webcontent.fields.dates import iter_times
from webcontent.fields.dates.relative import ALONE_CHARS
from webcontent.fields.lexicon import alternation
from webcontent.fields.links.anchors import IS_HEADING, NO_TITLE, address_key
from webcontent.fields.page_signals import rows_within
from webcontent.fields.titles.site_names import MAX_TITLE_CHARS
from webcontent.items import Candidate, Link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.links.anchors import Anchor, Anchors
    from webcontent.fields.page_signals import PageSignals

MAX_RELATED = 40
"""Links of one candidate."""
MAX_LISTS = 100
"""Headings and lines of a page that are followed to their links."""
MAX_HEADING_CHARS = 60
"""A longer block is no heading of related links."""
MAX_INLINE_CHARS = 300
"""A longer block is no line that offers a link, such as "Read more: ..."."""
MAX_BLOCKS_BEHIND_BODY = 40
"""A second list of links that begins this many blocks behind the body belongs to something else."""
MAX_RUNNING_CHARS = 250
"""More characters than this between two links are running text: the list has ended."""
MIN_TITLE_CHARS = 4

_HEADING = re.compile(rf"^\W*(?:{alternation('related', 'heading')})\W*$")
_INLINE = re.compile(rf"^\W*(?:{alternation('related', 'inline')})\s*[:：»›>|]")
"""Both for a text in small letters: to ignore case takes twice the time."""
_GENERIC = re.compile(alternation("related", "generic"), re.I)
_IS_NAVIGATION = are_tags("nav footer")


def find_related(signals: PageSignals, anchors: Anchors) -> list[Candidate]:
    """Links that the page offers as related to its article: one candidate a list of links, in page order.

    Lists below a generic heading count only where there is no other list.
    """
    lists = list(_iter_link_lists(signals, anchors))
    best = max((candidate.score for _, candidate in lists), default=0.0)
    lists = [(block, candidate) for block, candidate in lists if candidate.score == best]
    end = (signals.body[1] if signals.body is not None else 0) + MAX_BLOCKS_BEHIND_BODY
    return [candidate for index, (block, candidate) in enumerate(lists) if index == 0 or block < end]


def _iter_link_lists(signals: PageSignals, anchors: Anchors) -> Iterator[tuple[int, Candidate]]:
    """The lists of links outside of navigation with the block that announces them; an address stands in the first of them only."""
    blocks, seen = signals.blocks, {address_key(signals.document.url)}
    in_navigation = rows_within(blocks.elements, _IS_NAVIGATION[blocks.elements.tag])
    announced = ((block, origin) for block, text in enumerate(blocks.texts) if (origin := _announces(text)))
    for block, origin in islice(announced, MAX_LISTS):
        if in_navigation[int(blocks.element[block])]:
            continue
        text = blocks.texts[block]
        begun = anchors.within(int(blocks.element[block]))
        offered = _links_below(anchors, block) if origin == "heading" else [anchor for anchor in begun if anchor.block == block]
        if links := _links_from(signals, offered, seen):
            score = 0.5 if _GENERIC.search(text) else 1.0  # sites also set such headings over what they want read
            yield block, Candidate(links, f"{origin}:{text[:30]}", blocks.xpath(block), score)


def _announces(text: str) -> str:
    """Where the links stand that a block announces: below a heading, or in a text; "" where it announces none."""
    if len(text) > MAX_INLINE_CHARS:
        return ""
    lowered = text.lower()
    if len(text) <= MAX_HEADING_CHARS and _HEADING.match(lowered):
        return "heading"
    return "text" if _INLINE.match(lowered) else ""


def _links_below(anchors: Anchors, block: int) -> list[Anchor]:
    """The links below a heading: those of the smallest element around it that has some, up to the end of the section."""
    links: list[Anchor] = []
    row = int(anchors.blocks.element[block])
    while row >= 0 and not (links := [anchor for anchor in anchors.within(row) if anchor.block > block]):
        row = anchors.places.parents[row]
    end = _section_end(anchors, block, anchors.places.ends[row])
    return [anchor for anchor in links if anchor.block < end]


def _section_end(anchors: Anchors, heading: int, end: int) -> int:
    """The block below a heading with which another heading or running text begins, `end` at the latest."""
    blocks, own = anchors.blocks, int(anchors.blocks.tag[heading])
    running_chars = 0
    for block in range(heading + 1, end):
        text, tag, is_linked = blocks.texts[block], int(blocks.tag[block]), blocks.link_chars[block] > 0
        running_chars = 0 if is_linked else running_chars + len(text)
        is_heading = not is_linked and IS_HEADING[tag] and (not IS_HEADING[own] or tag <= own)  # codes of h1 to h6 grow with the level
        if is_heading or running_chars > MAX_RUNNING_CHARS or (running_chars and _HEADING.match(text.lower())):
            return block
    return end


def _links_from(signals: PageSignals, offered: list[Anchor], seen: set[str]) -> list[Link]:
    """Links with a title, each address once and none of `seen`, which is updated inline; of records only the links in headings."""
    headings = [anchor for anchor in offered if anchor.is_heading]
    best: dict[str, Anchor] = {}
    for anchor in headings if len(headings) > 1 else offered:
        key = address_key(anchor.url)
        if key and key not in seen and (key not in best or len(best[key].text) < len(anchor.text)):
            best[key] = anchor
    titled = {key: anchor for key, anchor in best.items() if len(anchor.title) >= MIN_TITLE_CHARS and not NO_TITLE.match(anchor.title)}
    seen.update(titled)
    links = list(titled.values())[:MAX_RELATED]
    return [Link(anchor.title[:MAX_TITLE_CHARS], anchor.url or "", _time_beside(signals, anchor.block)) for anchor in links]


def _time_beside(signals: PageSignals, block: int) -> str | None:
    """The first date in a link's block, else the one that the next block consists of."""
    for line, text in enumerate(signals.blocks.texts[block : block + 2]):
        first = next(iter_times(text[:MAX_INLINE_CHARS], signals.dates), None)
        if first and (line == 0 or first.end - first.start >= len(text) - ALONE_CHARS):
            return first.value
    return None
