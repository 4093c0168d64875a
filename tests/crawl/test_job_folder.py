"""A JOBDIR that is old, damaged or of a killed crawl: one sentence says so."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Request, Spider
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import OUR_PROJECT, article, crawl_seeds, listing, scrapy, serve
from webcontent.crawl import job_folder as module
from webcontent.crawl.job_folder import JobScheduler, use_job_folder
from webcontent.crawl.setup_errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUEUE = "requests.queue"
SITE = "example.org"
STORIES = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(4)}
PAGES = {"/": listing("News", STORIES), **{path: article(title) for path, title in STORIES.items()}}


class Engine:
    """The parts of an engine that the priority queue of a scheduler and `stop_crawl` need."""

    spider = None

    class downloader:  # noqa: N801  # as Scrapy's engine calls it
        slots: ClassVar[dict[str, Any]] = {}

        @staticmethod
        def get_slot_key(request: Request) -> str:
            return SITE


@contextmanager
def scheduler(folder: Path) -> Iterator[JobScheduler]:
    """A scheduler in the folder `job`, open. It is closed as at the end of a crawl."""
    disk = {"SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue", "SCHEDULER_START_DISK_QUEUE": None}
    crawler = get_crawler(Spider, {"JOBDIR": str(folder / "job"), **disk})
    crawler.spider = crawler._create_spider("any")
    crawler.engine = Engine()  # type: ignore[assignment]
    made = JobScheduler.from_crawler(crawler)
    made.open(crawler.spider)
    yield made
    made.close("shutdown")


def job_with(folder: Path) -> Path:
    """The folder of a crawl that stopped with eight waiting requests."""
    with scheduler(folder) as waiting:
        for number in range(8):
            waiting.enqueue_request(Request(f"https://{SITE}/{number}"))
    return folder / "job"


def cut(path: Path, size: int) -> None:
    os.truncate(path, path.stat().st_size - size)


def one(job: Path, name: str) -> Path:
    (path,) = job.rglob(name)
    return path


DAMAGES: dict[str, Callable[[Path], object]] = {
    "no JSON": lambda job: (job / QUEUE / "active.json").write_bytes(b"\xff\x00{"),
    "empty": lambda job: (job / QUEUE / "active.json").write_bytes(b""),
    "another queue": lambda job: (job / QUEUE / "active.json").write_text("[0, -10]"),
    "cut info": lambda job: cut(one(job, "info.json"), 3),
    "cut chunk": lambda job: cut(one(job, "q00000"), 5),
    "empty chunk": lambda job: one(job, "q00000").write_bytes(b""),
    "noise": lambda job: one(job, "q00000").write_bytes(b"\xf3" * 500),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_waiting_requests_that_cannot_be_read_end_the_crawl(
    damage: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Scrapy would fail with a traceback, or wait for ever. Requests before the damage are requested, and further ones are of no use."""
    stopped: list[str] = []
    monkeypatch.setattr(module, "stop_crawl", lambda crawler, reason, message: stopped.append(f"{reason}: {message}"))
    damage(job_with(tmp_path))
    with scheduler(tmp_path) as going_on:
        read = sum(1 for _ in iter(going_on.next_request, None))
    assert read < 8
    assert len(stopped) == 1
    assert re.match(r"job_folder_failed: The waiting requests in the JOBDIR .+ can't be read \(.+\); delete it to begin anew", stopped[0])


def test_a_whole_folder_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """So are one that does not exist yet and one whose crawl has ended."""
    job_with(tmp_path)
    with scheduler(tmp_path) as going_on:
        assert [request.url[-1] for request in iter(going_on.next_request, None)] == list("01234567")
    with scheduler(tmp_path) as ended:
        assert ended.next_request() is None
    assert "lost" not in caplog.text


def test_a_folder_of_a_killed_crawl_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """Scrapy notes only at the end which queues there are."""
    (job_with(tmp_path) / QUEUE / "active.json").unlink()
    with scheduler(tmp_path):
        assert "is of a crawl that was killed: requests that waited then are lost" in caplog.text


def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path):
    job = tmp_path / "job\x1b[2J"
    job.write_text("")
    with pytest.raises(SetupError, match=r"^The JOBDIR .+\\x1b\[2J can't be written: "):
        use_job_folder(Settings({"JOBDIR": str(job)}))


def test_a_project_keeps_its_own_scheduler(tmp_path: Path):
    settings = Settings({"JOBDIR": str(tmp_path / "job"), "SCHEDULER": "project.Scheduler"})
    use_job_folder(settings)
    assert settings["SCHEDULER"] == "project.Scheduler"


@pytest.mark.process
def test_a_damaged_folder_ends_a_crawl(tmp_path: Path):
    """A crawl that stopped leaves a folder that is accepted; the same folder without its table of queues is not."""
    options = ("-s", f"JOBDIR={tmp_path / 'job'}", "-s", "CONCURRENT_REQUESTS=1", "-a", "sources=0")
    more = ("-s", "WEBCONTENT_RENDER=False", "-s", "WEBCONTENT_CRAWL_STATE=")
    with serve(PAGES) as site:
        crawl_seeds(site.url, tmp_path, *options, "-s", "CLOSESPIDER_PAGECOUNT=2")
        (tmp_path / "job" / QUEUE / "active.json").write_text("")
        site.asked.clear()
        done = scrapy("crawl", "seeds", "-a", f"urls={site.url}", *more, *options, cwd=tmp_path, env=OUR_PROJECT)
    assert "CRITICAL: The waiting requests in the JOBDIR" in done.stderr
    assert "Spider closed (job_folder_failed)" in done.stderr
    assert "Traceback" not in done.stderr
    assert site.asked == []
