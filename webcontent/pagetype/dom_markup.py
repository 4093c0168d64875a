"""The elements, the declarations and the address of a page as features."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from webcontent.addresses import split_url
from webcontent.document.blocks import TAG_CODES
from webcontent.pagetype.measures import log_count, share

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

SCHEMA = {
    "article": ("article", "newsarticle", "blogposting", "report", "reportagenewsarticle", "analysisnewsarticle", "opinionnewsarticle",
                "socialmediaposting", "liveblogposting", "scholarlyarticle", "medicalwebpage"),
    "product": ("product", "productgroup", "individualproduct", "vehicle", "book", "offer", "aggregateoffer"),
    "item": ("listitem",),
    "forum": ("discussionforumposting", "qapage", "question", "answer", "comment", "interactioncounter"),
    "person": ("person",),
}  # fmt: skip
"""Types of schema.org by the kind of page that declares them."""
OG_TYPES = ("article", "website", "product")
COUNTED = ("img", "table", "button", "pre", "code", "article", "p", "li", "td", "h1", "h2", "h3", "blockquote", "br", "label")
"""Tags whose elements are counted."""

_LINK, _IMAGE = TAG_CODES["a"], TAG_CODES["img"]
_GROUP_OF_TYPE = {name: group for group, names in SCHEMA.items() for name in names}


def markup_features(document: Document) -> dict[str, float]:
    """The features by name."""
    return {**_element_features(document), **_declared_features(document), **_url_features(document.url)}


def _element_features(document: Document) -> dict[str, float]:
    elements = document.blocks.elements
    counts = np.log1p(np.bincount(elements.tag, minlength=len(TAG_CODES)))
    images = np.flatnonzero(elements.tag == _IMAGE)
    is_link = elements.tag == _LINK
    above = elements.parent[images]
    is_linked = is_link[above] | is_link[np.maximum(elements.parent[above], 0)]
    return {
        "links": counts[_LINK],
        "links_per_block": is_link.sum() / max(len(document.blocks), 1),
        "images_linked": share(is_linked.sum(), len(images)),
        **{f"count_{tag}": counts[TAG_CODES[tag]] for tag in COUNTED},
    }


def _declared_features(document: Document) -> dict[str, float]:
    """What meta elements, JSON-LD and microdata declare."""
    declared = document.declared
    types = Counter(_GROUP_OF_TYPE.get(name.lower(), "") for name in declared.types)
    og_type = next(iter(declared.values("type", "og:type")), "").strip().lower().split(":")[-1].split(".")[0]
    return {**{f"schema_{name}": log_count(types[name]) for name in SCHEMA}, **{f"og_{name}": float(og_type == name) for name in OG_TYPES}}


def _url_features(url: str | None) -> dict[str, float]:
    """What the address looks like; -1 without one."""
    parts = split_url(url or "")
    path = parts.path if parts else ""
    folders = [folder for folder in path.split("/") if folder]
    last = folders[-1] if folders else ""
    values = {
        "url_depth": float(len(folders)),
        "url_last": log_count(len(last)),
        "url_hyphens": log_count(last.count("-") + last.count("_") + last.count("%20")),
        "url_digits": share(sum(map(str.isdigit, last)), len(last)),
        "url_query": float(parts.query.count("=")) if parts else 0.0,
        "url_slash": float(path.endswith("/")),
        "url_file": float("." in last),
    }
    return values if parts else dict.fromkeys(values, -1.0)
