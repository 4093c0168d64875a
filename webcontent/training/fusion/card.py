"""The model card of the default extractor: all figures come from the run that is handed in."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features import CLASS_NAME_FEATURES, FEATURES, SCORE_FEATURES
from webcontent.evaluation.corpora import checksum
from webcontent.training.pagetype_pictures import draw_calibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webcontent.training.fusion import Sample, Settings

PEERS = {
    "wcxb-dev": ("rs-trafilatura 0.859 (published, tuned on it)", 0.859),
    "zh-gold-dev": ("newspaper4k told that it is Chinese 0.912", 0.912),
    "fundus-dev": ("trafilatura 0.959", 0.959),
    "l3s-gn1": ("readability-lxml 0.935", 0.935),
    "cleaneval": ("resiliparse 0.897", 0.897),
    "traf-dev": ("trafilatura 0.903 (tuned on it)", 0.903),
}
"""The best other tool on the same pages by the same referee, as measured when the project began."""

TRIED = (
    "Learned weights for words of the text itself (short lines as a whole, single words), as for class names: no gain on unseen sites.",
    "One model for all corpora instead of one for wcxb-dev alone: 0.002 lower there (0.8697, not 0.8716), the price of serving all.",
    "The mean of both stages: 0.8751 on wcxb-dev, the second alone 0.8770.",
    "A learned choice among cuts, and of whole runs of cards: 0.8779, not 0.8796, on wcxb-dev's pages with text (best choice 0.923).",
    "Leaves of at least 500 instead of 60 blocks: 0.8608 instead of 0.8651 on one fold of wcxb-dev.",
    "One model a stage instead of two averaged: 0.8783 on wcxb-dev, 0.978 on zh-gold-dev, 0.977 on zh-silver; within the noise.",
    "A convolutional net over the blocks in order (260,000 weights), one fold of wcxb-dev: 0.8872, the trees 0.8917, both 0.8924.",
    "All blocks of a page instead of 300 drawn: 0.8779 on wcxb-dev instead of 0.8771, zh-gold-dev 0.968 instead of 0.972.",
    "The empty answer wherever its chance is above that of the expected F1: 0.8770; where it is more likely than not: 0.8783.",
)
"""What did not help, or had a price."""


def draw_reliability(rows: Sequence[dict[str, float]], path: Path) -> None:
    """The reliability table as a picture."""
    draw_calibration({"F1 > 0.9": [(0.0, 1.0, row["pages"], row["score"], row["good"]) for row in rows]}, path)


def card(folder: Path, settings: Settings, samples: Sequence[Sample], figures: dict[str, Any]) -> str:
    """The text of CARD.md."""
    corpora = list(dict.fromkeys(sample.corpus for sample in samples))
    sites = len({sample.site for sample in samples})
    languages = len({sample.language[:2].lower() for sample in samples if sample.language})
    size = (folder / "model.onnx").stat().st_size / 1e6
    parts = [
        f"# {folder.name}",
        "Blocks of a page -> chance of each to be main text; the default extractor `fusion` decodes it to a body.",
        (
            "**Origin.** Our own: two stages of boosted trees (LightGBM) on soft labels. The second sees what the first says of everything "
            "around a block. Decoding takes the blocks with the highest expected F1 (2 * right words / (taken + wanted words)). "
            "Class words of the web's markup have learned weights (only words of at least "
            f"{settings.name_sites} sites); nothing knows a site or a language by name."
        ),
        (
            "**Use it** for the main text of any page: articles, forums, products, documentation, services, lists. "
            "**Do not use it** for comments below articles (left out on purpose) or for pages that scripts fill: render those first."
        ),
        (
            f"**Input and output.** `features` float32 [blocks, {len(FEATURES)} + {len(CLASS_NAME_FEATURES)} + {len(SCORE_FEATURES)}] "
            "(names in config.json: `features`), `second` bool: which stage -> `probabilities` float32 [blocks, 1]."
        ),
        f"**Data.** {len(samples)} pages of {sites} sites, {languages} languages; corpora and their versions: "
        + ", ".join(f"{Path(name).name} ({_version(name)})" for name in corpora)
        + ". Gold bodies were made by people (zh-silver: by selectors a site); how, and under which licence, is said in each corpus's "
        "README. None of the pages is in this folder.",
        (
            "**Labels.** Longest common subsequence of the page's and the gold's words (characters in Chinese, Japanese, Korean); a "
            "block's label is the share of its words on it."
        ),
        (
            "**Split.** Five folds by a hash of the registered domain, over all corpora together. The second stage learns from out-of-fold "
            "scores of the first, whose folds are the same: slightly flattered. Page models (empty answer, trust) are out of fold too. "
            "Settings were tried on these folds."
        ),
        f"Settings: {asdict(settings)}",
        "## Figures (pages of sites that were not learned from)",
        _figures_table(figures["measured"]),
        (
            "`F1`: word F1, mean over pages; `spread`: standard deviation over the folds; `> 0.9`: share of pages with an F1 above 0.9. "
            "Stages before the choice of empty answers:"
        ),
        _stages_table(figures["stages"]),
        "## Calibration",
        "`score` is the chance that the body's F1 is above 0.9; out of fold:",
        "![calibration](calibration.png)",
        _reliability_table(figures["reliability"]),
        f"Expected calibration error: {_calibration_error(figures['reliability']):.3f}.",
        "## Known faults",
        (
            "- Grids of products: whether the cards or only the introduction are main text differs from page to page in the gold; "
            "collections, products and listings stay the weakest kinds.\n"
            "- Below an article further whole articles of the same page are sometimes taken too.\n"
            "- Long comment threads of old news pages are taken for forum posts at times (`fields` takes them out again where the page's "
            "kind is article and its markup speaks of comments)."
        ),
        "## Tried without gain\n" + "\n".join(f"- {line}" for line in TRIED),
        f"## Cost\n{size:.1f} MB. " + _cost(figures),
        "## Train again\n`python -m webcontent.training.fusion` (about half an hour of one core; a stopped run goes on where it was).",
        "## History\n- v1: first version.",
    ]
    return "\n\n".join(parts) + "\n"


def _version(corpus: str) -> str:
    try:
        return checksum(corpus)
    except FileNotFoundError:
        return "?"


def _cost(figures: dict[str, Any]) -> str:
    cost = figures.get("cost")
    return f"Both stages: {cost['ms']:.1f} ms of one core for a page of {cost['blocks']:.0f} blocks." if cost else ""


def _figures_table(rows: list[dict[str, Any]]) -> str:
    cells = []
    for row in rows:
        peer = PEERS.get(row["corpus"], ("", 0))[0] if row["pages"] == "all" else ""
        figure = f"{row['snippets']:.3f} (snippets)" if "snippets" in row else f"{row['f1']:.3f}"
        rest = [_three(row, key) for key in ("spread", "good", "score")]
        cells.append((row["corpus"], row["pages"], row["count"], figure, *rest, peer))
    return _table(("corpus", "pages", "count", "F1", "spread", "> 0.9", "mean score", "best peer"), cells)


def _three(row: dict[str, Any], key: str) -> str:
    return f"{row[key]:.3f}" if key in row else ""


def _stages_table(stages: dict[str, dict[str, float]]) -> str:
    corpora = list(next(iter(stages.values())))
    return _table(("stage", *corpora), [(name, *(f"{found[corpus]:.4f}" for corpus in corpora)) for name, found in stages.items()])


def _reliability_table(rows: list[dict[str, float]]) -> str:
    cells = [(f"{row['score']:.3f}", row["pages"], f"{row['good']:.3f}") for row in rows]
    return _table(("score", "pages", "share with F1 > 0.9"), cells)


def _calibration_error(rows: list[dict[str, float]]) -> float:
    pages = np.array([row["pages"] for row in rows], float)
    gaps = np.abs([row["score"] - row["good"] for row in rows])
    return float((gaps * pages).sum() / max(1.0, pages.sum()))


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    lines = [" | ".join(str(cell) for cell in row) for row in (columns, ["---"] * len(columns), *rows)]
    return "\n".join(f"| {line} |" for line in lines)
