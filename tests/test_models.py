"""Model folders: found, checked, opened once, and what is said when one is missing or damaged."""

from __future__ import annotations

import json
import pickle
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

import webcontent
from webcontent.models import SHIPPED, ModelError, ModelRegistry

if TYPE_CHECKING:
    from pathlib import Path

NAME = "pagetype_default_v1"
NAMES = sorted(path.parent.name for path in SHIPPED.find_folder(NAME).parent.glob("*/model.onnx"))
LARGEST, LARGEST_TOGETHER = 10_000_000, 25_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the user's own with a copy of one model."""
    shutil.copytree(SHIPPED.find_folder(NAME), tmp_path / NAME)
    return tmp_path


def zeros(name: str) -> dict[str, np.ndarray]:
    """An input of the right form for each input of a model: one page, 128 where a later size is open."""
    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_}
    found = {}
    for put in SHIPPED.load(name).session.get_inputs():
        sizes = [size if isinstance(size, int) else 128 if place else 1 for place, size in enumerate(put.shape)]
        found[put.name] = np.zeros(sizes, kinds[put.type])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_model_is_whole_and_runs(name: str) -> None:
    """Its checksum fits, its session opens, and zeros of its input's form give finite numbers."""
    outputs = SHIPPED.load(name).run(**zeros(name))
    assert all(np.isfinite(output).all() for output in outputs)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_model_is_small_and_has_a_card(name: str) -> None:
    """config.json, reference.json and CARD.md lie beside the weights."""
    home = SHIPPED.find_folder(name)
    assert (home / "model.onnx").stat().st_size < LARGEST
    assert {"config.json", "reference.json", "CARD.md"} <= {path.name for path in home.iterdir()}


def test_the_models_together_are_small() -> None:
    """They travel inside the wheel."""
    assert sum((SHIPPED.find_folder(name) / "model.onnx").stat().st_size for name in NAMES) < LARGEST_TOGETHER


def test_a_model_is_opened_once_a_process() -> None:
    """Every thread gets the same one."""
    with ThreadPoolExecutor(8) as pool:
        models = set(pool.map(lambda _: SHIPPED.load(NAME), range(16)))
        sessions = set(pool.map(lambda _: id(SHIPPED.load(NAME).session), range(16)))
    assert len(models) == len(sessions) == 1


def test_threads_may_run_it_together() -> None:
    """What they get is what one gets."""
    inputs = zeros(NAME)
    expected = SHIPPED.load(NAME).run(**inputs)[0]
    with ThreadPoolExecutor(8) as pool:
        for output in pool.map(lambda _: SHIPPED.load(NAME).run(**inputs)[0], range(32)):
            np.testing.assert_array_equal(output, expected)


def test_a_users_folder_comes_before_the_package(folder: Path) -> None:
    """By its name in that folder, or by the path of the model itself."""
    packaged = SHIPPED.load(NAME).folder
    assert ModelRegistry(folder).load(NAME).folder == (folder / NAME).resolve()
    assert SHIPPED.load(str(folder / NAME)).folder == (folder / NAME).resolve()
    assert SHIPPED.load(NAME).folder == packaged == SHIPPED.find_folder(NAME)


def test_a_model_that_the_users_folder_lacks_is_the_packages(tmp_path: Path) -> None:
    """Own models replace those of the same name, and no others."""
    assert ModelRegistry(tmp_path).load(NAME) is SHIPPED.load(NAME)


def test_registries_with_different_folders_do_not_collide(folder: Path) -> None:
    """Each has its own model of a name; also after it went through pickle."""
    own = ModelRegistry(folder)
    assert own.load(NAME).folder != SHIPPED.load(NAME).folder
    assert own.load(NAME) is own.load(NAME)
    assert pickle.loads(pickle.dumps(own)).load(NAME).folder == own.load(NAME).folder


def test_a_users_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Before any model is looked for."""
    with pytest.raises(ModelError, match=r"The folder of own models, .*nowhere', is missing"):
        ModelRegistry(tmp_path / "nowhere")


def test_a_missing_model_is_named_with_what_to_do(tmp_path: Path) -> None:
    """The file, and the command that makes it anew."""
    expected = (
        f"{tmp_path / 'bpnn_v9' / 'model.onnx'} is missing. "
        "Install webcontent again, or train the model again: python -m webcontent.training.bpnn"
    )
    with pytest.raises(ModelError, match=re.escape(expected)):
        ModelRegistry(tmp_path).load("bpnn_v9")


def test_damaged_weights_are_found_at_load(folder: Path) -> None:
    """One changed byte is enough, and nothing of it is run."""
    weights = folder / NAME / "model.onnx"
    content = bytearray(weights.read_bytes())
    content[len(content) // 2] ^= 1
    weights.write_bytes(content)
    with pytest.raises(ModelError, match=rf"{re.escape(str(weights))} is damaged \(its checksum differs from config.json\)"):
        SHIPPED.load(str(folder / NAME))


@pytest.mark.parametrize("name", ["model.onnx", "config.json"])
def test_a_file_that_is_not_there_is_named(folder: Path, name: str) -> None:
    """The folder alone is no model."""
    (folder / NAME / name).unlink()
    with pytest.raises(ModelError, match=re.escape(str(folder / NAME / name)) + " can't be read: No such file"):
        SHIPPED.load(str(folder / NAME))


@pytest.mark.parametrize(
    ("config", "message"),
    [("", "is no JSON"), ("{", "is no JSON"), ("[]", "has no checksum"), ("{}", "has no checksum"), ("null", "has no checksum")],
)
def test_a_damaged_config_is_named(folder: Path, config: str, message: str) -> None:
    """Cut off, empty, or of another form."""
    path = folder / NAME / "config.json"
    path.write_text(config, encoding="utf-8")
    with pytest.raises(ModelError, match=f"{re.escape(str(path))} {message}"):
        SHIPPED.load(str(folder / NAME))


def test_weights_that_are_no_model_are_named(folder: Path) -> None:
    """The checksum fits, but onnxruntime can't open them."""
    import hashlib

    (folder / NAME / "model.onnx").write_bytes(b"no model")
    (folder / NAME / "config.json").write_text(json.dumps({"sha256": hashlib.sha256(b"no model").hexdigest()}), encoding="utf-8")
    with pytest.raises(ModelError, match=f"{re.escape(str(folder / NAME / 'model.onnx'))} does not open in onnxruntime"):
        SHIPPED.load(str(folder / NAME)).session  # noqa: B018


def test_the_error_is_public() -> None:
    """Callers catch it by its name in the package."""
    assert webcontent.ModelError is ModelError
