"""python -m benchmarks.vips: the visual blocks beside those that people marked, and what a page of many boxes costs.

Fits the weights of `document.vips.CUES` on the corpus segmentation, judges them on sites that were left out, and prints the table
that `document/vips.py` holds.
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.report import heading, shown, table
from webcontent.document import vips
from webcontent.document.boxes import box_columns
from webcontent.document.visual_layout import Layout
from webcontent.evaluation.corpora import find_corpus, fold_of, load_segmentation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webcontent.document.vips import VisualBlock
    from webcontent.evaluation.corpora import Record

    Numbers = NDArray[np.float64]

FOLDS = 5
MIXED = 0.05
"""A block with a larger share of its characters outside one marked block should be divided."""
STRENGTH = 0.1
"""Inverse of the regularisation."""
BOXES = (500, 5_000, 50_000)
TIMES = 3
DOCS = tuple(range(2, 11))


@dataclass(slots=True)
class Sample:
    """A page of the corpus with what a person marked on it."""

    record: Record
    structure: vips.Structure
    cues: Numbers
    mixed: Numbers
    """Share of each block's characters that lie outside the marked block that holds most of them."""
    weight: Numbers
    """Characters in marked blocks, as a share of the page's."""
    fold: int
    scores: dict[int, Any] = field(default_factory=dict)
    """By permitted DoC: what the corpus's own script says of the page."""


def main() -> None:
    """Measures and prints."""
    print(heading("Visual blocks"))
    if find_corpus("segmentation") is None:
        print("The corpus segmentation is missing: only speed is measured.", file=sys.stderr)
    else:
        print(quality_report())
    print(speed_report())


def speed_report() -> str:
    """Fastest CPU ms of TIMES for pages of so many boxes."""
    lines = []
    for count in BOXES:
        rows = synthetic_rows(count)
        best = min(_cpu_ms(rows) for _ in range(TIMES))
        lines.append([str(count), shown(best, 1), shown(1000 * best / count, 1)])
    return "## Speed\n\n" + table(["boxes", "CPU ms", "µs a box"], lines)


def _cpu_ms(rows: list[list[Any]]) -> float:
    started = time.process_time()
    vips.visual_blocks(rows)
    return (time.process_time() - started) * 1000


