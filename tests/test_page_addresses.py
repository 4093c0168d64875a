"""A page has an address of http or https, of at most 2,000 characters, or the requested one and a flag."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

import webcontent
from webcontent.items import Page
from webcontent.pipeline import Options, read

LONG = "https://example.org/" + "x" * 1_900_000


@pytest.mark.parametrize(
    "address",
    [LONG, "javascript:alert(1)", "data:text/html,x", "about:blank", "http:///", "https://example.org:x/", "http://a\x80b/", "http://\n0"],
)
def test_a_response_with_a_bad_address_gets_the_requested_one(address: str):
    """A script may have set it."""
    response = HtmlResponse("https://example.org/asked", body=b"<p>x", request=Request("https://example.org/asked"))
    response._set_url(address)
    page = Page.from_response(response)
    assert (page.url, page.flags) == ("https://example.org/asked", ["bad-address"])


def test_an_ordinary_response_keeps_its_address():
    page = Page.from_response(HtmlResponse("https://example.org/a?b=c#d", body=b"<p>x", request=Request("https://example.org/asked")))
    assert (page.url, page.flags) == ("https://example.org/a?b=c#d", [])


@pytest.mark.parametrize("address", [LONG, "javascript:alert(1)", "../x"])
def test_a_page_with_a_bad_address_has_none(address: str):
    """Whoever made the page."""
    document = read(Page(url=address, html="<p>x"), Options())
    assert document.url is None
    assert document.flags == {"bad-address"}
    (item,) = webcontent.extract_many([Page(url=address, html="<p>x</p>")])
    assert item.url is None
    assert "bad-address" in item.flags


def test_unsafe_characters_of_an_address_are_encoded():
    """As in all addresses of an item."""
    item = webcontent.extract("<p>x", url="https://example.org/a b?c='<d>\"")
    assert item.url == "https://example.org/a%20b?c=%27%3Cd%3E%22"
