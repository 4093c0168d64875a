"""HostProfile: what the earlier pages of a host showed. Which texts and paths repeat, and where each field was found.

A profile keeps fingerprints of block texts, of paths in the tree with the mean probability of main text there, the locations where
fields were found, and title elements. It is bounded: the texts and paths that repeat or were seen last are kept.

That content which repeats over the pages of a site is its template is the idea of Bar-Yossef and Rajagopalan (2002, "Template
detection via data mining") and of Yi, Liu and Li (2003, "Eliminating noisy information in web pages"), who compare trees.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.addresses import split_url
from webcontent.document.fingerprints import PATH_KINDS
from webcontent.hashing import hash64
from webcontent.history.tables import CountTable, sums_by_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document

    Keys = NDArray[np.uint64]
    Numbers = NDArray[np.float64]

FEATURE_VERSION = 1
"""Version of the fingerprints and features; config.json of the model names it."""
MAX_TEXTS, MAX_PATHS = 2500, 1200
"""Rows of a profile's tables. A text takes 16 bytes, a path 32."""
MAX_PAGES = 120
"""At so many pages all counts are halved, so that recent pages outweigh old ones."""
MAX_BLOCKS = 4000
"""Pages of more blocks are neither looked up nor learned: a single one would fill the tables."""
MAX_KEPT = 12
"""Title elements of a host, the last ones, and locations of a field that are kept."""
MAX_CHARACTERS = 300
"""Characters that are kept of a title element and of a location's key."""
LOCATION_BONUS = 0.2
"""Added to the score of a candidate whose location held the field on all pages of the host."""
MIN_LOCATED_PAGES = 3
"""Pages that have to show a field before its locations count."""
MAX_WORDS = 60
"""Longer blocks weigh as much as a block of so many words in the mean probability of a path."""
MAX_ADDRESSES = 500
"""Pages that are recognized by their address, the last ones: 8 bytes each."""
IS_COPY = 0.5
"""A page with more than this share of its expected main text on one earlier page is a copy (such as a print version) of that page,
which then does not count."""
MIN_PRIOR = 0.003
"""Smallest mean probability of a path, and distance of the largest from 1, before it becomes a logit."""

HISTORY_FEATURES: tuple[str, ...] = (
    "logit", "pages", "words", "text_pages", "text_share",
    *(f"{kind}_{name}" for kind in PATH_KINDS for name in ("pages", "share", "logit_difference", "prior", "repeats")),
)  # fmt: skip
"""Features of a block. `logit`: log-odds of main text by the page alone. `pages`: of the host; `words`: of the block. `text_pages`,
`text_share`: number and share of the pages with its text. For each kind of path `pages`, `share`: number and share of the pages with
the path; `prior`: the logit of the mean probability at the path; `logit_difference`: the prior less the block's own logit;
`repeats`: share of the texts there that repeat. The prior of a path that was never seen is the block's own logit."""

_SIBLING_NUMBERS = re.compile(r"\[\d+\]")
_STATE = ("pages", "count", "copies", "titles", "locations")
"""What a profile has learned, beside its arrays."""


