"""Seeds, their options, and their limits."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from webcontent.crawl.discovery.seedlist import PageBudget, Seed, iter_seeds, with_options
from webcontent.crawl.setup_errors import WrongValueError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("urls", "seeds"),
    [
        ("https://example.com/", ["https://example.com/"]),
        ("example.com", ["https://example.com/"]),
        ("http://a.example/,http://b.example/x", ["http://a.example/", "http://b.example/x"]),
        ("a.example, b.example:8080/x", ["https://a.example/", "https://b.example:8080/x"]),
        ("http://a.example/x?ids=1,2,3", ["http://a.example/x?ids=1,2,3"]),
        ("localhost:8000", ["https://localhost:8000/"]),
    ],
)
def test_seeds_are_urls(urls: str, seeds: list[str]):
    """One or several; https where there is no scheme. A comma may be part of a URL."""
    assert [seed.url for seed in iter_seeds(urls)] == seeds


def test_seeds_may_be_in_a_file(tmp_path: Path):
    """One per line; empty lines and comments are skipped."""
    file = tmp_path / "seeds.txt"
    file.write_text("# news\nhttps://a.example/\n\nb.example\n", encoding="utf-8-sig")
    assert [seed.url for seed in iter_seeds(f"{file},c.example")] == ["https://a.example/", "https://b.example/", "https://c.example/"]


@pytest.mark.parametrize(
    ("urls", "message"),
    [
        ("javascript:alert(1)", "'javascript:alert\\(1\\)' is neither an http\\(s\\) address nor a file"),
        ("no file", "'no file' is neither"),
        ("ftp://a.example/", "'ftp://a.example/' is neither"),
        ("nofile.txt", "'nofile.txt' is neither"),
        ("a.example,nofile.txt", "'a.example,nofile.txt' is neither"),
        ("./seeds", "'./seeds' is neither"),
    ],
)
def test_what_is_neither_url_nor_file_is_an_error(urls: str, message: str):
    with pytest.raises(ValueError, match=message):
        list(iter_seeds(urls))


@pytest.mark.parametrize(
    ("content", "message"), [(b"# nothing yet\n\n", "names no address"), (b"\xff\xfea\x00", "is no text in UTF-8")], ids=["empty", "UTF-16"]
)
def test_a_file_without_seeds_is_an_error(tmp_path: Path, content: bytes, message: str):
    file = tmp_path / "seeds.txt"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        list(iter_seeds(str(file)))


def test_a_line_may_have_options(tmp_path: Path):
    """They replace those of the command line; a comment ends the line."""
    file = tmp_path / "seeds.txt"
    file.write_text("a.example/news allow=/news/ allow=/sport/ deny=\\?print= depth=2 pages=500 days=7 # daily\nb.example\n")
    default = with_options({"depth": ["5"], "deny": ["/tag/"]})
    first, second = iter_seeds(str(file), default)
    assert (first.depth, first.pages, first.days) == (2, 500, 7)
    assert first.allows("https://a.example/sport/1")
    assert first.allows("https://a.example/news/tag/1")
    assert not first.allows("https://a.example/news/1?print=1")
    assert not first.allows("https://a.example/about")
    assert second == replace(default, url="https://b.example/")
    assert not second.allows("https://b.example/tag/x")


@pytest.mark.parametrize(
    ("options", "message"),
    [("depth=x", "depth is 'x'"), ("pages=-1", "pages is '-1'"), ("allow=(", "allow is '\\('"), ("newest", "'newest' .* NAME=VALUE"), ("dept=2", "'dept' is no option")],
)  # fmt: skip
def test_a_wrong_option_is_named(tmp_path: Path, options: str, message: str):
    """With the values that it takes."""
    file = tmp_path / "seeds.txt"
    file.write_text(f"a.example {options}\n")
    with pytest.raises(ValueError, match=message):
        list(iter_seeds(str(file)))


@pytest.mark.parametrize(("line", "longest"), [("a.example/\x1b[2J newest", 200), ("x" * 5_000_000, 2000)])
def test_the_message_about_a_hostile_line_is_short_and_escaped(line: str, longest: int, tmp_path: Path):
    file = tmp_path / "seeds.txt"
    file.write_text(line)
    with pytest.raises(WrongValueError) as error:
        list(iter_seeds(str(file)))
    assert str(error.value).isprintable()
    assert longest - 200 < len(str(error.value)) <= longest


def test_entries_may_be_too_old():
    """Entries without a date never are."""
    now = datetime.now(UTC)
    scope = Seed(days=7)
    assert scope.is_recent(now - timedelta(days=6))
    assert not scope.is_recent(now - timedelta(days=8))
    assert scope.is_recent(None)
    assert Seed().is_recent(now - timedelta(days=8000))


def test_the_budget_counts_pages_of_each_seed_and_of_all():
    """A seed is full at its own limit or at that of the crawl; 0 is no limit."""
    seeds = [Seed("http://a.example/", pages=1), Seed("http://b.example/")]
    budget = PageBudget(seeds, 3)
    budget.count_page(0)
    assert (budget.is_full(0), budget.is_full(1), budget.is_spent) == (True, False, False)
    budget.count_page(1)
    budget.count_page(1)
    assert (budget.is_full(1), budget.is_spent) == (True, True)
    assert not PageBudget(seeds, 0).is_spent


@pytest.mark.parametrize(("pages", "failures"), [(1, 105), (100, 600)])
def test_requests_without_a_page_are_bounded(pages: int, failures: int):
    """More where more pages are wanted; without a limit of pages there is none."""
    budget = PageBudget([Seed("http://a.example/", pages=pages), Seed("http://b.example/")], 0)
    for _ in range(failures - 1):
        budget.failures[0] += 1
        budget.failures[1] += 1
    assert not budget.is_full(0)
    budget.failures[0] += 1
    assert (budget.is_full(0), budget.is_full(1)) == (True, False)


def test_the_number_of_sources_is_bounded():
    budget = PageBudget([Seed("http://a.example/")], 0)
    assert all(budget.takes_source(0) for _ in range(200))
    assert not budget.takes_source(0)
