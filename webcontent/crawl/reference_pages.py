"""Reference pages: earlier pages of a site, for extractors that compare a page with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.addresses import site_of
from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.reference_pages import Sites

if TYPE_CHECKING:
    from webcontent.crawl.workers import WorkerPool
    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.positions import VisualTree


class ReferencePages:
    """Finds the reference pages of a crawl's pages."""

    def __init__(self, workers: WorkerPool) -> None:
        self.workers = workers
        self.sites = Sites()

    async def find(self, document: Document, page_type: str) -> tuple[VisualTree, ...]:
        """Visual trees of earlier pages of the site; none of a page without boxes, and of the first page of a design."""
        site, tree = site_of(document.url or ""), await self.workers.run("reference_page", visual_tree, document)
        if site is None or tree is None:
            return ()
        return await self.workers.run("reference_page", self.sites.find(site, page_type).add, tree)
