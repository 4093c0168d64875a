"""Every example of README and documentation runs as it is written, or there is a reason why not."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from itertools import chain
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import scrapy as scrapy_package
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.spiders import CrawlSpider

import webcontent
from tests.batch.warc_records import compressed, numbered_record
from tests.crawl.crawls import CHECKOUT, article, scrapy
from tests.docs.internet import internet
from tests.docs.test_docs import PAGES, fenced
from tests.pagetype.pages import image_bytes
from webcontent import models
from webcontent.crawl.config import Config
from webcontent.pipeline import check_options, classify, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCS = sorted(page for page in PAGES if page not in {"CHANGELOG.md", "CONTRIBUTING.md"})
ENGLISH = [page for page in DOCS if "zh" not in page]
PROGRAMS = ("sh", "mkdir", "ls")
NOT_RUN = {
    "pip install": "installs packages; .ci/run installs the wheel",
    "python3 -m venv": "makes an environment; .ci/run does",
    "playwright install": "downloads a browser",
    "mkdir news && cd news": "the folder of the test takes its place",
    "docker compose": "needs Docker",
    "redis-cli": "needs a server; tests/crawl/distributed has one",
    "scrapy parse": "needs a project; tests/crawl/test_reactors.py has one",
    "scrapy crawl front": "needs a server; tests/examples/test_scale.py crawls with this spider",
    "python -m webcontent.training.": "takes long; tests/training/test_own_pages.py runs these commands",
    "python -m webcontent.evaluation.convert": "needs a download; tests/evaluation/test_convert.py has small ones",
    "python -m webcontent.evaluation.fetch": "loads a large archive; tests/evaluation/test_fetch.py has a small one",
}
"""Beginnings of commands -> why they are not run here."""
HAS_HARVEST = "harvest" in {entry.name for entry in entry_points(group="scrapy.commands")}
OUTPUT = re.compile(r"(?<= -[oO] )(?!-:)\S+|(?<= --save )\S+")


def commands(page: str) -> list[str]:
    """The commands of a page, without their comments."""
    lines = [line for block in fenced(PAGES[page], "console") for line in block.replace("\\\n", "").splitlines()]
    return [re.sub(r"\s+# .*", "", line[2:]).strip() for line in lines if line.startswith("$ ")]


def reason_not_to_run(command: str) -> str | None:
    return next((reason for start, reason in NOT_RUN.items() if command.startswith(start)), None)


COMMANDS = [(page, command) for page in ENGLISH for command in commands(page) if reason_not_to_run(command) is None]
RUN = [one for number, one in enumerate(COMMANDS) if one[1] not in {command for _, command in COMMANDS[:number]}]
"""Each command once, in the folder of the first page that has it."""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """That of a user without a browser, whose internet is on loopback."""
    programs = tmp_path_factory.mktemp("bin")
    for name in PROGRAMS:
        (programs / name).symlink_to(str(shutil.which(name)))
    program = programs / "scrapy"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom scrapy.cmdline import execute\nif __name__ == '__main__':\n    sys.exit(execute())\n"
    )
    program.chmod(0o755)
    (programs / "python").symlink_to(sys.executable)
    kept = {name: value for name, value in os.environ.items() if name.lower() not in {"http_proxy", "https_proxy", "no_proxy"}}
    with internet() as proxy:
        yield {
            **kept,
            **proxy,
            "PATH": str(programs),
            "PYTHONPATH": os.pathsep.join([str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]),
            "PLAYWRIGHT_BROWSERS_PATH": str(programs / "none"),
        }


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder per page, in which its commands run in their order, with the files that they read."""
    every = {page: tmp_path_factory.mktemp("page") for page in ENGLISH}
    for page, folder in every.items():
        shutil.copytree(CHECKOUT / "examples", folder / "examples")
        for name in ("page-of-mine.html", "page1.html", "page2.html"):
            (folder / name).write_text(article(f"A bridge in {name}"), encoding="utf-8")
        (folder / "state.json").write_text('{"cookies": [], "origins": []}')
        (folder / "seeds.txt").write_text("https://example.com/ pages=20\nhttps://example.org/news/ allow=/news/ depth=2\n")
        for name in ("crawl.warc.gz", "CC-MAIN-0.warc.gz", "CC-MAIN-1.warc.gz"):
            (folder / name).write_bytes(compressed(*map(numbered_record, range(3))))
        if lines := next((block for block in fenced(PAGES[page], "text") if "https://" in block), None):
            (folder / "sites.txt").write_text(lines, encoding="utf-8")
    return every


def test_every_command_is_run_or_has_a_reason():
    assert len(RUN) >= 10
    unused = [start for start in NOT_RUN if not any(command.startswith(start) for page in DOCS for command in commands(page))]
    assert unused == []


@pytest.mark.parametrize("page", sorted(set(DOCS) - set(ENGLISH)))
def test_chinese_pages_have_the_same_commands(page: str):
    """So that they run, too."""
    known = {command for _, command in RUN}
    assert [command for command in commands(page) if command not in known and reason_not_to_run(command) is None] == []


@pytest.mark.process
@pytest.mark.parametrize(("page", "command"), RUN)
def test_commands(page: str, command: str, environment: dict[str, str], folders: dict[str, Path]):
    """A command succeeds, without a traceback, and writes the files that it names."""
    if "scrapy harvest" in "".join(commands(page)) and not HAS_HARVEST:
        pytest.skip("the installed package is older than the command: install it again")
    if "--warc" in command:
        pytest.importorskip("fastwarc")
    folder = folders[page]
    if command.startswith("scrapy ") and not set(command) & set("|;&<>$"):  # a fork of a process that has imported what it needs
        files = ([str(path) for path in folder.glob(word)] if "*" in word else [word] for word in shlex.split(command)[1:])
        done = scrapy(*chain.from_iterable(files), cwd=folder, env=environment, timeout_s=300)
    else:
        shell = ["/bin/sh", "-c", command]
        done = subprocess.run(shell, capture_output=True, text=True, check=False, cwd=folder, env=environment, timeout=300)
    needs_browser = "WEBCONTENT_RENDER=True" in command  # without one no page is rendered, which is an exit code
    is_check = "--check" in command  # the pages that were saved just now do not differ
    assert done.returncode == int(needs_browser), done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    assert [output for output in OUTPUT.findall(command) if not (folder / output).exists()] == []
    assert not is_check or "differs" not in done.stdout


# Python


class Pages:
    """What data engines do with a function over batches, for the examples of tables."""

    def __init__(self, table: Any, written: list[Any]) -> None:
        self.table, self.written = table, written

    def read_parquet(self, path: str) -> Pages:
        return self

    def map_batches(self, function: Any, batch_format: str, batch_size: int) -> Pages:
        assert batch_format == "pyarrow"
        return Pages(function(self.table.slice(0, batch_size)), self.written)

    def mapInArrow(self, function: Any, schema: object) -> SimpleNamespace:  # noqa: N802  (Spark's name)
        import pyarrow as pa

        return SimpleNamespace(write=Pages(pa.Table.from_batches(function(iter(self.table.to_batches()))), self.written))

    def fetch_record_batch(self, size: int) -> Any:
        return self.table.to_reader(max_chunksize=size)

    def parquet(self, path: str) -> None:
        self.written.append(self.table)

    write_parquet = parquet


def batch_names() -> dict[str, Any]:
    """The engines, and a frame that is one of Spark and one of pandas."""
    pa, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    urls = [f"https://example.org/{number}" for number in range(3)]
    pages = Pages(pa.table({"url": urls, "html": [article(f"Story {url}") for url in urls]}), [])

    class Frame(pandas.DataFrame):  # type: ignore[name-defined,misc]
        mapInArrow = pages.mapInArrow  # noqa: N815

    engines = {"ray": SimpleNamespace(data=pages), "duckdb": SimpleNamespace(sql=lambda query: pages)}
    return {**engines, "frame": Frame(pages.table.to_pydict()), "pyarrow": pa, "written": pages.written}


def names_of(page: str) -> dict[str, Any]:
    """What the examples of a page take as given."""
    response = HtmlResponse(
        "https://example.org/1.html", body=article("Story").encode(), request=scrapy_package.Request("https://example.org/")
    )
    box = ["/html/body/p", "p", 20, 20, 600, 40, 16, 400, "#000000", "#ffffff", 9, 90, 0, 0, 0]
    html = article("Story")
    own = {
        "docs/markdown.md": {"html": html},
        "docs/ngfv.md": {"html": html, "url": "https://example.org/1.html", "boxes": [box], "other_html": html, "other_boxes": [box]},
        "docs/site-files.md": {"html": html},
        "docs/site-history.md": {"stored": [("https://example.org/1.html", html)]},
    }
    return {
        "webcontent": webcontent,
        "response": response,
        "url": "https://example.org/1.html",
        "Request": scrapy_package.Request,
        "CrawlSpider": CrawlSpider,
        **own.get(page, {}),
    }


