"""Links that a page offers as related to its article."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.links.anchors import HEADING_TAGS, NO_TITLE, address_key
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
MAX_ORIGIN_CHARS = 30
"""Characters of the heading that the origin of a candidate quotes."""
MAX_BLOCKS_BEHIND_BODY = 40
"""A second list of links that begins this many blocks behind the body belongs to something else."""
RELATED_SCORE = 0.8
GENERIC_SCORE = 0.6
"""For headings that sites also set over what they want read."""

MAX_SIMILAR_HEADING_CHARS = 20
"""A block shorter than this in the markup of the heading is the next heading."""
MIN_LINK_CHARS = 8
"""A block with as many characters in links is part of the list of links, whatever else it says."""
MAX_RUNNING_CHARS = 250
"""More characters than this between two links are running text: the list has ended."""

MAX_ANCHOR_CHARS = 160
"""Of several links to one address the longest text counts, up to this length: a longer one is a whole record."""
MIN_TITLE_CHARS = 4
MAX_TITLE_CHARS = 300
MAX_TIME_LINE_CHARS = 160
"""A block of this length or more beside a link is no date line."""
MAX_CHARS_BESIDE_TIME = 12
"""A block below a link has fewer other characters than this beside its date."""

_HEADING = re.compile(rf"^\W*(?:{alternation('related', 'heading')})\W*$", re.I)
_INLINE = re.compile(rf"^\W*(?:{alternation('related', 'inline')})\s*[:：»›>|]", re.I)
_GENERIC = re.compile(alternation("related", "generic"), re.I)
_NAVIGATION_TAGS = frozenset(TAG_CODES[name] for name in ("nav", "footer"))


@dataclass(slots=True, frozen=True)
class _LinkList:
    """The links below one heading, or of one line."""

    block: int
    """Block of the heading or line."""
    is_generic: bool
    """Whether sites also set such a heading over what they want read."""
    candidate: Candidate


def find_related(signals: PageSignals, anchors: Anchors) -> list[Candidate]:
    """Links that the page offers as related to its article: one candidate a list of links, in page order.

    Lists below a generic heading count only where there is no other list.
    """
    lists = list(_iter_link_lists(signals, anchors))
    if not all(links.is_generic for links in lists):
        lists = [links for links in lists if not links.is_generic]
    end = (signals.body[1] if signals.body is not None else 0) + MAX_BLOCKS_BEHIND_BODY
    return [links.candidate for place, links in enumerate(lists) if place == 0 or links.block < end]


def _iter_link_lists(signals: PageSignals, anchors: Anchors) -> Iterator[_LinkList]:
    """The lists of links outside of navigation; an address stands in the first of them only."""
    seen = {address_key(signals.document.url)}
    for block, origin in islice(_iter_announcements(signals), MAX_LISTS):
        text = signals.blocks.texts[block]
        offered = _links_below(anchors, block) if origin == "heading" else _links_in(anchors, block)
        links = [] if _is_navigation(anchors, block) else _links_from(signals, offered, seen)
        if links:
            is_generic = _GENERIC.search(text) is not None
            score = GENERIC_SCORE if is_generic else RELATED_SCORE
            yield _LinkList(block, is_generic, Candidate(links, f"{origin}:{text[:MAX_ORIGIN_CHARS]}", signals.xpath(block), score))


def _iter_announcements(signals: PageSignals) -> Iterator[tuple[int, str]]:
    """Blocks that announce links, with the place of these: below a heading, or in a text."""
    link_chars = signals.blocks.link_chars.tolist()
    for block, text in enumerate(signals.blocks.texts):
        if len(text) <= MAX_HEADING_CHARS and _HEADING.match(text):
            yield block, "heading"
        elif link_chars[block] and len(text) <= MAX_INLINE_CHARS and _INLINE.match(text):
            yield block, "text"


def _is_navigation(anchors: Anchors, block: int) -> bool:
    """Whether a block lies in navigation or in the footer."""
    row = int(anchors.blocks.element[block])
    while row >= 0:
        if anchors.places.tags[row] in _NAVIGATION_TAGS:
            return True
        row = anchors.places.parents[row]
    return False


def _links_in(anchors: Anchors, block: int) -> list[Anchor]:
    """The links that begin in a block."""
    return [anchor for anchor in anchors.within(int(anchors.blocks.element[block])) if anchor.block == block]


def _links_below(anchors: Anchors, block: int) -> list[Anchor]:
    """The links below a heading: those of the smallest element around it that has some, up to the end of the section."""
    row = int(anchors.blocks.element[block])
    while row >= 0:
        links = [anchor for anchor in anchors.within(row) if anchor.block > block]
        if links:
            end = _section_end(anchors, block, anchors.places.ends[row])
            return [anchor for anchor in links if anchor.block < end]
        row = anchors.places.parents[row]
    return []


def _section_end(anchors: Anchors, heading: int, end: int) -> int:
    """The block below a heading with which another heading or running text begins, `end` at the latest."""
    blocks = anchors.blocks
    running_chars = 0
    for block in range(heading + 1, end):
        text, link_chars = blocks.texts[block], int(blocks.link_chars[block])
        is_linked = link_chars * 2 >= len(text) or link_chars >= MIN_LINK_CHARS
        running_chars = 0 if is_linked else running_chars + len(text)
        if running_chars > MAX_RUNNING_CHARS or (running_chars and _HEADING.match(text)):
            return block
        if not link_chars and _is_next_heading(anchors, heading, block):
            return block
    return end


def _is_next_heading(anchors: Anchors, heading: int, block: int) -> bool:
    """Whether a block ends the section of a heading: a heading of its level or above, or a short block in the same markup."""
    elements, tags = anchors.elements, anchors.places.tags
    own, other = int(anchors.blocks.element[heading]), int(anchors.blocks.element[block])
    if tags[other] in HEADING_TAGS and (tags[own] not in HEADING_TAGS or tags[other] <= tags[own]):
        return True
    return (
        tags[own] == tags[other]
        and elements.classes[own] == elements.classes[other]
        and elements.depth[own] == elements.depth[other]
        and len(anchors.blocks.texts[block]) < MAX_SIMILAR_HEADING_CHARS
    )


def _links_from(signals: PageSignals, offered: list[Anchor], seen: set[str]) -> list[Link]:
    """Links with a title, each address once and none of `seen`, which is updated inline; of records only the links in headings."""
    headings = [anchor for anchor in offered if anchor.is_heading]
    best: dict[str, Anchor] = {}
    for anchor in headings if len(headings) > 1 else offered:
        key = address_key(anchor.url)
        if not key or key in seen:
            continue
        if key not in best or len(best[key].text) < len(anchor.text) <= MAX_ANCHOR_CHARS:
            best[key] = anchor
    titled = {key: anchor for key, anchor in best.items() if len(anchor.title) >= MIN_TITLE_CHARS and not NO_TITLE.match(anchor.title)}
    seen.update(titled)
    links = list(titled.values())[:MAX_RELATED]
    return [Link(anchor.title[:MAX_TITLE_CHARS], anchor.url or "", _time_beside(signals, anchor.block)) for anchor in links]


def _time_beside(signals: PageSignals, block: int) -> str | None:
    """The first date in a link's block, else the one that the next block consists of."""
    for place, text in enumerate(signals.blocks.texts[block : block + 2]):
        if len(text) >= MAX_TIME_LINE_CHARS:
            continue
        times = iter_times(text, now=signals.now, day_first=signals.day_first, relative=signals.fetched is not None)
        first = next(times, None)
        if first and (place == 0 or first.end - first.start > len(text) - MAX_CHARS_BESIDE_TIME):
            return first.value
    return None
