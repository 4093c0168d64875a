"""Measures visual blocks: `python -m benchmarks vips`.

Compares the blocks with those that people marked in the corpus segmentation, and measures CPU time by the number of boxes. Fits the
weights of `extractors.ngfv.vips.CUES` on that corpus, evaluates them on sites that were left out, and prints the table of weights that
`extractors/ngfv/vips.py` holds.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.report import decimal, heading, markdown_table
from webcontent.document.boxes import box_columns
from webcontent.evaluation.corpora import find_corpus, load_segmentation
from webcontent.evaluation.folds import FOLDS, fold_of
from webcontent.extractors.ngfv import vips
from webcontent.extractors.ngfv.visual_layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.extractors.ngfv.vips import VisualBlock

    Numbers = NDArray[np.float64]

MIXED = 0.05
"""A block with a larger share of its characters outside one marked block should be divided."""
INVERSE_REGULARISATION = 0.1
BOXES = (500, 5_000, 50_000)
RUNS = 3
"""The fastest run counts."""
DOCS = tuple(range(2, 11))
SECTION_DOC = 3
"""Permitted DoC of the large parts of a page: header, columns, footer."""
"""Permitted degrees of coherence that are evaluated."""
MEASURES = ("fine", "coarse", "rect")
"""Scores of the corpus's script, each with precision, recall and F1."""
F1 = 2
"""Place of F1 in such a score."""
PAGE_WIDTH_PX, MARGIN_PX, ROW_PX, LINE_PX = 1300, 33, 200, 30
"""Layout of the synthetic pages."""


@dataclass(slots=True)
class Sample:
    """A page of the corpus, and the blocks that a person marked on it."""

    record: Record
    structure: vips.Structure
    cues: Numbers
    mixed: Numbers
    """Share of each block's characters that lie outside the marked block that holds most of them."""
    weight: Numbers
    """Characters in marked blocks, as a share of the page's."""
    fold: int
    scores: dict[int, Any] = field(default_factory=dict)
    """By permitted DoC: what the corpus's own script scores."""


def main(words: list[str] | None = None) -> None:
    """Measure and print."""
    argparse.ArgumentParser(prog="python -m benchmarks vips", description=__doc__).parse_args(words)
    print(heading("Visual blocks"))
    if find_corpus("segmentation") is None:
        print("The corpus segmentation is missing, so only speed is measured.", file=sys.stderr)
    else:
        print(quality_report())
    print(speed_report())


def speed_report() -> str:
    """CPU ms of the fastest run, for pages of so many boxes."""
    lines = []
    for count in BOXES:
        rows = synthetic_rows(count)
        best = min(_cpu_ms(rows) for _ in range(RUNS))
        lines.append([str(count), decimal(best, 1), decimal(1000 * best / count, 1)])
    return "## Speed\n\n" + markdown_table(["boxes", "CPU ms", "µs per box"], lines)


def _cpu_ms(rows: list[list[Any]]) -> float:
    started = time.process_time()
    vips.visual_blocks(rows)
    return (time.process_time() - started) * 1000


