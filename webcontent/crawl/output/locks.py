"""Locks on open files. A lock ends when its file is closed, or with the process that holds it."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None
"""None on Windows."""
msvcrt: Any = import_module("msvcrt") if find_spec("msvcrt") else None
"""None elsewhere."""
LOCKED_BYTE = 0x7FFF_FFFE
"""Windows locks bytes and not files, and nobody else may read a locked byte: this is the last one that it can lock."""


def lock(file: int) -> bool:
    """Locks an open file, whose position stays. False if another process has locked it."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            _lock_byte(file)
    except OSError:
        return False
    return True


def _lock_byte(file: int) -> None:
    position = os.lseek(file, 0, os.SEEK_CUR)
    os.lseek(file, LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    finally:
        with suppress(OSError):
            os.lseek(file, position, os.SEEK_SET)
