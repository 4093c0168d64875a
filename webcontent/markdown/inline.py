"""Inline markup in the forms that Markdown has: formulas, superscripts, links, emphasis."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.markdown.tokens import Tokens, formula
from webcontent.markdown.trees import (
    add_before,
    append_text,
    has_content,
    isolate,
    move_content,
    replace_content,
    replace_with_text,
    unwrap,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement

BLOCKS = frozenset(
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hr "
    "li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
"""Block-level tags."""
BOLD, ITALIC, STRUCK = ("b", "strong"), ("i", "em"), ("s", "del", "strike")
EMPHASIS = (*BOLD, *ITALIC, *STRUCK)
_KINDS = {tag: kind for kind in (BOLD, ITALIC, STRUCK) for tag in kind}

_TEX_MARKS = re.compile(r"^\s*(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$)\s*$", re.DOTALL)
_OPENING = tuple("“‘（《〈「『【([{«\"'")
_CITATION = re.compile(r"\s*(?:\[[^\[\]]{1,20}\]\s*)+")
_EDGE = re.compile(r"^([\s\W_]*)(.*?)([\s\W_]*)$", re.DOTALL)


def place_formulas(root: HtmlElement, tokens: Tokens) -> None:
    """Formulas (`<span class="math inline">`, `<span class="math display">`) become tokens of their TeX between dollar signs."""
    displayed = []
    for node in [node for node in root.iter("span", "div") if "math" in (node.get("class") or "").split()]:
        text = "".join(node.itertext())
        match = _TEX_MARKS.match(text)
        tex = next((part for part in match.groups() if part is not None), text) if match else text
        is_display = node.tag == "div" or not {"display", "block"}.isdisjoint((node.get("class") or "").split())
        if any(parent.tag in ("td", "th") for parent in node.iterancestors()):
            tex = tex.replace("\\|", "\\Vert ").replace("|", "\\vert ")
        if is_display and tex.strip():
            displayed.append(node)
        replace_content(node, tokens.add(formula(tex, is_display=is_display)) if tex.strip() else "")
    isolate(displayed)


def mark_scripts(root: HtmlElement, tokens: Tokens) -> None:
    """Superscripts and subscripts keep their tags, which GitHub shows. Citations ("[1]") need none."""
    for node in list(root.iter("sup", "sub")):
        if has_content(node) and not _CITATION.fullmatch("".join(node.itertext())):
            node.text = tokens.add(f"<{node.tag!s}>") + (node.text or "")
            append_text(node, tokens.add(f"</{node.tag!s}>"))
        unwrap(node)


def unwrap_blocks_in_inline(root: HtmlElement) -> None:
    """An inline element around blocks loses its tag. A link is moved into the first block that has content."""
    for node in list(root.iter("a", *EMPHASIS)):
        if not len(node) or next(node.iterdescendants(*BLOCKS), None) is None:
            continue
        if node.tag == "a" and node.get("href"):
            _link_first_block(node)
        node.drop_tag()


def _link_first_block(link: HtmlElement) -> None:
    for block in link.iterdescendants():
        if block.tag in BLOCKS and has_content(block) and not any(child.tag in BLOCKS for child in block.iterdescendants()):
            inner = block.makeelement("a", {"href": link.get("href") or ""})
            move_content(block, inner)
            block.append(inner)
            return


def tidy_links(root: HtmlElement) -> None:
    """Links without address or content lose their tags."""
    for node in list(root.iter("a")):
        href = (node.get("href") or "").strip()
        if not href or not has_content(node):
            unwrap(node)
            continue
        node.set("href", href)
        node.attrib.pop("title", None)
        for line_break in list(node.iter("br")) if len(node) else ():
            replace_with_text(line_break, " ")


def tidy_emphasis(root: HtmlElement) -> None:
    """Emphasis begins and ends with a word, is not nested in emphasis of its kind, and does not touch other emphasis."""
    for node in list(root.iter(*EMPHASIS)):
        if node.getparent() is None:
            continue  # merged with the one before
        kind = _KINDS[str(node.tag)]
        if not has_content(node) or next(node.iterancestors(*kind), None) is not None:
            unwrap(node)
            continue
        _merge_following(node, kind)
        previous = node.getprevious()
        if previous is not None and previous.tag in EMPHASIS and not (previous.tail or ""):
            unwrap(node)
            continue
        _move_edges(node)


def _merge_following(node: HtmlElement, kind: tuple[str, ...]) -> None:
    """Takes over the content of emphasis of the same kind that follows directly."""
    texts: list[str] = []  # not yet appended: a text that grows piece by piece takes quadratic time
    following, parent = node.getnext(), node.getparent()
    while following is not None and parent is not None and following.tag in kind and not (node.tail or ""):
        texts.append(following.text or "")
        if len(following):
            append_text(node, "".join(texts))
            texts.clear()
            node.extend(list(following))
        tail, following.tail = following.tail, None
        parent.remove(following)
        node.tail = tail
        following = node.getnext()
    append_text(node, "".join(texts))


def _move_edges(node: HtmlElement) -> None:
    """Moves blanks out of emphasis, and punctuation too where a word follows or precedes: Markdown would not see the mark there."""
    first = node.text or ""
    start = first[: len(first) - len(first.lstrip())]
    previous, parent = node.getprevious(), node.getparent()
    before = previous.tail if previous is not None else parent.text if parent is not None else ""
    if not start and _is_word((before or "")[-1:]) and (match := _EDGE.match(first)) and match[2]:
        start = match[1]
    if start:
        node.text = first[len(start) :]
        add_before(node, start)
    last = (node[-1].tail if len(node) else node.text) or ""
    end = last[len(last.rstrip()) :]
    if not end and _is_word((node.tail or "")[:1]) and (match := _EDGE.match(last)) and (match[2] or len(node)):
        end = match[3]
        if not start and (node.text or "")[:1] in _OPENING and len(node.text or "") > 1:  # what closes outside opens outside
            add_before(node, (node.text or "")[0])
            node.text = (node.text or "")[1:]
            last = (node[-1].tail if len(node) else node.text) or ""
    if end:
        if len(node):
            node[-1].tail = last[: len(last) - len(end)]
        else:
            node.text = last[: len(last) - len(end)]
        node.tail = end + (node.tail or "")


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
