"""Why a page became the item that it became: each stage's work kept, timed, and tied to the places on the page that it rests on.

`inspection_html` and `inspection_png` draw what is found here.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from time import perf_counter
from typing import TYPE_CHECKING, Any

from webcontent.document.boxes import COLUMNS
from webcontent.document.vips import visual_blocks
from webcontent.extraction import LABELS, Extraction, PageContext
from webcontent.fields.assembly import assemble
from webcontent.items import Listing
from webcontent.models import ModelError
from webcontent.pagetype.classify import PARTS
from webcontent.pipeline import check_options, classify, extract, extractor_name, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.document.parsing import Document
    from webcontent.document.vips import VisualBlock
    from webcontent.items import Article, Page, PageType
    from webcontent.pipeline import Options

ENTRY = "entry"
WIDTH_PX = 1366
"""Width of a screenshot in CSS px, where nothing else is said."""
COLORS = {
    "title": "#1d4ed8",
    "time": "#c2410c",
    "source": "#7e22ce",
    "authors": "#be185d",
    "body": "#15803d",
    ENTRY: "#0e7490",
    "related": "#a16207",
    "noise": "#6b7280",
}
"""Label -> colour; the labels of blocks, and `entry` for the records of a list. White text on each has a contrast of 4.5 or more."""
DAY = len("2024-03-05")
"""Places that agree so far show the value: a time may be more exact in the markup than on the page."""
MAX_PLACED = 400
"""Blocks that one field's place may hold."""
_X, _Y, _W, _H, _OWN = (COLUMNS.index(name) for name in ("x", "y", "w", "h", "own"))
_NUMBERS = slice(_X, _H + 1)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A part of the page, CSS px from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, other: Rectangle) -> bool:
        return (
            self.x <= other.x + 1
            and self.y <= other.y + 1
            and other.x + other.width <= self.x + self.width + 1
            and other.y + other.height <= self.y + self.height + 1
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What one extractor made of the page."""

    name: str
    extraction: Extraction
    item: Article | Listing
    labels: tuple[str, ...]
    """One a block: what the extractor said, and the fields that came from it."""
    extraction_ms: float
    fields_ms: float
    error: str = ""
    """What the extractor raised, where it did; the item is then made without it."""


@dataclass(frozen=True, slots=True)
class TextBox:
    """A rectangle with text of some blocks."""

    blocks: tuple[int, ...]
    """Several where one element holds lines that a <br> parts."""
    label: str
    rectangle: Rectangle


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: blocks of the page, and the rectangle around it where there are boxes."""

    blocks: tuple[int, ...] = ()
    rectangle: Rectangle | None = None


@dataclass(frozen=True, slots=True)
class VisualArea:
    """A block that the eye sees as one, from a segmentation of the picture."""

    rectangle: Rectangle
    label: str
    """What most of its text is."""
    doc: int
    """Degree of coherence, 1 to 10."""
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Inspection:
    """All that was found on a page, stage by stage."""

    document: Document
    page_type: PageType
    answers: tuple[Answer, ...]
    """The first is the route's: the item that a crawl would give. The others were asked for to compare."""
    stages: dict[str, float]
    """Milliseconds by stage, in their order; models were open already."""
    width_px: int
    """Width of the page when it was photographed, CSS px."""
    loading_ms: float = 0.0
    """What opening the models took, once a process."""
    fetching_ms: float | None = None
    """What it took until the page was there, the start of a browser included; None for a page that was stored."""
    places: dict[str, Place] = field(default_factory=dict, compare=False)

    @property
    def extraction(self) -> Extraction:
        return self.answers[0].extraction

    @property
    def item(self) -> Article | Listing:
        return self.answers[0].item

    @property
    def labels(self) -> tuple[str, ...]:
        return self.answers[0].labels

    @property
    def paths(self) -> list[str]:
        """XPath of each block."""
        return self.document.blocks.xpaths

    @cached_property
    def boxes(self) -> list[tuple[str, Rectangle, bool]]:
        """The browser's rows that can be read: XPath, rectangle, whether there is text of its own."""
        return [(row[0], Rectangle(*row[_NUMBERS]), row[_OWN] > 0) for row in self.document.boxes or [] if _is_row(row)]

    @cached_property
    def text_boxes(self) -> list[TextBox]:
        """The browser's boxes that hold text, each with the label of its block; empty without a browser."""
        by_path: dict[str, list[int]] = {}
        for i, path in enumerate(self.paths):
            by_path.setdefault(path, []).append(i)
        found: dict[str, list[Rectangle]] = {}
        for path, rectangle, has_text in self.boxes:
            home = _nearest(path, by_path) if has_text else None
            if home is not None and not any(outer.holds(rectangle) for outer in found.setdefault(home, [])):  # a bold word of it
                found[home].append(rectangle)
        return [
            TextBox(tuple(blocks), self.label_of(blocks), rectangle)
            for path, rectangles in found.items()
            for blocks in [by_path[path][:50]]
            for rectangle in rectangles
        ]

    def label_of(self, blocks: Sequence[int]) -> str:
        """The first label that is not noise."""
        return next((self.labels[i] for i in blocks if self.labels[i] != "noise"), "noise")

    def place(self, xpath: str | None) -> Place:
        """Where an element stands: the blocks in it (or the one that it is a part of), and what the browser drew of it."""
        if not xpath:
            return Place()
        if xpath not in self.places:
            self.places[xpath] = self._find_place(xpath)
        return self.places[xpath]

    def _find_place(self, xpath: str) -> Place:
        inside = f"{xpath}/"
        blocks = [i for i, path in enumerate(self.paths) if path == xpath or path.startswith(inside)][:MAX_PLACED]
        if not blocks:
            home = _nearest(xpath, dict.fromkeys(self.paths))
            blocks = [i for i, path in enumerate(self.paths) if path == home] if home not in (None, "/html", "/html/body") else []
        drawn = [rectangle for path, rectangle, _ in self.boxes if path == xpath or path.startswith(inside)]
        return Place(tuple(blocks), union(drawn))

    def seen_at(self, texts: Sequence[str]) -> Place:
        """The blocks that say one of the texts."""
        found = {block for text in texts for block in self._blocks_by_text.get(text, ())}
        return Place(tuple(sorted(found)[:MAX_PLACED]))

    @cached_property
    def _blocks_by_text(self) -> dict[str, list[int]]:
        """Blocks by their whole text, and by what of it stands in links."""
        found: dict[str, list[int]] = {}
        blocks = self.document.blocks
        for i, (text, link) in enumerate(zip(blocks.texts, blocks.link_texts, strict=True)):
            found.setdefault(text, []).append(i)
            if link and link != text:
                found.setdefault(link, []).append(i)
        return found

    @cached_property
    def visual_levels(self) -> list[list[VisualArea]]:
        """Visual blocks, level by level from the largest; empty without boxes. A block without parts stays on the levels below its own."""
        return _visual_levels(self)


def _is_row(row: Any) -> bool:
    """Whether a row of boxes can be drawn: they may come from a file that somebody edited."""
    if not isinstance(row, (list, tuple)) or len(row) <= _OWN or not isinstance(row[0], str):
        return False
    return all(isinstance(number, (int, float)) and isfinite(number) for number in (*row[_NUMBERS], row[_OWN]))


def union(rectangles: Sequence[Rectangle]) -> Rectangle | None:
    """The smallest rectangle around them; None around none."""
    if not rectangles:
        return None
    x, y = min(one.x for one in rectangles), min(one.y for one in rectangles)
    right, bottom = max(one.x + one.width for one in rectangles), max(one.y + one.height for one in rectangles)
    return Rectangle(x, y, right - x, bottom - y)


class _Clock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        begin = perf_counter()
        yield
        self.stages[stage] = (perf_counter() - begin) * 1000


def inspect_page(
    page: Page, options: Options, compare: Sequence[str] = (), reference_page: Page | None = None, *, width_px: int = WIDTH_PX
) -> Inspection:
    """A page's way through the pipeline with every stage kept; blocking.

    `compare`: names of further extractors; `reference_page`: another page of the same site, for extractors that compare two;
    `width_px`: of the screenshot, in CSS px. Raises ModelError, never on page content.
    """
    clock = _Clock()
    with clock("loading"):
        check_options(options, compare)
    loading_ms = clock.stages.pop("loading")
    with clock("reading"):
        document = read(page, options)
    with clock("blocks"):
        document.blocks  # noqa: B018  (walks the tree)
    with clock("page type"):
        page_type = classify(document, options)
    tree = read(reference_page, options).visual_tree if reference_page is not None else None
    context = PageContext(page_type=page_type, reference_pages=(tree,) if tree is not None else (), models=options.models)
    names = dict.fromkeys((extractor_name(page, context, options), *compare))
    answers = tuple(_answer(document, context, replace(options, extractor=name)) for name in names)
    clock.stages |= {"extraction": answers[0].extraction_ms, "fields": answers[0].fields_ms}
    return Inspection(document, page_type, answers, clock.stages, width_px, loading_ms)


def _answer(document: Document, context: PageContext, options: Options) -> Answer:
    name, error = str(options.extractor), ""
    begin = perf_counter()
    try:
        extraction = extract(document, context, options)
    except ModelError:
        raise
    except Exception as problem:  # the border where an extractor's fault becomes something to look at
        extraction, error = Extraction(), f"{type(problem).__name__}: {problem}"
    middle = perf_counter()
    item = assemble(document, context, extraction, name)
    end = perf_counter()
    labels = _labels(document, extraction, item)
    return Answer(name, extraction, item, labels, (middle - begin) * 1000, (end - middle) * 1000, error)


def _labels(document: Document, extraction: Extraction, item: Article | Listing) -> tuple[str, ...]:
    blocks = document.blocks
    if extraction.labels is not None and len(extraction.labels) == len(blocks):
        labels = [LABELS[int(code)] for code in extraction.labels]
    else:
        lines = body_lines(item.body)
        labels = ["body" if any(line in lines for line in text.splitlines()) else "noise" for text in blocks.texts]
    known = {link.title: "related" for link in item.related}
    if isinstance(item, Listing):
        known |= {entry.title: ENTRY for entry in item.entries}
    else:
        known |= dict.fromkeys(item.authors, "authors")
    known[item.title or ""] = "title"
    paths = blocks.xpaths
    lines_at = Counter(paths)
    places = dict(_places(item))
    for i, text in enumerate(blocks.texts):
        field, shown = places.get(paths[i], ("", ())) if labels[i] != "body" else ("", ())
        if lines_at[paths[i]] > 1 and not any(value in text for value in shown):  # another line of the same element
            field = ""
        labels[i] = known.get(text) or known.get(blocks.link_texts[i]) or field or labels[i]
    return tuple(labels)


def body_lines(body: str) -> set[str]:
    """The lines of a body, and the cells of those that are rows."""
    return {part for line in body.splitlines() for part in (line, *line.split("\t"))}


def _places(item: Article | Listing) -> Iterator[tuple[str, tuple[str, tuple[str, ...]]]]:
    """Where the values of the item's fields were seen: XPath, field, and what a line of that element says then."""
    for name in ("authors", "source", "time", "title"):
        candidates = item.evidence.get(name) or []
        for candidate in candidates:
            length = DAY if name == "time" else None
            if candidate.xpath and str(candidate.value)[:length] == str(candidates[0].value)[:length]:
                yield candidate.xpath, (name, tuple(_shown(name, candidate.value)))


def _shown(name: str, value: Any) -> list[str]:
    """What of a value stands in the text that shows it: of a time at least the year or the day of the month."""
    if name == "time":
        return [str(value)[:4], str(value)[8:DAY]]
    return [str(part) for part in value] if isinstance(value, (list, tuple)) else [str(value)]


def _nearest(path: str, known: dict[str, Any]) -> str | None:
    """The nearest known element at or above a path."""
    while path:
        if path in known:
            return path
        path = path.rpartition("/")[0]
    return None


def summary(inspection: Inspection) -> Iterator[str]:
    """Two lines that say what the page is taken for, and why."""
    page_type, item = inspection.page_type, inspection.item
    parts = ", ".join(f"{part_name(name)} {value:.2f}" for name, value in page_type.evidence.items())
    yield f"{page_type.type} ({page_type.kind}), score {page_type.score:.2f}" + (f" · probability of article: {parts}" if parts else "")
    flags = f" · flags: {', '.join(item.flags)}" if item.flags else ""
    yield f"extractor {item.extractor}, score {item.score:.2f}{flags} · {item.title or 'no title'}"


def part_name(model: str) -> str:
    """What of the page a page type model looks at; its own name, where it is a user's."""
    return next((part for part, name in PARTS.items() if name == model), model)


def block_lines(inspection: Inspection) -> Iterator[str]:
    """A line a block: label, score where there is one, text."""
    for i, text in enumerate(inspection.document.blocks.texts):
        score = block_score(inspection.extraction, i)
        yield f"{inspection.labels[i]:8} {'' if score is None else f'{score:.2f}':5} {short(text, 120)}"


def block_score(extraction: Extraction, block: int) -> float | None:
    """Probability of `body` that the extractor gave a block; None where it gives none."""
    scores = extraction.scores
    return float(scores[block]) if scores is not None and len(scores) > block else None


def short(text: str, limit: int) -> str:
    """The text's beginning, white space collapsed.

    >>> short("one  two three", 8)
    'one two…'
    """
    text = " ".join(text[: 4 * limit + 100].split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


MAX_LEVELS = 12
"""Of visual blocks; what is deeper is hardly ever more than a word."""
MAX_AREAS = 1500
"""Visual blocks of a level that are drawn."""


def _visual_levels(inspection: Inspection) -> list[list[VisualArea]]:
    readable = [row for row in inspection.document.boxes or [] if _is_row(row)]
    whole = visual_blocks(readable)
    if whole is None:
        return []
    areas: dict[int, VisualArea] = {}
    levels: list[list[VisualArea]] = []
    level = [whole]
    for _ in range(MAX_LEVELS):
        parts = [part for block in level for part in block.children or [block]]
        if len(parts) == len(level) or len(parts) > MAX_AREAS:
            break
        level = parts
        for block in level:
            if id(block) not in areas:
                areas[id(block)] = _area(inspection, block)
        levels.append([areas[id(block)] for block in level])
    return levels


def _area(inspection: Inspection, block: VisualBlock) -> VisualArea:
    """The visual block with what most of its text is; noise counts half, so that a headline shows beside its line of tags."""
    blocks = sorted({i for xpath in block.xpaths for i in inspection.place(xpath).blocks})
    chars: Counter[str] = Counter()
    for i in blocks:
        count = len(inspection.document.blocks.texts[i])
        chars[inspection.labels[i]] += count if inspection.labels[i] == "noise" else 2 * count
    label = chars.most_common(1)[0][0] if chars else "noise"
    return VisualArea(Rectangle(*block.rectangle), label, block.doc, tuple(blocks))
