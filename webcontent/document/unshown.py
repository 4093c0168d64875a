"""Elements that a page's rules or their own style hide, with nothing in the page that could show them: no script, control or further rule.

Folds, tabs and notes have the same styles, so their names count. Transparent text is not of these: most of it fades in.
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from webcontent.document.rich_text.hidden import MAX_CHARS, opens
from webcontent.document.unseen import SUSPECT_PARTS, declarations_of, is_compound, is_unseen_style, iter_places, names_styled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks

MIN_CHARS = 20
"""Shorter texts are labels, which do no harm."""
MAX_MENTIONS = 50
"""A name that a page has more often counts as named elsewhere."""
MAX_ROWS = 200
"""Elements with a style that hides them that are looked at: each may have a name of its own, which is looked for in the whole page."""

_REMOVES = ("display:none", "display: none")
_HIDES = (*_REMOVES, "visibility:hidden", "visibility: hidden")
_HIDING = re.compile(r"none|hidden", re.IGNORECASE)
_DATA = re.compile(r"json|template|importmap|speculationrules|math/", re.IGNORECASE)
"""Types of scripts that do not run."""
_ACTS = ("onclick=", "onload=", "onmouseover=", "javascript:", ":checked", ":target", ":focus-within")
"""What shows hidden parts without a script element."""
_NAME_CHARACTER = re.compile(r"[\w-]")
_SHOWN_LATER = re.compile(r"anim|aos|fade|reveal|lazy|scroll|in-?view|appear|visible|wow|js-|load|paywall|premium|modal|pop|overlay", re.I)


def unseen_rows(blocks: Blocks, css: str) -> Iterator[int]:
    """Rows of the elements with a class or id to which rules give a style that nobody sees, and that no other rule is about."""
    names = names_styled(css, SUSPECT_PARTS, is_unseen_style)
    is_of_more = cache(partial(is_compound, css))
    for row in blocks.rows_named(names) if names else ():
        own = {f"#{blocks.elements.ids[row]}", *(f".{name}" for name in blocks.elements.classes[row].split())}
        if not all(map(is_of_more, own & names)):
            yield row


def unshown_rows(blocks: Blocks, css: str, scripts: Iterable[HtmlElement], source: str) -> Iterator[int]:
    """Rows of the elements with text that own styles, or rules of one class or id, hide and nothing shows.

    Where scripts run, only short texts that such a rule removes: a script elsewhere may show all others.
    """
    is_still = all(_DATA.search(node.get("type") or "") for node in scripts)
    names = names_styled(css, _HIDES if is_still else _REMOVES, _hides)
    rows = blocks.rows_named(names) if names else []
    if is_still:
        styles = ((row, blocks.elements.nodes[row].get("style", "")) for row in blocks.hiding)
        rows += islice((row for row, style in styles if _HIDING.search(style) and _hides(declarations_of(style))), MAX_ROWS)
    if rows:
        most = len(source) if is_still and not any(part in source for part in _ACTS) else MAX_CHARS
        names_elsewhere = cache(partial(_is_named_elsewhere, blocks, css, source))
        yield from (row for row in rows if not (_may_open(blocks, row, most) or any(map(names_elsewhere, _names_of(blocks, row)))))


def _hides(style: Mapping[str, str]) -> bool:
    return style.get("display") == "none" or (style.get("visibility") == "hidden" and "animation" not in style)


def _names_of(blocks: Blocks, row: int) -> list[str]:
    return f"{blocks.elements.classes[row]} {blocks.elements.ids[row]}".split()


def _may_open(blocks: Blocks, row: int, most: int) -> bool:
    """Whether an element has too little text or too much, or is named as what opens or comes later."""
    elements = blocks.elements
    start, end = int(elements.piece[row]), int(elements.piece_end[row])
    if not 0 < end - start <= most or not MIN_CHARS <= sum(len(text) for text, _ in blocks.pieces[start:end]) <= most:
        return True
    return any(map(_SHOWN_LATER.search, _names_of(blocks, row))) or opens(elements.nodes[row])


def _is_named_elsewhere(blocks: Blocks, css: str, source: str, name: str) -> bool:
    """Whether more than one rule names a class or id, or anything but a rule and the elements that have it."""
    if (rules := _mentions(css, name)) > 1 or (all_mentions := _mentions(source, name)) > MAX_MENTIONS:
        return True
    elements = blocks.elements
    owners = "\n".join([text for texts in (elements.classes, elements.ids) for text in texts if text and name in text])
    return all_mentions > rules + _mentions(owners, name)


def _mentions(text: str, name: str) -> int:
    """How often a text has a name as a word; more than MAX_MENTIONS where it has it too often to tell."""
    places = list(islice(iter_places(text, name), MAX_MENTIONS + 1))
    if len(places) > MAX_MENTIONS:
        return len(places)
    around = (text[max(0, place - 1) : place] + text[place + len(name) : place + len(name) + 1] for place in places)
    return sum(not _NAME_CHARACTER.search(characters) for characters in around)
