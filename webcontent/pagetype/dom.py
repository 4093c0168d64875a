"""What a page's markup amounts to, as features for gradient-boosted trees.

No feature knows a site or a language. Lengths are in words: a Chinese, Japanese or Korean character is one word. Names are those of HTML,
schema.org, Open Graph and of class names that many sites share: the vocabulary, which is learned and stands in the model's config.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from webcontent.items import KINDS, LIST_KINDS
from webcontent.pagetype.dom_blocks import BLOCK_FEATURES, GROUP_FEATURES, block_features
from webcontent.pagetype.dom_markup import COUNT_FEATURES, MARKUP_FEATURES, OG_FEATURES, SCHEMA_FEATURES, URL_FEATURES, markup_features

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document

FEATURES = BLOCK_FEATURES + GROUP_FEATURES + MARKUP_FEATURES + COUNT_FEATURES + SCHEMA_FEATURES + OG_FEATURES + URL_FEATURES
"""Names of the columns that `dom_features` gives before those of the class vocabulary."""
MAX_NAME_CHARS = 300
"""Characters of a class attribute that are read."""
MAX_TOKEN_CHARS = 40
MAX_PATH_CHARS = 500
MAX_GENERATORS, MAX_GENERATOR_CHARS = 3, 100

_TOKEN = re.compile(r"[a-z]{3,20}")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS = bytes(c if chr(c).islower() and c < 128 else 32 for c in range(256))
"""Translates all but small letters to blanks."""


def dom_features(document: Document, vocabulary: Sequence[str] = ()) -> NDArray[Any]:
    """float32 [1, len(FEATURES) + len(vocabulary)].

    Counts are logarithms. A feature is -1 where there is nothing to measure. The columns of the vocabulary are 1 for each of its words
    among `page_tokens`.
    """
    values = {**block_features(document), **markup_features(document)}
    row = np.zeros((1, len(FEATURES) + len(vocabulary)), dtype=np.float32)
    row[0, : len(FEATURES)] = [values[name] for name in FEATURES]
    if vocabulary:
        row[0, len(FEATURES) :] = list(map(page_tokens(document).__contains__, vocabulary))
    return row


def page_tokens(document: Document) -> set[str]:
    """Words that show how a page is made.

    Words of its classes and ids ("postTitle" is post and title), and, with a prefix, the names of its meta elements, its generator, the
    types of its JSON-LD, its host (before the registered domain) and the folders of its address.
    """
    return {*_class_tokens(document), *_declared_tokens(document), *_address_tokens(document.url or "")}


def _class_tokens(document: Document) -> list[str]:
    blocks = document.blocks
    names = {name[:MAX_NAME_CHARS] for name in {*blocks.class_codes[0], *blocks.elements.ids}}
    lower = [name for name in names if name == name.lower()]  # most are: they need no cut
    mixed = _CAMEL.sub(" ", " ".join(names.difference(lower))).lower()
    words = set(" ".join([*lower, mixed]).encode("ascii", "replace").translate(_LETTERS).split())
    return _TOKEN.findall(b" ".join(words).decode())


def _declared_tokens(document: Document) -> Iterator[str]:
    yield from (f"meta:{name[:MAX_TOKEN_CHARS]}" for name in document.meta)
    for content in document.meta.get("generator", ())[:MAX_GENERATORS]:
        yield from (f"generator:{word}" for word in _TOKEN.findall(content[:MAX_GENERATOR_CHARS].lower())[:1])
    for entry in document.json_ld:
        names = entry.get("@type")
        yield from (
            f"ld:{name.lower()[:MAX_TOKEN_CHARS]}" for name in (names if isinstance(names, list) else [names]) if isinstance(name, str)
        )


def _address_tokens(url: str) -> list[str]:
    """Tokens of an address; none of one that no parser takes."""
    try:
        parts = urlsplit(url)
        folders = [folder for folder in parts.path[:MAX_PATH_CHARS].lower().split("/")[1:-1] if _TOKEN.fullmatch(folder)]
        names = (parts.hostname or "").split(".")[:-2]
    except ValueError:
        return []
    return [*(f"url:{folder}" for folder in folders), *(f"host:{name}" for name in names)]


def article_probability(article: float, kinds: NDArray[Any]) -> float:
    """Probability of `article`: the mean of what the trees for types and the trees for kinds give."""
    return (float(article) + sum(float(kinds[i]) for i, kind in enumerate(KINDS) if kind not in LIST_KINDS)) / 2
