"""The networks over layout rasters: from the browser's boxes, and from what a network reads off the screenshot."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tqdm import tqdm

from webcontent.pagetype.layout_raster import CHANNELS, COLUMNS, PIXEL_CHANNELS, ROWS, layout_raster
from webcontent.pagetype.screenshot import TOP_COLUMNS, TOP_ROWS, TOP_STEP_ROWS, top_of_page
from webcontent.training.common.nets import Schedule, train, train_classifier
from webcontent.training.pagetype.augmentation import banners, variations
from webcontent.training.pagetype.augmentation.posts import ARTICLES_SHARE, LISTS_SHARE, Composer
from webcontent.training.pagetype.cross_validation import NetworkTask, train_network
from webcontent.training.pagetype.networks import LayoutNet, LayoutNets, LayoutReader, PixelNet, ShortPixelNet
from webcontent.training.pagetype.samples import records_with_boxes, screen_checksums, screen_samples
from webcontent.training.pagetype.screenshots import read_image, stored_array

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.pagetype.layout_raster import Boxes
    from webcontent.training.common.nets import Rows
    from webcontent.training.pagetype.samples import Samples
    from webcontent.training.pagetype.settings import Run

READING = Schedule(6, batch=2, rate=3e-3, decay=0.01)
"""Schedule of the reader of layouts, which is trained on a third of each page in an epoch."""
CLASSIFYING, LAYOUT_EPOCHS = Schedule(6, batch=32, rate=2e-3, decay=0.02), 20
"""Schedule of the classifiers of layouts, and the epochs of those over boxes."""
READING_BETA = 0.5
"""Where the smooth L1 loss of the reader becomes linear."""
READING_BATCH = 4
LAYOUT_MEMBERS = (PIXEL_CHANNELS, ("text", "link", "image", "length", "large", "repeated", "heading", "repeated_link"))
"""Channels that each of the averaged layout networks sees."""
MEMBER_SEEDS = 10
"""The seed of a member is the seed of the run times this, plus the number of the member."""
LAYOUT_EXAMPLES, PIXEL_EXAMPLES = 4, 2


# -------------------------------------------------------------------------------------------------------------- layout
def train_layout(run: Run) -> None:
    """Two averaged networks: one sees what pixels show, the other what only markup tells (and no absolute font size)."""
    records, boxes = records_with_boxes(run)
    samples = screen_samples(records, run.settings.split)
    rasters = np.concatenate([layout_raster(one) for one in boxes])
    schedule = replace(CLASSIFYING, epochs=run.settings.epochs or LAYOUT_EPOCHS)
    composer = Composer(boxes, samples.labels)
    labels = np.concatenate([samples.labels, np.zeros(len(samples), np.int64)])  # composed lists have further numbers

    def learn(net: LayoutNets, training: Rows, seed: int, title: str) -> list[float]:
        composed = composer.designs(training)
        rows_to_learn, losses = composer.with_lists(training), []
        for number, (member, channels) in enumerate(zip(net.members, net.seen, strict=True)):

            def member_inputs(rows: Rows, generator: Any, channels: list[int] = channels) -> NDArray[np.float32]:
                if generator is None:
                    return np.ascontiguousarray(rasters[rows][:, channels])
                varied = [layout_raster(_varied_boxes(composer.page(row, composed, generator), generator)) for row in rows]
                return np.ascontiguousarray(np.concatenate(varied)[:, channels])

            own_seed = MEMBER_SEEDS * seed + number
            losses.append(train_classifier(member, member_inputs, labels, rows_to_learn, schedule, seed=own_seed, title=title))
        return losses[0]

    channels = [[CHANNELS.index(name) for name in names] for names in LAYOUT_MEMBERS]
    shares = {"banners": banners.BANNER_SHARE, "composed": [LISTS_SHARE, ARTICLES_SHARE]}
    train_network(
        run,
        NetworkTask(
            name="layout",
            architecture=lambda: LayoutNets(channels),
            inputs=lambda rows, _: rasters[rows],
            samples=samples,
            data=screen_checksums(run),
            schedule=schedule,
            input_name="layout",
            example=np.concatenate([layout_raster(variations.synthetic_boxes(seed)) for seed in range(LAYOUT_EXAMPLES)]),
            config={"channels": CHANNELS, "cells": [ROWS, COLUMNS], "members": LAYOUT_MEMBERS, **shares},
            learn=learn,
        ),
    )


def _varied_boxes(boxes: Boxes, generator: np.random.Generator) -> Boxes:
    """Varied boxes, on a share of the pages with those of a banner."""
    varied = variations.vary_boxes(boxes, generator)
    if generator.random() >= banners.BANNER_SHARE:
        return varied
    return banners.joined(varied, banners.banner_boxes(banners.make_banner(generator), generator))


# -------------------------------------------------------------------------------------------------------------- pixels
def train_pixels(run: Run) -> None:
    """A reader of layouts, then a classifier of what it read and of the true layouts of the same pages."""
    records, boxes = records_with_boxes(run)
    is_learned = screen_samples(records, run.settings.split).is_learned  # images are large: pages that are only evaluated are left out
    records = [record for record, kept in zip(records, is_learned.tolist(), strict=True) if kept]
    boxes = [one for one, kept in zip(boxes, is_learned.tolist(), strict=True) if kept]
    samples, data = screen_samples(records, run.settings.split), screen_checksums(run)
    tops = _tops(run, records, data)
    schedule = replace(CLASSIFYING, epochs=run.settings.epochs or CLASSIFYING.epochs)
    training = PixelTraining(tops, boxes, samples, schedule, run.settings.seed)
    train_network(
        run,
        NetworkTask(
            name="pixels",
            architecture=lambda: PixelNet(LayoutReader(), LayoutNet(), training.scale),
            inputs=lambda rows, _: tops[rows],
            samples=samples,
            data=data,
            schedule=schedule,
            input_name="strip",
            example=variations.synthetic_images((PIXEL_EXAMPLES, TOP_ROWS // 2, TOP_COLUMNS, 3)),
            config={"reader": asdict(READING), "size": [TOP_ROWS, TOP_COLUMNS], "step": TOP_STEP_ROWS, "banners": banners.BANNER_SHARE},
            learn=training.learn,
            exported=lambda net: ShortPixelNet(net, ROWS, TOP_COLUMNS),
            open_axes=2,
        ),
    )


def _tops(run: Run, records: list[Record], data: dict[str, str]) -> NDArray[np.uint8]:
    """The tops of the screenshots: uint8 [n, rows, columns, 3], kept in a file."""

    def fill(tops: NDArray[np.uint8]) -> None:
        tops[:] = variations.WHITE
        for row, record in enumerate(tqdm(records, desc="screenshots", disable=None)):
            image = read_image(record["shot"], top_of_page)
            tops[row, : image.shape[1]] = image[0]

    file = run.state_folder("tops", {"data": data, "count": len(records)}) / "tops.npy"
    return stored_array(file, np.uint8, (len(records), TOP_ROWS, TOP_COLUMNS, 3), fill)


class PixelTraining:
    """How a PixelNet is trained on the tops of pages and their boxes."""

    def __init__(self, tops: NDArray[np.uint8], boxes: list[Boxes], samples: Samples, schedule: Schedule, seed: int) -> None:
        self.tops, self.boxes, self.labels, self.schedule, self.seed = tops, boxes, samples.labels, schedule, seed
        self.layouts = np.concatenate([layout_raster(one)[:, : len(PIXEL_CHANNELS)] for one in boxes])
        """The true layouts, in the channels that pixels show."""
        self.scale = self.layouts.std(axis=(0, 2, 3))

    def spoilt_top(self, row: int) -> NDArray[np.uint8]:
        """The top of a page below a banner, the same at every call."""
        generator = np.random.default_rng((self.seed, row))
        return banners.over_image(self.tops[row], banners.make_banner(generator), generator)

    def learn(self, net: PixelNet, training: Rows, seed: int, title: str) -> list[float]:
        """Trains the reader, then the classifier, in place."""
        torch.manual_seed(seed)
        count = len(self.tops)
        train(net.reader, self._batch, _reading_loss, training, READING, seed=seed, title=title)
        read = read_layouts(net, self.tops.__getitem__, count)
        spoilt = read_layouts(net, self.spoilt_top, count)

        def inputs(rows: Rows, generator: np.random.Generator | None) -> NDArray[np.float32]:
            if generator is None:
                chosen: NDArray[np.float32] = read[rows]
                return chosen
            return np.stack([self._varied(row, read, spoilt, generator) for row in rows])

        both, labels = np.concatenate([training, training + count]), np.tile(self.labels, 2)
        return train_classifier(net.classifier, inputs, labels, both, self.schedule, seed=seed, title=title)

    def _batch(self, rows: Rows, generator: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """Varied parts of pages and their layouts, for the reader."""
        parts = [variations.vary_image(*self._page(row, generator), generator) for row in rows]
        colours = torch.from_numpy(np.stack([part[0] for part in parts])).permute(0, 3, 1, 2)
        return colours, torch.from_numpy(np.stack([part[1] for part in parts]) / self.scale[:, None, None])

    def _page(self, row: int, generator: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """The top of a page and its layout, on a share of the pages below a banner."""
        if generator.random() >= banners.BANNER_SHARE:
            return self.tops[row], self.layouts[row]
        banner = banners.make_banner(generator)
        boxes = banners.banner_boxes(banner, generator)
        return banners.over_image(self.tops[row], banner, generator), banners.over_layout(self.layouts[row], banner, boxes)

    def _varied(
        self, row: int, read: NDArray[np.float32], spoilt: NDArray[np.float32], generator: np.random.Generator
    ) -> NDArray[np.float32]:
        """A varied layout for the classifier: one that was read, or, from the number of pages on, a true one."""
        is_spoilt = generator.random() < banners.BANNER_SHARE
        if row < len(read):
            return variations.vary_layout((spoilt if is_spoilt else read)[row], generator)
        varied: NDArray[np.float32] = layout_raster(variations.vary_boxes(self.boxes[row - len(read)], generator))[0, : len(PIXEL_CHANNELS)]
        if not is_spoilt:
            return varied
        banner = banners.make_banner(generator)
        return banners.over_layout(varied, banner, banners.banner_boxes(banner, generator))


def _reading_loss(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.smooth_l1_loss(outputs, targets, beta=READING_BETA)


def read_layouts(net: PixelNet, top_of: Callable[[int], NDArray[np.uint8]], count: int) -> NDArray[np.float32]:
    """What a reader reads off the top of each of `count` pages: float32 [n, 5, 192, 64]. `top_of`: the top of the page of a row."""
    net.reader.eval()
    read = np.zeros((count, len(PIXEL_CHANNELS), ROWS, COLUMNS), np.float32)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for first in range(0, count, READING_BATCH):
            tops = [top_of(row) for row in range(first, min(first + READING_BATCH, count))]
            read[first : first + len(tops)] = net.read(torch.from_numpy(np.stack(tops))).float().numpy()
    return read
