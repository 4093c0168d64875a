"""Blocks that a page hides for good, beside those that open."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fields.pages import ENGLISH
from webcontent.document.parsing import Document
from webcontent.fields.body.left_out import hidden_blocks
from webcontent.items import Page


def texts_of(html: str) -> list[str]:
    """The kept texts that are not those of the article, where all blocks were selected."""
    blocks = Document.from_page(Page(html=html, url=None)).blocks
    kept = ~hidden_blocks(blocks, np.ones(len(blocks), bool))
    return [blocks.texts[place] for place in np.flatnonzero(kept).tolist() if not blocks.texts[place].startswith("The ferry")]


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>secret</p>",
        "<div style='color: red; display:none !important'>secret</div>",
        "<div class=entry-note style='DISPLAY: NONE'><p>secret</p></div>",
        "<ul><li>shown</li><li hidden=''>secret</li></ul>",
    ],
    ids=["attribute", "style", "around", "item"],
)
def test_short_hidden_texts_are_left_out(html: str) -> None:
    assert "secret" not in texts_of(f"<article>{ENGLISH}{html}{ENGLISH}</article>")


@pytest.mark.parametrize(
    "html",
    [
        "<div role=tabpanel hidden>own</div>",
        "<div class='accordion__panel'><p hidden>own</p></div>",
        "<div class=faq><div class=a style='display:none'>own</div></div>",
        "<details><p hidden>own</p></details>",
        "<div id='S:1' hidden>own</div>",
        "<p hidden=until-found>own</p>",
        "<p aria-hidden=true>own</p>",
    ],
    ids=["tab", "accordion", "answer", "details", "streamed", "found", "aria"],
)
def test_hidden_texts_that_open_stay(html: str) -> None:
    """So do those that only assistive technology ignores or that a script fades in."""
    assert "own" in texts_of(f"<article>{ENGLISH}{html}{ENGLISH}</article>")


def test_a_page_of_which_much_is_hidden_keeps_it() -> None:
    """A script shows it."""
    assert texts_of("<p>one</p><div style='display:none'><p>own</p></div>") == ["one", "own"]
    assert texts_of(f"<div hidden>{ENGLISH}<p>own</p></div><p>one</p>") == ["own", "one"]
