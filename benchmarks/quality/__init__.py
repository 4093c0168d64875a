"""Extraction quality and CPU time of this package's extractors and of other libraries, on the same pages."""
