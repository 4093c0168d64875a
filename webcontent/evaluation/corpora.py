"""Pages with gold, and their folds: the corpora of the project and users' own folders. Training and benchmark read them here.

A corpus is a folder with `pages.jsonl.xz` (or `pages.jsonl`): an object a line with id, url, site, lang, type, html, gold;
or a folder of pages that a crawl has saved (`WEBCONTENT_SAVE`), of which those count whose items were checked or corrected by hand.
Where the corpora lie is said by the environment variable WEBCONTENT_CORPORA, else `../shared/corpora` beside the checkout.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import posixpath
import subprocess
import sys
import tarfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

from webcontent.document.parsing import Document
from webcontent.hashing import digest
from webcontent.saved_pages.archive import SCREENSHOT, is_checked, load_item, load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Record = dict[str, Any]
"""A page of a corpus: id, url, site, lang, type, html, gold (and more, by corpus)."""

FAMILY = "family"
SITE = "site"
GOLD = frozenset({"title", "time", "source", "authors", "body", "related", "entries", "next_page"})
"""Fields of a saved item that are gold."""
OWN = "a folder that WEBCONTENT_SAVE or scrapy inspect --save wrote, with corrected items, or one with pages.jsonl(.xz)"
"""What `--data` of the trainers takes."""
_FILES = ("pages.jsonl.xz", "pages.jsonl")


def corpora_folder() -> Path:
    """Where the corpora lie; it need not exist."""
    named = os.environ.get("WEBCONTENT_CORPORA")
    return Path(named) if named else Path(__file__).resolve().parents[3] / "shared" / "corpora"


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
    pages = _iter_saved(folder) if is_saved_folder(folder) else _iter_lines(_pages_file(folder))
    if limit is None:
        yield from pages
        return
    stored = list(pages)
    count = min(limit, len(stored))
    yield from (stored[i * len(stored) // count] for i in range(count))


def load_screens(part: str = "dev") -> Iterator[Record]:
    """The screens corpus: its records with `shot` (path of the picture) and `boxes` (rows) put in.

    `part` may be the path of a folder of saved pages; those with a picture count, and each site is a family.
    """
    folder = find_corpus(f"screens/{part}") or (Path(part) if is_saved_folder(Path(part)) else None)
    if folder is None:
        raise FileNotFoundError(f"No corpus 'screens/{part}' in {corpora_folder()}; WEBCONTENT_CORPORA names another folder.")
    if is_saved_folder(folder):
        yield from (record for record in _iter_saved(folder) if record["shot"])
        return
    boxes = {row["id"]: row["boxes"] for row in _iter_lines(folder / "boxes.jsonl.xz")}
    for record in _iter_lines(_pages_file(folder)):
        yield {**record, "shot": folder / "shots" / f"{record['id']}.webp", "boxes": boxes.get(record["id"], [])}


def load_segmentation() -> Iterator[Record]:
    """The segmentation corpus: its records with `rows` (all boxes as dicts, for its own script) and `boxes` (as our browser lists them)."""
    folder = find_corpus("segmentation")
    if folder is None:
        raise FileNotFoundError(f"No corpus 'segmentation' in {corpora_folder()}; WEBCONTENT_CORPORA names another folder.")
    tables = {
        entry["id"]: [dict(zip(entry["columns"], row, strict=True)) for row in entry["rows"]]
        for entry in _iter_lines(folder / "boxes.jsonl.xz")
    }
    for record in _iter_lines(_pages_file(folder)):
        yield {**record, "rows": tables[record["id"]], "boxes": _drawn_boxes(tables[record["id"]])}


def _drawn_boxes(rows: list[Record]) -> list[list[Any]]:
    """Rows in the order of `document.boxes.COLUMNS`, without those that only hold others."""
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


def site_names() -> list[str]:
    """The stored sites."""
    return sorted(path.name.removesuffix(".tar.xz") for path in sites_folder().glob("*.tar.xz"))


def load_site_gold(name: str) -> dict[str, Record]:
    """The gold of a stored site by path of the address."""
    facts = json.loads((sites_folder() / f"{name}.json").read_text(encoding="utf-8"))
    return {row["url"]: row for row in _iter_lines(sites_folder() / facts["gold"]["file"])}


def load_site(name: str, *, rendered: Path | None = None) -> Iterator[Record]:
    """The pages of a stored site: its articles with their gold, then its lists.

    `rendered`: a folder of pages that a crawl of the site has saved; of a site that scripts fill only those are given.
    FileNotFoundError names what is missing.
    """
    facts = json.loads((sites_folder() / f"{name}.json").read_text(encoding="utf-8"))
    gold = load_site_gold(name)
    find = _rendered_pages(rendered) if facts["needs_javascript"] else _archived_pages(sites_folder() / f"{name}.tar.xz")
    for kind, paths in (("article", facts["articles"]), ("list", facts["lists"])):
        for path in paths:
            html = find(path)
            if html is not None:
                yield {
                    "id": f"{name}{path}",
                    "url": urljoin(facts["base"], path),
                    "site": name,
                    "lang": facts["lang"],
                    "type": kind,
                    "html": html,
                    "gold": gold.get(path, {}) if kind == "article" else {},
                }


def _archived_pages(archive: Path) -> Callable[[str], bytes | None]:
    """Path of an address -> what the site's server sends."""
    with tarfile.open(archive, "r:xz") as tar:
        files = {posixpath.normpath(member.name): data.read() for member in tar if (data := tar.extractfile(member)) is not None}

    def find(path: str) -> bytes | None:
        parts = urlsplit(path)
        plain = posixpath.normpath(f"/{unquote(parts.path)}").lstrip("/")
        places = (f"{plain}/index.html".lstrip("/"), f"{plain}/index.htm".lstrip("/"), plain, f"{plain}.html", f"{plain}?{parts.query}")
        return next((files[place] for place in places if place in files), None)

    return find


