"""CPU time of models and extractors, for the cards."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import find_corpus, load_corpus
from webcontent.extraction import PageContext
from webcontent.items import Page
from webcontent.training.common.export import open_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import onnx
    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.extraction import Extractor
    from webcontent.models import ModelRegistry

RUNS = 3
"""Each page is measured so many times; the fastest run counts."""


def graph_cost(graph: onnx.ModelProto, inputs: Mapping[str, NDArray[Any]], runs: int = 50) -> dict[str, float]:
    """Size of a graph in megabytes (`megabytes`) and mean CPU time of one run in milliseconds (`ms`)."""
    model = open_graph(graph)
    return {"megabytes": len(graph.SerializeToString()) / 1e6, "ms": mean_ms(lambda: model.run(**inputs), runs)}


def mean_ms(call: Callable[[], object], runs: int) -> float:
    """Mean CPU time of a call in milliseconds, after one call that is not measured."""
    call()
    started = time.process_time()
    for _ in range(runs):
        call()
    return (time.process_time() - started) / runs * 1e3


def pages_of_size(corpora: Iterable[str], least_kb: int, most_kb: int, limit: int | None = None) -> list[Record]:
    """The pages of corpora (missing corpora are skipped) whose HTML has a size in a range of kilobytes; `limit`: at most so many."""
    pages = [record for corpus in corpora if find_corpus(corpus) for record in load_corpus(corpus)]
    return [record for record in pages if least_kb <= _kilobytes(record) <= most_kb][:limit]


def page_cost(extractor: Extractor, pages: Sequence[Record], models: ModelRegistry) -> dict[str, float]:
    """Median CPU time of a page in milliseconds, and the median size of the pages; empty where there are no pages.

    `ms`: decoding, parsing, segmentation and extraction, without the fields; `extractor_ms`: the extractor alone.
    """
    if not pages:
        return {}
    times = [_fastest(extractor, record, PageContext(models=models)) for record in pages]
    whole, alone = np.median(np.array(times), axis=0)
    return {"pages": len(pages), "ms": float(whole), "extractor_ms": float(alone), "kb": float(np.median([*map(_kilobytes, pages)]))}


def _kilobytes(record: Record) -> float:
    return len(_html(record)) / 1024


def _html(record: Record) -> bytes:
    html = record["html"]
    return html if isinstance(html, bytes) else str(html).encode("utf-8", "replace")


def _fastest(extractor: Extractor, record: Record, context: PageContext) -> tuple[float, float]:
    """CPU time in milliseconds of the fastest run: of all steps, and of the extractor alone."""
    html = _html(record)
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        document = Document.from_page(Page(url=record["url"], html=html))
        len(document.blocks)  # segmentation happens at the first access
        segmented = time.process_time()
        extractor(document, context)
        ended = time.process_time()
        times.append(((ended - started) * 1e3, (ended - segmented) * 1e3))
    return min(times)


def page_cost_text(cost: Mapping[str, float]) -> str:
    """A card's sentence about the result of `page_cost`."""
    if not cost:
        return "The time for a page was not measured."
    return (
        f"{cost['ms']:.1f} ms of CPU time on one core for the median of {cost['pages']:.0f} pages of about 100 KB "
        f"(median size {cost['kb']:.0f} KB), including parsing and segmentation."
    )
