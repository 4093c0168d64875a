"""The settings of NEMTF's networks and of their training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from webcontent.extractors.nemtf.features import FEATURES
from webcontent.training.common.lines import VERSION
from webcontent.training.common.settings import TrainingSettings, cache_folder

CORPORA = ("zh-gold-dev", "zh-silver", "fundus-dev", "l3s-gn1", "wcxb-dev")
CACHE = cache_folder("lines")


@dataclass(frozen=True, slots=True)
class Form:
    """What a network consists of. The default is the shipped form; `PLAIN` is the paper's."""

    parts: str = "WSL"
    """Features: W writing, S semantic, L position."""
    kernels: tuple[int, ...] = (1, 2, 3, 4, 5)
    filters: int = 8
    """Of each kernel."""
    word_size: int = 16
    table_size: int = 12
    """Size of the embeddings of a length and of a position."""
    hidden: int = 64
    dropout: float = 0.25
    text_features: bool = True
    """Whether the network sees the text features."""
    dilations: tuple[int, ...] = (1, 2, 4, 8)
    """Of the convolutions over the lines of the page; empty: each line is classified alone."""


PLAIN = Form(text_features=False, dilations=(), dropout=0.5)


@dataclass(frozen=True, slots=True)
class LineSchedule:
    """How a network is trained: AdamW, one cycle of the learning rate, running mean of the weights."""

    epochs: int = 7
    pages: int = 4
    """Of a batch."""
    lines: int = 256
    """Maximum number of lines of a page that are trained on in an epoch; they are consecutive."""
    rate: float = 5e-3
    decay: float = 0.01
    mean: float = 0.998
    """Share of the running mean of the weights that each step keeps."""
    rare: float = 3.0
    """Weight of lines that hold a title, time, source or related article."""
    forget: float = 0.2
    """Share of words that are removed at random."""
    silent: float = 0.1
    """Share of pages whose words are all removed."""
    thin: float = 0.3
    """Maximum share of noise lines that are removed."""
    doubt: float = 0.1
    """Weight of a label that the gold does not state against noise: how much a noise line may have that label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """The settings of the networks, of their vocabulary, and of what is made of their probabilities."""

    corpora: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(CORPORA))
    weights: dict[str, float] = field(default_factory=lambda: {"zh-gold-dev": 1.5, "l3s-gn1": 0.2, "wcxb-dev": 0.25})
    """How often a page of a corpus is drawn in an epoch, so that the many English pages do not dominate."""
    form: Form = field(default_factory=Form)
    nets: int = 2
    """Networks whose probabilities are averaged. They differ in their initial weights and in the order of the pages."""
    schedule: LineSchedule = field(default_factory=LineSchedule)
    word_sites: int = 3
    """Words of fewer sites are not in the vocabulary."""
    most_words: int = 5000
    decoding: dict[str, float] = field(default_factory=lambda: {"run": 0.45, "weight": 10.0, "outside": 0.5})
    """Of the body: arguments of `extractors.nemtf.extractor.choose`."""
    least: dict[str, float] = field(default_factory=lambda: {"title": 0.995, "time": 0.99, "source": 0.5, "related": 0.9})
    """Smallest probability at which the network's candidate comes before those of `fields`."""
    alone: dict[str, float] = field(default_factory=lambda: {"title": 0.3, "time": 0.3, "source": 0.3, "related": 0.5})
    """The same where there are no other candidates."""

    NOT_LEARNED: ClassVar[frozenset[str]] = frozenset({"decoding", "least", "alone"})

    @property
    def run_name(self) -> str:
        """Identifies the trained networks in the cache."""
        return self.checksum(FEATURES, VERSION)
