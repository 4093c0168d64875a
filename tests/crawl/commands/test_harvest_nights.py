"""Nights of a site through the command line: rows of the crawl state, the table, the exit code, the alert command, the report, monitors."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import article, listing, scrapy, serve
from webcontent.crawl.incremental.nights import OTHERS, HostNights
from webcontent.crawl.incremental.store import open_store
from webcontent.history.host import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crawl.crawls import Site

FAST = ("--no-render", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "RETRY_ENABLED=False")
STORIES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(4)}
USUAL = {"asked": 45.0, "articles": 40.0, "title": 40.0, "time": 40.0, "body": 40.0, "score": 36.0, "length": 40_000.0}


@pytest.fixture
def news() -> Iterator[Site]:
    pages: dict[str, Any] = {path: article(title) for path, title in STORIES.items()}
    with serve({"/": listing("News", {**STORIES, "/gone.html": "A headline whose page is gone"}), **pages}) as site:
        yield site


def nights_of(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    store = open_store(f"sqlite:///{folder}/items.jsonl.state.db")
    nights = store.nights()
    store.close()
    return nights


@pytest.mark.process
def test_a_site_that_changed_is_named(news: Site, tmp_path: Path):
    """In the table, by the exit code, to the alert command, and in the report. A site without nights before is not."""
    host = host_of(news.url)
    first = scrapy("harvest", news.url, "-o", "items.jsonl", *FAST, cwd=tmp_path)
    assert (first.returncode, "changed" in first.stdout) == (0, False)
    ((night, counts),) = nights_of(tmp_path)[host].items()
    expected = {"asked": 6, "failed": 1, "failed/404": 1, "articles": 4, "new": 5, "title": 4, "body": 4}
    assert {name: counts.get(name) for name in expected} == expected

    store = open_store(f"sqlite:///{tmp_path}/items.jsonl.state.db")
    store.put_nights({host: {f"2020-01-{day:02}": USUAL for day in range(1, 15)}})
    store.close()
    command = f"{sys.executable} -c \"import sys; open('alert.json', 'w').write(sys.stdin.read())\""
    done = scrapy("harvest", news.url, "-o", "items.jsonl", "--alert-command", command, *FAST, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "changed: asked 45 -> 1" in done.stdout
    alert = json.loads((tmp_path / "alert.json").read_text())
    assert {"curve": "articles", "before": 40.0, "now": 0} in alert["sites"][host]
    assert alert["night"] in nights_of(tmp_path)[host]

    report = scrapy("report", "items.jsonl", "--state", "items.jsonl.state.db", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"<h2>{host}</h2>" in page
    assert '<i class="changed" style="height:' in page
    assert night not in page
    missing = scrapy("report", "items.jsonl", "--state", "nowhere.db", cwd=tmp_path)
    assert "There is no file 'nowhere.db'; --state takes the crawl state of a crawl" in missing.stderr

    failed = scrapy("harvest", news.url, "-o", "items.jsonl", "--alert-command", "/no/such/command", *FAST, cwd=tmp_path)
    assert failed.returncode == 1
    assert "The alert command '/no/such/command' failed" in failed.stderr


@pytest.mark.process
def test_spidermon_watches_single_sites(news: Site, tmp_path: Path):
    """The stats of hosts pass the monitors that ship; a dead site and a changed one do not."""
    pytest.importorskip("spidermon")
    from spidermon.runners import TextMonitorRunner

    from webcontent.crawl.monitors import SiteMonitors

    def failures(stats: dict[str, Any]) -> int:
        return len(TextMonitorRunner().run(SiteMonitors(), stats=stats).failures)

    assert failures({"webcontent/host/a.example/asked": 9, "webcontent/host/a.example/failed": 2}) == 0
    assert failures({"webcontent/host/a.example/asked": 2, "webcontent/host/a.example/failed": 2}) == 1
    assert failures({"webcontent/host/a.example/asked": 9, "webcontent/host/a.example/changed": "time 90% -> 5%"}) == 1
    done = scrapy("harvest", news.url, "-O", "items.jsonl", *FAST, "-s", "LOG_LEVEL=INFO", cwd=tmp_path)
    assert f"'webcontent/host/{host_of(news.url)}/articles': 4" in done.stderr


def test_the_number_of_hosts_is_bounded():
    """Hosts beyond the bound are counted together."""
    from scrapy.utils.test import get_crawler

    nights = HostNights.of(get_crawler())
    for number in range(1005):
        nights.count(f"https://www.h{number}.example/", "asked")
    assert len(nights.hosts) == 1001
    assert nights.hosts[OTHERS]["asked"] == 5
    assert nights.stats.get_value("webcontent/host/h3.example/asked") == 1
