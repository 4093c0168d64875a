"""Site files: TOML -> SiteFile, checked. Each mistake is one sentence that names the file, the key and what it takes."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import lxml.etree
import lxml.html

from webcontent.addresses import split_url

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from lxml.html import HtmlElement

    from webcontent.items import Type

    Readers = dict[str, tuple[Callable[[Any], Any], str]]
    """Key -> what reads its value, and the right values in words."""

TIME_FIELDS = ("time", "modified")
NAME_FIELDS = ("authors", "editors")
URL_FIELDS = ("canonical_url", "next_page")
FIELDS = ("title", *TIME_FIELDS, "source", *NAME_FIELDS, "publisher", "language", *URL_FIELDS)
"""Fields that a selector gives. `next_page` is one of lists, the others are of articles; so is `body`."""
SUFFIX = ".toml"
_HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*")
_EMPTY = lxml.html.document_fromstring("<html><body></body></html>")


class SiteFileError(ValueError):
    """A mistake in a site file, in one sentence."""


@dataclass(frozen=True, slots=True)
class Selector:
    """Which elements of a page hold a value, and which part of their text it is."""

    select: str
    find: Any
    """The compiled expression: tree -> elements, texts, or one text."""
    attribute: str | None = None
    take: re.Pattern[str] | None = None
    strip: re.Pattern[str] | None = None
    optional: bool = False

    def nodes(self, root: HtmlElement) -> list[Any]:
        """The elements or texts that the expression finds; none where it can't be evaluated."""
        try:
            found = self.find(root)
        except lxml.etree.XPathError:
            return []
        return found if isinstance(found, list) else [str(found)]

    def part_of(self, text: str) -> str:
        """The part of a text that is the value; "" if there is none."""
        if self.take is not None:
            match = self.take.search(text)
            text = (match[match.re.groups] or "") if match else ""
        return " ".join((self.strip.sub("", text) if self.strip else text).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFile:
    """What one file says about a site; docs/site-files.md describes its keys."""

    path: Path
    fields: Mapping[str, Selector] = field(default_factory=dict)
    """Field -> where its value stands."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of a request for one of its pages."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Selector | None = None
    drop: tuple[Selector, ...] = ()
    articles: re.Pattern[str] | None = None
    lists: re.Pattern[str] | None = None
    date_order: str | None = None
    time_zone: ZoneInfo | None = None

    def type_of(self, url: str | None) -> Type | None:
        """What the file says of an address; None if it says nothing."""
        parts = urlsplit(url or "")
        paths = (parts.path or "/", f"{parts.path}?{parts.query}")
        if self.articles is not None and any(map(self.articles.fullmatch, paths)):
            return "article"
        return "list" if self.lists is not None and any(map(self.lists.fullmatch, paths)) else None


def _wrong(sentence: str = "") -> Never:
    """Raises SiteFileError; without a sentence, the value is simply none that the key takes."""
    raise SiteFileError(sentence)


def _checked(table: dict[str, Any], readers: Readers) -> dict[str, Any]:
    """The values of a table. Raises SiteFileError for the first wrong one."""
    values = {}
    for name, given in table.items():
        if name not in readers:
            similar = get_close_matches(name, readers, n=1)
            _wrong(f"there is no key {name!r}; " + (f"did you mean {similar[0]!r}?" if similar else f"the keys are {', '.join(readers)}."))
        read, takes = readers[name]
        try:
            values[name] = read(given)
        except (ValueError, TypeError, LookupError, OSError) as error:  # all but the first come from ZoneInfo
            is_told = isinstance(error, SiteFileError) and str(error)
            _wrong(f"{name}: {error}" if is_told else f"{name} is {given!r}; it takes {takes}.")
    return values


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value.strip() else _wrong()


def _one_of(*values: Any) -> tuple[Callable[[Any], Any], str]:
    known = [(type(one), one) for one in values]  # 1 is not True
    return lambda value: value if (type(value), value) in known else _wrong(), " or ".join(map(json.dumps, values))


def _addresses(value: Any) -> re.Pattern[str]:
    """A pattern for the path and query of addresses, from forms in which * stands for anything."""
    forms = [_text(form) for form in value] if isinstance(value, list) and value else _wrong()
    return re.compile("|".join(".*".join(map(re.escape, form.split("*"))) if form[0] in "/*" else _wrong() for form in forms))


def _headers(value: Any) -> dict[str, str]:
    is_right = isinstance(value, dict) and all(isinstance(one, str) and "\n" not in one for pair in value.items() for one in pair)
    return dict(value) if is_right else _wrong()


def _pattern(value: Any) -> re.Pattern[str]:
    try:
        pattern = re.compile(_text(value))
    except re.error as error:
        _wrong(f"{value!r} is no regular expression: {error}.")
    return pattern if pattern.groups <= 1 else _wrong(f"{value!r} has {pattern.groups} groups; it takes one at most.")


def selector(value: Any) -> Selector:
    """A selector alone, or a table with its options. Raises SiteFileError for a wrong one."""
    import parsel  # comes with Scrapy, and the library works without it
    from cssselect import SelectorError

    options = _checked({"select": value} if isinstance(value, str) else value if isinstance(value, dict) else _wrong(), _OPTIONS)
    select = str(options.get("select") or _wrong("the key 'select' is missing."))
    is_xpath = re.match(r"\(*(\.{0,2}/|[\w-]+\()", select) is not None
    try:
        find = lxml.etree.XPath(select if is_xpath else parsel.css2xpath(select))
        find(_EMPTY)
    except (SelectorError, lxml.etree.XPathError, ValueError) as error:
        _wrong(f"{select!r} is no {'XPath' if is_xpath else 'CSS selector'}: {error}.")
    return Selector(**options, find=find)


_TRUTH, _PATTERN = _one_of(True, False), (_pattern, "a regular expression")
_SELECTOR = (selector, 'a selector such as "h1.headline", or a table such as { select = "time", attribute = "datetime" }')
_PATHS = (_addresses, 'a list of paths such as ["/news/*"], each beginning with a slash or *')
_OPTIONS: Readers = {
    "select": (_text, "a CSS selector or an XPath"),
    "attribute": (_text, "the name of an attribute"),
    "take": _PATTERN,
    "strip": _PATTERN,
    "optional": _TRUTH,
}
_REQUEST: Readers = {
    "render": _TRUTH,
    "scroll": _one_of("auto", "page", "list", "none"),
    "wait_for": (lambda value: selector(_text(value)).select, "a CSS selector"),
    "extractor": (_text, "the name of an extractor"),
}
_KEYS: Readers = {
    **dict.fromkeys(("articles", "lists"), _PATHS),
    **dict.fromkeys((*FIELDS, "body"), _SELECTOR),
    "drop": (lambda value: tuple(map(selector, value)) if isinstance(value, list) else _wrong(), 'a list of selectors such as [".share"]'),
    "date_order": _one_of("dmy", "mdy"),
    "time_zone": (ZoneInfo, 'a name such as "Asia/Shanghai"'),
    "headers": (_headers, 'a table of texts such as { "Accept-Language" = "de" }'),
    **_REQUEST,
}


def read_site_file(path: Path, extractors: Collection[str] = (), text: str | None = None) -> SiteFile:
    """A site file, or the `text` of one. `extractors`: the names that it may use; none: all. Raises SiteFileError for the first mistake."""
    if not _HOST.fullmatch(path.stem):
        _wrong(f"{path}: the name of a site file is a host in lower case, as in example.org{SUFFIX}.")
    try:
        values = _checked(tomllib.loads(path.read_text(encoding="utf-8") if text is None else text), _KEYS)
        if extractors and (name := values.get("extractor")) not in (None, *extractors):
            _wrong(f"extractor is {name!r}; it takes {', '.join(sorted(extractors))}.")
    except SiteFileError as error:
        _wrong(f"{path}: {error}")
    except (OSError, ValueError) as error:
        _wrong(f"{path} is no TOML file: {error}.")
    fields, options = ({name: values.pop(name) for name in names if name in values} for names in (FIELDS, _REQUEST))
    return SiteFile(path=path, fields=fields, options=options, **values)


class SiteFiles:
    """The site files of a folder, all read and checked at once. Raises SiteFileError for the first mistake."""

    def __init__(self, folder: str | Path, extractors: Collection[str] = ()) -> None:
        self._arguments = Path(folder), tuple(extractors)
        if not Path(folder).is_dir():
            _wrong(f"{folder} is no folder of site files.")
        self._by_host = {path.stem: read_site_file(path, extractors) for path in sorted(Path(folder).glob(f"*{SUFFIX}"))}

    def __reduce__(self) -> tuple[Any, ...]:
        return SiteFiles, self._arguments

    def find(self, url: str | None) -> SiteFile | None:
        """The file of an address: that of its host, else that of the nearest domain above it."""
        parts = split_url(url or "")
        host = (parts and parts.hostname or "").rstrip(".")
        while host and host not in self._by_host:
            host = host.partition(".")[2]
        return self._by_host.get(host)
