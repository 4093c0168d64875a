"""The elements, the declarations and the address of a page as features."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.pagetype.measures import log_count, share

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

SCHEMA = {
    "article": ("article", "newsarticle", "blogposting", "report", "reportagenewsarticle", "analysisnewsarticle", "opinionnewsarticle",
                "socialmediaposting", "liveblogposting", "scholarlyarticle", "medicalwebpage"),
    "technical": ("techarticle", "apireference", "howto", "softwaresourcecode", "softwareapplication", "webapplication"),
    "product": ("product", "productgroup", "individualproduct", "vehicle", "book", "offer", "aggregateoffer"),
    "rating": ("aggregaterating", "review", "rating"),
    "list": ("itemlist", "collectionpage", "blog", "searchresultspage", "offercatalog", "imagegallery"),
    "item": ("listitem",),
    "forum": ("discussionforumposting", "qapage", "question", "answer", "comment", "interactioncounter"),
    "faq": ("faqpage",),
    "offering": ("service", "localbusiness", "professionalservice", "organization", "corporation", "restaurant", "event", "place",
                 "postaladdress", "openinghoursspecification", "contactpoint"),
    "breadcrumb": ("breadcrumblist",),
    "web": ("webpage", "aboutpage", "contactpage"),
    "site": ("website", "searchaction"),
    "person": ("person",),
    "video": ("videoobject", "recipe", "movie"),
}  # fmt: skip
"""Types of schema.org by the kind of page that declares them."""
OG_TYPES = ("article", "website", "product", "blog", "profile", "video", "object")
PUBLISHED = ("article:published_time", "datepublished", "pubdate", "publishdate", "date", "dc.date")
"""Meta elements with the date of publication."""
AUTHORS = ("author", "article:author", "dc.creator")
"""Meta elements with an author."""
COUNTED = (
    "img", "iframe", "video", "table", "form", "input", "select", "button", "pre", "code", "article", "section", "time", "p", "li", "dt",
    "td", "h1", "h2", "h3", "h4", "ul", "blockquote", "figure", "br", "hr", "textarea", "details", "label",
)  # fmt: skip
"""Tags whose elements are counted."""

MARKUP_FEATURES = (
    "elements", "depth", "links", "links_per_block", "images_linked", "images_per_block", "next_link", "canonical_root", "feeds",
    "published", "author_meta", "json_ld", "offers", "og_other",
)  # fmt: skip
COUNT_FEATURES = tuple(f"count_{tag}" for tag in COUNTED)
SCHEMA_FEATURES = tuple(f"schema_{name}" for name in SCHEMA)
OG_FEATURES = tuple(f"og_{name}" for name in OG_TYPES)
URL_FEATURES = (
    "url_depth", "url_last", "url_hyphens", "url_digits", "url_long_number", "url_date", "url_query", "url_slash", "url_file",
    "url_number_end",
)  # fmt: skip

_LINK, _IMAGE = TAG_CODES["a"], TAG_CODES["img"]
_GROUP_OF_TYPE = {name: group for group, names in SCHEMA.items() for name in names}
_LONG_NUMBER = re.compile(r"\d{5,}")
_DATE = re.compile(r"(?:19|20)\d\d[-/_]?(?:0\d|1[0-2])")


def markup_features(document: Document) -> dict[str, float]:
    """The values of all features that this module names."""
    return {
        **_element_features(document),
        **_schema_features(document),
        **_open_graph_features(document),
        **_declared_features(document),
        **_url_features(document.url),
    }


def _element_features(document: Document) -> dict[str, float]:
    elements, blocks = document.blocks.elements, max(len(document.blocks), 1)
    counts = np.bincount(elements.tag, minlength=len(TAG_CODES))
    images = np.flatnonzero(elements.tag == _IMAGE)
    is_link = elements.tag == _LINK
    above = elements.parent[images] if len(images) else images
    is_linked = is_link[above] | is_link[np.maximum(elements.parent[above], 0)] if len(images) else np.zeros(0)
    values = {
        "elements": log_count(len(elements)), "depth": float(elements.depth.max(initial=0)), "links": log_count(counts[_LINK]),
        "links_per_block": counts[_LINK] / blocks, "images_linked": share(is_linked.sum(), len(images)),
        "images_per_block": len(images) / blocks,
    }  # fmt: skip
    return values | {f"count_{tag}": log_count(counts[TAG_CODES[tag]]) for tag in COUNTED}


def _schema_features(document: Document) -> dict[str, float]:
    """Types of schema.org that the page declares in JSON-LD or microdata."""
    groups = Counter(_GROUP_OF_TYPE.get(name.lower(), "") for name in document.declared.types)
    return {f"schema_{name}": log_count(groups[name]) for name in SCHEMA}


def _open_graph_features(document: Document) -> dict[str, float]:
    og_type = next(iter(document.declared.values("type", "og:type")), "").strip().lower().split(":")[-1].split(".")[0]
    values = {f"og_{name}": float(og_type == name) for name in OG_TYPES}
    return {**values, "og_other": float(bool(og_type) and og_type not in OG_TYPES)}


def _declared_features(document: Document) -> dict[str, float]:
    """What link elements, meta elements and JSON-LD declare."""
    declared = document.declared
    canonical = declared.values("url", "link:canonical")
    return {
        "next_link": float(bool(declared.rows("next_page"))),
        "canonical_root": float(bool(canonical) and _is_front_page(canonical[-1])),
        "feeds": log_count(len(declared.rows("feed"))),
        "published": float(any(name in document.meta for name in PUBLISHED)),
        "author_meta": float(any(name in document.meta for name in AUTHORS)),
        "json_ld": log_count(len(document.json_ld)),
        "offers": float(any("offers" in entry or "price" in entry for entry in document.json_ld)),
    }


def _is_front_page(address: str) -> bool:
    try:
        return bool(address) and urlsplit(address.strip()).path in ("", "/")
    except ValueError:
        return False


def _url_features(url: str | None) -> dict[str, float]:
    """Values of URL_FEATURES; -1 without an address."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        parts = urlsplit("")
    if not parts.netloc:
        return dict.fromkeys(URL_FEATURES, -1.0)
    folders = [folder for folder in parts.path.split("/") if folder]
    last = folders[-1] if folders else ""
    return {
        "url_depth": float(len(folders)),
        "url_last": log_count(len(last)),
        "url_hyphens": log_count(last.count("-") + last.count("_") + last.count("%20")),
        "url_digits": share(sum(map(str.isdigit, last)), len(last)),
        "url_long_number": float(_LONG_NUMBER.search(parts.path) is not None),
        "url_date": float(_DATE.search(parts.path) is not None),
        "url_query": float(parts.query.count("=")),
        "url_slash": float(parts.path.endswith("/")),
        "url_file": float("." in last),
        "url_number_end": float(last[-1:].isdigit()),
    }
