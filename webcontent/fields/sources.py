"""Names of sources behind labels: "来源：新报", "Source: Reuters"."""

from __future__ import annotations

import re

from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import collapse

MAX_TEXT_CHARS = 200
"""Characters of a text behind a label that are read."""
MAX_SOURCE_CHARS = 40


def _either(name: str) -> str:
    return f"(?:{alternation('sources', name)})"


SOURCE_LABEL = re.compile(
    rf"(?:^|[\s|｜/（(\[【\]】)），,;；。:：\d])(?:{_either('kind_of_text')}?{_either('from')}|{alternation('sources', 'label')})"
    r"\s?[:：]\s*(?P<name>.*)$",
    re.I,
)
"""A label and, behind its colon, the name."""
_NAME_END = re.compile(
    rf"\s*(?:[|｜]|\s{{1,}}{_either('next_label')}|{_either('next_label_with_colon')}\s?[:：]|{alternation('sources', 'end')})"
)
_NO_SOURCE = re.compile(rf"^(?:[-—–.·:：\s]*|{alternation('sources', 'no_source')})$", re.I)
_EDGES = " 　:：|,，;；-–—·/()（）[]【】"


def source_name(text: str) -> str | None:
    """The name behind a label, until the next label.

    >>> source_name("新华社 作者：张三")
    '新华社'
    """
    text = collapse(text)[:MAX_TEXT_CHARS]
    if match := SOURCE_LABEL.search(" " + text):
        text = match["name"]
    if end := _NAME_END.search(text):
        text = text[: end.start()]
    first = next(iter_times(text), None)
    if first:
        text = text[: first.start] if first.start > 1 else text[first.end :]
    text = text.strip(_EDGES)
    return text if 1 < len(text) <= MAX_SOURCE_CHARS and not _NO_SOURCE.match(text) else None
