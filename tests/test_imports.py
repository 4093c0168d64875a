"""Which module may import which: the order of the packages, no circles, libraries that belong to one package."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement

import webcontent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PACKAGE = Path(webcontent.__file__).parent
CHECKOUT = PACKAGE.parent
MODULES = sorted(PACKAGE.rglob("*.py"))
BENCHMARKS = sorted((CHECKOUT / "benchmarks").rglob("*.py"))

ORDER = [
    {"items", "models", "hashing", "addresses", "markdown", "printable", "whole_files"},
    {"document"},
    {"history"},
    {"extraction"},
    {"pagetype", "fields", "formats"},
    {"extractors", "site_files"},
    {"pipeline"},
    {"api"},
    {"batch", "inspect", "saved_pages"},
    {"crawl"},
    {"evaluation", "training", "demo"},
]
"""A package may import from its own row and from the rows above it. Imports inside functions and for type checking count too."""

GUESTS = {path.parent.name for path in (PACKAGE / "extractors").glob("*/__init__.py")}
"""The packages of the papers' extractors."""
HOSTS = {
    "webcontent.crawl.pipelines.extract": {"ngfv"},
    **{f"webcontent.extractors.{guest}": {guest, "lines"} for guest in GUESTS},
}
"""Module or package -> what it may import of the papers' extractors. `lines` is shared by several of them. The table of extractors
names their classes in strings; what trains and measures imports anything."""

HOMES = {
    "scrapy": {"crawl", "demo", "batch", "inspect", "saved_pages", "benchmarks"},
    "scrapy_playwright": {"crawl", "demo", "benchmarks"},
    "twisted": {"crawl", "demo", "benchmarks"},
    "playwright": {"crawl", "demo", "benchmarks"},
    "onnxruntime": {"models"},
    "torch": {"training", "benchmarks"},
    "sklearn": {"training", "benchmarks"},
    "lightgbm": {"training", "benchmarks"},
    "matplotlib": {"benchmarks"},
    "onnx": {"training", "benchmarks"},
}
"""Libraries that only some packages import."""

DISTRIBUTIONS = {"PIL": "pillow", "newspaper": "newspaper4k", "readability": "readability_lxml", "sklearn": "scikit_learn"}
"""Libraries whose distribution has another name."""
EXTRAS = {
    "training": ["train"],
    "benchmarks": ["train", "bench", "parquet", "ray"],
    "evaluation": ["bench"],
    "batch": ["parquet", "warc"],
    "inspect": ["parquet", "postgres"],
    "crawl": ["parquet", "poet", "postgres", "redis", "spidermon"],
    "formats": ["poet"],
}
"""The extras that bring what a package imports."""
NOT_DECLARED = {"attrs", "playwright", "_typeshed"}
"""What scrapy, scrapy-playwright and zyte-common-items bring and need, and a package that only type checkers have."""


def module_name(path: Path) -> str:
    parts = path.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(module: str) -> str:
    """webcontent.fields.dates -> fields, webcontent -> "", benchmarks.vips -> benchmarks."""
    top, *rest = module.split(".")
    return top if top != "webcontent" else rest[0] if rest else ""


@cache
def known_modules() -> frozenset[str]:
    return frozenset(map(module_name, [*MODULES, *BENCHMARKS]))


@cache
def imported(path: Path) -> frozenset[str]:
    """All modules that a file imports: at its top, inside functions, and for type checking."""
    return frozenset(iter_imported(ast.parse(path.read_text(encoding="utf-8"))))


