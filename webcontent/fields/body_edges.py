"""Lines at the edges of a body that are no part of the article: captions before it; bylines, shares and copyright lines behind it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.fields.bylines.labels import label_before
from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_CLOSING_CHARS = 90
MAX_CAPTION_CHARS = 120
"""A longer line is a paragraph of the article."""
MAX_CLOSING_LINES, MAX_CAPTIONS = 8, 2
MAX_LABEL_CHARS = 14
MIN_KEPT = 2
"""Lines that are kept in any case."""
CLOSING_KINDS = frozenset(("source", "author", "editor", "image", "other_role", "counter"))
"""Kinds of labels that begin a line behind the text. A date or a topic may close a notice."""

_CLOSING = re.compile(alternation("body_edges", "closing"), re.I)
_CAPTION = re.compile(rf"^(?:{alternation('body_edges', 'caption_start')})|(?:{alternation('body_edges', 'caption_end')})$")
_LABEL_END = re.compile(r"[:：/／]")
_OPENING = " （(【[〔■●◆"
_MAX_AROUND_DATE = 3


def edge_lines(texts: Sequence[str]) -> Iterator[int]:
    """Which of a body's lines are no part of the article: their places."""
    yield from _captions(texts)
    yield from _closing_lines(texts)


def _captions(texts: Sequence[str]) -> Iterator[int]:
    for place, text in enumerate(texts[: min(MAX_CAPTIONS, len(texts) - MIN_KEPT)]):
        if len(text) > MAX_CAPTION_CHARS or not _CAPTION.search(text):
            return
        yield place


def _closing_lines(texts: Sequence[str]) -> Iterator[int]:
    """From the end; a date between two such lines is one of them."""
    dates: list[int] = []
    for place in range(len(texts) - 1, max(MIN_KEPT, len(texts) - MAX_CLOSING_LINES) - 1, -1):
        if is_closing_line(texts[place]):
            yield from (*dates, place)
            dates = []
        elif place < len(texts) - 1 and not dates and _is_date(texts[place]):
            dates.append(place)
        else:
            return


def is_closing_line(text: str) -> bool:
    """Whether a line names source, authors or editors, or closes the page, and says nothing else.

    >>> is_closing_line("责任编辑：李四"), is_closing_line("（供稿：张三）"), is_closing_line("他说：很好")
    (True, True, False)
    """
    if len(text) > MAX_CLOSING_CHARS:
        return False
    if _CLOSING.match(text):
        return True
    inner = text.lstrip(_OPENING)
    end = _LABEL_END.search(inner[: MAX_LABEL_CHARS + 1])
    if end is None:
        return False
    offset, kind = label_before(inner[: end.start()])
    return kind in CLOSING_KINDS and not inner[:offset].strip("、/／和 ") or _is_joint_label(inner[: end.start()], kind, offset)


def _is_joint_label(label: str, kind: str, offset: int) -> bool:
    """Whether a label is made of two: 采访、作者."""
    before = label[:offset].rstrip()
    return bool(kind) and before.endswith(("、", "，")) and label_before(before[:-1])[1] in CLOSING_KINDS


def _is_date(text: str) -> bool:
    """Whether a line is a date alone."""
    first = next(iter_times(text), None) if len(text) < MAX_CLOSING_CHARS else None
    return first is not None and len(text) - (first.end - first.start) <= _MAX_AROUND_DATE
