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
from webcontent.items import ARTICLE, LIST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.inspect.items.nights import Change

COLUMNS = ("site", "pages", "articles", "lists", "new", "failed", "why")
SITE_CELLS, WHY_CELLS = 50, 80
NO_PAGE = frozenset({404, 410})
ALWAYS_BROKEN = frozenset({"empty", "login", "paywall"})
"""Flags of pages that many sites have for everybody."""
_ERRORS = {
    "CannotResolveHostError": "the name of the host is unknown",
    "DownloadConnectionRefusedError": "the server refuses connections",
    "DownloadTimeoutError": "no answer in time",
    "Forbidden by robots.txt": "forbidden by robots.txt",
}
"""Names of Scrapy's errors, or their messages -> what they mean. Others are called by the first line of their message."""


@dataclass(slots=True)
class SeedRow:
    url: str
    counts: Counter[str] = field(default_factory=Counter)
    """`pages`: HTML that arrived; `new`: items that were delivered; `article`, `list`: pages by type, delivered by an earlier run or not;
    `unchanged`: answers that a page is as before; `broken`: pages without their content; `lost`: requests without an answer, or with an
    error that does not say that there is no such page."""
    failures: Counter[str] = field(default_factory=Counter)
    """Requests that gave no page, and broken pages, by reason."""
    walls: dict[str, str] = field(default_factory=dict)
    """URL -> flag of broken pages."""
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
        return not (self.counts["pages"] or self.counts["unchanged"] or self.same_as)

    @property
    def leads_nowhere(self) -> bool:
        """Whether nothing is to be followed and nothing is new: the site has other addresses now, or `allow` fits none."""
        return self.leads_on is False and not any(self.counts[name] for name in ("new", "unchanged", ARTICLE))

    @property
    def is_blocked(self) -> bool:
        """Whether most pages came without their content, or not at all."""
        lost = self.counts["lost"]
        return 2 * (self.counts["broken"] + lost) > self.counts["pages"] + self.counts["unchanged"] + lost

    @property
    def is_wrong(self) -> bool:
        return self.gave_nothing or self.leads_nowhere or self.is_blocked

    def add_broken(self, url: str, flags: frozenset[str], *, is_again: bool = False) -> None:
        """Counts a page that came without its content. One that is always so, such as a login page, says nothing about the night."""
        self.walls[url] = min(flags - {"empty"} or flags)
        self.failures[self.walls[url]] += 1
        self.counts["broken"] += not (is_again and flags <= ALWAYS_BROKEN)

    def count_redirects(self) -> None:
        """Counts the pages that were redirected to the same robot check as another one."""
        for url, flag in self.walls.items():
            self.failures[flag] += self.redirects[url]
            self.counts.update(dict.fromkeys(("broken", "pages"), self.redirects[url]))

    def add_error(self, error: BaseException) -> None:
        """Counts a request that failed. Pages that have not changed, or are left to the next run, have not failed."""
        if isinstance(error, PageUnchanged):
            self.counts["unchanged"] += 1
        elif not isinstance(error, SeedIsFull):
            self.failures[reason_of(error)] += 1
            is_no_page = isinstance(error, HttpError) and error.response.status in NO_PAGE
            self.counts["lost"] += type(error) is not IgnoreRequest and not is_no_page

    def cells(self) -> tuple[str, ...]:
        counts = (*(self.counts[name] for name in ("pages", ARTICLE, LIST, "new")), self.failures.total())
        ranked = sorted(self.failures.items(), key=lambda pair: (-pair[1], pair[0]))
        why = ", ".join(f"{count} x {reason}" if count > 1 else reason for reason, count in ranked)
        if self.same_as and not self.counts["pages"]:
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
    message, name = (message_of(error).splitlines() or [""])[0], type(error).__name__
    if type(error) is IgnoreRequest and "outside of the site" in message:
        return "leads to another site"
    return _ERRORS.get(name) or _ERRORS.get(message) or message or name


def message_of(error: BaseException) -> str:
    """The message of a failed request, or of its cause where Twisted's error only lists its causes."""
    while (cause := error.__cause__ or getattr(error, "reasons", None)) and str(error).startswith("[<"):
        error = cause if isinstance(cause, BaseException) else cause[0].value
    parts = error.args[0] if error.args else ()
    return str(parts[0][-1]) if isinstance(parts, (list, tuple)) and parts and isinstance(parts[0], tuple) else str(error)


def iter_table(rows: Sequence[SeedRow]) -> Iterator[str]:
    """The lines of the table. The last one has the sums, if there are several seeds."""
    lines = [row.cells() for row in rows]
    if len(rows) > 1:
        sums = (str(sum(map(int, column))) for column in list(zip(*lines, strict=True))[1:-1])
        lines.append((f"{len(rows)} sites", *sums, ""))
    yield from iter_aligned([COLUMNS, *lines])
