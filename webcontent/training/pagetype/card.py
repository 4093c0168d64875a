"""The model cards of the page type models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webcontent.items import KINDS
from webcontent.pagetype.classify import DEFAULT_MODEL
from webcontent.training.common.cards import Card, DataFacts, table
from webcontent.training.pagetype.augmentation.banners import FOLD_DESIGNS, KEPT_BACK_DESIGNS
from webcontent.training.pagetype.samples import LEARNED_PAGES, SNAPSHOTS_DATA
from webcontent.training.pagetype.settings import UNSEEN_CORPORA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.pagetype.samples import Samples

    Metrics = Mapping[str, Any]

LABELS = ("list", "article")
"""Names of the labels 0 and 1."""
WITH_BOXES, MARKUP, SCREENSHOT = "layout + boxes + dom", "dom", "picture"
SHOWN_COMBINATIONS = (WITH_BOXES, MARKUP, SCREENSHOT)
"""Combinations of parts that the card of the default describes in full: of a rendered page, of markup alone, of a screenshot alone."""
BAR = 40
"""Characters of a bar for a share of 1."""


def facts_of(samples: Samples, corpora: Mapping[str, str]) -> DataFacts:
    """What a card states about samples; `sites` is the number of families and sites."""
    return DataFacts(
        pages=len(samples),
        sites=len({row.site for row in samples.rows}),
        languages=len({row.language for row in samples.rows if row.language}),
        corpora=corpora,
    )


# --------------------------------------------------------------------------------------------------------------- texts
@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a card says besides results."""

    summary: str
    origin: str
    use_for: str
    interface: str
    baseline: str
    known_faults: tuple[str, ...]
    notes: str = ""
    """Results of further runs."""
    cost: str = ""
    """Cost of more than the graph."""
    history: tuple[str, ...] = ("v1: first version.",)


