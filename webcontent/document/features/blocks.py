"""Document -> features of each block: what block classifiers learn from. No feature knows a site or a language by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags
from webcontent.document.characters import TERMINATOR, UPPER
from webcontent.document.features.columns import matrix, shifted, windows
from webcontent.document.features.context import FeatureContext
from webcontent.document.features.markup_groups import CLASS_GROUPS, TAG_GROUPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.features.columns import Column, Columns
    from webcontent.document.parsing import Document

FEATURES: tuple[str, ...] = (
    "words", "chars_per_word", "link_share", "stops", "commas", "upper_share", "digit_share", "cjk_share", "currencies",
    "ends_sentence", "starts_upper", "hidden", "noscript", "copies", "copy_number", "tag", "depth", "level0_words", "level0_link_share",
    "level1_words_per_block", "level1_link_share", "level1_good_share", "level1_good_density", "level1_page_share", "level1_place",
    "level2_words", "level2_words_per_block", "level2_link_share", "level2_good_share", "level2_good_density", "level2_page_share",
    "level2_stops", "level3_words", "level3_words_per_block", "level3_link_share", "level3_good_share", "level3_page_share",
    "level3_stops", "level3_place", "level4_words", "level4_words_per_block", "level4_link_share", "level4_good_share",
    "level4_good_density", "level4_page_share", "level4_stops", "level4_place", "level5_words", "level5_words_per_block",
    "level5_link_share", "level5_good_share", "level5_good_density", "level5_page_share", "level5_stops", "level5_place", "path_blocks",
    "path_words", "path_page_share", "path_words_per_block", "path_link_share", "path_good_share", "path_stops", "tagpath_blocks",
    "tagpath_words", "tagpath_page_share", "tagpath_words_per_block", "tagpath_link_share", "tagpath_good_share", "tagpath_stops",
    "region40_offset", "region40_shared_depth", "region40_words", "region60_offset", "region60_shared_depth", "region60_words",
    "region80_offset", "region80_shared_depth", "region80_words", "climb_score", "climb_best", "tag_article", "tag_aside", "tag_button",
    "tag_figure", "tag_footer", "tag_form", "tag_h1", "tag_li", "tag_list", "tag_main", "tag_nav", "tag_section", "tag_table", "tag_td",
    "class_ad", "class_author", "class_body", "class_caption", "class_comment", "class_consent", "class_content", "class_description",
    "class_dialog", "class_filter", "class_footer", "class_form", "class_header", "class_hero", "class_hidden", "class_main",
    "class_menu", "class_message", "class_post", "class_product", "class_related", "class_review", "class_signature", "class_tab",
    "class_table", "class_tag", "class_title", "class_widget", "in_title", "title_found", "after_title", "place", "words_before",
    "good_before", "after_h1", "h1_shares", "heading_level", "section_level", "after_heading", "section_words", "headings_before",
    "since_good", "until_good", "link_share-2", "words-1", "link_share-1", "words+1", "link_share+1", "window5_link_share",
    "window15_words", "window15_link_share", "run_size", "run_words", "run_spread", "run_blocks", "run_page_share", "run_link_share",
    "run_linked", "run_pictured", "run_from_top", "run_place", "card_size", "card_words", "card_spread", "card_blocks",
    "card_page_share", "card_link_share", "card_priced", "card_from_top", "outer_size", "outer_words", "outer_spread", "outer_blocks",
    "outer_page_share", "outer_good_share", "outer_link_share", "outer_pictured", "outer_priced", "outer_from_top", "page_words",
    "page_blocks", "page_link_share", "page_good_share", "page_good_blocks", "page_longest", "page_hidden_share", "page_currencies",
    "page_digit_share", "page_articles", "page_paragraphs", "page_items", "page_images", "page_forms", "page_scripts",
)  # fmt: skip
"""The columns that models learn from, in their order: those of about 250 that gain most."""

REGION_PERCENTS = (40, 60, 80)
"""Shares of the page's running text whose smallest containers are looked at."""
LIKE_TITLE = 0.3
"""Likeness from which on a block counts as the title's place."""
NARROW, WIDE = 5, 15
"""Blocks on each side of a window."""
MAX_COUNT = 99
"""Larger distances in blocks, and larger numbers of scripts, are cut to this."""
_IS_IMAGE = are_tags("img picture")


