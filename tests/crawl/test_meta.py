"""Keys of `request.meta` and `Page.meta` are named in one place."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import webcontent.crawl
from webcontent.crawl import meta

if TYPE_CHECKING:
    from collections.abc import Iterator

CRAWL = Path(webcontent.crawl.__file__).parent
MODULES = sorted(CRAWL.rglob("*.py"))
FOREIGN = ("playwright", "proxy", "redirect_", "download_", "handle_httpstatus_", "dont_", "cookiejar")
"""How the keys of Scrapy and scrapy-playwright begin."""


def literal_keys(path: Path) -> Iterator[str]:
    """Keys that a module writes as strings: `x.meta["key"]`, `x.meta.get("key")`, `"key" in x.meta`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript):
            owner, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner, key = node.func.value, node.args[0]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            owner, key = node.comparators[0], node.left
        else:
            continue
        if isinstance(owner, ast.Attribute) and owner.attr == "meta" and isinstance(key, ast.Constant):
            yield str(key.value)


def test_keys_of_the_package_are_constants():
    """Keys of Scrapy and scrapy-playwright stand as their documentation writes them."""
    assert [(path.name, key) for path in MODULES for key in literal_keys(path) if not key.startswith(FOREIGN)] == []


def test_no_two_keys_are_the_same():
    values = [value for name, value in vars(meta).items() if name.isupper()]
    assert len(values) == len(set(values))
