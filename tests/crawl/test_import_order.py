"""The rooms of the crawl import in one direction."""

from __future__ import annotations

from tests.test_imports import MODULES, imported, module_name

ORDER = [
    {"config", "meta", "scope", "server_urls", "settings", "setup_errors", "stopping", "workers"},
    {"discovery"},
    {"output"},
    {"incremental"},
    {"rendering"},
    {"distributed"},
    {"pipelines"},
    {"spiders"},
    {"addon", "commands", "guards", "job_folder", "middlewares", "monitors", "poet", "progress"},
]
"""A room imports from its own row and from the rows above it. Imports inside functions and for type checking count too."""
ROWS = {room: row for row, rooms in enumerate(ORDER) for room in rooms}
CRAWL = "webcontent.crawl."


def room_of(module: str) -> str:
    """webcontent.crawl.discovery.urls -> discovery"""
    return module.removeprefix(CRAWL).partition(".")[0]


def test_the_rooms_of_the_crawl_import_in_one_direction():
    """Every room has a place, and none imports one below it."""
    offenders = []
    for path in MODULES:
        name = module_name(path)
        if name.startswith(CRAWL):
            assert room_of(name) in ROWS, f"{room_of(name)} has no place in ORDER"
            others = {other for other in imported(path) if other.startswith(CRAWL)}
            offenders += [f"{name} imports {other}" for other in sorted(others) if ROWS[room_of(other)] > ROWS[room_of(name)]]
    assert offenders == []
