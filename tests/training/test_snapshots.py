"""Rendered site snapshots as pages with screenshots and boxes."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

import pytest

from webcontent.items import Page
from webcontent.saved_pages.archive import PageArchive
from webcontent.training import snapshots
from webcontent.training.snapshots import PAGES, SNAPSHOT, load_rendered

if TYPE_CHECKING:
    from pathlib import Path


def test_rendered_snapshots_are_read_like_the_screens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A page gets the address that its site expects, its site as family, and the path of its screenshot."""
    (tmp_path / "small.json").write_text('{"base": "https://example.org/"}')
    monkeypatch.setattr("webcontent.evaluation.site_snapshots.snapshots_folder", lambda: tmp_path)
    folder = tmp_path / "rendered" / "small"
    folder.mkdir(parents=True)
    record = {"id": "small-000", "url": "http://127.0.0.1:5/a/b?c=1", "site": "small", "type": "list", "shot": "small-000.jpg", "boxes": []}
    with lzma.open(folder / PAGES, "wt") as stream:
        stream.write(json.dumps(record) + "\n")
    (page,) = load_rendered(tmp_path / "rendered")
    assert (page["url"], page["family"], page["kind"]) == ("https://example.org/a/b?c=1", "small", SNAPSHOT)
    assert page["shot"] == folder / "small-000.jpg"
    with pytest.raises(FileNotFoundError, match="has no rendered snapshot"):
        list(load_rendered(tmp_path / "nowhere"))


def test_pages_without_boxes_are_rendered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Each crawl is a process that gets the addresses of which no page was rendered before; a server may add a slash."""
    crawls: list[list[str]] = []

    def crawl(command: list[str], **options: object) -> None:
        urls = [word for word in command if word.startswith("http")]
        crawls.append(urls)
        for number, url in enumerate(urls):
            is_rendered = number == 0 or len(crawls) == 2
            page = Page(url=f"{url}/", html="<p>Text</p>", screenshot=b"\xff\xd8" if is_rendered else None, boxes=[["/html/body/p", "p"]])
            PageArchive(tmp_path / "saved").save(page, {})

    monkeypatch.setattr(snapshots.subprocess, "run", crawl)
    first, second = "http://127.0.0.1:5/a", "http://127.0.0.1:5/b"
    assert list(snapshots.render([first, second], tmp_path, "chromium")) == [first, second]
    assert crawls == [[first, second], [second]]
