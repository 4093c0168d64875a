"""Pages with gold -> labelled lines: what the BP network and NEMTF are trained on.

Gold texts are aligned with the lines of their page: the body by the longest common subsequence of words, title, time and source by
the line next to the text that holds them, related stories by their address, else by their title. What can't be found is counted.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.document.blocks import TAG_CODES
from webcontent.document.lines import markup_sizes
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.extractors.nemtf import BODY, LABELS, NOISE, RELATED, SOURCE, TIME, TITLE
from webcontent.fields.dates import iter_times
from webcontent.fields.page_signals import plain
from webcontent.items import Page
from webcontent.pipeline import Options, page_item
from webcontent.training.labels import GoldMatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.extraction import Extractor

VERSION = 7
"""Of this code; samples of another version are read again."""
TYPES = frozenset(("article", "documentation"))
"""Pages that have one story."""
BEFORE, BEHIND = 60, 12
"""Title, time and source are looked for so many lines before the text and behind its first and last line."""
LONGEST_LINE = 160
"""Characters of a line that may hold a time or a source."""
_FULLTEXT = frozenset(("fulltext",))


@dataclass(slots=True)
class Sample:
    """A page, read once."""

    id: str
    corpus: str
    site: str
    language: str
    url: str
    title: str
    """Text of the title element."""
    texts: list[str]
    markup: NDArray[np.int64]
    """Characters of each line's tags."""
    targets: NDArray[np.float32]
    """Share of each of LABELS in each line; rows sum to 1."""
    weights: NDArray[np.float32]
    """0 for lines of which the gold does not say what they are."""
    unknown: tuple[int, ...]
    """Labels that the gold does not speak of: what is noise on this page may also be one of these."""
    wanted: Counter[str] = field(default_factory=Counter)
    """Gold texts by label ..."""
    missed: Counter[str] = field(default_factory=Counter)
    """... and those of them that stand in no line."""

    @property
    def fold(self) -> int:
        return fold_of(self.site)

    def __len__(self) -> int:
        return len(self.texts)


def read_samples(counts: Mapping[str, int | None], cache: Path) -> list[Sample]:
    """The story pages of corpora, so many of each at most (None: all), from the cache where they were read before."""
    samples: list[Sample] = []
    for name, limit in counts.items():
        version = hashlib.sha256(repr((name, limit, VERSION)).encode()).hexdigest()[:12]
        path = cache / f"lines-{name}-{version}.pickle"
        if not path.exists():
            found = [read_sample(name, record) for record in tqdm(story_pages(name, limit), desc=name, unit="page", mininterval=5)]
            cache.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pickle.dumps([sample for sample in found if len(sample)], pickle.HIGHEST_PROTOCOL))
        samples += pickle.loads(path.read_bytes())  # noqa: S301  (our own file)
    return samples


