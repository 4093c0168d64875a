"""Features of where a story begins and ends: headings of the title's design, dates, repeated texts, and what the page declares of itself.

What fusion takes too much of is mostly another story: one that scrolling appended, or a row of teasers. Such a story has a headline in the
design of the first one, or many headlines in one design with little text under each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.features.blocks import LIKE_TITLE, MAX_COUNT, shared_depth
from webcontent.document.features.columns import matrix, windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.features.columns import Columns
    from webcontent.document.features.context import FeatureContext

STORY_FEATURES: tuple[str, ...] = (
    "title_design_before", "title_design_total", "title_design_words", "after_title_block", "title_depth", "section_linked",
    "section_heading_words", "design_sections", "design_section_words", "design_linked", "articles_before", "in_title_article",
    "dates_before", "dates_total", "since_date", "copied_near", "copied_before", "declared_body", "declared_share", "description_found",
    "after_description",
)  # fmt: skip
"""The columns, in their order."""

MAX_HEADING_WORDS = 40
"""A longer block in a heading element is text."""
LEAST_DATE_DIGITS, MOST_DATE_DIGITS, MOST_DATE_CHARACTERS = 5, 14, 60
"""A short block with so many digits is mostly a date."""
NEAR = 3
"""Blocks on each side of a window."""
LEAST_COPIED_WORDS = 6
"""Shorter texts are repeated by chance."""
LEAST_DECLARED_CHARACTERS = 12
"""Shorter texts occur in any article body by chance."""
READ_CHARACTERS, DESCRIPTION_CHARACTERS = 100, 30
"""What is read of a description, and its beginning that is looked for in the blocks."""


def story_features(context: FeatureContext) -> NDArray[np.float32]:
    """STORY_FEATURES of each block: float32 [blocks, len(STORY_FEATURES)], finite."""
    if not context.count:
        return np.zeros((0, len(STORY_FEATURES)), np.float32)
    title = _title_block(context)
    columns = _title_design(context, title) | _sections(context) | _articles(context, title) | _dates(context, title)
    columns |= _copies(context) | _declared(context)
    return matrix(STORY_FEATURES, columns, context.count)


def _levels_of_headings(context: FeatureContext) -> NDArray[np.int64]:
    return np.where(context.words > MAX_HEADING_WORDS, 0, context.heading_levels)


def _title_block(context: FeatureContext) -> int:
    """The block that is most like the page's title, of equal ones the first; else the first heading of the highest level."""
    likeness = context.title_likeness
    best = int(np.argmax(likeness))
    if likeness[best] > LIKE_TITLE:
        return best
    level = _levels_of_headings(context)
    headings = np.flatnonzero(level)
    return int(headings[np.argmin(level[headings])]) if len(headings) else 0


def _title_design(context: FeatureContext, title: int) -> Columns:
    """Blocks of the title's own path of tags and classes: how many stand before each block, behind the title."""
    path, positions = context.paths[0], np.arange(context.count)
    is_design = path == path[title]
    return {
        "title_design_before": np.cumsum(is_design & (positions > title)),
        "title_design_total": int(is_design.sum()),
        "title_design_words": float(context.words[is_design].mean()),
        "after_title_block": positions - title,
        "title_depth": shared_depth(context, int(context.blocks.element[title])),
    }


def _sections(context: FeatureContext) -> Columns:
    """The heading before each block, and all headings of its design: how many, how much of them is links, how much text is under each."""
    count, positions = context.count, np.arange(context.count)
    is_heading = _levels_of_headings(context) > 0
    last = np.maximum.accumulate(np.where(is_heading, positions, -1))
    path = context.paths[0]
    has_heading = last >= 0
    own = path[np.maximum(last, 0)]
    codes = int(path.max()) + 1
    headings = np.bincount(path[is_heading], minlength=codes)
    linked = np.bincount(path[is_heading], weights=context.link_share[is_heading], minlength=codes)
    words = np.bincount(own[has_heading], weights=context.words[has_heading], minlength=codes)
    number = np.maximum(1, headings[own])
    return {
        "section_linked": np.where(has_heading, context.link_share[np.maximum(last, 0)], 0.0),
        "section_heading_words": np.where(has_heading, context.words[np.maximum(last, 0)], 0.0),
        "design_sections": np.where(has_heading, headings[own], np.zeros(count)),
        "design_section_words": np.where(has_heading, words[own] / number, 0.0),
        "design_linked": np.where(has_heading, linked[own] / number, 0.0),
    }


