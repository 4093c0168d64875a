"""Dates and clock times in text: pure functions of strings.

Results are ISO 8601, exactly as precise as the text: `2024-03`, `2024-03-05`, `2024-03-05T14:22`,
`2024-03-05T14:22:08+08:00`. A zone is given only where the text names one.
"""

from webcontent.fields.dates.clock import DateContext, DateMatch
from webcontent.fields.dates.parsing import iter_times, parse_time, time_from_url

__all__ = ["DateContext", "DateMatch", "iter_times", "parse_time", "time_from_url"]
