"""Bytes -> Document: decoded once, parsed once. A Document caches what follows from the page's bytes and boxes, and nothing else."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import lxml.etree
import lxml.html
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

from webcontent.document.blocks import Blocks, walk
from webcontent.document.fingerprints import fingerprints_of
from webcontent.document.positions import visual_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.fingerprints import Fingerprints
    from webcontent.document.positions import VisualTree
    from webcontent.items import Page

MAX_CHARACTERS = 6_000_000
"""What of a page is read; the rest is cut and the item flagged `truncated`."""
MAX_DEPTH = 1000
"""Deeper markup loses its tags, not its text; libxml2 gives up at 2048."""
MAX_JSON_CHARACTERS = 1_000_000
MAX_JSON_OBJECTS = 2000

# What is tried, in this order, when the declared encoding does not fit the bytes. Multi-byte encodings fail on wrong input.
_GUESSES = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
_CONTROL = bytes(c for c in range(32) if c not in b"\t\n\r")
_CONTROL_REFERENCE = re.compile(r"&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2\d|3[01]));", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)[^<>]*?(/?)>")
_HTML_END = re.compile(r"</html\s*>", re.IGNORECASE)
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_TITLE = re.compile(r"<title(?:\s[^<>]*)?>", re.IGNORECASE)
_TITLE_END = re.compile(r"</title", re.IGNORECASE)
_CDATA = re.compile(r"^\s*(?://\s*)?<!\[CDATA\[|(?://\s*)?\]\]>\s*$|^\s*<!--|-->\s*$")
# lxml.html asks a Python function for the class of every node that is touched; one class for all spares a tenth of a walk.
_ELEMENT_CLASSES = lxml.etree.ElementDefaultClassLookup(element=lxml.html.HtmlElement)
# Addresses that urljoin would give back as they are: no blanks, dot segments, empty queries or fragments.
_PLAIN_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::\d{1,4})?(?=[/?#]|$)", re.ASCII)
_PLAIN_ADDRESS = re.compile(_PLAIN_ORIGIN.pattern + r"(?:/[^\s\\?#;]*(?:\?[^\s\\#]+)?(?:#[^\s\\]+)?)?")
_PLAIN_PATH = re.compile(r"/(?![/\\])(?!\.)(?:(?!/\.)[^\s\\?#;])*(?:\?[^\s\\#]+)?(?:#[^\s\\]+)?")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")


class Document:
    """A page, decoded and parsed. Nothing that a page contains makes it raise; what went wrong stands in `flags`."""

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
            if len(html) > 4 * MAX_CHARACTERS:  # no encoding takes more than four bytes a character
                html = html[: 4 * MAX_CHARACTERS]
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
        if "&#" in text:
            text = _CONTROL_REFERENCE.sub("", text)
        body = text.rfind("<body")
        if 0 <= text.find("</html") < body:  # libxml2 drops what follows the end of html; browsers do not
            text = _HTML_END.sub("", text[:body]) + text[body:]
        text = _close_title(text)
        root, cut = _parse_html(text)
        if cut:
            root, cut = _parse_html(_flatten(text))
            self.flags.add("truncated")
        return root

    @cached_property
    def blocks(self) -> Blocks:
        blocks, complete = walk(self.root)
        if not complete:
            self.flags.add("truncated")
        return blocks

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """Fingerprints of the blocks' texts and places."""
        return fingerprints_of(self.blocks)

    @cached_property
    def visual_tree(self) -> VisualTree | None:
        """The visual blocks of the page as it was rendered; None without boxes."""
        return visual_tree(self.boxes, self.blocks, self.url)

    @cached_property
    def title(self) -> str | None:
        """Text of the title element, white space collapsed."""
        for node in self.root.iter("title"):
            if text := " ".join((node.text or "").split()):
                return text
        return None

    @cached_property
    def base_url(self) -> str | None:
        """What relative links stand on: the page's <base href>, else its address."""
        for node in self.root.iter("base"):
            if href := node.get("href"):
                try:
                    base = urljoin(self.url or "", href.strip())
                    if urlsplit(base).scheme in ("http", "https"):
                        return base
                except ValueError:
                    continue
        return self.url

    def absolute(self, href: str | None) -> str | None:
        """`href` as an absolute http(s) address; None for javascript:, data: and what no parser takes.

        Without an address of the page relative links stay as they are.
        """
        href = (href or "").strip()
        if href not in self._addresses:  # a link is asked for by the body, the links and the entries of its page
            self._addresses[href] = self._absolute(href)
        return self._addresses[href]

    def _absolute(self, href: str) -> str | None:
        if not href or href.startswith("#"):
            return None
        if _PLAIN_ADDRESS.fullmatch(href):  # the two plain forms are nine of ten links, and urljoin takes its time
            return href
        if self._origin and _PLAIN_PATH.fullmatch(href):
            return self._origin + href
        try:
            url = urljoin(self.base_url or "", href)
            parts = urlsplit(url)
            parts.port  # noqa: B018  (raises on ports that are no number)
        except ValueError:
            return None
        if parts.scheme in ("http", "https") and parts.netloc:
            return "".join(url.split()) if any(c in url for c in "\t\r\n") else url
        return url if not parts.scheme and not parts.netloc and not self.base_url else None

    @cached_property
    def _origin(self) -> str | None:
        """Scheme and host of the base address, where that is plain."""
        match = _PLAIN_ORIGIN.match(self.base_url or "")
        return match[0] if match else None

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """Contents of the meta tags by name, property, itemprop or http-equiv in lower case; in page order."""
        found: dict[str, list[str]] = {}
        for node in self.root.iter("meta"):
            content = (node.get("content") or node.get("value") or "").strip()
            if not content:
                continue
            for key in {node.get(name) for name in ("name", "property", "itemprop", "http-equiv")} - {None, ""}:
                found.setdefault(str(key).strip().lower(), []).append(content)
        return found

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """Every object of the page's JSON-LD that has a type or an @id, nested ones after those that hold them; @graph opened."""
        found: list[dict[str, Any]] = []
        for node in self.root.iter("script"):
            if "ld+json" in (node.get("type") or "").lower():
                found.extend(_iter_objects(load_json(node.text or "")))
            if len(found) >= MAX_JSON_OBJECTS:
                break
        return found[:MAX_JSON_OBJECTS]


