"""Markdown feeds."""

from __future__ import annotations

import pytest

from tests.crawl.output.exported import FULL, LIST, exported
from webcontent.crawl.output.markdown import MarkdownExporter, file_name


def test_items_stand_one_after_the_other(caplog: pytest.LogCaptureFixture):
    """Items of other classes have no place among them, which is said."""
    text = exported(MarkdownExporter, FULL, {"other": 1}, LIST).decode()
    assert caplog.messages == ["The feed can't hold items of the class dict."]
    assert text == f"{FULL.to_markdown(front_matter=True)}\n{LIST.to_markdown(front_matter=True)}"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://e.org/a/b.html?x=1", "b"),
        ("https://e.org/../..", "page"),
        ("https://e.org/%2e%2e%2fpasswd", "page"),
        (None, "page"),
        ("https://e.org/AGENTS.html", "page-AGENTS"),
        ("https://e.org/copilot-instructions.md", "page-copilot-instructions"),
        ("https://e.org/Readme", "page-Readme"),
        ("https://e.org/nul.html", "page-nul"),
        ("https://e.org/con.tar.html", "page-con.tar"),
        ("https://e.org/COM1.html", "page-COM1"),
        ("https://e.org/context-free.html", "page-context-free"),
        ("https://e.org/console.html", "console"),
        (f"https://e.org/{'新' * 110}.html", "新" * 40),
        ("https://e.org/新闻", "新闻"),
    ],
)
def test_names_of_files(url: str | None, name: str):
    """They never leave the folder."""
    assert file_name(url) == name
