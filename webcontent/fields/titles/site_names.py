"""What a site calls itself: in meta elements, in JSON-LD, and in its host name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.fields.page_signals import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals

MAX_TITLE_CHARS = 300
"""A longer text is no title. Of title elements only this number of characters is read."""
MAX_NAME_CHARS = 40

SEPARATOR = re.compile(
    r"(?<!\s)\s++[|–—\-·•:»«<>/~›‹→*@]+\s+|(?:(?<!\s)\s++)?[|｜]\s*|(?:(?<!\s)\s++)?_+\s*|(?<=[\u3000-\u9fff\uff00-\uffef])\s*[-–—]+\s*|"
    r"(?:(?<!\s)\s++)?[-–—]+\s*(?=[\u3000-\u9fff])|(?<!\s)\s++::\s+|:\s+|(?<!\s)\s++\(|(?:(?<!\s)\s++)?»\s*|(?:(?<!\s)\s++)?«\s*|(?:(?<!\s)\s++)?—\s*"
)
"""What parts a title from the name of its site."""


def site_names(signals: PageSignals) -> set[str]:
    """Plain names of the site: of meta elements, publisher and host name."""
    names = [row.value for field in ("site", "publisher") for row in signals.declared.rows(field)]
    keys = {*map(plain, names), *_host_names(signals.document.url or "")}
    return {key for key in keys if len(key) > 1}


def _host_names(url: str) -> Iterator[str]:
    """Plain forms of the host name, with and without www, and of its labels before the top-level domain."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return
    labels = host.split(".")
    if len(labels) > 1:
        yield from (plain(host), plain(host.removeprefix("www.")), plain(labels[-2]))
        if len(labels) > 2:
            yield plain(labels[-3])


def tail_of_title(title: str, key: str) -> str | None:
    """What stands behind the title in the title element, parted from it: mostly the site's name. `key`: the title's plain form.

    >>> tail_of_title("A story - The Paper", plain("A story"))
    'The Paper'
    """
    for match in SEPARATOR.finditer(title[:MAX_TITLE_CHARS]):
        if plain(title[: match.start()]) == key:
            tail = list(SEPARATOR.split(title[match.end() :]))[-1].strip(" )|_-")
            return tail if 1 < len(tail) <= MAX_NAME_CHARS else None
    return None
