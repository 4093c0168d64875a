"""Composed pages: of a known page the byline is taken away, and one of `forms.toml` with other names stands in its place."""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree, html

from webcontent.document.parsing import Document
from webcontent.fields.names.candidates import NAMING_LABELS, byline_groups
from webcontent.fields.page_signals import PageSignals, plain
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from webcontent.evaluation.corpora import Record
    from webcontent.fields.titles import TitleAnchor

FORMS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))
COMPOSED = "composed"
"""The corpus of composed pages."""
MAX_LINE_CHARS = 120
"""A longer element that holds a name of the known page is text: such a page is not used."""
_DECLARES = re.compile(r"author|creator|source|editor|byl|publisher", re.I)
_CONTAINERS, _PARTS = ("p", "div", "div", "span", "li", "section"), ("span", "span", "a", "b", "em", "div")
_CLASSES = ("", "", "info", "meta", "txt", "a1", "top-line", "sub", "c-3", "item", "box", "byline", "author", "source", "date", "post-info")
FIRST_DAY, MINUTES, MAX_NUMBER = datetime(2010, 1, 1, tzinfo=UTC), 15 * 365 * 24 * 60, 10_000
"""Dates of composed pages: the first one, and minutes behind it; their numbers are smaller than the third."""
_PEOPLE = "abef"
_NAME = re.compile(r"\{(\w+)\}")


@dataclass(slots=True, frozen=True)
class Form:
    """One text of a form, with what counts as right in it."""

    language: str
    name: str
    place: str
    text: str
    authors: tuple[str, ...]
    without: str
    """A field that is not judged."""

    def filled(self, draw: random.Random) -> tuple[str, dict[str, Any]]:
        """The text with names, and its gold."""
        lists = {name: words.split() for name, words in FORMS[self.language].items() if isinstance(words, str)}
        words = {name: [word.replace("_", " ") for word in entries] for name, entries in lists.items()}
        people = dict(zip(_PEOPLE, draw.sample(words["persons"], len(_PEOPLE)), strict=True))
        moment = FIRST_DAY + timedelta(minutes=draw.randrange(MINUTES))
        values = {name: draw.choice(entries) for name, entries in words.items()} | people
        values |= {"s": values["sources"], "d": f"{moment:%Y-%m-%d %H:%M}", "n": str(draw.randrange(MAX_NUMBER))}
        used = set(_NAME.findall(self.text))
        gold: dict[str, Any] = {
            "source": values["s"] if "s" in used else None,
            "authors": [_fill(text, values) for text in self.authors] or [values[name] for name in "ab" if name in used],
            "editors": [values[name] for name in "ef" if name in used],
        }
        return _fill(self.text, values), {name: value for name, value in gold.items() if name != self.without}


def _fill(text: str, values: Mapping[str, str]) -> str:
    return _NAME.sub(lambda match: values[match[1]], text)


def forms() -> list[Form]:
    """All texts of `forms.toml`."""
    return [
        Form(language, form["name"], form["place"], text, tuple(form.get("authors", ())), form.get("without", ""))
        for language, lists in FORMS.items()
        for form in lists["forms"]
        for text in form["texts"]
    ]


def composed_page(record: Record, signals: PageSignals, anchor: TitleAnchor, form: Form, draw: random.Random) -> Record | None:
    """The page of a record with the byline of a form; None where the page's own one can't be taken away. `signals`, `anchor`: its own."""
    if signals.body is None or anchor.block is None or not anchor.block < signals.body[0]:
        return None
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    nodes = document.blocks.elements.nodes
    rows = _byline_rows(record["gold"], signals, anchor)
    if len(nodes) != len(signals.blocks.elements.nodes) or any(len(nodes[row].text_content()) > MAX_LINE_CHARS for row in rows):
        return None
    for row in rows:
        nodes[row].text = None
        for child in nodes[row]:
            child.tail = None
    for node in list(document.root.iter("script", "meta")):
        declared = " ".join(node.get(name, "") for name in ("name", "property", "itemprop"))
        if node.get("type") == "application/ld+json" or _DECLARES.search(declared):
            node.drop_tree()
    text, gold = form.filled(draw)
    first, last = (nodes[int(document.blocks.element[block])] for block in (anchor.block, signals.body[1]))
    if form.place == "tail":
        _append(last, text)
    else:
        (first if form.place == "head" else last).addnext(_element(text, draw))
    source = etree.tostring(document.root, encoding="unicode", method="html")
    return {**record, "html": source, "gold": gold, "id": f"{record['id']} {form.place} {form.text}"}


def _byline_rows(gold: Mapping[str, Any], signals: PageSignals, anchor: TitleAnchor) -> set[int]:
    """Elements that hold a right name or a labelled one."""
    names = {plain(name) for name in (gold.get("source"), *(gold.get("authors") or ()), *(gold.get("editors") or ()))}
    groups = byline_groups(signals, anchor)
    return {atom.row for group in groups for atom in group.atoms if group.key in names or atom.label in NAMING_LABELS}


def _append(node: HtmlElement, text: str) -> None:
    if len(node):
        node[-1].tail = (node[-1].tail or "").rstrip() + text
    else:
        node.text = (node.text or "").rstrip() + text


def _element(text: str, draw: random.Random) -> HtmlElement:
    """An element with the parts of a text, with tags and classes at random."""
    node = html.Element(draw.choice(_CONTAINERS))
    node.set("class", draw.choice(_CLASSES))
    parts = text.split("|")
    tag = draw.choice(_PARTS)
    for part in parts:
        child = etree.SubElement(node, tag if len(parts) > 1 or draw.random() < 0.3 else "span")
        child.text = part
        child.set("class", draw.choice(_CLASSES))
    return node


class Composer:
    """Deals the texts of all forms to known pages, Chinese ones to Chinese pages, so that each is used as often as the others."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self._waiting: dict[bool, list[Form]] = {True: [], False: []}

    def pages(self, record: Record, signals: PageSignals, anchor: TitleAnchor, count: int) -> Iterator[tuple[str, Record]]:
        """Up to `count` pages made of one, each with the name of its form."""
        for _ in range(count):
            waiting = self._waiting[signals.is_han]
            if not waiting:
                waiting += [form for form in forms() if (form.language == "zh") == signals.is_han]
                self.draw.shuffle(waiting)
            if made := composed_page(record, signals, anchor, waiting[-1], self.draw):
                yield waiting.pop().name, made
