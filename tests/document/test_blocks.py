"""The walk: which text is a block, and what is known of it."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from webcontent.document import blocks as blocks_module
from webcontent.document.blocks import TAGS, Blocks
from webcontent.document.parsing import Document
from webcontent.items import Page


def blocks_of(html: str) -> Blocks:
    return Document.from_page(Page(html=html)).blocks


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("", []),
        ("text only", ["text only"]),
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<p>one<p>two", ["one", "two"]),
        ("<p>one <b>two</b>three</p>", ["one twothree"]),
        ("<p>a <i>b <b>c</b></i> d</p>", ["a b c d"]),
        ("<p>\n  many\t \n blanks&nbsp; </p>", ["many blanks"]),
        ("<p>H<sub>2</sub>O</p>", ["H2O"]),
        ("<div>one<br>two<br><br>three</div>", ["one", "two", "three"]),
        ("<div>one<p>two</p>three</div>", ["one", "two", "three"]),
        ("<div>text <p>para</p> <b>bold</b> tail</div>", ["text", "para", "bold tail"]),
        ("<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>", ["one", "inner", "two"]),
        ("<ul><li>one<ul><li>inner</li></ul>behind</li></ul>", ["one", "inner", "behind"]),
        ("<table><tr><td>1</td><td>2</td></tr></table>", ["1", "2"]),
        ("<dl><dt>t</dt><dd>d</dd></dl>", ["t", "d"]),
        ("<a href='/x'><div>block in link</div></a>", ["block in link"]),
        ("<pre>  one\n    two\n</pre>", ["  one\n    two"]),
        ("<pre><span>one</span>\n<span>two</span></pre>", ["one\ntwo"]),
        ("<pre><span>  </span>one</pre>", ["  one"]),
        ("<p>&amp;lt; &copy; x&#8212;y &hellip;</p>", ["&lt; © x—y …"]),
        ("<p>a<!-- no -->b</p>", ["ab"]),
        ("<p>a<script>x()</script>b</p>", ["ab"]),
        ("<style>p{}</style><p>z</p>", ["z"]),
        ("<svg><text>no</text></svg><p>yes</p>", ["yes"]),
        ("<iframe src=x>no</iframe><p>yes</p>", ["yes"]),
        ("<custom-element><p>in</p></custom-element>", ["in"]),
        ("<select><option>a<option>b</select>", ["a", "b"]),
        ("<center><font>old</font></center>", ["old"]),
        ("<p></p><p> </p><p>&nbsp;</p><p>x</p>", ["x"]),
    ],
)
def test_a_block_is_a_run_of_text_between_two_boundaries(html: str, texts: list[str]) -> None:
    """Block-level tags and line breaks are boundaries, inline tags are none; nothing is glued and nothing comes twice."""
    assert blocks_of(html).texts == texts


@pytest.mark.parametrize(
    ("html", "hidden", "noscript"),
    [
        ("<p>x</p>", [False], [False]),
        ("<div hidden><p>x</p></div><p>y</p>", [True, False], [False, False]),
        ("<div style='color: red; DISPLAY:none'>x</div>", [True], [False]),
        ("<div style='visibility: hidden'>x</div>", [True], [False]),
        ("<div aria-hidden='true'>x</div>", [True], [False]),
        ("<div aria-hidden='false'>x</div>", [False], [False]),
        ("<template><p>x</p></template>", [True], [False]),
        ("<noscript><p>x</p></noscript><p>y</p>", [False, False], [True, False]),
        ("<p>seen <span style='display:none'>not seen</span> seen</p>", [False], [False]),
    ],
)
def test_hidden_text_stays_and_is_marked(html: str, hidden: list[bool], noscript: list[bool]) -> None:
    """Forums live in <noscript>, products in hidden tabs: what is not shown is a block with a mark."""
    blocks = blocks_of(html)
    assert blocks.hidden.tolist() == hidden
    assert blocks.noscript.tolist() == noscript


def test_links_are_counted_apart() -> None:
    """`link_chars` and `link_words` count the part of a block's text that stands inside links."""
    blocks = blocks_of("<p>see <a href='/x'>this one</a> now</p><p><a>多维</a></p>")
    assert blocks.chars.tolist() == [16, 2]
    assert blocks.words.tolist() == [4, 2]
    assert blocks.link_chars.tolist() == [8, 2]
    assert blocks.link_words.tolist() == [2, 2]


