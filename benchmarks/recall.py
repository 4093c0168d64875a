"""`python -m benchmarks recall`: which paragraphs of the gold text a body lacks, and what becomes of short pages."""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import islice
from typing import Any

import webcontent
from webcontent.evaluation.corpora import load_corpus
from webcontent.evaluation.scores import plain, word_f1

CORPORA = ("wcxb-dev", "zh-gold-dev", "fundus-dev", "cleaneval", "dragnet-dev", "l3s-gn1")
LONG_CHARS = 80
"""A gold paragraph with more is looked for."""
SHORT_WORDS = 60
"""A page whose gold text has fewer is short."""
RUN_CHARS, KEPT_SHARE = 6, 0.9
"""Characters that follow each other, and the share of a paragraph's runs with which a text has it."""


def main(options: list[str]) -> None:
    """Prints a line for each corpus."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks recall", description=__doc__)
    parser.add_argument("--corpora", default=",".join(CORPORA), help="names of corpora, separated by commas")
    parser.add_argument("--every", type=int, default=10, help="reads every n-th page")
    chosen = parser.parse_args(options)
    print("corpus | pages | word F1 | paragraphs | lost inside, at the end, elsewhere (%) | short pages | of them empty or a list (%)")
    for name in chosen.corpora.split(","):
        counts: Counter[str] = Counter()
        for record in islice(load_corpus(name), 0, None, chosen.every):
            if record["gold"].get("body"):
                item = webcontent.extract(record["html"], url=record.get("url") or None)
                counts.update(page_counts(item.body, item.type, record["gold"]["body"]))
        lost = ", ".join(_percent(counts[place], counts["paragraphs"]) for place in ("inside", "end", "elsewhere"))
        mean = f"{counts['f1'] / max(counts['pages'], 1):.3f}"
        print(
            name, counts["pages"], mean, counts["paragraphs"], lost, counts["short"], _percent(counts["missed"], counts["short"]), sep=" | "
        )


def page_counts(body: str, item_type: str, gold: str) -> dict[str, Any]:
    """What a page adds to the sums.

    Paragraphs are lost inside of the text where kept ones stand before them and behind them, at its end where none stands behind.
    A paragraph is kept where the text has nearly all of it: gold texts lack numbers of notes, correct letters, and number lists.
    """
    paragraphs = [plain(line) for line in gold.split("\n") if len(line) > LONG_CHARS]
    text = plain(body)
    runs = {text[start : start + RUN_CHARS] for start in range(len(text))}
    kept = [index for index, paragraph in enumerate(paragraphs) if paragraph in text or _share_in(paragraph, runs) >= KEPT_SHARE]
    counts: Counter[str] = Counter(pages=1, paragraphs=len(paragraphs))
    for index in {*range(len(paragraphs))}.difference(kept):
        counts["elsewhere" if not kept or index < kept[0] else "inside" if index < kept[-1] else "end"] += 1
    is_short = len(gold.split()) < SHORT_WORDS and len(gold) < SHORT_WORDS * 10
    counts["short"] = is_short
    counts["missed"] = is_short and (not body.strip() or item_type == "list")
    return {**counts, "f1": word_f1(body, gold)[0]}


def _share_in(paragraph: str, runs: set[str]) -> float:
    """The share of the runs of characters of a paragraph that a text has."""
    own = {paragraph[start : start + RUN_CHARS] for start in range(max(1, len(paragraph) - RUN_CHARS + 1))}
    return len(own & runs) / len(own)


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"
