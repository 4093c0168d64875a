"""The installation: one entry in Scrapy's ADDONS setting. Settings of a project or a spider win over those that it sets."""

from __future__ import annotations

import logging
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from webcontent.crawl import guards
from webcontent.crawl.config import FALLBACKS, Config, warn_of_unknown
from webcontent.crawl.discovery.same_site import SameSiteMiddleware
from webcontent.crawl.incremental.middleware import IncrementalMiddleware
from webcontent.crawl.incremental.nights import HostNights
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.job_folder import use_job_folder
from webcontent.crawl.middlewares import HANDLER, PageMiddleware, RenderMiddleware
from webcontent.crawl.output.csv import split_csv_feeds
from webcontent.crawl.output.database import DatabasePipeline
from webcontent.crawl.output.files import FileStorage, check_feeds
from webcontent.crawl.output.progress import Progress
from webcontent.crawl.pipelines import ExtractionPipeline, PageTypePipeline
from webcontent.crawl.rendering.chromium import find_browser
from webcontent.crawl.server_urls import redis_client
from webcontent.crawl.setup_errors import SetupError, shorten_reports
from webcontent.formats.outputs import exporters

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

MAX_DOWNLOAD = 64 * 1024 * 1024
"""Bytes of a response, decompressed. Scrapy's own limit of 1 GB lets one small compressed file fill the memory."""
PROVIDER_PRIORITY = 2100
"""Of the scrapy-poet provider: after a project's page objects."""
_COMPONENTS = (
    # Those of the spider `seeds` are not in its own settings, which `scrapy crawl` would overwrite. They do nothing for other spiders.
    ("DOWNLOADER_MIDDLEWARES", SameSiteMiddleware, 60),  # sees the target of every redirect, before its robots.txt is requested
    ("DOWNLOADER_MIDDLEWARES", RenderMiddleware, 950),
    ("SPIDER_MIDDLEWARES", PageMiddleware, 950),
    ("DOWNLOADER_MIDDLEWARES", HostNights, 40),  # next to the engine
    ("EXTENSIONS", HostNights, 480),  # its night is written before the store is closed, and before monitors look
    ("ITEM_PIPELINES", PageTypePipeline, 300),
    ("ITEM_PIPELINES", ExtractionPipeline, 310),
    ("EXTENSIONS", Progress, 500),
    ("EXTENSIONS", guards.LogGuard, 501),
)
_INCREMENTAL_COMPONENTS = (
    ("SPIDER_MIDDLEWARES", IncrementalMiddleware, 940),
    ("DOWNLOADER_MIDDLEWARES", IncrementalMiddleware, 960),
    ("EXTENSIONS", IncrementalTracker, 490),
)
_DATABASE_COMPONENTS = (("ITEM_PIPELINES", DatabasePipeline, 900),)


class Addon:
    """Installs the download handler, the middlewares and the pipelines.

    A user's own download handler is kept for what is not rendered; a scheme that the user has switched off (None) stays off. A
    component that the user has placed or switched off stays so. Raises SetupError for a wrong WEBCONTENT_* value, a missing package, a
    JOBDIR that can't be used, or a browser that is named and not there.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        shorten_reports()
        config = Config.from_settings(settings)
        warn_of_unknown(settings)
        if not config.enabled:
            raise NotConfigured("WEBCONTENT_ENABLED is False")
        components = [*_COMPONENTS, *(_INCREMENTAL_COMPONENTS if config.crawl_state else ())]
        components += _DATABASE_COMPONENTS if config.database else ()
        if _uses_poet(settings):
            components.append(("SCRAPY_POET_PROVIDERS", import_module("webcontent.crawl.poet").ItemProvider, PROVIDER_PRIORITY))
        guards.install(settings)
        for setting, component, priority in components:
            settings.setdefault_in_component_priority_dict(setting, component, priority)
        settings.set("DOWNLOAD_MAXSIZE", max(MAX_DOWNLOAD, 2 * config.max_bytes), "addon")
        if config.crawl_state and config.changed:  # what other pages of the host showed is no change of a page
            settings.set("WEBCONTENT_SITE_HISTORY", False, "addon")
        if config.redis:
            _share(settings, config.redis)
        else:
            use_job_folder(settings)
        _install_feeds(settings)
        if find_spec("onnxruntime") is None:
            raise SetupError("onnxruntime is not installed, and the models need it: pip install onnxruntime")
        if not settings.getbool("TWISTED_REACTOR_ENABLED", True):
            logger.warning("TWISTED_REACTOR_ENABLED is False, and a browser needs Twisted's reactor: pages are not rendered.")
        elif config.render is not False:
            _install_handler(settings)
            if config.browser is not None:
                find_browser(config.browser)  # raises WrongValueError, before Scrapy has begun anything


def _install_feeds(settings: BaseSettings) -> None:
    settings.set("FEED_EXPORT_ENCODING", "utf-8", "addon")
    settings["FEED_EXPORTERS_BASE"].update(exporters())  # below FEED_EXPORTERS, the user's own
    settings["FEED_STORAGES_BASE"].update(dict.fromkeys(("", "file"), FileStorage))
    check_feeds(settings.getdict("FEEDS"))
    settings.set("FEEDS", split_csv_feeds(settings.getdict("FEEDS")), settings.getpriority("FEEDS") or 0)


def _uses_poet(settings: BaseSettings) -> bool:
    """Whether scrapy-poet is part of the crawl; a mere installation should cost nothing."""
    parts = [*settings.getwithbase("ADDONS"), *settings.getwithbase("DOWNLOADER_MIDDLEWARES")]
    names = (part if isinstance(part, str) else part.__module__ for part in parts)
    return any(name.startswith("scrapy_poet.") for name in names) and find_spec("zyte_common_items") is not None


def _share(settings: BaseSettings, address: str) -> None:
    """Puts the queue and the duplicates filter on a server that several processes share."""
    if find_spec("scrapy_redis") is None:
        raise SetupError('WEBCONTENT_REDIS needs the package scrapy-redis: pip install "webcontent[redis]"')
    redis_client(address).close()  # an error here leaves nothing open
    settings.set("SCHEDULER", "webcontent.crawl.distributed.scheduler.Scheduler", "addon")
    settings.set("REDIS_URL", address, "addon")


def _install_handler(settings: BaseSettings) -> None:
    """Replaces the handlers for http and https by ours, and keeps them as fallbacks."""
    try:
        import_module("webcontent.crawl.rendering.handler")
    except ImportError as error:
        logger.warning("%s, so pages are fetched without rendering. Install what is missing: pip install scrapy-playwright", error)
        return
    present, handlers = settings.getwithbase("DOWNLOAD_HANDLERS"), settings["DOWNLOAD_HANDLERS"]
    kept = {scheme: present[scheme] for scheme in ("http", "https") if present.get(scheme) not in (None, HANDLER)}
    for scheme in kept:
        handlers.set(scheme, HANDLER, handlers.getpriority(scheme) or 0)  # also where a spider's custom_settings have set it
    settings.set(FALLBACKS, kept, "addon")
