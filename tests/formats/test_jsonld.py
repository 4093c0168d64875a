"""Items as JSON-LD."""

from __future__ import annotations

import json

import lxml.html
import pytest

import webcontent
from webcontent.formats.jsonld import to_json_ld, to_json_ld_script
from webcontent.items import Article, Entry, Image, Listing


def test_an_article():
    """It becomes a NewsArticle without empty fields."""
    article = Article(
        url="https://example.com/1.html",
        title="大桥开工",
        time="2024-03-05T14:22+08:00",
        source="东岸通讯社",
        publisher="白鹭湾新闻网",
        authors=["梁启航"],
        editors=["陈立"],
        body="One\nTwo",
        images=[Image("https://example.com/a.jpg", caption="The bridge", width=600, credit="Ada / AP")],
        language="zh",
    )
    assert to_json_ld(article) == {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "url": "https://example.com/1.html",
        "mainEntityOfPage": "https://example.com/1.html",
        "headline": "大桥开工",
        "datePublished": "2024-03-05T14:22+08:00",
        "author": [{"@type": "Person", "name": "梁启航"}],
        "editor": [{"@type": "Person", "name": "陈立"}],
        "publisher": {"@type": "Organization", "name": "白鹭湾新闻网"},
        "sourceOrganization": {"@type": "Organization", "name": "东岸通讯社"},
        "inLanguage": "zh",
        "image": [
            {"@type": "ImageObject", "url": "https://example.com/a.jpg", "caption": "The bridge", "creditText": "Ada / AP", "width": 600}
        ],
        "articleBody": "One\nTwo",
    }


@pytest.mark.parametrize(("kind", "type_"), [("forum", "DiscussionForumPosting"), ("documentation", "TechArticle"), ("product", "Article")])
def test_other_kinds(kind, type_):
    assert to_json_ld(Article(kind=kind))["@type"] == type_


def test_a_list():
    listing = Listing(url="https://example.com/", title="News", entries=[Entry("A bridge", "https://example.com/1", source="Daily")])
    assert to_json_ld(listing)["itemListElement"] == [
        {
            "@type": "ListItem",
            "position": 1,
            "item": {
                "@type": "Article",
                "url": "https://example.com/1",
                "headline": "A bridge",
                "publisher": {"@type": "Organization", "name": "Daily"},
            },
        }
    ]


def test_written_json_ld_can_be_extracted():
    """A page with it gives the same title, time and author."""
    article = Article(title="A bridge over the river", time="2024-03-05T14:22:00+08:00", authors=["Ann Smith"])
    data = json.dumps(to_json_ld(article))
    html = f'<html><head><script type="application/ld+json">{data}</script></head><body><h1>A bridge over the river</h1><p>Text.</p></body>'
    item = webcontent.extract(html, url="https://example.com/1.html")
    assert isinstance(item, Article)
    assert (item.title, item.time, item.authors) == (article.title, article.time, article.authors)


HOSTILE = ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "a & b", "\u2028\u2029", "\ud800", '"\\']


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_ends_a_script_element(text: str):
    """And JSON parsers read the same as from the dict."""
    item = Article(title=text, body=text, authors=[text])
    script = to_json_ld_script(item)
    assert not set(script) & set("<>&\u2028\u2029\ud800")
    assert json.loads(script) == to_json_ld(item)
    root = lxml.html.document_fromstring(f'<body><script type="application/ld+json">{script}</script><p>behind')
    assert [node.tag for node in root.body] == ["script", "p"]


def test_the_page_of_a_list_has_its_own_time_and_names():
    """An ItemList can't have them."""
    listing = Listing(
        url="https://example.com/", time="2024-03-05", authors=["Jane Doe"], entries=[Entry("A story", "https://example.com/a")]
    )
    linked = to_json_ld(listing)
    assert linked["mainEntityOfPage"] == {
        "@type": "CollectionPage",
        "url": "https://example.com/",
        "datePublished": "2024-03-05",
        "author": [{"@type": "Person", "name": "Jane Doe"}],
    }
    assert "datePublished" not in linked
    assert "mainEntityOfPage" not in to_json_ld(Listing(url="https://example.com/"))
