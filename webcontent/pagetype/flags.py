"""Flags for what keeps a page from being a normal one: rules that prefer to miss such a page to flagging a normal one.

What walls, checks and errors call themselves is looked for in short pages only: a page with a text of some length is a normal page. A page
that a wall cut off may have the beginning of its text: `paywall` needs schema.org's isAccessibleForFree, or a sentence that sells the
rest.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import are_tags
from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

MAX_EMPTY_WORDS = 5
"""A page with fewer words is empty. A Chinese, Japanese or Korean character is a word."""
MAX_SHELL_WORDS = 40
"""A page that scripts draw has fewer words before they run."""
MAX_SHORT_WORDS = 250
"""A page with as many visible words is no wall, no check and no error ..."""
MAX_SHORT_RUNNING_WORDS = 120
"""... nor one with so many words in blocks of running text."""
MAX_STUB_WORDS = 400
"""A text behind a paywall that goes on for as many running words was not held back."""
MAX_DECLARED_STUB_WORDS = 200
"""The same where the page declares that it is not free, but sells nothing."""
MIN_BLOCK_WORDS = 8
"""Words of a block of running text ..."""
MAX_LINKED_SHARE = 0.3
"""... and the share of them in links that it stays below."""
MAX_TEXT_CHARS = 4000
"""Characters of a page, and of a heading, that are searched."""


def _words(name: str) -> str:
    return alternation("page_flags", name)


_STATUS = r"(?:40[0134]|410|50[0234])\b"
_ERROR = re.compile(
    rf"^\W*(?:error\W*)?{_STATUS}(?!\s*(?:{_words('counted')}))|^\W*(?:{_words('error_word')})\W{{1,3}}{_STATUS}"
    rf"|^\W*(?:{_words('error_beginning')})\b|{_words('error')}",
    re.IGNORECASE,
)
_LOGIN = re.compile(rf"\b(?:{_words('login')})\b|{_words('login_part')}", re.IGNORECASE)
_CONSENT = re.compile(_words("consent"), re.IGNORECASE)
_CONSENT_TOPIC = re.compile(_words("consent_topic"), re.IGNORECASE)
_ROBOT = re.compile(_words("robot"), re.IGNORECASE)
_PAYWALL = re.compile(_words("paywall"), re.IGNORECASE)
MOUNT_POINTS = frozenset({"root", "app", "__next", "__nuxt", "___gatsby", "main-app", "q-app", "svelte", "react-root", "app-root", "mount"})
"""Ids of the elements into which scripts draw pages."""
CHALLENGES = (
    "challenge-form", "challenge-running", "cf-challenge", "px-captcha", "captcha-container", "sec-if-container", "nc_1_wrapper",
    "tcaptcha",
)  # fmt: skip
"""Parts of the ids of elements with a check for robots."""
_NOT_FREE = frozenset({"false", "http://schema.org/false", "no"})
_ARE_HEADINGS = are_tags("h1 h2")


def page_flags(document: Document) -> tuple[str, ...]:
    """Those of items.FLAGS that this module knows, sorted: consent-wall, empty, error-page, login, not-rendered, paywall, robot-check."""
    blocks = document.blocks
    visible = ~blocks.hidden & ~blocks.noscript
    is_running = visible & (blocks.words >= MIN_BLOCK_WORDS) & (blocks.link_words < MAX_LINKED_SHARE * blocks.words)
    running_words = int(blocks.words[is_running].sum())
    all_words = int(blocks.words.sum())
    flags = {"error-page"} if document.page.status >= HTTPStatus.BAD_REQUEST else set()
    if int(blocks.words[visible].sum()) < MAX_SHORT_WORDS and running_words < MAX_SHORT_RUNNING_WORDS:
        flags |= _wall_flags(document, [blocks.texts[i] for i in np.flatnonzero(visible).tolist()])
    is_seen_only = not document.text.strip() and (document.screenshot or document.boxes)
    if all_words < MAX_EMPTY_WORDS and not flags and not is_seen_only:
        flags.add("empty")
    if all_words < MAX_SHELL_WORDS and _is_script_shell(document):
        flags.add("not-rendered")
    if running_words < MAX_STUB_WORDS and _is_held_back(document, running_words):
        flags.add("paywall")
    return tuple(sorted(flags))


def _wall_flags(document: Document, texts: list[str]) -> set[str]:
    """The flags of a short page, by what it calls itself. `texts`: its visible blocks."""
    blocks, text = document.blocks, "\n".join(texts)[:MAX_TEXT_CHARS]
    headings = [*(blocks.texts[i][:MAX_TEXT_CHARS] for i in np.flatnonzero(_ARE_HEADINGS[blocks.tag])[:2]), document.title or ""]
    inputs = {(node.get("type") or "").strip().lower() for node in document.tagged.get("input", ())}
    flags = set()
    if any(map(_ERROR.search, headings)):
        flags.add("error-page")
    if "password" in inputs and any(map(_LOGIN.search, (*headings, text))):
        flags.add("login")
    if any(map(_ROBOT.search, (text, *headings))) or any(part in name for name in blocks.elements.ids if name for part in CHALLENGES):
        flags.add("robot-check")
    elif _CONSENT.search(text) and 2 * sum(len(one) for one in texts if _CONSENT_TOPIC.search(one)) > sum(map(len, texts)):
        # a banner over a short page is no wall
        flags.add("consent-wall")
    return flags


def _is_script_shell(document: Document) -> bool:
    """Whether the page has scripts, and an element into which they draw it or a note that it needs them."""
    if not document.tagged.get("script"):
        return False
    blocks, elements = document.blocks, document.blocks.elements
    has_mount_point = any(name.lower() in MOUNT_POINTS for name in elements.ids if name)
    has_custom_element = any("-" in str(node.tag) for node in elements.nodes)
    return has_mount_point or has_custom_element or any("javascript" in blocks.texts[i].lower() for i in np.flatnonzero(blocks.noscript))


def _is_held_back(document: Document, running_words: int) -> bool:
    """Whether the page declares that its text is not free, or sells the rest of it."""
    blocks = document.blocks
    is_declared = any(str(entry.get("isAccessibleForFree", "")).strip().lower() in _NOT_FREE for entry in document.json_ld)
    if is_declared and running_words < MAX_DECLARED_STUB_WORDS:
        return True
    if not is_declared and running_words >= MAX_SHORT_RUNNING_WORDS:
        return False
    if not _PAYWALL.search("\n".join(blocks.texts)[:MAX_TEXT_CHARS]):
        return False
    return is_declared or any("paywall" in name.lower() for name in blocks.elements.classes if name)
