"""What a site calls itself."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, titled
from webcontent.fields.publishers import find_publishers

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"
NAMED = "<title>Ice stops the ferry - The Sound</title><h1>Ice stops the ferry</h1>"


@pytest.mark.parametrize(
    ("html", "publisher"),
    [
        (f'<meta property="og:site_name" content="The Sound">{TITLE}{ENGLISH}', "The Sound"),
        (f"{NAMED}{ENGLISH}", "The Sound"),
        (
            f'<meta property="og:site_name" content="Ferries"><meta name="application-name" content="The Sound"><meta name="publisher" content="The Sound">{NAMED}{ENGLISH}',
            "The Sound",
        ),
        (f"{TITLE}{ENGLISH}", None),
    ],
)
def test_the_publisher_is_the_name_that_most_places_give(html: str, publisher: str | None):
    """Sections name themselves where the site's name is expected."""
    candidates = find_publishers(*titled(html))
    assert (candidates[0].value if candidates else None) == publisher
