"""A JOBDIR that is old, damaged or of a killed crawl: one sentence, and nothing in it is changed."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from queuelib import FifoDiskQueue, LifoDiskQueue
from scrapy.settings import Settings

from tests.crawl.crawls import OUR_PROJECT, article, crawl_seeds, listing, scrapy, serve
from webcontent.crawl.incremental.job_folder import JobFolderError, check_job_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUEUE = "requests.queue"
STORIES = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(4)}
PAGES = {"/": listing("News", STORIES), **{path: article(title) for path, title in STORIES.items()}}


def job_with(folder: Path) -> Path:
    """As Scrapy leaves it: one site, start requests in chunks, further requests in a file that grows at its end."""
    queue = folder / "job" / QUEUE / "site"
    queue.mkdir(parents=True)
    for requests in (FifoDiskQueue(queue / "0s", chunksize=3), LifoDiskQueue(queue / "-10")):
        for number in range(8):
            requests.push(b"request %d" % number * 20)
        if isinstance(requests, FifoDiskQueue):
            requests.pop()
        requests.close()
    (folder / "job" / QUEUE / "active.json").write_text(json.dumps({"site": [0, -10]}))
    (folder / "job" / "requests.seen").write_bytes(b"\x00\x02ab" * 8)
    return folder / "job"


def check(job: Path) -> None:
    check_job_folder(Settings({"JOBDIR": str(job)}))


def cut(path: Path, size: int) -> None:
    os.truncate(path, path.stat().st_size - size)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "no JSON": lambda job: (job / QUEUE / "active.json").write_bytes(b"\xff\x00{"),
    "empty": lambda job: (job / QUEUE / "active.json").write_bytes(b""),
    "another queue": lambda job: (job / QUEUE / "active.json").write_text("[0, -10]"),
    "cut chunk": lambda job: cut(job / QUEUE / "site/0s/q00002", 5),
    "empty chunk": lambda job: (job / QUEUE / "site/0s/q00000").write_bytes(b""),
    "lost chunk": lambda job: (job / QUEUE / "site/0s/q00001").unlink(),
    "noise in a chunk": lambda job: (job / QUEUE / "site/0s/q00001").write_bytes(b"\xf3" * 500),
    "lost info": lambda job: (job / QUEUE / "site/0s/info.json").unlink(),
    "cut info": lambda job: cut(job / QUEUE / "site/0s/info.json", 3),
    "cut file": lambda job: cut(job / QUEUE / "site/-10", 5),
    "empty file": lambda job: (job / QUEUE / "site/-10").write_bytes(b""),
    "noise in a file": lambda job: (job / QUEUE / "site/-10").write_bytes(b"\x00\x00\x00\x08" + b"\xf3" * 500),
    "lost queues": lambda job: shutil.rmtree(job / QUEUE / "site"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_waiting_requests_that_cannot_be_read_are_named(damage: Callable[[Path], object], tmp_path: Path):
    """Scrapy would fail with a traceback, wait for ever, or leave requests out."""
    job = job_with(tmp_path)
    damage(job)
    before = {path: path.read_bytes() for path in job.rglob("*") if path.is_file()}
    with pytest.raises(JobFolderError, match=r"^The waiting requests in the JOBDIR .+ can't be read \(.+\); delete it to begin anew"):
        check(job)
    assert {path: path.read_bytes() for path in job.rglob("*") if path.is_file()} == before


def test_a_whole_folder_is_accepted(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """So are one that does not exist yet and one whose crawl has ended."""
    check(job_with(tmp_path))
    check(tmp_path / "new")
    shutil.rmtree(tmp_path / "job" / QUEUE / "site")
    (tmp_path / "job" / QUEUE / "active.json").write_text("{}")
    check(tmp_path / "job")
    assert caplog.text == ""


def test_a_folder_of_a_killed_crawl_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """Scrapy notes only at the end which queues there are."""
    job = job_with(tmp_path)
    (job / QUEUE / "active.json").unlink()
    check(job)
    assert "is of a crawl that was killed: requests that waited then are lost" in caplog.text


@pytest.mark.parametrize("name", ["", "requests.seen"])
def test_what_cannot_be_written_is_named(name: str, tmp_path: Path):
    """A file where the folder should be, a folder where a file should be."""
    job = tmp_path / "job\x1b[2J"
    if name:
        (job / name).mkdir(parents=True)
    else:
        job.write_text("")
    with pytest.raises(JobFolderError, match=r"^The JOBDIR .+\\x1b\[2J can't be written: "):
        check(job)


@pytest.mark.process
def test_a_damaged_folder_ends_a_crawl_before_its_first_page(tmp_path: Path):
    """A crawl that stopped leaves a folder that is accepted; the same folder with a byte less is not."""
    options = ("-s", f"JOBDIR={tmp_path / 'job'}", "-s", "CONCURRENT_REQUESTS=1", "-a", "sources=0")
    with serve(PAGES) as site:
        crawl_seeds(site.url, tmp_path, *options, "-s", "CLOSESPIDER_PAGECOUNT=2")
        check(tmp_path / "job")
        site.asked.clear()
        (chunk,) = (tmp_path / "job").rglob("q00000")
        cut(chunk, 1)
        more = ("-s", "WEBCONTENT_RENDER=False", "-s", "WEBCONTENT_CRAWL_STATE=")
        done = scrapy("crawl", "seeds", "-a", f"urls={site.url}", *more, *options, cwd=tmp_path, env=OUR_PROJECT)
    assert done.returncode == 1
    assert "The waiting requests in the JOBDIR" in done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert site.asked == []
