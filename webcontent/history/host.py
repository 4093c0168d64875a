"""What the earlier pages of a host showed, and those of all hosts. Which texts and paths repeat.

A profile keeps fingerprints of block texts and addresses, of paths in the tree with the mean probability of main text there. That
content which repeats over the pages of a site is its template is the idea of Bar-Yossef and Rajagopalan (2002, "Template detection via
data mining") and of Yi, Liu and Li (2003, "Eliminating noisy information in web pages"), who compare trees.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.addresses import split_url
from webcontent.document.fingerprints import PATH_KINDS
from webcontent.hashing import hash64
from webcontent.history.tables import CountTable, sums_by_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document

    Numbers = NDArray[np.float64]

MAX_TEXTS, MAX_PATHS = 2500, 1200
"""Rows of a profile's tables. A text or an address takes 16 bytes, a path 32."""
MAX_PAGES = 120
"""At so many pages all counts are halved, so that recent pages outweigh old ones."""
MAX_BLOCKS = 4000
"""Pages of more blocks are neither looked up nor learned: a single one would fill the tables."""
MAX_WORDS = 60
"""Longer blocks weigh as much as a block of so many words in the mean probability of a path."""
MIN_PRIOR = 0.003
"""Smallest mean probability of a path, and distance of the largest from 1, before it becomes a logit."""

MAX_HOSTS = 1000
"""Hosts of a history, those that were asked for last."""

HISTORY_FEATURES: tuple[str, ...] = (
    "logit", "pages", "words", "text_pages", "text_share",
    *(f"{kind}_{name}" for kind in PATH_KINDS for name in ("pages", "share", "logit_difference", "prior", "repeats")),
)  # fmt: skip
"""Features of a block. `logit`: log-odds of main text by the page alone. `pages`: of the host; `words`: of the block. `text_pages`,
`text_share`: number and share of the pages with its text. For each kind of path `pages`, `share`: number and share of the pages with
the path; `prior`: the logit of the mean probability at the path; `logit_difference`: the prior less the block's own logit;
`repeats`: share of the texts there that repeat. The prior of a path that was never seen is the block's own logit."""


class HostProfile:
    """What is known of one host. Methods may be called from any thread."""

    def __init__(self) -> None:
        self.texts = CountTable(1, MAX_TEXTS)
        """Texts and addresses of pages, by their hashes."""
        self.paths = CountTable(5, MAX_PATHS)
        """Pages; words; expected words of main text; blocks; blocks with a text of an earlier page."""
        self.pages = 0.0
        """Pages that `texts` and `paths` count."""
        self.count = 0
        """Pages that were ever learned."""
        self.copies = 0
        """Pages that were not learned, because they show an earlier page's text again."""
        self.lock = threading.Lock()

    def features(self, document: Document, logits: Numbers, words: Numbers) -> NDArray[np.float32] | None:
        """HISTORY_FEATURES of each block: float32 [blocks, features]; None where nothing is known. `logits`: by the page alone."""
        if not self.count or not _is_suitable(document):
            return None
        fingerprints = document.fingerprints
        with self.lock:
            is_known = self._knows(document.url)
            pages = self.pages - is_known
            if pages < 1:
                return None
            rows = self.texts.find(fingerprints.texts)
            text_pages = self.texts.values_of(rows)[:, 0]
            text_pages -= is_known or self._copied(rows, words / (1 + np.exp(-logits)))
            of_paths = self.paths.values_of(self.paths.find(fingerprints.paths.ravel()))
        text_pages = np.maximum(0.0, text_pages)
        own = (logits, np.full(len(logits), pages), words, text_pages, np.minimum(1, text_pages / pages))
        return np.column_stack((*own, _path_features(of_paths, logits, pages))).astype(np.float32)

    def learn(self, document: Document, probabilities: NDArray[np.floating[Any]], words: Numbers) -> None:
        """Learns a page, once; a copy of an earlier page is only counted. Pages without blocks or of too many are ignored.

        `probabilities`: of each block to be main text, by the page alone; `words`: of each block.
        """
        if not _is_suitable(document):
            return
        fingerprints = document.fingerprints
        with self.lock:
            if self._knows(document.url):
                return
            rows = self.texts.find(fingerprints.texts)
            weights = np.minimum(words, MAX_WORDS)
            columns = np.column_stack((weights, weights * probabilities, np.ones(len(words)), rows >= 0))
            paths, values = sums_by_key(fingerprints.paths, columns)
            # where most pages look like copies, the host's template repeats, and they are learned
            if self.copies < self.count and bool(np.any(self._copied(rows, words * probabilities))):
                self.copies += 1
                return
            texts = np.unique(np.append(fingerprints.texts, address_hash(document.url)) if document.url else fingerprints.texts)
            self.texts.add(texts, np.ones((len(texts), 1), np.float32), self.count)
            self.paths.add(paths, values, self.count)
            self._count()

    def _knows(self, url: str | None) -> bool:
        """Whether the page of an address was learned, and is not forgotten."""
        return bool(self.texts.find(np.array([address_hash(url)]))[0] >= 0)

    def _count(self) -> None:
        self.count += 1
        self.pages += 1
        if self.pages >= MAX_PAGES:
            self.pages *= 0.5
            self.texts.halve()
            self.paths.halve()

    def _copied(self, rows: NDArray[np.intp], expected: Numbers) -> Numbers:
        """1 for a block that repeats one earlier page, where these are most of the expected main text (a print version); else zeros.

        Texts of several pages are the host's, not an article's: they do not count. `rows`: of the blocks' texts.
        """
        copied = np.zeros(len(rows))
        pages = self.texts.values_of(rows)[:, 0]
        once = (rows >= 0) & (pages <= 1)
        known = float(expected[once].sum())
        total = known + float(expected[rows < 0].sum())
        if 2 * known > total:
            place = np.unique(self.texts.seen[rows[once]], return_inverse=True)[1]
            sums = np.bincount(place, expected[once])
            if 2 * sums.max() > total:
                copied[once] = place == np.argmax(sums)
        return copied


