"""Pages with the candidates of their source, authors and editors, and with what of them is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.parsing import Document
from webcontent.evaluation.scores import plain
from webcontent.extraction import run_extractor
from webcontent.extractors import DEFAULT, load_extractor
from webcontent.fields.names.candidates import byline_groups
from webcontent.fields.names.context import context_hashes
from webcontent.fields.names.features import FEATURES, byline_features
from webcontent.fields.names.ranking import option_of
from webcontent.fields.names.value import editor_names
from webcontent.fields.page_signals import PageSignals
from webcontent.fields.titles import find_titles
from webcontent.fields.titles.site_names import site_names
from webcontent.items import Page
from webcontent.training.bylines.composed import COMPOSED, Composer
from webcontent.training.common.samples import PageSample, iter_pages, page_fields
from webcontent.training.common.settings import corpus_name
from webcontent.training.fusion.stages import FoldContexts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.extraction import PageContext
    from webcontent.fields.names.ranking import Option
    from webcontent.fields.titles import TitleAnchor
    from webcontent.training.bylines.settings import Settings

_AND = re.compile(r"\s(?:and|und|et|y|&|mit)\s|[,;·，、]")
_BY = re.compile(r"^\s*(?:by|von|par|por)\s+", re.I)


@dataclass(slots=True, kw_only=True)
class BylineSample(PageSample):
    """A page with its candidates, n of them."""

    features: NDArray[np.float32]
    """[n, features]"""
    context: NDArray[np.int64]
    """[n, SLOTS]"""
    keys: list[str]
    """Plain forms of the candidates."""
    gold: dict[str, frozenset[str]]
    """Plain forms of the right values, of the fields that the gold has; empty where the page names none."""
    parts: dict[str, frozenset[str]]
    """The same with the names in values such as "A and B", which some gold keeps together."""
    options: list[Option]
    """What the choice knows of the candidates."""
    editors: frozenset[str]
    """The editors that are found."""
    form: str = ""
    """Of a composed page, the name of its form."""

    def labels(self, name: str) -> NDArray[np.bool_]:
        """Which candidates are right."""
        return np.array([key in self.parts[name] for key in self.keys], bool)


def read_samples(settings: Settings, text_run: Path | None = None) -> list[BylineSample]:
    """The pages whose gold has one of the fields, and those composed from them. `text_run`: see `FoldContexts`."""
    contexts, composer = FoldContexts(text_run), Composer(settings.seed)
    found = (_iter_samples(corpus, limit, settings, contexts, composer) for corpus, limit in settings.corpora.items())
    return [sample for samples in found for sample in samples]


def _iter_samples(corpus: str, limit: int | None, settings: Settings, contexts: FoldContexts, composer: Composer) -> Iterator[BylineSample]:
    for record in iter_pages(corpus, limit):
        if corpus_name(corpus) in settings.site_named:
            record["gold"].pop("source", None)
        if not _gold(record["gold"]) or record["id"] in settings.doubtful:
            continue
        context = contexts[record["site"]]
        signals, anchor = _read(record, context)
        yield _sample(corpus, record, signals, anchor)
        for form, composed in composer.pages(record, signals, anchor, settings.composed.get(corpus_name(corpus), 0)):
            yield _sample(COMPOSED, composed, *_read(composed, context), form=form)


def _read(record: Record, context: PageContext) -> tuple[PageSignals, TitleAnchor]:
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    signals = PageSignals(document, run_extractor(load_extractor(DEFAULT), document, context))
    return signals, find_titles(signals)[1]


def _sample(corpus: str, record: Record, signals: PageSignals, anchor: TitleAnchor, form: str = "") -> BylineSample:
    gold = record["gold"]
    return BylineSample(**page_fields(corpus, record), gold=_gold(gold), parts=_parts(gold), **_candidates(signals, anchor), form=form)


def _candidates(signals: PageSignals, anchor: TitleAnchor) -> dict[str, Any]:
    """The candidates of a page, as the fields of a sample have them."""
    names = site_names(signals)
    groups = byline_groups(signals, anchor, names)
    return {
        "features": byline_features(signals, anchor, groups, names, FEATURES),
        "context": context_hashes(signals, groups),
        "keys": [plain(group.text) for group in groups],
        "options": [option_of(group, names, is_han=signals.is_han) for group in groups],
        "editors": frozenset(plain(group.text) for group in editor_names(groups)),
    }


def _gold(gold: dict[str, Any]) -> dict[str, frozenset[str]]:
    """Plain forms of the right values by field."""
    values = {name: gold[name] for name in ("source", "authors", "editors") if name in gold}
    found = {name: [value] if isinstance(value, str) else value or [] for name, value in values.items()}
    return {name: frozenset(plain(_BY.sub("", text)) for text in texts) - {""} for name, texts in found.items()}


def _parts(gold: dict[str, Any]) -> dict[str, frozenset[str]]:
    values = _gold(gold)
    for name in ("authors", "editors"):
        texts = [part for text in gold.get(name) or () for part in _AND.split(_BY.sub("", text))]
        values[name] = values.get(name, frozenset()) | frozenset(map(plain, texts)) - {""}
    return values
