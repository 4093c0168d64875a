"""Reference pages: what is kept of the pages of a site, so that its later pages can be compared with them.

For each site (registered domain and type of page) the last few visual trees of each design are kept.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from threading import Lock
from typing import TYPE_CHECKING

from webcontent.extractors.ngfv.extractor import MAX_REFERENCE_PAGES, useful_alignments
from webcontent.extractors.ngfv.positions import TWIN, align

if TYPE_CHECKING:
    from webcontent.extractors.ngfv.positions import VisualTree

MAX_TREES = 300
"""Trees that are kept in all; the site that was not seen for longest is dropped first. A tree takes 40 to 300 KB, at most 600."""
MAX_DESIGNS = 4
"""Designs of a site that are kept; the first one is dropped first."""


class SitePages:
    """What is kept of the pages of one type of a site: the last trees of each design. Safe to use from several threads."""

    def __init__(self) -> None:
        self.designs: deque[deque[VisualTree]] = deque(maxlen=MAX_DESIGNS)
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Number of trees."""
        return sum(map(len, self.designs))

    def add(self, tree: VisualTree) -> tuple[VisualTree, ...]:
        """Adds a page; its reference pages, none when no earlier page is another page of its design."""
        with self._lock:
            for trees in self.designs:
                if alignments := useful_alignments(tree, trees):
                    trees.append(tree)
                    return tuple(alignment.other for alignment in alignments)
            if not any(align(tree, other).same_share >= TWIN for trees in self.designs for other in trees):
                self.designs.append(deque([tree], maxlen=MAX_REFERENCE_PAGES))
            return ()


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
