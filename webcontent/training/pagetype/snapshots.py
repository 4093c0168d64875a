"""Renders the stored sites with the project's own crawl: python -m webcontent.training.pagetype_sites --out DIR [--browser PATH].

A folder a site: `pages.jsonl.xz` (id, url, site, lang, type, shot, boxes, html) and the pictures as the crawl hands them in. A site that is
there already is not rendered again; one crawl ends by itself after LIMIT_S. The folder is a cache: it holds pages of others and
stays outside the checkout.
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

from webcontent.evaluation.site_snapshots import serve_snapshot, snapshots_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from scrapy.http import Response

LIMIT_S = 900
"""A crawl of one site is closed after so many seconds; what was rendered until then is kept."""
TRIES = 3
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
PAGES = "pages.jsonl.xz"
STORED = "stored site"
"""Kind of the rendered pages in tables."""


class SitePages(scrapy.Spider):
    """Renders each address once and writes what the render middleware attached to the response."""

    name = "pictures"
    addresses: dict[str, str]
    """Type by address."""
    folder: Path
    site: str
    lang: str

    async def start(self) -> AsyncIterator[Any]:
        for url, kind in self.addresses.items():
            yield scrapy.Request(url, cb_kwargs={"kind": kind, "asked": url}, dont_filter=True)

    def parse(self, response: Response, kind: str = "", asked: str = "", tries: int = 1) -> Iterator[scrapy.Request]:
        screenshot, boxes = getattr(response, "screenshot", None), getattr(response, "boxes", None)
        if not screenshot or not boxes:
            if tries < TRIES:  # a machine that is busy renders some pages too late
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


def render_site(site: str, out: Path, browser: str) -> None:
    """One site into `out/site`, in a process of its own, since a reactor runs once."""
    facts = json.loads((snapshots_folder() / f"{site}.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place, serve_snapshot(site) as base:
        addresses = {base + path.lstrip("/"): kind for kind in ("article", "list") for path in facts[f"{kind}s"]}
        order = Path(place) / "order.json"
        order.write_text(json.dumps({"site": site, "lang": facts.get("lang", ""), "addresses": addresses}), encoding="utf-8")
        command = [sys.executable, "-m", "webcontent.training.pagetype_sites", "--crawl", str(order), "--out", place, "--browser", browser]
        subprocess.run(command, check=True, timeout=LIMIT_S + 60)  # noqa: S603  (our own command)
        order.unlink()
        plain = Path(place) / "pages.jsonl"
        with lzma.open(Path(place) / PAGES, "wb", preset=1) as packed:
            packed.write(plain.read_bytes())
        plain.unlink()
        shutil.copytree(place, out / site)


def crawl(order: Path, out: Path, browser: str) -> None:
    """The crawl of one site: our add-on, every page rendered."""
    wanted = json.loads(order.read_text(encoding="utf-8"))
    process = CrawlerProcess(
        {
            "ADDONS": {"webcontent.crawl.addon.Addon": 500},
            "WEBCONTENT_RENDER": True,
            "WEBCONTENT_BROWSER": browser,
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "DOWNLOAD_DELAY": 0,
            "CLOSESPIDER_TIMEOUT": LIMIT_S,
        }
    )
    process.crawl(SitePages, folder=out, **wanted)
    process.start()


def load_sites(folder: Path) -> Iterator[dict[str, Any]]:
    """The rendered pages, site after site, as `corpus.load_screens` gives the screens: `shot` is a path, `family` the site, and `url` has
    the address that the site expects in place of loopback's. FileNotFoundError where nothing was rendered."""
    files = sorted(folder.glob(f"*/{PAGES}"))
    if not files:
        raise FileNotFoundError(f"{folder} has no rendered site: python -m webcontent.training.pagetype_sites --out {folder}")
    for file in files:
        base = json.loads((snapshots_folder() / f"{file.parent.name}.json").read_text(encoding="utf-8"))["base"]
        with lzma.open(file, "rt", encoding="utf-8") as stream:
            for line in stream:
                record = json.loads(line)
                address = urljoin(base, urlsplit(record["url"])._replace(scheme="", netloc="").geturl())
                yield {**record, "url": address, "family": record["site"], "kind": STORED, "shot": file.parent / record["shot"]}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.pagetype_sites", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the rendered sites go")
    parser.add_argument("--browser", default=next(filter(None, map(shutil.which, BROWSERS)), ""), metavar="PATH")
    parser.add_argument("--crawl", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not options.browser:
        parser.error("no Chromium on PATH; name one with --browser.")
    if options.crawl:
        crawl(options.crawl, options.out, options.browser)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    for facts in sorted(snapshots_folder().glob("*.json")):
        if not (options.out / facts.stem).is_dir():
            print(f"rendering {facts.stem}", file=sys.stderr)
            render_site(facts.stem, options.out, options.browser)


if __name__ == "__main__":
    main()
