"""Every WEBCONTENT_* setting: its name, what it takes, its default. Settings are read and checked here and nowhere else."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import WeakValueDictionary

from webcontent.crawl.rendering.filtering.reach import PrivateHosts
from webcontent.crawl.rendering.identity import is_locale, is_storage_state, is_timezone
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

REDIS = ("redis://", "rediss://", "unix://")
STORES = ("sqlite:///", *REDIS)
DATABASES = ("sqlite:///", "postgresql://", "postgres://")
"""How the addresses of WEBCONTENT_REDIS, WEBCONTENT_CRAWL_STATE and WEBCONTENT_DATABASE begin."""

CHOICES = {"overlays": ("hide", "reject", "keep"), "scroll": ("auto", "page", "list", "none"), "expand": ("css", "click", "none")}
"""What the settings of these names take, which are options of a request, too."""
TAKES = {
    "locale": 'a language tag such as "de-CH"',
    "timezone": 'a name such as "Asia/Shanghai"',
    "storage_state": "the path of a file that Playwright's storage_state wrote",
}
"""The same of options that take no fixed values."""
DEFAULT_BLOCK = ("media", "font", "ping", *AD_HOSTS)
MIN_SIZE, MAX_WIDTH, MAX_HEIGHT = 200, 4000, 16_000
"""Limits of a screenshot, CSS px. Chromium gives no WebP of more than 16,383 px."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a crawl, checked. Field `x` holds the setting `WEBCONTENT_X`."""

    enabled: bool = True
    auto: bool = False
    """Every HTML response of every spider becomes a Page."""
    render: bool | Literal["auto"] = "auto"
    """Whether pages go through a browser; "auto": the pages that need it."""
    browser: str | None = None
    """Path of an executable, or a channel of Playwright's (chrome, msedge ...)."""
    capture: bool = True
    """Whether boxes and a screenshot are taken of the pages of a user's own Playwright requests."""
    overlays: Literal["hide", "reject", "keep"] = "hide"
    """Whether consent banners, prompts and other overlays of rendered pages are hidden; "reject": consent is rejected before."""
    scroll: Literal["auto", "page", "list", "none"] = "auto"
    """How rendered pages are scrolled: "page": through the height of the start; "list": on while the page grows; "auto": as "list" on
    pages of links, as "page" on others."""
    scroll_rounds: int = 5
    """How often a list may grow."""
    expand: Literal["css", "click", "none"] = "css"
    """How folded text of rendered pages is opened: by style, or also by clicks."""
    frames: bool = True
    """Whether the text of large frames is put into the page."""
    ready_ms: int = 300
    """A rendered page is ready when for so long no data was under way and no new text came."""
    budget_ms: int = 5000
    """The longest preparation of a rendered page, all steps together."""
    locale: str | None = None
    """Language and region of the reader of rendered pages, which the browser names in Accept-Language."""
    timezone: str | None = None
    """Time zone of the reader of rendered pages."""
    storage_state: str | None = None
    """File with cookies and local storage with which pages are rendered: a session that is logged in."""
    screenshot: bool = True
    """Whether screenshots are taken of rendered pages."""
    screenshot_size: tuple[int, int] = (1366, 8000)
    """Width of the page and largest height of its screenshot, CSS px."""
    screenshot_format: Literal["jpeg", "png", "webp"] = "jpeg"
    screenshot_store: str | None = None
    """Folder or URI where screenshots are stored."""
    block: tuple[str, ...] = DEFAULT_BLOCK
    """What the browser does not load: resource types, and hosts with all their subdomains."""
    private_hosts: tuple[str, ...] = ()
    """Hosts of the local network that every rendered page may load from."""
    ignore_certificates: bool = False
    """Whether rendered pages may come from servers without a valid certificate."""
    browser_memory: int = 3000
    """MB of the browser with all its processes; beyond it the page that uses the most is ended."""
    routes: Mapping[str, str]
    """Type of page -> name of the extractor."""
    extractors: Mapping[str, str]
    """A user's own extractors: name -> dotted path."""
    page_type_model: str | None = None
    """Name, or path of the folder, of another page type model."""
    models: str | None = None
    """Folder of own models."""
    evidence: bool = False
    """Whether items carry all candidates of each field."""
    markdown: bool = False
    """Whether items carry their Markdown."""
    duplicates: Literal["keep", "flag", "drop"] = "keep"
    max_bytes: int = MAX_BYTES
    """A longer page is cut here and flagged `truncated`."""
    threads: int = 1
    save: str | None = None
    """Folder where pages are saved with their items, for tests and training."""
    save_limit: int = 1000
    """Largest number of pages that a crawl saves."""
    site_history: bool = True
    """Whether extraction uses what earlier pages of the same host showed."""
    emit: tuple[str, ...] = TYPES
    """Types of page whose items leave the pipeline."""
    crawl_state: str | None = None
    """Store of what earlier runs delivered: sqlite:///FILE, redis://HOST:PORT/DATABASE."""
    changed: bool = False
    """Whether pages that earlier runs delivered are requested again, and delivered again if their title or text has changed."""
    join_pages: int = 0
    """Largest number of pages that are joined to one article; 0: no pages are joined."""
    redis: str | None = None
    """Server through which several processes share one crawl: redis://HOST:PORT/DATABASE."""
    redis_items: bool = False
    """Whether items also go into a list on that server, in the same transaction that marks their page as done."""
    lease: int = 60
    """Seconds after which the pages of a silent process are passed to another one."""
    database: str | None = None
    """Database that items are written to: sqlite:///FILE, postgresql://USER@HOST/DATABASE."""

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Config:
        """The checked settings. Raises ValueError with the name of the first wrong setting and what it takes."""
        config = cls(
            **{name.lower(): _read(name, settings, default) for name, default in _DEFAULTS.items()},
            extractors=_read("EXTRACTORS", settings, {}),
            routes={ARTICLE: DEFAULT, LIST: DEFAULT} | _read("ROUTES", settings, {}),
            threads=_read("THREADS", settings, os.cpu_count() or 1),
        )
        _check_routes(config)
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


