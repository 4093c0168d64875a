"""Cleaned HTML -> GitHub-flavoured Markdown: one walk over the tree, with a function for each tag that Markdown has something for."""

from __future__ import annotations

import re
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import lxml.html
from lxml import etree

from webcontent.markdown.escaping import address, cleaned_lines, code_block, escape_line, formula, heading, with_brackets
from webcontent.markdown.inline import Code, Line, Raw
from webcontent.markdown.tables import markdown_table, table_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

MAX_NESTING = 65
"""Nested elements: those of cleaned HTML and the one around them. Of deeper ones the text stays, because Python limits nested calls."""
BLOCKS = frozenset(
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hr "
    "li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
"""Block-level tags."""
REMOVED = ("script", "style", "template", "iframe", "object", "embed", "canvas", "svg", "noscript", "form", "head")
"""Tags that go with their content. Cleaned HTML has none of them."""
EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "del": "~~", "strike": "~~"}
NOTES = ("li", "div", "p", "dd")
CODE = frozenset(("code", "kbd", "pre"))
CALLOUTS = ("note", "tip", "important", "warning", "caution")
"""Classes of quotes that GitHub shows as alerts."""
BLANK_LINE = "\n\n"
_NOT_IN_CAPTIONS = ("ul", "ol", "table", "pre", "figure")
_NOTE, _REFERENCE, _BACK = re.compile(r"fn-?(\d{1,5})"), re.compile(r"#fn-?(\d{1,5})"), re.compile(r"#fnref-?[\d:-]+")
_LABEL = re.compile(r"\s*(?:(?:[\[(]?(\d{1,5}))?[.:)\]]|[*†‡§]+)\s+")
_DEFINITION = re.compile(r"<.*|\S+|(?:\S+[ \t]+|[^\s\"'(]+)[\"'(].*[\"')]")
"""A note that readers without notes take for the address of a link."""
_CITATION = re.compile(r"\s*(?:\[[^\[\]]{1,20}\]\s*)+")
_TEX_MARKS = re.compile(r"^\s*(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$)\s*$", re.DOTALL)
_CLASSES = etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement)
"""One class for all elements, because lxml.html would ask a Python function for the class of each."""


def html_to_markdown(html: str, *, links: bool = True, images: bool = True) -> str:
    """Cleaned HTML, such as `Article.body_html`, as Markdown without a line break at the end.

    `links`: whether links keep their addresses; without, their texts stay. `images`: whether images stay.
    """
    if not html.strip():
        return ""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_CLASSES)
    root = lxml.html.document_fromstring(f"<html><body><div>{html}</div></body></html>".encode("utf-8", "replace"), parser=parser)[-1]
    etree.strip_elements(root, *REMOVED, *(() if images else ("img",)), with_tail=False)
    return _Writer(root, has_links=links).document()


class _Writer:
    """Writes one tree. Blocks are texts, which blank lines part."""

    def __init__(self, root: HtmlElement, *, has_links: bool) -> None:
        self.root = root
        self.has_links = has_links
        self.nodes = list(root.iter())  # lxml makes an object of each node again wherever none is kept, which takes half of the time
        self.holders = _holders(self.nodes)
        self.notes, self.references = _notes(self.nodes)
        self.link = ""
        """The address for the next line, of a link around blocks."""
        self.bracketed: set[HtmlElement] = set()
        """Lists whose numbers are followed by a bracket, because readers would take them and the lists directly before them for one."""
        self.depth = 0
        self.in_cell = self.is_nested = False
        """Whether a cell is around; a list, a quote or a note."""

    def document(self) -> str:
        """The Markdown of the tree, with the notes at the end."""
        parts = self.blocks(self.root)
        if self.notes and parts and parts[-1] == "---":
            parts.pop()  # it parted the notes from the text
        for node, number in sorted(self.notes.items(), key=itemgetter(1)):
            if text := BLANK_LINE.join(self._nested(node)):
                first, line_break, others = text.partition("\n")
                guard = " &nbsp;" if _DEFINITION.fullmatch(first.rstrip()) else ""
                parts.append(_indented(f"[^{number}]: {first.rstrip() if guard else first}{guard}{line_break}{others}", "    "))
        return BLANK_LINE.join(parts)

    def blocks(self, node: HtmlElement) -> list[str]:
        """The blocks in an element: those of its children, and lines of what stands between them."""
        if self.depth >= MAX_NESTING:
            return self._paragraph("".join(node.itertext()))
        self.depth += 1
        text = node.text or ""
        if node in self.notes:  # its number may stand in it, or what stood behind that
            label = _LABEL.match(text)
            text = text[label.end() :] if label and label[1] in (None, str(self.notes[node])) else text
        blocks = self._flow(text, node)
        self.depth -= 1
        return blocks

    def _flow(self, text: str | None, children: Iterable[HtmlElement]) -> list[str]:
        """The blocks of a text and the elements behind it."""
        blocks: list[str] = []
        line = Line()
        if text:
            line.text(text)
        for child in children:
            if child.tag in BLOCKS or child in self.holders:
                blocks += self._end(line)
                line = Line()
                blocks += self.block(child)
            else:
                self.inline(child, line)
            if child.tail:
                line.text(child.tail)
        return blocks + self._end(line)

    def block(self, node: HtmlElement) -> list[str]:
        """The blocks of an element."""
        if node in self.notes:
            return []
        if (write := _BLOCKS.get(node.tag)) is not None:
            return write(self, node)
        if node.tag == "a" and self.has_links and (href := (node.get("href") or "").strip()):
            self.link = href
            blocks = self.blocks(node)
            self.link = ""
            return blocks
        return self._paragraph(self._formula(node)) if _is_formula(node) else self.blocks(node)

    def _paragraph(self, text: str) -> list[str]:
        line = Line()
        line.add(text) if isinstance(text, Raw) else line.text(text)
        return self._end(line)

    def _end(self, line: Line) -> list[str]:
        """A line as blocks, in the link around it."""
        text = line.write() if line.parts else ""
        if text and self.link:
            text, self.link = f"[{with_brackets(text)}]({address(self.link)})", ""
        return text.split(BLANK_LINE) if text else []

    def content(self, node: HtmlElement, line: Line) -> Line:
        """Adds the content of an element to a line; updated inline."""
        if self.depth >= MAX_NESTING:
            line.text("".join(node.itertext()))
            return line
        self.depth += 1
        if node.text:
            line.text(node.text)
        for child in node:
            self.inline(child, line)
            if child.tail:
                line.text(child.tail)
        self.depth -= 1
        return line

    def inline(self, node: HtmlElement, line: Line) -> None:
        """Adds an element to a line; updated inline. Blocks begin and end with a break."""
        if (write := _INLINE.get(node.tag)) is not None:
            write(self, node, line)
        elif _is_formula(node):
            line.add(self._formula(node))
        elif node.tag not in BLOCKS:
            self.content(node, line)
        elif node not in self.notes:
            line.end_line()
            if node.tag == "li":
                line.text("• ")
            self.content(node, line)
            line.end_line()

    def _marked(self, node: HtmlElement, line: Line, before: str, after: str) -> Line:
        """Adds the content of an element between two marks, unless it is between such marks already."""
        if line.is_in(before):
            return self.content(node, line)
        mark = line.begin(before, after)
        self.content(node, line)
        line.end(mark)
        return line

    def _link(self, node: HtmlElement, line: Line) -> None:
        href = (node.get("href") or "").strip()
        if (number := self.references.get(node)) is not None:
            if number:
                line.add(Raw(f"[^{number}]"))
        elif not href or not self.has_links or self.link or line.is_in("["):
            self.content(node, line)
        else:
            self._marked(node, line, "[", f"]({address(href)})")

    def _code(self, node: HtmlElement, line: Line) -> None:
        text = re.sub(r"\s*\n\s*", " ", _code_text(node))
        line.add(Code(text)) if text.strip() else line.text(text)

    def _image(self, node: HtmlElement, line: Line) -> None:
        if src := (node.get("src") or "").strip():
            text = escape_line(node.get("alt") or "", "$")  # a formula may end behind the image
            line.add(Raw(f"![{with_brackets(text)}]({address(src)})"))

    def _script(self, node: HtmlElement, line: Line) -> None:
        """Superscripts and subscripts keep their tags, which GitHub shows. Citations ("[1]") and notes need none."""
        text = "".join(node.itertext())
        is_reference = len(node) == 1 and self.references.get(node[0]) and text == "".join(node[0].itertext())
        if is_reference or _CITATION.fullmatch(text):
            self.content(node, line)
        else:
            self._marked(node, line, f"<{node.tag!s}>", f"</{node.tag!s}>")

    def _formula(self, node: HtmlElement) -> Raw:
        text = "".join(node.itertext())
        match = _TEX_MARKS.match(text)
        tex = next((part for part in match.groups() if part is not None), text) if match else text
        return Raw(formula(tex, is_display=_is_display(node), in_cell=self.in_cell))

    def _heading(self, node: HtmlElement) -> list[str]:
        """One line without bold type."""
        line = Line(" ")
        line.begin("**", "**")
        line.waiting.clear()  # as if it were written already
        return [heading(text, int(str(node.tag)[1])) for text in self._end(self.content(node, line))]

    def _short(self, node: HtmlElement, mark: str, blocks: Iterable[str]) -> list[str]:
        """A paragraph between two marks, unless some blocks are in it."""
        if next(node.iterdescendants(*blocks), None) is not None:
            return self.blocks(node)
        return self._end(self._marked(node, Line(" "), mark, mark))

    def _pre(self, node: HtmlElement) -> list[str]:
        text = _code_text(node)
        text = (text[1:] if (node.text or "").startswith("\n") else text).rstrip("\n")  # parsers of HTML leave out a break at the beginning
        code = node[0] if len(node) == 1 and node[0].tag == "code" else node
        language = re.search(r"(?:^|\s)lang(?:uage)?-(\S+)", code.get("class") or "")
        return [code_block(text, language[1] if language else "", is_nested=self.is_nested)] if text.strip() else []

    def _nested(self, node: HtmlElement) -> list[str]:
        is_nested, self.is_nested = self.is_nested, True
        blocks = self.blocks(node)
        self.is_nested = is_nested
        return blocks

    def _quote(self, node: HtmlElement) -> list[str]:
        blocks, kind = self._nested(node), node.get("class") or ""
        if kind in CALLOUTS and blocks:
            is_label = blocks[0].strip("*:").lower() == kind
            blocks = [f"[!{kind.upper()}]", *blocks[is_label:]]
        text = BLANK_LINE.join(blocks)
        return ["\n".join([f"> {line}" if line else ">" for line in text.split("\n")])] if text else []

    def _list(self, node: HtmlElement) -> list[str]:
        """A list. Its items are one blank line apart where one of them holds more than a line and lists."""
        start = node.get("start") or ""
        number = int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 1
        is_nested, self.is_nested = self.is_nested, True
        parts: list[tuple[HtmlElement | None, str | None, list[HtmlElement]]] = [(None, node.text, [])]
        """An item, and what stands behind it without being one."""
        for child in node:
            if child.tag == "li" and child not in self.notes:
                parts.append((child, child.tail, []))
            else:
                parts[-1][2].append(child)
        items = [(item, [*(self.blocks(item) if item is not None else ()), *self._flow(text, others)]) for item, text, others in parts]
        self.is_nested = is_nested
        blank = BLANK_LINE if any(item is not None and _is_loose(item, blocks) for item, blocks in items) else "\n"
        previous = node.getprevious()
        is_second = previous is not None and previous.tag == node.tag == "ol" and not (previous.tail or "").strip()
        if is_second and previous not in self.bracketed:
            self.bracketed.add(node)
        lines: list[str] = []
        for offset, (_, blocks) in enumerate(items[1:]):
            marker = f"{number + offset}{')' if node in self.bracketed else '.'} " if node.tag == "ol" else "- "
            lines += [marker + _indented(blank.join(blocks), " " * len(marker))] if blocks else []
        return [*items[0][1], *([blank.join(lines)] if lines else [])]

    def _item(self, node: HtmlElement) -> list[str]:
        return [f"- {_indented(BLANK_LINE.join(blocks), '  ')}"] if (blocks := self._nested(node)) else []

    def _table(self, node: HtmlElement) -> list[str]:
        """A table; the cells of one that Markdown can't hold as blocks."""
        rows = table_rows(node)
        captions = [child for child in node if child.tag == "caption"]
        in_cell, self.in_cell = self.in_cell, True
        text = markdown_table(rows, self._cell)
        self.in_cell = in_cell
        if text is None:
            return [block for part in (*captions, *(cell for row in rows for cell in row)) for block in self.blocks(part)]
        return [*(block for caption in captions for block in self._end(self._marked(caption, Line(" "), "*", "*"))), text]

    def _cell(self, cell: HtmlElement) -> str:
        return self.content(cell, Line("<br>")).write().replace("|", "\\|")


