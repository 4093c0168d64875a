"""How a page is captured."""

from __future__ import annotations

import asyncio

import pytest
from scrapy.settings import Settings

from webcontent.crawl.config import Config
from webcontent.crawl.rendering.capture import take_screenshot

CONFIG = Config.from_settings(Settings())


class Session:
    """Stands in for a DevTools session whose browser answers wrongly."""

    def __init__(self, answer: dict) -> None:
        self.answer = answer

    async def send(self, method: str, parameters: dict | None = None) -> dict:
        return self.answer


@pytest.mark.parametrize("answer", [{}, {"data": ""}])
def test_an_empty_screenshot_is_an_error(answer):
    """Trap 18: WebP of more than 16,383 px comes as no data and no error."""
    with pytest.raises(ValueError, match="empty screenshot"):
        asyncio.run(take_screenshot(Session(answer), 1000, CONFIG, full_size=False))
