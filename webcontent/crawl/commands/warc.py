"""The side of the command line of `scrapy extract --warc`: what it checks, shows and says."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    from typing import Self

    from scrapy.settings import BaseSettings

    from webcontent.batch import Counts

logger = logging.getLogger(__name__)

OUTPUTS = {".jsonl": None, ".jl": None, ".parquet": "pyarrow"}
"""Names of files that items of archives may go to, by their ends, and the package that each needs."""


def check_command(args: list[str], named: list[str]) -> Path:
    """The output of a run over archives; UsageError where the command line is wrong."""
    for name in args:
        if not Path(name).is_file():
            raise UsageError(f"{name!r} is no file; --warc takes WARC files.", print_help=False)
    if len(named) != 1 or Path(named[0]).suffix not in OUTPUTS:
        raise UsageError("--warc wants one output whose name ends in .jsonl or .parquet: -o items.parquet", print_help=False)
    output = Path(named[0])
    for package, extra in (("fastwarc", "warc"), (OUTPUTS[output.suffix], "parquet")):
        if package is not None and find_spec(package) is None:
            raise UsageError(f"{package} is not installed: pip install 'webcontent[{extra}]'", print_help=False)
    return output


def run_command(archives: list[str], output: Path, settings: BaseSettings, *, overwrites: bool) -> int:
    """Reads the archives and says how it went; gives the exit code."""
    from webcontent.batch import extract_archives
    from webcontent.crawl.config import Config
    from webcontent.models import ModelError

    try:
        config = Config.from_settings(settings)
        if overwrites:
            _remove(output)
        with _Line() as line:
            options = config.options()
            counts = extract_archives(archives, output, options=options, emit=config.emit, processes=config.threads, show=line.show)
    except FileExistsError:
        logger.critical("%s is there already, and a Parquet file can't be added to: -O overwrites it.", output)
    except OSError as error:
        reason = f"{error.filename or output}: {error.strerror or error}."
        logger.critical("%s What was extracted so far is kept; the same command goes on from there.", reason)
    except (ValueError, ModelError) as error:
        logger.critical(str(error))
    else:
        logger.warning("%s: %s", output, _summary(counts))
        return 0
    return 1


def _remove(output: Path) -> None:
    """What an earlier run has left of an output."""
    for path in (output, output.with_name(f"{output.name}.state")):
        path.unlink(missing_ok=True)


def _summary(counts: Counts) -> str:
    """One line of what was done, for the log.

    >>> from webcontent.batch import Counts
    >>> _summary(Counts(pages=7, others=2, items=7))
    '7 items of 7 pages; 2 records without a page, 0 damaged places, 0 pages failed'
    """
    return (
        f"{counts.items} items of {counts.pages} pages; {counts.others} records without a page, "
        f"{counts.damaged} damaged places, {counts.failed} pages failed"
    )


class _Line:
    """The progress line, drawn by tqdm where standard error is a terminal."""

    def __enter__(self) -> Self:
        from tqdm import tqdm

        self._bar: Any = tqdm(unit="B", unit_scale=True, dynamic_ncols=True, disable=None)
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.close()

    def show(self, counts: Counts, done_bytes: int, total_bytes: int) -> None:
        self._bar.total = total_bytes
        self._bar.set_postfix_str(f"{counts.pages} pages, {counts.damaged} damaged", refresh=False)
        self._bar.update(done_bytes - self._bar.n)
