"""The trees over features of markup: the weights of pages, and the corpora that hold articles alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("lightgbm")

from webcontent.items import KINDS, LIST_KINDS
from webcontent.models import SHIPPED
from webcontent.training.pagetype import trees
from webcontent.training.pagetype.evaluation import article_metrics
from webcontent.training.pagetype.samples import Samples, TypeSample
from webcontent.training.pagetype.settings import Run, Settings

if TYPE_CHECKING:
    from pathlib import Path

LIST = "<h1>News</h1>" + "<h2><a href=/a>A linked title of some words</a></h2><p>An excerpt of eight words stands below it.</p>" * 8
ARTICLE = "<h1>One title</h1>" + "<p>" + "A sentence of the running text, which is long. " * 9 + "</p>"
STORY = (
    "<main><h1>A title of four words</h1>"
    + "<p>A sentence of the running text, which is long. And another one, which is long, too.</p>" * 9
    + "</main>"
)


def pages_of(corpus: str) -> list[dict]:
    """Ten sites with a page of each kind; a corpus of articles alone names no kind."""
    kinds = KINDS if corpus == "wcxb-dev" else ("",)
    return [
        {
            "id": f"{corpus}-{i}-{kind}",
            "url": f"https://{i}.example/",
            "site": f"{i}.example",
            "lang": "en",
            "type": kind,
            "html": LIST if kind in LIST_KINDS else ARTICLE,
        }
        for i in range(10)
        for kind in kinds
    ]


def test_articles_of_old_layouts_weigh_less_and_lists_more():
    """Pages of the corpora of articles alone must not make an article likelier on all pages."""
    samples = Samples()
    samples.add({"id": "1", "type": "article"}, "wcxb-dev", "a", "wcxb-dev")
    samples.add({"id": "2", "type": "listing"}, "wcxb-dev", "a", "wcxb-dev")
    samples.add({"id": "3", "type": "article"}, "cleaneval", "b", "cleaneval")
    weights = trees.page_weights(samples, ("cleaneval",))
    assert weights.tolist() == [1, trees.LIST_WEIGHT, 2 * trees.ARTICLES_SHARE]
    assert trees.ARTICLES_SHARE < 1 < trees.LIST_WEIGHT


def test_articles_of_a_corpus_are_counted():
    """Half of the articles are classified as such."""
    samples = Samples()
    for i in range(4):
        samples.add({"id": str(i), "type": "article"}, "cleaneval", str(i), "cleaneval")
    found = article_metrics(samples, np.array([0.9, 0.6, 0.2, 0.1]), ("cleaneval",))
    assert found == {"cleaneval": [4, 0.5]}


def test_a_run_over_corpora_trains_on_articles_and_combines_without_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The card and the config have the corpora of articles; the probabilities that the combination is fitted to do not."""
    monkeypatch.setattr(trees, "screen_records", lambda run: [])
    monkeypatch.setattr(trees, "load_corpus", pages_of)
    monkeypatch.setattr(trees, "page_checksums", lambda run: {"wcxb-dev": "1"})
    monkeypatch.setattr(trees, "checksum", lambda name: "2")
    settings = Settings(folds=2, corpora={"wcxb-dev": None}, article_corpora=("cleaneval",), evaluated_only=("dragnet-dev",))
    trees.train_dom(Run(settings=settings, out=tmp_path / "out", work=tmp_path / "work"))
    folder = tmp_path / "out" / "pagetype_dom_v1"
    config = SHIPPED.load(str(folder)).config
    assert config["metrics"]["pages"] == 70
    assert config["metrics"]["articles"] == 1  # the kinds of these pages look alike
    assert config["metrics"]["article_corpora"] == {"cleaneval": [10, 1.0], "dragnet-dev": [10, 1.0]}
    assert config["data"] == {"wcxb-dev": "1", "cleaneval": "2", "dragnet-dev": "2"}
    assert config["settings"]["weights"]["article_corpora"] == ["cleaneval"]
    assert "| cleaneval | 10 | 1.000 |" in (folder / "CARD.md").read_text(encoding="utf-8")
    assert set(np.load(tmp_path / "work" / "dom.npz")["corpus"].tolist()) == {"wcxb-dev"}


def test_pages_are_composed_of_articles_that_are_learned():
    def sample(**changes) -> TypeSample:
        facts = {"id": "a", "corpus": "screens", "site": "a", "language": "en", "kind": "", "part": "hexo theme", "is_article": True}
        return TypeSample(**{**facts, **changes})

    assert trees.is_composable(sample())
    assert trees.is_composable(sample(kind="article"))
    others = [{"kind": "forum"}, {"is_article": False}, {"is_learned": False}, {"part": trees.SNAPSHOT}]
    assert not any(trees.is_composable(sample(**changes)) for changes in others)


def test_a_page_is_read_with_a_list_and_an_article_composed_of_it():
    record = {"url": "https://a.example/2026/a-page.html", "html": STORY}
    page, composed = trees.read_page(record, (0, 3))
    titles, address = (trees.FEATURES.index(name) for name in ("count_h1", "url_depth"))
    assert list(composed) == ["list", "article"]
    assert composed["list"].features[trees.FEATURES.index("links")] > page.features[trees.FEATURES.index("links")]
    assert composed["article"].features[titles] == page.features[titles]
    assert (page.features[address], composed["list"].features[address]) == (2, -1)
    assert trees.read_page(record, None)[1] == trees.read_page({**record, "html": LIST}, (0, 3))[1] == {}


def test_composed_pages_of_a_fold_are_of_its_pages_alone_and_weigh_their_shares():
    def page(value: float) -> trees.PageMarkup:
        return trees.PageMarkup(np.full(2, value, np.float32), {"post"} if value > 2 else set())

    stored = {("list", 0): page(1), ("article", 0): page(2), ("list", 4): page(3), ("list", 7): page(4)}
    composed = trees.ComposedMarkup(stored, ["post"])
    chosen, weights = composed.of(np.array([0, 4, 5, 6]))
    assert chosen.tolist() == [0, 1, 2]
    shares = trees.COMPOSED_WEIGHTS
    np.testing.assert_allclose(weights, [2 * shares["list"], 4 * shares["article"], 2 * shares["list"]])
    assert composed.labels.tolist() == [0, 1, 0, 0]
    assert composed.x[:, 2].tolist() == [0, 0, 1, 1]
    assert [KINDS[kind] for kind in composed.kinds] == ["listing", "article", "listing", "listing"]
    assert not len(trees.ComposedMarkup({}, ["post"]).of(np.array([0]))[0])
