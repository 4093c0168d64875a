"""Saved pages: folders with a page and its item."""

from __future__ import annotations

import json
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import TEXTS, article
from tests.saved_pages.pages import BOXES, URL, edit, make_item, make_page, save
from webcontent.saved_pages.archive import PageArchive, folder_name, is_checked, load_item, load_page

if TYPE_CHECKING:
    from pathlib import Path


def test_a_page_comes_back_as_it_was(tmp_path: Path):
    """The body is the same byte for byte. Boxes, screenshot, headers, flags and time are the same, too."""
    page = make_page(boxes=BOXES, screenshot=b"\x89PNG...", headers={"content-type": "text/html"}, flags=["truncated"], status=404)
    place = PageArchive(tmp_path).save(page, make_item(page))
    assert place is not None
    assert load_page(place) == page
    assert sorted(file.name for file in place.iterdir()) == ["boxes.json", "item.json", "page.html", "page.json", "screenshot.png"]


def test_the_item_is_plain_json_to_be_corrected(tmp_path: Path):
    """The body is a list of lines. Fields that users do not correct are left out."""
    item = json.loads((save(tmp_path) / "item.json").read_text(encoding="utf-8"))
    assert item["title"] == "大桥开工"
    assert item["body"] == [f"大桥开工: {text}" for text in TEXTS]
    assert item["checked"] is False
    assert not {"evidence", "score", "fingerprint", "body_html", "extractor", "fetched_at"} & set(item)
    assert "大桥开工" in (tmp_path / folder_name(make_page()) / "item.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("url", "begins"),
    [
        (URL, "news.example.org-2024-bridge.html-"),
        ("https://example.org/../../etc/passwd", "example.org-etc-passwd-"),
        ("https://example.org/a%2F..%2Fb?x=../y&z=\x00", "example.org-a-2f-2fb-x-y-z-"),
        ("https://新闻.example/新闻", "example-"),
        ("https://example.org/" + "long/" * 500, "example.org-long-long-"),
        ("https://example.org/" + "a" * 500, f"example.org-{'a' * 48}-"),
        ("javascript:alert(1)", "page-alert-1-"),
        ("https://[bad/", "page-"),
        (None, "page-"),
    ],
)
def test_names_of_folders_are_safe(tmp_path: Path, url: str | None, begins: str):
    """They consist of plain letters, are not hidden and not long, and lead to no other folder. Another URL gives another name."""
    name = folder_name(make_page(url=url))
    assert name.startswith(begins)
    assert len(name) <= 72
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert not name.startswith(".")
    assert save(tmp_path, url=url).parent == tmp_path
    assert name != folder_name(make_page(url=f"{url}x", html=b"<p>another"))


def test_a_corrected_page_is_never_overwritten(tmp_path: Path):
    """A later crawl leaves it as it is."""
    place = save(tmp_path)
    edit(place, title="Corrected")
    page = make_page(html=article("Another"))
    assert PageArchive(tmp_path).save(page, make_item(page)) is None
    assert load_item(place)["title"] == "Corrected"
    assert len(list(tmp_path.iterdir())) == 1


def test_threads_save_a_page_once(tmp_path: Path):
    """Whichever comes first."""
    archive, page = PageArchive(tmp_path), make_page()
    item = make_item(page)
    with ThreadPoolExecutor(4) as pool:
        places = list(pool.map(lambda _: archive.save(page, item), range(20)))
    assert len(list(tmp_path.iterdir())) == sum(place is not None for place in places) == 1


def test_a_page_that_can_not_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """No incomplete page is left, and the error of the disk is raised."""
    archive = PageArchive(tmp_path)
    page = make_page(boxes=BOXES)
    item = make_item(page)

    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webcontent.saved_pages.archive._write_json", fail)
    with pytest.raises(OSError, match="No space left"):
        archive.save(page, item)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_created_is_an_error(tmp_path: Path):
    """It is raised before the first page and names the setting."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"WEBCONTENT_SAVE is .*file.*, which can't be a folder"):
        PageArchive(tmp_path / "file" / "saved")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_others_may_read_what_was_saved(tmp_path: Path):
    """Temporary folders are private to their owner. Saved pages are not."""
    assert stat.S_IMODE(save(tmp_path).stat().st_mode) == 0o755


def test_an_item_is_checked_if_a_user_marked_or_changed_it(tmp_path: Path):
    """An item as it was saved is not verified."""
    place = save(tmp_path)
    assert not is_checked(place)
    edit(place, checked=True)
    assert is_checked(place)
    edit(place, checked=False)
    assert not is_checked(place)
    edit(place, time="2024-03-05")
    assert is_checked(place)
