"""The cards of the page type models. Every figure comes from the run that made the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webcontent.items import KINDS
from webcontent.training.export import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webcontent.training.samples import Samples


@dataclass(frozen=True, slots=True)
class About:
    """What a card says besides figures."""

    what: str
    origin: str
    use: str
    shapes: str
    peer: str
    faults: tuple[str, ...]


PAPER = "I-AWCE reports 98.68 % (ResNet-101; LeNet-5's own figure is lost) on pages of the 16 sites that it learned from."
ABOUT = {
    "lenet5": About(
        what="The screenshot of a whole page -> article or list.",
        origin=(
            "I-AWCE (Qin Long et al., 2022), section 1.2 and figure 4: LeNet-5 with 6 and 16 kernels of 3 x 3, pooling before ReLU, "
            "46,656 -> 120 -> 84 -> 2, cross entropy, pictures as they are. Different: soft labels (0.05), and AdamW with one cycle of the "
            "learning rate. The page's grey values are pressed into the square whatever its height, as the paper does not say otherwise. "
            "The 46,656 x 120 weights are stored as bytes with a scale a row."
        ),
        use=(
            "one vote among others, where a stored screenshot is all there is, and to compare with the paper; not to route unknown sites "
            "alone (see the figures)."
        ),
        shapes=(
            "`picture` float32 [n, 1, 224, 224], grey 0 to 1 (`webcontent.pagetype.picture`) -> `probabilities` "
            "float32 [n, 2]: list, article."
        ),
        peer=PAPER,
        faults=(
            "Colour and density of a design decide more than what an article is: some hundred pages are few for 5.6 million weights.",
            "Long pages are pressed to a fraction of their height.",
        ),
    ),
    "resnet101": About(
        what="The screenshot of a whole page -> article or list.",
        origin=(
            "I-AWCE (Qin Long et al., 2022), section 1.2 and figure 6: ResNet-101 with all inner layers frozen, its pooling and top "
            "replaced by dense layers of 1024 (ReLU, which the paper does not name) and 2; Adam, 2e-4, batch 16, cross entropy. Inputs "
            "over 224 px are averaged to the same 7 x 7 places before the dense layers, as the paper does not say how they fit."
        ),
        use="a user's own sites, trained on their pictures.",
        shapes=(
            "`picture` float32 [n, 3, size, size], red, green, blue 0 to 1 (`webcontent.pagetype.picture`) -> `probabilities` "
            "float32 [n, 2]: list, article."
        ),
        peer=PAPER,
        faults=("Long pages are pressed to a fraction of their height.", "The inner layers have seen photographs only."),
    ),
    "efficientnet": About(
        what="The screenshot of a whole page -> article or list.",
        origin=(
            "I-AWCE (Qin Long et al., 2022), section 1.2: EfficientNet (B0, the paper names none) of which only the last ten layers are "
            "trained, global average pooling and two nodes; Adam, batch 16, the learning rate by equations 2 and 3, cross entropy."
        ),
        use="a user's own sites, trained on their pictures.",
        shapes=(
            "`picture` float32 [n, 3, size, size], red, green, blue 0 to 1 (`webcontent.pagetype.picture`) -> `probabilities` "
            "float32 [n, 2]: list, article."
        ),
        peer=PAPER,
        faults=("Long pages are pressed to a fraction of their height.", "The inner layers have seen photographs only."),
    ),
    "pixels": About(
        what="The screenshot of a page, as wide as it is -> article or list.",
        origin=(
            "Our own: a fully convolutional network reads off the pixels what the browser's boxes would say (where text, links, pictures "
            "and large type stand: the layout picture, learned from the boxes of the training pages), and the network that judges layout "
            "pictures judges what it read, trained on read and on true layouts alike. So a page needs no boxes, and colours and texts of "
            "designs can't be learned by heart. Colours are varied in training (channels swapped, inverted, brighter, darker), flips never."
        ),
        use="stored screenshots without boxes.",
        shapes=(
            "`strip` uint8 [n, 64 to 1536, 512, 3], red, green, blue (`webcontent.pagetype.picture.strip`) -> `probabilities` float32 "
            "[n, 2]: list, article."
        ),
        peer=PAPER,
        faults=(
            "Only the first 4,096 px of a page 1,366 px wide are seen; other widths are scaled to that.",
            "Links that look like text are read as text.",
        ),
    ),
    "layout": About(
        what="Where text, links, pictures and large type stand on the first 4,096 px of a page -> article or list.",
        origin=(
            "Our own (the paper's idea, with the browser's boxes in place of pixels): six 3 x 3 convolutions over 64 x 192 cells, "
            "then mean and maximum over the page. Two such networks are averaged: one sees what pixels show, the other font sizes only "
            "beside that of the running text, what repeats in the markup, and headings. Trained on varied boxes (scaled, moved, cut off, "
            "some left out), never flipped ones."
        ),
        use="pages that were rendered; not for screenshots without boxes.",
        shapes=(
            "`layout` float32 [n, 9, 192, 64] (`webcontent.pagetype.layout.layout_picture`) -> `probabilities` "
            "float32 [n, 2]: list, article."
        ),
        peer=PAPER,
        faults=(
            (
                "Short articles cut up by headings are taken for lists, and so are pages that are short texts below long menus: one stored "
                "site is wrong almost as a whole."
            ),
            "Only the first 4,096 px are seen.",
        ),
    ),
    "boxes": About(
        what="Figures of a page's boxes -> article or list.",
        origin=(
            "Our own: gradient boosting (LightGBM). The strongest figure is the longest run of plain text that no linked heading breaks."
        ),
        use="pages that were rendered.",
        shapes=(
            "`features` float32 [n, columns] (`webcontent.pagetype.layout.box_figures`, names in config.json) -> `article` float32 [n]: "
            "probability."
        ),
        peer=PAPER,
        faults=("Trained on designs of blogs, news and documentation only: shops and forums were never seen with boxes.",),
    ),
    "dom": About(
        what="Figures of a page's markup -> article or list, and one of seven kinds.",
        origin=(
            "Our own: gradient boosting (LightGBM), a forest for the type and one for the kind, over figures of text, links, repetition, "
            "schema.org and Open Graph types, and the words that many sites use for classes, meta names and folders. The type is the mean "
            "of what both forests say."
        ),
        use="every page; alone where nothing was rendered.",
        shapes=(
            "`features` float32 [n, columns] (`webcontent.pagetype.dom.dom_features`: the columns `features`, then `vocabulary`, of "
            "config.json) -> `article` float32 [n]: probability; `kinds` float32 [n, 7]: probabilities in the order of `kinds`."
        ),
        peer="The best published classifier of WCXB's seven types says 87 %.",
        faults=(
            "Kinds other than article and listing were learned from English pages alone.",
            "What addresses say was learned from WCXB and the Chinese pages only: the other addresses were made up by us.",
        ),
    ),
}
NOT_RUN = {"resnet101 224 px": "145,263,682 (102,763,522 trained)", "efficientnet 224 px": "4,010,110 (895,794 trained)"}
"""Of the paper's networks those that need pre-trained weights, and how many weights they have."""
DATA = (
    "screens: pictures, boxes and markup of pages of real sites and of published themes filled by us (designs of one family stay in one "
    "fold); wcxb-dev: WCXB, CC-BY-4.0, Murrough Foley; zh-gold-dev, zh-silver: Chinese pages. Types were set by the sites' structure and "
    "checked by eye (screens), or by people. The pages belong to their owners; none of them is in this folder."
)


