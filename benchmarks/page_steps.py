"""Single steps: what each costs in CPU ms a page, on the same pages."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING, Any

import lxml.html

from benchmarks.report import heading, shown, table
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import find_corpus, load_corpus, load_screens
from webcontent.extractors import TABLE, load_extractor
from webcontent.fields.assembly import assemble
from webcontent.items import Page, PageType
from webcontent.pagetype import classify_document

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 3
"""Each step is done so often; the fastest counts."""
CORPORA = ("wcxb-dev", "zh-gold-dev")
LISTS = ("list", "listing", "collection")


def micro_report(limit: int) -> str:
    """The report of all steps."""
    parts = [heading("Steps of a page")]
    for name in CORPORA:
        if find_corpus(name) is not None:
            steps = _steps(list(load_corpus(name, limit=limit)))
            parts.append(f"## {name}, {limit} pages at most\n\n" + _table(steps))
    if find_corpus("screens/dev") is not None:
        parts.append("## Page type from a screenshot (decoding and scaling included)\n\n" + _table(_screens(limit)))
    return "\n".join(parts)


def _table(steps: dict[str, list[float]]) -> str:
    parse = statistics.fmean(steps["parse alone"]) if "parse alone" in steps else None
    lines = []
    for name, costs in steps.items():
        mean = statistics.fmean(costs)
        ordered = sorted(costs)
        ratio = shown(mean / parse, 2) if parse else "-"
        lines.append([name, *(shown(value, 2) for value in (mean, statistics.median(costs), ordered[int(len(ordered) * 0.9)])), ratio])
    return table(["step", "ms mean", "median", "p90", "of parsing alone"], lines)


def _timed(make: Callable[[], Any], step: Callable[[Any], object]) -> float:
    """Fastest CPU ms of a step, on a fresh input each time."""
    best = float("inf")
    for _ in range(TIMES):
        fresh = make()
        started = time.process_time()
        step(fresh)
        best = min(best, time.process_time() - started)
    return best * 1000


def _steps(records: list[dict[str, Any]]) -> dict[str, list[float]]:
    """The steps of a page's life without a browser, each on what the steps before it left."""
    steps: dict[str, list[float]] = {}
    for record in records:
        for name, cost in _costs(record).items():
            steps.setdefault(name, []).append(cost)
    return steps


def _costs(record: dict[str, Any]) -> dict[str, float]:
    html = record["html"].encode("utf-8", "replace")
    page_type = PageType("list", "listing", 1.0) if record["type"] in LISTS else PageType("article", "article", 1.0)

    def read() -> Document:
        return Document.from_page(Page(url=record["url"], html=html))

    def walked() -> Document:
        document = read()
        document.page_type = page_type
        document.blocks  # noqa: B018  (computed here)
        return document

    costs = {
        "parse alone": _timed(lambda: html, _parse),
        "decode and parse": _timed(lambda: None, lambda _: read()),
        "walk": _timed(read, lambda document: document.blocks),
        "page type (DOM)": _timed(walked, classify_document),
    }
    for name in sorted(TABLE):
        extractor = load_extractor(name)
        costs[f"extractor {name}"] = _timed(walked, extractor)
    extraction = extractor(walked())
    costs["fields and item"] = _timed(walked, lambda document: assemble(document, page_type, extraction, name))
    return costs


def _parse(html: bytes) -> object:
    return lxml.html.document_fromstring(html or b"<p>", parser=lxml.html.HTMLParser(encoding="utf-8", huge_tree=True))


def _screens(limit: int) -> dict[str, list[float]]:
    records = list(load_screens())
    steps: dict[str, list[float]] = {"picture alone": [], "picture, boxes and DOM": []}
    for record in records[:: max(1, len(records) // limit)]:
        shot = record["shot"].read_bytes()
        pages = {
            "picture alone": Page(url=record["url"], screenshot=shot),
            "picture, boxes and DOM": Page(url=record["url"], html=record["html"], screenshot=shot, boxes=record["boxes"]),
        }
        for name, page in pages.items():
            steps[name].append(_timed(lambda page=page: Document.from_page(page), classify_document))  # type: ignore[misc]
    return steps
