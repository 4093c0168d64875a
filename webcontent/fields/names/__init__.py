"""Source, authors, editors and publisher: names in the lines around an article and in what the page declares."""

from webcontent.fields.names.publishers import find_publishers
from webcontent.fields.names.value import find_bylines

__all__ = ["find_bylines", "find_publishers"]
