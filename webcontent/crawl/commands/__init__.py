"""The commands that Scrapy finds by their entry points, inside and outside of projects.

Scrapy checks the formats of `-o` and `-O` before it loads add-ons, so that it would refuse those that the add-on brings.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import scrapy.commands

from webcontent.formats.outputs import exporters

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_CHECK = "feed_process_params_from_cli"
"""Scrapy's function that reads -o and -O for all its commands."""


def add_formats(settings: BaseSettings) -> None:
    """Adds our formats to Scrapy's, below FEED_EXPORTERS, the user's own."""
    settings["FEED_EXPORTERS_BASE"].update(exporters())


def accept_formats() -> None:
    """Makes Scrapy's commands accept our formats in projects that list the add-on. Other projects are not affected.

    Scrapy has no hook between the project's settings and this check. It loads our commands, and so this module, before both.
    """
    check: Any = getattr(scrapy.commands, _CHECK, None)
    if check is None or hasattr(check, "__wrapped__"):
        return

    @wraps(check)
    def check_with_our_formats(settings: BaseSettings, *arguments: Any, **options: Any) -> Any:
        if _has_addon(settings):
            add_formats(settings)
        return check(settings, *arguments, **options)

    setattr(scrapy.commands, _CHECK, check_with_our_formats)


def _has_addon(settings: BaseSettings) -> bool:
    addons = settings.getdict("ADDONS")
    names = [name if isinstance(name, str) else name.__module__ for name, priority in addons.items() if priority is not None]
    return any(name.startswith("webcontent.") for name in names)


accept_formats()
