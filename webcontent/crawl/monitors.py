"""Monitors of single sites for Spidermon: SPIDERMON_SPIDER_CLOSE_MONITORS = ["webcontent.crawl.monitors.SiteMonitors"]."""

from __future__ import annotations

from spidermon import Monitor, MonitorSuite, monitors

_HOST = "webcontent/host/"


@monitors.name("Sites")
class SiteMonitor(Monitor):  # type: ignore[misc]  # Spidermon has no types
    """Reads the stats that each host has."""

    @monitors.name("No site has changed")  # type: ignore[untyped-decorator]
    def test_no_site_has_changed(self) -> None:
        changed = {name: text for name, text in self.data.stats.items() if name.startswith(_HOST) and name.endswith("/changed")}
        self.assertFalse(changed)  # noqa: PT009  (Spidermon's monitors are unittest's)

    @monitors.name("Every site gives pages")  # type: ignore[untyped-decorator]
    def test_every_site_gives_pages(self) -> None:
        stats = self.data.stats
        asked = {name: count for name, count in stats.items() if name.startswith(_HOST) and name.endswith("/asked")}
        without = [name for name, count in asked.items() if stats.get(f"{name.removesuffix('asked')}failed", 0) >= count]
        self.assertFalse(without)  # noqa: PT009


class SiteMonitors(MonitorSuite):  # type: ignore[misc]
    monitors = [SiteMonitor]
