"""Who may import whom."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import webcontent

PACKAGE = Path(webcontent.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

ORDER = [
    {"items", "models", "zyte", "jsonld"},
    {"document"},
    {"pagetype", "fields"},
    {"extractors"},
    {"api"},
    {"batch"},
    {"crawl"},
]
"""A part may import from its own row and the rows above it."""
FREE = {"training", "benchmark", "demo", "corpus"}
"""These import anything, and nothing else imports them."""

HOMES = {
    "scrapy": {"crawl", "demo", "benchmark", "training"},
    "scrapy_playwright": {"crawl", "demo", "benchmark"},
    "twisted": {"crawl", "demo", "benchmark"},
    "playwright": {"crawl", "demo", "benchmark"},
    "onnxruntime": {"models"},
    "torch": {"training", "benchmark"},
    "sklearn": {"training", "benchmark"},
    "lightgbm": {"training", "benchmark"},
    "matplotlib": {"training", "benchmark"},
    "onnx": {"training", "benchmark"},
    "onnxmltools": {"training", "benchmark"},
}
"""Packages that only some parts import."""

DISTRIBUTIONS = {"PIL": "pillow", "newspaper": "newspaper4k", "readability": "readability_lxml", "sklearn": "scikit_learn"}
"""Packages whose distribution has another name."""
EXTRAS = {
    "training": ["train"],
    "benchmark": ["train", "bench", "parquet", "ray"],
    "batch": ["parquet", "warc"],
    "crawl": ["parquet", "poet", "postgres", "redis"],
    "zyte": ["poet"],
}
"""The extras that bring what a part imports."""
COME_ALONG = {"playwright", "twisted"}
"""What scrapy and scrapy-playwright bring, and are nothing without."""


def module_name(path: Path) -> str:
    parts = ("webcontent", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    """webcontent.fields.dates -> fields; the package itself -> empty."""
    return module.split(".")[1] if "." in module else ""


def imported(path: Path) -> set[str]:
    """All modules that a file imports, wherever in it, but for type checking."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for child in ast.walk(statement)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} if node.module == "webcontent" else {str(node.module)}
    return names


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_go_one_way(path: Path):
    """A module imports from its own part and from those before it in the order of the data."""
    module = module_name(path)
    part = part_of(module)
    if part in FREE or not part:
        return
    row = next((row for row, parts in enumerate(ORDER) if part in parts), None)
    assert row is not None, f"{part} has no place in ORDER"
    allowed = set().union(*ORDER[: row + 1])
    used = {part_of(name) for name in imported(path) if name.startswith("webcontent.")}
    assert used <= allowed


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_packages_have_homes(path: Path):
    """Scrapy stays in the crawl, onnxruntime in models, what trains in training."""
    part = part_of(module_name(path))
    strangers = {name for name in imported(path) if part not in HOMES.get(name.split(".")[0], {part})}
    assert not strangers


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_packages_are_declared(path: Path):
    """What a module imports stands in pyproject.toml: in the dependencies, or in the extra of its part."""
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = EXTRAS.get(part_of(module_name(path)), [])
    declared = [*project["dependencies"], *(line for name in extra for line in project["optional-dependencies"][name])]
    names = {re.split("[^a-z0-9-]", line)[0].replace("-", "_") for line in declared} | COME_ALONG
    used = {name.split(".")[0] for name in imported(path)} - sys.stdlib_module_names - {"webcontent"}
    assert {DISTRIBUTIONS.get(name, name) for name in used} <= names


def modules_after(code: str) -> set[str]:
    """Top-level modules that are loaded when a fresh interpreter has run the code."""
    code += "\nimport sys\nprint('modules:', *{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rsplit("modules:", 1)[1].split())


def test_the_package_imports_nothing_heavy():
    """`import webcontent` costs nothing: a spider's settings may name it."""
    loaded = modules_after("import webcontent")
    assert not loaded & {"scrapy", "twisted", "playwright", "onnxruntime", "numpy", "lxml", "PIL"}


def test_extraction_needs_no_scrapy():
    """`webcontent.extract` works where Scrapy is not wanted, and without what trains models."""
    loaded = modules_after("import webcontent; webcontent.extract('<p>Some text of a page that is long enough.</p>')")
    assert not loaded & {"scrapy", "twisted", "playwright"}
    assert not loaded & {"torch", "sklearn", "lightgbm", "matplotlib", "onnx", "onnxmltools"}


def test_the_scrapy_side_needs_no_training_package():
    """A crawl runs where nothing but the plain installation is there."""
    loaded = modules_after(
        "import webcontent.crawl.addon, webcontent.crawl.pipelines, webcontent.crawl.spiders.seeds, webcontent.demo.spider"
    )
    assert not loaded & {"torch", "sklearn", "lightgbm", "matplotlib", "onnx", "onnxmltools"}


@pytest.mark.parametrize("command", ["extract", "inspect", "report"])
def test_commands_are_cheap_to_load(command: str):
    """Every scrapy call of a user loads every command: none may bring a browser or a model along."""
    loaded = modules_after(f"import webcontent.crawl.commands.{command}")
    assert not loaded & {"playwright", "onnxruntime", "numpy", "PIL", "torch"}


def test_public_names_are_there():
    """Each exported name resolves, and dir() lists it."""
    assert {name for name in webcontent.__all__ if getattr(webcontent, name) is not None} == set(webcontent.__all__)
    assert set(webcontent.__all__) <= set(dir(webcontent))
