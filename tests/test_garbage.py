"""The search for cyclic garbage waits while a page is worked on, and goes on after it."""

from __future__ import annotations

import gc

import pytest

from webcontent.garbage import without_collection


@without_collection()
def fail() -> None:
    raise ValueError(str(gc.isenabled()))


def test_it_goes_on_after_an_error() -> None:
    """Off inside, on again behind it, whatever happened."""
    assert gc.isenabled()
    with pytest.raises(ValueError, match="False"):
        fail()
    assert gc.isenabled()


def test_what_the_user_switched_off_stays_off() -> None:
    """A process without the search keeps it so."""
    gc.disable()
    try:
        with without_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
