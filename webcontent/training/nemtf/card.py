"""Figures of NEMTF's fields, and its model card: all of them come from the run that is handed in."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

import numpy as np

from webcontent.evaluation.corpora import checksum
from webcontent.extractors.nemtf import FEATURES, FIRST, LABELS, LAST, MODEL, TEXT_FEATURES
from webcontent.fields.page_signals import plain
from webcontent.training import export
from webcontent.training.bpnn import cost_text
from webcontent.training.labels import GoldMatch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webcontent.training.lines import Sample
    from webcontent.training.nemtf import Settings

FIELDS = ("body", "title", "time", "source", "related")
PAPER = "body 0.977 on its best site, title 0.99, time near 1, source 0.958 on average (ten Chinese news sites)"
TARGETS = {
    "zh-gold-dev": {"body": 0.97, "title": 0.98, "time": 0.98, "source": 0.95, "related": 0.85},
    "fundus-dev": {"body": 0.93, "title": 0.93, "time": 0.93},
}
"""What was to be reached."""


def field_figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """F1 of each field of predictions, of the whole item and of what the network gives alone.

    Body: word F1, mean over pages. Title, time (day), source: one value a page; related: set of addresses, mean over pages.
    """
    return {
        "item": {name: _field_f1(name, [(row, row) for row in rows]) for name in FIELDS},
        "alone": {name: _field_f1(name, [(row["alone"], row) for row in rows]) for name in FIELDS},
    }


def _field_f1(name: str, pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> float:
    """Of (given fields, page with gold); pages whose gold has no such key are not judged. NaN where none has."""
    judged = [(given.get(name), row["gold"][name], row["url"]) for given, row in pairs if name in row["gold"]]
    if not judged:
        return float("nan")
    if name == "body":
        return float(np.mean([GoldMatch([given or ""], gold).f1(np.ones(1, bool)) for given, gold, _ in judged]))
    if name == "related":
        return float(np.mean([_set_f1(_addresses(given, url), _addresses(gold, url)) for given, gold, url in judged]))
    right = sum(_is_right(name, given, gold) for given, gold, _ in judged)
    return 2 * right / max(1, sum(bool(given) for given, _, _ in judged) + sum(bool(gold) for _, gold, _ in judged))


def _is_right(name: str, given: str | None, gold: str | None) -> bool:
    if not given or not gold:
        return False
    if name == "time":
        return given[:10] == gold[: len(given[:10])]
    one, other = plain(given), plain(gold)
    return one == other if name == "title" else len(one) > 1 and (one in other or other in one)


def _addresses(links: Sequence[Mapping[str, str]] | None, base: str) -> set[str]:
    return {urldefrag(urljoin(base, link["url"]))[0].split("://")[-1].rstrip("/") for link in links or () if link.get("url")}


def _set_f1(given: set[str], wanted: set[str]) -> float:
    return 2 * len(given & wanted) / (len(given) + len(wanted)) if given or wanted else 1.0


# ----------------------------------------------------------------------------------------------------------------- card
def card(samples: Sequence[Sample], settings: Settings, figures: Mapping[str, Any]) -> str:
    """The text of CARD.md."""
    corpora = list(dict.fromkeys(sample.corpus for sample in samples))
    form, schedule, cost = settings.form, settings.schedule, figures["cost"]
    return f"""# {MODEL}

1. The lines of a page, without markup -> title, time, source, body, related story or noise, for each line. Origin: NEMTF, Weng
   Binyue et al., doi 10.19734/j.issn.1001-3695.2021.10.0407. As in it: writing, position and semantic feature and their embeddings,
   convolutions k = 1..5 with max pooling, concatenation, dropout, a dense layer, softmax. Otherwise: it sees the lines around a line
   ({len(form.dilations)} residual convolutions of 3 lines, steps {form.dilations}) and {len(TEXT_FEATURES)} figures of text
   ({textwrap.fill(", ".join(TEXT_FEATURES), 125, subsequent_indent="   ")});
   it is small (hidden {form.hidden} for 1024, {form.word_size} numbers a word for 128), and the answers of {settings.nets} such networks
   are averaged. The paper's plain form stands beside it below.
   No tag reaches the network. What comes from markup is the text of the title element: how many of its words a line holds is the
   relevance that the BP network's paper uses, and `story_terms` asks for the words of lines that hold some of them.
   A Chinese word is a sign: the convolutions make words of them, no segmenter is needed.
2. Use it for news and other stories in any language. Do not use it for lists, forums, products.
3. `features` float32 [lines, {len(FEATURES)}] (names in config.json; {FIRST} first and {LAST} last words, rows of tables, figures)
   -> `probabilities` float32 [lines, {len(LABELS)}]: {", ".join(LABELS)}. One run a page; its lines in order.
   The network's value of a field is taken from a chance of {settings.least} on; below that the field is left
   to `fields`, and the evidence says so: sooner, the network's values were wrong more often than theirs.
