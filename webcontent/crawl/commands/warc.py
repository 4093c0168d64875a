"""`scrapy extract --warc`: checks of its arguments, its progress bar and its messages."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from webcontent.formats.outputs import ARCHIVE_OUTPUTS

if TYPE_CHECKING:
    from typing import Self

    from scrapy.settings import BaseSettings

    from webcontent.batch import Counts

logger = logging.getLogger(__name__)


def check_arguments(archives: list[str], outputs: list[str]) -> Path:
    """The output file of a run over archives. Raises UsageError for wrong arguments and missing packages."""
    for name in archives:
        if not Path(name).is_file():
            raise UsageError(f"{name!r} is not a file; --warc takes WARC files.", print_help=False)
    if len(outputs) != 1 or Path(outputs[0]).suffix not in ARCHIVE_OUTPUTS:
        named = ", ".join(map(repr, outputs)) or "none"
        raise UsageError(
            f"--warc takes one output that ends in {', '.join(ARCHIVE_OUTPUTS)}, as in -o items.parquet; it got {named}.", print_help=False
        )
    output = Path(outputs[0])
    if find_spec("fastwarc") is None:
        raise UsageError('fastwarc is not installed: pip install "webcontent[warc]"', print_help=False)
    if missing := ARCHIVE_OUTPUTS[output.suffix].missing_package():
        raise UsageError(f"{output} needs {missing}", print_help=False)
    return output


def extract_to_file(archives: list[str], output: Path, settings: BaseSettings, *, overwrites: bool) -> int:
    """Writes the items of the archives and logs the result. Returns the exit code."""
    from webcontent.batch import extract_archives
    from webcontent.crawl.config import Config
    from webcontent.models import ModelError

    try:
        config = Config.from_settings(settings)
        if overwrites:
            _remove(output)
        with _ProgressBar() as bar:
            options = config.options()
            counts = extract_archives(archives, output, options=options, emit=config.emit, processes=config.threads, show=bar.show)
    except FileExistsError:
        logger.critical("%s exists already, and a Parquet file can't be appended to. -O overwrites it.", output)
    except OSError as error:
        reason = f"{error.filename or output}: {error.strerror or error}."
        logger.critical("%s The items written so far are kept. Repeat the command to continue.", reason)
    except (ValueError, ModelError) as error:
        logger.critical(str(error))
    else:
        logger.warning("%s: %s", output, _summary(counts))
        return 0
    return 1


def _remove(output: Path) -> None:
    """Removes an output file and the state of an earlier run."""
    for path in (output, output.with_name(f"{output.name}.state")):
        path.unlink(missing_ok=True)


def _summary(counts: Counts) -> str:
    """One line for the log.

    >>> from webcontent.batch import Counts
    >>> _summary(Counts(pages=7, others=2, items=7))
    '7 items of 7 pages; 2 records without a page, 0 damaged places, 0 pages failed'
    """
    return (
        f"{counts.items} items of {counts.pages} pages; {counts.others} records without a page, "
        f"{counts.damaged} damaged places, {counts.failed} pages failed"
    )


class _ProgressBar:
    """A progress bar, drawn by tqdm if standard error is a terminal."""

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
