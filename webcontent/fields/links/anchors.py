"""The links of a page that can lead to an article: their address, text, title and place.

Related links, list entries and the next page are all chosen among these links.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property, lru_cache
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import collapse, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document

HEADING_TAGS = frozenset(TAG_CODES[f"h{level}"] for level in range(1, 7))
"""Codes of h1 to h6; they grow with the level."""
_IS_HEADING = are_tags("h1 h2 h3 h4 h5 h6")
MAX_ANCHORS = 5_000
"""Links of a page that are looked at."""
MAX_TEXT_PIECES = 400
"""Pieces of text that are joined to the text of an element."""
MAX_DATE_HINT_CHARS = 400
"""Characters of a block that are searched for a date."""

NO_TITLE_WEIGHT = 0.1
"""Title weight of a link whose text is no title, such as "read more"."""
MAX_WEIGHT_CHARS = 60
"""Each character of a link's text adds 1 to its title weight, up to this many."""
HEADING_WEIGHT = 60
"""Added for a link in or around a heading: as much as the longest text adds."""
TITLE_CLASS_WEIGHT = 30
"""Added for a link whose class, or whose parent's class, names a title."""

HEADING_ANCESTORS = 3
"""Ancestors of a link among which a heading is looked for."""
HEADING_ROWS = 25
"""Elements from the link on, itself included, among which a heading inside it is looked for."""
TITLE_HEADING_ROWS = 40
"""The same for the heading that gives the title."""
MIN_WRAPPING_CHARS = 40
"""A link over several blocks with more text than this wraps a whole record; one of its blocks is the title."""
MIN_TITLE_LINE_CHARS = 6
"""A shorter block of such a link is a label."""
MAX_DATE_LINE_CHARS = 24
"""A block shorter than this that has a date is a date line."""
MIN_CONTINUED_CHARS = 5
"""A text longer than this is completed by a title attribute that begins with it."""
COMPARED_CHARS = 20
"""Characters of a truncated text that the title attribute has to begin with."""

DATE_HINT = re.compile(
    r"(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d\d|(?<!\d)\d\d-\d\d(?!\d)|\d月\d|\d{1,2}:\d\d|"
    rf"{alternation('anchors', 'relative_time')}|\d{{1,2}},? (?:19|20)\d\d|[a-zäé]{{3,9}}\.? (?:19|20)\d\d",
    re.I,
)
"""What a text with a date or a time has; a cheap test before the text is parsed."""
_RELATIVE_TIME = re.compile(alternation("anchors", "relative_time"), re.I)
_DIGITS_OF_DATE = re.compile(r"\d[-/.:月]\d|(?:19|20)\d\d")
"""Found in all that DATE_HINT matches but relative times."""
NO_TITLE = re.compile(rf"^(?:{alternation('anchors', 'no_title')})\W*$", re.I)
"""Texts of links that say nothing about the page behind them."""
_TITLE_CLASS = re.compile(rf"(?:^|[\s_-])(?:{alternation('class_names', 'record_title')})(?:$|[\s_-])|title$", re.I)
_NO_PAGE = ("#", "javascript:", "mailto:", "tel:", "data:", "about:")
_NO_PAGE_CHARS = max(map(len, _NO_PAGE))
_FRONT_PAGE = re.compile(r"(?:https?:)?(?://[^/]+)?/?(?:\.{1,2}/)*(?:(?:index|default|home)\.\w{3,5})?")
_ELLIPSIS = re.compile(r"(?<!\s)\s*(?:(?<!\.)\.{2,}|(?<!…)…+|(?<!。)。。+)$")
_SCHEME_AND_WWW = re.compile(r"^\w+://(?:www\.)?")


class Anchor:
    """A link with its place, address, text and title; all but the place are computed when first asked for."""

    def __init__(self, places: Places, row: int, block: int, href: str) -> None:
        self._places = places
        self.row = row
        """Row of the link in the table of elements."""
        self.block = block
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
        return _full_text(self)

    @cached_property
    def is_heading(self) -> bool:
        """Whether the link stands in a heading or holds one."""
        return _is_heading(self._places, self.row)

    @cached_property
    def title_weight(self) -> float:
        """How much the link looks like the title of a record: a rank among the links of that record."""
        return _title_weight(self._places, self)

    @cached_property
    def title(self) -> str:
        """Title that the link shows: of the heading inside it where it wraps a whole record, else its text."""
        return _title(self._places, self)

    @cached_property
    def url(self) -> str | None:
        """Absolute address, http or https; None where there is none."""
        return self._places.document.absolute(self.href)


