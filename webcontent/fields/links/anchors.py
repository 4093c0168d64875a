"""The links of a page that can lead to an article: their address, text, title and place.

Related links, list entries and the next page are all chosen among these links.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import accumulate, islice
from typing import TYPE_CHECKING
from urllib.parse import urldefrag

import numpy as np

from webcontent.document.blocks import are_tags
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import collapse, plain, rows_within, text_within

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

IS_HEADING = are_tags("h1 h2 h3 h4 h5 h6")
MAX_ANCHORS = 5_000
"""Links of a page that are looked at."""
MAX_DATE_HINT_CHARS = 400
"""Characters of a block that are searched for a date."""
MAX_HEADING_ROWS = 40
"""Elements of a link or record among which its heading is looked for."""
HEADING_WEIGHT = 60
"""Added to the characters of a link's text for a link in or around a heading."""
MIN_TITLE_LINE_CHARS = 6
"""A shorter line of a link that wraps a whole record is a label."""

NO_TITLE = re.compile(rf"^(?:{alternation('anchors', 'no_title')})\W*$", re.I)
"""Texts of links that say nothing about the page behind them."""
_DATE_HINT = re.compile(rf"\d[-/.:月]\d|(?:19|20)\d\d|{alternation('anchors', 'relative_time')}", re.I)
_NO_PAGE = re.compile(r"#|(?:javascript|mailto|tel|data|about):", re.I)
_FRONT_PAGE = re.compile(r"(?:https?:)?(?://[^/]++)?/?(?:\.{1,2}/)*(?:(?:index|default|home)\.\w{3,5})?")
_ELLIPSIS = re.compile(r"(?<!\s)\s*(?:(?<!\.)\.{2,}|(?<!…)…+|(?<!。)。。+)$")
_SCHEME_AND_WWW = re.compile(r"^\w+://(?:www\.)?")


class Places:
    """The columns by which links are judged, and the texts of elements. It does not know the links, so that nothing holds itself.

    A page whose objects hold each other stays in memory until Python's collector of cycles finds them. Columns are lists, because
    their single numbers are read faster.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = document.blocks
        self.elements = elements = document.blocks.elements
        self.parents: list[int] = elements.parent.tolist()
        self.starts: list[int] = [*elements.start.tolist(), len(self.blocks)]
        """First block of each element; the number of blocks behind the last."""
        self.ends: list[int] = elements.end.tolist()
        """Block behind each element."""
        self.subtree_ends: list[int] = (elements.last + 1).tolist()
        """Row behind each element's subtree."""
        is_heading = IS_HEADING[elements.tag]
        self.headings_before: list[int] = [0, *np.cumsum(is_heading).tolist()]
        """Headings in the rows before each row; one number more than rows."""
        self.in_heading = rows_within(elements, is_heading)
        self.chars_before: list[int] = [0, *np.cumsum(self.blocks.chars - self.blocks.link_chars).tolist()]
        """Characters outside of links in the blocks before each block; one number more than blocks."""

    @cached_property
    def date_hints_before(self) -> list[int]:
        """Blocks before each block that may hold a date."""
        return [0, *accumulate(has_date_hint(text[:MAX_DATE_HINT_CHARS]) for text in self.blocks.texts)]

    def text(self, row: int) -> str:
        """Text of an element, white space collapsed."""
        return text_within(self.blocks, row)

    def heading_text(self, first_row: int, last_row: int) -> str:
        """Text of the first heading with a text among the first rows of [first_row, last_row); "" where there is none."""
        rows = range(first_row, min(last_row, first_row + MAX_HEADING_ROWS))
        headings = (row for row in rows if self.headings_before[row + 1] > self.headings_before[row])
        return next(filter(None, map(self.text, headings)), "")


