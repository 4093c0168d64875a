"""Files for the tests of the page type trainers: pre-trained weights, and screenshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path


def random_weights(net: torch.nn.Module, file: Path) -> Path:
    """A state dict as torchvision stores it, with a top layer that is not used."""
    torch.manual_seed(0)
    torch.save({**net.state_dict(), "fc.weight": torch.zeros(1), "classifier.1.weight": torch.zeros(1)}, file)
    return file


def draw_pages(folder: Path, count: int = 6) -> Path:
    """Articles are a grey block, lists are stripes; each in a folder of a made-up site."""
    generator = np.random.default_rng(0)
    for name in ("article", "list"):
        for i in range(count):
            page = np.full((300, 128), 255, np.uint8)
            top = int(generator.integers(10, 40))
            page[top : 250 : 1 if name == "article" else 12, 10:110] = 90
            path = folder / name / f"site{i}" / "page.png"
            path.parent.mkdir(parents=True)
            Image.fromarray(page).save(path)
    return folder
