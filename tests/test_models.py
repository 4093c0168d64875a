"""Model folders are found, checked and opened once. Missing and damaged ones are named."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import webcontent
from webcontent.models import SHIPPED, ModelError, ModelRegistry
from webcontent.pipeline import Options

if TYPE_CHECKING:
    from pathlib import Path

NAME = "pagetype_default_v1"
NAMES = sorted(path.parent.name for path in SHIPPED.find_folder(NAME).parent.glob("*/model.onnx"))
LARGEST, LARGEST_TOGETHER = 10_000_000, 25_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder with a copy of one model."""
    shutil.copytree(SHIPPED.find_folder(NAME), tmp_path / NAME)
    return tmp_path


def zeros(name: str) -> dict[str, np.ndarray]:
    """Zeros of the right shape and type for each input of a model. Open sizes are 1 for the first axis, else 128."""
    types = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_}
    inputs = {}
    for spec in SHIPPED.load(name).session.get_inputs():
        sizes = [size if isinstance(size, int) else 128 if axis else 1 for axis, size in enumerate(spec.shape)]
        inputs[spec.name] = np.zeros(sizes, types[spec.type])
    return inputs


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_model_is_complete_and_runs(name: str) -> None:
    """Its checksum matches, its session opens, and zeros as input give finite numbers."""
    outputs = SHIPPED.load(name).run(**zeros(name))
    assert all(np.isfinite(output).all() for output in outputs)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_model_is_small_and_has_a_card(name: str) -> None:
    """config.json, reference.json and CARD.md are beside the weights."""
    home = SHIPPED.find_folder(name)
    assert (home / "model.onnx").stat().st_size < LARGEST
    assert {"config.json", "reference.json", "CARD.md"} <= {path.name for path in home.iterdir()}


def test_the_models_together_are_small() -> None:
    """They are part of the wheel."""
    assert sum((SHIPPED.find_folder(name) / "model.onnx").stat().st_size for name in NAMES) < LARGEST_TOGETHER


def test_a_model_is_opened_once_per_process() -> None:
    """All threads get the same model."""
    with ThreadPoolExecutor(8) as pool:
        models = set(pool.map(lambda _: SHIPPED.load(NAME), range(16)))
        sessions = set(pool.map(lambda _: id(SHIPPED.load(NAME).session), range(16)))
    assert len(models) == len(sessions) == 1


