"""The model card of the model that applies site history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.history.host import MAX_PAGES, MAX_PATHS, MAX_TEXTS
from webcontent.history.prior import MODEL
from webcontent.history.store import MAX_HOSTS
from webcontent.training.common.cards import CORPUS_READMES, Card, bullets, table
from webcontent.training.history.settings import CORPORA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.history.settings import Settings

    Metrics = Sequence[Mapping[str, Any]]

KNOWN = "known already"
"""Group of the cases whose page is part of its history."""
SHOWN_FEATURES = 10
"""Features that the card lists by their share of the gain."""
TEXT_BYTES, PATH_BYTES = 16, 32
ORIGIN = """
This method is our own: gradient-boosted trees (LightGBM) over what `webcontent.history` keeps of a host. The trees start from the
log-odds of the default extractor. Most features may change them in one direction only: a path whose blocks were main text before
speaks for a block, a text that repeats speaks against it. No feature knows a site or a language by name."""
USE = """
Use it for several pages of one site: in a crawl, or with `webcontent.extract_many`. A single page has no history, and its item does
not change."""
KNOWN_FAULTS = (
    (
        "If the default extractor is wrong on every page of a site, with a different text each time, the result stays wrong: site "
        "history learns from the extractor's probabilities, not from gold."
    ),
    "If the descriptions of two products differ in one word only, their common text may be lost after one or two pages.",
    "A page of several thousand blocks is neither looked up nor learned.",
)
TRIED = (
    "Lists looked up and learned like other pages: 0.025 lower on the lists of wcxb-dev (95 cases), 0.04 after three pages and more.",
    (
        "Changes that go beyond the prior of the block's paths: 47 instead of 45 % of the errors are gone after 20 pages, but 52 instead "
        "of 30 of 4,132 cases lose more than 0.05."
    ),
    (
        "Changes that only lower the log-odds: 9 instead of 52 % of the errors are gone after 20 pages. The gain comes from text where "
        "main text was before."
    ),
    "A limit of 1.0 instead of 1.5: 46 instead of 47 % of the errors are gone after 5 pages; the corpora do not change.",
    (
        "Leaves of at least 500 blocks and ten times the shrinkage: 45 instead of 47 % after 5 pages. Seven leaves: 47 instead of 52 % "
        "after 20 pages."
    ),
    (
        "Six notices on each page instead of two: 50 instead of 53 % after 20 pages. No notices: a notice inside the article that all "
        "pages repeat stays if the extractor's probability is high."
    ),
    "Paths of tags with the first class name only, or of the next wider ancestor, instead of the path of the parent: no difference.",
    (
        "Trees that may change the log-odds in any direction, or that are trained on the site snapshots alone, in an earlier form: worse "
        "on two and three of nine snapshots."
    ),
    "Undoing a change that removes much of a page: no gain.",
)
"""What did not help, or had a price."""


def make_card(hosts: int, pages: Mapping[str, int], settings: Settings, metrics: Metrics, gain: Mapping[str, float]) -> Card:
    """The model card. `pages`: number of pages by corpus or snapshot; `gain`: what each feature contributes to the trees."""
    return Card(
        name=MODEL,
        summary="""
The model gives by how much the earlier pages of a host change the log-odds of a block to be main text.""",
        origin=ORIGIN,
        use_for=USE,
        interface=f"""
`features` float32 [blocks, columns] (names in config.json) -> `only_raw` float32 [blocks, 1], the change of the log-odds.

The change is limited to {settings.largest_change} after one page, and to as much more each time the number of pages doubles
(config.json, key `largest_change`). It does not go beyond the prior of the block's paths, except that a text that is on other pages
may become noise whatever its paths are.""",
        data=f"""
{sum(pages.values())} pages of {hosts} hosts with at least two pages, of these corpora and site snapshots:
{", ".join(f"{name} {count}" for name, count in pages.items())}. {CORPUS_READMES}

