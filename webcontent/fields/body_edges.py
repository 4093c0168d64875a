"""Lines at the edges of a body that are no part of the article: captions, labels before it; bylines, shares, copyright lines behind it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.names.labels import label_before

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_CLOSING_CHARS = 90
MAX_CAPTION_CHARS = 120
"""A longer line is a paragraph of the article."""
MAX_CLOSING_LINES, MAX_CAPTIONS = 8, 2
MAX_LABEL_CHARS = 14
MAX_LABEL_PREFIX = 4
MAX_NAME_CHARS = 12
"""Of names behind a label with up to MAX_LABEL_PREFIX characters before it: a court's reporter, but no sentence about one."""
MAX_OPENING_CHARS = 40
"""A longer line before the text is no label with its names, and no caption that only a dateline behind it shows."""
MAX_LINES_BEFORE_DATELINE = 4
MAX_BEFORE_DATELINE = 0.25
"""Share of the text before a dateline in brackets."""
MAX_SIGNATURE_CHARS = 30
"""A longer last line is no office that signs a notice."""
MAX_SIGNED_CHARS, MAX_ROLE_CHARS = 40, 10
"""Of a line that the authors sign, and of what it holds beside their names."""
MIN_KEPT = 2
"""Lines that are kept in any case."""
MAX_LINES_BEHIND_LABEL, MAX_TEASER_CHARS = 12, 40
CLOSING_KINDS = frozenset(("source", "author", "editor", "image", "other_role", "counter"))
"""Kinds of labels that begin a line behind the text. A date or a topic may close a notice."""

MAX_DISCLAIMER_CHARS = 300
_DISCLAIMER = re.compile(f"(?:{alternation('body_edges', 'disclaimer')})", re.I)
_CLOSING = re.compile(alternation("body_edges", "closing"), re.I)
_OPENING_LINE = re.compile(alternation("body_edges", "opening"))
_CAPTION = re.compile(rf"^(?:{alternation('body_edges', 'caption_start')})|(?:{alternation('body_edges', 'caption_end')})$")
_DATELINE = re.compile(alternation("body_edges", "dateline"))
_SENTENCE_END = re.compile(r"[。！？!?…；;，,][”’」』）)]?$")
_PARAGRAPH_END = re.compile(r"。[”’」』）)]?$")
_QUESTION = re.compile(r"[？?！!][”’」』）)]?$")
"""Behind a label it is what a reporter says in an interview."""
_LABEL_END = re.compile(r"[:：/／]")
_BRACKETS = "【〔[（("
_OPENING = " （(【[〔■●◆"
_MAX_AROUND_DATE = 3
FIRST_HAN = "\u2e80"


def edge_lines(texts: Sequence[str]) -> Iterator[int]:
    """Which of a body's lines are no part of the article: their places."""
    yield from sorted(
        {*_captions(texts), *_opening_labels(texts), *_lines_before_dateline(texts), *_closing_lines(texts), *_lines_behind_label(texts)}
    )


def is_signature_date(last: str, following: str) -> bool:
    """Whether a date behind a text's last line belongs to the signature of an office: the last line is its name.

    >>> is_signature_date("某市教育局", "2024年4月24日"), is_signature_date("他说得很好。", "2024年4月24日")
    (True, False)
    """
    return len(last) <= MAX_SIGNATURE_CHARS and _ends_open(last) and not is_closing_line(last) and is_date(following)


def begins_with_dateline(text: str) -> bool:
    """Whether a paragraph begins with the dateline of a news report: nothing before it belongs to the text."""
    return _DATELINE.match(text) is not None


def _opening_labels(texts: Sequence[str]) -> Iterator[int]:
    """Lines before the text that are a label with its names."""
    for place, text in enumerate(texts[: min(MAX_CAPTIONS, len(texts) - MIN_KEPT)]):
        is_label = _is_opening(text) and _ends_open(text) and is_closing_line(text.strip())
        if not is_label and not (len(text) <= MAX_CLOSING_CHARS and _OPENING_LINE.match(text)):
            return
        yield place


def _lines_before_dateline(texts: Sequence[str]) -> range:
    """Kickers and captions before a paragraph that begins with its dateline, with which the text of a news report begins."""
    are_short = True
    for place, text in enumerate(texts[: min(MAX_LINES_BEFORE_DATELINE + 1, len(texts) - 1)]):
        if begins_with_dateline(text) and (are_short or _is_reporters_line(text, texts, place)):
            return range(place)
        are_short = are_short and _is_opening(text)
    return range(0)


def _is_reporters_line(text: str, texts: Sequence[str], place: int) -> bool:
    """Whether a dateline in brackets shows that longer lines before it are a summary or captions, a small part of the text."""
    return text[:1] in _BRACKETS and sum(map(len, texts[:place])) <= MAX_BEFORE_DATELINE * sum(map(len, texts))


