"""The networks of NEMTF over the lines of a page."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from webcontent.extractors.lines import UNSPACED_SCRIPTS, words_of
from webcontent.extractors.nemtf.features import FIRST, LABELS, LAST, LENGTHS, POSITIONS, TEXT_FEATURES, WRITING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.extractors.nemtf.features import Vocabulary
    from webcontent.training.common.lines import LineSample
    from webcontent.training.nemtf.settings import Form, Settings

    Tokens = Mapping[str, set[str]]
    """The different words of pages, by their ids."""

WORDS = FIRST + LAST
"""Columns of words; those of writing, position and text features follow."""
POSITION = WORDS + len(WRITING)
_WRITING = slice(WORDS, POSITION)
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


class LineNet(nn.Module):
    """Features of lines, float32 [pages, lines, len(FEATURES)] -> logits [pages, lines, len(LABELS)].

    en = [ew; ep; es] of the paper (equations 1 and 2), a dense layer, then the residual convolutions over the lines that the form has.
    Between these, features of the whole page are added.
    """

    def __init__(self, words: int, form: Form) -> None:
        super().__init__()
        self.form = form
        widest, size = max(form.kernels), 0
        if "S" in form.parts:
            self.word_table = nn.Embedding(words, form.word_size, padding_idx=0)
            self.over_words = nn.Conv1d(form.word_size, form.filters * len(form.kernels), widest, padding=widest // 2)
            narrow = torch.zeros(len(form.kernels), widest)
            for place, kernel in enumerate(form.kernels):
                narrow[place, (widest - kernel + 1) // 2 :][:kernel] = 1
            self.register_buffer("narrow", narrow.repeat_interleave(form.filters, 0)[:, None], persistent=False)
            size += form.filters * len(form.kernels)
        if "W" in form.parts:
            self.length_tables = nn.ModuleList([nn.Embedding(LENGTHS, form.table_size) for _ in WRITING])
            size += len(WRITING) * form.table_size
        if "L" in form.parts:
            self.position_table = nn.Embedding(POSITIONS, form.table_size)
            size += form.table_size
        self.dense = nn.Linear(size + len(TEXT_FEATURES) * form.text_features, form.hidden)
        self.dropout = nn.Dropout(form.dropout)
        self.over_lines = nn.ModuleList([nn.Conv1d(form.hidden, form.hidden, 3, padding=step, dilation=step) for step in form.dilations])
        self.over_page = nn.Linear(2 * form.hidden, form.hidden) if form.dilations else None
        self.last = nn.Linear(form.hidden, len(LABELS))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """`mask`: float32 [pages, lines, 1], 0 for padding lines."""
        line = self.dropout(torch.relu(self.dense(torch.cat(self._parts(x), 2))))
        for place, layer in enumerate(self.over_lines):
            if place == len(self.over_lines) // 2:
                line = line + self._page(line, mask)
            line = line if mask is None else line * mask
            line = line + self.dropout(torch.relu(layer(line.transpose(1, 2)).transpose(1, 2)))
        logits: torch.Tensor = self.last(line)
        return logits

    def _page(self, line: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Features of the whole page, from mean and maximum over its lines: float32 [pages, 1, hidden]."""
        assert self.over_page is not None
        mask = torch.ones_like(line[:, :, :1]) if mask is None else mask
        mean = (line * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True)
        largest = (line * mask).amax(1, keepdim=True)  # the values are not negative
        return torch.relu(self.over_page(torch.cat((mean, largest), 2)))

    def _parts(self, x: torch.Tensor) -> list[torch.Tensor]:
        parts = []
        if "W" in self.form.parts:
            rows = x[:, :, _WRITING].long()
            parts += [table(rows[:, :, i]) for i, table in enumerate(self.length_tables)]
        if "L" in self.form.parts:
            parts.append(self.position_table(x[:, :, POSITION].long()))
        if "S" in self.form.parts:
            pages, lines = x.shape[0], x.shape[1]
            words = self.word_table(x[:, :, :WORDS].long().reshape(pages * lines, WORDS))
            weight = self.over_words.weight * cast("torch.Tensor", self.narrow)  # a kernel of k words is the widest with zeros at its ends
            folded = functional.conv1d(words.transpose(1, 2), weight, self.over_words.bias, padding=weight.shape[2] // 2)
            parts.append(torch.relu(folded.amax(2)).reshape(pages, lines, -1))
        if self.form.text_features:
            parts.append(x[:, :, POSITION + 1 :])
        return parts


class OnePage(nn.Module):
    """What is exported: the lines of one page -> probabilities, float32 [lines, len(LABELS)], the mean over several networks."""

    def __init__(self, nets: Sequence[LineNet]) -> None:
        super().__init__()
        self.nets = nn.ModuleList(nets)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        outputs = [torch.softmax(net(features[None])[0], dim=1) for net in self.nets]
        return torch.stack(outputs).mean(dim=0)


@torch.no_grad()
def line_probabilities(nets: Sequence[LineNet], x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities of the lines of a page: float32 [lines, len(LABELS)]."""
    probabilities: NDArray[np.float32] = OnePage(nets).eval()(torch.from_numpy(x)).numpy()
    return probabilities


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