The pages of a host are put into random orders. After {", ".join(map(str, settings.histories))} pages, some of the next pages become
cases. Their probabilities come from fold models of the default extractor that were not trained on the site. Some cases are pages of
the history itself, so that these do not become worse. Some blocks of main text are trained on a second time, as noise whose text is
on nearly every page.""",
        split=f"""
Each site snapshot is a fold of its own, together with pages of the same site in the corpora. The other sites of the corpora are
distributed over {settings.folds} folds by a hash. The features, the limit of the change and the settings of the trees were tuned on
these folds.""",
        settings=settings.recorded(),
        metrics=_metrics_section(metrics, settings, gain),
        calibration="The calibration of the changed probabilities was not measured.",
        known_faults=KNOWN_FAULTS,
        tried=TRIED,
        cost=f"""
A host has at most {MAX_TEXTS} texts ({TEXT_BYTES} bytes each) and {MAX_PATHS} paths ({PATH_BYTES} bytes each); a site history has at
most {MAX_HOSTS} hosts. Counts are halved every {MAX_PAGES // 2} pages. docs/site-history.md has the measured time and memory.""",
        train_again="""
`python -m webcontent.training.history` after `python -m webcontent.training.fusion` takes five minutes on one core, and a few more
the first time.""",
    )


def _metrics_section(metrics: Metrics, settings: Settings, gain: Mapping[str, float]) -> str:
    snapshots = list(dict.fromkeys(row["group"] for row in metrics if row["group"] not in (*CORPORA, KNOWN)))
    total = max(1e-9, sum(gain.values()))
    best = sorted(gain.items(), key=lambda pair: -pair[1])[:SHOWN_FEATURES]
    shares = ", ".join(f"{feature} {value / total:.2f}" for feature, value in best)
    return f"""
Word F1 of the body without and with site history, after so many pages of the host; in brackets the number of cases:

{history_table(metrics, snapshots, settings)}

{summary(metrics, snapshots)}

Shares of the gain of the trees: {shares}."""


def history_table(metrics: Metrics, snapshots: Sequence[str], settings: Settings) -> str:
    """A row for each corpus or snapshot, a column for each length of history."""
    lengths = [length for length in settings.histories if any(row["history"] == length for row in metrics)]
    rows_by_place = {(row["group"], row["history"]): row for row in metrics}
    groups = dict.fromkeys(row["group"] for row in metrics if row["history"])
    ordered = sorted(groups, key=lambda group: (group not in snapshots, group))
    rows = [(group, *(_cell(rows_by_place.get((group, length))) for length in lengths)) for group in ordered]
    return table(("", *(f"{length} pages" if length > 1 else "1 page" for length in lengths)), rows)


def _cell(row: Mapping[str, Any] | None) -> str:
    return "" if row is None else f"{row['without']:.3f} → {row['with']:.3f} ({row['cases']})"


def summary(metrics: Metrics, snapshots: Sequence[str]) -> str:
    """The share of errors that is gone on the site snapshots, each of which counts the same, and the smallest gain."""
    lines = []
    for history in sorted({row["history"] for row in metrics if row["group"] in snapshots}):
        rows = [row for row in metrics if row["group"] in snapshots and row["history"] == history]
        before, after = np.mean([row["without"] for row in rows]), np.mean([row["with"] for row in rows])
        worst = min(rows, key=lambda row: float(row["with"] - row["without"]))
        lines.append(
            f"After {history}: {before:.4f} → {after:.4f} on {len(rows)} site snapshots; {(after - before) / (1 - before):.0%} of the "
            f"errors (1 - F1) are gone. Smallest gain: {worst['group']} {worst['with'] - worst['without']:+.4f}."
        )
    known = next((row for row in metrics if row["group"] == KNOWN), None)
    if known is not None:
        lines.append(f"Pages that are part of the history ({known['cases']}): {known['without']:.4f} → {known['with']:.4f}.")
    return bullets(lines)