class SiteHistory:
    """The profiles of the last `limit` hosts that were asked for. Threads may share it."""

    def __init__(self, limit: int = MAX_HOSTS) -> None:
        self._profile_of = lru_cache(maxsize=limit)(lambda host: HostProfile())
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._profile_of.cache_info().currsize

    def find(self, url: str | None) -> HostProfile | None:
        """The profile of an address's host, a new one for a new host; None without a host."""
        host = host_of(url)
        with self._lock:
            return self._profile_of(host) if host else None


def _is_suitable(document: Document) -> bool:
    """Whether a page is looked up and learned: it has text, and not too much of it."""
    return 0 < len(document.blocks) <= MAX_BLOCKS


def _path_features(of_paths: Numbers, logits: Numbers, pages: float) -> Numbers:
    """The features of the paths: float64 [blocks, 5 * kinds]. `of_paths`: rows of `HostProfile.paths`, kind by kind."""
    known, words, main_words, blocks, repeated = of_paths.T.reshape(of_paths.shape[1], len(PATH_KINDS), -1)
    means = np.clip(_ratio(main_words, words), MIN_PRIOR, 1 - MIN_PRIOR)
    prior = np.where(known > 0, np.log(means / (1 - means)), logits)
    columns = (known, np.minimum(1, known / pages), prior - logits, prior, _ratio(repeated, blocks))
    return np.stack(columns, axis=1).reshape(-1, len(logits)).T


def _ratio(parts: Numbers, wholes: Numbers) -> Numbers:
    """Shares; 0 of nothing."""
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)


def address_hash(url: str | None) -> np.uint64:
    """Hash of an address without its fragment."""
    return np.uint64(hash64((url or "").partition("#")[0]))


def host_of(url: str | None) -> str:
    """Host and port of an address, without www; "" where there is none. Hosts of one registered domain have designs of their own.

    >>> host_of("https://www.example.com/a"), host_of("http://127.0.0.1:8000/"), host_of(None)
    ('example.com', '127.0.0.1:8000', '')
    """
    parts = split_url(url or "")
    return f"{str(parts.hostname).removeprefix('www.')}{f':{parts.port}' if parts.port else ''}" if parts else ""
