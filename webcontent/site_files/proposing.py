"""The simplest selector that gives a right value on all pages where it is known, and the line of the site file that says so."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.text import node_text
from webcontent.site_files.applying import block_mask, find_value, finds
from webcontent.site_files.reading import TIME_FIELDS, URL_FIELDS, SiteFile, SiteFileError, read_site_file, selector
from webcontent.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lxml.html import HtmlElement

    from webcontent.document.parsing import Document
    from webcontent.site_files.reading import Selector

    Right = tuple[Document, Any]
    """A page, and the right value of a field there; of a body its lines."""

NAMES = ("itemprop", "property", "name", "rel")
"""Attributes whose value names what an element holds."""
MAX_CHARS = 300
"""Characters of an element's text or attribute in which a value is looked for."""
MOST_ERROR = 0.5
"""Share of a body's text that the proposed element may lack."""
_PLAIN = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)


def is_right(name: str, value: Any, right: Any) -> bool:
    """Whether a value is the right one: a time may be more exact than the one that a person gave, white space does not matter."""
    if isinstance(right, list):
        return list(value or ()) == right
    value, right = " ".join(str(value or "").split()), " ".join(str(right).split())
    return value == right or name in TIME_FIELDS and str(value).startswith(right)


def propose(file: SiteFile, name: str, pages: Sequence[Right], others: Sequence[Document]) -> tuple[dict[str, Any], int] | None:
    """The keys of a site file that give the right value on all pages, and on how many others they find something.

    The selector is the simplest of those that find most there. None if there is none. `file`: its date order and zone are used.
    """
    best: tuple[float, int, dict[str, Any]] | None = None
    found = {str(options): options for options in (_body_options if name == "body" else _options)(name, *pages[0])}
    for options in sorted(found.values(), key=lambda options: (len(options), _length(options["select"]))):
        trial, error = selector(options), 0.0
        for page, right in pages:
            error = max(error, _error(file, name, trial, page, right)) if error <= MOST_ERROR else error
        missed = sum(not finds(file, name, trial, other) for other in others) if error <= MOST_ERROR else 0
        if error <= MOST_ERROR and (best is None or (error, missed) < best[:2]):
            best = error, missed, options
        if best is not None and not any(best[:2]):
            break
    if best is None:
        return None
    _, missed, options = best
    drop = list(_dropped(options["select"], pages)) if name == "body" else []
    return {name: options["select"] if len(options) == 1 else options, **({"drop": drop} if drop else {})}, len(others) - missed


def _error(file: SiteFile, name: str, trial: Selector, document: Document, right: Any) -> float:
    """0 if a selector gives the right value, 1 if not; of a body 1 - F1 of the characters of its lines, in hundredths."""
    if name != "body":
        candidate = find_value(file, name, trial, document)
        return float(candidate is None or not is_right(name, candidate.value, right))
    mask, chars = block_mask(trial, document), document.blocks.chars
    common = chars[mask & np.isin(document.blocks.texts, right)].sum()
    return round(1 - float(2 * common / (chars[mask].sum() + sum(map(len, right)) or 1)), 2)


def _options(name: str, document: Document, right: Any) -> Iterator[dict[str, Any]]:
    """Options of selectors of the elements of a page whose text, or an attribute of which, holds the right value."""
    first = str(right[0] if isinstance(right, list) else right)
    for node in document.root.iter():
        for attribute, text in ((None, node_text(node)), *node.attrib.items()):
            strip = _affix(name, " ".join(text.split()), first, document)
            inner = node if attribute is None and name in TIME_FIELDS else ()
            if strip is None or any(_affix(name, node_text(one), first, document) is not None for one in inner):
                continue
            is_default = attribute is None or attribute == "href" and name in URL_FIELDS
            more = ({} if is_default else {"attribute": attribute}) | ({"strip": strip} if strip else {})
            yield from ({"select": select, **more} for select in _selectors_of(node))


