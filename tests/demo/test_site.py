"""The content of the demo site."""

from __future__ import annotations

import re
from urllib.request import urlopen

import pytest

from webcontent.demo.article_files import load_articles
from webcontent.demo.server import DemoServer
from webcontent.demo.site import list_pages
from webcontent.items import Page


def test_the_site_has_several_designs_and_channels():
    """24 articles, half of them Chinese, three designs, two channels of more than one page."""
    articles = load_articles()
    assert len(articles) == 24
    assert [article.channel for article in articles].count("zh") == 12
    assert {article.design for article in articles} == {"classic", "magazine", "script"}
    assert [page.language for page in list_pages()[1:]].count("zh") > 1
    assert [page.language for page in list_pages()[1:]].count("en") > 1


@pytest.mark.parametrize("article", load_articles(), ids=lambda article: article.slug)
def test_an_article_has_many_kinds_of_parts(article):
    """Several paragraphs, other parts, and related articles."""
    kinds = [part.kind for part in article.parts]
    assert kinds.count("paragraph") >= 3
    assert "subheading" in kinds
    assert {"list", "steps", "table", "quote"} & set(kinds)
    assert len(article.related) == 3
    assert article not in article.related


@pytest.mark.parametrize(
    "article", [article for article in load_articles() if article.design == "script"], ids=lambda article: article.slug
)
def test_the_script_design_is_an_empty_shell(article):
    """Without a browser it holds no text."""
    with DemoServer() as server, urlopen(server.url + article.path) as answer:
        page = Page(url=answer.url, html=answer.read())
    assert article.title not in page.html.decode()
    assert len(re.sub(rb"<[^>]+>|\s", b"", page.html)) < 200
