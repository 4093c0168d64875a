"""Bytes to Document: broken markup, what is cut, what a page declares."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from webcontent.document.parsing import Document, load_json
from webcontent.items import Page


def document_of(html: bytes | str, **more: object) -> Document:
    return Document.from_page(Page(html=html, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        (b"", []),
        ("", []),
        (b" \n\t ", []),
        (b"\x00\x00\x00", []),
        (b"<p>a\x00b\x0bc</p>", ["abc"]),
        ("<p>a\x00b</p>", ["ab"]),
        ("<p>a&#0;b&#x1;c&#11;d</p>", ["abcd"]),
        ("<p>a&#150;b&#x92;c&#160;d&#999;e</p>", ["a–b’c dϧe"]),
        ("<p>lone \ud83d surrogate</p>", ["lone ? surrogate"]),
        (b"no markup at all", ["no markup at all"]),
        (b"<p>unclosed", ["unclosed"]),
        (b"<p", []),
        (b"</html><p>after the end</p>", ["after the end"]),
        (b"<?xml version='1.0' encoding='utf-8'?><rss><item><title>t</title></item></rss>", ["t"]),
        ("<?xml version='1.0' encoding='utf-16'?><p>declared in a string</p>", ["declared in a string"]),
        (b"<!DOCTYPE html [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><p>&b;</p>", ["]>", "&b;"]),
        (b"<frameset><frame src=x></frameset>", []),
        (b"<body><p>one</body><body><p>two</body>", ["one", "two"]),
        (b"<!-- never closed <p>x</p>", []),
    ],
)
def test_any_bytes_give_a_tree(html: bytes | str, texts: list[str]) -> None:
    """The root is always an html element, and nothing raises."""
    document = document_of(html)
    assert document.root.tag == "html"
    assert document.blocks.texts == texts


def test_an_html_page_inside_xml_declares_its_encoding() -> None:
    """XHTML with a prolog is read like HTML."""
    html = '<?xml version="1.0" encoding="gbk"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>中文网页</p></body></html>'
    assert document_of(html.encode("gbk")).blocks.texts == ["中文网页"]


def test_deep_markup_loses_its_tags_not_its_text() -> None:
    """100,000 nested elements: libxml2 gives up at 2,048, so all but a thousand go and the flag says so."""
    document = document_of("<div>" * 100_000 + "the text" + "</div>" * 100_000 + "<p>and after</p>")
    assert document.blocks.texts == ["the text", "and after"]
    assert document.blocks.xpath(0).count("/div") == 1000
    assert "truncated" in document.flags


@pytest.mark.parametrize("count", [6_000_000, 6_000_001])
def test_what_is_longer_than_is_read_is_cut_and_flagged(count: int) -> None:
    """Both as a string and as bytes."""
    html = f"<p>{'x' * (count - 3)}"
    for document in (document_of(html), document_of(html.encode())):
        assert sum(document.blocks.chars) == 6_000_000 - 3
        assert ("truncated" in document.flags) is (count > 6_000_000)


@pytest.mark.parametrize(
    ("href", "absolute"),
    [
        ("c.html", "https://example.org/a/c.html"),
        (" /c ", "https://example.org/c"),
        ("//cdn.example.org/x", "https://cdn.example.org/x"),
        ("?q=1", "https://example.org/a/b.html?q=1"),
        ("http://[::1", None),
        ("http://example.org:port/", None),
        ("javascript:alert(1)", None),
        ("JAVASCRIPT:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("data:text/html,x", None),
        ("mailto:a@example.org", None),
        ("file:///etc/passwd", None),
        ("#top", None),
        ("", None),
        (None, None),
        ("http://", None),
        ("\ud800", "https://example.org/a/\ud800"),
    ],
)
def test_only_web_addresses_become_absolute(href: str | None, absolute: str | None) -> None:
    """None for scripts, data, mail, files, fragments and what no parser takes."""
    assert document_of("", url="https://example.org/a/b.html").absolute(href) == absolute


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("<base href='/root/'>", "https://example.org/root/x"),
        ("<base href='https://other.example/'>", "https://other.example/x"),
        ("<base href='javascript:x'>", "https://example.org/a/x"),
        ("<base href='http://[bad'>", "https://example.org/a/x"),
        ("<base target='_blank'>", "https://example.org/a/x"),
    ],
)
def test_links_stand_on_the_pages_base(base: str, expected: str) -> None:
    """A base that is no web address is not believed."""
    assert document_of(f"<head>{base}</head>", url="https://example.org/a/b.html").absolute("x") == expected


def test_without_an_address_relative_links_stay() -> None:
    """There is nothing that they could be made absolute with."""
    document = document_of("<p>x</p>")
    assert document.absolute("a/b.html") == "a/b.html"
    assert document.absolute("https://example.org/x") == "https://example.org/x"
    assert document.absolute("javascript:x") is None


def test_meta_tags_are_gathered_in_page_order() -> None:
    """By name, property, itemprop or http-equiv in lower case."""
    html = "<meta property='og:Title' content=' a '><meta name=author content=b><meta name=author content=c><meta name=empty content=' '>"
    assert document_of(html).meta == {"og:title": ["a"], "author": ["b", "c"]}


@pytest.mark.parametrize(
    ("script", "types"),
    [
        ('{"@type": "NewsArticle"}', ["NewsArticle"]),
        ('[{"@type": "A"}, {"@type": "B", "x": {"@type": "C"}}]', ["A", "B", "C"]),
        ('{"@graph": [{"@type": "A"}, {"@type": "B"}]}', ["A", "B"]),
        ('{"@type": "A",}', ["A"]),
        ('<![CDATA[ {"@type": "A"} ]]>', ["A"]),
        ('<!-- {"@type": "A"} -->', ["A"]),
        ('{"@type": "A"};', ["A"]),
        ('{"@type": "A", "text": "line\nbreak"}', ["A"]),
        ('{"@type": "A"', []),
        ('"text"', []),
        ("null", []),
        ("", []),
        ("[1, [2, [null]]]", []),
        ('{"@type": ["A", 5], "name": NaN}', [["A", 5]]),
        ("[" * 50_000 + "]" * 50_000, []),
        ('{"@type": "A", "a": ' * 50_000 + "1" + "}" * 50_000, []),
    ],
)
def test_json_ld_is_opened(script: str, types: list[object]) -> None:
    """Every object with a type, outer before inner; what can't be read gives none."""
    document = document_of(f'<script type="application/ld+json">{script}</script>')
    assert [found.get("@type") for found in document.json_ld] == types