class Anchor:
    """A link with its place, address, text and title; all but the place are computed when first asked for."""

    def __init__(self, places: Places, row: int, href: str) -> None:
        self._places = places
        self.row = row
        """Row of the link in the table of elements."""
        self.block = places.starts[row]
        """First block of the link."""
        self.node = places.elements.nodes[row]
        self.href = href

    @cached_property
    def text(self) -> str:
        """Text of the link, white space collapsed."""
        return self._places.text(self.row)

    @cached_property
    def full_text(self) -> str:
        """Text of the link; the title attribute where the text is truncated or missing, else the alternative text of an image."""
        text = self.text
        attribute = collapse(self.node.get("title") or "")
        if attribute and len(attribute) > len(cut := _ELLIPSIS.sub("", text)) and plain(attribute).startswith(plain(cut)):
            return attribute
        return text or next((alt for image in self.node.iter("img") if (alt := collapse(image.get("alt") or ""))), "")

    @cached_property
    def is_heading(self) -> bool:
        """Whether the link stands in a heading or holds one."""
        places, row = self._places, self.row
        last = min(places.subtree_ends[row], row + MAX_HEADING_ROWS)
        return places.in_heading[row] or places.headings_before[last] > places.headings_before[row]

    @cached_property
    def title_weight(self) -> float:
        """How much the link looks like the title of a record: a rank among the links of that record."""
        text = self.text or (self.node.get("title") or "")
        if NO_TITLE.match(text):
            return 0.1
        return len(text) + (HEADING_WEIGHT if self.is_heading else 0.1)

    @cached_property
    def title(self) -> str:
        """Title that the link shows: of the heading or the first line inside it where it wraps a whole record, else its text."""
        places, row = self._places, self.row
        if heading := places.heading_text(row + 1, places.subtree_ends[row]):
            return heading
        lines = places.blocks.texts[self.block : places.ends[row]]
        titles = (line for line in lines if len(line) >= MIN_TITLE_LINE_CHARS and not has_date_hint(line))
        return next(titles, self.full_text) if len(lines) > 1 else self.full_text

    @cached_property
    def url(self) -> str | None:
        """Absolute address, http or https; None where there is none."""
        return self._places.document.absolute(self.href)


class Anchors:
    """The links of a page that can lead to an article, in document order."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = document.blocks
        self.elements = document.blocks.elements
        self.places = Places(document)

    @cached_property
    def all(self) -> list[Anchor]:
        addresses = islice(self.blocks.addresses.items(), MAX_ANCHORS)
        hrefs = [(row, address.strip()) for row, address in addresses]
        return [Anchor(self.places, row, href) for row, href in hrefs if not _NO_PAGE.match(href) and not _FRONT_PAGE.fullmatch(href)]

    @cached_property
    def counts_before(self) -> list[int]:
        """Links in the rows before each row; one number more than rows."""
        rows = [anchor.row for anchor in self.all]
        counts: list[int] = np.searchsorted(rows, np.arange(len(self.elements) + 1)).tolist()
        return counts

    def within(self, row: int) -> list[Anchor]:
        """Links in an element, itself included."""
        return self.between(row, self.places.subtree_ends[row])

    def between(self, first_row: int, last_row: int, most: int = MAX_ANCHORS) -> list[Anchor]:
        """Links whose rows lie in [first_row, last_row), the first `most` of them."""
        first = self.counts_before[first_row]
        return self.all[first : min(first + most, self.counts_before[last_row])]


def has_date_hint(text: str) -> bool:
    """Whether a text has what each text with a date or a time has; a cheap test before the text is parsed.

    >>> has_date_hint("May 2026"), has_date_hint("an hour ago"), has_date_hint("Next May")
    (True, True, False)
    """
    return _DATE_HINT.search(text) is not None


def address_key(url: str | None) -> str:
    """What two addresses of one page have in common: the address without scheme, `www.`, fragment and last slash.

    >>> address_key("https://www.paper.example/a/#top")
    'paper.example/a'
    """
    try:
        return _SCHEME_AND_WWW.sub("", urldefrag(url or "")[0]).rstrip("/")
    except ValueError:
        return url or ""
