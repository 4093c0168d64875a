"""The English documentation names everything that exists, and nothing else. The Chinese tables follow it (`make docs`)."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

import webcontent
from tests.docs import chinese
from tests.docs.tables import PAGES as GENERATED
from webcontent.crawl.config import PREFIX, RequestOptions
from webcontent.crawl.output.csv import COLUMNS
from webcontent.crawl.settings import SPIDER_MODULES
from webcontent.crawl.spiders.seeds import DEFAULTS
from webcontent.extractors import TABLE
from webcontent.items import FLAGS, KINDS, Article, Listing

PACKAGE = Path(webcontent.__file__).parent
ROOT = PACKAGE.parent
PAGES = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))}
TRANSCRIPT = re.compile(r"<!-- transcript: python -->\n```python\n(.*?)```", re.DOTALL)


def section(page: str, title: str) -> str:
    """The text below a heading of a page, up to the next heading of the same level."""
    return chinese.section(PAGES[page], title)


def first_cells(text: str) -> list[str]:
    """The code in the first column of a text's first table."""
    table = chinese.TABLE.search(text)
    assert table is not None
    return [name for row in chinese.table_rows(table[0]) for name in chinese.row_names(row)]


def fenced(text: str, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def stats_in_code() -> set[str]:
    """Names of stats under our prefix, as the crawl's code writes them; a part that varies is <>."""
    names = set()
    for path in (PACKAGE / "crawl").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            if name in {"inc_value", "set_value", "max_value", "count", "_count"} and node.args:
                choice = node.args[0]
                names |= {written(name) for name in ((choice.body, choice.orelse) if isinstance(choice, ast.IfExp) else (choice,))}
    return {name for name in names if name.startswith("webcontent/")}


def written(node: ast.expr) -> str:
    """A string or f-string as it is written, with <> in place of its values."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "<>" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def stages_in_code() -> set[str]:
    """Stages that `workers.failed` and the guards of the crawl name, and those of the pipeline's `attempt`."""
    crawl = "\n".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "crawl").rglob("*.py"))
    pipeline = (PACKAGE / "pipeline.py").read_text(encoding="utf-8")
    patterns = (
        (r'\.(?:failed|guard)\((?:self\.workers, )?"([a-z_]+)"', crawl),
        (r'^STAGE = "([a-z_]+)"', crawl),
        (r'attempt\(failures, "([a-z_]+)"', pipeline),
    )
    return {stage for pattern, code in patterns for stage in re.findall(pattern, code, re.MULTILINE)}


@pytest.mark.parametrize("name", GENERATED)
def test_tables_that_follow_from_the_code(name: str):
    """The settings by theme, and the output formats."""
    page = PAGES[f"docs/{name}"]
    assert GENERATED[name](page) == page, "python -m tests.docs.tables writes the tables"


def test_stats():
    """One table of exactly the stats that are counted."""
    documented = [re.sub("<[a-z]+>", ".+", name) for name in first_cells(section("docs/settings.md", "Stats"))]
    counted = stats_in_code()
    assert {name for name in counted if not any(re.fullmatch(pattern, name) for pattern in documented)} == set()
    assert {pattern for pattern in documented if not any(re.fullmatch(pattern, name) for name in counted)} == set()


def test_meta_keys():
    """One table of exactly the options that a request may have."""
    assert sorted(first_cells(section("docs/settings.md", "Meta keys"))) == RequestOptions({}).names


def test_stages():
    """The stages that may fail are those that the code names."""
    row = next(line for line in PAGES["docs/settings.md"].splitlines() if line.startswith("| `webcontent/errors/"))
    assert set(re.findall(r"[a-z_]+", re.split("[:：]", row)[-1])) == stages_in_code()


def test_defaults_of_seeds():
    """The settings in which the spider `seeds` differs are documented with their values."""
    rows = {line.split("`")[1]: line.split("|")[3] for line in PAGES["docs/settings.md"].splitlines() if line.startswith(f"| `{PREFIX}")}
    documented = {name: re.split("`seeds`[:：] ?", default)[1].strip(" `") for name, default in rows.items() if "`seeds`" in default}
    assert documented == {name: str(value) for name, value in DEFAULTS.items() if name.startswith(PREFIX)}


def test_commands():
    """The spiders and commands that a user calls."""
    named = first_cells(section("docs/settings.md", "Commands"))
    commands = {name.split()[1] for name in named if name.startswith("scrapy ")} - {"crawl"}
    spiders = {name.split()[2] for name in named if name.startswith("scrapy crawl ")}
    assert commands == {entry.name for entry in entry_points(group="scrapy.commands") if entry.value.startswith("webcontent.")}
    assert spiders == set(SpiderLoader.from_settings(Settings({"SPIDER_MODULES": SPIDER_MODULES})).list())


def test_exported_names():
    """What `webcontent` exports."""
    named = {re.split(r"[.(]", name.removeprefix("webcontent."))[0] for name in first_cells(section("README.md", "Use it without Scrapy"))}
    assert named == set(webcontent.__all__)


def test_api_reference():
    """Each exported name is in the reference, and each name of the reference is defined in its module."""
    named = re.findall(r"^::: (.+)\.(\w+)$", PAGES["docs/api.md"], re.MULTILINE)
    assert set(webcontent.__all__) <= {name for _, name in named}
    assert [(module, name) for module, name in named if getattr(importlib.import_module(module), name).__module__ != module] == []


@pytest.mark.parametrize("kind", [Article, Listing])
def test_item_fields(kind: type):
    """The table of a class names exactly its fields; a listing's table names the fields that it shares together."""
    assert set(first_cells(section("docs/fields.md", kind.__name__))) - set(KINDS) == {field.name for field in fields(kind)}


