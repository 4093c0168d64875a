"""Elements that a page hides for good, and those that open: tabs, answers, text behind "read more".

Their own style tells, or rules of the page's own style elements, with selectors of one class or id.
"""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from webcontent.document.blocks import is_inline, is_not_displayed
from webcontent.document.unseen import declarations_of, is_unseen_style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks

MAX_CHARS = 200
"""A longer hidden text is the page's own: on wcxb-dev leaving it out lowers the F1 of three pages for each one that gains (2026-11-22)."""
MAX_CLIMB = 3
"""Elements around a hidden one whose names are read too."""
MAX_CSS_CHARACTERS = 400_000
MAX_RULES = 50
"""Rules with each part that are read."""
MAX_ROWS = 200
"""Hidden elements that are looked at: each may have a name of its own, which is looked for in the whole page."""

_UNNAMED = frozenset(("style", "hidden", "aria-hidden", "align", "dir", "lang"))
OPENED = re.compile(r"tab|acc?ord|collaps|faq|expand|toggle|swap|spoiler|slide|carousel", re.IGNORECASE)
"""Names of elements that open when the reader clicks, or that hold such elements."""
OPENED_ITSELF = re.compile(rf"{OPENED.pattern}|panel|more|answer|drop-?down|content|description|step", re.IGNORECASE)
_SUSPECT_PARTS = ("-99", "-1000", "clip:", "clip-path:", "font-size:0", "font-size: 0", "height:1px", "height: 1px")
_SELECTOR = re.compile(r"\s*\w*([.#][\w-]+)\s*")
_REMOVES = ("display:none", "display: none")
_HIDES = (*_REMOVES, "visibility:hidden", "visibility: hidden")
_HIDING = re.compile(r"none|hidden", re.IGNORECASE)
_DATA = re.compile(r"json|template|importmap|speculationrules|math/", re.IGNORECASE)
"""Types of scripts that do not run."""
_ACTS = ("onclick=", "onload=", "onmouseover=", "javascript:", ":checked", ":target", ":focus-within")
"""What shows hidden parts without a script element."""
_SHOWN_LATER = re.compile(r"anim|aos|fade|reveal|lazy|scroll|in-?view|appear|visible|wow|js-|load|paywall|premium|modal|pop|overlay", re.I)


def stays_hidden(node: HtmlElement) -> bool:
    """Whether an element is hidden, and neither opens nor is a part that a script puts into place (`id="S:1"`)."""
    return is_not_displayed(node) and not opens(node)


def opens(node: HtmlElement) -> bool:
    """Whether a hidden element is one that opens, by its name and the names around it, or that a script puts into place."""
    if (node.get("id") or "").startswith("S:") or node.get("role") in ("tabpanel", "region") or OPENED_ITSELF.search(_names(node)):
        return True
    around = islice(node.iterancestors(), MAX_CLIMB)
    return any(parent.tag == "details" or OPENED.search(_names(parent)) for parent in around)


def is_unnamed(node: HtmlElement) -> bool:
    """Whether a hidden element has nothing by which a script finds it."""
    return _UNNAMED.issuperset(node.keys())


def iter_hidden_inline(blocks: Blocks) -> Iterator[int]:
    """Rows of the short inline elements that stay hidden within text that is shown, such as the keys by which tables are sorted."""
    elements = blocks.elements
    has_text = elements.piece_end > elements.piece
    yield from (row for row in blocks.unseen if has_text[row] and is_inline(elements.nodes[row]))
    for row in blocks.hiding:
        if _has_text(blocks, row, MAX_CHARS) and is_inline(elements.nodes[row]) and stays_hidden(elements.nodes[row]):
            yield row


def _names(node: HtmlElement) -> str:
    return f"{node.get('class') or ''} {node.get('id') or ''}"


