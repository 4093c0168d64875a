"""Characters that change how a text is shown without being seen: control characters, and those that turn the direction of writing.

A title with U+202E reads backwards in a list of titles, and an escape character moves the cursor of a terminal.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
"""Control characters but tab and line breaks, and the directional embeddings, overrides and isolates of Unicode's annex 9. The
directional marks U+200E and U+200F stay, because they only set the direction of a character next to them."""
_CONTROL = re.compile(f"[{_CONTROLS}]")
_NOT_ON_TERMINAL = re.compile(f"[{_CONTROLS}\r]")


def without_controls(text: str) -> str:
    """A text without control characters and changes of direction.

    >>> without_controls("Bridge \\u202eopens\\x9b")
    'Bridge opens'
    """
    return text if text.isprintable() or not _CONTROL.search(text) else _CONTROL.sub("", text)


def on_terminal(text: str) -> str:
    r"""A text for a terminal or a log: control characters are shown as escapes. Tab and line break stay.

    >>> on_terminal("\x1b[2J Bridge")
    '\\x1b[2J Bridge'
    """
    return text if text.isprintable() else _NOT_ON_TERMINAL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