def _holders(nodes: Iterable[HtmlElement]) -> set[HtmlElement]:
    """The inline elements around blocks, which are written without their tags, and displayed formulas in paragraphs."""
    holders: set[HtmlElement] = set()
    for node in nodes:
        parent = node.getparent()
        if node.tag not in BLOCKS:
            if node.tag == "span" and parent is not None and parent.tag == "p" and _is_formula(node) and _is_display(node):
                holders.add(node)
            continue
        while parent is not None and parent.tag not in BLOCKS and parent.tag not in CODE and parent not in holders:
            holders.add(parent)
            parent = parent.getparent()
    return holders


def _notes(nodes: Iterable[HtmlElement]) -> tuple[dict[HtmlElement, int], dict[HtmlElement, int]]:
    """The notes with their numbers, and the numbers of the references to them; 0 for links back."""
    notes: dict[HtmlElement, int] = {}
    references: dict[HtmlElement, int] = {}
    numbers = {0}
    for node in nodes:
        href = node.get("href") or ""
        if match := _REFERENCE.fullmatch(href):
            references[node] = int(match[1])
        elif _BACK.fullmatch(href):
            references[node] = 0
        elif (
            node.tag in NOTES
            and (match := _NOTE.fullmatch(node.get("id") or ""))
            and int(match[1]) not in numbers
            and ("".join(node.itertext()).strip() or node.find(".//img") is not None)
            and notes.keys().isdisjoint(node.iterancestors())
        ):
            notes[node] = int(match[1])
            numbers.add(notes[node])
    return notes, {node: number for node, number in references.items() if number in numbers} if notes else {}


