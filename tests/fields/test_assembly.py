"""Fields and evidence of a whole item; and hostile input."""

from __future__ import annotations

import json

import pytest

from tests.fields.pages import ENGLISH, FETCHED, URL, article_of, listing_of
from webcontent import extract
from webcontent.document.parsing import Document
from webcontent.extraction import Extraction, PageContext
from webcontent.fields.assembly import assemble
from webcontent.items import Candidate, Entry, Listing, Page, PageType

ARTICLE = PageContext(page_type=PageType("article", "article", 0.9))
LIST = PageContext(page_type=PageType("list", "listing", 0.9))
TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


def test_candidates_of_the_extraction_win_and_the_rest_is_filled_in() -> None:
    """Both stand in the evidence."""
    extraction = Extraction(body="Text.", fields={"title": [Candidate("Its own title", "method", "/html", 0.5)]}, score=0.8)
    item = assemble(Document.from_page(Page(url=URL, html=TITLE + ENGLISH, fetched_at=FETCHED)), ARTICLE, extraction, "method")
    assert (item.title, item.extractor, item.kind, item.page_type_score) == ("Its own title", "method", "article", 0.9)
    assert [candidate.value for candidate in item.evidence["title"]][:2] == ["Its own title", "Ice stops the ferry"]


def test_entries_of_the_extraction_are_kept() -> None:
    """An empty list means that there are none; None, that the method looks for none."""
    entries = [Entry("A story", "https://news.example/a")]
    page = Page(url=URL, html=ENGLISH)
    for records in (entries, []):
        item = assemble(Document.from_page(page), LIST, Extraction(entries=records), "method")
        assert isinstance(item, Listing)
        assert item.entries == records


def test_an_item_without_text_is_empty() -> None:
    """Score 0 and a flag."""
    item = article_of("")
    assert (item.score, item.flags, item.title, item.fingerprint) == (0.0, ["empty"], None, None)


@pytest.mark.parametrize(
    ("given", "score"), [(None, 0.5), (0.0, 0.0), (0.0001, 0.0001), (0.8, 0.8), (-1.0, 0.0), (2.0, 1.0), (float("nan"), 0.0)]
)
def test_the_score_is_that_of_the_extraction(given: float | None, score: float) -> None:
    """From 0 to 1; one half where the method gives none."""
    assert assemble(Document.from_page(Page(html=ENGLISH)), ARTICLE, Extraction(body="Text.", score=given), "method").score == score


RECORDS = "".join(
    f'<article><h2><a href="/story/{n}.html">Headline number {n} about something that happened in town</a></h2>'
    f"<p>What story number {n} is about, in a sentence that says more than its headline.</p></article>"
    for n in range(1, 9)
)


DATED = "".join(
    f'<article><h2><a href="/story/{n}.html">Headline number {n} about something that happened in town</a></h2>'
    f"<p>By Mary Poe | May {n}, 2024</p><p>What story number {n} is about, in a sentence that says more.</p></article>"
    for n in range(1, 9)
)
HEAD = f"{TITLE}<p>By Jane Doe | May 1, 2024</p>"


def test_an_article_that_is_taken_for_a_list_keeps_its_fields() -> None:
    """A wrong type loses no time, authors and images."""
    item = listing_of(f'<meta property="og:image" content="/ice.jpg">{HEAD}{ENGLISH}<main>{RECORDS}</main>', score=0.9)
    assert (item.time, item.authors, len(item.entries)) == ("2024-05-01", ["Jane Doe"], 8)
    assert [image.url for image in item.images] == ["https://news.example/ice.jpg"]


def test_a_list_has_not_the_time_and_authors_of_its_entries() -> None:
    """A day that an entry has is the entry's, and so is a name inside of the records."""
    item = listing_of(f"<title>The Harbour Courier</title><main>{DATED}</main>", score=0.9)
    assert [entry.time for entry in item.entries] == [f"2024-05-0{n}" for n in range(1, 9)]
    assert (item.time, item.modified, item.authors, item.source) == (None, None, [], None)


