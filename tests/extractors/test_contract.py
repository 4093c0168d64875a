"""The contract that every name in the table of extractors keeps."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

import lxml.html
import numpy as np
import pytest

from webcontent.api import extract, extract_many
from webcontent.document.parsing import Document
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.extraction import LABELS, Extraction, Extractor, PageContext
from webcontent.extractors import TABLE, load_extractor
from webcontent.fields.body.selection import selected_body
from webcontent.fields.page_signals import PageSignals
from webcontent.items import ARTICLE, LIST, Article, Candidate, Entry, Listing, Page, PageType
from webcontent.pipeline import Options, check_options

URL = "https://example.org/news/story.html"
NAMES = sorted(TABLE)
WORDS = "the council said on Monday that it would build a new bridge over the river before the end of next year ".split()


def sentence(number: int, words: int = 30) -> str:
    return " ".join(WORDS[(number + i) % len(WORDS)] for i in range(words)).capitalize() + "."


STORY = (
    "<html><head><title>A new bridge</title></head><body><nav><a href='/'>Home</a> <a href='/news'>News</a></nav>"
    f"<main><article><h1>A new bridge</h1>{''.join(f'<p>{sentence(i, 40)}</p>' for i in range(8))}</article></main>"
    "<footer><p>Imprint and contact</p></footer></body></html>"
)
CARDS = "".join(
    f"<li class=item><h3><a href='/news/{i}.html'>{sentence(i, 9)}</a></h3><p class=lead>{sentence(i, 18)}</p><span>2024-03-{i + 1:02}</span></li>"
    for i in range(12)
)
FRONT = f"<html><head><title>News</title></head><body><nav><a href='/'>Home</a></nav><ul class=list>{CARDS}</ul></body></html>"

BAD_PAGES = {
    "nothing": b"",
    "blanks": b" \n\t ",
    "empty body": b"<html><body></body></html>",
    "no markup": b"just a line of text",
    "one letter": b"<p>x</p>",
    "NUL bytes": b"\x00" * 1000,
    "random bytes": bytes((i * 7919 + (i >> 3) * 104729) % 256 for i in range(20_000)),
    "a PNG": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89",
    "a PDF": b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n\xe2\xe3\xcf\xd3",
    "XML": b"<?xml version='1.0'?><rss><channel><item><title>t</title><link>http://example.org/</link></item></channel></rss>",
    "only scripts": b"<script>document.write('x')</script><div id=root></div>",
    "only links": b"<a href=/a>a</a>" * 500,
    "only breaks": b"<br>" * 5000,
    "only pictures": b"<img src=a.png>" * 1000,
    "deep": b"<div>" * 3000 + b"x" + b"</div>" * 3000,
    "deep lists": b"<ul><li>x" * 800,
    "never closed": b"<div><p><table><tr><td><a href='x'>" * 100,
    "same class": b"<p class=x>one</p>" * 3000,
    "huge attribute": b"<p class='" + b"x " * 100_000 + b"'>text</p>",
    "one long line": b"<p>" + b"word " * 100_000,
    "hostile links": b"".join(
        b"<li><a href='%s'>link text here</a></li>" % href
        for href in (b"http://[", b"javascript:x", b"//", b"http://a:b", b"?", b"data:,") * 5
    ),
}


def document_of(html: str | bytes) -> Document:
    return Document.from_page(Page(url=URL, html=html))


def context_of(page_type: str) -> PageContext:
    return PageContext(page_type=PageType(page_type, "article" if page_type == ARTICLE else "listing", 1.0))


@pytest.fixture(params=NAMES)
def extractor(request: pytest.FixtureRequest) -> Extractor:
    return load_extractor(request.param)


def test_it_has_a_name_and_says_what_it_needs(extractor: Extractor) -> None:
    """The name is that of the table; needs are of those that a crawl can get."""
    assert TABLE[extractor.name].endswith(type(extractor).__name__)
    assert isinstance(extractor.needs, frozenset)
    assert extractor.needs <= {"boxes", "screenshot", "reference_page"}
    assert load_extractor(extractor.name) is extractor


def check(extraction: Extraction, document: Document) -> None:
    """What holds for every extraction."""
    count = len(document.blocks)
    assert isinstance(extraction.body, str)
    assert isinstance(extraction.body_html, str)
    assert extraction.score is None or 0.0 <= extraction.score <= 1.0
    if extraction.labels is not None:
        assert extraction.labels.shape == (count,)
        assert extraction.labels.dtype == np.int8
        assert not count or 0 <= extraction.labels.min() <= extraction.labels.max() < len(LABELS)
    if extraction.scores is not None:
        assert extraction.scores.shape == (count,)
        assert extraction.scores.dtype == np.float32
        assert not count or (extraction.scores.min() >= 0 and extraction.scores.max() <= 1)
    for entry in extraction.entries or ():
        assert isinstance(entry, Entry)
        assert entry.url.startswith(("http://", "https://"))
    for candidates in extraction.fields.values():
        assert all(isinstance(candidate, Candidate) for candidate in candidates)


@pytest.mark.parametrize("name", BAD_PAGES)
def test_no_page_makes_it_raise(name: str) -> None:
    """Whatever bytes came in and whatever they were taken for: an extraction in its form."""
    document = document_of(BAD_PAGES[name])
    for extractor in map(load_extractor, NAMES):
        for page_type in (ARTICLE, LIST):
            check(extractor(document, context_of(page_type)), document)


def test_an_empty_page_has_an_empty_body(extractor: Extractor) -> None:
    """No text comes out of nothing."""
    for page_type in (ARTICLE, LIST):
        extraction = extractor(document_of(b""), context_of(page_type))
        assert extraction.body == ""
        assert extraction.body_html == ""
        assert not extraction.entries


def test_an_article_keeps_its_paragraphs(extractor: Extractor) -> None:
    """The story's paragraphs are lines of the body, the menu and the footer are not in it."""
    document = document_of(STORY)
    extraction = extractor(document, context_of(ARTICLE))
    check(extraction, document)
    lines = extraction.body.split("\n")
    assert [sentence(i, 40) for i in range(8)] == [line for line in lines if line.startswith(tuple(sentence(i, 40) for i in range(8)))]
    assert "Imprint" not in extraction.body
    assert "Home" not in extraction.body


