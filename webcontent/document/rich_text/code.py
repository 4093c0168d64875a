"""Code blocks: their text with its white space, and their language. Line numbers, buttons and labels of highlighters are left out."""

from __future__ import annotations

import re
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.rich_text.class_names import ClassNames, Role, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

MAX_CLIMB = 5
"""Elements around code that may name its language or hold its buttons."""
MAX_LINES = 50
"""Of what may be lines of code with their numbers: as many are looked at."""
MAX_BAR_CHARS = 40
"""Of a label, a button, or the bar above code that holds them."""
_BOX, _BLOCK = Role("code_box"), Role("block_code")
_LANGUAGES = frozenset(words_of("code", "languages"))
"""Names that a class attribute may hold without a prefix."""
_NO_LANGUAGES = frozenset(words_of("code", "no_languages"))
_PREFIXED = re.compile(rf"(?:^|\s)(?:{'|'.join(words_of('code', 'prefixes'))})[-:_]\s*([\w+#.-]+)", re.IGNORECASE)
_ATTRIBUTES = words_of("code", "attributes")
_LABEL, _MARKED, _GUTTER, _NO_GUTTER, _TOOL = (Role(name) for name in ("language_label", "code_mark", "gutter", "no_gutter", "code_tool"))
_OWN_LINES = frozenset("div p li tr ul ol table tbody section".split())
"""Elements that stand on lines of their own."""
_ENDED = frozenset("div p li tr".split())
"""Those of them that end a line even if they are empty."""
_TABLES = frozenset("table tbody tr ul ol".split())
"""White space between their parts is none of the code."""
_BARS = frozenset("div header figcaption p dt".split())
_ACTION = re.compile("copy|select", re.IGNORECASE)
_NO_CODE = ("pre", "p", "h1", "h2", "h3", "h4", "img", "blockquote", "form")
"""What a box of code without <pre> does not hold."""
_GONE = frozenset("script style button svg select textarea noscript template".split())
_OUTER = frozenset("body article main section".split())
_NUMBERS = re.compile(r"\s*\d+(?:\s+\d+)*\s*")
_UNSELECTABLE = re.compile(r"user-select\s*:\s*none")
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")


def find_code(blocks: Blocks, names: ClassNames) -> dict[int, str]:
    """Rows of the blocks of code -> their cleaned HTML; "" for line numbers, and for lines that are written with the one before.

    Code stands in <pre>, in boxes of highlighters, in <code> of several lines, in lines with numbers, and in lines of nothing but <code>.
    """
    elements, nodes = blocks.elements, blocks.elements.nodes
    pres, codes, others = (np.flatnonzero(elements.tag == TAG_CODES[name]) for name in ("pre", "code", "?"))
    runs = {run[0]: run for run in _runs_of_lines(blocks, codes.tolist())}
    typed = [row for row in others.tolist() if nodes[row].tag in ("tt", "samp")]
    found = {row for row in [*codes.tolist(), *typed] if _has_lines(nodes[row])} | {row for row in names.rows(_BOX) if _is_box(nodes[row])}
    found |= {row for row in pres.tolist() if not is_prose(nodes[row])}
    numbered = {
        next(nodes[row].iterancestors("table"), nodes[max(0, elements.parent[elements.parent[row]])]) for row in names.rows(_GUTTER)
    }
    found |= {blocks.row_of[node] for node in numbered if _are_lines(node)}
    written: dict[int, str] = {}
    end = 0
    for row in sorted(found | runs.keys()):
        if row >= end:
            rows = [row] if row in found else runs[row]
            end = int(elements.last[rows[-1]]) + 1
            is_numbers = any(map(is_gutter, (nodes[row], *islice(nodes[row].iterancestors(), 2))))
            written |= dict.fromkeys(rows, "") | {row: "" if is_numbers else _code_html(blocks, rows, pres)}
    return written


def _has_lines(code: HtmlElement) -> bool:
    """Whether <code> holds line breaks: in HTML, or in its text where nothing stands beside it or its class says so."""
    if len(code) and next(code.iter("br"), None) is not None:
        return True
    parent = code.getparent()
    is_alone = parent is not None and len(parent) == 1 and not (parent.text or "").strip() and not (code.tail or "").strip()
    return (is_alone or _BLOCK.is_of(code)) and "\n" in "".join(code.itertext()).strip()


