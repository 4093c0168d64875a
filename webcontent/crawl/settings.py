"""Settings of the project that scrapy.cfg names: the spiders `seeds` and `demo`, polite by default."""

BOT_NAME = "webcontent"
SPIDER_MODULES = ["webcontent.crawl.spiders", "webcontent.demo.spider"]

ADDONS = {"webcontent.crawl.addon.Addon": 300}

ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 4

TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "INFO"
