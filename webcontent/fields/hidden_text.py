"""Text that a page hides for good: notes of scripts, copies for search engines, forms that open in a window.

Much of what pages hide is their own text all the same: tabs, answers, the parts of a page that a script puts into place. The extractor
learned to select that. Leaving out all hidden blocks would lower the word F1 of wcxb-dev by 0.011 and of zh-gold-dev by 0.040
(2026-11-22). So only short texts go, which nothing on the page opens, beside visible text that is much longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from webcontent.document.rich_text.hidden import MAX_CHARS, stays_hidden

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

MAX_SHARE = 0.1
"""Of the body's characters. Where a larger part is hidden, a script shows it."""
_CONTROLS: Any = etree.XPath("//@aria-controls | //@data-target | //@data-bs-target | //a/@href[starts-with(., '#')] | //label/@for")


def without_hidden(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The kept blocks without the short ones that the page hides for good."""
    if not blocks.hiding or not (kept & blocks.hidden).any():
        return kept
    elements = blocks.elements
    hiding = np.array(blocks.hiding)
    chars = blocks.subtree_sums(np.where(kept, blocks.chars, 0))[hiding]
    limit = min(MAX_CHARS, MAX_SHARE * float(blocks.chars[kept].sum()))
    outside = kept.copy()
    controlled: set[str] | None = None
    for row in hiding[(chars > 0) & (chars <= limit)].tolist():
        if not stays_hidden(elements.nodes[row]):
            continue
        if controlled is None:
            controlled = {str(value).lstrip("#") for value in _CONTROLS(elements.nodes[0])}
        if elements.ids[row] not in controlled:
            outside[int(elements.start[row]) : int(elements.end[row])] = False
    return outside
