"""The parts of the benchmark that need stored pages, sites or a browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from benchmarks import __main__ as command
from benchmarks.crawler import settings_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.corpora
def test_steps_are_measured_one_by_one(tmp_path: Path) -> None:
    """Each step beside parsing alone, and the page type from a screenshot."""
    command.main(["micro", "--limit", "2", "--out", str(tmp_path)])
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    for step in ("parse alone", "walk", "page type (DOM)", "extractor awce", "fields and item", "picture alone"):
        assert f"| {step} |" in report


def test_both_crawls_have_the_same_means() -> None:
    """Browser, pages open at once and concurrency; only what is done with a page differs."""
    ours, bare = settings_of("ours", "/usr/bin/some-browser"), settings_of("bare", "/usr/bin/some-browser")
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
    command.main(["crawl", "--limit", "4", "--rounds", "1", "--out", str(tmp_path)])
    results = json.loads((tmp_path / "crawl.json").read_text(encoding="utf-8"))
    assert [(result["kind"], result["pages"]) for result in results] == [("ours", 4), ("bare", 4)]
    assert results[0]["stats"]["webcontent/rendered"] == 4
    assert results[1]["stats"] == {}
    assert all(result["lag_p99_ms"] > 0 and result["samples"] for result in results)
    assert "Pages a second, ours / bare" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "crawl-memory.png").stat().st_size > 5_000
