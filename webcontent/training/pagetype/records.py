"""Trains the page type models: python -m webcontent.training.pagetype [--arch NAME] [--input PX] [--data DIR] [--epochs N] [--out DIR].

    lenet5        the paper's LeNet-5 over the screenshot               -> pagetype_lenet5_v1
    resnet101     the paper's ResNet-101, frozen but for its top        -> pagetype_resnet101_v1 (needs --weights FILE)
    efficientnet  the paper's EfficientNet, its last layers trained     -> pagetype_efficientnet_v1 (needs --weights FILE)
    pixels        reads a layout off the screenshot and judges it       -> pagetype_pixels_v1
    layout        a small convolutional network over the layout picture -> pagetype_layout_v1
    boxes         a forest over figures of the browser's boxes          -> pagetype_boxes_v1
    dom           forests over figures of the markup: type and kind     -> pagetype_dom_v1
    default       the weighted sum of the parts                         -> pagetype_default_v1 (needs the parts' runs)

Without --arch all that the default is made of, in this order. Each is cross-validated over families (screens) and sites (pages), then
trained on everything. What is done is kept under --work, and an interrupted run goes on from there; the sheet of wrong pages lies there.

`--data DIR` trains a picture network on a user's own screenshots, DIR/{article,list}/*.png (or .jpg, .webp); pictures in a folder below
(DIR/article/SITE/*.png) stay in one fold. DIR may also be what `python -m webcontent.training.pagetype_sites` rendered, for `layout` too;
then `--split page` lets pages of one site stand on both sides, as the paper does. `--sites DIR` adds such pages to the corpora.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import checksum, is_saved_folder, load_corpus, load_screens
from webcontent.evaluation.folds import fold_of
from webcontent.items import KINDS, TYPES, Page
from webcontent.pagetype.classify import DEFAULT_MODEL, PARTS
from webcontent.pagetype.dom import FEATURES, article_probability, dom_features, page_tokens
from webcontent.pagetype.layout import CHANNELS, COLUMNS, FIGURES, ROWS, SHOWN, box_figures, layout_picture, read_boxes
from webcontent.pagetype.picture import STEP_ROWS, STRIP_COLUMNS, STRIP_ROWS, picture, strip
from webcontent.training import export
from webcontent.training.pagetype_card import card, default_card
from webcontent.training.pagetype_pictures import draw_calibration, draw_curves, draw_wrong_pages
from webcontent.training.pagetype_sites import PAGES, STORED, load_sites
from webcontent.training.pagetype_variation import (
    CELL,
    made_up_boxes,
    made_up_pictures,
    made_up_strips,
    vary_boxes,
    vary_layout,
    vary_strip,
)
from webcontent.training.pagetype_weights import combination_name, combiner_graph, read_said, save_said, weighted
from webcontent.training.samples import Samples, calibrate, fit_weights, judge, judge_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

PAGE_CORPORA = ("wcxb-dev", "zh-gold-dev", "zh-silver")
SAME_SITE = {
    "lcx": "lcx.cc",
    "linuxcn": "undefined.today",
    "xinghuo": "undefined.today",
    "wpblog": "guozhiman.github.io",
    "art350": "350art",
    "freepressokc": "okc",
    "makumaku": "maku77",
    "noventaminutos": "90min",
}
"""Families of the screens, and stored sites, whose site has pages elsewhere under another name: one group, so one fold."""
LEARNED_PAGES = 40
"""Of a stored site so many pages are learned from, spread evenly, so that a large site is no more than a design; all are judged."""
READING: dict[str, Any] = {"epochs": 6, "batch": 2, "rate": 3e-3, "decay": 0.01}
"""How the reader of layouts is trained: a third of each page an epoch."""
LAYOUT_MEMBERS = (SHOWN, ("text", "link", "image", "length", "large", "repeated", "heading", "repeated_link"))
"""Channels that each of the averaged layout networks sees."""
SHIFT_PX = 6
"""The tuned recipe moves pictures by up to so many pixels in training."""
COLOURS = {"lenet5": ("grey",), "resnet101": ("red", "green", "blue"), "efficientnet": ("red", "green", "blue")}
WORD_SITES, PREFIXED_SITES = 40, 10
"""A word of class names, and one with a prefix (of meta names, addresses ...), enters the vocabulary when so many sites use it."""
FOREST = {
    "num_leaves": 7,
    "min_child_samples": 10,
    "subsample": 0.7,
    "subsample_freq": 1,
    "reg_lambda": 5.0,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
BOXES_FOREST = {**FOREST, "n_estimators": 200, "learning_rate": 0.05, "colsample_bytree": 0.3}
TYPE_FOREST = {**FOREST, "n_estimators": 500, "learning_rate": 0.03, "colsample_bytree": 0.2}
KIND_FOREST = {**FOREST, "n_estimators": 120, "learning_rate": 0.08, "colsample_bytree": 0.2, "min_child_samples": 8}
WITH_BOXES = "layout + boxes + dom"
"""What a rendered page is judged by."""
UNSURE_KIND = 0.3
"""Weight in the forest of kinds of pages that only say article or list."""


@dataclass(frozen=True)
class Settings:
    """One run: what the command line says."""

    out: Path = Path("models")
    work: Path = Path("build/pagetype")
    data: Path | None = None
    sites: Path | None = None
    weights: Path | None = None
    split: str = "family"
    recipe: str = "paper"
    size: int = 224
    epochs: int | None = None
    folds: int = 5
    rounds: int | None = None
    judge_only: bool = False
    seed: int = 0
    threads: int = 1


# --- data


def family_of(record: dict[str, Any]) -> str:
    """What stays in one fold of the screens: a family of designs, or the site that has pages in other corpora too."""
    family = str(record["family"])
    return SAME_SITE.get(family, family)


def screen_records(settings: Settings) -> list[dict[str, Any]]:
    """The screens and, where they were rendered, the stored sites; or --data alone: rendered sites, or pages that a crawl saved."""
    if settings.data is not None:
        if is_saved_folder(settings.data):
            return list(load_screens(str(settings.data)))
        return list(load_sites(settings.data))
    return [*load_screens(), *(load_sites(settings.sites) if settings.sites else ())]


def screen_checksums(settings: Settings) -> dict[str, str]:
    """Name and version of what `screen_records` gives."""
    if settings.data is not None and is_saved_folder(settings.data):
        return {"own pages": checksum(str(settings.data))}
    rendered = settings.data or settings.sites
    sites = {"sites": own_checksum(sorted(rendered.glob(f"*/{PAGES}")))} if rendered else {}
    return sites if settings.data else {"screens/dev": checksum("screens/dev"), **sites}


def screen_samples(records: Sequence[dict[str, Any]], split: str = "family") -> Samples:
    """`split`: what stays in one fold, a `family` or a `page`."""
    samples = Samples()
    seen: dict[str, int] = defaultdict(int)
    total = Counter(record["family"] for record in records)
    for record in records:
        family = record["family"]
        samples.add(record, "screens", family_of(record) if split == "family" else record["id"], record["kind"])
        place = seen[family] * LEARNED_PAGES // total[family], (seen[family] - 1) * LEARNED_PAGES // total[family]
        samples.learned[-1] = split == "page" or record["kind"] != STORED or total[family] <= LEARNED_PAGES or place[0] != place[1]
        seen[family] += 1
    return samples


def judge_pages(samples: Samples, article: NDArray[np.float64], folds: int) -> dict[str, Any]:
    """Figures over all pages, and under `screens` over those without the stored sites, where there are both."""
    figures, screens = judge(samples, article, folds), np.array(samples.slices) != STORED
    if screens.any() and not screens.all():
        figures["screens"] = judge(samples.only(screens), article[screens], folds)
    return figures


def read_pictures(paths: Sequence[Path], size: int, channels: int, file: Path) -> NDArray[np.uint8]:
    """uint8 [n, channels, size, size], kept in `file`; ValueError names a file that is no picture."""
    if not file.is_file():
        pixels = np.lib.format.open_memmap(file.with_suffix(".part"), "w+", np.uint8, (len(paths), channels, size, size))
        for row, path in enumerate(tqdm(paths, desc="pictures", disable=None)):
            one = picture(path.read_bytes(), size, channels)
            if one is None:
                raise ValueError(f"{path} is no WebP, JPEG or PNG that can be read.")
            pixels[row] = np.rint(one[0] * 255)
        pixels.flush()
        file.with_suffix(".part").rename(file)
    stored: NDArray[np.uint8] = np.load(file, mmap_mode="r")
    return stored


def own_pictures(settings: Settings) -> tuple[Samples, list[Path], dict[str, str]]:
    """Labelled pictures, where they lie, and their version: the user's own, rendered sites, or the screens."""
    if settings.data is not None and not is_saved_folder(settings.data) and not any(settings.data.glob(f"*/{PAGES}")):
        samples, paths = folder_samples(settings.data)
        return samples, paths, {"own pictures": own_checksum(paths)}
    records = screen_records(settings)
    return screen_samples(records, settings.split), [record["shot"] for record in records], screen_checksums(settings)


