"""The model card of NEMTF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.extractors.nemtf import FEATURES, FIRST, LABELS, LAST, MODEL, TEXT_FEATURES
from webcontent.training.common.cards import CORPUS_READMES, FOLDS_TEXT, Card, table
from webcontent.training.common.cost import page_cost_text
from webcontent.training.common.lines import score_section
from webcontent.training.nemtf.evaluation import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.common.cards import DataFacts
    from webcontent.training.nemtf.settings import Settings

PAPER = "body 0.977 on its best site, title 0.99, time near 1, source 0.958 on average (ten Chinese news sites)"
TARGETS = {
    "zh-gold-dev": {"body": 0.97, "title": 0.98, "time": 0.98, "source": 0.95, "related": 0.85},
    "fundus-dev": {"body": 0.93, "title": 0.93, "time": 0.93},
}
"""F1 that was to be reached."""
USE = "Use it for news and other articles in any language. Do not use it for lists, forums or products."
KNOWN_FAULTS = (
    "The gold has few lines with a source, and lines with time and source count as time: a source is found after its label or not at all.",
    "Related articles without a heading look like menus.",
    "Long comments below a short article are included in its body.",
    "Short paragraphs at the ends of a text are lost.",
    "Further whole articles on the page, and long teasers inside the text, are included.",
    (
        "The metrics of the paper's plain form are far below the paper's own. Here it is trained on 201 pages of about 50 sites, and "
        "evaluated on other sites."
    ),
)
FORMS = {
    "sequence": "this form, Chinese pages only",
    "ALL": "the paper's plain form (NEMTF-ALL)",
    "W": "NEMTF-W: writing only",
    "S": "NEMTF-S: semantic only",
    "L": "NEMTF-L: position only",
}


def make_card(facts: DataFacts, lines: int, settings: Settings, metrics: Mapping[str, Any]) -> Card:
    """The model card. `lines`: number of lines of all pages."""
    return Card(
        name=MODEL,
        summary="""
The model gives the probabilities that a line of a page is title, time, source, body, related article or noise, without markup.""",
        origin=_origin(settings),
        use_for=USE,
        interface=f"""
`features` float32 [lines, {len(FEATURES)}] (names in config.json: {FIRST} first and {LAST} last words, indices of embeddings, text
features) -> `probabilities` float32 [lines, {len(LABELS)}]: {", ".join(LABELS)}. One run takes the lines of one page in order.

The network's value of a field is used from these probabilities on: {_pairs(settings.least)}. Below them, `fields` decides, and the
evidence says so: the network's values with lower probabilities were wrong more often than those of `fields`.""",
        data=_data(facts, lines, settings, metrics["alignment"]),
        split=f"""
{FOLDS_TEXT.format(folds=settings.folds)} Words, vectors and lengths are learned inside the fold. The sizes, the learning rate, the
number of epochs and the text features were tuned on two folds, the choice of the body (`decoding`: three numbers) on all five, and the
smallest probabilities of fields (`least`) on two.

`fields` was developed with these corpora, and ranks titles with a model of its own. What it adds to the item is not out of fold; what
the network gives alone is.""",
        settings=settings.recorded(),
        metrics=_metrics_section(settings, metrics),
        calibration=score_section(metrics["score"]),
        known_faults=KNOWN_FAULTS,
        cost=f"""
{metrics["cost"]["megabytes"]:.1f} MB. The network takes {metrics["cost"]["ms"]:.1f} ms of CPU time on one core for
{metrics["cost"]["lines"]} lines. A whole page: {page_cost_text(metrics["page_cost"])}""",
        train_again="`python -m webcontent.training.nemtf`. An interrupted run continues where it stopped.",
    )


