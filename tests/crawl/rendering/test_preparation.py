"""What is done to a rendered page before it is read: overlays, scrolling, folds, shadow roots, frames, readiness."""

from __future__ import annotations

import pytest

from tests.crawl import server as served
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.server import TEXT, hostile_server, page, script

pytestmark = pytest.mark.browser

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "DOWNLOAD_TIMEOUT": 60}
LIST = {"webcontent": {"scroll": "list", "expand": "click"}}
BANNER = "<div id=box style='position:fixed;inset:auto 0 0 0;height:300px;background:#f0f;z-index:99'>We use cookies. <button>Accept</button></div>"
PAGES = {
    "/banner": page(TEXT * 9 + BANNER + script("document.body.style.overflow = 'hidden'")),
    "/sidebar": page("<nav id=side style='position:fixed;left:0;top:0;bottom:0;width:250px'><a href=/login>Sign up</a></nav>" + TEXT),
    "/application": page(f"<div id=app style='position:fixed;inset:0;z-index:9;overflow:auto'>{TEXT}<button>Sign up</button></div>"),
    "/advertising": page(TEXT + "<ins class=adsbygoogle style='position:fixed;bottom:0;width:100%;height:90px'>Advertising cookies</ins>"),
    "/lazy": page(
        TEXT + "<div style='height:4000px'></div><p id=end>below</p>"
        + script("new IntersectionObserver(list => { if (list[0].isIntersecting) end.textContent = 'Seen by a reader' }).observe(end)")
    ),
    "/grows": page(
        TEXT + "<ul id=list></ul><div id=foot style='height:2000px'></div>"
        + script(
            "let n = 0; new IntersectionObserver(list => { if (list[0].isIntersecting && n < 3) setTimeout(() => {"
            " list_.insertAdjacentHTML('beforeend', `<li style='height:900px'>Entry ${++n}</li>`) }, 50) }).observe(foot);"
            " const list_ = document.getElementById('list'); addEventListener('scroll', () => { if (scrollY + innerHeight >"
            " document.body.scrollHeight - 50 && n < 3) list_.insertAdjacentHTML('beforeend', `<li style='height:900px'>Entry ${++n}</li>`) })"
        )
    ),
    "/leaves": page(
        TEXT + "<button id=more>Read more</button>" + script("more.onclick = () => { location = '/other'; open('/popup'); more.form?.submit() }")
    ),
    "/fold": page(f"<div style='max-height:80px;overflow:hidden'>{TEXT * 6}</div><button id=more>Read more</button>"),
    "/late": page(
        TEXT * 9 + f"<div style='height:2000px'></div><details><summary>More</summary>{TEXT}</details>" + script(
            "let n = 0; addEventListener('scroll', () => n++); document.querySelector('details').ontoggle = () => {"
            f" document.body.insertAdjacentHTML('beforeend', `{BANNER}<article><h1>Another story</h1>{TEXT * 9}</article>`);"
            " history.pushState(0, '', '/another') }")
    ),
    "/open-root": page("<x-story><b slot=name>Anna Berg</b></x-story>" + script(
        f"document.querySelector('x-story').attachShadow({{mode: 'open'}}).innerHTML = `<style>p {{}}</style><h2>By <slot name=name></slot></h2>{TEXT}`")),
    "/frame": page(f"<iframe width=900 height=400 srcdoc='{TEXT}'></iframe>"),
    "/hydrates": page(
        f"<div id=root>Placeholder {TEXT}</div>" + script("onload = () => setTimeout(() => { root.innerHTML = ''; setTimeout(() => {"
        " root.innerHTML = '<p>The real story.</p>' }, 150) }, 150)")
    ),
}  # fmt: skip
ASKED = [*PAGES, ("/grows?list", LIST), ("/leaves?click", LIST), ("/banner?keep", {"webcontent": {"overlays": "keep"}})]


@pytest.fixture(scope="module")
def done():
    """One crawl of all pages: the texts of the responses, and the paths that were asked for."""
    with pytest.MonkeyPatch.context() as patch, hostile_server() as server:
        patch.setattr(served, "PAGES", served.PAGES | PAGES)
        requests = [{"url": server.url + one} if isinstance(one, str) else {"url": server.url + one[0], "meta": one[1]} for one in ASKED]
        result = crawl(requests, settings=RENDER)
        result.check()
        yield {row["asked"].removeprefix(server.url): row for row in result.responses}, server.paths(), result.stats


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("/lazy", "Seen by a reader"),
        ("/grows?list", "Entry 1"),
        ("/open-root", "The harbour was closed"),
        ("/frame", "The harbour was closed"),
        ("/hydrates", "The real story."),
        ("/leaves?click", "Storm closes"),
    ],
)
def test_content_is_there(done, asked, wanted):
    assert wanted in done[0][asked]["content"]


@pytest.mark.parametrize(
    ("asked", "tag", "is_drawn"),
    [
        ("/banner", "button", False),
        ("/banner?keep", "button", True),
        ("/late", "button", False),
        ("/fold", "button", False),
        ("/sidebar", "a", True),
        ("/application", "button", True),
        ("/advertising", "ins", True),
    ],
)
def test_overlays_are_hidden_and_nothing_else(done, asked, tag, is_drawn):
    assert (tag in {row[1] for row in done[0][asked]["boxes"]}) is is_drawn


def test_a_click_leaves_the_page_and_the_server_alone(done):
    assert not {"/other", "/popup"} & set(done[1])


def test_the_response_says_what_was_done(done):
    report = done[0]["/banner"]["preparation"]
    assert report["hidden"] == [["consent", "div#box"]]
    assert set(report["ms"]) >= {"ready", "hide", "scroll", "unfold"}


def test_what_comes_between_preparation_and_reading_is_taken_away(done):
    late = done[0]["/late"]
    assert late["preparation"]["details"] == 1
    assert late["preparation"]["hidden"] == [["consent", "div#box"]]
    assert late["url"] == late["asked"]
    assert "Another story" not in late["content"]


def test_hidden_overlays_are_counted(done):
    assert done[2]["webcontent/overlays_hidden"] == 2
    assert done[2]["webcontent/ms/prepare"] > 0
