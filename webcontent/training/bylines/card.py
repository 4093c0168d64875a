"""The model card of the rankers of source and authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.fields.bylines.candidates import MAX_GROUPS
from webcontent.fields.bylines.choice import (
    LABELLED_OTHER,
    LABELLED_PERSON,
    LABELLED_SOURCE,
    MIN_AUTHOR,
    MIN_FURTHER_AUTHOR,
    MIN_UNDECLARED_AUTHOR,
    SIGNED_PERSON,
)
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
COST = """Candidates, features and the model take 4.3 ms of time on one core where the code before took 4.0 ms and the rules alone
0.65 ms (mean of 80 pages of five corpora, each the shortest of five rounds, in turns, on a machine with other work, 2026-11-23; on a
less busy one the code before took 3.3 ms and the rules 0.9 ms)."""
TEXTS = """The model of the package was trained with `--text-run`: each page was read, in training and in evaluation, with the text model
of the folds that did not learn its site."""
KNOWN_FAULTS = (
    "A Chinese name alone in a line, which no line below calls a reporter, is often missed: 2 of 46 such lines above a text are authors.",
    "The name of a section or a place beside the date may become the source, and a section in the place of an author the author.",
    "A photographer, an interviewed person, a reporter of the next article on the page or the author of a quoted book may be taken.",
    (
        "On Chinese pages a site or desk that JSON-LD calls the author is often left out, and on others a paper that an article names as "
        "its origin is missed where JSON-LD names another author."
    ),
    "On forums another poster may be given beside the first one.",
    "Gold of traf-dev keeps several authors in one value on 13 of 331 pages; the ranker gives several names, which counts as wrong there.",
    (
        "Gold of wcxb-dev names nobody on about nine of the pages whose author the ranker gives, where the page shows a byline. They "
        "count as wrong names here."
    ),
    "A name of three characters that begins with a word that is also a surname may be cut out of a sentence behind a label (我们参与).",
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
    (
        "Lower probabilities for labels without a colon or for people that nothing declares: traf-dev 0.702 instead of 0.697, but 3.6 % "
        "instead of 3.0 % of the pages of wcxb-dev without authors get one (means of three seeds, 2026-11-23)."
    ),
    (
        "Features of the page (JSON-LD or Open Graph call it an article, size of the body, number of <time> elements): 4.4 % instead of "
        "4.6 % of the pages of wcxb-dev without authors get one, zh-bylines 0.952 instead of 0.963 (means of three seeds, 2026-11-23)."
    ),
    (
        "Five or eight inner folds, three or four models, 200 trees with a smaller learning rate, 0.3 of the features for a tree, other "
        "penalties of the regression: differences are as large as those between seeds."
    ),
    "Probabilities from which further authors are given, from 0.25 to 0.5: no corpus gains more than 0.007.",
    "未知 and 本站 behind 来源 as no source: zh-silver and zh-bylines count them as the source.",
)


SECOND_EDITION = (
    "v1, second edition: pages are read with a text model that did not learn their site; dates across elements, names before their labels, "
    "reporters behind their paper and signatures of several names are cut; features of date lines, breadcrumbs and elements of the same "
    "class; outside of Chinese pages an author whom nothing declares needs a higher probability. The first edition on the same texts -> "
    "the second, by folds: zh-bylines source 0.931 -> 0.956, authors 0.868 -> 0.959; zh-gold-dev 0.871 -> 0.969, 0.902 -> 0.917; authors "
    "of fundus-dev 0.911 -> 0.885 (the mean of three seeds was 0.898 before), traf-dev 0.689 -> 0.694, fixtures-dev 0.870 -> 0.865, "
    "wcxb-dev 0.866 -> 0.869; pages of wcxb-dev without authors that get one 0.040 -> 0.029. zh-bylines left out whole: source 0.936 -> "
    "0.951, authors 0.875 -> 0.958."
)

THIRD_EDITION = (
    "v1, third edition: pages are read with today's choice of text blocks; outside of Chinese pages a label with a colon needs a lower "
    "probability, and where nobody is probable enough, whom JSON-LD calls the author is it; step by step names nobody. Means of three "
    "seeds by folds on the same candidates, the second edition's choice -> the third's: authors of fundus-dev 0.896 -> 0.919, traf-dev "
    "0.687 -> 0.697, wcxb-dev 0.867 -> 0.871, the others as before; pages of wcxb-dev without authors that get one 0.031 -> 0.030. "
    "The mean of three seeds is 0.957 on zh-bylines."
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
{MIN_SOURCE}, the first author from {MIN_AUTHOR} (outside of Chinese pages one that nothing declares and that stands behind no label with a
colon from {MIN_UNDECLARED_AUTHOR}), further authors from {MIN_FURTHER_AUTHOR}; else a page has none. Outside of Chinese pages somebody whom
JSON-LD calls the author then becomes the author. On Chinese pages a label with a colon gives a person at least {LABELLED_PERSON},
another author {LABELLED_OTHER} and a source {LABELLED_SOURCE}; a signature in brackets gives a person {SIGNED_PERSON}.""",
        data=f"""
{facts.pages} pages of {facts.sites} sites. Corpora and versions: {facts.corpora_text}. {CORPUS_READMES} The settings below have the
weight of a page in each corpus. Only zh-bylines, zh-gold-dev and wcxb-dev have pages that are known to name nobody.""",
        split=f"""
{FOLDS_TEXT.format(folds=settings.folds)} Features, labels' words, thresholds and weights were chosen by hand on the same folds. A corpus
that is left out whole is tested with models that saw none of its pages and sites; the words of labels and the patterns of Chinese
bylines were chosen with it in sight, so that pages of new sites give less. {TEXTS}""",
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
        train_again="""
`python -m webcontent.training.bylines --text-run RUN` takes about five minutes on one core. RUN is the folder that training of `fusion`
keeps in its cache.""",
        history=("v1: first version.", SECOND_EDITION, THIRD_EDITION),
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
