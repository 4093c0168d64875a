"""Leaves out one part of the package at a time and measures what it was worth: `python -m benchmarks ablation webcontent.fields.times`.

A part is a function, or a number with a name. A function is replaced by its neutral value, which follows from its annotations: it returns
its first argument if the types are equal, otherwise nothing, an empty container, False or True. A number is moved by a third in both
directions. Each variant reads the same pages of the development corpora in a process of its own. The table names the pages whose items
change, the change of each metric in thousandths (the sum over the pages that have the metric, divided by their number), and the CPU time.

The models were trained on these corpora, and rankers were trained with the part in place. A part without effect here has none elsewhere;
one with an effect may still be worth less on pages of other sites: judge it by folds before it stays or goes.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import logging
import multiprocessing
import pkgutil
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import webcontent
from benchmarks.mutation import moved, numbers_in
from benchmarks.report import heading, markdown_table
from webcontent.evaluation.corpora import find_corpus, load_corpus
from webcontent.evaluation.scores import page_metrics, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from webcontent.evaluation.corpora import Record

CORPORA = ("wcxb-dev", "traf-dev", "fundus-dev", "zh-gold-dev", "zh-bylines", "l3s-gn1", "dragnet-dev", "cleaneval", "fixtures-dev")
SETS = ("authors", "editors", "related", "entries")
NEUTRAL: dict[str, tuple[Any, ...]] = {"bool": (False, True), "str": ("",), "int": (0,), "float": (0.0, 1.0), "None": (None,)}
"""Return annotation -> what a function gives when it is left out."""
EMPTY: dict[str, Callable[[], Any]] = {"list": list, "tuple": tuple, "dict": dict, "set": set, "frozenset": frozenset, "Iterator": tuple}
NOT_COMPARED = ("evidence", "fetched_at")
TIMEOUT_S = 900

Items = list[dict[str, Any]]


class Part(NamedTuple):
    """One variant. `value`: what stands in for the number, or for what the function returns."""

    module: str
    name: str
    value: Any
    returns_argument: bool = False

    def __str__(self) -> str:
        if self.returns_argument:
            return f"{self.module}.{self.name} returns its argument"
        return f"{self.module}.{self.name} = {self.value!r}"


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, measure all parts, print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ablation", description=__doc__)
    parser.add_argument("packages", nargs="+", help="modules or packages, or single parts as webcontent.fields.body:article_body")
    parser.add_argument("--corpora", default=",".join(CORPORA), help="names separated by commas (default: %(default)s)")
    parser.add_argument("--limit", type=int, default=40, help="pages per corpus, spread evenly (default: %(default)s)")
    parser.add_argument("--only", choices=("numbers", "functions"), help="numbers or functions alone")
    parser.add_argument("--jobs", type=int, default=1, help="processes at the same time (default: %(default)s)")
    options = parser.parse_args(words)
    pages = [record for name in options.corpora.split(",") if find_corpus(name) for record in load_corpus(name, limit=options.limit)]
    if not pages:
        sys.exit("No pages. Set WEBCONTENT_CORPORA.")
    parts = [part for name in options.packages for part in parts_of(name) if options.only in (None, kind_of(part))]
    logging.disable(logging.CRITICAL)  # a step that fails without the part is counted, not reported
    before, seconds = read_in_process(None, pages)
    print(heading("Ablation"), f"{len(pages)} pages, {len(parts)} variants; {seconds:.1f} s of CPU with all parts.\n", sep="\n", flush=True)
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=1) as pool:
        results = [(part, pool.apply_async(items_without, (part, pages))) for part in parts]
        lines = []
        for part, result in results:
            try:
                after, cost = result.get(TIMEOUT_S)
            except Exception as error:  # a function that returns what nobody expects
                lines.append((len(pages), [str(part), "all", type(error).__name__, ""]))
                continue
            changed = sum(old != new for old, new in zip(before, after, strict=True))
            lines.append((changed, [str(part), str(changed), differences(pages, before, after), f"{cost / seconds:.2f}"]))
            print(*lines[-1][1], sep=" | ", file=sys.stderr, flush=True)
    lines.sort(key=lambda line: line[0])
    print(markdown_table(("part", "pages changed", "change in thousandths", "CPU"), [cells for _, cells in lines]))


def kind_of(part: Part) -> str:
    """Whether a part is one of the numbers or of the functions."""
    return "numbers" if part.name.rpartition(".")[2].strip("_").isupper() else "functions"


def parts_of(name: str) -> Iterator[Part]:
    """The variants of a package, a module, or (behind a colon) one name of a module."""
    name, _, only = name.partition(":")
    package = importlib.import_module(name)
    paths = getattr(package, "__path__", None)
    names = [name, *(found.name for found in pkgutil.walk_packages(paths, name + "."))] if paths else [name]
    for path in names:
        module = importlib.import_module(path)
        for part in [*number_parts(module), *function_parts(module)]:
            if only in ("", part.name):
                yield part


def number_parts(module: ModuleType) -> Iterator[Part]:
    """Each number with a name, a third smaller and larger. Collections and numbers inside of expressions are left to `mutation`."""
    for literals in numbers_in(str(module.__file__), source_of(module)):
        name = literals[0].name
        value = vars(module).get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield from (Part(module.__name__, name, moved(value, sign)) for sign in (1, -1))


def source_of(module: ModuleType) -> str:
    """The code of a module."""
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def function_parts(module: ModuleType) -> Iterator[Part]:
    """Each function and method of a module with its neutral values, as far as the annotation of what it returns has one."""
    for node in ast.parse(source_of(module)).body:
        for function in node.body if isinstance(node, ast.ClassDef) else [node]:
            if not isinstance(function, ast.FunctionDef) or function.returns is None or function.name.startswith("__"):
                continue
            name = f"{node.name}.{function.name}" if isinstance(node, ast.ClassDef) else function.name
            returned = ast.unparse(function.returns)
            first = next((each for each in function.args.args if each.arg not in ("self", "cls")), None)
            if first is not None and first.annotation is not None and ast.unparse(first.annotation) == returned and returned not in NEUTRAL:
                yield Part(module.__name__, name, None, returns_argument=True)
            elif returned.endswith("| None"):
                yield Part(module.__name__, name, None)
            elif (container := returned.partition("[")[0]) in EMPTY:
                yield Part(module.__name__, name, EMPTY[container]())
            else:
                yield from (Part(module.__name__, name, value) for value in NEUTRAL.get(returned, ()))


def leave_out(part: Part) -> None:
    """Put the variant in place, in its module and wherever its name was imported."""
    owner: Any = sys.modules[part.module]
    *classes, name = part.name.split(".")
    for each in classes:
        owner = getattr(owner, each)
    old = inspect.getattr_static(owner, name)
    new = neutral(part, old, is_method=bool(classes)) if kind_of(part) == "functions" else part.value
    setattr(owner, name, new)
    if not classes:
        for module in [each for key, each in sys.modules.items() if key.startswith("webcontent")]:
            if module.__dict__.get(name) is old:
                setattr(module, name, new)


def neutral(part: Part, old: Any, *, is_method: bool) -> Any:
    """What stands in for a function, a method, a static method or a property."""
    first = int(is_method and not isinstance(old, staticmethod))

    def without(*arguments: Any, **_: Any) -> Any:
        return arguments[first] if part.returns_argument else part.value

    kinds: tuple[type, ...] = (property, staticmethod, classmethod)
    return next((kind(without) for kind in kinds if isinstance(old, kind)), without)


def items_without(part: Part | None, pages: Sequence[Record]) -> tuple[Items, float]:
    """The items of all pages, and the CPU seconds that they took. Runs in a process of its own."""
    if part is not None:
        leave_out(part)
    webcontent.extract("<title>Warm-up</title><p>Models are opened.</p>")
    start = time.process_time()
    return [item_of(record) for record in pages], time.process_time() - start


def item_of(record: Record) -> dict[str, Any]:
    """The fields of a page's item, without evidence and time of reading; an exception is an item, too."""
    try:
        fields = webcontent.extract(record["html"], url=record.get("url") or None).to_dict()
    except Exception as error:
        return {"exception": type(error).__name__}
    compared: dict[str, Any] = json.loads(
        json.dumps({name: value for name, value in fields.items() if name not in NOT_COMPARED}, default=str)
    )
    return compared