@pytest.mark.parametrize(("dated", "time"), [(1, "2024-05-03"), (2, None)])
def test_a_list_with_one_dated_story_keeps_its_date(dated: int, time: str | None) -> None:
    """The dates of several entries are theirs."""
    dates = ["<p class=date>3 May 2024</p>" if number < dated else "" for number in range(6)]
    records = "".join(
        f"<article><h2><a href=/{number}>A long headline of the harbour, number {number}</a></h2>{date}</article>"
        for number, date in enumerate(dates)
    )
    item = listing_of(f"<title>The Harbour Courier</title><main>{records}</main>", score=0.9)
    assert [entry.time for entry in item.entries] == ["2024-05-03"] * dated + [None] * (6 - dated)
    assert item.time == time


def test_a_certain_list_is_not_searched_for_fields_of_an_article() -> None:
    """The search takes time and would find nothing."""
    item = listing_of(f"{HEAD}<main>{RECORDS}</main>", score=0.995)
    assert not {"time", "modified", "source", "authors"} & set(item.evidence)


@pytest.mark.parametrize(("score", "count"), [(0.7, 8), (0.95, 0)])
def test_an_article_that_may_be_a_list_has_entries(score: float, count: int) -> None:
    """A certain article has none: links to other texts are related links there."""
    assert len(article_of(f"{HEAD}<main>{RECORDS}</main>", score=score).entries) == count


def test_a_list_has_not_the_title_of_its_first_entry() -> None:
    """The page has no heading of its own, and the headings of the entries are larger than all other text."""
    listing = listing_of(f"<title>Home - The Harbour Courier</title><main>{RECORDS}</main>")
    assert len(listing.entries) == 8
    assert listing.title in ("Home - The Harbour Courier", "The Harbour Courier")


def test_a_list_keeps_a_heading_that_is_also_an_entry() -> None:
    """A section may be linked in its own list."""
    heading = "Headline number 3 about something that happened in town"
    assert listing_of(f"<title>The Harbour Courier</title><h1>{heading}</h1><main>{RECORDS}</main>").title == heading


def test_a_page_that_was_not_classified_is_an_article() -> None:
    """`PageContext.page_type` may be None."""
    item = assemble(Document.from_page(Page(url=URL, html=TITLE + ENGLISH)), PageContext(), Extraction(body="Text."), "method")
    assert (type(item).__name__, item.kind) == ("Article", "article")


def test_modified_canonical_language_and_images() -> None:
    """From their usual places."""
    html = f"""<html lang=en><link rel=canonical href=/ice><meta property="og:image" content="/ice.jpg"><meta property="og:image:width" content="1200">
    <meta property="article:modified_time" content="2024-05-07T10:00:00Z">{TITLE}{ENGLISH}<figure><img data-src=/hull.jpg src="data:,"><figcaption>The hull</figcaption></figure>{ENGLISH}"""
    item = article_of(html)
    assert (item.modified, item.canonical_url, item.language) == ("2024-05-07T10:00:00+00:00", "https://news.example/ice", "en")
    assert [(image.url, image.caption, image.width) for image in item.images] == [
        ("https://news.example/ice.jpg", None, 1200),
        ("https://news.example/hull.jpg", "The hull", None),
    ]


JSON = [
    '{"@type": "NewsArticle", "headline": {"@value": 3}, "author": 5, "datePublished": ["x", {}], "image": {"url": []}, "publisher": "x"}',
    '{"@type": ["NewsArticle", 4, null], "headline": ["a", ["b"]], "author": [[[[["x"]]]]], "datePublished": 20240305, "image": 7}',
    '{"@type": {"a": 1}, "@id": [], "author": {"@id": {}}, "publisher": {"@id": "#p"}, "mainEntityOfPage": {"@id": 9}, "inLanguage": {}}',
    '{"@graph": [{"@type": "Article", "author": {"@id": "#a"}}, {"@id": "#a", "@type": "Person", "name": {"@id": "#a"}}]}',
    '{"@type": "Article", "datePublished": "2024-13-45", "dateModified": "9999-99-99", "author": {"name": "' + "x" * 100_000 + '"}}',
    '{"@type": "Article", "headline": "\\ud800", "author": "\\ud800\\ud800"}',
]


