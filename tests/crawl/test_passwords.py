"""No password of a setting appears in a message, a log line or a traceback, however its address is misspelt."""

from __future__ import annotations

import itertools
import re
import sys
import traceback
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings

from tests.crawl.crawls import OUR_PROJECT, scrapy
from webcontent.crawl.config import Config
from webcontent.crawl.incremental.store import open_store
from webcontent.crawl.output.database import DatabaseError, open_database
from webcontent.crawl.server_urls import redis_client, without_password
from webcontent.crawl.setup_errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PASSWORDS = (
    "Hush7418",
    "Hush/7418",
    "Hush?7418",
    "Hush#7418",
    "Hush@7418",
    "Hu:sh7418",
    "Hush 7418",
    "7418/Hush",
    "%Hush7418",
    "Hush[7418",
)
NO_HOST = "{scheme}://user:{password}"
SHAPES = (
    "{scheme}://user:{password}@127.0.0.1:1/0",
    "{scheme}://:{password}@127.0.0.1:1/0",
    "{scheme}:/user:{password}@127.0.0.1:1/0",
    "{scheme}//user:{password}@127.0.0.1:1/0",
    "{scheme}x://user:{password}@127.0.0.1:1/0",
    NO_HOST,
    "{scheme}://127.0.0.1:1/0?password={password}",
    "user:{password}@127.0.0.1:1",
)
SECRET = re.compile("hu.?sh|7418", re.IGNORECASE)


def urls(scheme: str) -> list[str]:
    """All combinations but those that name another host in the usual way, such as redis://user:7418/x."""
    pairs = [
        (shape, password)
        for shape, password in itertools.product(SHAPES, PASSWORDS)
        if not (shape == NO_HOST and re.search("@|^7", password))
    ]
    return [shape.format(scheme=scheme, password=password) for shape, password in pairs]


def trace_of(call: Callable[[], object]) -> str:
    """The traceback that a call leaves, with all causes, as a crawl prints it."""
    try:
        call()
    except (ValueError, OSError, SetupError, DatabaseError) as error:
        return "\n".join(line for line in traceback.format_exception(error) if not line.lstrip().startswith("File "))
    return ""


def test_an_address_is_shown_without_its_password():
    """Whatever part of it a library would take for the host."""
    addresses = [*urls("redis"), *urls("postgresql"), "ftp://user:Hush7418@127.0.0.1/x"]
    assert [url for url in addresses if SECRET.search(without_password(url))] == []


@pytest.mark.parametrize(("name", "scheme"), [("CRAWL_STATE", "redis"), ("REDIS", "redis"), ("DATABASE", "postgresql")])
def test_a_wrong_setting_is_shown_without_its_password(name: str, scheme: str):
    """The message still says which setting is wrong and what it takes."""
    for url in urls(scheme):
        trace = trace_of(lambda url=url: Config.from_settings(Settings({f"WEBCONTENT_{name}": url})))  # type: ignore[misc]
        assert not SECRET.search(trace), url
        assert not trace or f"WEBCONTENT_{name}" in trace


@pytest.mark.parametrize(
    ("open_it", "scheme"),
    [(open_store, "redis"), (redis_client, "redis"), (open_database, "postgresql")],
    ids=["store", "queue", "database"],
)
def test_a_server_that_does_not_answer_is_named_without_its_password(open_it: Callable[[str], object], scheme: str):
    """Also in the causes of the error, which a traceback shows."""
    pytest.importorskip("psycopg" if scheme == "postgresql" else "redis")
    for url in urls(scheme):
        if url.startswith(f"{scheme}:"):
            trace = trace_of(lambda url=url: open_it(url))  # type: ignore[misc]
            assert trace
            assert not SECRET.search(trace), url


def test_a_missing_package_is_named_without_the_password(monkeypatch: pytest.MonkeyPatch):
    """Of the store on a server."""
    monkeypatch.setitem(sys.modules, "redis", None)
    trace = trace_of(lambda: open_store("redis://:Hush7418@127.0.0.1:1/0"))
    assert "needs the package redis" in trace
    assert not SECRET.search(trace)


@pytest.mark.process
@pytest.mark.parametrize(
    "setting",
    [
        "WEBCONTENT_CRAWL_STATE=redis://:Hush7418@127.0.0.1:1/0",
        "WEBCONTENT_CRAWL_STATE=redis://:Hush/7418@127.0.0.1:1/0",
        "WEBCONTENT_REDIS=rediss:/:Hush7418@127.0.0.1:1/0",
        "WEBCONTENT_DATABASE=postgresql://user:Hush/7418@127.0.0.1:1/0",
        "WEBCONTENT_SCREENSHOT_STORE=ftps://user:Hush7418@127.0.0.1/",
    ],
)
def test_a_crawl_prints_no_password(setting: str, tmp_path: Path):
    """Neither on standard output nor on standard error, which hold log and traceback."""
    done = scrapy("crawl", "seeds", "-a", "urls=http://127.0.0.1:9/", "-s", setting, "-s", "LOG_LEVEL=DEBUG", cwd=tmp_path, env=OUR_PROJECT)
    assert done.returncode == 1
    assert not SECRET.search(done.stdout + done.stderr)
