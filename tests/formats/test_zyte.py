"""Conversion of items to those of zyte-common-items."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webcontent.items import Article, Entry, Image, Listing

NEEDED = "zyte-common-items is not installed: pip install 'webcontent[poet]'"
zyte = pytest.importorskip("zyte_common_items", reason=NEEDED)
conversion = pytest.importorskip("webcontent.formats.zyte", reason=NEEDED)
to_zyte, to_zyte_navigation = conversion.to_zyte, conversion.to_zyte_navigation

ARTICLE = Article(
    url="https://example.com/新闻?b=1#part",
    canonical_url="https://example.com/1",
    title="大桥开工",
    time="2024-03-05T14:22+08:00",
    modified="2024-03-06",
    authors=["梁启航", "Ann Smith"],
    body="First line\nSecond line\n\nFourth",
    body_html="<p>First line</p>",
    images=[Image("https://example.com/a.jpg"), Image("https://example.com/b.jpg")],
    language="zh",
    score=0.875,
    fetched_at="2026-01-02T03:04:05+00:00",
)
LISTING = Listing(
    url="https://example.com/",
    canonical_url="https://example.com/list",
    entries=[
        Entry("A bridge", "https://example.com/1", time="2024-03-05", summary="Two\nlines", image="https://example.com/a.jpg"),
        Entry("A tunnel", "https://example.com/2"),
    ],
    fetched_at="2026-01-02T03:04:05+00:00",
)


@pytest.mark.parametrize("time", [None, "2024", "2024-03", "2024-03-05", "2024-03-05T14:22", "2024-03-05T14:22:08", "2024-03-05T14:22:08Z"])
def test_times_keep_their_precision(time):
    """zyte-common-items has whole seconds; the raw date has the precision of the page."""
    item = to_zyte(Article(url="https://example.com/", time=time))
    assert item.datePublished is None or len(item.datePublished) >= len("2024-03-05T14:22:08")
    assert item.datePublishedRaw == time


def test_the_attributes_of_an_article():
    item = to_zyte(ARTICLE)
    assert isinstance(item, zyte.Article)
    assert (item.headline, item.datePublished, item.dateModified) == ("大桥开工", "2024-03-05T14:22:00+08:00", "2024-03-06T00:00:00")
    assert [author.name for author in item.authors] == ["梁启航", "Ann Smith"]
    assert item.articleBody == "First line\n\nSecond line\n\n\n\nFourth"
    assert item.mainImage.url == "https://example.com/a.jpg"
    assert (item.metadata.dateDownloaded, item.metadata.probability) == ("2026-01-02T03:04:05Z", 0.875)


def test_empty_fields_are_none():
    """Items of zyte-common-items have no empty texts and lists."""
    item = to_zyte(Article(url="https://example.com/"))
    assert (item.headline, item.authors, item.images, item.mainImage, item.articleBody, item.articleBodyHtml) == (None,) * 6


def test_the_attributes_of_a_list():
    """Its entries are articles of an ArticleList, and requests of an ArticleNavigation."""
    item = to_zyte(LISTING)
    assert [(article.headline, article.datePublishedRaw, article.articleBody) for article in item.articles] == [
        ("A bridge", "2024-03-05", "Two\n\nlines"),
        ("A tunnel", None, None),
    ]
    navigation = to_zyte_navigation(replace(LISTING, title="News", next_page="https://example.com/?page=2"))
    assert (navigation.categoryName, navigation.nextPage.url) == ("News", "https://example.com/?page=2")
    assert [(request.name, request.url) for request in navigation.items] == [
        ("A bridge", "https://example.com/1"),
        ("A tunnel", "https://example.com/2"),
    ]


@pytest.mark.parametrize(("convert", "item"), [(to_zyte, Article()), (to_zyte, Listing()), (to_zyte_navigation, Listing())])
def test_an_item_without_url_can_not_be_converted(convert, item):
    with pytest.raises(ValueError, match="The item has no url"):
        convert(item)
