"""Pages with gold -> labelled lines, which the BP network and NEMTF are trained on.

Gold texts are aligned with the lines of their page: the body by the longest common subsequence of words, title, time and source by
the nearest line that holds them, related articles by their address, else by their title.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import find_corpus, load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.evaluation.scores import word_f1
from webcontent.extraction import PageContext
from webcontent.extractors.lines import markup_sizes
from webcontent.extractors.nemtf.features import BODY, LABELS, NOISE, RELATED, SOURCE, TIME, TITLE
from webcontent.fields.dates import iter_times
from webcontent.fields.page_signals import plain
from webcontent.items import Page
from webcontent.pipeline import Options, page_item
from webcontent.training.common.labels import GoldMatch
from webcontent.training.common.metrics import correct_scores, write_predictions
from webcontent.training.common.samples import PageSample, cached_samples, page_fields, progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.extraction import Extraction, Extractor
    from webcontent.models import ModelRegistry

VERSION = 7
"""Version of this code; cached samples of another version are not used."""
TYPES = frozenset(("article", "documentation"))
"""Types of pages that have one article."""
BEFORE, BEHIND = 60, 12
"""Lines before the text, and after its first and its last line, where title, time and source are searched."""
LONGEST_LINE = 160
"""Maximum number of characters of a line that may hold a time or a source."""
LONGEST_TITLE = 400
"""Maximum number of characters of a line that may hold a title or a link."""
DAY, MINUTE = len("2024-03-05"), len("2024-03-05T10:00")
"""Characters of a time up to the day, and up to the minute."""
LEAST_SOURCE = 2
"""Letters of a source, at least: a shorter one would be found everywhere."""
TITLE_START = 8
"""Letters in which the text of a link and the gold title of its page have to agree."""
IS_BODY, IS_WHOLLY_BODY = 0.5, 0.9
"""Share of a line's words in the gold body above which it is body, and above which it is no other field."""
_FULLTEXT = frozenset(("fulltext",))


@dataclass(slots=True, kw_only=True)
class LineSample(PageSample):
    """A page with its labelled lines."""

    title: str
    """Text of the title element."""
    texts: list[str]
    markup: NDArray[np.int64]
    """Characters of the tags of each line."""
    targets: NDArray[np.float32]
    """Share of each of LABELS in each line; rows sum to 1."""
    weights: NDArray[np.float32]
    """0 for lines whose label the gold does not state."""
    unknown: tuple[int, ...]
    """Labels that the gold does not state: a noise line of this page may have one of them."""

    def __len__(self) -> int:
        return len(self.texts)


def read_samples(counts: Mapping[str, int | None], cache: Path) -> list[LineSample]:
    """The article pages of corpora, at most so many of each (None: all), from the cache where they were read before."""
    samples: list[LineSample] = []
    for name, limit in counts.items():

        def read(name: str = name, limit: int | None = limit) -> list[LineSample]:
            pages = (read_sample(name, record) for record in progress(article_pages(name, limit), name))
            return [sample for sample in pages if len(sample)]

        samples += cached_samples(cache / f"lines-{name}", [name, limit, VERSION], read)
    return samples


