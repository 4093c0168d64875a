"""The model card of the rankers of source and authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.fields.bylines.candidates import MAX_GROUPS
from webcontent.fields.bylines.choice import LABELLED_OTHER, LABELLED_PERSON, LABELLED_SOURCE, MIN_AUTHOR, MIN_FURTHER_AUTHOR
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
COST = """Candidates, features and the model take 3.3 ms of time on one core (mean of 160 pages of five corpora, each the
shortest of seven rounds, on a busy machine, 2026-11-22), where the rules alone took 0.9 ms."""
KNOWN_FAULTS = (
    "A Chinese name alone in a line, without a label or a signature's brackets, is often missed.",
    "A signature with words around the names (张三 李四 摄影报道) and a source with its reporter behind it (新报 张三) are missed.",
    "The name of a section or a place beside the date may become the source, and a section that a meta element calls an author the author.",
    "A photographer, an interviewed person or the author of a quoted book may be taken for the author.",
    "A site or desk that JSON-LD calls the author is often left out. fundus-dev counts that as wrong, and the rules do not miss it.",
    "Gold of traf-dev keeps two authors in one value; the ranker gives two names, which counts as wrong there.",
    (
        "Gold of wcxb-dev names nobody on about ten of the pages whose author the ranker gives, where the page shows a byline. They count "
        "as wrong names here."
    ),
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
    "A ranker of editors: names behind an editor's label give 0.98 on zh-bylines without one.",
    (
        "Rank and distance from the best candidate as features, and the size of a list of names: fundus-dev 0.884 instead of 0.901, "
        "zh-bylines 0.848 instead of 0.878, the source of zh-bylines left out 0.855 instead of 0.892."
    ),
    (
        "Probabilities of authors that rise with the strength of their label, as those of sources do: 0.746 instead of 0.760 on zh-bylines "
        "left out."
    ),
    (
        "Higher thresholds against wrong names: with 0.5 for the first author 2.8 % instead of 4.7 % of the pages of wcxb-dev without "
        "authors get one, but the authors of traf-dev fall from 0.685 to 0.662 and those of fundus-dev from 0.897 to 0.882."
    ),
    "Labels that decide outside of Chinese pages: with a colon no gain, without one wcxb-dev 0.822 instead of 0.857.",
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
{MIN_SOURCE}, the first author from {MIN_AUTHOR}, further authors from {MIN_FURTHER_AUTHOR}; else a page has none. On Chinese pages a
label with a colon gives a person at least {LABELLED_PERSON}, another author {LABELLED_OTHER} and a source {LABELLED_SOURCE}.""",
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
        cost=f"""
A page has at most {MAX_GROUPS} candidates. {COST}""",
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
