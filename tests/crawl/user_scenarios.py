"""A crawl of a user's own Playwright requests, in a process of its own, with our add-on or without it; it prints what the user sees.

Each scenario is a request of a spider that knows nothing of webcontent. Scenarios run one after the other, so that two crawls differ
by the add-on only.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.crawl.rendered import QUIET, WITHOUT_PIPELINES, processes, start

if TYPE_CHECKING:
    from collections.abc import Callable

HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
ADDON = {"ADDONS": {"webcontent.crawl.addon.Addon": 500}, "WEBCONTENT_AUTO": True, "ITEM_PIPELINES": WITHOUT_PIPELINES}
RUN = "WEBCONTENT_TEST_RUN"
_COUNTED = ("playwright/", "downloader/", "retry/", "spider_exceptions/", "httperror/")
"""Beginnings of the stats that are compared."""
_CHANGING = {"download_latency", "playwright_page"}
"""Keys of meta whose values differ between any two crawls."""


def outcome(plan: dict[str, Any], run: str, timeout_s: float = 300) -> dict[str, Any]:
    """What the crawl showed. `plan`: settings, scenarios (names, in order), url, secure_url, refused_url, addon,
    at_once (scenarios are not in a row), beside (number of pages that the add-on renders), capture_s (the longest time of a capture)."""
    process = start(json.dumps(plan), {RUN: run}, program="user_scenarios")
    try:
        output, log = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError(f"The crawl did not end within {timeout_s:g} s:\n{process.communicate()[1][-4000:]}") from None
    assert "RESULT " in output, log[-4000:]
    result: dict[str, Any] = json.loads(output.rpartition("RESULT ")[2])
    result["log"] = log
    return result


# Page methods, callbacks and hooks of the user


async def slow_method(page: Any) -> str:
    await asyncio.sleep(1.2)
    return "slow"


async def open_popup(page: Any) -> int:
    async with page.expect_popup() as popup:
        await page.evaluate("void window.open('/article?popup')")
    await (await popup.value).wait_for_load_state()
    return len(page.context.pages)


async def wait_for_popups(page: Any) -> int:
    """The page has opened four."""
    while len(page.context.pages) < 5:
        await page.wait_for_timeout(50)
    return len(page.context.pages)


async def second_page(page: Any) -> str:
    """Leaves a second page of the context open."""
    other = await page.context.new_page()
    await other.goto(page.url + "?second")
    return str(await other.title())


async def download_file(page: Any) -> int:
    async with page.expect_download() as download:
        await page.click("#file")
    path = await (await download.value).path()
    return len(path.read_bytes())


async def crash_once(page: Any) -> None:
    """The renderer dies under the first page that it is asked of."""
    if not getattr(crash_once, "done", False):
        crash_once.done = True  # type: ignore[attr-defined]
        session = await page.context.new_cdp_session(page)
        crash = asyncio.ensure_future(session.send("Page.crash"))
        crash.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # it fails when the page is closed
        await asyncio.wait({crash}, timeout=2)


async def kill_browser_once(page: Any) -> None:
    if not getattr(kill_browser_once, "done", False):
        kill_browser_once.done = True  # type: ignore[attr-defined]
        for victim in processes(os.environ[RUN], "--headless", "--user-data-dir"):
            victim.kill()
        await asyncio.sleep(0.5)


async def init_page(page: Any, request: Any) -> None:
    await page.add_init_script("window.greeting = 'hello'")
    request.meta["greeted"] = True


async def failing_init(page: Any, request: Any) -> None:
    raise RuntimeError("the user's own fault")


async def abort_images(request: Any) -> bool:
    return bool(request.resource_type == "image")


def own_headers(browser_type_name: str, playwright_request: Any, scrapy_request_data: dict[str, Any]) -> dict[str, str]:
    return {"x-own": f"of the hook {scrapy_request_data['method']}", "user-agent": "hook"}


def own_handler() -> type:
    from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

    class OwnHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
        """A subclass of a user's."""

        async def download_request(self, request: Any) -> Any:
            request.meta["seen_by"] = "the user's handler"
            return await super().download_request(request)

    return OwnHandler


