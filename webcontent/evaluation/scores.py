"""The evaluator: metrics of one page against its gold, and their means.

- body: word F1 as WCXB defines it, over multisets of lower-case words. Gold of which more than CJK_SHARE of the letters are Chinese or
  Japanese is compared by characters. Two empty texts score 1; one empty text scores 0.
- title: 1 if equal without case, punctuation and spaces.
- date: 1 if the day is the same.
- source: 1 if one is a part of the other, as plain as titles are.
- related: F1 of the sets of addresses.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections import Counter
from typing import Any
from urllib.parse import urldefrag, urljoin

Metrics = dict[str, float]

CJK_SHARE = 0.3
"""Chinese and Japanese text has no spaces between words, so a whole sentence would count as one word."""
NORMAL_95 = 1.96
"""Standard errors on either side of a mean that hold 95 % of a normal distribution."""
LIST_KINDS = ("list", "listing", "collection")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def page_metrics(extracted: dict[str, Any], record: dict[str, Any]) -> Metrics:
    """Metrics of one page, from 0 to 1.

    `extracted`: title, time, source, related links, body and type, as far as a system gives them. `record`: a page of a corpus.
    A field that the gold lacks has no metric.
    """
    gold = record["gold"]
    metrics: Metrics = {}
    if gold.get("body") is not None:
        metrics["f1"], metrics["precision"], metrics["recall"] = word_f1(extracted.get("body") or "", gold["body"])
    elif gold.get("with") or gold.get("without"):
        metrics["snippets"] = snippet_f1(extracted.get("body") or "", gold)
    if gold.get("title"):
        metrics["title"] = float(plain(extracted.get("title")) == plain(gold["title"]))
    if gold.get("time"):
        metrics["date"] = float(_day(extracted.get("time")) == _day(gold["time"]))
    if gold.get("source"):
        found, wanted = plain(extracted.get("source")), plain(gold["source"])
        metrics["source"] = float(len(found) > 1 and (found in wanted or wanted in found))
    if "related" in gold:
        links, wanted_links = (_addresses(each.get("related"), record["url"]) for each in (extracted, gold))
        metrics["related"] = 2 * len(links & wanted_links) / max(1, len(links) + len(wanted_links)) if links or wanted_links else 1.0
    if "type" in extracted and record.get("type") in (*LIST_KINDS, "article"):
        metrics["type"] = float((extracted["type"] == "list") == (record["type"] in LIST_KINDS))
    return metrics


def word_f1(text: str, gold: str) -> tuple[float, float, float]:
    """F1, precision and recall of a text.

    >>> word_f1("one two", "two three four")
    (0.4, 0.5, 0.3333333333333333)
    """
    by_character = is_cjk(gold)
    words, gold_words = (Counter(tokenize(each, by_character=by_character)) for each in (text, gold))
    if not words or not gold_words:
        value = float(not words and not gold_words)
        return value, value, value
    common = (words & gold_words).total()
    precision, recall = common / words.total(), common / gold_words.total()
    return (2 * precision * recall / (precision + recall) if common else 0.0), precision, recall


def is_cjk(text: str) -> bool:
    """Whether more than CJK_SHARE of the letters of a text are Chinese or Japanese.

    >>> is_cjk("新闻 news"), is_cjk("The word 新")
    (True, False)
    """
    letters = sum(map(str.isalpha, text))
    return letters > 0 and len(_CJK.findall(text)) / letters > CJK_SHARE


def tokenize(text: str, *, by_character: bool) -> list[str]:
    """The tokens of the word F1: lower-case runs of letters and digits, or each of these characters.

    >>> tokenize("Two words.", by_character=False)
    ['two', 'words']
    """
    return re.findall(r"\w" if by_character else r"\w+", text.lower())


def snippet_f1(text: str, gold: dict[str, Any]) -> float:
    """F1 of snippets that must be in the text (`gold["with"]`) and of those that must not (`gold["without"]`).

    White space does not count.
    """
    text = " ".join(text.split())
    wanted, unwanted = ([" ".join(snippet.split()) in text for snippet in gold.get(key) or []] for key in ("with", "without"))
    right, wrong, missing = sum(wanted), sum(unwanted), len(wanted) - sum(wanted)
    return 2 * right / (2 * right + wrong + missing) if right else float(not wanted and not wrong)


def plain(value: Any) -> str:
    """Letters and digits only, in lower case and NFKC."""
    return "".join(c for c in unicodedata.normalize("NFKC", str(value or "")).lower() if c.isalnum())


def _day(time: Any) -> str:
    """The date of an ISO 8601 time."""
    return str(time or "")[: len("2024-03-05")]


def _addresses(links: list[dict[str, str]] | None, base: str) -> set[str]:
    """The addresses of links, without scheme, fragment and the slash at the end."""
    return {urldefrag(urljoin(base, link["url"]))[0].split("://")[-1].rstrip("/") for link in links or () if link.get("url")}


def mean(rows: list[dict[str, Any]], name: str) -> float | None:
    """Mean of a metric over the pages that have it; None if no page has it."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return statistics.fmean(values) if values else None


def half_width(rows: list[dict[str, Any]], name: str) -> float:
    """Half of the 95 % confidence interval of that mean."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return NORMAL_95 * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
