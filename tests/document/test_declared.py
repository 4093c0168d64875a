"""What a page declares of itself, as rows of one table."""

from __future__ import annotations

import json

import pytest

from webcontent.document import declared
from webcontent.document.declared import Declared, Row, decoded, in_given_order, strings_of, types_of
from webcontent.document.parsing import Document
from webcontent.items import Page


def declared_of(html: str) -> Declared:
    return Document.from_page(Page(url="https://news.example/story.html", html=html)).declared


def json_ld(*objects: object) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(item, ensure_ascii=False)}</script>' for item in objects)


def pairs(rows: list[Row]) -> list[tuple[str, str]]:
    return [(row.origin, row.value) for row in rows]


def test_rows_are_those_of_json_ld_then_of_meta_elements_by_their_names() -> None:
    """The order of meta elements on the page says nothing; several with one name keep theirs."""
    head = '<meta name="title" content="b"><meta property="og:title" content="a"><meta name="title" content="c">'
    table = declared_of(head + json_ld({"@type": "Article", "name": "n", "headline": "h"}))
    assert pairs(table.rows("title")) == [
        ("json-ld:headline", "h"), ("json-ld:name", "n"), ("og:title", "a"), ("meta:title", "b"), ("meta:title", "c")
    ]  # fmt: skip
    assert [row.position for row in table.rows("title")] == [0, 0, 0, 0, 1]
    assert table.values("title", "meta:title") == ["b", "c"]
    assert table.rows("nothing") == []


def test_articles_stand_before_other_json_ld_objects() -> None:
    """Organizations and images say nothing of the page."""
    table = declared_of(
        json_ld(
            {"@type": "WebPage", "name": "page"},
            {"@type": "NewsArticle", "headline": "article"},
            {"@type": "Organization", "name": "office"},
            {"@type": "ImageObject", "name": "image"},
        )
    )
    assert [(row.value, row.object) for row in table.rows("title")] == [("article", 0), ("page", 1)]
    assert table.is_article


@pytest.mark.parametrize("types", [["Thing", "NewsArticle"], ["https://schema.org/NewsArticle", 3], "NewsArticle"])
def test_each_type_of_an_object_counts(types: object) -> None:
    """A list of types is a set of them."""
    table = declared_of(json_ld({"@type": types, "headline": "h", "author": "Jane Doe", "datePublished": "2024-03-05"}))
    assert table.is_article
    assert pairs(table.rows("authors")) == [("json-ld:author", "Jane Doe")]
    assert pairs(table.rows("published")) == [("json-ld:datePublished", "2024-03-05")]


def test_a_page_without_an_article_in_json_ld_is_none() -> None:
    """`is_article` is what JSON-LD says."""
    assert not declared_of(json_ld({"@type": "WebPage"})).is_article
    assert not declared_of("<p>x").is_article


def test_references_are_resolved_to_the_fullest_object() -> None:
    """An object with a name of its own is no reference."""
    table = declared_of(json_ld({"@id": "#a"}, {"@id": "#a", "@type": "Person", "name": "Jane Doe"}))
    assert table.resolve({"@id": "#a"})["name"] == "Jane Doe"
    assert table.resolve({"@id": "#a", "name": "John"}) == {"@id": "#a", "name": "John"}
    assert table.resolve({"@id": "#missing"}) == {"@id": "#missing"}


@pytest.mark.parametrize(
    ("author", "names"),
    [
        ({"@type": "Person", "givenName": "Ada", "familyName": "Byron"}, ["Ada Byron"]),
        ({"@type": "Person", "givenName": "三丰", "familyName": "张"}, ["张三丰"]),
        ({"@type": "Person", "name": "Ada Byron", "familyName": "Byron"}, ["Ada Byron"]),
        ({"@type": "Person", "name": "Byron, Ada"}, ["Ada Byron"]),
        ("Byron, Ada K.", ["Ada K. Byron"]),
        ("Ada Byron, Bob Ray", ["Ada Byron, Bob Ray"]),
        ("Tinsley, PhD", ["Tinsley, PhD"]),
        ("Reuters, AFP", ["Reuters, AFP"]),
        ({"@type": "Organization", "name": "Byron, Ada"}, ["Byron, Ada"]),
        ("Se&aacute;n O&#39;Brien", ["Seán O'Brien"]),
        (["Ada Byron", {"name": ["Bob Ray", "Ann Lee"]}, 7, {}], ["Ada Byron", "Bob Ray", "Ann Lee"]),
    ],
)
def test_authors_of_json_ld_have_whole_names(author: object, names: list[str]) -> None:
    """Parts are joined, entities decoded; a family name before a comma stands last where it is clearly one."""
    rows = declared_of(json_ld({"@type": "Article", "author": author})).rows("authors")
    assert [row.value for row in rows] == names
    assert [row.position for row in rows] == list(range(len(names)))


def test_a_citation_names_the_family_first() -> None:
    """Other meta elements hold lists of names."""
    table = declared_of('<meta name="citation_author" content="García Márquez, Gabriel"><meta name="author" content="Jane Doe, Bob Ray">')
    assert pairs(table.rows("authors")) == [("meta:author", "Jane Doe, Bob Ray"), ("meta:citation_author", "Gabriel García Márquez")]


def test_people_and_organizations_are_told_apart_by_the_type() -> None:
    """An object without a type may be a person."""
    item = {"@type": "Article", "author": [{"@type": "Organization", "name": "a"}, {"@type": ["Thing", "Person"], "name": "b"}, "c"]}
    assert [row.is_person for row in declared_of(json_ld(item)).rows("authors")] == [False, True, True]


def test_publishers_and_sites_of_other_objects_are_marked() -> None:
    """They name the site; only those of the page's own objects its publisher."""
    objects = {"@type": "Article", "publisher": {"name": "Johnson &amp; Johnson"}}, {"@type": "Person", "publisher": "b"}
    table = declared_of(json_ld(*objects, {"@type": ["Organization", "NewsMediaOrganization"], "name": "c"}))
    assert [(row.value, row.object) for row in table.rows("publisher")] == [("Johnson & Johnson", 0), ("b", declared.OTHER)]
    assert [(row.origin, row.value, row.object) for row in table.rows("site")] == [("json-ld:site", "c", declared.OTHER)]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ('<div itemprop="author"><a><span itemprop="name">Jane Doe</span></a>, editor</div>', [("itemprop:author", "Jane Doe")]),
        ('<div itemprop="author editor"><meta itemprop="name" content="Jane Doe"></div>', [("itemprop:author", "Jane Doe")]),
        ("<p itemprop=author><i itemprop=familyName>Byron</i>, <i itemprop=givenName>Ada</i></p>", [("itemprop:author", "Ada Byron")]),
        ('<div typeof="Article"><span property="schema:author">Jane Doe</span></div>', [("property:author", "Jane Doe")]),
        ('<p typeof=Article><i rel="schema:author"><a property="schema:name">Jane</a>!</i></p>', [("property:author", "Jane")]),
        ('<p typeof=Article><i property="http://schema.org/author" content="Jane"></i></p>', [("property:author", "Jane")]),
        ('<p><span property="schema:author">Jane Doe</span></p>', []),
        ('<p typeof=Article><a rel="author nofollow" href=/j>Jane Doe</a></p>', [("rel=author", "Jane Doe")]),
    ],
)  # fmt: skip
def test_markup_names_authors(html: str, rows: list[tuple[str, str]]) -> None:
    """Microdata, RDFa (where something on the page has a type) and links."""
    assert [(row.origin, row.value) for _, row in declared_of(f"{html}<p>Text</p>").marked("authors")] == rows


def test_authors_whom_only_attributes_name_are_declared() -> None:
    """As in meta elements: no text of the page shows them."""
    table = declared_of('<div itemprop="author"><meta itemprop="name" content="Jane Doe"></div><p itemprop="author">Bob Ray</p>')
    assert pairs(table.rows("authors")) == [("meta:author", "Jane Doe")]


@pytest.mark.parametrize(
    "html",
    [
        '<div itemprop="author" itemtype="https://schema.org/Organization"><meta itemprop="name" content="The Sound"></div>',
        """<div itemprop="author"><meta itemprop="name" content="<img src='/a.png'>"></div>""",
        '<div itemprop="author"><meta itemprop="image" content="/a.png"></div>',
    ],
    ids=["organization", "markup", "no name"],
)
def test_attributes_that_name_nobody_declare_no_author(html: str) -> None:
    """Organizations stand there on all pages of a site, and templates write markup."""
    assert declared_of(f"{html}<p>Text</p>").rows("authors") == []


