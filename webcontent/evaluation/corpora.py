"""Pages with gold: the project's corpora, and folders of your own.

A corpus is a folder with `pages.jsonl.xz` or `pages.jsonl`: one JSON object per line with id, url, site, lang, type, html and gold.
A folder of saved pages (`WEBCONTENT_SAVE`) is a corpus too. Only pages whose items were checked or corrected by hand count.

The environment variable WEBCONTENT_CORPORA names the folder of the corpora. The default is `../shared/corpora` beside the checkout.
No module outside this package reads that folder.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from webcontent.addresses import site_of
from webcontent.document.parsing import Document
from webcontent.saved_pages.archive import SCREENSHOT, is_checked, load_item, load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")
Record = dict[str, Any]
"""A page of a corpus: id, url, site, lang, type, html, gold, and further keys by corpus."""

GOLD_FIELDS = frozenset({"title", "time", "source", "authors", "body", "related", "entries", "next_page"})
"""Fields of a saved item that are gold."""
DATA_HELP = "a folder that WEBCONTENT_SAVE or scrapy inspect --save wrote, with corrected items, or one with pages.jsonl(.xz)"
"""What the option `--data` of the trainers accepts."""
CHECKSUM_DIGITS = 12
_FILES = ("pages.jsonl.xz", "pages.jsonl")


def corpora_folder() -> Path:
    """The folder of the corpora; it need not exist."""
    named = os.environ.get("WEBCONTENT_CORPORA")
    return Path(named) if named else Path(__file__).resolve().parents[3] / "shared" / "corpora"


def find_corpus(name: str) -> Path | None:
    """The folder of a corpus by its name or path; None if there is none."""
    for folder in (corpora_folder() / name, Path(name)):
        if folder.is_dir():
            return folder
    return None


def load_corpus(name: str, *, limit: int | None = None) -> Iterator[Record]:
    """Yield the pages of a corpus in its order.

    `limit`: yield this many pages, spread evenly over the corpus. Raises FileNotFoundError with the name of what is missing.
    """
    folder = _corpus_folder(name)
    if is_saved_folder(folder):
        yield from _spread(_iter_saved(folder), limit)
    else:
        yield from map(json.loads, _spread(_lines(_pages_file(folder)), limit))


def _spread(pages: Iterator[T], limit: int | None) -> Iterator[T]:
    """So many pages, spread evenly; None: all of them."""
    if limit is None:
        return pages
    every = list(pages)
    count = min(limit, len(every))
    return (every[i * len(every) // count] for i in range(count))


def load_screens(part: str = "dev") -> Iterator[Record]:
    """Yield the records of the corpus screens, with `shot` (path of the screenshot) and `boxes` (rows).

    `part` may be the path of a folder of saved pages. Pages without a screenshot are left out, and each site is a family.
    """
    folder = find_corpus(f"screens/{part}") or (Path(part) if is_saved_folder(Path(part)) else None)
    if folder is None:
        raise _missing(f"screens/{part}")
    if is_saved_folder(folder):
        yield from (record for record in _iter_saved(folder) if record["shot"])
        return
    boxes = {row["id"]: row["boxes"] for row in iter_lines(folder / "boxes.jsonl.xz")}
    for record in iter_lines(_pages_file(folder)):
        yield {**record, "shot": folder / "shots" / f"{record['id']}.webp", "boxes": boxes.get(record["id"], [])}


def load_segmentation() -> Iterator[Record]:
    """Yield the records of the corpus segmentation, with `rows` and `boxes`.

    `rows`: all boxes as dicts, for the script that comes with the corpus. `boxes`: rows in the form that the crawl's browser gives.
    """
    folder = _corpus_folder("segmentation")
    tables = {
        entry["id"]: [dict(zip(entry["columns"], row, strict=True)) for row in entry["rows"]]
        for entry in iter_lines(folder / "boxes.jsonl.xz")
    }
    for record in iter_lines(_pages_file(folder)):
        yield {**record, "rows": tables[record["id"]], "boxes": _drawn_boxes(tables[record["id"]])}


def _drawn_boxes(rows: list[Record]) -> list[list[Any]]:
    """Rows in the order of `document.boxes.COLUMNS`, without boxes that only contain other boxes."""
    boxes, backgrounds = [], {"": "#ffffff"}
    for row in rows:
        above = row["xpath"].rpartition("/")[0]
        while above not in backgrounds:
            above = above.rpartition("/")[0]
        background = backgrounds[row["xpath"]] = row["background"] or backgrounds[above]
        is_drawn = row["own"] or row["media"] or (row["background_image"] and not row["len"])
        if is_drawn and row["visible"]:
            place = [row[name] for name in ("xpath", "tag", "x", "y", "w", "h", "font_size", "font_weight", "color")]
            counts = [row["own"], row["len"], row["link"], 0, row["background_image"]]
            boxes.append([*place, background, *counts, *(row[name] for name in ("display", "out_of_flow", "border", "media", "visible"))])
    return boxes


def checksum(name: str) -> str:
    """The version of a corpus in model cards: the first digits of the SHA-256 of its pages file, or of its saved pages and items."""
    folder = _corpus_folder(name)
    if is_saved_folder(folder):
        content = json.dumps([[record["id"], record["html"], record["gold"]] for record in _iter_saved(folder)], sort_keys=True).encode()
    else:
        content = _pages_file(folder).read_bytes()
    return hashlib.sha256(content).hexdigest()[:CHECKSUM_DIGITS]


def is_saved_folder(folder: Path) -> bool:
    """Whether a folder holds pages that a crawl saved, not a corpus file."""
    return folder.is_dir() and not any((folder / name).is_file() for name in _FILES) and next(saved_pages(folder), None) is not None


def iter_lines(path: Path) -> Iterator[Record]:
    """The objects of a JSON Lines file; `.xz` is unpacked."""
    return map(json.loads, _lines(path))


def _lines(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as stream:
        yield from stream


def _corpus_folder(name: str) -> Path:
    folder = find_corpus(name)
    if folder is None:
        raise _missing(name)
    return folder


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(f"No corpus {name!r} in {corpora_folder()}. Set WEBCONTENT_CORPORA to use another folder.")


def _iter_saved(folder: Path) -> Iterator[Record]:
    """The checked pages of a folder, by name. ValueError names a damaged file, or says that no page was checked."""
    is_any_checked = False
    for place in saved_pages(folder):
        if is_checked(place):
            is_any_checked = True
            yield _saved_record(place)
    if not is_any_checked:
        raise ValueError(f'{folder} has no page that was checked. Correct an item.json, or set "checked": true in it.')


def _saved_record(place: Path) -> Record:
    page, item = load_page(place), load_item(place)
    document = Document.from_page(page)
    gold = {name: value for name, value in item.items() if name in GOLD_FIELDS}
    if "body" in gold:
        gold["body"] = "\n".join(gold["body"])
    site = site_of(page.url or "") or place.name
    return {
        "id": place.name,
        "url": page.url or "",
        "site": site,
        "family": site,
        "lang": item.get("language") or "",
        "type": item.get("kind") or item.get("type") or "article",
        "html": document.text,
        "gold": gold,
        "kind": item.get("kind") or "",
        "shot": next(iter(sorted(place.glob(f"{SCREENSHOT}.*"))), None),
        "boxes": page.boxes or [],
    }


def _pages_file(folder: Path) -> Path:
    for name in _FILES:
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"{folder} has no pages.jsonl.xz.")
