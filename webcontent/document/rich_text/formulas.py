"""The TeX of formulas: from annotations, attributes and scripts of the usual renderers, else from MathML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote_plus, urlsplit

import lxml.html

from webcontent.document.rich_text.mathml import to_tex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

MAX_TEX_CHARS = 20_000
MAX_SCRIPT_CHARS = 2000
"""Of a script, in which a renderer of formulas is looked for."""
TAGS = ("math", "mjx-container", "math-renderer", "tex-math", "d-math")
"""Elements that are formulas."""
CLASSES = re.compile(
    r"(?:^|\s)(?:katex(?:-display|-block)?|mwe-math-element|MathJax(?:_Display|_CHTML|_SVG|_SVG_Display|_Preview)?|MJXc-display|mjx-chtml"
    r"|ztext-math|math(?:-container|-inline|-block|-display|-tex)?|arithmatex|tex2?jax_process|latex|formula|eqn?|tex)(?:\s|$)"
)
"""Class attributes of elements that may be formulas."""
CLASS_WORDS = ("math", "tex", "mjx", "formula", "eq")
"""One of these is in each name that CLASSES matches, in small letters."""

TEX_MARKS = ("\\(", "\\[")
"""One of these begins TeX in text, or two dollar signs are around it."""

_ANNOTATION = re.compile(r"tex|latex", re.IGNORECASE)
_DISPLAY = re.compile(r"display|block|mode=display", re.IGNORECASE)
_ATTRIBUTES = ("data-tex", "data-latex", "data-formula", "data-math", "data-expr", "data-original-tex")
_DELIMITED = re.compile(r"\s*(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$|(\\begin\{(\w+\*?)\}.*\\end\{\6\}))\s*", re.DOTALL)
_NUMBER = re.compile(r"^\s*\(\w{1,6}(?:\.\w{1,4})*\)\s*[¶#]?|\(\w{1,6}(?:\.\w{1,4})*\)\s*$")
"""The number of an equation, before or behind it."""
_STYLE = re.compile(r"\{?\s*\\(?:displaystyle|textstyle)\b")
_STYLE_COMMAND = re.compile(r"^\s*\\(?:displaystyle|textstyle)\s*")
_IMAGE_ADDRESS = re.compile(
    r"(?:mimetex|mathtex|latex)\.(?:cgi|php|codecogs\.com)|/(?:latex|mathml|tex|math)/(?:render|png|svg)|/equation\?|[?&](?:tex|latex|formula|chl)=",
    re.I,
)
_IMAGE_CLASS = re.compile(r"(?:^|[\s_-])(?:latex|tex|math|eqn|equation|formula|mimetex)(?:$|[\s_-])", re.I)
_IMAGE_NAMES = ("src", "data-src", "class")
"""Attributes of images that tell a formula."""
_IMAGE_WORDS = ("tex", "math", "equation", "formula", "eqn", "chl=")
"""One of these is in whatever _IMAGE_ADDRESS and _IMAGE_CLASS match, in small letters."""
_TEX = re.compile(r"\\[A-Za-z]+|[\^_]\s*[{\w]|^[^<>]{0,40}=[^<>]{1,60}$|^\s*[A-Za-z]\s*$")
_IN_TEXT = re.compile(
    r"\\\((?P<a>[^\n]+?)\\\)|\\\[(?P<b>.+?)\\\]|\$\$(?P<c>.+?)\$\$|(?<![\\$\w])\$(?=\S)(?P<d>[^$\n]+?)(?<=[^\s\\])\$(?![\w$])", re.DOTALL
)
_RENDERERS = ("MathJax", "mathjax", "katex", "KaTeX", "renderMathInElement")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as TeX without delimiters."""

    tex: str
    is_display: bool

    def html(self) -> str:
        r"""Its form in cleaned HTML.

        >>> Formula("a<b", False).html()
        '<span class="math inline">\\(a&lt;b\\)</span>'
        """
        if self.is_display:
            return f'<span class="math display">\\[{escape(self.tex, quote=False)}\\]</span>'
        return f'<span class="math inline">\\({escape(self.tex, quote=False)}\\)</span>'


def formula_of(node: HtmlElement) -> Formula | None:
    """The formula that an element draws; None where it is none or cannot be read."""
    tex = _declared(node) or _delimited(node) or _from_mathml(node)
    if tex is None or not tex.strip() or len(tex) > MAX_TEX_CHARS:
        return None
    return _formula(tex, is_display=_is_display(node))


def formula_of_script(node: HtmlElement) -> Formula | None:
    """The formula of a script that MathJax 2 reads."""
    kind, text = node.get("type") or "", node.text or ""
    if not text.strip():
        return None
    tex = text if "tex" in kind else to_tex(lxml.html.fromstring(text)) if "mml" in kind else ""
    return _formula(tex, is_display="display" in kind) if tex.strip() else None


