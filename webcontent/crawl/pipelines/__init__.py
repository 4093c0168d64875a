"""Page items in, Article and Listing items out. Items of other classes pass through untouched."""

from webcontent.crawl.pipelines.classify import PageTypePipeline
from webcontent.crawl.pipelines.extract import ExtractionPipeline

__all__ = ["ExtractionPipeline", "PageTypePipeline"]
