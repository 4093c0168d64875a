"""Which Chromium renders the pages, and with what options it is started."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webcontent.crawl.setup_errors import WrongValueError

logger = logging.getLogger(__name__)

INSTALL_HINT = (
    "No Chromium was found, so pages are fetched without rendering and typed by their HTML alone. Install one (playwright install "
    "chromium, or your system's package chromium-headless-shell, which needs half the CPU time, or chromium), or name one in "
    "WEBCONTENT_BROWSER."
)
_ON_PATH = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge", "microsoft-edge")
"""Names that are looked up on PATH, in this order."""
_ON_MACOS = (
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Chromium.app/Contents/MacOS/Chromium",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
"""Paths within /Applications and a user's own folder of that name."""
_ON_WINDOWS = (r"Google\Chrome\Application\chrome.exe", r"Chromium\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")
"""Paths within the folders of programs."""
_WINDOWS_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
"""Environment variables with those folders."""
_CHANNELS = ("chromium", "chrome", "chrome-beta", "chrome-dev", "chrome-canary", "msedge", "msedge-beta", "msedge-dev", "msedge-canary")
"""Names by which Playwright finds browsers that are installed."""


@dataclass(frozen=True, slots=True)
class Browser:
    """A Chromium to start: a path, a channel of Playwright's, or neither for Playwright's own."""

    executable: str | None = None
    channel: str | None = None


def find_browser(wanted: str | None) -> Browser | None:
    """The wanted browser, else Playwright's own, else the first on PATH or where the system installs programs; None if there is none.

    Raises ValueError for a `wanted` that is neither an executable file nor a channel.
    """
    if wanted is None:
        if _playwright_has_chromium():
            return Browser()
        on_path = (path for name in _ON_PATH if (path := shutil.which(name)))
        installed = (str(path) for path in _installed_paths() if path.is_file())
        path = next(on_path, None) or next(installed, None)
        return Browser(executable=path) if path else None
    if path := shutil.which(wanted):  # also finds an executable by its path
        return Browser(executable=path)
    if wanted in _CHANNELS:
        return Browser(channel=wanted)
    known = ", ".join(_CHANNELS)
    raise WrongValueError(f"WEBCONTENT_BROWSER is {wanted!r}; it takes the path of an executable, a name on PATH, or a channel: {known}.")


def _installed_paths() -> list[Path]:
    """Where macOS and Windows install browsers, which are not on PATH there."""
    if sys.platform == "darwin":
        return [folder / path for path in _ON_MACOS for folder in (Path("/Applications"), Path.home() / "Applications")]
    if sys.platform == "win32":
        folders = [os.environ[name] for name in _WINDOWS_FOLDERS if os.environ.get(name)]
        return [Path(folder, *path.split("\\")) for path in _ON_WINDOWS for folder in folders]
    return []


def launch_options(browser: Browser) -> dict[str, Any]:
    """Arguments of Playwright's `launch`."""
    options: dict[str, Any] = {
        "chromium_sandbox": not _is_root(),
        # Ctrl-C must not end the browser: open pages are still finished, and the handler closes the browser.
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


def warn_if_root() -> None:
    """Logs a warning if the process runs as root, since Chromium's sandbox is off then."""
    if _is_root():
        logger.warning("The crawl runs as root, so Chromium runs without its sandbox. Use another user for sites that you do not trust.")


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _playwright_has_chromium() -> bool:
    """Whether `playwright install` has put the Chromium of this version of Playwright on the disk."""
    import playwright

    versions = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
    try:
        browsers = json.loads(versions.read_text(encoding="utf-8"))["browsers"]
    except (OSError, ValueError, KeyError):
        return False
    folders = [
        f"{entry['name'].replace('-', '_')}-{entry['revision']}"
        for entry in browsers
        if entry.get("name") in ("chromium", "chromium-headless-shell")
    ]
    return any((_browsers_folder() / folder / "INSTALLATION_COMPLETE").exists() for folder in folders)


def _browsers_folder() -> Path:
    """Where Playwright keeps its browsers on this system."""
    configured = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if configured and configured != "0":
        return Path(configured)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ms-playwright"
    if sys.platform == "win32":
        return Path.home() / "AppData" / "Local" / "ms-playwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ms-playwright"