class Places:
    """The columns by which links are judged, and the texts of elements. It does not know the links, so that nothing holds itself.

    A page whose objects hold each other stays in memory until Python's collector of cycles finds them.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = document.blocks
        self.elements = document.blocks.elements

    @cached_property
    def chars_before(self) -> list[int]:
        """Characters in the blocks before each block; one number more than blocks."""
        return [0, *_numbers(np.cumsum(self.blocks.chars))]

    @cached_property
    def link_chars_before(self) -> list[int]:
        """Characters in links in the blocks before each block."""
        return [0, *_numbers(np.cumsum(self.blocks.link_chars))]

    @cached_property
    def date_hints_before(self) -> list[int]:
        """Blocks before each block that may hold a date."""
        return [0, *accumulate(has_date_hint(text[:MAX_DATE_HINT_CHARS]) for text in self.blocks.texts)]

    @cached_property
    def headings_before(self) -> list[int]:
        """Headings in the rows before each row; one number more than rows."""
        return [0, *_numbers(np.cumsum(_IS_HEADING[self.elements.tag]))]

    @cached_property
    def parents(self) -> list[int]:
        """Row of each element's parent."""
        return _numbers(self.elements.parent)

    @cached_property
    def tags(self) -> list[int]:
        """Tag code of each element."""
        return _numbers(self.elements.tag)

    @cached_property
    def starts(self) -> list[int]:
        """First block of each element."""
        return _numbers(self.elements.start)

    @cached_property
    def ends(self) -> list[int]:
        """Block behind each element."""
        return _numbers(self.elements.end)

    @cached_property
    def subtree_ends(self) -> list[int]:
        """Row behind each element's subtree."""
        return _numbers(self.blocks.elements.last + 1)

    def text(self, row: int) -> str:
        """Text of an element, white space collapsed."""
        end = self.subtree_ends[row]
        first = int(self.elements.piece[row])
        parts = []
        for text, holder in self.blocks.pieces[first : first + MAX_TEXT_PIECES]:
            if holder >= end:
                break
            if holder >= row:
                parts.append(text)
        return collapse("".join(parts))

    def first_heading_text(self, first_row: int, last_row: int) -> str:
        """Text of the first heading with a text whose row lies in [first_row, last_row); "" where there is none."""
        for row in range(first_row, last_row):
            if self.tags[row] in HEADING_TAGS and (text := self.text(row)):
                return text
        return ""


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
        starts = self.elements.start
        addressed = ((row, int(starts[row]), address.strip()) for row, address in addresses)
        return [Anchor(self.places, row, block, href) for row, block, href in addressed if _can_be_article(href)]

    @cached_property
    def rows(self) -> list[int]:
        """Row of each link."""
        return [anchor.row for anchor in self.all]

    def within(self, row: int) -> list[Anchor]:
        """Links in an element, itself included."""
        return self.between(row, self.places.subtree_ends[row])

    def between(self, first_row: int, last_row: int, most: int = MAX_ANCHORS) -> list[Anchor]:
        """Links whose rows lie in [first_row, last_row), the first `most` of them."""
        first = bisect_left(self.rows, first_row)
        return self.all[first : min(first + most, bisect_left(self.rows, last_row))]


def has_date_hint(text: str) -> bool:
    """Whether DATE_HINT is found in a text. Most texts have no digits as a date has them, and then only a relative time can be.

    >>> has_date_hint("May 2026"), has_date_hint("an hour ago"), has_date_hint("Next May")
    (True, True, False)
    """
    return (DATE_HINT if _DIGITS_OF_DATE.search(text) else _RELATIVE_TIME).search(text) is not None


def address_key(url: str | None) -> str:
    """What two addresses of one page have in common: the address without scheme, `www.`, fragment and last slash.

    >>> address_key("https://www.paper.example/a/#top")
    'paper.example/a'
    """
    try:
        return _SCHEME_AND_WWW.sub("", urldefrag(url or "")[0]).rstrip("/")
    except ValueError:
        return url or ""


def _numbers(column: NDArray[np.integer[Any]]) -> list[int]:
    """A column as a list: its single numbers are read faster."""
    numbers: list[int] = column.tolist()
    return numbers


def _can_be_article(href: str) -> bool:
    """Whether an address can be an article's: no script, no place on the page, no front page."""
    return not href[:_NO_PAGE_CHARS].lower().startswith(_NO_PAGE) and not _FRONT_PAGE.fullmatch(href)


def _full_text(anchor: Anchor) -> str:
    text = anchor.text
    attribute = collapse(anchor.node.get("title") or "")
    if attribute and (not text or _completes(attribute, text)):
        return attribute
    return text or next((collapse(image.get("alt") or "") for image in anchor.node.iter("img") if (image.get("alt") or "").strip()), "")


def _completes(attribute: str, text: str) -> bool:
    """Whether a title attribute is the whole of a text that is truncated, with an ellipsis or without."""
    cut = _ELLIPSIS.sub("", text)
    return (cut != text and plain(attribute).startswith(plain(cut)[:COMPARED_CHARS])) or (
        len(attribute) > len(text) > MIN_CONTINUED_CHARS and plain(attribute).startswith(plain(text))
    )


def _is_heading(places: Places, row: int) -> bool:
    parent = row
    for _ in range(HEADING_ANCESTORS):
        parent = places.parents[parent]
        if parent < 0:
            break
        if places.tags[parent] in HEADING_TAGS:
            return True
    return places.headings_before[min(places.subtree_ends[row], row + HEADING_ROWS)] > places.headings_before[row + 1]


def _title_weight(places: Places, anchor: Anchor) -> float:
    text = anchor.text or (anchor.node.get("title") or "")
    if NO_TITLE.match(text):
        return NO_TITLE_WEIGHT
    weight = min(len(text), MAX_WEIGHT_CHARS) + NO_TITLE_WEIGHT
    if anchor.is_heading:
        return weight + HEADING_WEIGHT
    classes = places.elements.classes
    if _names_title(classes[anchor.row]) or _names_title(classes[places.parents[anchor.row]]):
        return weight + TITLE_CLASS_WEIGHT
    return weight


@lru_cache(maxsize=20_000)
def _names_title(class_name: str) -> bool:
    """Whether a class names a title."""
    return _TITLE_CLASS.search(class_name) is not None


def _title(places: Places, anchor: Anchor) -> str:
    row = anchor.row
    if heading := places.first_heading_text(row + 1, min(places.subtree_ends[row], row + TITLE_HEADING_ROWS)):
        return heading
    first, end = places.starts[row], places.ends[row]
    if end - first > 1 and len(anchor.text) > MIN_WRAPPING_CHARS:
        for line in places.blocks.texts[first:end]:
            if len(line) >= MIN_TITLE_LINE_CHARS and not (len(line) < MAX_DATE_LINE_CHARS and has_date_hint(line)):
                return line
    return anchor.full_text
