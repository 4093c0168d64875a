"""What was learned of a site from its earlier pages: which texts and places repeat, and what was found where.

No single page shows that a block stood on forty other pages of its site. `SiteHistory` remembers that, bounded in all (the sites
that were asked for last) and for each site (the texts and places seen last, and those that repeat): fingerprints of block
texts, of places in the tree (paths of tags with class names, paths of tags with their numbers) with the network's own mean
opinion of what stood there, the places where title and time were found, and title elements. Texts themselves are not kept.

The idea that what repeats over the pages of a site is its template is that of Bar-Yossef and Rajagopalan (2002, "Template
detection via data mining") and of Yi, Liu and Li (2003, "Eliminating noisy information in web pages"), who compare trees.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from webcontent.document.blocks import TAG_CODES, count_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document

    Keys = NDArray[np.uint64]
    Numbers = NDArray[np.float64]

logger = logging.getLogger(__name__)

VERSION = 1
"""Of the fingerprints and tables; a stored file of another version is not read."""
MAX_SITES = 1000
MAX_TEXTS, MAX_PLACES = 2500, 1200
"""Rows of a site's tables. One text takes 16 bytes, one place 32."""
MAX_PAGES = 120
"""When a site has so many pages, all counts are halved: what it shows now counts for more than what it showed long ago."""
MAX_BLOCKS = 4000
"""A page of more blocks is neither looked up nor remembered: it would fill the tables alone."""
MAX_TITLES = 12
"""Title elements that are kept of a site, the last ones ..."""
TITLE_CHARACTERS = 200
"""... cut here."""
MAX_HABITS = 12
"""Places that are kept for each field."""
HABIT, LEAST_HABITS = 0.2, 3
"""What a place gains where a field stood on all pages of the site, known from so many of them at least."""
TEXT_CHARACTERS = 80
"""A longer text's fingerprint is that of its beginning and its length."""
LONG_WORDS = 60
"""A longer block counts as one of so many words where a place's opinion is formed."""
MAX_ADDRESSES = 500
"""Pages that are known again by their address, the last ones: 8 bytes each."""
IS_COPY = 0.5
"""A page with so much of its probable main text on one earlier page is the same text again under another address (a print version):
that page does not count for it."""

PLACE_KINDS = ("named", "numbered", "around")
"""Path of tags and class names; path of tags with their numbers among siblings; the latter of the element around it."""
SITE_FEATURES: tuple[str, ...] = (
    "logit", "pages", "words", "text_pages", "text_share",
    *(f"{kind}_{name}" for kind in PLACE_KINDS for name in ("pages", "share", "gap", "opinion", "repeats")),
)  # fmt: skip
"""What is known of a block: its log-odds by the page alone; how many pages were seen; its words; on how many of the pages and what
share of them its text stood; for each kind of place on how many of the pages, and what share of them; the mean opinion there less
the block's own; that opinion; and what share of the texts there were repeated. A place that was never seen has no opinion
of its own: that of the block stands there."""

_HTML, _BODY = TAG_CODES["html"], TAG_CODES["body"]
"""Their class names tell pages apart rather than places."""
_DIGITS = re.compile(r"\d+")
_NUMBERS = re.compile(r"\[\d+\]")
_FACTOR, _OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)


# -------------------------------------------------------------------------------------------------------- fingerprints
@dataclass(slots=True, frozen=True, eq=False)
class Fingerprints:
    """Fingerprints of a page's blocks, n = len(blocks)."""

    texts: Keys
    """Of the text without case; digits count as 0."""
    places: Keys
    """[len(PLACE_KINDS), n]"""


def fingerprints_of(blocks: Blocks) -> Fingerprints:
    """Fingerprints of all blocks."""
    named, numbered = _place_prints(blocks)
    rows = blocks.element
    around = np.maximum(0, blocks.elements.parent[rows])
    places = np.stack((named[rows], _mixed(numbered[rows] + np.uint64(1)), _mixed(numbered[around] + np.uint64(2))))
    return Fingerprints(_text_prints(blocks.texts), places)


