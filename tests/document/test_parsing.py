"""Bytes to Document: encodings, what is cut, what a page declares."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from webcontent.document import parsing
from webcontent.document.parsing import Document, decode, load_json
from webcontent.items import Page

CHINESE = "<html><head>{}</head><body><p>新闻正文：今天上午，市政府召开会议，讨论道路建设的计划。</p></body></html>"
TRADITIONAL = "<html><head>{}</head><body><p>新聞內容：今天上午，市政府召開會議，討論道路建設的計畫。</p></body></html>"
JAPANESE = "<html><head>{}</head><body><p>これは日本語の記事です。今日は東京で会議が行われました。</p></body></html>"
KOREAN = "<html><head>{}</head><body><p>이것은 한국어 기사입니다. 오늘 서울에서 회의가 열렸습니다.</p></body></html>"
FRENCH = "<html><head>{}</head><body><p>L’été à Orléans — déjà près de 40 € la journée, où ça ?</p></body></html>"


def document_of(html: bytes | str, **more: object) -> Document:
    return Document.from_page(Page(html=html, **more))  # type: ignore[arg-type]


def declared(page: str, encoding: str) -> str:
    return page.format(f'<meta charset="{encoding}">')


@pytest.mark.parametrize(
    ("page", "stored_as", "meta", "header"),
    [
        (CHINESE, "utf-8", None, None),
        (CHINESE, "utf-8", "utf-8", None),
        (CHINESE, "utf-8", "gb2312", None),
        (CHINESE, "utf-8", None, "text/html; charset=gbk"),
        (CHINESE, "utf-8-sig", "gbk", None),
        (CHINESE, "gb18030", "gb2312", None),
        (CHINESE, "gb18030", "utf-8", None),
        (CHINESE, "gb18030", None, None),
        (CHINESE, "gb18030", None, "text/html; charset=utf-8"),
        (CHINESE, "gb18030", "no-such-encoding", None),
        (CHINESE, "utf-16", None, None),
        (CHINESE, "utf-16-le", "utf-16", None),
        (CHINESE, "utf-16-be", None, None),
        (TRADITIONAL, "big5", "big5", None),
        (TRADITIONAL, "big5", "utf-8", None),
        (JAPANESE, "shift_jis", "shift_jis", None),
        (JAPANESE, "shift_jis", "utf-8", None),
        (JAPANESE, "euc_jp", "euc-jp", None),
        (JAPANESE, "iso2022_jp", "iso-2022-jp", None),
        (KOREAN, "euc_kr", "euc-kr", None),
        (KOREAN, "euc_kr", "utf-8", None),
        (FRENCH, "cp1252", "iso-8859-1", None),
        (FRENCH, "cp1252", None, "text/html; charset=windows-1252"),
        (FRENCH, "utf-8", "iso-8859-1", None),
    ],
)
def test_text_is_read_whatever_is_declared(page: str, stored_as: str, meta: str | None, header: str | None) -> None:
    """Bytes that are valid UTF-8 are UTF-8; else the declaration counts if it fits, else the bytes decide."""
    html = declared(page, meta) if meta else page.format("")
    headers = {"content-type": header} if header else {}
    document = document_of(html.encode(stored_as), headers=headers)
    assert document.blocks.texts == [page.partition("<p>")[2].partition("</p>")[0]]


def test_a_wrong_declaration_is_flagged() -> None:
    """The item says that the encoding had to be guessed."""
    assert "bad-encoding" in document_of(declared(CHINESE, "utf-8").encode("gb18030")).flags
    assert "bad-encoding" not in document_of(declared(CHINESE, "gbk").encode("gb18030")).flags


def test_a_few_bad_bytes_do_not_change_the_encoding() -> None:
    """A cut character at the end of a read is no reason to doubt a page's encoding."""
    html = declared(CHINESE, "utf-8").encode() + "建".encode()[:2]
    text, encoding, fits = decode(html)
    assert encoding == "utf-8"
    assert not fits
    assert "道路建设" in text


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
    """100,000 nested elements: libxml2 gives up at 2,048, so the deeper tags go and the flag says so."""
    document = document_of("<div>" * 100_000 + "the text" + "</div>" * 100_000 + "<p>and after</p>")
    assert document.blocks.texts == ["the text", "and after"]
    assert "truncated" in document.flags


def test_what_is_longer_than_is_read_is_cut_and_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both as a string and as bytes."""
    monkeypatch.setattr(parsing, "MAX_CHARACTERS", 100)
    for html in ("<p>" + "x" * 500, b"<p>" + b"x" * 500):
        document = document_of(html)
        assert sum(document.blocks.chars) < 110
        assert "truncated" in document.flags


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
    assert len(many.json_ld) == parsing.MAX_JSON_OBJECTS
    assert load_json('"' + "x" * (parsing.MAX_JSON_CHARACTERS + 1) + '"') is None


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
