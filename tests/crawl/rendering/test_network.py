"""What a rendered page may request."""

from __future__ import annotations

import pytest

from webcontent.crawl.config import DEFAULT_BLOCK
from webcontent.crawl.rendering.network import is_blocked


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
        ("http://192.168.1.1/reboot", "Image", True),
        ("http://localhost:6379/", "Fetch", True),
        ("http://[::1]/", "Document", True),
        ("ws://127.0.0.1:9000/", "WebSocket", True),
        ("http://2130706433/", "Script", True),
    ],
)
def test_advertising_media_fonts_and_the_own_network_are_blocked(url, kind, blocked):
    """On a public page; images, styles and scripts pass."""
    assert is_blocked(url, kind, DEFAULT_BLOCK, on_private_page=False) is blocked


def test_a_page_of_the_own_network_may_load_from_it():
    assert not is_blocked("http://127.0.0.1/style.css", "Stylesheet", DEFAULT_BLOCK, on_private_page=True)
