"""What `scrapy report` shows: the items of a crawl in numbers. They are read from the files that a crawl writes."""
