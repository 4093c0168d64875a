"""What a rendered page may request."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Request

from webcontent.addresses import PrivateHosts
from webcontent.crawl.config import DEFAULT_BLOCK, Config
from webcontent.crawl.meta import RENDER_WISHES
from webcontent.crawl.rendering.filter.reach import Policy
from webcontent.crawl.rendering.job import RenderJob
from webcontent.crawl.rendering.network import DataRequests, PageNetwork, is_blocked


@pytest.mark.parametrize(
    ("url", "kind", "blocked"),
    [
        ("https://securepubads.g.doubleclick.net/tag/js/gpt.js", "Script", True),
        ("https://doubleclick.net/x", "Image", True),
        ("https://notdoubleclick.net/x", "Image", False),
        ("https://example.com/?to=https://doubleclick.net/", "Image", False),
        ("https://example.com/film.mp4", "Media", True),
        ("https://example.com/font.woff2", "Font", True),
        ("https://example.com/photo.jpg", "Image", False),
        ("https://example.com/style.css", "Stylesheet", False),
        ("wss://doubleclick.net:9000/", "WebSocket", True),
        ("http://[broken", "Image", False),
    ],
)
def test_advertising_media_and_fonts_are_blocked(url, kind, blocked):
    """Images, styles and scripts pass."""
    assert is_blocked(url, kind, DEFAULT_BLOCK) is blocked


class Session:
    """Stands in for a DevTools session; keeps the commands."""

    def __init__(self) -> None:
        self.commands: list[str] = []

    async def send(self, command: str, parameters: dict[str, Any]) -> None:
        self.commands.append(command)


def data_request(url: str) -> dict[str, Any]:
    return {"request": {"url": url, "headers": {}}, "resourceType": "XHR", "requestId": url, "networkId": url, "frameId": "main"}


@pytest.mark.parametrize(
    ("url", "command", "is_waiting"),
    [("https://doubleclick.net/data", "Fetch.failRequest", False), ("https://example.com/data", "Fetch.continueRequest", True)],
)
def test_a_page_waits_for_the_data_that_it_may_load(url, command, is_waiting):
    """A blocked request gets no response that could be waited for."""

    async def obeys(_: str) -> bool:
        return True

    async def judge() -> PageNetwork:
        request = Request("https://example.com/", meta={RENDER_WISHES: {}})
        network = PageNetwork(RenderJob.of(request, Config(), None), DEFAULT_BLOCK, None, False, Policy("test", PrivateHosts([])), obeys)
        network._session = session
        await network._judge(data_request(url))
        return network

    session = Session()
    network = asyncio.run(judge())
    assert session.commands == [command]
    assert network.data.is_waiting(60) is is_waiting


def test_a_request_that_is_kept_open_is_waited_for_only_so_long():
    """And one that is answered ends the wait."""

    async def main() -> None:
        data = DataRequests()
        data.update("long poll", has_response=False)
        await data.wait(60, 0.05)
        assert not data.is_waiting(0.05)
        assert data.is_waiting(60)
        waiting = asyncio.ensure_future(data.wait(60, 60))
        await asyncio.sleep(0)
        data.update("long poll", has_response=True)
        await waiting

    asyncio.run(asyncio.wait_for(main(), 30))