def _is_opening(text: str) -> bool:
    return len(text) <= MAX_OPENING_CHARS


def _ends_open(text: str) -> bool:
    return not _SENTENCE_END.search(text.rstrip())


def _captions(texts: Sequence[str]) -> Iterator[int]:
    """A line that names a photographer is a caption or stands below one."""
    count = min(MAX_CAPTIONS, len(texts) - MIN_KEPT)
    are = [len(text) <= MAX_CAPTION_CHARS and _CAPTION.search(text) is not None for text in texts[:count]]
    yield from range(are.index(False) if False in are else len(are))


def _closing_lines(texts: Sequence[str]) -> Iterator[int]:
    """From the end; a date between two such lines is one of them."""
    dates: list[int] = []
    for place in range(len(texts) - 1, max(MIN_KEPT, len(texts) - MAX_CLOSING_LINES) - 1, -1):
        if is_closing_line(texts[place]):
            yield from (*dates, place)
            dates = []
        elif place < len(texts) - 1 and not dates and is_date(texts[place]):
            dates.append(place)
        else:
            return


def _lines_behind_label(texts: Sequence[str]) -> range:
    """A line with source or editors near the end, and the short lines behind it, none of which is a paragraph: teasers, an account."""
    for place in range(len(texts) - 2, max(MIN_KEPT, len(texts) - MAX_LINES_BEHIND_LABEL) - 1, -1):
        if len(texts[place + 1]) > MAX_TEASER_CHARS or _PARAGRAPH_END.search(texts[place + 1]):
            break
        if is_closing_line(texts[place]):
            return range(place, len(texts))
    return range(0)


def is_signed(text: str, names: Sequence[str]) -> bool:
    """Whether a line behind the text consists of the names of its authors, with their paper and role at most.

    >>> is_signed("晚报记者 张三", ["张三"]), is_signed("张三说", []), is_signed("张三没有回答。", ["张三"])
    (True, False, False)
    """
    if len(text) > MAX_SIGNED_CHARS or not _ends_open(text.rstrip("）) ")):
        return False
    rest = text
    for name in names:
        rest = rest.replace(name, "")
    return rest != text and sum(map(str.isalnum, rest)) <= MAX_ROLE_CHARS


def is_closing_line(text: str) -> bool:
    """Whether a line names source, authors or editors, or closes the page, and says nothing else.

    >>> is_closing_line("责任编辑：李四"), is_closing_line("（供稿：张三）"), is_closing_line("他说：很好")
    (True, True, False)
    """
    if len(text) > MAX_CLOSING_CHARS:
        return len(text) <= MAX_DISCLAIMER_CHARS and _DISCLAIMER.search(text) is not None
    if _CLOSING.match(text):
        return True
    inner = text.lstrip(_OPENING)
    end = _LABEL_END.search(inner[: MAX_LABEL_CHARS + 1])
    if end is None:
        return False
    if _QUESTION.search(text):
        return False
    offset, kind = label_before(inner[: end.start()])
    if kind in CLOSING_KINDS and not inner[:offset].strip("、/／和 "):
        return True
    return _is_joint_label(inner[: end.start()], kind, offset) or _is_prefixed(inner, kind, offset, end.end())


def _is_prefixed(inner: str, kind: str, offset: int, end: int) -> bool:
    """Whether a label has a few characters before it, and only names behind it: 法庭记者：李四. A question behind it ends otherwise."""
    names = inner[end:].strip(" ）)】")
    is_role = kind in ("author", "editor") and inner[:1] >= FIRST_HAN
    return is_role and offset <= MAX_LABEL_PREFIX and 1 < len(names) <= MAX_NAME_CHARS and _ends_open(names)


def _is_joint_label(label: str, kind: str, offset: int) -> bool:
    """Whether a label is made of two: 采访、作者."""
    before = label[:offset].rstrip()
    return bool(kind) and before.endswith(("、", "，")) and label_before(before[:-1])[1] in CLOSING_KINDS


def is_editor_line(text: str) -> bool:
    """Whether a line is a label of editors, with or without their names.

    >>> is_editor_line("责任编辑：李四"), is_editor_line("来源：新华社")
    (True, False)
    """
    if len(text) > MAX_CLOSING_CHARS:
        return False
    inner = text.lstrip(_OPENING)
    end = _LABEL_END.search(inner[: MAX_LABEL_CHARS + 1])
    return end is not None and label_before(inner[: end.start()]) == (0, "editor")


def is_date(text: str) -> bool:
    """Whether a line is a date alone."""
    first = next(iter_times(text), None) if len(text) < MAX_CLOSING_CHARS else None
    return first is not None and len(text) - (first.end - first.start) <= _MAX_AROUND_DATE
