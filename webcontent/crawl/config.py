"""Every WEBCONTENT_* setting, declared once: default, reader, theme, meaning. Settings are read and checked here and nowhere else.

`Config`, the options of a request, the messages about wrong values, and the tables of docs/settings.md follow from the declarations.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints
from weakref import WeakValueDictionary
from zoneinfo import ZoneInfo

from scrapy.utils.conf import closest_scrapy_cfg

from webcontent.addresses import PrivateHosts
from webcontent.crawl.meta import EXTRACTOR, FULL_SIZE, PAGE, WAIT_FOR
from webcontent.crawl.server_urls import ENCODING_HINT, check_server_url, without_password
from webcontent.crawl.setup_errors import WrongValueError
from webcontent.extractors import DEFAULT, TABLE
from webcontent.items import ARTICLE, LIST, TYPES
from webcontent.models import SHIPPED, ModelRegistry
from webcontent.pipeline import MAX_BYTES, Options
from webcontent.site_files import SiteFileError, SiteFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

PREFIX = "WEBCONTENT_"
FALLBACKS = "WEBCONTENT_FALLBACK_HANDLERS"
"""Set by the add-on, not by users: by scheme, the download handlers that ours has replaced."""

RESOURCE_TYPES = {
    name.lower(): name
    for name in "Document Stylesheet Image Media Font Script TextTrack XHR Fetch EventSource WebSocket Ping Other".split()
}
"""The types of what a browser loads, as users name them, and as the DevTools protocol does."""
AD_HOSTS = tuple(Path(__file__).with_name("ad_hosts.txt").read_text(encoding="utf-8").split())
"""Hosts (and all their subdomains) that serve advertising or track readers, and hold no part of a page's content."""
DEFAULT_BLOCK = ("media", "font", "ping", *AD_HOSTS)
SITES = "sites"
"""The default of `Config.site_files`, which need not exist."""
MIN_SIZE, MAX_WIDTH, MAX_HEIGHT = 200, 4000, 16_000
"""Limits of a screenshot, CSS px. Chromium gives no WebP of more than 16,383 px."""
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class Reader(NamedTuple):
    """What a setting or an option takes."""

    read: Callable[[Any], Any]
    """The value that a given one stands for; a command line gives texts only. Raises ValueError, TypeError, LookupError or OSError for a
    wrong value."""
    takes: str
    """The right values, in words: the rest of a sentence that begins with "it takes"."""
    is_secret: bool = False

    def value_of(self, value: Any, place: str) -> Any:
        """The value that a given one stands for. Raises WrongValueError with the place where it stands and what is right there."""
        try:
            return self.read(value)
        except (ValueError, TypeError, LookupError, OSError, RecursionError):
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
    per_request: bool
    """Whether it is an option of a single request, too."""

    @property
    def label(self) -> str:
        """Its name among Scrapy's settings."""
        return PREFIX + self.name.upper()


def _wrong() -> Any:
    raise ValueError


def _truth(value: Any) -> bool:
    return _TRUTHS[str(value).lower()]


def _number(unit: str, least: int = 1) -> Reader:
    def read(value: Any) -> int:
        number = int(value)
        return number if number >= least and number == float(value) and not isinstance(value, bool) else _wrong()

    return Reader(read, f"a number of {unit} above 0" if least else f"a number of {unit}, 0 or more")


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
    width, height = map(_number("px").read, _list(value))
    return (width, height) if MIN_SIZE <= width <= MAX_WIDTH and MIN_SIZE <= height <= MAX_HEIGHT else _wrong()


def _routes(value: Any) -> dict[str, str]:
    routes = _dict(value)
    return _DEFAULT_ROUTES | routes if set(routes) <= set(TYPES) else _wrong()


def one_of(*values: str) -> Reader:
    *others, last = (f'"{value}"' for value in values)
    return Reader(lambda value: value if value in values else _wrong(), f"{', '.join(others)} or {last}")


def _checked(is_right: Callable[[str], Any], takes: str, *, is_secret: bool = False) -> Reader:
    """Takes a text; an empty value gives None. `is_right` may also raise an error."""
    return Reader(lambda value: None if not value else value if isinstance(value, str) and is_right(value) else _wrong(), takes, is_secret)


def _is_session(path: str) -> bool:
    state = json.loads(Path(path).read_text(encoding="utf-8")) if Path(path).is_file() else {}
    return all(isinstance(state[name], list) for name in ("cookies", "origins"))


def _list_of(is_right: Callable[[str], Any], takes: str) -> Reader:
    """Takes a list of texts, which are written in lower case. `is_right` may also raise ValueError."""

    def read(value: Any) -> tuple[str, ...]:
        parts = tuple(str(part).lower() for part in _list(value))
        return parts if all(map(is_right, parts)) else _wrong()

    return Reader(read, f"a list of {takes}")