def features(document: Document, context: FeatureContext | None = None) -> NDArray[np.float32]:
    """The features of a document's blocks: float32 [blocks, len(FEATURES)], finite. `context`: the document's, where it exists already."""
    if not len(document.blocks):
        return np.zeros((0, len(FEATURES)), np.float32)
    return matrix(FEATURES, all_features(context or FeatureContext(document)), len(document.blocks))


def all_features(context: FeatureContext) -> Columns:
    """Every column that this module computes, by name."""
    groups = (_own, _levels, _paths, _regions, _distances, _title_likeness, _positions, _neighbours, _records, _page)
    return {name: column for group in groups for name, column in group(context).items()}


def _own(context: FeatureContext) -> Columns:
    blocks, counts, chars = context.blocks, context.class_counts, np.maximum(context.chars, 1)
    number, copies = context.copies
    return {
        "words": context.words,
        "chars_per_word": chars / context.words,
        "link_share": context.link_share,
        "stops": counts["terminator"],
        "commas": counts["comma"],
        "upper_share": counts["upper"] / chars,
        "digit_share": counts["digit"] / chars,
        "cjk_share": counts["cjk"] / chars,
        "currencies": counts["currency"],
        "ends_sentence": context.last_class == TERMINATOR,
        "starts_upper": context.first_class == UPPER,
        "hidden": blocks.hidden,
        "noscript": blocks.noscript,
        "copies": copies,
        "copy_number": number,
        "tag": blocks.tag,
        "depth": context.elements.depth[blocks.element],
    }


def _levels(context: FeatureContext) -> Columns:
    """Amount and sort of the text in the block's element and in its next wider ancestors."""
    sums, rows, starts = context.sums, context.levels, context.elements.start
    words, good = np.maximum(1.0, sums["words"][rows]), sums["good"][rows]
    inside = np.maximum(1, context.elements.end[rows] - starts[rows])
    of_levels = {
        "words": words,
        "words_per_block": words / inside,
        "link_share": sums["links"][rows] / words,
        "good_share": good / max(1.0, float(sums["good"][0])),
        "good_density": good / words,
        "page_share": words / float(sums["words"][0]),
        "stops": sums["terminators"][rows] / words,
        "place": (np.arange(context.count) - starts[rows]) / inside,
    }
    return {f"level{level}_{name}": column for name, columns in of_levels.items() for level, column in enumerate(columns)}


def _paths(context: FeatureContext) -> Columns:
    """All blocks of the page with the same path of tags and classes, or of tags alone."""
    columns: Columns = {}
    total, good = context.words.sum(), max(1.0, context.good_words.sum())
    for name, code in zip(("path", "tagpath"), context.paths, strict=True):
        count = np.bincount(code)
        words = np.bincount(code, weights=context.words)
        columns |= {
            f"{name}_blocks": count[code],
            f"{name}_words": words[code],
            f"{name}_page_share": words[code] / total,
            f"{name}_words_per_block": words[code] / count[code],
            f"{name}_link_share": np.bincount(code, weights=context.link_words)[code] / words[code],
            f"{name}_good_share": np.bincount(code, weights=context.good_words)[code] / good,
            f"{name}_stops": np.bincount(code, weights=context.class_counts["terminator"])[code] / words[code],
        }
    return columns


def _regions(context: FeatureContext) -> Columns:
    """The smallest elements that hold much of the page's running text, and the block's position relative to them."""
    elements, good, words = context.elements, context.sums["good"], context.sums["words"]
    positions = np.arange(context.count)
    columns: Columns = {}
    for percent in REGION_PERCENTS:
        holders = np.flatnonzero(good >= percent / 100 * good[0]) if good[0] > 0 else np.zeros(1, np.int64)
        row = int(holders[np.argmin(words[holders] + 1e-6 * (len(elements) - holders))])  # of equal ones the innermost
        start, end = int(elements.start[row]), int(elements.end[row])
        before, after = np.maximum(0, start - positions), np.maximum(0, positions - end + 1)
        columns |= {
            f"region{percent}_offset": after - before,
            f"region{percent}_shared_depth": shared_depth(context, row),
            f"region{percent}_words": float(words[row]),
        }
    score, relative_score = _container_scores(context)
    return {**columns, "climb_score": score, "climb_best": relative_score}


