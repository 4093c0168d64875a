"""The imports of the process from which Scrapy commands are forked (see `forked.py`)."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module

from scrapy.exceptions import ScrapyDeprecationWarning

MODULES = (
    "onnxruntime",
    "pytest",  # each child imports the program that started it
    "scrapy.cmdline",
    "scrapy.crawler",
    "webcontent.crawl.addon",
    "webcontent.crawl.middlewares",
    "webcontent.crawl.pipelines",
    "webcontent.crawl.spiders.seeds",
)

warnings.filterwarnings("error", category=ScrapyDeprecationWarning)
for name in MODULES:
    import_module(name)
if "twisted.internet.reactor" in sys.modules:
    raise RuntimeError("A running reactor can't be forked.")
