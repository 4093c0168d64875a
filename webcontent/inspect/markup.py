"""HTML that is escaped by construction, and the elements that several parts of an inspection use."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from webcontent.inspect.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_TEXT = 2000
"""Characters of a block's text, and of a line of a body."""
MAX_CELL = 240
"""Characters of a field's value in a cell, of the title and of the URL."""
PATH_STEPS = 3
"""Steps of an XPath that are shown."""
VOID_ELEMENTS = frozenset({"br", "img", "input"})
"""Elements without an end tag, as far as they are used here."""


class Markup(str):
    """HTML. Any other text is escaped when it is inserted."""

    __slots__ = ()


def tag(name: str, /, *children: str | None, **attributes: str | float | bool | None) -> Markup:
    """An element. Trailing underscores of attribute names are dropped, others become hyphens. None and False omit an attribute.

    >>> tag("p", "1 < 2", class_="note", data_b=3)
    '<p class="note" data-b="3">1 &lt; 2</p>'
    """
    attribute_text = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    content = join(child for child in children if child is not None)
    return Markup(f"<{name}{attribute_text}>" if name in VOID_ELEMENTS else f"<{name}{attribute_text}>{content}</{name}>")


def join(parts: Iterable[str]) -> Markup:
    """The parts one after the other, escaped unless they are Markup."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def own_file(name: str) -> str:
    return files("webcontent.inspect").joinpath(name).read_text(encoding="utf-8")


def fill(name: str, parts: Mapping[str, str]) -> str:
    """A file of this package with its $placeholders filled, escaped unless they are Markup."""
    return Template(own_file(name)).substitute({key: join((part,)) for key, part in parts.items()})


def bars(rows: Iterable[tuple[str, float, str]]) -> Markup:
    """The rows of a table: a name, a number from 0 to 1 as a bar, and the number in words."""
    return join(
        tag("tr", tag("th", name, scope="row"), tag("td", tag("meter", value=f"{share:.2f}")), tag("td", text, class_="number"))
        for name, share, text in rows
    )


def path_tail(path: str) -> Markup:
    """The last steps of an XPath; the whole of it where the pointer rests.

    >>> path_tail("/html/body/div[2]/ul/li[3]")
    '<code title="/html/body/div[2]/ul/li[3]">div[2] › ul › li[3]</code>'
    """
    return tag("code", " › ".join(path.split("/")[1:][-PATH_STEPS:]), title=path)


def cell_text(value: Any) -> str:
    """The value of a field in one line; "" for None."""
    if isinstance(value, list):
        parts = shorten(" | ".join(name_of(part) for part in value), MAX_CELL)
        return f"{len(value)}: {parts}" if len(value) > 1 else parts
    return shorten(str(value), MAX_CELL) if value not in (None, "") else ""


def name_of(part: Any) -> str:
    """The title, caption or URL of a part of an item."""
    if not ItemAdapter.is_item(part):
        return str(part)
    adapter = ItemAdapter(part)
    return str(adapter.get("title") or adapter.get("caption") or adapter.get("url") or "")


def numbers(blocks: Iterable[int]) -> str | None:
    """The attribute that holds the numbers of blocks; None without any."""
    return " ".join(map(str, blocks)) or None
