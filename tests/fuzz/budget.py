"""How long the fuzzers run: WEBCONTENT_FUZZ_S seconds of CPU time for all of them together; without it a second each."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FUZZERS = 4
"""Tests that share the time: mutated pages, their Markdown, patterns in pages, properties."""
SECONDS = float(os.environ.get("WEBCONTENT_FUZZ_S", FUZZERS)) / FUZZERS
SEED = int(os.environ.get("WEBCONTENT_FUZZ_SEED", "19"))
"""Where the random choices begin; a longer run makes the choices of a shorter one first."""


def rounds(least: int) -> Iterator[int]:
    """Numbers from 0, at least so many, until the CPU time is spent."""
    end = time.process_time() + SECONDS
    number = 0
    while number < least or time.process_time() < end:
        yield number
        number += 1
