"""Pages that a crawl, or `scrapy inspect --save`, saves, and the commands that read them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import article, crawl_seeds, listing, scrapy, serve
from tests.saved_pages.pages import BOXES, URL, edit, make_item, make_page
from webcontent.crawl.pipelines import ExtractionPipeline
from webcontent.crawl.workers import WorkerPool
from webcontent.evaluation.corpora import load_corpus
from webcontent.saved_pages.archive import folder_name, load_item, load_page, saved_pages

if TYPE_CHECKING:
    from pathlib import Path

    from webcontent.items import Page


# The pipeline


def run_pipeline(pages: list[Page], **settings: Any) -> tuple[list[Any], Any]:
    """The items of ExtractionPipeline, or the exceptions that drop them, and the stats."""
    crawler = get_crawler(
        settings_dict={"WEBCONTENT_SITE_HISTORY": False, **{f"WEBCONTENT_{name}": value for name, value in settings.items()}}
    )
    crawler.spider = crawler._create_spider("test")
    pipeline = ExtractionPipeline.from_crawler(crawler)

    async def through() -> list[Any]:
        results: list[Any] = []
        for page in pages:
            try:
                results.append(await pipeline.process_item(page))
            except DropItem as dropped:
                results.append(dropped)
        return results

    try:
        return asyncio.run(through()), crawler.stats
    finally:
        WorkerPool.of(crawler).close()


def test_items_of_the_pipeline_are_saved(tmp_path: Path):
    """It is saved with its page, and counted."""
    (item,), stats = run_pipeline([make_page(boxes=BOXES)], SAVE=str(tmp_path / "saved"))
    (place,) = saved_pages(tmp_path / "saved")
    assert load_item(place)["title"] == item.title
    assert load_page(place).boxes == BOXES
    assert stats.get_value("webcontent/saved") == 1
    assert stats.get_value("webcontent/ms/save") is not None


def test_dropped_items_are_not_saved(tmp_path: Path):
    """An item of another type than WEBCONTENT_EMIT is no test case."""
    (dropped,), stats = run_pipeline([make_page()], SAVE=str(tmp_path / "saved"), EMIT="list")
    assert isinstance(dropped, DropItem)
    assert list(saved_pages(tmp_path / "saved")) == []
    assert stats.get_value("webcontent/saved") is None


def test_flags_of_the_crawl_are_not_saved(tmp_path: Path):
    """A page is a duplicate of another one. The check reads it alone, so that the flag would differ."""
    pages = [make_page(), make_page(url="https://news.example.org/copy.html")]
    items, _ = run_pipeline(pages, SAVE=str(tmp_path / "saved"), DUPLICATES="flag")
    assert "duplicate" in items[1].flags
    assert [load_item(place)["flags"] for place in saved_pages(tmp_path / "saved")] == [[], []]


def test_a_crawl_saves_no_more_pages_than_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A page that is saved already does not count."""
    monkeypatch.setattr("webcontent.crawl.pipelines.extract.MAX_SAVED", 1)
    pages = [make_page(url=f"https://news.example.org/{number}") for number in (0, 0, 1, 2)]
    run_pipeline(pages[:1], SAVE=str(tmp_path / "saved"))
    _, stats = run_pipeline(pages, SAVE=str(tmp_path / "saved"))
    assert stats.get_value("webcontent/saved") == 1
    assert len(list(saved_pages(tmp_path / "saved"))) == 2


def test_a_full_disk_does_not_cost_the_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The item is delivered, and the error is counted."""

    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webcontent.saved_pages.archive._write", fail)
    (item,), stats = run_pipeline([make_page()], SAVE=str(tmp_path / "saved"))
    assert item.title == "大桥开工"
    assert stats.get_value("webcontent/errors/save") == 1
    assert list((tmp_path / "saved").iterdir()) == []


# Crawls and commands


@pytest.mark.process
def test_a_crawl_saves_its_pages(tmp_path: Path):
    """It saves articles and lists. They are checked offline, and are a corpus once they are corrected."""
    saved = tmp_path / "saved"
    links = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(6)}
    with serve({"/": listing("News", links), **{url: article(text) for url, text in links.items()}}) as site:
        items = crawl_seeds(f"{site.url}/", tmp_path, "-s", f"WEBCONTENT_SAVE={saved}")
    assert len(items) == 7
    places = list(saved_pages(saved))
    assert len(places) == 7
    by_url = {item["url"]: item for item in items}
    for place in places:
        item = load_item(place)
        assert "\n".join(item["body"]) == by_url[item["url"]]["body"]
    done = scrapy("extract", "--check", str(saved), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "pages: 7; checked or corrected by hand: 0; differing: 0"
    edit(places[0], title="Corrected by hand")
    done = scrapy("extract", "--check", str(saved), cwd=tmp_path)
    assert done.returncode == 1
    assert "    - Corrected by hand" in done.stdout
    assert [record["gold"]["title"] for record in load_corpus(str(saved))] == ["Corrected by hand"]


@pytest.mark.process
def test_inspect_saves_and_shows_what_was_saved(tmp_path: Path):
    """The folder of a saved page can be inspected. A page is not saved twice."""
    file, saved = tmp_path / "page.html", tmp_path / "saved"
    file.write_text(article("大桥开工"), encoding="utf-8")
    options = ("--url", URL, "--save", str(saved), "-s", "WEBCONTENT_RENDER=False")
    done = scrapy("inspect", str(file), *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    place = saved / folder_name(make_page())
    assert done.stdout.strip() == str(place)
    assert make_item(make_page())["body"] == load_item(place)["body"]
    done = scrapy("inspect", str(place), "--compare", "awce", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "大桥开工" in done.stdout.splitlines()[1]
    done = scrapy("inspect", str(file), *options, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{URL} is already saved in {saved}" in done.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--check", "nowhere"), 2, "There is no folder 'nowhere'; --check takes a folder of saved pages."),
        (
            ("--check", ".", "http://127.0.0.1:9/"),
            2,
            "--check takes one folder of saved pages and no other page; remove 'http://127.0.0.1:9/'.",
        ),
        (("--check", "."), 1, ". has no saved pages"),
    ],
)
def test_wrong_arguments_of_check_are_named(tmp_path: Path, arguments: tuple[str, ...], code: int, message: str):
    """The message is one sentence without a traceback."""
    done = scrapy("extract", *arguments, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert message in done.stderr
