"""Training what a site's memory changes: histories, notices, a whole miniature run."""

from __future__ import annotations

import json
import lzma
from typing import Any

import numpy as np
import pytest

pytest.importorskip("lightgbm")

from webcontent.history.host import HISTORY_FEATURES
from webcontent.models import Model
from webcontent.training import fusion, sites
from webcontent.training.sites import Settings, direction_of, iter_cases

WORDS = "river bridge mayor loan flour mill county spring flood engineer council cart market winter harvest ferry".split()
SMALL = Settings(
    orders={"stored": 1, "corpora": 1}, histories=(1, 3), trees=3, folds=2, parameters={**Settings().parameters, "min_data_in_leaf": 5}
)


def page(number: int) -> dict[str, Any]:
    """A page of one of five sites: an article between a menu and a footer."""
    random = np.random.default_rng(number)
    paragraphs = [" ".join(random.choice(WORDS, 25)) + "." for _ in range(4)]
    site = f"s{number % 5}.example"
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in ("news", "sport", site))
    shown = "".join(f"<p>{text}</p>" for text in paragraphs)
    html = f"<title>Page</title><nav><ul>{menu}</ul></nav><div class='story'>{shown}</div><footer>All rights reserved</footer>"
    gold = {"body": "\n".join(paragraphs), "with": paragraphs[:1], "without": ["All rights reserved"]}
    return {"id": f"p{number}", "url": f"https://{site}/{number}", "site": site, "lang": "en", "type": "", "html": html, "gold": gold}


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    """A miniature of each corpus, no stored site."""
    for place, name in enumerate((*fusion.WEIGHTS, *fusion.JUDGED)):
        pages = [page(1000 * place + i) for i in range(20)]
        if name in fusion.JUDGED:
            for each in pages:
                del each["gold"]["body"]
        (tmp_path / "corpora" / name).mkdir(parents=True)
        (tmp_path / "corpora" / name / "pages.jsonl.xz").write_bytes(lzma.compress("\n".join(map(json.dumps, pages)).encode()))
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "corpora"))
    return tmp_path


@pytest.mark.parametrize(
    ("feature", "direction"),
    [("logit", 1), ("named_opinion", 1), ("around_gap", 1), ("text_share", -1), ("numbered_repeats", -1), ("pages", 0), ("named_share", 0)],
)
def test_features_push_one_way(feature, direction):
    assert direction_of(feature) == direction


def test_without_fold_models_the_trainer_says_what_to_run(corpora, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"python -m webcontent\.training\.fusion"):
        sites.main(["--cache", str(tmp_path / "own"), "--fusion-cache", str(tmp_path / "none"), "--out", str(tmp_path / "sites_v1")])


def test_a_whole_run_gives_a_model_folder(corpora, tmp_path, monkeypatch):
    """Fold models of the extractor, histories, trees, ONNX and card; the same again from the cache."""
    few = fusion.Settings(first_trees=2, second_trees=2)
    monkeypatch.setattr(sites.fusion, "Settings", lambda **given: few)
    cache = tmp_path / "fusion"
    fusion.main(["--cache", str(cache), "--out", str(tmp_path / "fusion_v1")])
    monkeypatch.setattr(sites, "Settings", lambda **given: SMALL)
    out = tmp_path / "sites_v1"
    arguments = ["--cache", str(tmp_path / "own"), "--fusion-cache", str(cache), "--out", str(out)]
    sites.main(arguments)
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(first) == {"model.onnx", "config.json", "reference.json", "CARD.md"}
    assert Model(out).config["features"] == list(HISTORY_FEATURES)
    assert "wcxb-dev" in (out / "CARD.md").read_text()
    sites.main(arguments)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first
    _check_cases(sites.read_samples(tmp_path / "own", cache, None))


def _check_cases(samples: list[sites.Sample]) -> None:
    """Histories hold the pages of one host, and never the page that is looked at but where that is said."""
    cases = list(iter_cases(samples, SMALL))
    assert {case.history for case in cases} == {1, 3}
    pages = HISTORY_FEATURES.index("pages")
    assert all(case.x[0, pages] == case.history - case.is_known for case in cases)
    assert any(case.is_known for case in cases)
    random = np.random.default_rng(1)
    notices, labels, _ = next(found for case in cases if len((found := sites._notices(case, SMALL, random))[0]))
    assert not labels.any()
    assert (notices[:, HISTORY_FEATURES.index("text_share")] >= 0.7).all()
