"""The options of a page in `request.meta["webcontent"]`, checked. A wrong one is named once and has no effect."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webcontent.crawl.config import CHOICES, TAKES
from webcontent.crawl.meta import (
    BUDGET_MS,
    CAPTURE,
    EXTRACTOR,
    FRAMES,
    FULL_SIZE,
    LOCALE,
    PAGE,
    READY_MS,
    RENDER,
    SCREENSHOT,
    SCROLL_ROUNDS,
    STORAGE_STATE,
    TIMEZONE,
)
from webcontent.crawl.rendering.identity import is_locale, is_storage_state, is_timezone
from webcontent.extractors import TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request

logger = logging.getLogger(__name__)

_TRUTH = "True or False"


class RequestOptions:
    """Checks the options of a crawl's requests."""

    def __init__(self, extractors: Mapping[str, str]) -> None:
        """`extractors`: a user's own, by name."""
        names = sorted({**TABLE, **extractors})
        self._rules: dict[str, tuple[Callable[[Any], bool], str]] = {
            CAPTURE: (_is_truth, _TRUTH),
            EXTRACTOR: (lambda value: value in names, f"the name of an extractor: {', '.join(names)}"),
            FULL_SIZE: (_is_truth, _TRUTH),
            RENDER: (lambda value: value == "auto" or _is_truth(value), 'True, False or "auto"'),
            SCREENSHOT: (_is_truth, _TRUTH),
            **{name: (_is_one_of(values), _either(values)) for name, values in CHOICES.items()},
            **dict.fromkeys((SCROLL_ROUNDS, READY_MS, BUDGET_MS), (_is_count, "a number, 0 or more")),
            FRAMES: (_is_truth, _TRUTH),
            LOCALE: (is_locale, TAKES["locale"]),
            TIMEZONE: (is_timezone, TAKES["timezone"]),
            STORAGE_STATE: (is_storage_state, TAKES["storage_state"]),
        }
        self._reported: set[str] = set()

    @property
    def names(self) -> list[str]:
        """The options that a request may have."""
        return sorted(self._rules)

    def check(self, request: Request) -> None:
        """Marks the request as one for a page, and removes options that it can't have. The request is updated inline."""
        options = request.meta.setdefault(PAGE, {})
        if not isinstance(options, Mapping):
            self._report(f"{_place()} is {options!r}; it takes a dict of options: {', '.join(self.names)}.", request)
            request.meta[PAGE] = {}
        elif wrong := dict(self._wrong(options)):
            for sentence in wrong.values():
                self._report(sentence, request)
            request.meta[PAGE] = {name: value for name, value in options.items() if name not in wrong}

    def _wrong(self, options: Mapping[Any, Any]) -> Iterator[tuple[Any, str]]:
        """The names of wrong options, each with the sentence about it."""
        for name, value in options.items():
            if name not in self._rules:
                yield name, f"{_place()} has no option {name!r}; there are {', '.join(self.names)}."
            elif not self._rules[name][0](value):
                yield name, f"{_place(name)} is {value!r}; it takes {self._rules[name][1]}."

    def _report(self, sentence: str, request: Request) -> None:
        if sentence not in self._reported:
            self._reported.add(sentence)
            logger.error("%s It is ignored, for %s and all others.", sentence, request.url)


def _place(name: str | None = None) -> str:
    return f'request.meta["{PAGE}"]' + (f'["{name}"]' if name else "")


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_one_of(values: tuple[str, ...]) -> Callable[[Any], bool]:
    return lambda value: value in values


def _either(values: tuple[str, ...]) -> str:
    return " or ".join(f'"{value}"' for value in values)
