"""All patterns of the package, and texts that are made to keep each of them busy."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import TYPE_CHECKING, Any

try:
    from re import _parser as sre_parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10 and older
    import sre_parse as sre_parser

import webcontent

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

LEFT_OUT = ("webcontent.training", "webcontent.evaluation", "webcontent.demo")
"""Packages that read no strangers' pages."""
ALWAYS = (
    " ",
    "a",
    "A",
    "0",
    "-",
    ".",
    ",",
    ":",
    "/",
    "\n",
    "\t ",
    "年",
    "。",
    "记",
    "a ",
    "1-",
    "=",
    "&",
    "_",
    "é",
    '"',
    "<",
    "A. ",
    "ab-",
    "x.y",
    "1 2",
)
"""Pieces that every pattern is tried with."""
MAX_PIECES = 60
"""Different pieces of one pattern's own characters."""


def patterns() -> dict[str, re.Pattern[Any]]:
    """Each compiled pattern of the package's modules, by the name of the place where it stands."""
    found: dict[str, re.Pattern[Any]] = {}
    for info in pkgutil.walk_packages(webcontent.__path__, "webcontent."):
        if info.name.startswith(LEFT_OUT) or info.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(info.name)).items():
            for number, pattern in enumerate(_patterns_in(value)):
                found.setdefault(f"{info.name}.{name}[{number}]", pattern)
    unique = {(pattern.pattern, pattern.flags): name for name, pattern in reversed(found.items())}
    return {name: found[name] for name in sorted(unique.values())}


def _patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict) and depth < 3:
        for part in value.values():
            yield from _patterns_in(part, depth + 1)
    elif isinstance(value, (tuple, list)) and depth < 3:
        for part in value:
            yield from _patterns_in(part, depth + 1)


def pieces(pattern: re.Pattern[Any], chooser: random.Random) -> list[str]:
    """Short texts of the pattern's own characters: whole alternatives, and pairs of characters that it may repeat."""
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    literals = sorted(
        set(_literals(sre_parser.parse(text, pattern.flags & ~re.DEBUG & ~(re.UNICODE if isinstance(pattern.pattern, bytes) else 0))))
    )
    chars = sorted({char for literal in literals for char in literal})
    own = chooser.sample(literals, min(len(literals), MAX_PIECES // 2)) + chooser.sample(chars, min(len(chars), MAX_PIECES // 2))
    return list(dict.fromkeys([*ALWAYS, *own, *(one + other for one, other in zip(own, chooser.sample(own, len(own)), strict=True))]))


def _literals(parsed: Any) -> Iterator[str]:
    """The runs of literal characters of a parsed pattern, and one character of each class."""
    run = ""
    for operator, value in parsed:
        name = str(operator)
        if name == "LITERAL":
            run += chr(value)
            continue
        if run:
            yield run
        run = ""
        if name == "IN":
            yield from (chr(code if isinstance(code, int) else code[0]) for kind, code in value if str(kind) in ("LITERAL", "RANGE"))
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _literals(branch)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield from _literals(value[2])
        elif name == "SUBPATTERN":
            yield from _literals(value[-1])
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _literals(value[1])
        elif name == "ATOMIC_GROUP":
            yield from _literals(value)
    if run:
        yield run


def busy_text(pattern: re.Pattern[Any], repeated: str, around: tuple[str, str], size: int) -> Any:
    """A text or bytes of one piece, repeated, between two others."""
    text = around[0] + repeated * max(1, size // len(repeated)) + around[1]
    return text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
