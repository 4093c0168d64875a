"""NEMTF: title, time, source, body, related article or noise for each line of a page, from its text alone.

Weng Binyue et al., doi 10.19734/j.issn.1001-3695.2021.10.0407. Writing feature, position feature and semantic feature, convolutions
k = 1..5 with max pooling and the six labels are the paper's. The paper classifies a line alone. The shipped networks (`models/nemtf_v1`)
also see the lines around it, through convolutions over the page's lines, and TEXT_FEATURES: how many terms of the page's title and of
its running text a line holds, and what characters it is made of. They see no tags.

From labels to fields: the likeliest line of each field that can be parsed as one, where its probability is high enough (`least` in
config.json). Fields that it does not give come from `fields`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webcontent import extraction
from webcontent.document.text import body_text
from webcontent.extraction import NO_CONTEXT, Extraction, PageContext
from webcontent.extractors.decoding import best_run, calibrated, decode, expected_f1
from webcontent.extractors.lines import byte_sizes
from webcontent.extractors.nemtf.features import BODY, LABELS, NOISE, RELATED, SOURCE, TIME, TITLE, Vocabulary, features
from webcontent.fields.dates import iter_times
from webcontent.fields.links.anchors import Anchors
from webcontent.fields.names.atoms import cut_lines
from webcontent.fields.names.lines import Line
from webcontent.fields.page_signals import PageSignals, collapse
from webcontent.items import Candidate, Link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

MODEL = "nemtf_v1"
_CODES = np.array([getattr(extraction, name.upper()) for name in LABELS], np.int8)
"""The same labels as `extraction.LABELS` numbers them."""

MAX_LINES = 8192
"""Further lines of a page are noise."""
CANDIDATES = 3
"""Lines that are tried for a field."""
LONGEST_FIELD = 300
"""Characters of a line that is a title, a time or a source."""


class Nemtf:
    """Fields and main text by the network over lines."""

    name = "nemtf"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL) -> None:
        self.model_name = model

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        blocks = document.blocks
        if not len(blocks):
            return Extraction(labels=np.zeros(0, np.int8), scores=np.zeros(0, np.float32))
        model = context.models.load(self.model_name)
        probabilities = line_probabilities(document, model)
        config = model.config
        labels = probabilities.argmax(axis=1).astype(np.int64)
        body, chosen = choose(body_probabilities(probabilities), byte_sizes(blocks.texts), **config["decoding"])
        fields = {} if context.is_list else _fields(document, probabilities, config["least"])
        labels = np.where(chosen, BODY, np.where(labels == BODY, NOISE, labels))
        return Extraction(
            body=body_text(blocks, chosen),
            labels=_CODES[labels],
            scores=probabilities[:, BODY].copy(),
            fields=fields,
            score=calibrated(expected_f1(body, blocks.chars, chosen), config["score"]),
        )


def line_probabilities(document: Document, model: Model) -> NDArray[np.float32]:
    """Probability of each of LABELS for each line: float32 [lines, 6]."""
    x = features(document.title, document.blocks.texts, _vocabulary_of(model), model.config["lengths"])
    probabilities = np.zeros((len(x), len(LABELS)), np.float32)
    probabilities[MAX_LINES:, NOISE] = 1
    probabilities[:MAX_LINES] = model.run(features=x[:MAX_LINES])[0]
    return probabilities


@lru_cache(maxsize=8)
def _vocabulary_of(model: Model) -> Vocabulary:
    return Vocabulary(model.config["words"])


# --------------------------------------------------------------------------------------------------------------- fields
def body_probabilities(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probability of each line to be main text; 0 for lines that are more likely another field."""
    other = probabilities[:, TITLE:].max(axis=1)
    return np.where(probabilities[:, BODY] > other, probabilities[:, BODY], 0).astype(np.float32)


def choose(
    probabilities: NDArray[np.float32], sizes: NDArray[np.int64], *, run: float, weight: float, outside: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The probability of each line to be main text, lower outside the best run of text, and the lines of the highest expected F1."""
    first, end = best_run(probabilities, sizes, run, weight)
    lowered = probabilities * np.float32(outside)
    lowered[first:end] = probabilities[first:end]
    return lowered, decode(lowered, sizes.astype(np.float64))


def _fields(document: Document, probabilities: NDArray[np.float32], least: Mapping[str, float]) -> dict[str, list[Candidate]]:
    """The candidates whose probability is high enough, best first. `least`: the lowest probability by label."""
    fields: dict[str, list[Candidate]] = {}
    signals = PageSignals(document)
    for label, read in ((TITLE, _read_title), (TIME, _read_time), (SOURCE, _read_source)):
        own = probabilities[:, label] + (probabilities[:, TIME] if label == SOURCE else 0)  # mostly one line holds both
        for line in np.argsort(-own, kind="stable")[:CANDIDATES].tolist():
            text = document.blocks.texts[line]
            if own[line] < least[LABELS[label]]:
                break
            if len(text) <= LONGEST_FIELD and (value := read(text, signals)):
                candidate = Candidate(value, "nemtf", document.blocks.xpath(line), round(float(own[line]), 4))
                fields.setdefault(LABELS[label], []).append(candidate)
    if links := _links(document, probabilities[:, RELATED], least["related"]):
        fields["related"] = [Candidate([link for link, _ in links], "nemtf", None, round(float(np.mean([p for _, p in links])), 4))]
    return fields


def _read_title(text: str, signals: PageSignals) -> str | None:
    return collapse(text) or None


def _read_time(text: str, signals: PageSignals) -> str | None:
    found = next(iter_times(text, signals.dates), None)
    return found.value if found else None


def _read_source(text: str, signals: PageSignals) -> str | None:
    """The source behind a label; other text beside a time may be anything."""
    line = Line(0, "head", collapse(text), [0], [0], is_part=False)
    return next((atom.text for atom in cut_lines([line]) if atom.label == "source"), None)


def _links(document: Document, probabilities: NDArray[np.float32], least: float) -> list[tuple[Link, float]]:
    """The links of the lines that are related articles, each address once, with the line's probability."""
    found: dict[str, tuple[Link, float]] = {}
    for anchor in Anchors(document).all:
        line = anchor.block
        if line < len(probabilities) and probabilities[line] >= least and anchor.text and (url := anchor.url):
            title = collapse(document.blocks.link_texts[line]) or document.blocks.texts[line]
            found.setdefault(url, (Link(title, url), float(probabilities[line])))
    return list(found.values())
