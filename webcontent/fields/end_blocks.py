"""Blocks at both ends of an article that its text takes along or leaves out, by their place on the page and their probabilities."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.body_edges import begins_with_dateline, is_date, is_editor_line, is_signature_date, is_signed
from webcontent.fields.names.people import ORGANIZATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.fields.page_signals import PageSignals

MAX_SIGNATURE_LINES = 8
"""Between the end of the text and the date of a notice."""
MIN_DATE_SCORE = 0.2
"""Of a date alone behind the last paragraph, in the same element. Above the text such a line has lower probabilities."""
MIN_LEAD_CHARS, MIN_LEAD_SCORE = 40, 0.25
"""Of a first paragraph in markup of its own. Of 5 such blocks of Chinese pages 4 belong to the text (probabilities of sites unseen,
2026-11-23); of 22 in other languages 10 do: they are often summaries."""
MIN_DATELINE_SCORE, MAX_CAPTIONS_BETWEEN = 0.1, 3
"""Of a first paragraph that begins with its dateline, and captions between it and the next."""
MIN_BLOCKS = 2
MIN_GAP, MAX_ISLAND_SCORE, MAX_ISLAND_SHARE = 8, 0.8, 0.15
"""Blocks that were not selected, the highest probability and the share of the text behind them: then that is no part of the text. On
pages of l3s-gn1 and wcxb-dev 2,300 and 2,000 characters of such blocks are no gold text, none and 1,100 are (sites unseen, 2026-11-23).
With a gap of 4 blocks wcxb-dev loses more than it gains."""
MAX_BEHIND_EDITOR = 0.3
"""Share of the text behind a line of editors. The other labels also stand below pictures and tables: there most of it is text."""
MAX_LINK_HEAD_CHARS, MAX_LINK_HEAD_SCORE, MIN_LINKS = 60, 0.65, 0.8
"""Of a last line before links in the same element. Of 9 such lines of five corpora 7 are no part of the text."""

SENTENCE_END = re.compile(r"[。！？；…][”’」』）)]?$|\w{3}[.!?][”’\"')]?$")
_CLOSED = re.compile(r"[。！？!?…；;，,.”’\"」』）)]$")
_CAPTION = TAG_CODES["figcaption"]
HEADINGS = frozenset(TAG_CODES[name] for name in ("h1", "h2", "h3"))


def without_end_matter(blocks: Blocks, kept: NDArray[np.bool_], scores: NDArray[np.float32] | None) -> NDArray[np.bool_]:
    """The kept blocks without what stands far behind the text, behind its editors, and without the heading of the links below it."""
    shorter = kept.copy()
    places = np.flatnonzero(kept)
    if scores is None or len(places) <= MIN_BLOCKS:
        return shorter
    shorter[_text_end(blocks, places, scores) :] = False
    last = int(np.flatnonzero(shorter)[-1])
    if last > places[0] and _is_link_head(blocks, last, float(scores[last])):
        shorter[last] = False
    return shorter


def _text_end(blocks: Blocks, places: NDArray[np.int64], scores: NDArray[np.float32]) -> int:
    """The block behind the text. `places`: of the kept blocks."""
    chars = np.cumsum(blocks.chars[places])
    end = int(places[-1]) + 1
    if not chars[-1]:
        return end
    behind = 1 - chars / chars[-1]
    first = int(np.searchsorted(-behind, -MAX_BEHIND_EDITOR))
    for block in range(int(places[first]) + 1, end):
        if is_editor_line(blocks.texts[block].strip()):
            end = block
            break
    places, behind = places[places < end], behind[places < end]
    best_behind = np.maximum.accumulate(scores[places][::-1])[::-1]
    is_island = (np.diff(places) > MIN_GAP) & (behind[:-1] < MAX_ISLAND_SHARE) & (best_behind[1:] < MAX_ISLAND_SCORE)
    if is_island.any():
        return int(places[int(np.argmax(is_island))]) + 1
    return end


def _is_link_head(blocks: Blocks, block: int, score: float) -> bool:
    """Whether a block that is no sentence stands directly before links of its parent."""
    text = blocks.texts[block].rstrip()
    parents = blocks.elements.parent[blocks.element[block : block + 2]]
    if score >= MAX_LINK_HEAD_SCORE or len(text) > MAX_LINK_HEAD_CHARS or _CLOSED.search(text) or len(parents) < 2:
        return False
    return bool(parents[0] == parents[1] and blocks.link_chars[block + 1] >= MIN_LINKS * blocks.chars[block + 1])


def without_last_headings(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The kept blocks without headings behind the last paragraph: they belong to what follows the text."""
    places = np.flatnonzero(kept)
    while len(places) > MIN_BLOCKS and int(blocks.elements.tag[blocks.element[places[-1]]]) in HEADINGS:
        places = places[:-1]
    return _only(blocks, places)


