"""Training the model that applies site history: histories, notices, a whole miniature run."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("lightgbm")

from tests.training.pages import files_of, framed_page, write_corpus
from webcontent.history.host import HISTORY_FEATURES
from webcontent.models import Model
from webcontent.training.fusion.settings import EVALUATED_ONLY, WEIGHTS
from webcontent.training.fusion.settings import Settings as FusionSettings
from webcontent.training.fusion.trainer import main as train_fusion
from webcontent.training.history import samples, trainer
from webcontent.training.history.samples import iter_cases, notices_of
from webcontent.training.history.settings import SNAPSHOTS, Settings
from webcontent.training.history.trainer import direction_of, main

SMALL = Settings(
    orders={SNAPSHOTS: 1, "corpora": 1}, histories=(1, 3), trees=3, folds=2, parameters={**Settings().parameters, "min_data_in_leaf": 5}
)


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus, no site snapshot."""
    for place, name in enumerate((*WEIGHTS, *EVALUATED_ONLY)):
        pages = [framed_page(1000 * place + i, paragraphs=4, sites=5) for i in range(20)]
        for each in pages if name in EVALUATED_ONLY else ():
            del each["gold"]["body"]
        write_corpus(tmp_path / "corpora", name, pages)
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "corpora"))
    return tmp_path


@pytest.mark.parametrize(
    ("feature", "direction"),
    [
        ("logit", 1),
        ("named_prior", 1),
        ("around_logit_difference", 1),
        ("text_share", -1),
        ("numbered_repeats", -1),
        ("pages", 0),
        ("named_share", 0),
    ],
)
def test_features_push_one_way(feature, direction):
    assert direction_of(feature) == direction


def test_without_fold_models_the_trainer_says_what_to_run(corpora, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"python -m webcontent\.training\.fusion"):
        main(["--cache", str(tmp_path / "own"), "--fusion-cache", str(tmp_path / "none"), "--out", str(tmp_path / "history_v1")])


def test_a_whole_run_gives_a_model_folder(corpora, tmp_path, monkeypatch):
    """Fold models of the extractor, histories, trees, ONNX and card; the same again from the cache."""
    few = FusionSettings(first_trees=2, second_trees=2)
    monkeypatch.setattr(samples, "FusionSettings", lambda: few)
    monkeypatch.setattr("webcontent.training.fusion.trainer.Settings", lambda **_: few)
    cache = tmp_path / "fusion"
    train_fusion(["--cache", str(cache), "--out", str(tmp_path / "fusion_v1")])
    monkeypatch.setattr(trainer, "Settings", lambda **_: SMALL)
    out = tmp_path / "history_v1"
    arguments = ["--cache", str(tmp_path / "own"), "--fusion-cache", str(cache), "--out", str(out)]
    main(arguments)
    first = files_of(out)
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md"}
    assert Model(out).config["features"] == list(HISTORY_FEATURES)
    assert "wcxb-dev" in (out / "CARD.md").read_text()
    main(arguments)
    assert files_of(out) == first
    _check_cases(samples.read_samples(tmp_path / "own", cache, None))


def _check_cases(pages: list[samples.HistorySample]) -> None:
    """Histories hold the pages of one host, and never the page itself except where the case says so."""
    cases = list(iter_cases(pages, SMALL))
    assert {case.history for case in cases} == {1, 3}
    pages = HISTORY_FEATURES.index("pages")
    assert all(case.x[0, pages] == case.history - case.is_known for case in cases)
    assert any(case.is_known for case in cases)
    random = np.random.default_rng(1)
    notices, labels, _ = next(rows for case in cases if len((rows := notices_of(case, SMALL, random))[0]))
    assert not labels.any()
    assert (notices[:, HISTORY_FEATURES.index("text_share")] >= 0.7).all()
