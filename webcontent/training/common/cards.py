"""Model cards: Markdown templates, filled with the figures of a training run, and the tables among these figures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.evaluation.corpora import checksum, find_corpus
from webcontent.training.common.metrics import calibration_error
from webcontent.training.common.settings import corpus_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from webcontent.training.common.samples import PageSample


def fill(template: Path, **figures: Any) -> str:
    """The text of a card: a template with its placeholders filled, as in `str.format`; a part that is empty then is left out.

    Raises KeyError or AttributeError for a placeholder without a figure.
    """
    text = template.read_text(encoding="utf-8").format(**figures)
    return "\n\n".join(part.strip("\n") for part in text.split("\n\n") if part.strip()) + "\n"


def settings_block(settings: Mapping[str, Any]) -> str:
    """Settings as a block of JSON."""
    return f"```json\n{json.dumps(settings)}\n```"


def listed(values: Mapping[str, Any]) -> str:
    """Names with their values, as a sentence lists them."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; floats with three digits, "-" for NaN.

    >>> print(table(["a", "b"], [[1, 0.5]]))
    | a | b |
    |---|---|
    | 1 | 0.500 |
    """
    cells = [" | ".join(map(_cell, line)) for line in (columns, *rows)]
    return "\n".join([f"| {cells[0]} |", "|" + "---|" * len(columns), *(f"| {line} |" for line in cells[1:])])


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return "-" if np.isnan(value) else f"{value:.3f}"
    return str(value)


def body_figures(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of bodies: word F1 by group, the reliability of scores, and their expected calibration error."""
    groups, rows = metrics["groups"], metrics["reliability"]
    columns = {
        "corpus": "corpus",
        "pages": "pages",
        "count": "count",
        "f1": "F1",
        "spread": "spread",
        "good": "> 0.9",
        "score": "mean score",
    }
    by_group = table(list(columns.values()), [[row[name] for name in columns] for row in groups])
    cells = [[row["score"], row["pages"], row["good"]] for row in rows]
    return {
        "groups": by_group,
        "reliability": table(["score", "pages", "share with F1 > 0.9"], cells),
        "calibration_error": calibration_error(rows),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFacts:
    """What a card states about the pages of a run."""

    pages: int
    sites: int
    languages: int
    corpora: Mapping[str, str]
    """Names of the corpora and their versions."""

    @classmethod
    def of(cls, samples: Sequence[PageSample], corpora: Mapping[str, str] | None = None) -> DataFacts:
        """The facts about samples. `corpora`: None: those that the samples name."""
        return cls(
            pages=len(samples),
            sites=len({sample.site for sample in samples}),
            languages=len({sample.language[:2].lower() for sample in samples if sample.language}),
            corpora=corpus_versions(sample.corpus for sample in samples) if corpora is None else corpora,
        )

    @property
    def corpora_text(self) -> str:
        """The corpora with their versions, as a sentence has them."""
        return ", ".join(f"{name} ({version})" for name, version in self.corpora.items())


def corpus_versions(names: Iterable[str]) -> dict[str, str]:
    """Folder names of corpora and their versions (checksums); "?" for a corpus that is missing."""
    return {corpus_name(name): checksum(name) if find_corpus(name) else "?" for name in dict.fromkeys(names)}
