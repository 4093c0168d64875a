"""The cards of the page type models. Every figure comes from the run that made the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.items import KINDS
from webcontent.training.export import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webcontent.training.samples import Samples

ABOUT = {
    "lenet5": (
        "The screenshot of a whole page -> article or list.",
        "I-AWCE (Qin Long et al., 2022), section 1.2 and figure 4: LeNet-5 with 6 and 16 kernels of 3 x 3, pooling before ReLU, 46,656 -> 120 -> "
        "84 -> 2, cross entropy, pictures as they are. Different: soft labels (0.05), and AdamW with one cycle of the learning rate. The page's grey "
        "values are pressed into the square whatever its height, as the paper does not say otherwise. The 46,656 x 120 weights are stored as bytes "
        "with a scale a row.",
        "one vote among others, where a stored screenshot is all there is, and to compare with the paper. Not for routing unknown sites alone: see the figures.",
        "`picture` float32 [n, 1, 224, 224], grey 0 to 1 (`webcontent.pagetype.picture`) -> `probabilities` float32 [n, 2]: list, article.",
        "The paper reports 98.68 % (ResNet-101, pages of the 16 sites that were trained on; LeNet-5's own figure is lost). Here no design was seen in training.",
        ("Designs that differ from the training designs in colour and density decide more than what an article is: 700 pages are few for 5.6 million weights.",
         "Long pages are pressed to a fraction of their height."),
    ),
    "layout": (
        "Where text, links, pictures and large type stand on the first 4,096 px of a page -> article or list.",
        "Our own (the paper's idea, with the browser's boxes in place of pixels): six 3 x 3 convolutions over 64 x 192 cells, mean and maximum over the page.",
        "pages that were rendered. Not for screenshots without boxes.",
        "`layout` float32 [n, 5, 192, 64] (`webcontent.pagetype.layout.layout_picture`) -> `probabilities` float32 [n, 2]: list, article.",
        "I-AWCE reports 98.68 % on sites that were trained on; here no design was seen in training.",
        ("Short articles cut up by headings, and round-ups of several items, are taken for lists.", "Only the first 4,096 px are seen."),
    ),
    "boxes": (
        "Figures of a page's boxes -> article or list.",
        "Our own: gradient boosting (LightGBM). The strongest figure is the longest run of plain text that no linked heading breaks.",
        "pages that were rendered.",
        "`features` float32 [n, {features}] (`webcontent.pagetype.layout.box_figures`, names in config.json) -> `article` float32 [n]: probability.",
        "I-AWCE reports 98.68 % on sites that were trained on; here no design was seen in training.",
        ("Trained on blog, news and documentation designs only: shops and forums were never seen with boxes.",),
    ),
    "dom": (
        "Figures of a page's markup -> article or list, and one of seven kinds.",
        "Our own: gradient boosting (LightGBM) over figures of text, links, repetition, schema.org and Open Graph types, and class names that many sites share.",
        "every page; alone where nothing was rendered.",
        "`features` float32 [n, {features}] (`webcontent.pagetype.dom.dom_features`: the columns `features`, then `vocabulary`, of config.json) -> `article` "
        "float32 [n]: probability; `kinds` float32 [n, 7]: probabilities in the order of `kinds`.",
        "The best published classifier of WCXB's seven types says 87 %.",
        ("Kinds other than article and listing were learned from English pages alone.",
         "A page whose address was made up by us gives no figures of the address: those are learned from WCXB and the Chinese pages only."),
    ),
}  # fmt: skip
TITLES = {"lenet5": "pagetype_lenet5_v1", "layout": "pagetype_layout_v1", "boxes": "pagetype_boxes_v1", "dom": "pagetype_dom_v1"}
DATA = (
    "screens: page pictures, boxes and markup of real sites and of published themes filled by us (designs of one family stay in one fold); wcxb-dev: "
    "WCXB, CC-BY-4.0, Murrough Foley; zh-gold-dev and zh-silver: Chinese pages. Types were set by the sites' structure and checked by eye "
    "(screens), or by people. The pages belong to their owners; none of them is in this folder."
)


def card(
    name: str,
    samples: Samples,
    figures: dict[str, Any],
    data: dict[str, str],
    run: dict[str, Any],
    weights: int | None,
    costs: dict[str, float],
    seconds: float,
    rounding: dict[str, float] | None = None,
    losses: dict[str, float] | None = None,
) -> str:
    """The card of one part."""
    what, origin, use, shapes, paper, faults = ABOUT[name]
    lines = [
        f"# {TITLES[name]}", "", what, "", f"**Origin.** {origin}", "", f"**Use it** for {use}", "",
        f"**Input and output.** {shapes.replace('{features}', str(len(run.get('features', ())) or 'columns'))}", "",
        *_data_lines(samples, data), "", *_split_lines(samples, run, losses), "", "## Figures (pages of families and sites that were not learned from)", "",
        _overall(figures), "", f"Always article would be right on {figures['always article']:.3f}. {paper}", "",
        "By fold: " + ", ".join(f"{value:.3f}" for value in figures["by_fold"]), "", *_slices(figures), *_kinds(figures), *_calibration(figures),
    ]  # fmt: skip
    if rounding:
        lines += [
            "",
            "Storing the large matrix as bytes: "
            + ", ".join(f"{key} {value:.2g}" for key, value in rounding.items())
            + f" (of {figures['pages']} pages).",
        ]
    lines += ["", "## Known faults", "", *[f"- {fault}" for fault in faults]]
    lines += [
        "",
        "## Cost",
        "",
        f"{costs['megabytes']:.2f} MB, {costs['ms']:.2f} ms a page (network alone, one thread, CPU time)"
        + (f", {weights:,} weights." if weights else "."),
    ]
    lines += [
        "",
        "## Train again",
        "",
        f"`python -m webcontent.training.pagetype --model {name}`; this run took {seconds / 60:.0f} minutes on one thread (folds that were stored from an interrupted run not counted).",
    ]
    lines += ["", "## History", "", "- v1: first."]
    return "\n".join(lines) + "\n"


def default_card(
    samples: Samples, figures: dict[str, dict[str, Any]], weights: dict[str, list[float]], parts: Sequence[str], data: dict[str, str],
    run: dict[str, Any], costs: dict[str, float], seconds: float,
) -> str:  # fmt: skip
    """The card of the weighted sum."""
    rows = [[name, each["pages"], each["accuracy"], each["spread"], each["articles"], each["lists"], each["by_slice"].get("real site", [0, float("nan")])[1],
             each["calibration_error"]] for name, each in figures.items()]  # fmt: skip
    whole = figures[" + ".join(parts)]
    lines = [
        "# pagetype_default_v1", "", "What the page type models say of a page -> how likely it is an article: the type that routes a page.", "",
        "**Origin.** Logistic regression over the models' log-odds (no weight below zero), one set of weights for each combination of parts that a page can be "
        "judged by, so that the score is calibrated in each.", "",
        "**Use it** for every page; a setting that names another picture model replaces it where a screenshot (or boxes) exists.", "",
        f"**Input and output.** `logits` and `present`, float32 [n, {len(parts)}], columns {', '.join(parts)} -> `article` float32 [n]: probability.", "",
        *_data_lines(samples, data), "", *_split_lines(samples, run, None),
        "The weights were fitted, fold by fold, on what the parts said of pages that they had not seen, and judged on the fold left out.", "",
        "## Figures (pages of families and sites that were not learned from)", "",
        table(["parts", "pages", "accuracy", "spread over folds", "articles", "lists", "real sites", "calibration error"], rows), "",
        f"Always article would be right on {whole['always article']:.3f} of the screens. I-AWCE reports 98.68 % on sites that were trained on.", "",
        "### All parts", "", *_slices(whole), *_calibration(whole), "", "### Markup alone", "", *_slices(figures["dom"]), *_calibration(figures["dom"]), "",
        "## Weights", "", table([*("parts", *parts), "constant"], [[name, *values] for name, values in weights.items()]), "",
        "## Known faults", "", "- Combinations with a screenshot or boxes were fitted on the screens alone: designs of blogs, news and documentation.",
        "- The weights are judged across folds, but the parts' own settings were tried on these folds too.", "",
        "## Cost", "", f"{costs['megabytes']:.3f} MB, {costs['ms']:.2f} ms a page beyond the parts.", "",
        "## Train again", "", f"`python -m webcontent.training.pagetype` (all models); the weights alone, `--model default`, took {seconds:.0f} s.", "",
        "## History", "", "- v1: first.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _data_lines(samples: Samples, data: dict[str, str]) -> list[str]:
    versions = ", ".join(f"{name} ({digest})" for name, digest in data.items())
    languages = len({lang for lang in samples.lang if lang})
    return [
        f"**Data.** {len(samples.ids)} pages of {len(set(samples.group))} families or sites, {languages} languages; corpora and their versions: {versions}. {DATA}"
    ]


def _split_lines(samples: Samples, run: dict[str, Any], losses: dict[str, float] | None) -> list[str]:
    settings = "; ".join(f"{key} {value}" for key, value in run.items() if key != "data")
    lines = [
        f"**Split.** {run['folds']} folds, the family or site decides the fold, over all corpora alike. Settings were tried on these folds, the last epoch is taken. {settings}."
    ]
    if losses:
        lines += ["", "Training loss at the end: " + ", ".join(f"{title} {loss:.3f}" for title, loss in losses.items()) + "."]
    return lines


def _overall(figures: dict[str, Any]) -> str:
    columns = ["pages", "accuracy", "spread over folds", "articles", "lists", "calibration error"]
    return table(
        columns,
        [[figures["pages"], figures["accuracy"], figures["spread"], figures["articles"], figures["lists"], figures["calibration_error"]]],
    )


def _slices(figures: dict[str, Any]) -> list[str]:
    rows = [[name, *values] for group in ("by_slice", "by_language") for name, values in figures[group].items()]
    return [table(["corpus, kind of design, or language", "pages", "accuracy"], rows), ""]


def _kinds(figures: dict[str, Any]) -> list[str]:
    if "kinds" not in figures:
        return []
    rows = [[kind, *row] for kind, row in zip(KINDS, figures["kind_confusion"], strict=True)]
    return [
        f"Kinds on wcxb-dev: {figures['kinds']:.3f} of {figures['kind_pages']} pages right. Rows: wanted, columns: found.",
        "",
        table(["", *KINDS], rows),
        "",
    ]


def _calibration(figures: dict[str, Any]) -> list[str]:
    rows = [
        [f"{low:g} to {high:g}", count, said, found, "#" * round(40 * found)] for low, high, count, said, found in figures["calibration"]
    ]
    return ["Calibration: is a score of 0.9 right nine times in ten?", "", table(["score", "pages", "mean score", "right", ""], rows)]
