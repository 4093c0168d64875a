"""Source, authors, editors and publisher: names in the lines around an article and in what the page declares."""

from webcontent.fields.bylines.ranking import find_bylines

__all__ = ["find_bylines"]