def unknown_settings(settings: BaseSettings) -> list[str]:
    """Names that begin like a setting of webcontent and are none, such as misspelt ones."""
    return sorted(name for name in settings if str(name).startswith(PREFIX) and name != FALLBACKS and name[len(PREFIX) :] not in _READERS)


def suggestion(name: str) -> str:
    """The setting that a misspelt name probably means, as a sentence; "" if none is similar.

    >>> suggestion("WEBCONTENT_RENDR"), suggestion("WEBCONTENT_MIN_SCORE")
    (' Did you mean WEBCONTENT_RENDER?', '')
    """
    similar = get_close_matches(name.removeprefix(PREFIX), _READERS, n=1, cutoff=SIMILAR)
    return f" Did you mean {PREFIX}{similar[0]}?" if similar else ""


_registries: WeakValueDictionary[str, ModelRegistry] = WeakValueDictionary()


def _registry(folder: str | None) -> ModelRegistry:
    """One registry per folder, so that the components of a crawl share the opened models. It lasts as long as a crawl uses it."""
    if folder is None:
        return SHIPPED
    registry = _registries.get(folder)
    if registry is None:
        registry = _registries[folder] = ModelRegistry(folder)
    return registry


def _read(name: str, settings: BaseSettings, default: Any) -> Any:
    value = settings.get(PREFIX + name)
    if value is None:
        return default
    read, takes = _READERS[name]
    try:
        return read(value)
    except (ValueError, TypeError):
        shown = without_password(value) if isinstance(value, str) and name in _ADDRESSES else value
        raise WrongValueError(f"{PREFIX}{name} is {shown!r}; it takes {takes}.") from None


def _check_routes(config: Config) -> None:
    known = {**TABLE, **config.extractors}
    for name in config.routes.values():
        if name not in known:
            raise WrongValueError(
                f"{PREFIX}ROUTES names the extractor {name!r}. There are: {', '.join(sorted(known))}. Add your own with {PREFIX}EXTRACTORS."
            )


def _bool(value: Any) -> bool:
    """Also accepts what a command line or a settings file holds: "True", "0", 1.

    >>> _bool("False"), _bool(1)
    (False, True)
    """
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    return _BOOLS[value.lower()] if isinstance(value, str) and value.lower() in _BOOLS else _wrong()


def _render(value: Any) -> bool | str:
    return "auto" if value == "auto" else _bool(value)


def _one_of(*allowed: str) -> Callable[[Any], str]:
    return lambda value: value if value in allowed else _wrong()


def _text(value: Any) -> str | None:
    return str(value) or None if isinstance(value, (str, os.PathLike)) else _wrong()


def _checked(is_right: Callable[[Any], bool]) -> Callable[[Any], str | None]:
    """An empty value gives None."""
    return lambda value: None if not value else str(value) if is_right(str(value)) else _wrong()


def _positive(value: Any) -> int:
    number = int(value)
    return number if number > 0 and not isinstance(value, bool) and number == float(value) else _wrong()


def _count(value: Any) -> int:
    return 0 if value in (0, "0") and not isinstance(value, bool) else _positive(value)


def _one_address(*schemes: str) -> Callable[[Any], str | None]:
    """An address with one of the schemes; an empty value gives None."""

    def read(value: Any) -> str | None:
        address = _text(value) if value else None
        if address is not None:
            check_server_url(address)
        return address if address is None or address.startswith(schemes) else _wrong()

    return read


