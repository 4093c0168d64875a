"""How a page is captured."""

from __future__ import annotations

import asyncio

import pytest
from scrapy.settings import Settings

from webcontent.crawl.config import Config
from webcontent.crawl.rendering.capture import take_screenshot
from webcontent.document.boxes import COLUMNS, table

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


def test_a_table_of_boxes_has_columns_by_name():
    """Rows of an older table are shorter; damaged rows are left out."""
    short = ["/html/body/p", "p", 8, 16, 1350, 18, 16.5, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]
    whole = [*short, "block", "", "", 0, 1]
    assert len(whole) == len(COLUMNS)
    assert table([whole, whole])["font_size"].tolist() == [16.5, 16.5]
    assert table([whole])["display"].tolist() == ["block"]
    assert "display" not in table([short, whole])
    assert table([short, ["p"], [None] * 20])["own"].tolist() == [5]
    assert table([])["own"].tolist() == []