def own_provider() -> type:
    from scrapy_playwright.provider import PlaywrightBrowserProvider

    class OwnProvider(PlaywrightBrowserProvider):  # type: ignore[misc]
        """A provider of a user's, which is no subclass that anybody could replace."""

        async def launch_browser(self) -> Any:
            self.config.launch_options = {**self.config.launch_options, "args": ["--user-agent=provided"]}
            return await super().launch_browser()

    return OwnProvider


def __getattr__(name: str) -> type:
    """The user's classes, whose bases bring the reactor along: settings name them by path."""
    makers: dict[str, Callable[[], type]] = {"OwnHandler": own_handler, "OwnProvider": own_provider}
    if name not in makers:
        raise AttributeError(name)
    globals()[name] = makers[name]()
    made: type = globals()[name]
    return made


# Scenarios: name -> the request's arguments, as a function of the two servers' addresses


def _methods(*methods: Any, **more: Any) -> dict[str, Any]:
    from scrapy_playwright.page import PageMethod

    made = [PageMethod(*method) if isinstance(method, tuple) else method for method in methods]
    return {"playwright_page_methods": made, **more}


INCLUDE = {"playwright_include_page": True}


def scenarios(url: str, secure: str, refused: str) -> dict[str, dict[str, Any]]:
    """Name -> url, meta, and further arguments of the request; `then`: names of the steps of the callback."""
    return {
        **_contexts(url, secure),
        **_page_methods(url),
        **_pages(url, refused),
        **_kinds_of_content(url),
        **_network(url, secure, refused),
        **_moving_pages(url),
    }


def _contexts(url: str, secure: str) -> dict[str, dict[str, Any]]:
    kwargs = {"locale": "de-DE", "viewport": {"width": 700, "height": 500}, "user_agent": "context"}
    return {
        "plain": {"url": f"{url}/article"},
        "default context": {"url": f"{url}/echo?default"},
        "default context again": {"url": f"{url}/storage?default", "then": ["storage"]},
        "context without scripts": {"url": f"{url}/shell", "meta": {"playwright_context": "nojs"}},
        "new context": {"url": f"{url}/measures", "meta": {"playwright_context": "german", "playwright_context_kwargs": kwargs}},
        "context by name only": {"url": f"{url}/measures?again", "meta": {"playwright_context": "german"}},
        "certificates": {"url": f"{secure}/article", "meta": {"playwright_context": "lenient"}},
        "bad certificate": {"url": f"{secure}/article?strict"},
        "proxy of a context": {
            "url": "http://site.invalid/page/7",
            "meta": {"playwright_context": "proxied", "playwright_context_kwargs": {"proxy": {"server": url}}},
        },
        "proxy of Scrapy": {"url": "http://site.invalid/page/8", "meta": {"proxy": url}},
        "context closed by the user": {
            "url": f"{url}/article?closes",
            "meta": {"playwright_context": "short", **INCLUDE},
            "then": ["close"],
        },
        "context made again": {"url": f"{url}/article?again", "meta": {"playwright_context": "short"}},
    }