def decode(html: bytes, declared: str | None = None) -> tuple[str, str, bool]:
    """Text, name of the encoding, and whether the bytes fit what was declared.

    Bytes that are valid UTF-8 are UTF-8, whatever is declared: other text hardly ever is by chance.
    """
    bom_encoding, bom = read_bom(html)
    if bom_encoding and bom:
        return html[len(bom) :].decode(bom_encoding, "replace"), bom_encoding, True
    declared = resolve_encoding(declared) if declared else None
    declared = declared or html_body_declared_encoding(html)
    if b"\x00" in html[:200] and (wide := _wide_encoding(html)):
        return html.decode(wide, "replace"), wide, True
    if b"\x1b$" not in html and (text := _decode_strictly(html, "utf-8")) is not None:
        return text, "utf-8", declared in (None, "utf-8") or text.isascii()
    if declared and declared != "utf-8" and (text := _decode_strictly(html, declared)) is not None:
        return text, declared, True
    text = html.decode("utf-8", "replace")
    if _is_mostly_valid(text):
        return text, "utf-8", False
    if declared and declared != "utf-8":
        text = html.decode(declared, "replace")
        if _is_mostly_valid(text):
            return text, declared, False
    return *_guess(html), declared is None


def _decode_strictly(html: bytes, encoding: str) -> str | None:
    try:
        return html.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _wide_encoding(html: bytes) -> str | None:
    """UTF-16 without a mark shows by NUL bytes in every second place."""
    head = html[:200]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > len(head) // 3 > even * 2:
        return "utf-16-le"
    return "utf-16-be" if even > len(head) // 3 > odd * 2 else None


def _is_mostly_valid(text: str) -> bool:
    """A few bad bytes in a page (a cut character, a pasted quote) are no reason to doubt its encoding."""
    bad = text.count("\ufffd")
    foreign = sum(1 for c in text[:200_000] if c > "\x7f") if bad else 0
    return bad * 10 < foreign


def _guess(html: bytes) -> tuple[str, str]:
    """The encoding that explains the bytes best, as no declaration does."""
    from charset_normalizer import from_bytes  # imported late: needed once in some thousand pages

    sample = b"\n".join(line for line in html[:400_000].splitlines() if not line.isascii())[:20_000]
    best = from_bytes(sample).best()
    if best and (text := _decode_strictly(html, best.encoding)) is not None:
        return text, best.encoding
    for encoding in _GUESSES:
        if (text := _decode_strictly(html, encoding)) is not None:
            return text, encoding
    return html.decode("cp1252", "replace"), "cp1252"


def _parse_html(text: str) -> tuple[HtmlElement, bool]:
    """The tree (always an html element) and whether libxml2 gave up before the end."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    parser.set_element_class_lookup(_ELEMENT_CLASSES)
    root = None
    data = text.encode("utf-8", "replace").translate(None, _CONTROL)  # lone surrogates become question marks
    if data and not data.isspace():
        try:
            root = lxml.html.document_fromstring(data, parser=parser)
        except (lxml.etree.ParserError, lxml.etree.XMLSyntaxError, AssertionError):
            root = None
    if root is None:
        return lxml.html.document_fromstring("<html><body></body></html>"), False
    cut = any(entry.level_name == "FATAL" for entry in parser.error_log.filter_from_fatals())
    return root, cut


def _close_title(text: str) -> str:
    """A title that is never closed would swallow the whole page (in browsers, too): it ends at the next tag.

    >>> _close_title("<title>News<p>Text")
    '<title>News</title><p>Text'
    """
    opening = _TITLE.search(text)
    if opening is None or _TITLE_END.search(text, opening.end()):
        return text
    end = text.find("<", opening.end())
    return text if end < 0 else f"{text[:end]}</title>{text[end:]}"


def _flatten(text: str) -> str:
    """The markup without the tags that stand deeper than MAX_DEPTH."""
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
    """What a script's JSON says; None when it can't be read even after the usual repairs (trailing commas, CDATA marks)."""
    if len(text) > MAX_JSON_CHARACTERS:
        return None
    for attempt in (_as_is, _repaired):
        try:
            return json.loads(attempt(text), strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _as_is(text: str) -> str:
    return text


def _repaired(text: str) -> str:
    return _TRAILING_COMMA.sub("", _CDATA.sub("", text)).strip().rstrip(";")


def _iter_objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects inside a JSON value that say what they are, outer before inner; bounded."""
    queue, seen = [value], 0
    while queue and seen < MAX_JSON_OBJECTS * 10:
        current = queue.pop(0)
        seen += 1
        if isinstance(current, dict):
            if "@type" in current or "@id" in current:
                yield current
            queue.extend(item for item in current.values() if isinstance(item, (dict, list)))
        elif isinstance(current, list):
            queue.extend(item for item in current if isinstance(item, (dict, list)))
