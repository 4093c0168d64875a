"""Pages that are composed of the parts of one article page: lists of whole posts or long excerpts, and long articles with subheadings.

Both show several headings with paragraphs below each. In a list each heading is a title, mostly a link, with the lines that belong to a
title; in an article it is a subheading, and teasers of other pages may follow. A composed page keeps the design of its page: its header,
its menus, its sidebars, the place and the font sizes of its text.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.pagetype.layout_raster import Boxes, body_font
from webcontent.training.pagetype.augmentation.banners import SCREEN_PX, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]

LINKED_SHARE, LONG_TEXT, LARGE, COLUMN_PX = 0.8, 80, 1.25, 24
"""A box is linked when so much of its text is, long from so many characters, large from so many times the size of the running text, and in
one column with those whose left edges are within so many pixels."""
LISTS_SHARE, ARTICLES_SHARE = 0.4, 0.2
"""Composed lists among the training pages, as a share of the number of lists, and the share of the articles that a long article stands
for."""
LEAST_TEXT, LEAST_PARAGRAPHS, MOST_LINKS = 500, 3, 0.3
"""Characters and paragraphs of a body, from which pages are composed of it, and the largest share of it in links."""
END_PX, POST_PX = 5000, 2000
"""Composed pages get no further post or section below this, the networks see less; and the greatest height of a post, so that a second one
is seen."""
POSTS, SECTIONS, EXCERPT, TEASERS = (2, 13), (2, 9), (1, 5), (2, 7)
"""Numbers of posts, of sections, of paragraphs of an excerpt, and of teasers."""
GAP_PX, LINE_PX = (20, 120), 24
NAME_LETTERS, SUBHEADING_LETTERS, TEASER_LETTERS, TEASER_TEXT, LINK_LETTERS = (4, 24), (8, 50), (20, 90), (40, 160), (6, 22)
SUBHEADINGS = ("h2", "h3", "h4", "p")
AT_FOOT_PX = 400
"""What stands in the column of an article and higher above the end of the page belongs to the article: its comments, its neighbours."""


class Story(NamedTuple):
    """Where the article of a page stands."""

    title: int
    """Row of its headline."""
    head: NDArray[np.intp]
    """Rows from the headline to its text, with the headline."""
    body: NDArray[np.intp]
    """Rows of its text with its images, from above to below."""
    left: float
    right: float
    """Edges of its column in px."""
    middle: float
    """y where its text begins."""
    bottom: float
    """y where its text ends."""


def find_story(boxes: Boxes) -> Story | None:
    """The headline and the text of an article page; None where they are not clear or the text is short."""
    linked = boxes.link >= LINKED_SHARE * np.maximum(boxes.whole, 1)
    is_long = (boxes.own >= LONG_TEXT) & ~linked
    column = np.round(boxes.x / COLUMN_PX).astype(int)
    if not is_long.any():
        return None
    places, inverse = np.unique(column[is_long], return_inverse=True)
    main = places[np.bincount(inverse, weights=boxes.own[is_long]).argmax()]
    inside = is_long & (abs(column - main) <= 1)
    if boxes.own[inside].sum() < LEAST_TEXT or inside.sum() < LEAST_PARAGRAPHS:
        return None
    middle, bottom = float(boxes.y[inside].min()), float((boxes.y + boxes.h)[inside].max())
    left, right = float(boxes.x[inside].min()), float((boxes.x + boxes.w)[inside].max())
    title = _title(boxes, left, right, middle)
    centre_x, centre_y = boxes.x + boxes.w / 2, boxes.y + boxes.h / 2
    is_part = (centre_x > left - COLUMN_PX) & (centre_x < right + COLUMN_PX)
    is_body = is_part & (centre_y >= middle) & (centre_y <= bottom)
    is_tall = (boxes.own > 0) & (boxes.h > SCREEN_PX)  # such a text holds others, which would not move with it
    if title is None or (is_body & is_tall).any() or boxes.own[is_body & linked].sum() > MOST_LINKS * boxes.own[is_body].sum():
        return None
    head = is_part & (boxes.y >= boxes.y[title] - 1) & (centre_y < middle)
    body = np.flatnonzero(is_body & (boxes.h < bottom - middle))
    return Story(title, np.flatnonzero(head), body[np.argsort(boxes.y[body], kind="stable")], left, right, middle, bottom)


def _title(boxes: Boxes, left: float, right: float, middle: float) -> int | None:
    """The row of the largest text without a link above the body, at most a screen away."""
    is_plain = (boxes.own > 0) & (boxes.link < LINKED_SHARE * boxes.whole)
    is_above = (boxes.y + boxes.h <= middle + LINE_PX) & (boxes.y > middle - SCREEN_PX) & is_plain
    is_beside = (boxes.x < right) & (boxes.x + boxes.w > left) & (boxes.y < middle)
    rows = np.flatnonzero(is_above & is_beside & (boxes.font >= LARGE * body_font(boxes)))
    return int(rows[len(rows) - 1 - boxes.font[rows][::-1].argmax()]) if len(rows) else None


class Composer:
    """Composes training pages of the articles among some pages. `labels`: 1 for articles, 0 for lists."""

    def __init__(self, boxes: Sequence[Boxes], labels: NDArray[np.int64]) -> None:
        self.boxes, self.labels = boxes, labels
        self.stories = [find_story(one) if label else None for one, label in zip(boxes, labels.tolist(), strict=True)]

    def with_lists(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Rows to train on, and further numbers, from the number of pages on, that each stand for a composed list."""
        count = round(LISTS_SHARE * int((self.labels[rows] == 0).sum()))
        return np.concatenate([rows, len(self.boxes) + np.arange(count if self.designs(rows) else 0)])

    def designs(self, rows: NDArray[np.intp]) -> list[int]:
        """Those of some rows that lists can be composed of."""
        return [row for row in rows.tolist() if row < len(self.boxes) and self.stories[row] is not None]

    def page(self, row: int, designs: Sequence[int], generator: np.random.Generator) -> Boxes:
        """The boxes of a page, on a share of the calls those of a long article in its design; from the number of pages on, a composed
        list in one of the designs."""
        if row >= len(self.boxes):
            return self.list(designs[int(generator.integers(len(designs)))], generator)
        return self.article(row, generator) if generator.random() < ARTICLES_SHARE else self.boxes[row]

    def list(self, row: int, generator: np.random.Generator) -> Boxes:
        """A list of posts in the design of a page, or the page where it has no clear article."""
        story = self.stories[row]
        return list_of_posts(self.boxes[row], story, generator) if story else self.boxes[row]

    def article(self, row: int, generator: np.random.Generator) -> Boxes:
        """A long article in the design of a page, or the page where it has no clear article."""
        story = self.stories[row]
        return long_article(self.boxes[row], story, generator) if story else self.boxes[row]


