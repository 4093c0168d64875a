"""What a crawl had of each seed, and the table of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from webcontent.crawl.discovery.same_site import SeedIsFull
from webcontent.crawl.incremental.middleware import PageUnchanged
from webcontent.crawl.output.terminal import iter_aligned, shortened
from webcontent.crawl.setup_errors import message_of
from webcontent.items import ARTICLE, LIST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.inspect.items.nights import Change

COLUMNS = ("site", "pages", "articles", "lists", "new", "failed", "why")
SITE_CELLS, WHY_CELLS = 50, 80
"""Widths of the columns of texts, in cells of a terminal."""
NO_PAGE = frozenset({404, 410})
"""Status codes of links that lead nowhere."""
ALWAYS_BROKEN = frozenset({"empty", "login", "paywall"})
"""Flags of pages that many sites have for everybody."""
_ERRORS = {
    "CannotResolveHostError": "the name of the host is unknown",
    "DownloadConnectionRefusedError": "the server refuses connections",
    "DownloadTimeoutError": "no answer in time",
}
"""Names of Scrapy's errors -> what they mean. Others are called by the first line of their message."""


@dataclass(slots=True)
class SeedRow:
    """What a crawl had of one seed."""

    url: str
    pages: int = 0
    """HTML pages that arrived."""
    types: Counter[str] = field(default_factory=Counter)
    """Pages by their types, whether or not an earlier run delivered them."""
    new: int = 0
    """Items that were delivered."""
    unchanged: int = 0
    """Pages of which the server says that they have not changed since an earlier run."""
    failures: Counter[str] = field(default_factory=Counter)
    """Requests that gave no page, and pages that came without their content, by reason."""
    broken: int = 0
    """Pages that came without their content in this run."""
    lost: int = 0
    """Requests that gave no answer or an error, but not that there is no such page."""
    walls: dict[str, str] = field(default_factory=dict)
    """Their URLs, and the flag of each."""
    redirects: Counter[str] = field(default_factory=Counter)
    """Requests that were redirected to a URL that the crawl has already."""
    leads_on: bool | None = None
    """Whether the seed's own page has a link in its scope, or a feed or a sitemap of the seed has entries; None if none could be read."""
    same_as: str = ""
    """Where the seed's address leads, if the crawl has that page from another seed; its pages are counted there."""
    changes: list[Change] = field(default_factory=list)
    """Curves of its host that are not as in the nights before."""

    @property
    def gave_nothing(self) -> bool:
        """Whether no page of the seed could be read."""
        return not self.pages and not self.unchanged and not self.same_as

    @property
    def leads_nowhere(self) -> bool:
        """Whether nothing is to be followed and nothing is new: the site has other addresses now, or `allow` fits none."""
        return self.leads_on is False and not (self.new or self.unchanged or self.types[ARTICLE])

    @property
    def is_blocked(self) -> bool:
        """Whether most pages came without their content, or not at all."""
        return 2 * (self.broken + self.lost) > self.pages + self.unchanged + self.lost

    def add_broken(self, url: str, flags: frozenset[str], *, is_again: bool = False) -> None:
        """Counts a page that came without its content. One that is always so, such as a login page, says nothing about the night."""
        self.walls[url] = min(flags - {"empty"} or flags)
        self.failures[self.walls[url]] += 1
        self.broken += not (is_again and flags <= ALWAYS_BROKEN)

    def count_redirects(self) -> None:
        """Counts the pages that were redirected to the same robot check as another one."""
        for url, flag in self.walls.items():
            self.failures[flag] += self.redirects[url]
            self.broken += self.redirects[url]
            self.pages += self.redirects[url]

    def add_error(self, error: BaseException) -> None:
        """Counts a request that failed. Pages that have not changed, or are left to the next run, have not failed."""
        if isinstance(error, PageUnchanged):
            self.unchanged += 1
        elif not isinstance(error, SeedIsFull):
            self.failures[reason_of(error)] += 1
            self.lost += type(error) is not IgnoreRequest and not (isinstance(error, HttpError) and error.response.status in NO_PAGE)

    def cells(self) -> tuple[str, ...]:
        counts = (self.pages, self.types[ARTICLE], self.types[LIST], self.new, self.failures.total())
        ranked = sorted(self.failures.items(), key=lambda pair: (-pair[1], pair[0]))
        why = ", ".join(f"{count} x {reason}" if count > 1 else reason for reason, count in ranked)
        if self.same_as and not self.pages:
            why = f"the same site as {self.same_as}"
        elif self.gave_nothing:
            why = why or "no page"  # although nothing failed
        elif self.is_blocked:
            why = f"most pages lack their content: {why}"
        elif self.leads_nowhere:
            why = ", ".join(filter(None, (why, "no link to follow")))
        if self.changes:
            why = "; ".join(filter(None, (f"changed: {', '.join(map(str, self.changes))}", why)))
        return (shortened(self.url, SITE_CELLS), *map(str, counts), shortened(why, WHY_CELLS))


def reason_of(error: BaseException) -> str:
    """Why a request failed, in a few words.

    >>> reason_of(TimeoutError("too slow\\nmore"))
    'too slow'
    """
    if isinstance(error, HttpError):
        return f"status {error.response.status}"
    message = (message_of(error).splitlines() or [""])[0]
    if type(error) is IgnoreRequest:
        if "outside of the site" in message:
            return "leads to another site"
        return {"Forbidden by robots.txt": "forbidden by robots.txt"}.get(message, message)
    return _ERRORS.get(type(error).__name__) or message or type(error).__name__


def iter_table(rows: Sequence[SeedRow]) -> Iterator[str]:
    """The lines of the table. The last one has the sums, if there are several seeds."""
    lines = [row.cells() for row in rows]
    if len(rows) > 1:
        sums = (str(sum(map(int, column))) for column in list(zip(*lines, strict=True))[1:-1])
        lines.append((f"{len(rows)} sites", *sums, ""))
    yield from iter_aligned([COLUMNS, *lines])