def formula_of_image(node: HtmlElement) -> Formula | None:
    """The formula that an image shows: its alternative text, or the TeX in its address."""
    address, text = node.get("src") or node.get("data-src") or "", (node.get("alt") or "").strip()
    names = f"{node.get('class') or ''} {node.get('data-eeimg') and 'tex' or ''}"
    if not (_IMAGE_ADDRESS.search(address) or _IMAGE_CLASS.search(names)):
        return None
    if not text or not (_TEX.search(text) or _IMAGE_CLASS.search(names)):
        text = _tex_in_address(address)
    if not text or not (_TEX.search(text)):
        return None
    match = _DELIMITED.fullmatch(text)
    is_display = bool(_DISPLAY.search(node.get("class") or "")) or text.startswith(("\\[", "$$"))
    return _formula(next(filter(None, match.groups()), text) if match else text, is_display=is_display)


def any_may_be_formula(nodes: Iterable[HtmlElement]) -> bool:
    """Whether the address or class of one of the images is near to those that `formula_of_image` reads: most pages have none."""
    joined = "\n".join([value for node in nodes for name in _IMAGE_NAMES if (value := node.get(name))]).lower()
    return any(word in joined for word in _IMAGE_WORDS)


def has_renderer(root: HtmlElement) -> bool:
    """Whether a page loads a script that turns TeX between delimiters into formulas."""
    for node in root.iter("script"):
        named = f"{node.get('src') or ''} {node.get('id') or ''} {(node.text or '')[:MAX_SCRIPT_CHARS]}"
        if any(name in named for name in _RENDERERS):
            return True
    return False


def with_formulas(text: str) -> str:
    r"""Escaped text in which TeX between delimiters has become formulas.

    >>> with_formulas("For $x_1$ < \\(2\\), $5 and $6")
    'For <span class="math inline">\\(x_1\\)</span> &lt; <span class="math inline">\\(2\\)</span>, $5 and $6'
    """
    if "$" not in text and "\\" not in text:
        return escape(text)
    parts, end = [], 0
    for match in _IN_TEXT.finditer(text):
        tex = next(filter(None, match.groups()))
        if match["d"] and not (_TEX.search(tex) or re.fullmatch(r"[\w\s+*/=().,'<>-]{1,20}", tex)):
            continue
        parts += [escape(text[end : match.start()]), _formula(tex, is_display=match["b"] is not None or match["c"] is not None).html()]
        end = match.end()
    return "".join([*parts, escape(text[end:])])


def _formula(tex: str, *, is_display: bool) -> Formula:
    tex = tex.strip()
    if _STYLE.match(tex):
        tex = _STYLE_COMMAND.sub("", tex[1:-1] if tex.startswith("{") and tex.endswith("}") else tex)
    return Formula(tex.strip(), is_display)


def _declared(node: HtmlElement) -> str | None:
    """TeX in an attribute or an annotation."""
    for holder in (node, *node.iter("mjx-math", "math")):
        for name in _ATTRIBUTES:
            if tex := holder.get(name):
                return unquote_plus(tex) if "%5C" in tex else tex
    for annotation in node.iter("annotation"):
        if _ANNOTATION.search(annotation.get("encoding") or "") and annotation.text:
            return annotation.text
    for math in node.iter("math"):
        if tex := math.get("alttext"):
            return tex
    for image in node.iter("img"):
        if (tex := image.get("alt")) and _TEX.search(tex):
            return tex
    return None


def _delimited(node: HtmlElement) -> str | None:
    """TeX between delimiters, in an element that a script would render."""
    if next(node.iter("math", "mjx-math", "svg"), None) is not None:
        return None
    text = "".join(node.itertext())
    match = _DELIMITED.fullmatch(text) or _DELIMITED.fullmatch(_NUMBER.sub("", text))
    return next(filter(None, match.groups()), None) if match else None


def _from_mathml(node: HtmlElement) -> str | None:
    """TeX made of MathML: in the page, in an attribute, or as MathJax 3 draws it."""
    if markup := node.get("data-mathml"):
        return to_tex(lxml.html.fromstring(markup))
    for math in node.iter("math"):
        return to_tex(math)
    for math in node.iter("mjx-math"):
        return to_tex(math)
    for inner in node.iter("span"):
        if markup := inner.get("data-mathml"):
            return to_tex(lxml.html.fromstring(markup))
    return None


def _is_display(node: HtmlElement) -> bool:
    names = [node.get("class") or "", node.get("display") or "", node.get("mode") or ""]
    math = next(node.iter("math"), None)
    if math is not None:
        names += [math.get("display") or "", math.get("mode") or ""]
    parent = node.getparent()
    names.append(parent.get("class") or "" if parent is not None and parent.tag == "span" else "")
    text = _NUMBER.sub("", "".join(node.itertext())[:200]).lstrip()
    is_display = any("display" in name or name == "block" or "math-block" in name for name in names) or text.startswith(("\\[", "$$"))
    is_drawn = "true" in ((node.get("display") or ""), (node.get("data-display") or ""))
    return is_display and "inline" not in names[0].split() or is_drawn


def _tex_in_address(address: str) -> str:
    """TeX in the query of an image's address.

    >>> _tex_in_address("https://e.org/equation?tex=a%5E2"), _tex_in_address("/cgi-bin/mimetex.cgi?x^2")
    ('a^2', 'x^2')
    """
    query = urlsplit(address).query
    values = parse_qs(query.replace("+", "%2B"))
    for name in ("tex", "latex", "formula", "chl"):
        if name in values:
            return values[name][0].strip()
    return unquote_plus(query.replace("+", "%2B")).removeprefix("\\inline").strip() if "=" not in query[:6] else ""
