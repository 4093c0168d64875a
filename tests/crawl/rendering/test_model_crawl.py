"""A crawl of mixed model pages whose browser is killed twice: nothing is lost, no page stays open, memory is flat.

WEBCONTENT_TEST_PAGES sets the number of pages.
"""

from __future__ import annotations

import os
from typing import Any

import psutil
import pytest

from tests.crawl import server as served
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl, processes
from tests.crawl.rendering.model_pages import MODELS, OTHERS, PAGES
from tests.crawl.rendering.test_traps_crawls import wait_for
from tests.crawl.server import hostile_server

pytestmark = pytest.mark.browser

COUNT = int(os.environ.get("WEBCONTENT_TEST_PAGES", "45"))
SETTINGS = {
    "ITEM_PIPELINES": WITHOUT_PIPELINES,
    "WEBCONTENT_RENDER": True,
    "WEBCONTENT_PRIVATE_HOSTS": ["localhost", "127.0.0.1"],
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
}
MAX_GROWTH = 1.5
"""Of Python's memory, from a quarter of the pages to the last kill."""


def test_a_browser_that_is_killed_twice_costs_no_page(monkeypatch, record_property):
    monkeypatch.setattr(served, "PAGES", served.PAGES | PAGES)
    monkeypatch.setattr(served, "OTHERS", served.OTHERS | OTHERS)
    paths, models = list(PAGES), list(MODELS.values())
    memory_mb: list[float] = []
    with hostile_server() as server:
        requests = [{"url": f"{server.url}{paths[n % len(paths)]}?{n}", "meta": dict(models[n % len(paths)].meta)} for n in range(COUNT)]

        def kill(process: Any, run: str) -> None:
            for share in (0.25, 0.5, 0.75):
                wait_for(lambda share=share: len(asked(server)) >= COUNT * share, timeout_s=COUNT * 3)
                memory_mb.append(psutil.Process(process.pid).memory_info().rss / 1e6)
                if share > 0.25:
                    for victim in processes(run, "--headless", "--user-data-dir"):
                        victim.kill()

        done = crawl(requests, settings=SETTINGS, during=kill, timeout_s=60 + COUNT * 4)
    done.check()
    assert len(done.responses) == COUNT
    assert done.errors == []
    assert done.stats["webcontent/browsers"] == 3
    assert len([row for row in done.responses if row["boxes"]]) >= COUNT * 0.9
    assert memory_mb[-1] < memory_mb[0] * MAX_GROWTH
    record_property("memory_mb", memory_mb)
    print(f"{COUNT} pages, {done.elapsed_s:.0f} s, Python {[round(value) for value in memory_mb]} MB, "
          f"{len([row for row in done.responses if row['boxes']])} rendered")  # fmt: skip


def asked(server: Any) -> set[str]:
    """Paths of models that the crawl has requested."""
    return {path for path in server.paths() if path.startswith("/model/") and path.rpartition("?")[2].isdigit()}