def _character_values() -> Keys:
    """A random number for each character of the basic plane; one for all digits, one for both cases of a letter."""
    values = np.random.default_rng(1).integers(1, 2**63, 0x10000, np.uint64)
    for code in range(0x10000):
        char = chr(code)
        lower = char.lower()
        if char.isdigit():
            values[code] = values[ord("0")]
        elif lower != char and len(lower) == 1:
            values[code] = values[ord(lower)]
    return values


_VALUES = _character_values()
_POWERS = np.cumprod(np.full(TEXT_CHARACTERS + 2, _FACTOR, np.uint64), dtype=np.uint64)


def _text_prints(texts: list[str]) -> Keys:
    """A polynomial hash (Karp and Rabin 1987) of each text, all at once."""
    cut = [text[:TEXT_CHARACTERS] for text in texts]
    codes = np.frombuffer((" ".join(cut) + " ").encode("utf-32-le", "replace"), np.uint32)
    lengths = np.fromiter(map(len, cut), np.int64, len(cut)) + 1
    starts = np.cumsum(lengths) - lengths
    offsets = np.arange(len(codes)) - np.repeat(starts, lengths)
    sums = np.add.reduceat(_VALUES[np.minimum(codes, 0xFFFF)] * _POWERS[offsets], starts, dtype=np.uint64)
    return _mixed(sums + np.fromiter(map(len, texts), np.uint64, len(texts)))


def _place_prints(blocks: Blocks) -> tuple[Keys, Keys]:
    """For each element its path of tags and class names, and its path of tags with their numbers."""
    elements = blocks.elements
    count = len(elements)
    tags = elements.tag.astype(np.uint64) + np.uint64(1)
    names, codes = blocks.class_codes
    own = np.zeros((count + 1, 2), np.uint64)  # the last row stands above the root
    own[:-1, 0] = np.array([_name_print(name) for name in names], np.uint64)[codes]
    own[:-1, 0][(elements.tag == _HTML) | (elements.tag == _BODY)] = 0
    own[:-1, 0] = own[:-1, 0] * _OTHER + tags
    numbers = count_ranks(elements.parent.astype(np.int64) * 128 + elements.tag)
    own[:-1, 1] = (numbers.astype(np.uint64) << np.uint64(8)) + tags
    paths = _sums_of_ancestors(own, elements)
    return _mixed(paths[:, 0]), paths[:, 1]


def _sums_of_ancestors(own: Keys, elements: Elements) -> Keys:
    """For each element a polynomial in its own and its ancestors' rows, by pointer jumping (Wyllie 1979): a few steps, however deep."""
    above = np.append(elements.parent, -1)  # -1: the last row, which is above all
    factor = np.full(1, _FACTOR)
    for _ in range(int(elements.depth.max(initial=0) + 1).bit_length()):
        own = own + own[above] * factor
        above, factor = above[above], factor * factor
    return own[:-1]


