"""Trains the BP network: python -m webcontent.training.bpnn

Pages with gold bodies -> labelled lines (cached) -> a 12-5-1 network by back-propagation in numpy, five folds by site -> learning
curve, the paper's table by site -> ONNX and card. A run that was stopped goes on where it was: what is done lies under --cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tqdm import tqdm

from webcontent.document.lines import terms_of, words_of
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import checksum, find_corpus, load_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.extractors.bpnn import FEATURES, MODEL, BpNetwork, features, scaled, stop_terms
from webcontent.extractors.nemtf import BODY
from webcontent.fields.assembly import fingerprint
from webcontent.items import Page
from webcontent.training import export
from webcontent.training.labels import GoldMatch
from webcontent.training.lines import VERSION, Sample, predict, read_samples, story_pages, write_predictions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.extraction import Extractor

    Weights = list[NDArray[np.float64]]

FOLDS = 5
CACHE = Path(tempfile.gettempdir()) / "webcontent-lines"
JUDGED = ("zh-gold-dev", "fundus-dev", "l3s-gn1")
"""Corpora whose figures stand in the card."""
PAGES = (20, 100, None)
"""Sizes of the learning curve; the paper trains on 20 pages."""
RIGHT, COMPLETE = 30, 10
"""A page is right, or complete, when gold and answer differ in fewer bits of their fingerprints."""
PAPER = (("xinhuanet.com", 40, 95, 88.9), ("163.com", 40, 92.5, 89.2), ("sina.com.cn", 50, 86, 93), ("sohu.com", 50, 90, 93.3))
"""An 2010, table 1: site, pages, P, R in percent (of the first site's P the printed counts give 90)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run depends on beside the corpora and the code of the features."""

    corpora: dict[str, int | None] = field(
        default_factory=lambda: {"zh-gold-dev": None, "zh-silver": None, "fundus-dev": None, "l3s-gn1": 150, "wcxb-dev": 150}
    )
    """Pages of each corpus at most."""
    hidden: int = 5
    rate: float = 0.2
    """At the start; it falls evenly to 0 over the rounds."""
    goal: float = 0.05
    """Mean squared error at which training ends ..."""
    epochs: int = 12
    """... if it is reached before so many rounds."""
    batch: int = 8
    momentum: float = 0.9
    page_lines: int = 200
    """At most so many lines of a page are trained on, drawn at random."""
    stop_share: float = 0.5
    """A term on so large a share of a corpus's pages is a stop word."""
    decoding: dict[str, float] = field(default_factory=lambda: {"run": 0.4, "line": 0.1, "edge": 0.6, "weight": 20.0})
    seed: int = 1

    @property
    def checksum(self) -> str:
        told = json.dumps([asdict(self), FEATURES, VERSION], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:12]


# -------------------------------------------------------------------------------------------------------------- network
def answer(weights: Weights, x: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Probability of body: float64 [lines]. `x`: scaled features."""
    inner, inner_bias, outer, outer_bias = weights
    return _logsig(_logsig(x @ inner + inner_bias) @ outer + outer_bias)


def _logsig(x: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(x, -40, 40)))
    return result


def train(x: NDArray[np.float32], y: NDArray[np.float64], settings: Settings) -> tuple[Weights, float]:
    """The network's weights and the mean squared error of the last round; `x`: scaled features, `y`: 1 for body."""
    random = np.random.default_rng(settings.seed)
    hidden, batch = settings.hidden, settings.batch
    weights = [random.uniform(-0.5, 0.5, (x.shape[1], hidden)), np.zeros(hidden), random.uniform(-0.5, 0.5, hidden), np.zeros(1)]
    steps = [np.zeros_like(part) for part in weights]
    error = 1.0
    for epoch in range(settings.epochs):
        rate = settings.rate * (1 - epoch / settings.epochs)
        order, total = random.permutation(len(x)), 0.0
        for start in range(0, len(x), batch):
            rows = order[start : start + batch]
            inside = _logsig(x[rows] @ weights[0] + weights[1])
            out = _logsig(inside @ weights[2] + weights[3])
            gap = y[rows] - out
            total += float(gap @ gap)
            outer = gap * out * (1 - out)
            inner = outer[:, None] * weights[2] * inside * (1 - inside)
            slopes = (x[rows].T @ inner, inner.sum(axis=0), inside.T @ outer, outer.sum(keepdims=True))
            for place, slope in enumerate(slopes):
                steps[place] = settings.momentum * steps[place] + rate * slope * (4 / batch)
                weights[place] = weights[place] + steps[place]
        error = total / max(1, len(x))
        if error < settings.goal:
            break
    return weights, error


def graph_of(weights: Weights) -> onnx.ModelProto:
    """Input `features` float32 [lines, 12], scaled; output `probabilities` float32 [lines, 1]."""
    inner, inner_bias, outer, outer_bias = (np.asarray(part, np.float32) for part in weights)
    parts = {"inner": inner, "inner_bias": inner_bias, "outer": outer[:, None], "outer_bias": outer_bias}
    nodes = [
        helper.make_node("Gemm", ["features", "inner", "inner_bias"], ["hidden_sum"]),
        helper.make_node("Sigmoid", ["hidden_sum"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "outer", "outer_bias"], ["sum"]),
        helper.make_node("Sigmoid", ["sum"], ["probabilities"]),
    ]
    graph = helper.make_graph(
        nodes,
        MODEL,
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["lines", len(FEATURES)])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["lines", 1])],
        [numpy_helper.from_array(part, name) for name, part in parts.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", export.OPSET)], ir_version=10)
    onnx.checker.check_model(made)
    return made


# ----------------------------------------------------------------------------------------------------------- stop words
def learn_stop_words(samples: Sequence[Sample], share: float) -> list[str]:
    """Terms of titles that stand on so large a share of the pages of a corpus, sorted."""
    found: set[str] = set()
    for corpus in {sample.corpus for sample in samples}:
        own = [sample for sample in samples if sample.corpus == corpus]
        terms = np.concatenate([np.unique(words_of(sample.texts, longest=300).terms()[0]) for sample in own])
        codes, counts = np.unique(terms, return_counts=True)
        frequent = set(codes[counts >= max(2.0, share * len(own))].tolist())
        found |= {term for sample in own for term in _iter_terms(sample.title) if set(terms_of(term).tolist()) & frequent}
    return sorted(found)


def _iter_terms(text: str) -> Iterator[str]:
    """The terms of a text as words: `document.lines` gives them as numbers."""
    for run in re.findall(r"[^\W\d_]+", text.lower()):
        parts = [run] if len(terms_of(run)) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
        yield from (part for part in parts if len(terms_of(part)) == 1)


# -------------------------------------------------------------------------------------------------------------- samples
@dataclass(slots=True)
class Trained:
    """A network and what its features need: a stand-in for the model folder while there is none."""

    weights: Weights
    error: float
    config: dict[str, Any]

    def run(self, features: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return [answer(self.weights, features)[:, None].astype(np.float32)]


def fit(samples: Sequence[Sample], settings: Settings) -> Trained:
    """A network trained on samples, its stop words and scaling learned from them too."""
    words = learn_stop_words(samples, settings.stop_share)
    random, stop = np.random.default_rng(settings.seed), stop_terms(words)
    rows, targets = [], []
    for sample in samples:
        drawn = random.permutation(len(sample))[: settings.page_lines]
        rows.append(features(sample.title, sample.texts, sample.markup, stop)[drawn])
        targets.append(sample.targets[drawn, BODY] > 0.5)
    x = np.concatenate(rows)
    largest = np.maximum(np.quantile(x, 0.999, axis=0), 1e-3)
    weights, error = train(scaled(x, largest.tolist()), np.concatenate(targets).astype(np.float64), settings)
    config = {"largest": [round(value, 5) for value in largest.tolist()], "stop_words": words, "decoding": settings.decoding}
    return Trained(weights, error, config)


def extractor_of(trained: Trained, *, alone: bool = False) -> BpNetwork:
    """The extractor with a network that lies in no folder."""
    extractor = BpNetwork(alone=alone)
    extractor.__dict__["model"] = trained
    return extractor


# -------------------------------------------------------------------------------------------------------------- figures
def judge(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The paper's P, R and F, and word F1, of predictions (with `gold`: the record's)."""
    distances = [_distance(row["body"], row["gold"]["body"]) for row in rows]
    right, complete = (sum(distance < limit for distance in distances) for limit in (RIGHT, COMPLETE))
    p, r = right / max(1, len(rows)), complete / max(1, right)
    f1 = float(np.mean([GoldMatch([row["body"]], row["gold"]["body"]).f1(np.ones(1, bool)) for row in rows]))
    return {"pages": len(rows), "p": p, "r": r, "f": 2 * p * r / max(1e-9, p + r), "f1": f1}


def _distance(given: str, gold: str) -> int:
    """Bits in which the fingerprints of two texts differ; 64 where one is empty."""
    marks = fingerprint(given), fingerprint(gold)
    return 64 if None in marks else (int(marks[0] or "", 16) ^ int(marks[1] or "", 16)).bit_count()


def by_site(rows: Sequence[dict[str, Any]], least: int = 4) -> list[list[Any]]:
    """The figures of the sites with most pages, then of all the others together."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["site"]].append(row)
    large = {site: own for site, own in sorted(groups.items(), key=lambda item: -len(item[1])) if len(own) >= least}
    others = [row for site, own in groups.items() if site not in large for row in own]
    named = {**large, f"{len(groups) - len(large)} other sites": others, "all": list(rows)}
    return [[site, *(figures[key] for key in ("pages", "p", "r", "f", "f1"))] for site, own in named.items() if (figures := judge(own))]


def cross_validate(samples: Sequence[Sample], settings: Settings, folder: Path) -> dict[str, Any]:
    """The figures of the card: for each size of the curve and each corpus, from networks that have not seen the page's site."""
    result: dict[str, Any] = {"curve": [], "alone": {}, "judged": {}}
    for size in PAGES:
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        alone: dict[str, list[dict[str, Any]]] = defaultdict(list)
        error = []
        for fold in tqdm(range(FOLDS), desc=f"{size or 'all'} pages", unit="fold"):
            seen = _drawn([sample for sample in samples if sample.fold != fold], size, settings.seed)
            trained = fit(seen, settings)
            error.append(trained.error)
            for corpus in JUDGED if size is None else JUDGED[:1]:
                if find_corpus(corpus) is not None and corpus in settings.corpora:
                    records = [page for page in story_pages(corpus, settings.corpora[corpus]) if fold_of(page["site"]) == fold]
                    rows[corpus] += predict(records, extractor_of(trained))
                    alone[corpus] += predict(records, extractor_of(trained, alone=True)) if size is None else []
        figures = judge(rows[JUDGED[0]])
        result["curve"].append([str(size or "all"), float(np.mean(error)), *(figures[key] for key in ("p", "r", "f", "f1"))])
        if size is None:
            result["judged"] = {corpus: judge(own) for corpus, own in rows.items()}
            result["alone"] = {corpus: judge(own) for corpus, own in alone.items()}
            result["sites"] = by_site(rows[JUDGED[0]])
            for corpus, own in rows.items():
                write_predictions(folder / f"{corpus}.jsonl", own)
    return result


def _drawn(samples: Sequence[Sample], count: int | None, seed: int) -> list[Sample]:
    """So many samples of the first corpora, drawn at random; None: all. The paper's training pages are Chinese news, too."""
    if count is None:
        return list(samples)
    first = [sample for sample in samples if sample.corpus.startswith(JUDGED[0][:3])] or list(samples)
    order = np.random.default_rng(seed).permutation(len(first))[:count]
    return [first[i] for i in order.tolist()]


def cost(extractor: Extractor, least_kb: int = 60, most_kb: int = 160) -> dict[str, float]:
    """CPU ms of the median page of about 100 KB: parsed, cut and extracted, without fields; the fastest of three runs."""
    spent, sizes = [], []
    for corpus in filter(find_corpus, JUDGED[:2]):
        for record in load_corpus(corpus):
            size = len(record["html"].encode("utf-8", "replace")) / 1024
            if least_kb <= size <= most_kb:
                best = float("inf")
                for _ in range(3):
                    started = time.process_time()
                    extractor(Document.from_page(Page(url=record["url"], html=record["html"])))
                    best = min(best, time.process_time() - started)
                spent.append(best * 1e3)
                sizes.append(size)
    return {"pages": len(spent), "ms": float(np.median(spent)), "kb": float(np.median(sizes))} if spent else {}


def cost_text(spent: dict[str, float]) -> str:
    """The sentence of a card about what `cost` found."""
    if not spent:
        return "Time a page: not measured."
    pages, size, ms = spent["pages"], spent["kb"], spent["ms"]
    return f"{ms:.1f} ms of one core for the median of {pages:.0f} pages of about 100 KB (median {size:.0f}), parsing and cutting included."


# -------------------------------------------------------------------------------------------------------------- command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.bpnn", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cache", type=Path, default=CACHE, help="where pages and figures are kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[2] / "models" / MODEL, help="the model folder")
    parser.add_argument("--epochs", type=int, default=Settings().epochs)
    parser.add_argument("--limit", type=int, help="pages of each corpus (default: as in Settings)")
    options = parser.parse_args(arguments)
    settings = Settings(epochs=options.epochs)
    if options.limit:
        settings = Settings(epochs=options.epochs, corpora=dict.fromkeys(settings.corpora, options.limit))
    folder = options.cache / f"{MODEL}-{settings.checksum}"
    folder.mkdir(parents=True, exist_ok=True)
    samples = read_samples(settings.corpora, options.cache)
    measured = folder / "figures.json"
    if not measured.exists():
        measured.write_text(json.dumps(cross_validate(samples, settings, folder)), encoding="utf-8")
    figures = json.loads(measured.read_text(encoding="utf-8"))
    trained = fit(samples, settings)
    figures["cost"] = cost(extractor_of(trained))
    stop = stop_terms(trained.config["stop_words"])
    shown = [scaled(features(s.title, s.texts, s.markup, stop), trained.config["largest"]) for s in samples[:: max(1, len(samples) // 40)]]
    x = np.concatenate(shown)
    export.save_model(
        options.out,
        graph_of(trained.weights),
        config={"name": MODEL, "version": 1, "features": FEATURES, **trained.config, "settings": asdict(settings), "figures": figures},
        inputs={"features": x},
        expected=trained.run(features=x),
        card=card(samples, settings, figures),
    )
    print(export.table(("pages", "error", "P", "R", "F", "word F1"), figures["curve"]))
    print(f"{options.out}: done; predictions for the referee in {folder}")


def card(samples: Sequence[Sample], settings: Settings, figures: dict[str, Any]) -> str:
    """The text of CARD.md; all figures come from the run."""
    corpora = list(dict.fromkeys(sample.corpus for sample in samples))
    versions = ", ".join(f"{name} ({checksum(name)})" for name in corpora)
    judged = [
        [corpus, own["pages"], *(own[key] for key in ("p", "r", "f", "f1")), *(figures["alone"][corpus][key] for key in ("p", "r", "f1"))]
        for corpus, own in figures["judged"].items()
    ]
    paper = [[site, pages, p / 100, r / 100, 2 * p * r / (p + r) / 100] for site, pages, p, r in PAPER]
    return f"""# {MODEL}

1. Twelve figures of a line and its neighbours -> chance of the line to be main text. Origin: An Zengwen et al. 2010, "BP network".
   As in it: the figures, 12-5-1, logsig everywhere, rate {settings.rate} (falling to 0), error goal {settings.goal}, the title's cut.
   Otherwise: lengths are in bytes of UTF-8 (one network for all scripts: in characters, word F1 of lines on zh-gold-dev is 0.867 for
   0.911) and logarithms before they are scaled (long tails); lines are drawn in batches of {settings.batch} with momentum
   {settings.momentum} (the paper goes line by line, at thirty times the cost); training ends after {settings.epochs} rounds
   if the error goal is not reached; relevance is the share of the title's terms in the line (the paper leaves the weighting open); the
   answer is the run of lines with the most text (`decode`), the paper takes each line by itself.
2. Use it for articles where a tiny model is wanted, and as the baseline that the paper is. Do not use it for lists, forums, products.
3. `features` float32 [lines, 12], scaled (names and largest values in config.json) -> `probabilities` float32 [lines, 1].
   A line is a block; its size counts the tags of the inline elements that hold its text and of the block-level element around it.
   Stop words: terms of titles that stand on more than {settings.stop_share:.0%} of a corpus's pages (config.json).
4. Data: {len(samples)} story pages of {len({sample.site for sample in samples})} sites; corpora and versions: {versions}.
   Licences, and how the gold was made: the corpora's READMEs. At most {settings.page_lines} lines of a page, drawn at random.
   A line's label: more than half of its words on the longest common subsequence of page and gold.
5. Five folds by a hash of the registered domain over all corpora together. `decoding` was chosen by word F1 on zh-gold-dev's folds.
6. Figures, on sites that were not learned from. P, R: the paper's (64-bit simhash, right below {RIGHT} bits, complete below
   {COMPLETE}; lax: unrelated texts differ in about 32). F1: words.

{export.table(("corpus", "pages", "P", "R", "F", "word F1", "P, lines alone", "R", "word F1"), judged)}

   Learning curve on {JUDGED[0]} (Chinese pages, drawn at random; the paper's own size first):

{export.table(("training pages", "squared error", "P", "R", "F", "word F1"), figures["curve"])}

   The paper's table 1, here by site on {JUDGED[0]}:

{export.table(("site", "pages", "P", "R", "F", "word F1"), figures["sites"])}

   The paper's own:

{export.table(("site", "pages", "P", "R", "F"), paper)}

7. Calibration: `score` is the expected F1 of the chosen lines, not corrected afterwards.
8. Known faults: captions and credit lines inside the text are taken with it; pages with little text lose to a long comment or notice;
   lists of links between paragraphs stay out only where they are short.
9. Cost: 71 weights. {cost_text(figures["cost"])}
10. Train again: `python -m webcontent.training.bpnn`, about ten minutes on one core, most of it reading pages.
11. History: v1, the first.
"""


if __name__ == "__main__":
    from webcontent.training.bpnn import main as run  # so that cached samples carry the module's own name

    run()
