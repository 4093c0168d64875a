"""python -m benchmarks.ngfv FOLDER: NGFV on rendered pages of several sites, beside the paper's two formulas and the default.

FOLDER holds a folder for each stored site with pages as WEBCONTENT_SAVE keeps them; pages of the corpus screens are taken where their
text is that of a stored article. Writes the sweep of the threshold as a picture (--plot FILE).
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

from benchmarks.report import heading, shown, table
from webcontent.crawl.reference_pages import SitePages
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import find_corpus, load_screens, load_site_gold, site_names
from webcontent.evaluation.scores import word_f1
from webcontent.extractors import load_extractor
from webcontent.extractors.ngfv import ETA, Ngfv
from webcontent.fields.assembly import assemble
from webcontent.items import ARTICLE, Page, PageType
from webcontent.saved_pages.archive import load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from webcontent.document.positions import VisualTree
    from webcontent.extraction import Extractor

    Gold = dict[str, Any]
    Companions = Callable[[int], tuple[VisualTree, ...]]

ETAS = (0.005, 0.015, 0.03, ETA, 0.09, 0.15, 0.25, 0.4)
PLOTTED = 4
"""Pages of a site or family that the picture of the threshold is drawn from, at most."""
COPIED = 0.6
"""A page of screens with this share of a stored article's lines shows that article."""
LONG = 40
"""Characters of a line that tells an article from others."""
TIMES = 5


@dataclass(slots=True)
class Sample:
    """An article page, and its text by the gold."""

    group: str
    document: Document
    body: str


def main(words: list[str] | None = None) -> None:
    """Reads the command line, measures, prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ngfv")
    parser.add_argument("folder", type=Path, help="saved pages, a folder a stored site")
    parser.add_argument("--plot", type=Path, help="where the picture of the threshold goes")
    arguments = parser.parse_args(words)
    gold = {name: load_site_gold(name) for name in site_names()}
    saved = [name for name in gold if (arguments.folder / name).is_dir()]
    sites = _grouped(sample for name in saved for sample in _saved_samples(arguments.folder, name, gold[name]))
    screens = _grouped(_screens_samples([row for rows in gold.values() for row in rows.values()])) if find_corpus("screens/dev") else {}
    print(heading("NGFV"))
    print(_report(sites, screens))
    print(speed_report(sites))
    if arguments.plot:
        _draw(sites, screens, arguments.plot)


def _grouped(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Samples by site or family; one page has no companion."""
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.group].append(sample)
    return {name: pages for name, pages in sorted(groups.items()) if len(pages) > 1}


def _saved_samples(folder: Path, site: str, gold: Gold) -> Iterable[Sample]:
    by_path = {_bare(path): row for path, row in gold.items() if row.get("body")}
    for place in saved_pages(folder / site):
        page = load_page(place)
        row = by_path.get(_bare(urlsplit(page.url or "").path))
        if row is not None and page.boxes:
            yield Sample(site, Document.from_page(page), row["body"])


def _bare(path: str) -> str:
    return unquote(path).removesuffix("index.html").rstrip("/")


def _screens_samples(articles: list[Gold]) -> Iterable[Sample]:
    """Articles of the corpus screens: pages of stored sites, found by their path, and designs filled with texts of such pages."""
    by_path = {_bare(row["url"]): row for row in articles}
    holders: dict[str, list[int]] = defaultdict(list)
    lines = [{line for line in (row.get("body") or "").split("\n") if len(line) >= LONG} for row in articles]
    for number, found in enumerate(lines):
        for line in found:
            holders[line].append(number)
    for record in load_screens():
        if record["type"] != ARTICLE or not record["boxes"]:
            continue
        document = Document.from_page(Page(url=record["url"], html=record["html"], boxes=record["boxes"]))
        if record["kind"] == "real site":
            if row := by_path.get(_bare(urlsplit(record["url"]).path)):
                yield Sample(record["family"], document, row["body"])
            continue
        counts: dict[int, int] = defaultdict(int)
        for text in set(document.blocks.texts):
            for number in holders.get(text, ()):
                counts[number] += 1
        best = max(counts, key=lambda number: counts[number], default=None)
        if best is not None and counts[best] >= COPIED * len(lines[best]):
            yield Sample(record["family"], document, articles[best]["body"])


def _report(sites: dict[str, list[Sample]], screens: dict[str, list[Sample]]) -> str:
    ways: dict[str, tuple[Extractor, Callable[[list[Sample]], Companions]]] = {
        "paper, as printed": (Ngfv(literal=True, corrected=False), _next_one),
        "paper, corrected": (Ngfv(literal=True), _next_one),
        "ngfv, one companion": (Ngfv(), _next_one),
        "ngfv, as in a crawl": (Ngfv(), _as_in_a_crawl),
        "fusion (default)": (load_extractor("fusion"), _none),
    }
    found = {name: (measure(sites, *way), measure(screens, *way)) for name, way in ways.items()}
    pages = [sum(map(len, groups.values())) for groups in (sites, screens)]
    head = ["", f"sites ({len(sites)}, {pages[0]} pages) P", "R", "F1", f"families ({len(screens)}, {pages[1]} pages) P", "R", "F1"]
    lines = [[name, *_means(on_sites), *_means(on_screens)] for name, (on_sites, on_screens) in found.items()]
    by_site = [[site, *(shown(on_sites[site][0], 3) for on_sites, _ in found.values())] for site in sites]
    return "\n".join([table(head, lines), "\nBody F1 by site:\n", table(["", *found], by_site), _worst(found["ngfv, as in a crawl"][1])])


