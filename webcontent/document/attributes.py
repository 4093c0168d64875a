"""Bounds the attributes of a page's tags before the parser sees them.

libxml2 compares each attribute of a tag with all others: 64,000 attributes take 9 s, a page full of them an hour. One regular expression
walks over the page as a tokenizer of HTML5 does (HTML Standard, 13.2.5) and stops at the first tag that exceeds a limit. It costs 2 % of
an extraction; pages that exceed no limit stay as they are.
"""

from __future__ import annotations

import re

MAX_ATTRIBUTES = 256
"""Attributes of a tag that are kept. Tags of ordinary pages have at most some dozen."""
MAX_VALUE_BYTES = 32_768
"""Bytes of a value. Longer attributes are dropped: they are images and data for scripts, which nothing here reads."""
MIN_BYTES = 20_000
"""Smaller pages are not searched: 10,000 attributes take 90 ms."""
MAX_NAME_BYTES = 1_000
"""Bytes of the name of a tag or an attribute."""

# Before Python 3.11.5 a possessive repeat fails where what it repeats may backtrack (CPython issue 106052): hence its atomic groups.

_VALUE = rb"""(?:"[^"]{0,%(n)d}+"|'[^']{0,%(n)d}+'|[^\s>"'][^\s>]{0,%(n)d}+(?![^\s>])|(?=>))""" % {b"n": MAX_VALUE_BYTES}
_ATTRIBUTE = rb'[\s/]*+[^\s/>][^\s/>=]{0,%d}+(?:="[^"]{0,%d}+"|(?![^\s/>=])(?:\s*+=\s*+%s|(?!\s*+=)))' % (
    MAX_NAME_BYTES,
    MAX_VALUE_BYTES,
    _VALUE,
)
_REST_OF_TAG = rb"(?=[\s/>])(?:(?>%s)){0,%d}+[\s/]*+>" % (_ATTRIBUTE, MAX_ATTRIBUTES)
_RAW = b"|".join(
    rb"%s%s(?:(?>[^<]++|<(?!/%s[\s/>])))*+" % (name, _REST_OF_TAG, name)
    for name in (
        b"".join(b"[%c%c]" % (char, char - 32) for char in name)
        for name in (b"script", b"style", b"textarea", b"title", b"iframe", b"noembed", b"noframes", b"xmp")
    )
)
"""Elements whose content holds no tags."""
_BOUNDED = re.compile(
    rb"(?:(?>[^<]++|<(?:"
    rb"/[a-zA-Z][a-zA-Z0-9]{0,20}+>"  # the most frequent forms come first
    rb"|[abcdefghjklmopqruvwyzABCDEFGHJKLMOPQRUVWYZ][^\s/>]{0,%(name)d}+(?:>|%(rest)s)"
    rb"|(?=[sStTiInNxX])(?:%(raw)s)"
    rb"|/?[a-zA-Z][^\s/>]{0,%(name)d}+%(rest)s"
    rb"|!--(?:-?>|.*?(?:--!?>|\Z))"
    rb"|(?:[!?]|/(?![a-zA-Z]))[^>]*+>?"
    rb"|(?![a-zA-Z/!?])"
    rb")))*+" % {b"name": MAX_NAME_BYTES, b"rest": _REST_OF_TAG, b"raw": _RAW},
    re.DOTALL,
)
_ANY_ATTRIBUTE = re.compile(rb"""[\s/]*+([^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+|(?=>)|\Z))?)""")
_TAG_NAME = re.compile(rb"</?[a-zA-Z][^\s/>]*+")
_TAG_END = re.compile(rb"[\s/]*+>?")


def bound_attributes(data: bytes) -> tuple[bytes, bool]:
    """The page with at most MAX_ATTRIBUTES in each tag, none of them longer than MAX_VALUE_BYTES, and whether a tag had more.

    >>> bounded, is_cut = bound_attributes(b"<p " + b"a=b " * 20_000 + b">x")
    >>> len(bounded), is_cut
    (1029, True)
    """
    if len(data) < MIN_BYTES:
        return data, False
    end = _end_of_bounded(data, 0)
    if end == len(data):
        return data, False
    parts: list[bytes] = []
    place, is_cut = 0, False
    while end < len(data):
        parts.append(data[place:end])
        tag, place, count = _bounded_tag(data, end)
        is_cut = is_cut or count > MAX_ATTRIBUTES
        parts.append(tag)
        end = _end_of_bounded(data, place)
    parts.append(data[place:])
    return b"".join(parts), is_cut


def _end_of_bounded(data: bytes, start: int) -> int:
    match = _BOUNDED.match(data, start)
    return match.end() if match else start


def _bounded_tag(data: bytes, start: int) -> tuple[bytes, int, int]:
    """A tag within the limits, the place behind the tag as it was, and the number of attributes that it had."""
    name = _TAG_NAME.match(data, start)
    assert name is not None, "only tags exceed a limit"
    parts, place, count = [name[0][:MAX_NAME_BYTES]], name.end(), 0
    while attribute := _ANY_ATTRIBUTE.match(data, place):
        if count < MAX_ATTRIBUTES and len(attribute[1]) <= MAX_VALUE_BYTES:
            parts.append(b" " + attribute[1])
        count += 1
        place = attribute.end()
    end = _TAG_END.match(data, place)
    assert end is not None
    return b"".join(parts) + end[0], end.end(), count
