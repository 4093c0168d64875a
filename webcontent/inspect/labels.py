"""The blocks that show each field of an item, and the label of each block for display: the extractor's, or the field that it shows."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from webcontent.extraction import LABELS
from webcontent.inspect.places import Place
from webcontent.items import schema_of

if TYPE_CHECKING:
    from webcontent.extraction import Extraction
    from webcontent.inspect.places import Places
    from webcontent.items import Article, Listing

ENTRY = "entry"
NOISE = "noise"
SHOWN = ("title", "time", "source", "authors", "body", ENTRY, "related", NOISE)
"""Labels of blocks, and `entry` for the entries of a list. The style sheet has a color for each."""
LABEL_OF_FIELD = {"entries": ENTRY, "modified": "time"}
"""Field -> label, where their names differ."""
LINKS = ("related", "entries")
"""Fields whose parts are found by their texts."""


def field_places(places: Places, item: Article | Listing) -> dict[str, Place]:
    """Field -> the place of its value; an empty place for what the page does not show."""
    return {name: _place(places, item, name) for name in schema_of(type(item))}


def block_labels(extraction: Extraction, item: Article | Listing, texts: list[str], places: dict[str, Place]) -> tuple[str, ...]:
    """One of SHOWN per block. `places`: the result of `field_places`."""
    labels = _extracted_labels(extraction, item, texts)
    for name in ("authors", "source", "time", *LINKS, "title"):  # a block may show several of them: the later one wins
        for block in places[name].blocks if name in places else ():
            if labels[block] != "body" or name in (*LINKS, "title"):
                labels[block] = LABEL_OF_FIELD.get(name, name)
    return tuple(labels)


def _extracted_labels(extraction: Extraction, item: Article | Listing, texts: list[str]) -> list[str]:
    """The extractor's labels. Without labels: body for the blocks whose text is in the item's body, noise for the others."""
    if extraction.labels is not None and len(extraction.labels) == len(texts):
        return [LABELS[int(code)] for code in extraction.labels]
    lines = _line_counts(item.body)
    return ["body" if any(line in lines for line in text.splitlines()) else NOISE for text in texts]


def _place(places: Places, item: Article | Listing, name: str) -> Place:
    value: Any = getattr(item, name)
    if name == "body":
        return Place(tuple(_body_blocks(places.texts[0], value)))
    place = places.find_texts(part.title for part in value) if name in LINKS else Place()
    return place if any(place) else _place_of_candidate(places, item, name)


def _place_of_candidate(places: Places, item: Article | Listing, name: str) -> Place:
    """The first place whose candidate agrees with the chosen one. The markup of a time may be more exact than its text."""
    candidates = item.evidence.get(name) or []
    for candidate in candidates:
        value, chosen = str(candidate.value), str(candidates[0].value)
        place = places.find(candidate.xpath) if value.startswith(chosen) or chosen.startswith(value) else Place()
        if any(place):
            words = re.findall(r"\w+", value)[:1]
            lines = tuple(block for block in place.blocks if any(word in places.texts[0][block] for word in words))
            return Place(lines or place.blocks, place.rectangle)
    return Place()


def _body_blocks(texts: list[str], body: str) -> list[int]:
    """The blocks whose text is in the body, whatever their label is. Of equal texts those count that have the body beside them."""
    counts = _line_counts(body)
    blocks_of: defaultdict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(texts):
        if shown := next((line for line in (text, text.partition("\n")[0]) if line in counts), None):
            blocks_of[shown].append(i)
    every = {i for blocks in blocks_of.values() for i in blocks}
    nearest = ((text, sorted(blocks, key=lambda i: -len(every & {i - 1, i + 1}))) for text, blocks in blocks_of.items())
    return sorted(i for text, blocks in nearest for i in blocks[: counts[text]])


def _line_counts(body: str) -> Counter[str]:
    """The lines of a body, and the cells of those lines that are table rows, with how often they occur."""
    return Counter(part for line in body.splitlines() for part in (line, *(line.split("\t") if "\t" in line else ())))
