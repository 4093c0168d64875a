"""I-AWCE: its two algorithms, branch by branch."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.blocks import TAGS
from webcontent.document.parsing import Document
from webcontent.extraction import BODY, Extraction, PageContext
from webcontent.extractors import load_extractor
from webcontent.extractors.awce.extractor import Awce, find_article
from webcontent.extractors.awce.records import find_records
from webcontent.items import ARTICLE, LIST, Page, PageType, Type

URL = "https://example.org/news/"


def words(count: int, name: str = "w") -> str:
    return " ".join(f"{name}{i}" for i in range(count))


def document_of(html: str) -> Document:
    return Document.from_page(Page(url=URL, html=f"<html><body>{html}</body></html>", fetched_at="2024-06-01T12:00:00+00:00"))


def extraction_of(html: str, page_type: Type = ARTICLE, *, literal: bool = False) -> Extraction:
    return Awce(literal=literal)(document_of(html), PageContext(page_type=PageType(page_type, "article", 1.0)))


def article_of(html: str, *, literal: bool = False) -> str:
    """Tag and class of the element that algorithm 1 gives."""
    blocks = document_of(html).blocks
    row = find_article(blocks.elements, blocks.subtree_sums(blocks.words - blocks.link_words), literal=literal)
    return ".".join(filter(None, (TAGS[blocks.elements.tag[row]], blocks.elements.classes[row])))


@pytest.mark.parametrize(
    ("html", "element"),
    [
        # line 3: an element without children gives its parent's text
        (f"<div class=a><p>{words(9)}</p></div>", "div.a"),
        # line 5: an only child is gone into
        (f"<div class=a><div class=b><p>{words(60)}</p><p>{words(50)}</p></div></div>", "div.b"),
        # about equally long children: their parent is the text
        (f"<div class=menu>x</div><div class=a><p>{words(200)}</p><p>{words(190)}</p><p>{words(210)}</p></div>", "div.a"),
        # one child far longer than the others: the text is in it
        (f"<div class=a><div class=side>{words(40)}</div><div class=b><p>{words(300)}</p><p>{words(280)}</p></div></div>", "div.b"),
        # line 12: it leads by no more than a hundred words, so the parent is taken
        (f"<div class=a><div class=side>{words(40)}</div><div class=b><p>{words(80)}</p><p>{words(50)}</p></div></div>", "div.a"),
        # one long paragraph among short ones leads down to itself, and line 3 back to all of them
        (f"<div class=menu>x</div><div class=a><p>{words(300)}</p><p>{words(20)}</p><p>{words(30)}</p></div>", "div.a"),
        # inline elements are no children, and children without text do not count
        (f"<div class=a><p>{words(60)} <b>{words(3)}</b> <i>x</i></p><div></div></div>", "div.a"),
        ("", "html"),
    ],
)
def test_algorithm_1_goes_where_the_text_stands_out(html: str, element: str) -> None:
    """A child that leads by more than the standard deviation and a hundred words holds the text; else the parent does."""
    assert article_of(html) == element


@pytest.mark.parametrize(
    ("html", "element"),
    [
        # lines 13 and 14: m1 stands before m2
        (f"<div class=m1>{words(500)}</div><div class=m2>{words(200)}</div>", "div.m1"),
        # line 15: m2 stands before m1, however short it is
        (f"<div class=m2>{words(200)}</div><div class=m1>{words(500)}</div>", "div.m2"),
        # line 16: a lead of less than a hundred words
        (f"<div class=m1>{words(90)}</div><div class=m2>{words(5)}</div>", "body"),
        # line 17: no child stands out, the longest is gone into
        (f"<div class=a><p>{words(90)}</p></div><div class=b>{words(90)}</div><div class=c>{words(5)}</div>", "div.a"),
        # lines 3 and 5
        (f"<div class=a><div class=b><p>{words(9)}</p></div></div>", "div.b"),
    ],
)
def test_the_literal_pseudo_code_is_there_too(html: str, element: str) -> None:
    """Every line of it, "m1 before m2" included."""
    assert article_of(html, literal=True) == element


def test_the_literal_form_gives_another_body() -> None:
    """`Awce(literal=True)` ends at the first element with two children."""
    html = f"<div>{words(200, 'head')}</div><div><p>{words(400, 'story')}</p></div>"
    assert extraction_of(html).body == words(400, "story")
    assert extraction_of(html, literal=True).body == words(200, "head")


def test_words_of_links_do_not_make_a_text_long() -> None:
    """A link list longer than the story is passed by, and links inside the story stay in it."""
    links = "".join(f"<li><a href=/{i}>{words(10)}</a></li>" for i in range(60))
    story = f"<p>{words(200, 's')} <a href=/x>linked words</a></p><p>{words(150, 't')}</p>"
    body = extraction_of(f"<ul>{links}</ul><div>{story}</div>").body
    assert body.split("\n") == [f"{words(200, 's')} linked words", words(150, "t")]


@pytest.mark.parametrize("tag", ["nav", "header", "footer", "aside", "button", "select"])
def test_noise_of_an_article_page_is_left_out(tag: str) -> None:
    """Table 1: what stands in such an element is neither measured nor given."""
    inner = f"<option>{words(900, 'noise')}</option>" if tag == "select" else words(900, "noise")
    body = extraction_of(f"<div><{tag}>{inner}</{tag}><p>{words(150)}</p><p>{words(160)}</p></div>").body
    assert body == f"{words(150)}\n{words(160)}"


def test_body_and_labels_say_the_same() -> None:
    """A block is body or noise, and the body is the text of those that are."""
    html = f"<nav>menu</nav><div><h1>Head</h1><p>{words(150)}</p><ul><li>item</li></ul></div>"
    document, extraction = document_of(html), extraction_of(html)
    assert extraction.labels is not None
    chosen = np.flatnonzero(extraction.labels == BODY)
    assert extraction.body == "\n".join(document.blocks.texts[i] for i in chosen) == f"Head\n{words(150)}\nitem"


def records_of(html: str) -> list[str]:
    blocks = document_of(html).blocks
    rows = find_records(blocks)
    return [] if rows is None else [TAGS[blocks.elements.tag[row]] + "." + blocks.elements.classes[row] for row in rows]


NEWS = "".join(
    f"<li class=n><a class=t href=/{i}.html>A headline of some length {i}</a> <span class=d>2024-05-{i + 10}</span></li>" for i in range(8)
)


@pytest.mark.parametrize(
    ("html", "records"),
    [
        # the id with the longest texts wins, and its elements' records are the list items around them
        (f"<ul class=menu><li><a class=m>Home</a></li><li><a class=m>News</a></li></ul><ul>{NEWS}</ul>", ["li.n"] * 8),
        # one class at two depths makes two ids
        (
            "<div><p class=x>short</p><p class=x>texts</p><div><p class=x>a longer text</p><p class=x>another one here</p></div></div>",
            ["p.x"] * 2,
        ),
        # an id that occurs once is no list
        (f"<p class=big>{words(50)}</p><p class=s>one</p><p class=s>two</p>", ["p.s"] * 2),
        # elements that have children are not counted: their text is that of the children
        ("<div class=w><b>aa</b></div><div class=w><b>bb</b></div>", ["div.w"] * 2),
        (f"<p>{words(5)}</p>", []),
        ("", []),
    ],
)
def test_algorithm_2_ranks_elements_of_one_class_and_depth(html: str, records: list[str]) -> None:
    """Ids are depth and class; of the first fifteen by count times length the longest mean text wins."""
    assert records_of(html) == records


def test_only_the_first_fifteen_ids_by_rank_are_looked_at() -> None:
    """n = 15: two very long texts of a class lose against fifteen classes with more text in all."""
    crowd = "".join(f"<p class=c{k}>{words(20)}</p>" * 20 for k in range(15))
    rare = f"<div><p class=rare>{words(40)}</p><p class=rare>{words(40)}</p></div>"
    assert set(records_of(crowd + rare)) != {"p.rare"}
    assert set(records_of(crowd[: len(crowd) * 14 // 15] + rare)) == {"p.rare"}


def test_a_list_is_the_text_of_its_records() -> None:
    """A line a part. Entries are left to `webcontent.fields`."""
    extraction = extraction_of("<div><p class=r>first text</p><p class=r>second text</p></div>", LIST)
    assert extraction.body == "first text\nsecond text"
    assert extraction.entries is None


def test_a_list_page_without_a_list_gives_its_text() -> None:
    """Where no id occurs twice algorithm 1 reads the page."""
    assert extraction_of(f"<div><p>{words(30)}</p></div>", LIST).body == words(30)


def test_the_page_type_chooses_the_algorithm() -> None:
    """The type that the route was chosen by; without one the classifier is asked."""
    html = f"<p>{words(30)}</p><ul>{NEWS}</ul>"
    assert extraction_of(html, ARTICLE).body != extraction_of(html, LIST).body
    assert load_extractor("awce")(document_of(html)).body


def test_depth_is_no_limit() -> None:
    """Nothing recurs: elements nested as deep as the parser goes."""
    assert extraction_of("<div>" * 900 + f"<p>{words(5)}</p>" + "</div>" * 900).body == words(5)
