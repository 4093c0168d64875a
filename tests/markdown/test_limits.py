"""How much of a page becomes Markdown as it is: a size that does, beside one that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webcontent.items import Entry, Listing
from webcontent.markdown.writer import html_to_markdown

if TYPE_CHECKING:
    from collections.abc import Callable


def is_table(rows: str) -> bool:
    return "| --- |" in html_to_markdown(f"<table>{rows}</table>")


def is_beside(chars: int) -> bool:
    """Whether what stands so long behind a title is part of its entry."""
    listing = Listing(entries=[Entry("First story", "https://e.org/1")], body=f"First story {'z' * chars}")
    return listing.to_markdown().startswith("- ")


LIMITS: dict[str, tuple[Callable[[int], object], int, int]] = {
    "columns": (lambda n: is_table(f"<tr><td colspan={n}>a<tr><td>b<td>c"), 200, 201),
    "cells": (lambda n: is_table(f"<tr><td>a<td>b{'<tr><td colspan=200>a' * (n - 1)}"), 250, 251),
    "nested quotes": (lambda n: html_to_markdown("<blockquote>" * n + "<p>x").startswith("> " * n), 64, 65),
    "characters beside a title": (is_beside, 20, 21),
}
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_markdown_has_its_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (holds(size), holds(beyond)) == (True, False)
