"""Markdown that the converter must not touch: it passes through as a token and is put back afterwards."""

from __future__ import annotations

import re

from webcontent.markdown.escaping import BACKSLASH

OPEN, CLOSE = "\ufdd0", "\ufdd1"
"""Around the number of a token. They are noncharacters, which no text may contain."""
BORDER = "\ufdd3"
"""Between texts that are converted together."""
PARTING = "\ufdd4"
"""Alone on the line between two quotes."""
_PARTING = re.compile(f"(?:\n[> ]*)?\n[> ]*{PARTING}(\n[> ]*(?=\n))?")
_TOKEN = re.compile(f"{OPEN}(\\d+){CLOSE}")
_NONCHARACTERS = (OPEN, CLOSE, BORDER, PARTING, BACKSLASH)
_TEX_COMMENT = re.compile(r"(?<!\\)%.*\n?")


class Tokens:
    """The texts that tokens stand for."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def add(self, text: str) -> str:
        """The token of a text."""
        self.texts.append(text)
        return f"{OPEN}{len(self.texts) - 1}{CLOSE}"

    def restore(self, text: str) -> str:
        """A text with the texts in place of their tokens, those inside of other texts included, and with its backslashes."""
        while OPEN in text:
            text = _TOKEN.sub(lambda match: self.texts[int(match[1])], text)
        if PARTING in text:
            text = _PARTING.sub("\n", text)
        return text.replace(BACKSLASH, "\\")


def without_noncharacters(text: str) -> str:
    """A text that holds no token and no escape."""
    for character in _NONCHARACTERS:  # str.translate looks at each character, which takes a quarter of a conversion
        text = text.replace(character, "")
    return text


def formula(tex: str, *, is_display: bool) -> str:
    r"""TeX between dollar signs, on one line.

    >>> formula("a^2 % squared", is_display=False), formula("x\n = y", is_display=True)
    ('$a^2$', '$$x = y$$')
    """
    line = " ".join(_TEX_COMMENT.sub("\n", tex).split())
    mark = "$$" if is_display else "$"
    return f"{mark}{line}{mark}" if line else ""
