"""Redirects of rendered pages: what is asked before each hop, and what is sent along."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from ipaddress import ip_address
from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import article, crawl_seeds, listing, scrapy, serve
from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.server import hostile_server
from webcontent.addresses import PrivateHosts
from webcontent.crawl.config import Config
from webcontent.crawl.meta import PAGE, RENDER_WISHES
from webcontent.crawl.middlewares import RenderMiddleware
from webcontent.crawl.rendering.filter.reach import Policy
from webcontent.crawl.rendering.job import RenderJob
from webcontent.crawl.rendering.network import PageNetwork, is_same_origin

if TYPE_CHECKING:
    from pathlib import Path

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "DOWNLOAD_TIMEOUT": 60}
NAMES = {"here.example": "127.0.0.1", "there.example": "127.0.0.1"}
NAMED = {**RENDER, "WEBCONTENT_PRIVATE_HOSTS": list(NAMES)}
ROBOTS = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private")
RESOLVER = """
from scrapy.resolver import CachingThreadedResolver

class Resolver(CachingThreadedResolver):
    def getHostByName(self, name, timeout=()):
        return super().getHostByName("127.0.0.1" if name == "inside.example" else name, timeout)
"""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.example/b", "http://a.example:80/c", True),
        ("https://a.example/", "http://a.example/", False),
        ("http://a.example/", "http://a.example:8080/", False),
        ("http://a.example/", "http://b.example/", False),
        ("http://[broken", "http://[broken", False),
    ],
)
def test_same_origin(one, other, same):
    assert is_same_origin(one, other) is same


@pytest.mark.parametrize(
    ("status", "location", "target"),
    [
        (302, "https://b.example/c", "https://b.example/c"),
        (308, "//b.example/c", "http://b.example/c"),
        (301, "/c", None),
        (302, "http://[broken", None),
        (302, None, None),
        (304, "http://b.example/c", None),
        (200, "http://b.example/c", None),
    ],
)
def test_redirects_to_another_origin_are_kept_for_scrapy(status, location, target):
    request = Request("http://a.example/b", meta={RENDER_WISHES: {}})
    network = PageNetwork(RenderJob.of(request, Config(), None), (), None, True, Policy("test", PrivateHosts([])), obeys)
    headers = [{"name": "location", "value": location}] if location else []
    assert network._leaves_origin({"request": {"url": request.url}, "responseStatusCode": status, "responseHeaders": headers}) is bool(
        target
    )
    assert (network.redirect.headers["Location"].decode() if network.redirect else None) == target


async def obeys(url: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("asked", "url", "answered_by", "proxy", "inside"),
    [
        # Without an answer the name is judged.
        ("http://a.example/", "http://127.0.0.1/", None, None, True),
        ("http://a.example/", "http://wiki/", None, None, True),
        ("http://10.0.0.1/", "http://10.0.0.2/", None, None, True),
        ("http://10.0.0.1/", "http://10.0.0.1:8080/", None, None, False),
        ("http://a.example/", "http://10.9.0.1/", None, None, False),
        ("http://a.example/", "http://b.example/", None, None, False),
        (None, "http://127.0.0.1/", None, None, False),
        # A public name may lead into the local network. The address of a request with a proxy is the proxy's.
        ("http://a.example/", "http://b.example/", "10.0.0.1", None, True),
        ("http://a.example/", "http://b.example/", "169.254.169.254", None, True),
        ("http://a.example/", "http://b.example/", "10.9.0.1", None, False),
        ("http://a.example/", "http://b.example/", "8.8.8.8", None, False),
        ("http://a.example/", "http://b.example/", "10.0.0.1", "http://proxy:3128", False),
        ("http://b.example/old", "http://b.example/", "10.0.0.1", None, False),
        (None, "http://b.example/", "10.0.0.1", None, False),
    ],
)
def test_redirects_into_the_local_network_are_refused(asked, url, answered_by, proxy, inside):
    meta = {PAGE: {}, **({"redirect_urls": [asked, "http://c.example/"]} if asked else {}), **({"proxy": proxy} if proxy else {})}
    middleware = RenderMiddleware.from_crawler(get_crawler(settings_dict={"WEBCONTENT_PRIVATE_HOSTS": ["10.9.0.0/16"]}))
    request = Request(url, meta=meta)
    with pytest.raises(IgnoreRequest) if inside else nullcontext():
        asyncio.run(middleware.process_request(request))
        if answered_by:
            asyncio.run(middleware.process_response(request, Response(url, ip_address=ip_address(answered_by))))


@pytest.mark.parametrize(
    ("url", "answered_by", "proxy", "inside"),
    [
        ("http://a.example/", "10.0.0.1", None, True),
        ("http://a.example/", "8.8.8.8", None, False),
        ("http://a.example/", "10.9.0.1", None, False),
        ("http://a.example/", "10.0.0.1", "http://proxy:3128", False),
        ("http://10.0.0.1/", "10.0.0.1", None, False),
        ("http://wiki/", "10.0.0.1", None, False),
    ],
)
def test_a_page_that_is_fetched_again_without_the_browser_is_judged_by_the_address_that_answers(url, answered_by, proxy, inside):
    """Its name may have changed its address since the filtering proxy looked it up (DNS rebinding)."""
    request = Request(url, meta={PAGE: {}, RENDER_WISHES: {}} | ({"proxy": proxy} if proxy else {}))
    middleware = RenderMiddleware.from_crawler(get_crawler(settings_dict={"WEBCONTENT_PRIVATE_HOSTS": ["10.9.0.0/16"]}))
    with pytest.raises(IgnoreRequest) if inside else nullcontext():
        asyncio.run(middleware.process_response(request, Response(url, ip_address=ip_address(answered_by))))


def test_a_redirect_to_a_name_of_the_local_network_gives_no_item(tmp_path: Path):
    """A plain request; the name looks public."""
    (tmp_path / "names.py").write_text(RESOLVER)
    with serve({"/": article("Secret")}) as inside:
        port = inside.url.rpartition(":")[2]
        with serve({"/": (302, {"Location": f"http://inside.example:{port}/"}, "")}) as site:
            done = scrapy(
                *("extract", site.url, "-s", "TWISTED_DNS_RESOLVER=names.Resolver"), cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}
            )
    assert done.returncode != 0
    assert "Secret" not in done.stdout
    assert "leads into the local network" in done.stderr


@pytest.mark.browser
def test_robots_txt_is_asked_before_each_hop():
    """Redirects of the server and of scripts, within the origin and to another one."""
    with serve({"/robots.txt": ROBOTS, "/private/page": article("Private"), "/page": article("Open")}) as there:
        here_pages = {
            "/robots.txt": ROBOTS,
            "/private/page": article("Private"),
            "/page": article("Open"),
            **{f"/{number}": (302, {"Location": target}, b"") for number, target in enumerate(_targets(there.url))},
            **{f"/script/{number}": _script(target) for number, target in enumerate(_targets(there.url))},
        }
        with serve(here_pages) as here:
            asked = [f"{here.url}/{kind}{number}" for kind in ("", "script/") for number in range(4)]
            done = crawl(asked, settings={**RENDER, "ROBOTSTXT_OBEY": True})
            assert "/private/page" not in here.asked + there.asked
    done.check()
    assert {response["asked"].removeprefix(here.url): response["title"] for response in done.responses} == {
        "/0": "Open",
        "/2": "Open",
        "/script/0": "Open",
        "/script/2": "Open",
        "/script/1": "Going",  # the script's own page stays
    }
    assert {error["url"].removeprefix(here.url): error["error"] for error in done.errors} == dict.fromkeys(
        ("/1", "/3", "/script/3"), "IgnoreRequest"
    )
    assert done.response(f"{here.url}/2")["meta"]["redirect_urls"] == [f"{here.url}/2"]
    assert done.response(f"{here.url}/2")["boxes"]


def _targets(there: str) -> list[str]:
    return ["/page", "/private/page", f"{there}/page", f"{there}/private/page"]


def _script(target: str) -> str:
    return f"<title>Going</title><p>Going on.</p><script>location = '{target}'</script>"


@pytest.mark.browser
def test_allowed_domains_are_asked_before_each_hop():
    with serve({"/page": article("There")}) as there:
        away = there.url.replace("127.0.0.1", "there.example") + "/page"
        with serve({"/302": (302, {"Location": away}, b""), "/script": _script(away)}) as here:
            urls = [here.url.replace("127.0.0.1", "here.example") + path for path in ("/302", "/script")]
            strict = crawl(urls, settings=NAMED, hosts=NAMES, allowed_domains=["here.example"], is_filtered=True)
            assert there.asked == []
            free = crawl(urls[:1], settings=NAMED, hosts=NAMES, is_filtered=True)
    assert (strict.responses, strict.stats["offsite/filtered"]) == ([], 2)
    assert [response["title"] for response in free.responses] == ["There"]


@pytest.mark.browser
def test_a_rendered_page_of_a_seed_leads_to_no_other_site(tmp_path):
    with serve({"/story": article("Of another site")}) as there:
        pages = {
            "/": listing("News", {"/away": "A story that is elsewhere", "/here": "A story that is here"}),
            "/away": (302, {"Location": f"{there.url}/story"}, b""),
            "/here": article("Of this site"),
        }
        with serve(pages) as here:
            items = crawl_seeds(f"{here.url}/", tmp_path, "-s", "WEBCONTENT_RENDER=True", "-a", "sources=0")
        assert "/story" not in there.asked
    assert "Of this site" in {item.get("title") for item in items}


@pytest.mark.browser
def test_a_page_with_text_does_not_follow_its_scripts_to_another_origin():
    with serve({"/advertising": article("Advertising")}) as there:
        with serve({"/": article("Story", links=f"<script>location = '{there.url}/advertising'</script>")}) as here:
            done = crawl([f"{here.url}/"], settings=RENDER)
        assert there.asked == []
    assert done.response(f"{here.url}/")["title"] == "Story"


@pytest.mark.browser
def test_cookie_and_password_stay_with_the_origin_of_the_request():
    """A redirect from https to http on the same host and port loses them, also in a context of the user's; within the origin they stay."""
    with hostile_server(tls=True) as server:
        plain = server.url.replace("https", "http")
        headers = {"Authorization": "Basic c2VjcmV0", "Cookie": "session=secret", "X-Harmless": "1"}
        mine = {"playwright_context": "mine", "playwright_context_kwargs": {"ignore_https_errors": True}}
        requests = [
            {"url": f"{server.url}/redirect?to={plain}/page/ours", "headers": headers},
            {"url": f"{server.url}/redirect?to={plain}/page/mine", "headers": headers, "meta": mine},
            {"url": f"{server.url}/redirect?to=/page/stays", "headers": headers},
        ]
        done = crawl(requests, settings={**RENDER, "WEBCONTENT_IGNORE_CERTIFICATES": True, "COOKIES_ENABLED": False})
        sent = {path: values for path, values in server.asked if path.startswith("/page/")}
    done.check()
    assert len(done.responses) == 3
    for name in ("authorization", "cookie"):
        assert name not in sent["/page/ours"]
        assert name not in sent["/page/mine"]
        assert name in sent["/page/stays"]


