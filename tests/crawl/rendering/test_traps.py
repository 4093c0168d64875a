"""What hostile pages do to a rendering crawl: it ends, every page that the server sent is answered, and nothing stays open."""

from __future__ import annotations

import pytest

from tests.crawl.rendered import WITHOUT_PIPELINES, Crawl, crawl
from tests.crawl.server import GBK_TITLE, HostileServer, free_port, hostile_server
from webcontent.crawl.rendering.tasks import PATIENCE_S

pytestmark = pytest.mark.browser

RENDER = {
    "ITEM_PIPELINES": WITHOUT_PIPELINES,
    "WEBCONTENT_RENDER": True,
    "DOWNLOAD_TIMEOUT": 12,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "WEBCONTENT_BLOCK": ["media"],  # fonts are asked for: one of them never comes
}

HTML_PAGES = [
    *("/article", "/loop-before-load", "/loop-after-load", "/renavigate", "/moves-once", "/moves-often", "/hang-font", "/hang-image"),
    *("/hang-script", "/hang-late-script", "/hang-style", "/hang-iframe", "/hang-fetch", "/truncated", "/endless", "/js-redirect"),
    *("/js-late-redirect", "/js-to-file", "/popups", "/popups-of-popups", "/dialogs", "/blank", "/emptied", "/clobbered", "/surrogate"),
    *("/gbk", "/gbk-meta", "/redirect/3", "/empty", "/attachment-html"),
]
FILES = ["/attachment", "/attachment-empty", "/pdf", "/json", "/xml", "/text", "/no-content"]
SHOWN = [
    *("/article", "/hang-font", "/hang-image", "/hang-late-script", "/hang-iframe", "/hang-fetch", "/endless", "/popups", "/dialogs"),
    *("/clobbered", "/surrogate", "/gbk", "/gbk-meta", "/redirect/3", "/js-redirect", "/js-late-redirect"),
]
"""Pages that come with boxes and screenshot whatever hangs in them."""
FAILED = ["/loop-before-load", "/loop-after-load", "/hang-script", "/blank", "/emptied"]
"""Pages that no browser can finish; their HTML comes without it."""
ERRORS = {
    "/reset": "DownloadFailedError",
    "/silent": "DownloadTimeoutError",
    "/redirect-loop": "DownloadFailedError",
    "http://nowhere.invalid/": "CannotResolveHostError",
}


class Visited:
    """One crawl of all hostile pages."""

    def __init__(self, server: HostileServer) -> None:
        self.server = server
        self.refused = f"http://127.0.0.1:{free_port()}/"
        limits = {**dict.fromkeys((*FAILED, "/endless"), 9), "/silent": 4}
        paths = [*HTML_PAGES, *FILES, *ERRORS, self.refused]
        requests = [{"url": self.url(path), "meta": {"download_timeout": limits[path]} if path in limits else {}} for path in paths]
        self.crawl: Crawl = crawl(requests, settings=RENDER, timeout_s=200)

    def url(self, path: str) -> str:
        return self.server.url + path if path.startswith("/") else path

    def __call__(self, path: str) -> dict:
        return self.crawl.response(self.url(path))


@pytest.fixture(scope="module")
def visited():
    with hostile_server() as server:
        yield Visited(server)


def test_a_crawl_of_hostile_pages_ends_and_leaves_nothing_open(visited):
    """No open page, no lost place in the page limit, no process, no task whose error nobody read."""
    visited.crawl.check()


def test_the_event_loop_stays_free_of_blocking_work(visited):
    """Trap 19, the part of rendering: looping pages and large answers do not stop the crawl's own thread."""
    assert visited.crawl.state["held_p99_ms"] < 500


@pytest.mark.parametrize("path", HTML_PAGES)
def test_each_page_that_the_server_sent_is_answered(visited, path):
    """Traps 1, 2, 3: with its text, whether the browser could show it or not."""
    response = visited(path)
    assert response["class"] == "RenderedResponse"
    assert response["status"] == 200
    if path not in ("/empty", "/js-to-file"):
        assert "harbour" in response["text"] or GBK_TITLE in response["text"]


@pytest.mark.parametrize("path", SHOWN)
def test_what_hangs_in_a_page_does_not_cost_its_screenshot(visited, path):
    """Trap 3: a font, an image, an iframe, a late script, a stream that never ends."""
    response = visited(path)
    assert response["screenshot"] == [512, pytest.approx(response["screenshot"][1])]
    assert response["screenshot"][1] > 100
    assert sum(row[10] for row in response["boxes"]) > 100
    assert "render-failed" not in response["page_flags"]


@pytest.mark.parametrize("path", FAILED)
def test_a_page_that_no_browser_can_finish_comes_without_it_and_says_so(visited, path):
    """Traps 1, 2, 30: endless loops, a script that never comes, about:blank, a page that empties itself."""
    response = visited(path)
    assert response["page_flags"] == ["render-failed"]
    assert response["boxes"] is None
    assert response["screenshot"] is None


