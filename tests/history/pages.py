"""Pages of one host, and what an extractor would give for them."""

from __future__ import annotations

import numpy as np

from webcontent.document.parsing import Document
from webcontent.history.host import HISTORY_FEATURES, HostProfile
from webcontent.items import Page

MENU = "<nav class='menu'><a href='/'>Home</a><a href='/news'>News of the town</a></nav>"
FOOT = "<footer><p>All rights reserved by the town's paper since 1901.</p></footer>"
FEATURE = HISTORY_FEATURES.index

ARTICLES = tuple(
    f"{name} said on Monday that the bridge over the river will be built anew before the next winter, after two years of planning for it {n}."
    for n, name in enumerate(("Alice Miller", "The mayor", "A speaker of the county", "An engineer from abroad"))
)


def random_text(n: int) -> str:
    """A text of its own: its words differ from any other's in more than digits."""
    letters = np.random.default_rng(n).integers(97, 123, (25, 6)).astype(np.uint8)
    return " ".join(bytes(word).decode() for word in letters)


def document_of(text: str, *, url: str | None = None, head: str = "") -> Document:
    """A page with a menu, an article and a footer."""
    title = f"<title>{text[:30]} - The Town Paper</title>"
    html = f"<html><head>{title}</head><body>{head}{MENU}<main class='story'><h1>{text[:20]}</h1><p>{text}</p></main>{FOOT}</body></html>"
    return Document.from_page(Page(url=url or f"http://town.example/{text[:12]}", html=html))


def words_of(document: Document) -> np.ndarray:
    return document.blocks.words.astype(float)


def probabilities_of(document: Document) -> np.ndarray:
    """As an extractor would give them: long blocks outside the footer are main text."""
    return np.where((document.blocks.words > 8) & (np.arange(len(document.blocks)) < len(document.blocks) - 1), 0.9, 0.1)


def learn(profile: HostProfile, document: Document) -> None:
    profile.learn(document, probabilities_of(document), words_of(document))


def profile_of(*texts: str) -> HostProfile:
    """A profile that has learned a page of each text."""
    profile = HostProfile()
    for text in texts:
        learn(profile, document_of(text))
    return profile


def features_of(profile: HostProfile, document: Document) -> np.ndarray | None:
    return profile.features(document, np.zeros(len(document.blocks)), words_of(document))


def features_by_text(profile: HostProfile, document: Document) -> dict[str, np.ndarray]:
    """HISTORY_FEATURES by the text of the block."""
    x = features_of(profile, document)
    assert x is not None
    return dict(zip(document.blocks.texts, x, strict=True))
