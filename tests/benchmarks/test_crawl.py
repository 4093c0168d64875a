"""The benchmark of the crawl: both crawls have the same conditions, and both are measured."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks import crawl
from benchmarks.crawl_process import settings_of

if TYPE_CHECKING:
    from pathlib import Path


def test_both_crawls_have_the_same_conditions() -> None:
    """Browser, pages open at once and concurrency are the same; only the work on a page differs."""
    ours, bare = settings_of("ours", sys.executable), settings_of("bare", sys.executable)
    for name in (
        "CONCURRENT_REQUESTS",
        "CONCURRENT_REQUESTS_PER_DOMAIN",
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT",
        "DOWNLOAD_DELAY",
        "ROBOTSTXT_OBEY",
    ):
        assert ours[name] == bare[name]
    assert bare["PLAYWRIGHT_LAUNCH_OPTIONS"]["executable_path"] == ours["WEBCONTENT_BROWSER"]
    assert "ADDONS" not in bare


@pytest.mark.browser
@pytest.mark.corpora
def test_crawls_take_turns(tmp_path: Path) -> None:
    """A B: each loads every page; ours also types and extracts it. Speed, lag and memory are in the report."""
    crawl.main(["--limit", "2", "--rounds", "1", "--hang", "--kinds", "ours", "unprepared", "bare", "--out", str(tmp_path)])
    results = json.loads((tmp_path / "crawl.json").read_text(encoding="utf-8"))
    assert [(result["kind"], result["pages"]) for result in results] == [("ours", 2), ("unprepared", 2), ("bare", 2)]
    assert results[0]["stats"]["webcontent/rendered"] == 2
    assert results[0]["stats"]["webcontent/ms/prepare"] > 0
    assert "webcontent/ms/prepare" not in results[1]["stats"]
    assert len(results[0]["items"]) == 2
    assert results[2]["stats"] == {}
    assert all(result["lag_p99_ms"] > 0 and result["samples"] for result in results)
    assert "ours / bare: " in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "crawl-memory.png").stat().st_size > 5_000