4. Data: {len(samples)} story pages of {len({sample.site for sample in samples})} sites, {sum(map(len, samples))} lines; corpora:
   {", ".join(f"{name} ({checksum(name)})" for name in corpora)}. Licences, and how the gold was made: the corpora's READMEs.
   Word table: words of at least {settings.word_sites} sites, {settings.most_words} at most; vectors from which words stand near which
   on the training pages, then trained on. A page of more than {schedule.lines} lines is cut to as many that follow each other.
   A line weighs as the root of its bytes. Drawn in a round, where not once: {settings.draws}.
   Where a corpus does not speak of a field, a noise line may be that field: the loss adds {schedule.doubt} of the field's chance to
   that of noise. (All of it, as first tried: sources everywhere, F1 of the item's source 0.47 for 0.98, related 0.70 for 0.90, 2 folds.)
   Gold texts that stand in no line of their page (times are often only in meta tags, a publisher's name in a picture):

{export.table(("corpus", "label", "gold texts", "not aligned"), figures["alignment"])}

5. Five folds by a hash of the registered domain over all corpora together; words, vectors and lengths are learned inside the fold.
   Size, rate, rounds and figures of text were tried on two folds; how the body is chosen (`decoding`: three numbers) on all five,
   and from which chance on a field is taken (`least`) on two.
   `fields` (titles are ranked by a model of its own) was made with these corpora: what it adds to the item is not out of fold,
   what the network gives alone is.
6. Figures, on sites that were not learned from.
   Fields (body: word F1; related: by address). `item`: what `extract` gives, `alone`: the network without the help of `fields`,
   its likeliest lines from a chance of {settings.alone} on.

{_fields_table(figures["items"])}

   The paper's own: {PAPER}.
   Lines, F1 by label, all pages of a corpus together:

{_lines_table("corpus", figures["lines"])}

{_experiments(figures["experiments"])}
7. Calibration: `score` is the expected F1 of the chosen lines, not corrected afterwards.
8. Known faults: the gold has few lines with a source, and a line that holds time and source counts as time: a source is read behind
   its label or not at all; related stories without a heading look like menus; long comments below a short story are taken for it;
   short paragraphs at the ends of a text are lost; whole further stories on the page, and long teasers in running text, are taken.
   The paper's plain form is far from its own figures here: it learns from 201 pages of some 50 sites, and is judged on other sites.
9. Cost: {cost["megabytes"]:.1f} MB; the network {cost["ms"]:.1f} ms of one core for {cost["lines"]} lines.
   {cost_text(figures["page_cost"])}
10. Train again: `python -m webcontent.training.nemtf`; a stopped run goes on where it was.
11. History: v1, the first.
"""


def _fields_table(items: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    rows = []
    for corpus, figures in items.items():
        for which, own in figures.items():
            rows.append([corpus, which, *(_shown(own[name]) for name in FIELDS)])
        if corpus in TARGETS:
            rows.append([corpus, "wanted", *(_shown(TARGETS[corpus].get(name, float("nan"))) for name in FIELDS)])
    return export.table(("corpus", "", *FIELDS), rows)


def _lines_table(head: str, rows: Mapping[str, Sequence[float]]) -> str:
    return export.table((head, *LABELS[1:]), [[name, *map(_shown, figures)] for name, figures in rows.items()])


def _shown(figure: float) -> str:
    return "-" if np.isnan(figure) else f"{figure:.3f}"


def _experiments(found: Mapping[str, Any]) -> str:
    """The paper's experiments, where they were made."""
    if not found:
        return "   The paper's experiments were left out in this run.\n"
    names = {
        "sequence": "this form, Chinese pages only", "ALL": "the paper's plain form (NEMTF-ALL)", "W": "NEMTF-W: writing only",
        "S": "NEMTF-S: semantic only", "L": "NEMTF-L: position only",
    }  # fmt: skip
    ablation = {text: found[name] for name, text in names.items()}
    kernels = {name: figures for name, figures in found.items() if name.startswith("k=")}
    new = {f"{int(row[0])} pages": row[1:] for row in found["new sites"]}
    return f"""   The paper's experiments, on Chinese pages (zh-gold-dev and zh-silver, two folds by site), F1 of lines.
   Each form is one network: this form {found["rounds"]} rounds, the paper's plain form and its parts {found["plain rounds"]}.
   Features (figure 5):

{_lines_table("form", ablation)}

   One size of kernel (figure 8), plain form; the paper finds k = 5 best:

{_lines_table("kernel", {**kernels, "k=1..5": found["ALL"]})}

   So many pages of a new site among the training pages, judged on its other pages, this form:

{_lines_table("added", new)}
"""
