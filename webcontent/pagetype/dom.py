"""What a page's markup amounts to, as features for gradient-boosted trees.

No feature knows a site or a language. Lengths are in words: a Chinese, Japanese or Korean character is one word. Names are those of HTML,
schema.org, Open Graph and of class names that many sites share: the vocabulary, which is learned and stands in the model's config.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from webcontent.addresses import split_url
from webcontent.document.declared import types_of
from webcontent.items import KINDS, LIST_KINDS
from webcontent.pagetype.dom_blocks import block_features
from webcontent.pagetype.dom_markup import markup_features

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document

MAX_TOKEN_CHARS = 40
MAX_PATH_CHARS = 500
MAX_GENERATORS, MAX_GENERATOR_CHARS = 3, 100

_TOKEN = re.compile(r"[a-z]{3,20}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS = bytes(c if chr(c).islower() and c < 128 else 32 for c in range(256))
"""Translates all but small letters to blanks."""


def dom_features(document: Document) -> dict[str, float]:
    """The features by name. Counts are logarithms. Most are -1 where there is nothing to measure; a page without text lacks some."""
    return {**block_features(document), **markup_features(document)}


def page_tokens(document: Document) -> set[str]:
    """Words that show how a page is made.

    Words of its classes and ids ("postTitle" is post and title), and, with a prefix, the names of its meta elements, its generator, the
    types of its JSON-LD, its host (before the registered domain) and the folders of its address.
    """
    return {*_class_tokens(document), *_declared_tokens(document), *_address_tokens(document.url or "")}


def _class_tokens(document: Document) -> list[str]:
    blocks = document.blocks
    names = {*blocks.class_codes[0], *blocks.elements.ids}
    lower = [name for name in names if name == name.lower()]  # most are: they need no cut
    mixed = _CAMEL.sub(" ", " ".join(names.difference(lower))).lower()
    words = set(" ".join([*lower, mixed]).encode("ascii", "replace").translate(_LETTERS).split())
    return _TOKEN.findall(b" ".join(words).decode())


def _declared_tokens(document: Document) -> Iterator[str]:
    yield from (f"meta:{name[:MAX_TOKEN_CHARS]}" for name in document.meta)
    for content in document.meta.get("generator", ())[:MAX_GENERATORS]:
        yield from (f"generator:{word}" for word in _TOKEN.findall(content[:MAX_GENERATOR_CHARS].lower())[:1])
    yield from (f"ld:{name.lower()[:MAX_TOKEN_CHARS]}" for entry in document.json_ld for name in types_of(entry))


def _address_tokens(url: str) -> list[str]:
    parts = split_url(url)
    if parts is None:
        return []
    folders = [folder for folder in parts.path[:MAX_PATH_CHARS].lower().split("/")[1:-1] if _TOKEN.fullmatch(folder)]
    return [*(f"url:{folder}" for folder in folders), *(f"host:{name}" for name in str(parts.hostname).split(".")[:-2])]


def article_probability(article: float, kinds: NDArray[Any]) -> float:
    """Probability of `article`: the mean of what the trees for types and the trees for kinds give."""
    return (float(article) + sum(float(kinds[i]) for i, kind in enumerate(KINDS) if kind not in LIST_KINDS)) / 2
