"""The results of several extractors for a page side by side: metrics, fields, and the lines of their bodies, equal ones in one row."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from webcontent.inspect.markup import HEADER_FIELDS, MAX_TEXT, PROVENANCE_FIELDS, Markup, cell_text, join, tag
from webcontent.items import schema_of
from webcontent.saved_pages.check import word_agreement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from webcontent.inspect.inspection import ExtractorResult

MAX_LINES = 1500
"""Lines of a body. Later ones are not shown."""
Row = list[str | None]
"""One line per body; None where a body lacks it."""


def comparison(results: Sequence[ExtractorResult]) -> Markup:
    """A table with a column per extractor. The script marks differences, and hides columns and rows without differences."""
    note = f"The first column is the item that a crawl gives. Equal lines share a row. At most {MAX_LINES:,} lines per body are shown."
    bodies = align([result.item.body.splitlines() for result in results])
    groups: dict[str, Iterable[tuple[str, Row]]] = {
        "Metrics": _metrics(results),
        "Fields": _fields(results),
        "Bodies": ((str(number), [line and line[:MAX_TEXT] for line in row]) for number, row in enumerate(bodies, 1)),
    }
    head = tag("thead", tag("tr", tag("td"), *_cells("th", [result.name for result in results])))
    table = tag(
        "table", head, *(_group(title, rows, len(results)) for title, rows in groups.items()), id="comparison", data_columns=len(results)
    )
    columns = (_checkbox(result.name, value=column, class_="column") for column, result in enumerate(results))
    tools = tag("div", _checkbox("only differences", id="only-differences"), tag("span", "columns:"), *columns, class_="tools")
    heading = tag("h2", "Compare", class_="print-only")
    return join((heading, tag("p", note, class_="note"), tools, tag("div", table, class_="wide")))


def _checkbox(name: str, **attributes: str | int) -> Markup:
    return tag("label", tag("input", type="checkbox", checked="value" in attributes, **attributes), f" {name}", class_="tool")


def _group(title: str, rows: Iterable[tuple[str, Row]], columns: int) -> Markup:
    """A heading, and a row for each name with its cells."""
    heading = tag("tr", tag("th", title, colspan=columns + 1, scope="rowgroup"), class_="group")
    lines = (tag("tr", tag("th", name, scope="row"), *_cells("td", row)) for name, row in rows)
    return tag("tbody", heading, *lines, class_=title.lower())


def _cells(name: str, row: Row) -> Iterator[Markup]:
    for column, text in enumerate(row):
        yield tag(name, text, data_column=column, class_="missing" if text is None else None)


def _metrics(results: Sequence[ExtractorResult]) -> Iterator[tuple[str, Row]]:
    bodies = [result.item.body.splitlines() for result in results]
    yield "score", [f"{result.item.score:.2f}" for result in results]
    yield "word F1 with the first body", [f"{word_agreement(bodies[0], body):.3f}" for body in bodies]
    yield "characters of body", [f"{len(result.item.body):,}" for result in results]
    yield "extraction time", [f"{result.stages['extraction']:.1f} ms" for result in results]
    yield "flags", [", ".join(result.item.flags) or "–" for result in results]
    yield "error", [result.error or "–" for result in results]


def _fields(results: Sequence[ExtractorResult]) -> Iterator[tuple[str, Row]]:
    for name in schema_of(type(results[0].item)):
        values = [cell_text(getattr(result.item, name, None)) for result in results]
        if any(values) and name not in HEADER_FIELDS | PROVENANCE_FIELDS | {"body"}:
            yield name, [value or "–" for value in values]


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
