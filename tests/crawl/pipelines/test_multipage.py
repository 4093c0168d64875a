"""Articles that continue on further pages are assembled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import TEXTS, article, crawl_seeds, listing, scrapy, serve
from webcontent.crawl.config import Config
from webcontent.crawl.pipelines.multipage import merge
from webcontent.items import Article, Entry, Image

if TYPE_CHECKING:
    from pathlib import Path


def test_parts_are_merged_in_order():
    """Lines at the beginning of every page come once and first, lines at the end of every page once and last."""
    parts = [
        Article(body="Bridge opens\nOne.\nEditor: Li", body_html="<p>One.</p>", images=[Image("a"), Image("b")]),
        Article(body="Bridge opens\nTwo.\nEditor: Li", body_html="<p>Two.</p>", images=[Image("b"), Image("c")]),
        Article(body="Bridge opens\nThree.\nEditor: Li", body_html="<p>Three.</p>"),
    ]
    merge(parts)
    assert parts[0].body == "Bridge opens\nOne.\nTwo.\nThree.\nEditor: Li"
    assert parts[0].body_html == "<p>One.</p>\n<p>Two.</p>\n<p>Three.</p>"
    assert [image.url for image in parts[0].images] == ["a", "b", "c"]


def test_entries_and_scores_of_all_parts_count():
    """Each entry once; the score is weighted by the lengths of the texts."""
    parts = [
        Article(body="a" * 300, score=0.9, entries=[Entry("One", "http://example.com/1")]),
        Article(body="b" * 100, score=0.5, entries=[Entry("One", "http://example.com/1"), Entry("Two", "http://example.com/2")]),
    ]
    merge(parts)
    assert parts[0].score == pytest.approx(0.8)
    assert [entry.title for entry in parts[0].entries] == ["One", "Two"]


def test_notes_are_numbered_through_all_parts():
    """Each reference leads to the note of its own page, in HTML and in Markdown."""
    html = '<p>{0}.<sup><a href="#fn-1">1</a></sup></p><p>More.<sup><a href="#fn-2">2</a></sup></p><ol><li id="fn-1">Note {0}.</li><li id="fn-2">Second note {0}.</li></ol>'
    parts = [Article(title="A bridge", body=word, body_html=html.format(word), markdown="") for word in ("Begin", "Middle", "End")]
    merge(parts)
    ids = re.findall(r'id="fn-(\d+)"', parts[0].body_html)
    assert ids == list("123456")
    assert re.findall(r'<a href="#fn-(\d+)">(\d+)</a>', parts[0].body_html) == [(number, number) for number in ids]
    for number, word in ((1, "Begin"), (3, "Middle"), (5, "End")):
        assert f"{word}.[^{number}]" in parts[0].markdown
        assert f"[^{number}]: Note {word}." in parts[0].markdown


def test_a_text_of_one_line_a_page_stays_whole():
    """No line is taken for a common one when none would be left."""
    parts = [Article(body="Same."), Article(body="Same.")]
    merge(parts)
    assert parts[0].body == "Same.\nSame."


def part(title: str, number: int, count: int, address: str) -> str:
    """A page of an article, with a pager in the text."""
    paragraphs = "".join(f"<p>{title}, page {number}, paragraph {place}: {text}</p>" for place, text in enumerate(TEXTS))
    others = "".join(
        f"<b>{other}</b> " if other == number else f'<a href="{address.format("" if other == 1 else f"_{other}")}">{other}</a> '
        for other in range(1, count + 1)
    )
    return f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{paragraphs}</article><div class=pages>{others}</div></body></html>"


def pages_of(title: str, stem: str, count: int) -> dict[str, str]:
    numbers = {number: stem.format("" if number == 1 else f"_{number}") for number in range(1, count + 1)}
    return {address: part(title, number, count, stem) for number, address in numbers.items()}


@pytest.mark.process
def test_a_crawl_delivers_whole_articles(tmp_path: Path):
    """Each part comes once and in order, and no part is an item. An article is found from any of its pages. Listings are not assembled.

    The limit and a page that can't be fetched both leave the flag `truncated`. A URL with a number that leads to the same page or to a
    page of another title is no further page.
    """
    pages: dict[str, Any] = pages_of("A long story about the bridge", "/long/7{}.html", 4)
    pages |= pages_of("Another story in two parts", "/two/8{}.html", 2)
    pages |= pages_of("A tale without an end", "/endless/7{}.html", 6)
    pages |= pages_of("A tale with a hole", "/hole/8{}.html", 3)
    del pages["/hole/8_2.html"]
    links = {
        "/long/7.html": "A long story about the bridge",
        "/two/8_2.html": "Another story, seen from its end",
        "/short.html": "A short story of one page",
        "/endless/7.html": "A tale without an end",
        "/hole/8.html": "A tale with a hole in the middle",
        "/once.html": "A story that is told once",
        "/harbour.html": "A story about the harbour",
    }
    pages["/"] = listing("News", links, more='<a rel="next" href="/page/2">Next page</a>')
    pages["/page/2"] = listing("News, page 2", {"/last.html": "The last story of the second list page"}, more='<a href="/">1</a>')
    pages |= {"/short.html": article("A short story of one page"), "/last.html": article("The last story of the second list page")}
    pages["/once.html"] = article("A story that is told once", links='<a href="/once.html?page=2">2</a>')
    pages["/harbour.html"] = article("A story about the harbour", links='<a href="/harbour_2.html">2</a>')
    pages["/harbour_2.html"] = article("Quite different: cats and dogs")
    with serve(pages) as site:
        items = {item["url"].removeprefix(site.url): item for item in crawl_seeds(site.url, tmp_path, "-s", "WEBCONTENT_JOIN_PAGES=4")}
    whole = {"/", "/last.html", "/long/7.html", "/page/2", "/short.html", "/two/8.html", "/once.html", "/harbour.html"}
    assert whole | {"/endless/7.html", "/hole/8.html"} == items.keys() - {"/harbour_2.html"}
    numbers = [line.split("page ")[1][0] for line in items["/long/7.html"]["body"].splitlines() if "page " in line]
    assert numbers == sorted(numbers)
    assert set(numbers) == {"1", "2", "3", "4"}
    assert len(numbers) == 4 * len(TEXTS)
    assert max(site.asked.count(path) for path in pages if path.startswith(("/long", "/two"))) <= 2
    assert {path for path, item in items.items() if "truncated" in item["flags"]} == {"/endless/7.html", "/hole/8.html"}
    assert "page 4," in items["/endless/7.html"]["body"]
    assert "page 5," not in items["/endless/7.html"]["body"]
    assert "page 1," in items["/hole/8.html"]["body"]
    assert items["/once.html"]["body"].count(TEXTS[0]) == 1
    assert "cats" not in items["/harbour.html"]["body"]


@pytest.mark.process
def test_other_spiders_assemble_with_the_setting(tmp_path: Path):
    """WEBCONTENT_JOIN_PAGES is 0 except in `seeds`."""
    assert Config().join_pages == 0
    with serve(pages_of("A long story about the bridge", "/long/7{}.html", 3)) as site:
        (tmp_path / "own.py").write_text(
            "import scrapy\nfrom webcontent import Page\n\n"
            f"class Own(scrapy.Spider):\n    name = 'own'\n    start_urls = ['{site.url}/long/7.html']\n"
            "    custom_settings = {'ADDONS': {'webcontent.Addon': 300}, 'WEBCONTENT_RENDER': False,"
            " 'TELNETCONSOLE_ENABLED': False, 'REMOTE_CONTROL_ENABLED': False}\n"
            "    def parse(self, response):\n        yield Page.from_response(response)\n"
        )
        done = scrapy("runspider", "own.py", "-O", "own.csv:csv", "-s", "WEBCONTENT_JOIN_PAGES=5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    body = (tmp_path / "own.csv").read_text(encoding="utf-8-sig")
    assert {number for number in "123" if f"page {number}," in body} == {"1", "2", "3"}
