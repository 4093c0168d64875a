"""The model card of the default extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.document.features import CLASS_NAME_FEATURES, FEATURES, SCORE_FEATURES, STORY_FEATURES
from webcontent.extractors.fusion import MODEL
from webcontent.training.common.cards import CORPUS_READMES, F1_COLUMNS, FOLDS_TEXT, Card, bullets, reliability_section, table
from webcontent.training.common.metrics import ALL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.common.cards import DataFacts
    from webcontent.training.fusion.settings import Settings

BASELINES = {
    "wcxb-dev": "rs-trafilatura 0.859 (published; tuned on this corpus)",
    "zh-gold-dev": "newspaper4k with the language set to Chinese 0.912",
    "fundus-dev": "trafilatura 0.959",
    "l3s-gn1": "readability-lxml 0.935",
    "cleaneval": "resiliparse 0.897",
    "traf-dev": "trafilatura 0.903 (tuned on this corpus)",
}
"""The best other library on the same pages with the same evaluator, measured at the beginning of the project."""
USE = """
Use it for the main text of any page: articles, forums, products, documentation, services, lists. Do not use it for comments below
articles, which are left out on purpose. Render pages that scripts fill before you use it."""
LOOKED_AT = """
On 2026-11-23 gold and out-of-fold bodies were compared by eye, before copies and scenarios were part of decoding: 30 products, 30
collections and 30 listings of wcxb-dev from the lowest to the highest F1, and the 20 worst pages each of the articles of wcxb-dev, of
zh-gold-dev and of zh-bylines. What the gold has, and what differs (pages):"""
CLASSES = (
    (
        "Products: the gold has name, price, descriptions and specification, reviews in a third, questions and answers in a fifth, never "
        "other products. Too much: reviews (5), delivery and promotions (5), the same text twice (3), footnotes and transcripts (2), other "
        "products (2). Too little: price, ratings, options and short cells (8). Gold empty or half of the page (3)."
    ),
    (
        "Collections: the gold has the introduction and the closing text always, the cards in two thirds. Cards or text, the wrong one "
        "(5); spoken ratings, options and buttons in cards (6); coupons, notices and footnotes (4). Gold empty or not in the HTML (2)."
    ),
    (
        "Listings: the gold has headline and teaser of each record, date and author in half of the pages, seldom ranks, tags and numbers "
        "of comments. Single lines of records (10); consent dialogs and notices (3); cards that the gold lacks (2) or has (1); each "
        "headline twice (2); the footer of a page that scripts fill (2)."
    ),
    (
        "Worst articles of wcxb-dev: the gold has the first part only (4) or nothing (1), or the page is no article (2). Another story or "
        "a second, edited copy below (4); notices, authors and footnotes (5); comments (1); text that is hidden or not in the HTML (2)."
    ),
    (
        "Worst pages of zh-gold-dev: captions and credits (8), appeals (4), editors and dates (3), lines about the page (2). No page is "
        "below 0.78."
    ),
    (
        "Worst pages of zh-bylines: labels that are wrong themselves (5), disclaimers and rights (4), captions (3), lines at the edges "
        "(4), appended stories (2), the same text twice (1)."
    ),
)
KNOWN_FAULTS = (
    (
        "Grids of products: in some gold bodies the records are main text, in others only the introduction. Collections, products and "
        "listings are the weakest kinds."
    ),
    "Further whole articles below an article are sometimes included, most of all those that endless scrolling appended.",
    (
        "A page that holds its article twice gives it twice where both copies stand in the same design, or where their texts differ in a "
        "few words. Copies with another path of tags and classes are dropped."
    ),
    "Captions, credit lines and notes on rights at the end of Chinese articles are sometimes included.",
    "Consent notes of dialogs are sometimes classified as main text on lists and product pages.",
    (
        "Long comment threads of old news pages are sometimes classified as main text, like forum posts. `fields` removes them where "
        "the kind of the page is article and its markup names comments."
    ),
)
TRIED = (
    "Learned weights of words of the text (short lines as a whole, single words), as for class names: no gain on unseen sites.",
    "One model for all corpora instead of one for wcxb-dev alone: 0.002 lower there (0.8697, not 0.8716), the price of one model.",
    "The mean of both stages: 0.8751 on wcxb-dev; the second stage alone: 0.8770.",
    (
        "A learned choice among cuts, and of whole groups of records: 0.8779, not 0.8796, on the pages of wcxb-dev with text (best "
        "possible choice: 0.923)."
    ),
    "Leaves of at least 500 instead of 60 blocks: 0.8608 instead of 0.8651 on one fold of wcxb-dev.",
    (
        "Two averaged models for each stage instead of one: 0.001 better on wcxb-dev, for twice the time. One model each was trained "
        "since dragnet-dev and zh-bylines are part of the data."
    ),
    (
        "Dropping all long blocks whose text was chosen before, those of the same path of tags and classes too: 0.002 worse on cleaneval, "
        "l3s-gn1 and zh-silver, and 0.003 on documentation, whose gold has each copy."
    ),
    (
        "What the blocks of one path, record group or ancestor share, beside what those of the whole page share: at most 0.0005 better on "
        "wcxb-dev. Taking or dropping record groups as a whole after decoding: no change."
    ),
    (
        "Probabilities of the copies of a block as inputs of the second stage: 0.001 better on wcxb-dev, 0.002 worse on fundus-dev, 0.003 "
        "on zh-silver."
    ),
    (
        "The choice of an empty body from 18 more features of the page (words, links, scripts, images): 4 or 5 of 24 empty pages are found "
        "instead of 3, and more others are lost. Boosted trees find none."
    ),
    (
        "The same weight for dragnet-dev as for cleaneval: 0.003 worse on cleaneval, 0.012 on forums, whose posts look like the "
        "comments of dragnet-dev."
    ),
    (
        "A convolutional network over the blocks in order (260,000 weights), on one fold of wcxb-dev: 0.8872; the trees: 0.8917; both: "
        "0.8924."
    ),
    "All blocks of a page instead of 300 drawn blocks: 0.8779 on wcxb-dev instead of 0.8771, but 0.968 on zh-gold-dev instead of 0.972.",
    (
        "An empty body wherever its probability is above that of the expected F1: 0.8770. An empty body where it is more probable than "
        "not: 0.8783."
    ),
)
"""What did not help, or had a price."""


def make_card(facts: DataFacts, settings: Settings, metrics: Mapping[str, Any]) -> Card:
    """The model card."""
    return Card(
        name=MODEL,
        summary="""
