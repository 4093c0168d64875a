"""When a page was published and changed: times from every place that shows or declares one, and the best of them."""

from webcontent.fields.times.ranking import find_times

__all__ = ["find_times"]
