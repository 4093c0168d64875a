"""Model folders: found, checked and opened on first use.

A folder holds `model.onnx`, `config.json` (everything but the weights: input names and shapes, features, labels,
normalisation, calibration, the checksum of the weights), `reference.json` and `CARD.md`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime as ort

PACKAGE = Path(__file__).resolve().parent
SHIPPED_FOLDERS = (PACKAGE / "_models", PACKAGE.parent / "models")
"""Where the package's own models are: the first in a wheel, the second in a checkout."""


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
        """The onnxruntime session. Raises ModelError when onnxruntime does not open the file."""
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # pages run in parallel, one page's sums do not
        options.log_severity_level = 3
        try:
            return ort.InferenceSession(self._weights, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors have no common class of their own
            raise ModelError(f"{self.folder / 'model.onnx'} does not open in onnxruntime: {error}") from error

    def run(self, **inputs: np.ndarray) -> list[np.ndarray]:
        """The outputs in the order of the graph, for inputs given by name."""
        with self._lock:  # guards the first opening only; a session itself is safe to share
            session = self.session
        outputs: list[np.ndarray] = session.run(None, inputs)
        return outputs


class ModelRegistry:
    """Finds models by name, checks them, and opens each once.

    `folder`: a user's own models, which take precedence over the package's; None: only the package's. A name may itself be the
    path of a model folder. A registry may be shared by threads. Crawls with different folders have different registries.
    Raises ModelError when there is no such folder.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        if folder is not None and not Path(folder).is_dir():
            raise ModelError(f"The folder of own models, {str(folder)!r}, is missing.")
        self.folder = None if folder is None else Path(folder)
        self._models: dict[str, Model] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[ModelRegistry], tuple[Path | None]]:
        """Another process opens the models anew."""
        return type(self), (self.folder,)

    def load(self, name: str) -> Model:
        """The model of that name. Raises ModelError naming the file that is missing or damaged."""
        model = self._models.get(name)
        if model is None:
            with self._lock:
                model = self._models.get(name) or self._open(name)
                self._models[name] = model
        return model

    def find_folder(self, name: str) -> Path:
        """Where a model is. Raises ModelError when it is nowhere."""
        is_path = "/" in name or "\\" in name
        places = [Path(name)] if is_path else [folder / name for folder in self._folders()]
        for place in places:
            if place.is_dir():
                return place.resolve()
        raise ModelError(f"{places[0] / 'model.onnx'} is missing. {_how_to_repair(name)}")

    def _folders(self) -> tuple[Path, ...]:
        return SHIPPED_FOLDERS if self.folder is None else (self.folder, *SHIPPED_FOLDERS)

    def _open(self, name: str) -> Model:
        folder = self.find_folder(name)
        if self is not SHIPPED and folder.parent in SHIPPED_FOLDERS:
            return SHIPPED.load(folder.name)  # the package's own are opened once a process
        return Model(folder)


SHIPPED = ModelRegistry()
"""The package's own models."""


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} can't be read: {error.strerror}.") from error
    except ValueError as error:
        raise ModelError(f"{path} is no JSON: {error}.") from error
    if not isinstance(config, dict) or "sha256" not in config:
        raise ModelError(f"{path} has no checksum of the weights (key 'sha256').")
    return config


def _read_weights(folder: Path, config: dict[str, Any]) -> bytes:
    path = folder / "model.onnx"
    try:
        weights = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} can't be read: {error.strerror}. {_how_to_repair(folder.name)}") from error
    if hashlib.sha256(weights).hexdigest() != config["sha256"]:
        raise ModelError(f"{path} is damaged (its checksum differs from config.json). {_how_to_repair(folder.name)}")
    return weights


def _how_to_repair(name: str) -> str:
    module = Path(name).name.split("_")[0]
    return f"Install webcontent again, or train the model again: python -m webcontent.training.{module}"
