"""What the package prints."""

from __future__ import annotations

import ast

from tests.crawl.crawls import CHECKOUT

OF_THE_USER = ("items: {opts.output}", "New items in {names}", "print(folder)")
"""Lines of names that the user gave, or that were made safe for folders."""


def test_all_that_is_printed_is_escaped():
    """A server's text may command a terminal. Tables escape their cells themselves."""
    found = []
    for folder in ("crawl", "demo", "inspect", "saved_pages", "batch"):
        for path in (CHECKOUT / "webcontent" / folder).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                    text = ast.get_source_segment(source, node) or ""
                    if not any(part in text for part in ("on_terminal", "iter_table", *OF_THE_USER)):
                        found.append((path.name, text))
    assert found == []
