"""Elements whose text no reader sees, and which nothing opens: outside of the page, cut to nothing, without size, in the ground's colour.

Their own style tells; `hidden` reads the rules of the page. Folds, tabs and details are not of these: they open.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.html import HtmlElement

MAX_PARTS = 50
"""Elements inside of an unseen one that are looked at."""

_SUSPECT_STYLE = re.compile(r"-\d{3}|-\d\d+r?em|clip|font-size|color\s*:|height\s*:\s*1px", re.IGNORECASE)
"""Found in every style that `is_unseen_style` accepts, and in few others."""
_FAR = re.compile(r"-(?:\d{4,}|[89]\d\d)(?:\.\d*)?px|-\d{2,}r?em|-\d{4,}%")
_DOT = re.compile(r"0?\.\d+px|1px")
_NO_LETTERS = re.compile(r"0*(?:\.0*)?(?:px|pt|r?em|%)?|(?:0?\.\d+|1)(?:px|pt)")
_NO_AREA = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:[5-9]\d|100)%.*\)|circle\(0.*\)")


def is_unseen(node: HtmlElement) -> bool:
    """Whether the own style of an element draws it where nobody sees its text. Parts with styles of their own may be seen all the same."""
    style = node.get("style", "")
    if not _SUSPECT_STYLE.search(style) or not is_unseen_style(declarations_of(style)):
        return False
    return not any(part.get("style") or part.get("class") for part in islice(node.iterdescendants(), MAX_PARTS))


def declarations_of(style: str) -> dict[str, str]:
    """The declarations of a style, the last one of each property, in small letters."""
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


def wrap_beside_shadow_roots(roots: Iterable[HtmlElement]) -> None:
    """Puts what stands beside a declarative shadow root, which has no slot for it, into a <template>. `roots`: all <template> elements."""
    for root in roots:
        host = root.getparent()
        if root.get("shadowrootmode") and host is not None and next(root.iter("slot"), None) is None:
            wrapper = host.makeelement("template")
            wrapper.text = f"{host.text or ''} {root.tail or ''}"
            host.text = root.tail = None
            wrapper.extend([child for child in host if child is not root])
            host.append(wrapper)
