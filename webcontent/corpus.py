"""Pages with gold, and their folds: the corpora of the project and users' own folders. Training and benchmark read them here.

A corpus is a folder with `pages.jsonl.xz` (or `pages.jsonl`): an object a line with id, url, site, lang, type, html, gold.
Where the corpora lie is said by the environment variable WEBCONTENT_CORPORA, else `../shared/corpora` beside the checkout.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Record = dict[str, Any]
"""A page of a corpus: id, url, site, lang, type, html, gold (and more, by corpus)."""

FAMILY = "family"
SITE = "site"


def corpora_folder() -> Path:
    """Where the corpora lie; it need not exist."""
    named = os.environ.get("WEBCONTENT_CORPORA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "corpora"


def sites_folder() -> Path:
    """Where the stored sites lie, beside the corpora."""
    return corpora_folder().parent / "sites"


def find_corpus(name: str) -> Path | None:
    """The folder of a corpus by its name or path; None when there is none."""
    for folder in (corpora_folder() / name, Path(name)):
        if folder.is_dir():
            return folder
    return None


def load_corpus(name: str, *, limit: int | None = None) -> Iterator[Record]:
    """The pages of a corpus in its order; `limit`: so many, spread evenly. FileNotFoundError names what is missing."""
    folder = find_corpus(name)
    if folder is None:
        raise FileNotFoundError(f"No corpus {name!r} in {corpora_folder()}; WEBCONTENT_CORPORA names another folder.")
    pages = _iter_lines(_pages_file(folder))
    if limit is None:
        yield from pages
        return
    stored = list(pages)
    count = min(limit, len(stored))
    yield from (stored[i * len(stored) // count] for i in range(count))


def load_screens(part: str = "dev") -> Iterator[Record]:
    """The screens corpus: its records with `shot` (path of the picture) and `boxes` (rows) put in."""
    folder = find_corpus(f"screens/{part}")
    if folder is None:
        raise FileNotFoundError(f"No corpus 'screens/{part}' in {corpora_folder()}; WEBCONTENT_CORPORA names another folder.")
    boxes = {row["id"]: row["boxes"] for row in _iter_lines(folder / "boxes.jsonl.xz")}
    for record in _iter_lines(_pages_file(folder)):
        yield {**record, "shot": folder / "shots" / f"{record['id']}.webp", "boxes": boxes.get(record["id"], [])}


def fold_of(group: str, folds: int = 5) -> int:
    """The fold of a site or family: by its hash alone, so it is the same in every corpus and run."""
    return int.from_bytes(hashlib.blake2b(group.encode(), digest_size=4).digest(), "big") % folds


def checksum(name: str) -> str:
    """First 12 digits of the SHA-256 of a corpus's pages file: its version in cards."""
    folder = find_corpus(name)
    if folder is None:
        raise FileNotFoundError(f"No corpus {name!r} in {corpora_folder()}.")
    return hashlib.sha256(_pages_file(folder).read_bytes()).hexdigest()[:12]


def _pages_file(folder: Path) -> Path:
    for name in ("pages.jsonl.xz", "pages.jsonl"):
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"{folder} has no pages.jsonl.xz.")


def _iter_lines(path: Path) -> Iterator[Record]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
