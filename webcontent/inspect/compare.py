"""What several extractors make of a page, side by side: figures, fields, and the lines of their bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.inspect.diff import MAX_LINES, align
from webcontent.inspect.markup import LEFT_OUT, MADE, Markup, brief, clipped, join, tag
from webcontent.items import schema_of
from webcontent.saved_pages.check import word_f1

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.inspect.inspection import Answer, Inspection


def comparison(inspection: Inspection) -> Markup:
    answers = inspection.answers
    head = tag("tr", tag("td"), *(tag("th", answer.name, scope="col", data_column=column) for column, answer in enumerate(answers)))
    only = tag("label", tag("input", type="checkbox", id="only"), " only what differs", class_="tool")
    shown = [
        tag("label", tag("input", type="checkbox", value=column, checked=True, class_="column"), f" {answer.name}", class_="tool")
        for column, answer in enumerate(answers)
    ]
    tools = tag("div", only, tag("span", "columns:"), *shown, class_="tools")
    parts = [("Figures", _figures(inspection)), ("Fields", _field_rows(answers)), ("Bodies", _body_rows(answers))]
    groups = [
        tag("tbody", tag("tr", tag("th", title, colspan=len(answers) + 1, scope="rowgroup"), class_="group"), *rows)
        for title, rows in parts
    ]
    note = (
        f"The first column is what a crawl would give; lines stand in one row where they say the same. {MAX_LINES:,} lines a body at most."
    )
    return join(
        (
            tag("p", note, class_="note"),
            tools,
            tag("div", tag("table", tag("thead", head), *groups, id="compared", data_columns=len(answers)), class_="wide"),
        )
    )


def _figures(inspection: Inspection) -> Iterator[Markup]:
    answers = inspection.answers
    bodies = [answer.item.body.splitlines() for answer in answers]
    rows = {
        "score": [f"{answer.item.score:.2f}" for answer in answers],
        "body agrees with the first (F1 of words)": [f"{word_f1(bodies[0], body):.3f}" for body in bodies],
        "characters of body": [f"{len(answer.item.body):,}" for answer in answers],
        "extraction": [f"{answer.extraction_ms:.1f} ms" for answer in answers],
        "flags": [", ".join(answer.item.flags) or "–" for answer in answers],
    }
    if any(answer.error for answer in answers):
        rows["failed"] = [answer.error or "–" for answer in answers]
    for name, values in rows.items():
        yield tag(
            "tr",
            tag("th", name, scope="row"),
            *(tag("td", value, data_column=column) for column, value in enumerate(values)),
            class_="figure",
        )


def _field_rows(answers: tuple[Answer, ...]) -> Iterator[Markup]:
    names = [name for name in schema_of(type(answers[0].item)) if name not in LEFT_OUT | MADE | {"body"}]
    for name in names:
        values = [brief(getattr(answer.item, name, None)) for answer in answers]
        if any(values):
            cells = [
                tag("td", value or "–", data_column=column, class_="other" if value != values[0] else None)
                for column, value in enumerate(values)
            ]
            yield tag("tr", tag("th", name, scope="row"), *cells, class_="same" if len(set(values)) == 1 else "differs")


def _body_rows(answers: tuple[Answer, ...]) -> Iterator[Markup]:
    for number, row in enumerate(align([answer.item.body.splitlines() for answer in answers]), 1):
        missing = any(cell is None for cell in row)
        cells = [
            tag(
                "td",
                "" if cell is None else clipped(cell, 2000),
                data_column=column,
                class_="none" if cell is None else "some" if missing else None,
            )
            for column, cell in enumerate(row)
        ]
        yield tag("tr", tag("th", str(number), scope="row", class_="number"), *cells, class_="differs" if missing else "same")
