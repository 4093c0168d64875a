"""The label of each block for display: the extractor's label, or the field of the item that the block shows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from webcontent.extraction import LABELS
from webcontent.items import Listing

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_YEAR, _DAY_OF_MONTH = slice(4), slice(8, DAY_LENGTH)


def block_labels(document: Document, extraction: Extraction, item: Article | Listing) -> tuple[str, ...]:
    """One of COLORS per block."""
    blocks, paths = document.blocks, document.blocks.xpaths
    labels = _extracted_labels(document, extraction, item)
    by_text, by_path = _labels_by_text(item), dict(_fields_by_path(item))
    block_counts = Counter(paths)
    for i, text in enumerate(blocks.texts):
        field, shown = by_path.get(paths[i], ("", ()))
        is_other_line = block_counts[paths[i]] > 1 and not any(value in text for value in shown)
        if labels[i] == "body" or is_other_line:
            field = ""
        labels[i] = by_text.get(text) or by_text.get(blocks.link_texts[i]) or field or labels[i]
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
    return ["body" if any(line in lines for line in text.splitlines()) else "noise" for text in texts]


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


def _fields_by_path(item: Article | Listing) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    """XPath -> field and the texts that a block shows if it holds the field's value."""
    for name in FIELDS_WITH_XPATHS:
        candidates = item.evidence.get(name) or []
        length = DAY_LENGTH if name == "time" else None
        for candidate in candidates:
            if candidate.xpath and str(candidate.value)[:length] == str(candidates[0].value)[:length]:
                yield candidate.xpath, (name, tuple(_shown_texts(name, candidate.value)))


def _shown_texts(name: str, value: Any) -> list[str]:
    """The texts of which at least one is visible where the value is shown: for a time the year or the day of the month."""
    if name == "time":
        return [str(value)[_YEAR], str(value)[_DAY_OF_MONTH]]
    return [str(part) for part in value] if isinstance(value, (list, tuple)) else [str(value)]