def shared_depth(context: FeatureContext, row: int) -> Column:
    """How many levels above an element its smallest common ancestor with each block lies."""
    elements = context.elements
    above = [row]
    while elements.parent[above[-1]] >= 0:
        above.append(int(elements.parent[above[-1]]))
    result = np.full(context.count, len(above), np.int32)
    for up in range(len(above) - 1, -1, -1):
        ancestor = above[up]
        result[elements.start[ancestor] : elements.end[ancestor]] = up
    return result


def _container_scores(context: FeatureContext) -> tuple[Column, Column]:
    """Score of the best container above each block, and its share of the page's best score.

    A block of running text gives its words to its parent and half of them to the grandparent, as Readability does.
    """
    tree = context.ancestors
    holder = tree.parent[tree.block]
    count = len(tree.rows)
    score = np.bincount(holder, context.good_words, count) + np.bincount(tree.parent[holder], context.good_words / 2, count)
    of_blocks = tree.highest(score)[tree.block]
    return of_blocks, of_blocks / max(1.0, float(score.max(initial=0)))


def _distances(context: FeatureContext) -> Columns:
    names = [f"tag_{name}" for name in TAG_GROUPS] + [f"class_{name}" for name in CLASS_GROUPS]
    return dict(zip(names, context.distances.T, strict=True))


def _title_likeness(context: FeatureContext) -> Columns:
    """Words that the block shares with the page's title."""
    share_of_block, share_of_title = context.title_shares
    likeness = context.title_likeness
    return {
        "in_title": share_of_block,
        "title_found": share_of_title,
        "after_title": np.arange(context.count) - (int(np.argmax(likeness)) if likeness.max(initial=0) > LIKE_TITLE else 0),
    }


def _positions(context: FeatureContext) -> Columns:
    """The block's position on the page, and relative to headings and running text."""
    positions = np.arange(context.count)
    level = context.heading_levels
    is_h1, is_heading = level == 1, level > 0
    first_h1 = int(np.argmax(is_h1))
    last_heading = np.maximum.accumulate(np.where(is_heading, positions, -1))
    next_heading = np.minimum.accumulate(np.where(is_heading, positions, context.count)[::-1])[::-1]
    words_before = np.cumsum(context.words) - context.words
    good_before = np.cumsum(context.good_words) - context.good_words
    section_words = np.concatenate((words_before, [context.words.sum()]))
    since_good, until_good = _steps_to_good(context)
    return {
        "place": positions / context.count,
        "words_before": words_before / context.words.sum(),
        "good_before": good_before / max(1.0, context.good_words.sum()),
        "after_h1": positions - first_h1,
        "h1_shares": shared_depth(context, int(context.blocks.element[first_h1])),
        "heading_level": level,
        "section_level": np.where(last_heading >= 0, level[last_heading], 0),
        "after_heading": positions - last_heading,
        "section_words": section_words[next_heading] - section_words[np.maximum(last_heading, 0)],
        "headings_before": np.cumsum(is_heading),
        "since_good": np.minimum(since_good, MAX_COUNT),
        "until_good": np.minimum(until_good, MAX_COUNT),
    }


def _steps_to_good(context: FeatureContext) -> tuple[Column, Column]:
    """Steps from each block to the last block of running text before it, and to the next one behind it."""
    positions, count = np.arange(context.count), context.count
    good_at = np.where(context.is_good, positions, -1)
    last_good = np.maximum.accumulate(np.where(positions > 0, np.roll(good_at, 1), -1))
    good_next = np.append(np.where(context.is_good, positions, 2 * count)[1:], 2 * count)
    next_good = np.minimum.accumulate(good_next[::-1])[::-1]
    return positions - last_good, next_good - positions


