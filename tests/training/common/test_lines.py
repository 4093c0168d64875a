"""Labelled lines: gold texts are aligned with the lines of their page."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from tests.training.pages import news_page, write_corpus
from webcontent.extractors.nemtf.features import BODY, NOISE, RELATED, SOURCE, TIME, TITLE
from webcontent.training.common.lines import article_pages, read_sample, score_pages


def test_gold_texts_are_aligned_with_lines():
    """Each field has its line, everything else is noise."""
    sample = read_sample("test", news_page(1))
    label = {text: int(target.argmax()) for text, target in zip(sample.texts, sample.targets, strict=True)}
    assert label[news_page(1)["gold"]["title"]] == TITLE
    assert label["2024-03-11 08:30"] == TIME
    assert label["Source: The Paper"] == SOURCE
    assert label["Another story of it"] == RELATED
    assert label["All rights reserved"] == label["Related"] == NOISE
    assert [label[line] for line in news_page(1)["gold"]["body"].split("\n")] == [BODY] * len(news_page(1)["gold"]["body"].split("\n"))
    assert sample.unknown == ()
    assert np.allclose(sample.targets.sum(axis=1), 1)


def test_a_line_that_holds_two_fields_belongs_half_to_each():
    """A date line mostly names the source, too."""
    record = news_page(1)
    record["html"] = record["html"].replace("08:30</div><div>", "08:30 ")
    sample = read_sample("test", record)
    assert sample.targets[sample.texts.index("2024-03-11 08:30 Source: The Paper")].tolist() == [0, 0, 0, 0.5, 0.5, 0]


@pytest.mark.parametrize(("change", "label"), [({"source": "Somebody else"}, SOURCE), ({"time": "1999-01-01"}, TIME)])
def test_what_is_in_no_line_is_unknown(change, label):
    """It may be there in other words, so a noise line may have the label."""
    record = news_page(1)
    record["gold"] |= change
    assert read_sample("test", record).unknown == (label,)


def test_what_the_gold_does_not_state_is_unknown():
    """No key: nobody has looked."""
    record = news_page(1)
    del record["gold"]["related"]
    assert read_sample("test", record).unknown == (RELATED,)


def test_pages_without_an_article_are_left_out(tmp_path, monkeypatch):
    """Lists, and pages whose gold has no body; what is left is spread evenly."""
    pages = [news_page(i) for i in range(10)]
    pages[0]["type"], pages[1]["gold"]["body"] = "list", ""
    write_corpus(tmp_path, "zh-silver", pages)
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    assert [record["id"] for record in article_pages("zh-silver")] == [f"p{i}" for i in range(2, 10)]
    assert [record["id"] for record in article_pages("zh-silver", 2)] == ["p2", "p6"]


def test_the_corpora_for_scores_hold_pages_of_all_kinds(tmp_path, monkeypatch):
    """Each fold has its own pages; all pages with a gold body are in one of them."""
    pages = [news_page(i) for i in range(20)]
    pages[0]["type"] = "list"
    write_corpus(tmp_path, "wcxb-dev", pages)
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    assert sorted(page["id"] for fold in range(5) for page in score_pages(5, fold)) == sorted(page["id"] for page in pages)
