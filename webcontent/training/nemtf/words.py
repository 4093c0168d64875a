"""The vocabulary of NEMTF: the words of most sites, and vectors of the words that are near each other."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.lines import UNSPACED_SCRIPTS, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.extractors.nemtf import Vocabulary
    from webcontent.training.common.lines import LineSample
    from webcontent.training.nemtf.settings import Settings

    Tokens = Mapping[str, set[str]]
    """The different words of pages, by their ids."""

WINDOW = 3
"""Words within this distance count as neighbours."""
LINE_CHARACTERS, NEIGHBOUR_CHARACTERS = 400, 200
"""Characters of a line whose words are counted, and whose neighbours are."""
PAGES_AT_ONCE = 150
"""Pages whose neighbours are counted together, to limit the memory."""
SMOOTHING_SITES = 10
"""Sites without the word that are added to those of each corpus."""
ITERATIONS = 4
"""Of the subspace iteration."""
DEVIATION = 0.5
"""Standard deviation of the word vectors."""
_TOKEN = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W\d_{UNSPACED_SCRIPTS}]+|\d+|[^\w\s]|_")


def tokens_of(sample: LineSample) -> set[str]:
    """The different words of a page. Digits count as 0, as in `words_of` with `same_digits`."""
    lines = (_TOKEN.findall(text[:LINE_CHARACTERS].lower()) for text in set(sample.texts))
    return {"0" * len(token) if token.isdigit() else token for tokens in lines for token in tokens}


def learn_words(samples: Sequence[LineSample], tokens: Tokens, settings: Settings) -> list[str]:
    """The words of most sites, most frequent first.

    The share of the sites of a corpus counts, so that the words of small corpora are included.
    """
    shares: dict[str, float] = {}
    total: Counter[str] = Counter()
    for corpus in sorted({sample.corpus for sample in samples}):
        words_by_site: dict[str, set[str]] = {}
        for sample in samples:
            if sample.corpus == corpus:
                words_by_site.setdefault(sample.site, set()).update(tokens[sample.id])
        counts = Counter(token for words in words_by_site.values() for token in words)
        total += counts
        for token, count in counts.items():
            shares[token] = max(shares.get(token, 0.0), count / (len(words_by_site) + SMOOTHING_SITES))
    frequent = sorted((token for token, count in total.items() if count >= settings.word_sites), key=lambda token: (-shares[token], token))
    is_word = np.diff(words_of(frequent).starts) == 1  # characters without width are spaces there
    return [token for token, fits in zip(frequent, is_word, strict=True) if fits][: settings.most_words]


def word_vectors(samples: Sequence[LineSample], vocabulary: Vocabulary, size: int, seed: int) -> NDArray[np.float32]:
    """Vectors of the rows of the vocabulary, learned from the neighbours of words: float32 [rows, size].

    They factorize the positive pointwise mutual information of neighbours (Levy and Goldberg 2014: word2vec does so implicitly).
    """
    matrix = _neighbour_counts(samples, vocabulary)
    single = matrix.sum(axis=1)
    matrix *= single.sum() / np.maximum(np.outer(single, single), 1)
    matrix = np.log(np.maximum(matrix, 1))
    basis = np.random.default_rng(seed).normal(size=(len(vocabulary), size)).astype(np.float32)
    for _ in range(ITERATIONS):  # subspace iteration: the largest eigenvectors of a symmetric matrix
        basis = np.linalg.qr(matrix @ basis)[0]
    vectors = basis * np.sqrt(np.abs(np.einsum("ij,ij->j", basis, matrix @ basis)))
    scaled: NDArray[np.float32] = (vectors / max(float(vectors.std()), 1e-9) * DEVIATION).astype(np.float32)
    return scaled


def _neighbour_counts(samples: Sequence[LineSample], vocabulary: Vocabulary) -> NDArray[np.float32]:
    """How often each two words are neighbours: float32 [rows, rows], symmetric."""
    count = len(vocabulary)
    together = np.zeros(count * count)
    for start in range(0, len(samples), PAGES_AT_ONCE):
        some = samples[start : start + PAGES_AT_ONCE]
        words = words_of(sorted({text[:NEIGHBOUR_CHARACTERS] for sample in some for text in sample.texts}), same_digits=True)
        rows, lines = vocabulary.rows_of(words.codes, words.classes), words.lines
        pairs = []
        for step in range(1, WINDOW + 1):
            is_near = lines[step:] == lines[:-step]
            pairs.append(rows[:-step][is_near] * count + rows[step:][is_near])
        together += np.bincount(np.concatenate(pairs), minlength=count * count)
    matrix = together.reshape(count, count).astype(np.float32)
    matrix += matrix.T
    return matrix
