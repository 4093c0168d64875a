"""A rendering crawl in a process of its own. Its command line takes a JSON with what to request; it prints a JSON of all results.

Run as a script this module is the crawl. `crawl()` starts it, kills it if it does not end, and looks for what it left behind.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from tests.crawl.forking import Command

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).parents[2]
RUN = "WEBCONTENT_TEST_RUN"
"""Environment variable by which the processes of a crawl are found again."""
THREADED = "WEBCONTENT_TEST_THREADED_LOOP"
"""Environment variable: if it is set, the browser is used in a thread of its own, as on Windows."""
QUIET = {"TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False, "RETRY_TIMES": 0, "LOG_LEVEL": "INFO"}
WITHOUT_PIPELINES = {
    "webcontent.crawl.pipelines.PageTypePipeline": None,
    "webcontent.crawl.pipelines.ExtractionPipeline": None,
}


@dataclass(slots=True)
class Crawl:
    """The result of a crawl."""

    responses: list[dict[str, Any]]
    """One per callback: url, status, title, text, encoding, flags, page_flags, boxes, screenshot (width and height), meta ..."""
    errors: list[dict[str, Any]]
    """One per errback: url and error, the name of the exception's class."""
    items: list[dict[str, Any]]
    state: dict[str, Any]
    """At the crawl's end: open_pages, free_pages and page_limit by context, browsers, held_p99_ms."""
    stats: dict[str, Any]
    log: str
    returncode: int
    left: list[str]
    """Command lines of processes that outlived the crawl."""
    elapsed_s: float

    def response(self, url: str) -> dict[str, Any]:
        """The one response to the request for that address."""
        (response,) = [response for response in self.responses if response["asked"] == url]
        return response

    def error(self, url: str) -> str:
        (error,) = [error["error"] for error in self.errors if error["url"] == url]
        return error

    def check(self) -> None:
        """The crawl has ended by itself and left nothing open."""
        assert self.returncode == 0, self.log[-3000:]
        assert self.state["open_pages"] == 0, self.state["open_urls"]
        assert self.state["free_pages"] == self.state["page_limit"]
        assert self.left == []
        assert "never retrieved" not in self.log
        assert "never awaited" not in self.log
        assert "Traceback" not in self.log, self.log[self.log.index("Traceback") - 500 :][:3000]


def crawl(
    requests: list[str | dict[str, Any]],
    *,
    timeout_s: float = 120,
    during: Callable[[Any, str], None] | None = None,
    **options: Any,
) -> Crawl:
    """The crawl of these addresses (or dicts of url, meta, methods, parse ...), killed after `timeout_s`.

    `options`: settings, env, parse (name of a callback below), process ("CrawlerProcess"), is_filtered (the dupefilter works),
    pages_per_context, consent_s (the longest refusal of consent), colour (#rrggbb, whose share
    of each screenshot is told), may_die (no result is no failure), hosts (name -> IP address), allowed_domains.
    `during` gets the process and its run's id, and may do harm.
    """
    run = uuid.uuid4().hex
    plan = {"requests": [{"url": one} if isinstance(one, str) else one for one in requests], **options}
    begin = time.monotonic()
    process = start(json.dumps(plan), {RUN: run, **options.get("env", {})})
    if during:
        during(process, run)
    try:
        output, log = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _output, log = process.communicate()
        raise AssertionError(f"The crawl did not end within {timeout_s:g} s:\n{log[-4000:]}") from None
    elapsed_s = time.monotonic() - begin
    left = leftovers(run)
    result = json.loads(output.rpartition("RESULT ")[2]) if "RESULT " in output else {}
    assert result or options.get("may_die"), f"The crawl gave no result:\n{log[-4000:]}"
    keys = ("responses", "errors", "items", "state", "stats")
    return Crawl(**{key: result.get(key, {}) for key in keys}, log=log, returncode=process.returncode, left=left, elapsed_s=elapsed_s)


def start(plan: str, env: dict[str, str], program: str = "rendered") -> Command | subprocess.Popen[str]:
    """The process of a crawl, the `run` of a module of these tests. A crawl whose modules come from another path is no fork."""
    folder = Path(tempfile.gettempdir())
    if sys.platform == "linux" and "PYTHONPATH" not in env:
        return Command(program, plan, cwd=folder, env=env, start_new_session=True)
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name(f"{program}.py")), plan],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(CHECKOUT), **env},
        text=True,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def leftovers(run: str, patience_s: float = 5) -> list[str]:
    """Command lines of the run's processes that do not end within `patience_s`; they are killed."""
    end = time.monotonic() + patience_s
    while (running := processes(run)) and time.monotonic() < end:
        time.sleep(0.1)
    lines = [" ".join(process.cmdline()[:3]) for process in running if process.is_running()]
    for process in running:
        process.kill()
    return lines


