"""Model folders: found, checked and opened once a process.

A folder holds `model.onnx`, `config.json` (everything but the weights: input names and shapes, features, labels,
normalisation, calibration, the checksum of the weights), `reference.json` and `CARD.md`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime as ort


class ModelError(Exception):
    """A model is missing or damaged; the message names the file and says what to do."""


class Model:
    """A checked model folder. The onnxruntime session opens on first use; `run` may be called from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name
        self.config: dict[str, Any] = _read_config(folder)
        self._lock = threading.Lock()
        self._weights = _read_weights(folder, self.config)

    @cached_property
    def session(self) -> ort.InferenceSession:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # pages run in parallel, not a page's sums
        options.log_severity_level = 3
        try:
            return ort.InferenceSession(self._weights, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common class of their own
            raise ModelError(f"{_shown(self.folder / 'model.onnx')} does not open in onnxruntime: {error}") from error

    def run(self, **inputs: np.ndarray) -> list[np.ndarray]:
        """Outputs in the order of the graph, for inputs given by name."""
        with self._lock:  # guards the first opening only; a session itself is safe to share
            session = self.session
        outputs: list[np.ndarray] = session.run(None, inputs)
        return outputs


_own_folders: list[Path] = []


def use_folder(folder: str | Path | None) -> None:
    """From now on this process looks for models in `folder` (a user's own) before the package's; None: no longer.

    Models are opened once a process, so this is said before the first page. Raises ModelError when there is no such folder.
    """
    if folder is not None and not Path(folder).is_dir():
        raise ModelError(f"The folder of own models, {str(folder)!r}, is missing.")
    _own_folders[:] = [] if folder is None else [Path(folder)]


def load_model(name: str) -> Model:
    """The model of that name, a user's own (`use_folder`) or the package's; `name` may itself be the path of a model folder.

    Raises ModelError naming the file that is missing or damaged.
    """
    return _open_named(name, tuple(_own_folders))


def find_folder(name: str) -> Path:
    """Where a model lies. In a wheel that is `webcontent/_models`, in a checkout `models/` beside the package."""
    package = Path(__file__).resolve().parent
    places = [folder / name for folder in (*_own_folders, package / "_models", package.parent / "models")]
    if "/" in name or "\\" in name:
        places = [Path(name)]
    for place in places:
        if place.is_dir():
            return place.resolve()
    raise ModelError(f"{_shown(places[0] / 'model.onnx')} is missing. Install webcontent again, or make it anew: {_how_to_train(name)}")


@cache
def _open_named(name: str, _own: tuple[Path, ...]) -> Model:
    """Looks for the folder once a name: several models serve each page."""
    return _open_model(find_folder(name))


@cache
def _open_model(folder: Path) -> Model:
    return Model(folder)


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{_shown(path)} can't be read: {error.strerror}.") from error
    except ValueError as error:
        raise ModelError(f"{_shown(path)} is no JSON: {error}.") from error
    if not isinstance(config, dict) or "sha256" not in config:
        raise ModelError(f"{_shown(path)} has no checksum of the weights (key 'sha256').")
    return config


def _read_weights(folder: Path, config: dict[str, Any]) -> bytes:
    path = folder / "model.onnx"
    try:
        weights = path.read_bytes()
    except OSError as error:
        message = f"{_shown(path)} can't be read: {error.strerror}. Install webcontent again, or make it anew: {_how_to_train(folder.name)}"
        raise ModelError(message) from error
    if hashlib.sha256(weights).hexdigest() != config["sha256"]:
        raise ModelError(
            f"{_shown(path)} is damaged (its checksum differs from config.json). "
            f"Install webcontent again, or make it anew: {_how_to_train(folder.name)}"
        )
    return weights


def _shown(path: Path) -> str:
    return str(path)


def _how_to_train(name: str) -> str:
    return f"python -m webcontent.training.{Path(name).name.split('_')[0]}"
