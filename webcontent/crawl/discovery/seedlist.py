"""Where a crawl begins and how far it goes: URLs of the command line, lines of a file with their options, limits per seed."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webcontent.addresses import site_of
from webcontent.crawl.setup_errors import WrongValueError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_SOURCES = 200
"""Feeds and sitemaps that are requested for one seed ..."""
MIN_SOURCES = 20
"""... and for one of few pages: the first sitemaps of an index."""
MAX_SOURCES_BYTES = 200_000_000
"""Bytes of the feeds and sitemaps of a seed, unpacked, after which no further one is requested: some million addresses."""
MIN_FAILURES, FAILURES_PER_PAGE = 100, 5
"""A seed has all its pages, too, after so many requests without a page, and so many for each page of its limit."""
_HOST = re.compile(r"([^\s/?#=&]+\.[^\s/?#=&]+|localhost(?::\d+)?|[^\s/?#=&]+:\d+)(?:[/?#]|$)")
"""How an address without a scheme begins."""


@dataclass(frozen=True, slots=True)
class Seed:
    """Where a crawl begins, and which part of its site is requested: what one of `allow` matches, if there are any, and none of `deny`."""

    url: str = ""
    allow: tuple[re.Pattern[str], ...] = ()
    deny: tuple[re.Pattern[str], ...] = ()
    depth: int | None = None
    """Links from the seed; next pages are not counted. None: no limit."""
    pages: int = 0
    """Largest number of pages of this seed; 0: no limit of its own."""
    days: int = 0
    """Entries of feeds and sitemaps with an older date are left out; 0: none are."""

    def allows(self, url: str) -> bool:
        allow, deny = ([pattern.search(url) for pattern in patterns] for patterns in (self.allow, self.deny))
        return (not allow or any(allow)) and not any(deny)

    def accepts(self, url: str, depth: int) -> bool:
        return self.allows(url) and (self.depth is None or depth <= self.depth)

    def is_recent(self, time: datetime | None) -> bool:
        """Whether an entry of that time is wanted. An entry without a time is."""
        return not self.days or time is None or datetime.now(UTC) - time <= timedelta(days=self.days)


NO_LIMITS = Seed()


class PageBudget:
    """The pages and sources that each seed has had, and how many it may have. Seeds are named by their number."""

    def __init__(self, seeds: Sequence[Seed], max_pages: int) -> None:
        self.max_pages = max_pages
        """For all seeds together; 0: no limit."""
        self.pages = 0
        self.failures, self.source_bytes = Counter[int](), Counter[int]()
        self._limits = [seed.pages for seed in seeds]
        self._pages, self._sources = Counter[int](), Counter[int]()

    @property
    def is_spent(self) -> bool:
        return 0 < self.max_pages <= self.pages

    def is_full(self, seed: int) -> bool:
        return self.suffices([], seed)

    def suffices(self, under_way: Sequence[int], seed: int) -> bool:
        """Whether no further page of a seed is needed if each request that is under way gives one. `under_way`: their seeds."""
        of_seed, limit = self._pages[seed] + under_way.count(seed), self._limit(seed)
        if limit is not None and self.failures[seed] >= MIN_FAILURES + FAILURES_PER_PAGE * limit:
            return True
        return 0 < self.max_pages <= self.pages + len(under_way) or 0 < self._limits[seed] <= of_seed

    def count_page(self, seed: int) -> None:
        self.pages += 1
        self._pages[seed] += 1

    def takes_source(self, seed: int) -> bool:
        """Whether one more feed or sitemap of the seed may be requested, which is then counted. A crawl of few pages needs few of them."""
        self._sources[seed] += 1
        limit = min(MAX_SOURCES, max(MIN_SOURCES, self._limit(seed) or MAX_SOURCES))
        return self._sources[seed] <= limit

    def has_read_enough(self, seed: int) -> bool:
        return self.source_bytes[seed] > MAX_SOURCES_BYTES

    def _limit(self, seed: int) -> int | None:
        return min(filter(None, (self._limits[seed], self.max_pages)), default=None)


def iter_seeds(urls: str | Sequence[str], default: Seed = NO_LIMITS) -> Iterator[Seed]:
    """The seeds that the spider argument `urls` names: `https://a.example/,b.example,more.txt`. A comma inside a URL is part of it.

    A sequence names several. A line of a file is a URL and its options: `a.example/news allow=/news/ deny=/tag/ depth=2 pages=500
    days=7`. They replace the values of `default`. Raises ValueError for text that is neither a URL nor a file, and for wrong options.
    """
    for text in [urls] if isinstance(urls, str) else urls:
        for part in _split_urls(text):
            if "://" not in part and Path(part).is_file():
                yield from (_seed_of_line(line, default) for line in _lines_of_file(part))
            else:
                yield replace(default, url=_whole_url(part))


def _lines_of_file(name: str) -> list[str]:
    """The lines of a file that name seeds. Raises ValueError if there are none."""
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise WrongValueError(f"{name} is no text in UTF-8; a file of seeds has one address per line.") from None
    except OSError as error:
        raise WrongValueError(f"{name} can't be read: {error.strerror or error}.") from None
    lines = [stripped for line in text.splitlines() if (stripped := line.strip()) and not stripped.startswith("#")]
    if not lines:
        raise WrongValueError(f"{name} names no address.")
    return lines


def with_options(options: dict[str, list[str]], default: Seed = NO_LIMITS) -> Seed:
    """The seed that options describe. Raises ValueError that names the option."""
    values: dict[str, Any] = {}
    for name, texts in options.items():
        if name in ("depth", "pages", "days"):
            values[name] = parse_count(name, texts[-1])
            continue
        if name not in ("allow", "deny"):
            raise WrongValueError(f"{name!r} is no option of a seed; there are allow, deny, depth, pages and days.")
        try:
            values[name] = tuple(re.compile(text) for text in texts if text)
        except re.error as error:
            raise WrongValueError(f"The argument {name} is {error.pattern!r}, which is no regular expression: {error}.") from None
    return replace(default, **values)


def parse_count(name: str, value: str | int) -> int:
    """A number of 0 or more. Raises ValueError that names the argument."""
    with suppress(ValueError):
        if (number := int(value)) >= 0:
            return number
    raise WrongValueError(f"The argument {name} is {value!r}; it takes a number of 0 or more.")


def _seed_of_line(line: str, default: Seed) -> Seed:
    url, *words = line.split()
    options: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("#"):
            break
        name, equals, value = word.partition("=")
        if not equals:
            raise WrongValueError(f"{word!r} after {url} is no option; it takes NAME=VALUE, as in depth=2.")
        options.setdefault(name, []).append(value)
    return replace(with_options(options, default), url=_whole_url(url))


def _split_urls(urls: str) -> list[str]:
    """The parts between commas; a part that begins like no URL and no file belongs to the one before it."""
    parts = [""]
    for part in urls.split(","):
        text = part.strip()
        if parts[-1] and not (_is_address(text) or Path(text).is_file()):
            parts[-1] += f",{part}"
        else:
            parts.append(text)
    return [part for part in parts if part]


def _whole_url(url: str) -> str:
    """The URL with scheme and path. Raises ValueError for text that is none, and for the name of a file that does not exist."""
    whole = url if "://" in url else f"https://{url}"
    if refusal := password_refusal(whole):
        raise WrongValueError(refusal)
    if site_of(whole) is None or not _is_address(url):
        raise WrongValueError(f"{url!r} is neither an http(s) address nor a file.")
    return whole if urlsplit(whole).path else urlsplit(whole)._replace(path="/").geturl()


def password_refusal(url: str) -> str | None:
    """The sentence about an address with a user name or a password, without them; None for another address."""
    _, at, rest = url.partition("://")[2].partition("/")[0].rpartition("@")
    if not at:
        return None
    return f"The address of {rest} holds a user name or password. Set http_user, http_pass and http_auth_domain in a spider of your own."


def _is_address(text: str) -> bool:
    """Whether a text has a scheme, or begins like the address of a site.

    >>> _is_address("example.org/sites.txt"), _is_address("localhost:8000"), _is_address("sites.txt")
    (True, True, False)
    """
    host, site = _HOST.match(text), site_of(f"https://{text}")
    has_suffix = site is not None and ":" not in site
    return "://" in text or host is not None and (has_suffix or site is not None and guess_type(host[1])[0] is None)
