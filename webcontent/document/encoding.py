"""Bytes -> text: the encoding of a page, from its byte order mark, its declarations, or its bytes. And what gzip has packed."""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from functools import lru_cache

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

_OF_WEB_PAGES = re.compile(
    r"utf-(?:8|16(?:-[bl]e)?)|iso8859-\d+|cp(?:125\d|866|874|932|949)|koi8-[ru]|mac-(?:roman|cyrillic)|gb18030|big5hkscs|euc_jp|iso2022_jp"
)
"""Python's names of the encodings of the Encoding Standard of WHATWG, section 4. Browsers use no other one."""
GZIP = b"\x1f\x8b\x08"
"""The first bytes of a gzip member."""
_HEAD_BYTES = 200
"""Bytes by which UTF-16 is recognized."""
_SAMPLED_BYTES, _SAMPLE_BYTES = 400_000, 20_000
"""The beginning of a page, and how much of its non-ASCII lines the guess reads."""


def decode(html: bytes, declared: str | None = None) -> tuple[str, str, bool]:
    """Text, name of the encoding, and whether the bytes fit the declared encoding.

    Bytes that are valid UTF-8 are UTF-8, whatever is declared: text in another encoding is hardly ever valid UTF-8.
    """
    bom_encoding, bom = read_bom(html)
    if bom_encoding and bom:
        return html[len(bom) :].decode(bom_encoding, "replace"), bom_encoding, True
    declared = text_encoding(declared) or text_encoding(html_body_declared_encoding(html))
    if b"\x00" in html[:_HEAD_BYTES] and (wide := _wide_encoding(html)):
        return html.decode(wide, "replace"), wide, True
    if b"\x1b$" not in html and (text := _decode_strictly(html, "utf-8")) is not None:
        return text, "utf-8", declared in (None, "utf-8") or text.isascii()
    if declared and declared != "utf-8" and (text := _decode_strictly(html, declared)) is not None:
        return text, declared, True
    text = html.decode("utf-8", "replace")
    if _is_mostly_valid(text):
        return text, "utf-8", False
    if declared and declared != "utf-8":
        text = html.decode(declared, "replace")
        if _is_mostly_valid(text):
            return text, declared, False
    return *_guess(html), declared is None


@lru_cache(maxsize=256)
def text_encoding(name: str | None) -> str | None:
    """The encoding that browsers use for a name; None for a name that is unknown or not that of an encoding of web pages.

    >>> text_encoding("GB2312"), text_encoding("utf8x"), text_encoding("base64"), text_encoding("cp437")
    ('gb18030', None, None, None)
    """
    encoding = resolve_encoding(name) if name else None
    return encoding if encoding and _OF_WEB_PAGES.fullmatch(encoding) else None


def unpacked(body: bytes, max_bytes: int) -> bytes:
    """The first `max_bytes` bytes of a gzip file, of its first member, which may break off; none of a damaged one. Others stay.

    >>> unpacked(zlib.compress(b"<p>a page", wbits=31)[:-4], 100), unpacked(b"<p>a page", 100)
    (b'<p>a page', b'<p>a page')
    """
    if not body.startswith(GZIP):
        return body
    with suppress(zlib.error):
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(body, max_bytes)
    return b""


def _decode_strictly(html: bytes, encoding: str) -> str | None:
    try:
        return html.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _wide_encoding(html: bytes) -> str | None:
    """UTF-16 without a byte order mark, which NUL bytes in every second place show."""
    head = html[:_HEAD_BYTES]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > len(head) // 3 > even * 2:
        return "utf-16-le"
    return "utf-16-be" if even > len(head) // 3 > odd * 2 else None


def _is_mostly_valid(text: str) -> bool:
    """Whether fewer than a tenth of the non-ASCII characters are bad: a cut character or a pasted quote does not disprove an encoding."""
    bad = text.count("\ufffd")
    return bad * 10 < (len(text) - len(text.encode("ascii", "ignore")) if bad else 0)


def _guess(html: bytes) -> tuple[str, str]:
    """Text in the encoding that fits the bytes best, and its name."""
    from charset_normalizer import from_bytes  # imported late: used for one page in some thousand

    sample = b"\n".join(line for line in html[:_SAMPLED_BYTES].splitlines() if not line.isascii())[:_SAMPLE_BYTES]
    best = from_bytes(sample).best()
    encoding = best.encoding if best else "cp1252"
    return html.decode(encoding, "replace"), encoding
