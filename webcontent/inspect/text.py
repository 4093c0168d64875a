"""An inspection as text: a summary, and one line per block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.pagetype.classify import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.inspect.inspection import Inspection

MAX_LINE = 120
"""Characters of a block on the terminal."""
LOOKAHEAD, MIN_LOOKAHEAD = 4, 100
"""Only this much of a long text is searched for white space: LOOKAHEAD times the limit, and MIN_LOOKAHEAD more."""


def summary(inspection: Inspection) -> Iterator[str]:
    """Two lines: the page type with the probability of each model, and the item."""
    page_type, item = inspection.page_type, inspection.item
    parts = ", ".join(f"{model_label(name)} {probability:.2f}" for name, probability in page_type.evidence.items())
    yield f"{page_type.type} ({page_type.kind}), score {page_type.score:.2f}" + (f" · probability of article: {parts}" if parts else "")
    flags = f" · flags: {', '.join(item.flags)}" if item.flags else ""
    yield f"extractor {item.extractor}, score {item.score:.2f}{flags} · {item.title or 'no title'}"


def model_label(model: str) -> str:
    """The part of the page that a page type model looks at, or the name of a user's own model."""
    return next((part for part, name in PARTS.items() if name == model), model)


def block_lines(inspection: Inspection) -> Iterator[str]:
    """One line per block: its label, its score if there is one, its text. Noise of 0.00 is counted at the end."""
    left_out = 0
    for i, text in enumerate(inspection.document.blocks.texts):
        if inspection.is_plain_noise([i]):
            left_out += 1
            continue
        score = inspection.result.block_score(i)
        yield f"{inspection.labels[i]:8} {'' if score is None else f'{score:.2f}':5} {shorten(text, MAX_LINE)}"
    if left_out:
        yield f"and {left_out} blocks of noise with the score 0.00, which -o page.html lists"


def shorten(text: str, limit: int) -> str:
    """The first characters of a text, with white space collapsed.

    >>> shorten("one  two three", 8)
    'one two…'
    """
    text = " ".join(text[: LOOKAHEAD * limit + MIN_LOOKAHEAD].split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
