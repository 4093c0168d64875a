"""As whom rendered pages are visited: language, time zone, session, proxy; and the screen that a page sees."""

from __future__ import annotations

import json
import platform

import pytest

from tests.crawl import server as served
from tests.crawl.crawls import article, serve
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.server import TEXT, hostile_server, page, script

pytestmark = pytest.mark.browser

SHOWS = """document.body.append(`${navigator.language} ${Intl.DateTimeFormat().resolvedOptions().timeZone} ${localStorage.name}
    ${innerWidth} ${innerHeight} ${screen.width} ${visualViewport.scale} ${devicePixelRatio}`)"""
MORE = "document.querySelector('button').onclick = () => fetch('/clicked')"
LINKS = "".join(f"<li><a href='/page/{number}'>The story of the day, number {number}</a></li>" for number in range(20))
PAGES = {
    "/shows": page(TEXT + script(SHOWS)),
    "/more": page(f"<ul>{LINKS}</ul><button>Load more</button>" + script(MORE)),
}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One crawl: the responses by the names below, and all requests that the server got."""
    with pytest.MonkeyPatch.context() as patch, hostile_server() as server:
        patch.setattr(served, "PAGES", served.PAGES | PAGES)
        state = tmp_path_factory.mktemp("state") / "state.json"
        cookie = {"name": "session", "value": "secret", "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": True}
        storage = [{"origin": server.url, "localStorage": [{"name": "name", "value": "Anna"}]}]
        state.write_text(json.dumps({"cookies": [{**cookie, "secure": False, "sameSite": "Lax"}], "origins": storage}))
        swiss = {"locale": "de-CH", "timezone": "Europe/Zurich"}
        logged_in = {"storage_state": str(state)}
        asked = {
            "shows": ("/shows?plain", {}),
            "shows swiss": ("/shows?swiss", {"webcontent": swiss}),
            "shows session": ("/shows?session", {"webcontent": logged_in}),
            "echo": ("/echo?plain", {}),
            "echo swiss": ("/echo?swiss", {"webcontent": swiss}),
            "echo session": ("/echo?session", {"webcontent": logged_in}),
            "more": ("/more?plain", {}),
            "more session": ("/more?session", {"webcontent": logged_in}),
            "more asked": ("/more?asked", {"webcontent": {**logged_in, "scroll": "list"}}),
        }
        requests = [{"url": server.url + path, "meta": meta} for path, meta in asked.values()]
        settings = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "DOWNLOAD_TIMEOUT": 60}
        result = crawl(requests, settings=settings)
        result.check()
        yield {name: result.response(server.url + path)["text"] for name, (path, _) in asked.items()}, server.asked


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("shows", "undefined"),
        ("shows", "1366 900 1366 1 1"),  # although it is drawn smaller
        ("shows swiss", "de-CH Europe/Zurich undefined"),
        ("shows session", "Anna"),
        ("echo", "accept-language: en"),
        ("echo swiss", "accept-language: de-CH"),
        ("echo session", "cookie: session=secret"),
    ],
)
def test_a_page_sees_the_reader_that_was_asked_for(done, name, shown):
    assert shown in done[0][name]


def test_sessions_are_apart(done):
    assert "secret" not in done[0]["echo"] + done[0]["echo swiss"]


def test_a_session_is_not_clicked_in_unless_a_request_asks_for_it(done):
    clicks = [headers["referer"].rpartition("?")[2] for path, headers in done[1] if path == "/clicked"]
    assert set(clicks) == {"plain", "asked"}


def test_the_user_agent_is_honest(done):
    agents = {headers["user-agent"] for path, headers in done[1] if path.startswith("/shows")}
    assert all("Scrapy" in agent or "HeadlessChrome" in agent for agent in agents)
    assert any("Scrapy" in agent for agent in agents)


def test_the_client_hints_are_those_of_the_system(done):
    platforms = {headers["sec-ch-ua-platform"] for path, headers in done[1] if path == "/shows?plain"}
    assert platforms == {f'"{ {"Darwin": "macOS"}.get(platform.system(), platform.system()) }"'}


def test_pages_of_other_sites_render_without_the_session(tmp_path):
    """A hostile page asks the session's site in every way; its requests carry no cookie of the session."""
    with hostile_server(tls=True) as members:
        ways = f"""fetch('{members.url}/echo/fetch', {{credentials: 'include', mode: 'no-cors'}})
            new Image().src = '{members.url}/echo/image'"""
        state = tmp_path / "state.json"
        cookie = {"name": "session", "value": "secret", "domain": "127.0.0.1", "path": "/", "expires": -1, "httpOnly": True}
        state.write_text(json.dumps({"cookies": [{**cookie, "secure": True, "sameSite": "None"}], "origins": []}))
        with serve({"/": article("Hostile", links=f"<script>{ways}</script>")}) as hostile:
            urls = [f"{members.url}/echo/own", hostile.url.replace("127.0.0.1", "localhost") + "/"]
            settings = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "WEBCONTENT_IGNORE_CERTIFICATES": True}
            allowed = {"WEBCONTENT_PRIVATE_HOSTS": ["127.0.0.1", "localhost"], "WEBCONTENT_STORAGE_STATE": str(state)}
            done = crawl(urls, settings={**settings, **allowed})
        sent = {path: "secret" in headers.get("cookie", "") for path, headers in members.asked if path.startswith("/echo/")}
    done.check()
    assert sent == {"/echo/own": True, "/echo/fetch": False, "/echo/image": False}