class HostProfile:
    """What is known of one host. Methods may be called from any thread."""

    def __init__(self) -> None:
        self.texts = CountTable(1, MAX_TEXTS)
        self.paths = CountTable(5, MAX_PATHS)
        """Pages; words; expected words of main text; blocks; blocks with a text of an earlier page."""
        self.pages = 0.0
        """Pages that `texts` and `paths` count."""
        self.count = 0
        """Pages that were ever learned."""
        self.copies = 0
        """Pages that were not learned, because they show an earlier page's text again."""
        self.addresses: Keys = np.zeros(0, np.uint64)
        """Hashes of the addresses of the pages that were learned, the last one last."""
        self.titles: list[str] = []
        self.locations: dict[str, dict[str, float]] = {}
        """For each field how often it was found at a location (see `location_key`)."""
        self.lock = threading.Lock()

    # ---- blocks
    def features(self, document: Document, logits: Numbers, words: Numbers) -> NDArray[np.float32] | None:
        """HISTORY_FEATURES of each block: float32 [blocks, len(HISTORY_FEATURES)]; None where nothing is known.

        `logits`: log-odds of each block to be main text, by the page alone; `words`: of each block.
        """
        if not self.count or not _is_suitable(document):
            return None
        fingerprints = document.fingerprints
        with self.lock:
            is_known = address_hash(document.url) in self.addresses
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

    def learn(self, document: Document, probabilities: NDArray[np.floating[Any]], words: Numbers, fields: Mapping[str, str | None]) -> None:
        """Learns a page, once; a copy of an earlier page is only counted.

        `probabilities`: of each block to be main text, by the page alone; `words`: of each block; `fields`: the `location_key` of each
        field's value, None for a field that was not found. Pages without blocks or of too many are ignored.
        """
        if not _is_suitable(document):
            return
        fingerprints, address = document.fingerprints, address_hash(document.url)
        with self.lock:
            if address in self.addresses:
                return
            rows = self.texts.find(fingerprints.texts)
            weights = np.minimum(words, MAX_WORDS)
            columns = np.column_stack((weights, weights * probabilities, np.ones(len(words)), rows >= 0))
            paths, values = sums_by_key(fingerprints.paths, columns)
            # where most pages look like copies, the host's template repeats, and they are learned
            if self.copies < self.count and bool(np.any(self._copied(rows, words * probabilities))):
                self.copies += 1
                return
            if document.url:
                self.addresses = np.append(self.addresses, address)[-MAX_ADDRESSES:]
            texts = np.unique(fingerprints.texts)
            self.texts.add(texts, np.ones((len(texts), 1), np.float32), self.count)
            self.paths.add(paths, values, self.count)
            self._add_fields(document.title, fields)

    def _add_fields(self, title: str | None, fields: Mapping[str, str | None]) -> None:
        self.count += 1
        self.pages += 1
        if title and title[:MAX_CHARACTERS] not in self.titles:
            self.titles = [*self.titles, title[:MAX_CHARACTERS]][-MAX_KEPT:]
        for name, key in fields.items():
            if key is not None:
                self._add_location(name, key)
        if self.pages >= MAX_PAGES:
            self.pages *= 0.5
            self.texts.halve()
            self.paths.halve()

    def _copied(self, rows: NDArray[np.intp], expected: Numbers) -> Numbers:
        """1 for each block that repeats one earlier page, where such blocks are most of the expected main text; else zeros.

        Texts of several pages are the host's, not an article's: they do not count. `rows`: of the blocks' texts.
        """
        copied = np.zeros(len(rows))
        pages = self.texts.values_of(rows)[:, 0]
        once = (rows >= 0) & (pages <= 1)
        known = float(expected[once].sum())
        total = known + float(expected[rows < 0].sum())
        if not known > IS_COPY * total:
            return copied
        place = np.unique(self.texts.seen[rows[once]], return_inverse=True)[1]
        shares = np.bincount(place, expected[once]) / total
        if shares.max() > IS_COPY:
            copied[once] = place == np.argmax(shares)
        return copied

    # ---- fields
    def _add_location(self, name: str, key: str) -> None:
        counts = self.locations.setdefault(name, {})
        counts[key] = counts.get(key, 0) + 1
        if len(counts) > MAX_KEPT:
            del counts[min(counts, key=lambda key: counts[key])]

    def bonus(self, name: str, origin: str, xpath: str | None) -> float:
        """The location prior of a field's candidate: LOCATION_BONUS times the share of the pages that had the field there."""
        with self.lock:
            counts = self.locations.get(name, {})
            total = sum(counts.values())
            return LOCATION_BONUS * counts.get(location_key(origin, xpath), 0.0) / total if total >= MIN_LOCATED_PAGES else 0.0

    def title_tail(self, title: str) -> str:
        """The end that a title element shares with those of most other pages; "" for none."""
        return _shared_head(title[::-1], [other[::-1] for other in self.titles])[::-1]

    def title_head(self, title: str) -> str:
        """The beginning that a title element shares with those of most other pages; "" for none."""
        return _shared_head(title, list(self.titles))

    # ---- state
    def arrays(self) -> list[NDArray[Any]]:
        """The part of the state that is stored as arrays."""
        return [column for table in (self.texts, self.paths) for column in (table.keys, table.values, table.seen)] + [self.addresses]

    def header(self) -> dict[str, Any]:
        """The rest of the state, and the lengths of the arrays, for JSON."""
        return {"sizes": [len(part) for part in self.arrays()], **{name: getattr(self, name) for name in _STATE}}

    @classmethod
    def restore(cls, header: Mapping[str, Any], arrays: list[NDArray[Any]]) -> Self:
        """A profile of the state that `header` and `arrays` give. Raises KeyError, TypeError, ValueError or AttributeError for another."""
        profile = cls()
        profile.texts.keys, profile.texts.values, profile.texts.seen = arrays[:3]
        profile.paths.keys, profile.paths.values, profile.paths.seen = arrays[3:6]
        profile.addresses = arrays[6]
        profile.pages, profile.count, profile.copies = float(header["pages"]), int(header["count"]), int(header["copies"])
        profile.titles = list(header["titles"])
        profile.locations = {name: dict(counts) for name, counts in header["locations"].items()}
        return profile