@pytest.mark.parametrize(
    "html", [f'<script type="application/ld+json">{text}</script>{TITLE}{ENGLISH}' for text in JSON], ids=range(len(JSON))
)
def test_json_ld_of_wrong_types_is_survived(html: str) -> None:
    """What is readable is read: the title stands on the page."""
    item = article_of(html)
    assert item.title == "Ice stops the ferry"
    json.dumps([str(candidate.value) for candidates in item.evidence.values() for candidate in candidates])


def test_the_day_of_a_change_is_not_that_of_the_first_post() -> None:
    """Where the page declares both, and its first post shows the change."""
    text = "The queue stops when a worker does not answer, and nobody knows which one it was, so we restart all of them. "
    people = "".join(
        f'<div class="comment"><a class="hnuser" href="user?id={name}">{name}</a><p>{text}</p></div>' for name in ("carl", "emmy")
    )
    item = extract(
        '<meta property="article:published_time" content="2026-03-01T08:00:00">'
        '<meta property="article:modified_time" content="2026-03-02T10:14:00">'
        '<title>How do you stop a queue?</title><table class="fatitem"><tr class="athing"><td><h1>How do you stop a queue?</h1>'
        '<tr><td>by <a href="user?id=ada" class="hnuser">ada</a> <span class="age" title="2026-03-02T10:14:00">3 hours ago</span>'
        f"<tr><td><p>{text * 2}</p></table>{people}",
        url="https://forum.example/item?id=1",
    )
    assert (item.time, item.modified, item.authors) == ("2026-03-01T08:00:00", "2026-03-02T10:14:00", ["ada"])


@pytest.mark.parametrize(
    "html",
    [
        "<time datetime='" + "9" * 10_000 + "'></time>",
        "<h1>" + "x" * 100_000 + "</h1>",
        "<title>" + "a | " * 10_000 + "</title>",
        "<p>" + "2024-01-" * 5_000 + "</p>",
        "".join(f"<a href='http://[{n}'>A link that nobody can follow {n}</a>" for n in range(50)),
        "<a href='javascript:alert(1)'>Next</a><a href='data:text/html,x'>下一页</a>",
        "<h3>Related</h3>" * 500 + "<a href=/a>The other story</a>",
        "<ul>" + "<li><a href=/x>The same address again</a></li>" * 3_000 + "</ul>",
        "<div>" * 300 + "<a href=/x>Deep below everything</a>",
        "<meta name=author content='" + "By and , " * 20_000 + "'>",
        "<html lang='" + "x" * 10_000 + "'><p>" + "作者：" * 3_000,
        "<link rel=canonical href='http://[::bad'><link rel=next href='//'>",
    ],
    ids=range(12),
)
def test_hostile_pages_give_an_item(html: str) -> None:
    """Of either type, and nothing that is no web address."""
    item, listing = article_of(html + TITLE), listing_of(html + TITLE)
    addresses = [link.url for link in item.related] + [entry.url for entry in listing.entries] + [listing.next_page or "https:"]
    assert all(address.startswith(("https:", "http:")) for address in addresses)


def test_paths_hold_no_control_characters():
    """An element's name may hold one."""
    evidence = article_of(f"<div><x\x85y><h1>Ice stops the ferry</h1>{ENGLISH}</x\x85y></div>").evidence
    paths = [candidate.xpath for candidates in evidence.values() for candidate in candidates if candidate.xpath]
    assert any("/xy/" in path for path in paths)
    assert not any("\x85" in path for path in paths)
