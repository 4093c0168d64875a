"""A page that takes too long costs itself, not the crawl."""

from __future__ import annotations

import asyncio
import time

import pytest
from scrapy.utils.test import get_crawler

from webcontent.crawl import workers as module
from webcontent.crawl.pipelines.classify import PageReading
from webcontent.crawl.workers import PageDeadlineError, WorkerPool
from webcontent.items import Page


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> WorkerPool:
    """One thread, and a deadline of a few steps."""
    monkeypatch.setattr(module, "PAGE_LIMIT_S", 0.05)
    monkeypatch.setattr(module, "CHECK_S", 0.02)
    return WorkerPool(get_crawler(settings_dict={"WEBCONTENT_THREADS": 1}))


def endless() -> None:
    """Python code that never ends by itself, and catches every ordinary exception."""
    while True:
        try:
            sum(range(1000))
        except Exception:
            continue


def test_a_job_beyond_the_deadline_is_given_up(pool: WorkerPool):
    """The next jobs run."""

    async def run() -> list[int]:
        with pytest.raises(PageDeadlineError):
            await pool.run("extraction", endless)
        return [await pool.run("extraction", abs, -number) for number in range(3)]

    assert asyncio.run(run()) == [0, 1, 2]
    pool.close()


def test_waiting_costs_no_time(pool: WorkerPool):
    """The deadline is for the CPU time of a job, not for the time of day."""

    async def run() -> str:
        return await pool.run("store", lambda: time.sleep(0.2) or "done")

    assert asyncio.run(run()) == "done"
    pool.close()


def test_an_error_that_no_future_takes_is_raised(pool: WorkerPool):
    """Else the crawl would wait for ever."""

    async def run() -> None:
        with pytest.raises(RuntimeError):
            await asyncio.wait_for(pool.run("links", next, iter(())), 10)

    asyncio.run(run())
    pool.close()


def test_the_item_is_flagged(pool: WorkerPool):
    """It is bare, and says why. The page itself does not change."""
    reading = PageReading(Page(url="http://example.com/", html="x"))
    with reading.guard(pool, "extraction"):
        raise PageDeadlineError
    assert reading.finished(None).flags == ["empty", "timeout"]
    assert reading.page.flags == []
