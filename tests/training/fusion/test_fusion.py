"""Training the default extractor: class names, and a whole miniature run."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("lightgbm")

from tests.training.pages import files_of, framed_page, write_corpus
from webcontent.document.parsing import Document
from webcontent.extraction import NO_CONTEXT
from webcontent.extractors import DEFAULT, load_extractor
from webcontent.extractors.fusion import MODEL
from webcontent.items import Page
from webcontent.models import Model
from webcontent.training.fusion.samples import ClassNameStatistics, read_corpus
from webcontent.training.fusion.settings import EVALUATED_ONLY, WEIGHTS, Settings
from webcontent.training.fusion.stages import FoldContexts
from webcontent.training.fusion.trainer import main


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus."""
    for place, name in enumerate((*WEIGHTS, *EVALUATED_ONLY)):
        pages = [framed_page(1000 * place + i, paragraphs=None if i % 10 else 0) for i in range(20)]
        for each in pages if name in EVALUATED_ONLY else ():
            del each["gold"]["body"]
        write_corpus(tmp_path, name, pages)
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    return tmp_path


def test_class_names_are_learned_without_the_folds_left_out(corpora, tmp_path):
    """A class name of elements with main text gets a weight above 0; leaving out every fold leaves nothing."""
    settings = Settings()
    statistics = ClassNameStatistics(read_corpus("wcxb-dev", tmp_path), settings.folds)
    assert statistics.weights(settings)["story"] > 0.5
    assert statistics.weights(settings, set(range(settings.folds))) == {}
    one = statistics.weights(settings, {0})["story"]
    assert one != statistics.weights(settings, {1})["story"] or one > 0


def test_a_run_makes_a_model_folder_and_continues_where_it_stopped(corpora, tmp_path):
    """Folds, models, predictions, card; a second run takes all of it from the cache and writes the same model."""
    cache, out = tmp_path / "cache", tmp_path / "fusion_v1"
    arguments = ["--cache", str(cache), "--out", str(out), "--trees", "20", "10"]
    main(arguments)
    first = files_of(out)
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md"}
    predictions = next(cache.glob("*/predictions"))
    rows = [json.loads(line) for line in (predictions / "wcxb-dev.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [f"p{i}" for i in range(20)]
    metrics = json.loads(next(cache.glob("*/metrics.json")).read_text())
    everything = next(row for row in metrics["groups"] if row["corpus"] == "wcxb-dev")
    assert 0.8 < everything["f1"] <= 1
    run = predictions.parent
    document = Document.from_page(Page(html=framed_page(1)["html"]))
    assert load_extractor(DEFAULT)(document, FoldContexts(run)["a.example"]).body
    models = {FoldContexts(run)[site].models.load(MODEL).folder for site in map(str, range(40))}
    assert models == {run / "folds" / str(fold) / MODEL for fold in range(5)}
    main(arguments)
    second = files_of(out)
    assert {**second, "CARD.md": b""} == {**first, "CARD.md": b""}  # the card states the time that the model takes
    Model(out)


def test_without_a_run_pages_are_read_with_the_shipped_models(tmp_path):
    """A folder without models of folds is named."""
    assert FoldContexts(None)["a.example"] is NO_CONTEXT
    with pytest.raises(FileNotFoundError, match="folds has no models"):
        FoldContexts(tmp_path)
