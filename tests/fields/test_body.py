"""What of an extractor's choice becomes the body."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.parsing import Document
from webcontent.document.text import body_text
from webcontent.extraction import BODY, Extraction
from webcontent.fields.assembly import assemble
from webcontent.items import Page, PageType

STORY = (
    "<p>The ferry left the quay at noon with three hundred passengers, and it has not been late once since the spring of last year.</p>"
    "<p>Nobody on board had expected the sea to be as calm as it was, least of all the captain, who had packed for a storm.</p>"
)
HEAD = '<h1>A calm day at sea</h1><div class="info">2025-03-05 14:22 Source: Harbour Courier</div>'


def assembled(html: str, kind: str = "article"):
    """The item of a page whose blocks were all chosen."""
    document = Document.from_page(Page(url="http://example.org/a", html=html))
    chosen = np.ones(len(document.blocks), np.bool_)
    extraction = Extraction(
        labels=np.full(len(chosen), BODY, np.int8),
        body=body_text(document.blocks, chosen),
        score=0.9,
    )
    page_type = PageType("list" if kind in {"listing", "collection"} else "article", kind, 0.9)
    return assemble(document, page_type, extraction, "all")


def lines(html: str) -> list[str]:
    return [part.removesuffix("</p>") for part in html.split("<p>")[1:]]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        (HEAD + STORY, lines(STORY)),
        (STORY, lines(STORY)),
        (HEAD + STORY + "<p>2025-03-05 14:22</p>", [*lines(STORY), "2025-03-05 14:22"]),
        (HEAD + "<p>On 2025-03-05 the mayor spoke.</p>" + STORY, ["On 2025-03-05 the mayor spoke.", *lines(STORY)]),
        (HEAD + STORY + "<figure><img src=/a.jpg><figcaption>The quay.</figcaption></figure>", lines(STORY)),
    ],
    ids=["head", "no-head", "date-at-the-end", "first-sentence-with-a-date", "caption"],
)
def test_a_story_says_nothing_twice(html: str, kept: list[str]):
    """Title, time and source at its head are fields of their own, and a caption belongs to its picture."""
    item = assembled(html)
    assert item.body.split("\n") == kept
    assert all(line in item.body_html for line in kept)
    assert "A calm day" not in item.body_html


def test_what_left_the_body_is_in_its_field():
    item = assembled(HEAD + STORY)
    assert (item.title, item.time, item.source) == ("A calm day at sea", "2025-03-05T14:22", "Harbour Courier")


def test_other_kinds_keep_what_was_chosen():
    """A product's title is part of what its page says."""
    assert assembled(HEAD + STORY, "product").body.startswith("A calm day at sea\n2025-03-05")


def test_a_story_of_nothing_but_its_title_keeps_it():
    assert assembled("<h1>A calm day at sea</h1>").body == "A calm day at sea"


def test_an_extractor_without_labels_is_left_alone():
    """Its body can't be taken apart."""
    document = Document.from_page(Page(url="http://example.org/a", html=HEAD + STORY))
    assert (
        assemble(document, PageType("article", "article", 0.9), Extraction(body="A calm day at sea\nText"), "own").body
        == "A calm day at sea\nText"
    )


def test_an_index_keeps_the_titles_of_its_records():
    """Even where the extractor took them for noise; a ranking beside them stays out."""
    links = [f'<a href="/{n}">Story number {n} of the day in the town</a>' for n in range(6)]
    records = "".join(
        f"<li><h3>{link}</h3><p>What happened in story {n}, told in one line or two.</p></li>" for n, link in enumerate(links)
    )
    ranking = "".join(f"<li>{link}</li>" for link in links[:3])
    document = Document.from_page(Page(url="http://example.org/", html=f"<h1>News</h1><ul>{records}</ul><ol>{ranking}</ol>"))
    labels = np.array([BODY if text.startswith("What") else 0 for text in document.blocks.texts], np.int8)
    extraction = Extraction(labels=labels, body=body_text(document.blocks, labels == BODY), score=0.9)
    body = assemble(document, PageType("list", "listing", 0.9), extraction, "some").body.split("\n")
    assert body == [
        text
        for n in range(6)
        for text in (f"Story number {n} of the day in the town", f"What happened in story {n}, told in one line or two.")
    ]


def test_a_table_keeps_its_cells():
    """A number that the extractor took for noise belongs to its row."""
    table = "<table><tr><td>June</td><td>1131</td><td>12</td></tr><tr><td>July</td><td>1158</td><td>6</td></tr></table>"
    document = Document.from_page(Page(url="http://example.org/a", html=HEAD + STORY + table))
    labels = np.array([0 if text == "6" else BODY for text in document.blocks.texts], np.int8)
    extraction = Extraction(labels=labels, body=body_text(document.blocks, labels == BODY), score=0.9)
    item = assemble(document, PageType("article", "article", 0.9), extraction, "some")
    assert item.body.split("\n")[-2:] == ["June\t1131\t12", "July\t1158\t6"]


LONG = "<p>" + "The council met on Tuesday and agreed on the plan for the harbour after a debate of four hours. " * 4 + "</p>"


def test_a_page_that_goes_on_with_the_next_story_ends_with_the_first():
    """Pages without end show the next stories whole below the one that was asked for, each with a heading of its own."""
    html = "".join(f"<div><h1>Story {n}</h1><p>Lead of {n}.</p><article><p>Begin {n}.</p>{LONG}</article></div>" for n in (1, 2, 3))
    body = assembled(f"<main>{html}</main>").body
    assert "Begin 1." in body
    assert "Lead of 2." not in body
    assert "Begin 3." not in body


def test_the_items_of_a_round_up_are_one_story():
    """Several <article> elements below one heading belong together."""
    html = "".join(f"<article><h2>Item {n}</h2>{LONG}</article>" for n in (1, 2, 3))
    assert "Item 3" in assembled(f"<main><h1>Three plans</h1>{html}</main>").body


COMMENTS = '<section id="comments"><h3>2 comments</h3><p>I was there and it was not calm at all, believe me.</p><p>Nor was I.</p></section>'


def test_comments_are_no_part_of_a_story():
    """What readers wrote below it stays out; on a forum it is the text, and so it is where little else is there."""
    assert assembled(HEAD + STORY + COMMENTS).body.split("\n") == lines(STORY)
    assert "not calm at all" in assembled(HEAD + STORY + COMMENTS, "forum").body
    assert "not calm at all" in assembled(f"<p>Short.</p>{COMMENTS}").body


def test_captions_stand_below_their_pictures():
    """In the cleaned HTML, where the picture is, but not in the text."""
    first, second = lines(STORY)
    figure = "<figure><img src=/quay.jpg><figcaption>The quay at noon.</figcaption></figure>"
    item = assembled(f"{HEAD}<p>{first}</p>{figure}<p>{second}</p>")
    assert item.body.split("\n") == [first, second]
    assert '<figure><img src="http://example.org/quay.jpg" alt=""><figcaption>The quay at noon.</figcaption></figure>' in item.body_html
