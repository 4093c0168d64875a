"""Features of the markup."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pagetype.pages import ARTICLE, LISTING, document_of
from webcontent.items import KINDS, LIST_KINDS
from webcontent.pagetype.dom import article_probability, dom_features, page_tokens


def features_of(html: str, **page) -> dict[str, float]:
    return dom_features(document_of(html, **page))


@pytest.mark.parametrize("html", ["", "x", "<a href=x>link</a>" * 300, "<h1></h1><table>", "<template>x</template>"])
@pytest.mark.parametrize("url", [None, "http://[", "https://example.org/%zz?a=1"])
def test_features_of_odd_pages_are_finite(html: str, url: str | None):
    """No text, one word, only links, broken addresses."""
    assert np.isfinite(list(features_of(html, url=url).values())).all()


def test_the_longest_run_of_text_tells_article_from_list():
    """Titles of other pages break the text of a list into short runs."""
    assert features_of(ARTICLE)["run_share"] > 0.9
    assert features_of(LISTING)["run_share"] < 0.2


def test_the_head_of_a_record_is_no_page_header():
    """Titles in <article><header> break a run of text like others."""
    record = "<article><header><h2><a href=/a>A linked title of some words</a></h2></header><p>An excerpt of eight words stands below.</p></article>"
    assert features_of(record * 6)["main_run"] < np.log1p(20)


@pytest.mark.parametrize(
    ("html", "name", "value"),
    [
        ('<script type="application/ld+json">{"@type": ["NewsArticle", 3]}</script>', "schema_article", np.log1p(1)),
        ("<div itemscope itemtype='https://schema.org/Product'></div>", "schema_product", np.log1p(1)),
        ("<meta property='og:type' content='article'>", "og_article", 1),
        ("<table></table><table></table>", "count_table", np.log1p(2)),
        ("<a href=/a><img src=/a.jpg></a><img src=/b.jpg>", "images_linked", 0.5),
        ("<p>5 March 2024</p><p>Sold for $ 12?</p>", "dates", np.log1p(1)),
        ("<p>5 March 2024</p><p>Sold for $ 12?</p>", "prices", np.log1p(1)),
        ("<p>5 March 2024</p><p>Sold for $ 12?</p>", "price_share", 0.5),
    ],
)
def test_what_a_page_declares_is_a_feature(html: str, name: str, value: float):
    """Types of schema.org and Open Graph, link and meta elements, tags, dates and prices."""
    assert features_of(html)[name] == pytest.approx(value)


@pytest.mark.parametrize(
    ("url", "features"),
    [
        ("https://news.example/2024/03/a-long-story-1234567.html?page=2", {"url_depth": 3, "url_query": 1, "url_file": 1}),
        ("https://news.example/", {"url_depth": 0, "url_slash": 1, "url_file": 0}),
        ("https://news.example/story/12", {"url_depth": 2, "url_digits": 1}),
        (None, {"url_depth": -1, "url_slash": -1}),
        ("http://[", {"url_depth": -1}),
    ],
    ids=["article", "front page", "number", "none", "invalid"],
)  # fmt: skip
def test_the_address_is_a_feature(url: str | None, features: dict[str, float]):
    """All features of the address are -1 without one."""
    found = features_of("<p>Text</p>", url=url)
    assert {name: found[name] for name in features} == features


def test_tokens_name_what_a_page_is_made_with():
    """Words of classes and ids, declarations and the address, with their origin."""
    html = '<meta name=generator content="WordPress 6"><script type="application/ld+json">{"@type": "WebPage"}</script><div class="postTitle entry-12" id=main></div>'
    tokens = page_tokens(document_of(html, url="https://blog.news.example/archive/12/a.html"))
    assert tokens == {"post", "title", "entry", "main", "meta:generator", "generator:wordpress", "ld:webpage", "url:archive", "host:blog"}


def test_the_probability_of_an_article_is_that_of_types_and_kinds():
    """The probabilities of all kinds of articles are added up."""
    kinds = np.array([0.0 if kind in LIST_KINDS else 0.1 for kind in KINDS])
    assert article_probability(0.9, kinds) == pytest.approx((0.9 + kinds.sum()) / 2)
