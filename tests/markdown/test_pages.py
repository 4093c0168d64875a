"""Sixty pages in the manner of the usual generators: what their Markdown must and must not hold, and that it is stable."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

import webcontent
from tests.golden.pages import folders
from tests.markdown.pages import chinese, documentation, news, others, questions, science, wikis
from webcontent.items import Article
from webcontent.markdown.writer import html_to_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from tests.markdown.pages.common import TestPage
    from webcontent.items import Listing

PAGES = [page for group in (documentation, wikis, questions, news, science, chinese, others) for page in group.PAGES]
URL = "https://example.org/docs/page.html"
KNOWN_FAULTS = {
    ("notion", "Measure before you change"): "a callout at the end of a page is taken for noise",
    ("discourse", "> Is there a limit for each user?"): "the quote of another post in the last answer is taken for noise",
    ("reddit", "[this page](https://e.org/a_(b))"): "a short line of a comment is taken for noise",
}
"""Page and check -> why it fails."""


@cache
def item_of(page: TestPage) -> Article | Listing:
    return webcontent.extract(page.html, url=URL)


def rendered(markdown: str) -> str:
    """The HTML that another program makes of Markdown."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    reader.use(footnote_plugin)
    reader.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True, renderer=lambda tex, options: escape(tex))
    return reader.render(markdown)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_markdown_of_a_page(page: TestPage):
    """It holds the text, code, formulas and notes as they are, nothing of the site around them, and each word of the plain text.
    Markdown that another program turns into HTML gives the same Markdown again."""
    item = item_of(page)
    markdown = item.to_markdown()
    wrong = [text for text in page.has if text not in markdown] + [text for text in page.lacks if text in markdown]
    assert {(page.name, text) for text in wrong} == {fault for fault in KNOWN_FAULTS if fault[0] == page.name}
    assert html_to_markdown(rendered(markdown)) == markdown.rstrip("\n")
    assert not missing_words(item)


@pytest.mark.parametrize("page", [page for page in PAGES if page.videos is not None or page.audios is not None], ids=lambda page: page.name)
def test_the_players_of_a_page(page: TestPage):
    """They are values of their own."""
    item = item_of(page)
    assert isinstance(item, Article)
    if page.videos is not None:
        assert tuple(video.url for video in item.videos) == page.videos
    if page.audios is not None:
        assert tuple(audio.url for audio in item.audios) == page.audios


def test_there_are_sixty_pages():
    assert len(PAGES) == 60
    assert len({page.name for page in PAGES}) == 60
    assert len(KNOWN_FAULTS) <= 0.05 * sum(len(page.has) + len(page.lacks) for page in PAGES)


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_markdown_of_a_golden_page_has_the_whole_body(folder: Path):
    assert not missing_words(webcontent.extract((folder / "page.html").read_bytes(), url=URL))


def missing_words(item: Article | Listing) -> set[str]:
    """The words of a body whose letters do not stand together in its Markdown."""
    markdown = item.to_markdown(links=False, images=False)
    letters = "".join(filter(str.isalnum, re.sub(r"</?su[bp]>", "", markdown).casefold()))
    return {word for word in re.findall(r"[^\W_]+", item.body.casefold()) if "".join(filter(str.isalnum, word)) not in letters}
