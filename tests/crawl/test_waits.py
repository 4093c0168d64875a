"""How long a crawl waits for servers, pages and jobs, and what it makes of their answers: times on both sides of each wait."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, MagicMock, Mock

import pytest
from scrapy.http import Request, Response
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError

from tests.crawl.clock import at_once
from webcontent.crawl import workers
from webcontent.crawl.addon import Addon
from webcontent.crawl.commands.harvest import HarvestCommand
from webcontent.crawl.config import Config
from webcontent.crawl.discovery import same_site
from webcontent.crawl.guards import _bounded
from webcontent.crawl.incremental import tracker
from webcontent.crawl.incremental.middleware import IncrementalMiddleware
from webcontent.crawl.incremental.nights import HostNights
from webcontent.crawl.incremental.store import CrawlRecord
from webcontent.crawl.incremental.tracker import BROKEN, GONE, IncrementalTracker
from webcontent.crawl.meta import SEED, SITE, VALIDATORS
from webcontent.crawl.rendering.filter import reach
from webcontent.crawl.spiders.seed_rows import SeedRow
from webcontent.crawl.spiders.seeds import SeedsSpider
from webcontent.items import LIST

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://news.example/a"


async def waits_for_pages(full_at: float) -> float:
    """How long a request waits while the pages under way suffice, for a seed that is full after so many seconds."""
    loop = asyncio.get_running_loop()
    budget = Mock(is_full=lambda seed: loop.time() >= full_at, suffices=lambda under_way, seed: True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(same_site, "requests_in_progress", lambda crawler: set())
        patch.setattr(same_site, "is_closing", lambda crawler: False)
        await same_site.SameSiteMiddleware._wait_while_enough(MagicMock(), budget, 0)
    return loop.time()


async def stays_for_pages(seconds: float) -> bool:
    return await waits_for_pages(seconds) >= seconds


async def asks_again(seconds: float) -> bool:
    """Whether it is asked again within so many seconds whether a seed is full."""
    return await waits_for_pages(0.01) <= seconds


async def connects(seconds: float) -> bool:
    """Whether a server that accepts a connection after so many seconds is waited for."""
    with pytest.MonkeyPatch.context() as patch, suppress(reach.ReachError):
        patch.setattr(reach.asyncio, "open_connection", lambda *arguments, **options: asyncio.sleep(seconds, "streams"))
        return await reach.connect(["192.0.2.1"], 80) == "streams"
    return False


async def writes(seconds: float) -> bool:
    """Whether records are written within so many seconds."""
    own = Mock(_records={"a": "record"}, _sizes={}, _run=AsyncMock(), _has_failed=True)
    task = asyncio.ensure_future(IncrementalTracker._flush_periodically(own))
    await asyncio.sleep(seconds)
    task.cancel()
    return bool(own._run.called)


class _Endless(Executor):
    """Runs no job."""

    _max_workers = 1

    def submit(self, *arguments: Any) -> Future[Any]:
        return Future()


async def is_looked_at(seconds: float) -> bool:
    """Whether a job that does not end is looked at within so many seconds."""
    with pytest.MonkeyPatch.context() as patch, suppress(workers.PageDeadlineError):
        patch.setattr(workers._Job, "interrupt_if_late", lambda job: True)
        await workers.WorkerPool.run(Mock(_executor=_Endless()), "extract", print)
    return asyncio.get_running_loop().time() <= seconds


WAITS: dict[str, tuple[Callable[[float], Any], float, float]] = {
    "pages that are under way": (stays_for_pages, 9.9, 10.3),
    "second question about a seed": (asks_again, 0.11, 0.09),
    "connection": (connects, 9.9, 10.1),
    "records": (writes, 1.1, 0.9),
    "job": (is_looked_at, 5.1, 4.9),
}
"""What -> whether it is so, a time with which it is, and one with which it is not."""


@pytest.mark.parametrize("name", WAITS)
def test_a_crawl_waits_so_long(name: str):
    holds, seconds, beyond = WAITS[name]
    assert (at_once(holds(seconds), same_site.time), at_once(holds(beyond), same_site.time)) == (True, False)


def is_twice(max_bytes: int) -> bool:
    """Whether a response may have twice the bytes of a page."""
    settings = Settings({"WEBCONTENT_MAX_BYTES": max_bytes})
    Addon().update_settings(settings)
    return settings.getint("DOWNLOAD_MAXSIZE") == 2 * max_bytes


def has_headers(size: int) -> bool:
    """Whether so many bytes of headers are taken."""
    protocol = Mock(_parser=Mock(state="HEADER"))
    _bounded(protocol).dataReceived(b"x" * size)
    return not protocol._giveUp.called


def goes_on(pages: int) -> bool:
    """Whether a spider without options goes on after so many pages."""
    budget = SeedsSpider("https://a.example/").budget
    for _ in range(pages):
        budget.count_page(0)
    return not budget.is_full(0)


def is_joined(pages: int) -> bool:
    """Whether the spider joins so many pages of an article."""
    settings = Settings()
    SeedsSpider.update_settings(settings)
    return Config.from_settings(settings).join_pages >= pages


def may_take(seconds: int) -> bool:
    """Whether a job may take so many seconds of CPU time."""
    job = workers._Job(print)
    job._thread = 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "_cpu_s", lambda: float(seconds))
        return not job.interrupt_if_late()


LIMITS: dict[str, tuple[Callable[[int], object], int, int]] = {
    "pages of all seeds, as docs/settings.md says": (goes_on, 9_999, 10_000),
    "pages of an article, as docs/settings.md says": (is_joined, 20, 21),
    "CPU time of a job": (may_take, 60, 61),
    "bytes of a page whose double may be downloaded": (is_twice, 33_554_432, 33_554_431),
    "bytes of headers": (has_headers, 262_144, 262_145),
}
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_responses_are_taken_up_to_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (holds(size), holds(beyond)) == (True, False)


def failure(status: int) -> Mock:
    error = HttpError(Response(URL, status=status))
    return Mock(request=Request(URL, meta={SEED: 0, SITE: "news.example"}), value=error)


KINDS = {
    **dict.fromkeys((401, 402, 403, 405, 406, 451), BROKEN),
    **dict.fromkeys((400, 404, 410, 414), GONE),
    **dict.fromkeys((408, 418, 425, 429, 500, 503), None),
}


@pytest.mark.parametrize("status", KINDS)
def test_a_refusal_is_recorded_as_gone_or_as_a_wall(status: int):
    """Robots are often answered by one of six; whoever is too busy is asked again."""
    spider = MagicMock()
    SeedsSpider.failed(spider, failure(status))
    assert [call.args[1] for call in spider._record.call_args_list] == [KINDS[status]] * (KINDS[status] is not None)


@pytest.mark.parametrize(("status", "lost"), [(404, 0), (410, 0), (403, 1), (405, 1), (411, 1), (500, 1)])
def test_a_page_that_does_not_exist_is_not_lost(status: int, lost: int):
    row = SeedRow(URL)
    row.add_error(failure(status).value)
    assert row.counts["lost"] == lost


@pytest.mark.parametrize(
    ("record", "now", "is_due"),
    [
        (CrawlRecord(GONE), 604_800.0, True),
        (CrawlRecord(GONE), 604_799.9, False),
        (CrawlRecord(LIST, checked=100.0), 110.0, True),
        (CrawlRecord(LIST, checked=100.0), 109.98, False),
    ],
)
def test_a_record_without_times_is_of_1970(record: CrawlRecord, now: float, is_due: bool, monkeypatch: pytest.MonkeyPatch):
    """A page that was gone then comes again after a week, a list that has not changed since after a tenth of the time."""
    monkeypatch.setattr(tracker.time, "time", lambda: now)
    assert IncrementalTracker.is_due(Mock(config=Mock(changed=False)), record) is is_due


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
def test_conditions_are_not_sent_on_to_the_target_of_a_redirect(status: int, monkeypatch: pytest.MonkeyPatch):
    """They say nothing about it; other answers leave the request as it is."""
    monkeypatch.setattr(IncrementalTracker, "of", lambda crawler: None)
    request = Request(URL, headers={"If-None-Match": '"1"'}, meta={VALIDATORS: list(CrawlRecord(LIST))})
    with suppress(Exception):  # of answers that are no redirects
        at_once(IncrementalMiddleware.process_response(Mock(), request, Response(URL, status=status, headers={"Location": "/b"})))
    assert ("If-None-Match" in request.headers) == (status in {300, 304})


@pytest.mark.parametrize(("changes", "code"), [({}, 0), ({"news.example": ["asked"]}, 3)])
def test_a_harvest_ends_with_3_where_a_site_changed(changes: dict[str, list[str]], code: int, monkeypatch: pytest.MonkeyPatch):
    """As docs/incremental.md says."""
    monkeypatch.setattr(HostNights, "of", lambda crawler: Mock(changes=changes))
    own = Mock(exitcode=0)
    own.crawl.return_value.spider = MagicMock(spec=SeedsSpider, rows=[])
    own.crawl.return_value.stats.get_value.return_value = "finished"
    HarvestCommand.run(own, [URL], Mock(is_new_only=False, output=[], pages=None, feeds=True))
    assert own.exitcode == code
