"""What keeps a page from being a normal one. Rules, precision first: a page with a text of some length is none of these."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webcontent.document.parsing import Document


def page_flags(document: Document) -> tuple[str, ...]:
    """Of items.FLAGS, sorted."""
    return ()
