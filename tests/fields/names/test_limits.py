"""How much is read for names, and what may be one: a size at which something counts, beside one at which it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import lxml.html
import numpy as np
import pytest

from tests.fields.names.test_atoms import line_of, values_of
from tests.fields.pages import CHINESE, signals_of
from webcontent.fields.names.atoms import cut_lines
from webcontent.fields.names.candidates import BylineGroup, byline_groups
from webcontent.fields.names.context import context_hashes
from webcontent.fields.names.features import byline_features, is_person
from webcontent.fields.names.lines import byline_lines
from webcontent.fields.names.people import is_name, links_author_page, names_of
from webcontent.fields.names.publishers import find_publishers
from webcontent.fields.names.ranking import Option
from webcontent.fields.names.rules import rule_authors
from webcontent.fields.names.value import Bylines, choose_authors, editor_names, find_bylines
from webcontent.fields.titles import TitleAnchor

if TYPE_CHECKING:
    from collections.abc import Callable

    from webcontent.fields.names.lines import Line
    from webcontent.fields.names.rules import RuleAuthors
    from webcontent.fields.page_signals import PageSignals

TITLE = "<h1>Ice stops the ferry</h1>"
LINE = "<p>Line"
DATED = "<p>Jane Doe, 5 May 2024</p>"


def anchored(html: str, block: int = 0, labels: list[int] | None = None) -> tuple[PageSignals, TitleAnchor]:
    """A page with its title in a block."""
    signals = signals_of(html, labels=labels)
    return signals, TitleAnchor(signals, block, "icestopstheferry")


def lines_of(html: str, zone: str, block: int = 0, labels: list[int] | None = None) -> list[Line]:
    return [line for line in byline_lines(*anchored(html, block, labels)) if line.zone == zone]


def in_body(text: str) -> Line:
    """A line at the beginning of a body."""
    return lines_of(f"<p>{text}", "opening", labels=[1])[0]


def group_of(html: str, name: str = "Jane Doe") -> BylineGroup:
    return next(group for group in byline_groups(*anchored(html)) if group.text == name)


def feature(name: str, html: str, person: str = "Jane Doe") -> float:
    signals, anchor = anchored(html)
    return float(byline_features(signals, anchor, [group_of(html, person)], (), (name,))[0, 0])


def hashes(html: str) -> list[int]:
    signals, _ = anchored(html)
    return list(context_hashes(signals, [group_of(html)])[0])


def people(count: int) -> list[str]:
    return [f"{'ABCDEFGHIJ'[number // 10]}da {'KLMNOPQRST'[number % 10]}oe" for number in range(count)]


def ruled(html: str, block: int = 0) -> list[RuleAuthors]:
    signals, anchor = anchored(html, block)
    return rule_authors(signals, anchor, (), [])


def is_editor(borders: int) -> bool:
    atoms = cut_lines([line_of(f"编辑：{'|' * borders}张三")])
    return bool(editor_names([BylineGroup("张三", "张三", [atom for atom in atoms if atom.text == "张三"])]))


def title_line(marks: int) -> bool:
    """Whether a line with other marks between its parts is the title."""
    signals = signals_of(f"<h1>Title</h1><p>Anna Miller {'-' * marks} Ben Stone")
    return all(group.text != "Ben Stone" for group in byline_groups(signals, TitleAnchor(signals, 0, "annamillerbenstone")))


def account(elements: int) -> bool:
    """Whether a name within so many elements is that of an account."""
    signals = signals_of(f"<h1>浮冰阻断渡轮</h1><p class=meta_nickname>{'<b>' * elements}左岸读书{'</b>' * elements}</p>{CHINESE}")
    groups = byline_groups(signals, TitleAnchor(signals, 0, "浮冰阻断渡轮"))
    return any(atom.label == "source" for group in groups for atom in group.atoms if group.text == "左岸读书")


def copyright_name(html: str) -> bool:
    """Whether what the page shows names the site."""
    signals = signals_of(html, url="https://www.sound.com/a")
    return bool(find_publishers(signals, TitleAnchor(signals)))


def is_label(text: str) -> bool:
    return values_of(f"{text}: Jane Doe")[-1] == ("Jane Doe", "unknown")


def reporter(before: int, behind: int = 40) -> bool:
    """Whether a reporter so far into a line is its author."""
    return ("张三", "author") in values_of(f"{'海' * before}记者张三{'，'}{'渡' * behind}")


def probable(source: float = 0.0, author: float = 0.0, html: str = "<p>By Jane Doe") -> Bylines:
    """What a page names where the model gives each candidate these probabilities."""
    models = Mock()
    models.load.return_value.config = {"features": ()}
    models.load.return_value.run.side_effect = lambda features, context: [np.full((len(context), 1), score) for score in (source, author)]
    return find_bylines(*anchored(TITLE + html), models)


LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "value without label": (lambda n: values_of("A" * n), 40, 41),
    "characters before a value": (lambda n: len(cut_lines([line_of("z" * (n - 1) + "|Jane Doe")])[-1].before) == n, 14, 15),
    "values of a line": (lambda n: len(cut_lines([line_of("|".join(people(n)))])) == n, 24, 25),
    "Chinese value": (lambda n: values_of("渡" * n), 24, 25),
    "label that nobody knows": (lambda n: is_label("x" * n), 24, 25),
    "candidates": (lambda n: len(byline_groups(*anchored(TITLE + "".join(f'<meta name=author content="{name}">' for name in people(n))))) == n, 16, 17),
    "borders between label and name": (is_editor, 2, 3),
    "marks within a title": (title_line, 14, 15),
    "elements within that of an account": (account, 2, 3),
    "elements around a name whose classes are words": (lambda n: hashes(f"{TITLE}<p>{'<b>' * n}By Jane Doe") == hashes(f"{TITLE}<p class=xyz>{'<b>' * n}By Jane Doe"), 3, 2),
    "blocks between title and name": (lambda n: feature("title_distance", f"{TITLE}{LINE * (n - 1)}<p class=author>Jane Doe") == n, 40, 41),
    "elements of a name's class": (lambda n: feature("same_class", f"{TITLE}<p class=x>Jane Doe{'<p class=x>Line' * (n - 1)}") == n, 20, 21),
    "elements around a name that tell": (lambda n: feature("class_author", f"{TITLE}<p class=author>{'<b>' * n}Jane Doe"), 3, 4),
    "places of a name whose markup is read": (lambda n: feature("author_page", f"{TITLE}{'<p>Jane Doe' * (n - 1)}<p><a href=/author/jane>Jane Doe</a>"), 3, 4),
    "lines before a title": (lambda n: len(lines_of(LINE * n + TITLE, "head", n)) == n + 1, 8, 9),
    "lines behind a title": (lambda n: len(lines_of(TITLE + LINE * n, "head")) == n + 1, 15, 16),
    "lines at the beginning of a body": (lambda n: len(lines_of(LINE * n, "opening", labels=[1] * n)) == n, 4, 5),
    "characters of a line": (lambda n: len(lines_of(f"{TITLE}<p>{'x' * n}", "head")) == 2, 220, 221),
    "characters of a line of the body": (lambda n: not in_body("x" * n).is_part, 90, 91),
    "lines by their class": (lambda n: len(lines_of(TITLE + LINE * 20 + "<p class=author>Ann" * n, "marked")) == n, 12, 13),
    "characters of a name": (lambda n: is_name("A" + "b" * (n - 1)), 60, 61),
    "words of a name": (lambda n: is_name(" ".join(["Ann"] * n)), 6, 7),
    "characters of a Chinese name": (lambda n: is_name("渡" * n), 16, 17),
    "characters of all names": (lambda n: names_of(("Ann Bee, " * 30)[:n]), 200, 201),
    "an abbreviation behind a name": (lambda n: names_of(f"Jane {'A' * (n - 1)}.")[0][-1] == ".", 4, 5),
    "words of a person": (lambda n: is_person(" ".join(["Ann"] * n)), 4, 5),
    "fewest words of a person": (lambda n: is_person(" ".join(["Ann"] * n)), 2, 1),
    "characters of a Chinese person": (lambda n: is_person("张" * n), 4, 5),
    "fewest characters of a Chinese person": (lambda n: is_person("张" * n), 2, 1),
    "address of an author's page": (lambda n: links_author_page(lxml.html.fromstring(f"<a href='/{'x' * (n - 10)}/author/j'>")), 300, 301),
    "blocks of a copyright line": (lambda n: copyright_name(f"<p>© 2024 Sound.{LINE * (n - 1)}"), 40, 41),
    "characters before a copyright line": (lambda n: copyright_name(f"<p>{'x' * (n - 14)}. © 2024 Sound."), 300, 301),
    "links to the front page": (lambda n: copyright_name("<a href=/>x</a>" * (n - 1) + "<a href=/>Sound</a>"), 6, 7),
    "blocks between a title and an author's link": (lambda n: ruled(f"{TITLE}{LINE * (n - 1)}<p><a rel=author>Jane Doe</a>"), 25, 26),
    "blocks between an author's link and a title": (lambda n: ruled(f"<p><a rel=author>Jane Doe</a>{LINE * (n - 1)}{TITLE}", n), 12, 13),
    "characters of a byline": (lambda n: ruled(f"{TITLE}<p>By Jane {'D' + 'o' * 19} and Bob {'R' + 'a' * 19} and Clara {'S' + 't' * 19} and Eva {'M' * (n - 97)}"), 120, 121),
    "fewest characters of a name by its class": (lambda n: ruled(f"{TITLE}<p class=author>{'Annabel'[:n]}"), 3, 2),
    "elements with a class of authors": (lambda n: any("Jane Doe" in found.names for found in ruled(f"{TITLE}<p>{'<b class=author>1</b> ' * (n - 1)}<b class=author>Jane Doe</b>")), 80, 81),
    "offset of a reporter": (reporter, 14, 15),
    "offset of a reporter in a short line": (lambda n: reporter(20, n - 25), 45, 46),
    "Chinese paper before a reporter": (lambda n: values_of("海" * n + "／记者张三")[0][1] == "source", 14, 15),
    "borders between a value and a date": (lambda n: cut_lines([line_of("海峡日报" + "|" * n + "2024-03-05")])[0].beside_date, 7, 8),
    "probability of a source": (lambda n: probable(source=n, html="<p>Source: Reuters").sources[0].value, 0.36, 0.34),
    "probability of an author": (lambda n: probable(author=n).authors[0].value, 0.46, 0.44),
    "probability of a labelled author": (lambda n: probable(author=n, html="<p>Author: Jane Doe").authors[0].value, 0.36, 0.34),
    "probability of a candidate": (lambda n: probable(author=n).authors, 0.021, 0.019),
    "other candidates": (lambda n: len(probable(author=0.1, html="".join(f"<p>By {name}" for name in people(n))).authors) == 1 + n, 5, 6),
    "authors": (lambda n: len(choose_authors([Option(name, may_be_author=True) for name in people(n)], [0.9] * n)) == n, 20, 21),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_names_are_found_up_to_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