def _page_methods(url: str) -> dict[str, dict[str, Any]]:
    late = {"timeout": 500}
    return {
        "page methods": {"url": f"{url}/click", "meta": _methods(("click", "button"), ("evaluate", "document.body.innerText.length"))},
        "page methods as a dict": {
            "url": f"{url}/click?dict",
            "meta": {"playwright_page_methods": {"title": _methods(("title",))}, "dict": 1},
        },
        "failing page method": {"url": f"{url}/article?fails", "meta": _methods(_with(late, "click", "button"))},
        "failing method with page": {"url": f"{url}/article?fails-held", "meta": _methods(_with(late, "click", "button"), **INCLUDE)},
        "missing page method": {"url": f"{url}/article?missing", "meta": _methods(("no_such_method",), ("title",))},
        "no page method": {"url": f"{url}/article?none", "meta": _methods("title", ("title",))},
        "slow page method": {"url": f"{url}/article?slow", "meta": _methods((slow_method,), download_timeout=1)},
        "navigating method": {"url": f"{url}/article?goes", "meta": _methods(("goto", f"{url}/page/3"))},
        "popup": {"url": f"{url}/article?opens", "meta": _methods((open_popup,), playwright_context="popups", **INCLUDE)},
        "second page": {"url": f"{url}/article", "meta": _methods((second_page,), playwright_context="second", **INCLUDE)},
        "download by method": {"url": f"{url}/file-link", "meta": _methods((download_file,))},
        "closing method": {"url": f"{url}/article?closed", "meta": _methods(("close",))},
        "screenshot method": {
            "url": f"{url}/tall",
            "meta": _methods(("evaluate", "scrollTo(0, 500)"), ("evaluate", "[scrollY, innerHeight]")),
        },
        "crash": {"url": f"{url}/article?crashes", "meta": _methods((crash_once,))},
        "killed browser": {"url": f"{url}/article?killed", "meta": _methods((kill_browser_once,))},
    }


def _with(options: dict[str, Any], *method: Any) -> Any:
    from scrapy_playwright.page import PageMethod

    return PageMethod(*method, **options)


def _pages(url: str, refused: str) -> dict[str, dict[str, Any]]:
    events = {"dialog": "on_dialog", "response": "on_response", "no-such": "no_such_handler"}
    return {
        "include page": {"url": f"{url}/measures?held", "meta": INCLUDE},
        "page used again": {"url": f"{url}/article?first", "meta": INCLUDE, "then": ["again"]},
        "page of JSON": {"url": f"{url}/json?held", "meta": INCLUDE},
        "page of an error": {"url": f"{url}/not-found?held", "meta": {**INCLUDE, "handle_httpstatus_all": True}},
        "page of a refused connection": {"url": refused, "meta": INCLUDE},
        "events": {"url": f"{url}/dialogs", "meta": {"playwright_page_event_handlers": events}},
        "init callback": {
            "url": f"{url}/article?init",
            "meta": _methods(("evaluate", "window.greeting"), playwright_page_init_callback=init_page),
        },
        "init callback by path": {
            "url": f"{url}/article?path",
            "meta": {"playwright_page_init_callback": "tests.crawl.user_scenarios.init_page"},
        },
        "failing init callback": {"url": f"{url}/article?bad-init", "meta": {"playwright_page_init_callback": failing_init}},
    }


def _kinds_of_content(url: str) -> dict[str, dict[str, Any]]:
    files = ("json", "xml", "text", "pdf", "attachment", "attachment-empty", "attachment-html", "no-content", "image/20", "empty")
    return {
        **{name: {"url": f"{url}/{name}"} for name in (*files, "gbk", "gbk-meta", "shadow")},
        "set-cookie": {"url": f"{url}/set-cookie", "meta": {"playwright_context": "cookies"}},
        "shell-data": {"url": f"{url}/shell-data", "meta": _methods(("wait_for_function", "root.innerText.length > 0"))},
        "not found": {"url": f"{url}/not-found", "meta": {"handle_httpstatus_all": True}},
        "not found, not handled": {"url": f"{url}/not-found?again"},
    }


def _network(url: str, secure: str, refused: str) -> dict[str, dict[str, Any]]:
    goto = {"wait_until": "networkidle", "timeout": 3000, "referer": "http://referer.invalid/", "url": "ignored"}
    return {
        "headers": {"url": f"{url}/echo?headers", "headers": {"X-Own": "yes", "User-Agent": "mine"}, "cookies": {"a": "b"}},
        "post": {
            "url": f"{url}/echo",
            "method": "POST",
            "body": b"a=1&b=2",
            "headers": {"Content-Type": "application/x-www-form-urlencoded"},
        },
        "goto options": {"url": f"{url}/echo?goto", "meta": {"playwright_page_goto_kwargs": goto}},
        "goto timeout": {"url": f"{url}/hang-image", "meta": {"playwright_page_goto_kwargs": {"timeout": 800}}},
        "navigation timeout of the settings": {"url": f"{url}/silent"},
        "redirects": {"url": f"{url}/redirect/3"},
        "redirect loop": {"url": f"{url}/redirect-loop"},
        "unknown host": {"url": "http://nowhere.invalid/"},
        "refused": {"url": refused},
        "reset": {"url": f"{url}/reset"},
        "images": {"url": f"{url}/media"},
    }


