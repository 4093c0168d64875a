"""Reads the reference inputs and outputs of a model folder, which `webcontent.training.common.export` writes."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray


def read_reference(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Inputs and outputs by name, as `save_model` stored them."""
    stored = json.loads((folder / "reference.json").read_text(encoding="utf-8"))
    inputs = {name: _unpacked(entry) for name, entry in stored["inputs"].items()}
    return inputs, {name: np.asarray(values) for name, values in stored["outputs"].items()}


def _unpacked(entry: Mapping[str, Any]) -> NDArray[Any]:
    if "zlib" in entry:
        flat = np.frombuffer(zlib.decompress(base64.b64decode(entry["zlib"])), dtype=entry["dtype"])
    else:
        flat = np.array(entry["values"], dtype=entry["dtype"])
    return flat.reshape(entry["shape"])
