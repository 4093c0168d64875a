"""Crawls sites into a database and prints the latest articles.

    python examples/database.py sqlite:///items.db https://example.org/
    python examples/database.py postgresql://user:password@localhost/news seeds.txt

A second run adds what is new.
"""

from __future__ import annotations

import sqlite3
import sys
from importlib import import_module
from typing import Any

from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings

from webcontent.crawl.spiders.seeds import SeedsSpider

LATEST_ARTICLES = "select time, source, title from articles where time is not null order by time desc limit 10"


def crawl(database: str, urls: str, options: dict[str, Any]) -> bool:
    """Crawl `urls` into the database; whether the crawl ended by itself."""
    settings = Settings()
    settings.setmodule(import_module("webcontent.crawl.settings"))
    settings.update({"WEBCONTENT_DATABASE": database, "LOG_LEVEL": "WARNING", **options})
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(SeedsSpider)
    process.crawl(crawler, urls=urls)
    process.start()
    return crawler.stats.get_value("finish_reason") == "finished"


def latest_articles(database: str) -> list[tuple[Any, ...]]:
    """Rows of time, source and title."""
    if database.startswith("sqlite:///"):
        return sqlite3.connect(database.removeprefix("sqlite:///")).execute(LATEST_ARTICLES).fetchall()
    import psycopg

    with psycopg.connect(database) as connection:
        return connection.execute(LATEST_ARTICLES).fetchall()


def main() -> None:
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    database, urls, *options = sys.argv[1:]
    finished = crawl(database, urls, dict(option.split("=", 1) for option in options))
    for row in latest_articles(database):
        print(*(value or "-" for value in row), sep=" | ")
    raise SystemExit(not finished)


if __name__ == "__main__":
    main()
