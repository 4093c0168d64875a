"""Embedded players and posts: what a reader would open in their place."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from webcontent.document.rich_text.class_names import Role

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from webcontent.document.parsing import Document

VIDEO, AUDIO, POST = "video", "audio", "post"
MAX_TITLE_CHARS = 200
_SOURCES = ("src", "data-src", "data-lazy-src", "data-original", "data-url", "data", "data-litespeed-src", "data-cookieblock-src")
_FRAMED = re.compile(r"[?&](?:url|src)=(https?(?:%3A|:)[^&#]{5,500})", re.IGNORECASE)
_SCHEME = re.compile(r"^\w+://")
_GENERIC_TITLE = re.compile(r"^(?:\w+ )?(?:(?:embedded )?(?:video|audio|media)(?: player)?|iframe|embed|player|embedded content)$", re.I)
PLAYERS = Role("player")
"""Of elements that a script may fill by an id."""
_BY_ID = {"youtube": "www.youtube.com/embed/", "vimeo": "player.vimeo.com/video/", "bilibili": "player.bilibili.com/player.html?bvid="}
"""Part of the name of an element or an attribute -> the player that its id belongs to."""


@dataclass(frozen=True, slots=True)
class Player:
    """An embedded player or post."""

    kind: str
    """VIDEO, AUDIO or POST."""
    url: str
    """Absolute: of the page or file that the player shows."""
    title: str | None


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str, str | None], ...]:
    """Address, kind and page of each rule."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return tuple((re.compile(rule["address"]), rule["kind"], rule.get("page")) for rule in tomllib.loads(text)["player"])


def player_of(document: Document, node: HtmlElement) -> Player | None:
    """The player that an element shows, or whose address the query of a frame's has; None for advertisements, maps and other frames."""
    if node.tag in (VIDEO, AUDIO):  # by its own source or the first of its <source> elements
        sources = (document.absolute(holder.get(name)) for holder in (node, *node.iter("source")) for name in ("src", "data-src"))
        url = next(filter(None, sources), None)
        return Player(str(node.tag), url, _title(node)) if url else None
    for url in filter(None, (document.absolute(node.get(name)) for name in _SOURCES)):
        framed = _FRAMED.search(url)
        addresses = (url, unquote(framed[1])) if framed else (url,)
        if player := next(filter(None, (player_of_address(address, _title(node)) for address in addresses)), None):
            return player
    return None


def player_of_id(node: HtmlElement) -> Player | None:
    """The player of an element that a script fills by an id, such as <lite-youtube videoid="...">, or the post of one with its address."""
    for name, value in node.items():
        if name.endswith("-permalink") and value.startswith("https://"):
            return Player(POST, value.partition("?")[0], None)
        if name.endswith(("videoid", "video-id", "youtube-id", "vimeo-id", "bvid")) and value:
            named = f"{name} {node.tag!s} {node.get('class', '')} {node.get('data-provider', '')} {node.get('data-type', '')}".lower()
            for service, address in _BY_ID.items():
                if service in named or (service == "bilibili" and "bvid" in name):
                    return player_of_address(f"https://{address}{value}", _title(node))
    return None


def player_of_address(url: str, title: str | None, *, default: str | None = None) -> Player | None:
    """The player at an address; where no rule knows it, one of the kind `default`, or None."""
    without_scheme = _SCHEME.sub("", url)
    for address, kind, page in _rules():
        if match := address.match(without_scheme):
            shown = page.format(**{name: unquote(value) for name, value in match.groupdict().items()}) if page else url
            return Player(kind, shown, title) if shown.startswith(("http://", "https://")) else None
    return Player(default, url, title) if default else None


def _title(node: HtmlElement) -> str | None:
    for name in ("title", "aria-label", "data-title", "playlabel"):
        text = " ".join((node.get(name) or "").split())
        if text and not _GENERIC_TITLE.match(text):
            return text[:MAX_TITLE_CHARS]
    return None
