"""The gradient-boosted trees over features of the markup."""

from __future__ import annotations

import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lightgbm import LGBMClassifier
from tqdm import tqdm

from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import checksum, load_corpus
from webcontent.items import ARTICLE, KINDS, LIST, Page
from webcontent.pagetype.classify import PARTS
from webcontent.pagetype.dom import article_probability, dom_features, page_tokens
from webcontent.pagetype.measures import row_of
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.trees import onnx_of_classifiers
from webcontent.training.pagetype import evaluation
from webcontent.training.pagetype.augmentation.markup import composed_markup
from webcontent.training.pagetype.card import LABELS, model_card
from webcontent.training.pagetype.samples import Samples, page_checksums, screen_records, screen_samples
from webcontent.training.snapshots import SNAPSHOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record
    from webcontent.training.pagetype.samples import TypeSample
    from webcontent.training.pagetype.settings import Run

FEATURES = tuple(dom_features(Document(Page(html="<p>Text</p>"))))
"""The names of all features, in the order in which they are made."""
WORD_SITES, PREFIXED_SITES = 40, 10
"""Sites that have to use a word of class names, or one with a prefix (of meta names, addresses ...), for it to enter the vocabulary."""
UNSURE_KIND = 0.3
"""Weight of pages that state only article or list when the trees for kinds are trained."""
ARTICLES_SHARE = 0.13
"""What the corpora of articles alone weigh together when the trees over markup are trained, as a share of the number of other pages."""
LIST_WEIGHT = 1.4
"""Weight of lists when these are trained."""
COMPOSED_WEIGHTS = {"list": 0.03, "article": 0.1}
"""What the composed pages of each type weigh together when the trees over markup are trained, as a share of the number of other pages."""
CHUNK_PAGES = 8
"""Pages that a process reads at a time."""
COMMON = {
    "num_leaves": 7,
    "min_child_samples": 10,
    "subsample": 0.7,
    "subsample_freq": 1,
    "reg_lambda": 5.0,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
"""LightGBM's parameters of all models."""
TYPE_PARAMETERS = {**COMMON, "n_estimators": 500, "learning_rate": 0.03, "colsample_bytree": 0.2}
KIND_PARAMETERS = {**COMMON, "n_estimators": 120, "learning_rate": 0.08, "colsample_bytree": 0.2, "min_child_samples": 8}


def _classifier(parameters: dict[str, Any], run: Run) -> Any:
    return LGBMClassifier(**parameters, random_state=run.settings.seed, n_jobs=run.threads)


def train_dom(run: Run) -> None:
    """Trains the trees over features of markup, for the type and for the kind."""
    started = time.monotonic()
    samples, pages, composed = read_markup(run)
    # Training on the site snapshots did not improve other sites: they are only evaluated.
    is_used = ~samples.is_snapshot
    of_articles = (*run.settings.article_corpora, *run.settings.evaluated_only)
    is_mixed = ~samples.is_of(of_articles)
    of_vocabulary = is_used & is_mixed
    vocabulary = choose_vocabulary(samples.only(of_vocabulary), [pages[row].words for row in np.flatnonzero(of_vocabulary)])
    x = with_vocabulary(pages, vocabulary)
    training = MarkupTraining(run, samples, x, ComposedMarkup(composed, vocabulary))
    article, by_kind = training.cross_validated(is_used)
    mixed = samples.only(is_mixed)
    evaluation.store_probabilities(run.work, "dom", mixed, article[is_mixed])  # a combination is fitted to corpora that have lists, too
    metrics = {**evaluation.evaluate(mixed, article[is_mixed], run.settings.folds), **evaluation.kind_metrics(samples, article, by_kind)}
    evaluation.report("dom", metrics)
    metrics["article_corpora"] = evaluation.article_metrics(samples, article, of_articles)
    rows = np.flatnonzero(is_used & samples.is_learned)
    models = training.fitted(rows)
    results = [model.predict_proba(x[rows]) for model in models.values()]
    graph = onnx_of_classifiers(models, x.shape[1])
    trees = {"article": TYPE_PARAMETERS, "kinds": KIND_PARAMETERS}
    shares = {"articles_share": ARTICLES_SHARE, "article_corpora": run.settings.article_corpora, "composed": COMPOSED_WEIGHTS}
    weights = {"lists": LIST_WEIGHT, **shares}
    config: dict[str, Any] = {
        "features": FEATURES,
        "vocabulary": vocabulary,
        "kinds": KINDS,
        "labels": LABELS,
        "settings": (settings := {**run.settings.recorded(), "weights": weights, "trees": trees}),
        "data": {**page_checksums(run), **{name: checksum(name) for name in of_articles}},
        "metrics": metrics,
    }
    cost = {**export.graph_cost(graph, {"features": x[:1]}), "minutes": (time.monotonic() - started) / 60}
    export.save_model(
        run.out / PARTS["dom"],
        graph,
        inputs={"features": x[rows]},
        expected=[result if result.shape[1] > 2 else result[:, 1] for result in results],
        libraries=("lightgbm",),
        config=config,
        card=model_card("dom", PARTS["dom"], DataFacts.of(samples.rows, config["data"]), settings, metrics, cost),
    )


class PageMarkup(NamedTuple):
    """What the trees over markup see of a page."""

    features: NDArray[np.float32]
    words: set[str]


def with_vocabulary(pages: Sequence[PageMarkup], vocabulary: Sequence[str]) -> NDArray[np.float32]:
    """The features of pages with the columns of the vocabulary: float32 [n, columns]."""
    rows = [[*page.features, *(token in page.words for token in vocabulary)] for page in pages]
    return np.array(rows, np.float32)


class ComposedMarkup:
    """Pages that are composed of articles among the pages. `composed`: by type and row of the article."""

    def __init__(self, composed: Mapping[tuple[str, int], PageMarkup], vocabulary: Sequence[str]) -> None:
        self.rows = np.array([row for _, row in composed], np.intp)
        """Of the articles that they are composed of."""
        self.kinds = np.array([KINDS.index("article" if name == ARTICLE else "listing") for name, _ in composed], np.int64)
        self.labels = np.array([name == ARTICLE for name, _ in composed], np.int64)
        self.x = with_vocabulary(list(composed.values()), vocabulary)

    def of(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Those that are composed of some pages, and their weights."""
        chosen = np.flatnonzero(np.isin(self.rows, rows))
        labels = self.labels[chosen]
        shares = np.array([COMPOSED_WEIGHTS[name] / max(int((labels == label).sum()), 1) for label, name in enumerate(LABELS)])
        return chosen, shares[labels] * len(rows)


class MarkupTraining:
    """How the trees over features of markup are trained on labelled pages."""

    def __init__(self, run: Run, samples: Samples, x: NDArray[np.float32], composed: ComposedMarkup) -> None:
        self.run, self.samples, self.x, self.composed = run, samples, x, composed
        self.labels = samples.labels
        self.kinds, self.kind_sureness = _kind_targets(samples)

    def fitted(self, rows: NDArray[np.intp]) -> dict[str, Any]:
        """The trees for types, and those for kinds, trained on some pages and on those that are composed of them."""
        run, composed = self.run, self.composed
        more, more_weights = composed.of(rows)
        x = np.concatenate([self.x[rows], composed.x[more]]) if len(more) else self.x[rows]
        samples = Samples([self.samples.rows[row] for row in rows.tolist()])
        weights = np.concatenate([page_weights(samples, run.settings.article_corpora), more_weights])
        labels = np.concatenate([self.labels[rows], composed.labels[more]])
        types = _classifier(TYPE_PARAMETERS, run).fit(x, labels, sample_weight=weights)
        # A corpus of articles has pages of forums and documentation, too: its pages have a type and no kind.
        weights = np.where(samples.is_of(run.settings.article_corpora), 0.0, self.kind_sureness[rows])
        weights = np.concatenate([weights, UNSURE_KIND * more_weights])
        kinds = np.concatenate([self.kinds[rows], composed.kinds[more]])
        return {"article": types, "kinds": _classifier(KIND_PARAMETERS, run).fit(x, kinds, sample_weight=weights)}

    def cross_validated(self, is_used: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probabilities of `article` [n] and of the kinds [n, kinds] for pages of sites that were not trained on."""
        article, by_kind = np.zeros(len(self.labels)), np.zeros((len(self.labels), len(KINDS)))
        for _, others, tested in tqdm(list(self.samples.splits(self.run.settings.folds)), desc="dom", disable=None):
            models = self.fitted(others[is_used[others]])
            article[tested] = models["article"].predict_proba(self.x[tested])[:, 1]
            by_kind[tested] = models["kinds"].predict_proba(self.x[tested])
        article = np.array([article_probability(first, second) for first, second in zip(article, by_kind, strict=True)])
        return article, by_kind


def page_weights(samples: Samples, article_corpora: Sequence[str]) -> NDArray[np.float64]:
    """Weight of each page in training.

    The corpora of articles alone would shift the answer towards `article` on all pages. However many pages they have, they weigh
    ARTICLES_SHARE of the others together, and lists weigh more.
    """
    weights = np.where(samples.labels == 1, 1.0, LIST_WEIGHT)
    is_article_corpus = samples.is_of(article_corpora)
    weights[is_article_corpus] = ARTICLES_SHARE * (~is_article_corpus).sum() / max(is_article_corpus.sum(), 1)
    return weights


def read_markup(run: Run) -> tuple[Samples, list[PageMarkup], dict[tuple[str, int], PageMarkup]]:
    """All pages with a type, their markup, and the markup that is composed of articles, by type and row."""
    records = screen_records(run)
    samples = screen_samples(records, run.settings.split)
    settings = run.settings
    for corpus in (*settings.corpora, *settings.article_corpora, *settings.evaluated_only):
        for record in load_corpus(corpus):
            page = record if corpus in settings.corpora else {**record, "type": ARTICLE}
            samples.add(page, corpus, str(record["site"]), corpus, is_learned=corpus not in settings.evaluated_only)
            records.append(record)
    seeds = [(settings.seed, row) if is_composable(sample) else None for row, sample in enumerate(samples.rows)]
    with ProcessPoolExecutor(run.threads) as pool:
        results = pool.map(read_page, records, seeds, chunksize=CHUNK_PAGES)
        read = list(tqdm(results, total=len(records), desc="markup", disable=None))
    composed = {(name, row): page for row, (_, more) in enumerate(read) for name, page in more.items()}
    return samples, [page for page, _ in read], composed


def is_composable(sample: TypeSample) -> bool:
    """Whether pages for training are composed of a page: of an article that is learned."""
    return sample.is_article and sample.kind in ("", ARTICLE) and sample.is_learned and sample.part != SNAPSHOT


def read_page(record: Record, seed: tuple[int, int] | None) -> tuple[PageMarkup, dict[str, PageMarkup]]:
    """The markup of a page, and with a seed that of a list and of an article composed of it, by type.

    Addresses of the screens are made up and are not used; composed pages have none.
    """
    has_own_address = "family" not in record or record["kind"] == SNAPSHOT
    composed = {}
    for number, name in enumerate(LABELS if seed is not None else ()):
        markup = composed_markup(record["html"], np.random.default_rng([*(seed or ()), number]), is_list=name == LIST)
        if markup is not None:
            composed[name] = _page_markup(markup, None)
    return _page_markup(record["html"], record["url"] if has_own_address else None), composed


def _page_markup(markup: str, url: str | None) -> PageMarkup:
    document = Document(Page(url=url, html=markup))
    return PageMarkup(row_of(FEATURES, dom_features(document))[0], page_tokens(document))


def choose_vocabulary(samples: Samples, tokens: Sequence[set[str]]) -> list[str]:
    """Words of class names and ids that many sites (or, split by page, pages) share. Labels are not used."""
    sites: dict[str, set[str]] = defaultdict(set)
    for sample, words in zip(samples.rows, tokens, strict=True):
        for token in words:
            sites[token].add(sample.site)
    return sorted(token for token, users in sites.items() if len(users) >= (PREFIXED_SITES if ":" in token else WORD_SITES))


def _kind_targets(samples: Samples) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Index into KINDS and weight of each page."""
    kinds = [row.kind or ("article" if row.is_article else "listing") for row in samples.rows]
    weights = [1.0 if row.kind else UNSURE_KIND for row in samples.rows]
    return np.array([KINDS.index(kind) for kind in kinds]), np.array(weights)
