"""One entry installs everything, and a user's own settings win."""

from __future__ import annotations

import pytest
from scrapy import Spider
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from webcontent.crawl.addon import Addon
from webcontent.crawl.config import FALLBACKS
from webcontent.crawl.guards import SafeCompression
from webcontent.crawl.middlewares import HANDLER, PageMiddleware, RenderMiddleware
from webcontent.crawl.pipelines import ExtractionPipeline, PageTypePipeline

HTTP11 = "webcontent.crawl.guards.BoundedHandler"
"""Scrapy's own handler, with a bound on headers."""
H2 = "scrapy.core.downloader.handlers.http2.H2DownloadHandler"


def installed(priority: str = "project", **values: object) -> Settings:
    settings = Settings()
    settings.setdict(values, priority)
    Addon().update_settings(settings)
    return settings


def test_everything_is_installed():
    settings = installed()
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    assert handlers["http"] == handlers["https"] == HANDLER
    assert settings["DOWNLOADER_MIDDLEWARES"][RenderMiddleware] == 950
    assert settings["SPIDER_MIDDLEWARES"][PageMiddleware] == 950
    assert settings["ITEM_PIPELINES"][PageTypePipeline] == 300
    assert settings["ITEM_PIPELINES"][ExtractionPipeline] == 310
    assert settings["FEED_EXPORT_ENCODING"] == "utf-8"
    assert "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT" not in settings
    assert settings["TWISTED_REACTOR"] == "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


@pytest.mark.parametrize("priority", ["project", "spider", "cmdline"])
def test_a_users_settings_win(priority):
    """Trap 22."""
    settings = installed(priority, FEED_EXPORT_ENCODING="gbk", PLAYWRIGHT_MAX_PAGES_PER_CONTEXT=1)
    assert settings["FEED_EXPORT_ENCODING"] == "gbk"
    assert settings.getint("PLAYWRIGHT_MAX_PAGES_PER_CONTEXT") == 1


def test_a_users_places_win():
    """Trap 22: another number stays, and so does None, which switches off; a name is as good as a class."""
    settings = installed(
        DOWNLOADER_MIDDLEWARES={RenderMiddleware: 940},
        ITEM_PIPELINES={PageTypePipeline: None, "webcontent.crawl.pipelines.ExtractionPipeline": 800},
    )
    assert settings["DOWNLOADER_MIDDLEWARES"][RenderMiddleware] == 940
    assert settings["ITEM_PIPELINES"][PageTypePipeline] is None
    assert [value for value in settings["ITEM_PIPELINES"].values() if value] == [800]


def test_the_guards_stand_where_scrapys_own_parts_stand():
    """A user's place for Scrapy's part holds for the guard, and so does None."""
    compression = "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"
    assert installed().getwithbase("DOWNLOADER_MIDDLEWARES")[SafeCompression] == 590
    assert installed(DOWNLOADER_MIDDLEWARES={compression: 595}).getwithbase("DOWNLOADER_MIDDLEWARES")[SafeCompression] == 595
    middlewares = installed(DOWNLOADER_MIDDLEWARES={compression: None}).getwithbase("DOWNLOADER_MIDDLEWARES")
    assert middlewares[SafeCompression] is None
    assert compression not in middlewares


def test_the_handlers_that_were_there_are_kept_for_what_is_not_rendered():
    """Trap 22."""
    assert installed()[FALLBACKS] == {"http": HTTP11, "https": HTTP11}
    assert installed(DOWNLOAD_HANDLERS={"https": H2})[FALLBACKS] == {"http": HTTP11, "https": H2}


def test_a_scheme_that_is_switched_off_stays_off():
    """Trap 22."""
    handlers = installed(DOWNLOAD_HANDLERS={"http": None}).getwithbase("DOWNLOAD_HANDLERS")
    assert handlers["http"] is None
    assert handlers["https"] == HANDLER


@pytest.mark.parametrize("priority", ["project", "spider", "cmdline"])
def test_scrapy_playwrights_handler_is_replaced_by_ours(priority):
    """Ours does all that it does; also where a spider has set it for itself."""
    theirs = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    settings = installed(priority, DOWNLOAD_HANDLERS={"http": theirs, "https": theirs})
    assert settings.getwithbase("DOWNLOAD_HANDLERS")["http"] == HANDLER
    assert settings[FALLBACKS] == {"http": theirs, "https": theirs}


def test_a_handler_given_as_a_class_is_kept_too():
    settings = installed(DOWNLOAD_HANDLERS={"http": HTTP11DownloadHandler})
    assert settings[FALLBACKS]["http"] is HTTP11DownloadHandler


def test_without_rendering_the_handlers_stay():
    settings = installed(WEBCONTENT_RENDER=False)
    assert settings.getwithbase("DOWNLOAD_HANDLERS")["http"] == HTTP11
    assert FALLBACKS not in settings


def test_it_can_be_switched_off():
    with pytest.raises(NotConfigured, match="WEBCONTENT_ENABLED is False"):
        installed(WEBCONTENT_ENABLED=False)


def test_a_misspelt_setting_is_named(caplog):
    installed(WEBCONTENT_RENDR=True)
    assert "WEBCONTENT_RENDR is no setting of webcontent and is ignored. Did you mean WEBCONTENT_RENDER?" in caplog.text


def test_a_wrong_value_ends_the_crawl_before_it_begins():
    with pytest.raises(ValueError, match="WEBCONTENT_AUTO is 'perhaps'"):
        installed(WEBCONTENT_AUTO="perhaps")


def test_it_works_in_a_spiders_own_settings():
    """custom_settings may hold ADDONS."""

    class OwnSpider(Spider):
        name = "own"
        custom_settings = {"ADDONS": {"webcontent.Addon": 500}, "FEED_EXPORT_ENCODING": "gbk"}

    crawler = get_crawler(OwnSpider)
    assert RenderMiddleware in crawler.settings["DOWNLOADER_MIDDLEWARES"]
    assert crawler.settings["FEED_EXPORT_ENCODING"] == "gbk"


def test_scrapy_poet_is_not_loaded_where_nobody_asks_for_it():
    """Installed alone it costs nothing; as an add-on or middleware it gets our provider, behind a project's own."""
    assert not installed().get("SCRAPY_POET_PROVIDERS")
    pytest.importorskip("scrapy_poet")
    pytest.importorskip("zyte_common_items")
    settings = installed(ADDONS={"scrapy_poet.Addon": 200}, SCRAPY_POET_PROVIDERS={"scrapy_poet.page_input_providers.StatsProvider": 600})
    assert sorted(settings["SCRAPY_POET_PROVIDERS"].values()) == [600, 2100]
