"""The page type networks: their layers, what is trained of them, and how their inputs vary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from tests.training.pagetype.files import random_weights
from webcontent.pagetype.layout_raster import COLUMNS, ROWS
from webcontent.pagetype.screenshot import TOP_COLUMNS, TOP_ROWS, TOP_STEP_ROWS, TOP_WHITE_ROWS
from webcontent.training.common.export import onnx_of_network, open_graph
from webcontent.training.common.nets import Schedule, train_classifier
from webcontent.training.pagetype.augmentation.variations import vary_image
from webcontent.training.pagetype.backbones import EfficientNet, ResNet101, efficientnet, pooling, resnet101
from webcontent.training.pagetype.networks import LayoutNet, LayoutNets, LayoutReader, LeNet5, PixelNet, ShortPixelNet

if TYPE_CHECKING:
    from pathlib import Path


def test_resnet_trains_its_top_alone(tmp_path: Path):
    """The body's weights do not move, and 2048 x places -> 1024 -> 2 replaces pooling and top."""
    file = random_weights(ResNet101(), tmp_path / "resnet101.pth")
    body, head = resnet101(file, 64)
    before = {name: value.clone() for name, value in body.state_dict().items()}
    assert sum(part.numel() for part in body.parameters()) == 42_500_160  # ResNet-101 without its top
    assert [tuple(part.shape) for part in head.parameters()] == [(1024, 2048 * 4), (1024,), (2, 1024), (2,)]
    images = torch.rand(4, 3, 64, 64)
    with torch.no_grad():
        features = body(images).numpy()
    schedule = Schedule(epochs=2, batch=2, rate=2e-4, decay=0.0, smoothing=0.0, course="constant")
    first = head[1].weight.detach().clone()
    train_classifier(head, lambda rows, _: features[rows], np.array([0, 1, 0, 1]), np.arange(4), schedule, seed=0, fresh=False)
    assert not torch.equal(first, head[1].weight)
    assert all(torch.equal(value, before[name]) for name, value in body.state_dict().items())


