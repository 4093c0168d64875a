"""An inspection as text: a summary, and one line per block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.pagetype.classify import PARTS
from webcontent.saved_pages.check import changed_lines
from webcontent.site_files.reading import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from webcontent.inspect.inspection import ExtractorResult, Inspection
    from webcontent.items import Article, Listing

MAX_LINE = 120
"""Characters of a block, of an element's name or a button's text."""
SHOWN = (*FIELDS, "body")
"""Fields that are shown side by side."""
NAME_CELLS = max(map(len, SHOWN)) + 1
MAX_CELL = 48
"""Width of an item's column there."""
MAX_ROWS = 50
"""Rows that are listed of anything: overlays, candidates, parts of a field, sites."""


def summary(inspection: Inspection) -> Iterator[str]:
    """The page type with the probability of each model, the item, and what was done to a rendered page before it was read."""
    page_type, item = inspection.page_type, inspection.result.item
    parts = ", ".join(f"{model_label(name)} {probability:.2f}" for name, probability in page_type.evidence.items())
    yield f"{page_type.type} ({page_type.kind}), score {page_type.score:.2f}" + (f" · probability of article: {parts}" if parts else "")
    flags = f" · flags: {', '.join(item.flags)}" if item.flags else ""
    yield f"extractor {item.extractor}, score {item.score:.2f}{flags} · {item.title or 'no title'}"
    yield from preparation_lines(inspection.document.page.preparation)


def preparation_lines(report: dict[str, Any]) -> Iterator[str]:
    """One line per overlay that was hidden, click and count that is not 0.

    >>> list(preparation_lines({"hidden": [["consent", "div#box"]], "folds": 2}))
    ['hidden (consent): div#box', 'folds: 2']
    """
    done = [(f"hidden ({why})", name) for why, name in report.get("hidden", ())]
    done += [("consent rejected", report["rejected"])] if report.get("rejected") else []
    done += [("clicked", text) for text in report.get("clicked", ())]
    yield from (f"{what}: {shorten(str(name), MAX_LINE)}" for what, name in done[:MAX_ROWS])
    yield from (f"{name}: {count}" for name, count in report.items() if isinstance(count, int) and count)


def model_label(model: str) -> str:
    """The part of the page that a page type model looks at, or the name of a user's own model."""
    return next((part for part, name in PARTS.items() if name == model), model)


def block_lines(inspection: Inspection) -> Iterator[str]:
    """One line per block: its label, its score if there is one, its text. Noise of 0.00 is counted at the end."""
    plain, result = 0, inspection.result
    for i, text in enumerate(inspection.document.blocks.texts):
        if result.is_plain_noise(i):
            plain += 1
        else:
            score = result.block_score(i)
            yield f"{result.labels[i]:8} {'' if score is None else f'{score:.2f}':5} {shorten(text, MAX_LINE)}"
    if plain:
        yield f"and {plain} blocks of noise with the score 0.00, which -o page.html lists"


def side_by_side(items: Mapping[str, Article | Listing], note_of: Callable[[str], str] = lambda name: "") -> Iterator[str]:
    """The fields of several items, a column for each under its heading. `note_of`: what stands behind the values of a field."""
    yield " ".join([" " * NAME_CELLS, *(f"{shorten(heading, MAX_CELL):{MAX_CELL}}" for heading in items)]).rstrip()
    for name in ("type", *SHOWN, "score", "flags"):
        values = [getattr(item, name, None) or "" for item in items.values()]
        cells = [shorten(", ".join(map(str, value)) if isinstance(value, list) else str(value), MAX_CELL) for value in values]
        if any(cells):
            yield " ".join([f"{name:{NAME_CELLS}}", *(f"{cell:{MAX_CELL}}" for cell in cells), note_of(name)]).rstrip()


def comparison(results: Sequence[ExtractorResult]) -> Iterator[str]:
    """The items of several extractors side by side, then the lines that the body of each lacks (-) or adds (+) beside the first."""
    yield from side_by_side({f"{result.name} {result.error}".strip(): result.item for result in results})
    for result in results[1:]:
        yield f"body of {result.name}:"
        yield from (shorten(line, MAX_LINE) for line in changed_lines(*(one.item.body.splitlines() for one in (results[0], result))))


def shorten(text: str, limit: int) -> str:
    """The first characters of a text, with white space collapsed.

    >>> shorten("one  two three", 8)
    'one two…'
    """
    text = " ".join(text[: 10 * limit].split())  # of a long text only as much as is shown, with its white space
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
