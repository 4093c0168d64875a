"""The plain text of a block of cleaned HTML: marks of list items, raised characters, formulas as TeX."""

from __future__ import annotations

import re
from html import unescape

BULLET = "- "
INDENT = "  "
"""Before the mark of a nested list item, once per item around it."""
_HAS_MARK = re.compile(r"\s*(?:[-–—•·*●▪◦‣○■□▶►✓✔☑]|\(?[\dA-Za-z]{1,3}[.)、]|[①-⑳]|[一二三四五六七八九十]+、)")
_CODE = re.compile(r"(<pre>.*?</pre>)", re.DOTALL)
_FORMS = tuple(
    (re.compile(pattern, re.DOTALL), form)
    for pattern, form in (
        (r'<span class="math \w+">\\[(\[](.*?)\\[)\]]</span>', r"$\1$"),
        (r'<sup><a href="#fn-\d+">(\d+)</a></sup>', r"[\1]"),
        (r"(\w(?:</\w+>)*)<sup>(?:<\w[^<>]*>)*\s*([+−–-]?\d+|[+−–-]|[a-zA-Z])(\s*)(?:</\w+>)*</sup>", r"\1^\2\3"),
        ("<[^<>]*>", ""),
    )
)
"""Markup and what plain text has for it, one after the other."""


def plain_text(html: str) -> str:
    """The text of inline HTML and code in it, which stands on lines of its own."""
    lines = []
    for part in _CODE.split(html):
        text = part
        for pattern, form in _FORMS:
            text = pattern.sub(form, text)
        text = unescape(text)
        lines.append(text.strip("\n") if part.startswith("<pre>") else " ".join(text.split()))
    return "\n".join(filter(None, lines))


def is_marked(text: str) -> bool:
    """Whether a text begins with the mark of a list item."""
    return _HAS_MARK.match(text) is not None
