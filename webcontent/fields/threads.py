"""The first post of a thread or mail: who wrote it, and when, by the class names of forum software and the head of a mail."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from webcontent.document.blocks import xpath_of
from webcontent.document.rich_text.class_names import ClassNames, Role
from webcontent.document.text import node_text
from webcontent.fields.dates import parse_time
from webcontent.fields.lexicon import alternation
from webcontent.fields.names.people import MAX_NAME_CHARS
from webcontent.fields.titles.ranking import MAX_LINE_CHARS
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.fields.page_signals import PageSignals

_POSTER, _OTHER_POSTER, _BESIDE, _POSTED = map(Role, ("poster", "poster_elsewhere", "poster_beside", "posted"))
_MAIL = re.compile(rf"(?:{alternation('bylines', 'mail_from')})\s?[:：]\s*([^<(@:]+?)\s*[<(]|(\D+?) ([\w.+-]+ at [\w.-]+)$")
"""The head of a mail with the name of its sender, or with the link of its address behind that."""
_ACCOUNT = re.compile(r"https?://[^/]+(/@[\w.-]+)/")


class FirstPost(NamedTuple):
    """Candidates of its author and time, and whether forum software names the authors of several posts."""

    authors: list[Candidate]
    times: list[Candidate]
    is_thread: bool


def find_first_post(signals: PageSignals) -> FirstPost:
    """The first author and the first time before the end of the text. A time counts where an author is named, too."""
    blocks, roles = signals.blocks, ClassNames(signals.blocks)
    beside = (node.getparent() for node in _named(signals, roles, _BESIDE))
    posters = _named(signals, roles, _POSTER) or [parent for parent in beside if parent is not None]
    nodes = posters or _named(signals, roles, _OTHER_POSTER) or _own_account(signals)
    named = ((next(filter(None, map(node_text, node.iter("a", "b"))), ""), node) for node in nodes)
    names = ((name.lstrip("@").partition("@")[0].strip(), xpath_of(node)) for name, node in named)
    if author := next((Candidate([name], "class", xpath, 1.0) for name, xpath in names if len(name) in range(1, MAX_NAME_CHARS)), None):
        dated = ((parse_time(text, signals.dates), xpath_of(node)) for node in _named(signals, roles, _POSTED) for text in _times_of(node))
        time = next((Candidate(value, "class", xpath, 1.0) for value, xpath in dated if value), None)
        return FirstPost([author], [time] if time else [], len(posters) > 1)
    for block in range(min(len(blocks), signals.body[0] + 2 if signals.body else len(blocks))):
        match = _MAIL.match(blocks.texts[block]) if len(blocks.texts[block]) <= MAX_LINE_CHARS else None
        if match and (match[1] or match[3] == blocks.link_texts[block].strip()):
            return FirstPost([Candidate([match[1] or match[2]], "text", blocks.xpath(block), 1.0)], [], is_thread=False)
    return FirstPost([], [], is_thread=False)


def _own_account(signals: PageSignals) -> list[HtmlElement]:
    """The links to the account whose name begins the page's address."""
    account = _ACCOUNT.match(signals.document.url or "")
    links = signals.blocks.addresses.items() if account else ()
    return [signals.blocks.elements.nodes[row] for row, href in links if account and href.partition("?")[0].endswith(account[1])]


def _named(signals: PageSignals, roles: ClassNames, role: Role) -> list[HtmlElement]:
    """The elements of a role before the end of the text."""
    elements, last = signals.blocks.elements, signals.body[1] if signals.body else -1
    return [elements.nodes[row] for row in roles.rows(role) if elements.start[row] < last]


def _times_of(node: HtmlElement) -> Iterator[str]:
    """The texts of an element that may be its time: attributes first, of which one may have seconds since 1970 behind it."""
    yield from (value.partition(" 1")[0] for part in node.iter() for name in ("datetime", "value", "title") if (value := part.get(name)))
    yield node_text(node)[:MAX_LINE_CHARS]
