"""The body of an item, made of the blocks that an extractor selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webcontent.document.parsing import Document
from webcontent.document.text import body_text
from webcontent.extraction import BODY, NOISE, Extraction, PageContext
from webcontent.fields.assembly import assemble
from webcontent.items import Page, PageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from webcontent.items import Article, Listing

TEXT = (
    "<p>The ferry left the quay at noon with three hundred passengers, and it has not been late once since the spring of last year.</p>"
    "<p>Nobody on board had expected the sea to be as calm as it was, least of all the captain, who had packed for a storm.</p>"
)
HEAD = '<h1>A calm day at sea</h1><div class="info">2025-03-05 14:22 Source: Harbour Courier</div>'
COMMENTS = '<section id="comments"><h3>2 comments</h3><p>I was there and it was not calm at all, believe me.</p><p>Nor was I.</p></section>'
LONG = "<p>" + "The council met on Tuesday and agreed on the plan for the harbour after a debate of four hours. " * 4 + "</p>"


def item_of(
    html: str,
    kind: str = "article",
    *,
    is_selected: Callable[[str], bool] = lambda text: True,
    score: float = 0.9,
    other_score: float | None = None,
) -> Article | Listing:
    """The item of a page whose blocks were selected by their text; by default all of them.

    `score`: of the page type. `other_score`: probability of each block that was not selected.
    """
    document = Document.from_page(Page(url="http://example.org/a", html=html))
    labels = np.array([BODY if is_selected(text) else NOISE for text in document.blocks.texts], np.int8)
    scores = None if other_score is None else np.where(labels == BODY, 0.9, other_score).astype(np.float32)
    extraction = Extraction(labels=labels, scores=scores, body=body_text(document.blocks, labels == BODY), score=0.9)
    page_type = PageType("list" if kind in {"listing", "collection"} else "article", kind, score)
    return assemble(document, PageContext(page_type=page_type), extraction, "test")


def lines(html: str) -> list[str]:
    return [part.removesuffix("</p>") for part in html.split("<p>")[1:]]


@pytest.mark.parametrize(
    ("html", "kept"),
    [
        (HEAD + TEXT, lines(TEXT)),
        (TEXT, lines(TEXT)),
        (HEAD + TEXT + "<p>2025-03-05 14:22</p>", [*lines(TEXT), "2025-03-05 14:22"]),
        (HEAD + "<p>On 2025-03-05 the mayor spoke.</p>" + TEXT, ["On 2025-03-05 the mayor spoke.", *lines(TEXT)]),
        (HEAD + TEXT + "<figure><img src=/a.jpg><figcaption>The quay.</figcaption></figure>", lines(TEXT)),
    ],
    ids=["head", "no-head", "date-at-the-end", "first-sentence-with-a-date", "caption"],
)
def test_an_article_repeats_no_other_field(html: str, kept: list[str]):
    """Title, time and source at its head are fields of their own, and a caption belongs to its image."""
    item = item_of(html)
    assert item.body.split("\n") == kept
    assert all(line in item.body_html for line in kept)
    assert "A calm day" not in item.body_html


def test_what_the_body_leaves_out_is_in_its_field():
    item = item_of(HEAD + TEXT)
    assert (item.title, item.time, item.source) == ("A calm day at sea", "2025-03-05T14:22", "Harbour Courier")


def test_other_kinds_keep_the_selected_blocks():
    """The title of a product is part of its text."""
    assert item_of(HEAD + TEXT, "product").body.startswith("A calm day at sea\n2025-03-05")


def test_an_article_without_other_text_keeps_its_title():
    assert item_of("<h1>A calm day at sea</h1>").body == "A calm day at sea"


def test_an_extraction_without_labels_is_not_changed():
    """Its body is no selection of blocks."""
    document = Document.from_page(Page(url="http://example.org/a", html=HEAD + TEXT))
    context = PageContext(page_type=PageType("article", "article", 0.9))
    assert assemble(document, context, Extraction(body="A calm day at sea\nText"), "own").body == "A calm day at sea\nText"


def test_a_listing_keeps_the_titles_of_its_records():
    """Even where the extractor took them for noise; a ranking beside them is left out."""
    links = [f'<a href="/{n}">Story number {n} of the day in the town</a>' for n in range(6)]
    records = "".join(
        f"<li><h3>{link}</h3><p>What happened in story {n}, told in one line or two.</p></li>" for n, link in enumerate(links)
    )
    ranking = "".join(f"<li>{link}</li>" for link in links[:3])
    html = f"<h1>News</h1><ul>{records}</ul><ol>{ranking}</ol>"
    assert item_of(html, "listing", is_selected=lambda text: text.startswith("What")).body.split("\n") == [
        text
        for n in range(6)
        for text in (f"Story number {n} of the day in the town", f"What happened in story {n}, told in one line or two.")
    ]


def records_of(texts: list[str]) -> str:
    """A list whose records are links with a line below each."""
    return "<ul>" + "".join(f'<li><h3><a href="/{n}">{text}</a></h3><p>Line {n} below.</p></li>' for n, text in enumerate(texts)) + "</ul>"


TITLES = [f"Story number {n} of the day in the town" for n in range(6)]


def test_a_page_that_may_be_an_article_does_not_get_the_titles_of_the_list_beside_it():
    """Below the probability of a likely list the body is what the extractor selected."""
    html = TEXT + records_of(TITLES)
    body = item_of(html, "listing", is_selected=lambda text: text in lines(TEXT), score=0.7).body
    assert body.split("\n") == lines(TEXT)


def test_a_listing_has_the_title_of_a_record_once():
    """A second link with the same text, around the picture of the record, adds nothing."""
    doubled = records_of(TITLES).replace("<li>", "<li><div>").replace("</h3>", "</h3></div>")
    for n, title in enumerate(TITLES):
        doubled = doubled.replace(f"Line {n} below.</p>", f'Line {n} below.</p><div><a href="/{n}">{title}</a></div>')
    body = item_of(f"<h1>News</h1>{doubled}", "listing", is_selected=lambda text: text.startswith("Line")).body
    assert [body.count(title) for title in TITLES] == [1] * 6


def test_a_table_of_layout_is_not_completed():
    """Its cells hold whole columns of the page: the menu beside the selected text stays outside."""
    menu = "".join(f"<p><a href='/{name}'>{name}</a></p>" for name in ("Home", "Sport"))
    html = f"<table><tr><td>{menu}</td><td>{TEXT}{LONG}{LONG}</td></tr></table>"
    assert "Sport" not in item_of(html, is_selected=lambda text: text not in {"Home", "Sport"}).body


def test_a_table_keeps_its_cells():
    """A number that the extractor took for noise belongs to its row."""
    table = "<table><tr><td>June</td><td>1131</td><td>12</td></tr><tr><td>July</td><td>1158</td><td>6</td></tr></table>"
    item = item_of(HEAD + TEXT + table, is_selected=lambda text: text != "6")
    assert item.body.split("\n")[-2:] == ["June\t1131\t12", "July\t1158\t6"]


def test_a_page_that_goes_on_with_the_next_article_ends_with_the_first():
    """Pages with endless scrolling show the next articles whole, each with a heading of its own."""
    html = "".join(f"<div><h1>Story {n}</h1><p>Lead of {n}.</p><article><p>Begin {n}.</p>{LONG}</article></div>" for n in (1, 2, 3))
    body = item_of(f"<main>{html}</main>").body
    assert "Begin 1." in body
    assert "Lead of 2." not in body
    assert "Begin 3." not in body


def test_the_items_of_a_round_up_are_one_article():
    """Several <article> elements below one heading belong together."""
    html = "".join(f"<article><h2>Item {n}</h2>{LONG}</article>" for n in (1, 2, 3))
    assert "Item 3" in item_of(f"<main><h1>Three plans</h1>{html}</main>").body


@pytest.mark.parametrize(("chars", "stays"), [(220, True), (380, False)])
def test_a_short_article_element_is_no_article(chars: int, stays: bool):
    """It is a teaser or a comment, whatever its heading."""
    second = "Short words of another hand. " * 20
    html = f"<article><h1>Story</h1>{LONG}</article><article><h1>Next</h1><p>{second[:chars]}</p></article>"
    assert ("Short words" in item_of(f"<main>{html}</main>").body) is stays


def test_comments_are_no_part_of_an_article():
    """On forums they are the text, and also on a page with little else."""
    assert item_of(HEAD + TEXT + COMMENTS).body.split("\n") == lines(TEXT)
    assert "not calm at all" in item_of(HEAD + TEXT + COMMENTS, "forum").body
    assert "not calm at all" in item_of(f"<p>Short.</p>{COMMENTS}").body


def test_comments_in_code_are_code():
    """Syntax highlighters give them a class of that name."""
    code = '<pre><code><span class="hljs-comment"># start anew</span>\ngit init</code></pre>'
    assert "# start anew\ngit init" in item_of(HEAD + TEXT + code).body


def test_the_caption_of_a_page_with_a_picture_is_its_text():
    """A slideshow has a title, a picture and what is seen on it."""
    caption = "The quay at noon, when the fishers of the town had sold what they had caught in the night before the storm."
    html = f"<h1>A calm day at sea</h1><p>Slide 3</p><figure><img src=/quay.jpg><figcaption>{caption}</figcaption></figure>"
    assert caption in item_of(html).body


def test_captions_stand_below_their_images():
    """They are part of the cleaned HTML, but not of the text."""
    first, second = lines(TEXT)
    figure = "<figure><img src=/quay.jpg><figcaption>The quay at noon.</figcaption></figure>"
    item = item_of(f"{HEAD}<p>{first}</p>{figure}<p>{second}</p>")
    assert item.body.split("\n") == [first, second]
    assert '<figure><img src="http://example.org/quay.jpg" alt=""><figcaption>The quay at noon.</figcaption></figure>' in item.body_html


def test_a_heading_behind_the_last_paragraph_is_left_out():
    """It belongs to what follows the text."""
    assert item_of(HEAD + TEXT + "<h2>Order by telephone</h2>").body.split("\n") == lines(TEXT)


NEXT = "<h4>More news</h4>" + "".join(f"<div>Port {number} is closed</div>" for number in range(9))


@pytest.mark.parametrize(("behind", "is_kept"), [(NEXT, False), ("<h4>More news</h4>", True)])
def test_a_line_far_behind_the_text_is_left_out(behind: str, is_kept: bool):
    """The teaser of another article. The extractor was not certain of it, and few of its neighbours are text."""
    html = f"{HEAD}{LONG}{TEXT}{behind}<p>A seal was seen in the port of the capital.</p>"
    document = Document.from_page(Page(url="http://example.org/a", html=html))
    is_teaser = np.array([text.startswith("A seal") for text in document.blocks.texts])
    is_text = np.array([len(text) > 80 for text in document.blocks.texts])
    scores = np.where(is_text, 0.9, np.where(is_teaser, 0.6, 0.1)).astype(np.float32)
    labels = np.where(is_text | is_teaser, BODY, NOISE).astype(np.int8)
    extraction = Extraction(labels=labels, scores=scores, body="", score=0.9)
    item = assemble(document, PageContext(page_type=PageType("article", "article", 0.9)), extraction, "test")
    assert ("A seal" in item.body) is is_kept


def test_a_dateline_begins_the_text_where_the_authors_stand_in_it():
    """Short or not, it is no line about the article."""
    report = "本报讯 （记者张三）老渡轮停航第三天"
    text = f"<p>{report}</p><p>{'连日低温之后，海峡里的浮冰仍未散去，' * 4}</p><p>商贩的鱼获积压在码头。</p>"
    assert item_of(f"<h1>停航</h1><div>{text}</div>").body.startswith("本报讯")


PROSE = "The parties agree that nothing in these terms limits a right that the law gives to consumers who live in the country of the court."
HOLE = "".join(f"<p>{number}. {PROSE}</p>" for number in range(1, 8))


@pytest.mark.parametrize(
    ("html", "is_selected", "text"),
    [
        (
            "<p>A <b>harbour</b> (<span class=rt-commentedText>/x/</span>) is a body of water.</p>",
            lambda text: True,
            "A harbour (/x/) is a body of water.",
        ),
        ("<p class=comment>The mayor said nothing.</p>", lambda text: True, "The mayor said nothing."),
        (HOLE, lambda text: text[0] not in "356", f"5. {PROSE}"),
        (
            "<table><tr><th>Day</th><th>Open</th></tr><tr><td>Monday</td><td>9 to 5</td></tr></table>",
            lambda text: text not in ("9 to 5", "Open", "Day"),
            "Day\tOpen\nMonday\t9 to 5",
        ),
        (
            "<table><tr><td>Monday</td><td>9 to 5</td><td>Pier 3</td></tr></table>",
            lambda text: text not in ("9 to 5", "Pier 3"),
            "Monday\t9 to 5\tPier 3",
        ),
    ],
    ids=["class-of-a-word", "class-of-a-paragraph", "hole", "table", "line-of-a-table"],
)
def test_no_single_thing_is_missing_in_a_kept_text(html: str, is_selected: Callable[[str], bool], text: str):
    assert text in item_of(f"{HEAD}{TEXT}{html}{TEXT}", is_selected=is_selected).body


@pytest.mark.parametrize(
    ("html", "is_selected"),
    [
        (HOLE, lambda text: text[0] not in "234567"),
        (HOLE.replace("<p>3", "<p class=ad>3"), lambda text: text[0] != "3"),
        ("<table><tr><td>Monday</td><td>3. " + PROSE + "</td></tr></table>", lambda text: not text.startswith("3")),
        ("<table>" + "<tr><td>Monday</td><td>3.</td></tr>" * 7 + "</table>", lambda text: text != "3."),
    ],
    ids=["most-of-the-text", "other-class", "long-cell", "long-table"],
)
def test_what_may_be_no_text_stays_out(html: str, is_selected: Callable[[str], bool]):
    body = item_of(f"{HEAD}{TEXT}{html}", is_selected=is_selected).body
    assert not any(line.startswith("3.") or "\t3." in line for line in body.split("\n"))


@pytest.mark.parametrize(
    "html", ["<pre>a = 1</pre>", "<table class=ltx_equation><tr><td><math display=block><mi>a</mi></math></td></tr></table>"]
)
def test_code_and_formulas_at_the_end_of_a_text_are_shown(html: str):
    """Inside of the element that holds most of the text, directly behind it."""
    item = item_of(f"{HEAD}<div>{TEXT}{html}</div>", is_selected=lambda text: text not in ("a = 1", "a"))
    assert "<pre><code>a = 1" in item.body_html or "\\[a\\]" in item.body_html
    outside = item_of(f"{HEAD}<div>{TEXT}</div><div>{html}</div>", is_selected=lambda text: text not in ("a = 1", "a"))
    assert "a = 1" not in outside.body_html
    assert "\\[a\\]" not in outside.body_html