def iter_imported(tree: ast.Module) -> Iterator[str]:
    """`from webcontent.fields import titles` gives webcontent.fields.titles where that is a module, else webcontent.fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from names & known_modules()
            if names - known_modules():
                yield str(node.module)


def circles(graph: Mapping[str, frozenset[str]]) -> list[set[str]]:
    """Groups of modules that import each other, directly or through others (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[set[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = set(stack[stack.index(node) :])
            del stack[stack.index(node) :]
            if len(group) > 1:
                groups.append(group)

    for node in graph:
        if node not in index:
            visit(node)
    return groups


def test_imports_go_one_way():
    """A module imports from its own row and from the rows above it. The package itself may import any: its public names are loaded on first use."""
    assert {name: found for name, found in map(imports_from_below, MODULES) if found} == {}


def imports_from_below(path: Path) -> tuple[str, list[str]]:
    """A module's name, and what it imports from rows below its own."""
    name = module_name(path)
    if not package_of(name):
        return name, []
    row = next((row for row, packages in enumerate(ORDER) if package_of(name) in packages), None)
    if row is None:
        return name, [f"{package_of(name)} has no place in ORDER"]
    allowed = {"", *set().union(*ORDER[: row + 1])}
    own = {other for other in imported(path) if other.partition(".")[0] in {"webcontent", "benchmarks"}}
    return name, sorted(other for other in own if package_of(other) not in allowed)


def test_a_papers_extractor_is_a_guest():
    """Only its own package, its hosts, and what trains and measures import it."""
    offenders = []
    for path in MODULES:
        module = module_name(path)
        welcome = set().union(*(guests for host, guests in HOSTS.items() if f"{module}.".startswith(f"{host}.")))
        parts = (name.split(".") for name in imported(path))
        met = {part[2] for part in parts if part[:2] == ["webcontent", "extractors"] and len(part) > 2} & {*GUESTS, "lines"}
        if package_of(module) not in ORDER[-1]:
            offenders += [f"{module} imports {guest}" for guest in sorted(met - welcome)]
    assert offenders == []


def test_no_modules_import_each_other():
    """No circle of modules, whether they import at the top, inside functions or for type checking only."""
    graph = {module_name(path): imported(path) & known_modules() for path in [*MODULES, *BENCHMARKS] if path != PACKAGE / "__init__.py"}
    assert [sorted(group) for group in circles(graph)] == []


@pytest.mark.parametrize(
    ("graph", "groups"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, [{"a", "b"}]),
        ({"a": {"b"}, "b": {"c"}, "c": {"d", "b"}, "d": set()}, [{"b", "c"}]),
        ({"a": {"b"}, "b": {"a", "c"}, "c": {"d"}, "d": {"c"}}, [{"c", "d"}, {"a", "b"}]),
    ],
    ids=["none", "two", "inside", "two groups"],
)
def test_circles_are_found(graph: dict[str, set[str]], groups: list[set[str]]):
    """Of two modules, of several, and more than one."""
    assert circles({name: frozenset(others) for name, others in graph.items()}) == groups


def test_packages_have_homes():
    """Scrapy stays in the crawl, onnxruntime in models, what trains in training."""
    assert {name: found for name, found in map(imports_away_from_home, MODULES + BENCHMARKS) if found} == {}


def imports_away_from_home(path: Path) -> tuple[str, list[str]]:
    """A module's name, and the packages that it imports although they belong to other packages."""
    name = module_name(path)
    package = package_of(name)
    return name, sorted(other for other in imported(path) if package not in HOMES.get(other.split(".")[0], {package}))


def test_packages_are_declared():
    """What a module imports stands in pyproject.toml: in the dependencies, or in an extra of its package."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {name: found for name, found in (undeclared_imports(path, project) for path in MODULES + BENCHMARKS) if found} == {}


def undeclared_imports(path: Path, project: Mapping[str, Any]) -> tuple[str, list[str]]:
    """A module's name, and the distributions that it imports and that neither the dependencies nor the extras of its package name."""
    name = module_name(path)
    extras = EXTRAS.get(package_of(name), [])
    declared = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    names = {re.split("[^a-z0-9-]", line)[0].replace("-", "_") for line in declared} | NOT_DECLARED
    used = {other.split(".")[0] for other in imported(path)} - sys.stdlib_module_names - {"webcontent", "benchmarks"}
    return name, sorted({DISTRIBUTIONS.get(other, other) for other in used} - names)


def test_the_large_packages_of_an_installation_are_named():
    """In docs/security.md: all of 10 MB and more that the dependencies bring, and no other ones."""
    page = (CHECKOUT / "docs" / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| ([a-z0-9-]+)(?:,[^|]*)? \| \d+ \|", page, re.MULTILINE))
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, found = [Requirement(line).name for line in project["dependencies"]], set()
    while waiting:
        name = re.sub("[-_.]+", "-", waiting.pop()).lower()
        if name not in found:
            found.add(name)
            parts = map(Requirement, metadata.requires(name) or ())
            waiting += [part.name for part in parts if part.marker is None or part.marker.evaluate({"extra": ""})]
    assert {name for name in found if _megabytes(name) >= 10} <= named <= found | {"webcontent"}


def _megabytes(distribution: str) -> float:
    paths = [Path(str(file.locate())) for file in metadata.files(distribution) or ()]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def modules_after(code: str) -> set[str]:
    """Top-level modules that are loaded when a fresh interpreter has run the code."""
    code += "\nimport sys\nprint('modules:', *{name.split('.')[0] for name in sys.modules})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(process.stdout.rsplit("modules:", 1)[1].split())


@pytest.mark.process
def test_the_package_imports_nothing_heavy():
    """`import webcontent` is cheap: a spider's settings may name it."""
    loaded = modules_after("import webcontent")
    assert not loaded & {"scrapy", "twisted", "playwright", "onnxruntime", "numpy", "lxml", "PIL"}


@pytest.mark.process
def test_extraction_needs_no_scrapy():
    """`webcontent.extract` works without Scrapy and without the packages that train models."""
    loaded = modules_after("import webcontent; webcontent.extract('<p>Some text of a page that is long enough.</p>')")
    assert not loaded & {"scrapy", "twisted", "playwright"}
    assert not loaded & {"torch", "sklearn", "lightgbm", "matplotlib", "onnx"}


@pytest.mark.process
def test_the_scrapy_side_needs_no_training_package():
    """A crawl runs with the plain installation alone."""
    loaded = modules_after(
        "import webcontent.crawl.addon, webcontent.crawl.pipelines, webcontent.crawl.spiders.seeds, webcontent.demo.spider"
    )
    assert not loaded & {"torch", "sklearn", "lightgbm", "matplotlib", "onnx", "benchmarks"}


@pytest.mark.process
@pytest.mark.parametrize("command", ["extract", "inspect", "report"])
def test_commands_are_cheap_to_load(command: str):
    """Every scrapy call of a user loads every command: none may load a browser or a model."""
    loaded = modules_after(f"import webcontent.crawl.commands.{command}")
    assert not loaded & {"playwright", "onnxruntime", "numpy", "PIL", "torch"}


def test_public_names_are_there():
    """Each exported name resolves, and dir() lists it."""
    assert {name for name in webcontent.__all__ if getattr(webcontent, name) is not None} == set(webcontent.__all__)
    assert set(webcontent.__all__) <= set(dir(webcontent))
