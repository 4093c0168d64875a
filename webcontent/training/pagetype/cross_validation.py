"""How every page type network is trained: fold by fold, then on all pages; evaluation and export."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.nets import Probabilities, probabilities, train_classifier
from webcontent.training.pagetype import evaluation
from webcontent.training.pagetype.card import LABELS, model_card
from webcontent.training.pagetype.settings import model_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray
    from torch import nn

    from webcontent.training.common.nets import Inputs, Rows, Schedule
    from webcontent.training.pagetype.samples import Samples
    from webcontent.training.pagetype.settings import Run

    Learn = Callable[[Any, Rows, int, str], list[float]]
    """Trains a network in place: network, rows to train on, seed, title -> mean loss of each epoch."""

ALL_PAGES = "all pages"


@dataclass(frozen=True, kw_only=True)
class NetworkTask:
    """A network that is to be trained."""

    name: str
    architecture: Callable[[], nn.Module]
    """Makes an untrained network."""
    inputs: Inputs
    samples: Samples
    data: Mapping[str, str]
    """Names and versions of the corpora."""
    schedule: Schedule
    input_name: str
    example: NDArray[Any]
    """Reference inputs."""
    config: Mapping[str, Any]
    """Further entries of config.json."""
    learn: Learn | None = None
    """Trains a network; None: `train_classifier`."""
    fresh: bool = True
    """Whether the weights are initialized before training."""
    exported: Callable[[Any], nn.Module] = field(default=lambda net: net)
    """The module that is exported, made of the trained network."""
    open_axes: int = 1
    """Axes of the input that take any size."""

    def train(self, net: Any, training: Rows, seed: int, title: str) -> list[float]:
        """Trains a network in place; gives the mean loss of each epoch."""
        if self.learn is not None:
            return self.learn(net, training, seed, title)
        return train_classifier(net, self.inputs, self.samples.labels, training, self.schedule, seed=seed, fresh=self.fresh, title=title)


def train_network(run: Run, task: NetworkTask) -> None:
    """Trains the folds and the final network on all pages, and exports the model."""
    started = time.monotonic()
    settings = {**run.settings.recorded(), "schedule": asdict(task.schedule)}
    net, article, history = _train_folds(run, task)
    samples = task.samples
    metrics = evaluation.evaluate(samples, article, run.settings.folds)
    evaluation.report(task.name, metrics)
    if run.data is None:
        evaluation.store_probabilities(run.work, task.name, samples, article)
    calibration = evaluation.calibrate(article[samples.is_learned], samples.labels[samples.is_learned])
    recorded = {**task.config, "settings": settings, "data": task.data}
    recorded |= {"labels": LABELS, "calibration": calibration, "metrics": metrics, "history": history}
    _export(run, task, net, DataFacts.of(samples.rows, task.data), recorded, started)


def _train_folds(run: Run, task: NetworkTask) -> tuple[Any, NDArray[np.float64], dict[str, list[float]]]:
    """The network of all pages, out-of-fold probabilities of `article`, and the losses of each network."""
    article = np.zeros(len(task.samples))
    history: dict[str, list[float]] = {}
    net: Any = None
    for title, training, tested in _jobs(run, task.samples):
        net = task.architecture()
        history[title] = task.train(net, training, run.settings.seed, f"{task.name}, {title}")
        if len(tested):
            article[tested] = probabilities(net, task.inputs, tested)[:, 1]
    return net, article, history


def _jobs(run: Run, samples: Samples) -> Iterator[tuple[str, Rows, Rows]]:
    """Title, rows to train on and rows to test on, of each network. ValueError where all pages are in one fold."""
    folds = [(f"fold {number + 1}", rows, tested) for number, rows, tested in samples.splits(run.settings.folds) if len(tested)]
    if len(folds) == 1:
        raise ValueError("All pages are in one fold. Give more sites or fewer --folds.")
    yield from folds
    yield ALL_PAGES, np.flatnonzero(samples.is_learned), np.zeros(0, np.intp)


def _export(run: Run, task: NetworkTask, net: Any, facts: DataFacts, recorded: dict[str, Any], started: float) -> None:
    """Writes the model folder. `recorded`: entries of config.json; `started`: when the run began."""
    exported = task.exported(net)
    graph = export.onnx_of_network(Probabilities(exported), {task.input_name: task.example}, ["probabilities"], task.open_axes)
    folder = run.out / model_name(task.name, run.settings.size)
    card = model_card(
        task.name,
        folder.name,
        facts,
        recorded["settings"],
        recorded["metrics"],
        {**export.graph_cost(graph, {task.input_name: task.example[:1]}), "minutes": (time.monotonic() - started) / 60},
        weights=_weight_count(exported),
        losses={title: epochs[-1] for title, epochs in recorded["history"].items()},
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


def _weight_count(net: nn.Module) -> int:
    return sum(parameter.numel() for parameter in net.parameters())
