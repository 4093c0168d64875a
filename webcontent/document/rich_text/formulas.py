"""The TeX of formulas: from annotations, attributes and scripts of the usual renderers, else from MathML."""

from __future__ import annotations

import re
from html import escape, unescape
from itertools import chain, zip_longest
from typing import TYPE_CHECKING
from unicodedata import normalize
from urllib.parse import parse_qs, unquote_plus, urlsplit

import lxml.html

from webcontent.document.rich_text.asciimath import ascii_to_tex
from webcontent.document.rich_text.class_names import Role, words_of
from webcontent.document.rich_text.mathml import to_tex

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_TEX_CHARS = 20_000
HIDDEN_WORDS = 3
"""Words of TeX that a formula does not show, from which the formula counts."""
MAX_SCRIPT_CHARS = 2000
"""Of a script, in which a renderer is looked for, and of a formula, in which its number and delimiter are."""
TAGS = words_of("formula", "tags")
"""Elements that are formulas."""
FORMULAS = Role("formula")
"""Of elements that may be formulas."""
TEX_MARKS = ("\\(", "\\[", "\\begin{")
"""One of these begins TeX in text, or two dollar signs are around it."""

_TEX_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_NAMES = re.compile(r"\\(?:begin|end|color|textcolor|label|ref|eqref|cssId|class|style|hspace|vspace)\*?\s*\{[^{}]*\}")
_ANNOTATION = re.compile(r"tex|latex", re.IGNORECASE)
_DISPLAY = re.compile(r"display|block|mode=display", re.IGNORECASE)
_ATTRIBUTES = words_of("formula", "attributes")
_DELIMITED = re.compile(r"\s*(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$|(\\begin\{(\w+\*?)\}.*\\end\{\6\}))\s*", re.DOTALL)
_NUMBER = re.compile(r"^\s*\(\w{1,6}(?:\.\w{1,4})*\)\s*[¶#]?|\(\w{1,6}(?:\.\w{1,4})*\)\s*$")
"""The number of an equation, before or behind it."""
_STYLE = re.compile(r"(\{?)\s*\\(?:displaystyle|textstyle)\b\s*")
_IMAGE_ADDRESS = re.compile(
    r"(?:mimetex|mathtex|latex)\.(?:cgi|php|codecogs\.com)|/(?:latex|mathml|tex|math)/(?:render|png|svg)|/formula/%5C|/equation\?|[?&](?:tex|latex|formula|chl)=",
    re.I,
)
_IMAGE = Role("formula_image")
_BLANK = re.compile(r"[\s+]+")
_COMMANDS = re.compile(r"(?!.*[a-z]{3} [a-z]{3}).*\\[A-Za-z]{2,}", re.DOTALL)
"""An alternative text that is TeX: with a command, and without two words."""
_TEX = re.compile(r"\\[A-Za-z]+|[\^_]\s*[{\w]|^[^<>]{0,40}=[^<>]{1,60}$|^\s*[A-Za-z]\s*$")
FORUM_TEX = re.compile(r"\[(?:tex|itex|math|latex)\](.+?)\[/(?:tex|itex|math|latex)\]", re.IGNORECASE | re.DOTALL)
_RENDERED = re.compile(
    rf"\\\((?P<a>[^\n]+?)\\\)|\\\[(?P<b>.+?)\\\]|\$\$(?P<c>.+?)\$\$|(?<![\\$\w])\$(?=\S)(?P<d>[^$\n]+?)(?<=[^\s\\])\$(?![\w$])"
    r"|(?P<e>\\begin\{(?P<f>(?:equation|align|gather|eqnarray|multline|alignat|split|[bpv]?matrix|cases)\*?)\}.+?\\end\{(?P=f)\})"
    rf"|{FORUM_TEX.pattern}",
    re.IGNORECASE | re.DOTALL,
)
_LINES = re.compile(r"(?<=>)[^<>]+(?:<br>[^<>]*)+")
"""Lines of text in cleaned HTML."""
_BREAK = re.compile(r"\n(?![^<>]*</span>)")
"""A line break that stands in no formula."""
_SHORT = re.compile(r"[\w\s+*/=().,'<>-]{1,20}")
RENDERERS, ASCII_RENDERERS = words_of("formula", "renderers"), words_of("formula", "ascii_renderers")
_ASCII = re.compile(r"`([^`\n]+)`")


