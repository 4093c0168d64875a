"""Settings of the project that scrapy.cfg names: the spiders `seeds` and `demo`, polite by default."""

BOT_NAME = "webcontent"
SPIDER_MODULES = ["webcontent.crawl.spiders", "webcontent.demo.spider"]
NEWSPIDER_MODULE = "webcontent.crawl.spiders"

ADDONS = {"webcontent.crawl.addon.Addon": 300}

ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 4
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0

TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

FEED_EXPORT_ENCODING = "utf-8"
LOG_LEVEL = "INFO"
