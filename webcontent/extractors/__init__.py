"""The table of extractors, by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from webcontent.extraction import WrongExtractorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webcontent.extraction import Extractor

TABLE = {
    "awce": "webcontent.extractors.awce.extractor:Awce",
    "bpnn": "webcontent.extractors.bpnn.extractor:BpNetwork",
    "fusion": "webcontent.extractors.fusion:Fusion",
    "nemtf": "webcontent.extractors.nemtf.extractor:Nemtf",
    "ngfv": "webcontent.extractors.ngfv.extractor:Ngfv",
    "web2text": "webcontent.extractors.web2text.extractor:Web2Text",
}
"""Name -> dotted path of a class without arguments (module:Class); users add theirs with WEBCONTENT_EXTRACTORS."""
DEFAULT = "fusion"


def load_extractor(name: str, table: Mapping[str, str] | None = None) -> Extractor:
    """The extractor of that name, loaded on first use and shared.

    `table`: a user's additions, name -> dotted path. Raises ValueError naming the known ones, WrongExtractorError
    for what can't be called.
    """
    paths = {**TABLE, **(table or {})}
    if name not in paths:
        known = ", ".join(sorted(paths))
        raise ValueError(f"No extractor is named {name!r}. There are: {known}.")
    return _load(paths[name])


@cache
def _load(path: str) -> Extractor:
    module, _, name = path.replace(":", ".").rpartition(".")
    try:
        loaded = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"The extractor {path!r} can't be loaded: {error}.") from error
    extractor = loaded() if isinstance(loaded, type) else loaded
    if not callable(extractor):
        raise WrongExtractorError(f"The extractor {path!r} is {type(extractor).__name__}, which can't be called.")
    return cast("Extractor", extractor)