class Builder:
    """Stacks copies of rows of a page, and new boxes, below each other."""

    def __init__(self, boxes: Boxes, y: float) -> None:
        self.boxes, self.y, self.parts = boxes, y, [chosen(boxes, np.zeros(0, np.intp))]

    def copy(self, rows: NDArray[np.intp], top: float, end: float, **changes: Any) -> None:
        """Copies rows that stand between `top` and `end`; `changes`: columns of the copies that differ."""
        part = chosen(self.boxes, rows)
        self.parts.append(part._replace(y=part.y - top + self.y, **changes))
        self.y += end - top

    def add(
        self,
        tag: str,
        place: tuple[float, float],
        lines: int,
        font: float,
        letters: int,
        *,
        is_link: bool = False,
        is_heading: bool = False,
    ) -> None:
        """Adds a text of so many lines at the current y, or an image where it has no letters, and does not move y. `place`: x and width."""
        count, path = float(letters), f"/html/body/main/{tag}/a" if is_link else f"/html/body/main/{tag}"
        row = (place[0], self.y, place[1], lines * LINE_PX, font, count, count, count * is_link, float(not letters), 1, float(is_heading))
        self.parts.append(Boxes._make([*(np.array([value]) for value in row), [tag], [path]]))

    def page(self, rest: Boxes) -> Boxes:
        """All parts with the rest of the page, repetitions counted anew."""
        boxes = joined(*self.parts, rest)
        count = Counter(path for path, own in zip(boxes.paths, boxes.own.tolist(), strict=True) if own > 0)
        return boxes._replace(repeated=np.array([count[path] for path in boxes.paths]))


def chosen(boxes: Boxes, rows: NDArray[np.intp]) -> Boxes:
    """Some rows of a table."""
    columns: list[Any] = [column[rows] for column in boxes[:-2]]
    return Boxes._make([*columns, [boxes.tags[row] for row in rows.tolist()], [boxes.paths[row] for row in rows.tolist()]])


# ---------------------------------------------------------------------------------------------------------------- lists
def list_of_posts(boxes: Boxes, story: Story, generator: np.random.Generator) -> Boxes:
    """A list in the design of an article page: several times its headline with all or some of its paragraphs."""
    builder, font = Builder(boxes, float(boxes.y[story.title])), body_font(boxes)
    width = story.right - story.left
    if generator.random() < 0.4:  # the name of the list
        size, letters = font * generator.uniform(1.3, 2.2), _between(generator, NAME_LETTERS)
        builder.add("h1", (story.left, width / 2), 2, size, letters, is_heading=True)
        builder.y += _between(generator, GAP_PX) + 2 * LINE_PX
    is_excerpt, is_linked, with_images, with_foot = (generator.random(4) < (0.35, 0.8, 0.7, 0.6)).tolist()
    smaller, gap = generator.uniform(0.65, 1.0), _between(generator, GAP_PX)
    for _ in range(_between(generator, POSTS)):
        _copy_head(builder, story, smaller, is_linked=is_linked)
        _copy_paragraphs(builder, story, generator, with_images=with_images, most=_between(generator, EXCERPT) if is_excerpt else None)
        if with_foot:
            _add_row(builder, story.left, _between(generator, (1, 5)), font, generator)
        builder.y += gap
        if builder.y > END_PX:
            break
    if generator.random() < 0.6:  # further pages of the list
        _add_row(builder, story.left, _between(generator, (2, 9)), font, generator)
    return builder.page(_rest(boxes, story, builder.y, generator.random() < 0.7))


