"""Files that are complete at any moment."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PART = ".part"
"""End of the name of a file that is not complete yet."""


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes its place when it is complete. If an error is raised, what was there stays. Its folder is created."""
    path = Path(path)
    if path.exists() and not path.is_file():  # a device
        with path.open("wb") as stream:
            yield stream
        return
    path = path.resolve()  # of a link, what it leads to
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + PART)
    try:
        with part.open("wb") as stream:
            yield stream
        shutil.move(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Writes bytes, or a text in UTF-8, as a `whole_file`."""
    with whole_file(path) as stream:
        stream.write(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
