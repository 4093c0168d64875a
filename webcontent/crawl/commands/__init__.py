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


def add_formats(settings: BaseSettings) -> None:
    """Adds our formats to Scrapy's, below FEED_EXPORTERS, the user's own."""
    settings["FEED_EXPORTERS_BASE"].update(exporters())


_check: Any = scrapy.commands.feed_process_params_from_cli  # type: ignore[attr-defined]


@wraps(_check)
def _check_with_our_formats(settings: BaseSettings, *arguments: Any, **options: Any) -> Any:
    """Makes Scrapy's commands accept our formats in projects that list the add-on. Other projects are not affected.

    Scrapy has no hook between the project's settings and its check of -o and -O. It loads our commands, and so this module, before both.
    """
    addons = (name for name, priority in settings.getdict("ADDONS").items() if priority is not None)
    if any((name if isinstance(name, str) else name.__module__).startswith("webcontent.") for name in addons):
        add_formats(settings)
    return _check(settings, *arguments, **options)


scrapy.commands.feed_process_params_from_cli = _check_with_our_formats  # type: ignore[attr-defined]
