"""A site's own names that point into the local network, through the command line: 127.0.0.1 counts as the internet, 127.0.0.2 as private."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import OUR_PROJECT, article, listing, scrapy, serve
from tests.crawl.rendering.test_local_network import INTERNET, PRIVATE, SECRET, listening

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

NAMES = f"""
import socket

from scrapy.resolver import CachingThreadedResolver

NAMES = {{"evil-names.com": "{INTERNET}", "lan.evil-names.com": "{PRIVATE}", "turns.evil-names.com": "{INTERNET}"}}
LATER = {{**NAMES, "turns.evil-names.com": "{PRIVATE}"}}
look_up = socket.getaddrinfo
socket.getaddrinfo = lambda host, *options, **named: look_up(NAMES.get(host, host), *options, **named)


class Resolver(CachingThreadedResolver):
    def getHostByName(self, name, timeout=()):
        return super().getHostByName(LATER.get(name, name), timeout)
"""
"""What the name servers say: first, and when Scrapy itself connects."""
STORIES = {f"/story/{number}": f"A story of the harbour, number {number}" for number in range(4)}


def run(tmp_path: Path, port: int, *command: str, render: bool) -> tuple[list[dict[str, Any]], Any]:
    (tmp_path / "names.py").write_text(NAMES)
    settings = {
        "TWISTED_DNS_RESOLVER": "names.Resolver",
        "WEBCONTENT_PRIVATE_HOSTS": INTERNET,
        "WEBCONTENT_RENDER": render,
        "DOWNLOAD_DELAY": 0,
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    address = f"http://evil-names.com:{port}/"
    done = scrapy(
        *(part.replace("SEED", address) for part in command),
        *("-o", "items.jsonl", "-s", "AUTOTHROTTLE_ENABLED=False", *options),
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), **OUR_PROJECT},
    )
    file = tmp_path / "items.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else [], done


def pages(lan: str) -> dict[str, Any]:
    """A site that names the local network wherever it can, under a name of its own."""
    feeds = f"<link rel=alternate type=application/rss+xml href='{lan}/feed?a=b'>"
    links = {
        **STORIES,
        f"{lan}/link?reboot=1": "A story of the harbour that lies in the local network",
        "/away": "A story that has moved away",
    }
    return {
        "/robots.txt": (200, {"Content-Type": "text/plain"}, f"Sitemap: {lan}/sitemap.xml?c=d\nSitemap: /sitemap.xml\n"),
        "/sitemap.xml": (200, {"Content-Type": "application/xml"}, f"<urlset><url><loc>{lan}/in-sitemap?e=f</loc></url></urlset>"),
        "/": listing("News", links).replace("</head>", f"{feeds}</head>"),
        "/away": (302, {"Location": f"{lan}/redirect"}, b""),
        **{path: article(title) for path, title in STORIES.items()},
    }


@pytest.mark.parametrize(("command", "render"), [("harvest SEED", True), ("crawl seeds -a urls=SEED", False)])
def test_a_name_of_a_site_that_leads_into_the_local_network_is_not_asked(tmp_path, command, render):
    with listening() as private, serve(pages(f"http://lan.evil-names.com:{private.port}")) as site:
        port = int(site.url.rpartition(":")[2])
        items, done = run(tmp_path, port, *command.split(), render=render)
    assert private.asked == []
    assert SECRET not in json.dumps(items) + done.stdout
    assert {item.get("title") for item in items} >= set(STORIES.values()), done.stderr[-3000:]


@pytest.mark.parametrize(
    ("command", "render"), [("harvest SEED", False), ("extract SEED", False), ("extract SEED", True), ("crawl seeds -a urls=SEED", True)]
)
def test_a_name_that_turns_to_the_local_network_gives_no_item(tmp_path, command, render):
    """DNS rebinding: the filter and we are told another address than Scrapy, which connects. What answers is thrown away."""
    with serve({"/": (302, {"Location": "/"}, b"")}) as site:
        port = int(site.url.rpartition(":")[2])
        turns = f"http://turns.evil-names.com:{port}"
        site.pages.update({**pages(turns), "/octets": (200, {"Content-Type": "application/octet-stream"}, b"octets")})
        site.pages["/"] = (302, {"Location": f"{turns}/octets"}, b"")
        with listening(port) as private:
            items, done = run(tmp_path, port, *command.split(), render=render)
    assert SECRET not in json.dumps(items) + done.stdout
    assert b"GET /robots.txt HTTP/1.1" not in private.asked or items == []


def test_a_seed_that_the_user_named_may_be_private(tmp_path):
    with serve({"/": listing("News", STORIES), **{path: article(title) for path, title in STORIES.items()}}) as site:
        done = scrapy("harvest", site.url, "-o", "items.jsonl", "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path, env=OUR_PROJECT)
    assert len((tmp_path / "items.jsonl").read_text().splitlines()) >= len(STORIES), done.stderr[-3000:]
