"""Document -> PageType: several models give the probability of `article`; a weighted sum of their logits decides.

Each part of a page is judged by its own model, where the part exists: the boxes by a network over the layout raster, the markup by trees.
The network for screenshots is used for screenshots without boxes only: it reads off the pixels what boxes tell, less well. The model
`pagetype_default_v1` has a set of weights for each combination of parts, so that the score is calibrated in each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.items import ARTICLE, KINDS, LIST, LIST_KINDS, PageType, Type
from webcontent.models import SHIPPED, Model, ModelError, ModelRegistry
from webcontent.pagetype.dom import article_probability, dom_features, page_tokens
from webcontent.pagetype.flags import page_flags
from webcontent.pagetype.layout_raster import CHANNELS, layout_raster, read_boxes
from webcontent.pagetype.measures import row_of
from webcontent.pagetype.screenshot import top_of_page, whole_page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document

DEFAULT_MODEL = "pagetype_default_v1"
PARTS = {"picture": "pagetype_pixels_v1", "layout": "pagetype_layout_v1", "dom": "pagetype_dom_v1"}
"""The model that judges each part of a page; `picture` is the screenshot."""
MAX_LOGIT = 8.0
"""Log-odds of one model are cut to this."""


def classify_document(document: Document, *, model: str | None = None, models: ModelRegistry = SHIPPED) -> PageType:
    """Type, kind, score and flags of a page.

    `model`: name or folder of another model for screenshots or layouts; where its input exists it alone decides the type.
    No page makes it raise. ModelError names the file of a model that is missing or damaged. A page without any content is an article
    with score 0 and the flag `empty`.
    """
    own = models.load(model) if model and model != DEFAULT_MODEL else None
    probabilities, kinds = _part_probabilities(document, models)
    article = _combined(probabilities, models)
    evidence = {PARTS[part]: round(probability, 4) for part, probability in probabilities.items()}
    if own is not None and (own_article := _own_probability(document, own)) is not None:
        article = own_article
        evidence[own.name] = round(own_article, 4)
    page_type: Type = "article" if article is None or article >= 0.5 else "list"
    score = 0.0 if article is None else max(article, 1 - article)
    return PageType(page_type, _likeliest_kind(page_type, kinds), round(score, 4), page_flags(document), evidence)


def load_models(model: str | None = None, *, models: ModelRegistry = SHIPPED) -> None:
    """Checks and opens every model that `classify_document` needs with these arguments, so that a crawl fails before its first page."""
    for name in (*PARTS.values(), DEFAULT_MODEL, *([model] if model else [])):
        opened = models.load(name)
        _ = opened.session  # opens it
        if name == model:
            _input_name(opened)


def reads_screenshots(model: str | None, *, models: ModelRegistry = SHIPPED) -> bool:
    """Whether a model that the user named reads the screenshot of a page that has boxes. Raises ModelError as `load_models` does."""
    return model not in (None, "", DEFAULT_MODEL) and _input_name(models.load(str(model))) != "layout"


def _part_probabilities(document: Document, models: ModelRegistry) -> tuple[dict[str, float], NDArray[np.float32] | None]:
    """Probability of `article` by part, and the probabilities of the kinds where there is markup."""
    probabilities: dict[str, float] = {}
    kinds = None
    for part in ("layout", "picture"):
        network = models.load(PARTS[part])
        if not probabilities and (inputs := _inputs(document, network)) is not None:
            probabilities[part] = _article(network.run(**inputs)[0])
    if len(document.blocks):
        trees = models.load(PARTS["dom"])
        words = row_of(trees.config["vocabulary"], dict.fromkeys(page_tokens(document), 1.0))
        article, by_kind = trees.run(features=np.hstack((row_of(trees.config["features"], dom_features(document)), words)))
        kinds = by_kind[0]
        probabilities["dom"] = article_probability(article[0], kinds)
    return probabilities, kinds


def _inputs(document: Document, network: Model) -> dict[str, NDArray[Any]] | None:
    """The input of a network: `layout`, `strip` (the top of the screenshot) or `picture` (all of it); None where the page lacks it."""
    name, config, value = _input_name(network), network.config, None
    if name == "layout":
        boxes = read_boxes(document.boxes) if document.boxes else None
        if boxes is not None:
            value = np.ascontiguousarray(layout_raster(boxes)[:, [CHANNELS.index(channel) for channel in config["channels"]]])
    elif document.screenshot and name == "strip":
        value = top_of_page(document.screenshot)
    elif document.screenshot:
        value = whole_page(document.screenshot, int(config["size"]), len(config["channels"]))
    return None if value is None else {name: value}


def _article(output: NDArray[np.float32]) -> float:
    """Probability of `article`: trees give one number, networks the probabilities of list and article."""
    return float(np.asarray(output).reshape(-1)[-1])


def _combined(probabilities: dict[str, float], models: ModelRegistry) -> float | None:
    """Calibrated probability of `article` by all parts; None without any."""
    if not probabilities:
        return None
    combiner = models.load(DEFAULT_MODEL)
    parts = combiner.config["parts"]
    present = np.array([[part in probabilities for part in parts]], dtype=np.float32)
    logits = np.array([[logit(probabilities.get(part, 0.5)) for part in parts]], dtype=np.float32)
    return _article(combiner.run(logits=logits, present=present)[0])


def logit(probability: float) -> float:
    """Log-odds, cut to MAX_LOGIT."""
    limit = 1 / (1 + np.exp(-MAX_LOGIT))
    probability = min(max(probability, 1 - limit), limit)
    return float(np.log(probability / (1 - probability)))


def _own_probability(document: Document, network: Model) -> float | None:
    """Calibrated probability of `article` by a model that the user named; None where the page lacks its input."""
    inputs = _inputs(document, network)
    if inputs is None:
        return None
    scale, shift = network.config.get("calibration", (1.0, 0.0))
    return float(1 / (1 + np.exp(-(scale * logit(_article(network.run(**inputs)[0])) + shift))))


def _input_name(network: Model) -> str:
    """The input of a model for screenshots or layouts. Raises ModelError where it has another input, or channels that are not drawn."""
    names = list(network.config.get("inputs", {}))
    if names not in (["picture"], ["strip"], ["layout"]):
        raise ModelError(f"{network.folder} is no page type model: its input is {names!r}; there are picture, strip and layout.")
    channels = network.config.get("channels")
    if names == ["layout"] and not (isinstance(channels, list) and channels and all(name in CHANNELS for name in channels)):
        raise ModelError(f"{network.folder} is no page type model: its channels are {channels!r}; there are {', '.join(CHANNELS)}.")
    return str(names[0])


def _likeliest_kind(page_type: Type, kinds: NDArray[np.float32] | None) -> str:
    """The kind with the highest probability among those of the type."""
    if kinds is None:
        return "article" if page_type == ARTICLE else "listing"
    allowed = [kind for kind in KINDS if (kind in LIST_KINDS) == (page_type == LIST)]
    return max(allowed, key=lambda kind: kinds[KINDS.index(kind)])