PAPER = "I-AWCE reports 98.68 % (ResNet-101; LeNet-5's own value is lost) on pages of the 16 sites that it was trained on."
OF_SCREENSHOT = "The model classifies the screenshot of a whole page as article or list."
SCREENSHOT_INTERFACE = """
`picture` float32 [n, {channels}, {size}, {size}], {colours} from 0 to 1 (`webcontent.pagetype.screenshot`) -> `probabilities` float32
[n, 2]: list, article."""
COMPRESSED = "Long pages are compressed to a fraction of their height."
PHOTOGRAPHS = "The inner layers were trained on photographs only."
OWN_SITES = "Use it for your own sites, trained on their screenshots."
ABOUT = {
    "lenet5": About(
        summary=OF_SCREENSHOT,
        origin="""
I-AWCE (Qin Long et al., 2022), section 1.2 and figure 4: LeNet-5 with 6 and 16 kernels of 3 x 3, pooling before ReLU, 46,656 -> 120 ->
84 -> 2, cross entropy, screenshots as they are. Differences: soft labels (0.05), and AdamW with one cycle of the learning rate. The grey
values of the page are resized to a square whatever its height, as the paper does not state another way. The 46,656 x 120 weights are
stored as bytes with a scale for each row.""",
        use_for="""
Use it as one vote among others where only a stored screenshot is available, and to compare with the paper. Do not use it alone to route
pages of unknown sites; see the metrics.""",
        interface=SCREENSHOT_INTERFACE.format(channels=1, size=224, colours="grey"),
        baseline=PAPER,
        known_faults=(
            "Colour and density of a design have more influence than its content: some hundred pages are few for 5.6 million weights.",
            COMPRESSED,
        ),
    ),
    "resnet101": About(
        summary=OF_SCREENSHOT,
        origin="""
I-AWCE (Qin Long et al., 2022), section 1.2 and figure 6: ResNet-101 with all inner layers frozen; dense layers of 1024 (ReLU, which the
paper does not name) and 2 replace its pooling and top; Adam, 2e-4, batch 16, cross entropy. Inputs over 224 px are averaged to the same
7 x 7 places before the dense layers, as the paper does not state how they fit.""",
        use_for=OWN_SITES,
        interface=SCREENSHOT_INTERFACE.format(channels=3, size="size", colours="red, green, blue"),
        baseline=PAPER,
        known_faults=(COMPRESSED, PHOTOGRAPHS),
    ),
    "efficientnet": About(
        summary=OF_SCREENSHOT,
        origin="""
I-AWCE (Qin Long et al., 2022), section 1.2: EfficientNet (B0; the paper names none) of which only the last ten layers are trained,
global average pooling and two nodes; Adam, batch 16, the learning rate by equations 2 and 3, cross entropy.""",
        use_for=OWN_SITES,
        interface=SCREENSHOT_INTERFACE.format(channels=3, size="size", colours="red, green, blue"),
        baseline=PAPER,
        known_faults=(COMPRESSED, PHOTOGRAPHS),
    ),
    "pixels": About(
        summary="The model classifies the top of a page, as the screenshot shows it, as article or list.",
        origin="""
This method is our own. A fully convolutional network reads the layout raster off the pixels: where text, links, images and large type
are. It is trained on the browser's boxes of the training pages. A second network classifies the layout rasters; it is trained on read
and on true layouts. A page therefore needs no boxes, and the model cannot memorize colours and texts of designs. Colours vary in
training (channels swapped, inverted, brighter, darker); images are never flipped. Banners are laid over some of them.""",
        use_for="Use it for stored screenshots without boxes.",
        interface="""
`strip` uint8 [n, 64 to 1536, 512, 3], the top of the page in red, green, blue (`webcontent.pagetype.screenshot.top_of_page`) ->
`probabilities` float32 [n, 2]: list, article.""",
        baseline=PAPER,
        known_faults=(
            "Only the first 4,096 px of a page of 1,366 px width are seen; other widths are scaled to that.",
            "Links that look like text are read as text.",
        ),
        cost="""
From the bytes of a screenshot to the probability, the median of 59 screenshots of screens/dev takes 14.3 ms of CPU time, since shorter
pages have shorter images.""",
        history=(
            "v1: first version.",
            (
                "v1, second edition: the same weights in a graph that takes images as short as their pages; the layout of the white below "
                "a page is a constant. The probabilities do not change (largest difference 1e-07 over 59 screenshots)."
            ),
            (
                "v1, third edition: banners are laid over 30 % of the training pages. Over the 198 screens of another test with six "
                "designs of banners, pages right go from .884 to .892 on average (.914 and .919 without banners), in sample."
            ),
        ),
    ),
    "layout": About(
        summary="""
The model classifies a page as article or list by where text, links, images and large type are on its first 4,096 px.""",
        origin="""
This method is our own; it takes the paper's idea, with the browser's boxes instead of pixels. Six 3 x 3 convolutions over 64 x 192 cells
are followed by mean and maximum over the page. Two such networks are averaged: one sees what pixels show, the other font sizes only in
relation to that of the running text, repetitions in the markup, and headings. The boxes vary in training (scaled, moved, cut off, some
left out, a banner's added); they are never flipped. No training page is a list of whole posts, so such lists are composed: the headline
and the paragraphs of an article page several times, in its design, four lists for ten real ones. A long article with subheadings and
teasers, composed in the same way, stands in for a fifth of the articles.""",
        use_for="Use it for rendered pages. Do not use it for screenshots without boxes.",
        interface="""
`layout` float32 [n, 9, 192, 64] (`webcontent.pagetype.layout_raster.layout_raster`) -> `probabilities` float32 [n, 2]: list, article.""",
        baseline=PAPER,
        known_faults=(
            (
                "Short articles that headings divide are classified as lists, and so are pages with short texts below long menus: of one "
                "site snapshot almost all pages are wrong. Articles of pages without styles get scores near .5."
            ),
            (
                "Lists of whole posts whose headlines are no links, and those with little more than one post on the first 4,096 px, are "
                "often classified as articles."
            ),
            "Only the first 4,096 px are seen.",
        ),
        notes="""
The first edition, trained without banners, with the seeds 0, 1, 2 (0 shipped): screens 0.985, 0.990, 0.988, so 0.988 on average; their
lists 0.977, 0.992, 0.986; their real sites 0.959, 0.949, 0.949. The later editions were trained with seed 0 alone.

Lists of whole posts and of long excerpts were rendered for a test: 80 lists and 80 articles in eight plain designs of our own, none of
which is trained on. Of the lists of whole posts (2, 4 or 8) .646 are right (.167 of the second edition), of those of two to four
paragraphs each 1.000 (.844), of the articles .988 (.988).""",
        history=(
            "v1: first version.",
            (
                "v1, second edition: banners are laid over 30 % of the training pages, and the site snapshots are rendered anew, with all "
                "their pages. Over the 198 screens of another test with six designs of banners, pages right go from .983 to .995 on "
                "average (1.000 without banners), in sample."
            ),
            (
                "v1, third edition: lists of whole posts and long articles are composed of the training pages. Screens .982 -> .988 "
                "(spread .012 -> .003), their lists .969 -> .986, with banners .977 -> .979. The site snapshots, .874 -> .820, are "
                "separated better (area under the curve .909 -> .918), but more of their articles are below .5; with the weights and the "
                "constant of the combination all pages go from .921 to .925. With lists and articles added in equal shares, 15 screens "
                "of three folds were wrong (10 before, 6 now)."
            ),
        ),
    ),
    "boxes": About(
        summary="The model classifies a page as article or list by features of its boxes.",
        origin="""
This method is our own: gradient-boosted trees (LightGBM). The strongest feature is the length of the longest plain text without a
linked heading. Each page is learned without and with the boxes of a banner.""",
        use_for="Use it for rendered pages.",
        interface="""
`features` float32 [n, columns] (`webcontent.pagetype.box_features.box_features`, names in config.json) -> `article` float32 [n], the
probability of an article.""",
        baseline=PAPER,
        known_faults=("The training pages are designs of blogs, news and documentation only; shops and forums have no boxes.",),
        history=(
            "v1: first version.",
            (
                "v1, second edition: each page is learned with a banner, too, at a weight of .05, and the site snapshots are rendered "
                "anew, with all their pages. On the screens, with banners that were not learned .919 -> .958, without .989 -> .991; two "
                "site snapshots with short articles lose: all pages .969 -> .961."
            ),
        ),
    ),
    "dom": About(
        summary="The model classifies a page as article or list, and as one of seven kinds, by features of its markup.",
        origin="""
This method is our own: gradient-boosted trees (LightGBM), one model for the type and one for the kind, over features of text, links,
repetition, schema.org and Open Graph types, and of the words that many sites use for classes, meta names and folders. The probability of
the type is the mean of both models. Articles of old layouts are learned from corpora that hold articles alone. So that an article does
not become likelier on all pages, these weigh 0.13 of the other pages together, and a list weighs 1.4. Lists of whole posts and long
articles with subheadings, composed of the markup of article pages without what these declare, weigh 0.03 and 0.1.""",
        use_for="Use it for every page, alone where nothing was rendered.",
        interface="""
`features` float32 [n, columns] (`webcontent.pagetype.dom.dom_features`: the columns `features`, then `vocabulary`, of config.json) ->
`article` float32 [n], the probability of an article, and `kinds` float32 [n, 7], probabilities in the order of `kinds`.""",
        baseline="The best published classifier of WCXB's seven types reaches 87 %.",
        known_faults=(
            "Kinds other than article and listing were learned from English pages only.",
            "The addresses of the screens are made up: they are not learned.",
        ),
        history=(
            "v1: first version.",
            (
                "v1, second edition: articles of cleaneval and traf-dev are learned, too. Articles of corpora never trained on: l3s-gn1 "
                ".970 -> .995, dragnet-dev .960 -> .970; pages of the other corpora as before. They have a type and no kind in training."
            ),
            (
                "v1, third edition: lists of whole posts and long articles are composed of the training pages. The site snapshots, which "
                "are only evaluated, .986 -> .994; dragnet-dev .970 -> .983, l3s-gn1 .995 -> .998, cleaneval .961 -> .951, traf-dev .993 "
                "-> .992; all others .971 -> .970. Of 80 lists that were rendered for a test (see the layout network), 2 -> 29 of 48 "
                "with whole posts and 27 -> 30 of 32 with long excerpts are right, and all of 80 articles, as before."
            ),
        ),
    ),
}
DATA = """
screens: screenshots, boxes and markup of pages of real sites and of published themes that we filled with text (designs of one family stay
in one fold); wcxb-dev: WCXB, CC-BY-4.0, Murrough Foley; zh-gold-dev, zh-silver: Chinese pages; cleaneval, traf-dev: articles, for
the model of markup only, which is evaluated on l3s-gn1 and dragnet-dev, too. The structure of the sites determined the types, which were
checked by eye (screens), or people set them; the pages of the last four count as articles because their corpora were made of such. The
pages belong to their owners; none of them is in this folder."""
NOT_RUN = {"resnet101 224 px": "145,263,682 (102,763,522 trained)", "efficientnet 224 px": "4,010,110 (895,794 trained)"}
"""Networks of the paper that need pre-trained weights, and their numbers of weights."""
DEFAULT_ORIGIN = """
Logistic regression over the log-odds of the models (no weight below zero), with a set of weights for each combination of parts that a
page may have, so that the score is calibrated for each of them."""
DEFAULT_USE = """
Use it for every page. If a setting names another model of screenshots or layouts, that model replaces it where its input exists."""
DEFAULT_FAULTS = (
    "Combinations with a screenshot or boxes were fitted to designs of blogs, news and documentation, and to the site snapshots.",
    "Pages whose top is a menu without styles, and lists that are all text, are classified as the other type.",
    "The weights are evaluated across folds, but the settings of the parts were tuned on these folds, too.",
)
DEFAULT_HISTORY = (
    "v1: first version.",
    (
        "v1, second edition: the trees over boxes are trained on the site snapshots, too; the pixel network replaces LeNet-5; a part that "
        "adds nothing to others gets no weight. All parts together on the screens .995 -> .998."
    ),
    (
        "v1, third edition: the layout network is trained on the site snapshots, too, and two layout networks are averaged. A rendered "
        "page .988 -> .991; the site snapshots .981 -> .985."
    ),
    (
        "v1, fourth edition: the model of markup is its second edition. Fitted anew to its probabilities alone, the weight of markup "
        "changes by .01 and the constant by .02: the weights of the third edition stay. Its tables were measured with the first model."
    ),
    (
        "v1, fifth edition: the models of screenshots, layouts and boxes learned banners, and the site snapshots have all their pages. "
        "Weights that are fitted anew leave the layout out, though it lowers the log loss of the screens from .015 to .014, so those of "
        "the third edition stay: with them .998 of the screens and .990 of 1,917 rendered pages are right. The tables were measured "
        "with the parts before."
    ),
    (
        "v1, sixth edition: the models of layouts and markup learned lists of whole posts. The weights of the third edition stay: with "
        "them .993 of 1,917 rendered pages are right (.990 before), .995 of the screens (.998), .991 of the site snapshots (.985); weights "
        "that are fitted anew by folds give .993, too. The tables were measured with the parts of the third edition."
    ),
)