def _copy_head(builder: Builder, story: Story, smaller: float, *, is_linked: bool) -> None:
    """A copy of the headline and what follows it, the headline as a link."""
    boxes, rows = builder.boxes, story.head
    is_title = rows == story.title
    changes = {"font": np.where(is_title, np.maximum(boxes.font[rows] * smaller, body_font(boxes)), boxes.font[rows])}
    if is_linked:
        changes["link"] = np.where(is_title, boxes.whole[rows], boxes.link[rows])
    builder.copy(rows, float(boxes.y[story.title]), story.middle, **changes)


def _copy_paragraphs(builder: Builder, story: Story, generator: np.random.Generator, *, with_images: bool, most: int | None) -> None:
    """A copy of consecutive paragraphs, `most` at most."""
    boxes = builder.boxes
    rows = story.body if with_images else story.body[boxes.image[story.body] == 0]
    first = int(generator.integers(len(rows)))
    count = _between(generator, (1, len(rows) - first + 1))
    rows = rows[first : first + (count if most is None else min(count, most))]
    top, ends = float(boxes.y[rows[0]]), (boxes.y + boxes.h)[rows]
    rows = rows[(ends < top + POST_PX) | (rows == rows[0])]
    builder.copy(rows, top, float((boxes.y + boxes.h)[rows].max()))


def _add_row(builder: Builder, x: float, count: int, font: float, generator: np.random.Generator) -> None:
    """A row of small links: to the post, its comments, its tags, or to further pages."""
    builder.y += LINE_PX / 2
    for number in range(count):
        builder.add("nav", (x + 110 * number, 90), 1, font, _between(generator, LINK_LETTERS), is_link=True)
    builder.y += LINE_PX


# ------------------------------------------------------------------------------------------------------------- articles
def long_article(boxes: Boxes, story: Story, generator: np.random.Generator) -> Boxes:
    """An article in the design of a page: its headline, paragraphs below subheadings, and teasers of other articles."""
    builder, font = Builder(boxes, float(boxes.y[story.title])), body_font(boxes)
    width = story.right - story.left
    builder.copy(story.head, builder.y, story.middle)
    size = font * generator.uniform(1.0, 1.7)
    tag = SUBHEADINGS[int(generator.integers(len(SUBHEADINGS)))]
    gap = _between(generator, (10, 60))
    for number in range(_between(generator, SECTIONS)):
        if number:
            letters = _between(generator, SUBHEADING_LETTERS)
            builder.add(tag, (story.left, width * letters / SUBHEADING_LETTERS[1]), 1, size, letters, is_heading=tag != "p")
            builder.y += LINE_PX + gap / 2
        _copy_paragraphs(builder, story, generator, with_images=True, most=None)
        builder.y += gap
        if builder.y > END_PX:
            break
    if generator.random() < 0.6:
        _add_teasers(builder, story, font, generator)
    return builder.page(_rest(boxes, story, builder.y, generator.random() < 0.3))


def _add_teasers(builder: Builder, story: Story, font: float, generator: np.random.Generator) -> None:
    """Linked headlines of other articles, side by side or one below the other, with images or a sentence each."""
    with_image, with_text = (generator.random(2) < 0.5).tolist()
    count, across = _between(generator, TEASERS), int(generator.integers(1, 4))
    width, size = (story.right - story.left) / across, font * generator.uniform(1.0, 1.3)
    builder.y += 2 * LINE_PX
    for first in range(0, count, across):
        start = builder.y
        for place in range(min(across, count - first)):
            builder.y, x = start, (story.left + place * width, width - LINE_PX)
            if with_image:
                builder.add("img", x, 7, font, 0)
                builder.y += 8 * LINE_PX
            builder.add("h3", x, 2, size, _between(generator, TEASER_LETTERS), is_link=True, is_heading=True)
            builder.y += 2 * LINE_PX
            if with_text:
                builder.add("p", x, 3, font, _between(generator, TEASER_TEXT))
                builder.y += 3 * LINE_PX
        builder.y += LINE_PX


def _rest(boxes: Boxes, story: Story, end: float, is_cut: bool) -> Boxes:
    """The page without its article; what stood below moves to below `end`. `is_cut`: without what belongs to the article, either."""
    kept = np.ones(len(boxes.x), bool)
    kept[story.head] = kept[story.body] = False
    is_below = boxes.y >= story.bottom
    if is_cut:
        centre = boxes.x + boxes.w / 2
        is_beside = (centre < story.left) | (centre > story.right)
        kept &= ~is_below | is_beside | (boxes.y > (boxes.y + boxes.h).max() - AT_FOOT_PX)
    lowest = float(boxes.y[kept & is_below].min(initial=story.bottom if not (kept & is_below).any() else np.inf))
    moved = boxes._replace(y=np.where(is_below, boxes.y - lowest + end + LINE_PX, boxes.y))
    return chosen(moved, np.flatnonzero(kept))


def _between(generator: np.random.Generator, numbers: tuple[int, int]) -> int:
    return int(generator.integers(*numbers))
