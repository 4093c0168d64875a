"""The address that a page gives for itself."""

from __future__ import annotations

import pytest

from tests.fields.pages import signals_of
from webcontent.fields.assembly import find_canonical_urls

JSON = '<script type="application/ld+json">{"@type": "Article", "mainEntityOfPage": {"@id": "/from-json"}}</script>'


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ('<link rel="canonical" href="/ice">', ["https://news.example/ice"]),
        ('<link rel="Canonical foo" href="//news.example/ice">', ["https://news.example/ice"]),
        ('<meta property="og:url" content="https://news.example/og">', ["https://news.example/og"]),
        (JSON, ["https://news.example/from-json"]),
        (f'{JSON}<meta property="og:url" content="/og"><link rel=canonical href=/ice>', ["/ice", "/og", "/from-json"]),
        ('<link rel=canonical href="javascript:alert(1)">', []),
        ("<p>Text", []),
    ],
    ids=["link", "two words", "og:url", "json-ld", "best first", "no web address", "none"],
)
def test_canonical_addresses_are_absolute_and_ranked(html: str, urls: list[str]) -> None:
    """The link element before og:url before JSON-LD."""
    values = [candidate.value for candidate in find_canonical_urls(signals_of(html).document)]
    assert values == [url if url.startswith("https:") else f"https://news.example{url}" for url in urls]
