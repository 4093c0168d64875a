"""URLs of pages."""

from __future__ import annotations

import pytest

from webcontent.addresses import site_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.com/a", "example.com"),
        ("https://news.example.co.uk/", "example.co.uk"),
        ("https://someone.github.io/blog/", "someone.github.io"),
        ("https://例子.公司.cn/", "例子.公司.cn"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://localhost/", "localhost:80"),
        ("https://8.8.8.8/", "8.8.8.8:443"),
        ("javascript:alert(1)", None),
    ],
)
def test_a_site_is_a_registered_domain(url: str, site: str | None):
    """A host without one (an IP address, a private name) is a site with its port."""
    assert site_of(url) == site