def processes(run: str, *words: str) -> list[psutil.Process]:
    """The run's processes whose command line holds all of the words."""
    matching = []
    for process in psutil.process_iter():
        try:
            if (
                process.status() != psutil.STATUS_ZOMBIE
                and process.environ().get(RUN) == run
                and all(word in " ".join(process.cmdline()) for word in words)
            ):
                matching.append(process)
        except psutil.Error:  # it ended meanwhile, or is not ours
            continue
    return matching


# The crawl itself


def peak_mb() -> int:
    """The most memory that this process had. The figure of getrusage starts with that of the parent process."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024


def image_size(data: bytes | None) -> list[int] | None:
    if not data:
        return None
    from io import BytesIO

    from PIL import Image

    return list(Image.open(BytesIO(data)).size)


def share_of(colour: str, data: bytes | None) -> float | None:
    """The share of a screenshot's pixels that have about this colour."""
    if not data:
        return None
    from io import BytesIO

    from PIL import Image, ImageChops

    image = Image.open(BytesIO(data)).convert("RGB")
    difference = ImageChops.difference(image, Image.new("RGB", image.size, colour)).convert("L")
    return sum(difference.histogram()[:16]) / (image.width * image.height)


async def click(page: Any) -> None:
    """A page method of a user's."""
    await page.click("button", timeout=5000)


async def greet(page: Any, request: Any) -> None:
    """A page init callback of a user's."""
    await page.add_init_script("window.greeting = 'hello'")
    request.meta["greeted"] = True


class Slow:
    """An extractor of a user's that takes its time."""

    name = "slow"
    needs: frozenset[str] = frozenset()

    def __call__(self, document: Any) -> Any:
        from webcontent.extraction import Extraction

        time.sleep(0.3)
        return Extraction(body="slow")


class Boxed(Slow):
    """An extractor that asks for boxes."""

    name = "boxed"
    needs = frozenset({"boxes"})