def _is_suitable(document: Document) -> bool:
    """Whether a page is looked up and learned: it has text, and not too much of it."""
    return 0 < len(document.blocks) <= MAX_BLOCKS


def _path_features(of_paths: Numbers, logits: Numbers, pages: float) -> Numbers:
    """The features of the paths: float64 [blocks, 5 * kinds]. `of_paths`: rows of `HostProfile.paths`, kind by kind."""
    known, words, main_words, blocks, repeated = of_paths.T.reshape(5, len(PATH_KINDS), -1)
    means = np.clip(main_words / np.maximum(1e-9, words), MIN_PRIOR, 1 - MIN_PRIOR)
    prior = np.where(known > 0, np.log(means / (1 - means)), logits)
    columns = (known, np.minimum(1, known / pages), prior - logits, prior, repeated / np.maximum(1e-9, blocks))
    return np.stack(columns, axis=1).reshape(-1, len(logits)).T


def _shared_head(title: str, others: list[str]) -> str:
    """The beginning that a title shares with two thirds of the others, and with two of them at least."""
    pairs = [takewhile(lambda both: both[0] == both[1], zip(title, other, strict=False)) for other in others if other != title]
    lengths = sorted((sum(1 for _ in pair) for pair in pairs), reverse=True)
    return title[: lengths[max(1, (2 * len(lengths)) // 3 - 1)]] if len(lengths) > 1 else ""


def location_key(origin: str, xpath: str | None) -> str:
    """Key of the location of a value that is the same on all pages of a design: its origin, and its path without numbers.

    >>> location_key("time", "/html/body/div[2]/p/time")
    'time /html/body/div/p/time'
    """
    return f"{origin} {_SIBLING_NUMBERS.sub('', xpath or '')}"[:MAX_CHARACTERS]


@lru_cache(maxsize=1000)
def address_hash(url: str | None) -> np.uint64:
    """Hash of an address without its fragment."""
    return np.uint64(hash64((url or "").partition("#")[0]))


@lru_cache(maxsize=10_000)
def host_of(url: str | None) -> str:
    """Host and port of an address, without www; "" where there is none. Hosts of one registered domain have designs of their own.

    >>> host_of("https://www.example.com/a"), host_of("http://127.0.0.1:8000/"), host_of(None)
    ('example.com', '127.0.0.1:8000', '')
    """
    parts = split_url(url or "")
    return f"{str(parts.hostname).removeprefix('www.')}{f':{parts.port}' if parts.port else ''}" if parts else ""
