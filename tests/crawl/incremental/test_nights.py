"""What an incremental crawl makes of pages that came without their content, night after night, by the command line."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
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


def night(site: Site, folder: Path, *arguments: str, hours: float = 24) -> subprocess.CompletedProcess[str]:
    """A run of `harvest`, some hours after the one before it."""
    site.asked.clear()
    state = folder / "items.jsonl.state.db"
    if state.is_file():
        with closing(sqlite3.connect(state)) as store, store:
            store.executescript(_EARLIER.format(s=hours * 3600))
    options = ("-s", "AUTOTHROTTLE_ENABLED=False", "-s", f"WEBCONTENT_DATABASE=sqlite:///{folder}/items.db", *arguments)
    done = scrapy("harvest", site.url, "-o", "items.jsonl", "--no-render", "--no-feeds", *options, cwd=folder)
    assert "Traceback" not in done.stderr
    return done


def stories(site: Site) -> list[str]:
    """What was asked for of the stories."""
    return sorted(path for path in site.asked if path.startswith("/story"))


def titles(folder: Path) -> dict[str, str]:
    """The rows of the database."""
    with closing(sqlite3.connect(folder / "items.db")) as database:
        return {urlsplit(url).path: title for url, title in database.execute("select url, title from articles")}


def lines(folder: Path) -> Counter[str]:
    """How often each story stands in the feed."""
    items = map(json.loads, (folder / "items.jsonl").read_text(encoding="utf-8").splitlines())
    return Counter(path for item in items if (path := urlsplit(item["url"]).path).startswith("/story"))


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


@pytest.mark.parametrize("wall", WALLS)
def test_articles_that_came_as_walls_are_delivered_when_they_come_whole(wall: str, tmp_path: Path):
    """The night is named in the table and by the exit code. The whole items replace those of the walls in the database, and get a line."""
    with serve(WHOLE | WALLS[wall]) as site:
        first = night(site, tmp_path)
        assert first.returncode == 1
        assert "most pages lack their content" in first.stdout
        site.pages |= WHOLE
        second = night(site, tmp_path)
        assert stories(site) == sorted(STORIES)
        assert second.returncode == 0, second.stdout
        assert {path: titles(tmp_path)[path] for path in STORIES} == STORIES
        assert set(lines(tmp_path)) == set(STORIES)
        before = lines(tmp_path)
        third = night(site, tmp_path)
    assert stories(site) == []
    assert (third.returncode, lines(tmp_path)) == (0, before)


def test_a_wall_that_stays_is_asked_for_with_growing_pauses(tmp_path: Path):
    """Its item is delivered once; each night that is lost to it says so."""
    with serve(WHOLE | {path: ROBOT_CHECK.replace("example", f"example{path[7]}") for path in STORIES}) as site:
        night(site, tmp_path)
        before = lines(tmp_path)
        night(site, tmp_path, hours=5)
        assert stories(site) == []
        done = night(site, tmp_path, hours=19)
        assert stories(site) == sorted(STORIES)
        assert done.returncode == 1
        assert "5 x robot-check" in done.stdout
        night(site, tmp_path, hours=11)
        assert stories(site) == []
        night(site, tmp_path, hours=14)
        assert stories(site) == sorted(STORIES)
    assert lines(tmp_path) == before


def test_a_wall_replaces_no_whole_article(tmp_path: Path):
    """Where changed articles are wanted, pages are asked for again, and may come as walls then."""
    with serve(WHOLE) as site:
        night(site, tmp_path, "-s", "WEBCONTENT_CHANGED=True")
        site.pages |= dict.fromkeys(STORIES, ROBOT_CHECK)
        night(site, tmp_path, "-s", "WEBCONTENT_CHANGED=True")
        assert stories(site) == sorted(STORIES)
    assert {path: titles(tmp_path)[path] for path in STORIES} == STORIES
    assert lines(tmp_path) == Counter(list(STORIES))


def test_a_login_page_of_a_quiet_night_is_no_alarm(tmp_path: Path):
    """It is asked for again and counts as failed, but it says nothing about the site."""
    with serve(WHOLE | {"/": listing("News", STORIES | {"/login": "Log in to your account to comment here"}), "/login": LOGIN}) as site:
        night(site, tmp_path)
        done = night(site, tmp_path)
        assert "/login" in site.asked
        assert done.returncode == 0, done.stdout


NEW_ADDRESSES = {f"/article/{n}.html": f"Headline number {n} about something that happened" for n in range(5)}
REDESIGNS: dict[str, Any] = {
    "other addresses": {"/": listing("News", NEW_ADDRESSES), **{path: article(title) for path, title in NEW_ADDRESSES.items()}},
    "no links": {"/": article("We have a new home")},
}


@pytest.mark.parametrize("redesign", REDESIGNS)
def test_a_site_whose_page_leads_nowhere_any_more_is_named(redesign: str, tmp_path: Path):
    """The night is no quiet one: the row says that there is no link to follow, and the exit code is 1."""
    with serve(WHOLE) as site:
        options = ("--allow", "/story/")
        assert night(site, tmp_path, *options).returncode == 0
        quiet = night(site, tmp_path, *options)
        assert (quiet.returncode, "no link" in quiet.stdout) == (0, False)
        site.pages = REDESIGNS[redesign]
        done = night(site, tmp_path, *options)
    assert done.returncode == 1
    assert "no link to follow" in done.stdout


def test_a_pattern_that_fits_no_link_is_named(tmp_path: Path):
    """A slip in `allow` would look like a site without news."""
    with serve(WHOLE) as site:
        done = night(site, tmp_path, "--allow", "/storys/")
    assert done.returncode == 1
    assert "no link to follow" in done.stdout


def test_a_feed_leads_on_where_the_page_does_not(tmp_path: Path):
    """A page that only scripts fill has no links. Its feed has, whether or not it has changed since the last night."""
    entries = "".join(f"<item><title>{title}</title><link>{{url}}{path}</link></item>" for path, title in STORIES.items())
    front = article("News", head='<link rel="alternate" type="application/rss+xml" href="/feed.xml">')
    with serve(WHOLE | {"/": front}) as site:
        rss = f'<rss version="2.0"><channel><title>News</title>{entries.replace("{url}", site.url)}</channel></rss>'
        for status in (200, 200, 304):
            site.pages["/feed.xml"] = (status, {"Content-Type": "application/rss+xml", "ETag": '"1"'}, rss if status == 200 else "")
            done = scrapy("harvest", site.url, "-o", "items.jsonl", "--no-render", "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path)
            assert done.returncode == 0, done.stdout
    assert lines(tmp_path) == Counter(list(STORIES))
