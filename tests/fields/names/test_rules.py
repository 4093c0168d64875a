"""Authors in their usual places."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.fields.pages import ENGLISH, titled
from webcontent.fields.names.rules import find_authors
from webcontent.fields.titles.site_names import site_names

if TYPE_CHECKING:
    from webcontent.items import Candidate

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


def authors_of(html: str) -> list[Candidate]:
    signals, anchor = titled(html)
    return find_authors(signals, anchor, site_names(signals))


@pytest.mark.parametrize(
    ("html", "authors"),
    [
        (f"{TITLE}<p>By Jane Doe</p>{ENGLISH}", ["Jane Doe"]),
        (f'{TITLE}<p><a rel="author" href="/people/jane">Jane Doe</a></p>{ENGLISH}', ["Jane Doe"]),
        (f'{TITLE}<p><a href="/authors/jane-doe/">Jane Doe</a></p>{ENGLISH}', ["Jane Doe"]),
        (f'{TITLE}<span itemprop="author"><span itemprop="name">Jane Doe</span></span>{ENGLISH}', ["Jane Doe"]),
        (f"{TITLE}<p>Jane Doe | May 1, 2024</p>{ENGLISH}", ["Jane Doe"]),
        (f'<meta name="author" content="Jane Doe, John Public">{TITLE}{ENGLISH}', ["Jane Doe", "John Public"]),
        (f"{TITLE}<p>Published thursday | May 1, 2024</p>{ENGLISH}", []),
        (f"{TITLE}{ENGLISH}", []),
    ],
)
def test_authors_are_found_in_their_usual_places(html: str, authors: list[str]) -> None:
    """Sections and days are none."""
    candidates = authors_of(html)
    assert (candidates[0].value if candidates else []) == authors


@pytest.mark.parametrize(("author", "authors"), [("The Sound", ["Jane Doe"]), ("John Public", ["John Public"])])
def test_a_name_below_the_text_is_its_author_where_the_site_names_itself(author: str, authors: list[str]) -> None:
    """Where a person is named, a name alone in a line says nothing."""
    head = f'<meta property="og:site_name" content="The Sound"><meta name="author" content="{author}">'
    assert authors_of(f"{head}{TITLE}{ENGLISH}<p>Jane Doe</p>")[0].value == authors


def test_authors_of_json_ld_may_be_references() -> None:
    """`{"@id": ...}` points to an object elsewhere on the page."""
    graph = {"@graph": [{"@type": "Article", "author": {"@id": "#jane"}}, {"@type": "Person", "@id": "#jane", "name": "Jane Doe"}]}
    candidates = authors_of(f'<script type="application/ld+json">{json.dumps(graph)}</script>{TITLE}{ENGLISH}')
    assert candidates[0].value == ["Jane Doe"]
