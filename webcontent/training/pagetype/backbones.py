"""The two pre-trained networks of I-AWCE, section 1.2, in plain torch: ResNet-101 and EfficientNet-B0 (the paper names no letter).

Each consists of two modules: a body whose weights are frozen, and a head that is trained. The output of the body for a screenshot never
changes, so the trainer computes it once. Weights are read from a local file, a state dict with torchvision's names
(`resnet101-*.pth`, `efficientnet_b0-*.pth`); its top layer is not used.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from pathlib import Path

GRID = 7
"""ResNet's features are averaged to at most 7 x 7 places, as many as 224 px give: the paper drops the pooling, and does not state how
1366 px fit."""
HIDDEN, CELL_PX, WIDENING, RESNET_FEATURES = 1024, 32, 4, 2048
"""The dense layer; pixels of a place and channels of ResNet's features; by how much the last convolution of a block is wider."""
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of the images of ImageNet, on which both networks were trained."""


class Normalize(nn.Module):
    """Colours from 0 to 1 -> the inputs of the pre-trained networks."""

    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(MEAN)[None, :, None, None])
        self.register_buffer("deviation", torch.tensor(DEVIATION)[None, :, None, None])

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return (image - self.mean) / self.deviation


# --- ResNet-101 (He et al., 2016, table 1)


class Bottleneck(nn.Module):
    """1 x 1, 3 x 3, 1 x 1 and a shortcut."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        out = WIDENING * width
        self.conv3, self.bn3 = nn.Conv2d(width, out, 1, bias=False), nn.BatchNorm2d(out)
        fits = stride == 1 and channels == out
        self.downsample = None if fits else nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.relu(self.bn1(self.conv1(x)))
        out = torch.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        return torch.relu(out + (x if self.downsample is None else self.downsample(x)))


RESNET_STAGES = ((64, 64, 3, 1), (256, 128, 4, 2), (512, 256, 23, 2), (1024, 512, 3, 2))
"""Of each stage: input channels, width, number of blocks, stride."""