def _is_box(node: HtmlElement) -> bool:
    """Whether an element that is named so holds lines of code and nothing else."""
    if next(node.iter(*_NO_CODE), None) is not None:
        return False
    return next(node.iterdescendants("code", "br", "li", "td", "div"), None) is not None or "\n" in "".join(node.itertext()).strip()


def _runs_of_lines(blocks: Blocks, codes: list[int]) -> Iterator[list[int]]:
    """Rows of adjacent elements of nothing but <code>, two or more."""
    nodes, runs = blocks.elements.nodes, list[list[int]]()
    for row in dict.fromkeys(int(blocks.elements.parent[code]) for code in codes):
        node = nodes[row]
        is_line = node.tag in ("div", "p") and all(child.tag in ("code", "br") for child in node)
        if is_line and not any(text and text.strip() for text in (node.text, node.tail, *(child.tail for child in node))):
            if runs and node.getprevious() is nodes[runs[-1][-1]]:
                runs[-1].append(row)
            else:
                runs.append([row])
    yield from (run for run in runs if len(run) > 1)


def is_gutter(node: HtmlElement) -> bool:
    """Whether an element holds the line numbers of code: by its class, or because a reader can't select or hear them."""
    names, style = node.get("class") or "", node.get("style") or ""
    if node.tag == "td" and (beside := node.getnext()) is not None and node.find("pre") is not None and beside.find(".//pre") is not None:
        return _NUMBERS.fullmatch("".join(node.itertext())) is not None
    if (node.get("aria-hidden") == "true" or style and _UNSELECTABLE.search(style)) and _NUMBERS.fullmatch("".join(node.itertext())):
        return True
    return _GUTTER.is_in(names) and not _NO_GUTTER.is_in(names)


def is_tool(node: HtmlElement) -> bool:
    """Whether an element is a button of a highlighter, its label, or the bar that holds them."""
    if node.tag in ("code", "pre", "table"):
        return False
    if node.tag == "button" or _ACTION.search(node.get("onclick") or ""):
        return True
    has_buttons = node.tag in _BARS and any(
        part.tag == "button" or _ACTION.search(part.get("onclick", "")) for part in node.iter("button", "a")
    )
    is_bar = has_buttons and len("".join(node.itertext()).strip()) <= MAX_BAR_CHARS
    return (is_bar or _TOOL.is_of(node)) and next(node.iter("code", "pre"), None) is None


def is_prose(pre: HtmlElement) -> bool:
    """Whether a <pre> holds paragraphs: an editor that keeps line breaks, and no code."""
    return pre.find("p") is not None and pre.find("code") is None and pre.find("p/code") is None


def tools_beside(codes: Iterable[HtmlElement]) -> Iterator[HtmlElement]:
    """Buttons, labels of languages and line numbers beside blocks of code, within two elements around each or in its table row."""
    inner_of: dict[HtmlElement, set[HtmlElement]] = {}
    for code in codes:
        inner = code
        for level, parent in enumerate(islice(code.iterancestors(), MAX_CLIMB)):
            if parent.tag in _OUTER or parent.tag == "li" or level > 1 and parent.tag not in ("td", "tr"):
                break
            inner_of.setdefault(parent, set()).add(inner)
            inner = parent
    for parent, inner_ones in inner_of.items():
        for child in parent:
            if not isinstance(child.tag, str) or len(inner_ones) == 1 and child in inner_ones:
                continue
            is_label = _LABEL.is_of(child) and len("".join(child.itertext()).strip()) <= MAX_BAR_CHARS
            if is_label or is_tool(child) or is_gutter(child):
                yield child


def _are_lines(node: HtmlElement) -> bool:
    """Whether most rows of a table, or children of a box, are lines of code that begin with their numbers."""
    lines = list(islice(node.iter("tr") if node.tag == "table" else node, MAX_LINES))
    numbered = [line for line in lines if len(line) and is_gutter(line[0]) or any(part.get("data-line-number") for part in line)]
    is_code = node.tag == "table" or next(node.iter(*_NO_CODE), None) is None
    return is_code and len(numbered) > len(lines) / 2


