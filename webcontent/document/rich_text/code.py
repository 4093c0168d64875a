"""Code blocks: their text with its white space, and their language. Line numbers, buttons and labels of highlighters are left out."""

from __future__ import annotations

import re
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from lxml.html import HtmlElement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_CLIMB = 5
"""Elements around a <pre> that may name its language or hold its line numbers."""
MAX_LINES = 50
"""Of what may be lines of code with their numbers: as many are looked at."""
MAX_LANG_CHARS = 20
_LANG_LABEL = frozenset(("lang", "language", "code-lang", "language-name", "code__lang"))
LANGUAGES = frozenset(
    "abap ada apache applescript arduino asm assembly autohotkey awk bash basic bat batch bibtex c c# c++ clojure cmake cobol coffeescript "
    "conf console cpp crystal csharp css cs csv cuda cypher d dart delphi diff django docker dockerfile dos elixir elm erb erlang excel f# "
    "fortran fsharp gherkin glsl go golang gradle graphql groovy haml handlebars haskell hcl hs html http ini java javascript jinja jl js "
    "json json5 jsonc jsx julia kotlin kt latex less lisp llvm lua makefile markdown mathematica matlab md mermaid mysql nginx nim nix "
    "objc objective-c objectivec ocaml pascal perl pgsql php pl plsql postgresql powershell prolog properties proto protobuf ps1 puppet "
    "pug py pycon python python3 r racket rb reason rst rs ruby rust sas sass scala scheme scss sh shell shell-session smalltalk solidity "
    "sql stata svelte svg swift tcl terraform tex toml ts tsx twig typescript vb vba vbnet verilog vhdl vim vue wasm x86asm xml xquery "
    "yaml yml zig zsh".split()
)
"""Names that a class attribute may hold without a prefix."""
NO_LANGUAGE = frozenset("default none text plain plaintext txt nohighlight no-highlight notranslate code output raw undefined auto".split())

_PREFIXED = re.compile(
    r"(?:^|\s)(?:language|lang|highlight-source|highlight-text|mw-highlight-lang|highlight|brush|sourceCode|source-code|src|crayon|code)[-:_]\s*([\w+#.-]+)",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"(?:^|\s)(?:hljs|highlight|sourceCode|prettyprint|prism|codehilite|syntaxhighlighter|shiki|code|src|brush|pre|programlisting)(?:\s|$)"
)
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:gutter|linenos?|linenumbers?|line-numbers?(?:-rows|-wrapper|-container)?|lineno|ln-num|hljs-ln-numbers|pre-numbering|"
    r"blob-num|rouge-gutter|crayon-nums|lntd-num|react-syntax-highlighter-line-number)(?:$|[\s_-])"
)
_NOT_GUTTER = re.compile(r"(?:^|\s)(?:line-numbers|linenums|line-numbers-mode|has-line-numbers|linenodiv)(?:\s|$)")
_TOOL = re.compile(
    r"(?:^|\s)(?:copy|toolbar|lang|lang-label|code-lang|language-name|highlight-lang|code-header|code-tools|codeblock-tools|codeblock-header"
    r"|example-header|hljs-button|crayon-toolbar|zeroclipboard-container)(?:\s|$)"
    r"|copy-?(?:btn|button|code|to-?clipboard)|(?:btn|button|code|snippet)-?(?:copy|clipboard)|code_toolbar|code-block-extension-header",
    re.IGNORECASE,
)
_LINES = frozenset("div p li tr ul ol table tbody section".split())
"""Elements that stand on lines of their own."""
_GONE = frozenset("script style button svg select textarea noscript template".split())
_NUMBERS = re.compile(r"\s*\d+(?:\s+\d+)*\s*")
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\n)+")


def is_gutter(node: HtmlElement) -> bool:
    """Whether an element holds the line numbers of code."""
    names = node.get("class") or ""
    return bool(_GUTTER.search(names)) and not _NOT_GUTTER.search(names)


def is_tool(node: HtmlElement) -> bool:
    """Whether an element is a button or a label of a highlighter."""
    if node.tag in ("code", "pre", "table"):
        return False
    return node.tag == "button" or (bool(_TOOL.search(node.get("class") or "")) and next(node.iter("code", "pre"), None) is None)


def is_lang_label(node: HtmlElement) -> bool:
    """Whether an element beside code shows the name of its language alone."""
    names = (node.get("class") or "").split()
    return not _LANG_LABEL.isdisjoint(names) and len("".join(node.itertext()).strip()) <= MAX_LANG_CHARS


def is_prose(pre: HtmlElement) -> bool:
    """Whether a <pre> holds paragraphs: an editor that keeps line breaks, and no code."""
    return pre.find("p") is not None and pre.find("code") is None and pre.find("p/code") is None


def table_around(pre: HtmlElement) -> HtmlElement | None:
    """The table around a <pre>; None where there is none near it."""
    for level, parent in enumerate(pre.iterancestors()):
        if level >= MAX_CLIMB + 3 or parent.tag in ("body", "article", "main", "section"):
            return None
        if parent.tag == "table":
            return parent
    return None


def is_code_table(table: HtmlElement) -> bool:
    """Whether a table holds code and its line numbers, and nothing else."""
    if len(list(islice(table.iter("tr"), 2))) > 1:
        return False
    holders = [cell for cell in table.iter("td") if "".join(cell.itertext()).strip()]
    gutters = [cell for cell in holders if is_gutter(cell) or re.fullmatch(r"[\d\s]+", "".join(cell.itertext()))]
    return bool(gutters) and len(holders) - len(gutters) == 1