def _address(forms: str, *schemes: str) -> Reader:
    takes = f"an address of the form {forms}; {ENCODING_HINT}"
    return _checked(lambda address: address.startswith(schemes) and check_server_url(address), takes, is_secret=True)


TRUTH = Reader(_truth, "True or False")
_OR_AUTO = Reader(lambda value: "auto" if value == "auto" else _truth(value), 'True, False or "auto"')
_FOLDER = Reader(_text, "the path of a folder")
_DEFAULT_ROUTES = {ARTICLE: DEFAULT, LIST: DEFAULT}
_ROUTES = Reader(_routes, 'a dict of names of extractors by type of page, as in {"article": "fusion", "list": "fusion"}')
_EXTRACTORS = Reader(_dict, 'a dict of dotted paths by name, as in {"mine": "project.extractors.Mine"}')
_BROWSER = Reader(_text, "the path of a Chromium executable or the name of a channel (chrome, msedge ...)")
_TYPES = _list_of(TYPES.__contains__, 'types of page: "article", "list"')
_BLOCK = _list_of(
    lambda part: part in RESOURCE_TYPES or "." in part and "/" not in part,
    f"host names and of resource types ({', '.join(RESOURCE_TYPES)})",
)
_HOSTS = _list_of(lambda part: PrivateHosts([part]), "host names, IP addresses and networks")
_SIZE = Reader(_size, f"a width of {MIN_SIZE} to {MAX_WIDTH} and a height of {MIN_SIZE} to {MAX_HEIGHT} CSS px, as in (1366, 8000)")
_LANGUAGE_TAG = _checked(re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*").fullmatch, 'a language tag such as "de-CH"')
_TIME_ZONE = _checked(ZoneInfo, 'a name such as "Asia/Shanghai"')
_STATE_FILE = _checked(_is_session, "the path of a file that Playwright's storage_state wrote")
_REDIS, _REDIS_FORM = ("redis://", "rediss://", "unix://"), "redis://HOST:PORT/DATABASE"
_REDIS_URL = _address(_REDIS_FORM, *_REDIS)
_STATE_URL = _address(f"sqlite:///FILE or {_REDIS_FORM}", "sqlite:///", *_REDIS)
_DATABASE_URL = _address("sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE", "sqlite:///", "postgresql://", "postgres://")


def _setting(theme: str, default: Any, doc: str, reader: Reader | None = None, *, per_request: bool = False) -> Any:
    """A field of Config.

    `default`: the value, or a function without arguments that gives it. `reader`: if it does not follow from the field's type.
    """
    more = {"reader": reader, "theme": theme, "doc": doc, "per_request": per_request or theme in ("preparation", "identity")}
    return field(default_factory=default, metadata=more) if callable(default) else field(default=default, metadata=more)


def _reader_of(annotation: Any) -> Reader:
    """The reader of a field: bool, Literal or bool | Literal["auto"]."""
    return TRUTH if annotation is bool else one_of(*get_args(annotation)) if get_origin(annotation) is Literal else _OR_AUTO


_pages, _extraction, _rendering, _preparation, _identity, _screenshots, _storage, _machines = (
    partial(_setting, theme)
    for theme in ("pages", "extraction", "rendering", "preparation", "identity", "screenshots", "storage", "several machines")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a crawl, checked. Field `x` holds the setting `WEBCONTENT_X`."""

    enabled: bool = _pages(True, "False removes the add-on from the crawl.")
    auto: bool = _pages(False, "Every HTML response of every spider becomes an item.", per_request=True)
    emit: tuple[str, ...] = _pages(TYPES, "Page types whose items leave the pipeline.", _TYPES)
    max_bytes: int = _pages(MAX_BYTES, "A longer page is cut here and flagged `truncated`.", _number("bytes"))
    duplicates: Literal["keep", "flag", "drop"] = _pages(
        "keep", "What happens to [duplicates](incremental.md#duplicates): items of one site with the same text."
    )
    join_pages: int = _pages(0, "Articles that continue on further pages are joined, from at most this many pages.", _number("pages", 0))
    threads: int = _pages(lambda: os.cpu_count() or 1, "Threads that parse, classify and extract.", _number("threads"))
    routes: Mapping[str, str] = _extraction(_DEFAULT_ROUTES.copy, "Which extractor reads which page type.", _ROUTES)
    extractors: Mapping[str, str] = _extraction(dict, "Your own extractors.", _EXTRACTORS)
    page_type_model: str | None = _extraction(None, "Another page type model.", Reader(_text, "the name or the folder of a model"))
    models: str | None = _extraction(None, "Your own models. They take precedence over those of the package.", _FOLDER)
    site_files: str | None = _extraction(
        SITES,
        "The folder of [site files](site-files.md). A relative path begins at scrapy.cfg, else at the project's package or the current "
        "folder. Empty: nowhere.",
        _FOLDER,
    )
    site_history: bool = _extraction(True, "What earlier pages of a site show improves its later ones ([Site history](site-history.md)).")
    evidence: bool = _extraction(False, "Items carry all candidates of each field.")
    markdown: bool = _extraction(False, "Items carry their [Markdown](markdown.md) in the field `markdown`, in every feed.")
    render: bool | Literal["auto"] = _rendering(
        "auto", 'Whether a browser renders pages. "auto": those whose extractor needs it or that are little but scripts.', per_request=True
    )
    capture: bool = _rendering(
        True, "Whether pages of your own [Playwright requests](scrapy.md#your-own-playwright-requests) are captured.", per_request=True
    )
    browser: str | None = _rendering(None, "The browser. None: it is searched for.", _BROWSER)
    browser_memory: int = _rendering(
        3000, "Most memory of the browser; beyond it the page that uses the most is ended ([Security](security.md#memory)).", _number("MB")
    )
    block: tuple[str, ...] = _rendering(DEFAULT_BLOCK, "What the browser does not load. A host stands for all its subdomains.", _BLOCK)
    private_hosts: tuple[str, ...] = _rendering(
        (), "Hosts of the local network that pages may load from ([Security](security.md#the-local-network)).", _HOSTS
    )
    ignore_certificates: bool = _rendering(False, "Whether rendered pages may come from servers without a valid certificate.")
    overlays: Literal["hide", "reject", "keep"] = _preparation(
        "hide", "What happens to consent banners, prompts and their veils ([Rendering](rendering.md#overlays))."
    )
    scroll: Literal["auto", "page", "list", "none"] = _preparation(
        "auto", "How rendered pages are scrolled ([Rendering](rendering.md#scrolling))."
    )
    expand: Literal["css", "click", "none"] = _preparation(
        "css", "How folded text is opened: by style sheet, or also by clicks ([Rendering](rendering.md#folds))."
    )
    frames: bool = _preparation(True, "Whether large frames are put into the page ([Rendering](rendering.md#shadow-roots-and-frames)).")
    budget_ms: int = _preparation(
        5000, "Longest preparation of a rendered page, all steps together. 0: pages are captured as they load.", _number("milliseconds", 0)
    )
    locale: str | None = _identity(None, "Language and region of the reader. None: the browser's.", _LANGUAGE_TAG)
    timezone: str | None = _identity(None, "Time zone of the reader of rendered pages. None: the system's.", _TIME_ZONE)
    storage_state: str | None = _identity(None, "Cookies and local storage of a session.", _STATE_FILE)
    screenshot: bool | Literal["auto"] = _screenshots(
        "auto", 'Whether a screenshot of rendered pages is taken. "auto": where something reads it.', per_request=True
    )
    screenshot_size: tuple[int, int] = _screenshots((1366, 8000), "Width of the page and maximum height of its screenshot.", _SIZE)
    screenshot_format: Literal["jpeg", "png", "webp"] = _screenshots("jpeg", "WebP costs about twice the CPU time of JPEG.")
    screenshot_store: str | None = _screenshots(
        None, "Where screenshots are stored, such as `s3://bucket/shots/`. Items have the path.", Reader(_text, "a folder or a URI", True)
    )
    crawl_state: str | None = _storage(
        None, "Where the [crawl state](incremental.md#only-what-is-new) is stored. Empty: nowhere.", _STATE_URL
    )
    changed: bool = _storage(
        False, "With a crawl state: pages of earlier runs are requested again, and produced again if title or text has changed."
    )
    database: str | None = _storage(None, "Items also go into [a database](incremental.md#into-a-database).", _DATABASE_URL)
    save: str | None = _storage(
        None, "Where pages are [saved with their items](inspect.md#saved-pages-as-a-test-set), one folder per page.", _FOLDER
    )
    redis: str | None = _machines(
        None, "Several processes share one crawl on this server ([Several machines](distributed.md)).", _REDIS_URL
    )
    redis_items: bool = _machines(False, "Items also go into the list `<spider>:items` there, in the step that marks their page as done.")
    lease: int = _machines(60, "Time after which the pages of a silent process are given to another one.", _number("seconds"))

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
        config.read_site_files()
        return config

    def site_folder(self) -> Path | None:
        """The folder of site files, which need not exist."""
        if not self.site_files:
            return None
        cfg, module = closest_scrapy_cfg(), os.environ.get("SCRAPY_SETTINGS_MODULE", "")
        places = [Path(cfg).parent if cfg else Path()]
        if package := find_spec(module.rpartition(".")[0]) if "." in module else None:
            places += map(Path, package.submodule_search_locations or ())
        folders = [place / self.site_files for place in places]
        return next(filter(Path.is_dir, folders), folders[0])

    def read_site_files(self) -> SiteFiles | None:
        """The site files, None without the default folder. Raises WrongValueError for a mistake in one, or another missing folder."""
        folder = self.site_folder()
        if folder is None or self.site_files == SITES and not folder.is_dir():
            return None
        state = tuple((path, path.stat().st_mtime_ns) for path in sorted(folder.glob("*.toml")))
        return _site_files(folder, state, frozenset({**TABLE, **self.extractors}))

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
            site_files=self.read_site_files(),
        )


def _settings() -> Iterator[Setting]:
    defaults, annotations = Config(), get_type_hints(Config)
    for part in fields(Config):
        reader = part.metadata["reader"] or _reader_of(annotations[part.name])
        yield Setting(part.name, getattr(defaults, part.name), **{**part.metadata, "reader": reader})


SETTINGS = {setting.name: setting for setting in _settings()}
"""The settings by their names, theme by theme."""
PREPARATION = tuple(setting.name for setting in SETTINGS.values() if setting.theme == "preparation")
"""What is done to a rendered page before it is read."""
IDENTITY = tuple(setting.name for setting in SETTINGS.values() if setting.theme == "identity")
"""As whom a rendered page is visited."""


class RequestOptions:
    """Reads the options of a crawl's requests: the settings that also hold for single requests, and three that are no settings."""

    def __init__(self, extractors: Mapping[str, str]) -> None:
        """`extractors`: a user's own, by name."""
        known = sorted({**TABLE, **extractors})
        self._readers = {name: setting.reader for name, setting in SETTINGS.items() if setting.per_request}
        self._readers |= {
            FULL_SIZE: TRUTH,
            WAIT_FOR: Reader(_text, "a CSS selector"),
            EXTRACTOR: Reader(one_of(*known).read, f"the name of an extractor: {', '.join(known)}"),
        }
        self.names = sorted(self._readers)
        self._reported: set[str] = set()

    def check(self, request: Request) -> None:
        """Marks the request as one for a page and reads its options, inline. A wrong one is removed, and named once in the log."""
        options, place, names = request.meta.setdefault(PAGE, {}), f'request.meta["{PAGE}"]', ", ".join(self.names)
        values: dict[str, Any] = {}
        if not isinstance(options, Mapping):
            self._report(f"{place} is {options!r}; it takes a dict of options: {names}.", request)
            options = {}
        for name, value in options.items():
            if name not in self._readers:
                self._report(f"{place} has no option {name!r}; there are {names}.", request)
                continue
            try:
                values[name] = self._readers[name].value_of(value, f'{place}["{name}"]')
            except WrongValueError as error:
                self._report(str(error), request)
        request.meta[PAGE] = values

    def _report(self, sentence: str, request: Request) -> None:
        if sentence not in self._reported:
            self._reported.add(sentence)
            logger.error("%s It is ignored, for %s and all others.", sentence, request.url)


def warn_of_unknown(settings: BaseSettings) -> None:
    """Logs names that begin like a setting of webcontent and are none, each with the setting that it probably means."""
    known = {FALLBACKS, *(setting.label for setting in SETTINGS.values())}
    for name in sorted(name for name in settings if str(name).startswith(PREFIX) and name not in known):
        similar = get_close_matches(name.removeprefix(PREFIX).lower(), SETTINGS, n=1)
        suggestion = f" Did you mean {SETTINGS[similar[0]].label}?" if similar else ""
        logger.warning("%s is no setting of webcontent and is ignored.%s", name, suggestion)


@lru_cache(maxsize=1)
def _site_files(folder: Path, state: tuple[tuple[Path, int], ...], extractors: frozenset[str]) -> SiteFiles:
    """The site files of a folder. Every component of a crawl asks for them; `state` differs once a file is changed."""
    try:
        return SiteFiles(folder, extractors)
    except SiteFileError as error:
        raise WrongValueError(str(error)) from None


_registries: WeakValueDictionary[str, ModelRegistry] = WeakValueDictionary()


def _registry(folder: str | None) -> ModelRegistry:
    """One registry per folder, so that the components of a crawl share the opened models. It lasts as long as a crawl uses it."""
    if folder is None:
        return SHIPPED
    return _registries.get(folder) or _registries.setdefault(folder, ModelRegistry(folder))
