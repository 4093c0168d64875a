"""Measures the extractor ngfv: `python -m benchmarks ngfv FOLDER`.

Compares it with the paper's two formulas and with the default extractor, on rendered pages of several sites. FOLDER holds a folder for
each site snapshot, with pages as WEBCONTENT_SAVE keeps them. Pages of the corpus screens are added if their text is that of an article
of a snapshot. `--plot FILE` draws F1 by the threshold.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from benchmarks.report import decimal, heading, markdown_table
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import find_corpus, load_screens
from webcontent.evaluation.scores import word_f1
from webcontent.evaluation.site_snapshots import load_snapshot_gold, snapshot_names
from webcontent.extraction import PageContext
from webcontent.extractors import load_extractor
from webcontent.extractors.ngfv.extractor import ETA, Ngfv
from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.reference_pages import SitePages
from webcontent.fields.assembly import assemble
from webcontent.items import ARTICLE, Page, PageType
from webcontent.saved_pages.archive import load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from webcontent.evaluation.corpora import Record
    from webcontent.extraction import Extractor
    from webcontent.extractors.ngfv.positions import VisualTree

    ReferencePages = Callable[[int], tuple[VisualTree, ...]]
    """From the place of a page in its site to the trees that it is compared with."""

ETAS = (0.005, 0.015, 0.03, ETA, 0.09, 0.15, 0.25, 0.4)
PLOTTED_PAGES = 4
"""Pages of a site or family that the plot is drawn from, at most."""
SAME_ARTICLE = 0.6
"""A page of screens with this share of an article's lines shows that article."""
LONG_LINE = 40
"""Characters of a line that tells an article from others."""
TIMED_PAGES = 10
"""Of each site, at most."""
RUNS = 5
WORST = 8
ARTICLE_TYPE = PageType("article", "article", 1.0)


@dataclass(slots=True)
class Sample:
    """An article page, and its text by the gold."""

    group: str
    """Its site or family."""
    document: Document
    body: str


def main(words: list[str] | None = None) -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ngfv", description=__doc__)
    parser.add_argument("folder", type=Path, help="saved pages, a folder per site snapshot")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="where the plot of the threshold goes")
    arguments = parser.parse_args(words)
    gold = {name: load_snapshot_gold(name) for name in snapshot_names()}
    saved = [name for name in gold if (arguments.folder / name).is_dir()]
    sites = _grouped(sample for name in saved for sample in _saved_samples(arguments.folder, name, gold[name]))
    screens = _grouped(_screens_samples([row for rows in gold.values() for row in rows.values()])) if find_corpus("screens/dev") else {}
    print(heading("NGFV"))
    print(_report(sites, screens))
    print(speed_report(sites))
    if arguments.plot:
        _draw(sites, screens, arguments.plot)


