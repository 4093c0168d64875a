"""What the commands that run a crawl of ours share: the add-on, the packages that they need, and what they say when it can't begin."""

from __future__ import annotations

import asyncio
import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from webcontent.models import ModelError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler, CrawlerProcessBase
    from scrapy.settings import BaseSettings
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

ADDON_PRIORITY = 300
"""Priority of the add-on where a project does not list it."""
REQUIRED_PACKAGES = {
    "onnxruntime": "the models need it",
    "scrapy_playwright": "Scrapy needs it to reach a browser",
    "playwright": "Scrapy needs it to reach a browser",
}
"""Dependencies of this package that may be missing all the same -> what they are needed for."""


def refuse_unknown_options(args: list[str], command: str) -> None:
    """Raises UsageError for options that do not exist, which Scrapy passes on as arguments."""
    for arg in args:
        if arg.startswith("-"):
            raise UsageError(f"There is no option {arg}; scrapy {command} -h lists them.", print_help=False)


def check_packages() -> None:
    """Raises UsageError if a required package is missing."""
    for package, reason in REQUIRED_PACKAGES.items():
        if find_spec(package) is None:
            name = package.replace("_", "-")
            raise UsageError(f"{name} is not installed, and {reason}: pip install {name}", print_help=False)


def add_addon(settings: BaseSettings) -> None:
    """Puts the add-on into the settings of a command, unless the project has placed it or switched it off."""
    from webcontent.crawl.addon import Addon

    settings.setdefault_in_component_priority_dict("ADDONS", Addon, ADDON_PRIORITY)


def run_crawl(process: CrawlerProcessBase, crawler: Crawler, **arguments: Any) -> bool:
    """Runs a crawl to its end. Logs the error, and returns False, if it could not begin."""
    task: Any = process.crawl(crawler, **arguments)
    process.start()
    if error := _error_of(task):
        is_expected = isinstance(error, (ModelError, ValueError))  # their messages are complete without a traceback
        logger.critical(str(error), exc_info=None if is_expected else error)
    return error is None


def _error_of(task: asyncio.Task[None] | Deferred[None]) -> BaseException | None:
    """The error that kept a crawl from starting. Scrapy does not log it."""
    if isinstance(task, asyncio.Task):
        return task.exception()
    errors: list[BaseException | None] = []

    def keep(failure: Failure) -> None:
        errors.append(failure.value)

    task.addErrback(keep)
    return errors[0] if errors else None
