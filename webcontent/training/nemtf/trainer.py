"""Trains NEMTF: python -m webcontent.training.nemtf

Pages with gold -> labelled lines (cached) -> words of the training pages and their vectors -> networks over lines, five folds by site
-> figures of each field, the paper's experiments -> ONNX and card. A run that was stopped goes on where it was: what is done, each
round of each network included, lies under --cache. `--experiments no` leaves the paper's experiments out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tqdm import tqdm

from webcontent.document.lines import SIGNS, words_of
from webcontent.evaluation.corpora import find_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.extractors.nemtf import FEATURES, LABELS, MODEL, NOISE, Nemtf, Vocabulary, features, lengths_of
from webcontent.training import export
from webcontent.training.bpnn import CACHE, FOLDS, cost
from webcontent.training.linenet import PLAIN, Form, LineNet, OnePage, Schedule, fit, probabilities
from webcontent.training.lines import VERSION, alignment_table, predict, read_samples, story_pages, write_predictions
from webcontent.training.nemtf_card import card, field_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from webcontent.training.lines import Sample

JUDGED = ("zh-gold-dev", "zh-silver", "fundus-dev", "l3s-gn1")
"""Corpora whose figures stand in the card."""
CHINESE = ("zh-gold-dev", "zh-silver")
"""The paper's experiments are done with these: its own pages are Chinese news."""
EXPERIMENT_ROUNDS = 16
"""Of each network of the paper's experiments: they learn from few pages, so a round has few steps."""
SLOWER = 3
"""So many times the rounds of the others get the plain forms, which learn slower."""
NEW_PAGES = (0, 1, 5, 10)
NEW_SITES = 2
"""Sites of the few-shot experiment: those of most pages."""
KERNELS = (1, 2, 3, 4, 5)
WINDOW = 3
"""Words so near to each other count as neighbours when word vectors are made."""
_TOKEN = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W\d_{UNSPACED_SCRIPTS}]+|\d+|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run depends on beside the corpora and the code of the features."""

    corpora: dict[str, int | None] = field(
        default_factory=lambda: dict.fromkeys(("zh-gold-dev", "zh-silver", "fundus-dev", "l3s-gn1", "wcxb-dev"))
    )
    """Pages of each corpus at most."""
    draws: dict[str, float] = field(default_factory=lambda: {"zh-gold-dev": 1.5, "l3s-gn1": 0.2, "wcxb-dev": 0.25})
    """How often a page of a corpus is drawn in a round, where not once: the many English pages do not crowd out the others."""
    form: Form = field(default_factory=Form)
    nets: int = 2
    """Networks whose answers are averaged; they differ in their first weights and in what they see when."""
    schedule: Schedule = field(default_factory=Schedule)
    word_sites: int = 3
    """Words of fewer sites are not learned."""
    most_words: int = 5000
    decoding: dict[str, float] = field(default_factory=lambda: {"run": 0.45, "weight": 10.0, "outside": 0.5})
    """Of the body, as `extractors.nemtf.choose` takes it."""
    least: dict[str, float] = field(default_factory=lambda: {"title": 0.995, "time": 0.99, "source": 0.5, "related": 0.9})
    """Chance from which on the network's candidate stands before those of `fields`."""
    alone: dict[str, float] = field(default_factory=lambda: {"title": 0.3, "time": 0.3, "source": 0.3, "related": 0.5})
    """The same where there are no others."""
    seed: int = 1

    @property
    def checksum(self) -> str:
        """Of what the networks depend on; what is made of their answers may change without training again."""
        learned = {name: value for name, value in asdict(self).items() if name not in ("decoding", "least", "alone")}
        return _checksum([learned, FEATURES, VERSION])