def formula_html(tex: str, *, is_display: bool) -> str:
    r"""A formula in cleaned HTML; "" without TeX, or with too much of it."""
    tex = tex.strip()
    if match := _STYLE.match(tex):
        tex = tex[match.end() :].removesuffix("}" * len(match[1])).strip()
    if not tex or len(tex) > MAX_TEX_CHARS:
        return ""
    name, opening, closing = ("display", "\\[", "\\]") if is_display else ("inline", "\\(", "\\)")
    return f'<span class="math {name}">{opening}{escape(tex, quote=False)}{closing}</span>'


def formula_of(node: HtmlElement) -> str:
    """The formula that an element draws; "" where it is none or cannot be read."""
    tex = _declared(node)
    if tex and _says_more(tex, node):
        tex = ""
    return formula_html(tex or _delimited(node) or _from_mathml(node), is_display=_is_display(node))


def formula_of_script(node: HtmlElement) -> str:
    """The formula of a script that MathJax 2 reads."""
    kind, text = node.get("type") or "", node.text or ""
    tex = text if "tex" in kind or not text.strip() else to_tex(lxml.html.fromstring(text)) if "mml" in kind else ""
    return formula_html(tex, is_display="display" in kind)


def formula_of_image(node: HtmlElement) -> str:
    """The formula that an image shows: its alternative text, or the TeX in its address."""
    address, text = node.get("src") or node.get("data-src") or "", (node.get("alt") or "").strip()
    is_named = _IMAGE.is_of(node) or node.get("data-eeimg") is not None
    if not (is_named or _IMAGE_ADDRESS.search(address) or _COMMANDS.match(text)):
        return ""
    tex = _tex_in_address(address)
    if not _TEX.search(text) and _BLANK.sub("", text) != _BLANK.sub("", tex):
        text = tex
    match = _DELIMITED.fullmatch(text)
    is_display = bool(_DISPLAY.search(node.get("class") or "")) or text.startswith(("\\[", "$$"))
    return formula_html(next(filter(None, match.groups()), text) if match else text, is_display=is_display)


def has_renderer(root: HtmlElement, renderers: list[str]) -> bool:
    """Whether a page loads one of the scripts that turn text between delimiters into formulas."""
    for node in root.iter("script"):
        named = f"{node.get('src') or ''} {node.get('id') or ''} {(node.text or '')[:MAX_SCRIPT_CHARS]}".lower()
        if any(name in named for name in renderers):
            return True
    return False


def with_formulas(text: str, *, is_rendered: bool, is_ascii: bool = False) -> str:
    """Escaped text in which TeX has become formulas: in the tags of forums, and where a script renders it, between delimiters.

    `is_ascii`: whether AsciiMath between backticks has.
    """
    if is_ascii and len(parts := _ASCII.split(text)) > 1:
        formulas = [formula_html(ascii_to_tex(part), is_display=False) for part in parts[1::2]]
        texts = [with_formulas(part, is_rendered=is_rendered) for part in parts[::2]]
        return "".join([text + formula for text, formula in zip_longest(texts, formulas, fillvalue="")])
    parts, end = [], 0
    for match in (_RENDERED if is_rendered else FORUM_TEX).finditer(text):
        tex = next(filter(None, match.groups()))
        if not (is_rendered and match["d"]) or _TEX.search(tex) or _SHORT.fullmatch(tex):
            is_display = is_rendered and bool(match["b"] or match["c"] or match["e"])
            parts += [escape(text[end : match.start()]), formula_html(tex, is_display=is_display)]
            end = match.end()
    return "".join([*parts, escape(text[end:])])


