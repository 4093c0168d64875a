"""The readings of a value: blanks and words like "and" may stand inside a name or between two, so both are given."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from webcontent.fields.lexicon import alternation
from webcontent.fields.names.people import HAN, SURNAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUE_CHARS = 60
MAX_HAN_VALUE_CHARS = 24
_AND = re.compile(rf"\s(?:{alternation('bylines', 'and', 'with')})\s|\s?[和及與与]\s?", re.I)
_HAN_PART = re.compile(r"[\s\xa0　]+|[-－—_]+")
_REPORTING = re.compile(
    rf"([{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}})"
    r"(?:综合|綜合|现场|現場|实地|即時)?(?:报道|報導|報道|报导|摄影|攝影|摄$|攝$|通讯员|实习生|[在从發发自]{1,2}[\u3400-\u9fff]{2,6}[报報][道導])"
)
"""A reporter's name that is not parted from what he does."""
_SPACED_NAME = re.compile(rf"[{''.join(sorted(SURNAMES))}]\s[\u3400-\u9fff](?![\u3400-\u9fff])")
_SPACED_NAMES = re.compile(rf"{_SPACED_NAME.pattern}(?:\s{_SPACED_NAME.pattern})+")
_LATIN_AND = re.compile(rf"\s(?:{alternation('bylines', 'and')})\s", re.I)
_BEHIND_NAME = re.compile(rf"\s(?:{alternation('bylines', 'before_date')}|for|in|via)\b.*$", re.I)


def readings(value: str, *, is_named: bool) -> Iterator[tuple[str, int, str]]:
    """(text, offset, form): the whole value and its parts. `is_named`: whether a label or a bracket says that it is a value."""
    if HAN.search(value):
        yield from _han_readings(value, is_named=is_named)
        return
    if len(value) <= MAX_VALUE_CHARS:
        yield value, 0, "whole"
    yield from _parts(value, _LATIN_AND)
    if match := _BEHIND_NAME.search(value):
        yield value[: match.start()], 0, "part"


def _han_readings(value: str, *, is_named: bool) -> Iterator[tuple[str, int, str]]:
    if len(value) <= MAX_HAN_VALUE_CHARS and not (is_named and _REPORTING.match(value)):
        yield value, 0, "whole"
    yield from _parts(value, _HAN_PART)
    if _SPACED_NAMES.fullmatch(value):
        yield from ((match[0], match.start(), "part") for match in _SPACED_NAME.finditer(value))
    if _AND.search(value) and len(value) <= MAX_HAN_VALUE_CHARS:
        yield from _parts(value, _AND)
    if is_named and not any(map(str.isspace, value)) and (match := _REPORTING.match(value)):
        yield match[1], 0, "whole"


def _parts(value: str, separator: re.Pattern[str]) -> Iterator[tuple[str, int, str]]:
    """The parts of a value between separators, where there are several."""
    gaps = [match.span() for match in separator.finditer(value)]
    for start, end in pairwise((0, *(place for gap in gaps for place in gap), len(value))) if gaps else ():
        if (start, end) not in gaps and 1 < end - start <= MAX_VALUE_CHARS:
            yield value[start:end].strip(), start, "part"
