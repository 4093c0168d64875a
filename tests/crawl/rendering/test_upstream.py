"""The private names of scrapy-playwright that the package uses are there, and stand in one file."""

from __future__ import annotations

import ast
import inspect
from importlib.metadata import version
from pathlib import Path

import pytest
from scrapy_playwright import _utils, handler

from webcontent.crawl.rendering import upstream

ROOM = Path(upstream.__file__).parent
METHODS = {
    "_apply_page_methods": ["page", "request", "spider"],
    "_close": [],
    "_create_browser_context": ["name", "context_kwargs", "spider"],
    "_download_request_with_page": ["request", "page", "spider"],
    "_launch": [],
    "_make_request_handler": [
        *("context_name", "method", "url", "headers", "body", "encoding", "spider", "initial_request_done"),
    ],
    "_maybe_future_from_coro": ["coro"],
    "_maybe_launch_browser": [],
    "_maybe_launch_in_thread": [],
}
FUNCTIONS = {
    "_attach_page_event_handlers": ["page", "request", "spider", "context_name"],
    "_maybe_execute_page_init_callback": ["page", "request", "context_name", "spider"],
    "_set_redirect_meta": ["request", "response"],
}
ATTRIBUTES = ("browser", "browser_provider_cls", "config", "context_launch_lock", "context_wrappers", "abort_request", "stats")


@pytest.mark.parametrize("name", [*METHODS, *FUNCTIONS])
def test_a_private_name_is_there_with_its_arguments(name):
    owner = handler.ScrapyPlaywrightDownloadHandler if name in METHODS else _utils
    parameters = [part for part in inspect.signature(getattr(owner, name)).parameters if part != "self"]
    assert parameters == (METHODS | FUNCTIONS)[name]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_of_the_handler_is_set(name):
    assert f"self.{name}" in inspect.getsource(handler.ScrapyPlaywrightDownloadHandler)


def test_the_file_names_the_version_that_it_was_written_for():
    assert version("scrapy-playwright") in (upstream.__doc__ or "")


def test_no_other_file_imports_a_private_name():
    """Nor calls one of the methods above."""
    found = set()
    for path in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            private = [name for name in names if name.startswith("_")] or "._" in (getattr(node, "module", None) or "")
            if (
                private
                and (node.module or "").startswith("scrapy_playwright")
                or isinstance(node, ast.Attribute)
                and node.attr in METHODS
                and node.attr not in ("_launch", "_close")
            ):
                found.add(path.name)
    assert found == {"upstream.py"}
