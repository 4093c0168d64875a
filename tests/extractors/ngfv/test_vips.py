"""Boxes -> visual blocks."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from benchmarks.vips import segments
from tests.extractors.ngfv.drawn import drawn
from webcontent.document.boxes import box_columns
from webcontent.extractors.ngfv.vips import CUES, Structure, VisualBlock, coherence, cues, visual_blocks
from webcontent.extractors.ngfv.visual_layout import Layout

STORY = "<p>" + "The council met on Monday to decide about the new bridge over the river. " * 4 + "</p>"
NEWS = f"""<html><body>
<header color=#222222><img src=logo.png><nav><ul><li><a href=/>Home</a></li><li><a href=/news>News</a></li><li><a href=/about>About</a></li></ul></nav></header>
<div columns>
<main><h1>A new bridge over the river</h1>{STORY * 3}<h2>What it costs</h2>{STORY * 2}</main>
<aside color=#eeeeee><h3>Most read</h3><ul>{"".join(f"<li><a href=/{n}>A headline of another story, number {n}</a></li>" for n in range(6))}</ul></aside>
</div>
<footer color=#222222><p>Imprint</p><p>Contact</p></footer>
</body></html>"""


def blocks_in(block: VisualBlock) -> list[VisualBlock]:
    """The block and all blocks in it."""
    return [block, *(inner for child in block.children for inner in blocks_in(child))]


def blocks_of(html: str) -> VisualBlock:
    root = visual_blocks(drawn(html).boxes or [])
    assert root is not None
    return root


def outline(block: VisualBlock, depth: int = 0, permitted_doc: int = 7) -> list[str]:
    """The tree down to a permitted DoC as lines: the last steps of the elements, and the DoC."""
    names = "+".join(xpath.rpartition("/")[2] for xpath in block.xpaths)
    parts = block.children if block.doc < permitted_doc else []
    return ["  " * depth + f"{names} {block.doc}", *(line for part in parts for line in outline(part, depth + 1, permitted_doc))]


def test_a_news_page():
    """Header, story, sidebar and footer part first; the heading in the story begins a group of its own."""
    assert outline(blocks_of(NEWS)) == [
        "body 1",
        "  header 6",
        "    img 10",
        "    ul 9",
        "  div+footer 1",
        "    div 1",
        "      main 4",
        "        h1+p[1]+p[2]+p[3] 8",
        "        h2+p[4]+p[5] 9",
        "      aside 6",
        "        h3 10",
        "        ul 9",
        "    footer 9",
    ]


def test_the_large_parts_of_a_page():
    """At a low permitted DoC a segmentation has the parts that a person names first."""
    names = [block.xpaths[0].rpartition("/")[2] for block in segments(blocks_of(NEWS), 3)]
    assert names == ["header", "main", "aside", "footer"]


def test_separators_part_where_the_font_changes():
    """Of paragraphs in a row those below a heading belong together; in such a group, the paragraphs."""
    structure = Structure(Layout(box_columns(drawn(f"<body><h2>One</h2>{STORY * 2}<h2>Two</h2>{STORY * 2}</body>").boxes)))
    groups = [[structure.layout.tags[element] for element in members] for members in structure.members if len(members) > 1]
    assert groups == [["h2", "p", "p"], ["p", "p"]] * 2


def test_separators_part_where_the_color_changes():
    """Touching blocks of other colours are two."""
    html = (
        "<body>"
        + "".join(f"<div color={color}><p>Some words of a line</p></div>" for color in ("#fff000", "#fff000", "#000fff", "#000fff"))
        + "</body>"
    )
    structure = Structure(Layout(box_columns(drawn(html).boxes)))
    assert [len(members) for members in structure.members if len(members) > 1] == [2, 2]


def test_a_single_child_stands_for_its_parent():
    """Rule 2: wrappers are no blocks of their own."""
    root = blocks_of(f"<body><div><div><section>{STORY * 2}</section></div></div></body>")
    assert root.xpaths == ["/html/body/div/div/section"]


def test_a_paragraph_with_links_is_one_text():
    """Rule 4: inline children do not divide a text."""
    root = blocks_of("<body><p>One <a href=/x>two</a> <b>three</b> four</p><p>five</p></body>")
    assert [(block.xpaths, block.doc) for block in segments(root)] == [(["/html/body/p[1]"], 10), (["/html/body/p[2]"], 10)]


def test_what_a_block_counts():
    """Characters, those in links, and links, of all that is in it."""
    root = blocks_of("<body><p>Twelve chars</p><ul><li><a href=/1>one</a></li><li><a href=/2>three</a></li></ul></body>")
    assert (root.text, root.link_text, root.links) == (20, 8, 2)
    lists = next(block for block in blocks_in(root) if block.xpaths == ["/html/body/ul"])
    assert (lists.text, lists.link_text, lists.links) == (8, 8, 2)


def test_elements_without_a_row_are_as_large_as_what_they_hold():
    """The table of a crawl lists only what is drawn."""
    rows = [[f"/html/body/div[{n}]/p", "p", 100 * n, 50 * n, 80, 20, 16, 400, "#000000", "#ffffff", 9, 9, 0, 0, 0] for n in (1, 2, 3)]
    root = visual_blocks(rows)
    assert root is not None
    assert root.xpaths == ["/html/body"]
    assert root.rectangle == (100, 50, 280, 120)


def test_fifteen_columns_are_enough():
    """Tables of other tools have no display, no media: the tags tell."""
    boxes = drawn(NEWS).boxes or []
    assert outline(visual_blocks([row[:15] for row in boxes])) == outline(visual_blocks(boxes))


def test_the_permitted_doc_decides_how_fine():
    """1 divides nothing, 10 all there is."""
    root = blocks_of(NEWS)
    counts = [len(segments(root, doc)) for doc in range(1, 11)]
    assert counts == sorted(counts)
    assert counts[0] == 1
    assert counts[-1] > 15


def random_rows(seed: int, count: int = 150) -> list[list[Any]]:
    """Boxes that overlap, nest and repeat as no page's would."""
    rng = random.Random(seed)
    paths = ["/html/body"]
    rows = []
    for _ in range(count):
        path = f"{rng.choice(paths)}/{rng.choice(('div', 'p', 'a', 'ul', 'td', 'hr', 'img'))}[{rng.randint(1, 4)}]"
        paths.append(path)
        x, y, w, h = rng.randint(-50, 1300), rng.randint(0, 5000), rng.randint(0, 900), rng.randint(0, 400)
        color, text = rng.choice(("#ffffff", "#eeeeee", "")), rng.choice((0, 5, 200))
        tag = path.rpartition("/")[2].partition("[")[0]
        rows.append([path, tag, x, y, w, h, rng.choice((12, 16, 30)), 400, "#000000", color, text, text, rng.choice((0, text)), 1, 0])
    return rows


