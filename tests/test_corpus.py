"""Corpora: found by name or path, read in order, folded by site."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

import pytest

from webcontent import corpus

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [
    {
        "id": f"p{i}",
        "url": f"https://site{i % 3}.example/{i}",
        "site": f"site{i % 3}.example",
        "lang": "en",
        "type": "article",
        "html": f"<p>{i}</p>",
        "gold": {"body": str(i)},
    }
    for i in range(10)
]


def write(folder: Path, records: list[dict], *, packed: bool = True) -> None:
    folder.mkdir(parents=True)
    text = "".join(json.dumps(record) + "\n" for record in records)
    if packed:
        (folder / "pages.jsonl.xz").write_bytes(lzma.compress(text.encode()))
    else:
        (folder / "pages.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of corpora with one in it, named by the environment."""
    monkeypatch.setenv("WEBCONTENT_CORPORA", str(tmp_path))
    write(tmp_path / "tiny", PAGES)
    return tmp_path


def test_a_corpus_is_read_in_its_order(corpora: Path) -> None:
    """Every record as it was written."""
    assert list(corpus.load_corpus("tiny")) == PAGES


def test_a_corpus_may_be_unpacked_and_anywhere(corpora: Path) -> None:
    """A user's own folder is named by its path."""
    write(corpora / "mine" / "own", PAGES[:2], packed=False)
    assert list(corpus.load_corpus(str(corpora / "mine" / "own"))) == PAGES[:2]


@pytest.mark.parametrize(
    ("limit", "ids"), [(5, ["p0", "p2", "p4", "p6", "p8"]), (1, ["p0"]), (99, [page["id"] for page in PAGES]), (0, [])]
)
def test_a_limit_spreads_evenly(corpora: Path, limit: int, ids: list[str]) -> None:
    """Over the whole corpus, not its first pages."""
    assert [page["id"] for page in corpus.load_corpus("tiny", limit=limit)] == ids


def test_a_missing_corpus_is_named(corpora: Path) -> None:
    """With the folder that was looked into and the variable that names another."""
    with pytest.raises(FileNotFoundError, match=r"No corpus 'none' in .*WEBCONTENT_CORPORA"):
        list(corpus.load_corpus("none"))
    (corpora / "bare").mkdir()
    with pytest.raises(FileNotFoundError, match=r"has no pages\.jsonl\.xz"):
        list(corpus.load_corpus("bare"))
    assert corpus.find_corpus("none") is None


def test_screens_come_with_picture_and_boxes(corpora: Path) -> None:
    """A record that the boxes file lacks has none."""
    folder = corpora / "screens" / "dev"
    write(folder, PAGES[:2])
    (folder / "boxes.jsonl.xz").write_bytes(lzma.compress(json.dumps({"id": "p0", "boxes": [["/html"]]}).encode()))
    first, second = corpus.load_screens()
    assert first == {**PAGES[0], "shot": folder / "shots" / "p0.webp", "boxes": [["/html"]]}
    assert second["boxes"] == []
    with pytest.raises(FileNotFoundError, match="screens/other"):
        next(corpus.load_screens("other"))


def test_a_fold_is_the_same_everywhere() -> None:
    """It hangs on the name alone, and all folds are used."""
    assert corpus.fold_of("example.org") == corpus.fold_of("example.org")
    assert {corpus.fold_of(f"site{i}.example") for i in range(200)} == {0, 1, 2, 3, 4}
    assert {corpus.fold_of(f"site{i}.example", 3) for i in range(200)} == {0, 1, 2}


def test_the_checksum_follows_the_pages(corpora: Path) -> None:
    """Cards name the version of a corpus by it."""
    write(corpora / "same", PAGES)
    write(corpora / "less", PAGES[:3])
    assert corpus.checksum("tiny") == corpus.checksum("same") != corpus.checksum("less")
    assert len(corpus.checksum("tiny")) == 12


def test_sites_lie_beside_the_corpora(corpora: Path) -> None:
    """Whatever folder the environment names."""
    assert corpus.sites_folder() == corpora.parent / "sites"
    assert corpus.corpora_folder() == corpora
