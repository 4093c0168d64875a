"""Every WEBCONTENT_* setting, declared once: default, reader, theme, meaning. Settings are read and checked here and nowhere else.

`Config`, the options of a request, the messages about wrong values, and the tables of docs/settings.md follow from the declarations.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from weakref import WeakValueDictionary
from zoneinfo import ZoneInfo

from webcontent.crawl.private_hosts import PrivateHosts
from webcontent.crawl.server_urls import check_server_url, without_password
from webcontent.crawl.setup_errors import WrongValueError
from webcontent.extractors import DEFAULT, TABLE
from webcontent.items import ARTICLE, LIST, TYPES
from webcontent.models import SHIPPED, ModelRegistry
from webcontent.pipeline import MAX_BYTES, Options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.settings import BaseSettings

PREFIX = "WEBCONTENT_"
SIMILAR = 0.75
"""How much of a misspelt setting and of the one that is suggested is the same, from 0 to 1."""
FALLBACKS = "WEBCONTENT_FALLBACK_HANDLERS"
"""Set by the add-on, not by users: by scheme, the download handlers that ours has replaced."""

RESOURCE_TYPES = tuple("document stylesheet image media font script texttrack xhr fetch eventsource websocket ping other".split())
"""The types of what a browser loads, as users name them."""
AD_HOSTS = tuple(
    """
    2mdn.net adform.net adnxs.com adsafeprotected.com adservice.google.com amazon-adsystem.com bidswitch.net casalemedia.com
    cnzz.com cpro.baidu.com criteo.com criteo.net demdex.net doubleclick.net everesttech.net google-analytics.com
    googleadservices.com googlesyndication.com googletagmanager.com googletagservices.com hm.baidu.com hotjar.com moatads.com
    openx.net outbrain.com pos.baidu.com pubmatic.com quantserve.com rubiconproject.com scorecardresearch.com segment.io
    smartadserver.com taboola.com tanx.com yieldmo.com zedo.com
    """.split()
)
"""Hosts (and all their subdomains) that serve advertising or track readers, and hold no part of a page's content."""
DEFAULT_BLOCK = ("media", "font", "ping", *AD_HOSTS)
MIN_SIZE, MAX_WIDTH, MAX_HEIGHT = 200, 4000, 16_000
"""Limits of a screenshot, CSS px. Chromium gives no WebP of more than 16,383 px."""
_BOOLS = {"true": True, "1": True, "false": False, "0": False}
_LOCALE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_ENCODED = "; in passwords, characters such as / ? # @ % and blanks are written as %2F %3F %23 %40 %25 %20"


class Reader(NamedTuple):
    """What a setting or an option takes."""

    read: Callable[[Any], Any]
    """The value that a given one stands for; a command line gives texts only. Raises ValueError or TypeError for a wrong value."""
    takes: str
    """The right values, in words: the rest of a sentence that begins with "it takes"."""
    is_secret: bool = False
    """Whether values may contain passwords."""

    def value_of(self, value: Any, place: str) -> Any:
        """The value that a given one stands for. Raises WrongValueError with the place where it stands and what is right there."""
        try:
            return self.read(value)
        except (ValueError, TypeError):
            shown = without_password(value) if isinstance(value, str) and self.is_secret else value
            raise WrongValueError(f"{place} is {shown!r}; it takes {self.takes}.") from None


class Setting(NamedTuple):
    """The declaration of a setting."""

    name: str
    """The field of Config and the option of a request; users write it in capitals after PREFIX."""
    default: Any
    reader: Reader
    theme: str
    """The section of docs/settings.md that it belongs to."""
    doc: str
    """Its meaning, in the Markdown of the documentation."""
    per_request: bool
    """Whether it is an option of a single request, too."""

    @property
    def label(self) -> str:
        """Its name among Scrapy's settings."""
        return PREFIX + self.name.upper()


def _wrong() -> Any:
    raise ValueError


def _truth(value: Any) -> bool:
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    return _BOOLS[value.lower()] if isinstance(value, str) and value.lower() in _BOOLS else _wrong()


def _positive(value: Any) -> int:
    number = int(value)
    return number if number > 0 and not isinstance(value, bool) and number == float(value) else _wrong()


def _count(value: Any) -> int:
    return 0 if value in (0, "0") and not isinstance(value, bool) else _positive(value)


def _text(value: Any) -> str | None:
    return str(value) or None if isinstance(value, (str, os.PathLike)) else _wrong()


