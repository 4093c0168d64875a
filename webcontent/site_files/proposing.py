"""The simplest selector that gives a right value on all pages where it is known, and the line of the site file that says so."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.document.text import node_text
from webcontent.site_files.applying import block_mask, find_value
from webcontent.site_files.reading import TIME_FIELDS, URL_FIELDS, SiteFile, SiteFileError, read_site_file, selector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lxml.html import HtmlElement

    from webcontent.document.parsing import Document

    Right = tuple[Document, Any]
    """A page, and the right value of a field there; of a body its lines."""

NAMES = ("itemprop", "property", "name", "rel")
"""Attributes whose value names what an element holds."""
MAX_CHARS = 300
"""Characters of an element's text or attribute in which a value is looked for."""
LEAST_AGREEMENT = 0.5
"""Share of a body's text below which an element is not tried as the body."""
_PLAIN = re.compile(r"-?[A-Za-z_][\w-]*", re.ASCII)


class Proposal(NamedTuple):
    """Keys of a site file with their values, and on how many further pages they find something."""

    keys: dict[str, Any]
    found: int


def is_right(name: str, value: Any, right: Any) -> bool:
    """Whether a value is the right one: a time may be more exact than the one that a person gave, white space does not matter."""
    if isinstance(right, list):
        return list(value or ()) == right
    value, right = " ".join(str(value or "").split()), " ".join(str(right).split())
    return value == right or name in TIME_FIELDS and str(value).startswith(right)


def propose(file: SiteFile, name: str, pages: Sequence[Right], others: Sequence[Document]) -> Proposal | None:
    """The simplest selector that gives the right value on all pages, and finds a value on most others; None if there is none.

    `file`: the order of dates and the zone are taken from it.
    """
    if name == "body":
        return _propose_body(pages, others)
    ranked = []
    for options in _iter_options(file, name, *pages[0]):
        trial = selector(options)
        values = ((find_value(file, name, trial, page), right) for page, right in pages)
        if all(value is not None and is_right(name, value.value, right) for value, right in values):
            found = sum(find_value(file, name, trial, other) is not None for other in others)
            ranked.append((-found, len(options), _length(options["select"]), options))
    if not ranked:
        return None
    found, count, _, options = min(ranked, key=lambda rank: rank[:-1])
    return Proposal({name: options["select"] if count == 1 else options}, -found)


def _iter_options(file: SiteFile, name: str, document: Document, right: Any) -> Iterator[dict[str, Any]]:
    """Options of selectors of the elements of a page whose text, or an attribute of which, holds the right value."""
    first = str(right[0] if isinstance(right, list) else right)
    tried: set[str] = set()
    for node in document.root.iter():
        for attribute, text in ((None, node_text(node)), *node.attrib.items()):
            strip = _affix(name, " ".join(text[: MAX_CHARS + 1].split()), first, document)
            if strip is None:
                continue
            is_default = attribute is None or attribute == "href" and name in URL_FIELDS
            more = ({} if is_default else {"attribute": attribute}) | ({"strip": strip} if strip else {})
            options = [{"select": select, **more} for select in selectors_of(node)]
            yield from (one for one in options if str(one) not in tried)
            tried.update(map(str, options))


def _affix(name: str, text: str, right: str, document: Document) -> str | None:
    """The pattern to strip off a text, "" if it is the value as it is; None if the text does not hold the value."""
    if not 0 < len(text) <= MAX_CHARS:
        return None
    if name in TIME_FIELDS:
        return "" if re.search(r"\d", text) else None
    if name in URL_FIELDS:
        return "" if document.absolute(text) == right else None
    before, found, after = text.partition(right)
    parts = ([f"^{re.escape(before)}"] if before else []) + ([f"{re.escape(after)}$"] if after else [])
    return "|".join(parts).replace(r"\ ", " ") if found else None


def selectors_of(node: HtmlElement) -> Iterator[str]:
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


