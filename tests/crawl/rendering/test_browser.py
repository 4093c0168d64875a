"""Which browser renders the pages, and how it is started."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import playwright
import pytest
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import article, serve
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from webcontent.crawl.config import Config
from webcontent.crawl.rendering.browser import RenderBrowser
from webcontent.crawl.rendering.chromium import find_browser, launch_options
from webcontent.crawl.rendering.filter.reach import Policy
from webcontent.crawl.rendering.session import PageContext


def render_browser(**settings: object) -> RenderBrowser:
    crawler = get_crawler(settings_dict=settings)
    return RenderBrowser(SimpleNamespace(crawler=crawler, count=print), Config.from_settings(crawler.settings))


def test_four_pages_a_core_are_open_at_once(monkeypatch):
    """Or as many as a setting says."""
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert [render_browser().page_limit, render_browser(PLAYWRIGHT_MAX_PAGES_PER_CONTEXT=2).page_limit] == [12, 2]


@pytest.mark.parametrize(("count", "opened", "left"), [(16, 149, 16), (17, 149, 16), (16, 150, 15)])
def test_the_oldest_of_too_many_contexts_and_one_with_many_pages_are_replaced(count, opened, left):
    """They close with their last page."""
    browser = render_browser()
    contexts = [PageContext(None, Policy(str(number), browser._allowed), None, users=1) for number in range(count)]
    contexts[-1].opened += opened
    browser.contexts = {context.policy.name: context for context in contexts}
    browser._retire(contexts[-1])
    assert [len(browser.contexts), [context.is_old for context in contexts].count(False)] == [left, left]


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    """No browser on PATH, none of Playwright's."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    return tmp_path


def install(path: Path) -> str:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_without_a_browser_none_is_found(nothing_installed):
    assert find_browser(None) is None


def test_the_headless_shell_comes_before_the_browser_on_path(nothing_installed):
    """It needs half the CPU time."""
    install(nothing_installed / "chromium")
    shell = install(nothing_installed / "chromium-headless-shell")
    assert find_browser(None) == {"executable_path": shell}


@pytest.mark.parametrize("name", ["chromium", "google-chrome", "msedge"])
def test_other_browsers_on_path_are_found(nothing_installed, name):
    path = install(nothing_installed / name)
    assert find_browser(None) == {"executable_path": path}


@pytest.mark.parametrize("path", ["Google Chrome.app/Contents/MacOS/Google Chrome", "Microsoft Edge.app/Contents/MacOS/Microsoft Edge"])
def test_an_installed_browser_is_found_on_macos(nothing_installed, monkeypatch, path):
    """It is in the folder of programs, not on PATH."""
    monkeypatch.setenv("HOME", str(nothing_installed))
    program = nothing_installed / "Applications" / path
    assert find_browser(None) is None
    program.parent.mkdir(parents=True)
    assert find_browser(None) is None
    install(program)
    assert find_browser(None) == {"executable_path": str(program)}


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("PROGRAMFILES", "Google/Chrome/Application/chrome.exe"),
        ("LOCALAPPDATA", "Google/Chrome/Application/chrome.exe"),
        ("PROGRAMFILES(X86)", "Microsoft/Edge/Application/msedge.exe"),
    ],
)
def test_an_installed_browser_is_found_on_windows(nothing_installed, monkeypatch, folder, path):
    for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(folder, str(nothing_installed / "programs"))
    program = nothing_installed / "programs" / path
    program.parent.mkdir(parents=True)
    install(program)
    assert find_browser(None) == {"executable_path": str(program)}


def test_playwrights_own_browser_comes_first(nothing_installed):
    install(nothing_installed / "chromium")
    versions = json.loads((Path(playwright.__file__).parent / "driver/package/browsers.json").read_text())["browsers"]
    (revision,) = [entry["revision"] for entry in versions if entry["name"] == "chromium"]
    folder = nothing_installed / "browsers" / f"chromium-{revision}"
    folder.mkdir(parents=True)
    assert find_browser(None) != {}  # not yet complete
    (folder / "INSTALLATION_COMPLETE").touch()
    assert find_browser(None) == {}


def test_a_named_browser_comes_before_all(nothing_installed):
    own = install(nothing_installed / "my-browser")
    install(nothing_installed / "chromium")
    assert find_browser(own) == {"executable_path": own}
    assert find_browser("my-browser") == {"executable_path": own}
    assert find_browser("chrome") == {"channel": "chrome"}


def test_a_browser_that_is_not_there_is_named(nothing_installed):
    with pytest.raises(ValueError, match="WEBCONTENT_BROWSER is '/nowhere/chromium'; it takes the path of an executable"):
        find_browser("/nowhere/chromium")


@pytest.mark.parametrize(("user", "sandbox"), [(0, False), (1000, True)])
def test_the_sandbox_is_off_for_root_only(monkeypatch, user, sandbox):
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    assert launch_options(None)["chromium_sandbox"] is sandbox


@pytest.mark.browser
@pytest.mark.parametrize(("render", "warns"), [("auto", False), (True, True)])
def test_a_crawl_that_renders_nothing_does_not_speak_of_the_sandbox(render, warns):
    with serve({"/": article("Story")}) as site:
        done = crawl([f"{site.url}/"], settings={"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": render})
    done.check()
    assert ("runs without its sandbox" in done.log) is (warns and not launch_options(None)["chromium_sandbox"])
