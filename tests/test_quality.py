"""Metrics of the default extractor on corpora stay in bands: one that is suddenly too good is as suspicious as one that falls.

The models were trained on data that includes most of these pages, so the bands say nothing about unseen sites (the model cards do).
They show whether a change affects the output. And the same bytes give the same item, in any order, on any thread.
"""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import webcontent
from tests.golden.pages import folders, known_faults
from tests.markdown.test_pages import missing_words
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.scores import mean, page_metrics

if TYPE_CHECKING:
    from webcontent.items import Article, Listing

PAGES = 60
"""Pages of each corpus, spread evenly."""
BANDS = {
    ("wcxb-dev", "f1"): (0.87, 0.96),
    ("wcxb-dev", "title"): (0.74, 0.92),
    ("zh-gold-dev", "f1"): (0.975, 0.9995),
    ("zh-gold-dev", "title"): (0.96, 1.0),
    ("zh-gold-dev", "date"): (0.92, 1.0),
    ("fundus-dev", "f1"): (0.965, 0.995),
    ("fundus-dev", "title"): (0.85, 0.99),
    ("fundus-dev", "date"): (0.95, 1.0),
    ("l3s-gn1", "f1"): (0.92, 0.98),
    ("cleaneval", "f1"): (0.91, 0.97),
    ("traf-dev", "snippets"): (0.88, 0.97),
    ("traf-dev", "date"): (0.80, 0.96),
}


@cache
def pages_of(corpus: str) -> list[tuple[dict[str, Any], Article | Listing]]:
    """Pages with their items."""
    return [(record, webcontent.extract(record["html"], url=record.get("url") or None)) for record in load_corpus(corpus, limit=PAGES)]


@cache
def rows_of(corpus: str) -> list[dict[str, float]]:
    """Metrics of each page."""
    return [
        page_metrics({"title": item.title, "time": getattr(item, "time", None), "body": item.body, "type": item.type}, record)
        for record, item in pages_of(corpus)
    ]


@pytest.mark.corpora
@pytest.mark.parametrize(("corpus", "metric"), BANDS, ids=map("-".join, BANDS))
def test_a_metric_stays_in_its_band(corpus: str, metric: str) -> None:
    """Neither worse nor too good."""
    lowest, highest = BANDS[corpus, metric]
    value = mean(rows_of(corpus), metric)
    assert value is not None
    assert lowest <= value <= highest


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", [*dict.fromkeys(corpus for corpus, _ in BANDS), "dragnet-dev"])
def test_no_word_of_a_body_is_missing_in_markdown(corpus: str) -> None:
    assert {record["id"]: words for record, item in pages_of(corpus) if (words := missing_words(item))} == {}


def test_the_same_bytes_give_the_same_item() -> None:
    """Whatever was read before, whichever thread reads it, evidence included."""
    pages = [(folder / "page.html").read_bytes() for folder in (*folders(), *known_faults())]
    first = [asdict(webcontent.extract(html)) for html in pages]
    shuffled = list(range(len(pages))) * 2
    random.Random(1).shuffle(shuffled)
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda number: asdict(webcontent.extract(pages[number])), shuffled))
    assert [first[number] for number in shuffled] == again