def _body_options(name: str, document: Document, right: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Options of selectors of the elements that hold most of a body."""
    blocks = document.blocks
    held = blocks.subtree_sums(np.array([len(text) * (text in right) for text in blocks.texts]))
    for row in np.flatnonzero(held > MOST_ERROR * sum(map(len, right))):
        yield from ({"select": select} for select in _selectors_of(blocks.elements.nodes[row]))


def _affix(name: str, text: str, right: str, document: Document) -> str | None:
    """The pattern to strip off a text, "" if it is the value as it is; None if the text does not hold the value."""
    if not 0 < len(text) <= MAX_CHARS:
        return None
    if name in (*TIME_FIELDS, *URL_FIELDS):
        day = right[len("2024-03-") :][:2].lstrip("0")
        return "" if (day in text if name in TIME_FIELDS else document.absolute(text) == right) else None
    before, found, after = text.partition(right)
    parts = ([f"^{re.escape(before)}"] if before else []) + ([f"{re.escape(after)}$"] if after else [])
    return "|".join(parts).replace(r"\ ", " ") if found else None


def _selectors_of(node: HtmlElement) -> Iterator[str]:
    """CSS selectors that find an element: by itself, below its parent, below an ancestor with an id or a class."""
    own, parent = list(_own_selectors(node)), node.getparent()
    yield from own
    for ancestor in node.iterancestors():
        outer = [one for one in _own_selectors(ancestor) if ancestor is parent or not _PLAIN.fullmatch(one)]
        yield from (f"{above} {'> ' if ancestor is parent else ''}{one}" for above in outer for one in own)


def _own_selectors(node: HtmlElement) -> Iterator[str]:
    tag, classes = str(node.tag), (node.get("class") or "").split()
    yield from (f"#{name}" for name in (node.get("id") or "",) if _PLAIN.fullmatch(name))
    yield from (f"{start}.{name}" for name in classes if _PLAIN.fullmatch(name) for start in ("", tag))
    yield from (f"{tag}[{name}={json.dumps(value)}]" for name in NAMES if (value := node.get(name)) and value.isprintable())
    yield tag


def _length(select: str) -> tuple[int, int, int]:
    """How simple a selector is: its parts count first, then those of them that are tags alone, then its characters."""
    parts = select.split()
    return len(parts), sum(part.isalnum() for part in parts), len(select)


def _dropped(select: str, pages: Sequence[Right]) -> Iterator[str]:
    """Selectors for what the body's element holds beside the body: each takes away wrong lines and no right one, on all pages."""
    bodies = [block_mask(selector(select), page) for page, _ in pages]
    right = [body & np.isin(page.blocks.texts, lines) for body, (page, lines) in zip(bodies, pages, strict=True)]
    left = [body & ~mask for body, mask in zip(bodies, right, strict=True)]
    for number, (document, _) in enumerate(pages):
        elements = document.blocks.elements
        for start, end, node in zip(elements.start, elements.end, elements.nodes, strict=True):
            for one in _own_selectors(node) if left[number][start:end].any() and not right[number][start:end].any() else ():
                taken = [block_mask(selector(f"{select} {one}"), page) for page, _ in pages]
                is_wrong = not any((mask & kept).any() for mask, kept in zip(taken, right, strict=True))
                if is_wrong and left[number][start:end].any():
                    left = [mask & ~gone for mask, gone in zip(left, taken, strict=True)]
                    yield f"{select} {one}"


def write_keys(path: Path, keys: dict[str, Any]) -> SiteFile:
    """Writes keys into a site file, in the place of their lines or before the first table; other lines stay as they are.

    Raises SiteFileError if the file is then wrong, as where a key takes several lines, and leaves it as it was.
    """
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    new = [f"{name} = {_toml(value)}" for name, value in keys.items()]
    for name, line in zip(keys, new, strict=True):
        own = [number for number, text in enumerate(lines) if re.match(rf"{name}\s*=", text)]
        table = next((number for number, text in enumerate(lines) if text.startswith("[")), len(lines))
        lines[own[0] if own else table : own[0] + 1 if own else table] = [line]
    text = "\n".join(lines) + "\n"
    try:
        file = read_site_file(path, text=text)
    except SiteFileError as error:
        raise SiteFileError(f"{error} Write it yourself: {'; '.join(new)}") from None
    write_whole(path, text)
    return file


def _toml(value: Any) -> str:
    """A text, a list of texts or a table of texts as TOML, whose strings are those of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
