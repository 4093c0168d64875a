"""Markup that is composed of that of one article page: lists of posts, and long articles."""

from __future__ import annotations

import numpy as np
import pytest
from lxml import html

from webcontent.training.pagetype.augmentation.markup import composed_markup

PARAGRAPHS = [f"Paragraph {number} tells of the harbour, " + "and of the boats that lie in it all winter long " * 5 for number in range(6)]
TEXT = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
PAGE = f"""<!DOCTYPE html><html><head><title>Boats</title><meta property="og:type" content="article"><meta name="viewport" content="x">
<script type="application/ld+json">{{"@type": "NewsArticle"}}</script><link rel="canonical" href="/a"><link rel="stylesheet" href="s.css">
</head><body class="single-post"><nav><a href="/">Home page</a></nav><main><article><h1>The boats of the harbour</h1><time>1 May 2026</time>
<div class="entry">{TEXT}</div></article><form>Comments</form></main><!-- end --><footer>All rights reserved</footer></body></html>"""
SEEDS = range(30)


def composed(markup: str = PAGE, *, seed: int = 0, is_list: bool = True):
    text = composed_markup(markup, np.random.default_rng(seed), is_list=is_list)
    return None if text is None else html.document_fromstring(text)


def paragraphs(page) -> int:
    return sum("tells of the harbour" in (node.text or "") for node in page.iter("p"))


def test_a_list_repeats_the_headline_the_lines_below_it_and_paragraphs():
    counts, linked = set(), set()
    for seed in SEEDS:
        page = composed(seed=seed)
        times = page.findall(".//time")
        titles = [node.getprevious() for node in times]
        assert {node.tag for node in titles} <= {"h1", "h2"}
        assert not any("The boats of the harbour" in node.text_content() for node in titles)
        assert paragraphs(page) >= len(times)
        counts.add(len(times))
        linked.add(all(len(node.findall("a")) == 1 for node in titles))
    assert min(counts) == 2
    assert max(counts) > 8
    assert linked == {True, False}


def test_a_long_article_has_one_headline_and_subheadings_without_links():
    most = 0
    for seed in SEEDS:
        page = composed(seed=seed, is_list=False)
        assert [node.text for node in page.iter("h1")] == ["The boats of the harbour"]
        assert len(page.findall(".//time")) == 1
        assert not page.xpath("//div[@class='entry']//*[self::h2 or self::h3 or self::h4]//a")
        most = max(most, paragraphs(page))
    assert most > 12


@pytest.mark.parametrize("is_list", [True, False])
def test_the_rest_of_the_page_stays_and_nothing_declares_what_it_was(is_list: bool):
    page = composed(is_list=is_list)
    assert page.find(".//nav/a").text == "Home page"
    assert page.find(".//footer").text == "All rights reserved"
    assert page.find("body").get("class") is None
    assert page.xpath("//meta/@property | //script | //link[@rel='canonical'] | //@data-composed") == []
    assert page.xpath("//meta/@name | //link/@rel") == ["viewport", "stylesheet"]


def test_paragraphs_beside_the_headline_are_copied_with_it():
    page = composed(PAGE.replace('<div class="entry">', "").replace("</div></article>", "</article>"))
    assert len(page.findall(".//time")) >= 2
    assert paragraphs(page) >= 2


def test_a_headline_far_from_the_text_moves_to_it():
    aside = "<aside>" + "<p>Of other things.</p>" * 200 + "</aside>"
    page = composed(PAGE.replace("<article><h1>The boats of the harbour</h1>", f"<h1>The boats of the harbour</h1>{aside}<article>"))
    assert len(page.findall(".//aside")) == 1
    assert len(page.xpath("//*[self::h1 or self::h2][following-sibling::div[@class='entry']]")) >= 2


@pytest.mark.parametrize(
    "markup",
    [
        "<p>Short.</p>",
        PAGE.replace(TEXT, TEXT[:300]),
        PAGE.replace("h1>", "b>"),
        PAGE.replace("<p>Paragraph", "<p><a>Paragraph").replace("</p>", "</a></p>"),
    ],
    ids=["nothing", "short", "no headline", "only links"],
)
def test_a_page_without_a_clear_article_gives_none(markup: str):
    assert composed(markup) is None


def test_characters_that_xml_forbids_are_left_out():
    assert composed(PAGE.replace("tells", "\x0b tells \ufffe")) is not None
