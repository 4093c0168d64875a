"""Training the default extractor: labels, class words, trees in ONNX, and a whole miniature run."""

from __future__ import annotations

import hashlib
import json
import lzma
from typing import Any

import numpy as np
import pytest

pytest.importorskip("lightgbm")

import lightgbm as lgb

from webcontent.models import Model
from webcontent.training import fusion
from webcontent.training.labels import GoldMatch
from webcontent.training.trees import onnx_of_stages

WORDS = "river bridge mayor loan flour mill county spring flood engineer council cart market winter harvest ferry".split()


def page(number: int) -> dict[str, Any]:
    """A small page of a site of its own: an article between a menu and a footer, or nothing but a menu."""
    random = np.random.default_rng(number)
    paragraphs = [" ".join(random.choice(WORDS, 25)) + "." for _ in range(random.integers(2, 6))] if number % 10 else []
    shown = "".join(f"<p>{text}</p>" for text in paragraphs)
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in random.choice(WORDS, 5))
    html = f"<title>Page</title><nav><ul>{menu}</ul></nav><div class='story'>{shown}</div><footer>All rights reserved</footer>"
    gold = {"body": "\n".join(paragraphs), "with": paragraphs[:1], "without": ["All rights reserved"]}
    site = f"s{number}.example"
    return {"id": f"p{number}", "url": f"https://{site}/", "site": site, "lang": "en", "type": "", "html": html, "gold": gold}


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus."""
    for place, name in enumerate((*fusion.WEIGHTS, *fusion.JUDGED)):
        pages = [page(1000 * place + i) for i in range(20)]
        if name in fusion.JUDGED:
            for each in pages:
                del each["gold"]["body"]
        (tmp_path / name).mkdir()
        (tmp_path / name / "pages.jsonl.xz").write_bytes(lzma.compress("\n".join(map(json.dumps, pages)).encode()))
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("texts", "gold", "labels"),
    [
        (["menu", "two words here", "footer"], "two words here", [0, 1, 0]),
        (["same line", "body text", "same line"], "body text same line", [0, 1, 1]),
        (["half of this"], "half of", [2 / 3]),
        (["新闻报道", "首页"], "新闻报", [0.75, 0]),
        (["menu", "..."], "", [0, 0]),
        ([], "text", []),
    ],
    ids=["one block", "order decides between copies", "part of a block", "Chinese by character", "empty gold", "empty page"],
)
def test_labels_are_shares_of_the_common_subsequence(texts, gold, labels):
    """A block's label is the share of its words that the gold has in this order."""
    assert GoldMatch(texts, gold).labels.tolist() == pytest.approx(labels)


@pytest.mark.parametrize(
    ("gold", "chosen", "f1"),
    [
        ("a b", [True, False], 1.0),
        ("a b", [True, True], 2 / 3),
        ("a b", [False, False], 0.0),
        ("", [False, False], 1.0),
        ("", [True, False], 0.0),
    ],
)
def test_f1_is_that_of_the_referee(gold, chosen, f1):
    """Multisets of words; both empty is right, one empty is wrong."""
    assert GoldMatch(["a b", "c d"], gold).f1(np.array(chosen)) == pytest.approx(f1)


def test_the_graph_equals_lightgbm(tmp_path):
    """Two averaged models a stage, values on the thresholds among the rows: the same to 1e-4."""
    random = np.random.default_rng(0)
    x = random.integers(0, 9, (400, 6)).astype(np.float32) / np.float32(3)
    y = 1 / (1 + np.exp(-(x[:, 0] - x[:, 1] * x[:, 2])))
    settings = {"objective": "cross_entropy", "num_leaves": 7, "verbose": -1, "num_threads": 1}
    boosters = [lgb.train({**settings, "seed": seed, "feature_fraction": 0.5}, lgb.Dataset(x, y), 20) for seed in range(3)]
    weights = onnx_of_stages(boosters[:2], boosters[2:], 6, name="test").SerializeToString()
    (tmp_path / "model.onnx").write_bytes(weights)
    (tmp_path / "config.json").write_text(json.dumps({"sha256": hashlib.sha256(weights).hexdigest()}))
    for second, members in ((False, boosters[:2]), (True, boosters[2:])):
        found = Model(tmp_path).run(features=x, second=np.array(second))[0][:, 0]
        raw = np.mean([booster.predict(x, raw_score=True) for booster in members], axis=0)
        assert np.abs(found - 1 / (1 + np.exp(-raw))).max() < 1e-4


def test_class_words_are_learned_without_the_folds_left_out(corpora, tmp_path):
    """A word that stands over main text gets a weight above 0; leaving out every fold leaves nothing."""
    samples = fusion.read_samples(["wcxb-dev"], tmp_path, None)
    names, settings = fusion.NameStatistics(samples), fusion.Settings()
    assert names.weights(settings)["story"] > 0.5
    assert names.weights(settings, set(range(fusion.FOLDS))) == {}
    one = names.weights(settings, {0})["story"]
    assert one != names.weights(settings, {1})["story"] or one > 0


def test_a_run_makes_a_model_folder_and_goes_on_where_it_was(corpora, tmp_path):
    """Folds, models, predictions, card; a second run takes all of it from the cache and writes the same model."""
    cache, out = tmp_path / "cache", tmp_path / "fusion_v1"
    arguments = ["--cache", str(cache), "--out", str(out), "--trees", "20", "10"]
    fusion.main(arguments)
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md", "calibration.png"}
    predictions = next(cache.glob("*/predictions"))
    rows = [json.loads(line) for line in (predictions / "wcxb-dev.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [f"p{i}" for i in range(20)]
    figures = json.loads(next(cache.glob("*/figures.json")).read_text())
    everything = next(row for row in figures["measured"] if row["corpus"] == "wcxb-dev")
    assert 0.8 < everything["f1"] <= 1
    fusion.main(arguments)
    second = {path.name: path.read_bytes() for path in out.iterdir()}
    assert {**second, "CARD.md": b""} == {**first, "CARD.md": b""}  # the card tells the time that the model took
    Model(out)
