"""Errors of which a user has to know one sentence. The log shows it without a traceback."""

from __future__ import annotations

import logging
import re

from webcontent.extraction import WrongExtractorError
from webcontent.models import ModelError
from webcontent.printable import on_terminal

MAX_MESSAGE_CHARS = 2000
"""Of a message, which may quote a file."""
_USER = re.compile(r"://[^/\s]*@")


class SetupError(Exception):
    """What keeps a crawl from beginning, or going on, in a sentence that names what to change."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(on_terminal(str(argument))[:MAX_MESSAGE_CHARS] for argument in arguments))
        shorten_reports()  # also of a spider's arguments, which are read before the add-on


class WrongValueError(SetupError, ValueError):
    """A setting, a spider argument or an option that can't be used."""


def shorten_reports() -> None:
    """From now on the log shows setup errors, and those of models and extractors, as one sentence."""
    for name in ("asyncio", "twisted"):  # Scrapy leaves it to them to report what kept a crawl from beginning
        logging.getLogger(name).addFilter(_sentence_only)  # a filter that is there already is not added again
    logging.getLogger("scrapy.core.downloader.handlers").addFilter(_other_errors)  # which reports the error once more on its way
    logging.getLogger("scrapy.extensions.feedexport").addFilter(_without_password)


def _sentence_only(record: logging.LogRecord) -> bool:
    """Replaces a report of an error that is a sentence by this sentence."""
    if record.getMessage() == "Unhandled error in Deferred:":  # the next record says which
        return False
    if record.exc_info and not _other_errors(record):
        record.msg, record.args, record.exc_info = str(record.exc_info[1]), (), None
        record.name = "webcontent"
        record.levelno, record.levelname = logging.CRITICAL, logging.getLevelName(logging.CRITICAL)
    return True


def _without_password(record: logging.LogRecord) -> bool:
    """Takes user and password out of the address of a feed, and makes one sentence of the report that it was not stored."""
    reason = f": {record.exc_info[1]}" if record.exc_info else ""
    record.msg, record.args, record.exc_info = _USER.sub("://", record.getMessage()) + _USER.sub("://", reason), (), None
    return True


def _other_errors(record: logging.LogRecord) -> bool:
    return not record.exc_info or not isinstance(record.exc_info[1], (SetupError, ModelError, WrongExtractorError))