def _neighbours(context: FeatureContext) -> Columns:
    columns: Columns = {f"words{step:+d}": shifted(context.words, step) for step in (-1, 1)}
    columns |= {f"link_share{step:+d}": shifted(context.link_share, step) for step in (-2, -1, 1)}
    sums = dict(zip((NARROW, WIDE), windows(np.stack((context.words, context.link_words)), NARROW, WIDE), strict=True))
    columns |= {f"window{width}_link_share": links / words for width, (words, links) in sums.items()}
    return columns | {f"window{WIDE}_words": sums[WIDE][0]}


def _records(context: FeatureContext) -> Columns:
    """The record groups around the block, such as the products of a grid or the posts of a thread."""
    elements = context.elements
    group, sizes = context.record_groups
    has_text = elements.end > elements.start
    count = np.maximum(1, sizes)
    of_groups = _sums_of_record_groups(context, group, has_text)
    mean = of_groups["words"] / count
    spread = np.sqrt(np.maximum(0, of_groups["squares"] / count - mean**2)) / np.maximum(1, mean)
    first_row = np.full(len(sizes), len(elements), np.int64)
    with_text = np.flatnonzero(has_text)[::-1]
    first_row[group[with_text]] = with_text  # the last one written stays: the first of each group
    total, good = max(1.0, float(context.sums["words"][0])), max(1.0, float(context.good_words.sum()))
    records = np.stack(list(context.records.values()))
    row = np.maximum(records, 0)
    own = group[row]
    of_blocks = {
        "size": sizes[own],
        "words": mean[own],
        "spread": spread[own],
        "blocks": (of_groups["blocks"] / count)[own],
        "page_share": of_groups["words"][own] / total,
        "good_share": of_groups["good"][own] / good,
        "link_share": (of_groups["links"] / np.maximum(1, of_groups["words"]))[own],
        "linked": (of_groups["linked"] / count)[own],
        "pictured": (of_groups["pictured"] / count)[own],
        "priced": (of_groups["priced"] / count)[own],
        "from_top": elements.start[first_row[own].clip(max=len(elements) - 1)] / context.count,
        "place": np.arange(context.count) - elements.start[row],
    }
    columns: Columns = {}
    values = np.where(records >= 0, list(of_blocks.values()), -1.0)
    for name, of_prefixes in zip(of_blocks, values, strict=True):
        columns |= {f"{prefix}_{name}": column for prefix, column in zip(context.records, of_prefixes, strict=True)}
    return columns


def _sums_of_record_groups(context: FeatureContext, group: Column, has_text: Column) -> dict[str, Column]:
    elements, sums = context.elements, context.sums
    images = np.append(0, np.cumsum(_IS_IMAGE[elements.tag]))
    of_records = {
        "words": sums["words"],
        "squares": sums["words"] ** 2,
        "blocks": elements.end - elements.start,
        "links": sums["links"],
        "linked": sums["links"] > 0,
        "pictured": images[elements.last + 1] > images[:-1],
        "priced": sums["currencies"] > 0,
        "good": sums["good"],
    }
    return {name: np.bincount(group, weights=np.where(has_text, column, 0)) for name, column in of_records.items()}


def _page(context: FeatureContext) -> Columns:
    """The page as a whole: the same in each row."""
    words = float(context.words.sum())
    count = context.count
    tags = np.bincount(context.elements.tag, minlength=len(TAG_CODES)).tolist()
    return {
        "page_words": words,
        "page_blocks": count,
        "page_link_share": float(context.link_words.sum()) / words,
        "page_good_share": float(context.good_words.sum()) / words,
        "page_good_blocks": int(context.is_good.sum()),
        "page_longest": float(context.words.max()),
        "page_hidden_share": float(context.words[context.blocks.hidden].sum()) / words,
        "page_currencies": float(context.class_counts["currency"].sum()) / count,
        "page_digit_share": float(context.class_counts["digit"].sum()) / float(context.chars.sum()),
        "page_articles": tags[TAG_CODES["article"]],
        "page_paragraphs": tags[TAG_CODES["p"]],
        "page_items": tags[TAG_CODES["li"]],
        "page_images": tags[TAG_CODES["img"]],
        "page_forms": tags[TAG_CODES["form"]],
        "page_scripts": min(MAX_COUNT, len(context.document.tagged.get("script", ()))),
    }