def _is_formula(node: HtmlElement) -> bool:
    return node.tag in ("span", "div") and "math" in (node.get("class") or "").split()


def _is_display(node: HtmlElement) -> bool:
    return node.tag == "div" or not {"display", "block"}.isdisjoint((node.get("class") or "").split())


def _code_text(node: HtmlElement) -> str:
    parts = [node.text or ""]
    for event, inner in etree.iterwalk(node, events=("start", "end")):
        if inner is not node:
            parts.append(inner.tail or "" if event == "end" else "\n" if inner.tag == "br" else inner.text or "")
    return cleaned_lines("".join(parts))


def _is_loose(item: HtmlElement, blocks: Sequence[str]) -> bool:
    """Whether an item of a list holds more than a line and lists below it."""
    lists = [child for child in item if child.tag in ("ul", "ol")]
    if len(blocks) > len(lists) + 1 or any(child.tag == "p" for child in item) or any(block[0] == "<" for block in blocks[:-1]):
        return True
    return bool(lists) and item[0] is lists[0] and len(blocks) > len(lists) and not (item.text or "").strip()


def _indented(text: str, blanks: str) -> str:
    """A text whose later lines belong to the item or the note that its first line begins."""
    return re.sub(r"\n(?=[^\n])", f"\n{blanks}", text)


_BLOCKS: dict[object, Callable[[_Writer, HtmlElement], list[str]]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Writer._heading),
    **dict.fromkeys(("dt", "summary"), lambda writer, node: writer._short(node, "**", BLOCKS if node.find("code") is None else ("code",))),
    **dict.fromkeys(("ul", "ol"), _Writer._list),
    "li": _Writer._item,
    "pre": _Writer._pre,
    "blockquote": _Writer._quote,
    "hr": lambda writer, node: ["---"],
    "figcaption": lambda writer, node: writer._short(node, "*", _NOT_IN_CAPTIONS),
    "table": _Writer._table,
}
_INLINE: dict[object, Callable[[_Writer, HtmlElement, Line], object]] = {
    **{tag: partial(_Writer._marked, before=mark, after=mark) for tag, mark in EMPHASIS.items()},
    **dict.fromkeys(CODE, _Writer._code),
    **dict.fromkeys(("sup", "sub"), _Writer._script),
    "a": _Writer._link,
    "br": lambda writer, node, line: line.end_line(),
    "img": _Writer._image,
}
