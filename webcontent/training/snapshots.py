"""Renders the site snapshots with the project's own crawl: python -m webcontent.training.snapshots --out DIR [--browser PATH].

Each snapshot gets a folder: `pages.jsonl.xz` (id, url, site, lang, type, shot, boxes, html) and the screenshots as the crawl delivers
them. A snapshot that has a folder already is not rendered again. A crawl ends after MAX_SECONDS. DIR is a cache: it holds pages of
others and stays outside the checkout.
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
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess

from webcontent.evaluation.corpora import iter_lines
from webcontent.evaluation.site_snapshots import load_facts, serve_snapshot, snapshot_names

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from scrapy.http import Response

    from webcontent.evaluation.corpora import Record

MAX_SECONDS = 900
"""A crawl of one snapshot is closed after so many seconds; pages that were rendered until then are kept."""
START_SECONDS = 60
"""Time beyond that for the start and the end of the process."""
TRIES = 3
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
PAGES = "pages.jsonl.xz"
SNAPSHOT = "site snapshot"
"""Kind of the rendered pages in tables."""


class SnapshotSpider(scrapy.Spider):
    """Renders each address once and writes what the render middleware attached to the response."""

    name = "snapshot"
    addresses: dict[str, str]
    """Type by address."""
    folder: Path
    site: str
    lang: str

    async def start(self) -> AsyncIterator[Any]:
        """A request for each address."""
        for url, kind in self.addresses.items():
            yield scrapy.Request(url, cb_kwargs={"kind": kind, "asked": url}, dont_filter=True)

    def parse(self, response: Response, kind: str = "", asked: str = "", tries: int = 1) -> Iterator[scrapy.Request]:
        """Stores a page, or requests it again where it was not rendered."""
        screenshot, boxes = getattr(response, "screenshot", None), getattr(response, "boxes", None)
        if not screenshot or not boxes:
            if tries < TRIES:  # a busy machine renders some pages too late
                yield scrapy.Request(asked, cb_kwargs={"kind": kind, "asked": asked, "tries": tries + 1}, dont_filter=True)
            else:
                self.logger.warning("%s was not rendered", asked)
            return
        number = list(self.addresses).index(asked)
        shot = self.folder / f"{self.site}-{number:03d}.jpg"
        shot.write_bytes(screenshot)
        record = {
            "id": shot.stem,
            "url": asked,
            "site": self.site,
            "lang": self.lang,
            "type": kind,
            "shot": shot.name,
            "boxes": boxes,
            "html": response.body.decode("utf-8", "replace"),
        }
        with (self.folder / "pages.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def render_snapshot(name: str, out: Path, browser: str) -> None:
    """Renders one snapshot into `out/name`, in a process of its own, because a reactor runs only once."""
    facts = load_facts(name)
    with tempfile.TemporaryDirectory() as folder, serve_snapshot(name) as base:
        addresses = {base + path.lstrip("/"): kind for kind in ("article", "list") for path in facts[f"{kind}s"]}
        order = Path(folder) / "order.json"
        order.write_text(json.dumps({"site": name, "lang": facts.get("lang", ""), "addresses": addresses}), encoding="utf-8")
        command = [sys.executable, "-m", "webcontent.training.snapshots", "--crawl", str(order), "--out", folder, "--browser", browser]
        subprocess.run(command, check=True, timeout=MAX_SECONDS + START_SECONDS)  # noqa: S603  (our own command)
        order.unlink()
        plain = Path(folder) / "pages.jsonl"
        with lzma.open(Path(folder) / PAGES, "wb", preset=1) as packed:
            packed.write(plain.read_bytes())
        plain.unlink()
        shutil.copytree(folder, out / name)


def crawl(order: Path, out: Path, browser: str) -> None:
    """Crawls one snapshot with our add-on, every page rendered."""
    process = CrawlerProcess(
        {
            "ADDONS": {"webcontent.crawl.addon.Addon": 500},
            "WEBCONTENT_RENDER": True,
            "WEBCONTENT_BROWSER": browser,
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "DOWNLOAD_DELAY": 0,
            "CLOSESPIDER_TIMEOUT": MAX_SECONDS,
        }
    )
    process.crawl(SnapshotSpider, folder=out, **json.loads(order.read_text(encoding="utf-8")))
    process.start()


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
    parser.add_argument("--crawl", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not options.browser:
        parser.error("no Chromium on PATH; name one with --browser.")
    if options.crawl:
        crawl(options.crawl, options.out, options.browser)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    for name in snapshot_names():
        if not (options.out / name).is_dir():
            print(f"rendering {name}", file=sys.stderr)
            render_snapshot(name, options.out, options.browser)


if __name__ == "__main__":
    main()