def _list(value: Any) -> list[Any]:
    """A list, or its form on a command line: "a,b" or JSON."""
    if isinstance(value, str):
        value = json.loads(value) if value.strip().startswith("[") else [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else _wrong()


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


def _dict(value: Any) -> dict[str, str]:
    value = json.loads(value) if isinstance(value, str) else dict(value)
    return value if isinstance(value, dict) and all(isinstance(part, str) for pair in value.items() for part in pair) else _wrong()


def _routes(value: Any) -> dict[str, str]:
    routes = _dict(value)
    return routes if set(routes) <= set(TYPES) else _wrong()


def _emit(value: Any) -> tuple[str, ...]:
    types = tuple(_list(value))
    return types if set(types) <= set(TYPES) else _wrong()


def _wrong() -> Any:
    raise ValueError


_ADDRESSES = frozenset({"CRAWL_STATE", "REDIS", "DATABASE", "SCREENSHOT_STORE"})
"""Settings whose values may contain passwords."""
_ENCODED = "; in passwords, characters such as / ? # @ % and blanks are written as %2F %3F %23 %40 %25 %20"
_BOOLS = {"true": True, "1": True, "false": False, "0": False}
_TRUTH = "True or False"
_READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "ENABLED": (_bool, _TRUTH),
    "AUTO": (_bool, _TRUTH),
    "RENDER": (_render, 'True, False or "auto"'),
    "BROWSER": (_text, "the path of a Chromium executable or the name of a channel (chrome, msedge ...)"),
    "CAPTURE": (_bool, _TRUTH),
    "OVERLAYS": (_one_of(*CHOICES["overlays"]), '"hide", "reject" or "keep"'),
    "SCROLL": (_one_of(*CHOICES["scroll"]), '"auto", "page", "list" or "none"'),
    "SCROLL_ROUNDS": (_count, "a number of rounds, 0 or more"),
    "EXPAND": (_one_of(*CHOICES["expand"]), '"css", "click" or "none"'),
    "FRAMES": (_bool, _TRUTH),
    "READY_MS": (_count, "a number of milliseconds, 0 or more"),
    "BUDGET_MS": (_count, "a number of milliseconds, 0 or more"),
    "LOCALE": (_checked(is_locale), TAKES["locale"]),
    "TIMEZONE": (_checked(is_timezone), TAKES["timezone"]),
    "STORAGE_STATE": (_checked(is_storage_state), TAKES["storage_state"]),
    "SCREENSHOT": (_bool, _TRUTH),
    "SCREENSHOT_SIZE": (
        _size,
        f"a width of {MIN_SIZE} to {MAX_WIDTH} and a height of {MIN_SIZE} to {MAX_HEIGHT} CSS px, as in (1366, 8000)",
    ),
    "SCREENSHOT_FORMAT": (_one_of("jpeg", "png", "webp"), '"jpeg", "png" or "webp"'),
    "SCREENSHOT_STORE": (_text, "a folder or a URI"),
    "BLOCK": (_block, f"a list of host names and of resource types ({', '.join(RESOURCE_TYPES)})"),
    "PRIVATE_HOSTS": (_private_hosts, "a list of host names, IP addresses and networks"),
    "IGNORE_CERTIFICATES": (_bool, _TRUTH),
    "BROWSER_MEMORY": (_positive, "a number of MB above 0"),
    "ROUTES": (_routes, 'a dict of names of extractors by type of page, as in {"article": "fusion", "list": "fusion"}'),
    "EXTRACTORS": (_dict, 'a dict of dotted paths by name, as in {"mine": "project.extractors.Mine"}'),
    "PAGE_TYPE_MODEL": (_text, "the name or the folder of a model"),
    "MODELS": (_text, "the path of a folder"),
    "EVIDENCE": (_bool, _TRUTH),
    "MARKDOWN": (_bool, _TRUTH),
    "DUPLICATES": (_one_of("keep", "flag", "drop"), '"keep", "flag" or "drop"'),
    "MAX_BYTES": (_positive, "a number of bytes above 0"),
    "THREADS": (_positive, "a number of threads above 0"),
    "SITE_HISTORY": (_bool, _TRUTH),
    "SAVE": (_text, "the path of a folder"),
    "SAVE_LIMIT": (_positive, "a number of pages above 0"),
    "CRAWL_STATE": (_one_address(*STORES), f"an address of the form sqlite:///FILE or redis://HOST:PORT/DATABASE{_ENCODED}"),
    "REDIS": (_one_address(*REDIS), f"an address of the form redis://HOST:PORT/DATABASE{_ENCODED}"),
    "REDIS_ITEMS": (_bool, _TRUTH),
    "LEASE": (_positive, "a number of seconds above 0"),
    "CHANGED": (_bool, _TRUTH),
    "JOIN_PAGES": (_count, "a number of pages, 0 or more"),
    "DATABASE": (
        _one_address(*DATABASES),
        f"an address of the form sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE{_ENCODED}",
    ),
    "EMIT": (_emit, 'a list of types of page: "article", "list"'),
}
_COMPUTED = frozenset({"EXTRACTORS", "ROUTES", "THREADS"})
_DEFAULTS = cast("dict[str, Any]", {field.name.upper(): field.default for field in fields(Config) if field.name.upper() not in _COMPUTED})
