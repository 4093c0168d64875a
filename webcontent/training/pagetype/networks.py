"""The page type networks: LeNet-5 over screenshots, networks over layout rasters, and one that reads layouts off pixels."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from webcontent.pagetype.layout_raster import PIXEL_CHANNELS
from webcontent.training.pagetype.augmentation.variations import CELL_PX, COLOURS, WHITE
from webcontent.training.pagetype.settings import SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

KERNEL = 3
LENET_WIDTHS, MEAN, DEVIATION = (6, 16, 120, 84), 0.85, 0.25
"""Kernels and dense nodes of LeNet-5; of the values of the screenshots that it was trained on."""
LAYOUT_WIDTHS, POOLED, DROPOUT = (16, 24, 32, 48, 64, 64), 4, 0.3
"""Channels of the convolutions over layouts, how many of them are followed by pooling, and the dropout before the last layer."""
READER_WIDTHS, STEM, REACH = (24, 48, 32), 4, (1, 2, 4)
"""Channels of the convolutions that read layouts, pixels of the first kernel, and cells on each side that the last three see."""
CHANNELS = len(PIXEL_CHANNELS)


class LeNet5(nn.Module):
    """LeNet-5 as in I-AWCE, section 1.2 and figure 4: 224 x 224 x 1 -> 6 kernels of 3 x 3, pooling before ReLU, 16 kernels, 46,656 ->
    120 -> 84 -> 2. Inputs are 0 to 1; MEAN and DEVIATION of the training screenshots are part of the graph.

    With a larger `size`, only the first dense layer grows (193,600 numbers at 448 px, 1,849,600 at 1366).
    """

    def __init__(self, size: int = SIZE) -> None:
        super().__init__()
        side = ((size - 2) // 2 - 2) // 2
        first, second, dense, denser = LENET_WIDTHS
        self.first = nn.Conv2d(1, first, KERNEL)
        self.second = nn.Conv2d(first, second, KERNEL)
        self.dense = nn.Linear(second * side * side, dense)
        self.denser = nn.Linear(dense, denser)
        self.last = nn.Linear(denser, 2)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = (image - MEAN) / DEVIATION
        x = torch.relu(nn.functional.max_pool2d(self.first(x), 2))
        x = torch.relu(nn.functional.max_pool2d(self.second(x), 2))
        x = torch.relu(self.denser(torch.relu(self.dense(x.flatten(1)))))
        logits: torch.Tensor = self.last(x)
        return logits


class LayoutNet(nn.Module):
    """Six convolutions over the layout raster, then mean and maximum over the page."""

    def __init__(self, channels: int = CHANNELS) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for depth, width in enumerate(LAYOUT_WIDTHS):
            layers += [nn.Conv2d(channels, width, KERNEL, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            layers += [nn.MaxPool2d(2)] if depth < POOLED else []
            channels = width
        self.features = nn.Sequential(*layers)
        self.dropout = nn.Dropout(DROPOUT)
        self.last = nn.Linear(2 * channels, 2)

    def forward(self, layout: torch.Tensor) -> torch.Tensor:
        x = self.features(layout)
        logits: torch.Tensor = self.last(self.dropout(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)))
        return logits


class LayoutNets(nn.Module):
    """The mean of the logits of several LayoutNets, each of which sees channels of its own: `seen`, by number."""

    def __init__(self, seen: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.seen = [list(channels) for channels in seen]
        self.members = nn.ModuleList(LayoutNet(len(channels)) for channels in self.seen)

    def forward(self, layout: torch.Tensor) -> torch.Tensor:
        outputs = [member(layout[:, channels]) for member, channels in zip(self.members, self.seen, strict=True)]
        logits: torch.Tensor = torch.stack(outputs).mean(0)
        return logits


class LayoutReader(nn.Module):
    """Reads the layout raster off the pixels: 8 x 8 px are a cell. Three convolutions of growing reach over the cells see the lines around
    it. The last layer uses all three, since a heading is recognized by its size, a link by its colour, a text by its lines."""

    def __init__(self) -> None:
        super().__init__()
        first, second, width = READER_WIDTHS
        narrowing = (nn.Conv2d(COLOURS, first, STEM, STEM), nn.ReLU(), *_normed(first, second, 2, stride=2))
        self.stem = nn.Sequential(*narrowing, *_normed(second, width, KERNEL, padding=1))
        self.wider, self.widest = (nn.Sequential(*_normed(width, width, KERNEL, padding=step, dilation=step)) for step in REACH[1:])
        self.last = nn.Conv2d(len(REACH) * width, CHANNELS, 1)

    def forward(self, colours: torch.Tensor) -> torch.Tensor:
        return self.look(colours - 0.5)

    def look(self, centred: torch.Tensor) -> torch.Tensor:
        near = self.stem(centred)
        wider = self.wider(near)
        layout: torch.Tensor = self.last(torch.cat([near, wider, self.widest(wider)], 1))
        return layout


def _normed(channels: int, out: int, kernel: int, **options: Any) -> list[nn.Module]:
    return [nn.Conv2d(channels, out, kernel, bias=False, **options), nn.BatchNorm2d(out), nn.ReLU()]


class PixelNet(nn.Module):
    """Article or list by pixels alone: a reader computes the layout raster that the browser's boxes would give, a LayoutNet classifies it.

    Input: uint8 [n, rows, columns, 3], the top of the page (`webcontent.pagetype.screenshot.top_of_page`). `scale`: the standard
    deviation of each channel of the layout; the reader's output is in these units.
    """

    scale: torch.Tensor

    def __init__(self, reader: LayoutReader, classifier: nn.Module, scale: NDArray[np.float32]) -> None:
        super().__init__()
        self.reader, self.classifier = reader, classifier
        self.register_buffer("scale", torch.from_numpy(scale)[None, :, None, None])

    def forward(self, tops: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.classifier(self.read(tops))
        return logits

    def read(self, tops: torch.Tensor) -> torch.Tensor:
        """Layout rasters: float32 [n, 5, rows / 8, columns / 8]."""
        layout: torch.Tensor = self.reader(tops.permute(0, 3, 1, 2).float() / WHITE) * self.scale
        return layout


class ShortPixelNet(nn.Module):
    """A trained PixelNet for the tops of short pages: an image that ends in the white below the page gives what the whole image gives,
    because the layout of white is known. `cells`: rows of cells of a whole image, `columns`: its width in pixels.

    The last rows of a short image see its edge and count as white: this much white must be below the page.
    """

    white: torch.Tensor
    places: torch.Tensor

    def __init__(self, net: PixelNet, cells: int, columns: int) -> None:
        super().__init__()
        self.net, self.cells = copy.deepcopy(net).eval(), cells
        with torch.no_grad():
            white = self.net.read(torch.full((1, CELL_PX * cells, columns, 3), WHITE, dtype=torch.uint8))
            first = self.net.reader.stem[0]  # takes bytes: c / 255 - 0.5 becomes part of its weights
            assert isinstance(first, nn.Conv2d)
            assert first.bias is not None
            first.bias -= 0.5 * first.weight.sum((1, 2, 3))
            first.weight /= WHITE
        self.register_buffer("white", white)
        self.register_buffer("places", torch.arange(cells, dtype=torch.float32)[:, None])

    def forward(self, tops: torch.Tensor) -> torch.Tensor:
        layout = self.net.reader.look(tops.permute(0, 3, 1, 2).float()) * self.net.scale
        count = torch.ones_like(layout[0, 0, :, 0]).sum()  # a tensor, because a shape would be a constant of the graph
        known = torch.where(count < self.cells, count - sum(REACH), count)
        whole = nn.functional.pad(layout, (0, 0, 0, self.cells - layout.shape[2]))
        logits: torch.Tensor = self.net.classifier(torch.where(self.places < known, whole, self.white))
        return logits
