"""Which pages need a browser: those whose HTML is an empty shell that scripts fill."""

from __future__ import annotations

import re

MIN_TEXT = 200
"""Characters. A page that has scripts and less text is a shell, or it is not finished."""
MAX_HTML = 1_000_000
"""Characters. A longer page is no shell."""
MAX_LINKS = 15
"""A page with more links is a list, no shell."""

_TOKEN = re.compile(r"<(/?)([a-zA-Z]+)[^<>]*>?|(<!--)|([^<]+)|<")
_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "title"})
"""Elements whose text a reader does not see."""


def is_shell(html: str) -> bool:
    """Whether a page is an empty shell: it has scripts, at most MAX_LINKS links, and less than MIN_TEXT characters outside them.

    The tokens are read once, and reading stops where the page has shown enough: this runs on the reactor's thread, on any page.

    >>> is_shell("<div id=root></div><script src=app.js></script>")
    True
    >>> is_shell("<p>Not found.</p>")
    False
    """
    if len(html) > MAX_HTML:
        return False
    characters = links = 0
    has_script = in_link = False
    unseen = ""  # the element or comment that the reader is inside of
    for token in _TOKEN.finditer(html):
        closing, tag, comment, text = token.groups()
        name = (tag or "").lower()
        if unseen:
            if (closing and name == unseen) or (unseen == "<!--" and text and "-->" in text):
                unseen = ""
        elif comment:
            unseen = comment
        elif name in _UNSEEN and not closing:
            unseen = name
            has_script = has_script or name == "script"
        elif name == "a":
            in_link = not closing
            links += in_link
        elif text and not in_link:
            characters += len(text.strip())
        if characters >= MIN_TEXT or links > MAX_LINKS:
            return False
    return has_script
