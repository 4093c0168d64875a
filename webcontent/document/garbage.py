"""Python's search for cyclic garbage, kept out of what makes many small objects."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without_collection() -> Iterator[None]:
    """The search waits while a page is worked on; as a decorator, too.

    A page's thousands of small objects set it off again and again, for a tenth of the time (a quarter on the largest pages), and hold
    no cycles for it to find.
    """
    if not gc.isenabled():  # by the user, or by a page in another thread
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
