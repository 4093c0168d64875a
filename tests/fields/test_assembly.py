"""Fields, evidence and figures of a whole item; and input that means harm."""

from __future__ import annotations

import json

import pytest

from tests.fields.pages import CHINESE, ENGLISH, FETCHED, URL, article_of, listing_of
from webcontent.document.parsing import Document
from webcontent.extraction import LABELS, Extraction
from webcontent.fields.assembly import assemble
from webcontent.fields.language import language_of
from webcontent.fields.page_signals import BODY
from webcontent.items import Candidate, Entry, Page, PageType

ARTICLE = PageType("article", "article", 0.9)
TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


def test_the_label_of_the_body_is_the_extractors() -> None:
    """`fields` stands below `extractors`, so it holds the number itself."""
    assert LABELS[BODY] == "body"


def test_what_the_extraction_says_wins_and_the_rest_is_filled_in() -> None:
    """Both stand in the evidence."""
    extraction = Extraction(body="Text.", fields={"title": [Candidate("Its own title", "method", "/html", 0.5)]}, score=0.8)
    item = assemble(Document.from_page(Page(url=URL, html=TITLE + ENGLISH, fetched_at=FETCHED)), ARTICLE, extraction, "method")
    assert (item.title, item.extractor, item.kind, item.page_type_score) == ("Its own title", "method", "article", 0.9)
    assert [candidate.value for candidate in item.evidence["title"]][:2] == ["Its own title", "Ice stops the ferry"]


def test_entries_of_the_extraction_are_kept() -> None:
    """An empty list says that there are none; None, that the method looks for none."""
    entries = [Entry("A story", "https://news.example/a")]
    page = Page(url=URL, html=ENGLISH)
    item = assemble(Document.from_page(page), PageType("list", "listing", 0.9), Extraction(entries=entries), "method")
    assert item.entries == entries  # type: ignore[union-attr]


def test_an_item_without_text_is_empty() -> None:
    """Score 0 and a flag."""
    item = article_of("")
    assert (item.score, item.flags, item.title, item.fingerprint) == (0.0, ["empty"], None, None)


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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (CHINESE, "zh"),
        (ENGLISH, "en"),
        ("Die Fähre über den Sund fiel am dritten Tag aus, weil das Eis nicht weichen wollte und der Rumpf alt ist.", "de"),
        ("Le bac a été annulé pour la troisième journée parce que la glace ne voulait pas céder sur la rive.", "fr"),
        ("海峡の渡し船は三日続けて欠航となった。氷がまだ解けないためである。", "ja"),
        ("얼음이 아직 녹지 않아 해협을 건너는 배가 사흘째 운항하지 못했다.", "ko"),
        ("Паром через пролив отменён третий день подряд, потому что лёд не отступает.", "ru"),
        ("Пором через протоку скасовано третій день поспіль, бо крига ще не відступає від берега.", "uk"),
        ("العبارة ملغاة لليوم الثالث لأن الجليد لم يذب بعد على الشاطئ البعيد", "ar"),
        ("1 2 3", None),
        ("", None),
    ],
)
def test_the_language_is_that_of_the_text(text: str, language: str | None) -> None:
    """By script, among Latin ones by the commonest words."""
    assert language_of(text)[0] == language


def test_a_template_s_wrong_language_is_overruled_by_the_text() -> None:
    """Chinese pages made from English templates say lang=en."""
    assert article_of(f"<html lang=en>{CHINESE}").language == "zh"


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
