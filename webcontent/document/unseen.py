"""Elements whose text no reader sees, and which nothing opens: outside of the page, cut to nothing, without size, in the ground's colour.

Inline styles and the page's own style elements tell, by selectors of one class or id. Folds, tabs and details are not of these: they open.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lxml.html import HtmlElement

MAX_CSS_CHARACTERS = 400_000
MAX_RULES = 50
"""Rules of a page, and elements inside of an unseen one, that are read."""

_SUSPECT_STYLE = re.compile(r"-\d{3}|-\d\d+r?em|clip|font-size|color\s*:|height\s*:\s*1px", re.IGNORECASE)
"""Found in every style that `is_unseen_style` accepts, and in few others."""
SUSPECT_PARTS = ("-99", "-1000", "clip:", "clip-path:", "font-size:0", "font-size: 0", "height:1px", "height: 1px")
_FAR = re.compile(r"-(?:\d{4,}|[89]\d\d)(?:\.\d*)?px|-\d{2,}r?em|-\d{4,}%")
_DOT = re.compile(r"0?\.\d+px|1px")
_NO_LETTERS = re.compile(r"0*(?:\.0*)?(?:px|pt|r?em|%)?|(?:0?\.\d+|1)(?:px|pt)")
_NO_AREA = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:[5-9]\d|100)%.*\)|circle\(0.*\)")
_SELECTOR = re.compile(r"\s*\w*([.#][\w-]+)\s*")


def is_unseen(node: HtmlElement) -> bool:
    """Whether the own style of an element draws it where nobody sees its text. Parts with styles of their own may be seen all the same."""
    style = node.get("style", "")
    if not _SUSPECT_STYLE.search(style) or not is_unseen_style(declarations_of(style)):
        return False
    return not any(part.get("style") or part.get("class") for part in islice(node.iterdescendants(), MAX_RULES))


def declarations_of(style: str) -> dict[str, str]:
    """The declarations of a style, the last one of each property, in small letters.

    >>> declarations_of("Left: -9999PX !important; top:0")
    {'left': '-9999px', 'top': '0'}
    """
    pairs = (part.partition(":") for part in style.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, colon, value in pairs if colon}


def is_unseen_style(style: Mapping[str, str]) -> bool:
    """Whether an element with these declarations is drawn where nobody sees its text."""
    get = style.get
    if _NO_LETTERS.fullmatch(get("font-size", "-")) or _FAR.match(get("text-indent", "")) or _NO_AREA.fullmatch(get("clip-path", "")):
        return True
    is_out_of_flow = get("position") in ("absolute", "fixed")
    if is_out_of_flow and (any(_FAR.match(get(side, "")) for side in ("left", "top", "right")) or _NO_AREA.fullmatch(get("clip", ""))):
        return True
    is_dot = all(_DOT.fullmatch(get(side, "-")) for side in ("width", "height"))
    ground, color = get("background-color") or get("background", ""), get("color", "")
    is_of_ground = bool(color) and (color == ground or (color == "transparent" and "background-clip" not in " ".join(style)))
    return is_of_ground or (is_dot and get("overflow", "").startswith(("hidden", "clip")))


def unseen_parts(tagged: Mapping[str, Iterable[HtmlElement]]) -> Iterator[HtmlElement]:
    """More than a bracket in <rp>, and what stands beside a declarative shadow root that has no slot for it. `tagged`: elements by tag."""
    yield from (node for node in tagged.get("rp", ()) if len((node.text_content() or "").strip()) > 1)
    for host, root in _shadow_roots(tagged):
        yield from (node for node in host if node is not root)


def wrap_beside_shadow_roots(tagged: Mapping[str, Iterable[HtmlElement]]) -> None:
    """Gives texts beside a shadow root elements of their own, so that `unseen_parts` finds them."""
    for host, _ in _shadow_roots(tagged):
        texts = [(child.addnext, child.tail) for child in host]
        texts.append((partial(host.insert, 0), host.text))
        host.text = None
        for child in host:
            child.tail = None
        for place, text in texts:
            if text and not text.isspace():
                span = host.makeelement("span")
                span.text = text
                place(span)


def _shadow_roots(tagged: Mapping[str, Iterable[HtmlElement]]) -> Iterator[tuple[HtmlElement, HtmlElement]]:
    """Hosts, and their declarative shadow roots without a slot."""
    for root in tagged.get("template", ()):
        host = root.getparent()
        if root.get("shadowrootmode") and host is not None and next(root.iter("slot"), None) is None:
            yield host, root


def sheet_of(styles: Iterable[HtmlElement]) -> str:
    """The rules of a page's own style elements."""
    return "\n".join([node.text or "" for node in styles if _is_applied(node)])[:MAX_CSS_CHARACTERS]


def _is_applied(node: HtmlElement) -> bool:
    """Whether a style element counts for readers with scripts and a screen."""
    parent = node.getparent()
    return node.get("media", "all").strip().lower() in ("", "all", "screen") and (parent is None or parent.tag != "noscript")


def names_styled(css: str, parts: Iterable[str], accepts: Callable[[Mapping[str, str]], bool]) -> set[str]:
    """Classes and ids whose rules hold one of the parts and are accepted, outside of @media."""
    names: set[str] = set()
    for part in parts:
        depth = last = 0  # a rule inside of @media has one brace more before it
        for place in islice(iter_places(css, part), MAX_RULES):
            start, end = css.rfind("{", 0, place), css.find("}", place)
            depth += css.count("{", last, start) - css.count("}", last, start) if start > last else 0
            last = max(last, start)
            if depth == 0 and accepts(declarations_of(css[start + 1 : end])):
                selectors = css[css.rfind("}", 0, start) + 1 : start].rpartition("*/")[2].split(",")
                names |= {found[1] for selector in selectors if (found := _SELECTOR.fullmatch(selector))}
    return names


def is_compound(css: str, name: str) -> bool:
    """Whether a rule asks for more of an element than one class or id, such as ".tip.is-open"."""
    return any(css[place + len(name) : place + len(name) + 1] in (".", "#", "[") for place in iter_places(css, name))


def iter_places(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)