# --------------------------------------------------------------------------------------------------------------- cards
def make_card(
    name: str,
    folder: str,
    facts: DataFacts,
    settings: Mapping[str, Any],
    metrics: Metrics,
    cost: Mapping[str, float],
    *,
    weights: int | None = None,
    losses: Mapping[str, float] | None = None,
    rounding: Mapping[str, float] | None = None,
) -> Card:
    """The card of one model.

    `folder`: the name of the model; `cost`: megabytes, ms of the graph, and minutes of the training. Of a network, `weights` is the number
    of weights, `losses` has the last training loss of each fold, and `rounding` the effect of storing weights as bytes.
    """
    about = ABOUT[name]
    count = f", {weights:,} weights" if weights else ""
    return Card(
        name=folder,
        summary=about.summary,
        origin=about.origin,
        use_for=about.use_for,
        interface=about.interface,
        data=_data(facts),
        split=_split(settings, losses or {}),
        settings=settings,
        metrics=_metrics_section(metrics, about, rounding or {}, with_curves=bool(losses)),
        calibration=_calibration(metrics, with_image=bool(losses)),
        known_faults=about.known_faults,
        cost=f"{cost['megabytes']:.2f} MB, {cost['ms']:.2f} ms of CPU time for a page (the graph alone, one thread){count}. {about.cost}",
        train_again=f"""
{_rendering(facts)}`python -m webcontent.training.pagetype --arch {name}{_snapshots_option(facts)}` took {cost["minutes"]:.0f} min
on one busy thread, without what an interrupted run had stored.""",
        history=about.history,
    )


