"""Labels in lines about an article: what kind of value stands behind "作者：", "Source:", "By" or "责任编辑"."""

from __future__ import annotations

from webcontent.fields.lexicon import by_language, words
from webcontent.fields.names.people import FIRST_HAN

KINDS = ("source", "author", "editor", "image", "other_role", "date", "counter", "topic")
"""Kinds of labels, as in the lexicon."""
UNKNOWN = "unknown"
"""The kind of a short text before a colon that is no known label."""
MAX_UNKNOWN_CHARS = 24
"""A longer text before a colon is no label."""


def _kinds() -> dict[str, str]:
    """Kind of each label, written without spaces; where two kinds share a label, the first one counts."""
    kinds: dict[str, str] = {}
    for kind in KINDS:
        for word in words("byline_labels", kind):
            kinds.setdefault(squeezed(word), kind)
    return kinds


def squeezed(text: str) -> str:
    """Lower case without white space.

    >>> squeezed("作 者")
    '作者'
    """
    return "".join(text.lower().split())


LABELS = _kinds()
_MAX_HAN_LABEL = max(len(label) for label in LABELS if label[-1] >= FIRST_HAN)
_MAX_LABEL_WORDS = max(len(word.split()) for kind in KINDS for word in words("byline_labels", kind))
_ALONE = frozenset(
    map(
        squeezed,
        (*words("byline_labels", "alone"), *by_language("byline_labels", "date")["zh"], *by_language("byline_labels", "counter")["zh"]),
    )
)
_MAX_ALONE_CHARS = 2 * max(map(len, _ALONE))
"""With a space between all characters."""


def label_before(text: str) -> tuple[int, str]:
    """Where the label at the end of a text begins, and its kind; (len(text), "") where the text ends with none.

    >>> label_before("人事处来源")
    (3, 'source')
    >>> label_before("Written by")
    (0, 'author')
    """
    stripped = text.rstrip()
    if not stripped:
        return len(text), ""
    return _latin_label(text, stripped) if stripped[-1] < FIRST_HAN else _han_label(text, stripped)


def _han_label(text: str, stripped: str) -> tuple[int, str]:
    """The longest label of characters without spaces between them; some stand apart: 作 者."""
    start = len(stripped)
    found, suffix = (len(text), ""), ""
    while start > 0 and len(suffix) < _MAX_HAN_LABEL:
        start -= 1
        character = stripped[start]
        if character.isspace():
            continue
        suffix = character + suffix
        if kind := LABELS.get(suffix):
            found = start, kind
    return found


def _latin_label(text: str, stripped: str) -> tuple[int, str]:
    """The longest label of whole words."""
    parts = stripped.split(" ")
    for count in range(min(_MAX_LABEL_WORDS, len(parts)), 0, -1):
        if kind := LABELS.get(squeezed("".join(parts[-count:]))):
            return len(stripped) - len(" ".join(parts[-count:])), kind
    return len(text), ""


def kind_alone(text: str) -> str:
    """The kind of a label that is the whole text, without a colon; "" for other texts."""
    if len(text) > _MAX_ALONE_CHARS:
        return ""
    key = squeezed(text)
    return LABELS.get(key, "") if key in _ALONE else ""
