"""What an incremental crawl makes of pages that came without their content, night after night, by the command line."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.crawl.crawls import article, listing, scrapy, serve

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.crawl.crawls import Site

pytestmark = pytest.mark.process

DAY_S = 86_400
STORIES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(5)}
FRONT = listing("News", STORIES)
WHOLE = {"/": FRONT, **{path: article(title) for path, title in STORIES.items()}}
ROBOT_CHECK = "<title>Just a moment...</title><h1>example.org</h1><p>Checking your browser before you access the site.</p>"
LOGIN = "<title>Log in</title><h1>Log in</h1><form><input name=user><input type=password name=password><button>Log in</button></form>"
# The times at which records were checked and changed, in their JSON.
_EARLIER = "; ".join(
    f"update state set value = json_set(value, '$[{place}]', json_extract(value, '$[{place}]') - {{s}}) where name = 'records'"
    for place in (4, 5)
)


def night(folder: Path, *sites: Site, options: tuple[str, ...] = (), hours: float = 24) -> subprocess.CompletedProcess[str]:
    """A run of `harvest`, some hours after the one before it."""
    for site in sites:
        site.asked.clear()
    state = folder / "items.jsonl.state.db"
    if state.is_file():
        with closing(sqlite3.connect(state)) as store, store:
            store.executescript(_EARLIER.format(s=hours * 3600))
    settings = ("-s", "AUTOTHROTTLE_ENABLED=False", "-s", f"WEBCONTENT_DATABASE=sqlite:///{folder}/items.db", *options)
    urls = [site.url for site in sites]
    done = scrapy("harvest", *urls, "-o", "items.jsonl", "--no-render", "--no-feeds", *settings, cwd=folder)
    assert "Traceback" not in done.stderr
    return done


def stories(site: Site) -> list[str]:
    """What was asked for of the stories."""
    return sorted(path for path in site.asked if path.startswith("/story"))


def titles(folder: Path, site: Site) -> dict[str, str]:
    """The rows of the database that are of stories of a site."""
    with closing(sqlite3.connect(folder / "items.db")) as database:
        rows = [(urlsplit(url), title) for url, title in database.execute("select url, title from articles")]
    return {url.path: title for url, title in rows if url.netloc in site.url and url.path in STORIES}


def lines(folder: Path, site: Site) -> Counter[str]:
    """How often each story of a site stands in the feed."""
    items = map(json.loads, (folder / "items.jsonl").read_text(encoding="utf-8").splitlines())
    urls = [urlsplit(item["url"]) for item in items]
    return Counter(url.path for url in urls if url.netloc in site.url and url.path.startswith("/story"))


WALLS: dict[str, Any] = {
    "the same text at each address": dict.fromkeys(STORIES, ROBOT_CHECK),
    "a text of its own": {path: ROBOT_CHECK.replace("example", f"example{path[7]}") for path in STORIES},
    "redirects to one page": {"/captcha": ROBOT_CHECK, **{path: (302, {"Location": "/captcha"}, "") for path in STORIES}},
    "redirects to pages": {
        **{f"/captcha/{n}": ROBOT_CHECK for n in range(5)},
        **{path: (302, {"Location": f"/captcha/{n}"}, "") for n, path in enumerate(STORIES)},
    },
    "a status": dict.fromkeys(STORIES, (403, {}, ROBOT_CHECK)),
    "no text": dict.fromkeys(STORIES, "<html><head><title></title></head><body></body></html>"),
}


def test_articles_that_came_as_walls_are_delivered_when_they_come_whole(tmp_path: Path):
    """Six sites with a wall each. The whole items replace those of the walls in the database, and get a line."""
    with ExitStack() as stack:
        sites = [stack.enter_context(serve(WHOLE | wall)) for wall in WALLS.values()]
        first = night(tmp_path, *sites)
        assert first.returncode == 1
        assert first.stdout.count("most pages lack their content") == len(WALLS), first.stdout
        for site in sites:
            site.pages |= WHOLE
        second = night(tmp_path, *sites)
        assert second.returncode == 0, second.stdout
        for name, site in zip(WALLS, sites, strict=True):
            assert stories(site) == sorted(STORIES), name
            assert titles(tmp_path, site) == STORIES, name
            assert set(lines(tmp_path, site)) == set(STORIES), name
        before = [lines(tmp_path, site) for site in sites]
        third = night(tmp_path, *sites)
        assert [stories(site) for site in sites] == [[]] * len(sites)
        assert (third.returncode, [lines(tmp_path, site) for site in sites]) == (0, before)


def test_a_wall_that_stays_is_asked_for_with_growing_pauses(tmp_path: Path):
    """Its item is delivered once; each night that is lost to it says so."""
    with serve(WHOLE | {path: ROBOT_CHECK.replace("example", f"example{path[7]}") for path in STORIES}) as site:
        night(tmp_path, site)
        before = lines(tmp_path, site)
        night(tmp_path, site, hours=5)
        assert stories(site) == []
        done = night(tmp_path, site, hours=19)
        assert stories(site) == sorted(STORIES)
        assert done.returncode == 1
        assert "5 x robot-check" in done.stdout
        night(tmp_path, site, hours=11)
        assert stories(site) == []
        assert lines(tmp_path, site) == before


def test_a_wall_replaces_no_whole_article(tmp_path: Path):
    """Where changed articles are wanted, pages are asked for again, and may come as walls then."""
    with serve(WHOLE) as site:
        night(tmp_path, site, options=("-s", "WEBCONTENT_CHANGED=True"))
        site.pages |= dict.fromkeys(STORIES, ROBOT_CHECK)
        night(tmp_path, site, options=("-s", "WEBCONTENT_CHANGED=True"))
        assert stories(site) == sorted(STORIES)
        assert titles(tmp_path, site) == STORIES
        assert lines(tmp_path, site) == Counter(list(STORIES))


def test_a_login_page_of_a_quiet_night_is_no_alarm(tmp_path: Path):
    """It is asked for again and counts as failed, but it says nothing about the site."""
    with serve(WHOLE | {"/": listing("News", STORIES | {"/login": "Log in to your account to comment here"}), "/login": LOGIN}) as site:
        night(tmp_path, site)
        done = night(tmp_path, site)
        assert "/login" in site.asked
        assert done.returncode == 0, done.stdout


NEW_ADDRESSES = {f"/article/{n}.html": f"Headline number {n} about something that happened" for n in range(5)}
REDESIGNS: dict[str, Any] = {
    "other addresses": {"/": listing("News", NEW_ADDRESSES), **{path: article(title) for path, title in NEW_ADDRESSES.items()}},
    "no links": {"/": article("We have a new home")},
}


def test_sites_whose_pages_lead_nowhere_any_more_are_named(tmp_path: Path):
    """The night is no quiet one: the rows say that there is no link to follow, and the exit code is 1."""
    with ExitStack() as stack:
        sites = [stack.enter_context(serve(WHOLE)) for _ in REDESIGNS]
        options = ("--allow", "/story/")
        assert night(tmp_path, *sites, options=options).returncode == 0
        quiet = night(tmp_path, *sites, options=options)
        assert (quiet.returncode, "no link" in quiet.stdout) == (0, False)
        for site, redesign in zip(sites, REDESIGNS.values(), strict=True):
            site.pages = redesign
        done = night(tmp_path, *sites, options=options)
    assert done.returncode == 1
    assert done.stdout.count("no link to follow") == len(REDESIGNS), done.stdout
