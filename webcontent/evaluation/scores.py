"""How right an answer is: figures of one page against its gold, and their means.

body: word F1 (WCXB's definition: multisets of lower-case words; where more than 30 % of the gold's letters are Chinese or
Japanese, of characters; both empty 1, one empty 0). title: equal without case, punctuation and spaces. date: the same day.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections import Counter
from typing import Any

Figures = dict[str, float]

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
LIST_KINDS = ("list", "listing", "collection")


def figures_of(found: dict[str, Any], record: dict[str, Any]) -> Figures:
    """Figures of one page, 0 to 1; a key that the gold lacks is not judged."""
    gold = record["gold"]
    figures: Figures = {}
    if gold.get("body") is not None:
        figures["f1"], figures["precision"], figures["recall"] = word_f1(found.get("body") or "", gold["body"])
    elif gold.get("with") or gold.get("without"):
        figures["snippets"] = snippet_f1(found.get("body") or "", gold)
    if gold.get("title"):
        figures["title"] = float(plain(found.get("title")) == plain(gold["title"]))
    if gold.get("time"):
        figures["date"] = float(str(found.get("time") or "")[:10] == str(gold["time"])[:10])
    if "type" in found and record.get("type") in (*LIST_KINDS, "article"):
        figures["type"] = float((found["type"] == "list") == (record["type"] in LIST_KINDS))
    return figures


def word_f1(found: str, gold: str) -> tuple[float, float, float]:
    """F1, precision and recall of two texts.

    >>> word_f1("one two", "two three four")
    (0.4, 0.5, 0.3333333333333333)
    """
    given, wanted = Counter(_tokens(found, gold)), Counter(_tokens(gold, gold))
    if not given or not wanted:
        value = float(not given and not wanted)
        return value, value, value
    both = (given & wanted).total()
    precision, recall = both / given.total(), both / wanted.total()
    return (2 * precision * recall / (precision + recall) if both else 0.0), precision, recall


def _tokens(text: str, gold: str) -> list[str]:
    letters = sum(map(str.isalpha, gold))
    in_characters = letters > 0 and len(_CJK.findall(gold)) / letters > 0.3
    return re.findall(r"\w" if in_characters else r"\w+", text.lower())


def snippet_f1(found: str, gold: dict[str, Any]) -> float:
    """F1 of snippets that have to be in the text (`with`) and of those that must not (`without`)."""
    text = " ".join(found.split())
    wanted, unwanted = ([" ".join(snippet.split()) in text for snippet in gold.get(key) or []] for key in ("with", "without"))
    right, wrong, missing = sum(wanted), sum(unwanted), len(wanted) - sum(wanted)
    return 2 * right / (2 * right + wrong + missing) if right else float(not wanted and not wrong)


def plain(value: Any) -> str:
    """Letters and digits only, in lower case and NFKC."""
    return "".join(c for c in unicodedata.normalize("NFKC", str(value or "")).lower() if c.isalnum())


def mean(rows: list[dict[str, Any]], name: str) -> float | None:
    """Mean of a figure over the pages that have it; None where none has."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return statistics.fmean(values) if values else None


def half_width(rows: list[dict[str, Any]], name: str) -> float:
    """Half of the 95 % interval of such a mean."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return 1.96 * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
