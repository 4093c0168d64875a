"""How much is remembered of hosts: a size that is, beside one that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.history.pages import ARTICLES, FEATURE, document_of, words_of
from webcontent.document.parsing import Document
from webcontent.history.host import HostProfile, SiteHistory
from webcontent.history.prior import logits_of
from webcontent.history.tables import CountTable
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import Callable


def filled(table: CountTable, rows: int) -> int:
    """How many rows a table keeps of so many."""
    table.add(np.arange(rows, dtype=np.uint64), np.ones((rows, table.values.shape[1]), np.float32), 0)
    return len(table.keys)


def hosts(count: int) -> bool:
    history = SiteHistory()
    for number in range(count):
        history.find(f"https://a{number}.example/")
    return len(history) == count


def is_learned(blocks: int) -> bool:
    profile = HostProfile()
    document = Document.from_page(Page(url="https://a.example/", html="<p>x" * blocks))
    profile.learn(document, np.ones(blocks), np.ones(blocks))
    return profile.count == 1


def counted(pages: int) -> bool:
    profile = HostProfile()
    for _ in range(pages):
        profile._count()
    return profile.pages == pages


def prior(words: float, probability: float = 0.9) -> float:
    """That of a path where main text of so many words stood, and on another page one of ten words that is none."""
    profile = HostProfile()
    for article, count, value in ((ARTICLES[0], words, probability), (ARTICLES[1], 10, 0.0)):
        document = document_of(article)
        profile.learn(document, np.full(len(document.blocks), value), np.full(len(document.blocks), float(count)))
    document = document_of(ARTICLES[2])
    features = profile.features(document, np.zeros(len(document.blocks)), words_of(document))
    assert features is not None
    return float(features[-2, FEATURE("named_prior")])


LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "texts": (lambda n: filled(HostProfile().texts, n) == n, 2500, 2501),
    "paths": (lambda n: filled(HostProfile().paths, n) == n, 1200, 1201),
    "rows of a table that was too long": (lambda n: filled(CountTable(1, 100), 101) >= n, 75, 76),
    "hosts": (hosts, 1000, 1001),
    "blocks of a page": (is_learned, 4000, 4001),
    "pages that count in full": (counted, 119, 120),
    "words of a block that weigh": (lambda n: prior(n + 1) > prior(n), 59, 60),
    "smallest mean probability": (lambda p: prior(10, 2 * p) == prior(10, 0.0), 0.0029, 0.0031),
    "smallest probability": (lambda p: np.ptp(logits_of(np.array([p, 0], np.float32))) == 0, 0.9e-6, 1.1e-6),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_hosts_are_remembered_up_to_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
