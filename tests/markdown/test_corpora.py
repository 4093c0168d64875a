"""Pages of the development corpora: their Markdown holds their whole text."""

from __future__ import annotations

from itertools import islice

import pytest

import webcontent
from tests.markdown.test_pages import missing_words
from webcontent.evaluation.corpora import find_corpus, load_corpus

STEPS = {"wcxb-dev": 60, "fundus-dev": 12, "dragnet-dev": 40, "cleaneval": 40, "zh-gold-dev": 12, "traf-dev": 24, "l3s-gn1": 40}
"""Corpus -> every how many pages one is read."""


@pytest.mark.corpora
@pytest.mark.parametrize("name", STEPS)
def test_no_word_of_a_body_is_missing_in_markdown(name: str):
    records = islice(load_corpus(name), 0, None, STEPS[name]) if find_corpus(name) else ()
    items = ((record["id"], webcontent.extract(record["html"], url=record.get("url") or None)) for record in records)
    assert not {page: words for page, item in items if (words := missing_words(item))}
