"""Trains the page type models.

    lenet5        the paper's LeNet-5 over the screenshot                     -> pagetype_lenet5_v1
    resnet101     the paper's ResNet-101, frozen except for its top           -> pagetype_resnet101_v1 (needs --weights FILE)
    efficientnet  the paper's EfficientNet, whose last layers are trained     -> pagetype_efficientnet_v1 (needs --weights FILE)
    pixels        reads a layout off the screenshot and classifies it         -> pagetype_pixels_v1
    layout        a small convolutional network over the layout raster        -> pagetype_layout_v1
    dom           gradient-boosted trees over features of the markup          -> pagetype_dom_v1
    default       the weighted sum of the parts                               -> pagetype_default_v1 (needs the runs of the parts)

Without --arch, all models that the default needs are trained in this order. Each is cross-validated over families (screens) and sites
(pages), then trained on all pages. Decoded screenshots and the probabilities that the default needs are kept under --work.

`--data DIR` trains a network on your own screenshots, DIR/{article,list}/*.png (or .jpg, .webp). Screenshots in a subfolder
(DIR/article/SITE/*.png) stay in one fold. DIR may also be what `python -m webcontent.training.snapshots` rendered, for `layout`, too.
With `--split page`, pages of one site may be in training and test folds, as in the paper. `--snapshots DIR` adds rendered site snapshots
to the corpora.
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from webcontent.evaluation.corpora import is_saved_folder
from webcontent.training.pagetype.combination import train_default
from webcontent.training.pagetype.layouts import train_layout, train_pixels
from webcontent.training.pagetype.screenshots import BACKBONE_RATES, COLOURS, train_backbone, train_lenet5
from webcontent.training.pagetype.settings import FAMILY, MODELS_FOLDER, PAGE, SIZE, WORK_FOLDER, Run, Settings
from webcontent.training.pagetype.trees import train_dom
from webcontent.training.snapshots import PAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TRAINERS: dict[str, Callable[[Run], None]] = {
    "lenet5": train_lenet5,
    "pixels": train_pixels,
    **{name: partial(train_backbone, name=name) for name in BACKBONE_RATES},
    "layout": train_layout,
    "dom": train_dom,
    "default": train_default,
}
ALL = ("lenet5", "pixels", "layout", "dom", "default")
"""What is trained without --arch."""
NEED_BOXES = ("pixels", "layout")
"""Models that --data has to give boxes for."""
LEAST_SIZE, MOST_SIZE = 32, 1366
SETTINGS, RUN = ("seed", "folds", "split", "epochs"), tuple(field.name for field in fields(Run) if field.name != "settings")
"""Options that are fields of Settings and of Run."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if message := _wrong_options(options):
        parser.error(message)
    of_settings, of_run = ({name: getattr(options, name) for name in names} for names in (SETTINGS, RUN))
    run = Run(settings=Settings(size=options.input, **of_settings), **of_run)
    torch.set_num_threads(run.threads)
    for name in [options.arch] if options.arch else ALL:
        TRAINERS[name](run)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m webcontent.training.pagetype", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--arch", choices=tuple(TRAINERS), help="train only this model")
    add("--input", type=int, default=SIZE, metavar="PX", help="side of the screenshot: 224, 448, 1366 (networks over screenshots)")
    add("--data", type=Path, metavar="DIR", help="own screenshots (DIR/{article,list}/*.png), rendered snapshots, saved pages")
    add("--snapshots", type=Path, metavar="DIR", help="rendered site snapshots, added to the corpora")
    add("--split", choices=(FAMILY, PAGE), default=FAMILY, help="what stays in one fold (default: %(default)s)")
    add("--weights", type=Path, metavar="FILE", help="pre-trained weights: a state dict with torchvision's names")
    add("--epochs", type=int, metavar="N", help="epochs of the networks")
    add("--folds", type=int, default=Settings().folds, metavar="N", help="number of folds (default: %(default)s)")
    add("--seed", type=int, default=Settings().seed, metavar="N", help="seed of all random numbers (default: %(default)s)")
    add("--out", type=Path, default=MODELS_FOLDER, metavar="DIR", help="folder of the model folders (default: %(default)s)")
    add("--work", type=Path, default=WORK_FOLDER, metavar="DIR", help="state of the run (default: %(default)s)")
    add("--threads", type=int, default=1, metavar="N", help="threads of torch, LightGBM and reading (default: %(default)s)")
    return parser


def _wrong_options(options: argparse.Namespace) -> str:
    """What is wrong with the command line; "" when it is right."""
    arch, data, weights, square = options.arch, options.data, options.weights, ", ".join(COLOURS)
    lacks_boxes = arch in NEED_BOXES and data is not None and not (is_saved_folder(data) or any(data.glob(f"*/{PAGES}")))
    faults = {
        f"--input {options.input}: it takes {LEAST_SIZE} to {MOST_SIZE} px.": not LEAST_SIZE <= options.input <= MOST_SIZE,
        f"--input needs --arch {square}: only these take a square screenshot.": options.input != SIZE and arch not in COLOURS,
        f"--data needs --arch {square}, {' or '.join(NEED_BOXES)}.": data is not None and arch not in (*COLOURS, *NEED_BOXES),
        f"--arch {arch} needs boxes: --data takes what python -m webcontent.training.snapshots rendered.": lacks_boxes,
        f"--arch {arch} needs --weights FILE: a state dict of {arch}, pre-trained on ImageNet, with torchvision's names.": (
            arch in BACKBONE_RATES and weights is None
        ),
        f"--weights {weights} is no file.": weights is not None and not weights.is_file(),
    }
    return next((message for message, is_wrong in faults.items() if is_wrong), "")