def test_thirty_threads_open_a_model_once_from_a_cold_start(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them look it up and run it at the same moment."""
    import onnxruntime

    opened: list[object] = []
    session = onnxruntime.InferenceSession

    def open_session(*arguments: Any, **options: Any) -> Any:
        opened.append(session(*arguments, **options))
        return opened[-1]

    inputs = zeros(NAME)  # of the package's own copy, which it opens
    monkeypatch.setattr(onnxruntime, "InferenceSession", open_session)
    registry, barrier = ModelRegistry(folder), Barrier(30)

    def run(_: int) -> bytes:
        barrier.wait(timeout=60)
        output: np.ndarray = registry.load(NAME).run(**inputs)[0]
        return output.tobytes()

    with ThreadPoolExecutor(30) as pool:
        outputs = set(pool.map(run, range(30)))
    assert (len(outputs), len(opened)) == (1, 1)


def test_threads_can_share_a_model() -> None:
    """They get the same outputs as one thread."""
    inputs = zeros(NAME)
    expected = SHIPPED.load(NAME).run(**inputs)[0]
    with ThreadPoolExecutor(8) as pool:
        for output in pool.map(lambda _: SHIPPED.load(NAME).run(**inputs)[0], range(32)):
            np.testing.assert_array_equal(output, expected)


def test_a_users_folder_takes_precedence(folder: Path) -> None:
    """A model is found by its name in that folder, or by its own path."""
    packaged = SHIPPED.load(NAME).folder
    assert ModelRegistry(folder).load(NAME).folder == (folder / NAME).resolve()
    assert SHIPPED.load(str(folder / NAME)).folder == (folder / NAME).resolve()
    assert SHIPPED.load(NAME).folder == packaged == SHIPPED.find_folder(NAME)


def test_other_models_come_from_the_package(tmp_path: Path) -> None:
    """A user's model replaces only the model of the same name."""
    assert ModelRegistry(tmp_path).load(NAME) is SHIPPED.load(NAME)


def test_registries_with_different_folders_do_not_collide(folder: Path) -> None:
    """Each has its own model of a name, even after pickling."""
    own = ModelRegistry(folder)
    assert own.load(NAME).folder != SHIPPED.load(NAME).folder
    assert own.load(NAME) is own.load(NAME)
    assert pickle.loads(pickle.dumps(own)).load(NAME).folder == own.load(NAME).folder


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """The error is raised before a model is needed."""
    with pytest.raises(ModelError, match=r"The folder of models '.*nowhere' does not exist"):
        ModelRegistry(tmp_path / "nowhere")


def test_a_missing_model_is_named_with_a_remedy(tmp_path: Path) -> None:
    """The message has the file and the command that trains the model again."""
    expected = (
        f"{tmp_path / 'bpnn_v9' / 'model.onnx'} is missing. "
        "Install webcontent again, or train the model again: python -m webcontent.training.bpnn"
    )
    with pytest.raises(ModelError, match=re.escape(expected)):
        ModelRegistry(tmp_path).load("bpnn_v9")


def test_damaged_weights_are_found_at_load(folder: Path) -> None:
    """One changed byte is enough. The weights are not opened."""
    weights = folder / NAME / "model.onnx"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(content)
    with pytest.raises(ModelError, match=rf"{re.escape(str(weights))} is damaged \(its checksum differs from config.json\)"):
        SHIPPED.load(str(folder / NAME))


@pytest.mark.parametrize("name", ["model.onnx", "config.json"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    """A folder alone is not a model."""
    (folder / NAME / name).unlink()
    with pytest.raises(ModelError, match=re.escape(str(folder / NAME / name)) + " can't be read: No such file"):
        SHIPPED.load(str(folder / NAME))


@pytest.mark.parametrize(
    ("config", "message"),
    [("", "is not JSON"), ("{", "is not JSON"), ("[]", "has no checksum"), ("{}", "has no checksum"), ("null", "has no checksum")],
)
def test_a_damaged_config_is_named(folder: Path, config: str, message: str) -> None:
    """It is cut off, empty, or not an object."""
    path = folder / NAME / "config.json"
    path.write_text(config, encoding="utf-8")
    with pytest.raises(ModelError, match=f"{re.escape(str(path))} {message}"):
        SHIPPED.load(str(folder / NAME))


def test_weights_that_are_not_a_model_are_named(folder: Path) -> None:
    """The checksum matches, but onnxruntime can't open them."""
    import hashlib

    (folder / NAME / "model.onnx").write_bytes(b"no model")
    (folder / NAME / "config.json").write_text(json.dumps({"sha256": hashlib.sha256(b"no model").hexdigest()}), encoding="utf-8")
    with pytest.raises(ModelError, match=f"{re.escape(str(folder / NAME / 'model.onnx'))} does not open in onnxruntime"):
        _ = SHIPPED.load(str(folder / NAME)).session


def test_error_and_registry_are_public() -> None:
    """They can be imported from the package."""
    assert webcontent.ModelError is ModelError
    assert webcontent.ModelRegistry is ModelRegistry


def test_options_take_a_registry(tmp_path: Path) -> None:
    """A folder alone is an error that says what to write instead."""
    assert Options(models=ModelRegistry(tmp_path)).models.folder == tmp_path
    with pytest.raises(TypeError, match=r"models is 'my-models'; it takes a webcontent\.ModelRegistry"):
        Options(models="my-models")


@pytest.mark.process
def test_nothing_about_its_use_is_sent_or_stored(tmp_path: Path) -> None:
    """onnxruntime would keep an identifier in the home folder and report to its maker, unless it finds itself in a CI."""
    environment = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    code = "import time, webcontent; webcontent.extract('<h1>A page</h1><p>Some text of a page that is long enough.</p>'); time.sleep(1)"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert list(tmp_path.rglob("*")) == []
