"""What to ask of a browser: which one, how it is started, what it may load, and how a page is read and photographed."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.http import HtmlResponse

from webcontent.crawl.config import RESOURCE_TYPES
from webcontent.crawl.discovery.urls import is_private

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from playwright.async_api import CDPSession

    from webcontent.crawl.config import Config

logger = logging.getLogger(__name__)

VIEWPORT_HEIGHT = 900
PICTURE_WIDTH = 512
"""px of a picture that only the page type classifier looks at: the width of the pictures that it learned from."""
JPEG_QUALITY = 60
MAX_ROWS = 2500
MAX_NODES = 60_000
LITTLE_TEXT = 200
"""Characters: a page with less and with scripts is not finished, or a shell that scripts fill."""
QUIET_MS, WAIT_MS = 100, 2000
"""A page whose scripts load data is read when it has not changed for QUIET_MS; WAIT_MS is the longest wait."""

INSTALL_HINT = (
    "No Chromium was found, so pages are fetched without rendering and typed by their HTML alone. Install one (playwright install "
    "chromium, or your system's package chromium-headless-shell, which needs half the CPU time, or chromium), or name one in "
    "WEBCONTENT_BROWSER."
)
_ON_PATH = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge", "microsoft-edge")
_CHANNELS = ("chromium", "chrome", "chrome-beta", "chrome-dev", "chrome-canary", "msedge", "msedge-beta", "msedge-dev", "msedge-canary")
_SCRIPT = Path(__file__).with_name("capture.js").read_text(encoding="utf-8")


# The browser


@dataclass(frozen=True, slots=True)
class Browser:
    """A Chromium to start: a path, a channel of Playwright's, or neither for Playwright's own."""

    executable: str | None = None
    channel: str | None = None


def find_browser(wanted: str | None) -> Browser | None:
    """The browser that was asked for, else Playwright's own, else the first on PATH; None where there is none.

    Raises ValueError for a `wanted` that is neither an executable file nor a channel.
    """
    if wanted is None:
        if _playwright_has_chromium():
            return Browser()
        return next((Browser(executable=path) for name in _ON_PATH if (path := shutil.which(name))), None)
    if path := shutil.which(wanted):  # also a path
        return Browser(executable=path)
    if wanted in _CHANNELS:
        return Browser(channel=wanted)
    known = ", ".join(_CHANNELS)
    raise ValueError(f"WEBCONTENT_BROWSER is {wanted!r}; it takes the path of an executable, a name on PATH, or a channel: {known}.")


def launch_options(browser: Browser) -> dict[str, Any]:
    """Arguments of Playwright's `launch`."""
    options: dict[str, Any] = {
        "chromium_sandbox": not _is_root(),
        # A page that is being read when Ctrl-C comes is still finished; the handler closes the browser.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "args": ["--disable-gpu", "--mute-audio", "--disable-dev-shm-usage", "--blink-settings=lazyLoadEnabled=false"],
    }
    if browser.executable:
        options["executable_path"] = browser.executable
    if browser.channel:
        options["channel"] = browser.channel
    return options


def warn_of_root() -> None:
    if _is_root():
        logger.warning("The crawl runs as root, so Chromium runs without its sandbox. Use another user for sites that you do not trust.")


def context_options(config: Config, user_agent: str | None) -> dict[str, Any]:
    """Arguments of Playwright's `new_context`. Downloads are refused: files are fetched without the browser."""
    options: dict[str, Any] = {
        "viewport": {"width": config.screenshot_size[0], "height": VIEWPORT_HEIGHT},
        "service_workers": "block",
        "accept_downloads": False,
        "ignore_https_errors": True,
    }
    return options | ({"user_agent": user_agent} if user_agent else {})


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _playwright_has_chromium() -> bool:
    """Whether `playwright install` has put the Chromium of this version of Playwright on the disk."""
    import playwright

    listed = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
    try:
        browsers = json.loads(listed.read_text(encoding="utf-8"))["browsers"]
    except (OSError, ValueError, KeyError):
        return False
    folders = [
        f"{entry['name'].replace('-', '_')}-{entry['revision']}"
        for entry in browsers
        if entry.get("name") in ("chromium", "chromium-headless-shell")
    ]
    return any((_browsers_folder() / folder / "INSTALLATION_COMPLETE").exists() for folder in folders)