def test_a_list_page_has_its_records(extractor: Extractor) -> None:
    """Where the method gives entries they are the page's records; else the fields find them."""
    document = document_of(FRONT)
    extraction = extractor(document, context_of(LIST))
    check(extraction, document)
    if extraction.entries is not None:
        assert [entry.url for entry in extraction.entries] == [f"https://example.org/news/{i}.html" for i in range(12)]


@pytest.fixture(scope="module")
def long_document() -> Document:
    paragraphs = "".join(f"<p class=c{i % 7}>{sentence(i, 12)} <a href='/{i}'>link</a></p>" for i in range(20_000))
    return document_of(f"<body><main>{paragraphs}</main></body>")


@pytest.mark.parametrize("page_type", [ARTICLE, LIST])
def test_20000_blocks_are_read(extractor: Extractor, page_type: str, long_document: Document) -> None:
    """A long page is no reason to give up: its text comes out."""
    assert len(long_document.blocks) == 20_000
    extraction = extractor(long_document, context_of(page_type))
    check(extraction, long_document)
    assert extraction.body


def plain(extraction: Extraction) -> str:
    values = asdict(extraction)
    for name in ("labels", "scores"):
        values[name] = None if values[name] is None else values[name].tolist()
    return json.dumps(values, default=sorted)


@pytest.mark.parametrize(("html", "page_type"), [(STORY, ARTICLE), (FRONT, LIST), (FRONT, ARTICLE), (STORY, LIST)])
def test_the_same_page_gives_the_same_extraction(extractor: Extractor, html: str, page_type: str) -> None:
    """Twice over one document, and over another one of the same page."""
    document, context = document_of(html), context_of(page_type)
    first = plain(extractor(document, context))
    assert plain(extractor(document, context)) == first
    assert plain(extractor(document_of(html), context)) == first


def test_it_changes_nothing_that_it_was_given(extractor: Extractor) -> None:
    """The tree, the blocks and the page are as before."""
    document = document_of(STORY)
    before = lxml.html.tostring(document.root), list(document.blocks.texts), pickle.dumps(document.page)
    extractor(document, context_of(ARTICLE))
    assert (lxml.html.tostring(document.root), list(document.blocks.texts), pickle.dumps(document.page)) == before


def test_threads_share_it(extractor: Extractor) -> None:
    """What eight threads make of two pages at once is what one makes."""
    pages = [(STORY, ARTICLE), (FRONT, LIST)] * 16

    def extracted(page: tuple[str, str]) -> str:
        return plain(extractor(document_of(page[0]), context_of(page[1])))

    alone = [extracted(page) for page in pages[:2]]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(extracted, pages))
    assert together == alone * 16


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("html", [STORY, FRONT, b""], ids=["story", "front", "nothing"])
def test_the_item_can_be_pickled_and_written_as_json(name: str, html: str | bytes) -> None:
    """As queues, feeds and process pools do with it."""
    item = extract(html, url=URL, extractor=name)
    assert isinstance(item, (Article, Listing))
    assert item.extractor == name
    assert pickle.loads(pickle.dumps(item)) == item
    assert json.loads(json.dumps(asdict(item)))["url"] == URL


