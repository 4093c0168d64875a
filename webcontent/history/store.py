"""SiteHistory: the profiles of all hosts, in memory and in a file."""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.history.host import HostProfile, host_of
from webcontent.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

VERSION = 3
"""Version of the stored form, fingerprints and features included. A file of another version is not read."""
MAX_HOSTS = 1000
"""Hosts of a history, those that were asked for last."""

_ARRAYS = ("text_keys", "text_values", "text_seen", "path_keys", "path_values", "path_seen")
"""Names of `HostProfile.arrays` in a file."""


class SiteHistory:
    """The profiles of the last `limit` hosts that were asked for. Threads may share it."""

    def __init__(self, limit: int = MAX_HOSTS) -> None:
        self.limit = limit
        self._profiles: OrderedDict[str, HostProfile] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._profiles)

    def find(self, url: str | None) -> HostProfile | None:
        """The profile of an address's host, a new one for a new host; None without a host."""
        name = host_of(url)
        if not name:
            return None
        with self._lock:
            profile = self._profiles.setdefault(name, HostProfile())
            self._profiles.move_to_end(name)
            while len(self._profiles) > self.limit:
                self._profiles.popitem(last=False)
            return profile

    def save(self, path: str | Path) -> None:
        """Writes everything to one file, which replaces the old one as a whole."""
        headers: list[dict[str, Any]] = []
        arrays: dict[str, list[NDArray[Any]]] = {}
        with self._lock:
            profiles = list(self._profiles.items())
        for name, profile in profiles:
            with profile.lock:
                headers.append({"name": name, **profile.header()})
                for key, part in zip(_ARRAYS, profile.arrays(), strict=True):
                    arrays.setdefault(key, []).append(part)
        header = json.dumps({"version": VERSION, "hosts": headers}).encode()
        with whole_file(path) as stream:
            columns: dict[str, Any] = {key: np.concatenate(parts) for key, parts in arrays.items()}
            np.savez(stream, header=np.frombuffer(header, np.uint8), **columns)

    @classmethod
    def load(cls, path: str | Path, limit: int = MAX_HOSTS) -> SiteHistory:
        """The history in a file; an empty one where there is no file. A damaged file, or one of another version, is logged and ignored."""
        history = cls(limit)
        try:
            with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
                history._read(json.loads(stored["header"].tobytes()), {key: stored[key] for key in stored.files if key != "header"})
        except FileNotFoundError:
            return history
        except Exception as error:  # whatever the file holds: the crawl begins with an empty history
            logger.warning("Site history can't be read from %s (%s); it is learned anew.", path, error)
            return cls(limit)
        return history

    def _read(self, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        if header["version"] != VERSION:
            raise ValueError(f"it is of version {header['version']!r}, not {VERSION}")
        starts = [0] * len(_ARRAYS)
        for row in header["hosts"]:
            ends = [start + size for start, size in zip(starts, row["sizes"], strict=True)]
            parts = [arrays[key][start:end].copy() for key, start, end in zip(_ARRAYS, starts, ends, strict=True)]
            self._profiles[row["name"]], starts = HostProfile.restore(row, parts), ends
        while len(self._profiles) > self.limit:
            self._profiles.popitem(last=False)
