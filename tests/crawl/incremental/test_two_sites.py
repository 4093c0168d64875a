"""What one site answers decides nothing about the pages of another."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.crawl.crawls import OUR_PROJECT, article, listing, scrapy, serve

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

ARTICLES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(4)}
PAPER: dict[str, Any] = {"/": listing("News", ARTICLES), **{path: article(title) for path, title in ARTICLES.items()}}


def crawl(folder: Path, urls: str, *arguments: str) -> list[str]:
    """A run with the folder's crawl state; the URLs of the items that it delivers."""
    output = folder / "items.jsonl"
    done = scrapy(
        *("crawl", "seeds", "-a", f"urls={urls}", "-O", str(output), "-s", f"WEBCONTENT_CRAWL_STATE=sqlite:///{folder}/state.db"),
        *("-s", "AUTOTHROTTLE_ENABLED=False", *arguments),
        cwd=folder,
        env=OUR_PROJECT,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line)["url"] for line in output.read_text(encoding="utf-8").splitlines()]


def redirects(target: str) -> dict[str, Any]:
    """A front page whose links are redirected to the articles of another site."""
    links = {f"/go/{n}": f"A headline about something, number {n}" for n in range(len(ARTICLES))}
    answers = {path: (302, {"Location": target + address}, "") for path, address in zip(links, ARTICLES, strict=True)}
    return {"/": listing("Front", links), **answers}


def scripted(target: str) -> dict[str, Any]:
    """The same, every second one by a script, which only a browser follows."""
    scripts = [f"<body>One moment<script>location.replace({target + address!r})</script>" for address in ARTICLES]
    return redirects(target) | {f"/go/{n}": script for n, script in enumerate(scripts) if n % 2}


@pytest.mark.parametrize(
    "make, render",
    [
        pytest.param(redirects, False, id="redirects"),
        pytest.param(scripted, True, id="redirects and scripts, rendered", marks=pytest.mark.browser),
    ],
)
def test_redirects_to_another_site_do_not_mark_its_articles(make: Any, render: bool, tmp_path: Path):
    """The other site's articles come in the next run, all of them."""
    with serve(PAPER) as paper, serve(make(paper.url)) as other:
        settings = ("-s", f"WEBCONTENT_RENDER={render}")
        assert crawl(tmp_path, other.url, *settings) == [f"{other.url}/"]
        items = crawl(tmp_path, paper.url, *settings)
    assert sorted(urlsplit(url).path for url in items) == sorted(["/", *ARTICLES])


def test_a_copy_that_is_read_first_does_not_take_the_original(tmp_path: Path):
    """Neither in the same run, where duplicates are dropped, nor in the next one. Both sites have the same markup."""
    copies = {path: article(title, head=f'<link rel="canonical" href="{path}">') for path, title in ARTICLES.items()}
    pages = {"/": listing("News", ARTICLES), **copies}
    with serve(pages) as copy, serve(pages) as paper:
        settings = ("-s", "WEBCONTENT_RENDER=False", "-s", "WEBCONTENT_DUPLICATES=drop")
        first = crawl(tmp_path, f"{copy.url},{paper.url}", *settings)
        second = crawl(tmp_path, paper.url, *settings)
    assert Counter(urlsplit(url).path for url in first) == dict.fromkeys(["/", *ARTICLES], 2)
    assert second == []
