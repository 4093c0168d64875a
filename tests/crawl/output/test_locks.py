"""One crawl at a time writes to a file, on each system."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from webcontent.crawl.output import files

if TYPE_CHECKING:
    from pathlib import Path


class BytesLockedByWindows:
    """msvcrt.locking: one holder a byte, which is where the file's position stands."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.holders: dict[tuple[int, int], int] = {}

    def locking(self, file: int, mode: int, count: int) -> None:
        place = os.fstat(file).st_ino, os.lseek(file, 0, os.SEEK_CUR)
        if self.holders.setdefault(place, file) != file:
            raise OSError(13, "Permission denied")


@pytest.fixture(params=["flock", "bytes"])
def _system(request, monkeypatch):
    if request.param == "bytes":
        monkeypatch.setattr(files, "fcntl", None)
        monkeypatch.setattr(files, "msvcrt", BytesLockedByWindows())


@pytest.mark.usefixtures("_system")
def test_a_file_is_locked_once(tmp_path: Path):
    """Its position stays, and its bytes can be read."""
    path = tmp_path / "items.jsonl"
    path.write_text("first\n")
    with path.open("rb+") as one, path.open("rb") as other:
        one.seek(3)
        assert files.lock(one.fileno())
        assert not files.lock(other.fileno())
        assert one.tell() == 3
        assert other.read() == b"first\n"