@pytest.mark.parametrize("seed", range(12))
def test_doc_never_falls_from_parent_to_child(seed: int):
    """And a block's rectangle holds its parts; every text is in exactly one leaf or between leaves."""
    root = visual_blocks(random_rows(seed))
    assert root is not None
    for block in blocks_in(root):
        assert 1 <= block.doc <= 10
        left, top, width, height = block.rectangle
        for part in block.children:
            assert part.doc >= block.doc
            assert left <= part.rectangle[0] <= part.rectangle[0] + part.rectangle[2] <= left + width
            assert top <= part.rectangle[1] <= part.rectangle[1] + part.rectangle[3] <= top + height
        assert block.text >= sum(part.text for part in block.children)
    leaves = [xpath for block in segments(root) for xpath in block.xpaths]
    assert len(leaves) == len(set(leaves))


ROW: list[Any] = ["/html/body/p", "p", 0, 0, 100, 20, 16, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]


def changed(**values: Any) -> list[Any]:
    row = list(ROW)
    for name, value in values.items():
        row[{"path": 0, "x": 2, "y": 3, "w": 4, "h": 5, "own": 10}[name]] = value
    return row


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [["too", "short"]],
        [changed(w=0)],
        [changed(h=-5)],
        [changed(x=math.nan, y=math.nan)],
    ],
    ids=["none", "too short", "no width", "negative height", "no place"],
)
def test_nothing_to_see(rows: list[list[Any]]):
    """A table that shows nothing has no blocks; what has no number for a place stands at the corner."""
    root = visual_blocks(rows)
    assert root is None or root.rectangle == (0, 0, 100, 20)


