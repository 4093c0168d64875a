"""MathML -> TeX, for the elements that formulas on web pages consist of."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from webcontent.document.rich_text.class_names import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml.etree import _Element as Element

MAX_DEPTH = 60
"""Nested elements; deeper ones give their text alone."""


def _pairs(name: str) -> dict[str, str]:
    words = words_of("tex", name)
    return dict(zip(words[::2], words[1::2], strict=True))


SYMBOLS = _pairs("symbols")
"""Characters -> TeX."""
_ACCENTS = _pairs("accents")
FUNCTIONS = frozenset(words_of("tex", "functions"))
_INVISIBLE = re.compile("[\u2061-\u2064\u200b-\u200d\ufeff]")
_GLYPH = re.compile(r"(?:^| )mjx-c([0-9A-F]+)(?: |$)")
_TEX_END = re.compile(r"\\[A-Za-z]+$")
MAX_COMMAND_CHARS = 40


_WITHOUT_TEX = frozenset("annotation annotation-xml mphantom assistive-mml nstrut dstrut line strut surd none mprescripts".split())
_ENCLOSURES = {"top": "overline", "bottom": "underline", "box": "boxed", "updiagonalstrike": "cancel", "radical": "sqrt"}


def to_tex(node: Element, depth: int = 0) -> str:
    r"""The TeX of a <math> element or one inside of it, and of the elements that MathJax 3 draws for them (mjx-mfrac ...).

    >>> from lxml import html
    >>> to_tex(html.fromstring("<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mi>π</mi></mfrac></math>"))
    'x^2+\\frac{1}{\\pi}'
    """
    if not isinstance(node.tag, str):
        return ""
    name = node.tag.rpartition("}")[2].rpartition(":")[2].removeprefix("mjx-").lower()
    if name in _WITHOUT_TEX:
        return ""
    if depth > MAX_DEPTH:
        return "".join(node.itertext())
    convert = _CONVERTERS.get(name, _row)
    return convert(node, depth + 1)


def _row(node: Element, depth: int) -> str:
    """The parts, one after the other; a command is separated from a letter that follows it."""
    parts = [(node.text or "").strip()] if not len(node) else []
    parts += [to_tex(child, depth) for child in node]
    return joined(parts)


def joined(parts: Sequence[str]) -> str:
    """Parts of a formula behind each other.

    >>> joined(["\\\\pi", "r", "s"]), joined(["\\\\pi", "+"])
    ('\\\\pi rs', '\\\\pi+')
    """
    written: list[str] = []
    end = ""
    for part in parts:
        written.append(f" {part}" if part[:1].isalpha() and _TEX_END.search(end) else part)
        end = (end + written[-1])[-MAX_COMMAND_CHARS:]
    return "".join(written)


def _text_of(node: Element) -> str:
    """The characters of a token element, or of the glyphs that MathJax draws for it."""
    glyphs = [chr(int(match[1], 16)) for part in node.iter() if (match := _GLYPH.search(part.get("class") or ""))]
    return _INVISIBLE.sub("", "".join(glyphs) or "".join(node.itertext())).strip()


def _identifier(node: Element, depth: int) -> str:
    text = unicodedata.normalize("NFKC", _text_of(node))
    if text in FUNCTIONS:
        return f"\\{text}"
    if len(text) > 1 and text.isalpha():
        return f"\\mathrm{{{text}}}"
    style = node.get("mathvariant") or ""
    symbol = _symbols(text)
    return f"\\mathbf{{{symbol}}}" if style == "bold" else f"\\mathbb{{{symbol}}}" if style == "double-struck" else symbol


def _symbols(text: str) -> str:
    return joined([SYMBOLS.get(character, character) for character in text])


def _operator(node: Element, depth: int) -> str:
    text = _text_of(node)
    if text in FUNCTIONS:
        return f"\\{text}"
    if len(text) > 1 and text.isalpha():
        return f"\\operatorname{{{text}}}"
    return _symbols(unicodedata.normalize("NFC", text))


def _words(node: Element, depth: int) -> str:
    text = " ".join(_INVISIBLE.sub("", "".join(node.itertext())).replace("\xa0", " ").split(" "))
    return f"\\text{{{text}}}" if text.strip() else " "


def _parts(node: Element, depth: int) -> list[str]:
    return [to_tex(child, depth) for child in node if isinstance(child.tag, str)]


def _group(tex: str) -> str:
    """An argument of ^ and _.

    >>> _group("2"), _group("10"), _group("\\\\pi")
    ('2', '{10}', '{\\\\pi}')
    """
    return tex if len(tex) == 1 else f"{{{tex}}}"


def _base(tex: str) -> str:
    return tex if len(tex) <= 1 or tex.isdigit() or re.fullmatch(r"\\[A-Za-z]+(?:\{\w*\})?", tex) else f"{{{tex}}}"


def _script(*marks: str) -> Callable[[Element, int], str]:
    """A converter of a base with scripts. MathJax draws both scripts inside of one element, the upper one first."""

    def convert(node: Element, depth: int) -> str:
        parts = [part for part in _parts(node, depth) if part] or [""]
        if len(parts) == 2 and len(marks) == 2:
            holder = [child for child in node if isinstance(child.tag, str)][-1]
            upper_first = [part for part in _parts(holder, depth) if part.strip()]
            parts = [parts[0], *reversed(upper_first)] if len(upper_first) == 2 else parts
        return _base(parts[0]) + "".join(mark + _group(part) for mark, part in zip(marks, parts[1:], strict=False) if part)

    return convert


def _fraction(node: Element, depth: int) -> str:
    numerator, denominator = (next(node.iter(f"mjx-{name}"), None) for name in ("num", "den"))
    parts = [to_tex(part, depth) for part in (numerator, denominator) if part is not None] or _parts(node, depth)
    top, bottom = (*parts, "", "")[:2]
    return f"\\binom{{{top}}}{{{bottom}}}" if node.get("linethickness") in ("0", "0px") else f"\\frac{{{top}}}{{{bottom}}}"


def _square_root(node: Element, depth: int) -> str:
    return f"\\sqrt{{{_row(node, depth)}}}"


def _enclosed(node: Element, depth: int) -> str:
    commands = [_ENCLOSURES[name] for name in (node.get("notation") or "").split() if name in _ENCLOSURES]
    return "".join(f"\\{name}{{" for name in commands) + _row(node, depth) + "}" * len(commands)


def _root(node: Element, depth: int) -> str:
    base, index = (*_parts(node, depth), "", "")[:2]
    return f"\\sqrt[{index}]{{{base}}}"


def _over_under(*marks: str) -> Callable[[Element, int], str]:
    """Accents become commands; limits of sums become scripts."""
    scripts = _script(*marks)

    def convert(node: Element, depth: int) -> str:
        children = [child for child in node if isinstance(child.tag, str)]
        if len(children) == 2 and (accent := _ACCENTS.get(_text_of(children[1]))):
            return f"\\{accent}{{{to_tex(children[0], depth)}}}"
        return scripts(node, depth)

    return convert


def _table(node: Element, depth: int) -> str:
    rows = [part for part in node.iter() if isinstance(part.tag, str) and part.tag.removeprefix("mjx-") in ("mtr", "mlabeledtr")]
    lines = [" & ".join(_parts(row, depth)) for row in rows]
    return f"\\begin{{matrix}}{_LINE_BREAK.join(lines)}\\end{{matrix}}"


_LINE_BREAK = " \\\\ "


def _fenced(node: Element, depth: int) -> str:
    opening, closing = node.get("open") or "(", node.get("close") or ")"
    inner = (node.get("separators") or ",")[0].join(_parts(node, depth))
    return f"\\left{SYMBOLS.get(opening, opening)}{inner}\\right{SYMBOLS.get(closing, closing)}"


_CONVERTERS: dict[str, Callable[[Element, int], str]] = {
    "mi": _identifier,
    "mn": lambda node, depth: _text_of(node),
    "mo": _operator,
    "mtext": _words,
    "ms": _words,
    "mspace": lambda node, depth: " ",
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    "menclose": _enclosed,
    "msup": _script("^"),
    "msub": _script("_"),
    "msubsup": _script("_", "^"),
    "mover": _over_under("^"),
    "munder": _over_under("_"),
    "munderover": _over_under("_", "^"),
    "mtable": _table,
    "mfenced": _fenced,
    "semantics": lambda node, depth: to_tex(node[0], depth) if len(node) else "",
}
"""Element -> the function that converts it. Others are rows of their parts."""
