"""The options of a page in `request.meta["webcontent"]`, checked. A wrong one is named once and has no effect."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from webcontent.crawl.config import SETTINGS, TRUTH, Reader, one_of
from webcontent.crawl.meta import EXTRACTOR, FULL_SIZE, PAGE
from webcontent.crawl.setup_errors import WrongValueError
from webcontent.extractors import TABLE

if TYPE_CHECKING:
    from scrapy import Request

logger = logging.getLogger(__name__)


class RequestOptions:
    """Reads the options of a crawl's requests: the settings that also hold for single requests, and two that are no settings."""

    def __init__(self, extractors: Mapping[str, str]) -> None:
        """`extractors`: a user's own, by name."""
        names = sorted({**TABLE, **extractors})
        self._readers = {name: setting.reader for name, setting in SETTINGS.items() if setting.per_request}
        self._readers[FULL_SIZE] = TRUTH
        self._readers[EXTRACTOR] = Reader(one_of(*names).read, f"the name of an extractor: {', '.join(names)}")
        self._reported: set[str] = set()

    @property
    def names(self) -> list[str]:
        """The options that a request may have."""
        return sorted(self._readers)

    def check(self, request: Request) -> None:
        """Marks the request as one for a page, reads its options, and removes those that it can't have. The request is updated inline."""
        options = request.meta.setdefault(PAGE, {})
        place = f'request.meta["{PAGE}"]'
        if not isinstance(options, Mapping):
            self._report(f"{place} is {options!r}; it takes a dict of options: {', '.join(self.names)}.", request)
            options = {}
        values: dict[str, Any] = {}
        for name, value in options.items():
            reader = self._readers.get(name)
            if reader is None:
                self._report(f"{place} has no option {name!r}; there are {', '.join(self.names)}.", request)
                continue
            try:
                values[name] = reader.value_of(value, f'{place}["{name}"]')
            except WrongValueError as error:
                self._report(str(error), request)
        if values != request.meta[PAGE]:
            request.meta[PAGE] = values

    def _report(self, sentence: str, request: Request) -> None:
        if sentence not in self._reported:
            self._reported.add(sentence)
            logger.error("%s It is ignored, for %s and all others.", sentence, request.url)
