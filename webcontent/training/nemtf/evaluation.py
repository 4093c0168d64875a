"""Metrics of NEMTF on sites that were not trained on: F1 of lines by label, and F1 of the fields of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

import numpy as np

from webcontent.extractors.nemtf import LABELS, NOISE
from webcontent.fields.page_signals import plain
from webcontent.training.common.labels import text_f1

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.training.common.lines import LineSample

FIELDS = ("body", "title", "time", "source", "related")
HAS_LABEL = 0.4
"""A line counts as one of a label from this share on: of a line that holds two fields, either is right."""


# ---------------------------------------------------------------------------------------------------------------- lines
def line_counts(samples: Sequence[LineSample], probabilities: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    """For each label the numbers of right, predicted and gold lines: float64 [6, 3]. Labels that the gold does not state do not count."""
    counts = np.zeros((len(LABELS), 3))
    for sample, own in zip(samples, probabilities, strict=True):
        labels, is_evaluated = own.argmax(axis=1), sample.weights > 0
        for label in range(len(LABELS)):
            if label not in sample.unknown:
                is_predicted = (labels == label) & is_evaluated
                is_gold = (sample.targets[:, label] >= HAS_LABEL) & is_evaluated
                is_right = is_predicted & is_gold
                is_main = is_gold & (sample.targets.argmax(axis=1) == label)
                counts[label] += is_right.sum(), is_predicted.sum(), (is_main | is_right).sum()
    return counts


def line_f1(counts: NDArray[np.float64]) -> list[float]:
    """F1 of each label but noise; NaN where the gold has none."""
    return [2 * right / (predicted + gold) if gold else float("nan") for right, predicted, gold in counts[NOISE + 1 :].tolist()]


# --------------------------------------------------------------------------------------------------------------- fields
def field_metrics(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """F1 of each field of predictions: of the whole item, and of what the network gives alone.

    Body: word F1, mean over pages. Title, time (day), source: one value for each page. Related: set of addresses, mean over pages.
    """
    return {
        "item": {name: _field_f1(name, [(row, row) for row in rows]) for name in FIELDS},
        "alone": {name: _field_f1(name, [(row["alone"], row) for row in rows]) for name in FIELDS},
    }


def _field_f1(name: str, pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> float:
    """F1 over pairs of fields and page with gold. Pages whose gold lacks the key do not count; NaN where no page has it."""
    values = [(fields.get(name), row["gold"][name], row["url"]) for fields, row in pairs if name in row["gold"]]
    if not values:
        return float("nan")
    if name == "body":
        return float(np.mean([text_f1(value or "", gold) for value, gold, _ in values]))
    if name == "related":
        return float(np.mean([_set_f1(_addresses(value, url), _addresses(gold, url)) for value, gold, url in values]))
    right = sum(_is_right(name, value, gold) for value, gold, _ in values)
    return 2 * right / max(1, sum(bool(value) for value, _, _ in values) + sum(bool(gold) for _, gold, _ in values))


def _is_right(name: str, value: str | None, gold: str | None) -> bool:
    """Whether a title, a time or a source is right. Of a source, a part of the name is enough."""
    if not value or not gold:
        return False
    if name == "time":
        day = len("2024-03-05")
        return value[:day] == gold[: len(value[:day])]
    one, other = plain(value), plain(gold)
    return one == other if name == "title" else len(one) > 1 and (one in other or other in one)


def _addresses(links: Sequence[Mapping[str, str]] | None, base: str) -> set[str]:
    return {urldefrag(urljoin(base, link["url"]))[0].split("://")[-1].rstrip("/") for link in links or () if link.get("url")}


def _set_f1(predicted: set[str], gold: set[str]) -> float:
    return 2 * len(predicted & gold) / (len(predicted) + len(gold)) if predicted or gold else 1.0