def folder_samples(folder: Path) -> tuple[Samples, list[Path]]:
    """A user's own pictures, DIR/{article,list}/*.png; ValueError says what is missing."""
    samples, paths = Samples(), []
    for name in TYPES:
        found = sorted(path for path in (folder / name).rglob("*") if path.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp"))
        if not found:
            raise ValueError(f"{folder / name} has no pictures; --data takes a folder with article/*.png and list/*.png.")
        for path in found:
            group = path.parent.name if path.parent != folder / name else path.stem
            samples.add({"id": str(path.relative_to(folder)), "type": name}, "own", group, "own")
            paths.append(path)
    return samples, paths


def own_checksum(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


# --- networks


def train_lenet5(settings: Settings) -> None:
    from webcontent.training.nets import LeNet5, Schedule

    samples, paths, data = own_pictures(settings)
    pixels = _pictures(settings, "lenet5", paths, data)
    tuned = settings.recipe == "tuned"

    def inputs(rows: NDArray[np.intp], generator: np.random.Generator | None) -> NDArray[np.float32]:
        chosen = pixels[rows]
        if tuned and generator is not None:
            chosen = np.stack([np.roll(one, tuple(generator.integers(-SHIFT_PX, SHIFT_PX + 1, 2)), (1, 2)) for one in chosen])
        return chosen.astype(np.float32) / np.float32(255)

    plain = Schedule(settings.epochs or 8, batch=16, rate=3e-4, decay=0.01)
    train_network(
        settings,
        "lenet5",
        lambda: LeNet5(settings.size, by_picture=tuned),
        inputs,
        samples,
        data,
        Schedule(settings.epochs or 24, batch=32, rate=6e-4, decay=0.05) if tuned else plain,
        input_name="picture",
        example=made_up_pictures(4, settings.size, 1),
        config={"size": settings.size, "channels": list(COLOURS["lenet5"]), **({"recipe": "tuned"} if tuned else {})},
        paths=paths,
    )


def train_backbone(settings: Settings, name: str) -> None:
    """ResNet-101 or EfficientNet, as in section 1.2: batch 16, 30 epochs, Adam; 2e-4, or the course of equations 2 and 3."""
    import torch

    from webcontent.training.nets import MAX_RATE, Schedule
    from webcontent.training.pagetype_backbones import BACKBONES

    assert settings.weights is not None
    body, head = BACKBONES[name](settings.weights, settings.size)
    samples, paths, data = own_pictures(settings)
    data = {**data, "weights": own_checksum([settings.weights])}
    pixels = _pictures(settings, name, paths, data)
    said = _body_features(body, pixels, _work_folder(settings, name, {"size": settings.size, "data": data}) / "features.npy")
    course = {"resnet101": ("constant", 2e-4), "efficientnet": ("ramp", MAX_RATE)}[name]
    train_network(
        settings,
        name,
        lambda: copy.deepcopy(head),
        lambda rows, _: said[rows].astype(np.float32),
        samples,
        data,
        Schedule(settings.epochs or 30, batch=16, rate=course[1], decay=0.0, smoothing=0.0, course=course[0]),
        input_name="picture",
        example=made_up_pictures(4, settings.size, 3),
        config={"size": settings.size, "channels": list(COLOURS[name])},
        paths=paths,
        fresh=name == "resnet101",
        whole=lambda net: torch.nn.Sequential(body, net),
    )


def _pictures(settings: Settings, name: str, paths: Sequence[Path], data: dict[str, str]) -> NDArray[np.uint8]:
    channels = len(COLOURS[name])
    folder = _work_folder(settings, "pictures", {"size": settings.size, "channels": channels, "data": data, "count": len(paths)})
    return read_pictures(paths, settings.size, channels, folder / "pictures.npy")


def _body_features(body: Any, pixels: NDArray[np.uint8], file: Path) -> NDArray[np.float16]:
    """What a frozen body says of each picture, kept in `file`: it is the same in every epoch and fold."""
    import torch

    if not file.is_file():
        stored: Any = None
        with torch.no_grad():
            for row in tqdm(range(0, len(pixels), 4), desc="frozen layers", disable=None):
                out = body(torch.from_numpy(pixels[row : row + 4].astype(np.float32) / 255)).numpy()
                if stored is None:
                    stored = np.lib.format.open_memmap(file.with_suffix(".part"), "w+", np.float16, (len(pixels), *out.shape[1:]))
                stored[row : row + 4] = out
        stored.flush()
        file.with_suffix(".part").rename(file)
    features: NDArray[np.float16] = np.load(file, mmap_mode="r")
    return features


def train_pixels(settings: Settings) -> None:
    """A reader of layouts, then a judge over what it read and over the true layouts of the same pages."""
    import torch

    from webcontent.training.nets import LayoutNet, LayoutReader, PixelNet, Schedule, ShortPixelNet, fit, train

    records = [record for record in screen_records(settings) if read_boxes(record["boxes"])]
    learned = np.array(screen_samples(records, settings.split).learned)
    records = [records[row] for row in np.flatnonzero(learned).tolist()]  # a strip is large: those that are only judged are left out
    samples, data = screen_samples(records, settings.split), screen_checksums(settings)
    boxes = [read for record in records if (read := read_boxes(record["boxes"]))]
    true = np.concatenate([layout_picture(one)[:, : len(SHOWN)] for one in boxes])
    paths, count = [record["shot"] for record in records], len(records)
    strips = read_strips(paths, _work_folder(settings, "strips", {"data": data, "count": count}) / "strips.npy")
    scale = true.std(axis=(0, 2, 3))

    def lesson(rows: NDArray[np.intp], generator: np.random.Generator) -> tuple[Any, Any]:
        parts = [vary_strip(strips[row], true[row], generator) for row in rows]
        colours = torch.from_numpy(np.stack([part[0] for part in parts])).permute(0, 3, 1, 2)
        return colours, torch.from_numpy(np.stack([part[1] for part in parts]) / scale[:, None, None])

    def loss(answer: Any, wanted: Any) -> Any:
        return torch.nn.functional.smooth_l1_loss(answer, wanted, beta=0.5)

    def learn(net: Any, rows: NDArray[np.intp], *, seed: int, checkpoint: Path, tested: NDArray[np.intp], **options: Any) -> None:
        torch.manual_seed(seed)
        net.reader.to(memory_format=torch.channels_last)
        train(net.reader, lesson, loss, rows, Schedule(**READING), seed=seed, checkpoint=checkpoint.with_suffix(".reader.pt"))
        read = read_layouts(net, strips)

        def inputs(chosen: NDArray[np.intp], generator: np.random.Generator | None) -> NDArray[np.float32]:
            if generator is None:
                return read[chosen]
            return np.stack(
                [
                    vary_layout(read[row], generator)
                    if row < count
                    else layout_picture(vary_boxes(boxes[row - count], generator))[0, : len(SHOWN)]
                    for row in chosen
                ]
            )

        labels = np.tile(samples.labels, 2)
        both = np.concatenate([rows, rows + count])
        fit(net.judge, inputs, labels, both, schedule, seed=seed, checkpoint=checkpoint, tested=tested, **options)
        checkpoint.with_suffix(".reader.pt").unlink(missing_ok=True)

    schedule = Schedule(settings.epochs or 6, batch=32, rate=2e-3, decay=0.02)
    train_network(
        settings,
        "pixels",
        lambda: PixelNet(LayoutReader(), LayoutNet(), scale),
        lambda rows, _: strips[rows],
        samples,
        data,
        schedule,
        input_name="strip",
        example=made_up_strips(2)[:, : STRIP_ROWS // 2],
        config={"reader": READING, "size": [STRIP_ROWS, STRIP_COLUMNS], "step": STEP_ROWS},
        paths=paths,
        learn=learn,
        whole=lambda net: ShortPixelNet(net, ROWS, STRIP_COLUMNS),
        steps=(CELL, ROWS),
    )


def read_strips(paths: Sequence[Path], file: Path) -> NDArray[np.uint8]:
    """uint8 [n, 1536, 512, 3], kept in `file`; ValueError names a file that is no picture."""
    if not file.is_file():
        strips = np.lib.format.open_memmap(file.with_suffix(".part"), "w+", np.uint8, (len(paths), STRIP_ROWS, STRIP_COLUMNS, 3))
        strips[:] = 255
        for row, path in enumerate(tqdm(paths, desc="strips", disable=None)):
            one = strip(path.read_bytes())
            if one is None:
                raise ValueError(f"{path} is no WebP, JPEG or PNG that can be read.")
            strips[row, : one.shape[1]] = one[0]
        strips.flush()
        file.with_suffix(".part").rename(file)
    stored: NDArray[np.uint8] = np.load(file, mmap_mode="r")
    return stored


def read_layouts(net: Any, strips: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What a reader sees in each strip: float32 [n, 5, 192, 64]."""
    import torch

    net.reader.eval()
    read = np.zeros((len(strips), len(SHOWN), ROWS, COLUMNS), np.float32)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for row in range(0, len(strips), 4):
            read[row : row + 4] = net.read(torch.from_numpy(np.array(strips[row : row + 4]))).float().numpy()
    return read


def train_layout(settings: Settings) -> None:
    """Two networks that are averaged: one sees what pixels show, one what only markup tells (and no absolute font size)."""
    from webcontent.training.nets import LayoutNets, Schedule, fit

    records = [record for record in screen_records(settings) if read_boxes(record["boxes"])]
    samples = screen_samples(records, settings.split)
    boxes = [read for record in records if (read := read_boxes(record["boxes"]))]
    plain = np.concatenate([layout_picture(one) for one in boxes])

    def inputs(rows: NDArray[np.intp], generator: np.random.Generator | None) -> NDArray[np.float32]:
        if generator is None:
            return plain[rows]
        return np.concatenate([layout_picture(vary_boxes(boxes[row], generator)) for row in rows])

    def learn(net: Any, rows: NDArray[np.intp], *, seed: int, checkpoint: Path, **options: Any) -> None:
        for number, (member, channels) in enumerate(zip(net.members, net.seen, strict=True)):

            def of_member(chosen: NDArray[np.intp], generator: Any, channels: list[int] = channels) -> NDArray[np.float32]:
                return np.ascontiguousarray(inputs(chosen, generator)[:, channels])

            file, told = checkpoint.with_suffix(f".{number}.pt"), options if number == 0 else {}
            fit(member, of_member, samples.labels, rows, schedule, seed=10 * seed + number, checkpoint=file, **told)

    seen = [[CHANNELS.index(name) for name in names] for names in LAYOUT_MEMBERS]
    schedule = Schedule(settings.epochs or 20, batch=32, rate=2e-3, decay=0.02)
    example = np.concatenate([layout_picture(made_up_boxes(seed)) for seed in range(4)])
    train_network(
        settings,
        "layout",
        lambda: LayoutNets(seen),
        inputs,
        samples,
        screen_checksums(settings),
        schedule,
        input_name="layout",
        example=example,
        config={"channels": list(CHANNELS), "cells": [ROWS, COLUMNS], "members": [list(names) for names in LAYOUT_MEMBERS]},
        paths=[record["shot"] for record in records],
        learn=learn,
    )


def train_network(
    settings: Settings,
    name: str,
    architecture: Callable[[], Any],
    inputs: Any,
    samples: Samples,
    data: dict[str, str],
    schedule: Any,
    *,
    input_name: str,
    example: NDArray[Any],
    config: dict[str, Any],
    paths: Sequence[Path],
    learn: Callable[..., None] | None = None,
    fresh: bool = True,
    whole: Callable[[Any], Any] = lambda net: net,
    steps: tuple[int, int] | None = None,
) -> None:
    """Folds, the final network on everything, pictures of the run, export.

    `learn`: trains a network on rows, in place (default: `nets.fit`). `whole`: what is exported, made of the trained network.
    `steps`: the open second dimension of the input (`export.net_to_onnx`).
    `settings.rounds`: so many folds are judged, the others only learned from.
    """
    from webcontent.training.nets import Probabilities, fit, probabilities

    def fit_all(net: Any, rows: NDArray[np.intp], **options: Any) -> None:
        fit(net, inputs, labels, rows, schedule, fresh=fresh, **options)

    started = time.monotonic()
    run = {"schedule": asdict(schedule), "seed": settings.seed, "folds": settings.folds, "split": settings.split, "data": data}
    work = _work_folder(settings, name, {**run, **config})
    labels = samples.labels
    article = np.full(len(labels), np.nan)
    everything = np.arange(len(labels))
    jobs = [(f"fold {number + 1}", rows, tested) for number, rows, tested in samples.splits(settings.folds) if len(tested)]
    if len(jobs) == 1:
        raise ValueError("All pages fall into one fold; give more sites or fewer --folds.")
    final = ("all pages", np.flatnonzero(samples.learned), everything[:0])
    jobs = [*jobs[: settings.rounds], *(() if settings.judge_only else (final,))]
    history: dict[str, list[dict[str, float]]] = {}
    net: Any = None
    with tqdm(total=schedule.epochs * len(jobs), desc=name, unit="epoch", disable=None) as bar:
        for title, rows, tested in jobs:
            slug = title.replace(" ", "-")
            done, epochs = work / f"{slug}.npz", history.setdefault(title, [])
            if done.is_file() and len(tested):
                stored = np.load(done)
                article[tested], epochs[:] = stored["article"], json.loads(str(stored["history"]))
                bar.update(schedule.epochs)
                continue
            net = architecture()

            def on_epoch(epoch: int, loss: float, title: str = title) -> None:
                bar.set_postfix_str(f"{title}, loss {loss:.3f}")
                bar.update()

            checkpoint = work / f"{slug}.pt"
            (learn or fit_all)(net, rows, tested=tested, seed=settings.seed, history=epochs, checkpoint=checkpoint, on_epoch=on_epoch)
            if len(tested):
                article[tested] = probabilities(net, inputs, tested)[:, 1]
                np.savez(done, article=article[tested], history=json.dumps(epochs))
                checkpoint.unlink(missing_ok=True)
    judged = ~np.isnan(article)
    seen, said = samples.only(judged), article[judged]
    figures = judge_pages(seen, said, settings.folds)
    sheet = settings.work / f"{model_name(name, settings.size)}-wrong.png"
    if wrong := draw_wrong_pages(seen, said, [paths[row] for row in np.flatnonzero(judged).tolist()], sheet):
        tqdm.write(f"{wrong} pages are judged wrong; the surest are on {sheet}", file=sys.stderr)
    _report(name, figures)
    if judged.all() and settings.data is None:
        save_said(settings.work, name, samples, article)
    if settings.judge_only:
        weights = sum(parameter.numel() for parameter in whole(architecture()).parameters())
        save_figures(settings, name, {**config, **run, "weights": weights, "figures": figures, "history": history})
        return
    rounding = _round_weights(net, lambda: probabilities(net, inputs, everything)[:, 1])
    complete = whole(net)
    graph = export.pack_weights(export.net_to_onnx(Probabilities(complete), example, input_name, "probabilities", steps))
    weights = sum(parameter.numel() for parameter in complete.parameters())
    folder = settings.out / model_name(name, settings.size)
    learned = np.array(seen.learned)
    calibration = calibrate(said[learned], seen.labels[learned])
    costs = export.cost(graph, {input_name: example[:1]})
    export.save_model(
        folder,
        graph,
        inputs={input_name: example},
        expected=[_torch_outputs(complete, example)],
        libraries=("torch",),
        config={
            **config,
            "labels": ["list", "article"],
            "calibration": list(calibration),
            "weights": weights,
            **run,
            "figures": figures,
            "history": history,
        },
        card=card(
            name,
            folder.name,
            seen,
            figures,
            data,
            run,
            weights,
            costs,
            time.monotonic() - started,
            rounding,
            {title: epochs[-1]["loss"] for title, epochs in history.items()},
        ),
    )
    draw_curves(history, folder / "curves.png", folder.name)
    draw_calibration({folder.name: figures["calibration"]}, folder / "calibration.png")


def _round_weights(net: Any, judge_all: Callable[[], NDArray[np.float32]]) -> dict[str, float] | None:
    """Rounds the large matrices, in place, and says what that changes; None where there are none."""
    if not any(weights.ndim == 2 and weights.numel() > export.LARGE_WEIGHTS for weights in net.parameters()):
        return None
    before = judge_all()
    export.quantize_weights(net)
    after = judge_all()
    return {
        "largest change of a probability": float(np.abs(before - after).max()),
        "decisions changed": int(((before > 0.5) != (after > 0.5)).sum()),
    }


def save_figures(settings: Settings, name: str, found: dict[str, Any]) -> None:
    """What a run that only judges leaves: its figures and curves, in the work folder; `default` puts the figures into its card."""
    recipe = "" if settings.recipe == "paper" else f"-{settings.recipe}"
    stem = f"{model_name(name, settings.size)}{recipe}-{settings.split}-{settings.seed}"
    folder = settings.work / "judged"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if found["history"]:
        draw_curves(found["history"], folder / f"{stem}.png", stem)


def model_name(name: str, size: int = 224) -> str:
    """The folder of a model; another input size is another model."""
    return f"pagetype_{name}_v1" if size == 224 else f"pagetype_{name}-{size}_v1"


def _torch_outputs(net: Any, example: NDArray[Any]) -> NDArray[np.float32]:
    from webcontent.training.nets import probabilities

    return probabilities(net, lambda rows, _: example[rows], np.arange(len(example)))


def _work_folder(settings: Settings, name: str, run: dict[str, Any]) -> Path:
    """Where a run keeps its state: another schedule, seed or corpus is another run."""
    key = hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()[:10]
    folder = settings.work / f"{name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# --- forests


def _forest(options: dict[str, Any], settings: Settings) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(**options, random_state=settings.seed, n_jobs=settings.threads)


def train_boxes(settings: Settings) -> None:
    started = time.monotonic()
    records = [record for record in screen_records(settings) if read_boxes(record["boxes"])]
    samples = screen_samples(records, settings.split)
    labels = samples.labels
    figures_of = [box_figures(read) for record in tqdm(records, desc="boxes", disable=None) if (read := read_boxes(record["boxes"]))]
    x = np.concatenate(figures_of)
    article = np.zeros(len(labels))
    for _, rows, tested in samples.splits(settings.folds):
        article[tested] = _forest(BOXES_FOREST, settings).fit(x[rows], labels[rows]).predict_proba(x[tested])[:, 1]
    data = screen_checksums(settings)
    run = {"forest": BOXES_FOREST, "seed": settings.seed, "folds": settings.folds, "split": settings.split, "data": data}
    figures = judge_pages(samples, article, settings.folds)
    _report("boxes", figures)
    if settings.judge_only:
        save_figures(settings, "boxes", {**run, "weights": None, "figures": figures, "history": {}})
        return
    forest = _forest(BOXES_FOREST, settings).fit(x[samples.learned], labels[samples.learned])
    graph = export.forest_to_onnx({"article": forest}, x.shape[1])
    save_said(settings.work, "boxes", samples, article)
    export.save_model(
        settings.out / PARTS["boxes"],
        graph,
        inputs={"features": x},
        expected=[forest.predict_proba(x)[:, 1]],
        libraries=("lightgbm",),
        config={"features": list(FIGURES), "labels": ["list", "article"], **run, "figures": figures},
        card=card(
            "boxes", PARTS["boxes"], samples, figures, data, run, None, export.cost(graph, {"features": x[:1]}), time.monotonic() - started
        ),
    )


def train_dom(settings: Settings) -> None:
    started = time.monotonic()
    samples, x, tokens = read_dom(settings)
    # Learning from the stored sites made it no better elsewhere: beside the corpora they are only judged.
    known = (np.array(samples.slices) != STORED) | (settings.data is not None)
    vocabulary = choose_vocabulary(samples.only(known), [words for words, used in zip(tokens, known, strict=True) if used])
    x = np.hstack([x, [[token in words for token in vocabulary] for words in tokens]]).astype(np.float32)
    labels, kinds, weights = samples.labels, *_kind_targets(samples)
    article, kind = np.zeros(len(labels)), np.zeros((len(labels), len(KINDS)))
    for _, others, tested in tqdm(list(samples.splits(settings.folds)), desc="dom", disable=None):
        rows = others[known[others]]
        article[tested] = _forest(TYPE_FOREST, settings).fit(x[rows], labels[rows]).predict_proba(x[tested])[:, 1]
        if not settings.judge_only:  # own pages have no kinds
            forest = _forest(KIND_FOREST, settings).fit(x[rows], kinds[rows], sample_weight=weights[rows])
            kind[tested] = forest.predict_proba(x[tested])
    if settings.judge_only:
        figures = judge_pages(samples, article, settings.folds)
        _report("dom", figures)
        run = {"forest": TYPE_FOREST, "seed": settings.seed, "folds": settings.folds, "split": settings.split}
        save_figures(settings, "dom", {**run, "weights": None, "figures": figures, "history": {}})
        return
    article = np.array([article_probability(first, second) for first, second in zip(article, kind, strict=True)])
    used = np.flatnonzero(known & samples.learned)
    models = {
        "article": _forest(TYPE_FOREST, settings).fit(x[used], labels[used]),
        "kinds": _forest(KIND_FOREST, settings).fit(x[used], kinds[used], sample_weight=weights[used]),
    }
    graph = export.forest_to_onnx(models, x.shape[1])
    data = {**screen_checksums(settings), **{name: checksum(name) for name in PAGE_CORPORA}}
    run = {"forests": {"article": TYPE_FOREST, "kinds": KIND_FOREST}, "seed": settings.seed, "folds": settings.folds, "data": data}
    save_said(settings.work, "dom", samples, article)
    figures = {**judge_pages(samples, article, settings.folds), **judge_kinds(samples, article, kind)}
    export.save_model(
        settings.out / PARTS["dom"],
        graph,
        inputs={"features": x[used]},
        expected=[models["article"].predict_proba(x[used])[:, 1], models["kinds"].predict_proba(x[used])],
        libraries=("lightgbm",),
        config={
            "features": list(FEATURES),
            "vocabulary": vocabulary,
            "labels": ["list", "article"],
            "kinds": list(KINDS),
            **run,
            "figures": figures,
        },
        card=card(
            "dom", PARTS["dom"], samples, figures, data, run, None, export.cost(graph, {"features": x[:1]}), time.monotonic() - started
        ),
    )
    _report("dom", figures)


def read_dom(settings: Settings) -> tuple[Samples, NDArray[np.float32], list[set[str]]]:
    """Figures of all pages with a type, and the words that they are made with."""
    screens = screen_records(settings)
    samples = screen_samples(screens, settings.split)
    pages = [(corpus, record) for corpus in PAGE_CORPORA for record in load_corpus(corpus)] if settings.data is None else []
    for corpus, record in pages:
        samples.add(record, corpus, str(record["site"]), corpus)
    records = [*screens, *(record for _, record in pages)]
    with ProcessPoolExecutor(settings.threads) as pool:
        measured = list(tqdm(pool.map(measure_markup, records, chunksize=8), total=len(records), desc="markup", disable=None))
    return samples, np.array([row for row, _ in measured]), [words for _, words in measured]


def measure_markup(record: dict[str, Any]) -> tuple[NDArray[np.float32], set[str]]:
    """Figures of a page and its words. Addresses of the screens were made up by us and say nothing."""
    made_up = "family" in record and record["kind"] != STORED
    document = Document(Page(url=None if made_up else record["url"], html=record["html"]))
    row: NDArray[np.float32] = dom_features(document)[0]
    return row, page_tokens(document)


def choose_vocabulary(samples: Samples, tokens: Sequence[set[str]]) -> list[str]:
    """Words of class names and ids that many sites (or, split by page, pages) share. No label is looked at."""
    sites: dict[str, set[str]] = defaultdict(set)
    for group, words in zip(samples.group, tokens, strict=True):
        for token in words:
            sites[token].add(group)
    return sorted(token for token, users in sites.items() if len(users) >= (PREFIXED_SITES if ":" in token else WORD_SITES))


def _kind_targets(samples: Samples) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Index into KINDS and weight of each page."""
    known = [kind or ("article" if article else "listing") for kind, article in zip(samples.kinds, samples.article, strict=True)]
    weights = [1.0 if kind else UNSURE_KIND for kind in samples.kinds]
    return np.array([KINDS.index(kind) for kind in known]), np.array(weights)


# --- all together


def train_default(settings: Settings) -> None:
    started = time.monotonic()
    samples, said, present = read_said(settings.work)
    data = {**screen_checksums(settings), **{name: checksum(name) for name in PAGE_CORPORA}}
    parts = list(PARTS)
    labels, learned = samples.labels, np.array(samples.learned)
    weights = np.zeros((2 ** len(parts), len(parts) + 1), np.float32)
    article = np.full((2 ** len(parts), len(labels)), np.nan)
    for mask in range(1, 2 ** len(parts)):
        used = [i for i in range(len(parts)) if mask >> i & 1]
        rows = np.flatnonzero(present[:, used].all(axis=1))
        subset = np.array([fold_of(samples.group[row], settings.folds) for row in rows])
        for number in range(settings.folds):
            others = rows[(subset != number) & learned[rows]]
            found = fit_weights(said[others][:, used], labels[others])
            article[mask, rows[subset == number]] = weighted(said[rows[subset == number]][:, used], found)
        rows = rows[learned[rows]]
        weights[mask, [*used, len(parts)]] = fit_weights(said[rows][:, used], labels[rows])
    known, paper = ~np.isnan(article), read_judged(settings)
    best = [best_combination(mask, article, labels) for mask in range(2 ** len(parts))]
    weights, article = weights[best], np.where(known, article[best], np.nan)
    graph = combiner_graph(weights)
    figures = {
        combination_name(mask, parts): judge_pages(samples.only(known[mask]), article[mask][known[mask]], settings.folds)
        for mask in range(1, 2 ** len(parts))
    }
    given = {"logits": said.astype(np.float32), "present": present.astype(np.float32)}
    run = {"seed": settings.seed, "folds": settings.folds, "data": data}
    masks = (present.astype(int) << np.arange(len(parts))).sum(axis=1)
    expected = np.array([weighted(said[row], weights[mask]) for row, mask in enumerate(masks)])
    shown = {combination_name(mask, parts): [round(float(weight), 3) for weight in weights[mask]] for mask in range(1, 2 ** len(parts))}
    export.save_model(
        settings.out / DEFAULT_MODEL,
        graph,
        inputs=given,
        expected=[expected],
        libraries=("scikit-learn",),
        config={"parts": parts, "labels": ["list", "article"], "combinations": shown, **run, "figures": figures, "paper": paper},
        card=default_card(
            samples,
            figures,
            shown,
            parts,
            paper,
            data,
            run,
            export.cost(graph, {name: array[:1] for name, array in given.items()}),
            time.monotonic() - started,
        ),
    )
    folder = settings.out / DEFAULT_MODEL
    draw_calibration({name: figures[name]["calibration"] for name in (WITH_BOXES, "dom", "picture")}, folder / "calibration.png")
    if paper:
        draw_curves({row["title"]: row["history"] for row in paper if row["history"]}, folder / "paper.png", "Sites seen, split by page")
    for name in (WITH_BOXES, "dom", "picture"):
        _report(f"default, {name}", figures[name])


def best_combination(mask: int, article: NDArray[np.float64], labels: NDArray[np.int64]) -> int:
    """Of the combinations within `mask` the one that judges unseen pages best (log loss, on the pages that have all of `mask`): a part that
    adds nothing to others is not believed beside them."""
    rows = ~np.isnan(article[mask])

    def loss(inner: int) -> float:
        of_label = np.where(labels[rows] == 1, article[inner][rows], 1 - article[inner][rows])
        return float(-np.log(np.clip(of_label, 1e-6, 1)).mean())

    return min((inner for inner in range(1, mask + 1) if inner & mask == inner), key=loss, default=0)


def read_judged(settings: Settings) -> list[dict[str, Any]]:
    """The paper's setting: what runs with --judge-only --split page found, smallest input first (I-AWCE, table 5 and figure 9)."""
    rows = []
    for path in sorted((settings.work / "judged").glob("*-page-*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        arch, size = path.name.split("_")[1].split("-")[0], found.get("size")
        history: list[dict[str, float]] = next(iter(found["history"].values()), [])
        figures = {name: found["figures"][name] for name in ("pages", "accuracy", "articles", "lists")}
        recipe = f", {found['recipe']}" if "recipe" in found else ""
        rows.append(
            {
                "title": f"{arch} {size} px{recipe}" if isinstance(size, int) else f"{arch}{recipe}",
                "weights": found["weights"],
                "epochs": len(history),
                **figures,
                "history": history,
            }
        )
    return sorted(rows, key=lambda row: row["weights"] or 0)


def _report(name: str, figures: dict[str, Any]) -> None:
    real = figures["by_slice"].get("real site", [0, float("nan")])[1]
    if "screens" in figures:
        _report(f"{name}, screens", figures["screens"])
    tqdm.write(
        f"{name}: {figures['accuracy']:.4f} of {figures['pages']} pages ({figures['groups']} groups) right, "
        f"articles {figures['articles']:.4f}, lists {figures['lists']:.4f}, real sites {real:.3f}, "
        f"calibration error {figures['calibration_error']:.3f}" + (f", kinds {figures['kinds']:.4f}" if "kinds" in figures else ""),
        file=sys.stderr,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m webcontent.training.pagetype", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--arch", choices=tuple(TRAINERS), help="only this one")
    parser.add_argument("--input", type=int, default=224, metavar="PX", help="side of the picture: 224, 448, 1366 (picture networks)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="own screenshots (DIR/{article,list}/*.png), rendered sites, saved pages")
    parser.add_argument("--sites", type=Path, metavar="DIR", help="rendered sites, added to the corpora")
    parser.add_argument("--split", choices=("family", "page"), default="family", help="what stays in one fold (default: family)")
    parser.add_argument(
        "--recipe",
        choices=("paper", "tuned"),
        default="paper",
        help="lenet5: pictures as they are, or each brought to mean 0 and deviation 1, moved a little, three times as long",
    )
    parser.add_argument("--weights", type=Path, metavar="FILE", help="pre-trained weights: a state dict in torchvision's names")
    parser.add_argument("--epochs", type=int, metavar="N", help="of the networks")
    parser.add_argument("--folds", type=int, default=5, metavar="N")
    parser.add_argument("--rounds", type=int, metavar="N", help="judge only so many of the folds")
    parser.add_argument("--judge-only", action="store_true", help="only the folds: figures and curves, no model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("models"), metavar="DIR", help="where the model folders go (default: models)")
    parser.add_argument(
        "--work", type=Path, default=Path("build/pagetype"), metavar="DIR", help="state of the run (default: build/pagetype)"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    if message := _wrong_options(options):
        parser.error(message)
    chosen = vars(options)
    arch, size = chosen.pop("arch"), chosen.pop("input")
    settings = Settings(**chosen, size=size)
    if arch not in ("boxes", "dom", "default"):
        import torch

        torch.set_num_threads(settings.threads)
    for name in [arch] if arch else DEFAULT_PARTS:
        TRAINERS[name](settings)


def _wrong_options(options: argparse.Namespace) -> str:
    """What is wrong with the command line, "" when nothing is."""
    arch = options.arch
    rendered = options.data is not None and (is_saved_folder(options.data) or any(options.data.glob(f"*/{PAGES}")))
    if not 32 <= options.input <= 1366:
        return f"--input {options.input}: it takes 32 to 1366 px."
    if options.input != 224 and arch not in COLOURS:
        return f"--input needs --arch {', '.join(COLOURS)}: only these take a square picture."
    if options.judge_only and (arch in (None, "default") or (arch == "dom" and options.data is None)):
        return "--judge-only needs --arch and one of the networks, boxes, or dom with --data."
    if options.data is not None and arch not in (*COLOURS, "pixels", "layout", "boxes", "dom"):
        return f"--data needs --arch {', '.join(COLOURS)}, pixels, layout, boxes or dom."
    if arch == "dom" and options.data is not None and not options.judge_only:
        return "--arch dom with --data needs --judge-only: own pages have no kinds."
    if arch in ("pixels", "layout", "boxes", "dom") and options.data is not None and not rendered:
        return f"--arch {arch} needs boxes: --data takes what python -m webcontent.training.pagetype_sites rendered."
    if arch in ("resnet101", "efficientnet") and options.weights is None:
        return f"--arch {arch} needs --weights FILE: a state dict of {arch}, pre-trained on ImageNet, in torchvision's names."
    if options.weights is not None and not options.weights.is_file():
        return f"--weights {options.weights} is no file."
    return ""


DEFAULT_PARTS = ("lenet5", "pixels", "layout", "boxes", "dom", "default")
TRAINERS: dict[str, Callable[[Settings], None]] = {
    "lenet5": train_lenet5,
    "pixels": train_pixels,
    "resnet101": lambda settings: train_backbone(settings, "resnet101"),
    "efficientnet": lambda settings: train_backbone(settings, "efficientnet"),
    "layout": train_layout,
    "boxes": train_boxes,
    "dom": train_dom,
    "default": train_default,
}

if __name__ == "__main__":
    main()
