"""How archives are read in parts: a size at which a part ends, beside one at which it does not."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from tests.batch.warc_records import record
from webcontent.batch import run
from webcontent.batch.pool import EncodedItems, ProcessPool
from webcontent.batch.run import extract_archives
from webcontent.batch.warc import iter_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webcontent.batch.run import Counts


@contextmanager
def parts_of(*pages: bytes, step_s: float = 0.0) -> Iterator[tuple[Counts, list[int], int]]:
    """What a run over pages counts, the pages of each part, and how often it is saved. `step_s`: how long a part takes."""
    sizes, saved, clock = list[int](), [], count()

    def results(chunks: Any) -> Iterator[Any]:
        for chunk in chunks:
            sizes.append(len(chunk.pages))
            yield chunk, [EncodedItems(b"{}\n" * len(chunk.pages), len(chunk.pages), 0)]

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "ProcessPool", lambda *arguments: nullcontext(Mock(results=results)))
        patch.setattr(run, "monotonic", lambda: next(clock) * step_s)
        save = run._Run.save
        patch.setattr(run._Run, "save", lambda self: (saved.append(1), save(self)))
        archive = Path(folder, "a.warc")
        archive.write_bytes(b"".join(record(f"https://a.example/{number}", page) for number, page in enumerate(pages)))
        yield extract_archives([archive], Path(folder, "items.jsonl"), processes=1), sizes, len(saved)


def is_part(size: int) -> bool:
    """Whether a page of so many bytes ends a part."""
    with parts_of(b"x" * size, b"y") as (_, sizes, _):
        return sizes == [1, 1]


def is_saved(step_s: float) -> bool:
    """Whether the state is saved after a part that took so long."""
    with parts_of(b"x", step_s=step_s) as (_, _, saved):
        return saved > 1


def is_sent(chunks: int) -> bool:
    """Whether so many parts are sent to a process before its first result is awaited."""
    sent = iter([Mock()] * chunks)
    next(ProcessPool.results(Mock(size=1), sent))
    return next(sent, None) is None


def is_whole(size: int) -> bool:
    """Whether a page of so many bytes is read as it is, with the byte that tells that it is too long."""
    page = next(iter_records(BytesIO(record("https://a.example/", b" " * size)))).page
    return page is not None and len(page.html) == size


LIMITS: dict[str, tuple[Callable[[float], bool], float, float]] = {
    "bytes of a part": (is_part, 1_048_576, 1_048_575),
    "seconds between two states": (is_saved, 5.1, 4.9),
    "bytes of a page, as docs/settings.md says, and one": (is_whole, 10_000_001, 10_000_002),
    "parts of a process": (is_sent, 3, 4),
}
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_archives_are_read_in_parts(name: str):
    holds, size, beyond = LIMITS[name]
    assert (holds(size), holds(beyond)) == (True, False)


def test_a_run_counts_from_zero():
    with parts_of(b"<p>a", b"<p>b") as (counts, _, _):
        assert (counts.pages, counts.others, counts.damaged, counts.failed, counts.items) == (2, 0, 0, 0, 2)
