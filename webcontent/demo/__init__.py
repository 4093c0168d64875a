"""A small news site in two languages and three designs, on loopback. `scrapy crawl demo` crawls it; the tests compare every field."""