UNSAFE = (
    "<html><body><article>"
    + "".join(
        f"<p onclick='x()' style='background:url(javascript:x)'>{sentence(i)} <a href='{href}' onmouseover=x()>{sentence(i, 3)}</a>"
        f"<img src='{href}' onerror=x()><script>steal()</script><iframe src='{href}'></iframe> &lt;script&gt;x()&lt;/script&gt;</p>"
        for i, href in enumerate(
            [
                "javascript:x()",
                "JaVaScRiPt:x()",
                " javascript:x()",
                "java\tscript:x()",
                "data:text/html,x",
                "vbscript:x",
                "/good",
                'https://example.org/"><b>',
            ]
        )
    )
    + "<form action='javascript:x'><input onfocus=x><button formaction='javascript:x'>b</button></form></article></body></html>"
)
"""A story that attacks who shows it."""
ATTRIBUTES = {"href", "src", "alt", "colspan", "rowspan", "title"}


def html_of(extractor: Extractor, document: Document) -> str:
    """The cleaned HTML of an extraction as the item has it."""
    extraction = extractor(document, context_of(ARTICLE))
    return selected_body(PageSignals(document, extraction), extraction, find_constructs(document), "article")[1]


def test_body_html_is_safe_to_show(extractor: Extractor) -> None:
    """No script, no handler, no style, no link but http and https; what looked like markup stays text."""
    cleaned = html_of(extractor, document_of(UNSAFE))
    assert "&lt;script&gt;" in cleaned
    for node in lxml.html.fromstring(f"<div>{cleaned}</div>").iter():
        assert node.tag not in ("script", "style", "iframe", "form", "input", "button", "object", "svg", "base", "link", "meta")
        assert set(node.attrib) <= ATTRIBUTES
        for name in ("href", "src"):
            assert (node.get(name) or "https://").startswith(("http://", "https://"))


def test_body_html_says_what_the_body_says(extractor: Extractor) -> None:
    """The cleaned HTML has the body's text, no more and no less."""
    document = document_of(STORY)
    shown = lxml.html.fromstring(f"<div>{html_of(extractor, document)}</div>").text_content()
    assert "".join(shown.split()) == "".join(extractor(document, context_of(ARTICLE)).body.split())


def test_an_unknown_name_lists_the_known_ones() -> None:
    """Without advice that serves only crawls."""
    with pytest.raises(ValueError, match=f"^No extractor is named 'awc'. There are: {', '.join(NAMES)}.$"):
        extract(STORY, extractor="awc")


def test_a_users_own_extractor_is_loaded_by_its_path() -> None:
    """Additions stand beside the table; a path that leads nowhere is named."""
    assert load_extractor("mine", {"mine": "webcontent.extractors.awce.extractor:Awce"}).name == "awce"
    with pytest.raises(ValueError, match="no_such_module"):
        load_extractor("mine", {"mine": "no_such_module:Thing"})
    with pytest.raises(TypeError, match="'math:pi' is float, which can't be called"):
        load_extractor("mine", {"mine": "math:pi"})


class Longest:
    """An extractor that is not finished."""

    name = "longest"

    def __call__(self, document: Document) -> None:
        """Returns nothing."""


def returns_text(document: Document) -> str:
    return "\n".join(document.blocks.texts)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Longest, r"extractor is the class Longest; it takes a name, a callable such as Longest\(\), or None"),
        (returns_text, "The extractor function returned str; it must return a webcontent.extraction.Extraction"),
        (lambda document: None, "The extractor function returned NoneType"),
        (Longest(), "The extractor longest returned NoneType"),
    ],
    ids=["class", "text", "nothing", "object"],
)
def test_a_wrong_extractor_is_an_error(wrong: Any, message: str) -> None:
    """No page gives an empty item because of it, whichever page it is."""
    for html in (STORY, FRONT, b""):
        with pytest.raises(TypeError, match=message):
            extract(html, extractor=wrong)
    with pytest.raises(TypeError, match=message):
        list(extract_many([Page(url=URL, html=STORY)], extractor=wrong))
    with pytest.raises(TypeError, match=message):
        check_options(Options(extractor=wrong))
