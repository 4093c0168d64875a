"""Files that are complete at any moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webcontent.whole_files import whole_file, write_whole

if TYPE_CHECKING:
    from pathlib import Path


def test_what_fails_leaves_the_file_as_it_was(tmp_path: Path):
    """Nothing lies beside it. Folders are created, and text that is no UTF-8 is written all the same."""
    path = tmp_path / "new" / "page.html"
    write_whole(path, "whole\ud800")
    with pytest.raises(TypeError), whole_file(path) as stream:
        stream.writelines([b"half", None])  # type: ignore[list-item]
    assert path.read_text() == "whole?"
    assert list(path.parent.iterdir()) == [path]
