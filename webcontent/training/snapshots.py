"""Renders the site snapshots with the project's own crawl: python -m webcontent.training.snapshots --out DIR [--browser PATH].

Each snapshot gets a folder: `pages.jsonl.xz` (id, url, site, lang, type, shot, boxes, html) and the screenshots as the crawl delivers
them. A snapshot that has a folder already is not rendered again. DIR is a cache: it holds pages of others and stays outside the checkout.
"""

from __future__ import annotations

import argparse
import json
import lzma
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from webcontent.evaluation.corpora import iter_lines
from webcontent.evaluation.site_snapshots import load_facts, serve_snapshot, snapshot_names
from webcontent.saved_pages.archive import load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.evaluation.corpora import Record
    from webcontent.items import Page

MAX_SECONDS = 900
"""A crawl of one snapshot is closed after so many seconds; pages that were rendered until then are kept."""
START_SECONDS = 60
"""Time beyond that for the start and the end of the process."""
TRIES = 3
"""Crawls of a snapshot, each of the pages that were not rendered before: a busy machine renders some pages too late."""
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
SETTINGS = ("WEBCONTENT_RENDER=True", "ROBOTSTXT_OBEY=False", "DOWNLOAD_DELAY=0", f"CLOSESPIDER_TIMEOUT={MAX_SECONDS}")
PAGES = "pages.jsonl.xz"
SNAPSHOT = "site snapshot"
"""Kind of the rendered pages in tables."""


def render_snapshot(name: str, out: Path, browser: str) -> None:
    """Renders one snapshot into `out/name`."""
    facts = load_facts(name)
    kinds = {path.lstrip("/"): kind for kind in ("article", "list") for path in facts[f"{kind}s"]}
    with tempfile.TemporaryDirectory() as folder, serve_snapshot(name) as base:
        pages = render([base + path for path in kinds], Path(folder), browser)
        place = Path(folder) / name
        place.mkdir()
        with lzma.open(place / PAGES, "wt", preset=1, encoding="utf-8") as stream:
            for number, (path, kind) in enumerate(kinds.items()):
                if (page := pages.get(_key(base + path))) is None:
                    print(f"{base + path} was not rendered", file=sys.stderr)
                    continue
                shot = place / f"{name}-{number:03d}.jpg"
                shot.write_bytes(page.screenshot or b"")
                html = page.html.decode("utf-8", "replace") if isinstance(page.html, bytes) else page.html
                record = {"id": shot.stem, "url": base + path, "site": name, "lang": facts.get("lang", ""), "type": kind, "shot": shot.name}
                stream.write(json.dumps({**record, "boxes": page.boxes, "html": html}, ensure_ascii=False) + "\n")
        shutil.copytree(place, out / name)


def render(urls: Sequence[str], folder: Path, browser: str) -> dict[str, Page]:
    """The rendered pages by their addresses, crawled by other processes, which save them to the folder."""
    pages: dict[str, Page] = {}
    settings = (*SETTINGS, f"WEBCONTENT_BROWSER={browser}", f"WEBCONTENT_SAVE={folder / 'saved'}")
    options = [word for setting in settings for word in ("-s", setting)]
    for _ in range(TRIES):
        if missing := [url for url in urls if _key(url) not in pages]:
            command = [sys.executable, "-m", "scrapy", "extract", *missing, *options]
            subprocess.run(command, check=False, cwd=folder, stdout=subprocess.DEVNULL, timeout=MAX_SECONDS + START_SECONDS)  # noqa: S603  (ours)
            for place in saved_pages(folder / "saved"):
                page = load_page(place)
                if page.screenshot and page.boxes:
                    pages[_key(page.url or "")] = page
                else:
                    shutil.rmtree(place)  # a page that is saved is not saved again
    return pages


def _key(url: str) -> str:
    """An address without the slash at its end, which a server may add."""
    return url.rstrip("/")


def load_rendered(folder: Path) -> Iterator[Record]:
    """The rendered pages, snapshot by snapshot, in the form of `load_screens`.

    `shot` is a path, `family` the snapshot, and `url` has the address of the site instead of loopback's. FileNotFoundError where nothing
    was rendered.
    """
    files = sorted(folder.glob(f"*/{PAGES}"))
    if not files:
        raise FileNotFoundError(f"{folder} has no rendered snapshot. Render them: python -m webcontent.training.snapshots --out {folder}")
    for file in files:
        base = load_facts(file.parent.name)["base"]
        for record in iter_lines(file):
            address = urljoin(base, urlsplit(record["url"])._replace(scheme="", netloc="").geturl())
            yield {**record, "url": address, "family": record["site"], "kind": SNAPSHOT, "shot": file.parent / record["shot"]}


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.snapshots", description="Render the site snapshots.")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the rendered snapshots go")
    parser.add_argument("--browser", default=next(filter(None, map(shutil.which, BROWSERS)), ""), metavar="PATH", help="a Chromium")
    options = parser.parse_args(arguments)
    if not options.browser:
        parser.error("no Chromium on PATH; name one with --browser.")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in snapshot_names():
        if not (options.out / name).is_dir():
            print(f"rendering {name}", file=sys.stderr)
            render_snapshot(name, options.out, options.browser)


if __name__ == "__main__":
    main()
