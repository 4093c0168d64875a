"""How every page type network is trained: fold by fold, then on all pages; evaluation and export."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.cost import graph_cost
from webcontent.training.common.nets import Probabilities, Progress, probabilities, train_classifier
from webcontent.training.common.plots import draw_calibration, draw_curves, draw_sheet
from webcontent.training.pagetype import evaluation
from webcontent.training.pagetype.card import LABELS, model_card
from webcontent.training.pagetype.settings import model_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from webcontent.training.common.nets import Inputs, Rows, Schedule
    from webcontent.training.pagetype.samples import Samples
    from webcontent.training.pagetype.settings import Run

    Learn = Callable[[Any, Rows, Rows, int, Progress], None]
    """Trains a network in place: network, rows to train on, rows to test on, seed, progress."""

SHEET_PAGES = 40
"""Mistakes with the highest scores that the sheet of wrong pages shows."""
ALL_PAGES = "all pages"


@dataclass(frozen=True, kw_only=True)
class NetworkTask:
    """A network that is to be trained."""

    name: str
    architecture: Callable[[], nn.Module]
    """Makes an untrained network."""
    inputs: Inputs
    samples: Samples
    screenshots: Sequence[Path]
    """Of the samples."""
    data: Mapping[str, str]
    """Names and versions of the corpora."""
    schedule: Schedule
    input_name: str
    example: NDArray[Any]
    """Reference inputs."""
    config: Mapping[str, Any]
    """Further entries of config.json."""
    spoilt: Inputs | None = None
    """The inputs with banners laid over the pages."""
    learn: Learn | None = None
    """Trains a network; None: `train_classifier`."""
    fresh: bool = True
    """Whether the weights are initialized before training."""
    exported: Callable[[Any], nn.Module] = field(default=lambda net: net)
    """The module that is exported, made of the trained network."""
    steps: tuple[int, int] | None = None
    """Of the open second dimension of the input, see `export.onnx_of_network`."""

    def train(self, net: Any, training: Rows, tested: Rows, seed: int, progress: Progress) -> None:
        """Trains a network in place."""
        if self.learn is not None:
            self.learn(net, training, tested, seed, progress)
            return
        labels = self.samples.labels
        train_classifier(net, self.inputs, labels, training, self.schedule, seed=seed, fresh=self.fresh, tested=tested, progress=progress)


def train_network(run: Run, task: NetworkTask) -> None:
    """Trains the folds and the final network on all pages, draws the images of the run, and exports the model."""
    started = time.monotonic()
    settings = {**run.settings.recorded(), "schedule": asdict(task.schedule)}
    net, article, spoilt, history = _train_folds(run, task, run.state_folder(task.name, {**settings, **task.config, "data": task.data}))
    is_evaluated = ~np.isnan(article)
    samples, evaluated = task.samples.only(is_evaluated), article[is_evaluated]
    metrics = evaluation.evaluate(samples, evaluated, run.settings.folds)
    if task.spoilt is not None:
        metrics["spoilt"] = evaluation.spoilt_metrics(samples, evaluated, spoilt[is_evaluated])
    screenshots = [task.screenshots[row] for row in np.flatnonzero(is_evaluated).tolist()]
    sheet = run.work / f"{model_name(task.name, run.settings.size)}-wrong.png"
    if wrong := draw_wrong_pages(samples, evaluated, screenshots, sheet):
        tqdm.write(f"{wrong} pages are classified wrong; those with the highest scores are on {sheet}", file=sys.stderr)
    evaluation.report(task.name, metrics)
    if is_evaluated.all() and run.data is None:
        evaluation.store_probabilities(run.work, task.name, task.samples, article)
    recorded = {**task.config, "settings": settings, "data": task.data}
    if run.evaluate_only:
        weights = _weight_count(task.exported(task.architecture()))
        evaluation.store_metrics(run, task.name, {**recorded, "weights": weights, "metrics": metrics, "history": history})
        return
    learned = samples.is_learned
    calibration = evaluation.calibrate(evaluated[learned], samples.labels[learned])
    recorded |= {"labels": LABELS, "calibration": calibration, "metrics": metrics, "history": history}
    _export(run, task, net, DataFacts.of(samples.rows, task.data), recorded, started)


def _train_folds(
    run: Run, task: NetworkTask, work: Path
) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], dict[str, list[dict[str, float]]]]:
    """The last network, out-of-fold probabilities of `article` (NaN where a page was not evaluated), those of the same pages with banners
    laid over (NaN where the task has none), and the history of each network."""
    article, spoilt = np.full(len(task.samples), np.nan), np.full(len(task.samples), np.nan)
    history: dict[str, list[dict[str, float]]] = {}
    jobs = list(_jobs(run, task.samples))
    net: Any = None
    with tqdm(total=task.schedule.epochs * len(jobs), desc=task.name, unit="epoch", disable=None) as bar:
        for title, training, tested in jobs:
            slug = title.replace(" ", "-")
            done, epochs = work / f"{slug}.npz", history.setdefault(title, [])
            if done.is_file() and len(tested):
                stored = np.load(done)
                article[tested], spoilt[tested], epochs[:] = stored["article"], stored["spoilt"], json.loads(str(stored["history"]))
                bar.update(task.schedule.epochs)
                continue
            net = task.architecture()

            def show(epoch: int, loss: float, title: str = title) -> None:
                bar.set_postfix_str(f"{title}, loss {loss:.3f}")
                bar.update()

            checkpoint = work / f"{slug}.pt"
            task.train(net, training, tested, run.settings.seed, Progress(checkpoint, epochs, show))
            if len(tested):
                article[tested] = probabilities(net, task.inputs, tested)[:, 1]
                if task.spoilt is not None:
                    spoilt[tested] = probabilities(net, task.spoilt, tested)[:, 1]
                np.savez(done, article=article[tested], spoilt=spoilt[tested], history=json.dumps(epochs))
                checkpoint.unlink(missing_ok=True)
    return net, article, spoilt, history


def _jobs(run: Run, samples: Samples) -> Iterator[tuple[str, Rows, Rows]]:
    """Title, rows to train on and rows to test on, of each network. ValueError where all pages are in one fold."""
    folds = [(f"fold {number + 1}", rows, tested) for number, rows, tested in samples.splits(run.settings.folds) if len(tested)]
    if len(folds) == 1:
        raise ValueError("All pages are in one fold. Give more sites or fewer --folds.")
    yield from folds[: run.rounds]
    if not run.evaluate_only:
        yield ALL_PAGES, np.flatnonzero(samples.is_learned), np.zeros(0, np.intp)


def draw_wrong_pages(samples: Samples, article: NDArray[np.float64], screenshots: Sequence[Path], path: Path) -> int:
    """Draws the sheet of the mistakes with the highest scores; gives the number of all mistakes, and draws nothing where there are none.

    The sheet shows pages of others: it belongs to the state of the run, not into a model folder.
    """
    mistakes = surest_mistakes(samples, article)
    shown = mistakes[:SHEET_PAGES]
    if shown:
        rows = [samples.rows[place] for place, _ in shown]
        captions = [f"{row.id[-26:]}\nis {LABELS[row.is_article]}, other: {score:.3f}" for row, (_, score) in zip(rows, shown, strict=True)]
        draw_sheet([screenshots[place] for place, _ in shown], captions, path)
    return len(mistakes)


def surest_mistakes(samples: Samples, article: NDArray[np.float64]) -> list[tuple[int, float]]:
    """Rows that are classified wrong and the score of the wrong answer, highest score first."""
    wrong = np.flatnonzero((article >= 0.5) != (samples.labels == 1))
    score = np.maximum(article, 1 - article)
    return [(int(row), float(score[row])) for row in wrong[np.argsort(-score[wrong], kind="stable")]]


def _export(run: Run, task: NetworkTask, net: Any, facts: DataFacts, recorded: dict[str, Any], started: float) -> None:
    """Writes the model folder. `recorded`: entries of config.json; `started`: when the run began."""
    everything = np.arange(len(task.samples))
    rounding = _round_weights(net, lambda: probabilities(net, task.inputs, everything)[:, 1])
    exported = task.exported(net)
    graph = export.onnx_of_network(Probabilities(exported), task.example, task.input_name, "probabilities", task.steps)
    graph = export.pack_weights(graph)
    folder = run.out / model_name(task.name, run.settings.size)
    card = model_card(
        task.name,
        folder.name,
        facts,
        recorded["settings"],
        recorded["metrics"],
        {**graph_cost(graph, {task.input_name: task.example[:1]}), "minutes": (time.monotonic() - started) / 60},
        weights=_weight_count(exported),
        losses={title: epochs[-1]["loss"] for title, epochs in recorded["history"].items()},
        rounding=rounding,
    )
    export.save_model(
        folder,
        graph,
        inputs={task.input_name: task.example},
        expected=[probabilities(exported, lambda rows, _: task.example[rows], np.arange(len(task.example)))],
        libraries=("torch",),
        config={**recorded, "weights": _weight_count(exported)},
        card=card,
    )
    draw_curves(recorded["history"], folder / "curves.png", folder.name)
    draw_calibration({folder.name: evaluation.diagram_points(recorded["metrics"])}, folder / "calibration.png")


def _weight_count(net: nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())


def _round_weights(net: Any, probabilities_of_all: Callable[[], NDArray[np.float32]]) -> dict[str, float] | None:
    """Rounds the large matrices, in place, and gives the effect on the probabilities; None where there are none."""
    if not any(weights.ndim == 2 and weights.numel() > export.LARGE_WEIGHTS for weights in net.parameters()):
        return None
    before = probabilities_of_all()
    export.quantize_weights(net)
    after = probabilities_of_all()
    return {
        "largest change of a probability": float(np.abs(before - after).max()),
        "decisions changed": int(((before > 0.5) != (after > 0.5)).sum()),
    }