def run_block(code: str, names: dict[str, Any]) -> list[Any]:
    """Runs a block. One of a callback becomes a function; what it yields is returned."""
    if any(
        isinstance(node, (ast.Yield, ast.YieldFrom))
        for statement in ast.parse(code).body
        for node in ast.walk(statement)
        if not in_function(statement)
    ):
        body = "\n".join(f"    {line}" for line in code.splitlines())
        exec(f"def callback():\n{body}\n    globals().update(locals())\n", names)
        return list(names["callback"]())
    exec(code, names)
    return []


def in_function(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


BLOCKS_NOT_RUN = {"from playwright.sync_api import": "needs a screen and someone who logs in; test_identity.py has a session that was kept"}
"""Beginnings of blocks -> why they are not run here."""
BLOCKS = [
    (page, code)
    for page in ENGLISH
    for code in fenced(PAGES[page], "python")
    if not code.startswith(">>>") and not any(code.startswith(start) for start in BLOCKS_NOT_RUN)
]


@pytest.mark.parametrize(("page", "code"), BLOCKS)
def test_python_blocks(page: str, code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A block runs, and its settings are valid. What a callback yields is a page or a request."""
    names = names_of(page)
    if "spidermon" in code:
        pytest.importorskip("spidermon")
    if "ray.data" in code:
        names |= batch_names()
    if "WebPage" in code:
        names |= {"attrs": pytest.importorskip("attrs"), **vars(pytest.importorskip("web_poet"))}
    if "project.extractors" in code:
        monkeypatch.setitem(sys.modules, "project.extractors", module_of(page, "# project/extractors.py"))
    if "SiteFiles" in code:  # with the complete example of the page
        (tmp_path / "sites").mkdir()
        (tmp_path / "sites" / "example.org.toml").write_text(next(iter(fenced(PAGES[page], "toml"))), encoding="utf-8")
        monkeypatch.chdir(tmp_path)
    for produced in run_block(code, names):
        assert isinstance(produced, (webcontent.Page, scrapy_package.Request))
    Config.from_settings(Settings({name: value for name, value in names.items() if name.isupper()}))
    if "ray.data" in code:
        assert [table.num_rows for table in names["written"]] == [3, 3]
        assert len(names["items"]) == 3


def module_of(page: str, first_line: str) -> ModuleType:
    """The module whose code a page shows."""
    module = ModuleType("project.extractors")
    (code,) = [block for block in fenced(PAGES[page], "python") if block.startswith(first_line)]
    exec(code, vars(module))
    return module


def test_the_extractor_of_the_example_extracts():
    longest = module_of("docs/extractors.md", "# project/extractors.py").Longest
    assert webcontent.extract(article("Story"), extractor=longest()).body


def test_the_page_type_network_of_the_example_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A crawl with these settings finds it in a checkout, also where the package does not bring it."""
    (code,) = [block for block in fenced(PAGES["docs/extractors.md"], "python") if "WEBCONTENT_PAGE_TYPE_MODEL" in block]
    (tmp_path / "webcontent").symlink_to(CHECKOUT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models, "SHIPPED_FOLDERS", ())
    names: dict[str, Any] = {}
    exec(code, names)
    options = Config.from_settings(Settings({name: value for name, value in names.items() if name.isupper()})).options()
    check_options(options)
    page = webcontent.Page(html=article("Story"), screenshot=image_bytes())
    assert "pagetype_lenet5_v1" in classify(read(page, options), options).evidence


def test_the_core_is_what_the_page_installs(tmp_path: Path):
    """`webcontent.extract` runs with the packages that the page names, and what these bring: none of those that it leaves out."""
    block = re.search(r"<!-- core -->\n```console\n(.*?)```", PAGES["docs/install.md"], re.DOTALL)
    assert block is not None
    named = {name.lower() for name in re.findall(r"pip install ([a-z].*)", block[1])[-1].split()}
    project = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    needed = set(
        re.findall(r'^    "([a-z0-9-]+)>=', project[project.index("dependencies = [") : project.index("[project.optional")], re.MULTILINE)
    )
    left_out = needed - named
    assert left_out == {"scrapy", "scrapy-playwright", "parsel", "cssselect", "tqdm", "twisted"}
    modules = [*(name.replace("-", "_") for name in left_out), "playwright"]
    code = f"import sys; sys.modules.update(dict.fromkeys({modules!r})); import webcontent; print(webcontent.extract('<h1>Rain</h1><p>It rained.').title)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("Rain\n", "")