def test_kinds():
    """One table of exactly the kinds."""
    assert set(first_cells(section("docs/fields.md", "Kinds"))) == set(KINDS)


def test_flags():
    """One table of exactly the flags."""
    assert sorted(first_cells(PAGES["docs/flags.md"])) == sorted(FLAGS)


def test_extractors():
    """One table of exactly the extractors that ship."""
    assert set(first_cells(PAGES["docs/extractors.md"])) == set(TABLE)


@pytest.mark.parametrize("kind", [Article, Listing])
def test_csv_columns(kind: type):
    """The columns of CSV files are documented in their order."""
    blocks = [block.split() for block in fenced(PAGES["docs/fields.md"], "text")]
    assert ", ".join(COLUMNS[kind]).split() in blocks


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_transcript(page: str, monkeypatch: pytest.MonkeyPatch):
    """The first screen shows real output."""
    monkeypatch.chdir(ROOT)
    match = TRANSCRIPT.search(PAGES[page])
    assert match is not None
    assert match[1].count("\n") >= 10
    run_transcript(page, match[1], {})


@pytest.mark.parametrize(
    ("page", "example"),
    [("docs/index.md", "article.html"), ("docs/zh/index.md", "article.zh.html"), ("docs/fields.md", "article.html")],
)
def test_transcripts_of_pages(page: str, example: str):
    """So do the other pages, for the same examples."""
    html = (ROOT / "examples" / example).read_bytes()
    for code in fenced(PAGES[page], "python"):
        run_transcript(page, code, {"html": html, "article": webcontent.extract(html, url="https://example.org/2025/1006/c1012.html")})


def run_transcript(page: str, code: str, names: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(code, names, page, page, 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert test.examples
    assert not report, "".join(report)


def test_python_examples():
    """Examples parse, and what they import of ours exists."""
    examples = [(page, code) for page, text in PAGES.items() for code in fenced(text, "python") if not code.startswith(">>>")]
    assert [(page, name) for page, code in examples for name in missing_names(code)] == []


def missing_names(code: str) -> list[str]:
    """What an example imports from a module of ours that has no such name."""
    froms = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom) and str(node.module).startswith("webcontent")]
    modules = [(importlib.import_module(str(node.module)), node.names) for node in froms]
    return [f"{module.__name__}.{alias.name}" for module, names in modules for alias in names if not hasattr(module, alias.name)]


def test_modules_that_are_run():
    """`python -m` names a module that exists."""
    pattern = re.compile(r"python -m ((?:webcontent|benchmarks)[a-z0-9_.]*[a-z0-9_])(?![a-z0-9_.]*\.<)")
    assert [(page, name) for page, text in PAGES.items() for name in pattern.findall(text) if not is_module(name)] == []


def is_module(name: str) -> bool:
    """Whether the checkout has the module. It is not imported: the trainers need packages that the fast tests do without."""
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_files_of_the_architecture():
    """Each file and folder that the architecture page names exists."""
    named = re.findall(r"`([a-z_./]+(?:/|\.py|\.js|\.md|\.toml))`", PAGES["docs/architecture.md"])
    assert [name for name in named if not any((folder / name).exists() for folder in (PACKAGE, ROOT))] == []
    drawing = (ROOT / "docs/architecture/pipeline.svg").read_text(encoding="utf-8")
    drawn = [name for name in re.findall(r'class="file"[^>]*>([^<]+)<', drawing) if "/" in name or name.endswith(".py")]
    assert [name for name in drawn if not [*PACKAGE.glob(name)]] == []


def test_fields_of_the_architecture():
    """The table of the files in which fields are computed names fields of items, and leaves out only those that are copied."""
    named = set(first_cells(section("docs/architecture.md", "Where each field is computed")))
    every = {field.name for item_class in (Article, Listing) for field in fields(item_class)}
    assert every - named == {"url", "type", "extractor", "fetched_at", "screenshot", "evidence"}
    assert named <= every


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md", "CONTRIBUTING.md"])
def test_links_of_pages_outside_of_the_site(page: str):
    """Links to files of the repository lead somewhere; those of the site are checked when it is built."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", PAGES[page])
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_pages_that_the_code_names():
    """Code, examples and cards that refer to a page of the documentation name one that exists."""
    folders = [PACKAGE, *(ROOT / name for name in ("benchmarks", "examples", "models", ".ci"))]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".md", ".sh", ".txt", ".yaml"}]
    named = {(path.name, page) for path in files for page in re.findall(r"\bdocs/[a-z/-]+\.md", path.read_text(encoding="utf-8"))}
    assert sorted((file, page) for file, page in named if page not in PAGES) == []


def test_every_page_is_in_the_menu():
    menu = re.findall(r": ([a-z/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(menu) == sorted(page.removeprefix("docs/") for page in PAGES if page.startswith("docs/"))


@pytest.mark.process
@pytest.mark.skipif(find_spec("zensical") is None, reason="the documentation's tools are missing: make docs")
def test_the_site_loads_nothing_from_elsewhere(tmp_path: Path):
    """Scripts, styles, fonts and pictures of the built site are its own."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = [*(tmp_path / "build" / "docs").rglob("*.html")]
    assert len(pages) > len([page for page in PAGES if page.startswith("docs/")])
    loaded = [
        (page.name, address)
        for page in pages
        for address in re.findall(
            r'<(?:script|img|link rel="stylesheet")[^>]* (?:src|href)="(https?:[^"]+)"', page.read_text(encoding="utf-8")
        )
    ]
    assert loaded == []


def test_changelog_knows_this_version():
    assert f"\n## {webcontent.__version__} " in PAGES["CHANGELOG.md"]