def story_pages(corpus: str, limit: int | None = None) -> list[Record]:
    """The pages of a corpus that have one story, so many at most, spread evenly."""
    stories = [record for record in load_corpus(corpus) if record["type"] in TYPES and record["gold"].get("body")]
    count = min(limit or len(stories), len(stories))
    return [stories[i * len(stories) // count] for i in range(count)]


def read_sample(corpus: str, record: Record) -> Sample:
    """A page of a corpus with the labels of its lines."""
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]
    sample = Sample(
        id=record["id"],
        corpus=corpus,
        site=record["site"],
        language=record.get("lang") or "",
        url=record["url"],
        title=document.title or "",
        texts=blocks.texts,
        markup=markup_sizes(blocks),
        targets=np.zeros((len(blocks), len(LABELS)), np.float32),
        weights=np.ones(len(blocks), np.float32),
        unknown=tuple(label for label, name in _FIELDS if _is_unknown(gold, name)),
    )
    if len(blocks):
        _Alignment(sample, document, gold).run()
    return sample


_FIELDS = ((TITLE, "title"), (TIME, "time"), (SOURCE, "source"), (RELATED, "related"))


def _is_unknown(gold: Mapping[str, Any], name: str) -> bool:
    return name not in gold and not (name == "related" and "blocks" in gold)


class _Alignment:
    """The search for a page's gold texts among its lines; the sample is updated inline."""

    def __init__(self, sample: Sample, document: Document, gold: Mapping[str, Any]) -> None:
        self.sample, self.document, self.gold = sample, document, gold
        self.plain = [plain(text) if len(text) <= 400 else "" for text in sample.texts]
        pieces: list[list[str]] = gold.get("blocks") or []
        labelled = pieces and isinstance(pieces[0], list)
        text = "\n".join(text for label, text in pieces if label in _FULLTEXT) if labelled else gold.get("body") or ""
        self.body = GoldMatch(sample.texts, text).labels
        chosen = np.flatnonzero(self.body > 0.5)
        self.first, self.last = (int(chosen[0]), int(chosen[-1])) if len(chosen) else (0, 0)
        self.related_texts = {plain(text) for label, text in pieces if label == "related"} if labelled else set()

    def run(self) -> None:
        targets = self.sample.targets
        targets[:, BODY] = self.body
        self._count(BODY, [self.gold.get("body")], bool((self.body > 0.5).any()))
        title, time = self._title(), self._time()
        source = self._source(title if time is None else time)
        related = self._related()
        targets[related] = 0
        targets[related, RELATED] = 1
        for label, line in ((TITLE, title), (TIME, time), (SOURCE, source)):
            if line is not None and (label == TITLE or self.body[line] < 0.9):
                if targets[line, TITLE] + targets[line, TIME] + targets[line, SOURCE] == 0:
                    targets[line] = 0
                targets[line, label] = 1
        for label, line in ((TIME, time), (SOURCE, source)):  # a line that holds both belongs half to each
            if line is not None and targets[line].sum() > 1:
                targets[line] /= targets[line].sum()
            self._count(label, [self.gold.get(LABELS[label])], line is not None)
        self._count(TITLE, [self.gold.get("title")], title is not None)
        targets[:, NOISE] = 1 - targets[:, NOISE + 1 :].sum(axis=1)

    def _count(self, label: int, wanted: Iterable[Any], found: bool) -> None:
        count = sum(bool(value) for value in wanted)
        self.sample.wanted[LABELS[label]] += count
        self.sample.missed[LABELS[label]] += count * (not found)
        if count and not found and label not in self.sample.unknown:
            self.sample.unknown = (*self.sample.unknown, label)  # it may be there in words that were not recognised

    def _near(self) -> list[int]:
        """Lines around the beginning and the end of the text, the nearest first."""
        lines = {*range(self.first - BEFORE, self.first + BEHIND), *range(self.last - 2, self.last + BEHIND)}
        return sorted((i for i in lines if 0 <= i < len(self.plain)), key=lambda i: (abs(i - self.first), i))

    def _title(self) -> int | None:
        wanted = plain(self.gold.get("title"))
        if not wanted:
            return None
        exact = [i for i, text in enumerate(self.plain) if text == wanted]
        part = [i for i in self._near() if i <= self.first and self._is_title_part(self.plain[i], wanted)]
        found = sorted(exact, key=lambda i: (i > self.first, abs(i - self.first)))[:1] or part[:1]
        self.sample.weights[[i for i in exact if i not in found]] = 0
        return found[0] if found else None

    @staticmethod
    def _is_title_part(text: str, wanted: str) -> bool:
        """Whether a line is the title with a little more or a little less."""
        return len(text) * 5 >= 3 * len(wanted) >= len(text) * 2 and (text in wanted or wanted in text)

    def _time(self) -> int | None:
        wanted = str(self.gold.get("time") or "")
        found: list[tuple[int, int]] = []
        for i in self._near() if wanted else ():
            text = self.sample.texts[i]
            if len(text) > LONGEST_LINE:
                continue
            values = [item.value for item in iter_times(text)]
            if wanted[:10] in [value[:10] for value in values]:
                exact = len(wanted) > 10 and wanted[:16] in [value[:16] for value in values]
                found.append((-int(exact), i))
        found.sort(key=lambda pair: pair[0])  # stable: the nearest of those of the same precision
        if found:
            self.sample.weights[[i for _, i in found[1:] if self.body[i] < 0.5]] = 0
        return found[0][1] if found else None

    def _source(self, anchor: int | None) -> int | None:
        wanted = plain(self.gold.get("source"))
        if len(wanted) < 2:
            return None
        place = self.first if anchor is None else anchor
        found = [i for i in self._near() if len(self.sample.texts[i]) <= LONGEST_LINE and wanted in self.plain[i]]
        found = [i for i in found if self.plain[i] == wanted or self._is_labelled(i) or i == anchor]
        found.sort(key=lambda i: (-2 * self._is_labelled(i) - (i == anchor), abs(i - place)))
        return found[0] if found else None

    def _is_labelled(self, line: int) -> bool:
        """Whether a colon stands before the source, in its line or at the end of the one before it."""
        text, wanted = self.sample.texts[line], str(self.gold["source"])
        before = text.partition(wanted)[0] or (self.sample.texts[line - 1] if line else "")
        return before.rstrip()[-1:] in (":", "：")

    def _related(self) -> list[int]:
        """Lines of the stories that the page offers beside its own."""
        if self.related_texts:
            lines = [i for i, text in enumerate(self.plain) if text in self.related_texts]
            self.sample.wanted["related"] += len(self.related_texts)
            self.sample.missed["related"] += len(self.related_texts - {self.plain[i] for i in lines})
            return lines
        links = self.gold.get("related") or []
        by_url = self._lines_by_url() if links else {}
        lines = []
        for link in links:
            title, url = plain(link.get("title")), link.get("url") or ""
            same = [i for i, text in enumerate(self.plain) if text == title and title]
            found = [i for i in by_url.get(url, []) if self.plain[i] and (not title or self.plain[i][:8] == title[:8])] or same
            lines += [i for i in found if self.body[i] < 0.9]
            self._count(RELATED, [title or url], bool(found))
        return lines

    def _lines_by_url(self) -> dict[str, list[int]]:
        """The first line of each link's text."""
        elements = self.document.blocks.elements
        found: dict[str, list[int]] = {}
        for row in np.flatnonzero((elements.tag == TAG_CODES["a"]) & (elements.end > elements.start)).tolist():
            if url := self.document.absolute(elements.nodes[row].get("href")):
                found.setdefault(url, []).append(int(elements.start[row]))
        return found


def alignment_table(samples: Sequence[Sample]) -> list[list[Any]]:
    """By corpus and label: gold texts, and the share of them that stand in no line of their page."""
    rows = []
    for corpus in dict.fromkeys(sample.corpus for sample in samples):
        own = [sample for sample in samples if sample.corpus == corpus]
        wanted, missed = (sum((getattr(sample, name) for sample in own), Counter[str]()) for name in ("wanted", "missed"))
        rows += [[corpus, label, wanted[label], missed[label] / wanted[label]] for label in LABELS if wanted[label]]
    return rows


# ---------------------------------------------------------------------------------------------------------- predictions
GIVEN = ("title", "time", "source", "authors", "body", "related", "type")
"""Fields that the referee reads."""


def predict(records: Iterable[Record], extractor: Extractor, *, alone: Extractor | None = None) -> list[dict[str, Any]]:
    """What the whole of `webcontent.extract` gives with an extractor: the fields, and id, site and gold of the page.

    `alone`: under that key also what this extractor itself gives of the fields, without the help of `fields`.
    """
    rows = []
    for record in records:
        page = Page(url=record["url"], html=record["html"])
        item = asdict(page_item(page, Options(extractor=extractor)))
        row = {"id": record["id"], "site": record["site"], "url": record["url"], "gold": record["gold"]}
        row |= {name: item.get(name) for name in GIVEN}
        if alone is not None:
            extraction = alone(Document.from_page(page))
            own = {name: candidates[0].value for name, candidates in extraction.fields.items() if candidates}
            row["alone"] = {"body": extraction.body, **own, "related": [asdict(link) for link in own.get("related", ())]}
        rows.append(row)
    return rows


def write_predictions(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """A file for the referee: an object a line."""
    lines = [json.dumps({"id": row["id"], **{name: row[name] for name in GIVEN}}, ensure_ascii=False) for row in rows]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
