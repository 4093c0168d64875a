"""Text -> Markdown that shows the same text: characters that Markdown would read as markup get a backslash, all others stay.

Nothing is escaped that needs no escaping, because Markdown is also read as plain text: `snake_case`, `C#`, `2 * 3` and `[1]` stay.
"""

from __future__ import annotations

import re

BACKSLASH = "\ufdd2"
"""Stands for the backslash of an escape until the converter is done, which would escape it again."""

_MARKUP = re.compile(
    r"""
    \\(?=[!-/:-@\[-`{-~])                     # a backslash before punctuation
    | `
    | (?<![\s*])\* | \*(?![\s*]|$) | (?<!\s)\*\*+ | \*\*+(?!\s)   # an asterisk beside a word
    | (?<![\w_])_(?=[^\s_]) | (?<=[^\s_])_(?![\w_]) | (?<!\w)__+(?=\S) | (?<=\S)__+(?!\w)   # an underscore at the edge of a word
    | ~~
    | <(?=[A-Za-z/!?])
    | &(?=\#?\w{1,31};)
    | \[(?=\^) | \](?=[(:])                 # a footnote; a link, a definition of one
    """,
    re.VERBOSE,
)
_FORMULA = re.compile(r"\$(?=\S(?:[^$\n]*\S)?\$(?!\d))|\$\$")
"""A dollar sign that begins a formula if another one follows: prices such as $5 and $6 do not."""
_SPECIAL = re.compile(r"[\\`*_~<&\[\]$]")
_BREAK_START = re.compile(r"^(\s*)(?:([-+*](?=\s)|#{1,6}(?=\s)|>|[-=]+\s*$|~~~|\|)|(\d{1,9})([.)](?=\s)))")


def escape_text(text: str) -> str:
    r"""A text within a line.

    `text` must not hold BACKSLASH, which stands for the backslashes of the result.

    >>> escape_text("snake_case, *stars*, C#, a < b, <b>, [1], [a](b), $5 and $6").replace(BACKSLASH, "\\")
    'snake_case, \\*stars\\*, C#, a < b, \\<b>, [1], [a\\](b), $5 and $6'
    """
    if not _SPECIAL.search(text):
        return text
    text = _MARKUP.sub(_with_backslashes, text)
    if text.count("$") > 1 and _FORMULA.search(text):
        text = text.replace("$", f"{BACKSLASH}$")
    return text


def escape_line_start(text: str) -> str:
    r"""The beginning of a line that follows a line break inside of a paragraph.

    >>> [escape_line_start(text).replace(BACKSLASH, "\\") for text in ("- no item", "1. May", "-5 degrees")]
    ['\\- no item', '1\\. May', '-5 degrees']
    """
    match = _BREAK_START.match(text)
    if not match:
        return text
    escaped = f"{match[1]}{BACKSLASH}{match[2]}" if match[2] else f"{match[1]}{match[3]}{BACKSLASH}{match[4]}"
    return escaped + text[match.end() :]


def _with_backslashes(match: re.Match[str]) -> str:
    return "".join(f"{BACKSLASH}{character}" for character in match[0])