def make_default_card(
    facts: DataFacts,
    settings: Mapping[str, Any],
    metrics: Mapping[str, Metrics],
    weights: Mapping[str, Sequence[float]],
    paper: Sequence[Mapping[str, Any]],
    cost: Mapping[str, float],
) -> Card:
    """The card of the weighted sum. `metrics` and `weights`: by combination of parts; `cost`: megabytes, ms and seconds of the training."""
    parts = list(weights)[-1].split(" + ")
    option = _snapshots_option(facts)
    return Card(
        name=DEFAULT_MODEL,
        summary="The model gives the probability that a page is an article, from the probabilities of the page type models.",
        origin=DEFAULT_ORIGIN,
        use_for=DEFAULT_USE,
        interface=f"""
`logits` and `present`, float32 [n, {len(parts)}], columns {", ".join(parts)} (`picture` is the screenshot) -> `article` float32 [n].""",
        data=_data(facts),
        split=f"""
{_split(settings, {})}

The weights were fitted, fold by fold, to the probabilities of pages that the parts were not trained on, and evaluated on the held-out
fold. A part that did not improve the log loss there has no weight. At most {LEARNED_PAGES} pages of a site snapshot are trained on, and
all are evaluated.""",
        settings=settings,
        metrics=_default_metrics(metrics, weights, parts, paper),
        calibration=_default_calibration(metrics),
        known_faults=DEFAULT_FAULTS,
        cost=f"{cost['megabytes']:.3f} MB, {cost['ms']:.2f} ms of CPU time for a page in addition to the parts.",
        train_again=f"""
{_rendering(facts)}`python -m webcontent.training.pagetype --arch pixels`, the same with `--arch NAME{option}` for layout and boxes
(which are trained on the site snapshots) and dom (which is only evaluated on them), then `--arch default{option}`, which took
{cost["seconds"]:.0f} s.""",
        history=DEFAULT_HISTORY,
    )


