"""Requests that a redirect has led to another site."""

from __future__ import annotations

import pytest

from webcontent.crawl.discovery.same_site import has_left_site
from webcontent.crawl.meta import DEPTH, SITE


@pytest.mark.parametrize(
    ("url", "site", "depth", "left"),
    [
        ("https://www.example.com/b", "example.com", 1, False),
        ("https://other.example.org/", "example.com", 1, True),
        ("https://other.example.org/", "example.com", 0, False),
        ("http://192.168.0.1/", "example.com", 0, True),
        ("http://localhost/", "example.com", 0, True),
        ("http://127.0.0.1:9000/", "127.0.0.1:8000", 0, False),
        ("http://127.0.0.1:9000/", "127.0.0.1:8000", 1, True),
    ],
    ids=["same site", "redirected away", "seed moved", "seed into the local network", "seed to localhost", "private seed", "another port"],
)
def test_redirects_do_not_lead_out_of_the_site(url: str, site: str, depth: int, left: bool):
    """Only a seed may move, and never from the internet into the local network."""
    assert has_left_site(url, {SITE: site, DEPTH: depth}) is left
