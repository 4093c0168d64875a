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
    from webcontent.items import Candidate

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


def authors_of(html: str) -> list[Candidate]:
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
    assert (candidates[0].value if candidates else []) == authors


def test_the_fuller_of_two_lists_leads_where_its_names_are_links() -> None:
    """JSON-LD and meta tags often name only one of several authors."""
    links = '<p><a rel="author" href="/people/ann">Ann Lee</a></p><p><a rel="author" href="/people/bob">Bob Ray</a></p>'
    data = json.dumps({"@type": "NewsArticle", "author": {"@type": "Person", "name": "Bob Ray"}})
    head = f'<script type="application/ld+json">{data}</script><meta property="article:author" content="Bob Ray">'
    assert authors_of(f"{head}{TITLE}{links}{ENGLISH}")[0].value == ["Ann Lee", "Bob Ray"]


def test_a_place_behind_a_name_is_no_author() -> None:
    """Jane Doe, Berlin: no other place of the page gives the second word, one gives the first name."""
    html = f'{TITLE}<p>By Jane Doe, Berlin</p><p><a href="/authors/jane-doe/">Jane Doe</a></p>{ENGLISH}'
    assert authors_of(html)[0].value == ["Jane Doe"]


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