def without_signed_lines(blocks: Blocks, kept: NDArray[np.bool_], authors: Sequence[str]) -> NDArray[np.bool_]:
    """The kept blocks without last ones that their authors sign. Texts in other languages than Chinese often keep these lines."""
    places = np.flatnonzero(kept).tolist()
    while len(places) > MIN_BLOCKS and authors and is_signed(blocks.texts[places[-1]], authors):
        places.pop()
    return _only(blocks, places)


def _only(blocks: Blocks, places: Sequence[int] | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each block is at one of the places."""
    chosen = np.zeros(len(blocks), np.bool_)
    chosen[places] = True
    return chosen


def signature(blocks: Blocks, kept: NDArray[np.bool_], scores: NDArray[np.float32] | None) -> NDArray[np.bool_]:
    """The office that signs a notice and the date below it, where the extractor took them for lines about the page.

    With what stands between them and the text: closing words, contacts, attachments.
    """
    found = np.zeros(len(blocks), np.bool_)
    last = int(np.flatnonzero(kept)[-1])
    parents = blocks.elements.parent[blocks.element]
    if last and not kept[last - 1] and parents[last] == parents[last - 1] and is_signature_date(blocks.texts[last - 1], blocks.texts[last]):
        found[last - 1] = ORGANIZATION.search(blocks.texts[last - 1]) is not None
    for place in range(last + 1, min(len(blocks), last + 1 + MAX_SIGNATURE_LINES)):
        if parents[place] != parents[last] or blocks.hidden[place]:
            break
        office = blocks.texts[place - 1]
        is_office = place == last + 1 or ORGANIZATION.search(office) is not None and not blocks.link_chars[place - 1]
        is_likely = place == last + 1 and scores is not None and scores[place] >= MIN_DATE_SCORE and is_date(blocks.texts[place])
        if is_likely or is_office and is_signature_date(office, blocks.texts[place]):
            found[last + 1 : place + 1] = True
            break
    return found


def lead(signals: PageSignals, kept: NDArray[np.bool_], scores: NDArray[np.float32] | None) -> NDArray[np.bool_]:
    """The first paragraph of a Chinese text, where its markup differs from the others' and the extractor was in doubt."""
    blocks = signals.blocks
    found = np.zeros(len(blocks), np.bool_)
    following = place = int(np.flatnonzero(kept)[0])
    if scores is None or not signals.is_han or begins_with_dateline(blocks.texts[following]):
        return found
    place -= 1
    while place > 0 and following - place <= MAX_CAPTIONS_BETWEEN and _is_caption(blocks, place):
        place -= 1
    if place < 0 or _is_caption(blocks, place) or blocks.hidden[place] != blocks.hidden[following]:
        return found
    has_dateline = begins_with_dateline(blocks.texts[place])
    is_text = blocks.chars[place] >= MIN_LEAD_CHARS and not blocks.link_chars[place] and (has_dateline or place == following - 1)
    is_likely = scores[place] >= (MIN_DATELINE_SCORE if has_dateline else MIN_LEAD_SCORE)
    found[place] = is_text and is_likely and SENTENCE_END.search(blocks.texts[place]) is not None
    return found


def _is_caption(blocks: Blocks, block: int) -> bool:
    return int(blocks.elements.tag[blocks.element[block]]) == _CAPTION