def with_broken_formulas(html: str) -> str:
    """Cleaned HTML in which displayed TeX on several lines has become formulas."""
    return _LINES.sub(_with_broken_formulas, html) if "<br>" in html else html


def _with_broken_formulas(lines: re.Match[str]) -> str:
    text = unescape(lines[0].replace("<br>", "\n"))
    has_marks = any(mark in text for mark in (*TEX_MARKS, "$$"))
    return _BREAK.sub("<br>", with_formulas(text, is_rendered=True)) if has_marks else lines[0]


def _declared(node: HtmlElement) -> str:
    """TeX in an attribute or an annotation; "" where there is none."""
    formulas = (node, *node.iter("mjx-math", "math"))
    if tex := next((tex for holder in formulas for name in _ATTRIBUTES if (tex := holder.get(name))), ""):
        return unquote_plus(tex) if "%5C" in tex else tex
    annotations = (part.text for part in node.iter("annotation") if _ANNOTATION.search(part.get("encoding") or ""))
    texts = (math.get("alttext") for math in node.iter("math"))
    images = (alt for image in node.iter("img") if (alt := image.get("alt")) and _TEX.search(alt))
    return next(filter(None, chain(annotations, texts, images)), "")


def _says_more(tex: str, node: HtmlElement) -> bool:
    """Whether TeX has words that the MathML beside it, or else the text of its element, does not show."""
    words = set(_TEX_WORD.findall(_NAMES.sub("", normalize("NFKC", tex))))
    if len(words) < HIDDEN_WORDS:
        return False
    shown = "".join(
        [part.text or "" for math in node.iter("math") for part in math.iter() if part.tag not in ("annotation", "annotation-xml")]
        or node.itertext()
    )
    return bool(shown.strip()) and sum(word not in shown for word in words) >= HIDDEN_WORDS


def _delimited(node: HtmlElement) -> str:
    """TeX between delimiters, in an element that a script would render."""
    if next(node.iter("math", "mjx-math", "svg"), None) is not None:
        return ""
    text = "".join(node.itertext())
    match = _DELIMITED.fullmatch(text) or _DELIMITED.fullmatch(_NUMBER.sub("", text))
    return next(filter(None, match.groups()), "") if match else ""


def _from_mathml(node: HtmlElement) -> str:
    """TeX made of MathML: in an attribute, in the page, or as MathJax 3 draws it."""
    if markup := next(filter(None, (holder.get("data-mathml") for holder in (node, *node.iter("span")))), None):
        return to_tex(lxml.html.fromstring(markup))
    math = next(chain(node.iter("math"), node.iter("mjx-math")), None)
    return to_tex(math) if math is not None else ""


def _is_display(node: HtmlElement) -> bool:
    math, parent = next(node.iter("math"), node), node.getparent()
    names = [holder.get(name) or "" for holder in (node, math) for name in ("class", "display", "mode")]
    names.append(parent.get("class") or "" if parent is not None and parent.tag == "span" else "")
    if "true" in (node.get("display"), node.get("data-display")):
        return True
    text = _NUMBER.sub("", "".join(node.itertext())[:MAX_SCRIPT_CHARS]).lstrip()
    is_display = any("display" in name or name == "block" or "math-block" in name for name in names)
    return (is_display or text.startswith(("\\[", "$$"))) and "inline" not in names[0].split()


def _tex_in_address(address: str) -> str:
    """TeX in an image's address."""
    parts = urlsplit(address.replace("+", "%2B"))
    values = parse_qs(parts.query)
    named = next((values[name][0] for name in ("tex", "latex", "formula") if name in values), "")
    other = parts.query if parts.query and "=" not in parts.query[:6] else parts.path.rpartition("/")[2]
    text = unquote_plus(other).removeprefix("\\inline")
    return (named or values.get("chl", [text])[0]).strip() if named or _TEX.search(values.get("chl", [text])[0]) else ""
