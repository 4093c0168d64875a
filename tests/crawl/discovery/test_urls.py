"""What is known of a URL before it is requested."""

from __future__ import annotations

import pytest

from webcontent.crawl.discovery.urls import clean_url, is_private


@pytest.mark.parametrize(
    ("url", "cleaned"),
    [
        ("https://example.com/a#part", "https://example.com/a"),
        ("https://example.com/a?utm_source=x&utm_medium=y", "https://example.com/a"),
        ("https://example.com/a?id=7&fbclid=abc&page=2", "https://example.com/a?id=7&page=2"),
        ("https://example.com/a?b=2&a=1", "https://example.com/a?b=2&a=1"),
        ("https://example.com/新闻/1.html", "https://example.com/新闻/1.html"),
    ],
    ids=["fragment", "only tracking", "some tracking", "order kept", "chinese"],
)
def test_urls_lose_what_does_not_change_the_page(url: str, cleaned: str):
    """Fragments and tracking parameters are removed; everything else stays as the page has it."""
    assert clean_url(url) == cleaned


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,<p>x",
        "file:///etc/passwd",
        "ftp://example.com/a",
        "mailto:a@example.com",
        "http://",
        "http://example.com:port/",
        "http://[::1/",
        "https://example.com/report.pdf",
        "https://example.com/picture.JPG",
        "https://example.com/a.tar.gz",
        "https://example.com/feed.xml",
        "https://example.com/news/news/news/news/1",
        "https://example.com/" + "a" * 2000,
    ],
)
def test_what_is_no_page_is_not_requested(url: str):
    """Other schemes, broken URLs, files, loops of relative links, URLs of more than 2,000 characters."""
    assert clean_url(url) is None


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "[::1]", "[fe80::1]", "[fd00::1]", "0.0.0.0", "localhost",
     "printer", "nas.local", "db.internal", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]"],
)  # fmt: skip
def test_the_local_network_is_private(host: str):
    """Also in the forms that only browsers read as IP addresses."""
    assert is_private(f"http://{host}/")


@pytest.mark.parametrize("host", ["example.com", "8.8.8.8", "[2606:4700::1111]", "1.2.3.4.5", "127.0.0.1.example.com"])
def test_the_internet_is_not_private(host: str):
    """Public names and IP addresses, also those that look like private ones."""
    assert not is_private(f"http://{host}/")
