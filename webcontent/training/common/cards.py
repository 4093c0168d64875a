"""Model cards: one shape for all models, with Markdown tables and the sentences that several cards share.

All metrics on a card come from the training run that is handed in.
"""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.evaluation.corpora import checksum, find_corpus
from webcontent.training.common.metrics import calibration_error
from webcontent.training.common.settings import corpus_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from webcontent.training.common.samples import PageSample

WIDTH = 120
"""Characters of a line of prose."""
_VERBATIM = ("|", "!", "```", "#")
"""What the lines of a part begin with that is not wrapped: tables, images, code, headings."""
_CODE_SPAN = re.compile(r"`[^`]+`")
_JOINER = "\x00"
"""Takes the place of spaces that do not break a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The content of a CARD.md, in the order of its sections. Texts are Markdown; paragraphs are separated by an empty line."""

    name: str
    summary: str
    """One sentence: what goes in and what comes out."""
    origin: str
    """The paper, what follows it, and what differs and why."""
    use_for: str
    """What the model is for, and what it is not for."""
    interface: str
    """Names, shapes and units of inputs and outputs."""
    data: str
    """Corpora with their versions, pages, sites, licences, and how the gold was made."""
    split: str
    """Folds, and what was chosen on which pages."""
    settings: Mapping[str, Any]
    metrics: str
    calibration: str
    known_faults: Sequence[str]
    tried: Sequence[str] = ()
    """What did not help, or had a price."""
    cost: str
    train_again: str
    history: Sequence[str] = ("v1: first version.",)
    appendix: Mapping[str, str] = field(default_factory=dict)
    """Further sections, by title."""

    def markdown(self) -> str:
        """The text of CARD.md."""
        sections = {
            "Origin": self.origin,
            "Use": self.use_for,
            "Input and output": self.interface,
            "Data": self.data,
            "Split and selection": self.split,
            "Settings": settings_block(self.settings),
            "Metrics": self.metrics,
            "Calibration": self.calibration,
            "Known faults": bullets(self.known_faults),
            "Tried without gain": bullets(self.tried),
            "Cost": self.cost,
            "Train again": self.train_again,
            "History": bullets(self.history),
            **self.appendix,
        }
        parts = [f"# {self.name}", wrapped(self.summary)]
        parts += [f"## {title}\n\n{wrapped(text)}" for title, text in sections.items() if text]
        return "\n\n".join(parts) + "\n"


# --------------------------------------------------------------------------------------------------------------- layout
def wrapped(text: str) -> str:
    """Markdown with its paragraphs wrapped. Tables, images, code blocks, headings and lists keep their lines."""
    return "\n\n".join(part if part.startswith((*_VERBATIM, "- ")) else _filled(part) for part in text.strip().split("\n\n"))


def _filled(text: str, indent: str = "") -> str:
    """A wrapped paragraph. Code spans keep on one line."""
    joined = _CODE_SPAN.sub(lambda span: span[0].replace(" ", _JOINER), " ".join(text.split()))
    filled = textwrap.fill(joined, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return filled.replace(_JOINER, " ")


def bullets(lines: Iterable[str]) -> str:
    """A Markdown list; long lines are wrapped."""
    return "\n".join(_filled(f"- {line}", indent="  ") for line in lines)


def settings_block(settings: Mapping[str, Any]) -> str:
    """Settings as a block of JSON."""
    return f"```json\n{_filled(json.dumps(settings))}\n```" if settings else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; floats with three digits, "-" for NaN.

    >>> print(table(["a", "b"], [[1, 0.5]]))
    | a | b |
    |---|---|
    | 1 | 0.500 |
    """
    lines = [columns, *rows]
    cells = [" | ".join(_cell(cell) for cell in line) for line in lines]
    return "\n".join([f"| {cells[0]} |", "|" + "---|" * len(columns), *(f"| {line} |" for line in cells[1:])])


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return "-" if np.isnan(value) else f"{value:.3f}"
    return str(value)


# --------------------------------------------------------------------------------------------------------------- facts
@dataclass(frozen=True, slots=True, kw_only=True)
class DataFacts:
    """What a card states about the pages of a run."""

    pages: int
    sites: int
    languages: int
    corpora: Mapping[str, str]
    """Names of the corpora and their versions."""

    @classmethod
    def of(cls, samples: Sequence[PageSample]) -> DataFacts:
        """The facts about samples."""
        return cls(
            pages=len(samples),
            sites=len({sample.site for sample in samples}),
            languages=len({sample.language[:2].lower() for sample in samples if sample.language}),
            corpora=corpus_versions(sample.corpus for sample in samples),
        )

    @property
    def corpora_text(self) -> str:
        """The corpora with their versions, as a sentence has them."""
        return versions_text(self.corpora)


def corpus_versions(names: Iterable[str]) -> dict[str, str]:
    """Folder names of corpora and their versions (checksums); "?" for a corpus that is missing."""
    return {corpus_name(name): checksum(name) if find_corpus(name) else "?" for name in dict.fromkeys(names)}


def versions_text(versions: Mapping[str, str]) -> str:
    """Corpora with their versions, as a sentence has them."""
    return ", ".join(f"{name} ({version})" for name, version in versions.items())


CORPUS_READMES = "The README of each corpus states its licence and how its gold was made. None of the pages is in this folder."
FOLDS_TEXT = "{folds} folds over all corpora together. A hash of the registered domain decides the fold of a page."
F1_COLUMNS = (
    "`F1` is the mean word F1 over pages, `spread` the standard deviation over the folds, and `> 0.9` the share of pages with an F1 above "
    "0.9."
)
CALIBRATED_SCORE = "`score` is the probability that the F1 of the body is above 0.9. Out of fold:"


def reliability_section(rows: Sequence[Mapping[str, float]], image: str = "") -> str:
    """A card's section on calibrated scores: the table, the expected calibration error and, where there is one, the image."""
    cells = [[row["score"], row["pages"], row["good"]] for row in rows]
    parts = [CALIBRATED_SCORE, *([f"![Calibration]({image})"] if image else []), table(["score", "pages", "share with F1 > 0.9"], cells)]
    return "\n\n".join([*parts, f"Expected calibration error: {calibration_error(rows):.3f}."])