def _list(value: Any) -> list[Any]:
    """A list, or its form on a command line: "a,b" or JSON."""
    if isinstance(value, str):
        value = json.loads(value) if value.strip().startswith("[") else [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else _wrong()


def _dict(value: Any) -> dict[str, str]:
    value = json.loads(value) if isinstance(value, str) else dict(value)
    return value if isinstance(value, dict) and all(isinstance(part, str) for pair in value.items() for part in pair) else _wrong()


def _size(value: Any) -> tuple[int, int]:
    width, height = (_positive(number) for number in _list(value))
    is_allowed = MIN_SIZE <= width <= MAX_WIDTH and MIN_SIZE <= height <= MAX_HEIGHT
    return (width, height) if is_allowed else _wrong()


def _block(value: Any) -> tuple[str, ...]:
    parts = tuple(str(part).lower() for part in _list(value))
    return parts if all(part in RESOURCE_TYPES or "." in part and "/" not in part for part in parts) else _wrong()


def _private_hosts(value: Any) -> tuple[str, ...]:
    parts = tuple(str(part) for part in _list(value))
    PrivateHosts(parts)  # raises ValueError
    return parts


def _routes(value: Any) -> dict[str, str]:
    routes = _dict(value)
    return _DEFAULT_ROUTES | routes if set(routes) <= set(TYPES) else _wrong()


def _types(value: Any) -> tuple[str, ...]:
    types = tuple(_list(value))
    return types if set(types) <= set(TYPES) else _wrong()


def _is_timezone(name: str) -> bool:
    try:
        return bool(ZoneInfo(name))
    except (KeyError, OSError):  # an unknown name is a KeyError
        return False


def one_of(*values: str) -> Reader:
    """Takes one of some words."""
    *others, last = (f'"{value}"' for value in values)
    return Reader(lambda value: value if value in values else _wrong(), f"{', '.join(others)} or {last}")


def _positive_number(unit: str) -> Reader:
    return Reader(_positive, f"a number of {unit} above 0")


def _number(unit: str) -> Reader:
    return Reader(
        lambda value: 0 if value in (0, "0") and not isinstance(value, bool) else _positive(value), f"a number of {unit}, 0 or more"
    )


def _checked(is_right: Callable[[str], Any], takes: str) -> Reader:
    """Takes a text; an empty value gives None."""
    return Reader(lambda value: None if not value else value if isinstance(value, str) and is_right(value) else _wrong(), takes)


def _address(forms: str, *schemes: str) -> Reader:
    """Takes a URL with one of the schemes; an empty value gives None."""

    def read(value: Any) -> str | None:
        address = _text(value) if value else None
        if address is not None:
            check_server_url(address)
        return address if address is None or address.startswith(schemes) else _wrong()

    return Reader(read, f"an address of the form {forms}{_ENCODED}", is_secret=True)


TRUTH = Reader(_truth, "True or False")
_OR_AUTO = Reader(lambda value: "auto" if value == "auto" else _truth(value), 'True, False or "auto"')
_FOLDER = Reader(_text, "the path of a folder")
_REDIS = ("redis://", "rediss://", "unix://")
_REDIS_URLS = "redis://HOST:PORT/DATABASE"
_STATE_URLS = f"sqlite:///FILE or {_REDIS_URLS}"
_DATABASE_URLS = "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"
_ROUTES_FORM = 'a dict of names of extractors by type of page, as in {"article": "fusion", "list": "fusion"}'
_EXTRACTORS_FORM = 'a dict of dotted paths by name, as in {"mine": "project.extractors.Mine"}'
_BROWSER_FORM = "the path of a Chromium executable or the name of a channel (chrome, msedge ...)"
_BLOCK_FORM = f"a list of host names and of resource types ({', '.join(RESOURCE_TYPES)})"
_HOSTS_FORM = "a list of host names, IP addresses and networks"
_STATE_FORM = "the path of a file that Playwright's storage_state wrote"
_SIZE_FORM = f"a width of {MIN_SIZE} to {MAX_WIDTH} and a height of {MIN_SIZE} to {MAX_HEIGHT} CSS px, as in (1366, 8000)"
_DEFAULT_ROUTES = {ARTICLE: DEFAULT, LIST: DEFAULT}


def _theme(theme: str, *, per_request: bool = False) -> Callable[..., Any]:
    """A function that makes the fields of Config that belong to a theme.

    Its arguments: the default, or a function without arguments that gives it; the reader; the meaning; whether it is an option of a
    request, too.
    """

    def setting(default: Any, reader: Reader, doc: str, per_request: bool = per_request) -> Any:
        more = {"reader": reader, "theme": theme, "doc": doc, "per_request": per_request}
        return field(default_factory=default, metadata=more) if callable(default) else field(default=default, metadata=more)

    return setting


_pages, _extraction, _rendering, _screenshots, _storage, _machines = map(
    _theme, ("pages", "extraction", "rendering", "screenshots", "storage", "several machines")
)
_preparation, _identity = _theme("preparation", per_request=True), _theme("identity", per_request=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a crawl, checked. Field `x` holds the setting `WEBCONTENT_X`."""

    enabled: bool = _pages(True, TRUTH, "False removes the add-on from the crawl.")
    auto: bool = _pages(False, TRUTH, "Every HTML response of every spider becomes an item.")
    emit: tuple[str, ...] = _pages(
        TYPES, Reader(_types, 'a list of types of page: "article", "list"'), "Page types whose items leave the pipeline."
    )
    max_bytes: int = _pages(MAX_BYTES, _positive_number("bytes"), "A longer page is cut here and flagged `truncated`.")
    duplicates: Literal["keep", "flag", "drop"] = _pages(
        "keep",
        one_of("keep", "flag", "drop"),
        "What happens to [duplicates](incremental.md#duplicates): items of one site with the same text.",
    )
    join_pages: int = _pages(0, _number("pages"), "Articles that continue on further pages are joined, from at most this many pages.")
    threads: int = _pages(lambda: os.cpu_count() or 1, _positive_number("threads"), "Threads that parse, classify and extract.")
    routes: Mapping[str, str] = _extraction(_DEFAULT_ROUTES.copy, Reader(_routes, _ROUTES_FORM), "Which extractor reads which page type.")
    extractors: Mapping[str, str] = _extraction(dict, Reader(_dict, _EXTRACTORS_FORM), "Your own extractors.")
    page_type_model: str | None = _extraction(None, Reader(_text, "the name or the folder of a model"), "Another page type model.")
    models: str | None = _extraction(None, _FOLDER, "Your own models. They take precedence over those of the package.")
    site_history: bool = _extraction(
        True, TRUTH, "What earlier pages of a site show improves its later ones ([Site history](site-history.md))."
    )
    evidence: bool = _extraction(False, TRUTH, "Items carry all candidates of each field.")
    markdown: bool = _extraction(False, TRUTH, "Items carry their [Markdown](markdown.md) in the field `markdown`, in every feed.")
    render: bool | Literal["auto"] = _rendering(
        "auto",
        _OR_AUTO,
        'Whether a browser renders pages. "auto": those whose extractor needs it or that are little but scripts.',
        True,
    )
    capture: bool = _rendering(
        True, TRUTH, "Whether pages of your own [Playwright requests](scrapy.md#your-own-playwright-requests) are captured.", True
    )
    browser: str | None = _rendering(None, Reader(_text, _BROWSER_FORM), "The browser. None: it is searched for.")
    browser_memory: int = _rendering(
        3000,
        _positive_number("MB"),
        "Most memory of the browser; beyond it the page that uses the most is ended ([Security](security.md#memory)).",
    )
    block: tuple[str, ...] = _rendering(
        DEFAULT_BLOCK, Reader(_block, _BLOCK_FORM), "What the browser does not load. A host stands for all its subdomains."
    )
    private_hosts: tuple[str, ...] = _rendering(
        (),
        Reader(_private_hosts, _HOSTS_FORM),
        "Hosts of the local network that pages may load from ([Security](security.md#the-local-network)).",
    )
    ignore_certificates: bool = _rendering(False, TRUTH, "Whether rendered pages may come from servers without a valid certificate.")
    overlays: Literal["hide", "reject", "keep"] = _preparation(
        "hide",
        one_of("hide", "reject", "keep"),
        "What happens to consent banners, prompts and their veils ([Rendering](rendering.md#overlays)).",
    )
    scroll: Literal["auto", "page", "list", "none"] = _preparation(
        "auto", one_of("auto", "page", "list", "none"), "How rendered pages are scrolled ([Rendering](rendering.md#scrolling))."
    )
    expand: Literal["css", "click", "none"] = _preparation(
        "css",
        one_of("css", "click", "none"),
        "How folded text is opened: by style sheet, or also by clicks ([Rendering](rendering.md#folds)).",
    )
    frames: bool = _preparation(
        True, TRUTH, "Whether large frames are put into the page ([Rendering](rendering.md#shadow-roots-and-frames))."
    )
    budget_ms: int = _preparation(
        5000, _number("milliseconds"), "Longest preparation of a rendered page, all steps together. 0: pages are captured as they load."
    )
    locale: str | None = _identity(
        None, _checked(_LOCALE.fullmatch, 'a language tag such as "de-CH"'), "Language and region of the reader. None: the browser's."
    )
    timezone: str | None = _identity(
        None, _checked(_is_timezone, 'a name such as "Asia/Shanghai"'), "Time zone of the reader of rendered pages. None: the system's."
    )
    storage_state: str | None = _identity(None, _checked(os.path.isfile, _STATE_FORM), "Cookies and local storage of a session.")
    screenshot: bool | Literal["auto"] = _screenshots(
        "auto",
        _OR_AUTO,
        'Whether a screenshot of rendered pages is taken. "auto": where something reads it.',
        True,
    )
    screenshot_size: tuple[int, int] = _screenshots(
        (1366, 8000), Reader(_size, _SIZE_FORM), "Width of the page and maximum height of its screenshot."
    )
    screenshot_format: Literal["jpeg", "png", "webp"] = _screenshots(
        "jpeg", one_of("jpeg", "png", "webp"), "WebP costs about twice the CPU time of JPEG."
    )
    screenshot_store: str | None = _screenshots(
        None, Reader(_text, "a folder or a URI", True), "Where screenshots are stored, such as `s3://bucket/shots/`. Items have the path."
    )
    crawl_state: str | None = _storage(
        None,
        _address(_STATE_URLS, "sqlite:///", *_REDIS),
        "Where the [crawl state](incremental.md#only-what-is-new) is stored. Empty: nowhere.",
    )
    changed: bool = _storage(
        False, TRUTH, "With a crawl state: pages of earlier runs are requested again, and produced again if title or text has changed."
    )
    database: str | None = _storage(
        None,
        _address(_DATABASE_URLS, "sqlite:///", "postgresql://", "postgres://"),
        "Items also go into [a database](incremental.md#into-a-database).",
    )
    save: str | None = _storage(
        None, _FOLDER, "Where pages are [saved with their items](inspect.md#saved-pages-as-a-test-set), one folder per page."
    )
    redis: str | None = _machines(
        None, _address(_REDIS_URLS, *_REDIS), "Several processes share one crawl on this server ([Several machines](distributed.md))."
    )
    redis_items: bool = _machines(
        False, TRUTH, "Items also go into the list `<spider>:items` there, in the step that marks their page as done."
    )
    lease: int = _machines(60, _positive_number("seconds"), "Time after which the pages of a silent process are given to another one.")

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Config:
        """The checked settings. Raises ValueError with the name of the first wrong setting and what it takes."""
        given = [(part, settings.get(part.label)) for part in SETTINGS.values()]
        config = cls(**{part.name: part.reader.value_of(value, part.label) for part, value in given if value is not None})
        known = {**TABLE, **config.extractors}
        for name in config.routes.values():
            if name not in known:
                raise WrongValueError(
                    f"{PREFIX}ROUTES names the extractor {name!r}. There are: {', '.join(sorted(known))}. "
                    f"Add your own with {PREFIX}EXTRACTORS."
                )
        return config

    def options(self) -> Options:
        """The settings of the page pipeline. Raises ModelError if the folder of own models is missing."""
        return Options(
            routes=self.routes,
            extractors=self.extractors,
            page_type_model=self.page_type_model,
            models=_registry(self.models),
            max_bytes=self.max_bytes,
            evidence=self.evidence,
            markdown=self.markdown,
        )


SETTINGS = {part.name: Setting(part.name, getattr(Config(), part.name), **part.metadata) for part in fields(Config)}
"""The settings by their names, theme by theme."""
PREPARATION = tuple(setting.name for setting in SETTINGS.values() if setting.theme == "preparation")
"""What is done to a rendered page before it is read."""
IDENTITY = tuple(setting.name for setting in SETTINGS.values() if setting.theme == "identity")
"""As whom a rendered page is visited."""


def unknown_settings(settings: BaseSettings) -> list[str]:
    """Names that begin like a setting of webcontent and are none, such as misspelt ones."""
    known = {FALLBACKS, *(setting.label for setting in SETTINGS.values())}
    return sorted(name for name in settings if str(name).startswith(PREFIX) and name not in known)


def suggestion(name: str) -> str:
    """The setting that a misspelt name probably means, as a sentence; "" if none is similar.

    >>> suggestion("WEBCONTENT_RENDR"), suggestion("WEBCONTENT_MIN_SCORE")
    (' Did you mean WEBCONTENT_RENDER?', '')
    """
    similar = get_close_matches(name.removeprefix(PREFIX).lower(), SETTINGS, n=1, cutoff=SIMILAR)
    return f" Did you mean {PREFIX}{similar[0].upper()}?" if similar else ""


_registries: WeakValueDictionary[str, ModelRegistry] = WeakValueDictionary()


def _registry(folder: str | None) -> ModelRegistry:
    """One registry per folder, so that the components of a crawl share the opened models. It lasts as long as a crawl uses it."""
    if folder is None:
        return SHIPPED
    registry = _registries.get(folder)
    if registry is None:
        registry = _registries[folder] = ModelRegistry(folder)
    return registry
