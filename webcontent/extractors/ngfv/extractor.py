"""NGFV: the content of a page is the part in which it differs from another page of its site.

Hu Rui, Guo Xing, Huang Yongcong: 基于视觉特征的主题型网页信息抽取, 2016. Nothing is learned here. Positions of the visual trees (VIPS) are
searched level by level for a Diversity above 0.06. The paper takes the first one, which is a menu as often as the article;
`Ngfv(literal=True)` is that method. Here text that a reference page shows in the same position is noise, and the diverse position has to
hold nearly all other text. docs/ngfv.md has the differences from the paper, and all measurements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.extraction import NO_CONTEXT, Extraction, PageContext
from webcontent.extractors import DEFAULT, load_extractor
from webcontent.extractors.decoding import extraction_of
from webcontent.extractors.ngfv.positions import Alignment, align, visual_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.positions import VisualTree

    Numbers = NDArray[np.float64]
    Mask = NDArray[np.bool_]

ETA = 0.06
"""The paper's threshold of Diversity."""
NEARLY_ALL = 0.7
"""Share of the changing text that the content must hold."""
LINK_LIST, LINKS = 0.6, 3
"""A part with this share of its text in links, and at least this many of them, is a link list. It is left out, unless less than half of
the content would remain."""
BASE_SCORE, SHARE_SCORE = 0.8, 0.16
"""Score of a content: the first, plus the second times its share of the changing text."""
MAX_REFERENCE_PAGES = 3
"""The number of pages that a page is compared with."""


class Ngfv:
    """NGFV. Without boxes or reference pages the default extractor is used, with the flag `not-rendered` or `no-reference-page`.

    `eta`: the threshold of Diversity. `literal`: the first position above it, whole, as in the paper. `corrected`: see `diversity`.
    """

    name = "ngfv"
    needs: frozenset[str] = frozenset({"boxes", "reference_page"})

    def __init__(self, *, eta: float = ETA, literal: bool = False, corrected: bool = True) -> None:
        self.eta, self.literal, self.corrected = eta, literal, corrected

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        tree = visual_tree(document)
        if tree is None:
            return _by_default(document, context, "not-rendered")
        alignments = useful_alignments(tree, context.reference_pages)
        if not alignments:
            return _by_default(document, context, "no-reference-page")
        values = diversity(alignments, corrected=self.corrected)
        if self.literal:
            content = diverse_block(values, self.eta)
            chosen = np.zeros(len(document.blocks), np.bool_)
            chosen[tree.start[content] : tree.end[content]] = True
            return extraction_of(document.blocks, chosen)
        return self._content(document, context, alignments, values)

    def _content(self, document: Document, context: PageContext, alignments: list[Alignment], values: Numbers) -> Extraction:
        tree = alignments[0].one
        noise = noise_positions(alignments)
        changing = changing_text(tree, noise, with_links=context.is_list)
        content = narrowed(tree, changing, diverse_block(values, self.eta, changing))
        chosen = chosen_blocks(document, alignments, content, noise, with_links=context.is_list)
        score = BASE_SCORE + SHARE_SCORE * float(changing[content] / max(1.0, changing[0]))
        return extraction_of(document.blocks, chosen, score=round(score, 4))


def useful_alignments(tree: VisualTree, reference_pages: Sequence[VisualTree]) -> list[Alignment]:
    """The alignments with the last MAX_REFERENCE_PAGES pages that are other pages of the same design."""
    return [alignment for other in tuple(reference_pages)[-MAX_REFERENCE_PAGES:] if (alignment := align(tree, other)).is_useful]


def diversity(alignments: list[Alignment], *, corrected: bool = True) -> Numbers:
    """Definition 5 for each position, the largest over the reference pages; nan where no reference page has the position.

    The paper's last term is the difference of one page's text density and the other's link density. This is most likely a misprint
    for two terms, text against text and link against link, which `corrected` uses.
    """
    tree = alignments[0].one
    text, links = _densities(tree)
    values = np.full(len(tree), np.nan)
    for alignment in alignments:
        mine = np.flatnonzero(alignment.matches >= 0)
        theirs = alignment.matches[mine]
        other_text, other_links = _densities(alignment.other)
        differences = np.abs(tree.share[mine] - alignment.other.share[theirs])
        if corrected:
            differences += np.abs(text[mine] - other_text[theirs]) + np.abs(links[mine] - other_links[theirs])
        else:
            differences += np.abs(text[mine] - other_links[theirs])
        values[mine] = np.fmax(values[mine], differences)
    return values