def read_in_process(part: Part | None, pages: Sequence[Record]) -> tuple[Items, float]:
    """The same as `items_without`, in a process that ends."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(items_without, (part, pages))


def metrics_of(item: dict[str, Any], record: Record) -> dict[str, float]:
    """Metrics of an item: those of the evaluator, names and links by the F1 of sets, and a publisher for a missing source."""
    gold = record["gold"]
    found = page_metrics({**item, "source": item.get("source") or item.get("publisher")}, record)
    for name in SETS:
        if gold.get(name):
            a, b = ({plain(each.get("title") if isinstance(each, dict) else each) for each in of.get(name) or []} for of in (item, gold))
            found[name] = 2 * len(a & b) / (len(a) + len(b))
    return found


def differences(pages: Sequence[Record], before: Items, after: Items) -> str:
    """The change of each metric that changes, in thousandths."""
    rows = [(metrics_of(old, page), metrics_of(new, page)) for page, old, new in zip(pages, before, after, strict=True)]
    changes = []
    for name in sorted({name for old, _ in rows for name in old}):
        change = 1000 * statistics.fmean(new.get(name, 0.0) - old[name] for old, new in rows if name in old)
        if round(change, 1):
            changes.append(f"{name} {change:+.1f}")
    return ", ".join(changes) or "none"


if __name__ == "__main__":
    main()