@pytest.mark.browser
def test_certificates_are_checked_unless_a_setting_says_otherwise():
    with hostile_server(tls=True) as server:
        url = f"{server.url}/article"
        strict = crawl([url], settings=RENDER)
        ignoring = crawl([url], settings={**RENDER, "WEBCONTENT_IGNORE_CERTIFICATES": True})
    assert strict.response(url)["page_flags"] == ["render-failed"]
    assert strict.stats["webcontent/render_failed/certificate"] == 1
    assert "WEBCONTENT_IGNORE_CERTIFICATES" not in strict.log
    assert ignoring.response(url)["page_flags"] == []
    assert ignoring.log.count("WEBCONTENT_IGNORE_CERTIFICATES is True") == 1


@pytest.mark.browser
def test_an_address_that_a_script_made_up_is_not_taken():
    """1.9 MB of it, or one that is no http: the response has the address that was asked for."""
    pages = {
        "/long": article("Long", links="<script>history.pushState({}, '', '/' + 'a'.repeat(1_900_000))</script>"),
        "/short": article("Short", links="<script>history.pushState({}, '', '/read/this')</script>"),
    }
    with serve(pages) as site:
        done = crawl([f"{site.url}/long", f"{site.url}/short"], settings=RENDER)
    assert done.response(f"{site.url}/long")["url"] == f"{site.url}/long"
    assert done.response(f"{site.url}/long")["page_flags"] == ["bad-address"]
    assert done.response(f"{site.url}/short")["url"] == f"{site.url}/read/this"
    assert done.response(f"{site.url}/short")["page_flags"] == []