def article_pages(corpus: str, limit: int | None = None) -> list[Record]:
    """The pages of a corpus that have one article, at most so many, spread evenly."""
    articles = [record for record in load_corpus(corpus) if record["type"] in TYPES and record["gold"].get("body")]
    count = min(limit or len(articles), len(articles))
    return [articles[i * len(articles) // count] for i in range(count)]


def read_sample(corpus: str, record: Record) -> LineSample:
    """A page of a corpus with the labels of its lines."""
    document = Document.from_page(Page(url=record["url"], html=record["html"]))
    blocks, gold = document.blocks, record["gold"]
    sample = LineSample(
        **page_fields(corpus, record),
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
    """The search for the gold texts of a page in its lines. The sample is changed in place."""

    def __init__(self, sample: LineSample, document: Document, gold: Mapping[str, Any]) -> None:
        self.sample, self.document, self.gold = sample, document, gold
        self.plain = [plain(text) if len(text) <= LONGEST_TITLE else "" for text in sample.texts]
        pieces: list[list[str]] = gold.get("blocks") or []
        labelled = pieces and isinstance(pieces[0], list)
        text = "\n".join(text for label, text in pieces if label in _FULLTEXT) if labelled else gold.get("body") or ""
        self.body = GoldMatch(sample.texts, text).labels
        chosen = np.flatnonzero(self.body > IS_BODY)
        self.first, self.last = (int(chosen[0]), int(chosen[-1])) if len(chosen) else (0, 0)
        self.related_texts = {plain(text) for label, text in pieces if label == "related"} if labelled else set()

    def run(self) -> None:
        targets = self.sample.targets
        targets[:, BODY] = self.body
        if not (self.body > IS_BODY).any():
            self._miss(BODY, self.gold.get("body"))
        title, time = self._title(), self._time()
        source = self._source(title if time is None else time)
        related = self._related()
        targets[related] = 0
        targets[related, RELATED] = 1
        for label, line in ((TITLE, title), (TIME, time), (SOURCE, source)):
            if line is not None and (label == TITLE or self.body[line] < IS_WHOLLY_BODY):
                if targets[line, TITLE] + targets[line, TIME] + targets[line, SOURCE] == 0:
                    targets[line] = 0
                targets[line, label] = 1
        for line in {time, source} - {None}:  # a line that holds two fields belongs half to each
            targets[line] /= max(1, targets[line].sum())
        for label, line in ((TITLE, title), (TIME, time), (SOURCE, source)):
            if line is None:
                self._miss(label, self.gold.get(LABELS[label]))
        targets[:, NOISE] = 1 - targets[:, NOISE + 1 :].sum(axis=1)

    def _miss(self, label: int, gold_text: Any) -> None:
        """Notes a gold text that is in no line: a line may have it in words that were not recognized."""
        if gold_text and label not in self.sample.unknown:
            self.sample.unknown = (*self.sample.unknown, label)

    def _near(self) -> list[int]:
        """Lines around the beginning and the end of the text, nearest first."""
        lines = {*range(self.first - BEFORE, self.first + BEHIND), *range(self.last - 2, self.last + BEHIND)}
        return sorted((i for i in lines if 0 <= i < len(self.plain)), key=lambda i: (abs(i - self.first), i))

    def _title(self) -> int | None:
        title = plain(self.gold.get("title"))
        if not title:
            return None
        equal = [i for i, text in enumerate(self.plain) if text == title]
        similar = [i for i in self._near() if i <= self.first and self._is_similar_title(self.plain[i], title)]
        best = sorted(equal, key=lambda i: (i > self.first, abs(i - self.first)))[:1] or similar[:1]
        self.sample.weights[[i for i in equal if i not in best]] = 0
        return best[0] if best else None

    @staticmethod
    def _is_similar_title(text: str, title: str) -> bool:
        """Whether a line is the title with somewhat more or less text: at least 3/5 of its length and at most 3/2 of it."""
        return len(text) * 5 >= 3 * len(title) >= len(text) * 2 and (text in title or title in text)

    def _time(self) -> int | None:
        time = str(self.gold.get("time") or "")
        day, minute = time[:DAY], time[:MINUTE]
        matches: list[tuple[bool, int]] = []
        for i in self._near() if time else ():
            text = self.sample.texts[i]
            if len(text) > LONGEST_LINE:
                continue
            values = [item.value for item in iter_times(text)]
            if day in [value[:DAY] for value in values]:
                has_minute = len(time) > DAY and minute in [value[:MINUTE] for value in values]
                matches.append((not has_minute, i))
        matches.sort(key=lambda match: match[0])  # stable: among times of the same precision the nearest comes first
        if matches:
            self.sample.weights[[i for _, i in matches[1:] if self.body[i] < IS_BODY]] = 0
        return matches[0][1] if matches else None

    def _source(self, anchor: int | None) -> int | None:
        source = plain(self.gold.get("source"))
        if len(source) < LEAST_SOURCE:
            return None
        expected = self.first if anchor is None else anchor
        lines = [i for i in self._near() if len(self.sample.texts[i]) <= LONGEST_LINE and source in self.plain[i]]
        lines = [i for i in lines if self.plain[i] == source or self._is_labelled(i) or i == anchor]
        return min(lines, key=lambda i: (-2 * self._is_labelled(i) - (i == anchor), abs(i - expected)), default=None)

    def _is_labelled(self, line: int) -> bool:
        """Whether a colon precedes the source, in its line or at the end of the line before it."""
        before = self.sample.texts[line].partition(str(self.gold["source"]))[0] or (self.sample.texts[line - 1] if line else "")
        return before.rstrip()[-1:] in (":", "：")

    def _related(self) -> list[int]:
        """Lines of the related articles that the page offers."""
        if self.related_texts:
            return [i for i, text in enumerate(self.plain) if text in self.related_texts]
        links = self.gold.get("related") or []
        by_url = self._lines_by_url() if links else {}
        lines = []
        for link in links:
            title, url = plain(link.get("title")), link.get("url") or ""
            by_title = [i for i, text in enumerate(self.plain) if text == title and title]
            start = title[:TITLE_START]
            matches = [i for i in by_url.get(url, []) if self.plain[i] and (not title or self.plain[i][:TITLE_START] == start)] or by_title
            lines += [i for i in matches if self.body[i] < IS_WHOLLY_BODY]
            if not matches:
                self._miss(RELATED, title or url)
        return lines

    def _lines_by_url(self) -> dict[str, list[int]]:
        """By address the first lines of the links that lead there."""
        elements = self.document.blocks.elements
        lines: dict[str, list[int]] = {}
        for row in np.flatnonzero((elements.tag == TAG_CODES["a"]) & (elements.end > elements.start)).tolist():
            if url := self.document.absolute(elements.nodes[row].get("href")):
                lines.setdefault(url, []).append(int(elements.start[row]))
        return lines


# ---------------------------------------------------------------------------------------------------------- predictions
SCORE_CORPORA = ("dragnet-dev", "zh-gold-dev", "fundus-dev", "cleaneval", "wcxb-dev")
"""Corpora of all kinds of pages, on which scores are calibrated."""
SCORE_PAGES = 500
"""Pages of each of these corpora, approximately, spread evenly."""
EVALUATED_FIELDS = ("title", "time", "source", "authors", "body", "related", "type")
"""Fields that the evaluator reads."""


def predict(
    records: Iterable[Record], extractor: Extractor, models: ModelRegistry, *, alone: ModelRegistry | None = None
) -> list[dict[str, Any]]:
    """What `webcontent.extract` gives with an extractor: the fields and the score of each page, with its id, site and gold.

    With a registry `alone`, the key `alone` has the fields that the extractor gives itself with these models, without `webcontent.fields`.
    """
    options, rows = Options(extractor=extractor, models=models), []
    for record in records:
        page = Page(url=record["url"], html=record["html"])
        item = asdict(page_item(page, options))
        row = {key: record[key] for key in ("id", "site", "url", "gold")} | {name: item.get(name) for name in (*EVALUATED_FIELDS, "score")}
        if alone is not None:
            row["alone"] = _own_fields(extractor(Document.from_page(page), PageContext(models=alone)))
        rows.append(row)
    return rows


def _own_fields(extraction: Extraction) -> dict[str, Any]:
    """The body and the best candidates of an extraction."""
    best = {name: candidates[0].value for name, candidates in extraction.fields.items() if candidates}
    return {"body": extraction.body, **best, "related": [asdict(link) for link in best.get("related", ())]}


def store_predictions(folder: Path, corpus: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes the result of `predict` for a corpus as the evaluator reads it."""
    write_predictions(folder, corpus, ({name: row[name] for name in ("id", *EVALUATED_FIELDS)} for row in rows))


def score_pages(folds: int, fold: int) -> list[Record]:
    """The pages of SCORE_CORPORA with a gold body that are in a fold."""
    pages: list[Record] = []
    for corpus in filter(find_corpus, SCORE_CORPORA):
        records = list(load_corpus(corpus))
        pages += records[:: max(1, len(records) // SCORE_PAGES)]
    return [page for page in pages if page["gold"].get("body") is not None and fold_of(page["site"], folds) == fold]


def score_rows(rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, float, float]]:
    """Site, score and word F1 of the result of `predict`."""
    return [(row["site"], row["score"], word_f1(row["body"] or "", row["gold"]["body"])[0]) for row in rows]


def corrected_scores(rows: Sequence[tuple[str, float, float]], folds: int) -> dict[str, Any]:
    """The correction of scores, with what the card states about it. `rows`: of pages whose sites were not trained on."""
    sites, raw, f1 = zip(*rows, strict=True)
    fold = np.array([fold_of(site, folds) for site in sites])
    return {**correct_scores(np.array(raw), np.array(f1), fold), "corpora": [*filter(find_corpus, SCORE_CORPORA)]}


def score_figures(score: Mapping[str, Any]) -> dict[str, Any]:
    """What a card states about corrected scores."""
    return {"score": score, "score_corpora": ", ".join(score["corpora"])}