# Bodies


def _propose_body(pages: Sequence[Right], others: Sequence[Document]) -> Proposal | None:
    """The element whose text agrees best with the right bodies, and what is to be dropped of it."""
    ranked = []
    for select in dict.fromkeys(select for node in _containers(*pages[0]) for select in selectors_of(node)):
        trial = selector(select)
        agreement = min(_agreement(page, block_mask(trial, page), right) for page, right in pages)
        if agreement > LEAST_AGREEMENT:
            ranked.append((f"{1 - agreement:.2f}", _length(select), select))
    if not ranked:
        return None
    select = min(ranked)[-1]
    drop = list(_dropped(select, pages))
    keys = {"body": select, **({"drop": drop} if drop else {})}
    return Proposal(keys, sum(bool(block_mask(selector(select), other).any()) for other in others))


def _containers(document: Document, lines: Sequence[str]) -> list[HtmlElement]:
    """The elements that hold most of a body."""
    blocks, wanted = document.blocks, set(lines)
    held = blocks.subtree_sums(np.array([len(text) if text in wanted else 0 for text in blocks.texts]))
    return [blocks.elements.nodes[row] for row in np.flatnonzero(held > LEAST_AGREEMENT * sum(map(len, wanted)))]


def _agreement(document: Document, mask: Any, lines: Sequence[str]) -> float:
    """F1 of the characters of the chosen blocks and those of the lines of the right body."""
    chosen, right = Counter(text for text, one in zip(document.blocks.texts, mask, strict=True) if one), Counter(lines)
    common, total = (sum(len(text) * count for text, count in lines.items()) for lines in (chosen & right, chosen + right))
    return 2 * common / total if total else 0.0


def _dropped(select: str, pages: Sequence[Right]) -> Iterator[str]:
    """Selectors for what the body's element holds beside the body: each takes away wrong lines and no right one, on all pages."""
    bodies = [block_mask(selector(select), page) for page, _ in pages]
    wrong = [body & ~np.isin(page.blocks.texts, right) for body, (page, right) in zip(bodies, pages, strict=True)]
    left = [mask.copy() for mask in wrong]
    for number, (document, _) in enumerate(pages):
        elements = document.blocks.elements
        for start, end, node in zip(elements.start, elements.end, elements.nodes, strict=True):
            if not left[number][start:end].any() or not wrong[number][start:end].all():
                continue
            for drop in (f"{select} {one}" for one in _own_selectors(node)):
                taken = [block_mask(selector(drop), page) for page, _ in pages]
                is_wrong = all(not (one & body & ~bad).any() for one, body, bad in zip(taken, bodies, wrong, strict=True))
                if is_wrong and left[number][start:end].any():
                    left = [mask & ~one for mask, one in zip(left, taken, strict=True)]
                    yield drop


# Writing


def write_keys(path: Path, keys: dict[str, Any]) -> SiteFile:
    """Writes keys into a site file, in the place of their lines or before the first table; other lines stay as they are.

    Raises SiteFileError if the file is then wrong, as where a key takes several lines, and leaves it as it was.
    """
    before = path.read_text(encoding="utf-8") if path.exists() else None
    lines, new = (before or "").splitlines(), [f"{name} = {_toml(value)}" for name, value in keys.items()]
    for name, line in zip(keys, new, strict=True):
        own = [number for number, text in enumerate(lines) if re.match(rf"{name}\s*=", text)]
        table = next((number for number, text in enumerate(lines) if text.startswith("[")), len(lines))
        lines[own[0] if own else table : own[0] + 1 if own else table] = [line]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        return read_site_file(path)
    except SiteFileError as error:
        path.unlink() if before is None else path.write_text(before, encoding="utf-8")
        raise SiteFileError(f"{error} Write it yourself: {'; '.join(new)}") from None


def _toml(value: Any) -> str:
    """A text, a list of texts or a table of texts as TOML, whose strings are those of JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
