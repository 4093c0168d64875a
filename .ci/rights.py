"""Finds files that hold lines of somebody else's copyright or licence: code that was copied instead of required."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

OURS = "webcontent contributors"
_COMMENT = r"(?:\"{3}|[ \t#/*!;%<-])*"
"""What may stand before a notice in the comments of any language here. That of a test page stands behind a quote, a bracket or a tag."""
_NOTICE = re.compile(
    rf"^{_COMMENT}(?:@?(?:copyright|license:)\s*(?:\(c\)|©|:)?\s*(?:19|20)\d\d|(?:\(c\)|©)\s*(?:19|20)\d\d|SPDX-|@license\b|@preserve\b"
    r"|permission is hereby granted|redistribution and use in source|licensed under the|this source code form is subject)",
    re.IGNORECASE | re.MULTILINE,
)


def foreign_notices(files: Iterable[Path]) -> list[str]:
    """Each notice that does not name us, as `file: line`. A file that names us is ours as a whole."""
    found = []
    for file in files:
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:  # models and pictures
            continue
        lines = [text[match.start() : text.find("\n", match.end())].strip() for match in _NOTICE.finditer(text)]
        if OURS not in " ".join(lines):
            found += [f"{file}: {line}" for line in lines]
    return found
