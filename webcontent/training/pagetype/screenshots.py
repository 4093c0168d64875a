"""The networks over whole screenshots: the paper's LeNet-5, ResNet-101 and EfficientNet."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tqdm import tqdm

from webcontent.pagetype.screenshot import whole_page
from webcontent.training.common.nets import MAX_RATE, Schedule
from webcontent.training.pagetype.augmentation.variations import WHITE, synthetic_images
from webcontent.training.pagetype.backbones import BACKBONES
from webcontent.training.pagetype.cross_validation import NetworkTask, train_network
from webcontent.training.pagetype.networks import LeNet5
from webcontent.training.pagetype.samples import files_checksum, screenshot_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.pagetype.settings import Run

COLOURS = {"lenet5": ("grey",), "resnet101": ("red", "green", "blue"), "efficientnet": ("red", "green", "blue")}
"""Channels of the screenshot, by network."""
BACKBONE_RATES = {"resnet101": ("constant", 2e-4), "efficientnet": ("ramp", MAX_RATE)}
"""Course and largest value of the learning rate (section 1.2)."""
LENET = Schedule(8, batch=16, rate=3e-4, decay=0.01)
BACKBONE = Schedule(30, batch=16, rate=MAX_RATE, decay=0.0, smoothing=0.0)
BODY_BATCH = 4
"""Screenshots that pass the frozen layers together."""
EXAMPLES = 4
INPUT = "picture"
"""Name of the input in the graph."""


def train_lenet5(run: Run) -> None:
    """The paper's LeNet-5."""
    settings = run.settings
    samples, paths, data = screenshot_samples(run)
    pixels = _pixels(run, "lenet5", paths, data)
    train_network(
        run,
        NetworkTask(
            name="lenet5",
            architecture=lambda: LeNet5(settings.size),
            inputs=lambda rows, _: pixels[rows].astype(np.float32) / np.float32(WHITE),
            samples=samples,
            data=data,
            schedule=replace(LENET, epochs=settings.epochs or LENET.epochs),
            input_name=INPUT,
            example=_examples(settings.size, 1),
            config={"size": settings.size, "channels": COLOURS["lenet5"]},
        ),
    )


def train_backbone(run: Run, name: str) -> None:
    """ResNet-101 or EfficientNet, as in section 1.2: batch 16, 30 epochs, Adam; 2e-4, or the course of equations 2 and 3."""
    settings = run.settings
    assert run.weights is not None
    body, head = BACKBONES[name](run.weights, settings.size)
    samples, paths, data = screenshot_samples(run)
    data = {**data, "weights": files_checksum([run.weights])}
    file = run.state_folder(name, {"size": settings.size, "data": data}) / "features.npy"
    features = _body_features(body, _pixels(run, name, paths, data), file)
    course, rate = BACKBONE_RATES[name]
    train_network(
        run,
        NetworkTask(
            name=name,
            architecture=lambda: copy.deepcopy(head),
            inputs=lambda rows, _: features[rows].astype(np.float32),
            samples=samples,
            data=data,
            schedule=replace(BACKBONE, epochs=settings.epochs or BACKBONE.epochs, rate=rate, course=course),
            input_name=INPUT,
            example=_examples(settings.size, len(COLOURS[name])),
            config={"size": settings.size, "channels": COLOURS[name]},
            fresh=name == "resnet101",
            exported=lambda net: torch.nn.Sequential(body, net),
        ),
    )


def _examples(size: int, channels: int) -> NDArray[np.float32]:
    """Reference inputs."""
    images = synthetic_images((EXAMPLES, size, size, channels)).transpose(0, 3, 1, 2)
    return np.ascontiguousarray(images, np.float32) / np.float32(WHITE)


def _pixels(run: Run, name: str, paths: Sequence[Path], data: dict[str, str]) -> NDArray[np.uint8]:
    """The screenshots as a network takes them: uint8 [n, channels, size, size], kept in a file."""
    size, channels = run.settings.size, len(COLOURS[name])
    folder = run.state_folder("screenshots", {"size": size, "channels": channels, "data": data, "count": len(paths)})

    def fill(pixels: NDArray[np.uint8]) -> None:
        for row, path in enumerate(tqdm(paths, desc="screenshots", disable=None)):
            pixels[row] = np.rint(read_image(path, whole_page, size, channels)[0] * WHITE)

    return stored_array(folder / "screenshots.npy", np.uint8, (len(paths), channels, size, size), fill)


def read_image(path: Path, read: Callable[..., NDArray[Any] | None], *arguments: Any) -> NDArray[Any]:
    """A screenshot as `read` gives it. ValueError names a file that is no image."""
    image = read(path.read_bytes(), *arguments)
    if image is None:
        raise ValueError(f"{path} is no WebP, JPEG or PNG that can be read.")
    return image


def stored_array(file: Path, dtype: type[np.generic], shape: tuple[int, ...], fill: Callable[[NDArray[Any]], None]) -> NDArray[Any]:
    """An array from a file; where the file is missing, `fill` fills the array in place, and it is stored first."""
    if not file.is_file():
        part = file.with_suffix(".part")
        array = np.lib.format.open_memmap(part, "w+", dtype, shape)
        fill(array)
        array.flush()
        part.rename(file)
    stored: NDArray[Any] = np.load(file, mmap_mode="r")
    return stored


def _body_features(body: Any, pixels: NDArray[np.uint8], file: Path) -> NDArray[np.float16]:
    """The outputs of a frozen body for each screenshot, kept in a file: they are the same in every epoch and fold."""

    def features(row: int) -> NDArray[np.float32]:
        with torch.no_grad():
            outputs: NDArray[np.float32] = body(torch.from_numpy(pixels[row : row + BODY_BATCH].astype(np.float32) / WHITE)).numpy()
        return outputs

    def fill(array: NDArray[Any]) -> None:
        for row in tqdm(range(0, len(pixels), BODY_BATCH), desc="frozen layers", disable=None):
            array[row : row + BODY_BATCH] = features(row)

    if file.is_file():
        return stored_array(file, np.float16, (), fill)
    return stored_array(file, np.float16, (len(pixels), *features(0).shape[1:]), fill)
