"""Which page is it: type, kind, score and flags, from a screenshot, from the browser's boxes, from the DOM, or from all of them."""

from __future__ import annotations

from webcontent.pagetype.classify import DEFAULT_MODEL, classify_document, load_models

__all__ = ["DEFAULT_MODEL", "classify_document", "load_models"]
