"""How a page is captured."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from scrapy.settings import Settings

from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.server import hostile_server
from webcontent.crawl.config import Config
from webcontent.crawl.rendering.capture import Capture, take_screenshot

CONFIG = Config.from_settings(Settings())
CAPTURE = Capture("", [], "", 0, 0, 0, [], width=1280, visible=720, height=9000, ratio=1, truncated=False, loading=False)


class Session:
    """Stands in for a DevTools session whose browser answers wrongly."""

    def __init__(self, answer: dict) -> None:
        self.answer = answer
        self.asked: list[dict | None] = []

    async def send(self, method: str, parameters: dict | None = None) -> dict:
        self.asked.append(parameters)
        return self.answer


@pytest.mark.parametrize("answer", [{}, {"data": ""}])
def test_an_empty_screenshot_is_an_error(answer):
    """Trap 18: WebP of more than 16,383 px comes as no data and no error."""
    with pytest.raises(ValueError, match="empty screenshot"):
        asyncio.run(take_screenshot(Session(answer), CAPTURE, CONFIG, full_size=False))


@pytest.mark.parametrize(
    ("ratio", "visible_only", "width", "height"),
    [(1, False, 1280, 8000), (2, False, 1280, 8000), (1, True, 1280, 720)],
)
def test_a_screenshot_is_of_the_page_in_its_own_width(ratio, visible_only, width, height):
    """Scaled to 512 px whatever the density of the screen is; a page that stays open is not made larger."""
    session = Session({"data": "aGVsbG8="})
    capture = replace(CAPTURE, ratio=ratio)
    assert asyncio.run(take_screenshot(session, capture, CONFIG, full_size=False, visible_only=visible_only)) == b"hello"
    (options,) = session.asked
    assert options["clip"] == {"x": 0, "y": 0, "width": width, "height": height, "scale": 512 / width / ratio}
    assert options["captureBeyondViewport"] is not visible_only


@pytest.mark.browser
@pytest.mark.parametrize("path", ["/few-words", "/shadow"])
def test_a_page_with_little_text_is_not_waited_for_longer_than_it_changes(path):
    """The budget is a minute here, so a page that waited for it would not be read in time."""
    with hostile_server() as server:
        settings = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "WEBCONTENT_BUDGET_MS": 60_000, "DOWNLOAD_TIMEOUT": 24}
        done = crawl([f"{server.url}{path}"], settings=settings)
    done.check()
    assert done.response(f"{server.url}{path}")["page_flags"] == []
