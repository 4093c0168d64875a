"""What the tracker records of a page, and what the middleware requests again."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import HtmlResponse, Request, Response
from scrapy.utils.test import get_crawler

from webcontent.crawl.incremental.middleware import IncrementalMiddleware, PageUnchanged
from webcontent.crawl.incremental.store import ALIAS, ARTICLE, BROKEN, GONE, LIST, SOURCE, CrawlRecord, key_of
from webcontent.crawl.incremental.tracker import GONE_S, BrokenPage, IncrementalTracker
from webcontent.crawl.meta import SKIP_IF_GONE
from webcontent.crawl.stopping import PostponedItem
from webcontent.items import Article, Listing, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from pathlib import Path

URL = "http://a.example/1"
DAY_S = 86_400


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., IncrementalTracker]]:
    """Makes trackers of runs that share one store."""
    trackers: list[IncrementalTracker] = []

    def make(**settings: Any) -> IncrementalTracker:
        names = {f"WEBCONTENT_{name}": value for name, value in settings.items()}
        crawler = get_crawler(settings_dict={"WEBCONTENT_CRAWL_STATE": f"sqlite:///{tmp_path}/state.db", **names})
        crawler.spider = crawler._create_spider("test")
        trackers.append(IncrementalTracker(crawler))
        return trackers[-1]

    yield make
    for tracker in trackers:
        tracker._close()
        tracker.workers.close()


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(coroutine)


def response(url: str = URL, status: int = 200, **headers: str) -> Response:
    return HtmlResponse(url, status=status, headers=headers, request=Request(url), body=b"<p>Text</p>")


def add_page(tracker: IncrementalTracker, **headers: str) -> tuple[Page, Response]:
    page, its_response = Page(url=URL), response(**headers)
    run(tracker.add_item(page, its_response))
    return page, its_response


def record_of(tracker: IncrementalTracker, url: str = URL) -> CrawlRecord | None:
    return run(tracker.records_of([url])).get(url)


def test_a_page_is_recorded_when_a_pipeline_drops_its_item(make):
    """It would be dropped in the next run as well."""
    tracker = make()
    page, its_response = add_page(tracker)
    tracker.item_dropped(page, its_response, DropItem("not wanted"))
    assert record_of(tracker).kind == ARTICLE


@pytest.mark.parametrize("event", ["postponed", "failed"])
def test_a_page_whose_item_was_not_delivered_is_not_recorded(event: str, make):
    """The next run requests it again: an item that was postponed, and one on which a pipeline raised an error."""
    tracker = make()
    page, its_response = add_page(tracker)
    if event == "postponed":
        tracker.item_dropped(page, its_response, PostponedItem("the crawl ends"))
    else:
        tracker.item_error(page, its_response)
    assert record_of(tracker) is None


def test_an_item_of_an_earlier_run_is_dropped(make):
    """By title and body; the second run counts it as unchanged."""
    first, second = make(), make()
    item = Article(url=URL, title="Bridge", body="Text")
    page, its_response = add_page(first)
    first.check_item(item)
    first.item_dropped(page, its_response, DropItem("not wanted"))
    first._close()
    _, its_response = add_page(second)
    with pytest.raises(DropItem, match="delivered by an earlier run"):
        second.check_item(item)
    assert second.stats.get_value("webcontent/crawl_state/unchanged") == 1


def test_the_urls_that_led_to_a_page_are_aliases(make):
    """Also those of the parts of a multipage article, and redirects."""
    tracker = make()
    page, its_response = add_page(tracker)
    tracker.add_urls(URL, [f"{URL}?page=2"])
    run(tracker.record_redirect("http://a.example/old", URL))
    tracker.check_item(Article(url=URL, title="Bridge", body="Text"))
    tracker.item_dropped(page, its_response, DropItem("not wanted"))
    assert [record_of(tracker, url).kind for url in (URL, f"{URL}?page=2", "http://a.example/old")] == [ARTICLE, ALIAS, ALIAS]


def test_a_listing_stays_due(make):
    """Its record is that of a listing."""
    tracker = make()
    page, its_response = add_page(tracker)
    tracker.check_item(Listing(url=URL, title="News", body="Text"))
    tracker.item_dropped(page, its_response, DropItem("not wanted"))
    assert record_of(tracker).kind == LIST


@pytest.mark.parametrize(
    ("kind", "days_ago", "changed", "due"),
    [
        (ARTICLE, 100, False, False),
        (ARTICLE, 100, True, True),
        (ALIAS, 100, False, False),
        (SOURCE, 0, False, True),
        (LIST, 1, False, True),
        (GONE, 1, False, False),
        (GONE, GONE_S / DAY_S + 1, False, True),
    ],
)
def test_what_is_due(kind: str, days_ago: float, changed: bool, due: bool, make):
    """Listings and sources always, articles with WEBCONTENT_CHANGED, URLs without a page after a week."""
    then = time.time() - days_ago * DAY_S
    assert make(CHANGED=changed).is_due(CrawlRecord(kind, checked=then, changed=then)) is due


def test_a_listing_that_has_not_changed_for_long_is_fresh_for_longer(make):
    """For a tenth of the time since its last change."""
    tracker, now = make(), time.time()
    unchanged_s = 10 * DAY_S
    for age_s, due in ((0.1 * unchanged_s - 600, False), (0.1 * unchanged_s + 600, True)):
        checked = now - age_s
        assert tracker.is_due(CrawlRecord(LIST, checked=checked, changed=checked - unchanged_s)) is due


@pytest.mark.parametrize(
    ("broken_days", "hours_ago", "due"),
    [(0, 5, False), (0, 7, True), (10, 4 * 24, False), (10, 6 * 24, True), (60, 6 * 24, False), (60, 8 * 24, True)],
)
def test_a_page_without_its_content_is_due_after_growing_pauses(broken_days: float, hours_ago: float, due: bool, make):
    """Of 6 hours at first, of half of the time since it first came so, of a week at most."""
    checked = time.time() - hours_ago * 3600
    assert make().is_due(CrawlRecord(BROKEN, checked=checked, changed=checked - broken_days * DAY_S)) is due


@pytest.mark.parametrize(
    ("flags", "days", "kind"),
    [(["paywall"], 12, BROKEN), (["paywall"], 17, ARTICLE), (["paywall", "login"], 17, BROKEN), (["robot-check"], 17, BROKEN)],
)
def test_a_teaser_is_the_item_after_two_weeks(flags: list[str], days: float, kind: str, make):
    """A page behind a paywall is asked for until then, other pages without their content for ever."""
    tracker = make()
    then = time.time() - days * DAY_S
    tracker._records[key_of(URL)] = CrawlRecord(BROKEN, checked=then, changed=then)
    page, its_response = add_page(tracker)
    with pytest.raises(BrokenPage):
        tracker.check_item(Article(url=URL, title="Bridge", body="Teaser", flags=flags), page)
    tracker.item_dropped(page, its_response, BrokenPage("", frozenset(flags)))
    assert record_of(tracker).kind == kind


def test_the_items_of_a_response_are_recorded_together(make):
    """A page is done with the last of them, whatever their classes and addresses are."""
    tracker = make()
    _page, its_response = add_page(tracker)
    run(tracker.add_item({"own": 1}, its_response))
    tracker.item_scraped({"own": 1}, its_response)
    assert record_of(tracker) is None
    tracker.item_scraped({"made of": "the page"}, its_response)
    assert record_of(tracker).kind == ARTICLE


def test_nothing_is_no_item(make):
    """Scrapy takes no notice of None among what a spider yields."""
    tracker, its_response = make(), response()
    middleware = IncrementalMiddleware(tracker.crawler)

    async def outputs() -> Any:
        yield None
        yield Page(url=URL)

    async def passed() -> list[Any]:
        return [output async for output in middleware.process_spider_output(its_response, outputs())]

    nothing, page = run(passed())
    assert nothing is None
    tracker.item_scraped(page, its_response)
    assert record_of(tracker).kind == ARTICLE


def test_a_source_is_requested_with_the_validators_of_the_server(make):
    """An answer of 304 raises PageUnchanged with the record."""
    tracker = make()
    middleware = IncrementalMiddleware(tracker.crawler)
    tracker.record_source(response(ETag='"7"', **{"Last-Modified": "Tue, 05 Mar 2024 06:22:00 GMT"}))
    request = Request(URL)
    run(middleware.process_request(request))
    assert request.headers["If-None-Match"] == b'"7"'
    assert request.headers["If-Modified-Since"] == b"Tue, 05 Mar 2024 06:22:00 GMT"
    with pytest.raises(PageUnchanged) as error:
        run(middleware.process_response(request, Response(URL, status=304)))
    assert error.value.record.kind == SOURCE
    assert tracker.stats.get_value("webcontent/crawl_state/not_modified") == 1


def test_a_url_without_a_page_is_not_requested_where_the_request_says_so(make):
    tracker = make()
    middleware = IncrementalMiddleware(tracker.crawler)
    tracker.record([URL], GONE)
    with pytest.raises(IgnoreRequest):
        run(middleware.process_request(Request(URL, meta={SKIP_IF_GONE: True})))
    assert run(middleware.process_request(Request(URL))) is None


def test_a_spiders_requests_for_known_articles_are_dropped(make):
    """Unless the request has `dont_filter`, or the spider checks the crawl state itself."""
    tracker = make()
    middleware = IncrementalMiddleware(tracker.crawler)
    tracker.record([URL], ARTICLE)

    async def passed(request: Request) -> list[Any]:
        async def output() -> Any:
            yield request

        return [result async for result in middleware.process_spider_output(response(), output())]

    assert run(passed(Request(URL))) == []
    assert tracker.stats.get_value("webcontent/crawl_state/skipped") == 1
    assert len(run(passed(Request(URL, dont_filter=True)))) == 1
    tracker.crawler.spider.checks_crawl_state = True
    assert len(run(passed(Request(URL)))) == 1
