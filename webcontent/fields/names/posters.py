"""Who wrote the first post of a thread, by the class names of forum software."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.document.text import node_text
from webcontent.fields.lexicon import alternation
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals

MAX_NAME_CHARS = 60
_POSTER = re.compile(rf"(?:^|\s)(?:{alternation('class_names', 'poster')})(?:\s|$)", re.I)


def find_poster(signals: PageSignals) -> list[Candidate]:
    """The first named element before the end of the text as the only author; none where there is no such element."""
    elements, (_, last) = signals.blocks.elements, signals.body or (-1, -1)
    joined = "\n".join({*elements.classes})
    for row, name in enumerate(elements.classes) if _POSTER.search(joined) else ():
        if name and elements.start[row] < last and _POSTER.search(name):
            node = elements.nodes[row]
            texts = filter(None, map(node_text, node.iter("a")))
            if len(text := next(texts, "").lstrip("@").partition("@")[0].strip()) in range(1, MAX_NAME_CHARS):
                return [Candidate([text], "class", xpath_of(node), 1.0)]
    return []
