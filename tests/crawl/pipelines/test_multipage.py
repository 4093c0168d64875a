"""Articles that continue on further pages are assembled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import TEXTS, article, crawl_seeds, listing, scrapy, serve
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
    """Each part comes once and in order, and no part is an item. An article is found from any of its pages. Listings are not assembled."""
    pages: dict[str, Any] = pages_of("A long story about the bridge", "/long/7{}.html", 4)
    pages |= pages_of("Another story in two parts", "/two/8{}.html", 2)
    pages["/"] = listing(
        "News",
        {
            "/long/7.html": "A long story about the bridge",
            "/two/8_2.html": "Another story, seen from its end",
            "/short.html": "A short story of one page",
        },
        more='<a rel="next" href="/page/2">Next page</a>',
    )
    pages["/page/2"] = listing("News, page 2", {"/last.html": "The last story of the second list page"}, more='<a href="/">1</a>')
    pages |= {"/short.html": article("A short story of one page"), "/last.html": article("The last story of the second list page")}
    with serve(pages) as site:
        items = {item["url"].removeprefix(site.url): item for item in crawl_seeds(site.url, tmp_path)}
    assert sorted(items) == ["/", "/last.html", "/long/7.html", "/page/2", "/short.html", "/two/8.html"]
    numbers = [line.split("page ")[1][0] for line in items["/long/7.html"]["body"].splitlines() if "page " in line]
    assert numbers == sorted(numbers)
    assert set(numbers) == {"1", "2", "3", "4"}
    assert len(numbers) == 4 * len(TEXTS)
    assert max(site.asked.count(path) for path in pages if path.startswith(("/long", "/two"))) <= 2


@pytest.mark.process
def test_the_number_of_pages_is_bounded_and_a_missing_page_is_flagged(tmp_path: Path):
    """The limit and a page that can't be fetched both leave the flag `truncated`."""
    pages: dict[str, Any] = {
        **pages_of("A story without an end", "/long/7{}.html", 6),
        **pages_of("A story with a hole", "/hole/8{}.html", 3),
    }
    del pages["/hole/8_2.html"]
    pages["/"] = listing("News", {"/long/7.html": "A story without an end", "/hole/8.html": "A story with a hole in the middle"})
    with serve(pages) as site:
        items = crawl_seeds(site.url, tmp_path, "-s", "WEBCONTENT_JOIN_PAGES=3")
    bodies = {item["title"]: item["body"] for item in items if item["type"] == "article"}
    assert "page 3," in bodies["A story without an end"]
    assert "page 4," not in bodies["A story without an end"]
    assert "page 1," in bodies["A story with a hole"]
    assert [item["flags"] for item in items if "story" in item["title"]] == [["truncated"]] * 2


@pytest.mark.process
def test_pages_of_another_text_are_not_merged(tmp_path: Path):
    """A URL with a number that leads to the same page or to a page of another title is no further page."""
    story = article("A story that is told once", links='<a href="/once.html?page=2">2</a>')
    other = article("A story about the harbour", links='<a href="/harbour_2.html">2</a>')
    pages: dict[str, Any] = {
        "/": listing("News", {"/once.html": "A story that is told once", "/harbour.html": "A story about the harbour"}),
        "/once.html": story,
        "/harbour.html": other,
        "/harbour_2.html": article("Quite different: cats and dogs"),
    }
    with serve(pages) as site:
        items = crawl_seeds(site.url, tmp_path)
    bodies = {item["title"]: item["body"] for item in items if item["type"] == "article"}
    assert bodies["A story that is told once"].count(TEXTS[0]) == 1
    assert "cats" not in bodies["A story about the harbour"]


@pytest.mark.process
def test_other_spiders_assemble_with_the_setting(tmp_path: Path):
    """WEBCONTENT_JOIN_PAGES is 0 except in `seeds`."""
    spider = tmp_path / "own.py"
    spider.write_text(
        "import scrapy\nfrom webcontent import Page\n\n"
        "class Own(scrapy.Spider):\n    name = 'own'\n    custom_settings = {'ADDONS': {'webcontent.Addon': 300}, 'WEBCONTENT_RENDER': False,"
        " 'TELNETCONSOLE_ENABLED': False, 'REMOTE_CONTROL_ENABLED': False}\n"
        "    def parse(self, response):\n        yield Page.from_response(response)\n"
    )
    with serve(pages_of("A long story about the bridge", "/long/7{}.html", 3)) as site:
        for count, parts in (("0", {"1"}), ("5", {"1", "2", "3"})):
            run = ("runspider", str(spider), "-a", f"start_urls={site.url}/long/7.html", "-s", f"WEBCONTENT_JOIN_PAGES={count}")
            text = spider.read_text().replace("name = 'own'", f"name = 'own'\n    start_urls = ['{site.url}/long/7.html']", 1)
            own = tmp_path / f"own{count}.py"
            own.write_text(text)
            done = scrapy("runspider", str(own), "-O", f"{tmp_path}/{count}.csv:csv", *run[4:], cwd=tmp_path)
            assert done.returncode == 0, done.stderr[-2000:]
            body = (tmp_path / f"{count}.csv").read_text(encoding="utf-8-sig")
            assert {number for number in "123" if f"page {number}," in body} == parts