def _means(scores: dict[str, list[float]]) -> list[str]:
    """Precision, recall, F1: means over sites."""
    return [shown(statistics.fmean(values[place] for values in scores.values()), 3) if scores else "-" for place in (1, 2, 0)]


def _worst(scores: dict[str, list[float]]) -> str:
    named = sorted(scores, key=lambda name: scores[name][0])[:8]
    return "\nFamilies of screens with the lowest F1: " + ", ".join(f"{name} {scores[name][0]:.3f}" for name in named)


def measure(
    groups: dict[str, list[Sample]], extractor: Extractor, companions: Callable[[list[Sample]], Companions]
) -> dict[str, list[float]]:
    """F1, precision and recall of the items' bodies: means of each site."""
    return {name: _of_group(pages, extractor, companions(pages)) for name, pages in groups.items()}


def _of_group(pages: list[Sample], extractor: Extractor, companions: Companions) -> list[float]:
    figures = []
    for number, sample in enumerate(pages):
        document = sample.document
        document.page_type = PageType("article", "article", 1.0)
        document.companion = companions(number)
        item = assemble(document, document.page_type, extractor(document), "ngfv")
        figures.append(word_f1(item.body, sample.body))
    return [statistics.fmean(column) for column in zip(*figures, strict=True)]


def _next_one(pages: list[Sample]) -> Companions:
    return lambda number: _tree(pages[(number + 1) % len(pages)])


def _tree(sample: Sample) -> tuple[VisualTree, ...]:
    tree = sample.document.visual_tree
    return () if tree is None else (tree,)


def _none(_: list[Sample]) -> Companions:
    return lambda _: ()


def _as_in_a_crawl(pages: list[Sample]) -> Companions:
    """In their order; a page that comes too early waits until the last one has come."""
    memory = SitePages()
    found = [[other for tree in _tree(sample) for other in memory.meet(tree)] for sample in pages]

    def companions(number: int) -> tuple[VisualTree, ...]:
        return tuple(found[number]) or tuple(other for tree in _tree(pages[number]) for other in memory.companions(tree))

    return companions


def speed_report(sites: dict[str, list[Sample]]) -> str:
    """Pairs of pages a second on one core, the trees given; and what a tree costs."""
    extractor, rates, costs = Ngfv(), [], []
    for pages in sites.values():
        for sample in pages[:10]:
            document = Document.from_page(sample.document.page)
            _ = document.blocks
            started = time.process_time()
            _ = document.visual_tree
            costs.append((time.process_time() - started) * 1000)
        chosen = pages[:10]
        for number, sample in enumerate(chosen):
            sample.document.companion = _tree(chosen[number - 1])
        started = time.process_time()
        for _ in range(TIMES):
            for sample in chosen:
                extractor(sample.document)
        rates.append(TIMES * len(chosen) / (time.process_time() - started))
    if not rates:
        return ""
    cost = f"{statistics.fmean(costs):.1f} ms ({statistics.median(costs):.1f} in the median)"
    mean, least = statistics.fmean(rates), min(rates)
    return f"\nOne core: {mean:.0f} pairs of pages a second, trees given ({least:.0f} on the slowest site); a tree {cost}."


def _draw(sites: dict[str, list[Sample]], screens: dict[str, list[Sample]], path: Path) -> None:
    """Body F1 of the extractor alone, by threshold."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    kinds = {"paper, as printed": (True, False), "paper, corrected": (True, True), "ngfv": (False, True)}
    parts = [(title, groups) for title, groups in (("stored sites", sites), ("families of screens", screens)) if groups]
    figure, axes = plt.subplots(1, len(parts), figsize=(5.5 * len(parts), 4.2), layout="constrained", sharey=True, squeeze=False)
    for place, (title, groups) in zip(axes[0], parts, strict=True):
        for name, (literal, corrected) in kinds.items():
            curve = [_bare_f1(groups, Ngfv(eta=eta, literal=literal, corrected=corrected)) for eta in ETAS]
            place.plot(ETAS, curve, marker="o", label=name)
        place.axvline(ETA, color="grey", linewidth=0.8, linestyle="--")
        place.set(xscale="log", xlabel="threshold of Diversity (dashed: the paper's 0.06)", title=title, ylim=(0, 1.02))
        place.grid(alpha=0.3)
    axes[0][0].set_ylabel("body word F1, mean over sites")
    axes[0][0].legend(loc="center left", bbox_to_anchor=(0.0, 0.74))
    figure.savefig(path, dpi=100)


def _bare_f1(groups: dict[str, list[Sample]], extractor: Ngfv) -> float:
    """Mean over sites, of PLOTTED pages each, against the next one."""
    means = []
    for pages in groups.values():
        companions = _next_one(pages)
        figures = []
        for number, sample in enumerate(pages[:PLOTTED]):
            sample.document.companion = companions(number)
            figures.append(word_f1(extractor(sample.document).body, sample.body)[0])
        means.append(statistics.fmean(figures))
    return statistics.fmean(means)


if __name__ == "__main__":
    main()
