"""Authors in their usual places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.fields.pages import ENGLISH, titled
from webcontent.fields.names.declared import declared_names
from webcontent.fields.names.rules import rule_authors
from webcontent.fields.titles.site_names import site_names

if TYPE_CHECKING:
    from webcontent.fields.names.rules import RuleAuthors

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


def authors_of(html: str) -> list[RuleAuthors]:
    signals, anchor = titled(html)
    return rule_authors(signals, anchor, site_names(signals), declared_names(signals, anchor))


@pytest.mark.parametrize(
    ("html", "authors"),
    [
        (f"{TITLE}<p>By Jane Doe</p>{ENGLISH}", ["Jane Doe"]),
        (f'{TITLE}<p><a rel="author" href="/people/jane">Jane Doe</a></p>{ENGLISH}', ["Jane Doe"]),
        (f'{TITLE}<p><a href="/authors/jane-doe/">Jane Doe</a></p>{ENGLISH}', ["Jane Doe"]),
        (f'{TITLE}<span itemprop="author"><span itemprop="name">Jane Doe</span></span>{ENGLISH}', ["Jane Doe"]),
        (f"{TITLE}<p>Jane Doe | May 1, 2024</p>{ENGLISH}", ["Jane Doe"]),
        (f'<meta name="author" content="Jane Doe, John Public">{TITLE}{ENGLISH}', ["Jane Doe", "John Public"]),
        (f"{TITLE}<p>By TSN, in News, Business · 31 Jan 2024, 20:02</p>{ENGLISH}", ["TSN"]),
        (f"{TITLE}<p>Published thursday | May 1, 2024</p>{ENGLISH}", []),
        (f"{TITLE}{ENGLISH}", []),
    ],
)
def test_authors_are_found_in_their_usual_places(html: str, authors: list[str]) -> None:
    """Sections and days are none."""
    candidates = authors_of(html)
    assert (candidates[0].names if candidates else []) == authors


def test_authors_of_json_ld_may_be_references() -> None:
    """`{"@id": ...}` points to an object elsewhere on the page."""
    graph = {"@graph": [{"@type": "Article", "author": {"@id": "#jane"}}, {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}]}
    candidates = authors_of(f'<script type="application/ld+json">{json.dumps(graph)}</script>{TITLE}{ENGLISH}')
    assert candidates[0].names == ["Jane Doe"]
