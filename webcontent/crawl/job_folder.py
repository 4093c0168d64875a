"""A crawl that can't continue in its JOBDIR says so in one sentence. Scrapy itself fails with a traceback, or waits for ever."""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from scrapy.core.scheduler import Scheduler
from scrapy.pqueues import DownloaderAwarePriorityQueue, ScrapyPriorityQueue
from scrapy.utils.job import job_dir

from webcontent.crawl.setup_errors import SetupError
from webcontent.crawl.stopping import stop_crawl
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.settings import BaseSettings
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

_WITHOUT_DELAY = (ScrapyPriorityQueue, DownloaderAwarePriorityQueue)
"""Queues that give a request as long as they have one. A queue of a user's own may hold it back."""


def use_job_folder(settings: BaseSettings) -> None:
    """Creates the JOBDIR, if one is set, and sets the scheduler that reads it. Raises SetupError if it can't be written."""
    if not settings.get("JOBDIR"):
        return
    try:
        folder = Path(job_dir(settings) or "")
        with TemporaryFile(dir=folder):
            pass
        for path in (folder / "requests.seen", folder / "spider.state"):
            if path.exists():
                path.open("ab").close()
    except OSError as error:
        raise SetupError(f"The JOBDIR {_name(settings)} can't be written: {error.strerror or error}.") from error
    settings.set("SCHEDULER", JobScheduler, "addon")


class JobScheduler(Scheduler):
    """Scrapy's scheduler. Waiting requests that can't be read end the crawl: at its start, or where the damage is met later."""

    _failure: Exception | None = None
    """Why the queue can't be read. An error raised by `open` would leave a half-opened crawl, which Scrapy closes with tracebacks."""

    def open(self, spider: Spider) -> Deferred[None] | None:
        queue = Path(self.dqdir or "")
        if self.dqdir and not (queue / "active.json").exists() and any(path.is_file() for path in queue.rglob("*")):
            message = "The JOBDIR %s is of a crawl that was killed: requests that waited then are lost. Delete the folder to begin anew."
            logger.warning(message, _name(spider.settings))
        try:
            return super().open(spider)
        except Exception as error:  # queues raise errors of many classes
            self._failure, self.dqs = error, None
            return None

    def enqueue_request(self, request: Request) -> bool:
        return self._failure is None and super().enqueue_request(request)

    def next_request(self) -> Request | None:
        request = None
        try:
            request = super().next_request() if self._failure is None else None
        except Exception as error:  # pickle, too, raises errors of many classes
            self._failure = error
        if request is None and self._failure is None and len(self) and self.pqclass in _WITHOUT_DELAY:
            self._failure = ValueError(f"{len(self)} of them are gone")
        if self._failure is not None:
            assert self.crawler is not None
            name, reason = _name(self.crawler.settings), on_terminal(str(self._failure)) or type(self._failure).__name__
            message = f"The waiting requests in the JOBDIR {name} can't be read ({reason}); delete it to begin anew, or use another one."
            stop_crawl(self.crawler, "job_folder_failed", message)
        return request


def _name(settings: BaseSettings) -> str:
    return on_terminal(str(settings["JOBDIR"]))
