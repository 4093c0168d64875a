"""Groups of tags, and of words in class and id names: standard words of the web's markup."""

from __future__ import annotations

import re
from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import are_tags

if TYPE_CHECKING:
    from numpy.typing import NDArray

TAG_GROUPS = {name: name for name in ("article", "aside", "footer", "h1", "h2", "h3", "li", "main", "nav", "section", "table")} | {
    "button": "button input",
    "figure": "figure figcaption picture",
    "form": "form fieldset",
    "heading": "h4 h5 h6",
    "list": "ul ol menu",
    "td": "td th",
}
"""Groups of tags whose nearest ancestor's distance is a feature."""

CLASS_GROUPS: dict[str, tuple[str, ...]] = {
    "ad": ("=ad", "=ads", "advert", "sponsor", "promo", "adsense", "adslot"),
    "author": ("author", "byline", "contributor", "writer"),
    "body": ("body", "text", "=copy", "richtext", "prose", "markdown"),
    "caption": ("caption", "credit", "figure", "gallery", "photo"),
    "comment": ("comment", "disqus", "respond", "discussion"),
    "consent": ("cookie", "consent", "gdpr", "privacy", "ccpa"),
    "content": ("content", "entry", "story"),
    "description": ("description", "=desc", "detail", "overview", "spec", "feature"),
    "dialog": ("modal", "popup", "overlay", "lightbox", "dialog", "toast", "tooltip"),
    "filter": ("filter", "facet", "=sort", "toolbar", "search", "select", "dropdown"),
    "footer": ("footer", "bottom", "copyright", "legal", "colophon"),
    "form": ("form", "newsletter", "subscri", "signup", "login", "register", "account"),
    "header": ("header", "masthead", "topbar", "=top"),
    "hero": ("hero", "banner", "slide", "carousel", "swiper"),
    "hidden": ("=hide", "hidden", "invisible", "=sr", "collapse", "screenreader"),
    "main": ("main", "primary", "center"),
    "menu": ("menu", "=nav", "navbar", "navigation", "navi"),
    "message": ("message", "reply", "replies", "thread", "topic", "forum", "quote", "answer"),
    "post": ("post", "article", "blog", "news"),
    "product": ("product", "=sku", "shop", "catalog", "variant", "collection"),
    "related": ("related", "recommend", "similar", "=also", "upsell", "crosssell", "trending", "popular", "latest"),
    "review": ("review", "rating", "star", "testimonial", "feedback"),
    "signature": ("signature", "avatar", "profile", "user", "member", "=bio"),
    "tab": ("=tab", "=tabs", "accordion", "panel", "=faq", "toggle", "expand"),
    "table": ("table", "=row", "=list", "=toc"),
    "tag": ("=tag", "=tags", "category", "categories", "keyword", "label", "badge"),
    "title": ("title", "headline", "heading", "subject"),
    "widget": ("widget", "module", "block", "gadget", "plugin"),
}
"""Groups of words in class and id whose nearest ancestor's distance is a feature.

A word with `=` must stand alone ("top-bar" holds "top"). The others may be parts of words ("maincontent").
"""

WORD = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BITS = {name: 1 << i for i, name in enumerate(CLASS_GROUPS)}


TAG_TABLE: NDArray[np.bool_] = np.stack([are_tags(names) for names in TAG_GROUPS.values()], axis=1)
"""Which groups each tag code belongs to: bool [codes, len(TAG_GROUPS)]."""


def _bits_by_word() -> tuple[dict[str, int], dict[str, int]]:
    """Group bits of the words that must stand alone, and of the parts of words: a part has the bits of all parts that it begins with."""
    whole: dict[str, int] = {}
    parts: dict[str, int] = {}
    for name, words in CLASS_GROUPS.items():
        for word in words:
            table = whole if word[0] == "=" else parts
            plain = word.removeprefix("=")
            table[plain] = table.get(plain, 0) | _BITS[name]
    return whole, {word: reduce(or_, (bits for part, bits in parts.items() if word.startswith(part))) for word in parts}


_WHOLE_WORDS, _PARTS = _bits_by_word()
_PART = re.compile("(?=(" + "|".join(sorted(_PARTS, key=len, reverse=True)) + "))")
"""The longest part at each place of a word: ten times faster than a search for each part."""


def has_class_word(group: str, names: str) -> bool:
    """Whether the value of a class or id attribute has a word of a class group.

    >>> has_class_word("comment", "post-comments"), has_class_word("comment", "content")
    (True, False)
    """
    return bool(names) and bool(_bits_of_names(names) & _BITS[group])


def class_group_membership(names: list[tuple[str, str]]) -> NDArray[np.bool_]:
    """Which groups each pair of a class and an id attribute has words of: bool [names, len(CLASS_GROUPS)]."""
    bits = np.array([_bits_of_names(classes) | _bits_of_names(own_id) for classes, own_id in names], np.uint64)
    return ((bits[:, None] >> np.arange(len(CLASS_GROUPS), dtype=np.uint64)) & np.uint64(1)).astype(np.bool_)


def split_camel_case(names: str, separator: str) -> str:
    """Names in lower case, with a separator between the words of camel case.

    >>> split_camel_case("postBody", "-")
    'post-body'
    """
    return names if names.islower() else _CAMEL.sub(separator, names).lower()


@lru_cache(maxsize=50_000)
def _bits_of_names(names: str) -> int:
    bits = 0
    for word in WORD.findall(split_camel_case(names, " ")):
        bits |= _bits_of_word(word)
    return bits


@lru_cache(maxsize=50_000)
def _bits_of_word(word: str) -> int:
    bits = _WHOLE_WORDS.get(word, 0)
    for part in _PART.findall(word):
        bits |= _PARTS[part]
    return bits
