"""Bytes -> Document: decoded once, parsed once. A Document caches what follows from the page's bytes and boxes, and nothing else."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import lxml.etree
import lxml.html
from w3lib.encoding import http_content_type_encoding

from webcontent.addresses import UNSAFE, encode_unsafe, split_url
from webcontent.document.attributes import bound_attributes
from webcontent.document.blocks import Blocks, walk
from webcontent.document.declared import Declared
from webcontent.document.encoding import decode
from webcontent.document.fingerprints import fingerprints_of
from webcontent.document.hidden import sheet_of, unseen_rows, unshown_rows
from webcontent.document.unseen import wrap_beside_shadow_roots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.fingerprints import Fingerprints
    from webcontent.items import Page

MAX_CHARACTERS = 6_000_000
"""Characters of a page that are read; the rest is cut and the item flagged `truncated`."""
MAX_BYTES_A_CHARACTER = 4
"""No encoding takes more."""
MAX_DEPTH = 1000
"""Deeper markup loses its tags, not its text; libxml2 gives up at 2048."""
TAGGED = tuple("title base meta link script style input rt rp rtc math mjx-container math-renderer tex-math template".split())
"""Tags that several steps look for, of elements in the head and of rare ones."""
MAX_JSON_CHARACTERS = 1_000_000
MAX_JSON_OBJECTS = 2000
MAX_JSON_VALUES = 20_000
"""Objects and lists of one script that are searched for JSON-LD objects."""

_CONTROL = "".join(chr(code) for code in range(32) if chr(code) not in "\t\n\r")
_REFERENCE = re.compile(r"&#(?:[xX]0*([0189][0-9a-fA-F]?)|0*(\d|[12]\d|3[01]|1[2-5]\d));")
"""A reference to a control character, or to one of few others."""
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)[^<>]*?(/?)>")
_HTML_END = re.compile(r"</html\s*>", re.IGNORECASE)
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_TITLE = re.compile(r"<title(?:\s[^<>]*)?>", re.IGNORECASE)
_TITLE_END = re.compile(r"</title", re.IGNORECASE)
_CDATA = re.compile(r"^\s*(?://\s*)?<!\[CDATA\[|(?://\s*)?\]\]>\s*$|^\s*<!--|-->\s*$")
# lxml.html calls a Python function for the class of every node that is touched; one class for all saves a tenth of a walk.
_ELEMENT_CLASSES = lxml.etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement)
# Addresses that urljoin returns unchanged: no blanks, dot segments, empty queries or fragments.
_PLAIN_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::\d{1,4})?(?=[/?#]|$)", re.ASCII)
_PLAIN_ADDRESS = re.compile(_PLAIN_ORIGIN.pattern + rf"(?:/[^{UNSAFE}\s\\?#;]*(?:\?[^{UNSAFE}\s\\#]+)?(?:#[^{UNSAFE}\s\\]+)?)?")
_PLAIN_PATH = re.compile(rf"/(?![/\\])(?!\.)(?:(?!/\.)[^{UNSAFE}\s\\?#;])*(?:\?[^{UNSAFE}\s\\#]+)?(?:#[^{UNSAFE}\s\\]+)?")
_NO_LINE_BREAKS = dict.fromkeys(map(ord, "\t\r\n"))
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")


class Document:
    """A page, decoded and parsed. Nothing that a page contains makes it raise; `flags` names what went wrong."""

    def __init__(self, page: Page, *, language: str | None = None) -> None:
        self.page = page
        self.url = page.url
        self.screenshot = page.screenshot
        self.boxes = page.boxes
        self.fetched_at = page.fetched_at
        self.language = language
        """The caller's hint, ISO 639-1."""
        self.flags: set[str] = set(page.flags)
        self._addresses: dict[str, str | None] = {}
        self.text, self.encoding = self._read(page)
        self.root = self._parse(self.text)

    @classmethod
    def from_page(cls, page: Page, *, language: str | None = None) -> Document:
        return cls(page, language=language)

    def _read(self, page: Page) -> tuple[str, str]:
        html = page.html
        if isinstance(html, str):
            text, encoding = html, "utf-8"
        else:
            if len(html) > MAX_BYTES_A_CHARACTER * MAX_CHARACTERS:
                html = html[: MAX_BYTES_A_CHARACTER * MAX_CHARACTERS]
                self.flags.add("truncated")
            declared = page.encoding or http_content_type_encoding(page.headers.get("content-type"))
            text, encoding, fits = decode(html, declared)
            if not fits:
                self.flags.add("bad-encoding")
        if len(text) > MAX_CHARACTERS:
            text = text[:MAX_CHARACTERS]
            self.flags.add("truncated")
        return text, encoding

    def _parse(self, text: str) -> HtmlElement:
        text = _REFERENCE.sub(_mended, text)
        end = text.find("</html")
        if end >= 0 and (body := text.rfind("<body", end)) >= 0:  # libxml2 drops everything behind </html>; browsers do not
            text = _HTML_END.sub("", text[:body]) + text[body:]
        text = _close_title(text)
        data = text.encode("utf-8", "replace").translate(None, _CONTROL.encode())  # lone surrogates become question marks
        data, has_dropped = bound_attributes(data)
        root, is_too_deep = _parse_html(data)
        if is_too_deep:
            root, _ = _parse_html(_flatten(data.decode()).encode())
        if is_too_deep or has_dropped:
            self.flags.add("truncated")
        return root

    @cached_property
    def blocks(self) -> Blocks:
        """The blocks; they know which of them no reader of the page sees."""
        wrap_beside_shadow_roots(self.tagged.get("template", ()))
        blocks = walk(self.root)
        css = sheet_of(self.tagged.get("style", ()))
        blocks.unseen.extend(unseen_rows(blocks, css))
        blocks.unseen.extend(unshown_rows(blocks, css, self.tagged.get("script", ()), self.text))
        return blocks

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Fingerprints of the blocks' texts and paths."""
        return fingerprints_of(self.blocks)

    @cached_property
    def tagged(self) -> dict[str, list[HtmlElement]]:
        """The elements of TAGGED in the whole page, by tag, each in page order. One search for all: each goes over the whole tree."""
        found: dict[str, list[HtmlElement]] = {}
        for node in self.root.iter(*TAGGED):
            found.setdefault(str(node.tag), []).append(node)
        return found

    @cached_property
    def title(self) -> str | None:
        """Text of the title element, white space collapsed."""
        for node in self.tagged.get("title", ()):
            if text := " ".join((node.text or "").split()):
                return text
        return None

    @cached_property
    def base_url(self) -> str | None:
        """The base of relative links: the page's <base href>, else its address."""
        for node in self.tagged.get("base", ()):
            if href := node.get("href"):
                try:
                    base = urljoin(self.url or "", href.strip())
                    if urlsplit(base).scheme in ("http", "https"):
                        return base
                except ValueError:
                    continue
        return self.url

    def absolute(self, href: str | None) -> str | None:
        """`href` as an absolute http(s) address; None for javascript:, data: and addresses that can't be parsed.

        Where the page has no address, relative links stay as they are.
        """
        href = (href or "").strip()
        if href not in self._addresses:  # body, links and entries ask for the same link
            self._addresses[href] = self._absolute(href)
        return self._addresses[href]

    def _absolute(self, href: str) -> str | None:
        if not href or href.startswith("#"):
            return None
        if _PLAIN_ADDRESS.fullmatch(href):  # nine of ten links have one of the two plain forms, and urljoin is slow
            return href
        if self._origin and _PLAIN_PATH.fullmatch(href):
            return self._origin + href
        try:
            url = urljoin(self.base_url or "", href.translate(_NO_LINE_BREAKS))
            parts = urlsplit(url)
        except ValueError:
            return None
        if split_url(url) is not None:
            return encode_unsafe(url)
        return encode_unsafe(url) if not parts.scheme and not parts.netloc and not self.base_url else None

    @cached_property
    def _origin(self) -> str | None:
        match = _PLAIN_ORIGIN.match(self.base_url or "")
        return match[0] if match else None

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Contents of the meta tags by name, property, itemprop or http-equiv in lower case; in page order."""
        contents: dict[str, list[str]] = {}
        for node in self.tagged.get("meta", ()):
            content = (node.get("content") or node.get("value") or "").strip()
            if not content:
                continue
            for key in {node.get(name) for name in ("name", "property", "itemprop", "http-equiv")} - {None, ""}:
                contents.setdefault(str(key).strip().lower(), []).append(content)
        return contents

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """The objects of the page's JSON-LD that have a type or an @id, those of @graph included, outer ones before nested ones."""
        objects: list[dict[str, Any]] = []
        for node in self.tagged.get("script", ()):
            if "ld+json" in (node.get("type") or "").lower():
                objects.extend(_iter_objects(load_json(node.text or "")))
            if len(objects) >= MAX_JSON_OBJECTS:
                break
        return objects[:MAX_JSON_OBJECTS]

    @cached_property
    def declared(self) -> Declared:
        """What the page declares of itself, by field."""
        return Declared(self.root, self.text, self.blocks, self.json_ld, self.meta, self.tagged.get("link", ()))


