"""Every WEBCONTENT_* setting: its name, what it takes, its default. Read and checked here and nowhere else."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast

from webcontent.extractors import DEFAULT, TABLE
from webcontent.items import ARTICLE, LIST, TYPES
from webcontent.models import SHIPPED, ModelRegistry
from webcontent.pipeline import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy.settings import BaseSettings

PREFIX = "WEBCONTENT_"
FALLBACKS = "WEBCONTENT_FALLBACK_HANDLERS"
"""Written by the add-on, not by users: the download handlers by scheme that were set before ours took their place."""

RESOURCE_TYPES = tuple("document stylesheet image media font script texttrack xhr fetch eventsource websocket ping other".split())
"""What a browser calls the kinds of things it loads."""
AD_HOSTS = tuple(
    """
    2mdn.net adform.net adnxs.com adsafeprotected.com adservice.google.com amazon-adsystem.com bidswitch.net casalemedia.com
    cnzz.com cpro.baidu.com criteo.com criteo.net demdex.net doubleclick.net everesttech.net google-analytics.com
    googleadservices.com googlesyndication.com googletagmanager.com googletagservices.com hm.baidu.com hotjar.com moatads.com
    openx.net outbrain.com pos.baidu.com pubmatic.com quantserve.com rubiconproject.com scorecardresearch.com segment.io
    smartadserver.com taboola.com tanx.com yieldmo.com zedo.com
    """.split()
)
"""Hosts (with all below them) that serve advertising and count readers, and hold no part of a page's content."""
REDIS = ("redis://", "rediss://", "unix://")
STORES = ("sqlite:///", *REDIS)
DATABASES = ("sqlite:///", "postgresql://", "postgres://")
"""How the addresses of WEBCONTENT_REDIS, WEBCONTENT_SEEN and WEBCONTENT_DATABASE begin."""
DEFAULT_BLOCK = ("media", "font", "ping", *AD_HOSTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a crawl, checked. Field `x` holds the setting `WEBCONTENT_X`."""

    enabled: bool = True
    auto: bool = False
    """Every HTML response of every spider becomes a Page."""
    render: bool | Literal["auto"] = "auto"
    """Whether pages go through a browser; "auto": those that need it."""
    browser: str | None = None
    """Path of an executable, or a channel of Playwright's (chrome, msedge ...)."""
    screenshot: bool = True
    """Whether rendered pages are photographed."""
    screenshot_size: tuple[int, int] = (1366, 8000)
    """Width of the page and largest height of its picture, CSS px."""
    screenshot_format: Literal["jpeg", "png", "webp"] = "jpeg"
    screenshot_store: str | None = None
    """Folder or URI where pictures are kept."""
    block: tuple[str, ...] = DEFAULT_BLOCK
    """What the browser does not load: resource types, and hosts with all below them."""
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
    duplicates: Literal["keep", "flag", "drop"] = "keep"
    max_bytes: int = 10_000_000
    """A longer page is cut here and flagged `truncated`."""
    threads: int = 1
    save: str | None = None
    """Folder where pages are kept with their items, for tests and training."""
    save_limit: int = 1000
    """At most so many pages a crawl are kept."""
    sites: bool = True
    """Whether what earlier pages of a site show helps with its later ones."""
    emit: tuple[str, ...] = TYPES
    """Types of page whose items leave the pipeline."""
    seen: str | None = None
    """Store of what earlier runs gave: sqlite:///FILE, redis://HOST:PORT/DATABASE."""
    changed: bool = False
    """Whether what earlier runs gave is asked for again, and given again when its text is another."""
    join_pages: int = 0
    """Largest number of pages that are joined to one article; 0: none are."""
    redis: str | None = None
    """Server by which several processes share one crawl: redis://HOST:PORT/DATABASE."""
    redis_items: bool = False
    """Whether items also go into a list on that server, in the same step that marks their page as done."""
    lease: int = 60
    """Seconds after which the pages of a process that is silent are given to another."""
    database: str | None = None
    """Where the items go, by address: sqlite:///FILE, postgresql://USER@HOST/DATABASE."""

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Config:
        """The checked settings. Raises ValueError naming the first setting whose value is wrong, and what it takes."""
        config = cls(
            **{name.lower(): _read(name, settings, default) for name, default in _DEFAULTS.items()},
            extractors=_read("EXTRACTORS", settings, {}),
            routes={ARTICLE: DEFAULT, LIST: DEFAULT} | _read("ROUTES", settings, {}),
            threads=_read("THREADS", settings, os.cpu_count() or 1),
        )
        _check_routes(config)
        return config

    def options(self) -> Options:
        """What the page pipeline takes of the settings. Raises ModelError when there is no folder of own models."""
        return Options(
            routes=self.routes,
            extractors=self.extractors,
            page_type_model=self.page_type_model,
            models=_registry(self.models),
            max_bytes=self.max_bytes,
            evidence=self.evidence,
        )


@cache
def _registry(folder: str | None) -> ModelRegistry:
    """One registry a folder, so that the components of a crawl share its opened models."""
    return SHIPPED if folder is None else ModelRegistry(folder)


def unknown_settings(settings: BaseSettings) -> list[str]:
    """Names that begin like a setting of webcontent and are none: misspelt ones."""
    return sorted(name for name in settings if str(name).startswith(PREFIX) and name != FALLBACKS and name[len(PREFIX) :] not in _READERS)


def _read(name: str, settings: BaseSettings, default: Any) -> Any:
    value = settings.get(PREFIX + name)
    if value is None:
        return default
    read, takes = _READERS[name]
    try:
        return read(value)
    except (ValueError, TypeError):
        raise ValueError(f"{PREFIX}{name} is {value!r}; it takes {takes}.") from None


def _check_routes(config: Config) -> None:
    known = {**TABLE, **config.extractors}
    for name in config.routes.values():
        if name not in known:
            raise ValueError(
                f"{PREFIX}ROUTES names the extractor {name!r}. There are: {', '.join(sorted(known))}. Add your own with {PREFIX}EXTRACTORS."
            )


def _bool(value: Any) -> bool:
    """Also what a command line and a settings file write: "True", "0", 1.

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


def _positive(value: Any) -> int:
    number = int(value)
    return number if number > 0 and not isinstance(value, bool) and number == float(value) else _wrong()


def _count(value: Any) -> int:
    return 0 if value in (0, "0") and not isinstance(value, bool) else _positive(value)


def _one_address(*schemes: str) -> Callable[[Any], str | None]:
    """An address with one of the schemes; nothing: None."""
    return lambda value: _text(value) if not value or str(value).startswith(schemes) else _wrong()


def _list(value: Any) -> list[Any]:
    """Lists as they are; of a command line "a,b" or JSON."""
    if isinstance(value, str):
        value = json.loads(value) if value.strip().startswith("[") else [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, (list, tuple, set, frozenset)) else _wrong()


def _size(value: Any) -> tuple[int, int]:
    width, height = (_positive(number) for number in _list(value))
    return (width, height) if 200 <= width <= 4000 and 200 <= height <= 16_000 else _wrong()


def _block(value: Any) -> tuple[str, ...]:
    parts = tuple(str(part).lower() for part in _list(value))
    return parts if all(part in RESOURCE_TYPES or "." in part and "/" not in part for part in parts) else _wrong()


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


_BOOLS = {"true": True, "1": True, "false": False, "0": False}
_TRUTH = "True or False"
_READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "ENABLED": (_bool, _TRUTH),
    "AUTO": (_bool, _TRUTH),
    "RENDER": (_render, 'True, False or "auto"'),
    "BROWSER": (_text, "the path of a Chromium executable or the name of a channel (chrome, msedge ...)"),
    "SCREENSHOT": (_bool, _TRUTH),
    "SCREENSHOT_SIZE": (_size, "a width of 200 to 4000 and a height of 200 to 16000 CSS px, as in (1366, 8000)"),
    "SCREENSHOT_FORMAT": (_one_of("jpeg", "png", "webp"), '"jpeg", "png" or "webp"'),
    "SCREENSHOT_STORE": (_text, "a folder or a URI"),
    "BLOCK": (_block, f"a list of host names and of resource types ({', '.join(RESOURCE_TYPES)})"),
    "ROUTES": (_routes, 'a dict of names of extractors by type of page, as in {"article": "fusion", "list": "fusion"}'),
    "EXTRACTORS": (_dict, 'a dict of dotted paths by name, as in {"mine": "project.extractors.Mine"}'),
    "PAGE_TYPE_MODEL": (_text, "the name or the folder of a model"),
    "MODELS": (_text, "the path of a folder"),
    "EVIDENCE": (_bool, _TRUTH),
    "DUPLICATES": (_one_of("keep", "flag", "drop"), '"keep", "flag" or "drop"'),
    "MAX_BYTES": (_positive, "a number of bytes above 0"),
    "THREADS": (_positive, "a number of threads above 0"),
    "SITES": (_bool, _TRUTH),
    "SAVE": (_text, "the path of a folder"),
    "SAVE_LIMIT": (_positive, "a number of pages above 0"),
    "SEEN": (_one_address(*STORES), "an address of the form sqlite:///FILE or redis://HOST:PORT/DATABASE"),
    "REDIS": (_one_address(*REDIS), "an address of the form redis://HOST:PORT/DATABASE"),
    "REDIS_ITEMS": (_bool, _TRUTH),
    "LEASE": (_positive, "a number of seconds above 0"),
    "CHANGED": (_bool, _TRUTH),
    "JOIN_PAGES": (_count, "a number of pages, 0 or more"),
    "DATABASE": (_one_address(*DATABASES), "an address of the form sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE"),
    "EMIT": (_emit, 'a list of types of page: "article", "list"'),
}
_COMPUTED = frozenset({"EXTRACTORS", "ROUTES", "THREADS"})
_DEFAULTS = cast("dict[str, Any]", {field.name.upper(): field.default for field in fields(Config) if field.name.upper() not in _COMPUTED})