def _pairs(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _origin(settings: Settings) -> str:
    form = settings.form
    return f"""
NEMTF, Weng Binyue et al., doi 10.19734/j.issn.1001-3695.2021.10.0407. These parts follow the paper: writing, position and semantic
features and their embeddings, convolutions k = 1..5 with max pooling, concatenation, dropout, a dense layer, softmax.

These parts differ. The network sees the lines around a line ({len(form.dilations)} residual convolutions of 3 lines, with steps
{", ".join(map(str, form.dilations))}) and {len(TEXT_FEATURES)} text features: {", ".join(TEXT_FEATURES)}. It is small (a hidden size of
{form.hidden} instead of 1024, {form.word_size} numbers for a word instead of 128), and the probabilities of {settings.nets} such networks
are averaged. The paper's plain form is evaluated below, too.

The network sees no tags. Only the text of the title element comes from markup: the share of its words in a line is the relevance of the
BP network's paper, and `story_terms` counts the words of lines that hold some of them. Each Chinese character is a word; the
convolutions combine characters, so that no segmenter is needed."""


def _data(facts: DataFacts, lines: int, settings: Settings, alignment: Sequence[Sequence[Any]]) -> str:
    schedule = settings.schedule
    return f"""
{facts.pages} article pages of {facts.sites} sites with {lines} lines. Corpora and versions: {facts.corpora_text}. {CORPUS_READMES}

The vocabulary holds words of at least {settings.word_sites} sites, {settings.most_words} at most. Their vectors are learned from
neighbouring words on the training pages, then trained further. A page of more than {schedule.lines} lines is cut to so many consecutive
lines. The weight of a line is the square root of its number of bytes. Pages of these corpora are drawn more or less often than once in an
epoch: {_pairs(settings.weights)}.

Where a corpus does not state a field, a noise line may be that field: the loss adds {schedule.doubt} of the field's probability to that
of noise. (With all of it, as tried first, sources appeared everywhere: F1 of the item's source 0.47 instead of 0.98, related 0.70 instead
of 0.90, on 2 folds.)

Some gold texts are in no line of their page: times are often only in meta tags, a publisher's name in an image.

{table(("corpus", "label", "gold texts", "not aligned"), alignment)}"""


def _metrics_section(settings: Settings, metrics: Mapping[str, Any]) -> str:
    return f"""
All metrics are of sites that were not trained on. F1 of fields; for the body the word F1, for related articles by address. `item` is
what `webcontent.extract` gives. `alone` is the network without `webcontent.fields`: its most probable lines from these probabilities on:
{_pairs(settings.alone)}. `target` is what was to be reached.

{_fields_table(metrics["items"])}

The paper's own results: {PAPER}.

F1 of lines by label, over all pages of a corpus together:

{_lines_table("corpus", metrics["lines"])}

{_experiments(metrics["experiments"])}"""


def _fields_table(items: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    rows: list[list[Any]] = []
    for corpus, metrics in items.items():
        rows += [[corpus, which, *(own[name] for name in FIELDS)] for which, own in metrics.items()]
        if corpus in TARGETS:
            rows.append([corpus, "target", *(TARGETS[corpus].get(name, float("nan")) for name in FIELDS)])
    return table(("corpus", "", *FIELDS), rows)


def _lines_table(head: str, rows: Mapping[str, Sequence[float]]) -> str:
    return table((head, *LABELS[1:]), [[name, *f1] for name, f1 in rows.items()])


def _experiments(results: Mapping[str, Any]) -> str:
    """The paper's experiments, where they were run."""
    if not results:
        return "The paper's experiments were left out in this run."
    forms = {text: results[name] for name, text in FORMS.items()}
    kernels = {name: f1 for name, f1 in results.items() if name.startswith("k=")}
    new = {f"{int(row[0])} pages": row[1:] for row in results["new sites"]}
    return f"""
The paper's experiments, on Chinese pages (zh-gold-dev and zh-silver, two folds by site), F1 of lines. Each form is one network: this form
is trained for {results["epochs"]} epochs, the paper's plain form and its parts for {results["plain epochs"]}.

Features (figure 5):

{_lines_table("form", forms)}

One size of kernel (figure 8), plain form; in the paper k = 5 is best:

{_lines_table("kernel", {**kernels, "k=1..5": results["ALL"]})}

This form with some pages of a new site among the training pages, evaluated on the other pages of that site:

{_lines_table("added", new)}"""