def _articles(context: FeatureContext, title: int) -> Columns:
    """How many article elements with text end before each block, and whether the title's outermost one holds the block."""
    elements = context.elements
    rows = np.flatnonzero((elements.tag == TAG_CODES["article"]) & (elements.end > elements.start))
    before = np.zeros(context.count + 1)
    np.add.at(before, elements.end[rows], 1)
    holders = rows[(elements.start[rows] <= title) & (elements.end[rows] > title)]
    inside = np.full(context.count, -1.0)
    if len(holders):
        inside[:] = 0
        inside[elements.start[holders[0]] : elements.end[holders[0]]] = 1
    return {"articles_before": np.cumsum(before)[:-1], "in_title_article": inside}


def _dates(context: FeatureContext, title: int) -> Columns:
    """Short blocks with the digits of a date: how many stand behind the title and before each block."""
    digits, positions = context.class_counts["digit"], np.arange(context.count)
    is_date = (digits >= LEAST_DATE_DIGITS) & (digits <= MOST_DATE_DIGITS) & (context.chars <= MOST_DATE_CHARACTERS)
    last = np.maximum.accumulate(np.where(is_date, positions, -MAX_COUNT))
    return {
        "dates_before": np.cumsum(is_date & (positions > title)),
        "dates_total": int(is_date.sum()),
        "since_date": np.minimum(positions - last, MAX_COUNT),
    }


def _copies(context: FeatureContext) -> Columns:
    """Share of the words around each block, and before it, that stand on the page more than once."""
    words = np.where((context.words >= LEAST_COPIED_WORDS) & (context.copies[1] > 1), context.words, 0.0)
    ((near, all_near),) = windows(np.stack((words, context.words)), NEAR)
    return {"copied_near": near / all_near, "copied_before": (np.cumsum(words) - words) / max(1.0, float(words.sum()))}


def _declared(context: FeatureContext) -> Columns:
    """Whether a block stands in the articleBody that JSON-LD declares, how much of the page does; where the description begins."""
    document, count, texts = context.document, context.count, context.blocks.texts
    bodies = [body for node in document.json_ld if isinstance(body := node.get("articleBody"), str)]
    body = "".join(max(bodies, key=len, default="").split())
    found = np.full(count, -1.0)
    share = 0.0
    if body:
        found[:] = 0
        for i in np.flatnonzero(context.chars >= LEAST_DECLARED_CHARACTERS).tolist():
            found[i] = "".join(texts[i].split()) in body
        share = float(np.bincount(found.astype(np.int64), weights=context.chars, minlength=2)[1]) / len(body)
    place = _description_block(context)
    return {
        "declared_body": found,
        "declared_share": min(2.0, share),
        "description_found": float(place >= 0),
        "after_description": np.clip(np.arange(count) - place, -MAX_COUNT, MAX_COUNT) if place >= 0 else np.zeros(count),
    }


def _description_block(context: FeatureContext) -> int:
    """The first block that begins as the page's description does; -1 where there is none."""
    for name in ("description", "og:description"):
        content = next(iter(context.document.meta.get(name, ())), "")
        start = " ".join(content[:READ_CHARACTERS].split())[:DESCRIPTION_CHARACTERS]
        if len(start) >= LEAST_DECLARED_CHARACTERS:
            for i in np.flatnonzero(context.chars >= LEAST_DECLARED_CHARACTERS).tolist():
                if context.blocks.texts[i].startswith(start):
                    return int(i)
    return -1
