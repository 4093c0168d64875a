"""Site snapshots: read from their archive, or from pages that a crawl rendered, and served on loopback."""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from webcontent.evaluation.corpora import corpora_folder
from webcontent.evaluation.site_snapshots import load_snapshot, load_snapshot_gold, serve_snapshot, snapshot_names, snapshots_folder

if TYPE_CHECKING:
    from pathlib import Path

FACTS = {
    "base": "https://example.org/",
    "lang": "en",
    "articles": ["/a.html", "/b/", "/gone"],
    "lists": ["/"],
    "gold": {"file": "small.gold.jsonl.xz"},
}
FILES = {"index.html": b"<p>list</p>", "a.html": b"<p>a</p>", "b/index.html": b"<p>b</p>"}
GOLD = {"url": "/a.html", "title": "A", "body": "a"}


@pytest.fixture
def snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one snapshot that needs no JavaScript and one that does."""
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path / "corpora"))
    folder = tmp_path / "sites"
    folder.mkdir()
    for name, needs_javascript in (("small", False), ("script", True)):
        (folder / f"{name}.json").write_text(json.dumps({**FACTS, "needs_javascript": needs_javascript}))
    (folder / "small.gold.jsonl.xz").write_bytes(lzma.compress(json.dumps(GOLD).encode()))
    with tarfile.open(folder / "small.tar.xz", "w:xz") as tar:
        for name, content in FILES.items():
            entry = tarfile.TarInfo(f"./{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return folder


def test_snapshots_lie_beside_the_corpora(snapshots: Path) -> None:
    """Whatever folder the environment names."""
    assert snapshots_folder() == snapshots == corpora_folder().parent / "sites"


def test_snapshots_are_named(snapshots: Path) -> None:
    """All, or those that need no JavaScript."""
    assert snapshot_names() == ["script", "small"]
    assert snapshot_names(needs_javascript=False) == ["small"]
    assert snapshot_names(needs_javascript=True) == ["script"]


def test_a_snapshot_gives_its_articles_with_gold_and_then_its_lists(snapshots: Path) -> None:
    """A page that the archive lacks is left out; an article without gold has empty gold."""
    assert load_snapshot_gold("small") == {"/a.html": GOLD}
    records = list(load_snapshot("small"))
    assert [(record["url"], record["type"], record["html"]) for record in records] == [
        ("https://example.org/a.html", "article", b"<p>a</p>"),
        ("https://example.org/b/", "article", b"<p>b</p>"),
        ("https://example.org/", "list", b"<p>list</p>"),
    ]
    assert [record["gold"] for record in records] == [GOLD, {}, {}]
    assert {(record["site"], record["lang"]) for record in records} == {("small", "en")}


def test_a_snapshot_that_needs_javascript_gives_rendered_pages(snapshots: Path, tmp_path: Path) -> None:
    """Those of a folder that a crawl saved; without one there are none."""
    assert list(load_snapshot("script")) == []
    place = tmp_path / "saved" / "a"
    place.mkdir(parents=True)
    (place / "page.html").write_bytes(b"<p>rendered</p>")
    (place / "page.json").write_text(json.dumps({"url": "http://127.0.0.1:9/a.html"}))
    (place / "item.json").write_text("{}")
    (record,) = load_snapshot("script", rendered=tmp_path / "saved")
    assert (record["url"], record["html"]) == ("https://example.org/a.html", b"<p>rendered</p>")


def test_a_missing_snapshot_is_named(snapshots: Path) -> None:
    """By the path of its file."""
    with pytest.raises(FileNotFoundError, match=r"none\.json"):
        list(load_snapshot("none"))


@pytest.mark.process
@pytest.mark.corpora
def test_a_snapshot_is_served_on_loopback() -> None:
    """While the block runs."""
    name = snapshot_names(needs_javascript=False)[0]
    with serve_snapshot(name) as url, urlopen(url) as answer:
        assert answer.status == 200
        assert url.endswith("/")