@pytest.mark.parametrize(
    "rows",
    [
        [changed(x=math.inf, w=math.inf)],
        [changed(x=-1e30, w=1e30), changed(path="/html/body/div", h=1e38)],
        [changed(path="/a" * 5000), changed(path="/a" * 5000 + "/b")],
        [changed(path=""), changed(path="no slash"), changed(path="///")],
        [changed(path=None), changed(path=7)],
        [ROW] * 500,
        [changed(own=1e9), changed(path="/html/body/p/b", own=-5)],
    ],
    ids=["infinite", "beyond floats", "deep", "odd paths", "no paths", "the same row", "odd counts"],
)
def test_hostile_tables(rows: list[list[Any]]):
    """Whatever stands in a table: a tree, with numbers in it."""
    root = visual_blocks([ROW, *rows])
    assert root is not None
    assert all(math.isfinite(number) for block in blocks_in(root) for number in block.rectangle)


def test_a_spiral_is_not_cut_for_ever():
    """Boxes that can only be parted one by one, in turn from each side: the groups inside each other are bounded."""
    left, top, right, bottom = 0, 0, 40_000, 40_000
    rows = []
    for n in range(400):
        side = n % 4
        place = [
            (left, top, 10, bottom - top),
            (left, top, right - left, 10),
            (right - 10, top, 10, bottom - top),
            (left, bottom - 10, right - left, 10),
        ][side]
        rows.append(changed(path=f"/html/body/p[{n}]", **dict(zip("xywh", place, strict=True))))
        left, top = left + 20 * (side == 0), top + 20 * (side == 1)
        right, bottom = right - 20 * (side == 2), bottom - 20 * (side == 3)
    depth, level = 0, [visual_blocks(rows)]
    while level:
        depth, level = depth + 1, [part for block in level if block for part in block.children]
    assert depth <= 36


def test_cues_are_those_that_have_a_weight():
    """A figure for each weight, for every block; coherence is a chance."""
    structure = Structure(Layout(box_columns(drawn(NEWS).boxes)))
    assert cues(structure).shape == (len(structure.members), len(CUES))
    assert np.isfinite(cues(structure)).all()
    whole = coherence(structure)
    assert ((whole > 0) & (whole < 1)).all()


def test_the_depth_of_a_block_is_counted_to_twelve():
    html = "".join(f"<div color=#{n % 2}{n % 2}2222><p>Line {n} of the page</p>" for n in range(16)) + "</div>" * 16
    structure = Structure(Layout(box_columns(drawn(f"<body>{html}</body>").boxes)))
    assert cues(structure)[:, list(CUES).index("depth")].max() == 12


@pytest.mark.corpora
def test_blocks_are_those_that_people_marked():
    """On pages of the corpus segmentation, by its own script; the weights were fitted on these pages."""
    from benchmarks.vips import _scorer, prediction
    from webcontent.evaluation.corpora import load_segmentation

    scorer = _scorer()
    scores = []
    for record, _ in zip(load_segmentation(), range(20), strict=False):
        root = visual_blocks(record["boxes"])
        assert root is not None
        scores.append(scorer.score_page(record["rows"], record["gold"]["blocks"], prediction(root, 6)))
    assert 0.8 < scorer.mean(scores, "fine")[2] < 0.95
    assert 0.4 < scorer.mean(scores, "rect")[2] < 0.7
