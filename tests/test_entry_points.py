"""All entry points give the same item for a page, because they use the same pipeline."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

import webcontent
from tests.batch.warc_records import compressed, record
from tests.golden.pages import expected, folders, known_faults
from webcontent.crawl.pipelines import ExtractionPipeline, PageTypePipeline
from webcontent.crawl.rendering.job import RenderedResponse
from webcontent.crawl.workers import WorkerPool
from webcontent.demo.site import build_site
from webcontent.inspect.inspection import inspect_page
from webcontent.items import Article, Listing, Page, PageType
from webcontent.pipeline import Options, page_item
from webcontent.saved_pages.archive import PageArchive, as_json
from webcontent.saved_pages.check import check_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 5_000
"""The limit of every entry point here, so that some pages are cut."""
FETCHED_AT = "2026-01-02T03:04:05Z"
HOME = "http://demo.example"
OPTIONS = Options(max_bytes=MAX_BYTES, evidence=True)


def stored_pages() -> Iterator[Page]:
    for folder in (*folders(), *known_faults()):
        yield Page(url=expected(folder)["url"], html=(folder / "page.html").read_bytes(), fetched_at=FETCHED_AT)
    for path, resource in build_site(HOME).items():
        if resource.content_type.startswith("text/html"):
            yield Page(url=HOME + path, html=resource.body, fetched_at=FETCHED_AT)


PAGES = list(stored_pages())[:40]
ROUTED = [replace(page, meta={"extractor": name}) for page, name in zip(PAGES, ("awce", "bpnn", "nemtf", "web2text"), strict=False)]
"""Pages with a route of their own that names an extractor."""


@pytest.fixture(scope="module")
def items() -> list[dict[str, Any]]:
    return [asdict(page_item(page, OPTIONS)) for page in PAGES]


def in_a_crawl(pages: list[Page]) -> list[dict[str, Any]]:
    """The items that leave the two pipelines."""
    settings = {"WEBCONTENT_MAX_BYTES": MAX_BYTES, "WEBCONTENT_EVIDENCE": True, "WEBCONTENT_SITE_HISTORY": False}
    crawler = get_crawler(settings_dict=settings)
    crawler.spider = crawler._create_spider("test")
    pipelines = [kind.from_crawler(crawler) for kind in (PageTypePipeline, ExtractionPipeline)]

    async def through(item: Any) -> Any:
        for pipeline in pipelines:
            item = await pipeline.process_item(item)
        return item

    async def all_items() -> list[Any]:
        return [asdict(await through(replace(page, meta=dict(page.meta)))) for page in pages]

    try:
        return asyncio.run(all_items())
    finally:
        WorkerPool.of(crawler).close()


def test_the_pages_differ(items: list[dict[str, Any]]) -> None:
    """There are forty pages of both types, and some of them are cut at the limit."""
    assert len(items) == len(PAGES) == 40
    assert {item["type"] for item in items} == {"article", "list"}
    assert 0 < sum("truncated" in item["flags"] for item in items) < len(items)


def test_extract_gives_the_same_items(items: list[dict[str, Any]]) -> None:
    """`webcontent.extract` has no limit. It gets the first bytes of the page, so that only the flag `truncated` is missing."""
    for page, item in zip(PAGES, items, strict=True):
        extracted = asdict(webcontent.extract(page.html[:MAX_BYTES], url=page.url, fetched_at=page.fetched_at))
        assert extracted | {"flags": sorted({*extracted["flags"], *({"truncated"} & set(item["flags"]))})} == item


def test_a_crawl_gives_the_same_items(items: list[dict[str, Any]]) -> None:
    assert in_a_crawl(PAGES) == items


def test_inspect_gives_the_same_items(items: list[dict[str, Any]]) -> None:
    assert [asdict(inspect_page(page, OPTIONS).result.item) for page in PAGES] == items


def test_tables_give_the_same_items(items: list[dict[str, Any]]) -> None:
    """Arrow rows have all fields except the evidence. The limit of tables is the default, so that pages that are cut are left out."""
    pa = pytest.importorskip("pyarrow")
    from webcontent.batch import extract_table

    whole = [(page, item) for page, item in zip(PAGES, items, strict=True) if "truncated" not in item["flags"]]
    columns = {name: [getattr(page, name) for page, _ in whole] for name in ("url", "html", "fetched_at")}
    rows = extract_table(pa.table(columns)).to_pylist()
    for row, (_, item) in zip(rows, whole, strict=True):
        assert {name: row[name] for name in item if name != "evidence"} == {name: item[name] for name in item if name != "evidence"}


def test_archives_give_the_same_items(items: list[dict[str, Any]], tmp_path: Path) -> None:
    """The pages are in a WARC file, with their time of fetching in its records."""
    pytest.importorskip("fastwarc")
    from webcontent.batch import extract_archives

    archive = tmp_path / "pages.warc.gz"
    archive.write_bytes(compressed(*(record(str(page.url), page.html, headers="Content-Type: text/html\r\n") for page in PAGES)))
    extract_archives([archive], tmp_path / "items.jsonl", options=OPTIONS, processes=1)
    assert [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()] == items


def test_a_check_of_saved_pages_finds_no_difference(tmp_path: Path) -> None:
    """This holds for pages with routes of their own, too, which are saved with the page."""
    archive = PageArchive(tmp_path / "saved")
    for page in (*PAGES[4:], *ROUTED):
        archive.save(page, as_json(page_item(page, OPTIONS)))
    checks = list(check_folder(tmp_path / "saved", OPTIONS))
    assert len(checks) == len({page.url for page in PAGES})
    assert [check.name for check in checks if not check.has_passed] == []


def test_scrapy_poet_gives_the_same_items(items: list[dict[str, Any]]) -> None:
    pytest.importorskip("scrapy_poet")
    from webcontent.crawl.poet import ItemProvider

    settings = {"WEBCONTENT_MAX_BYTES": MAX_BYTES, "WEBCONTENT_EVIDENCE": True, "WEBCONTENT_SITE_HISTORY": False}
    crawler = get_crawler(settings_dict=settings)
    crawler.spider = crawler._create_spider("test")
    provider = ItemProvider(injector=None)

    async def provided(page: Page, kind: type) -> Any:
        response = RenderedResponse(str(page.url), body=page.html, request=Request(str(page.url)), fetched_at=page.fetched_at)
        (value,) = await provider({kind}, response, crawler)
        return value

    async def all_items() -> list[Any]:
        provided_items = []
        for page in PAGES:
            page_type = await provided(page, PageType)
            provided_items.append(asdict(await provided(page, Article if page_type.type == "article" else Listing)))
        return provided_items

    try:
        assert asyncio.run(all_items()) == items
    finally:
        WorkerPool.of(crawler).close()


def test_the_route_of_a_page_is_used_everywhere() -> None:
    """A crawl and an inspection use the extractor that the page names."""
    expected_items = [asdict(page_item(page, OPTIONS)) for page in ROUTED]
    assert [item["extractor"] for item in expected_items] == [page.meta["extractor"] for page in ROUTED]
    assert in_a_crawl(ROUTED) == expected_items
    assert [asdict(inspect_page(page, OPTIONS).result.item) for page in ROUTED] == expected_items


def test_a_page_that_fails_gives_the_same_item_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The item has the URL and the flags of the page, and the flag `empty`."""

    def failing(*arguments: object, **options: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("webcontent.pipeline.assemble", failing)
    monkeypatch.setattr("webcontent.crawl.pipelines.extract.check_options", lambda options: None)
    item = asdict(page_item(PAGES[0], OPTIONS))
    assert (item["url"], item["body"], item["score"], item["flags"]) == (PAGES[0].url, "", 0.0, ["empty"])
    assert in_a_crawl(PAGES[:1]) == [item]