def tools_beside(codes: Iterable[HtmlElement]) -> Iterator[HtmlElement]:
    """Buttons, labels of languages and line numbers beside blocks of code, within two elements around each."""
    around: dict[HtmlElement, set[HtmlElement]] = {}
    for code in codes:
        inner = code
        for _ in range(2):
            parent = inner.getparent()
            if parent is None or parent.tag in ("body", "article", "main", "section", "td", "li"):
                break
            around.setdefault(parent, set()).add(inner)
            inner = parent
    for parent, inner_ones in around.items():
        for child in parent:
            if child in inner_ones and len(inner_ones) == 1:
                continue
            if isinstance(child.tag, str) and (is_tool(child) or is_gutter(child) or is_lang_label(child)):
                yield child


def is_line_table(table: HtmlElement) -> bool:
    """Whether each row of a table, or each child of a <div>, is a line of code with its number."""
    if table.tag == "div":
        lines = list(islice((line for line in table if line.tag == "div"), MAX_LINES))
        return bool(lines) and sum(any(is_gutter(part) for part in line) for line in lines) > len(lines) / 2
    rows = list(islice(table.iter("tr"), MAX_LINES))
    numbered = [row for row in rows if any(is_gutter(cell) or cell.get("data-line-number") for cell in row if cell.tag == "td")]
    return bool(rows) and len(numbered) > len(rows) / 2


class CodeCounts(dict[HtmlElement, int]):
    """How many <pre> there are in the elements of one page; each element is read once."""

    def __missing__(self, node: HtmlElement) -> int:
        count = self[node] = sum(1 for _ in node.iter("pre"))
        return count


def code_html(node: HtmlElement, counts: CodeCounts) -> str:
    """A block of code as cleaned HTML; "" where it is blank."""
    text = code_text(node)
    if not text.strip():
        return ""
    language = language_of(node, counts)
    opening = f'<code class="language-{escape(language)}">' if language else "<code>"
    return f"<pre>{opening}{escape(text)}</code></pre>"


def code_text(node: HtmlElement) -> str:
    """The text of code, line by line."""
    parts: list[str] = []
    _collect(node, parts)
    text = "".join(parts).replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ").replace("\u200b", "")
    return _LEADING_BLANK_LINES.sub("", text).rstrip()


def _is_number_cell(node: HtmlElement) -> bool:
    """Whether a cell beside code holds line numbers alone."""
    return node.tag == "td" and node.getnext() is not None and _NUMBERS.fullmatch("".join(node.itertext())) is not None


def _collect(node: HtmlElement, parts: list[str]) -> None:
    """Appends the text of an element; elements that stand on lines of their own end one."""
    is_table = node.tag in ("table", "tbody", "tr", "ul", "ol")
    if node.text and not (is_table and node.text.isspace()):
        parts.append(node.text)
    for child in node:
        if not isinstance(child.tag, str) or child.tag in _GONE or is_gutter(child) or is_tool(child) or _is_number_cell(child):
            pass
        elif child.tag == "br":
            parts.append("\n")
        else:
            is_line = child.tag in _LINES
            if is_line and parts and not "".join(parts[-1:]).endswith("\n"):
                parts.append("\n")
            count = len(parts)
            _collect(child, parts)
            if is_line and (len(parts) == count or not parts[-1].endswith("\n")) and child.tag in ("div", "p", "li", "tr"):
                parts.append("\n")
        tail = child.tail
        if tail and not (is_table and tail.isspace()):
            follows_line = child.tag in _LINES or child.tag == "br"
            parts.append(tail.removeprefix("\n") if follows_line and tail.startswith("\n") and parts and parts[-1].endswith("\n") else tail)


def language_of(node: HtmlElement, counts: CodeCounts) -> str | None:
    """The language that the class names of code or of the elements around it give."""
    for holder in _holders(node, counts):
        for name in ("data-lang", "data-language", "lang-name", "data-code-lang"):
            if (value := holder.get(name)) and (language := _known(value)):
                return language
        names = holder.get("class") or ""
        for match in _PREFIXED.finditer(names):
            if language := _known(match[1]):
                return language
        if _MARKED.search(names) or holder.tag in ("code", "pre"):
            for name in names.split():
                if name.lower().rstrip(";") in LANGUAGES:
                    return name.lower().rstrip(";")
    return None


def _holders(node: HtmlElement, counts: CodeCounts) -> Iterator[HtmlElement]:
    """The elements that may name a language: code, <pre>, and those around them."""
    yield from node.iter("code")
    yield from node.iter("pre")
    yield node
    for level, parent in enumerate(node.iterancestors()):
        if level >= MAX_CLIMB or parent.tag in ("body", "article", "main"):
            return
        if counts[parent] > counts[node] + 1:
            return
        yield parent


def _known(value: str) -> str | None:
    """A language's name as highlighters write it; None for names that stand for no language.

    >>> _known("Python"), _known("source-js"), _known("plaintext"), _known("text-html-basic"), _known("numbers")
    ('python', 'js', None, 'html', None)
    """
    name = value.strip().strip(";").lower()
    name = re.sub(r"^(?:source|highlight)-", "", name)
    name = re.sub(r"^text-(\w+)-basic$", r"\1", name)
    if name in LANGUAGES:
        return name
    is_name = re.fullmatch(r"[a-z][a-z0-9+#.-]{0,19}", name) is not None
    return name if is_name and name not in NO_LANGUAGE and name not in _NOT_LANGUAGES and not name.startswith("numbers") else None


_NOT_LANGUAGES = frozenset(
    "block wrapper container box numbers copy toolbar wrap area content body header lines line snippet example group title tabs inner "
    "section item list view source sample scroll fence inline mode highlighted highlighter-rouge".split()
)
"""Ends of class names that begin like the prefix of a language."""