def test_the_reasons_of_failures_are_counted(visited):
    stats = visited.crawl.stats
    assert stats["webcontent/render_failed/busy"] >= 2
    assert stats["webcontent/render_failed/empty"] >= 2
    assert stats["webcontent/render_failed/loading"] >= 1
    assert stats["webcontent/rendered"] >= len(SHOWN)


def test_a_document_that_never_ends_is_marked(visited):
    """A partial DOM is not taken for the whole page. Also where the fallback fails too."""
    assert visited("/truncated")["page_flags"] == ["truncated"]
    assert visited("/endless")["page_flags"] == ["truncated"]


@pytest.mark.parametrize(("path", "name"), ERRORS.items())
def test_errors_of_the_network_are_scrapys_own(visited, path, name):
    """Trap 5: so that errbacks and retries know them."""
    assert visited.crawl.error(visited.url(path)) == name


def test_the_latency_is_the_servers_not_ours(visited):
    """Trap 26: AutoThrottle does not slow down because a page takes long to settle and to be captured."""
    hanging = [path for path in SHOWN if path.startswith("/hang-")]
    rendered = [response for response in visited.crawl.responses if response["boxes"] and "truncated" not in response["page_flags"]]
    latency_s = sum(response["meta"]["download_latency"] for response in rendered)
    assert latency_s + len(hanging) * PATIENCE_S < visited.crawl.stats["webcontent/ms/render"] / 1000


def test_a_refused_connection_is_scrapys_own_error(visited):
    """Trap 5."""
    assert visited.crawl.error(visited.refused) == "DownloadConnectionRefusedError"


@pytest.mark.parametrize("path", FILES)
def test_what_is_no_page_comes_as_it_is(visited, path):
    """Trap 9: the bytes of the server, not the browser's viewer, and no screenshot of a blank page."""
    response = visited(path)
    sizes = {"/attachment": 300, "/attachment-empty": 0, "/no-content": 0, "/json": 17, "/xml": 70, "/text": 10, "/pdf": 68}
    assert response["size"] == sizes[path]
    assert response["class"] not in ("RenderedResponse", "HtmlResponse")
    assert response["screenshot"] is None


def test_an_html_attachment_is_still_a_page(visited):
    """Trap 9: a browser would store it; its text is delivered."""
    assert visited("/attachment-html")["page_flags"] == ["not-rendered"]


@pytest.mark.parametrize("path", ["/js-redirect", "/js-late-redirect"])
def test_after_a_scripts_redirect_address_and_headers_are_of_the_shown_page(visited, path):
    """Trap 10."""
    response = visited(path)
    assert response["url"].endswith("/js-target")
    assert response["headers"]["x-path"] == "/js-target"
    assert response["title"] == "Target"


def test_a_redirect_chain_is_reported_as_scrapy_reports_it(visited):
    response = visited("/redirect/3")
    assert response["url"].endswith("/article")
    assert response["meta"]["redirect_times"] == 3
    assert [url.rpartition("/")[2] for url in response["meta"]["redirect_urls"]] == ["3", "2", "1"]
    assert response["meta"]["redirect_reasons"] == [302, 301, 302]


@pytest.mark.parametrize("path", ["/gbk", "/gbk-meta"])
def test_a_gbk_page_has_the_right_title_and_says_what_its_body_is(visited, path):
    """Trap 11: the server's header is kept, the body is the browser's DOM in UTF-8."""
    response = visited(path)
    assert response["title"] == GBK_TITLE
    assert response["encoding"] == "utf-8"
    assert "海边的天气很好" in response["text"]
    assert response["headers"]["content-type"] == ("text/html; charset=gbk" if path == "/gbk" else "text/html")


def test_no_page_opens_a_window(visited):
    """Trap 8: nor one that hides its opener."""
    assert {"/article?a", "/article?b", "/article?c", "/article?d"}.isdisjoint(visited.server.paths())
    assert visited.crawl.state["open_urls"] == []


def test_a_page_that_navigates_while_its_screenshot_is_taken_gives_no_foreign_screenshot(visited):
    """Trap 2: the DOM is of one page, and the screenshot is of the same one or missing."""
    response = visited("/moves-once")
    height = max(row[3] + row[5] for row in response["boxes"])
    assert response["screenshot"] is None or response["screenshot"][1] == pytest.approx(min(8000, max(height, 900)) * 512 / 1366, rel=0.05)
    assert ("/js-target" in response["url"]) == (response["title"] == "Target")


def test_a_page_cannot_hide_from_the_reading(visited):
    """Names of form fields that hide properties, and built-in functions that a page has replaced, change nothing."""
    response = visited("/clobbered")
    assert "stolen" not in {row[0] for row in response["boxes"]}
    assert [row[1] for row in response["boxes"]][:3] == ["h1", "p", "p"]


def test_live_objects_and_our_marks_do_not_stay_in_meta(visited):
    """Traps 14 and 15: what a spider copies from a response is plain."""
    for response in visited.crawl.responses:
        assert "playwright_page" not in response["meta_keys"]
        assert "webcontent_render" not in response["meta_keys"]
        assert "playwright" not in response["meta_keys"]
