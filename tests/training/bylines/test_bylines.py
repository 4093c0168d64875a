"""Training the rankers of source and authors on pages whose bylines are written for the test."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("lightgbm")

from tests.fields.pages import signals_of
from tests.training.pages import files_of, sentences, write_corpus
from webcontent.fields.titles import find_titles
from webcontent.models import Model
from webcontent.training.bylines.composed import COMPOSED, Composer
from webcontent.training.bylines.samples import read_samples
from webcontent.training.bylines.settings import FIELDS, WEIGHTS, Settings
from webcontent.training.bylines.trainer import chosen_keys, cross_validate, left_out, main, metrics_of

SURNAMES, GIVEN = "张李王刘陈杨黄赵吴周", "建国志强文静海燕小明"
PAPERS = ("新报", "海峡日报", "渡口晚报", "山城网", "江岸新闻网")


def page(number: int, *, is_named: bool = True) -> dict:
    """An article of a site of its own, with source and author above the text, or with neither."""
    author = SURNAMES[number % 10] + GIVEN[2 * (number % 5) : 2 * (number % 5) + 2]
    source = PAPERS[number % 5]
    texts = "".join(f"<p>{text}</p>" for text in sentences(number, 4))
    line = f"来源：{source} 作者：{author}" if is_named else "点击：35 打印"
    html = (
        f"<title>浮冰阻断渡轮{number}</title><nav><a href='/'>首页</a></nav><h1>浮冰阻断渡轮{number}</h1>"
        f"<div class='info'>2024-03-05 14:22 {line}</div><div>{texts}</div><p>（责任编辑：马丽）</p>"
    )
    gold = {"source": source if is_named else None, "authors": [author] if is_named else [], "editors": ["马丽"]}
    site = f"s{number}.example"
    return {"id": f"p{number}", "url": f"https://{site}/", "site": site, "lang": "zh", "type": "article", "html": html, "gold": gold}


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus; of every third page the gold names nobody."""
    for place, name in enumerate(WEIGHTS):
        write_corpus(tmp_path, name, [page(100 * place + i, is_named=i % 3 != 2) for i in range(9)])
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    return tmp_path


@pytest.fixture
def settings() -> Settings:
    parameters = {**Settings().parameters, "min_data_in_leaf": 3}
    return Settings(trees=8, models=1, folds=2, inner_folds=2, parameters=parameters)


def test_rankers_find_the_names_of_sites_that_they_did_not_see(corpora, settings):
    """By folds of sites, and with a corpus left out whole; pages without names get none."""
    samples = read_samples(settings)
    assert {sample.corpus for sample in samples} == {*WEIGHTS, COMPOSED}
    folds = metrics_of(samples, cross_validate(samples, settings))["zh-bylines"]
    assert folds["source"]["f1"] > 0.9
    assert folds["authors"] > 0.9
    assert folds["false_names"] == 0
    assert folds["editors"] == 1
    assert left_out(samples, settings)["zh-bylines"]["authors"] > 0.9


def test_a_composed_page_has_the_byline_of_a_form_in_place_of_its_own():
    """Below the title, below the text, or in the last paragraph; the gold is what stands there."""
    record = page(1)
    signals = signals_of(record["html"], url=record["url"], labels=[0, 0, 0, 1, 1, 1, 1, 0])
    composed = list(Composer(seed=1).pages(record, signals, find_titles(signals)[1], count=40))
    assert len(composed) == 40
    assert len({form for form, _ in composed}) > 5
    for _, made in composed:
        gold = made["gold"]
        assert record["gold"]["source"] not in made["html"]
        assert "马丽" not in made["html"]
        assert all(name in made["html"] for name in (*gold["authors"], *gold["editors"]))
        assert gold.get("source") is None or gold["source"] in made["html"]


def test_without_a_probable_candidate_nothing_is_chosen(corpora, settings):
    """The choice is the one that pages get: a candidate that no label names needs a probability."""
    sample = next(sample for sample in read_samples(settings) if not sample.gold["authors"])
    assert [chosen_keys(sample, name, {}) for name in FIELDS] == [set(), set()]


def test_a_run_makes_a_model_folder_and_continues_where_it_stopped(corpora, tmp_path, monkeypatch):
    """Samples and metrics of a second run come from the cache; the model opens, and its reference is replayed."""
    cache, out = tmp_path / "cache", tmp_path / "bylines_v1"
    arguments = ["--cache", str(cache), "--out", str(out), "--folds", "2"]
    main(arguments)
    first = files_of(out)
    assert set(first) >= {"model.onnx", "config.json", "reference.json", "CARD.md"}
    assert json.loads(next(cache.glob("*/folds.json")).read_text())["zh-bylines"]["authors"] > 0.9
    monkeypatch.setattr("webcontent.training.bylines.trainer.read_samples", lambda *arguments: pytest.fail("read again"))
    main(arguments)
    assert files_of(out) == first
    Model(out)