def card(
    name: str,
    folder: str,
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
    """The card of one model; `folder`: the name that it has."""
    about = ABOUT[name]
    lines = [f"# {folder}", "", about.what, "", f"**Origin.** {about.origin}", "", f"**Use it** for {about.use}", ""]
    lines += [f"**Input and output.** {about.shapes}", "", *_data_lines(samples, data), "", *_split_lines(samples, run, losses), ""]
    lines += ["## Figures (pages of families and sites that were not learned from)", "", _overall(figures), ""]
    lines += [f"Always article would be right on {figures['always article']:.3f}. {about.peer}", ""]
    lines += ["By fold: " + ", ".join(f"{value:.3f}" for value in figures["by_fold"]), ""]
    lines += [*_slices(figures), *_kinds(figures), *_calibration(figures)]
    if losses:
        lines += ["", "![Reliability](calibration.png)", "", "![Loss and accuracy by epoch](curves.png)"]
    if rounding:
        changes = ", ".join(f"{key} {value:.2g}" for key, value in rounding.items())
        lines += ["", f"What storing the large matrix as bytes changes, over {figures['pages']} pages: {changes}."]
    lines += ["", "## Known faults", "", *[f"- {fault}" for fault in about.faults], "", "## Cost", ""]
    lines += [f"{costs['megabytes']:.2f} MB, {costs['ms']:.2f} ms a page (the graph alone, one thread, CPU time){_count(weights)}."]
    lines += ["", "## Train again", "", *_rendering(data), f"`python -m webcontent.training.pagetype --arch {name}{_sites(data)}`"]
    lines += [f"took {seconds / 60:.0f} minutes on one busy thread; what an interrupted run had stored is not counted."]
    return "\n".join([*lines, "", "## History", "", "- v1: first."]) + "\n"


def default_card(
    samples: Samples,
    figures: dict[str, dict[str, Any]],
    weights: dict[str, list[float]],
    parts: Sequence[str],
    paper: Sequence[dict[str, Any]],
    data: dict[str, str],
    run: dict[str, Any],
    costs: dict[str, float],
    seconds: float,
) -> str:
    """The card of the weighted sum."""
    whole = figures["layout + boxes + dom"]
    columns = ["parts", "pages", "accuracy", "spread over folds", "articles", "lists", "real sites", "calibration error"]
    rows = [[name, *_row(each)[:5], _real(each), each["calibration_error"]] for name, each in figures.items()]
    on_screens = [[name, *_row(each)[:5], _real(each), each["calibration_error"]] for name, each in screens_of(figures).items()]
    lines = ["# pagetype_default_v1", "", "What the page type models say of a page -> how likely it is an article.", ""]
    lines += [
        (
            "**Origin.** Logistic regression over the models' log-odds (no weight below zero), one set of weights for each combination of "
            "parts that a page can be judged by, so that the score is calibrated in each."
        ),
        "",
        "**Use it** for every page; a setting that names another picture or layout model replaces it where that model's input exists.",
        "",
        f"**Input and output.** `logits` and `present`, float32 [n, {len(parts)}], columns {', '.join(parts)} -> `article` float32 [n].",
        "",
        *_data_lines(samples, data),
        "",
        *_split_lines(samples, run, None),
        (
            "The weights were fitted, fold by fold, on what the parts said of pages that they had not seen, and judged on the fold left "
            "out: a part that made the rest no better there (log loss) has no weight beside it. Of a stored site forty pages are learned "
            "from, and all are judged."
        ),
        "",
        "## Figures (pages of families and sites that were not learned from)",
        "",
        table(columns, rows),
        "",
        "On the screens alone, without the stored sites:",
        "",
        table(columns, on_screens),
        "",
        f"Always article would be right on {whole['always article']:.3f} of the rendered pages. {PAPER}",
        "",
        "### A rendered page: layout, boxes and markup",
        "",
        "The picture is asked only where a page has no boxes: beside them it adds nothing.",
        "",
        *_slices(whole),
        *_calibration(whole),
        "",
        "### Markup alone",
        "",
        *_slices(figures["dom"]),
        *_calibration(figures["dom"]),
        "",
        "### The picture alone",
        "",
        *_slices(figures["picture"]),
        *_calibration(figures["picture"]),
        "",
        "![Reliability](calibration.png)",
        "",
        *_paper_lines(paper),
        "## Weights",
        "",
        table([*("parts", *parts), "constant"], [[name, *values] for name, values in weights.items()]),
        "",
        "## Known faults",
        "",
        "- Combinations with a screenshot or boxes were fitted on designs of blogs, news and documentation, and on the stored sites.",
        "- Pages whose first screens are a menu without styles, and lists that are all text, are taken for the other type.",
        "- The weights are judged across folds, but the parts' own settings were tried on these folds too.",
        "",
        "## Cost",
        "",
        f"{costs['megabytes']:.3f} MB, {costs['ms']:.2f} ms a page beyond the parts.",
        "",
        "## Train again",
        "",
        *_rendering(data),
        (
            f"`python -m webcontent.training.pagetype --arch pixels`, the same with `--arch NAME{_sites(data)}` for layout and boxes "
            f"(which learn from the stored sites) and dom (which is only judged on them), then `--arch default{_sites(data)}`, which took "
            f"{seconds:.0f} s."
        ),
        "",
        "## History",
        "",
        (
            "- v1: first. Then: the forest of boxes has seen the stored sites, pixels stand in LeNet-5's place, and a part that adds "
            "nothing to others has no weight beside them: all together on the screens .995 -> .998. Then: the layout network has seen the "
            "stored sites too, and two layout networks are averaged: a rendered page .988 -> .991, of the stored sites .981 -> .985."
        ),
    ]
    return "\n".join(lines) + "\n"


def screens_of(figures: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Figures without the stored sites, where a combination was judged on these too."""
    return {name: each.get("screens", each) for name, each in figures.items()}


def _paper_lines(paper: Sequence[dict[str, Any]]) -> list[str]:
    """Table 5 and figure 9 of I-AWCE, as far as they can be run here."""
    if not paper:
        return []
    rows = [
        [
            row["title"],
            f"{row['weights']:,}" if row["weights"] else "-",
            row["epochs"] or "-",
            *(row[name] for name in ("pages", "accuracy", "articles", "lists")),
        ]
        for row in paper
    ]
    rows += [[name, weights, "-", "-", "not run", "-", "-"] for name, weights in NOT_RUN.items()]
    return [
        "## The paper's setting: sites seen in training, split by page (I-AWCE, table 5 and figure 9)",
        "",
        "The stored sites, rendered by our own crawl; one fold of five left out, pages of every site on both sides.",
        "",
        table(["model", "weights", "epochs", "pages judged", "accuracy", "articles", "lists"], rows),
        "",
        (
            "ResNet-101 and EfficientNet start from weights pre-trained on ImageNet, which can't be had here: their code is tested on a "
            "few pictures, and `--weights FILE` runs them. An input of 1366 px was not run: one core is too slow for it."
        ),
        "",
        "![Loss and accuracy by epoch](paper.png)",
        "",
    ]


def _rendering(data: dict[str, str]) -> list[str]:
    return ["`python -m webcontent.training.pagetype_sites --out DIR` renders the stored sites, then", ""] if "sites" in data else []


def _sites(data: dict[str, str]) -> str:
    return " --sites DIR" if "sites" in data else ""


def _count(weights: int | None) -> str:
    return f", {weights:,} weights" if weights else ""


def _real(figures: dict[str, Any]) -> Any:
    return figures["by_slice"].get("real site", [0, "-"])[1]


def _row(figures: dict[str, Any]) -> list[Any]:
    return [figures[name] for name in ("pages", "accuracy", "spread", "articles", "lists", "calibration_error")]


def _data_lines(samples: Samples, data: dict[str, str]) -> list[str]:
    versions = ", ".join(f"{name} ({digest})" for name, digest in data.items())
    languages = len({lang for lang in samples.lang if lang})
    groups = len(set(samples.group))
    return [
        f"**Data.** {len(samples.ids)} pages of {groups} families or sites, {languages} languages; corpora and versions: {versions}. {DATA}"
    ]


def _split_lines(samples: Samples, run: dict[str, Any], losses: dict[str, float] | None) -> list[str]:
    settings = "; ".join(f"{key} {value}" for key, value in run.items() if key != "data")
    lines = [
        (
            f"**Split.** {run['folds']} folds; the family or site decides the fold, over all corpora alike. Settings were tried on these "
            f"folds, the last epoch is taken. {settings}."
        )
    ]
    if losses:
        lines += ["", "Training loss at the end: " + ", ".join(f"{title} {loss:.3f}" for title, loss in losses.items()) + "."]
    return lines


def _overall(figures: dict[str, Any]) -> str:
    columns = ["pages of", "pages", "accuracy", "spread over folds", "articles", "lists", "calibration error"]
    screens = [["screens", *_row(figures["screens"])]] if "screens" in figures else []
    return table(columns, [["all", *_row(figures)], *screens])


def _slices(figures: dict[str, Any]) -> list[str]:
    rows = [[name, *values] for group in ("by_slice", "by_language") for name, values in figures[group].items()]
    return [table(["corpus, kind of design, or language", "pages", "accuracy"], rows), ""]


def _kinds(figures: dict[str, Any]) -> list[str]:
    if "kinds" not in figures:
        return []
    rows = [[kind, *row] for kind, row in zip(KINDS, figures["kind_confusion"], strict=True)]
    said = f"Kinds on wcxb-dev: {figures['kinds']:.3f} of {figures['kind_pages']} pages right. Rows: wanted, columns: found."
    return [said, "", table(["", *KINDS], rows), ""]


def _calibration(figures: dict[str, Any]) -> list[str]:
    rows = [
        [f"{low:g} to {high:g}", count, said, found, "#" * round(40 * found)] for low, high, count, said, found in figures["calibration"]
    ]
    return ["Calibration: is a score of 0.9 right nine times in ten?", "", table(["score", "pages", "mean score", "right", ""], rows)]
