"""Corpora are found by name or path and read in order; folders of saved pages are corpora too."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

import pytest

from webcontent.evaluation.corpora import _drawn_boxes, checksum, corpora_folder, find_corpus, load_corpus, load_screens
from webcontent.saved_pages.archive import digest_of

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


def test_the_environment_names_the_folder(corpora: Path) -> None:
    """Instead of the one beside the checkout."""
    assert corpora_folder() == corpora


def test_a_corpus_is_read_in_its_order(corpora: Path) -> None:
    """Every record as it was written."""
    assert list(load_corpus("tiny")) == PAGES


def test_a_corpus_may_be_unpacked_and_anywhere(corpora: Path) -> None:
    """A user's own folder is named by its path."""
    write(corpora / "mine" / "own", PAGES[:2], packed=False)
    assert list(load_corpus(str(corpora / "mine" / "own"))) == PAGES[:2]


@pytest.mark.parametrize(
    ("limit", "ids"), [(5, ["p0", "p2", "p4", "p6", "p8"]), (1, ["p0"]), (99, [page["id"] for page in PAGES]), (0, [])]
)
def test_a_limit_spreads_evenly(corpora: Path, limit: int, ids: list[str]) -> None:
    """Over the whole corpus, not its first pages."""
    assert [page["id"] for page in load_corpus("tiny", limit=limit)] == ids


def test_a_missing_corpus_is_named(corpora: Path) -> None:
    """With the folder that was looked into and the variable that names another."""
    with pytest.raises(FileNotFoundError, match=r"No corpus 'none' in .*WEBCONTENT_CORPORA"):
        list(load_corpus("none"))
    (corpora / "bare").mkdir()
    with pytest.raises(FileNotFoundError, match=r"has no pages\.jsonl\.xz"):
        list(load_corpus("bare"))
    assert find_corpus("none") is None


def test_screens_come_with_screenshot_and_boxes(corpora: Path) -> None:
    """A record that the boxes file lacks has none."""
    folder = corpora / "screens" / "dev"
    write(folder, PAGES[:2])
    (folder / "boxes.jsonl.xz").write_bytes(lzma.compress(json.dumps({"id": "p0", "boxes": [["/html"]]}).encode()))
    first, second = load_screens()
    assert first == {**PAGES[0], "shot": folder / "shots" / "p0.webp", "boxes": [["/html"]]}
    assert second["boxes"] == []
    with pytest.raises(FileNotFoundError, match="screens/other"):
        next(load_screens("other"))


def test_the_checksum_follows_the_pages(corpora: Path) -> None:
    """Cards name the version of a corpus by it."""
    write(corpora / "same", PAGES)
    write(corpora / "less", PAGES[:3])
    assert checksum("tiny") == checksum("same") != checksum("less")
    assert len(checksum("tiny")) == 12


def saved(folder: Path, name: str, item: dict, **about: object) -> Path:
    """A page as WEBCONTENT_SAVE leaves it, and as somebody corrected it."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "page.html").write_bytes("<p>新闻</p>".encode("gb18030"))
    (place / "page.json").write_text(json.dumps({"url": f"https://news.{name}.org/1", "encoding": "gb18030", "item_sha256": "", **about}))
    (place / "item.json").write_text(json.dumps(item))
    return place


def test_pages_saved_by_a_crawl_are_a_corpus(corpora: Path) -> None:
    """Decoded, with the corrected fields as gold; each registered domain is a site."""
    item = {"kind": "article", "language": "zh", "title": "T", "body": ["one", "two"], "flags": [], "authors": []}
    saved(corpora / "own", "b", item)
    saved(corpora / "own", "a", {**item, "kind": "listing"})
    first, second = load_corpus(str(corpora / "own"))
    assert (first["id"], first["site"], first["type"]) == ("a", "a.org", "listing")
    assert (second["html"], second["url"], second["lang"]) == ("<p>新闻</p>", "https://news.b.org/1", "zh")
    assert second["gold"] == {"title": "T", "body": "one\ntwo", "authors": []}


def test_a_saved_page_counts_once_somebody_looked_at_it(corpora: Path) -> None:
    """What the program says itself is nothing to learn from."""
    place = saved(corpora / "own", "a", {"checked": False, "title": "T"})
    unchanged = digest_of({"title": "T"})
    (place / "page.json").write_text(json.dumps({"item_sha256": unchanged}))
    with pytest.raises(ValueError, match=r'no page that was checked\. Correct an item\.json, or set "checked": true in it'):
        list(load_corpus(str(corpora / "own")))
    (place / "item.json").write_text('{"checked": true, "title": "T"}')
    assert [record["gold"] for record in load_corpus(str(corpora / "own"))] == [{"title": "T"}]


def test_saved_pages_with_screenshots_are_screens(corpora: Path) -> None:
    """Each site is a family; a page without a screenshot is left out."""
    place = saved(corpora / "own", "a", {"kind": "listing"})
    (place / "screenshot.jpg").write_bytes(b"...")
    (place / "boxes.json").write_text('[["/html"]]')
    saved(corpora / "own", "b", {"kind": "article"})
    (record,) = load_screens(str(corpora / "own"))
    assert (record["shot"], record["boxes"], record["family"]) == (place / "screenshot.jpg", [["/html"]], "a.org")


def test_the_checksum_of_saved_pages_follows_their_items(corpora: Path) -> None:
    """A correction makes another corpus of it."""
    place = saved(corpora / "own", "a", {"title": "T"})
    before = checksum(str(corpora / "own"))
    assert checksum(str(corpora / "own")) == before
    (place / "item.json").write_text('{"title": "U"}')
    assert checksum(str(corpora / "own")) != before


def test_boxes_of_the_corpus_are_as_our_browser_lists_them():
    """Backgrounds come from what stands around; what only holds others is left out."""
    row = dict.fromkeys(("x", "y", "w", "h", "font_size", "font_weight", "background_image", "own", "len", "link", "media"), 0)
    row |= {"tag": "p", "color": "#000000", "display": "block", "out_of_flow": "", "border": "", "visible": 1, "background": ""}
    rows = [row | {"xpath": "/html/body", "background": "#123456", "len": 9}, row | {"xpath": "/html/body/div/p", "own": 9, "len": 9}]
    ((xpath, *_, background, own, _, _, _, _, _, _, _, _, _),) = _drawn_boxes(rows)
    assert (xpath, background, own) == ("/html/body/div/p", "#123456", 9)
