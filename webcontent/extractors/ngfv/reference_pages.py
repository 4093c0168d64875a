"""Reference pages: what is kept of the pages of a site, so that its later pages can be compared with them.

For each site (registered domain and type of page) the last few visual trees of each design are kept. When the positions of the noise
have stayed the same for some pages, only these positions are kept, and no more trees.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from webcontent.extractors.ngfv.extractor import MAX_REFERENCE_PAGES, noise_positions, useful_alignments
from webcontent.extractors.ngfv.positions import TWIN, align, pruned

if TYPE_CHECKING:
    from webcontent.extractors.ngfv.positions import Alignment, VisualTree

MAX_TREES = 300
"""Trees that are kept in all; the site that was not seen for longest is dropped first. A tree takes 40 to 300 KB, at most 600."""
MAX_DESIGNS = 4
"""Designs of a site that are kept; the first one is dropped first."""
SETTLED_PAGES = 5
"""Pages in a row that confirm the positions of a design's noise, after which the positions are final."""
CONFIRMED, REFUTED = 0.9, 0.5
"""A page confirms the noise when it has at least this share of it in the same positions. Final positions are learned anew when a page
has less than the second share."""


@dataclass(eq=False)
class Design:
    """What is kept of pages that have the same design."""

    trees: deque[VisualTree]
    noise: VisualTree | None = None
    """The positions of the noise with those around them, of the latest page whose noise was elsewhere."""
    confirmations: int = 0

    @classmethod
    def of(cls, tree: VisualTree) -> Design:
        return cls(deque([tree], maxlen=MAX_REFERENCE_PAGES))

    @property
    def references(self) -> tuple[VisualTree, ...]:
        """The trees that a page of this design is compared with."""
        return (self.noise,) if self.noise is not None and self.confirmations >= SETTLED_PAGES else tuple(self.trees)

    def learn(self, tree: VisualTree, alignments: list[Alignment]) -> None:
        """Adds a page of the design. Of a page that confirms final positions nothing is kept."""
        share = _noise_share(tree, self.noise) if self.noise is not None else 0.0
        if self.confirmations >= SETTLED_PAGES and share >= REFUTED:
            self.trees.clear()
            return
        self.trees.append(tree)
        if share >= CONFIRMED:
            self.confirmations += 1
        else:
            self.noise, self.confirmations = pruned(tree, noise_positions(alignments)), 0


class SitePages:
    """What is kept of the pages of one type of a site, by design. Safe to use from several threads."""

    def __init__(self) -> None:
        self.designs: deque[Design] = deque(maxlen=MAX_DESIGNS)
        self.count = 0
        """Number of pages that were added."""
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Number of trees."""
        return sum(len(design.trees) + (design.noise is not None) for design in self.designs)

    def add(self, tree: VisualTree) -> tuple[VisualTree, ...]:
        """Adds a page; its reference pages, none when no earlier page is another page of its design."""
        with self._lock:
            self.count += 1
            for design in self.designs:
                if alignments := useful_alignments(tree, design.references):
                    design.learn(tree, alignments)
                    return tuple(alignment.other for alignment in alignments)
            if not any(align(tree, other).same_share >= TWIN for design in self.designs for other in design.references):
                self.designs.append(Design.of(tree))
            return ()

    def references(self, tree: VisualTree) -> tuple[VisualTree, ...]:
        """The reference pages of a page that was added before."""
        with self._lock:
            by_design = (useful_alignments(tree, design.references) for design in self.designs)
            return tuple(alignment.other for alignments in by_design for alignment in alignments)


def _noise_share(tree: VisualTree, noise: VisualTree) -> float:
    """Share of the noise's text that a page has in the same positions."""
    leaves = np.array([not parts for parts in noise.children])
    is_same = align(noise, tree).is_same & leaves
    weight = np.maximum(noise.text, 1.0)
    return float(weight[is_same].sum() / max(1.0, weight[leaves].sum()))


class Sites:
    """What is kept of all sites: at most MAX_TREES trees. For one thread; that of a single site is for several."""

    def __init__(self) -> None:
        self.pages: OrderedDict[tuple[str, str], SitePages] = OrderedDict()
        """By site and type of page; the one that was used last is at the end."""

    def find(self, site: str, page_type: str) -> SitePages:
        """What is kept of the pages of one type of a site. The site that was not used for longest is dropped where there are too many."""
        pages = self.pages.pop((site, page_type), None) or SitePages()
        self.pages[site, page_type] = pages
        while len(self.pages) > 1 and sum(other.size for other in self.pages.values()) >= MAX_TREES:
            self.pages.popitem(last=False)
        return pages