def _moving_pages(url: str) -> dict[str, dict[str, Any]]:
    return {
        "script redirect": {"url": f"{url}/js-redirect"},
        "redirect while captured": {"url": f"{url}/moves-later"},
        "change while captured": {"url": f"{url}/lengthens"},
        "popups of the page": {"url": f"{url}/popups", "meta": _methods((wait_for_popups,), playwright_context="opened", **INCLUDE)},
        "huge page": {"url": f"{url}/wide-image"},
    }


# The crawl


def run(plan: dict[str, Any]) -> None:
    import scrapy
    from scrapy import signals
    from scrapy.crawler import AsyncCrawlerProcess

    records: dict[str, Any] = {}
    captured: dict[str, list[Any]] = {}
    table = scenarios(plan["url"], plan["secure_url"], plan["refused_url"])
    events: list[Any] = []

    class Spider(scrapy.Spider):
        name = "user"

        async def start(self) -> Any:
            names = iter(plan["scenarios"])
            if plan.get("at_once"):
                for number, name in enumerate(names):
                    yield self.request(name, iter(()))
                    if number < plan.get("beside", 0):
                        yield self.rendered(number)
            else:
                yield self.request(next(names), names)

        def request(self, name: str, rest: Any) -> scrapy.Request:
            options = {**(table.get(name) or {"url": f"{plan['url']}/slow/{name}"})}
            options.pop("then", None)
            meta = {"playwright": True, "download_timeout": 20, **options.pop("meta", {})}
            return scrapy.Request(
                meta=meta,
                callback=partial(self.parse, name=name, rest=rest),
                errback=partial(self.fail, name=name, rest=rest),
                dont_filter=True,
                **options,
            )

        def rendered(self, number: int) -> scrapy.Request:
            """A page that the add-on renders, in a browser of its own."""
            meta = {"webcontent": {"render": True}, "download_timeout": 60}
            return scrapy.Request(f"{plan['url']}/page/{number}", self.parse_rendered, meta=meta, dont_filter=True)

        def parse_rendered(self, response: Any) -> None:
            captured[f"beside {response.url.rpartition('/')[2]}"] = [len(getattr(response, "boxes", None) or ())]

        async def parse(self, response: Any, name: str, rest: Any) -> Any:
            records[name] = await response_record(response)
            captured[name] = [len(getattr(response, "boxes", None) or ()), len(getattr(response, "screenshot", None) or b"")]
            page = response.meta.get("playwright_page")
            for step in table.get(name, {}).get("then", ()):
                if step == "again":
                    yield response.follow(
                        "/page/4",
                        partial(self.parse, name=f"{name}: second", rest=rest),
                        errback=partial(self.fail, name=f"{name}: second", rest=rest),
                        meta={"playwright": True, "playwright_page": page},
                    )
                    return
                if step == "close":
                    await page.context.close()
                if step == "storage":
                    table["again"] = {"url": response.url}
                    yield self.request("again", rest)
                    return
            if page is not None:
                await page.close()
            for request in self.following(rest):
                yield request

        async def fail(self, failure: Any, name: str, rest: Any) -> Any:
            records[name] = await error_record(failure)
            if (page := failure.request.meta.get("playwright_page")) is not None:
                await page.close()
            for request in self.following(rest):
                yield request

        def following(self, rest: Any) -> Any:
            if (name := next(rest, None)) is not None:
                yield self.request(name, rest)

        async def on_dialog(self, dialog: Any) -> None:
            events.append([dialog.type, dialog.message])
            await dialog.dismiss()

        def on_response(self, response: Any) -> None:
            events.append([response.status, response.url])

    if "capture_s" in plan and plan["addon"]:
        from webcontent.crawl.rendering import capture

        capture.CAPTURE_S = plan["capture_s"]
    settings = {**QUIET, "LOG_LEVEL": "WARNING", **(ADDON if plan["addon"] else {}), **plan["settings"]}
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Spider)
    crawler.signals.connect(lambda: records.update({"at the end": at_end(crawler)}), signal=signals.spider_closed, weak=False)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats.get_stats()
    counted = {name: value for name, value in stats.items() if name.startswith(_COUNTED)}
    ours = {name: value for name, value in stats.items() if name.startswith("webcontent/")}
    result = {"records": records, "captured": captured, "stats": counted, "ours": ours, "events": events}
    print("RESULT " + json.dumps(result, default=repr))