def _code_html(blocks: Blocks, rows: list[int], pres: NDArray[np.intp]) -> str:
    """A block of code as cleaned HTML; "" where it is blank. `pres`: rows of all <pre>."""
    text = "\n".join([code_text(blocks.elements.nodes[row]) for row in rows])
    if not text.strip():
        return ""
    language = language_of(blocks, rows[0], pres)
    label, _, others = text.partition("\n")
    text = others if language and label.strip().lower() == language and blocks.elements.nodes[rows[0]].tag == "pre" else text
    opening = f'<code class="language-{escape(language)}">' if language else "<code>"
    return f"<pre>{opening}{escape(text)}</code></pre>"


def code_text(node: HtmlElement) -> str:
    parts: list[str] = []
    _collect(node, parts)
    text = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").replace("\u200b", "")
    return _LEADING_BLANK_LINES.sub("", text).rstrip()


def _collect(node: HtmlElement, parts: list[str]) -> None:
    """Appends the text of an element; elements that stand on lines of their own end one."""
    is_table = node.tag in _TABLES
    if node.text and not (is_table and node.text.isspace()):
        parts.append(node.text)
    for child in node:
        is_line = child.tag in _OWN_LINES
        if child.tag == "br":
            parts.append("\n")
        elif isinstance(child.tag, str) and child.tag not in _GONE and not (is_gutter(child) or is_tool(child)):
            is_begin = _is_at_line_start(parts, at_begin=True)
            if is_begin and child.tag == "a" and _NUMBERS.fullmatch("".join(child.itertext())):  # the link to a line
                parts.append((child.tail or "").removeprefix(" "))
                continue
            if is_line and not is_begin:
                parts.append("\n")
            count = len(parts)
            _collect(child, parts)
            if child.tag in _ENDED and (len(parts) == count or not _is_at_line_start(parts)):
                parts.append("\n")
        tail = child.tail
        if tail and not (is_table and tail.isspace()):
            parts.append(tail.removeprefix("\n") if (is_line or child.tag == "br") and _is_at_line_start(parts) else tail)


def _is_at_line_start(parts: list[str], *, at_begin: bool = False) -> bool:
    return parts[-1].endswith("\n") if parts else at_begin


def language_of(blocks: Blocks, row: int, pres: NDArray[np.intp]) -> str | None:
    """The language that the class names of code or of the elements around it give."""
    for holder in _holders(blocks, row, pres):
        names = holder.get("class") or ""
        values = [holder.get(name) or "" for name in _ATTRIBUTES] + [match[1] for match in _PREFIXED.finditer(names)]
        is_code = holder.tag in ("code", "pre") or _MARKED.is_in(names)
        words = [name.lower().rstrip(";") for name in names.split()] if is_code else []
        for part in holder:
            if isinstance(part.tag, str) and (_LABEL.is_of(part) or is_tool(part)):
                words += " ".join(part.itertext()).lower().split()[:1]
        if languages := [*filter(None, map(_known, values)), *filter(_LANGUAGES.__contains__, words)]:
            return languages[0]
    return None


def _holders(blocks: Blocks, row: int, pres: NDArray[np.intp]) -> Iterator[HtmlElement]:
    """The elements that may name a language: code, <pre>, and those around them that hold no other code."""
    elements = blocks.elements
    yield from (*elements.nodes[row].iter("code"), *elements.nodes[row].iter("pre"))
    outer, own = row, 0
    for level in range(MAX_CLIMB + 1):
        count = int(pres.searchsorted(elements.last[outer], "right") - pres.searchsorted(outer))
        own = own if level else count
        if outer < 0 or level and (elements.nodes[outer].tag in _OUTER or count > own + 1):
            return
        yield elements.nodes[outer]
        outer = int(elements.parent[outer])


def _known(value: str) -> str | None:
    """A language's name as highlighters write it; None for names that stand for no language.

    >>> _known("Python"), _known("source-js"), _known("plaintext"), _known("text-html-basic"), _known("numbers")
    ('python', 'js', None, 'html', None)
    """
    name = re.sub(r"^(?:source|highlight)-|^text-(?=\w+-basic$)|(?<=\w)-basic$", "", value.strip().strip(";").lower())
    is_name = re.fullmatch(r"[a-z][a-z0-9+#.-]{0,19}", name) is not None and not name.startswith("numbers")
    return name if name in _LANGUAGES or is_name and name not in _NO_LANGUAGES else None