def _densities(tree: VisualTree) -> tuple[Numbers, Numbers]:
    """rho_text, characters per square px, and rho_link, share of the characters (definitions 2 and 3).

    In this unit rho_text is about 0.002 and counts little beside the other terms.
    """
    return tree.text / np.maximum(tree.area, 1.0), tree.link_text / np.maximum(tree.text, 1.0)


def diverse_block(values: Numbers, eta: float, changing: Numbers | None = None) -> int:
    """The paper's method: level by level the first position below the page whose Diversity is above eta; the page where there is none.

    With the `changing` text of each position, only one that holds nearly all of it.
    """
    is_diverse = values > eta
    if changing is not None:
        is_diverse &= changing > NEARLY_ALL * changing[0]
    return int(is_diverse[1:].argmax()) + 1 if is_diverse[1:].any() else 0


def noise_positions(alignments: list[Alignment]) -> Mask:
    """Positions that show the same text on a reference page, and all positions in them."""
    tree = alignments[0].one
    noise: Mask = np.any([alignment.is_same for alignment in alignments], axis=0)
    for position in range(1, len(tree)):
        noise[position] |= noise[tree.parent[position]]
    return noise


def changing_text(tree: VisualTree, noise: Mask, *, with_links: bool) -> Numbers:
    """Characters in each position that are no noise and, unless `with_links`, are in no link."""
    plain = tree.text if with_links else tree.text - tree.link_text
    own = plain.copy()
    for position in range(1, len(tree)):
        own[tree.parent[position]] -= plain[position]
    changing = np.where(noise, 0.0, np.maximum(own, 0.0))
    for position in range(len(tree) - 1, 0, -1):
        changing[tree.parent[position]] += changing[position]
    return changing


def narrowed(tree: VisualTree, changing: Numbers, content: int) -> int:
    """The innermost position in `content` that still holds nearly all of its changing text and has parts of its own."""
    while True:
        largest = max(tree.children[content], key=lambda part: changing[part], default=content)
        if not tree.children[largest] or changing[largest] <= NEARLY_ALL * changing[content]:
            return content
        content = largest


def chosen_blocks(document: Document, alignments: list[Alignment], content: int, noise: Mask, *, with_links: bool) -> Mask:
    """The blocks of the content without noise, and without link lists unless most of the content is in them."""
    tree = alignments[0].one
    while tree.start[content] == tree.end[content] and content:  # scripts have changed the page after the boxes were taken
        content = tree.parent[content]
    chosen = np.zeros(len(document.blocks), np.bool_)
    chosen[tree.start[content] : tree.end[content]] = True
    stack, lists = [content], []
    while stack:
        position = stack.pop()
        if noise[position]:
            chosen[tree.start[position] : tree.end[position]] = False
        elif position != content and is_link_list(tree, position):
            lists.append(position)
        else:
            stack.extend(tree.children[position])
    bare = chosen.copy()
    for position in lists:
        bare[tree.start[position] : tree.end[position]] = False
    chars = document.blocks.chars
    return chosen if with_links or 2 * chars[bare].sum() < chars[chosen].sum() else bare


def is_link_list(tree: VisualTree, position: int) -> bool:
    """Whether the text of a position with parts is mostly links."""
    is_linked = tree.links[position] >= LINKS and tree.link_text[position] > LINK_LIST * tree.text[position]
    return bool(tree.children[position]) and bool(is_linked)


def _by_default(document: Document, context: PageContext, flag: str) -> Extraction:
    extraction = load_extractor(DEFAULT)(document, context)
    extraction.flags.add(flag)
    return extraction
