"""Pages that are composed of one article page: lists of posts, and long articles."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.pagetype.layout_raster import Boxes, read_boxes
from webcontent.training.pagetype.augmentation.posts import POST_PX, Composer, find_story, list_of_posts, long_article
from webcontent.training.pagetype.augmentation.variations import synthetic_boxes

HEADLINE, PARAGRAPH = 40, 300


def page(paragraphs: int = 6, *, tall: bool = False) -> Boxes:
    """An article with a menu above, a sidebar and a footer."""
    rows = [
        ("/html/body/nav/a", "a", 20, 10, 900, 20, 14, 8, 8),
        ("/html/body/main/article/h1", "h1", 200, 100, 600, 50, 32, HEADLINE, 0),
        ("/html/body/main/p[1]/time", "time", 200, 160, 100, 20, 12, 10, 0),
        ("/html/body/aside/a", "a", 1000, 500, 200, 20, 14, 12, 12),
    ]
    rows += [(f"/html/body/main/div/p[{i + 2}]", "p", 200, 200 + 120 * i, 600, 100, 16, PARAGRAPH, 0) for i in range(paragraphs)]
    rows += [("/html/body/main/div", "div", 200, 200, 600, 2000, 16, 100, 0)] if tall else []
    rows.append(("/html/body/footer/p", "p", 0, 300 + 120 * paragraphs, 1200, 20, 12, 30, 0))
    boxes = read_boxes(
        [[path, tag, x, y, w, h, font, 400, "#000", "#fff", own, own, link, 0, 0] for path, tag, x, y, w, h, font, own, link in rows]
    )
    assert boxes is not None
    return boxes


def headlines(boxes: Boxes) -> list[int]:
    return [row for row, path in enumerate(boxes.paths) if path == "/html/body/main/article/h1" and boxes.own[row] == HEADLINE]


def texts(boxes: Boxes) -> int:
    return int((boxes.own == PARAGRAPH).sum())


def test_the_story_is_the_headline_what_follows_it_and_the_paragraphs():
    boxes = page()
    story = find_story(boxes)
    assert story is not None
    assert boxes.tags[story.title] == "h1"
    assert [boxes.tags[row] for row in story.head] == ["h1", "time"]
    assert [boxes.tags[row] for row in story.body] == ["p"] * 6
    assert (story.left, story.right, story.middle, story.bottom) == (200, 800, 200, 900)


@pytest.mark.parametrize(
    "boxes",
    [page(2), page(tall=True), page()._replace(font=np.full(len(page().x), 16.0)), page()._replace(link=page().whole)],
    ids=["short", "one box holds all", "no headline", "only links"],
)
def test_a_page_without_a_clear_article_has_no_story(boxes: Boxes):
    assert find_story(boxes) is None


def test_a_list_has_headlines_with_their_lines_and_paragraphs_one_below_the_other():
    boxes, counts, linked = page(), set(), set()
    story = find_story(boxes)
    assert story is not None
    for seed in range(40):
        composed = list_of_posts(boxes, story, np.random.default_rng(seed))
        rows = headlines(composed)
        steps = np.diff(composed.y[rows])
        assert composed.tags.count("time") == len(rows)
        assert texts(composed) >= len(rows)
        assert (steps > 50).all()
        assert (steps < POST_PX + 500).all()
        assert set(composed.repeated[rows]) == {len(rows)}
        assert len({len(column) for column in composed}) == 1
        counts.add(len(rows))
        linked |= set((composed.link[rows] == HEADLINE).tolist())
    assert min(counts) == 2
    assert max(counts) > 8
    assert linked == {True, False}


def test_the_rest_of_the_page_stays_and_the_footer_moves_below():
    boxes = page()
    story = find_story(boxes)
    assert story is not None
    for compose in (list_of_posts, long_article):
        composed = compose(boxes, story, np.random.default_rng(1))
        menu, side, foot = (composed.paths.index(f"/html/body/{name}") for name in ("nav/a", "aside/a", "footer/p"))
        assert (composed.y[menu], composed.y[side]) == (10, 500)
        assert composed.y[foot] >= composed.y[composed.own == PARAGRAPH].max()


def test_a_long_article_has_one_headline_and_subheadings_without_links():
    boxes, most = page(), 0
    story = find_story(boxes)
    assert story is not None
    for seed in range(40):
        composed = long_article(boxes, story, np.random.default_rng(seed))
        assert len(headlines(composed)) == 1
        assert composed.link[headlines(composed)[0]] == 0
        subheadings = [
            row for row, path in enumerate(composed.paths) if path.startswith("/html/body/main/h") and row not in headlines(composed)
        ]
        assert not composed.link[[row for row in subheadings if not composed.paths[row].endswith("/a")]].any()
        most = max(most, texts(composed))
    assert most > 12


def test_composed_lists_have_numbers_of_their_own_and_articles_stay_articles():
    boxes = [page(), page(8), synthetic_boxes(1), *[synthetic_boxes(2)] * 9]
    composer = Composer(boxes, np.array([1, 1, 1] + [0] * 9))
    rows, generator = np.arange(12), np.random.default_rng(0)
    designs = composer.designs(rows)
    assert designs == [0, 1]
    np.testing.assert_array_equal(composer.with_lists(rows), [*range(12), 12, 13, 14, 15])
    assert all(len(headlines(composer.page(12, designs, generator))) >= 2 for _ in range(9))
    lengths = [texts(composer.page(0, designs, generator)) for _ in range(40)]
    assert 0.5 < lengths.count(6) / len(lengths) < 1
    assert {len(headlines(composer.page(0, designs, generator))) for _ in range(40)} == {1}
    assert all(composer.page(row, designs, generator) is boxes[row] for row in range(2, 12) for _ in range(5))


def test_without_a_clear_article_nothing_is_composed():
    composer = Composer([synthetic_boxes(1), synthetic_boxes(2)], np.array([1, 0]))
    np.testing.assert_array_equal(composer.with_lists(np.arange(2)), [0, 1])