def at_end(crawler: Any) -> dict[str, Any]:
    """What is still open, and what a user's code finds in the handlers."""
    from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

    handlers = [one for one in crawler.engine.downloader.handlers._handlers.values() if isinstance(one, ScrapyPlaywrightDownloadHandler)]
    return {
        "contexts": [sorted(one.context_wrappers) for one in handlers],
        "pages": [sorted(page.url for name in one.context_wrappers.values() for page in name.context.pages) for one in handlers],
        "provider classes": [one.browser_provider_cls.__qualname__ for one in handlers],
    }


async def response_record(response: Any) -> dict[str, Any]:
    """All that a callback sees of a response; its body without the numbers of ports."""
    body = re.sub(rb"127\.0\.0\.1:\d+", b"", response.body)
    headers = {name.decode(): [value.decode("latin-1") for value in values] for name, values in response.headers.items()}
    return {
        "url": response.url,
        "class": type(response).__name__,
        "status": response.status,
        "headers": {name: values for name, values in headers.items() if name != "Date"},
        "body": [len(body), hashlib.sha256(body).hexdigest()],
        "text": getattr(response, "text", "")[-300:],
        "encoding": getattr(response, "encoding", None),
        "flags": response.flags,
        "ip_address": str(response.ip_address),
        "certificate": str(response.certificate),
        "protocol": response.protocol,
        **await request_record(response.request),
    }


async def error_record(failure: Any) -> dict[str, Any]:
    message = re.sub(r"0x[0-9a-f]+|\d+ms", "", str(failure.value))
    response = getattr(failure.value, "response", None)
    return {
        "error": f"{failure.type.__module__}.{failure.type.__name__}",
        "message": message,
        "response": None if response is None else await response_record(response),
        **await request_record(failure.request),
    }


async def request_record(request: Any) -> dict[str, Any]:
    """What is left of the request: its headers, its meta, the results of its page methods, its page."""
    methods = request.meta.get("playwright_page_methods") or ()
    page = request.meta.get("playwright_page")
    return {
        "request_headers": request.headers.to_unicode_dict(),
        "keys": sorted(request.meta),
        "meta": {key: value for key, value in request.meta.items() if key not in _CHANGING and isinstance(value, (str, int, list, dict))}
        if not methods
        else None,
        "results": [getattr(method, "result", None) for method in methods] if isinstance(methods, list) else None,
        "page": None if page is None else await page_record(page),
    }


async def page_record(page: Any) -> dict[str, Any]:
    """The page as the callback gets it."""
    if page.is_closed():
        return {"closed": True}
    script = "[document.title, innerWidth, innerHeight, scrollY, window.resized === true, document.body.innerText.length]"
    try:
        if page.url == "about:blank":  # the browser's page about an error comes a moment later
            await page.wait_for_url("chrome-error:**", timeout=1000)
        state = await page.evaluate(script)
    except Exception as error:
        state = type(error).__name__
    return {"url": page.url, "context_pages": len(page.context.pages), "state": state}


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
