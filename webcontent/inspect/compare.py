"""The results of several extractors for a page side by side: metrics, fields, and the lines of their bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.inspect.diff import MAX_LINES, align
from webcontent.inspect.markup import HEADER_FIELDS, PROVENANCE_FIELDS, Markup, cell_text, clip, join, tag
from webcontent.items import schema_of
from webcontent.saved_pages.check import word_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.inspect.inspection import ExtractorResult

MAX_LINE = 2000
"""Characters of a body's line."""


def comparison(results: Sequence[ExtractorResult]) -> Markup:
    """A table with a column per extractor. The script hides columns, and rows without differences."""
    note = f"The first column is the item that a crawl gives. Equal lines share a row. At most {MAX_LINES:,} lines per body are shown."
    groups = {"Metrics": _metric_rows(results), "Fields": _field_rows(results), "Bodies": _body_rows(results)}
    headings = (tag("th", result.name, scope="col", data_column=column) for column, result in enumerate(results))
    table = tag(
        "table",
        tag("thead", tag("tr", tag("td"), *headings)),
        *(
            tag("tbody", tag("tr", tag("th", title, colspan=len(results) + 1, scope="rowgroup"), class_="group"), *rows)
            for title, rows in groups.items()
        ),
        id="comparison",
        data_columns=len(results),
    )
    return join((tag("p", note, class_="note"), _tools(results), tag("div", table, class_="wide")))


def _tools(results: Sequence[ExtractorResult]) -> Markup:
    """Switches for rows and columns."""
    only = tag("label", tag("input", type="checkbox", id="only-differences"), " only differences", class_="tool")
    columns = [
        tag("label", tag("input", type="checkbox", value=column, checked=True, class_="column"), f" {result.name}", class_="tool")
        for column, result in enumerate(results)
    ]
    return tag("div", only, tag("span", "columns:"), *columns, class_="tools")


def _metric_rows(results: Sequence[ExtractorResult]) -> Iterator[Markup]:
    bodies = [result.item.body.splitlines() for result in results]
    rows = {
        "score": [f"{result.item.score:.2f}" for result in results],
        "word F1 with the first body": [f"{word_agreement(bodies[0], body):.3f}" for body in bodies],
        "characters of body": [f"{len(result.item.body):,}" for result in results],
        "extraction time": [f"{result.extraction_ms:.1f} ms" for result in results],
        "flags": [", ".join(result.item.flags) or "–" for result in results],
    }
    if any(result.error for result in results):
        rows["error"] = [result.error or "–" for result in results]
    for name, values in rows.items():
        cells = (tag("td", value, data_column=column) for column, value in enumerate(values))
        yield tag("tr", tag("th", name, scope="row"), *cells, class_="metric")


def _field_rows(results: Sequence[ExtractorResult]) -> Iterator[Markup]:
    for name in schema_of(type(results[0].item)):
        if name in HEADER_FIELDS | PROVENANCE_FIELDS | {"body"}:
            continue
        values = [cell_text(getattr(result.item, name, None)) for result in results]
        if any(values):
            cells = (
                tag("td", value or "–", data_column=column, class_="different" if value != values[0] else None)
                for column, value in enumerate(values)
            )
            yield tag("tr", tag("th", name, scope="row"), *cells, class_="same" if len(set(values)) == 1 else "differs")


def _body_rows(results: Sequence[ExtractorResult]) -> Iterator[Markup]:
    for number, row in enumerate(align([result.item.body.splitlines() for result in results]), 1):
        is_partial = None in row
        cells = (_line_cell(line, column, is_partial=is_partial) for column, line in enumerate(row))
        yield tag("tr", tag("th", str(number), scope="row", class_="number"), *cells, class_="differs" if is_partial else "same")


def _line_cell(line: str | None, column: int, *, is_partial: bool) -> Markup:
    """A line of one body; `is_partial`: other bodies lack it."""
    if line is None:
        return tag("td", "", data_column=column, class_="missing")
    return tag("td", clip(line, MAX_LINE), data_column=column, class_="partial" if is_partial else None)
