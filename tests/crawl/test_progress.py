"""The line that a crawl draws on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import OUR_PROJECT, SCRAPY, article, listing, scrapy, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crawl.crawls import Site

LINE = re.compile(r"(\d+) pages, (\d+) queued, (\d+) items, +([\d.]+|\?) ?pages/s, 00:\d\d")
LOG = "Ignoring response <404"
"""What Scrapy logs about the dead link of the site."""


@pytest.fixture
def news() -> Iterator[Site]:
    stories = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(8)}
    pages = {path: article(title) for path, title in stories.items()}
    with serve({"/": listing("News", {**stories, "/gone.html": "A story that has gone"}), **pages}) as site:
        yield site


def arguments(site: Site, delay_s: float) -> list[str]:
    """A crawl without feeds and sitemaps. With the delay it makes eleven requests one after the other."""
    settings = ("AUTOTHROTTLE_ENABLED=False", f"DOWNLOAD_DELAY={delay_s}", "WEBCONTENT_RENDER=False")
    options = [part for setting in settings for part in ("-s", setting)]
    return ["crawl", "seeds", "-a", f"urls={site.url}", "-a", "sources=0", *options]


@pytest.mark.process
def test_a_terminal_shows_pages_queue_items_and_rate(news: Site, tmp_path: Path):
    """One line, drawn again and again below the log; at its end it shows all pages."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execve(sys.executable, [sys.executable, "-c", SCRAPY, *arguments(news, 0.2)], {**os.environ, **OUR_PROJECT})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
    shown = b""
    try:
        while data := os.read(terminal, 4096):
            shown += data
    except OSError:  # how Linux says that the other end of a terminal is closed
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, shown[-3000:]
    lines = LINE.findall(shown.decode())
    assert len(lines) > 3
    pages, queued, items, rate = lines[-1]
    assert (pages, queued, items) == ("9", "0", "9")
    assert float(rate) > 0
    assert any(int(line[1]) > 0 for line in lines)
    assert "DEBUG" not in shown.decode(), "the level of the log stays"
    assert re.search(rf"\r\d{{4}}-[^\r\n]*{LOG}", shown.decode()), "log lines stand on lines of their own"


@pytest.mark.process
def test_a_log_file_shows_no_progress(news: Site, tmp_path: Path):
    """Nothing is drawn where standard error is no terminal."""
    done = scrapy(*arguments(news, 0), cwd=tmp_path, env=OUR_PROJECT)
    assert LOG in done.stderr
    assert not LINE.search(done.stderr)
    assert "\r" not in done.stderr


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066"
"""Renames a terminal, empties it, colours it and turns the direction of writing, if it is shown as it is."""


@pytest.mark.process
def test_texts_of_pages_do_not_command_a_terminal(tmp_path: Path):
    """Titles, addresses, redirects and encodings of a site that tries; all of the log is below or above the line."""
    links = {
        "/1.html": f"Headline number one {HOSTILE}",
        f"/{HOSTILE}.html": "A strange address of a story",
        "/to": "Where the story has moved",
    }
    moved = (302, {"Location": f"http://{HOSTILE[:9]}/"}, "")
    pages = {"/": listing(HOSTILE, links), "/1.html": article(f"One {HOSTILE}"), "/to": moved}
    with serve(pages) as site:
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(tmp_path)
            command = [*arguments(site, 0), "-s", "LOG_LEVEL=DEBUG", "-s", "RETRY_ENABLED=False"]
            os.execve(sys.executable, [sys.executable, "-c", SCRAPY, *command], {**os.environ, **OUR_PROJECT})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, 100, 0, 0))
        shown = b""
        try:
            while data := os.read(terminal, 4096):
                shown += data
        except OSError:  # the other end of the terminal is closed
            pass
        os.close(terminal)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, shown[-3000:]
    text = shown.decode()
    assert LINE.search(text)
    assert not re.search("\x1b(?!\\[A)|[\x07\x80-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert {"/1.html", "/to"} < set(site.asked)