def sheet_of(styles: Iterable[HtmlElement]) -> str:
    """The rules of a page's own style elements that count for readers with scripts and a screen."""
    shown = [node for node in styles if node.get("media", "all").strip().lower() in ("", "all", "screen")]
    return "\n".join([node.text or "" for node in shown if next(node.iterancestors("noscript"), None) is None])[:MAX_CSS_CHARACTERS]


def _names_styled(css: str, parts: Iterable[str], accepts: Callable[[Mapping[str, str]], bool]) -> set[str]:
    """Classes and ids whose rules hold one of the parts and are accepted, outside of @media."""
    names: set[str] = set()
    for part in filter(css.__contains__, parts):
        depth = last = 0  # a rule inside of @media has one brace more before it
        for match in islice(re.finditer(re.escape(part), css), MAX_RULES):
            start, end = css.rfind("{", 0, match.start()), css.find("}", match.start())
            depth += css.count("{", last, start) - css.count("}", last, start) if start > last else 0
            last = max(last, start)
            if depth == 0 and accepts(declarations_of(css[start + 1 : end])):
                selectors = css[css.rfind("}", 0, start) + 1 : start].rpartition("*/")[2].split(",")
                names |= {found[1] for selector in selectors if (found := _SELECTOR.fullmatch(selector))}
    return names


def unseen_rows(blocks: Blocks, css: str) -> Iterator[int]:
    """Rows of the elements with a class or id to which rules give a style that nobody sees, and that no rule for more than it is about."""
    names = _names_styled(css, _SUSPECT_PARTS, is_unseen_style)
    compound = {name for name in names if any(name + sign in css for sign in ".#[")}
    for row in blocks.rows_named(names) if names else ():
        if not {f"#{blocks.elements.ids[row]}", *(f".{name}" for name in blocks.elements.classes[row].split())} & names <= compound:
            yield row


def unshown_rows(blocks: Blocks, css: str, scripts: Iterable[HtmlElement], source: str) -> list[int]:
    """Rows of the elements with text that own styles, or rules of one class or id, hide, with nothing in the page that could show them.

    Folds, tabs and notes have the same styles, so their names count. Transparent text is not of these: most of it fades in.
    Where scripts run, only short texts that such a rule removes: a script elsewhere may show all others.
    """
    elements = blocks.elements
    is_still = all(_DATA.search(node.get("type") or "") for node in scripts)
    names = _names_styled(css, _HIDES if is_still else _REMOVES, _hides)
    rows = blocks.rows_named(names) if names else []
    styles = ((row, elements.nodes[row].get("style", "")) for row in (blocks.hiding if is_still else ()))
    rows += [row for row, style in styles if _HIDING.search(style) and _hides(declarations_of(style))]
    most = len(source) if is_still and not any(part in source for part in _ACTS) else MAX_CHARS
    names_of = {row: f"{elements.classes[row]} {elements.ids[row]}".split() for row in rows[:MAX_ROWS] if _has_text(blocks, row, most)}
    closed = [row for row, own in names_of.items() if not any(map(_SHOWN_LATER.search, own)) and not opens(elements.nodes[row])]
    owners = "\n".join((*elements.classes, *elements.ids)) if closed else ""
    names_elsewhere = cache(partial(_is_named_elsewhere, css, source, owners))
    return [row for row in closed if not any(map(names_elsewhere, names_of[row]))]


def _hides(style: Mapping[str, str]) -> bool:
    return style.get("display") == "none" or (style.get("visibility") == "hidden" and "animation" not in style)


def _has_text(blocks: Blocks, row: int, most: int) -> bool:
    """Whether an element has text, and no more than so many characters."""
    start, end = int(blocks.elements.piece[row]), int(blocks.elements.piece_end[row])
    return 0 < end - start <= most and 0 < sum(len(text) for text, _ in blocks.pieces[start:end]) <= most


def _is_named_elsewhere(css: str, source: str, owners: str, name: str) -> bool:
    """Whether more than one rule names a class or id, or anything but a rule and its elements. `owners`: all classes and ids."""
    rules = css.count(name)
    return rules > 1 or source.count(name) > rules + owners.count(name)
