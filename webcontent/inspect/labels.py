"""The label of each block for display: the extractor's label, or the field of the item that the block shows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from webcontent.extraction import LABELS
from webcontent.items import Listing

if TYPE_CHECKING:
    from webcontent.document.parsing import Document
    from webcontent.extraction import Extraction
    from webcontent.items import Article

ENTRY = "entry"
NOISE = "noise"
COLORS = {
    "title": "#1d4ed8",
    "time": "#c2410c",
    "source": "#7e22ce",
    "authors": "#be185d",
    "body": "#15803d",
    ENTRY: "#0e7490",
    "related": "#a16207",
    NOISE: "#6b7280",
}
"""Label -> color. Labels are those of blocks, and `entry` for the entries of a list. White text on each has a contrast of at least 4.5."""
FIELDS_WITH_XPATHS = ("authors", "source", "time", "title")
"""Fields whose candidates name the element that shows them. If an element shows several, the later one wins."""
DAY_LENGTH = len("2024-03-05")
"""Two times with the same day count as one value: the markup may be more exact than the text."""


def block_labels(document: Document, extraction: Extraction, item: Article | Listing) -> tuple[str, ...]:
    """One of COLORS per block."""
    blocks = document.blocks
    labels = _extracted_labels(document, extraction, item)
    by_text, by_path = _labels_by_text(item), _fields_by_path(item)
    block_counts = Counter(blocks.xpaths)
    for i, (text, link_text, path) in enumerate(zip(blocks.texts, blocks.link_texts, blocks.xpaths, strict=True)):
        field, shown = by_path.get(path, ("", []))
        is_other_line = block_counts[path] > 1 and not any(part in text for part in shown)
        if labels[i] == "body" or is_other_line:
            field = ""
        labels[i] = by_text.get(text) or by_text.get(link_text) or field or labels[i]
    return tuple(labels)


def line_counts(body: str) -> Counter[str]:
    """The lines of a body, and the cells of those lines that are table rows, with how often they occur."""
    return Counter(part for line in body.splitlines() for part in (line, *(line.split("\t") if "\t" in line else ())))


def _extracted_labels(document: Document, extraction: Extraction, item: Article | Listing) -> list[str]:
    """The extractor's labels. Without labels: body for the blocks whose text is in the item's body, noise for the others."""
    texts = document.blocks.texts
    if extraction.labels is not None and len(extraction.labels) == len(texts):
        return [LABELS[int(code)] for code in extraction.labels]
    lines = line_counts(item.body)
    return ["body" if any(line in lines for line in text.splitlines()) else NOISE for text in texts]


def _labels_by_text(item: Article | Listing) -> dict[str, str]:
    """Fields whose value is the whole text of a block."""
    by_text = {link.title: "related" for link in item.related}
    if isinstance(item, Listing):
        by_text |= {entry.title: ENTRY for entry in item.entries}
    else:
        by_text |= dict.fromkeys(item.authors, "authors")
    by_text[item.title or ""] = "title"
    by_text.pop("", None)  # most blocks have the link text ""
    return by_text


def _fields_by_path(item: Article | Listing) -> dict[str, tuple[str, list[str]]]:
    """XPath -> field and texts of which a block shows one if it holds the field's value: of a time the year or the day of the month."""
    found = {}
    for name in FIELDS_WITH_XPATHS:
        candidates = item.evidence.get(name) or []
        for candidate in candidates:
            day, chosen_day = str(candidate.value)[:DAY_LENGTH], str(candidates[0].value)[:DAY_LENGTH]
            if candidate.xpath and (day == chosen_day if name == "time" else candidate.value == candidates[0].value):
                values = candidate.value if isinstance(candidate.value, (list, tuple)) else [candidate.value]
                found[candidate.xpath] = name, day.split("-")[::2] if name == "time" else list(map(str, values))
    return found
