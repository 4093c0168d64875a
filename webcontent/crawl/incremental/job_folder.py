"""The JOBDIR of a crawl that stopped, checked before it continues. Scrapy itself fails with a traceback, or waits for ever."""

from __future__ import annotations

import json
import logging
import os
import struct
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

from scrapy.utils.job import job_dir

from webcontent.crawl.setup_errors import SetupError
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

_SCHEDULER = "scrapy.core.scheduler.Scheduler"
_BY_SITE = "scrapy.pqueues.DownloaderAwarePriorityQueue"
"""The priority queue whose state is a table of sites; that of others is a list."""
_SIZE = struct.Struct(">L")
"""How the disk queues of queuelib write the length of a request, and the number of requests."""


class JobFolderError(SetupError):
    """A crawl can't continue in its JOBDIR; the message says why, in one sentence."""


def check_job_folder(settings: BaseSettings) -> None:
    """Raises JobFolderError for a JOBDIR that can't be written or whose waiting requests can't be read. Nothing in it is changed.

    Logs a warning where a crawl was killed before it noted which requests wait.
    """
    if not settings.get("JOBDIR"):
        return
    name = on_terminal(str(settings["JOBDIR"]))
    try:
        folder = Path(job_dir(settings) or "")
        with TemporaryFile(dir=folder):
            pass
        for path in (folder / "requests.seen", folder / "spider.state"):
            if path.exists():
                path.open("ab").close()
    except OSError as error:
        raise JobFolderError(f"The JOBDIR {name} can't be written: {error.strerror or error}.") from error
    if settings.get("SCHEDULER") != _SCHEDULER:
        return
    try:
        _check_queue(folder, name, by_site=settings.get("SCHEDULER_PRIORITY_QUEUE") == _BY_SITE)
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        reason = on_terminal(str(error))
        message = f"The waiting requests in the JOBDIR {name} can't be read ({reason}); delete it to begin anew, or use another one."
        raise JobFolderError(message) from error


def _check_queue(folder: Path, name: str, *, by_site: bool) -> None:
    queue = folder / "requests.queue"
    state = queue / "active.json"
    if not state.exists():
        if _has_requests(queue):
            message = "The JOBDIR %s is of a crawl that was killed: requests that waited then are lost. Delete the folder to begin anew."
            logger.warning(message, name)
        return
    sites = json.loads(state.read_text(encoding="utf-8"))
    if by_site and sites and not isinstance(sites, dict):
        raise ValueError("active.json was written by another version of Scrapy, or with another SCHEDULER_PRIORITY_QUEUE")
    files = list(_queue_files(queue))
    if sites and not files:
        raise ValueError("the files that active.json names are not there")
    for path in files:
        (_check_first_in_first_out if path.name == "info.json" else _check_last_in_first_out)(path)


def _has_requests(queue: Path) -> bool:
    return any(path.stat().st_size > _SIZE.size for path in queue.rglob("*") if path.is_file())


def _queue_files(queue: Path) -> Iterator[Path]:
    """The file that stands for each queue: `info.json` in a folder of chunks, or one file that grows and shrinks at its end."""
    for path in sorted(queue.rglob("*")):
        is_chunk = path.name.startswith("q") and path.name[1:].isdecimal()
        if path.is_dir() and any(path.glob("q[0-9]*")) and not (path / "info.json").exists():
            raise ValueError(f"{path.name} has no info.json")
        if path.is_file() and path.name != "active.json" and not is_chunk:
            yield path


def _check_first_in_first_out(info_path: Path) -> None:
    """Raises ValueError if a folder of chunks holds fewer requests than its `info.json` says."""
    info: dict[str, Any] = json.loads(info_path.read_text(encoding="utf-8"))
    (number, _, offset), (last, _), found = info["tail"], info["head"], 0
    for chunk in range(number, last + 1):
        with (info_path.parent / f"q{chunk:05d}").open("rb") as file:
            file.seek(offset)
            found += _count_forwards(file)
        offset = 0
    if found < info["size"]:
        raise ValueError(f"{found} of {info['size']} are left")


def _count_forwards(file: BinaryIO) -> int:
    end, found = os.fstat(file.fileno()).st_size, 0
    while len(size := file.read(_SIZE.size)) == _SIZE.size:
        file.seek(_SIZE.unpack(size)[0], os.SEEK_CUR)
        if file.tell() > end:
            break
        found += 1
    return found


def _check_last_in_first_out(path: Path) -> None:
    """Raises ValueError if a file with a number and then requests, each followed by its length, holds fewer requests."""
    with path.open("rb") as file:
        (wanted,) = _SIZE.unpack(file.read(_SIZE.size))
        end = os.fstat(file.fileno()).st_size
        for found in range(wanted):
            if end < 2 * _SIZE.size:
                raise ValueError(f"{found} of {wanted} are left")
            file.seek(end - _SIZE.size)
            end -= _SIZE.size + _SIZE.unpack(file.read(_SIZE.size))[0]
        if wanted and end != _SIZE.size:
            raise ValueError(f"{path.name} does not hold the {wanted} that it should")