@contextmanager
def serve_site(name: str) -> Iterator[str]:
    """Base address of a stored site on loopback, while the block runs."""
    command = [sys.executable, str(sites_folder() / "serve.py"), name, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:  # noqa: S603  (our own command)
        try:
            line = server.stdout.readline() if server.stdout else ""
            yield line.split()[-1].rstrip("/") + "/"
        finally:
            server.terminate()


def _rendered_pages(folder: Path | None) -> Callable[[str], str | bytes | None]:
    """Path of an address -> the page as a browser made it."""
    pages = [load_page(place) for place in saved_pages(folder)] if folder is not None else []
    return {urlsplit(page.url or "").path: page.html for page in pages}.get


def fold_of(group: str, folds: int = 5) -> int:
    """The fold of a site or family: by its hash alone, so it is the same in every corpus and run."""
    return int.from_bytes(digest(group, size=4), "big") % folds


def checksum(name: str) -> str:
    """First 12 digits of the SHA-256 of a corpus's pages file: its version in cards."""
    folder = find_corpus(name)
    if folder is None:
        raise FileNotFoundError(f"No corpus {name!r} in {corpora_folder()}.")
    if is_saved_folder(folder):
        told = json.dumps([[record["id"], record["html"], record["gold"]] for record in _iter_saved(folder)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:12]
    return hashlib.sha256(_pages_file(folder).read_bytes()).hexdigest()[:12]


def is_saved_folder(folder: Path) -> bool:
    """Whether a folder holds pages as a crawl saves them, not a corpus file."""
    return folder.is_dir() and not any((folder / name).is_file() for name in _FILES) and next(saved_pages(folder), None) is not None


def _iter_saved(folder: Path) -> Iterator[Record]:
    """The checked pages of a folder, by name. ValueError names a damaged file, or says that none was checked."""
    count = 0
    for place in saved_pages(folder):
        if is_checked(place):
            count += 1
            yield _saved_record(place)
    if not count:
        raise ValueError(f'{folder} has no page that was checked: correct its item.json, or say "checked": true in it.')


def _saved_record(place: Path) -> Record:
    from webcontent.crawl.discovery.urls import site_of  # imported late: Scrapy comes with it

    page, item = load_page(place), load_item(place)
    document = Document.from_page(page)
    gold = {name: value for name, value in item.items() if name in GOLD}
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


def _iter_lines(path: Path) -> Iterator[Record]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
