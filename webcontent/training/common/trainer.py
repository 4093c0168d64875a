"""The base of all trainers: command line, cache of a run, own pages, model folder."""

from __future__ import annotations

import argparse
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from webcontent.evaluation.corpora import DATA_HELP, corpora_folder, find_corpus, load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.training.common import export
from webcontent.training.common.cards import fill, settings_block

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import onnx
    from numpy.typing import NDArray

    from webcontent.training.common.cards import DataFacts
    from webcontent.training.common.settings import TrainingSettings

MODELS = Path("models")
"""Where models are written: in a checkout its own models, elsewhere a new folder, which WEBCONTENT_MODELS then names."""
SENSIBLE_PAGES = 300
"""From so many own pages on, a model of them alone is about as good on unknown sites as that of the package (docs/training.md)."""
LEAST_SITES = 5
"""Fewer sites can't be divided into folds."""


class Trainer(ABC):
    """One run of a command that trains a model: its options and settings. Each room has a class of its own."""

    room: ClassVar[str]
    """The command is python -m webcontent.training.<room>."""
    model: ClassVar[str]
    """Name of the model and of its folder."""
    trains: ClassVar[str]
    """What the command trains, as its help says."""
    card: ClassVar[Path]
    """The template of the card."""
    cache: ClassVar[Path | None] = None
    """Default of --cache; None: nothing is kept."""
    folds: ClassVar[int | None] = None
    """Default of --folds; None: the command has no such option."""
    takes_own_pages: ClassVar[bool] = False
    """Whether the command has the options --data and --alone."""
    own_options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """The options of this command alone, with the arguments of `add_argument`; their help names the default by itself."""
    libraries: ClassVar[tuple[str, ...]] = ("lightgbm",)
    """Libraries whose versions config.json states."""

    def __init__(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        self.options = options
        self.settings = self.settings_of(parser, options)

    @classmethod
    def main(cls, arguments: Sequence[str] | None = None) -> None:
        """Runs the command."""
        parser = cls.parser()
        cls(parser, parser.parse_args(arguments)).train()

    @classmethod
    def parser(cls) -> argparse.ArgumentParser:
        """A parser with the options of all trainers, and those of this one."""
        parser = argparse.ArgumentParser(prog=f"python -m webcontent.training.{cls.room}", description=f"Train {cls.trains}.")
        add = parser.add_argument
        add("--out", type=Path, default=MODELS / cls.model, metavar="DIR", help="the model folder (default: %(default)s)")
        add("--seed", type=int, default=1, metavar="N", help="seed of all random numbers (default: %(default)s)")
        if cls.folds is not None:
            add("--folds", type=int, default=cls.folds, metavar="N", help="folds of the evaluation (default: %(default)s)")
        if cls.cache is not None:
            kept = "where samples, networks and metrics are kept; an interrupted run continues from there (default: %(default)s)"
            add("--cache", type=Path, default=cls.cache, metavar="DIR", help=kept)
            add("--limit", type=int, metavar="N", help="maximum number of pages of each corpus, spread evenly (default: as in Settings)")
        if cls.takes_own_pages:
            add("--data", action="append", default=[], metavar="DIR", help=f"your own pages, added to the corpora: {DATA_HELP}")
            add("--alone", action="store_true", help="train on the pages of --data alone, without the corpora")
        for name, how in cls.own_options.items():
            add(name, **{**how, "help": how["help"] + (" (default: %(default)s)" if "default" in how else "")})
        return parser

    @staticmethod
    @abstractmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Any:
        """The settings that the options state. Ends the command with one sentence where the options are wrong."""

    @abstractmethod
    def train(self) -> None:
        """Trains, evaluates, and writes the model folder with `save`."""

    def save(
        self,
        graph: onnx.ModelProto,
        facts: DataFacts,
        *,
        config: Mapping[str, Any],
        inputs: Mapping[str, NDArray[Any]],
        expected: Sequence[NDArray[Any]],
        figures: Mapping[str, Any],
        reference: Mapping[str, Any] | None = None,
    ) -> None:
        """Writes the model folder, see `export.save_model`. `figures`: of the card, beside facts, settings and cost."""
        settings: TrainingSettings = self.settings
        recorded, folder = settings.recorded(), self.options.out
        figures = {"cost": export.graph_cost(graph, inputs), "settings_block": settings_block(recorded), **figures}
        export.save_model(
            folder,
            graph,
            config={"name": folder.name, "version": 1, **config, "settings": recorded, "data": facts.corpora},
            inputs=inputs,
            expected=expected,
            reference=reference,
            card=fill(self.card, name=self.model, facts=facts, settings=settings, **figures),
            libraries=self.libraries,
        )


def training_weights(
    parser: argparse.ArgumentParser, options: argparse.Namespace, weights: Mapping[str, float], own_weight: float
) -> dict[str, float]:
    """The weight of each corpus that is trained on: those of the project as far as they are there, and the user's own pages.

    Ends the command with one sentence if there is nothing to train on, or if the own pages can't be read. `weights`: the project's
    corpora, `own_weight`: that of own pages. A trainer without --data needs all corpora, so that no shipped model lacks one by accident.
    """
    if options.alone and not options.data:
        parser.error("--alone needs --data.")
    missing = [name for name in weights if find_corpus(name) is None]
    if missing and not options.data:
        parser.error(
            f"{corpora_folder()} has no {', '.join(missing)}. Name your own pages with --data DIR, or set WEBCONTENT_CORPORA; "
            "docs/training.md says where the corpora come from."
        )
    used = {} if options.alone else {name: weight for name, weight in weights.items() if name not in missing}
    if missing and not options.alone:
        print(f"Without {', '.join(missing)}: not in {corpora_folder()}.")
    _report_own_pages(parser, options.data, is_alone=not used)
    return {**used, **dict.fromkeys(options.data, own_weight)}


def _report_own_pages(parser: argparse.ArgumentParser, folders: Sequence[str], *, is_alone: bool) -> None:
    """Says how many own pages there are, and how many are sensible. Ends the command if they can't be used."""
    try:
        records = [record for folder in folders for record in load_corpus(folder)]
    except (OSError, ValueError) as error:
        parser.error(str(error))
    sites = {record["site"] for record in records}
    if folders:
        print(f"Own pages: {len(records)} of {len(sites)} sites.")
    if is_alone and len({fold_of(site) for site in sites}) == 1 or is_alone and len(sites) < LEAST_SITES:
        parser.error(f"your pages are of {len(sites)} sites. Training on them alone needs pages of at least {LEAST_SITES} sites.")
    if is_alone and len(records) < SENSIBLE_PAGES:
        print(f"At least {SENSIBLE_PAGES} pages of as many sites as possible are sensible; docs/training.md says what fewer give.")


def run_folder(cache: Path, name: str) -> Path:
    """The folder in the cache where a run keeps its state, created if it is missing."""
    folder = cache / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def cached_json(path: Path, make: Callable[[], Any]) -> Any:
    """A result from its JSON file; where the file is missing, the result is made and stored first."""
    if not path.exists():
        path.write_text(json.dumps(make()), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))
