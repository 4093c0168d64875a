"""The model card of Web2Text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.extractors.web2text import BLOCK_FEATURES, EDGE_FEATURES, EXTRA_FEATURES, MODEL
from webcontent.training.common.cards import CORPUS_READMES, F1_COLUMNS, FOLDS_TEXT, Card, reliability_section, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.common.cards import DataFacts
    from webcontent.training.web2text.settings import Settings

USE = """
Use it for the main text of any page. Do not use it where the default extractor `fusion` will do, which is better. Render pages that
scripts fill before you use it."""
LABELS = """
A block is a text node. Its words are matched with those of the gold text by their longest common subsequence over the whole page; the
paper aligns characters. A block is content when more than 2/3 of its words are matched. A node without letters or digits has the
share of its paragraph. The output of other libraries is aligned in the same way."""
CLEANEVAL_NOTE = """
Values over blocks and over words are micro averages over all pages; words are counted as multisets. `word F1` is the mean over pages,
as the evaluator computes it. The paper's table is lost in the available copies, so its values are not printed here."""
KNOWN_FAULTS = (
    "Grids of products and lists of records: the sequence of text nodes looks the same whether the gold includes them or not.",
    "Further articles below the first one are often included (precision 0.91 on fundus-dev), and so are long teasers.",
    "Listings of code give bad results where each token is an element.",
    ("A node is classified together with the nodes in reach of the convolutions; parts of long pages that look alike get the same label."),
    "A block of the document is chosen whole when most of its characters are text, so a byline inside a paragraph stays.",
)
TRIED = (
    (
        "76 features of our own instead of 198 (the distances to tags and class names alone, without the other features of the "
        "paragraph): 0.836 instead of 0.857 on the first fold of wcxb-dev (800 steps, trained on wcxb-dev alone, lambda 0.1, bias 0.5)."
    ),
    (
        "In that setting, lambda 0 gives 0.862, 0.05 gives 0.855, 0.3 gives 0.849: the pairwise network knows less than the unary one, "
        "which sees neighbours, too."
    ),
    (
        "In that setting, a bias of 0 gives 0.854, of 1 gives 0.859, of 1.5 gives 0.856: missing text costs more words than wrongly "
        "chosen text."
    ),
    "1,000 steps instead of 2,000, no bias in menus and footers, empty answers: 0.849 on wcxb-dev, 0.951 on zh-gold-dev (five folds).",
    (
        "Without the bias inside <nav> and <footer>: 0.845 instead of 0.848 on the second fold of wcxb-dev. Of 48,231 text nodes there, "
        "205 are content, but a footer of one short line below a short article was taken for its last paragraph."
    ),
)
"""What did not help, or had a price, as measured during development."""


def make_card(trained: DataFacts, read: DataFacts, settings: Settings, metrics: Mapping[str, Any]) -> Card:
    """The model card. `trained`: facts about the pages that were trained on, `read`: about all pages."""
    return Card(
        name=MODEL,
        summary="""
The model gives the probability that a text node of a page is main text, and the probabilities of the labels of each pair of
neighbours. Viterbi's algorithm chooses the labels.""",
        origin=f"""
Vogels, Ganea, Eickhoff: Web2Text: Deep Structured Boilerplate Removal, ECIR 2018. These parts follow the paper: the collapsed DOM, the
128 block features and 25 edge features with the authors' constants, two sequence networks trained with Adam on random patches of
random pages, dropout of the weights, L2 regularization, and Viterbi's algorithm with lambda.

These parts differ. There are {len(EXTRA_FEATURES)} more features (see below). Dilated convolutions see more of the page around a text
node. Targets are shares of words, and losses are weighted by the square root of a node's number of words. Two biases are added before
decoding. Where no block is left, the blocks with the highest expected F1 are chosen. Text in <noscript> is kept. Positions count
characters of text. A Chinese, Japanese or Korean character counts as a word; it has no capital, and it may be a stop word. The stop
words of many languages are one set. Ratios are true ratios where the authors' code divides integers. The paper's own form is
evaluated below, too.""",
        use_for=USE,
        interface=f"""
`blocks` float32 [text nodes, {settings.columns}] and `edges` float32 [text nodes, {len(EDGE_FEATURES)}] (of each node and the next
one) -> `unary` float32 [text nodes, 2], the log probabilities of noise and text, and `pairwise` float32 [text nodes, 4], the log
probabilities of the labels (0, 0), (0, 1), (1, 0), (1, 1) of a node and the next one. One run computes both networks.""",
        data=f"""
{trained.pages} pages of {trained.sites} sites are trained on. Corpora and versions: {read.corpora_text}. Of cleaneval, only the 60
pages of the paper's training part are used; fundus-dev is evaluated only. People made the gold bodies, except for zh-silver, where
selectors for each site did. {CORPUS_READMES}

{LABELS.strip()}""",
        split=f"""
{FOLDS_TEXT.format(folds=settings.folds)} The settings were tuned on the first two folds of wcxb-dev. CleanEval: the paper's 55 pages
for training, 5 pages to choose the best state, 676 pages for testing.""",
        settings=settings.recorded(),
        metrics=_metrics_section(metrics),
        calibration=reliability_section(metrics["reliability"]),
        known_faults=KNOWN_FAULTS,
        tried=TRIED,
        cost=_cost(metrics["cost"]),
        train_again="`python -m webcontent.training.web2text` takes less than an hour. An interrupted run continues where it stopped.",
        appendix={"Features": _features_section()},
    )


def _metrics_section(metrics: Mapping[str, Any]) -> str:
    return f"""
### The paper's experiment: CleanEval, 676 test pages, one run

{cleaneval_rows(metrics["cleaneval"])}

{CLEANEVAL_NOTE.strip()}

### Word F1 of the shipped model on pages of sites that were not trained on

{groups_table(metrics["groups"])}

{F1_COLUMNS}"""


def groups_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Word F1 by corpus, kind and language."""
    names = ("corpus", "pages", "count", "f1", "spread", "good", "score")
    return table(["corpus", "pages", "count", "F1", "spread", "> 0.9", "mean score"], [[row[name] for name in names] for row in rows])


def cleaneval_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """The comparison on CleanEval."""
    columns = [f"{over} {name}" for over in ("blocks", "words") for name in ("accuracy", "P", "R", "F1")]
    names = ("accuracy", "precision", "recall", "f1")
    cells = [[row["system"], *(row[over][name] for over in ("blocks", "words") for name in names), row["word_f1"]] for row in rows]
    return table(["system", *columns, "word F1"], cells)


def _cost(cost: Mapping[str, float]) -> str:
    size = f"{cost['megabytes']:.2f} MB."
    if "ms" not in cost:
        return f"{size} The time for a page was not measured."
    return f"""
{size} Median CPU time of {cost["pages"]:.0f} pages of 80 to 120 KB: {cost["ms"]:.1f} ms including parsing and segmentation;
the extractor alone takes {cost["extractor_ms"]:.1f} ms."""


def _features_section() -> str:
    return f"""
Of a text node, from the paper: {", ".join(BLOCK_FEATURES)}.

Of a text node and the next one, from the paper: {", ".join(EDGE_FEATURES)}.

Of a text node, our own: {", ".join(EXTRA_FEATURES)}."""