@pytest.mark.parametrize(("size", "places", "grid"), [(64, 2, 2), (224, 7, 7), (448, 14, 7), (1366, 43, 7)])
def test_resnet_keeps_seven_places_a_side_for_any_input(size: int, places: int, grid: int):
    """224 px give the 7 x 7 places that the paper's dense layer sees; larger inputs are averaged to as many."""
    assert -(-size // 32) == places
    pool, left = pooling(places)
    assert left == grid
    averaged = pool(torch.arange(float(places))[None, None, :, None].expand(1, 1, places, places))
    assert averaged.shape == (1, 1, grid, grid)
    assert averaged.mean() == pytest.approx((places - 1) / 2, abs=1e-4)  # no place is left out at an edge


def test_only_the_last_ten_layers_of_efficientnet_are_trained(tmp_path: Path):
    """Squeeze and excitation, projection and top convolution of B0, then two nodes: 895,794 of 4,010,110 weights."""
    body, head = efficientnet(random_weights(EfficientNet(), tmp_path / "w.pth"), 224)
    assert sum(part.numel() for part in head.parameters()) == 895_794
    assert sum(part.numel() for part in [*body.parameters(), *head.parameters()]) == 4_010_110
    assert not any(part.requires_grad for part in body.parameters())
    assert all(part.requires_grad for part in head.parameters())


def test_weights_of_another_network_are_refused(tmp_path: Path):
    """The message names the file and the first layer that is missing; a file that is no state dict is named too."""
    file = random_weights(torch.nn.Linear(2, 2), tmp_path / "other.pth")
    with pytest.raises(ValueError, match=r"other\.pth does not fit ResNet101: 'conv1\.weight' is missing"):
        resnet101(file, 224)
    (tmp_path / "text.pth").write_text("no weights")
    with pytest.raises(ValueError, match=r"text\.pth can't be read"):
        efficientnet(tmp_path / "text.pth", 224)


def test_lenet_has_the_layers_of_the_paper():
    """60 + 880 + 5,598,840 (and 120 constants in it) + 10,164 + 170 weights."""
    sizes = [sum(part.numel() for part in layer.parameters()) for layer in LeNet5().children()]
    assert sizes == [60, 880, 46_656 * 120 + 120, 10_164, 170]


def test_the_classifier_of_pixels_sees_what_the_reader_read():
    """The reader's channels are scaled back to those of true layouts before they are classified."""
    net = PixelNet(LayoutReader(), LayoutNet(), np.arange(1, 6, dtype=np.float32)).eval()
    tops = np.random.default_rng(0).integers(0, 255, (1, TOP_ROWS, TOP_COLUMNS, 3)).astype(np.uint8)
    with torch.no_grad():
        read = net.reader(torch.from_numpy(tops).permute(0, 3, 1, 2).float() / 255)
        assert read.shape == (1, 5, ROWS, COLUMNS)
        scaled = read * torch.arange(1, 6)[None, :, None, None]
        assert torch.allclose(net(torch.from_numpy(tops)), net.classifier(scaled), atol=1e-5)


def test_a_short_image_gives_what_the_whole_page_gives():
    """The shipped graph takes an image that ends in the white below its page."""
    torch.manual_seed(0)
    net = PixelNet(LayoutReader(), torch.nn.Identity(), np.arange(1, 6, dtype=np.float32)).eval()
    tops = np.full((1, TOP_ROWS, TOP_COLUMNS, 3), 255, np.uint8)
    tops[:, :500] = np.random.default_rng(0).integers(0, 255, (1, 500, TOP_COLUMNS, 3))
    short = ShortPixelNet(net, ROWS, TOP_COLUMNS)
    rows = -(-(500 + TOP_WHITE_ROWS) // TOP_STEP_ROWS) * TOP_STEP_ROWS
    with torch.no_grad():
        expected = net(torch.from_numpy(tops))
        assert torch.allclose(short(torch.from_numpy(tops)), expected, atol=1e-4)
        assert torch.allclose(short(torch.from_numpy(tops[:, :rows])), expected, atol=1e-4)
        assert not torch.allclose(short(torch.from_numpy(tops[:, :448])), expected, atol=1e-4)  # no white: the page continues
    graph = open_graph(onnx_of_network(short, {"strip": tops[:, :64]}, ["layout"], 2))
    np.testing.assert_allclose(graph.run(strip=tops[:, :rows])[0], expected, atol=1e-4)


def test_layout_networks_are_averaged_each_over_its_channels():
    """What a member does not see does not change its logits."""
    nets = LayoutNets([[0, 1], [2]]).eval()
    layout = torch.rand(2, 3, ROWS, COLUMNS)
    with torch.no_grad():
        first, second = nets.members[0](layout[:, [0, 1]]), nets.members[1](layout[:, [2]])
        assert torch.allclose(nets(layout), (first + second) / 2, atol=1e-6)


def test_the_reader_learns_from_a_page_and_its_layout_moved_alike():
    """Cut, moved sideways and recoloured: a mark of the page is where the layout has it."""
    whole = np.full((TOP_ROWS, TOP_COLUMNS, 3), 255, np.uint8)
    layout = np.zeros((5, ROWS, COLUMNS), np.float32)
    for row, column in ((5, 9), (60, 40), (120, 21), (180, 50)):
        whole[row * 8 : row * 8 + 8, column * 8 : column * 8 + 8] = 0
        layout[0, row, column] = 1
    generator = np.random.default_rng(0)
    for _ in range(20):
        colours, target = vary_image(whole, layout, generator)
        assert colours.shape == (512, 512, 3)
        cells = colours.reshape(64, 8, 64, 8, 3).mean(axis=(1, 3, 4))
        background = np.median(cells)
        assert ((np.abs(cells - background) > 0.2) == (target[0] > 0)).all()