PAGE = "<body><div id=d class='x y'>lead<p>one <b>bold</b></p><p>two</p></div><span>a<i>b</i></span><ul><li>three</ul></body>"


def test_an_element_covers_the_blocks_of_its_subtree() -> None:
    """Subtree sums are differences of cumulative sums, so they equal what a walk over the subtree would add up."""
    blocks = blocks_of(PAGE)
    elements = blocks.elements
    held = {TAGS[tag]: blocks.texts[start:end] for tag, start, end in zip(elements.tag, elements.start, elements.end, strict=True)}
    assert held["body"] == ["lead", "one bold", "two", "ab", "three"]
    assert held["div"] == ["lead", "one bold", "two"]
    assert held["ul"] == ["three"]
    sums = blocks.subtree_sums(np.ones(len(blocks)))
    assert sums[0] == 5
    assert sums.tolist() == (elements.end - elements.start).tolist()


def test_an_inline_element_covers_its_own_text_pieces() -> None:
    """The pieces of an element are its text and nothing of its neighbours, blank runs before it included or not."""
    blocks = blocks_of("<div> \n <b> </b> <p>one <b>bold</b> tail</p> \n <i>last</i> </div>")
    elements = blocks.elements
    rows = zip(elements.tag, elements.piece, elements.piece_end, strict=True)
    own = [(TAGS[tag], "".join(text for text, _ in blocks.pieces[start:end]).strip()) for tag, start, end in rows]
    assert own[2:] == [("div", "one bold taillast"), ("b", ""), ("p", "one bold tail"), ("b", "bold"), ("i", "last")]


def test_rows_know_parent_depth_class_and_id() -> None:
    """The root is row 0 at depth 0 without a parent."""
    elements = blocks_of(PAGE).elements
    assert elements.parent[0] == -1
    assert elements.depth[:3].tolist() == [0, 1, 2]
    row = elements.ids.index("d")
    assert elements.classes[row] == "x y"
    assert elements.nodes[row].get("id") == "d"
    assert [TAGS[elements.tag[child]] for child in np.flatnonzero(elements.parent == row)] == ["p", "p"]


def test_a_block_belongs_to_the_innermost_block_level_element() -> None:
    """Its xpath is that element's, whatever inline tags are around the text."""
    blocks = blocks_of(PAGE)
    assert blocks.xpath(1) == "/html/body/div/p[1]"
    assert blocks.xpath(3) == "/html/body"
    assert blocks.preformatted.tolist() == [False] * 5


@pytest.mark.parametrize(("count", "is_cut"), [(99_900, False), (100_100, True)])
def test_more_elements_than_are_walked_are_cut_and_flagged(count: int, is_cut: bool) -> None:
    """What was read until then stays."""
    document = Document.from_page(Page(html="<div>" + "<p>x" * count))
    assert (len(document.blocks) < count) is is_cut
    assert document.blocks.is_cut is is_cut
    assert not document.flags, "reading the blocks changes no document"
    assert document.blocks.elements.end.max() == len(document.blocks)


def test_examples_of_the_docstrings() -> None:
    """They run."""
    assert doctest.testmod(blocks_module).failed == 0


def test_xpaths_of_all_blocks_are_those_of_each():
    """Counted once, with the numbers that libxml2 gives: siblings of one tag, those that are not walked among them."""
    html = "<ul><li>a<li>b<script></script><p>c<p>d</ul><o:p>e</o:p><div><br>f<b>g</b></div><svg><p>x</p></svg><p>h<table><tr><td>i<td>j</table>"
    blocks = blocks_of(html)
    assert blocks.xpaths == [blocks.xpath(i) for i in range(len(blocks))]
    assert len(set(blocks.xpaths)) > 5


def test_no_element_ends_behind_the_last_block() -> None:
    """Text that the walk takes back is in no range."""
    blocks = blocks_of("<pre>\n<b hidden><meta name=x>text")
    assert blocks.elements.end.max() <= len(blocks)
