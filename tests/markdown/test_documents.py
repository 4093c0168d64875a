"""Whole items as Markdown, dicts and JSON."""

from __future__ import annotations

import dataclasses
import json

import pytest

from webcontent.items import Article, Candidate, Entry, Listing, Video

ARTICLE = Article(
    url="https://e.org/1",
    title="A *bridge*",
    time="2026-03-05",
    source="Courier",
    authors=["Ada", "Carl"],
    body="One\nTwo",
    body_html='<h1>A *bridge*</h1><p>One <a href="https://e.org/x">link</a></p>',
    videos=[Video("https://e.org/v", "V")],
    evidence={"title": [Candidate("A *bridge*", "h1")]},
    language="en",
)
LISTING = Listing(
    title="News",
    entries=[
        Entry("First", "https://e.org/1", time="2026-03-05", source="Courier", summary="- What happened", image="https://e.org/1.jpg"),
        Entry("Second", "https://e.org/a b"),
    ],
    next_page="https://e.org/?p=2",
)


def test_an_article():
    """Title, byline and body; a heading that repeats the title is left out."""
    assert ARTICLE.to_markdown() == "# A \\*bridge\\*\n\n*Ada, Carl · Courier · 2026-03-05*\n\nOne [link](https://e.org/x)\n"
    assert "(https" not in ARTICLE.to_markdown(links=False)


def test_front_matter():
    text = ARTICLE.to_markdown(front_matter=True)
    assert text.startswith(
        '---\ntitle: "A *bridge*"\nurl: "https://e.org/1"\ntime: "2026-03-05"\nsource: "Courier"\nauthors: ["Ada", "Carl"]\n'
    )


def test_an_article_without_html():
    assert Article(title="T", body="- One\n# Two").to_markdown() == "# T\n\n\\- One\n\n\\# Two\n"
    assert Article().to_markdown() == ""


def test_a_listing():
    assert LISTING.to_markdown(images=False) == (
        "# News\n\n- [First](https://e.org/1) · 2026-03-05 · Courier\n\n  \\- What happened\n\n- [Second](https://e.org/a%20b)\n\n"
        "[https://e.org/?p=2](https://e.org/?p=2)\n"
    )
    assert "![](https://e.org/1.jpg)" in LISTING.to_markdown()
    assert Listing(title="News", body="One").to_markdown() == "# News\n\nOne\n"


def test_the_body_of_a_listing_stands_beside_its_entries():
    """Nothing stands there twice: titles with their dates, which stand as the page writes them, summaries, the title of the page. Cells of rows become a table."""
    body = "News\nWe write of boats.\nFirst 5 March\nOn 6 March: Second\n- What happened\nDay\tOpen\nMonday\t9|5\nLast words."
    assert dataclasses.replace(LISTING, body=body).to_markdown(images=False) == (
        "# News\n\nWe write of boats.\n\n- [First](https://e.org/1) · 5 March · Courier\n\n  \\- What happened\n\n- [Second](https://e.org/a%20b) · On 6 March"
        "\n\n| Day | Open |\n| --- | --- |\n| Monday | 9\\|5 |\n\nLast words.\n\n[https://e.org/?p=2](https://e.org/?p=2)\n"
    )


@pytest.mark.parametrize("item", [ARTICLE, LISTING], ids=["article", "listing"])
def test_items_are_json(item: Article | Listing):
    """`to_dict` is what `json.dumps` takes; evidence is included on request."""
    assert json.loads(item.to_json()) == json.loads(json.dumps(item.to_dict()))
    assert "evidence" not in item.to_dict()
    assert "evidence" in item.to_dict(evidence=True)


def test_a_lone_surrogate_is_replaced():
    assert Article(title="a\ud800b").to_markdown() == "# a?b\n"