The model gives the probability that a block of a page is main text. The default extractor `fusion` decodes these probabilities to
a body.""",
        origin=f"""
This method is our own: two stages of gradient-boosted trees (LightGBM) on soft labels. The second stage sees the probabilities of
the first stage around a block. Decoding chooses the blocks with the highest expected F1 (2 * right words / (chosen words + gold
words)), as the mean over scenarios in which the log-odds of all blocks of the page are higher or lower. Of repeated texts on different
paths of tags and classes, the likeliest is taken. Class names have learned weights if they occur on at least {settings.name_sites}
sites. No feature knows a site or a language by name.""",
        use_for=USE,
        interface=f"""
`features` float32 [blocks, {len(FEATURES)} + {len(STORY_FEATURES)} + {len(CLASS_NAME_FEATURES)} + {len(SCORE_FEATURES)}] (names in
config.json, key `features`) and `second` bool (which stage) -> `probabilities` float32 [blocks, 1].""",
        data=f"""
{facts.pages} pages of {facts.sites} sites in {facts.languages} languages. Corpora and versions: {facts.corpora_text}. People made
the gold bodies, except for zh-silver, where selectors for each site did. Headline and byline, which dragnet-dev counts as body, are
left out. The gold of zh-bylines is the text between the first and the last characters of the body, without blocks of links: a weak
label. {CORPUS_READMES}

The label of a block is the share of its words on the longest common subsequence of the words of the page and of the gold body. In
Chinese, Japanese and Korean, characters take the place of words.""",
        split=f"""
{FOLDS_TEXT.format(folds=settings.folds)} The second stage is trained on out-of-fold probabilities of the first stage with the same
folds, so that its metrics are slightly too good. The page models (empty body, score) are out of fold, too. The settings were tuned
on these folds.""",
        settings=settings.recorded(),
        metrics=_metrics_section(metrics),
        calibration=reliability_section(metrics["reliability"], "calibration.png"),
        known_faults=KNOWN_FAULTS,
        tried=TRIED,
        cost=_cost(metrics["cost"]),
        appendix={"Pages that were read": f"{LOOKED_AT}\n\n{bullets(CLASSES)}"},
        train_again="""
`python -m webcontent.training.fusion` takes about half an hour on one core. An interrupted run continues where it stopped.""",
    )


def _metrics_section(metrics: Mapping[str, Any]) -> str:
    stages = metrics["stages"]
    corpora = list(next(iter(stages.values())))
    rows = [(name, *(f"{f1[corpus]:.4f}" for corpus in corpora)) for name, f1 in stages.items()]
    return f"""
All metrics are of sites that were not trained on.

{_groups_table(metrics["groups"])}

{F1_COLUMNS}

Word F1 of the stages before the choice of empty bodies:

{table(("stage", *corpora), rows)}"""


def _groups_table(rows: Sequence[Mapping[str, Any]]) -> str:
    cells = []
    for row in rows:
        baseline = BASELINES.get(row["corpus"], "") if row["pages"] == ALL else ""
        f1 = f"{row['snippets']:.3f} (snippets)" if "snippets" in row else row["f1"]
        cells.append((row["corpus"], row["pages"], row["count"], f1, *(row.get(key, "") for key in ("spread", "good", "score")), baseline))
    return table(("corpus", "pages", "count", "F1", "spread", "> 0.9", "mean score", "best baseline"), cells)


def _cost(cost: Mapping[str, float]) -> str:
    ms, blocks = cost["ms"], cost["blocks"]
    return f"{cost['megabytes']:.1f} MB. Both stages take {ms:.1f} ms of CPU time on one core for a page of {blocks:.0f} blocks."
