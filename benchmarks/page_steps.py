"""Measures the CPU time of each step of a page, on the same pages: `python -m benchmarks page_steps`."""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import lxml.html

from benchmarks.report import decimal, heading, markdown_table
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import find_corpus, load_corpus, load_screens
from webcontent.evaluation.scores import LIST_KINDS
from webcontent.extraction import PageContext
from webcontent.extractors import DEFAULT, TABLE, load_extractor
from webcontent.fields.assembly import assemble
from webcontent.items import Page, PageType
from webcontent.pagetype.classify import classify_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from webcontent.evaluation.corpora import Record

CORPORA = ("wcxb-dev", "zh-gold-dev")
LIMIT = 60
RUNS = 3
"""Each step runs so often on each page; the fastest run counts."""
PARSING = "lxml alone"
"""The step that the others are compared with."""
P90 = 0.9


def main(words: list[str] | None = None) -> None:
    """Read the command line, measure, print the report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks page_steps", description=__doc__)
    parser.add_argument("--limit", type=int, default=LIMIT, help="pages per corpus, spread evenly (default: %(default)s)")
    print(report(parser.parse_args(words).limit))


def report(limit: int) -> str:
    """A table for each corpus that is there."""
    parts = [heading("Steps of a page")]
    for name in CORPORA:
        if find_corpus(name) is not None:
            steps = _costs_by_step(list(load_corpus(name, limit=limit)))
            parts.append(f"## {name}, {limit} pages at most\n\n" + _table(steps))
    if find_corpus("screens/dev") is not None:
        parts.append("## Page type from a screenshot, with decoding and scaling\n\n" + _table(_screenshot_costs(limit)))
    return "\n".join(parts)


def _table(steps: dict[str, list[float]]) -> str:
    parsing_ms = statistics.fmean(steps[PARSING]) if PARSING in steps else None
    lines = []
    for name, costs in steps.items():
        mean, ordered = statistics.fmean(costs), sorted(costs)
        columns = (mean, statistics.median(costs), ordered[int(len(ordered) * P90)])
        lines.append([name, *(decimal(value, 2) for value in columns), decimal(mean / parsing_ms, 2) if parsing_ms else "-"])
    return markdown_table(["step", "ms mean", "median", "p90", "as a multiple of lxml alone"], lines)


def _costs_by_step(records: list[Record]) -> dict[str, list[float]]:
    steps: dict[str, list[float]] = {}
    for record in records:
        for name, cost_ms in _page_costs(record).items():
            steps.setdefault(name, []).append(cost_ms)
    return steps


def _page_costs(record: Record) -> dict[str, float]:
    """CPU ms of the steps of a page without a browser. Each step starts from the result of the steps before it."""
    html = record["html"].encode("utf-8", "replace")
    page_type = PageType("list", "listing", 1.0) if record["type"] in LIST_KINDS else PageType("article", "article", 1.0)
    context = PageContext(page_type=page_type)

    def parsed() -> Document:
        return Document.from_page(Page(url=record["url"], html=html))

    def with_blocks() -> Document:
        document = parsed()
        _ = document.blocks  # computed here
        return document

    costs = {
        PARSING: _fastest_ms(lambda: html, _parse),
        "decode and parse": _fastest_ms(lambda: None, lambda _: parsed()),
        "blocks": _fastest_ms(parsed, lambda document: document.blocks),
        "page type from the DOM": _fastest_ms(with_blocks, classify_document),
    }
    costs |= {f"extractor {name}": _extraction_ms(name, with_blocks, context) for name in sorted(TABLE)}
    extraction = load_extractor(DEFAULT)(with_blocks(), context)
    costs["fields and item"] = _fastest_ms(with_blocks, lambda document: assemble(document, context, extraction, DEFAULT))
    return costs


def _extraction_ms(name: str, make_document: Callable[[], Document], context: PageContext) -> float:
    extractor = load_extractor(name)
    return _fastest_ms(make_document, lambda document: extractor(document, context))


def _fastest_ms(make_input: Callable[[], Any], step: Callable[[Any], object]) -> float:
    """CPU ms of the fastest run of a step, each on a fresh input."""
    best_s = float("inf")
    for _ in range(RUNS):
        fresh = make_input()
        started = time.process_time()
        step(fresh)
        best_s = min(best_s, time.process_time() - started)
    return best_s * 1000


def _parse(html: bytes) -> object:
    return lxml.html.document_fromstring(html or b"<p>", parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))


def _screenshot_costs(limit: int) -> dict[str, list[float]]:
    records = list(load_screens())
    steps: dict[str, list[float]] = {"screenshot alone": [], "screenshot, boxes and DOM": []}
    for record in records[:: max(1, len(records) // limit)]:
        screenshot = record["shot"].read_bytes()
        pages = {
            "screenshot alone": Page(url=record["url"], screenshot=screenshot),
            "screenshot, boxes and DOM": Page(url=record["url"], html=record["html"], screenshot=screenshot, boxes=record["boxes"]),
        }
        for name, page in pages.items():
            steps[name].append(_fastest_ms(partial(Document.from_page, page), classify_document))
    return steps


if __name__ == "__main__":
    main()
