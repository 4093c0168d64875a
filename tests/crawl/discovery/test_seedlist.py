"""Seeds, the options behind them, and what they let through."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from webcontent.crawl.discovery.seedlist import Scope, iter_seeds, scope_of

if TYPE_CHECKING:
    from pathlib import Path


def test_a_line_may_have_options(tmp_path: Path):
    """They stand for what the command line says otherwise; a comment ends the line."""
    file = tmp_path / "seeds.txt"
    file.write_text("a.example/news allow=/news/ allow=/sport/ deny=\\?print= depth=2 pages=500 days=7 # daily\nb.example\n")
    default = scope_of({"depth": ["5"], "deny": ["/tag/"]}, Scope())
    first, second = (seed.scope for seed in iter_seeds(str(file), default))
    assert (first.depth, first.pages, first.days) == (2, 500, 7)
    assert first.allows("https://a.example/sport/1")
    assert first.allows("https://a.example/news/tag/1")
    assert not first.allows("https://a.example/news/1?print=1")
    assert not first.allows("https://a.example/about")
    assert second == default
    assert not second.allows("https://b.example/tag/x")


@pytest.mark.parametrize(
    ("options", "message"),
    [("depth=x", "depth is 'x'"), ("pages=-1", "pages is '-1'"), ("allow=(", "allow is '\\('"), ("newest", "'newest' .* NAME=VALUE"), ("dept=2", "'dept' is no option")],
)  # fmt: skip
def test_a_wrong_option_is_named(tmp_path: Path, options: str, message: str):
    """With what it takes."""
    file = tmp_path / "seeds.txt"
    file.write_text(f"a.example {options}\n")
    with pytest.raises(ValueError, match=message):
        list(iter_seeds(str(file)))


def test_entries_may_be_too_old():
    """What has no date is never."""
    now = datetime.now(UTC)
    scope = Scope(days=7)
    assert scope.is_recent(now - timedelta(days=6))
    assert not scope.is_recent(now - timedelta(days=8))
    assert scope.is_recent(None)
    assert Scope().is_recent(now - timedelta(days=8000))