def _browsers_folder() -> Path:
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if chosen and chosen != "0":
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright"
    if sys.platform == "win32":
        return Path.home() / "AppData" / "Local" / "ms-playwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ms-playwright"


# What it may load


DATA = frozenset({"XHR", "Fetch"})
"""Requests by which scripts load what the page will show."""


@lru_cache(maxsize=8)
def fetch_patterns(block: tuple[str, ...], *, on_private_page: bool) -> list[dict[str, str]]:
    """Patterns of the DevTools protocol for the requests that are stopped and judged by `is_blocked`; all others pass without us.

    Documents are among them because the first one gets Scrapy's headers, data because the page waits for it; the answers of
    both are stopped too, for what they tell. The patterns of hosts match too much on purpose.
    """
    types = [{"urlPattern": "*", "resourceType": _protocol_name(part)} for part in block if part in RESOURCE_TYPES]
    hosts = [{"urlPattern": f"*{part}*"} for part in block if part not in RESOURCE_TYPES]
    private = [{"urlPattern": f"*://{start}*"} for start in ("localhost", "127.", "10.", "192.168.", "169.254.", "172.", "0.", "[")]
    told = [{"urlPattern": "*", "resourceType": kind} for kind in ("Document", *sorted(DATA))]
    answers = [{**pattern, "requestStage": "Response"} for pattern in told]
    return [*told, *answers, *types, *hosts, *([] if on_private_page else private)]


def is_blocked(url: str, resource_type: str, block: tuple[str, ...], *, on_private_page: bool) -> bool:
    """Whether the browser may not load this. Public pages may not reach into the own network.

    >>> is_blocked("https://ads.doubleclick.net/x.js", "Script", ("font", "doubleclick.net"), on_private_page=False)
    True
    >>> is_blocked("http://192.168.0.1/reboot", "Image", (), on_private_page=False)
    True
    """
    if any(part in RESOURCE_TYPES and _protocol_name(part) == resource_type for part in block):
        return True
    host = _host(url)
    if any(host == part or host.endswith(f".{part}") for part in block):
        return True
    if url.startswith("ws"):
        url = "http" + url[2:]
    return not on_private_page and url.startswith("http") and is_private(url)


def _protocol_name(resource_type: str) -> str:
    names = {"xhr": "XHR", "websocket": "WebSocket", "eventsource": "EventSource", "texttrack": "TextTrack"}
    return names.get(resource_type, resource_type.capitalize())


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""


# Reading a page


@dataclass(slots=True)
class Capture:
    """A page as the browser has it."""

    html: str
    boxes: list[list[Any]]
    url: str
    text: int
    """Characters of text, blanks collapsed."""
    pictures: int
    height: int
    """CSS px."""
    truncated: bool
    loading: bool
    """Whether the parser still waits: for the rest of the document, or for a script."""
    screenshot: bytes | None = None
    faults: set[str] = field(default_factory=set)
    """What is missing: screenshot, moved."""

    @property
    def is_empty(self) -> bool:
        return not self.text and not self.pictures


async def read_page(session: CDPSession, frame: str, config: Config, *, dynamic: bool) -> Capture:
    """HTML and boxes of the page, from one moment.

    `dynamic`: scripts have loaded data, so the page gets time to show it. Raises Playwright's errors, and ValueError for
    an answer that is none.
    """
    limits = {
        "maxCharacters": config.max_bytes,
        "maxHeight": config.screenshot_size[1],
        "maxRows": MAX_ROWS,
        "maxNodes": MAX_NODES,
        "littleText": LITTLE_TEXT,
        "quietMs": QUIET_MS,
        "waitMs": WAIT_MS,
        "dynamic": dynamic,
    }
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "webcontent"})
    answer = await session.send(
        "Runtime.evaluate",
        {
            "expression": f"({_SCRIPT})({json.dumps(limits)})",
            "contextId": world["executionContextId"],
            "awaitPromise": True,
            "returnByValue": True,
        },
    )
    value = answer["result"].get("value")
    if not isinstance(value, str):
        raise ValueError(f"the page could not be read: {str(answer.get('exceptionDetails'))[:300]}")  # noqa: TRY004  (a wrong answer)
    found = json.loads(value)
    return Capture(
        html=found["html"],
        boxes=found["rows"],
        url=found["url"],
        text=found["text"],
        pictures=found["pictures"],
        height=found["height"],
        truncated=found["truncated"],
        loading=found["loading"],
    )


