"""Which browser, what it may load, which pages it gets, and what comes back."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from tests.crawl.rendered import CHECKOUT, WITHOUT_PIPELINES, crawl
from tests.crawl.server import hostile_server
from webcontent.crawl.config import DEFAULT_BLOCK, Config
from webcontent.crawl.rendering import browser as rendering
from webcontent.crawl.rendering.browser import Browser, find_browser, is_blocked, is_shell, launch_options, photograph, within
from webcontent.document.boxes import COLUMNS, box_columns

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = Config.from_settings(Settings())
TEXT = "A sentence that says something about the day. " * 6


# The browser


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
    assert find_browser(None) == Browser(executable=shell)


@pytest.mark.parametrize("name", ["chromium", "google-chrome", "msedge"])
def test_other_browsers_on_path_are_found(nothing_installed, name):
    path = install(nothing_installed / name)
    assert find_browser(None) == Browser(executable=path)


def test_playwrights_own_browser_comes_first(nothing_installed):
    install(nothing_installed / "chromium")
    import playwright

    listed = json.loads((rendering.Path(playwright.__file__).parent / "driver/package/browsers.json").read_text())["browsers"]
    (revision,) = [entry["revision"] for entry in listed if entry["name"] == "chromium"]
    folder = nothing_installed / "browsers" / f"chromium-{revision}"
    folder.mkdir(parents=True)
    assert find_browser(None) != Browser()  # not yet complete
    (folder / "INSTALLATION_COMPLETE").touch()
    assert find_browser(None) == Browser()


def test_a_named_browser_comes_before_all(nothing_installed):
    own = install(nothing_installed / "my-browser")
    install(nothing_installed / "chromium")
    assert find_browser(own) == Browser(executable=own)
    assert find_browser("my-browser") == Browser(executable=own)
    assert find_browser("chrome") == Browser(channel="chrome")


def test_a_browser_that_is_not_there_is_named(nothing_installed):
    with pytest.raises(ValueError, match="WEBCONTENT_BROWSER is '/nowhere/chromium'; it takes the path of an executable"):
        find_browser("/nowhere/chromium")


@pytest.mark.parametrize(("user", "sandbox"), [(0, False), (1000, True)])
def test_the_sandbox_is_off_for_root_only(monkeypatch, caplog, user, sandbox):
    """And a warning says so."""
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    assert launch_options(Browser())["chromium_sandbox"] is sandbox
    rendering.warn_of_root()
    assert ("without its sandbox" in caplog.text) is not sandbox


# What it may load


@pytest.mark.parametrize(
    ("url", "kind", "blocked"),
    [
        ("https://securepubads.g.doubleclick.net/tag/js/gpt.js", "Script", True),
        ("https://doubleclick.net/x", "Image", True),
        ("https://notdoubleclick.net/x", "Image", False),
        ("https://example.com/?to=https://doubleclick.net/", "Image", False),
        ("https://example.com/film.mp4", "Media", True),
        ("https://example.com/font.woff2", "Font", True),
        ("https://example.com/photo.jpg", "Image", False),
        ("https://example.com/style.css", "Stylesheet", False),
        ("http://192.168.1.1/reboot", "Image", True),
        ("http://localhost:6379/", "Fetch", True),
        ("http://[::1]/", "Document", True),
        ("ws://127.0.0.1:9000/", "WebSocket", True),
        ("http://2130706433/", "Script", True),
    ],
)
def test_advertising_media_fonts_and_the_own_network_are_blocked(url, kind, blocked):
    """On a public page; images, styles and scripts pass."""
    assert is_blocked(url, kind, DEFAULT_BLOCK, on_private_page=False) is blocked


def test_a_page_of_the_own_network_may_load_from_it():
    assert not is_blocked("http://127.0.0.1/style.css", "Stylesheet", DEFAULT_BLOCK, on_private_page=True)


# Which pages need it


@pytest.mark.parametrize(
    ("html", "shell"),
    [
        ('<html><head><script src="app.js"></script></head><body><div id="app"></div></body></html>', True),
        ('<div id="root">Loading...</div><script>start()</script>', True),
        ("<div></div><script>" + "x = 1;" * 1000 + "</script>", True),
        ("<noscript>" + TEXT + "</noscript><script src=a.js></script>", True),
        ("<!-- " + TEXT + " --><script src=a.js></script>", True),
        ("<style>" + TEXT + "</style><script src=a.js></script><svg><text>" + TEXT + "</text></svg>", True),
        ('<nav><a href="/">' + TEXT + "</a></nav><main></main><script src=a.js></script>", True),
        (f"<p>{TEXT}</p><script src=a.js></script>", False),
        ("<p>Not found.</p>", False),
        ("<script src=a.js></script>" + '<li><a href="/a">A story</a></li>' * 30, False),
        ("", False),
        ("<script>" + "<a" * 50_000, True),
        ("<" * 100_000, False),
        ("<!--" * 50_000, False),
    ],
    ids=[
        *(
            "script in head",
            "loading",
            "inline script",
            "noscript",
            "comment",
            "style and svg",
            "menu",
            "text",
            "no script",
            "list",
            "nothing",
        ),
        *("unclosed script", "angle brackets", "unclosed comments"),
    ],
)
def test_a_shell_has_scripts_and_little_text_beside_them(html, shell):
    assert is_shell(html) is shell


# Reading and photographing


class Session:
    """Stands in for a DevTools session whose browser answers wrongly."""

    def __init__(self, answer: dict) -> None:
        self.answer = answer

    async def send(self, method: str, parameters: dict | None = None) -> dict:
        return self.answer


@pytest.mark.parametrize("answer", [{}, {"data": ""}])
def test_an_empty_picture_is_an_error(answer):
    """Trap 18: WebP of more than 16,383 px comes as no data and no error."""
    with pytest.raises(ValueError, match="empty picture"):
        asyncio.run(photograph(Session(answer), 1000, CONFIG, full_size=False))


def test_what_takes_too_long_is_given_up_but_not_cancelled():
    """The call ends later, and its error has a reader."""
    ended = []

    async def slow() -> None:
        await asyncio.sleep(0.05)
        ended.append(True)
        raise RuntimeError("nobody waits for this")

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await within(0.01, slow())
        await asyncio.sleep(0.1)

    asyncio.run(main())
    assert ended == [True]


def test_a_table_of_boxes_has_columns_by_name():
    """Rows of an older table are shorter; damaged rows are left out."""
    short = ["/html/body/p", "p", 8, 16, 1350, 18, 16.5, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]
    whole = [*short, "block", "", "", 0, 1]
    assert len(whole) == len(COLUMNS)
    assert box_columns([whole, whole])["font_size"].tolist() == [16.5, 16.5]
    assert box_columns([whole])["display"].tolist() == ["block"]
    assert "display" not in box_columns([short, whole])
    assert box_columns([short, ["p"], [None] * 20])["own"].tolist() == [5]
    assert box_columns([])["own"].tolist() == []


# Whole crawls


AUTO_PATHS = ("/article", "/shell", "/gbk", "/shell-data", "/page/1", "/shell-gzip", "/json", "/media", "/click", "/popups")


@pytest.fixture(scope="module")
def done():
    """A function from path to response, the crawl, and the server."""
    with hostile_server() as server:
        wishes = {
            "/media": {"render": True},
            "/shell-gzip": {"render": "auto"},
            "/click": {"extractor": "boxed"},
            "/popups": {"screenshot": True},
        }
        requests = [{"url": server.url + path, "meta": {"webcontent": wishes.get(path, {})}} for path in AUTO_PATHS]
        requests.append({"url": f"{server.url}/shell?never", "meta": {"webcontent": {"render": False}}})
        requests.append({"url": f"{server.url}/tall", "meta": {"webcontent": {"render": True, "screenshot": False}}})
        requests.append({"url": f"{server.url}/cached", "meta": {"webcontent": {"render": True, "full_size": True}}})
        requests.append({"url": f"{server.url}/set-cookie", "meta": {"playwright": True}, "headers": {"X-Own": "1"}, "cookies": {"a": "b"}})
        settings = {
            "ITEM_PIPELINES": WITHOUT_PIPELINES,
            "WEBCONTENT_EXTRACTORS": {"boxed": "tests.crawl.rendered:Boxed"},
            "CONCURRENT_REQUESTS": 1,
        }
        settings["WEBCONTENT_ROUTES"] = {"article": "awce", "list": "awce"}
        crawled = crawl(requests, settings=settings)
        yield lambda path: crawled.response(server.url + path), crawled, server


@pytest.mark.browser
class TestAuto:
    """WEBCONTENT_RENDER "auto" on pages that need a browser and pages that do not."""

    def test_the_crawl_ends_clean(self, done):
        done[1].check()

    @pytest.mark.parametrize("path", ["/article", "/gbk"])
    def test_a_page_with_text_is_not_rendered(self, done, path):
        response = done[0](path)
        assert response["boxes"] is None
        assert response["class"] == "HtmlResponse"

    @pytest.mark.parametrize("path", ["/shell", "/shell-data", "/shell-gzip"])
    def test_a_shell_is_fetched_again_through_the_browser(self, done, path):
        """Also where the text comes from a later request, and where the body is compressed."""
        response = done[0](path)
        assert "Storm closes the harbour" in response["text"]
        assert response["boxes"]
        assert done[2].paths().count(path) == 2

    def test_both_decisions_are_counted(self, done):
        """Three shells among eight rendered pages."""
        assert done[1].stats["webcontent/render_auto"] == 3
        assert done[1].stats["webcontent/rendered"] == 9

    @pytest.mark.parametrize("path", ["/media", "/click", "/popups", "/set-cookie"])
    def test_what_asks_for_rendering_gets_it_at_once(self, done, path):
        """The request's own wish, an extractor that wants boxes, a wish for a picture, scrapy-playwright's key."""
        assert done[0](path)["boxes"]
        assert done[2].paths().count(path) == 1

    def test_a_request_may_refuse(self, done):
        response = done[0]("/shell?never")
        assert response["boxes"] is None
        assert response["class"] == "HtmlResponse"

    def test_a_request_may_do_without_a_picture_or_want_it_large(self, done):
        assert done[0]("/tall")["picture"] is None
        assert done[0]("/tall")["boxes"]
        assert done[0]("/cached")["picture"][0] == 1366

    def test_media_and_fonts_are_not_asked_for_but_images_are(self, done):
        asked = done[2].paths()
        assert not [path for path in asked if path.startswith("/media/")]
        assert "/image/20" in asked

    def test_scrapys_headers_reach_the_server(self, done):
        """And the cookie of the request; what the browser loads besides has the same user agent."""
        agents = {headers["user-agent"] for _, headers in done[2].asked}
        (headers,) = [headers for path, headers in done[2].asked if path == "/set-cookie"]
        assert headers["x-own"] == "1"
        assert "a=b" in headers["cookie"]
        assert len(agents) == 1
        assert agents.pop().startswith("Scrapy/")

    def test_boxes_are_rows_of_the_table(self, done):
        rows = done[0]("/media")["boxes"]
        columns = box_columns(rows)
        assert len(columns) == len(COLUMNS)
        heading = dict(zip(COLUMNS, rows[0], strict=True))
        assert heading["xpath"] == "/html/body/h1"
        assert heading["own"] == heading["text"] == len("Storm closes the harbour")
        assert heading["font_size"] == 32
        assert heading["color"] == "#000000"
        assert heading["background"] == "#ffffff"
        (image,) = [row for row in rows if row[1] == "img"]
        assert image[4:6] == [20, 20]
        assert image[COLUMNS.index("media")] == 1

    def test_the_server_status_and_headers_are_kept(self, done):
        response = done[0]("/popups")
        assert response["status"] == 200
        assert response["headers"]["x-path"] == "/popups"
        assert response["encoding"] == "utf-8"
        assert response["fetched_at"].endswith("+00:00")


def test_without_a_browser_pages_come_unrendered_with_one_warning(tmp_path):
    """Those that should have been rendered say so."""
    with hostile_server() as server:
        urls = [f"{server.url}{path}" for path in ("/article", "/shell", "/page/1")]
        env = {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
        settings = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_ROUTES": {"article": "awce", "list": "awce"}}
        done = crawl(urls, settings=settings, env=env)
    done.check()
    assert [done.response(url)["page_flags"] for url in urls] == [None, ["not-rendered"], None]
    assert done.log.count("No Chromium was found") == 1


def test_without_playwright_pages_come_unrendered_with_one_warning(tmp_path):
    """Trap 23."""
    for name in ("playwright", "scrapy_playwright"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('it is missing')\n")
    with hostile_server() as server:
        url = f"{server.url}/article"
        settings = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True}
        done = crawl([url], settings=settings, env={"PYTHONPATH": f"{tmp_path}:{CHECKOUT}"})
    done.check()
    assert done.response(url)["page_flags"] == ["not-rendered"]
    assert done.log.count("pages are fetched without rendering") == 1


@pytest.mark.parametrize("arguments", [["version"], ["settings", "--get", "BOT_NAME"], ["--help"]])
def test_scrapys_commands_work_when_the_heavy_packages_are_missing(tmp_path, arguments):
    """Trap 23: every command loads the entry points of all packages."""
    for name in ("playwright", "scrapy_playwright", "onnxruntime"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('it is missing')\n")
    code = (
        "import sys; from scrapy.cmdline import execute\n"
        "from webcontent.crawl.commands import extract, inspect\n"
        "execute(['scrapy', *sys.argv[1:]])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{CHECKOUT}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_setting_ends_the_crawl_before_page_one():
    """With the setting's name and what it takes."""
    with hostile_server() as server:
        done = crawl([f"{server.url}/article"], settings={"WEBCONTENT_RENDER": "sometimes"}, may_die=True)
        assert server.asked == []
    assert "WEBCONTENT_RENDER is 'sometimes'; it takes True, False or \"auto\"." in done.log
