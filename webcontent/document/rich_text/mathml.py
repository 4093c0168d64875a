"""MathML -> TeX, for the elements that formulas on web pages consist of."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal

from webcontent.document.rich_text.class_names import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml.etree import _Element as Element

MAX_DEPTH = 60
"""Nested elements; deeper ones give their text alone."""


def pairs(name: str) -> dict[str, str]:
    """The words of a row of the table, by twos."""
    words = words_of("tex", name)
    return dict(zip(words[::2], words[1::2], strict=True))


SYMBOLS = pairs("symbols")
"""Characters -> TeX."""
_ACCENTS = pairs("accents")
FUNCTIONS = frozenset(words_of("tex", "functions"))
_INVISIBLE = re.compile("[\u2061-\u2064\u200b-\u200d\ufeff]")
_GLYPH = re.compile(r"(?:^| )mjx-c([0-9A-F]+)(?: |$)")
_TEX_END = re.compile(r"\\[A-Za-z]+$")
_COMMAND = re.compile(r"\\[A-Za-z]+(?:\{\w*\})?")
_WITHOUT_TEX = frozenset("annotation annotation-xml mphantom assistive-mml nstrut dstrut line strut surd none mprescripts".split())
_ENCLOSURES = {"top": "overline", "bottom": "underline", "box": "boxed", "updiagonalstrike": "cancel", "radical": "sqrt"}
_STYLES = {"bold": "\\mathbf{%s}", "double-struck": "\\mathbb{%s}"}
_SCRIPTS = {"msup": "^", "msub": "_", "msubsup": "_^", "mover": "^", "munder": "_", "munderover": "_^"}
"""Element -> the marks of its scripts."""
_LINE_BREAK = " \\\\ "


def to_tex(node: Element, depth: int = 0) -> str:
    """The TeX of a <math> element or one inside of it, and of the elements that MathJax 3 draws for them (mjx-mfrac ...)."""
    if not isinstance(node.tag, str):
        return ""
    name = node.tag.rpartition("}")[2].rpartition(":")[2].removeprefix("mjx-").lower()
    if name in _WITHOUT_TEX:
        return ""
    if depth > MAX_DEPTH:
        return "".join(node.itertext())
    if name in _SCRIPTS:
        return _scripts(node, depth + 1, _SCRIPTS[name], is_accent=name[:2] in ("mo", "mu"))
    return _CONVERTERS.get(name, _row)(node, depth + 1)


def _row(node: Element, depth: int) -> str:
    return joined([to_tex(child, depth) for child in node] if len(node) else [(node.text or "").strip()])


def joined(parts: Sequence[str]) -> str:
    """Parts of a formula behind each other; a command is separated from a letter that follows it."""
    written: list[str] = []
    for part in filter(None, parts):
        written.append(f" {part}" if part[0].isalpha() and written and _TEX_END.search(written[-1]) else part)
    return "".join(written)


def _text_of(node: Element) -> str:
    """The characters of a token element, or of the glyphs that MathJax draws for it."""
    glyphs = [chr(int(match[1], 16)) for part in node.iter() if (match := _GLYPH.search(part.get("class") or ""))]
    return _INVISIBLE.sub("", "".join(glyphs) or "".join(node.itertext())).strip()


def _symbols(node: Element, form: Literal["NFC", "NFKC"], command: str) -> str:
    """The symbols of a token element; its name, where it is a function or a word, as a command."""
    text = unicodedata.normalize(form, _text_of(node))
    if text in FUNCTIONS:
        return f"\\{text}"
    if len(text) > 1 and text.isalpha():
        return f"\\{command}{{{text}}}"
    return joined([SYMBOLS.get(character, character) for character in text])


def _identifier(node: Element, depth: int) -> str:
    tex = _symbols(node, "NFKC", "mathrm")
    return tex if tex.startswith("\\mathrm") else _STYLES.get(node.get("mathvariant") or "", "%s") % tex


def _words(node: Element, depth: int) -> str:
    text = _INVISIBLE.sub("", "".join(node.itertext())).replace("\xa0", " ")
    return f"\\text{{{text}}}" if text.strip() else " "


def _parts(node: Element, depth: int) -> list[str]:
    return [to_tex(child, depth) for child in node if isinstance(child.tag, str)]


def _scripts(node: Element, depth: int, marks: str, *, is_accent: bool) -> str:
    """A base with scripts, or with an accent. MathJax draws both scripts inside of one element, the upper one first."""
    children = [child for child in node if isinstance(child.tag, str)]
    if is_accent and len(children) == 2 and (accent := _ACCENTS.get(_text_of(children[1]))):
        return f"\\{accent}{{{to_tex(children[0], depth)}}}"
    parts = list(filter(None, _parts(node, depth))) or [""]
    if len(parts) == len(marks) == 2 and len(upper_first := [part for part in _parts(children[-1], depth) if part.strip()]) == 2:
        parts[1:] = reversed(upper_first)
    base = parts[0] if len(parts[0]) <= 1 or parts[0].isdigit() or _COMMAND.fullmatch(parts[0]) else f"{{{parts[0]}}}"
    scripts = (mark + (part if len(part) == 1 else f"{{{part}}}") for mark, part in zip(marks, parts[1:], strict=False) if part)
    return base + "".join(scripts)


def _fraction(node: Element, depth: int) -> str:
    numerator, denominator = (next(node.iter(f"mjx-{name}"), None) for name in ("num", "den"))
    parts = [to_tex(part, depth) for part in (numerator, denominator) if part is not None] or _parts(node, depth)
    top, bottom = (*parts, "", "")[:2]
    return f"\\binom{{{top}}}{{{bottom}}}" if node.get("linethickness") in ("0", "0px") else f"\\frac{{{top}}}{{{bottom}}}"


def _enclosed(node: Element, depth: int) -> str:
    commands = [_ENCLOSURES[name] for name in (node.get("notation") or "").split() if name in _ENCLOSURES]
    return "".join(f"\\{name}{{" for name in commands) + _row(node, depth) + "}" * len(commands)


def _root(node: Element, depth: int) -> str:
    base, index = (*_parts(node, depth), "", "")[:2]
    return f"\\sqrt[{index}]{{{base}}}"


def _table(node: Element, depth: int) -> str:
    rows = [part for part in node.iter() if isinstance(part.tag, str) and part.tag.removeprefix("mjx-") in ("mtr", "mlabeledtr")]
    lines = [" & ".join(_parts(row, depth)) for row in rows]
    return f"\\begin{{matrix}}{_LINE_BREAK.join(lines)}\\end{{matrix}}"


def _fenced(node: Element, depth: int) -> str:
    opening, closing = node.get("open") or "(", node.get("close") or ")"
    inner = (node.get("separators") or ",")[0].join(_parts(node, depth))
    return f"\\left{SYMBOLS.get(opening, opening)}{inner}\\right{SYMBOLS.get(closing, closing)}"


_CONVERTERS: dict[str, Callable[[Element, int], str]] = {
    "mi": _identifier,
    "mn": lambda node, depth: _text_of(node),
    "mo": lambda node, depth: _symbols(node, "NFC", "operatorname"),
    "mtext": _words,
    "ms": _words,
    "mspace": lambda node, depth: " ",
    "mfrac": _fraction,
    "msqrt": lambda node, depth: f"\\sqrt{{{_row(node, depth)}}}",
    "mroot": _root,
    "menclose": _enclosed,
    "mtable": _table,
    "mfenced": _fenced,
    "semantics": lambda node, depth: to_tex(node[0], depth) if len(node) else "",
}
"""Element -> the function that converts it. Others are rows of their parts."""