async def photograph(session: CDPSession, height: int, config: Config, *, full_size: bool) -> bytes:
    """The page's picture from its top to `height` or the largest height, scaled down in the browser unless `full_size`.

    Raises Playwright's errors, and ValueError for an empty answer (WebP of more than 16,383 px gives that).
    """
    width, limit = config.screenshot_size
    scale = 1.0 if full_size else min(1.0, PICTURE_WIDTH / width)
    options: dict[str, Any] = {
        "format": config.screenshot_format,
        "captureBeyondViewport": True,
        "optimizeForSpeed": True,
        "clip": {"x": 0, "y": 0, "width": width, "height": max(1, min(height, limit)), "scale": scale},
    }
    if config.screenshot_format != "png":
        options["quality"] = JPEG_QUALITY
    answer = await session.send("Page.captureScreenshot", options)
    if not answer.get("data"):
        raise ValueError("the browser gave an empty picture")
    return base64.b64decode(answer["data"])


async def within(seconds: float, work: Awaitable[Any]) -> Any:
    """What `work` gives; TimeoutError when it takes longer.

    It is not cancelled then: a call to the browser that is cancelled leaves its answer without a reader. It ends with an
    error when the page is closed, and that error is read here.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    finished, _ = await asyncio.wait({task}, timeout=seconds)
    if not finished:
        raise TimeoutError
    return task.result()


# The response


class RenderedResponse(HtmlResponse):
    """A page as the browser showed it, with the server's status and headers. The HTTP cache restores all of it."""

    attributes: tuple[str, ...] = (*HtmlResponse.attributes, "screenshot", "boxes", "page_flags", "fetched_at")

    def __init__(
        self,
        *args: Any,
        screenshot: bytes | None = None,
        boxes: list[list[Any]] | None = None,
        page_flags: list[str] | None = None,
        fetched_at: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.screenshot = screenshot
        """JPEG, PNG or WebP; None when none was taken."""
        self.boxes = boxes
        """Rows in the order of `document.boxes.COLUMNS`; None when the page was not rendered."""
        self.page_flags = list(page_flags or ())
        """Flags that the item will carry: render-failed, not-rendered, truncated."""
        self.fetched_at = fetched_at
        """ISO 8601 with offset."""
        super().__init__(*args, **kwargs)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# Does a page need a browser?

_TOKEN = re.compile(r"<(/?)([a-zA-Z]+)[^<>]*>?|(<!--)|([^<]+)|<")
_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "title"})
SHELL_CHARACTERS = 1_000_000
"""A longer page is no shell."""
SHELL_LINKS = 15
"""A page with more links is a list, no shell."""


def is_shell(html: str) -> bool:
    """Whether a page is an empty shell that its scripts fill: scripts, few links, and less than LITTLE_TEXT characters beside them.

    It looks at tokens, once, and stops where the page has shown enough: it runs on the reactor's thread, on any page.

    >>> is_shell("<div id=root></div><script src=app.js></script>")
    True
    >>> is_shell("<p>Not found.</p>")
    False
    """
    if len(html) > SHELL_CHARACTERS:
        return False
    characters = links = 0
    has_script = in_link = False
    unseen = ""  # the element, or comment, whose end is waited for
    for token in _TOKEN.finditer(html):
        closing, tag, comment, text = token.groups()
        name = (tag or "").lower()
        if unseen:
            if (closing and name == unseen) or (unseen == "<!--" and text and "-->" in text):
                unseen = ""
        elif comment:
            unseen = comment
        elif name in _UNSEEN and not closing:
            unseen = name
            has_script = has_script or name == "script"
        elif name == "a":
            in_link = not closing
            links += in_link
        elif text and not in_link:
            characters += len(text.strip())
        if characters >= LITTLE_TEXT or links > SHELL_LINKS:
            return False
    return has_script
