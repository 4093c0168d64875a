"""Monitors of a crawl for Spidermon.

Install it with `pip install spidermon` and set `SPIDERMON_SPIDER_CLOSE_MONITORS = ["project.monitors.CloseMonitors"]`.
"""

from __future__ import annotations

from spidermon import Monitor, MonitorSuite, monitors

MAX_SHARE = 0.1
"""A monitor fails if a larger share of the pages is wrong."""


@monitors.name("Content")
class ContentMonitor(Monitor):
    @monitors.name("Most pages have a text")
    def test_few_pages_are_empty(self) -> None:
        stats = self.data.stats
        self.assertLess(stats.get("webcontent/flags/empty", 0), MAX_SHARE * stats.get("webcontent/pages", 0) + 1)

    @monitors.name("The browser works")
    def test_few_pages_were_not_rendered(self) -> None:
        failed = sum(count for name, count in self.data.stats.items() if name.startswith("webcontent/render_failed/"))
        self.assertLess(failed, MAX_SHARE * self.data.stats.get("webcontent/rendered", 0) + 1)

    @monitors.name("No stage fails")
    def test_no_errors(self) -> None:
        errors = {name: count for name, count in self.data.stats.items() if name.startswith("webcontent/errors/")}
        self.assertFalse(errors)


class CloseMonitors(MonitorSuite):
    monitors = [ContentMonitor]
