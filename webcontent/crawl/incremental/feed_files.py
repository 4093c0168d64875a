"""The feed files of an incremental crawl: which of them grow line by line, and what a killed run left at the end of them."""

from __future__ import annotations

import logging
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedExporter, StdoutFeedStorage

from webcontent.crawl.incremental.store import ARTICLE, BROKEN, CrawlRecord, broken_flags, digest_of, key_of
from webcontent.crawl.output.files import FileStorage, LineFile, is_locked, read_tail

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.incremental.store import CrawlStateStore

logger = logging.getLogger(__name__)


class FeedFiles:
    """The feeds of a crawl as Scrapy's exporter holds them now."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @property
    def slots(self) -> list[Any]:
        """Scrapy's feed slots; none where the crawl has no feeds."""
        exporter = self.crawler.get_extension(FeedExporter)
        return exporter.slots if exporter else []

    @property
    def are_by_line(self) -> bool:
        """Whether every item that the feeds were given is on its way to the disk. Other feeds are written when the crawl ends."""
        return all(_grows(slot.storage) or isinstance(slot.storage, StdoutFeedStorage) for slot in self.slots)

    @property
    def have_failed(self) -> bool:
        return any(getattr(slot.exporter, "failed", None) for slot in self.slots)

    def open_files(self) -> list[LineFile]:
        return [slot.file for slot in self.slots if isinstance(slot.file, LineFile) and not slot.file.closed]

    def initial_sizes(self) -> dict[str, int]:
        """Bytes in the feed files that will grow, by `feed_key`, before the crawl adds to them."""
        paths = (Path(slot.storage.path).absolute() for slot in self.slots if _grows(slot.storage))
        return {feed_key(str(path)): path.stat().st_size if path.is_file() else 0 for path in paths}


def feed_key(path: str) -> str:
    """The name of a feed file in a store that several machines may share."""
    return f"{platform.node()}:{'csv' if path.endswith('.csv') else 'jsonlines'}:{path}"


def recover_feeds(store: CrawlStateStore) -> None:
    """Adds records for the items that killed runs of this machine wrote and did not record. Cuts off what is no whole item."""
    recovered = []
    for key, size in store.feeds().items():
        if key.count(":") < 2:  # not ours
            continue
        host, feed_format, text = key.split(":", 2)
        path = Path(text)
        if host == platform.node() and not (path.is_file() and is_locked(path)):
            recovered.append(key)
            with suppress(OSError):
                _recover_feed(store, path, size, feed_format)
    store.forget_feeds(recovered)


def _recover_feed(store: CrawlStateStore, path: Path, size: int, feed_format: str) -> None:
    items, end = read_tail(path, size, feed_format)
    now = time.time()
    records = {
        key_of(str(item["url"])): CrawlRecord(
            BROKEN if broken_flags(item) else item.get("type") or ARTICLE, digest_of(item), checked=now, changed=now
        )
        for item in items
        if item.get("url")
    }
    known = store.get(list(records))
    missing = {key: record for key, record in records.items() if key not in known or known[key].digest != record.digest}
    if missing:
        logger.info("%s holds %d items of a run that was killed; they are not requested again.", path, len(missing))
    store.put(missing)
    os.truncate(path, end)  # without an incomplete record


def _grows(storage: Any) -> bool:
    """Whether a feed is appended to line by line. One that is overwritten (-O) is not: the next run replaces a killed run's file."""
    return isinstance(storage, FileStorage) and storage.is_by_line and storage.write_mode == "ab"