def _parse_html(data: bytes) -> tuple[HtmlElement, bool]:
    """The tree (always an html element) of a page in UTF-8, and whether libxml2 gave up before the end."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, collect_ids=False)
    parser.set_element_class_lookup(_ELEMENT_CLASSES)
    root = None
    if data and not data.isspace():
        with suppress(lxml.etree.ParserError, lxml.etree.XMLSyntaxError, AssertionError):
            root = lxml.html.document_fromstring(data, parser=parser)
    if root is None:
        return lxml.html.document_fromstring("<html><body></body></html>"), False
    cut = any(entry.level_name == "FATAL" for entry in parser.error_log.filter_from_fatals())
    return root, cut


def _mended(reference: re.Match[str]) -> str:
    """A reference to a control character as browsers read it: as one of Windows-1252 (HTML Standard, 13.2.5.80), or as nothing."""
    code = int(reference[1], 16) if reference[1] else int(reference[2])
    if 0x80 <= code < 0xA0:
        return bytes([code]).decode("cp1252", "ignore")
    return "" if chr(code) in _CONTROL else reference[0]


def _close_title(text: str) -> str:
    """Ends a title that is never closed at the next tag; otherwise it would swallow the whole page, as it does in browsers.

    >>> _close_title("<title>News<p>Text")
    '<title>News</title><p>Text'
    """
    opening = _TITLE.search(text)
    if opening is None or _TITLE_END.search(text, opening.end()):
        return text
    end = text.find("<", opening.end())
    return text if end < 0 else f"{text[:end]}</title>{text[end:]}"


def _flatten(text: str) -> str:
    """The markup without the tags below MAX_DEPTH."""
    depth = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal depth
        closing, name, own_end = match.groups()
        if name.lower() in _VOID or own_end:
            return match[0]
        if closing:
            depth -= 1
            return match[0] if 0 <= depth < MAX_DEPTH else " "
        depth += 1
        return match[0] if depth <= MAX_DEPTH else " "

    return _TAG.sub(keep, text)


def load_json(text: str) -> Any:
    """The value of a script's JSON; None when it can't be read even after the usual repairs (trailing commas, CDATA marks)."""
    if len(text) > MAX_JSON_CHARACTERS:
        return None
    with suppress(ValueError, RecursionError):
        return json.loads(text, strict=False)
    with suppress(ValueError, RecursionError):
        return json.loads(_TRAILING_COMMA.sub("", _CDATA.sub("", text)).strip().rstrip(";"), strict=False)
    return None


def _iter_objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects inside a JSON value that have a type or an @id, outer ones first; bounded."""
    queue, count = [value], 0
    while queue and count < MAX_JSON_VALUES:
        current = queue.pop(0)
        count += 1
        if isinstance(current, dict):
            if "@type" in current or "@id" in current:
                yield current
            queue.extend(item for item in current.values() if isinstance(item, (dict, list)))
        elif isinstance(current, list):
            queue.extend(item for item in current if isinstance(item, (dict, list)))
