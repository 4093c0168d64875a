"""Which Chromium renders the pages, and with what options it is started."""

from __future__ import annotations

import json
import os
import shutil
from itertools import product
from pathlib import Path
from typing import Any

from webcontent.crawl.setup_errors import WrongValueError

INSTALL_HINT = (
    "No Chromium was found, so pages are fetched without rendering and typed by their HTML alone. Install one (playwright install "
    "chromium, or your system's package chromium-headless-shell, which needs half the CPU time, or chromium), or name one in "
    "WEBCONTENT_BROWSER."
)
_ON_PATH = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge", "microsoft-edge")
"""Names that are looked up on PATH, in this order."""
_FOLDERS = ("/Applications", "~/Applications", "${PROGRAMFILES}", "${PROGRAMFILES(X86)}", "${LOCALAPPDATA}")
_PROGRAMS = (
    *(f"{name}.app/Contents/MacOS/{name}" for name in ("Google Chrome", "Chromium", "Microsoft Edge")),
    *("Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe"),
)
"""Where macOS and Windows install browsers, which are not on PATH there: folders, and paths within them."""
_CHANNELS = ("chromium", "chrome", "chrome-beta", "chrome-dev", "chrome-canary", "msedge", "msedge-beta", "msedge-dev", "msedge-canary")
"""Names by which Playwright finds browsers that are installed."""


def find_browser(wanted: str | None) -> dict[str, str] | None:
    """Playwright's options for the wanted browser, else for its own, else for the first on PATH or where the system installs programs.

    Empty for Playwright's own, None if there is none. Raises ValueError for a `wanted` that is neither an executable file nor a channel.
    """
    if wanted is None:
        if _playwright_has_chromium():
            return {}
        paths = (Path(os.path.expandvars(f"{folder}/{program}")).expanduser() for folder, program in product(_FOLDERS, _PROGRAMS))
        found = next(filter(None, map(shutil.which, (*_ON_PATH, *map(str, paths)))), None)
        return {"executable_path": found} if found else None
    if path := shutil.which(wanted):  # also finds an executable by its path
        return {"executable_path": path}
    if wanted in _CHANNELS:
        return {"channel": wanted}
    known = ", ".join(_CHANNELS)
    raise WrongValueError(f"WEBCONTENT_BROWSER is {wanted!r}; it takes the path of an executable, a name on PATH, or a channel: {known}.")


def launch_options(wanted: str | None) -> dict[str, Any]:
    """Arguments of Playwright's `launch`. As root Chromium runs without its sandbox."""
    return {
        "chromium_sandbox": not hasattr(os, "geteuid") or os.geteuid() != 0,
        # Ctrl-C must not end the browser: open pages are still finished, and the handler closes the browser.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "args": ["--disable-gpu", "--mute-audio", "--disable-dev-shm-usage", "--blink-settings=lazyLoadEnabled=false"],
        **(find_browser(wanted) or {}),
    }


def _playwright_has_chromium() -> bool:
    """Whether `playwright install` has put the Chromium of this version of Playwright on the disk."""
    import playwright

    versions = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
    try:
        browsers = {entry["name"]: entry["revision"] for entry in json.loads(versions.read_text(encoding="utf-8"))["browsers"]}
    except (OSError, ValueError, KeyError):
        return False
    configured = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    caches = [os.environ.get("XDG_CACHE_HOME") or "~/.cache", "~/Library/Caches", "~/AppData/Local"]
    folders = [configured] if configured and configured != "0" else [f"{cache}/ms-playwright" for cache in caches]
    names = [f"{name.replace('-', '_')}-{browsers.get(name)}" for name in ("chromium", "chromium-headless-shell")]
    return any(Path(folder, name, "INSTALLATION_COMPLETE").expanduser().exists() for folder, name in product(folders, names))