class ResNet101(nn.Module):
    """All layers but pooling and top: float32 [n, 3, size, size] -> [n, 2048, size / 32, size / 32]."""

    def __init__(self) -> None:
        super().__init__()
        width = RESNET_STAGES[0][0]
        self.conv1, self.bn1 = nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width)
        self.layer1, self.layer2, self.layer3, self.layer4 = (_stage(*sizes) for sizes in RESNET_STAGES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = nn.functional.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        out: torch.Tensor = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return out


def _stage(channels: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    return nn.Sequential(*[Bottleneck(channels if i == 0 else WIDENING * width, width, stride if i == 0 else 1) for i in range(blocks)])


def resnet101(weights: Path, size: int) -> tuple[nn.Module, nn.Module]:
    """Body and head. All inner layers are frozen; dense layers of 1024 and 2 replace pooling and top (section 1.2, figure 6)."""
    net = ResNet101()
    load_weights(net, weights, unused=("fc.",))
    pool, grid = pooling(-(-size // CELL_PX))
    head = nn.Sequential(nn.Flatten(), nn.Linear(RESNET_FEATURES * grid * grid, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 2))
    return frozen(nn.Sequential(Normalize(), net, pool)), head


def pooling(places: int) -> tuple[nn.Module, int]:
    """A layer that averages `places` on each side to at most GRID, and the number that is left."""
    grid = min(GRID, places)
    step = places // grid
    return nn.AvgPool2d(places - (grid - 1) * step, step), grid


# --- EfficientNet-B0 (Tan and Le, 2019, table 1)

STAGES = (
    (1, 3, 1, 32, 16, 1),
    (6, 3, 2, 16, 24, 2),
    (6, 5, 2, 24, 40, 2),
    (6, 3, 2, 40, 80, 3),
    (6, 5, 1, 80, 112, 3),
    (6, 5, 2, 112, 192, 4),
    (6, 3, 1, 192, 320, 1),
)
"""Of each stage: factor by which its blocks widen, kernel, stride, input and output channels, number of blocks."""
FIRST, LAST = (3, 32, 3, 2), (320, 1280, 1)
"""Channels, kernel and stride of the convolutions before and behind the stages."""


class Squeeze(nn.Module):
    """Squeeze and excitation: each channel is weighted by features of the whole image."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = torch.sigmoid(self.fc2(nn.functional.silu(self.fc1(x.mean((2, 3), keepdim=True)))))
        return x * weights


class InvertedBlock(nn.Module):
    """Widens, convolves each channel, squeezes, narrows; with a shortcut where the shape does not change."""

    def __init__(self, widen: int, kernel: int, stride: int, channels: int, out: int) -> None:
        super().__init__()
        wide = channels * widen
        widening = [] if widen == 1 else [_convolution(channels, wide, 1)]
        by_channel = _convolution(wide, wide, kernel, stride, groups=wide)
        self.block = nn.Sequential(*widening, by_channel, Squeeze(wide, max(1, channels // 4)), _convolution(wide, out, 1, active=False))
        self.shortcut = stride == 1 and channels == out

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.block(x)
        return x + out if self.shortcut else out


class EfficientNet(nn.Module):
    """B0 without pooling and top: float32 [n, 3, size, size] -> [n, 1280, size / 32, size / 32]."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = [_convolution(*FIRST)]
        for widen, kernel, stride, channels, out, blocks in STAGES:
            chain = [InvertedBlock(widen, kernel, stride if i == 0 else 1, channels if i == 0 else out, out) for i in range(blocks)]
            layers.append(nn.Sequential(*chain))
        self.features = nn.Sequential(*layers, _convolution(*LAST))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.features(x)
        return out


def _convolution(channels: int, out: int, kernel: int, stride: int = 1, *, groups: int = 1, active: bool = True) -> nn.Sequential:
    parts: list[nn.Module] = [nn.Conv2d(channels, out, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(out)]
    return nn.Sequential(*parts, *([nn.SiLU()] if active else []))


def efficientnet(weights: Path, size: int) -> tuple[nn.Module, nn.Module]:
    """Body and head. Only the last ten layers, followed by global average pooling and two nodes, are trained (section 1.2).

    As Keras counts, which the paper used, the last ten layers are: squeeze, reshape, reduce, expand, excite, projection, its
    normalization, top convolution, its normalization and its activation.
    """
    net = EfficientNet()
    load_weights(net, weights, unused=("classifier.",))
    last: Any = net.features[len(STAGES)]
    widening, by_channel, squeeze, projection = last[0].block
    head = nn.Sequential(squeeze, projection, net.features[-1], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(LAST[1], 2))
    return frozen(nn.Sequential(Normalize(), *list(net.features)[: len(STAGES)], widening, by_channel)), head


# --- weights


def load_weights(net: nn.Module, file: Path, unused: tuple[str, ...]) -> None:
    """Loads a state dict with torchvision's names into a network, in place. ValueError names the file and what is wrong with it."""
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise ValueError(f"{file} can't be read as a torch state dict: {str(error)[:200]}") from error
    stored = {name: value for name, value in (state if isinstance(state, dict) else {}).items() if not name.startswith(unused)}
    expected = net.state_dict()
    wrong = [
        name
        for name, value in expected.items()
        if not name.endswith("num_batches_tracked") and getattr(stored.get(name), "shape", None) != value.shape
    ]
    if wrong:
        raise ValueError(f"{file} does not fit {type(net).__name__}: {wrong[0]!r} is missing or of another shape ({len(wrong)} in all).")
    net.load_state_dict({name: value for name, value in stored.items() if name in expected}, strict=False)


def frozen(body: nn.Module) -> nn.Module:
    """The module, changed in place, with weights that are not trained."""
    for parameter in body.parameters():
        parameter.requires_grad = False
    return body.eval()


BACKBONES = {"resnet101": resnet101, "efficientnet": efficientnet}
