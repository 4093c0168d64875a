"""What a site calls itself."""

from __future__ import annotations

import pytest

from tests.fields.pages import signals_of
from webcontent.fields.titles.site_names import site_names, tail_of_title


@pytest.mark.parametrize(
    ("title", "tail"),
    [
        ("A story - The Paper", "The Paper"),
        ("A story | News | The Paper", "The Paper"),
        ("A story", None),
        ("Another story - The Paper", None),
    ],
)
def test_what_stands_behind_the_title_is_the_sites_name(title: str, tail: str | None) -> None:
    """Only where the rest is the title itself."""
    assert tail_of_title(title, "astory") == tail


def test_the_site_is_named_by_meta_tags_and_address() -> None:
    """Plain names."""
    assert {"thesound", "news", "newsexample"} <= site_names(
        signals_of('<meta property="og:site_name" content="The Sound">', url="https://www.news.example/a")
    )