def test_json_ld_is_bounded() -> None:
    """A huge list is cut, a huge text is not read."""
    many = document_of('<script type="application/ld+json">[' + ",".join(['{"@type":"A"}'] * 50_000) + "]</script>")
    assert len(many.json_ld) == 2000
    assert load_json('"' + "x" * 1_000_001 + '"') is None


def test_json_ld_in_wide_trees_takes_time_in_proportion() -> None:
    """20,000 small objects are gone through once."""
    started = time.process_time()
    document_of('<script type="application/ld+json">[' + ",".join(['{"a":{}}'] * 20_000) + "]</script>").json_ld  # noqa: B018
    assert time.process_time() - started < 20


def test_the_title_is_that_of_the_head() -> None:
    """White space collapsed; a title inside an SVG comes later and does not count."""
    assert document_of("<title>\n a  b </title><svg><title>icon</title></svg>").title == "a b"
    assert document_of("<p>none</p>").title is None


def test_a_document_may_be_read_by_several_threads() -> None:
    """What is computed on first use comes out the same."""
    document = document_of("<div>" + "<p>text</p>" * 500 + "</div>")
    with ThreadPoolExecutor(8) as pool:
        counts = set(pool.map(lambda _: len(document.blocks), range(32)))
    assert counts == {500}
