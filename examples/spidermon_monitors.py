"""Monitors of a crawl for Spidermon (`pip install spidermon`): `SPIDERMON_SPIDER_CLOSE_MONITORS = ["project.monitors.CloseMonitors"]`."""

from __future__ import annotations

from spidermon import Monitor, MonitorSuite, monitors

SHARE = 0.1
"""Of the pages that may be wrong before somebody is told."""


@monitors.name("Content")
class ContentMonitor(Monitor):
    @monitors.name("Most pages have a text")
    def test_few_pages_are_empty(self) -> None:
        stats = self.data.stats
        self.assertLess(stats.get("webcontent/flags/empty", 0), SHARE * stats.get("webcontent/pages", 0) + 1)

    @monitors.name("The browser works")
    def test_few_pages_were_not_rendered(self) -> None:
        failed = sum(count for name, count in self.data.stats.items() if name.startswith("webcontent/render_failed/"))
        self.assertLess(failed, SHARE * self.data.stats.get("webcontent/rendered", 0) + 1)

    @monitors.name("No stage fails")
    def test_no_errors(self) -> None:
        errors = {name: count for name, count in self.data.stats.items() if name.startswith("webcontent/errors/")}
        self.assertFalse(errors)


class CloseMonitors(MonitorSuite):
    monitors = [ContentMonitor]
