"""Model folders: finds and checks them, and opens them on first use.

A folder has `model.onnx`, `config.json` (everything but the weights: input names and shapes, features, labels, normalization, calibration,
the checksum of the weights), `reference.json` (inputs with their outputs, for tests) and `CARD.md`.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime as ort

PACKAGE = Path(__file__).resolve().parent
SHIPPED_FOLDERS = (PACKAGE / "_models", PACKAGE.parent / "models")
"""The folders of the package's own models: the first in a wheel, the second in a checkout."""


class ModelError(Exception):
    """A model is missing or damaged. The message names the file and says how to repair it."""


class Model:
    """A checked model folder. The onnxruntime session opens on first use. `run` may be called from any thread.

    Raises ModelError if a file is missing or damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name
        self.config: dict[str, Any] = _read_config(folder / "config.json")
        """The content of config.json."""
        self._lock = threading.Lock()
        self._weights = _read(folder / "model.onnx")
        if hashlib.sha256(self._weights).hexdigest() != self.config["sha256"]:
            fault = f"{folder / 'model.onnx'} is damaged (its checksum differs from config.json)."
            raise ModelError(f"{fault} {_how_to_repair(folder.name)}")

    @cached_property
    def session(self) -> ort.InferenceSession:
        """The onnxruntime session. Raises ModelError if onnxruntime can't open the file."""
        ort = _onnxruntime()
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # pages are processed in parallel, so one page needs one thread
        options.log_severity_level = 3  # errors, no warnings
        try:
            return ort.InferenceSession(self._weights, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # errors of onnxruntime have no common base class
            raise ModelError(f"{self.folder / 'model.onnx'} does not open in onnxruntime: {error}") from error

    def run(self, **inputs: np.ndarray) -> list[np.ndarray]:
        """The outputs in the order of the graph, for inputs by name."""
        with self._lock:  # only for the first opening; sessions are thread-safe
            session = self.session
        outputs: list[np.ndarray] = session.run(None, inputs)
        return outputs


def _onnxruntime() -> Any:
    """The module, kept from reporting to its maker, as it does by default from version 1.29 on. A user's own choice stays."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime as ort

    if os.environ["ORT_DISABLE_TELEMETRY"] == "1":
        ort.disable_telemetry_events()  # another library may have started it before
    return ort


class ModelRegistry:
    """Finds models by name, checks them, and opens each of them once.

    `folder`: a folder with your own models, which take precedence over models of the same name in the package; None for the package's
    models only. Threads may share a registry. Two registries with different folders do not affect each other.
    Raises ModelError if the folder does not exist.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        if folder is not None and not Path(folder).is_dir():
            raise ModelError(f"The folder of models {str(folder)!r} does not exist.")
        self.folder = None if folder is None else Path(folder)
        self._models: dict[str, Model] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[ModelRegistry], tuple[Path | None]]:
        """Only the folder is pickled. Another process opens the models again."""
        return type(self), (self.folder,)

    def load(self, name: str) -> Model:
        """The model of that name, or of that path if it contains a slash. Raises ModelError naming the file that is missing or damaged."""
        with self._lock:
            if name not in self._models:
                self._models[name] = self._open(name)
            return self._models[name]

    def find_folder(self, name: str) -> Path:
        """The folder of a model. Raises ModelError if there is none."""
        own = () if self.folder is None else (self.folder,)
        folders = [Path(name)] if "/" in name or "\\" in name else [folder / name for folder in (*own, *SHIPPED_FOLDERS)]
        for folder in folders:
            if folder.is_dir():
                return folder.resolve()
        raise ModelError(f"{folders[0] / 'model.onnx'} is missing. {_how_to_repair(name)}")

    def _open(self, name: str) -> Model:
        folder = self.find_folder(name)
        if self is not SHIPPED and folder.parent in SHIPPED_FOLDERS:
            return SHIPPED.load(folder.name)  # so that the package's models are opened once per process
        return Model(folder)


SHIPPED = ModelRegistry()
"""The package's own models."""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} can't be read: {error.strerror}. {_how_to_repair(path.parent.name)}") from error


def _read_config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(_read(path))
    except ValueError as error:
        raise ModelError(f"{path} is not JSON: {error}.") from error
    if not isinstance(config, dict) or "sha256" not in config:
        raise ModelError(f"{path} has no checksum of the weights (key 'sha256').")
    return config


def _how_to_repair(name: str) -> str:
    module = Path(name).name.split("_")[0]
    return f"Install webcontent again, or train the model again: python -m webcontent.training.{module}"
