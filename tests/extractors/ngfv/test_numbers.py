"""The numbers of NGFV, with a page on each side of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.extractors.ngfv.drawn import drawn
from tests.extractors.ngfv.test_positions import page, tree_of
from webcontent.document.parsing import Document
from webcontent.extractors.ngfv.extractor import diverse_block, is_link_list, narrowed
from webcontent.extractors.ngfv.positions import Alignment, VisualTree, align, visual_tree
from webcontent.extractors.ngfv.reference_pages import Sites
from webcontent.extractors.ngfv.vips import GAP_WEIGHTS, GAPS_PX


def tree(children: list[list[int]], **columns: list[float]) -> VisualTree:
    """A tree of so many positions; columns that are not given are 0."""
    count = len(children)
    parent = [-1] * count
    for above, parts in enumerate(children):
        for part in parts:
            parent[part] = above
    names = ("text", "link_text", "links", "area")
    arrays = {name: np.array(columns.get(name, [0.0] * count)) for name in names}
    rows = np.zeros(count, np.int32)
    return VisualTree(
        xpaths=[f"/{place}" for place in range(count)],
        names=[("div", "")] * count,
        parent=parent,
        children=children,
        fingerprints=list(range(count)),
        start=rows,
        end=rows,
        **arrays,
    )


@pytest.mark.parametrize(("share", "links", "is_list"), [(0.5, 4, False), (0.7, 4, True), (0.7, 3, True), (0.7, 2, False)])
def test_a_link_list_is_mostly_links(share: float, links: int, is_list: bool):
    """More than 0.6 of its characters are in links, of which there are at least three."""
    one = tree([[1], []], text=[100, 100], link_text=[100 * share] * 2, links=[links] * 2)
    assert is_link_list(one, 0) is is_list
    assert not is_link_list(one, 1)  # it has no parts


@pytest.mark.parametrize(("diversity", "share", "found"), [(0.07, 0.8, 1), (0.05, 0.8, 0), (0.07, 0.6, 0)])
def test_the_content_is_diverse_and_holds_nearly_all_text(diversity: float, share: float, found: int):
    """Diversity above 0.06, and more than 0.7 of the text that changes."""
    assert diverse_block(np.array([1.0, diversity]), 0.06, np.array([100.0, 100 * share])) == found


@pytest.mark.parametrize(("share", "found"), [(0.8, 1), (0.6, 0)])
def test_the_content_is_the_innermost_position_that_holds_it(share: float, found: int):
    one = tree([[1], [2], []])
    assert narrowed(one, np.array([100.0, 100 * share, 1.0]), 0) == found


@pytest.mark.parametrize(("same", "is_useful"), [(90, True), (99, False)])
def test_a_page_with_nearly_the_same_text_is_that_page(same: float, is_useful: bool):
    """95 characters of a hundred."""
    one = tree([[1, 2], [], []], text=[100, same, 100 - same])
    other = tree([[1, 2], [], []], text=[100, same, 100 - same])
    other.fingerprints[0], other.fingerprints[2] = 7, 8
    assert Alignment(one, other, np.array([0, 1, 2], np.int32)).is_useful is is_useful


@pytest.mark.parametrize(("known", "is_useful"), [(25, True), (16, False)])
def test_a_fifth_of_the_upper_positions_has_to_be_aligned(known: int, is_useful: bool):
    """Of the first thirty: six are enough, four are not."""
    count = 101
    one, other = (tree([list(range(1, count)), *([] for _ in range(count - 1))]) for _ in range(2))
    matches = np.full(count, -1, np.int32)
    matches[0] = 0
    matches[1 : 1 + round(known * 30 / 100)] = np.arange(1, 1 + round(known * 30 / 100))
    assert Alignment(one, other, matches).is_useful is is_useful


@pytest.mark.parametrize(("kept", "has_tree"), [(7, True), (5, False)])
def test_a_document_holds_the_text_of_its_boxes(kept: int, has_tree: bool):
    """At least 0.8 of what the boxes count, each in its parents too: 0.85 and 0.75 here. Scripts change pages."""
    lines = [f"<p>Line number {place} of the page</p>" for place in range(10)]
    drawn_page = drawn(f"<body>{''.join(lines)}</body>")
    drawn_page.html = f"<body>{''.join(lines[:kept])}</body>"
    assert (visual_tree(Document.from_page(drawn_page)) is not None) is has_tree


def test_the_trees_of_a_crawl_are_bounded():
    """Three hundred of all sites together, four designs of a site."""
    sites = Sites()
    trees = [tree_of(page(number)) for number in range(2)]
    for number in range(320):
        sites.find(f"site{number}", "article").add(trees[0])
    assert len(sites.pages) == 300
    designs = sites.find("site", "article").designs
    assert designs.maxlen == 4


def test_separators_weigh_more_the_wider_they_are():
    """Up to 8 px one, below 16 px two, from there on two more every ten px, up to sixteen."""
    assert dict(zip(GAPS_PX, GAP_WEIGHTS, strict=False)) == {0: 0, 8: 1, 15: 2, 25: 4, 35: 6, 45: 8, 55: 10, 65: 12, 75: 14}
    assert GAP_WEIGHTS[-1] == 16


def test_alignment_is_bounded():
    """A pair of positions with 150 and 130 parts is aligned in its order, one of 150 and 140 by path alone."""
    for other_count, is_aligned in ((130, True), (140, False)):
        one, other = (tree([list(range(1, count + 1)), *([] for _ in range(count))]) for count in (150, other_count))
        other.xpaths = [f"/other/{place}" for place in range(len(other))]
        assert bool((align(one, other).matches[1:] >= 0).any()) is is_aligned
