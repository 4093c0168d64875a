"""The README and the page of settings name everything that exists, and nothing else."""

from __future__ import annotations

import ast
import doctest
import re
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path
from urllib.request import urlopen

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

import webcontent
from webcontent.crawl.config import PREFIX, Config
from webcontent.crawl.output.csv import COLUMNS
from webcontent.crawl.settings import SPIDER_MODULES
from webcontent.demo.server import DemoServer
from webcontent.extractors import TABLE
from webcontent.items import FLAGS, KINDS, Article, Listing

PACKAGE = Path(webcontent.__file__).parent
README = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
SETTINGS = (PACKAGE.parent / "docs" / "settings.md").read_text(encoding="utf-8")
CHANGELOG = (PACKAGE.parent / "CHANGELOG.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text below a heading of the README or of the settings' page."""
    return (README + SETTINGS).split(f"\n## {title}\n")[1].split("\n## ")[0]


def first_cells(title: str) -> list[str]:
    """What stands as code in the first column of a section's table."""
    rows = [line.replace(r"\|", "/") for line in section(title).splitlines() if line.startswith("|")]
    return [name for row in rows[2:] for name in re.findall("`([^`]+)`", row.split("|")[1])]


def stats_in_code() -> set[str]:
    """Names of stats under our prefix, as the crawl's code writes them; what varies stands as <>."""
    names = set()
    for path in (PACKAGE / "crawl").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in {"inc_value", "set_value", "max_value"}
            ):
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    names.add(str(name.value))
                elif isinstance(name, ast.JoinedStr):
                    names.add("".join(str(part.value) if isinstance(part, ast.Constant) else "<>" for part in name.values))
    return {name for name in names if name.startswith("webcontent/")}


def test_settings():
    """One table, in the order of the alphabet, of exactly the settings that are read."""
    assert first_cells("Settings") == sorted(PREFIX + field.name.upper() for field in fields(Config))


def test_stats():
    """One table of exactly the stats that are counted."""
    documented = [re.sub("<[a-z]+>", ".+", name) for name in first_cells("Stats")]
    counted = stats_in_code()
    assert {name for name in counted if not any(re.fullmatch(pattern, name) for pattern in documented)} == set()
    assert {pattern for pattern in documented if not any(re.fullmatch(pattern, name) for name in counted)} == set()


def test_commands():
    """The spiders and commands that a user calls."""
    named = first_cells("Commands")
    commands = {name.split()[1] for name in named if name.startswith("scrapy ")} - {"crawl"}
    spiders = {name.split()[2] for name in named if name.startswith("scrapy crawl ")}
    assert commands == {entry.name for entry in entry_points(group="scrapy.commands") if entry.value.startswith("webcontent.")}
    assert spiders == set(SpiderLoader.from_settings(Settings({"SPIDER_MODULES": SPIDER_MODULES})).list())


def test_exported_names():
    """What `webcontent` exports."""
    named = {re.split(r"[.(]", name.removeprefix("webcontent."))[0] for name in first_cells("Without Scrapy")}
    assert named - {"Entry", "Link", "Image"} == set(webcontent.__all__) - {"Entry", "Link", "Image"}
    assert {"Entry", "Link", "Image"} <= named & set(webcontent.__all__)


@pytest.mark.parametrize("kind", [Article, Listing])
def test_item_fields(kind: type):
    """Each field of the items stands in the table of items."""
    named = set(re.findall("`([a-z_]+)`", section("What an item looks like")))
    assert {field.name for field in fields(kind)} <= named


def test_flags_and_kinds():
    """Each flag and each kind of page."""
    text = section("What an item looks like")
    assert {flag for flag in FLAGS if f"`{flag}`" in text} == set(FLAGS)
    assert {kind for kind in KINDS if kind in text} == set(KINDS)


def test_extractors():
    """Each name in the table of extractors."""
    assert set(first_cells("Extractors")) == set(TABLE)


@pytest.mark.parametrize("kind", [Article, Listing])
def test_csv_columns(kind: type):
    """The order of the columns is documented."""
    assert f"`{', '.join(COLUMNS[kind])}`" in README


def test_transcript():
    """What the first screen shows is what comes out."""
    code = README.split("<!-- transcript: python -->\n```python\n")[1].split("```")[0]
    with DemoServer() as server, urlopen(server.url + "/2025/0926/c0951.html") as answer:
        html = answer.read()
    test = doctest.DocTestParser().get_doctest(code, {"html": html}, "README.md", "README.md", 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert test.examples
    assert not report, "".join(report)


def test_changelog_knows_this_version():
    assert f"\n## {webcontent.__version__} " in CHANGELOG
