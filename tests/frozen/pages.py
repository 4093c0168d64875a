"""What is frozen: `python -m tests.frozen` writes it anew after a change that is meant, and shows what differs.

Of each golden page, and of drawn pages with boxes: the sums of the columns that each model is given, by every extractor, and the scores of
the candidates. Of the pages of `series`: a digest of the item for each size.
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
from webcontent.extractors import TABLE
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


def stored() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded
