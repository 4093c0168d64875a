"""What the commands of all trainers share: command line options, the cache of a run, the model folder."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webcontent.evaluation.corpora import corpora_folder, find_corpus, load_corpus
from webcontent.evaluation.folds import fold_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MODELS = Path("models")
"""Where models are written: in a checkout its own models, elsewhere a new folder, which WEBCONTENT_MODELS then names."""
SENSIBLE_PAGES = 300
"""From so many own pages on, a model of them alone is about as good on unknown sites as that of the package (docs/training.md)."""
LEAST_SITES = 5
"""Fewer sites can't be divided into folds."""


def cache_folder(name: str) -> Path:
    """The default cache of a trainer, in the folder for temporary files."""
    return Path(tempfile.gettempdir()) / f"webcontent-{name}"


def command_line(name: str, description: str, *, model: str, cache: Path | None = None, seed: int = 1) -> argparse.ArgumentParser:
    """A parser with the options that the trainer of one model has: --out, --seed, and with a `cache` --cache and --limit."""
    parser = argparse.ArgumentParser(prog=f"python -m webcontent.training.{name}", description=description)
    parser.add_argument("--out", type=Path, default=MODELS / model, metavar="DIR", help="the model folder (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=seed, metavar="N", help="seed of all random numbers (default: %(default)s)")
    if cache is not None:
        parser.add_argument(
            "--cache",
            type=Path,
            default=cache,
            metavar="DIR",
            help="where samples, networks and metrics are kept; an interrupted run continues from there (default: %(default)s)",
        )
        help_limit = "maximum number of pages of each corpus, spread evenly (default: as in Settings)"
        parser.add_argument("--limit", type=int, metavar="N", help=help_limit)
    return parser


def add_own_pages(parser: argparse.ArgumentParser, accepted: str) -> None:
    """Adds --data, which names folders of the user's own pages, and --alone; `accepted`: what such a folder may be."""
    parser.add_argument("--data", action="append", default=[], metavar="DIR", help=f"your own pages, added to the corpora: {accepted}")
    parser.add_argument("--alone", action="store_true", help="train on the pages of --data alone, without the corpora")


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
