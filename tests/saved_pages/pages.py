"""A page that the tests of this folder save."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.crawl.crawls import article
from webcontent import extract
from webcontent.items import Page
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://news.example.org/2024/bridge.html"
BOXES = [["/html/body/h1", "h1", 8, 16, 1350, 18, 16, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]]


def make_page(**changes: Any) -> Page:
    return Page(
        **{
            "url": URL,
            "html": article("大桥开工").encode("gb18030"),
            "encoding": "gb18030",
            "fetched_at": "2024-03-06T08:00:00+00:00",
            **changes,
        }
    )


def make_item(page: Page) -> dict[str, Any]:
    return as_json(extract(page.html, url=page.url, encoding=page.encoding, fetched_at=page.fetched_at))


def save(folder: Path, **changes: Any) -> Path:
    page = make_page(**changes)
    place = PageArchive(folder).save(page, make_item(page))
    assert place is not None
    return place


def edit(place: Path, **changes: Any) -> None:
    """Changes the saved item, as a user does with an editor."""
    item = json.loads((place / "item.json").read_text(encoding="utf-8"))
    (place / "item.json").write_text(json.dumps({**item, **changes}, ensure_ascii=False), encoding="utf-8")
