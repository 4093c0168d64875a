"""The model card of the rankers of source and authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.fields.bylines.choice import MIN_AUTHOR, MIN_FURTHER_AUTHOR
from webcontent.fields.bylines.context import BUCKETS, SLOTS
from webcontent.fields.bylines.features import FEATURES
from webcontent.fields.bylines.ranking import MIN_SOURCE, MODEL
from webcontent.training.common.cards import CORPUS_READMES, FOLDS_TEXT, Card, DataFacts, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webcontent.training.bylines.settings import Settings

USE = """
Use it through `webcontent.fields.bylines.find_bylines`. It knows Chinese date lines and the bylines of other languages. On pages that are
not Chinese, only a name behind a label or in a meta element for sources can become the source."""
KNOWN_FAULTS = (
    "The name of an account on a platform (WeChat, portals) is the source of such pages. Where its markup is unknown, it is missed.",
    "Without a label or a signature's brackets, a Chinese name alone in a line is often missed.",
    "A photographer, an interviewed person or the author of a quoted book may be taken for the author.",
    "Gold of traf-dev keeps two authors in one value; the ranker gives two names, which counts as wrong there.",
    (
        "Every corpus was read with a body from an extractor that was trained on most of these pages, so the edges of the body are better "
        "than on other pages. zh-bylines was not among them."
    ),
)
TRIED = (
    (
        "The authors that the rules find, as features on Chinese pages: better on corpora that the rules were made with, worse on "
        "zh-bylines (0.82 instead of 0.87 by folds, 2026-11-22, with an earlier set of features)."
    ),
    "A ranker for Chinese pages alone: 0.63 instead of 0.72 on zh-bylines left out whole. The pages are too few.",
    "A ranker of editors: names behind an editor's label give 0.96 on zh-bylines without one.",
)


def make_card(facts: DataFacts, settings: Settings, metrics: Mapping[str, Any]) -> Card:
    """The model card."""
    return Card(
        name=MODEL,
        summary="The model gives the probabilities that a candidate is the source that a page names, and that it is one of its authors.",
        origin="""
This method is our own. A logistic regression over hashed words (labels, neighbouring words, class names, tags, origins) gives one score
for each candidate. Gradient-boosted trees (LightGBM) combine it with features of labels, places, markup and the look of the name. No
feature knows a site by name.""",
        use_for=USE,
        interface=f"""
`features` float32 [candidates, {len(FEATURES)}] (`byline_features`, names in config.json) and `context` int64 [candidates, {SLOTS}]
(`context_hashes`, {BUCKETS} values) -> `source` and `authors` float32 [candidates, 1]. The source is the most probable candidate from
{MIN_SOURCE}, the first author from {MIN_AUTHOR}, further authors from {MIN_FURTHER_AUTHOR}; else a page has none.""",
        data=f"""
{facts.pages} pages of {facts.sites} sites. Corpora and versions: {facts.corpora_text}. {CORPUS_READMES} The settings below have the
weight of a page in each corpus. Only zh-bylines, zh-gold-dev and wcxb-dev have pages that are known to name nobody.""",
        split=f"""
{FOLDS_TEXT.format(folds=settings.folds)} Features, labels' words, thresholds and weights were chosen by hand on the same folds. A corpus
that is left out whole is tested with models that saw none of its pages and sites; the words of labels were chosen with it in sight.""",
        settings=settings.recorded(),
        metrics=f"""
By folds:

{_metrics_table(metrics["folds"])}

With the corpus left out whole:

{_metrics_table(metrics["left out"])}""",
        calibration="The thresholds lie where the precision and the recall of the folds are about equal. The calibration was not measured.",
        known_faults=KNOWN_FAULTS,
        tried=TRIED,
        cost="""
A page has at most 24 candidates. Candidates, features and the model take 4 to 6 ms of CPU time on one core (30 pages each of
zh-bylines, fundus-dev and wcxb-dev, 2026-11-22).""",
        train_again="`python -m webcontent.training.bylines` takes about ten minutes on one core.",
        appendix={"Learning curve": _curve(metrics["curve"])} if "curve" in metrics else {},
    )


def _metrics_table(metrics: Mapping[str, Mapping[str, Any]]) -> str:
    columns = (
        "corpus", "source F1 (precision, recall), pages", "authors F1 (± standard error), pages", "authors by rules",
        "pages without authors that get one", "editors F1", "sources, authors among candidates",
    )  # fmt: skip
    return table(columns, [_row(corpus, row) for corpus, row in metrics.items()])


def _row(corpus: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    source, without = row.get("source"), row.get("without")
    return (
        corpus,
        f"{source['f1']:.3f} ({source['precision']:.3f}, {source['recall']:.3f}), {row['sources']}" if source else "-",
        f"{row['authors']:.3f} ± {row['spread']:.3f}, {row['author_pages']}" if "authors" in row else "-",
        f"{row['rules']:.3f}" if "rules" in row else "-",
        f"{row['false_names']:.3f} of {without}" if without else "-",
        f"{row['editors']:.3f}" if "editors" in row else "-",
        ", ".join(f"{row[name]:.3f}" if name in row else "-" for name in ("source_candidates", "authors_candidates")),
    )


def _curve(curve: Mapping[str, Mapping[str, Any]]) -> str:
    """Source and authors by the share of the sites that the models of the folds learned from."""
    corpora = list(next(iter(curve.values())))
    rows = [(f"{float(share):.0%}", *(_pair(row[corpus]) for corpus in corpora)) for share, row in curve.items()]
    return table(("sites", *(f"{corpus}: source / authors" for corpus in corpora)), rows)


def _pair(row: Mapping[str, Any]) -> str:
    source = f"{row['source']['f1']:.3f}" if "source" in row else "-"
    return f"{source} / {row['authors']:.3f}" if "authors" in row else source
