"""Items of zyte-common-items, and back."""

from __future__ import annotations

import pytest

zyte = pytest.importorskip("zyte_common_items", reason="zyte-common-items is not installed: pip install 'webcontent[poet]'")

from webcontent.formats.zyte import from_zyte, to_zyte, to_zyte_navigation  # noqa: E402
from webcontent.items import Article, Entry, Image, Listing  # noqa: E402

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


def test_an_article_there_and_back():
    """Every field that both have is the same again."""
    assert from_zyte(to_zyte(ARTICLE)) == ARTICLE


@pytest.mark.parametrize("time", [None, "2024", "2024-03", "2024-03-05", "2024-03-05T14:22", "2024-03-05T14:22:08", "2024-03-05T14:22:08Z"])
def test_times_keep_their_precision(time):
    """Theirs are whole seconds; ours come back as they were."""
    made = to_zyte(Article(url="https://example.com/", time=time))
    assert made.datePublished is None or len(made.datePublished) >= len("2024-03-05T14:22:08")
    assert from_zyte(made).time == time


def test_an_article_in_their_terms():
    made = to_zyte(ARTICLE)
    assert isinstance(made, zyte.Article)
    assert (made.headline, made.datePublished, made.dateModified) == ("大桥开工", "2024-03-05T14:22:00+08:00", "2024-03-06T00:00:00")
    assert [author.name for author in made.authors] == ["梁启航", "Ann Smith"]
    assert made.articleBody == "First line\n\nSecond line\n\n\n\nFourth"
    assert made.mainImage.url == "https://example.com/a.jpg"
    assert (made.metadata.dateDownloaded, made.metadata.probability) == ("2026-01-02T03:04:05Z", 0.875)


def test_what_is_not_there_is_none():
    """As their items want it, not empty."""
    made = to_zyte(Article(url="https://example.com/"))
    assert (made.headline, made.authors, made.images, made.mainImage, made.articleBody, made.articleBodyHtml) == (None,) * 6
    assert from_zyte(made) == Article(url="https://example.com/")


def test_an_article_of_another_origin():
    """A raw date as the page shows it is not a time; a main image may stand alone; an author may have a raw name only."""
    item = zyte.Article(
        url="https://example.com/",
        datePublished="2024-03-05T00:00:00Z",
        datePublishedRaw="3 hours ago",
        mainImage=zyte.Image(url="https://example.com/a.jpg"),
        authors=[zyte.Author(nameRaw="By Ann")],
    )
    made = from_zyte(item)
    assert (made.time, made.images, made.authors) == ("2024-03-05T00:00:00Z", [Image("https://example.com/a.jpg")], ["By Ann"])


def test_a_list_there_and_back():
    """As a list of articles: what both have."""
    assert from_zyte(to_zyte(LISTING)) == LISTING


def test_a_list_as_navigation_there_and_back():
    """As requests: addresses and titles of the entries, the next page, the list's own title."""
    listing = Listing(
        url="https://example.com/",
        title="News",
        entries=[Entry("A bridge", "https://example.com/1"), Entry("A tunnel", "https://example.com/2")],
        next_page="https://example.com/?page=2",
        fetched_at="2026-01-02T03:04:05+00:00",
    )
    made = to_zyte_navigation(listing)
    assert isinstance(made, zyte.ArticleNavigation)
    assert from_zyte(made) == listing


@pytest.mark.parametrize(("convert", "item"), [(to_zyte, Article()), (to_zyte, Listing()), (to_zyte_navigation, Listing())])
def test_an_item_without_address_has_no_place_there(convert, item):
    with pytest.raises(ValueError, match="The item has no url"):
        convert(item)
