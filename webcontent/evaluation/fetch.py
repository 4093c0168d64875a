"""Fetches a public corpus and converts it: `python -m webcontent.evaluation.fetch wcxb-dev --out corpora`.

Only corpora whose licence allows it are here; the documentation names the origin of all others. Of an archive only the development part
is read, never the part that is kept for evaluation.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import sys
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.request import urlopen

from webcontent.addresses import site_of
from webcontent.document.encoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import IO

    from webcontent.evaluation.corpora import Record

PAGES = "pages.jsonl.xz"
TIMEOUT_S = 60
"""Seconds without an answer of the server."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a corpus comes from."""

    url: str
    """A gzipped tar archive of one commit of a repository."""
    licence: str
    gold_folder: str
    html_folder: str


SOURCES = {
    "wcxb-dev": Source(
        url="https://codeload.github.com/Murrough-Foley/web-content-extraction-benchmark/tar.gz/c039d5ee9f5a3a984a0e167e63aacd04e76e78a9",
        licence="WCXB by Murrough Foley, CC BY 4.0. The pages belong to their owners.",
        gold_folder="dev/ground-truth",
        html_folder="dev/html",
    )
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="python -m webcontent.evaluation.fetch", description="Fetch a public corpus and convert it.")
    parser.add_argument("corpus", choices=tuple(SOURCES))
    parser.add_argument("--out", type=Path, default=Path("corpora"), metavar="DIR", help="folder of the corpora (default: %(default)s)")
    parser.add_argument("--archive", metavar="URL_OR_FILE", help="the archive, if it is elsewhere (default: the public one)")
    options = parser.parse_args(arguments)
    source, folder = SOURCES[options.corpus], options.out / options.corpus
    if (folder / PAGES).exists():
        parser.error(f"{folder / PAGES} exists. Remove it to fetch the corpus again.")
    try:
        records = fetch(options.corpus, source, options.archive or source.url)
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        parser.error(f"{options.archive or source.url} can't be read: {error}.")
    if not records:
        parser.error(f"{options.archive or source.url} has no pages in {source.html_folder}.")
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    (folder / PAGES).write_bytes(lzma.compress(text.encode("utf-8", "replace"), preset=1))
    print(f"{folder}: {len(records)} pages. {source.licence}\nexport WEBCONTENT_CORPORA={options.out.absolute()}")


def fetch(name: str, source: Source, archive: str) -> list[Record]:
    """The records of a corpus in the order of their numbers. Raises OSError and TarError for an archive that can't be read."""
    golds: dict[str, dict[str, Any]] = {}
    pages: dict[str, bytes] = {}
    with _opened(archive) as stream, tarfile.open(fileobj=stream, mode="r|gz") as members:
        for folder, number, content in _files(members, (source.gold_folder, source.html_folder)):
            if folder == source.gold_folder:
                golds[number] = json.loads(content)
            else:
                pages[number] = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
            if sys.stderr.isatty():
                print(f"\r{len(pages)} pages", end="", file=sys.stderr)
    return [_record(f"{name}-{number}", golds[number], pages[number]) for number in sorted(golds.keys() & pages.keys())]


def _opened(archive: str) -> IO[bytes]:
    try:
        stream: IO[bytes] = urlopen(archive, timeout=TIMEOUT_S) if "://" in archive else Path(archive).open("rb")  # noqa: S310, SIM115
    except URLError as error:
        raise OSError(error.reason) from error
    return stream


def _files(members: tarfile.TarFile, folders: Sequence[str]) -> Iterator[tuple[str, str, bytes]]:
    """Folder, name up to its first dot, and content of the files in some folders. The archive's own first folder does not count."""
    for member in members:
        path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
        file = members.extractfile(member) if member.isfile() and str(path.parent) in folders else None
        if file is not None:
            yield str(path.parent), path.name.partition(".")[0], file.read()


def _record(record_id: str, annotation: dict[str, Any], html: bytes) -> Record:
    """A page in the form of all corpora. What the annotators left empty is left out, since it may be on the page all the same."""
    truth, url = annotation.get("ground_truth") or {}, annotation.get("url") or ""
    gold = {
        "title": truth.get("title"),
        "authors": [truth["author"]] if truth.get("author") else None,
        "time": truth.get("publish_date"),
        "body": truth.get("main_content") or "",
        "with": truth.get("with"),
        "without": truth.get("without"),
    }
    return {
        "id": record_id,
        "url": url,
        "site": site_of(url) or "",
        "lang": "en",
        "type": ((annotation.get("_internal") or {}).get("page_type") or {}).get("primary") or "",
        "html": decode(html)[0],
        "gold": {name: value for name, value in gold.items() if value is not None},
    }


if __name__ == "__main__":
    main()
