"""What the commands of all trainers share: command line options, the cache of a run, the model folder."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS = Path(__file__).resolve().parents[3] / "models"
"""Where the models of a checkout lie."""


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
    """Adds --data, which names folders of the user's own pages; `accepted`: what such a folder may be."""
    parser.add_argument("--data", action="append", default=[], metavar="DIR", help=f"your own pages, added to the corpora: {accepted}")


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