def synthetic_rows(count: int, seed: int = 7) -> list[list[Any]]:
    """Boxes of a page of cards in sections of columns, in the order of `document.boxes.COLUMNS`."""
    rng = random.Random(seed)
    rows: list[list[Any]] = []
    top, section = 0, 0
    while len(rows) < count:
        section += 1
        columns = rng.choice((1, 2, 3, 4))
        width, cards = PAGE_WIDTH_PX // columns, rng.randint(2, 12)
        for card in range(cards):
            left, y = MARGIN_PX + width * (card % columns), top + ROW_PX * (card // columns)
            rows += _card_rows(rng, f"/html/body/div/section[{section}]/div[{card + 1}]", left, y, width)
        top += ROW_PX * -(-cards // columns) + rng.choice((10, 40, 60))
    return rows[:count]


def _card_rows(rng: random.Random, path: str, left: int, top: int, width: int) -> list[list[Any]]:
    """Boxes of a card: a headline and up to five lines, each with a link."""
    rows: list[list[Any]] = []
    color = rng.choice(("#ffffff", "#ffffff", "#f0f0f0"))
    for line in range(rng.randint(1, 6)):
        length, font_size = rng.randint(10, 200), 22 if line == 0 else 16
        place = [f"{path}/p[{line + 1}]", "p", left, top + LINE_PX * line, width - 20, 24]
        rows.append([*place, font_size, 400, "#222222", color, length, length, 0, 0, 0, "block", "", "", 0, 1])
        link = rows[-1].copy()
        link[0], link[1], link[4], link[10:14], link[15] = f"{path}/p[{line + 1}]/a", "a", 80, [12, 12, 12, 1], "inline"
        rows.append(link)
    return rows


def quality_report() -> str:
    """Scores on sites that were left out, by permitted DoC, and the weights that all pages give together."""
    scorer = _scorer()
    samples = [_sample(record) for record in load_segmentation()]
    for fold in range(FOLDS):
        weights, bias = fit([sample for sample in samples if sample.fold != fold])
        for sample in samples:
            if sample.fold == fold:
                whole = 1 / (1 + np.exp(sample.cues @ weights + bias))
                root = vips.build_tree(sample.structure, whole)
                for doc in DOCS:
                    sample.scores[doc] = _score(scorer, sample, root, doc)
    lines = [[str(doc), *_means([sample.scores[doc] for sample in samples])] for doc in DOCS]
    lines.append(["chosen on the other folds", *_means(_nested(samples))])
    weights, bias = fit(samples)
    names = "\n".join(f'    "{name}": {weight:.4g},' for name, weight in zip(vips.CUES, weights, strict=True))
    head = ["permitted DoC", *(f"{measure} {metric}" for measure in ("fine", "coarse", "rectangles") for metric in "PRF")]
    return (
        f"## {len(samples)} pages, {FOLDS} folds by site\n\n" + markdown_table(head, lines)
        + f"\n## Weights, all pages\n\n```\nCUES = {{\n{names}\n}}\nBIAS = {bias:.4g}\n```\n"
    )  # fmt: skip


def fit(samples: list[Sample]) -> tuple[Numbers, float]:
    """Weights and bias of the cues, from a logistic regression of whether a block should be divided."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    x = np.concatenate([sample.cues for sample in samples])
    mixed, weight = (np.concatenate([getattr(sample, name) for sample in samples]) for name in ("mixed", "weight"))
    scaler = StandardScaler().fit(x[weight > 0])
    model = LogisticRegression(C=INVERSE_REGULARISATION, max_iter=1000)
    model.fit(scaler.transform(x[weight > 0]), mixed[weight > 0] > MIXED, sample_weight=np.sqrt(weight[weight > 0]))
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def _sample(record: Record) -> Sample:
    """A page, with the cues of the blocks that have parts."""
    structure = vips.Structure(Layout(box_columns(record["boxes"])))
    marked = _marked_characters(record, structure)
    totals = [sum(characters.values()) for characters in marked]
    largest = [max(characters.values(), default=0) for characters in marked]
    inner = sorted(set(structure.parent) - {-1})
    total = np.array([totals[block] for block in inner], np.float64)
    cues = vips.cues(structure)
    sample = Sample(record, structure, cues, np.zeros(len(cues)), np.zeros(len(cues)), fold_of(record["site"], FOLDS))
    sample.mixed[inner] = 1 - np.array([largest[block] for block in inner]) / np.maximum(total, 1)
    sample.weight[inner] = total / max(1.0, float(total.max(initial=0)))
    return sample


def _marked_characters(record: Record, structure: vips.Structure) -> list[dict[int, float]]:
    """For each block: characters by the innermost marked block that holds them."""
    layout = structure.layout
    gold = {block["xpath"]: number for number, block in enumerate(record["gold"]["blocks"])}
    marks = [-1] * len(layout.xpaths)
    for element, xpath in enumerate(layout.xpaths):
        marks[element] = gold.get(xpath, marks[layout.parent[element]] if element else -1)
    owners = [0] * len(layout.xpaths)
    for block, members in enumerate(structure.members):  # later blocks stand deeper
        for member in members:
            owners[member : int(layout.ends[member])] = [block] * int(layout.ends[member] - member)
    counts: list[dict[int, float]] = [{} for _ in structure.members]
    for element, mark in enumerate(marks):
        if mark >= 0 and layout.own[element]:
            own = counts[owners[element]]
            own[mark] = own.get(mark, 0) + float(layout.own[element])
    for block in range(len(counts) - 1, 0, -1):
        above = counts[structure.parent[block]]
        for mark, count in counts[block].items():
            above[mark] = above.get(mark, 0) + count
    return counts


def segments(root: VisualBlock, permitted_doc: int = vips.MAX_DOC) -> list[VisualBlock]:
    """The blocks that are not divided at a permitted DoC, in reading order: a segmentation of the page."""
    found, stack = [], [root]
    while stack:
        block = stack.pop()
        if block.children and block.doc < permitted_doc:
            stack.extend(reversed(block.children))
        else:
            found.append(block)
    return found


def prediction(root: VisualBlock, permitted_doc: int) -> dict[str, Any]:
    """The input of the corpus's script: sections and the blocks in them, the two levels that volunteers marked."""
    sections = segments(root, min(SECTION_DOC, permitted_doc))
    blocks = {id(block): block for block in [*sections, *segments(root, permitted_doc)]}
    return {"blocks": [{"xpath": block.xpaths, "rect": list(block.rectangle)} for block in blocks.values()]}


def _score(scorer: Any, sample: Sample, root: VisualBlock, permitted_doc: int) -> Any:
    return scorer.score_page(sample.record["rows"], sample.record["gold"]["blocks"], prediction(root, permitted_doc))


def _nested(samples: list[Sample]) -> list[Any]:
    """Scores of each page at the permitted DoC that is best on the other folds."""
    scores = []
    for sample in samples:
        others = [other for other in samples if other.fold != sample.fold]
        best = max(DOCS, key=lambda doc: sum(_mean((other.scores[doc][name] for other in others), F1) for name in ("fine", "rect")))
        scores.append(sample.scores[best])
    return scores


def _means(scores: list[Any]) -> list[str]:
    return [decimal(_mean((score[name] for score in scores), place)) for name in MEASURES for place in range(3)]


def _mean(triples: Iterable[Any], place: int) -> float:
    return statistics.fmean(triple[place] for triple in triples if triple is not None)


def _scorer() -> Any:
    """The script that comes with the corpus."""
    folder = find_corpus("segmentation")
    assert folder is not None
    spec = importlib.util.spec_from_file_location("score_blocks", folder / "score_blocks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