def _checksum(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


# ---------------------------------------------------------------------------------------------------------------- words
def tokens_of(sample: Sample) -> set[str]:
    """The different words of a page; digits as `words_of` sees them with `same_digits`."""
    return {"0" * len(token) if token.isdigit() else token for text in set(sample.texts) for token in _TOKEN.findall(text[:400].lower())}


def learn_words(samples: Sequence[Sample], tokens: dict[str, set[str]], settings: Settings) -> list[str]:
    """The words of most sites, most frequent first; `tokens`: by the page's id.

    What counts is the share of a corpus's sites, so that the words of small corpora are among them.
    """
    shares: dict[str, float] = {}
    total: Counter[str] = Counter()
    for corpus in sorted({sample.corpus for sample in samples}):
        by_site: dict[str, set[str]] = {}
        for sample in samples:
            if sample.corpus == corpus:
                by_site.setdefault(sample.site, set()).update(tokens[sample.id])
        counts = Counter(token for own in by_site.values() for token in own)
        total += counts
        for token, count in counts.items():
            shares[token] = max(shares.get(token, 0.0), count / (len(by_site) + 10))
    frequent = sorted((token for token, count in total.items() if count >= settings.word_sites), key=lambda token: (-shares[token], token))
    is_word = np.diff(words_of(frequent).starts) == 1  # marks that take no room are blanks there
    return [token for token, fits in zip(frequent, is_word, strict=True) if fits][: settings.most_words]


def word_vectors(samples: Sequence[Sample], vocabulary: Vocabulary, size: int, seed: int) -> NDArray[np.float32]:
    """Vectors of the vocabulary's rows from which words stand near which: float32 [rows, size].

    Positive pointwise mutual information of neighbours, factorised (Levy and Goldberg 2014: what word2vec does implicitly).
    """
    count = len(vocabulary)
    together = np.zeros(count * count)
    for start in range(0, len(samples), 150):
        texts = sorted({text[:200] for sample in samples[start : start + 150] for text in sample.texts})
        words = words_of(texts, same_digits=True)
        rows, lines = vocabulary.rows_of(words.codes, words.classes), words.lines
        pairs = []
        for step in range(1, WINDOW + 1):
            near = lines[step:] == lines[:-step]
            pairs.append(rows[:-step][near] * count + rows[step:][near])
        together += np.bincount(np.concatenate(pairs), minlength=count * count)
    matrix = together.reshape(count, count).astype(np.float32)
    matrix += matrix.T
    single = matrix.sum(axis=1)
    matrix *= single.sum() / np.maximum(np.outer(single, single), 1)
    matrix = np.log(np.maximum(matrix, 1))
    basis = np.random.default_rng(seed).normal(size=(count, size)).astype(np.float32)
    for _ in range(4):  # subspace iteration: the largest eigenvectors of a symmetric matrix
        basis = np.linalg.qr(matrix @ basis)[0]
    vectors = basis * np.sqrt(np.abs(np.einsum("ij,ij->j", basis, matrix @ basis)))
    scaled: NDArray[np.float32] = (vectors / max(float(vectors.std()), 1e-9) * 0.5).astype(np.float32)
    return scaled


# ------------------------------------------------------------------------------------------------------------- training
@dataclass(slots=True)
class Trained:
    """Networks and what their features need: a stand-in for the model folder while there is none."""

    nets: list[LineNet]
    config: dict[str, Any]

    def run(self, features: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        return [probabilities(self.nets, features)]


def train(
    samples: Sequence[Sample],
    tokens: dict[str, set[str]],
    settings: Settings,
    *,
    checkpoint: Path | None = None,
    on_epoch: Callable[[int, float], None] | None = None,
) -> Trained:
    """Networks trained on samples; their words, the words' vectors and the lengths of the labels' lines are learned from them too.

    Of a `checkpoint` each network has one of its own, named after it.
    """
    words = learn_words(samples, tokens, settings)
    vocabulary = Vocabulary(words)
    chars = np.concatenate([[len(text) for text in sample.texts] for sample in samples])
    lengths = lengths_of(chars, np.concatenate([sample.targets.argmax(axis=1) for sample in samples]))
    vectors = torch.from_numpy(word_vectors(samples, vocabulary, settings.form.word_size, settings.seed))
    inputs = [features(sample.title, sample.texts, vocabulary, lengths) for sample in samples]
    draws = np.array([settings.draws.get(sample.corpus, 1.0) for sample in samples])
    nets = []
    for number in range(settings.nets):
        seed = settings.seed + number
        torch.manual_seed(seed)
        net = LineNet(len(vocabulary), settings.form)
        if "S" in settings.form.parts:
            with torch.no_grad():
                net.word_table.weight[1:] = vectors[1:]
        own = checkpoint and checkpoint.with_stem(f"{checkpoint.stem}-{number}")
        nets.append(fit(net, samples, inputs, settings.schedule, draws=draws, seed=seed, checkpoint=own, on_epoch=on_epoch))
    return Trained(nets, {"words": words, "lengths": lengths, "least": settings.least, "decoding": settings.decoding})


def extractor_of(trained: Trained) -> Nemtf:
    """The extractor with a network that lies in no folder."""
    extractor = Nemtf()
    extractor.__dict__["model"] = trained
    return extractor


def answers(trained: Trained, samples: Sequence[Sample]) -> list[NDArray[np.float32]]:
    """What a network says of the lines of samples: float32 [lines, 6] each."""
    vocabulary = Vocabulary(trained.config["words"])
    return [probabilities(trained.nets, features(s.title, s.texts, vocabulary, trained.config["lengths"])) for s in samples]


# -------------------------------------------------------------------------------------------------------------- figures
def line_counts(samples: Sequence[Sample], found: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    """Right, given and wanted lines of each label: float64 [6, 3]. Of lines that hold two fields either is right."""
    counts = np.zeros((len(LABELS), 3))
    for sample, chances in zip(samples, found, strict=True):
        said, judged = chances.argmax(axis=1), sample.weights > 0
        for label in range(len(LABELS)):
            if label not in sample.unknown:
                given, wanted = (said == label) & judged, (sample.targets[:, label] >= 0.4) & judged
                main = wanted & (sample.targets.argmax(axis=1) == label)
                counts[label] += (given & wanted).sum(), given.sum(), (main | (given & wanted)).sum()
    return counts


def line_f1(counts: NDArray[np.float64]) -> list[float]:
    """F1 of each label but noise; NaN where the gold has none."""
    return [2 * right / (given + wanted) if wanted else float("nan") for right, given, wanted in counts[NOISE + 1 :].tolist()]


def cross_validate(samples: Sequence[Sample], tokens: dict[str, set[str]], settings: Settings, folder: Path) -> dict[str, Any]:
    """Figures on sites that were not learned from, and the predictions for the referee, fold by fold."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in JUDGED if name in settings.corpora and find_corpus(name) is not None}
    counts = {name: np.zeros((len(LABELS), 3)) for name in rows}
    answers_of = _checksum([settings.decoding, settings.least, settings.alone])
    for fold in range(FOLDS):
        path = folder / f"fold-{fold}-{answers_of}.json"
        if not path.exists():
            path.write_text(json.dumps(_fold(samples, tokens, settings, folder, fold, list(rows))), encoding="utf-8")
        stored = json.loads(path.read_text(encoding="utf-8"))
        for name in rows:
            rows[name] += stored["rows"][name]
            counts[name] += np.array(stored["counts"][name])
    for name, own in rows.items():
        write_predictions(folder / f"{name}.jsonl", own)
    return {
        "lines": {name: line_f1(own) for name, own in counts.items()},
        "items": {name: field_figures(own) for name, own in rows.items()},
    }


def _fold(
    samples: Sequence[Sample], tokens: dict[str, set[str]], settings: Settings, folder: Path, fold: int, corpora: Sequence[str]
) -> dict[str, Any]:
    """What the network of a fold says of the sites that it has not seen."""
    seen = [sample for sample in samples if sample.fold != fold]
    with tqdm(total=settings.nets * settings.schedule.epochs, desc=f"fold {fold}", unit="round") as bar:
        trained = train(seen, tokens, settings, checkpoint=folder / f"fold-{fold}.pt", on_epoch=lambda *_: _advance(bar))
    alone = replace(trained, config={**trained.config, "least": settings.alone})
    result: dict[str, Any] = {"rows": {}, "counts": {}}
    for name in corpora:
        pages = [page for page in story_pages(name, settings.corpora[name]) if fold_of(page["site"]) == fold]
        result["rows"][name] = predict(pages, extractor_of(trained), alone=extractor_of(alone))
        own = [sample for sample in samples if sample.corpus == name and sample.fold == fold]
        result["counts"][name] = line_counts(own, answers(trained, own)).tolist()
    return result


def _advance(bar: Any) -> None:
    bar.update()


# ---------------------------------------------------------------------------------------------------------- experiments
def experiments(samples: Sequence[Sample], tokens: dict[str, set[str]], settings: Settings, folder: Path) -> dict[str, Any]:
    """The paper's: features (figure 5), kernels (figure 8), new sites. Line F1 by label, on Chinese pages; each kept when it is done."""
    own = [sample for sample in samples if sample.corpus in CHINESE]
    rounds = EXPERIMENT_ROUNDS if settings.schedule.epochs >= Schedule().epochs else settings.schedule.epochs
    settings = replace(settings, nets=1, draws={}, schedule=replace(settings.schedule, epochs=rounds))
    plain = replace(settings, form=PLAIN, schedule=replace(settings.schedule, epochs=SLOWER * rounds))
    forms = {"sequence": settings, "ALL": plain}
    forms |= {parts: replace(plain, form=replace(PLAIN, parts=parts)) for parts in ("W", "S", "L")}
    forms |= {f"k={kernel}": replace(plain, form=replace(PLAIN, kernels=(kernel,))) for kernel in KERNELS}
    result: dict[str, Any] = {"rounds": rounds, "plain rounds": SLOWER * rounds}
    for name, each in tqdm(forms.items(), desc="features, kernels", unit="network"):
        result[name] = _kept(folder / f"form-{name}.json", lambda each=each: _by_folds(own, tokens, each))  # type: ignore[misc]
    result["new sites"] = _kept(folder / "new-sites.json", lambda: _few_shot(own, tokens, settings))
    return result


def _kept(path: Path, make: Callable[[], Any]) -> Any:
    """A result from its file, made where there is none."""
    if not path.exists():
        path.write_text(json.dumps(make()), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def _by_folds(samples: Sequence[Sample], tokens: dict[str, set[str]], settings: Settings, folds: Sequence[int] = (0, 2)) -> list[float]:
    """Line F1 on some folds: those with most pages of the first corpus."""
    counts = np.zeros((len(LABELS), 3))
    for fold in folds:
        seen, new = ([sample for sample in samples if (sample.fold == fold) == is_new] for is_new in (False, True))
        if seen and new:
            counts += line_counts(new, answers(train(seen, tokens, settings), new))
    return line_f1(counts)


def _few_shot(samples: Sequence[Sample], tokens: dict[str, set[str]], settings: Settings) -> list[list[float]]:
    """For each number of pages of a new site that are added to the training pages: line F1 on the others of that site."""
    sites = [site for site, _ in Counter(sample.site for sample in samples).most_common(NEW_SITES)]
    rows = []
    for count in NEW_PAGES:
        counts = np.zeros((len(LABELS), 3))
        for site in sites:
            own, others = ([sample for sample in samples if (sample.site == site) == is_own] for is_own in (True, False))
            judged = own[max(NEW_PAGES) :]
            counts += line_counts(judged, answers(train([*others, *own[:count]], tokens, settings), judged))
        rows.append([count, *line_f1(counts)])
    return rows


# -------------------------------------------------------------------------------------------------------------- command
def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m webcontent.training.nemtf", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cache", type=Path, default=CACHE, help="where pages, networks and figures are kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[2] / "models" / MODEL, help="the model folder")
    parser.add_argument("--epochs", type=int, default=Schedule().epochs)
    parser.add_argument("--limit", type=int, help="pages of each corpus (default: as in Settings)")
    parser.add_argument("--experiments", choices=("yes", "no"), default="yes")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    settings = Settings(schedule=Schedule(epochs=options.epochs))
    if options.limit:
        settings = replace(settings, corpora=dict.fromkeys(settings.corpora, options.limit))
    folder = options.cache / f"{MODEL}-{settings.checksum}"
    folder.mkdir(parents=True, exist_ok=True)
    samples = read_samples(settings.corpora, options.cache)
    tokens = {sample.id: tokens_of(sample) for sample in samples}
    figures = cross_validate(samples, tokens, settings, folder)
    figures["alignment"] = alignment_table(samples)
    figures["experiments"] = experiments(samples, tokens, settings, folder) if options.experiments == "yes" else {}
    with tqdm(total=settings.nets * settings.schedule.epochs, desc="all pages", unit="round") as bar:
        trained = train(samples, tokens, settings, checkpoint=folder / "all.pt", on_epoch=lambda *_: _advance(bar))
    save(options.out, trained, samples, settings, figures)
    print(export.table(("corpus", *LABELS[1:]), [[name, *own] for name, own in figures["lines"].items()]))
    print(f"{options.out}: done; predictions for the referee in {folder}")


def save(out: Path, trained: Trained, samples: Sequence[Sample], settings: Settings, figures: dict[str, Any]) -> None:
    """Writes the model folder; the graph is checked against torch on a page of the samples."""
    vocabulary = Vocabulary(trained.config["words"])
    page = max((sample for sample in samples if len(sample) <= 200), key=len, default=samples[0])
    x = features(page.title, page.texts, vocabulary, trained.config["lengths"])
    graph = export.net_to_onnx(OnePage(trained.nets), x, "features", "probabilities")
    figures["cost"] = {**export.cost(graph, {"features": np.resize(x, (300, x.shape[1]))}), "lines": 300}
    extractor = extractor_of(trained)
    extractor.__dict__["model"] = SimpleNamespace(config=trained.config, run=export.open_graph(graph).run)  # as it will be, not torch
    figures["page_cost"] = cost(extractor)
    export.save_model(
        out,
        graph,
        config={"name": MODEL, "version": 1, "features": FEATURES, "labels": LABELS, "settings": asdict(settings), "figures": figures,
                **trained.config},
        inputs={"features": x},
        expected=trained.run(x),
        card=card(samples, settings, figures),
        libraries=("torch",),
    )  # fmt: skip


if __name__ == "__main__":
    from webcontent.training.nemtf import main as run  # so that cached samples carry the module's own name

    run()
