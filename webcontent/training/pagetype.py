"""Trains the page type models: python -m webcontent.training.pagetype [--model NAME] [--data DIR] [--epochs N] [--out DIR] [--folds N].

    lenet5   the paper's LeNet-5 over the screenshot              -> pagetype_lenet5_v1
    layout   a small convolutional network over the layout picture -> pagetype_layout_v1
    boxes    a forest over figures of the browser's boxes          -> pagetype_boxes_v1
    dom      forests over figures of the markup: type and kind     -> pagetype_dom_v1
    default  the weighted sum of all four                          -> pagetype_default_v1 (needs the others' runs)

Without --model all five, in this order. Each is cross-validated over families (screens) and sites (pages), then trained on everything.
`--data DIR` with DIR/{article,list}/*.png (or .jpg, .webp) trains lenet5 on a user's own screenshots; pictures in a folder below
(DIR/article/SITE/*.png) stay in one fold. What is done is kept under --work, and an interrupted run goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.corpus import checksum, fold_of, load_corpus, load_screens
from webcontent.document.parsing import Document
from webcontent.items import KINDS, TYPES, Page
from webcontent.pagetype.classify import DEFAULT_MODEL, PARTS
from webcontent.pagetype.dom import FEATURES, article_probability, dom_features, page_tokens
from webcontent.pagetype.layout import CHANNELS, COLUMNS, FIGURES, ROWS, Boxes, box_figures, layout_picture, read_boxes
from webcontent.pagetype.picture import picture
from webcontent.training import export
from webcontent.training.pagetype_card import card, default_card
from webcontent.training.pagetype_weights import combination_name, combiner_graph, read_said, save_said, weighted
from webcontent.training.samples import Samples, calibrate, fit_weights, judge, judge_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

PAGE_CORPORA = ("wcxb-dev", "zh-gold-dev", "zh-silver")
SAME_SITE = {"lcx": "lcx.cc", "linuxcn": "undefined.today", "wpblog": "guozhiman.github.io"}
"""Families of the screens whose site has pages in other corpora under another name: one group, so one fold."""
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
UNSURE_KIND = 0.3
"""Weight in the forest of kinds of pages that only say article or list."""


@dataclass(frozen=True)
class Settings:
    """One run: what the command line says."""

    out: Path = Path("models")
    work: Path = Path("build/pagetype")
    data: Path | None = None
    epochs: int | None = None
    folds: int = 5
    seed: int = 0
    threads: int = 1


# --- data


def family_of(record: dict[str, Any]) -> str:
    """What stays in one fold of the screens: a family of designs, or the site that has pages in other corpora too."""
    family = str(record["family"])
    return SAME_SITE.get(family, family)


def screen_samples(records: Sequence[dict[str, Any]]) -> Samples:
    samples = Samples()
    for record in records:
        samples.add(record, "screens", family_of(record), record["kind"])
    return samples


def read_pictures(paths: Sequence[Path], size: int) -> NDArray[np.float32]:
    """float32 [n, 1, size, size]; ValueError names a file that is no picture."""
    pixels = np.zeros((len(paths), 1, size, size), np.float32)
    for row, path in enumerate(tqdm(paths, desc="pictures", disable=None)):
        one = picture(path.read_bytes(), size)
        if one is None:
            raise ValueError(f"{path} is no WebP, JPEG or PNG that can be read.")
        pixels[row] = one[0]
    return pixels


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

    if settings.data is not None:
        samples, paths = folder_samples(settings.data)
        data = {"own pictures": own_checksum(paths)}
    else:
        records = list(load_screens())
        samples, paths = screen_samples(records), [record["shot"] for record in records]
        data = {"screens/dev": checksum("screens/dev")}
    pixels = read_pictures(paths, LeNet5.size)

    train_network(
        settings,
        "lenet5",
        LeNet5,
        lambda rows, _: pixels[rows],
        samples,
        data,
        Schedule(settings.epochs or 8, batch=16, rate=3e-4, decay=0.01),
        input_name="picture",
        example=made_up_pictures(4, LeNet5.size),
        config={"size": LeNet5.size, "channels": ["grey"]},
    )


def made_up_pictures(count: int, size: int) -> NDArray[np.float32]:
    """Reference inputs: stripes and blocks, no page of anyone."""
    generator = np.random.default_rng(7)
    pixels = np.ones((count, 1, size, size), np.float32)
    for one in pixels[:, 0]:
        for _ in range(12):
            y, x, h, w = generator.integers(0, size, 2).tolist() + generator.integers(4, size // 2, 2).tolist()
            one[y : y + h : int(generator.integers(1, 4)), x : x + w] = round(float(generator.random()), 2)
    return pixels


def train_layout(settings: Settings) -> None:
    from webcontent.training.nets import LayoutNet, Schedule

    records = [record for record in load_screens() if read_boxes(record["boxes"])]
    samples = screen_samples(records)
    boxes = [read for record in records if (read := read_boxes(record["boxes"]))]
    plain = np.concatenate([layout_picture(one) for one in boxes])

    def inputs(rows: NDArray[np.intp], generator: np.random.Generator | None) -> NDArray[np.float32]:
        if generator is None:
            return plain[rows]
        return np.concatenate([layout_picture(vary_boxes(boxes[row], generator)) for row in rows])

    example = np.concatenate([layout_picture(made_up_boxes(seed)) for seed in range(4)])
    train_network(
        settings,
        "layout",
        LayoutNet,
        inputs,
        samples,
        {"screens/dev": checksum("screens/dev")},
        Schedule(settings.epochs or 24, batch=32, rate=2e-3, decay=0.02),
        input_name="layout",
        example=example,
        config={"channels": list(CHANNELS), "cells": [ROWS, COLUMNS]},
    )


def vary_boxes(boxes: Boxes, generator: np.random.Generator) -> Boxes:
    """The page as another screen might show it: scaled, moved, some boxes gone, in one of seven pages all pictures; never flipped."""
    across, down, larger = generator.uniform(0.9, 1.1), generator.uniform(0.9, 1.1), generator.uniform(0.85, 1.15)
    kept = generator.random(len(boxes.x)) >= generator.choice([0.0, 0.05, 0.15])
    with_pictures = float(generator.random() > 0.15)
    return boxes._replace(
        x=((boxes.x - 683) * across + 683 + generator.uniform(-40, 40))[kept],
        y=(boxes.y * down + generator.uniform(-60, 60))[kept],
        w=(boxes.w * across)[kept],
        h=(boxes.h * down)[kept],
        font=np.clip(boxes.font * larger, 1, 200)[kept],
        own=boxes.own[kept],
        whole=boxes.whole[kept],
        link=boxes.link[kept],
        image=(boxes.image * with_pictures)[kept],
    )


def made_up_boxes(seed: int) -> Boxes:
    """Reference inputs: a table of boxes that no page has."""
    generator = np.random.default_rng(seed)
    rows = []
    for i in range(40):
        length = int(generator.integers(5, 400))
        linked = length if generator.random() < 0.4 else 0
        rows.append(
            [
                f"/html/body/div[{i + 1}]/p",
                "p",
                int(generator.integers(0, 900)),
                60 * i,
                int(generator.integers(100, 460)),
                50,
                int(generator.integers(12, 32)),
                400,
                "#000000",
                "#ffffff",
                length,
                length,
                linked,
                0,
                int(generator.random() < 0.1),
            ]
        )
    boxes = read_boxes(rows)
    assert boxes is not None
    return boxes


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
    example: NDArray[np.float32],
    config: dict[str, Any],
) -> None:
    """Folds, the final network on everything, export."""
    from webcontent.training.nets import Probabilities, fit, probabilities

    started = time.monotonic()
    run = {"schedule": asdict(schedule), "seed": settings.seed, "folds": settings.folds, "data": data}
    work = _work_folder(settings, name, run)
    labels = samples.labels
    article = np.zeros(len(labels))
    everything = np.arange(len(labels))
    jobs = [(f"fold {number + 1}", rows, tested) for number, rows, tested in samples.splits(settings.folds) if len(tested)]
    jobs.append(("all pages", everything, everything[:0]))
    losses: dict[str, float] = {}
    with tqdm(total=schedule.epochs * len(jobs), desc=name, unit="epoch", disable=None) as bar:
        for title, rows, tested in jobs:
            slug = title.replace(" ", "-")
            done = work / f"{slug}.npz"
            net = architecture()
            if done.is_file() and len(tested):
                stored = np.load(done)
                article[tested], losses[title] = stored["article"], float(stored["loss"])
                bar.update(schedule.epochs)
                continue

            def on_epoch(epoch: int, loss: float, title: str = title) -> None:
                losses[title] = loss
                bar.set_postfix_str(f"{title}, loss {loss:.3f}")
                bar.update()

            fit(net, inputs, labels, rows, schedule, seed=settings.seed, checkpoint=work / f"{slug}.pt", on_epoch=on_epoch)
            if len(tested):
                article[tested] = probabilities(net, inputs, tested)[:, 1]
                np.savez(done, article=article[tested], loss=losses.get(title, 0.0))
                (work / f"{slug}.pt").unlink(missing_ok=True)
    if len(jobs) == 1:
        raise ValueError("All pages fall into one fold; give more sites or fewer --folds.")
    before = probabilities(net, inputs, everything)[:, 1]
    export.quantize_weights(net)
    after = probabilities(net, inputs, everything)[:, 1]
    rounding = {
        "largest change of a probability": float(np.abs(before - after).max()),
        "decisions changed": int(((before > 0.5) != (after > 0.5)).sum()),
    }
    graph = export.pack_weights(export.net_to_onnx(Probabilities(net), example, input_name, "probabilities"))
    save_said(settings.work, name, samples, article)
    weights = sum(parameter.numel() for parameter in net.parameters())
    folder = settings.out / PARTS[{"lenet5": "picture"}.get(name, name)]
    figures = judge(samples, article, settings.folds)
    export.save_model(
        folder,
        graph,
        inputs={input_name: example},
        expected=[_torch_outputs(net, example)],
        libraries=("torch",),
        config={
            **config,
            "labels": ["list", "article"],
            "calibration": list(calibrate(article, labels)),
            "weights": weights,
            **run,
            "figures": figures,
        },
        card=card(
            name,
            samples,
            figures,
            data,
            run,
            weights,
            export.cost(graph, {input_name: example[:1]}),
            time.monotonic() - started,
            rounding,
            losses,
        ),
    )
    _report(name, figures)


def _torch_outputs(net: Any, example: NDArray[np.float32]) -> NDArray[np.float32]:
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
    records = [record for record in load_screens() if read_boxes(record["boxes"])]
    samples, labels = screen_samples(records), screen_samples(records).labels
    figures_of = [box_figures(read) for record in tqdm(records, desc="boxes", disable=None) if (read := read_boxes(record["boxes"]))]
    x = np.concatenate(figures_of)
    article = np.zeros(len(labels))
    for _, rows, tested in samples.splits(settings.folds):
        article[tested] = _forest(BOXES_FOREST, settings).fit(x[rows], labels[rows]).predict_proba(x[tested])[:, 1]
    forest = _forest(BOXES_FOREST, settings).fit(x, labels)
    graph = export.forest_to_onnx({"article": forest}, x.shape[1])
    data = {"screens/dev": checksum("screens/dev")}
    run = {"forest": BOXES_FOREST, "seed": settings.seed, "folds": settings.folds, "data": data}
    save_said(settings.work, "boxes", samples, article)
    figures = judge(samples, article, settings.folds)
    export.save_model(
        settings.out / PARTS["boxes"],
        graph,
        inputs={"features": x},
        expected=[forest.predict_proba(x)[:, 1]],
        libraries=("lightgbm",),
        config={"features": list(FIGURES), "labels": ["list", "article"], **run, "figures": figures},
        card=card("boxes", samples, figures, data, run, None, export.cost(graph, {"features": x[:1]}), time.monotonic() - started),
    )
    _report("boxes", figures)


def train_dom(settings: Settings) -> None:
    started = time.monotonic()
    samples, x, tokens = read_dom(settings.threads)
    vocabulary = choose_vocabulary(samples, tokens)
    x = np.hstack([x, [[token in words for token in vocabulary] for words in tokens]]).astype(np.float32)
    labels, kinds, weights = samples.labels, *_kind_targets(samples)
    article, kind = np.zeros(len(labels)), np.zeros((len(labels), len(KINDS)))
    for _, rows, tested in tqdm(list(samples.splits(settings.folds)), desc="dom", disable=None):
        article[tested] = _forest(TYPE_FOREST, settings).fit(x[rows], labels[rows]).predict_proba(x[tested])[:, 1]
        forest = _forest(KIND_FOREST, settings).fit(x[rows], kinds[rows], sample_weight=weights[rows])
        kind[tested] = forest.predict_proba(x[tested])
    article = np.array([article_probability(first, second) for first, second in zip(article, kind, strict=True)])
    models = {
        "article": _forest(TYPE_FOREST, settings).fit(x, labels),
        "kinds": _forest(KIND_FOREST, settings).fit(x, kinds, sample_weight=weights),
    }
    graph = export.forest_to_onnx(models, x.shape[1])
    data = {"screens/dev": checksum("screens/dev"), **{name: checksum(name) for name in PAGE_CORPORA}}
    run = {"forests": {"article": TYPE_FOREST, "kinds": KIND_FOREST}, "seed": settings.seed, "folds": settings.folds, "data": data}
    save_said(settings.work, "dom", samples, article)
    figures = {**judge(samples, article, settings.folds), **judge_kinds(samples, article, kind)}
    export.save_model(
        settings.out / PARTS["dom"],
        graph,
        inputs={"features": x},
        expected=[models["article"].predict_proba(x)[:, 1], models["kinds"].predict_proba(x)],
        libraries=("lightgbm",),
        config={
            "features": list(FEATURES),
            "vocabulary": vocabulary,
            "labels": ["list", "article"],
            "kinds": list(KINDS),
            **run,
            "figures": figures,
        },
        card=card("dom", samples, figures, data, run, None, export.cost(graph, {"features": x[:1]}), time.monotonic() - started),
    )
    _report("dom", figures)


def read_dom(threads: int) -> tuple[Samples, NDArray[np.float32], list[set[str]]]:
    """Figures of all pages with a type, and the words that they are made with."""
    samples, rows, tokens = Samples(), [], []
    with ProcessPoolExecutor(threads) as pool:
        for corpus in ("screens/dev", *PAGE_CORPORA):
            records = list(load_corpus(corpus))
            for record, (row, words) in zip(
                records, tqdm(pool.map(measure_markup, records, chunksize=8), desc=corpus, disable=None), strict=True
            ):
                screen = corpus == "screens/dev"
                group = family_of(record) if screen else str(record["site"])
                samples.add(record, corpus.removesuffix("/dev"), group, record["kind"] if screen else corpus)
                rows.append(row)
                tokens.append(words)
    return samples, np.array(rows), tokens


def measure_markup(record: dict[str, Any]) -> tuple[NDArray[np.float32], set[str]]:
    """Figures of a page and its words. Addresses of the screens (records with a family) were made up by us and say nothing."""
    document = Document(Page(url=None if "family" in record else record["url"], html=record["html"]))
    row: NDArray[np.float32] = dom_features(document)[0]
    return row, page_tokens(document)


def choose_vocabulary(samples: Samples, tokens: Sequence[set[str]]) -> list[str]:
    """Words of class names and ids that many sites share. No label is looked at."""
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
    data = {name: checksum(name) for name in ("screens/dev", *PAGE_CORPORA)}
    parts = list(PARTS)
    labels = samples.labels
    weights = np.zeros((2 ** len(parts), len(parts) + 1), np.float32)
    article = np.full((2 ** len(parts), len(labels)), np.nan)
    for mask in range(1, 2 ** len(parts)):
        used = [i for i in range(len(parts)) if mask >> i & 1]
        rows = np.flatnonzero(present[:, used].all(axis=1))
        subset = np.array([fold_of(samples.group[row], settings.folds) for row in rows])
        for number in range(settings.folds):
            learned = fit_weights(said[rows[subset != number]][:, used], labels[rows[subset != number]])
            article[mask, rows[subset == number]] = weighted(said[rows[subset == number]][:, used], learned)
        weights[mask, [*used, len(parts)]] = fit_weights(said[rows][:, used], labels[rows])
    graph, known = combiner_graph(weights), ~np.isnan(article)
    figures = {
        combination_name(mask, parts): judge(samples.only(known[mask]), article[mask][known[mask]], settings.folds)
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
        config={"parts": parts, "labels": ["list", "article"], "combinations": shown, **run, "figures": figures},
        card=default_card(
            samples,
            figures,
            shown,
            parts,
            data,
            run,
            export.cost(graph, {name: array[:1] for name, array in given.items()}),
            time.monotonic() - started,
        ),
    )
    for name in (combination_name(2 ** len(parts) - 1, parts), "dom"):
        _report(f"default, {name}", figures[name])


def _report(name: str, figures: dict[str, Any]) -> None:
    real = figures["by_slice"].get("real site", [0, float("nan")])[1]
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
    parser.add_argument("--model", choices=tuple(TRAINERS), help="only this one")
    parser.add_argument("--data", type=Path, metavar="DIR", help="own screenshots, DIR/{article,list}/*.png (lenet5 only)")
    parser.add_argument("--epochs", type=int, metavar="N", help="of the networks")
    parser.add_argument("--folds", type=int, default=5, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("models"), metavar="DIR", help="where the model folders go (default: models)")
    parser.add_argument(
        "--work", type=Path, default=Path("build/pagetype"), metavar="DIR", help="state of the run (default: build/pagetype)"
    )
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    settings = Settings(options.out, options.work, options.data, options.epochs, options.folds, options.seed, options.threads)
    if settings.data is not None and options.model != "lenet5":
        parser.error("--data needs --model lenet5: own pictures have neither boxes nor markup.")
    if options.model in (None, "lenet5", "layout"):
        import torch

        torch.set_num_threads(options.threads)
    for name in [options.model] if options.model else TRAINERS:
        TRAINERS[name](settings)


TRAINERS: dict[str, Callable[[Settings], None]] = {
    "lenet5": train_lenet5,
    "layout": train_layout,
    "boxes": train_boxes,
    "dom": train_dom,
    "default": train_default,
}

if __name__ == "__main__":
    main()
