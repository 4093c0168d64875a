"""The title of a page: candidates from every place that shows or declares one, ranked by a model; and its place on the page."""

from webcontent.fields.titles.ranking import TitleAnchor, find_titles

__all__ = ["TitleAnchor", "find_titles"]
