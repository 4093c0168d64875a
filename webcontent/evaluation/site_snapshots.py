"""Site snapshots: whole small sites with gold for their articles, kept beside the corpora.

A snapshot is `<name>.tar.xz` (its files), `<name>.json` (facts: base address, language, paths of articles and lists, whether it needs
JavaScript) and a file of gold. `serve.py` in the same folder serves one on loopback.
"""

from __future__ import annotations

import json
import posixpath
import subprocess
import sys
import tarfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urljoin, urlsplit

from webcontent.evaluation.corpora import corpora_folder, iter_lines
from webcontent.saved_pages.archive import load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from webcontent.evaluation.corpora import Record


def snapshots_folder() -> Path:
    """The folder of the snapshots, beside that of the corpora; it need not exist."""
    return corpora_folder().parent / "sites"


def snapshot_names(*, needs_javascript: bool | None = None) -> list[str]:
    """The names of all snapshots, or of those that do or do not need JavaScript."""
    names = sorted(path.stem for path in snapshots_folder().glob("*.json"))
    return [name for name in names if needs_javascript is None or load_facts(name)["needs_javascript"] == needs_javascript]


def load_facts(name: str) -> dict[str, Any]:
    """What a snapshot's JSON file says: base, lang, articles and lists (paths), needs_javascript."""
    facts: dict[str, Any] = json.loads((snapshots_folder() / f"{name}.json").read_text(encoding="utf-8"))
    return facts


def load_snapshot_gold(name: str) -> dict[str, Record]:
    """The gold of a snapshot, by the path of each address."""
    return {row["url"]: row for row in iter_lines(snapshots_folder() / load_facts(name)["gold"]["file"])}


def load_snapshot(name: str, *, rendered: Path | None = None) -> Iterator[Record]:
    """Yield the pages of a snapshot: its articles with their gold, then its lists.

    `rendered`: a folder of pages that a crawl of the snapshot saved. A snapshot that needs JavaScript yields only these pages.
    Raises FileNotFoundError with the name of what is missing.
    """
    facts, gold = load_facts(name), load_snapshot_gold(name)
    find = _rendered_pages(rendered) if facts["needs_javascript"] else _archived_pages(snapshots_folder() / f"{name}.tar.xz")
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


@contextmanager
def serve_snapshot(name: str) -> Iterator[str]:
    """Serve a snapshot on loopback while the block runs; gives its base address, with a slash at the end."""
    command = [sys.executable, str(snapshots_folder() / "serve.py"), name, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:  # noqa: S603  (our own command)
        try:
            line = server.stdout.readline() if server.stdout else ""
            yield line.split()[-1].rstrip("/") + "/"
        finally:
            server.terminate()


def _archived_pages(archive: Path) -> Callable[[str], bytes | None]:
    """From the path of an address to what the site's server sends."""
    with tarfile.open(archive, "r:xz") as tar:
        files = {posixpath.normpath(member.name): data.read() for member in tar if (data := tar.extractfile(member)) is not None}

    def find(path: str) -> bytes | None:
        parts = urlsplit(path)
        plain = posixpath.normpath(f"/{unquote(parts.path)}").lstrip("/")
        places = (f"{plain}/index.html".lstrip("/"), f"{plain}/index.htm".lstrip("/"), plain, f"{plain}.html", f"{plain}?{parts.query}")
        return next((files[place] for place in places if place in files), None)

    return find


def _rendered_pages(folder: Path | None) -> Callable[[str], str | bytes | None]:
    """From the path of an address to the page that the browser rendered."""
    pages = [load_page(place) for place in saved_pages(folder)] if folder is not None else []
    return {urlsplit(page.url or "").path: page.html for page in pages}.get
