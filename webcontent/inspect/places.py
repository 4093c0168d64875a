"""Where a page shows what: the blocks of elements, texts and fields, the rectangles that the browser drew, and the label of each block."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.boxes import box_columns
from webcontent.extraction import LABELS
from webcontent.items import schema_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from webcontent.document.parsing import Document
    from webcontent.extraction import Extraction
    from webcontent.items import Article, Listing

    Place = tuple[int, ...]
    """Blocks that belong to an element or a text."""

MAX_LISTED = 4000
"""Blocks that are listed, and whose features are in the file."""
ENTRY = "entry"
NOISE = "noise"
SHOWN = ("title", "time", "source", "authors", "body", ENTRY, "related", NOISE)
"""Labels of blocks, and `entry` for the entries of a list. The style sheet has a color for each."""
LABEL_OF_FIELD = {"entries": ENTRY, "modified": "time"}
LINKS = ("related", "entries")
"""Fields whose parts are found by their texts."""


class Places:
    """Finds the places of elements and texts in a document, among its first MAX_LISTED blocks."""

    def __init__(self, document: Document) -> None:
        blocks = document.blocks
        self.paths: list[str] = blocks.xpaths[:MAX_LISTED]
        self.texts = blocks.texts[:MAX_LISTED], blocks.link_texts[:MAX_LISTED]
        self.boxes = box_columns(document.boxes)
        self._blocks_of: defaultdict[str, list[int]] = defaultdict(list)
        for block, path in enumerate(self.paths):
            self._blocks_of[path].append(block)
        self.find = cache(self._find)
        """The place of an element: the blocks in it, or the block that it is a part of. An empty place if it shows nothing."""

    def text_boxes(self) -> list[tuple[dict[str, str], Place]]:
        """The boxes that hold text, as attributes of SVG, each with its blocks: several where <br> separates lines. Empty without boxes."""
        columns = (self.boxes["x"], self.boxes["y"], np.maximum(self.boxes["w"], 0), np.maximum(self.boxes["h"], 0))
        rows = zip(self.boxes["xpath"], self.boxes["own"], zip(*columns, strict=True), strict=True)
        shown = {str(xpath): sides for xpath, own, sides in rows if own > 0}
        boxes = []
        for xpath, sides in shown.items():
            home = nearest_path(xpath, self._blocks_of)
            outer = nearest_path(xpath.rpartition("/")[0], shown)
            # The box of a bold word inside a box that is already there adds nothing.
            if home is not None and not f"{outer}/".startswith(f"{home}/"):
                attributes = dict(zip(("x", "y", "width", "height"), (f"{side:g}" for side in sides), strict=True))
                boxes.append((attributes, tuple(self._blocks_of[home])))
        return boxes

    def _find(self, xpath: str | None) -> Place:
        if not xpath:
            return ()
        inside = f"{xpath}/"
        blocks = [i for i, path in enumerate(self.paths) if f"{path}/".startswith(inside)]
        if not blocks and (ancestor := nearest_path(xpath, self._blocks_of)) and ancestor not in ("/html", "/html/body"):
            blocks = self._blocks_of[ancestor]
        return tuple(blocks)

    def find_texts(self, texts: Iterable[str]) -> Place:
        """The blocks whose whole text, or whole link text, equals one of the texts."""
        wanted = set(texts) - {""}
        return tuple(i for i, both in enumerate(zip(*self.texts, strict=True)) if not wanted.isdisjoint(both))


def nearest_path(path: str, known: Container[str]) -> str | None:
    """The nearest known path at or above a path.

    >>> nearest_path("/html/body/p/b", {"/html/body", "/html/body/p"})
    '/html/body/p'
    """
    while path:
        if path in known:
            return path
        path = path.rpartition("/")[0]
    return None


def field_places(places: Places, item: Article | Listing) -> dict[str, Place]:
    """Field -> the place of its value; an empty place for what the page does not show."""
    return {name: _place(places, item, name) for name in schema_of(type(item))}


def block_labels(extraction: Extraction, count: int, places: dict[str, Place]) -> tuple[str, ...]:
    """One of SHOWN per block, by the extractor's labels, else by the blocks of the body. `places`: the result of `field_places`."""
    body = set(places.get("body", ()))
    labels = ["body" if block in body else NOISE for block in range(count)]
    if extraction.labels is not None and len(extraction.labels) == count:
        labels = [LABELS[int(code)] for code in extraction.labels]
    for name in ("authors", "source", "time", *LINKS, "title"):  # a block may show several of them: the later one wins
        for block in places.get(name, ()):
            if labels[block] != "body" or name in (*LINKS, "title"):
                labels[block] = LABEL_OF_FIELD.get(name, name)
    return tuple(labels)


def _place(places: Places, item: Article | Listing, name: str) -> Place:
    value: Any = getattr(item, name)
    if name == "body":
        return tuple(_body_blocks(places.texts[0], value))
    place = places.find_texts(part.title for part in value) if name in LINKS else ()
    return place or _place_of_candidate(places, item, name)


def _place_of_candidate(places: Places, item: Article | Listing, name: str) -> Place:
    """The first place whose candidate agrees with the chosen one. The markup of a time may be more exact than its text."""
    candidates = item.evidence.get(name) or []
    for candidate in candidates:
        value, chosen = str(candidate.value), str(candidates[0].value)
        place = places.find(candidate.xpath) if value.startswith(chosen) or chosen.startswith(value) else ()
        if place:
            words = re.findall(r"\w+", value)[:1]
            lines = tuple(block for block in place if any(word in places.texts[0][block] for word in words))
            return lines or place
    return ()


def _body_blocks(texts: list[str], body: str) -> list[int]:
    """The blocks whose text is in the body, whatever their label is. Of equal texts those count that have the body beside them."""
    # Of its lines, and of the cells of those that are table rows.
    counts = Counter(part for line in body.splitlines() for part in (line, *(line.split("\t") if "\t" in line else ())))
    blocks_of: defaultdict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(texts):
        if shown := next((line for line in (text, text.partition("\n")[0]) if line in counts), None):
            blocks_of[shown].append(i)
    every = {i for blocks in blocks_of.values() for i in blocks}
    nearest = ((text, sorted(blocks, key=lambda i: -len(every & {i - 1, i + 1}))) for text, blocks in blocks_of.items())
    return sorted(i for text, blocks in nearest for i in blocks[: counts[text]])
