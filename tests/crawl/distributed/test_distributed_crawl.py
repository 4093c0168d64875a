"""One crawl by several processes: nothing is lost or delivered twice, whichever of them is killed."""

from __future__ import annotations

import json
import re
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

redis = pytest.importorskip("redis", reason="redis is not installed: pip install 'webcontent[redis]'")
pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed: pip install 'webcontent[redis]'")

from tests.crawl.crawls import Site, article, listing, scrapy, serve, start_scrapy  # noqa: E402
from tests.crawl.servers import free_port, needs_redis, redis_server  # noqa: E402

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [needs_redis, pytest.mark.process]

STORIES = 20
DEADLINE_S = 300
LEASE_S = 2
"""How long the others wait for the pages of a process that was killed."""
SPIDER = """
import scrapy
from scrapy_redis.spiders import RedisSpider

class FrontSpider(scrapy.Spider):
    name = "front"
    custom_settings = {"WEBCONTENT_AUTO": True}

    async def start(self):
        yield scrapy.Request(self.site + "/")

    def parse(self, response):
        for link in response.css("a"):
            yield response.follow(link, meta={"copied": response.meta.get("webcontent_lease")})
"""
FED = (
    SPIDER.replace("class FrontSpider(scrapy.Spider)", "class FrontSpider(RedisSpider)")
    .replace("    async def start(self):\n", "")
    .replace('        yield scrapy.Request(self.site + "/")\n', "")
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis")) as address:
        yield address


@pytest.fixture
def server(address: str) -> str:
    """An empty Redis."""
    with redis.Redis.from_url(address) as client:
        client.flushall()
    return address


@pytest.fixture
def site() -> Iterator[Site]:
    """A front page, four lists that link to all stories and to each other, and one story that moves."""
    lists = {f"/list{n}.html": f"More news of the day, part {n}" for n in range(4)}
    links = {f"/{n}.html": f"Story number {n} about something that happened" for n in range(STORIES)}
    pages: dict[str, Any] = {"/": listing("Front", lists)}
    for place, path in enumerate(lists):
        part = {path: text for number, (path, text) in enumerate(links.items()) if number % 4 == place}
        pages[path] = listing(f"List {place}", {**part, **lists, "/moved.html": "A story that has moved to another place"})
    pages |= {f"/{n}.html": article(f"Story {n}") for n in range(STORIES)}
    pages["/moved.html"] = (302, {"Location": "/goal.html"}, b"")
    pages["/goal.html"] = article("A story that has moved")
    with serve(pages) as site:
        yield site


@pytest.fixture
def spider(tmp_path: Path) -> Path:
    file = tmp_path / "front.py"
    file.write_text(SPIDER)
    return file


@pytest.fixture
def start(spider: Path, server: str, site: Site, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a process of the crawl; processes that still run at the end are killed."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        settings = {
            "ADDONS": '{"webcontent.Addon": 300}',
            "WEBCONTENT_REDIS": server,
            "WEBCONTENT_REDIS_ITEMS": True,
            "WEBCONTENT_RENDER": False,
            "WEBCONTENT_LEASE": LEASE_S,
            "WEBCONTENT_THREADS": 1,
            "SCHEDULER_PERSIST": True,  # a process that starts after the others have finished finds the queue empty, not deleted
            "CONCURRENT_REQUESTS": 8,
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "LOG_LEVEL": "INFO",
        }
        options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        process = start_scrapy("runspider", str(spider), "-a", f"site={site.url}", *options, *arguments, cwd=tmp_path)
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def paths_of_items(server: str) -> list[str]:
    with redis.Redis.from_url(server) as client:
        return sorted(json.loads(line)["url"].rpartition("/")[2] for line in client.lrange("front:items", 0, -1))


def wait_for_items(server: str, count: int) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while len(paths_of_items(server)) < count:
        assert time.monotonic() < deadline, "the crawl makes no progress"
        time.sleep(0.02)


def ended(process: subprocess.Popen[str]) -> str:
    """The log of a process that has finished without errors."""
    log = process.communicate(timeout=DEADLINE_S)[1]
    assert process.returncode == 0, log[-3000:]
    assert "Traceback" not in log, log[-3000:]
    assert "finish_reason': 'finished'" in log, log[-3000:]
    return log


def stat(log: str, name: str) -> int:
    """A stat of the crawl, from its last lines."""
    found = re.search(rf"'webcontent/{name}': (\d+)", log)
    return int(found[1]) if found else 0


ALL = sorted(["", "goal.html", *(f"list{n}.html" for n in range(4)), *(f"{n}.html" for n in range(STORIES))])


def test_one_of_several_processes_is_killed(start, server: str):
    """kill -9 half way: every page, also the target of a redirect, is exactly one item; the other processes finish."""
    killed, *others = (start() for _ in range(3))
    wait_for_items(server, STORIES // 4)
    killed.send_signal(signal.SIGKILL)
    for process in others:
        ended(process)
    assert paths_of_items(server) == ALL


def test_a_killed_crawl_continues(start, server: str):
    """All processes are killed: one that starts later reads the remaining pages, and no page twice."""
    first = start()
    wait_for_items(server, STORIES // 4)
    first.send_signal(signal.SIGKILL)
    first.wait()
    log = ended(start())
    assert "Going on with" in log
    assert paths_of_items(server) == ALL


def test_a_stopped_crawl_returns_its_requests(start, server: str):
    """Ctrl-C: pages in progress are finished, waiting requests return to the queue at once, however long their leases."""
    first = start("-s", "WEBCONTENT_LEASE=3600")
    wait_for_items(server, STORIES // 4)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=DEADLINE_S)
    ended(start("-s", "WEBCONTENT_LEASE=3600"))
    assert paths_of_items(server) == ALL


@pytest.mark.browser
def test_with_rendering(start, server: str, site: Site):
    """Rendered pages are on lease like all others."""
    site.pages["/"] = listing("Front", {f"/{n}.html": f"Story number {n} about something that happened" for n in range(10)})
    browser = ("-s", "WEBCONTENT_RENDER=True", "-s", "WEBCONTENT_LEASE=5", "-s", "CONCURRENT_REQUESTS=4")
    killed, other = start(*browser), start(*browser)
    wait_for_items(server, 3)
    killed.send_signal(signal.SIGKILL)
    ended(other)
    assert paths_of_items(server) == sorted(["", *(f"{n}.html" for n in range(10))])


def test_a_server_that_is_away_for_a_while(start, tmp_path: Path, server: str):
    """The crawl waits for it, logs it once, and loses nothing."""
    process = start("-s", "WEBCONTENT_LEASE=600")
    wait_for_items(server, STORIES // 4)
    with redis.Redis.from_url(server) as client:
        client.execute_command("CLIENT", "PAUSE", "1000")
        client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    log = ended(process)
    assert log.count("does not answer") <= 2, log
    assert paths_of_items(server) == ALL


def test_a_spider_whose_seeds_others_add(start, spider: Path, server: str, site: Site):
    """scrapy-redis's spider on our queue ends when no more are added."""
    spider.write_text(FED)
    with redis.Redis.from_url(server) as client:
        client.rpush("front:start_urls", json.dumps({"url": f"{site.url}/list1.html"}))
    ended(start("-s", "MAX_IDLE_TIME_BEFORE_CLOSE=2", "-s", f"REDIS_URL={server}"))
    assert sorted(set(paths_of_items(server))) == ALL[1:]  # all but the front page, which no list links to


def test_a_finished_crawl_leaves_only_its_items(start, server: str):
    """Queue and duplicates filter are deleted."""
    ended(start("-s", "SCHEDULER_PERSIST=False"))
    with redis.Redis.from_url(server) as client:
        assert client.keys() == [b"front:items"]


def test_without_redis_the_crawl_ends_with_a_sentence(spider: Path, tmp_path: Path):
    """The sentence names the URL without its password."""
    address = f"redis://user:secret@127.0.0.1:{free_port()}/0"
    done = scrapy("runspider", str(spider), "-s", 'ADDONS={"webcontent.Addon": 300}', "-s", f"WEBCONTENT_REDIS={address}", cwd=tmp_path)
    assert f"No Redis server answers at {address.replace('user:secret@', '')}: " in done.stderr
    assert "secret" not in done.stderr.replace("'WEBCONTENT_REDIS': ", "")
