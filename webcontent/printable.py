"""Characters that nobody sees: controls, changes of direction, invisible ones that may carry a second text, and what is no character.

A title with U+202E reads backwards in a list of titles, an escape character moves the cursor of a terminal, a lone surrogate breaks a
file of items, and tag characters spell words that only a language model reads.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
"""Control characters but tab and line breaks, and the directional embeddings, overrides and isolates of Unicode's annex 9. The
directional marks U+200E and U+200F stay, because they only set the direction of a character next to them."""
_INVISIBLE = f"{_CONTROLS}\u00ad\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
_NO_CHARACTERS = "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
_SUSPECT = re.compile(f"[{_INVISIBLE}{_NO_CHARACTERS}\U0001fffe-\U0010ffff]")
"""Found in all that is left out, and in rare characters: one search for nearly all texts."""
_NO_ASTRAL_CHARACTERS = "".join(chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(1, 17))
_SPACELESS = "\u0e00-\u109f\u1780-\u17ff"
"""Scripts of South-East Asia, whose words U+200B divides."""
_JOINED = "\u0600-\u109f\u1700-\u1aff\ua800-\uabff\U00010a00-\U00011fff"
"""Scripts in which joiners change the form of letters."""
_IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_SYMBOLS = "\u203c-\u3299\U0001f000-\U0001faff"
_SEEN = (
    "\U0001f3f4[\U000e0020-\U000e007e]{3,6}\U000e007f"  # the flag of a region
    f"|(?<=[#*0-9\u00a9\u00ae{_SYMBOLS}])[\ufe0e\ufe0f]"
    f"|(?<=[\ufe0f{_SYMBOLS}])\u200d(?=[{_SYMBOLS}])"
    f"|(?<=[{_JOINED}])[\u200c\u200d]|(?<![\u200c\u200d])[\u200c\u200d](?=[{_JOINED}])"
    f"|(?<=[{_SPACELESS}])\u200b(?=[{_SPACELESS}])"
    f"|(?<=[\u1000-\u109f\u2190-\u2bff])\ufe00|(?<=[{_IDEOGRAPHS}])[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
"""Invisible characters that change what is seen: in emoji, in scripts with joined letters, between words without blanks, and the variants
of ideographs."""
_UNSEEN = re.compile(f"({_SEEN})|[{_INVISIBLE}{_NO_CHARACTERS}{_NO_ASTRAL_CHARACTERS}\U000e0000-\U000e0fff]")
_NOT_ON_TERMINAL = re.compile(f"[{_CONTROLS}\r]")


def without_unseen(text: str) -> str:
    """A text without the characters that nobody sees, and without what is no character: lone surrogates, U+FFFE and its like.

    >>> without_unseen("Bri\\u00addge \\u202eopens\\x9b \\U0001f468\\u200d\\U0001f373")
    'Bridge opens 👨\u200d🍳'
    """
    if text.isascii() and text.isprintable():  # faster than a search, and true of most texts
        return text
    return _UNSEEN.sub(r"\1", text) if _SUSPECT.search(text) else text


def on_terminal(text: str) -> str:
    r"""A text for a terminal or a log: control characters are shown as escapes. Tab and line break stay.

    >>> on_terminal("\x1b[2J Bridge")
    '\\x1b[2J Bridge'
    """
    return text if text.isprintable() else _NOT_ON_TERMINAL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