def _data(facts: DataFacts) -> str:
    return f"""
{facts.pages} pages of {facts.sites} families or sites in {facts.languages} languages. Corpora and versions: {facts.corpora_text}.

{DATA.strip()}"""


def _split(settings: Mapping[str, Any], losses: Mapping[str, float]) -> str:
    text = f"""
{settings["folds"]} folds over all corpora together. A hash of the family or the site decides the fold of a page. The settings were tuned
on these folds; the state after the last epoch is used."""
    shown = ", ".join(f"{title} {loss:.3f}" for title, loss in losses.items())
    return f"{text}\n\nTraining loss of the last epoch: {shown}." if losses else text


def _rendering(facts: DataFacts) -> str:
    if SNAPSHOTS_DATA not in facts.corpora:
        return ""
    return "`python -m webcontent.training.snapshots --out DIR` renders the site snapshots. After that,\n"


def _snapshots_option(facts: DataFacts) -> str:
    return " --snapshots DIR" if SNAPSHOTS_DATA in facts.corpora else ""


# ------------------------------------------------------------------------------------------------------------- metrics
def _metrics_section(metrics: Metrics, about: About, rounding: Mapping[str, float], *, with_curves: bool) -> str:
    effects = ", ".join(f"{name} {value:.2g}" for name, value in rounding.items())
    columns = ["pages of", "pages", "accuracy", "spread over folds", "articles", "lists", "calibration error"]
    screens = [["screens", *_row(metrics["screens"])]] if "screens" in metrics else []
    parts = [
        "All metrics are of families and sites that were not trained on.",
        table(columns, [["all", *_row(metrics)], *screens]),
        about.notes.strip(),
        f"A constant answer of article has an accuracy of {metrics['always article']:.3f}. {about.baseline}",
        "By fold: " + ", ".join(f"{value:.3f}" for value in metrics["by_fold"]),
        *_spoilt(metrics),
        _parts_table(metrics),
        *_article_corpora(metrics),
        *_kinds(metrics),
        "![Loss and accuracy by epoch](curves.png)" if with_curves else "",
        f"Effect of storing the large matrix as bytes, over {metrics['pages']} pages: {effects}." if rounding else "",
    ]
    return "\n\n".join(filter(None, parts))


def _spoilt(metrics: Metrics) -> list[str]:
    """The accuracy with banners laid over the pages."""
    if "spoilt" not in metrics:
        return []
    columns = ["pages of", "accuracy without", "with a banner", "pages that it turns"]
    rows = [[name, *(f"{row[column]:.3f}" for column in ("clean", "spoilt", "turned"))] for name, row in metrics["spoilt"].items()]
    designs = (
        f"A fold learns {_listed(FOLD_DESIGNS)}, and is evaluated with {_listed(KEPT_BACK_DESIGNS)}; the model of this folder learns all."
    )
    return [f"With a banner over the first screen. {designs}", table(columns, rows)]


def _listed(designs: Sequence[str]) -> str:
    return ", ".join(designs)


def _row(metrics: Metrics) -> list[Any]:
    return [metrics[name] for name in ("pages", "accuracy", "spread", "articles", "lists", "calibration_error")]


def _parts_table(metrics: Metrics) -> str:
    rows = [[name, *values] for group in ("by_slice", "by_language") for name, values in metrics[group].items()]
    return table(["corpus, kind of design, or language", "pages", "accuracy"], rows)


