"""What a command could not store is a sentence and an exit code, and what is there already stays."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import article, listing, scrapy, serve
from webcontent.crawl.output.markdown import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crawl.crawls import Site

pytestmark = pytest.mark.process

STORIES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(3)}
KEPT = ("AGENTS", "README", "CLAUDE", "GEMINI", "SKILL", "bridge")
LONG = "新" * 110


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    pages = {"/": listing("News", STORIES), **{path: article(title) for path, title in STORIES.items()}}
    pages |= {f"/{name}.html": article(f"A page of the name {name}") for name in (*KEPT, "con", "nul")}
    pages["/%E6%96%B0" + "%E6%96%B0" * 109 + ".html"] = article("A long name")
    pages["/old"] = (302, {"Location": "/AGENTS.html"}, "")
    with serve(pages) as site:
        yield site


@pytest.mark.parametrize("command", ["harvest", "extract"])
def test_a_feed_that_was_not_stored(command: str, site: Site, tmp_path: Path):
    """Nobody answers at the address. Its password is not shown, and the next run of an incremental crawl asks for the pages again."""
    feed = "ftp://user:Hush7418@127.0.0.1:1/items.jsonl"
    for _ in range(2):
        site.asked.clear()
        options = ("-s", "AUTOTHROTTLE_ENABLED=False", "--no-render", "-s", "LOG_LEVEL=INFO")
        done = scrapy(command, f"{site.url}/", "-o", feed, *options, cwd=tmp_path)
        assert done.returncode == 1
        assert "A feed was not stored" in done.stderr
        assert "Error storing jsonl feed" in done.stderr
        assert "127.0.0.1:1/items.jsonl: [Errno" in done.stderr
        assert "New items" not in done.stdout
        assert not [text for text in ("Hush", "7418", "Traceback") if text in done.stdout + done.stderr]
        assert command == "extract" or set(STORIES) <= set(site.asked)


def test_files_that_are_there_stay(site: Site, tmp_path: Path):
    """Also where a page has the name of one, redirects to it, or where one is a link. A second run adds nothing."""
    notes, secret = tmp_path / "notes", tmp_path / "secret.txt"
    notes.mkdir()
    secret.write_text("mine")
    for name in KEPT:
        (notes / f"{name}.md").write_text("mine")
    (notes / "0.md").symlink_to(secret)
    (notes / "1.md").symlink_to(tmp_path / "nothing")
    urls = [f"{site.url}/{name}.html" for name in (*KEPT, "con", "nul")] + [f"{site.url}/old", *(site.url + path for path in STORIES)]
    names = []
    for _ in range(2):
        done = scrapy("extract", *urls, "--format", "md", "-o", f"{notes}/", "--no-render", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        names.append({path.name for path in notes.iterdir()})
    assert [(notes / f"{name}.md").read_text() for name in KEPT] == ["mine"] * len(KEPT)
    assert (secret.read_text(), (tmp_path / "nothing").exists()) == ("mine", False)
    ours = {f"page-{name}.md" for name in (*KEPT[:-1], "con", "nul")} | {"bridge-2.md", "0-2.md", "1-2.md", "2.md"}
    assert names[0] == ours | {f"{name}.md" for name in (*KEPT, "0", "1")}
    assert len(names[1]) == len(names[0])


def test_names_that_are_too_long(site: Site, tmp_path: Path):
    """That of a page is cut, by bytes. That of a folder is a sentence and an exit code."""
    url = f"{site.url}/{LONG}.html"
    done = scrapy("extract", url, "--format", "md", "-o", "notes/", "--no-render", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.stem for path in (tmp_path / "notes").iterdir()] == [file_name(url)]
    done = scrapy("extract", url, "--format", "md", "-o", f"{LONG}/", "--no-render", cwd=tmp_path)
    assert done.returncode != 0
    assert "File name too long" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_report_of_a_database(tmp_path: Path):
    """It may be named as the setting names it. A server that does not answer, or is no database, is named without its password."""
    with sqlite3.connect(tmp_path / "items.db") as database:
        database.execute("create table articles (url text, title text)")
        database.execute("insert into articles values ('http://example.com/', 'Bridge')")
    done = scrapy("report", "sqlite:///items.db", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1 items: report.html\n"), done.stderr
    for address, sentence in (
        ("postgresql://user:Hush7418@127.0.0.1:1/db", "The PostgreSQL database can't be read: "),
        ("postgresql://user:Hush/7418@127.0.0.1:1/db", "postgresql://*** can't be read: in passwords, characters such as"),
        ("ftp://user:Hush7418@host/items.jsonl", "ftp://host/items.jsonl is no file"),
    ):
        done = scrapy("report", address, cwd=tmp_path)
        assert done.returncode == 2
        assert sentence in done.stdout + done.stderr
        assert "Hush" not in done.stdout + done.stderr