def _grouped(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Samples by site or family. A group of one page is left out: it has no reference page."""
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.group].append(sample)
    return {name: pages for name, pages in sorted(groups.items()) if len(pages) > 1}


def _saved_samples(folder: Path, site: str, gold: dict[str, Record]) -> Iterable[Sample]:
    by_path = {_page_path(path): row for path, row in gold.items() if row.get("body")}
    for place in saved_pages(folder / site):
        page = load_page(place)
        row = by_path.get(_page_path(urlsplit(page.url or "").path))
        if row is not None and page.boxes:
            yield Sample(site, Document.from_page(page), row["body"])


def _page_path(path: str) -> str:
    return unquote(path).removesuffix("index.html").rstrip("/")


def _screens_samples(articles: list[Record]) -> Iterable[Sample]:
    """Articles of the corpus screens: pages of site snapshots, by their path, and designs that were filled with texts of such pages."""
    by_path = {_page_path(row["url"]): row for row in articles}
    lines = [{line for line in (row.get("body") or "").split("\n") if len(line) >= LONG_LINE} for row in articles]
    articles_by_line: dict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(lines):
        for line in own:
            articles_by_line[line].append(number)
    for record in load_screens():
        if record["type"] != ARTICLE or not record["boxes"]:
            continue
        document = Document.from_page(Page(url=record["url"], html=record["html"], boxes=record["boxes"]))
        if record["kind"] == "real site":
            row = by_path.get(_page_path(urlsplit(record["url"]).path))
        else:
            row = _article_of(document, articles, lines, articles_by_line)
        if row is not None:
            yield Sample(record["family"], document, row["body"])


def _article_of(document: Document, articles: list[Record], lines: list[set[str]], articles_by_line: dict[str, list[int]]) -> Record | None:
    """The article whose lines a page holds."""
    counts: dict[int, int] = defaultdict(int)
    for text in set(document.blocks.texts):
        for number in articles_by_line.get(text, ()):
            counts[number] += 1
    best = max(counts, key=lambda number: counts[number], default=None)
    return articles[best] if best is not None and counts[best] >= SAME_ARTICLE * len(lines[best]) else None


def _report(sites: dict[str, list[Sample]], screens: dict[str, list[Sample]]) -> str:
    ways: dict[str, tuple[Extractor, Callable[[list[Sample]], ReferencePages]]] = {
        "paper, as printed": (Ngfv(literal=True, corrected=False), next_page),
        "paper, corrected": (Ngfv(literal=True), next_page),
        "ngfv, one reference page": (Ngfv(), next_page),
        "ngfv, as in a crawl": (Ngfv(), as_in_a_crawl),
        "fusion (default)": (load_extractor("fusion"), no_page),
    }
    scores = {name: (measure(sites, *way), measure(screens, *way)) for name, way in ways.items()}
    pages = [sum(map(len, groups.values())) for groups in (sites, screens)]
    head = ["", f"sites ({len(sites)}, {pages[0]} pages) P", "R", "F1", f"families ({len(screens)}, {pages[1]} pages) P", "R", "F1"]
    lines = [[name, *_means(on_sites), *_means(on_screens)] for name, (on_sites, on_screens) in scores.items()]
    by_site = [[site, *(decimal(on_sites[site][0]) for on_sites, _ in scores.values())] for site in sites]
    parts = [markdown_table(head, lines), "\nBody F1 by site:\n", markdown_table(["", *scores], by_site)]
    return "\n".join([*parts, _worst(scores["ngfv, as in a crawl"][1])])


def _means(scores: dict[str, list[float]]) -> list[str]:
    """Precision, recall, F1: means over sites."""
    return [decimal(statistics.fmean(values[place] for values in scores.values())) if scores else "-" for place in (1, 2, 0)]


def _worst(scores: dict[str, list[float]]) -> str:
    names = sorted(scores, key=lambda name: scores[name][0])[:WORST]
    return "\nFamilies of screens with the lowest F1: " + ", ".join(f"{name} {scores[name][0]:.3f}" for name in names)


def measure(
    groups: dict[str, list[Sample]], extractor: Extractor, reference_pages: Callable[[list[Sample]], ReferencePages]
) -> dict[str, list[float]]:
    """F1, precision and recall of the items' bodies, as means of each site."""
    return {name: _group_scores(pages, extractor, reference_pages(pages)) for name, pages in groups.items()}


def _group_scores(pages: list[Sample], extractor: Extractor, reference_pages: ReferencePages) -> list[float]:
    scores = []
    for number, sample in enumerate(pages):
        context = PageContext(page_type=ARTICLE_TYPE, reference_pages=reference_pages(number))
        item = assemble(sample.document, context, extractor(sample.document, context), "ngfv")
        scores.append(word_f1(item.body, sample.body))
    return [statistics.fmean(column) for column in zip(*scores, strict=True)]


def next_page(pages: list[Sample]) -> ReferencePages:
    """The next page of the site."""
    return lambda number: _tree(pages[(number + 1) % len(pages)])


def no_page(_: list[Sample]) -> ReferencePages:
    """No reference page."""
    return lambda _: ()


def as_in_a_crawl(pages: list[Sample]) -> ReferencePages:
    """The pages that came before, in order."""
    known = SitePages()
    earlier = [[other for tree in _tree(sample) for other in known.add(tree)] for sample in pages]
    return lambda number: tuple(earlier[number])


def _tree(sample: Sample) -> tuple[VisualTree, ...]:
    tree = visual_tree(sample.document)
    return () if tree is None else (tree,)


def speed_report(sites: dict[str, list[Sample]]) -> str:
    """Pairs of pages per second on one core, without the trees, and the CPU time of a tree."""
    extractor, speeds = Ngfv(), []
    costs = [_tree_ms(sample) for pages in sites.values() for sample in pages[:TIMED_PAGES]]
    for pages in sites.values():
        timed = pages[:TIMED_PAGES]
        contexts = [PageContext(reference_pages=_tree(timed[number - 1])) for number in range(len(timed))]
        started = time.process_time()
        for _ in range(RUNS):
            for sample, context in zip(timed, contexts, strict=True):
                extractor(sample.document, context)
        speeds.append(RUNS * len(timed) / (time.process_time() - started))
    if not speeds:
        return ""
    cost = f"{statistics.fmean(costs):.1f} ms ({statistics.median(costs):.1f} in the median)"
    mean, slowest = statistics.fmean(speeds), min(speeds)
    return f"\nOne core: {mean:.0f} pairs of pages a second without the trees ({slowest:.0f} on the slowest site). A tree takes {cost}."


def _tree_ms(sample: Sample) -> float:
    document = Document.from_page(sample.document.page)
    _ = document.blocks
    started = time.process_time()
    visual_tree(document)
    return (time.process_time() - started) * 1000


def _draw(sites: dict[str, list[Sample]], screens: dict[str, list[Sample]], path: Path) -> None:
    """Body F1 of the extractor alone, by threshold."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    kinds: dict[str, dict[str, Any]] = {
        "paper, as printed": {"literal": True, "corrected": False},
        "paper, corrected": {"literal": True},
        "ngfv": {},
    }
    parts = [(title, groups) for title, groups in (("site snapshots", sites), ("families of screens", screens)) if groups]
    figure, axes = plt.subplots(1, len(parts), figsize=(5.5 * len(parts), 4.2), layout="constrained", sharey=True, squeeze=False)
    for place, (title, groups) in zip(axes[0], parts, strict=True):
        for name, options in kinds.items():
            place.plot(ETAS, [_extractor_f1(groups, Ngfv(eta=eta, **options)) for eta in ETAS], marker="o", label=name)
        place.axvline(ETA, color="grey", linewidth=0.8, linestyle="--")
        place.set(xscale="log", xlabel="threshold of Diversity (dashed: the paper's 0.06)", title=title, ylim=(0, 1.02))
        place.grid(alpha=0.3)
    axes[0][0].set_ylabel("body word F1, mean over sites")
    axes[0][0].legend(loc="center left", bbox_to_anchor=(0.0, 0.74))
    figure.savefig(path, dpi=100)


def _extractor_f1(groups: dict[str, list[Sample]], extractor: Ngfv) -> float:
    """Mean over sites of the extractor's own body, each page against the next one."""
    means = []
    for pages in groups.values():
        reference_pages = next_page(pages)
        contexts = [PageContext(reference_pages=reference_pages(number)) for number in range(len(pages))]
        scores = [
            word_f1(extractor(sample.document, context).body, sample.body)[0]
            for sample, context in zip(pages[:PLOTTED_PAGES], contexts, strict=False)
        ]
        means.append(statistics.fmean(scores))
    return statistics.fmean(means)


if __name__ == "__main__":
    main()
