"""Programs that read Markdown, and what the HTML of their renderings may do: its tags, attributes and addresses."""

from __future__ import annotations

import re
import sys
from functools import cache
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("commonmark", "gfm", "python-markdown", "python-markdown-extra", "mistune", "mistune-plugins")
HARMLESS = frozenset(
    "p em strong h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code hr br table thead tbody tr th td del s sup sub section div span dl dt dd "
    "caption abbr body html".split()
)
"""What Markdown itself makes of text, without addresses."""
ADDRESSES = frozenset("href src action data formaction poster srcset cite background".split())
_HARMLESS_ATTRIBUTES = frozenset("alt title class id start align colspan rowspan role style type".split())
_ALIGN = re.compile(r"text-align:\s*\w+;?")


@cache
def reader(name: str) -> Callable[[str], str]:
    """Markdown -> HTML, with raw HTML let through. Readers that are not installed skip the test."""
    if name in ("commonmark", "gfm"):
        markdown_it = pytest.importorskip("markdown_it")
        rendering = markdown_it.MarkdownIt("commonmark", {"html": True})
        if name == "gfm":
            rendering.enable(["table", "strikethrough"]).use(pytest.importorskip("mdit_py_plugins.footnote").footnote_plugin)
        rendering.validateLink = lambda url: True
        return rendering.render
    if name.startswith("python-markdown"):
        return _python_markdown(["extra"] if name.endswith("extra") else ["fenced_code"])
    mistune = pytest.importorskip("mistune", reason="the extra `test` brings mistune")
    plugins = ["strikethrough", "footnotes", "table", "math", "def_list", "abbr"] if name.endswith("plugins") else []
    return mistune.create_markdown(escape=False, plugins=plugins)


def _python_markdown(extensions: list[str]) -> Callable[[str], str]:
    """The package `markdown`, whose name the folder of these tests has too."""
    own = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "markdown"}
    try:
        rendering = pytest.importorskip("markdown", reason="the extra `test` brings Markdown").Markdown(extensions=extensions)
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "markdown"]:
            del sys.modules[name]
        sys.modules.update(own)
    return lambda text: str(rendering.reset().convert(text))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.live: set[tuple[str, str]] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in HARMLESS:
            self.live.add(("tag", tag))
        for name, value in attrs:
            if not value:  # `$_a_{b}$` is TeX, and an attribute without a value does nothing
                continue
            if name in ADDRESSES:
                self.live.add(("address", comparable(value)))
            elif name.startswith("on") or name not in _HARMLESS_ATTRIBUTES or name == "style" and not _ALIGN.fullmatch(value):
                self.live.add(("attribute", name))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def live(html: str) -> set[tuple[str, str]]:
    """The tags that are more than formatting, the addresses, and the attributes that do something."""
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags.live


def comparable(address: str) -> str:
    """An address without the ways in which it may be written."""
    return unquote(unescape(unquote(address.strip()))).strip()


def words(html: str) -> set[str]:
    """The words of HTML's text."""
    tags = _Tags()
    tags.feed(re.sub(r"<(?=/?(?:p|li|h\d|td|th|br|div|pre|dd|dt|tr|blockquote|figcaption|summary|caption|img)\b)", " <", html))
    tags.close()
    return set(re.findall(r"\w+", "".join(tags.text)))