@lru_cache(maxsize=1000)
def address_print(url: str | None) -> np.uint64:
    """Of an address without its fragment."""
    bare = (url or "").partition("#")[0]
    return np.uint64(int.from_bytes(blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"))


@lru_cache(maxsize=50_000)
def _name_print(classes: str) -> int:
    """Of a class attribute; digits count as 0, the order of names does not count."""
    names = sorted(set(_DIGITS.sub("0", classes[:500]).split()))
    return int.from_bytes(blake2b(" ".join(names).encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") if names else 0


def _mixed(values: Keys) -> Keys:
    """The finaliser of splitmix64 (Steele, Lea, Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


# -------------------------------------------------------------------------------------------------------------- tables
class Table:
    """Rows of numbers by key, bounded: rows of one page that were not seen for long go first."""

    def __init__(self, columns: int, limit: int) -> None:
        self.limit = limit
        self.keys: Keys = np.zeros(0, np.uint64)
        """Sorted."""
        self.values = np.zeros((0, columns), np.float32)
        """The first column is the number of pages."""
        self.seen = np.zeros(0, np.uint32)
        """The last page that had the key."""

    def find(self, keys: Keys) -> NDArray[np.intp]:
        """The row of each key, -1 where there is none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[rows] == keys, rows, -1)

    def add(self, keys: Keys, values: NDArray[Any], page: int) -> None:
        """Adds to the rows of the keys, each of which comes once; `page`: its number."""
        rows = self.find(keys)
        known = rows >= 0
        self.values[rows[known]] += values[known]
        self.seen[rows[known]] = page
        new = np.concatenate((self.keys, keys[~known]))
        order = np.argsort(new, kind="stable")  # two sorted runs at best
        self.keys = new[order]
        self.values = np.concatenate((self.values, values[~known]))[order]
        self.seen = np.concatenate((self.seen, np.full(len(new) - len(self.seen), page, np.uint32)))[order]
        if len(self.keys) > self.limit:
            self._keep(np.sort(np.lexsort((self.seen, self.values[:, 0] > 1))[-(3 * self.limit // 4) :]))

    def halve(self) -> None:
        """Old pages count for less; what is left of a single page long ago goes."""
        self.values *= np.float32(0.5)
        self._keep(np.flatnonzero(self.values[:, 0] >= 0.5))

    def _keep(self, rows: NDArray[np.intp]) -> None:
        self.keys, self.values, self.seen = self.keys[rows], self.values[rows], self.seen[rows]


# ---------------------------------------------------------------------------------------------------------------- site
@dataclass(slots=True, frozen=True, eq=False)
class Observation:
    """What one page adds to what is known of its site."""

    address: np.uint64 | None
    """None: the page has none."""
    texts: Keys
    """Each once, in order; so are the places."""
    places: Keys
    place_values: NDArray[np.float32]
    """[len(places), 5], the columns of `HostProfile.places`."""
    title: str | None
    found: dict[str, str | None]
    is_copy: bool
    """Whether it shows an earlier page's text again, so that it is counted and not remembered."""


class HostProfile:
    """What is known of one site. Methods may be called from any thread."""

    def __init__(self) -> None:
        self.texts = Table(1, MAX_TEXTS)
        self.places = Table(5, MAX_PLACES)
        """Pages; words; words that were probably main text; blocks; of these with a text of an earlier page."""
        self.pages = 0.0
        """As `texts` and `places` count them."""
        self.count = 0
        """All pages that were ever learned."""
        self.copies = 0
        """Pages that were not, because they show an earlier page's text again."""
        self.addresses: Keys = np.zeros(0, np.uint64)
        """Of the pages that were learned, the last one last."""
        self.titles: list[str] = []
        self.habits: dict[str, dict[str, float]] = {}
        """For a field how often it was found at a place (see `location_key`)."""
        self.unsent: list[Observation] | None = None
        """Lessons that the other processes of the crawl do not know yet, at most MAX_PAGES; None: there are no other processes."""
        self._lock = threading.Lock()

    def features(self, document: Document, logits: Numbers, words: Numbers) -> NDArray[np.float32] | None:
        """SITE_FEATURES of each block: float32 [blocks, len(SITE_FEATURES)]; None where nothing is known.

        `logits`: log-odds of each block to be main text, by the page alone.
        """
        if not self.count or not _is_fit(document):
            return None
        fingerprints = document.fingerprints
        with self._lock:
            again = address_print(document.url) in self.addresses
            pages = self.pages - again
            if pages < 0.5:
                return None
            rows = self.texts.find(fingerprints.texts)
            text_pages = _rows_of(self.texts.values, rows)[:, 0]
            text_pages -= again or self._copied(rows, words / (1 + np.exp(-logits)))
            places = _rows_of(self.places.values, self.places.find(fingerprints.places.ravel()))
        text_pages = np.maximum(0.0, text_pages)
        known, words_there, main_words, blocks, repeated = places.T.reshape(5, len(PLACE_KINDS), -1)
        opinion = np.where(known > 0, _logit(main_words / np.maximum(1e-9, words_there)), logits)
        columns = (known, np.minimum(1, known / pages), opinion - logits, opinion, repeated / np.maximum(1e-9, blocks))
        result = np.empty((len(logits), len(SITE_FEATURES)), np.float32)
        own: tuple[Any, ...] = (logits, pages, words, text_pages, np.minimum(1, text_pages / pages))
        for place, column in enumerate(own):
            result[:, place] = column
        result[:, 5:] = np.stack(columns, axis=1).reshape(-1, len(logits)).T
        return result

    def learn(self, document: Document, probabilities: NDArray[np.floating[Any]], words: Numbers, found: dict[str, str | None]) -> None:
        """Remembers a page, once; one that shows an earlier page's text again is not.

        `probabilities`: of each block to be main text, by the page alone; `found`: where each field was found, as `location_key` says.
        """
        if not _is_fit(document):
            return
        fingerprints, address = document.fingerprints, address_print(document.url)
        weights = np.minimum(words, LONG_WORDS)
        with self._lock:
            if address in self.addresses:
                return
            rows = self.texts.find(fingerprints.texts)
            columns = np.column_stack((weights, weights * probabilities, np.ones(len(words)), rows >= 0))
            lesson = Observation(
                address if document.url else None,
                np.unique(fingerprints.texts),
                *_summed(fingerprints.places, columns),
                document.title,
                found,
                is_copy=self._is_copy(rows, words * probabilities),
            )
            self._add(lesson)
            if self.unsent is not None and len(self.unsent) < MAX_PAGES:
                self.unsent.append(lesson)

    def _add(self, lesson: Observation) -> None:
        if lesson.is_copy:
            self.copies += 1
            return
        if lesson.address is not None:
            self.addresses = np.append(self.addresses, lesson.address)[-MAX_ADDRESSES:]
        self.texts.add(lesson.texts, np.ones((len(lesson.texts), 1), np.float32), self.count)
        self.places.add(lesson.places, lesson.place_values, self.count)
        self.count += 1
        self.pages += 1
        self._add_habits(lesson.title, lesson.found)
        if self.pages >= MAX_PAGES:
            self.pages *= 0.5
            self.texts.halve()
            self.places.halve()

    def _is_copy(self, rows: NDArray[np.intp], expected: Numbers) -> bool:
        """Whether a page is a copy that is not learned. Where most pages look so, it is the site's template that repeats."""
        return self.copies < self.count and bool(np.any(self._copied(rows, expected)))

    def _copied(self, rows: NDArray[np.intp], expected: Numbers) -> Numbers:
        """1 for each block that the page shows again of an earlier one, where that is most of its main text; else zeros.

        Texts of several pages belong to the site, not to a story: they are left aside.
        """
        none = np.zeros(len(rows))
        pages = _rows_of(self.texts.values, rows)[:, 0]
        once = (rows >= 0) & (pages <= 1)
        known = float(expected[once].sum())
        total = known + float(expected[rows < 0].sum())
        if not known > IS_COPY * total:
            return none
        place = np.unique(self.texts.seen[rows[once]], return_inverse=True)[1]
        shares = np.bincount(place, expected[once]) / total
        if shares.max() > IS_COPY:
            none[once] = place == np.argmax(shares)
        return none

    # ---- for files and other processes
    def arrays(self) -> list[NDArray[Any]]:
        """What of it is stored as arrays, in the order of _ARRAYS."""
        return [
            *(self.texts.keys, self.texts.values, self.texts.seen),
            *(self.places.keys, self.places.values, self.places.seen),
            self.addresses,
        ]

    def _facts(self) -> dict[str, Any]:
        """The rest, for JSON."""
        own = {"pages": self.pages, "count": self.count, "copies": self.copies, "titles": self.titles, "habits": self.habits}
        return {"sizes": [len(part) for part in self.arrays()], **own}

    @classmethod
    def _of(cls, facts: dict[str, Any], parts: list[NDArray[Any]]) -> HostProfile:
        site = cls()
        site.texts.keys, site.texts.values, site.texts.seen = parts[:3]
        site.places.keys, site.places.values, site.places.seen = parts[3:6]
        site.addresses = parts[6]
        site.pages, site.count, site.copies = float(facts["pages"]), int(facts["count"]), int(facts["copies"])
        site.titles, site.habits = list(facts["titles"]), {name: dict(counts) for name, counts in facts["habits"].items()}
        return site

    def pack(self) -> tuple[bytes, int]:
        """All that is known, for `adopt` in another process that has the same VERSION, and how many of `unsent` are part of it."""
        with self._lock:
            header = json.dumps(self._facts()).encode()
            return b"\n".join((header, b"".join(part.tobytes() for part in self.arrays()))), len(self.unsent or ())

    def adopt(self, packed: bytes) -> None:
        """Becomes what another process knows, with the lessons in `unsent` added. Raises ValueError for what is no packed site."""
        other = _unpacked(packed)
        with self._lock:
            for lesson in self.unsent or ():
                if lesson.address is None or lesson.address not in other.addresses:  # else that one has learned it from here
                    other._add(lesson)
            self.texts, self.places, self.addresses = other.texts, other.places, other.addresses
            self.pages, self.count, self.copies = other.pages, other.count, other.copies
            self.titles, self.habits = other.titles, other.habits

    # ---- fields
    def _add_habits(self, title: str | None, found: dict[str, str | None]) -> None:
        if title and title[:TITLE_CHARACTERS] not in self.titles:
            self.titles = [*self.titles, title[:TITLE_CHARACTERS]][-MAX_TITLES:]
        for name, key in found.items():
            if key is None:
                continue
            counts = self.habits.setdefault(name, {})
            counts[key] = counts.get(key, 0.0) + 1
            if len(counts) > MAX_HABITS:
                del counts[min(counts, key=lambda key: counts[key])]
            if sum(counts.values()) >= MAX_PAGES:
                self.habits[name] = {key: count / 2 for key, count in counts.items()}

    def bonus(self, name: str, origin: str, xpath: str | None) -> float:
        """What a candidate of a field gains by its place: HABIT where it was found there on all pages, less by their share."""
        with self._lock:
            counts = self.habits.get(name, {})
            total = sum(counts.values())
            return HABIT * counts.get(location_key(origin, xpath), 0.0) / total if total >= LEAST_HABITS else 0.0

    def title_tail(self, title: str) -> str:
        """What the title element shares at its end with those of most other pages; "" for nothing."""
        return self._shared_end(title[::-1], [other[::-1] for other in self.titles])[::-1]

    def title_head(self, title: str) -> str:
        """What it shares at its beginning."""
        return self._shared_end(title, list(self.titles))

    def _shared_end(self, title: str, others: list[str]) -> str:
        lengths = sorted((_shared_length(title, other) for other in others if other != title), reverse=True)
        if len(lengths) < 2:
            return ""
        return title[: lengths[max(1, (2 * len(lengths)) // 3 - 1)]]


def _unpacked(packed: bytes) -> HostProfile:
    try:
        header, _, data = packed.partition(b"\n")
        facts = json.loads(header)
        parts, start = [], 0
        for size, like in zip(facts["sizes"], HostProfile().arrays(), strict=True):
            shape = (size, *like.shape[1:])
            part = np.frombuffer(data, like.dtype, int(np.prod(shape)), start)
            parts.append(part.reshape(shape).copy())  # its own memory: it will be written to
            start += part.nbytes
        return HostProfile._of(facts, parts)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _shared_length(one: str, other: str) -> int:
    """Characters that two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def location_key(origin: str, xpath: str | None) -> str:
    """Where a value was found, as it is the same on all pages of a design: how it was declared, and its path without numbers.

    >>> location_key("time", "/html/body/div[2]/p/time")
    'time /html/body/div/p/time'
    """
    return f"{origin} {_NUMBERS.sub('', xpath or '')}"[:300]


def _is_fit(document: Document) -> bool:
    """Whether a page is looked up and remembered: pages without text or with too much of it are not.

    Callers leave out lists: what is their main text changes from page to page, and many show whole articles.
    """
    return 0 < len(document.blocks) <= MAX_BLOCKS


def _summed(places: Keys, columns: Numbers) -> tuple[Keys, NDArray[np.float32]]:
    """Each place once, in order, with 1 and the sums of the columns over its blocks. `places`: some for each block."""
    keys = places.ravel()
    order = np.argsort(keys)
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    sums = np.add.reduceat(columns[order % len(columns)], starts, axis=0)
    return keys[starts], np.column_stack((np.ones(len(starts)), sums)).astype(np.float32)


def _rows_of(values: NDArray[np.float32], rows: NDArray[np.intp]) -> Numbers:
    """The rows; zeros for -1."""
    result = np.zeros((len(rows), values.shape[1]))
    known = rows >= 0
    result[known] = values[rows[known]]
    return result


def _logit(p: Numbers) -> Numbers:
    p = np.clip(p, 0.003, 0.997)
    result: Numbers = np.log(p / (1 - p))
    return result


# --------------------------------------------------------------------------------------------------------------- sites
_ARRAYS = ("text_keys", "text_values", "text_seen", "place_keys", "place_values", "place_seen", "addresses")


class SiteHistory:
    """What is known of all sites: the last `limit` that were asked for. May be shared by threads."""

    def __init__(self, limit: int = MAX_SITES) -> None:
        self.limit = limit
        self._sites: OrderedDict[str, HostProfile] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._sites)

    def find(self, url: str | None) -> HostProfile | None:
        """The site of an address, new where it was not known; None without a host."""
        name = host_of(url)
        if not name:
            return None
        with self._lock:
            site = self._sites.setdefault(name, HostProfile())
            self._sites.move_to_end(name)
            while len(self._sites) > self.limit:
                self._sites.popitem(last=False)
            return site

    def items(self) -> list[tuple[str, HostProfile]]:
        """All sites by their names, the one that was asked for last at the end."""
        with self._lock:
            return list(self._sites.items())

    def save(self, path: str | Path) -> None:
        """Writes everything to one file, which is there whole or not at all."""
        path = Path(path)
        sites = self.items()
        told: list[dict[str, Any]] = []
        arrays: dict[str, list[NDArray[Any]]] = {}
        for name, site in sites:
            with site._lock:
                told.append({"name": name, **site._facts()})
                for key, part in zip(_ARRAYS, site.arrays(), strict=True):
                    arrays.setdefault(key, []).append(part)
        header = json.dumps({"version": VERSION, "sites": told}).encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.part")
        with partial.open("wb") as stream:
            columns: dict[str, Any] = {key: np.concatenate(parts) for key, parts in arrays.items()}
            np.savez(stream, header=np.frombuffer(header, np.uint8), **columns)
        partial.replace(path)

    @classmethod
    def load(cls, path: str | Path, limit: int = MAX_SITES) -> SiteHistory:
        """What a file holds; nothing where there is none, or where it is damaged or of another version (the log says so)."""
        sites = cls(limit)
        try:
            with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
                sites._read(json.loads(stored["header"].tobytes()), {key: stored[key] for key in stored.files if key != "header"})
        except FileNotFoundError:
            return sites
        except Exception as error:  # whatever stands in the file: the crawl begins with an empty memory
            logger.warning("What was learned of sites can't be read from %s (%s); it is learned anew.", path, error)
            return cls(limit)
        return sites

    def _read(self, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        if header["version"] != VERSION:
            raise ValueError(f"it is of version {header['version']!r}, not {VERSION}")
        starts = [0] * len(_ARRAYS)
        for row in header["sites"]:
            ends = [start + size for start, size in zip(starts, row["sizes"], strict=True)]
            parts = [arrays[key][start:end].copy() for key, start, end in zip(_ARRAYS, starts, ends, strict=True)]
            self._sites[row["name"]], starts = HostProfile._of(row, parts), ends
        while len(self._sites) > self.limit:
            self._sites.popitem(last=False)


@lru_cache(maxsize=10_000)
def host_of(url: str | None) -> str:
    """Host and port of an address, without www; "" where there is none. Hosts of one registered domain have designs of their own.

    >>> host_of("https://www.example.com/a"), host_of("http://127.0.0.1:8000/"), host_of(None)
    ('example.com', '127.0.0.1:8000', '')
    """
    try:
        parts = urlsplit(url or "")
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    return f"{(parts.hostname or '').removeprefix('www.')}{port}" if parts.hostname else ""
