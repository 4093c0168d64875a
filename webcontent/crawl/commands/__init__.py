"""The commands that Scrapy finds by their entry points, inside and outside of projects."""

from webcontent.crawl.commands.output_formats import accept_formats

accept_formats()
