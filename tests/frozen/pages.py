"""What is frozen: `python -m tests.frozen` writes it anew after a change that is meant, and shows what differs.

Of each golden page, and of drawn pages with boxes: the means of the columns that each model is given, by every extractor, and the scores of
the candidates. Of the pages of `series`: a digest of the item for each size. Of some of them, what each extractor makes of a size, and what
its model is given; of NGFV, the visual tree and the comparison with a page of another size.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

import webcontent
from tests.extractors.ngfv.drawn import drawn
from tests.frozen.series import SERIES, sizes
from tests.golden.pages import expected, folders, known_faults
from webcontent.document.parsing import Document
from webcontent.extraction import PageContext
from webcontent.extractors import TABLE, load_extractor
from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.vips import visual_blocks
from webcontent.items import PageType
from webcontent.models import Model

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = Path(__file__).with_name("frozen.json")
URL = "https://www.paper.example/news/2024/05/05/a-bridge.html"
NOW = "2024-05-06T12:00:00+00:00"
NO_TEXT = ("score", "page_type_score", "evidence", "fingerprint")
"""Fields of an item that are numbers, or say no more than the others."""
DIGITS = 4


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str, ensure_ascii=True).encode()).hexdigest()[:6]


@contextmanager
def watched() -> Iterator[dict[str, list[float]]]:
    """The mean of each column that models are given, by model and input."""
    seen: dict[str, list[float]] = defaultdict(list)
    run = Model.run

    def record(model: Model, **inputs: Any) -> Any:
        for name, array in inputs.items():
            values = np.asarray(array, np.float64)
            columns = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values.reshape(1, -1)
            means = np.arcsinh(columns).mean(axis=0) if columns.size and columns.shape[1] < 1000 else np.array([values.sum()])
            seen[f"{model.name} {name}"] += [round(float(mean), DIGITS) for mean in means]
        return run(model, **inputs)

    with mock.patch.object(Model, "run", record):
        yield seen


def of_golden_pages() -> dict[str, dict[str, list[float]]]:
    """By page, what models are given, and the scores of candidates by field."""
    found = {}
    for folder in [*folders(), *known_faults()]:
        known = expected(folder)
        html = (folder / "page.html").read_bytes()
        page = drawn(html.decode("utf-8", "replace"), url=known["url"])
        with watched() as seen:
            items = [webcontent.extract(html, url=known["url"], fetched_at=known["fetched_at"], extractor=name) for name in TABLE]
            items.append(webcontent.extract(html, url=known["url"], fetched_at=known["fetched_at"], boxes=page.boxes))
        for name, candidates in items[list(TABLE).index("fusion")].evidence.items():
            seen[f"candidates of {name}"] = [round(candidate.score or 0.0, DIGITS) for candidate in candidates]
        found[folder.name] = dict(seen)
    return found


def of_series(name: str) -> list[str]:
    """A digest of the item of each size."""
    found = []
    for size in sizes(name):
        item = asdict(webcontent.extract(SERIES[name](size), url=URL, fetched_at=NOW))
        evidence = {field: [str(candidate["value"]) for candidate in candidates] for field, candidates in item["evidence"].items()}
        found.append(digest([{field: value for field, value in item.items() if field not in NO_TEXT}, evidence]))
    return found


EXTRACTED = (
    "paragraphs",
    "words of a paragraph",
    "link lists",
    "title words",
    "chinese line",
    "entries",
    "comments",
    "depth",
    "further articles",
)
"""Series that every extractor reads."""


def of_extractor(name: str) -> dict[str, list[Any]]:
    """By series, for each size: a digest of the labels, the score, and the sum of what the model is given."""
    extractor = load_extractor(name)
    found: dict[str, list[Any]] = {}
    for series in EXTRACTED:
        other = visual_tree(Document.from_page(drawn(SERIES[series](5))))
        for size in sizes(series):
            page = drawn(SERIES[series](size), url=URL)
            page.boxes = page.boxes if name == "ngfv" else None
            document = Document.from_page(page)
            kind = "list" if series == "entries" else "article"
            with watched() as seen:
                context = PageContext(page_type=PageType(kind, kind, 1.0), reference_pages=(other,) if other else ())
                extraction = extractor(document, context)
            labels = extraction.labels.tolist() if extraction.labels is not None else []
            sums = [round(sum(columns), 3) for columns in seen.values()]
            row: list[Any] = [digest([labels, sorted(extraction.flags)]), round(extraction.score or 0.0, 3), *sums]
            found.setdefault(series, []).append(row + ([_tree_digest(document)] if name == "ngfv" else []))
    return found


def _tree_digest(document: Document) -> str:
    """Of the visual blocks: elements, rectangles and degrees of coherence."""
    root = visual_blocks(document.boxes or [])
    blocks, stack = [], [root] if root else []
    while stack:
        block = stack.pop()
        blocks.append([block.xpaths, block.rectangle, block.doc])
        stack.extend(block.children)
    tree = visual_tree(document)
    return digest([blocks, tree and tree.xpaths])


def stored() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded
