"""How much a crawl takes of what servers send: a size that it takes, beside one that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy.http import Response, TextResponse

from webcontent.crawl.commands.base import content_refusal
from webcontent.crawl.config import SETTINGS
from webcontent.crawl.discovery.feeds_and_sitemaps import feeds_of_page, read_source, sitemaps_of_robots
from webcontent.crawl.discovery.links import HEADLINE, content_keys, links_of_page
from webcontent.crawl.discovery.seedlist import PageBudget, Seed
from webcontent.crawl.discovery.urls import clean_url
from webcontent.crawl.guards import guarded
from webcontent.crawl.output.markdown import file_name
from webcontent.crawl.pipelines.duplicates import Duplicates, is_near
from webcontent.crawl.rendering.preparation.consent import kind_of
from webcontent.crawl.rendering.shells import is_shell
from webcontent.crawl.setup_errors import SetupError
from webcontent.document.parsing import Document
from webcontent.items import Article, Page

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://news.example/a"
SHELL = "<script src=a.js></script>"


def document_of(html: str) -> Document:
    return Document.from_page(Page(url=URL, html=html))


def is_headline(text: str) -> bool:
    return links_of_page(document_of(f"<a href=/story.html>{text}</a>")).links[0].priority == HEADLINE


def takes_sources(count: int, pages: int = 0) -> bool:
    """Whether the nth feed of a seed is requested."""
    budget = PageBudget([Seed(pages=pages)], 0)
    return [budget.takes_source(0) for _ in range(count)][-1]


def goes_on(failures: int) -> bool:
    """Whether a seed of ten pages goes on after so many failures."""
    budget = PageBudget([Seed(pages=10)], 0)
    budget.failures[0] = failures
    return not budget.is_full(0)


def still_known(others: int) -> bool:
    """Whether a text is known after so many others of its band."""
    found = Duplicates()
    for number in range(others + 1):
        found.add(Article(url=f"https://a{number}.example/", body=f"{number} " + "x" * 300, fingerprint=f"abcd{number * 0x10101:012x}"))
    return found.add(Article(url="https://a0.example/", body="another " * 30, fingerprint="abcd000100010001")) == "near"


def robots(size: int) -> int:
    return len(guarded(TextResponse("https://a.example/robots.txt", body=b"x" * size, encoding="utf-8")).body)


def size_of(width: int, height: int) -> bool:
    reader = SETTINGS["screenshot_size"].reader
    try:
        return reader.read((width, height)) == (width, height)
    except (ValueError, TypeError):
        return False


LIMITS: dict[str, tuple[Callable[[int], object], int, int]] = {
    "words of a headline": (lambda n: is_headline(" ".join(["word"] * n)), 4, 3),
    "characters of a Chinese headline": (lambda n: is_headline("桥" * n), 8, 7),
    "characters of a page with keys": (lambda n: len(content_keys(document_of(f"<p>{'x' * n}"))) > 1, 200, 199),
    "copies of a folder": (lambda n: clean_url("https://a.example" + "/a" * n), 3, 4),
    "sources of a seed": (takes_sources, 200, 201),
    "sources of a seed with few pages": (lambda n: takes_sources(n, pages=2), 20, 21),
    "failures of a seed": (goes_on, 149, 150),
    "entries of a sitemap": (lambda n: len(read_source(b"https://a.example/\n" * n, URL)[0].entries) == n, 50_000, 50_001),
    "bytes of a feed": (lambda n: read_source(f"{URL}\n".encode().ljust(n - 22) + b"https://news.example/b", URL)[0].entries[-1].url[-1] == "b", 52_428_800, 52_428_801),
    "sitemaps of robots.txt": (lambda n: len(sitemaps_of_robots("\n".join(f"Sitemap: /{i}" for i in range(n)).encode(), URL)) == n, 500, 501),
    "feeds of a page": (lambda n: len(feeds_of_page(document_of("".join(f"<link rel=alternate type=application/rss+xml href=/{i}>" for i in range(n))))) == n, 20, 21),
    "bits of another fingerprint": (lambda n: is_near("f" * 16, f"{int('f' * 16, 16) >> n:016x}"), 3, 4),
    "texts of a band": (still_known, 255, 256),
    "bytes of robots.txt": (lambda n: robots(n) == n, 524_288, 524_289),
    "bytes of a file's name": (lambda n: len(file_name(f"https://a.example/{'x' * n}.html")) == n, 120, 121),
    "characters of a button": (lambda n: kind_of(["Accept all" + "!" * (n - 10)]), 80, 81),
    "characters of a shell": (lambda n: is_shell(f"{SHELL}<p>{'x' * n}"), 199, 200),
    "links of a shell": (lambda n: is_shell(SHELL + "<a href=/>x</a>" * n), 15, 16),
    "characters of a shell's markup": (lambda n: is_shell(SHELL + " " * (n - len(SHELL))), 1_000_000, 1_000_001),
    "characters of a message": (lambda n: len(str(SetupError("x" * n))) == n, 2000, 2001),
    "bytes before the markup": (lambda n: content_refusal(Response(URL, body=b"x" * n + b"<html>")) is None, 1994, 2000),
    "width of a screenshot": (lambda n: size_of(n, 300), 4000, 4001),
    "height of a screenshot": (lambda n: size_of(300, n), 16_000, 16_001),
    "least width of a screenshot": (lambda n: size_of(n, 300), 200, 199),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_crawls_take_what_is_within_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
