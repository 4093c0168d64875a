"""What a site calls itself."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, titled
from webcontent.fields.names.publishers import find_publishers

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
        (
            f'<script type="application/ld+json">{{"@type": "Article", "publisher": {{"name": "Johnson &amp; Johnson"}}}}</script>{TITLE}{ENGLISH}',
            "Johnson & Johnson",
        ),
        (f"{TITLE}{ENGLISH}", None),
    ],
)
def test_the_publisher_is_the_name_that_most_places_give(html: str, publisher: str | None):
    """Sections name themselves where the site's name is expected."""
    candidates = find_publishers(*titled(html))
    assert (candidates[0].value if candidates else None) == publisher


def site_name(name: str) -> str:
    return f'<meta property="og:site_name" content="{name}">'


def publisher_of(html: str, url: str) -> str | None:
    candidates = find_publishers(*titled(html, url=url))
    return candidates[0].value if candidates else None


@pytest.mark.parametrize(
    ("url", "html", "publisher"),
    [
        ("https://www.thesound.example.com/a", site_name("Ferries"), "Ferries"),
        ("https://sound.com/a", f'{site_name("Sound Media AG")}<meta name="application-name" content="The Sound">', "The Sound"),
        ("https://lto.de/a", f'{site_name("Ley Tribuna Online")}<meta name="publisher" content="LTO">', "Ley Tribuna Online"),
        ("https://sound.co.uk/a", site_name("Sound.co.uk"), "Sound"),
        ("https://sound.no/a", f'{site_name("sound.no")}<meta name="application-name" content="SOUND">', "SOUND"),
        ("https://kleinesund.at/a", '<a href="/"><img alt="Kleine Sund" src="/logo.svg"></a>', "Kleine Sund"),
        ("https://kleinesund.at/a", '<a href="/">Home</a>', None),
        ("https://sound.com/a", "<footer>Copyright © 2024-2026 The Sound. All rights reserved.</footer>", "The Sound"),
        ("https://ada.blogs.com/a", f"{site_name('Ada writes')}<footer>© 2026 Blogs</footer>", "Ada writes"),
        ("https://www.haixia.cn/a", f"{site_name('海峡网')}<footer>© 2026 haixia</footer>", "海峡网"),
    ],
)
def test_the_publisher_is_the_name_that_the_host_has(url: str, html: str, publisher: str | None):
    """Not its company, nor its section; a host name is given without its top-level domain, and names in other letters stay."""
    assert publisher_of(f"{html}{TITLE}{ENGLISH}", url) == publisher


@pytest.mark.parametrize(("before", "publisher"), [(289, "The Sound"), (290, None)])
def test_the_first_300_characters_of_a_line_may_have_the_copyright(before: int, publisher: str | None):
    assert publisher_of(f"{TITLE}{ENGLISH}<p>{'x' * before}© The Sound</p>", "https://sound.com/a") == publisher


@pytest.mark.parametrize(("behind", "publisher"), [(39, "The Sound"), (40, None)])
def test_the_last_forty_blocks_may_have_the_copyright(behind: int, publisher: str | None):
    assert publisher_of(f"{TITLE}{ENGLISH}<p>© The Sound</p>{'<p>x</p>' * behind}", "https://sound.com/a") == publisher
