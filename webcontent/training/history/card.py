"""The model card of what a site's memory changes: all figures come from the run that is handed in."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.history.host import MAX_PAGES, MAX_PATHS, MAX_TEXTS, host_of
from webcontent.history.store import MAX_HOSTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webcontent.training.sites import Sample, Settings

TRIED = (
    "Lists looked up and remembered like other pages: on wcxb-dev's lists 0.025 lower (95 cases), 0.04 after three pages and more.",
    (
        "Changes that lead further than the opinion of the block's places: 47 instead of 45 % of the errors gone after 20 pages, but 52 "
        "instead of 30 of 4,132 cases lose more than 0.05."
    ),
    "Changes that only take away: 9 instead of 52 % gone after 20 pages; the gain is text that stands where main text stood before.",
    "A limit of 1.0 instead of 1.5: 46 instead of 47 % gone after 5 pages, the corpora the same.",
    "Leaves of at least 500 blocks, ten times the shrinkage: 45 instead of 47 % after 5 pages. Seven leaves: 47 instead of 52 % after 20.",
    (
        "Six notices a page instead of two: 50 instead of 53 % after 20 pages. None: a notice that all pages repeat in the midst of their "
        "story stays, if the extractor is sure of it."
    ),
    "Paths of tags with the first class name alone, or of the next wider ancestor, instead of the path of the element around: the same.",
    "Trees free to push in any direction, or learned from the stored sites alone, in an earlier form: two and three of nine sites lost.",
    "Undoing a change that takes much of a page: no better.",
)
"""What did not help, or had a price."""
STORED = "stored sites"


def card(name: str, samples: Sequence[Sample], figures: Sequence[dict[str, Any]], gain: dict[str, float], settings: Settings) -> str:
    """The text of CARD.md."""
    corpora = Counter(sample.corpus for sample in samples)
    stored = [corpus for corpus in corpora if _is_stored(figures, corpus, settings)]
    hosts = len({host_of(sample.url) for sample in samples})
    best = sorted(gain.items(), key=lambda pair: -pair[1])[:10]
    total = max(1e-9, sum(gain.values()))
    parts = [
        f"# {name}",
        "What is known of a site from its earlier pages -> by how much the log-odds of each block to be main text change.",
        (
            "**Origin.** Our own: boosted trees (LightGBM) on what `document/sites.py` remembers. They start from the default extractor's "
            "log-odds and may push only one way by most features: a place whose blocks were main text before speaks for a block, a text "
            "that repeats against it. Nothing knows a site or a language by name."
        ),
        (
            "**Use it** for pages of one site after each other: in a crawl, with `webcontent.extract_many`. **Do not use it** for a "
            "single page: there is nothing to know, and its answer stays as it is, to the bit."
        ),
        (
            "**Input and output.** `features` float32 [blocks, columns] (names in config.json) -> `only_raw` float32 [blocks, 1], the "
            f"change of the log-odds. Of it at most {settings.largest_change} are taken after one page, as much more with every doubling "
            "(config.json: `largest_change`), and no more than leads to what was thought of the block's places; a text that stood on "
            "other pages may be taken for noise whatever its place."
        ),
        f"**Data.** {len(samples)} pages of {hosts} hosts with at least two pages: "
        + ", ".join(f"{corpus} {count}" for corpus, count in corpora.items())
        + ". None of the pages is in this folder.",
        (
            "**Histories.** The pages of a host in random orders; after "
            f"{', '.join(map(str, settings.histories))} pages some of the next ones are looked at. The default extractor's probabilities "
            "come from its fold models, which did not learn from the site. Some pages are looked at that are part of the history: they "
            "must not get worse. Some blocks of main text are learned a second time as noise, as if every page repeated them."
        ),
        (
            "**Split.** Each stored site is a fold of its own (with the corpora's pages of the same site); the corpora's other sites are "
            "spread over the same folds by a hash. The features, the limit of the change and the trees' settings were tried on these folds."
        ),
        f"Settings: `{json.dumps(asdict(settings))}`",
        "## Figures: word F1 of the body without and with the memory, after so many pages of the site",
        table(figures, stored, settings),
        summary(figures, stored),
        "## What counts\nShare of the gain: " + ", ".join(f"{feature} {value / total:.2f}" for feature, value in best) + ".",
        (
            "## Known faults\n"
            "- What the default extractor takes wrongly on every page of a site, in another text each time, it goes on taking: the memory "
            "learns from its opinions, not from the truth.\n"
            "- Two products whose descriptions are the same but for a word: after a page or two their shared text may be lost.\n"
            "- A text of several thousand blocks is neither looked up nor remembered."
        ),
        "## Tried without gain\n" + "\n".join(f"- {line}" for line in TRIED),
        (
            f"## Cost\nAt most {MAX_TEXTS} texts (16 bytes) and {MAX_PATHS} places (32 bytes) a site, {MAX_HOSTS} sites. Counts are "
            f"halved every {MAX_PAGES // 2} pages. Time and memory as measured: see docs/sites.md."
        ),
        (
            "## Train again\n`python -m webcontent.training.sites` after `python -m webcontent.training.fusion` (five minutes of one core; "
            "a few more the first time)."
        ),
        "## History\n- v1: first version.",
    ]
    return "\n\n".join(parts) + "\n"


def _is_stored(figures: Sequence[dict[str, Any]], corpus: str, settings: Settings) -> bool:
    return any(row["group"] == corpus and row["history"] >= max(settings.histories) // 5 for row in figures) and "-" not in corpus


def table(figures: Sequence[dict[str, Any]], stored: Sequence[str], settings: Settings) -> str:
    """A row a group, a column a length of history."""
    shown = [history for history in settings.histories if any(row["history"] == history for row in figures)]
    by_place = {(row["group"], row["history"]): row for row in figures}
    groups = list(dict.fromkeys(row["group"] for row in figures if row["history"]))
    head = ("", *(f"{history} pages" if history > 1 else "1 page" for history in shown))
    ordered = sorted(groups, key=lambda group: (group not in stored, group))
    rows = [(group, *(_cell(by_place.get((group, history))) for history in shown)) for group in ordered]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(row: dict[str, Any] | None) -> str:
    return "" if row is None else f"{row['without']:.3f} → {row['with']:.3f} ({row['cases']})"


def summary(figures: Sequence[dict[str, Any]], stored: Sequence[str]) -> str:
    """The errors that are gone on the stored sites (each counts alike), and the worst of them."""
    lines = []
    for history in sorted({row["history"] for row in figures if row["group"] in stored}):
        rows = [row for row in figures if row["group"] in stored and row["history"] == history]
        before, after = np.mean([row["without"] for row in rows]), np.mean([row["with"] for row in rows])
        worst = min(rows, key=lambda row: row["with"] - row["without"])
        lines.append(
            f"After {history}: {before:.4f} → {after:.4f} on {len(rows)} stored sites, {(after - before) / (1 - before):.0%} of the errors "
            f"(1 - F1) gone; least gain: {worst['group']} {worst['with'] - worst['without']:+.4f}."
        )
    known = next((row for row in figures if row["group"] == "known already"), None)
    if known is not None:
        lines.append(f"Pages that are known already ({known['cases']}): {known['without']:.4f} → {known['with']:.4f}.")
    return "\n".join(f"- {line}" for line in lines)
