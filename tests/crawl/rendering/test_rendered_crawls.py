"""Which pages of a crawl are rendered, and what comes back."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.crawl.rendered import CHECKOUT, WITHOUT_PIPELINES, crawl
from tests.crawl.server import hostile_server
from webcontent.document.boxes import COLUMNS, box_columns

pytestmark = pytest.mark.process

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
        requests.append({"url": f"{server.url}/set-cookie", "meta": {"playwright": True}})
        rendered = {"webcontent": {"render": True}}
        requests.append({"url": f"{server.url}/set-cookie?ours", "meta": rendered, "headers": {"X-Own": "1"}, "cookies": {"a": "b"}})
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
        """Three shells among nine rendered pages. The page of a user's own Playwright request is counted as captured."""
        assert done[1].stats["webcontent/render_auto"] == 3
        assert done[1].stats["webcontent/rendered"] == 9
        assert done[1].stats["webcontent/captured"] == 1

    @pytest.mark.parametrize("path", ["/media", "/click", "/popups", "/set-cookie"])
    def test_what_asks_for_rendering_gets_it_at_once(self, done, path):
        """The request's own wish, an extractor that wants boxes, a wish for a screenshot, scrapy-playwright's key."""
        assert done[0](path)["boxes"]
        assert done[2].paths().count(path) == 1

    def test_a_request_may_refuse(self, done):
        response = done[0]("/shell?never")
        assert response["boxes"] is None
        assert response["class"] == "HtmlResponse"

    def test_a_request_may_do_without_a_screenshot_or_want_it_large(self, done):
        assert done[0]("/tall")["screenshot"] is None
        assert done[0]("/tall")["boxes"]
        assert done[0]("/cached")["screenshot"][0] == 1366

    def test_media_and_fonts_are_not_asked_for_but_images_are(self, done):
        asked = done[2].paths()
        assert not [path for path in asked if path.startswith("/media/")]
        assert "/image/20" in asked

    def test_scrapys_headers_reach_the_server(self, done):
        """And the cookie of the request; what the browser loads besides has the same user agent."""
        agents = {headers["user-agent"] for _, headers in done[2].asked}
        (headers,) = [headers for path, headers in done[2].asked if path == "/set-cookie?ours"]
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
