"""Where a crawl begins and how far it goes: addresses of the command line, lines of a file with options behind them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webcontent.crawl.discovery.urls import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SITE, DEPTH, SEED = "seeds_site", "seeds_depth", "seeds_seed"
"""Keys of `request.meta`: the site that a request may not leave, the links followed from its seed (next pages not counted), and
the number of the seed."""

_HOST = re.compile(r"[^\s/?#=&]+\.[^\s/?#=&]+|localhost(?::\d+)?|[^\s/?#=&]+:\d+")
"""What a seed without a scheme begins with."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What of a seed's site is asked for. An address has to match one of `allow`, where there are any, and none of `deny`."""

    allow: tuple[re.Pattern[str], ...] = ()
    deny: tuple[re.Pattern[str], ...] = ()
    depth: int | None = None
    """Links from the seed, next pages not counted; None: no limit."""
    pages: int = 0
    """Pages of this seed; 0: no limit of its own."""
    days: int = 0
    """Entries of feeds and sitemaps that are dated further back are left out; 0: none."""

    def allows(self, url: str) -> bool:
        """Whether the patterns let an address through."""
        return (not self.allow or any(pattern.search(url) for pattern in self.allow)) and not any(
            pattern.search(url) for pattern in self.deny
        )

    def is_recent(self, time: datetime | None) -> bool:
        """Whether something of that time is wanted; what has no time is."""
        return not self.days or time is None or datetime.now(UTC) - time <= timedelta(days=self.days)


@dataclass(frozen=True, slots=True)
class Seed:
    url: str
    scope: Scope


def iter_seeds(urls: str, scope: Scope | None = None) -> Iterator[Seed]:
    """Seeds of the spider argument: `https://a.example/,b.example,more.txt`; a comma inside an address is part of it.

    A line of a file is an address and its options: `a.example/news allow=/news/ deny=/tag/ depth=2 pages=500 days=7`; they stand
    for what `scope` says otherwise. Raises ValueError for what is neither an address nor a file, and for wrong options.
    """
    scope = scope or Scope()
    for part in _split_urls(urls):
        if "://" not in part and Path(part).is_file():
            lines = (line.strip() for line in Path(part).read_text(encoding="utf-8-sig").splitlines())
            yield from (_seed_of_line(line, scope) for line in lines if line and not line.startswith("#"))
        else:
            yield Seed(_address(part), scope)


def scope_of(options: dict[str, list[str]], default: Scope) -> Scope:
    """The scope that options describe. Raises ValueError with the option's name."""
    values: dict[str, Any] = {}
    for name, texts in options.items():
        if name in ("allow", "deny"):
            values[name] = tuple(_pattern(name, text) for text in texts if text)
        elif name in ("depth", "pages", "days"):
            values[name] = number(name, texts[-1])
        else:
            raise ValueError(f"{name!r} is no option of a seed; there are allow, deny, depth, pages and days.")
    return replace(default, **values)


def number(name: str, value: str | int) -> int:
    """A number of 0 or more; else a ValueError with the argument's name."""
    try:
        found = int(value)
    except ValueError:
        found = -1
    if found < 0:
        raise ValueError(f"The argument {name} is {value!r}; it takes a number of 0 or more.")
    return found


def _seed_of_line(line: str, default: Scope) -> Seed:
    url, *words = line.split()
    options: dict[str, list[str]] = {}
    for word in words:
        if word.startswith("#"):
            break
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r} behind {url} is no option; it takes NAME=VALUE, as in depth=2.")
        options.setdefault(name, []).append(value)
    return Seed(_address(url), scope_of(options, default))


def _pattern(name: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"The argument {name} is {text!r}, which is no regular expression: {error}.") from None


def _split_urls(urls: str) -> Iterator[str]:
    pending = ""
    for part in urls.split(","):
        starts_anew = "://" in part or Path(part.strip()).is_file() or _HOST.match(part.strip())
        if pending and starts_anew:
            yield pending
            pending = part.strip()
        else:
            pending = f"{pending},{part}" if pending else part.strip()
    if pending:
        yield pending


def _address(url: str) -> str:
    whole = url if "://" in url else f"https://{url}"
    if site_of(whole) is None or "://" not in url and not _HOST.match(url):
        raise ValueError(f"{url!r} is neither an http(s) address nor a file; -a urls takes URL[,URL|FILE].")
    return whole if urlsplit(whole).path else urlsplit(whole)._replace(path="/").geturl()
