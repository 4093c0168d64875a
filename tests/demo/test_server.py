"""The server of the demo site."""

from __future__ import annotations

import re
from urllib.request import urlopen

import pytest

from webcontent.demo.expected import expected_items
from webcontent.demo.server import DemoServer


def test_every_page_is_served():
    """Each expected page is served, with everything that it loads from its own host."""
    with DemoServer() as server:
        for path in [*expected_items(""), "/robots.txt"]:
            with urlopen(server.url + path) as answer:
                text = answer.read().decode()
            for address in re.findall(r'(?:src|href)="(/(?:static|pictures|data)/[^"]+)"', text):
                with urlopen(server.url + address) as part:
                    assert part.status == 200


def test_requested_paths_are_logged():
    """Tests see which pages a crawl requested."""
    with DemoServer() as server:
        urlopen(server.url + "/robots.txt").close()
        assert server.requested == ["/robots.txt"]


def test_a_stopped_server_can_be_stopped_again():
    """It leaves no listener behind."""
    server = DemoServer()
    server.start()
    server.stop()
    server.stop()
    with pytest.raises(OSError, match="refused"):
        urlopen(server.url)
