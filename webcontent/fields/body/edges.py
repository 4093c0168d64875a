"""What stands at the edges of an article's text and is no part of it.

Before the text stand captions and kickers, behind it bylines, shares, copyright lines and teasers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from webcontent.fields.lexicon import alternation
from webcontent.fields.names.labels import label_before

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

MAX_LINE_CHARS = 120
"""A longer line is a paragraph of the article."""
MAX_SHORT_CHARS = 40
"""Of kickers, teasers, labels and offices."""
MIN_LINES = 2
"""Lines that are kept in any case."""
MIN_GAP, MAX_DETACHED_SCORE, MAX_DETACHED_SHARE = 8, 0.8, 0.15
"""Blocks that are not kept, the highest probability and the share of the text behind them: then that is no part of the text."""
CLOSING_KINDS = frozenset(("source", "author", "editor", "image", "other_role", "counter"))
"""Kinds of labels that begin a line behind the text. A date or a topic may close a notice."""

_CLOSING = re.compile(alternation("body_edges", "closing"), re.I)
_CAPTION = re.compile(rf"^(?:{alternation('body_edges', 'caption_start')})|(?:{alternation('body_edges', 'caption_end')})$")
_DATELINE = re.compile(alternation("body_edges", "dateline"))
_SENTENCE_END = re.compile(r"[。！？!?…；;，,][”’」』）)]?$")
_PARAGRAPH_END = re.compile(r"。[”’」』）)]?$")
_LABEL_END = re.compile(r"[:：/／]")
_OPENING = " （(【[〔■●◆"


def edge_lines(texts: Sequence[str]) -> Iterator[int]:
    """Which of a body's lines are no part of the article: their indices."""
    first, last = max(_lines_about(texts), _lines_before_dateline(texts)), _text_end(texts)
    yield from (index for index in range(len(texts)) if index < first or index >= last)


def detached_end(blocks: Blocks, kept: NDArray[np.bool_], scores: NDArray[np.float32] | None) -> NDArray[np.bool_]:
    """What stands far behind the text: bool [blocks]. `scores`: probability of each block to be main text."""
    found = np.zeros(len(blocks), np.bool_)
    indices = np.flatnonzero(kept)
    if scores is None or len(indices) <= MIN_LINES:
        return found
    chars = np.cumsum(blocks.chars[indices])
    best_behind = np.maximum.accumulate(scores[indices][::-1])[::-1]
    is_short = chars[-1] - chars[:-1] < MAX_DETACHED_SHARE * chars[-1]
    is_end = (np.diff(indices) > MIN_GAP) & is_short & (best_behind[1:] < MAX_DETACHED_SCORE)
    if is_end.any():
        found[int(indices[np.argmax(is_end)]) + 1 :] = True
    return found


def begins_with_dateline(text: str) -> bool:
    """Whether a paragraph begins with the dateline of a news report, with which its text begins."""
    return _DATELINE.match(text) is not None


def is_closing_line(text: str) -> bool:
    """Whether a line names source, authors or editors, or closes the page, and says nothing else."""
    if len(text) > MAX_LINE_CHARS:
        return False
    if _CLOSING.match(text):
        return True
    inner = text.lstrip(_OPENING)
    end = _LABEL_END.search(inner[:MAX_SHORT_CHARS])
    offset, kind = label_before(inner[: end.start()]) if end else (0, "")
    other = inner[:offset].strip("、，/／和 ")
    return kind in CLOSING_KINDS and (not other or label_before(other)[1] in CLOSING_KINDS)


def _lines_about(texts: Sequence[str]) -> int:
    """The number of first lines that are captions, which name a photographer, or labels with their names."""
    lines = texts[: max(0, len(texts) - MIN_LINES)]
    for index, text in enumerate(lines):
        is_caption = len(text) <= MAX_LINE_CHARS and _CAPTION.search(text) is not None
        if not is_caption and not (len(text) <= MAX_SHORT_CHARS and not _SENTENCE_END.search(text.rstrip()) and is_closing_line(text)):
            return index
    return len(lines)


def _lines_before_dateline(texts: Sequence[str]) -> int:
    """The number of short lines before a paragraph that begins with its dateline, with which the text of a news report begins."""
    for index, text in enumerate(texts[:-1]):
        if begins_with_dateline(text):
            return index
        if len(text) > MAX_SHORT_CHARS:
            break
    return 0


def _text_end(texts: Sequence[str]) -> int:
    """The index behind the text: of the first of the closing lines, with short lines between and behind them."""
    end = len(texts)
    for index in range(len(texts) - 1, MIN_LINES - 1, -1):
        text = texts[index]
        if is_closing_line(text):
            end = index
        elif len(text) > MAX_SHORT_CHARS or _PARAGRAPH_END.search(text):
            break
    return end