def run(plan: dict[str, Any]) -> None:
    import warnings

    import scrapy
    import tldextract
    from scrapy import crawler as crawlers
    from scrapy import signals
    from scrapy.downloadermiddlewares import cookies
    from scrapy.exceptions import ScrapyDeprecationWarning

    from webcontent.crawl.scope import CrawlScope
    from webcontent.crawl.workers import WorkerPool
    from webcontent.items import Page

    warnings.filterwarnings("error", category=ScrapyDeprecationWarning)
    # At its first cookie Scrapy downloads the list of public suffixes; the list in tldextract is enough here.
    cookies._split_domain = tldextract.TLDExtract(suffix_list_urls=())
    if "hosts" in plan:
        look_up = socket.getaddrinfo
        socket.getaddrinfo = lambda host, *options, **named: look_up(plan["hosts"].get(host, host), *options, **named)
    if "pages_per_context" in plan:
        from webcontent.crawl.rendering import browser

        browser.PAGES_PER_CONTEXT = plan["pages_per_context"]

    if "consent_s" in plan:
        from webcontent.crawl.rendering.preparation import consent

        consent.DATA_S, consent.PATIENCE_S = plan["consent_s"], plan["consent_s"] / 4

    responses: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    items: list[dict[str, Any]] = []
    state: dict[str, Any] = {"open_pages": 0, "free_pages": {}, "page_limit": {}, "held_ms": [], "most_pages": 0}

    def method(name: str) -> Any:
        from scrapy_playwright.page import PageMethod

        if name == "click":
            return PageMethod(click)
        return PageMethod("evaluate", "document.body.append(window.greeting + ' ' + document.body.innerText.includes('clicked'))")

    class Spider(scrapy.Spider):
        name = "rendered"
        allowed_domains = plan.get("allowed_domains")

        async def start(self) -> Any:
            for asked in plan["requests"]:
                meta = {**asked.get("meta", {}), "asked": asked["url"]}
                if "methods" in asked:
                    meta["playwright_page_methods"] = [method(name) for name in asked["methods"]]
                if asked.get("greet"):
                    meta["playwright_page_init_callback"] = greet
                yield scrapy.Request(
                    asked["url"],
                    callback=getattr(self, asked.get("parse") or plan.get("parse", "parse")),
                    errback=self.fail,
                    meta=meta,
                    headers=asked.get("headers"),
                    cookies=asked.get("cookies"),
                    dont_filter=not plan.get("is_filtered"),
                )

        def parse(self, response: Any) -> Any:
            responses.append(self.summary(response))

        def parse_page(self, response: Any) -> Any:
            responses.append(self.summary(response))
            if isinstance(response, scrapy.http.HtmlResponse):
                yield Page.from_response(response)

        def parse_follow(self, response: Any) -> Any:
            """Follows with all of the response's meta, as many spiders do."""
            responses.append(self.summary(response))
            for url in response.meta.get("follow", ()):
                yield response.follow(url, self.parse, meta={**response.meta, "asked": url, "follow": ()}, errback=self.fail)

        def parse_media(self, response: Any) -> Any:
            responses.append(self.summary(response))
            yield {"image_urls": [response.urljoin("/image/20")], "file_urls": [response.urljoin("/article?as-a-file")]}

        async def parse_held(self, response: Any) -> None:
            """Uses the live page, then closes it."""
            page = response.meta["playwright_page"]
            summary = self.summary(response)
            summary["held"] = [page.is_closed(), await page.title()]
            await page.close()
            responses.append(summary)

        def parse_raise(self, response: Any) -> Any:
            responses.append(self.summary(response))
            raise RuntimeError("the spider's own fault")

        def fail(self, failure: Any) -> None:
            errors.append({"url": failure.request.meta["asked"], "error": failure.type.__name__, "message": str(failure.value)})

        def summary(self, response: Any) -> dict[str, Any]:
            html = isinstance(response, scrapy.http.HtmlResponse)
            return {
                "asked": response.meta["asked"],
                "url": response.url,
                "class": type(response).__name__,
                "status": response.status,
                "headers": {name.decode().lower(): b", ".join(values).decode("latin-1") for name, values in response.headers.items()},
                "encoding": getattr(response, "encoding", None),
                "size": len(response.body),
                "title": response.css("title::text").get() if html else None,
                "text": " ".join(response.css("body ::text").getall())[:20_000] if html else None,
                "content": " ".join(response.xpath("//body//text()[not(ancestor::script)]").getall())[:200_000] if html else None,
                "flags": response.flags,
                "fetched_at": getattr(response, "fetched_at", None),
                "preparation": getattr(response, "preparation", None),
                "page_flags": getattr(response, "page_flags", None),
                "boxes": None if getattr(response, "boxes", None) is None else response.boxes[:400],
                "screenshot": image_size(getattr(response, "screenshot", None)),
                "colour_share": share_of(plan["colour"], getattr(response, "screenshot", None)) if "colour" in plan else None,
                "screenshot_bytes": len(getattr(response, "screenshot", None) or b""),
                "meta": {key: value for key, value in response.meta.items() if isinstance(value, (str, int, float, list, bool, dict))},
                "meta_keys": sorted(response.meta),
            }

    def look(spider: Any = None) -> None:
        """Before the browser is closed."""
        state["peak_mb"] = peak_mb()
        state["drivers"] = len(processes(os.environ[RUN], "run-driver"))
        module = sys.modules.get("webcontent.crawl.rendering.handler")
        own = CrawlScope.of(crawler).find(module.RenderBrowser) if module else None
        handlers = (CrawlScope.of(crawler).find(module.Handlers) or []) if module else []
        browsers = [getattr(handler, "browser", None) for handler in handlers] + [own.browser if own else None]
        contexts = [context for browser in browsers if browser for context in browser.contexts]
        state["open_pages"] = sum(len(context.pages) for context in contexts)
        state["open_urls"] = [page.url for context in contexts for page in context.pages]
        for name, context in (own.contexts if own else {}).items():
            state["free_pages"][name] = context.semaphore._value
            state["page_limit"][name] = own.page_limit

    async def measure() -> None:
        """How long the event loop is held: the CPU time of its thread between two looks, which other processes do not change."""
        while True:
            begin = time.thread_time()
            await asyncio.sleep(0.01)
            state["held_ms"].append((time.thread_time() - begin) * 1000)
            state["most_pages"] = max(state["most_pages"], WorkerPool.of(crawler).pages)

    loop = {"_PLAYWRIGHT_THREADED_LOOP": bool(os.environ.get(THREADED))}
    settings = {**QUIET, **loop, "ADDONS": {"webcontent.crawl.addon.Addon": 500}, **plan.get("settings", {})}
    process = getattr(crawlers, plan.get("process", "AsyncCrawlerProcess"))(settings)
    crawler = process.create_crawler(Spider)
    tasks: list[Any] = []
    crawler.signals.connect(look, signal=signals.spider_closed, weak=False)
    crawler.signals.connect(lambda: tasks.append(asyncio.ensure_future(measure())), signal=signals.engine_started, weak=False)
    crawler.signals.connect(lambda: tasks.pop().cancel(), signal=signals.engine_stopped, weak=False)
    crawler.signals.connect(
        lambda item: items.append(json.loads(json.dumps(item, default=as_dict))), signal=signals.item_scraped, weak=False
    )
    process.crawl(crawler)
    process.start()
    held = sorted(state.pop("held_ms")) or [0.0]
    state["held_p99_ms"] = held[int(len(held) * 0.99)]
    stats = {key: value for key, value in crawler.stats.get_stats().items() if isinstance(value, (str, int, float))}
    print("RESULT " + json.dumps({"responses": responses, "errors": errors, "items": items, "state": state, "stats": stats}, default=repr))


def as_dict(value: Any) -> Any:
    from itemadapter import ItemAdapter, is_item

    if is_item(value):
        return {"class": type(value).__name__, **{key: part for key, part in ItemAdapter(value).items() if not isinstance(part, bytes)}}
    return repr(value)


if __name__ == "__main__":
    run(json.loads(sys.argv[1]))