def synthetic_rows(count: int, seed: int = 7) -> list[list[Any]]:
    """Boxes of a page of cards in sections of columns, as a browser would list them."""
    rng = random.Random(seed)
    rows: list[list[Any]] = []
    top, section = 0, 0
    while len(rows) < count:
        section += 1
        columns = rng.choice((1, 2, 3, 4))
        width, cards = 1300 // columns, rng.randint(2, 12)
        for card in range(cards):
            left, y = 33 + width * (card % columns), top + 200 * (card // columns)
            path = f"/html/body/div/section[{section}]/div[{card + 1}]"
            color = rng.choice(("#ffffff", "#ffffff", "#f0f0f0"))
            for line in range(rng.randint(1, 6)):
                length, size = rng.randint(10, 200), 22 if line == 0 else 16
                text = [
                    path + f"/p[{line + 1}]",
                    "p",
                    left,
                    y + 30 * line,
                    width - 20,
                    24,
                    size,
                    400,
                    "#222222",
                    color,
                    length,
                    length,
                    0,
                    0,
                    0,
                ]
                rows.append([*text, "block", "", "", 0, 1])
                link = rows[-1].copy()
                link[0], link[1], link[4], link[10:14], link[15] = path + f"/p[{line + 1}]/a", "a", 80, [12, 12, 12, 1], "inline"
                rows.append(link)
        top += 200 * -(-cards // columns) + rng.choice((10, 40, 60))
    return rows[:count]


def quality_report() -> str:
    """Scores on sites left out, by permitted DoC; the weights of all pages together."""
    scorer = _scorer()
    samples = [_sample(record) for record in load_segmentation()]
    for fold in range(FOLDS):
        weights, bias = fit([sample for sample in samples if sample.fold != fold])
        for sample in samples:
            if sample.fold == fold:
                whole = 1 / (1 + np.exp(sample.cues @ weights + bias))
                for doc in DOCS:
                    sample.scores[doc] = _score(scorer, sample, vips.build_tree(sample.structure, whole, doc))
    lines = [[str(doc), *_figures([sample.scores[doc] for sample in samples])] for doc in DOCS]
    lines.append(["chosen on the other folds", *_figures(_nested(samples))])
    weights, bias = fit(samples)
    names = "\n".join(f'    "{name}": {weight:.4g},' for name, weight in zip(vips.CUES, weights, strict=True))
    head = ["permitted DoC", *(f"{measure} {figure}" for measure in ("fine", "coarse", "rectangles") for figure in "PRF")]
    return (
        f"## {len(samples)} pages, {FOLDS} folds by site\n\n" + table(head, lines)
        + f"\n## Weights, all pages\n\n```\nCUES = {{\n{names}\n}}\nBIAS = {bias:.4g}\n```\n"
    )  # fmt: skip


def fit(samples: list[Sample]) -> tuple[Numbers, float]:
    """Weights of the cues, and the bias: a logistic regression of whether a block should be divided."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    x = np.concatenate([sample.cues for sample in samples])
    mixed, weight = (np.concatenate([getattr(sample, name) for sample in samples]) for name in ("mixed", "weight"))
    scaler = StandardScaler().fit(x[weight > 0])
    model = LogisticRegression(C=STRENGTH, max_iter=1000)
    model.fit(scaler.transform(x[weight > 0]), mixed[weight > 0] > MIXED, sample_weight=np.sqrt(weight[weight > 0]))
    weights = model.coef_[0] / scaler.scale_
    return weights, float(model.intercept_[0] - weights @ scaler.mean_)


def _sample(record: Record) -> Sample:
    """A page; the cues are those of blocks that have parts."""
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
    """For each block how many characters in it lie in which marked block (the innermost)."""
    layout = structure.layout
    gold = {block["xpath"]: number for number, block in enumerate(record["gold"]["blocks"])}
    marks = [-1] * len(layout.xpaths)
    for element, xpath in enumerate(layout.xpaths):
        marks[element] = gold.get(xpath, marks[layout.parent[element]] if element else -1)
    owners = [0] * len(layout.xpaths)
    for block, members in enumerate(structure.members):  # later blocks stand deeper
        for member in members:
            owners[member : int(layout.ends[member])] = [block] * int(layout.ends[member] - member)
    found: list[dict[int, float]] = [{} for _ in structure.members]
    for element, mark in enumerate(marks):
        if mark >= 0 and layout.own[element]:
            characters = found[owners[element]]
            characters[mark] = characters.get(mark, 0) + float(layout.own[element])
    for block in range(len(found) - 1, 0, -1):
        above = found[structure.parent[block]]
        for mark, count in found[block].items():
            above[mark] = above.get(mark, 0) + count
    return found


def prediction(root: VisualBlock) -> dict[str, Any]:
    """What the corpus's script reads. Two levels, as volunteers marked them: sections, and blocks in them."""
    blocks = {id(block): block for block in [*root.segments(vips.SECTION_DOC), *root.segments()]}
    return {"blocks": [{"xpath": block.xpaths, "rect": list(block.rectangle)} for block in blocks.values()]}


def _score(scorer: Any, sample: Sample, root: VisualBlock) -> Any:
    return scorer.score_page(sample.record["rows"], sample.record["gold"]["blocks"], prediction(root))


def _nested(samples: list[Sample]) -> list[Any]:
    """Each page's scores at the permitted DoC that is best for the other folds."""
    found = []
    for sample in samples:
        others = [other for other in samples if other.fold != sample.fold]
        best = max(DOCS, key=lambda doc: sum(_mean((other.scores[doc][measure] for other in others), 2) for measure in ("fine", "rect")))
        found.append(sample.scores[best])
    return found


def _figures(scores: list[Any]) -> list[str]:
    return [shown(_mean((score[measure] for score in scores), place), 3) for measure in ("fine", "coarse", "rect") for place in range(3)]


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