def _article_corpora(metrics: Metrics) -> list[str]:
    """Pages of the corpora of articles alone, which the tables above leave out."""
    if "article_corpora" not in metrics:
        return []
    names = " and ".join(UNSEEN_CORPORA)
    text = f"""
Pages of the corpora that hold articles alone, which the table above leaves out. {names} were never trained on; of the others, the sites
were not."""
    rows = [[name, *values] for name, values in metrics["article_corpora"].items()]
    return [" ".join(text.split()), table(["corpus", "pages", "classified as article"], rows)]


def _kinds(metrics: Metrics) -> list[str]:
    if "kinds" not in metrics:
        return []
    rows = [[kind, *row] for kind, row in zip(KINDS, metrics["kind_confusion"], strict=True)]
    text = f"Kinds on wcxb-dev: {metrics['kinds']:.3f} of {metrics['kind_pages']} pages are right. Rows: gold; columns: predicted."
    return [text, table(["", *KINDS], rows)]


def _calibration(metrics: Metrics, *, with_image: bool) -> str:
    rows = [
        [f"{low:g} to {high:g}", count, score, right, "#" * round(BAR * right)] for low, high, count, score, right in metrics["calibration"]
    ]
    shown = table(["score", "pages", "mean score", "right", ""], rows)
    return "\n\n".join(["![Calibration](calibration.png)"] * with_image + [shown])


# ------------------------------------------------------------------------------------------------------------- default
def _default_metrics(
    metrics: Mapping[str, Metrics], weights: Mapping[str, Sequence[float]], parts: Sequence[str], paper: Sequence[Mapping[str, Any]]
) -> str:
    columns = ["parts", "pages", "accuracy", "spread over folds", "articles", "lists", "real sites", "calibration error"]
    screens = {name: own.get("screens", own) for name, own in metrics.items()}
    tables = [table(columns, [_combination_row(name, own) for name, own in group.items()]) for group in (metrics, screens)]
    always = metrics[WITH_BOXES]["always article"]
    shown = [f"### {title}\n\n{_parts_table(metrics[name])}" for name, title in _titles().items()]
    return "\n\n".join(
        [
            "All metrics are of families and sites that were not trained on.",
            tables[0],
            "On the screens alone, without the site snapshots:",
            tables[1],
            f"A constant answer of article has an accuracy of {always:.3f} on the rendered pages. {PAPER}",
            "The screenshot is used only where a page has no boxes: in addition to boxes it improves nothing.",
            *shown,
            *_paper_section(paper),
            "### Weights",
            table([*("parts", *parts), "constant"], [[name, *values] for name, values in weights.items()]),
        ]
    )


def _titles() -> dict[str, str]:
    titles = ("A rendered page: layout, boxes and markup", "Markup alone", "The screenshot alone")
    return dict(zip(SHOWN_COMBINATIONS, titles, strict=True))


def _combination_row(name: str, metrics: Metrics) -> list[Any]:
    real_sites = metrics["by_slice"].get("real site", [0, "-"])[1]
    return [name, *_row(metrics)[:-1], real_sites, metrics["calibration_error"]]


def _default_calibration(metrics: Mapping[str, Metrics]) -> str:
    sections = [f"### {title}\n\n{_calibration(metrics[name], with_image=False)}" for name, title in _titles().items()]
    return "\n\n".join(["![Calibration](calibration.png)", *sections])


def _paper_section(paper: Sequence[Mapping[str, Any]]) -> list[str]:
    """Table 5 and figure 9 of I-AWCE, as far as they can be run here."""
    if not paper:
        return []
    rows: list[list[Any]] = []
    for row in paper:
        weights = f"{row['weights']:,}" if row["weights"] else "-"
        rows.append([row["title"], weights, row["epochs"] or "-", *(row[name] for name in ("pages", "accuracy", "articles", "lists"))])
    rows += [[name, weights, "-", "-", "not run", "-", "-"] for name, weights in NOT_RUN.items()]
    return [
        "### The paper's setting: sites seen in training, split by page (I-AWCE, table 5 and figure 9)",
        "The site snapshots, rendered by our own crawl. One fold of five is held out, with pages of every site on both sides.",
        table(["model", "weights", "epochs", "pages evaluated", "accuracy", "articles", "lists"], rows),
        (
            "ResNet-101 and EfficientNet start from weights pre-trained on ImageNet, which are not available here. Their code is tested on "
            "a few screenshots, and `--weights FILE` runs them. An input of 1366 px was not run, because one core is too slow for it."
        ),
        "![Loss and accuracy by epoch](paper.png)",
    ]
