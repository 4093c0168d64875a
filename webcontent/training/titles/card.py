"""The model card of the ranker of titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.fields.titles.features import FEATURES
from webcontent.fields.titles.ranking import MODEL
from webcontent.training.common.cards import CORPUS_READMES, FOLDS_TEXT, Card, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webcontent.training.common.cards import DataFacts
    from webcontent.training.titles.settings import Settings

USE = "Use it through `webcontent.fields.titles.find_titles`. Do not use it for titles of sections or of list entries."
KNOWN_FAULTS = (
    "Where a site gives an article several titles (for search, for social networks, on the page), the title on the page is usually chosen.",
    (
        "Gold that follows a publisher's metadata differs from the title on the page: on fundus-dev, this explains 17 of the 20 pages "
        "that the first edition missed."
    ),
    ("On pages whose title is in no markup and whose title element names only the site, a bold line above the text may be chosen."),
)
SECOND_EDITION = (
    "v1, second edition: parts of headings and of Chinese title elements are candidates; features describe what candidates share with "
    "headings, declared titles and the address; {models} models are averaged. zh-gold-dev 0.947 -> 1.000, fundus-dev 0.862 -> 0.876, "
    "traf-dev 0.897 -> 0.913, wcxb-dev 0.818 -> 0.829, fixtures-dev 0.929 -> 0.905, l3s-gn1 0.926 -> 0.916."
)
THIRD_EDITION = (
    "v1, third edition: zh-bylines is learned from and l3s-gn1 counts twice; features describe the words that a candidate shares with the "
    "running text, links with the same text, the font size, and pictures beside it. Means of four seeds by folds, before (one seed) -> "
    "after: l3s-gn1 0.921 -> 0.931, zh-bylines 0.976 -> 0.985, fundus-dev 0.862 -> 0.876, traf-dev 0.911 -> 0.915, fixtures-dev 0.905 -> "
    "0.911, wcxb-dev 0.829 -> 0.829, zh-gold-dev 1.000 -> 1.000. Left out whole: l3s-gn1 0.864 -> 0.877, zh-bylines 0.976 -> 0.981."
)


def make_card(facts: DataFacts, settings: Settings, metrics: Mapping[str, Mapping[str, float]]) -> Card:
    """The model card."""
    return Card(
        name=MODEL,
        summary="The model gives the probability that a candidate is the title of the page.",
        origin="""
This method is our own: gradient-boosted trees (LightGBM) over features of where a candidate was seen and what it agrees with. No
feature knows a site or a language by name.""",
        use_for=USE,
        interface=f"""
`features` float32 [candidates, {len(FEATURES)}] (`title_features`, names in config.json) -> `probabilities` float32 [candidates, 1].
The candidates of a page are ranked by their probabilities, which need not sum to 1.""",
        data=f"""
{facts.pages} pages of {facts.sites} sites. Corpora and versions: {facts.corpora_text}. {CORPUS_READMES} The settings below have the
weight of a page in each corpus.""",
        split=f"""
{FOLDS_TEXT.format(folds=settings.folds)} The number of trees, the weights and the set of features were chosen by hand on the same
folds.""",
        settings=settings.recorded(),
        metrics=_metrics_table(metrics),
        calibration="The calibration was not measured. The probabilities are only used to rank candidates.",
        known_faults=KNOWN_FAULTS,
        cost="""
A page has about 30 candidates. The candidates and their features take 1.9 ms of CPU time on one core (features alone: 1.2 ms, mean of 120
pages of three corpora, 2026-11-23), the trees 0.2 ms.""",
        train_again="`python -m webcontent.training.titles` takes about three minutes on one core.",
        history=("v1: first version.", SECOND_EDITION.format(models=settings.models), THIRD_EDITION),
    )


def _metrics_table(metrics: Mapping[str, Mapping[str, float]]) -> str:
    columns = ("corpus", "pages", "best candidate right (± standard error)", "first declared candidate right", "any candidate right")
    rows = [
        (corpus, row["pages"], f"{row['right']:.3f} ± {row['spread']:.3f}", row["first"], row["any"]) for corpus, row in metrics.items()
    ]
    return table(columns, rows)
