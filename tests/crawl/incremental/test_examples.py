"""The examples of incremental crawls run unchanged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.crawl.crawls import CHECKOUT, TEXTS, listing, serve
from webcontent.crawl.discovery.seedlist import iter_seeds

EXAMPLES = CHECKOUT / "examples"
STORIES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(3)}


needs_sh = pytest.mark.skipif(not shutil.which("sh"), reason="sh is not installed")


def story(title: str) -> str:
    paragraphs = "".join(f"<p>{title}: {text}</p>" for text in TEXTS)
    meta = '<meta property="article:published_time" content="2026-03-05T06:22:00Z">'
    return f"<html><head><title>{title}</title>{meta}</head><body><article><h1>{title}</h1>{paragraphs}</article></body></html>"


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in the environment of the tests, whose `scrapy` comes first in the path."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    python = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH", ""))))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": python}
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, timeout=300, check=False)


@pytest.mark.process
@needs_sh
def test_the_script_for_cron(tmp_path: Path):
    """It writes a file of items and a report per day."""
    folder = tmp_path / "news"
    days = {f"{date.today()}"}  # noqa: DTZ011  (the local day, as the script has it)
    with serve({"/": listing("News", STORIES), **{path: story(title) for path, title in STORIES.items()}}) as site:
        (tmp_path / "seeds.txt").write_text(f"{site.url}/ deny=/tag/ depth=2\n")
        options = ("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False")
        done = run("sh", str(EXAMPLES / "monitor" / "monitor.sh"), str(tmp_path / "seeds.txt"), str(folder), *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[-2000:]
        assert not (folder / "running").exists()
    days.add(f"{date.today()}")  # noqa: DTZ011
    lines = [line for day in days if (folder / f"{day}.jsonl").exists() for line in (folder / f"{day}.jsonl").read_text().splitlines()]
    assert len([line for line in lines if "/story/" in line]) == len(STORIES)
    assert len(lines) <= len(STORIES) + 1
    assert any((folder / f"{day}.html").exists() for day in days)


@pytest.mark.process
@needs_sh
def test_the_script_says_that_a_site_is_dead_or_gives_nothing_but_shells(tmp_path: Path):
    """By its exit code, with the table, which cron sends. What the other sites gave is written."""
    shells = dict.fromkeys(STORIES, "<html><head><title>News</title></head><body><div id=app></div></body></html>")
    with (
        serve({"/": listing("News", STORIES), **{path: story(title) for path, title in STORIES.items()}}) as site,
        serve({"/": listing("News", STORIES), **shells}) as redesigned,
    ):
        (tmp_path / "seeds.txt").write_text(f"{site.url}/\nhttp://127.0.0.1:9/\n{redesigned.url}/\n")
        options = ("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "WEBCONTENT_RENDER=False")
        done = run("sh", str(EXAMPLES / "monitor" / "monitor.sh"), str(tmp_path / "seeds.txt"), str(tmp_path), *options, cwd=tmp_path)
    assert done.returncode == 1
    assert "the server refuses connections" in done.stderr
    assert "most pages lack their content" in done.stderr
    assert len([line for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines() if site.url in line]) == len(STORIES)
    assert not (tmp_path / "running").exists()


@pytest.mark.process
@needs_sh
@pytest.mark.parametrize("is_running", [True, False])
def test_the_script_waits_for_no_other_run_and_takes_over_from_a_dead_one(tmp_path: Path, is_running):
    """The folder `running` holds the id of the process that is busy."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / "running").mkdir()
    (tmp_path / "running" / "pid").write_text(str(os.getpid() if is_running else ended.pid))
    done = run("sh", str(EXAMPLES / "monitor" / "monitor.sh"), str(tmp_path / "no-such-file.txt"), str(tmp_path), cwd=tmp_path)
    assert list(tmp_path.glob("*.log")) == [] if is_running else done.returncode != 0 or list(tmp_path.glob("*.log"))
    assert (tmp_path / "running").exists() is is_running


def test_the_seeds_of_the_example_can_be_read():
    assert len(list(iter_seeds(str(EXAMPLES / "monitor" / "seeds.txt")))) == 3


@pytest.mark.process
def test_a_crawl_goes_into_a_database(tmp_path: Path):
    """The latest articles are printed."""
    with serve({"/": listing("News", STORIES), **{path: story(title) for path, title in STORIES.items()}}) as site:
        command = (sys.executable, str(EXAMPLES / "database.py"), f"sqlite:///{tmp_path}/items.db", f"{site.url}/")
        done = run(*command, "AUTOTHROTTLE_ENABLED=False", "WEBCONTENT_RENDER=False", cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = done.stdout.splitlines()
    assert sorted(row.split(" | ")[2] for row in rows) == sorted(STORIES.values())
    assert all(row.startswith("2026-03-05T06:22") for row in rows)
