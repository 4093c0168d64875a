"""Where things stand on the pages of one site."""

from __future__ import annotations

import gc
import pickle
import weakref
from typing import Any

import pytest

from tests.extractors.ngfv.drawn import drawn
from webcontent.document.parsing import Document
from webcontent.extractors.ngfv.positions import Alignment, VisualTree, align, visual_tree

WORDS = "the council said on Monday that it would build a new bridge over the river before the end of next year".split()


def story(number: int, paragraphs: int = 4) -> str:
    """Paragraphs that no other number has."""
    sentence = " ".join(WORDS[(number * 5 + place) % len(WORDS)] for place in range(30))
    return "".join(f"<p>Story {number}, part {part}: {sentence}.</p>" for part in range(paragraphs))


def page(number: int, *, before: str = "", paragraphs: int = 4) -> str:
    """A page of a site: menu, story, sidebar, footer."""
    return f"""<html><head><title>Story {number}</title></head><body>{before}
    <div class=top><ul><li><a href=/>Home</a></li><li><a href=/news>News</a></li></ul></div>
    <div class=middle columns><div class=story><h1>Headline number {number}</h1>{story(number, paragraphs)}</div>
    <div class=side><h3>Most read</h3><ul><li><a href=/1>One other story</a></li><li><a href=/2>And another one</a></li></ul></div></div>
    <div class=bottom><p>Imprint of the paper</p><p>Contact the desk</p></div></body></html>"""


BANNER = "<div class=banner><p>We use cookies for purposes that nobody reads about</p><p>Accept all of them</p></div>"
OTHER = "<body><table><tr><td><b>Completely</b></td><td>other</td></tr><tr><td>page</td><td>of a site</td></tr></table></body>"


def tree_of(html: str, **options: Any) -> VisualTree:
    tree = visual_tree(Document.from_page(drawn(html, **options)))
    assert tree is not None
    return tree


def text_of(html: str, tree: VisualTree, position: int) -> str:
    return " ".join(Document.from_page(drawn(html)).blocks.texts[tree.start[position] : tree.end[position]])


def places(alignment: Alignment) -> dict[str, str | None]:
    """Path -> path of the same position."""
    found = alignment.matches.tolist()
    return {path: alignment.other.xpaths[place] if place >= 0 else None for path, place in zip(alignment.one.xpaths, found, strict=True)}


def test_a_tree_holds_what_the_page_shows():
    """Level by level; each position with its parent, its share of the page, its characters, and its blocks of the document."""
    tree = tree_of(page(1))
    assert tree.xpaths[:4] == ["/html/body", "/html/body/div[1]/ul", "/html/body/div[2]", "/html/body/div[3]"]
    assert tree.parent[:4] == [-1, 0, 0, 0]
    assert tree.names[2] == ("div", " middle")
    assert tree.share[0] == 1.0
    assert tree.links[1] == 2
    assert tree.link_text[1] == tree.text[1] == len("HomeNews")
    assert text_of(page(1), tree, 3) == "Imprint of the paper Contact the desk"


def test_two_pages_have_the_same_positions():
    """By path where nothing moved; what both show is told from what differs."""
    alignment = align(tree_of(page(1)), tree_of(page(2)))
    assert all(path == place for path, place in places(alignment).items())
    same = {path for path, is_same in zip(alignment.one.xpaths, alignment.is_same, strict=True) if is_same}
    assert {"/html/body/div[1]/ul", "/html/body/div[2]/div[2]", "/html/body/div[3]"} <= same
    assert not same & {"/html/body", "/html/body/div[2]", "/html/body/div[2]/div[1]", "/html/body/div[2]/div[1]/h1"}


def test_a_banner_shifts_no_position():
    """All stands lower and has another number in its path: the positions are the same, and the banner has none."""
    shifted = align(tree_of(page(1, before=BANNER)), tree_of(page(2)))
    assert places(shifted)["/html/body/div[1]"] is None
    for path in ("div[2]/ul", "div[3]", "div[3]/div[1]/h1", "div[4]"):
        number = int(path[4])
        assert places(shifted)[f"/html/body/{path}"] == f"/html/body/{path.replace(str(number), str(number - 1), 1)}"
    back = align(tree_of(page(2)), tree_of(page(1, before=BANNER)))
    assert places(back)["/html/body/div[2]/div[1]/h1"] == "/html/body/div[3]/div[1]/h1"


def test_a_part_on_another_level_is_found_by_its_path():
    """One page has a note beside its story, so the story's block stands a level deeper there."""
    plain = f"<body><div class=menu><p>Menu of the site</p></div><main><article>{story(1)}</article></main></body>"
    noted = (
        f"<body><div class=menu><p>Menu of the site</p></div><main><article>{story(2)}</article><p>A note to the readers</p></main></body>"
    )
    assert places(align(tree_of(plain), tree_of(noted)))["/html/body/main/article"] == "/html/body/main/article"
    assert places(align(tree_of(noted), tree_of(plain)))["/html/body/main/article"] == "/html/body/main/article"


@pytest.mark.parametrize(
    ("other", "is_useful"),
    [(page(2), True), (page(2, before=BANNER), True), (page(1), False), (OTHER, False), ("<body><p>x</p></body>", False)],
    ids=["another story", "with a banner", "the same page", "another design", "next to nothing"],
)
def test_which_pages_are_companions(other: str, is_useful: bool):
    """Another page of the same design; the same page under another address tells nothing."""
    assert align(tree_of(page(1)), tree_of(other)).is_useful is is_useful


def test_boxes_of_another_state_of_the_page_give_no_tree():
    """Scripts have changed the page between its HTML and its boxes."""
    changed = drawn(page(1))
    changed.html = "<body><p>Something else</p></body>"
    assert visual_tree(Document.from_page(changed)) is None


def test_positions_that_the_document_lacks_are_never_the_same():
    """A box more than the HTML tells of is no reason to give up the others."""
    late = drawn(page(1, before="<section><p>A late note</p></section>"))
    late.html = late.html.replace("section", "header")  # type: ignore[union-attr,arg-type]
    tree = visual_tree(Document.from_page(late))
    assert tree is not None
    same = dict(zip(tree.xpaths, align(tree, tree).is_same, strict=True))
    assert not same["/html/body/section/p"]
    assert same["/html/body/div[1]/ul"]


def test_trees_are_bounded():
    """The upper levels of a page of many blocks."""
    html = "<body><div><p>Menu of the site</p></div><div>" + "".join(f"<p>Line {n}</p>" for n in range(2000)) + "</div></body>"
    tree = tree_of(html)
    assert len(tree) == 1000
    assert tree.text[0] > tree.text[3:].sum()
    assert len(align(tree, tree_of(html)).matches) == 1000


def test_no_tree_without_boxes():
    """Not rendered, or nothing drawn."""
    assert visual_tree(Document.from_page(drawn("<body></body>"))) is None
    plain = drawn(page(1))
    plain.boxes = None
    assert visual_tree(Document.from_page(plain)) is None


def test_a_page_has_one_tree_while_it_is_in_use():
    """A crawl and the extractor get the same tree. It goes with its document."""
    document = Document.from_page(drawn(page(1)))
    tree = visual_tree(document)
    assert visual_tree(document) is tree
    assert tree is not None
    assert visual_tree(Document.from_page(drawn(page(1)))) is not tree
    held = weakref.ref(document)
    del document
    gc.collect()
    assert held() is None


def test_trees_can_be_pickled():
    """As process pools do with documents' parts."""
    tree = tree_of(page(1))
    assert align(pickle.loads(pickle.dumps(tree)), tree).is_same.all()
