"""Folders that can't be written and disks that are full, as an operator's machine has them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import CHECKOUT, OUR_PROJECT, SCRAPY, article, listing, scrapy, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crawl.crawls import Site

STORIES = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(8)}
OPTIONS = ("-a", "sources=0", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False", "-s", "CONCURRENT_REQUESTS=1")
WITHOUT_ROOTS_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
"""Root may write to any folder; without these two rights it is a user like others, who owns this checkout."""

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def news() -> Iterator[Site]:
    with serve({"/": listing("News", STORIES), **{path: article(title) for path, title in STORIES.items()}}) as site:
        yield site


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder that the crawl may read; skips where a crawl can't be kept from writing to it."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    try:
        if subprocess.run([*WITHOUT_ROOTS_RIGHTS, "test", "!", "-w", str(folder)], check=False).returncode:
            pytest.skip("the rights of root can't be given up here")
    except FileNotFoundError:
        pytest.skip("there is no setpriv here")
    yield folder
    folder.chmod(0o755)


def test_a_read_only_folder_ends_the_crawl_before_its_first_page(news: Site, read_only: Path):
    """The last line of the log is the reason."""
    news.asked.clear()
    given = ("-o", f"{read_only}/items.jsonl")
    done = subprocess.run(
        [*WITHOUT_ROOTS_RIGHTS, sys.executable, "-c", SCRAPY, "crawl", "seeds", "-a", f"urls={news.url}/", *OPTIONS, *given],
        cwd=read_only.parent,
        env={**os.environ, **OUR_PROJECT, "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1, done.stderr[-2000:]
    assert done.stderr.strip().splitlines()[-1].endswith(f"The feed {read_only}/items.jsonl can't be written: Permission denied.")
    assert "Traceback" not in done.stderr
    assert news.asked == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB; skips where nothing can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False).returncode
    ):
        pytest.skip("a disk can't be mounted here: it needs root and the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_disk_that_fills_up_ends_the_crawl_and_loses_nothing(news: Site, small_disk: Path, tmp_path: Path):
    """One sentence. With free space the next run delivers what is missing, and nothing twice."""
    command = ("crawl", "seeds", "-a", f"urls={news.url}/", "-o", str(small_disk / "items.jsonl"), *OPTIONS)
    command += ("-s", f"WEBCONTENT_CRAWL_STATE=sqlite:///{small_disk}/state.db")
    scrapy(*command, "-s", "CLOSESPIDER_PAGECOUNT=2", cwd=tmp_path, env=OUR_PROJECT)
    free = os.statvfs(small_disk)
    (small_disk / "ballast").write_bytes(b"x" * (free.f_bavail * free.f_bsize - 4_096))
    full = scrapy(*command, cwd=tmp_path, env=OUR_PROJECT)
    assert "Traceback" not in full.stderr, full.stderr[-3000:]
    assert full.stderr.count("] CRITICAL: ") == 1, full.stderr[-3000:]
    (small_disk / "ballast").unlink()
    after = scrapy(*command, cwd=tmp_path, env=OUR_PROJECT)
    assert after.returncode == 0, after.stderr[-3000:]
    items = [json.loads(line) for line in (small_disk / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(item["url"] for item in items if item["type"] == "article") == sorted(news.url + path for path in STORIES)


@pytest.mark.parametrize("output", ["a.jsonl", "a.rss", "a.html", "notes/"])
def test_an_item_that_a_full_disk_does_not_take_is_a_sentence_and_an_exit_code(output: str, small_disk: Path, tmp_path: Path):
    """By line, whole, an inspection, or a file for each item; no half of a file stays."""
    free = os.statvfs(small_disk)
    (small_disk / "ballast").write_bytes(b"x" * (free.f_bavail * free.f_bsize - 24_576))
    long = article("A bridge", links="".join(f"<p>The council met again on day {day} to talk about the bridge.</p>" for day in range(500)))
    command = {"notes/": ("extract", "--format", "md", "-o"), "a.html": ("inspect", "-o")}.get(output, ("extract", "-O"))
    with serve({"/": long}) as site:
        done = scrapy(*command, f"{small_disk}/{output}", site.url + "/", "-s", "WEBCONTENT_RENDER=False", cwd=tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr
    assert [path.name for path in small_disk.rglob("*.*") if path.suffix != ".jsonl"] == []
