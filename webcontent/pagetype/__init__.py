"""The type of a page: article or list, kind, score and flags, from its screenshot, its boxes, its markup, or all of them."""

from __future__ import annotations

from webcontent.pagetype.classify import DEFAULT_MODEL, classify_document, load_models, reads_screenshots

__all__ = ["DEFAULT_MODEL", "classify_document", "load_models", "reads_screenshots"]
