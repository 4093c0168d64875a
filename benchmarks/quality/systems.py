"""The systems of the comparison: every extractor of this package, and the baselines."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from webcontent.evaluation.baselines import BASELINES, System
from webcontent.extractors import DEFAULT, TABLE

if TYPE_CHECKING:
    from webcontent.evaluation.baselines import Extracted, Run

FIELDS = ("title", "time", "authors", "body", "type")


def _own(extractor: str) -> Run:
    import webcontent

    def run(html: str, url: str) -> Extracted:
        item = webcontent.extract(html, url=url, extractor=extractor)
        return {name: getattr(item, name, None) for name in FIELDS}

    return run


OWN_SYSTEMS = tuple(System(f"webcontent:{name}", partial(_own, name)) for name in sorted(TABLE, key=lambda name: (name != DEFAULT, name)))
"""The default extractor first."""
SYSTEMS = {system.name: system for system in (*OWN_SYSTEMS, *BASELINES)}