def test_markup_names_titles_and_times_by_their_elements() -> None:
    """Each word of an itemprop counts, in any case; the finder reads the element."""
    table = declared_of(
        '<h1 itemprop="headline name">x</h1><p itemprop="datePublished">y</p><time>May 1</time><p itemprop=dateModified>z</p>'
    )
    found = {field: [(row.origin, node.text) for node, row in table.marked(field)] for field in ("title", "published", "modified", "time")}
    assert found == {
        "title": [("itemprop:headline", "x")],
        "published": [("itemprop:datepublished", "y")],
        "modified": [("itemprop:datemodified", "z")],
        "time": [("time", "May 1")],
    }


def test_links_and_the_language_are_declared() -> None:
    """The element is known."""
    head = "<html lang=de><link rel=canonical href=/a><link rel=alternate hreflang=en href=/d>"
    table = declared_of(head)
    found = [row for field in ("url", "language") for row in table.rows(field)]
    assert pairs(found) == [("link:canonical", "/a"), ("html:lang", "de")]
    assert all(row.node is not None for row in found)


def test_images_and_videos_keep_their_objects() -> None:
    """Sizes and names stand in them; the address is the value."""
    item = {"@type": "Article", "image": ["/a.jpg", {"contentUrl": "/b.jpg?x&amp;y", "width": 7}], "video": {"embedUrl": "/v", "name": "V"}}
    table = declared_of(json_ld(item))
    assert [(row.value, row.data.get("width")) for row in table.rows("image")] == [("/a.jpg", None), ("/b.jpg?x&y", 7)]
    assert [(row.value, row.data["name"]) for row in table.rows("video")] == [("/v", "V")]


def test_types_of_the_page_are_known() -> None:
    """Of JSON-LD and microdata, all of a list."""
    html = json_ld({"@type": ["Thing", "https://schema.org/Product"]}) + '<div itemscope itemtype="http://schema.org/Offer">x</div>'
    assert declared_of(html).types == ["Thing", "Product", "Offer"]


def test_each_place_has_a_bound() -> None:
    """Pages that have more repeat themselves without end."""
    people = json_ld(*[{"@type": "Article", "author": ["a"] * 21}] * 4)
    table = declared_of(people + '<meta name="author" content="b">' * 21 + "<i itemprop=author>c</i>" * 41)
    assert [row.value for row in table.rows("authors")] == ["a"] * 3 * 20 + ["b"] * 20
    assert len(table.marked("authors")) == 40


@pytest.mark.parametrize(
    ("value", "strings"),
    [
        ("a", ["a"]),
        (" ", []),
        (["a", ["b", {"name": "c"}]], ["a", "b", "c"]),
        ({"name": {"@value": "x"}}, []),
        ({"name": ["a", "b"]}, ["a", "b"]),
        (7, []),
        (None, []),
        ([[[[["deep"]]]]], []),
    ],
)
def test_strings_of_json_values_of_any_type(value: object, strings: list[str]) -> None:
    """Strings, objects and lists of these, to a depth."""
    assert strings_of(value, "name") == strings


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Article", ("Article",)), ("https://schema.org/Article", ("Article",)), (["x/A", 3, "B"], ("A", "B")), ([3], ()), ({}, ()),
        (None, ()), ("", ()),
    ],
)  # fmt: skip
def test_types_of_json_ld_objects(value: object, names: tuple[str, ...]) -> None:
    """Without the vocabulary's address."""
    assert types_of({"@type": value}) == names


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Tom &amp; Jerry", "Tom & Jerry"),
        ("&#x27;a&#39;", "'a'"),
        ("/a?b=1&copy=2", "/a?b=1&copy=2"),
        ("a & b;", "a & b;"),
        ("&#0;", "\ufffd"),
    ],
)
def test_entities_are_decoded_where_they_are_closed(text: str, value: str) -> None:
    """An address with an ampersand stays as it is."""
    assert decoded(text) == value


@pytest.mark.parametrize(("name", "order"), [("Byron, Ada", "Ada Byron"), ("Byron,", "Byron,"), ("A, B, C", "A, B, C"), ("Ada", "Ada")])
def test_a_comma_parts_the_family_name(name: str, order: str) -> None:
    """One comma with a name on each side."""
    assert in_given_order(name) == order
