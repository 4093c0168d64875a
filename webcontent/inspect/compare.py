"""The results of several extractors for a page side by side: metrics, fields, and the lines of their bodies, equal ones in one row."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from webcontent.inspect.markup import HEADER_FIELDS, PROVENANCE_FIELDS, Markup, cell_text, clip, join, tag
from webcontent.items import schema_of
from webcontent.saved_pages.check import word_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.inspect.inspection import ExtractorResult

MAX_LINES, MAX_LINE = 1500, 2000
"""Lines of a body, and characters of a line. Later ones are not shown."""
Row = list[str | None]
"""One line per body; None where a body lacks it."""


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
    columns = [
        tag("label", tag("input", type="checkbox", value=column, checked=True, class_="column"), f" {result.name}", class_="tool")
        for column, result in enumerate(results)
    ]
    only = tag("label", tag("input", type="checkbox", id="only-differences"), " only differences", class_="tool")
    tools = tag("div", only, tag("span", "columns:"), *columns, class_="tools")
    heading = tag("h2", "Compare", class_="print-only")
    return join((heading, tag("p", note, class_="note"), tools, tag("div", table, class_="wide")))


def _row(name: str, class_: str, cells: Sequence[tuple[str, str | None]], kind: str | None = None) -> Markup:
    """A row of cells, each a text and its class."""
    columns = (tag("td", text, data_column=column, class_=cell_class) for column, (text, cell_class) in enumerate(cells))
    return tag("tr", tag("th", name, scope="row", class_=kind), *columns, class_=class_)


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
        yield _row(name, "metric", [(value, None) for value in values])


def _field_rows(results: Sequence[ExtractorResult]) -> Iterator[Markup]:
    for name in schema_of(type(results[0].item)):
        if name in HEADER_FIELDS | PROVENANCE_FIELDS | {"body"}:
            continue
        values = [cell_text(getattr(result.item, name, None)) for result in results]
        if any(values):
            cells = [(value or "–", "different" if value != values[0] else None) for value in values]
            yield _row(name, "same" if len(set(values)) == 1 else "differs", cells)


def _body_rows(results: Sequence[ExtractorResult]) -> Iterator[Markup]:
    for number, row in enumerate(align([result.item.body.splitlines() for result in results]), 1):
        class_, line_class = ("differs", "partial") if None in row else ("same", None)
        cells = [("", "missing") if line is None else (clip(line, MAX_LINE), line_class) for line in row]
        yield _row(str(number), class_, cells, "number")


def align(bodies: Sequence[Sequence[str]]) -> list[Row]:
    """The lines of all bodies in rows. Each body keeps its order. Lines with the same letters and digits count as equal.

    >>> align([["a", "b", "d"], ["“b”", "c", "d"]])
    [['a', None], ['b', '“b”'], [None, 'c'], ['d', 'd']]
    """
    rows: list[tuple[str, Row]] = []
    for column, body in enumerate(bodies):
        lines = [(_line_key(line), line) for line in body[:MAX_LINES]]
        merged: list[tuple[str, Row]] = []
        next_row = next_line = 0
        matcher = SequenceMatcher(None, [key for key, _ in rows], [key for key, _ in lines])
        for row, line, size in matcher.get_matching_blocks():
            merged += [(key, [*cells, None]) for key, cells in rows[next_row:row]]
            merged += [(key, [*[None] * column, text]) for key, text in lines[next_line:line]]
            next_row, next_line = row + size, line + size
            merged += [(key, [*rows[row + i][1], text]) for i, (key, text) in enumerate(lines[line:next_line])]
        rows = merged
    return [row for _, row in rows]


def _line_key(line: str) -> str:
    text = unicodedata.normalize("NFKC", line)
    return "".join(char for char in text if char.isalnum()) or "".join(text.split())
