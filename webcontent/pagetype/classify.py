"""Document -> PageType: each model says how likely the page is an article; the weighted sum of what they say decides.

A part is asked only where its input exists: the layout network and the box forest for boxes, the DOM forest for markup. The picture
network is asked for a screenshot that came without boxes: it reads off the pixels what boxes say, less well. The model
`pagetype_default_v1` holds one set of weights for each combination of parts, so that the score is calibrated in each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.items import ARTICLE, KINDS, LIST, LIST_KINDS, PageType, Type
from webcontent.models import SHIPPED, Model, ModelError, ModelRegistry
from webcontent.pagetype.dom import article_probability, dom_features
from webcontent.pagetype.flags import page_flags
from webcontent.pagetype.layout import CHANNELS, box_figures, layout_picture, read_boxes
from webcontent.pagetype.picture import picture, strip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.pagetype.layout import Boxes

DEFAULT_MODEL = "pagetype_default_v1"
PARTS = {"picture": "pagetype_pixels_v1", "layout": "pagetype_layout_v1", "boxes": "pagetype_boxes_v1", "dom": "pagetype_dom_v1"}
"""What a page can be judged by, and the model that does it."""
MAX_LOGIT = 8.0
"""No single model is believed beyond this."""


def classify_document(document: Document, *, model: str | None = None, models: ModelRegistry = SHIPPED) -> PageType:
    """Type, kind, score and flags of a page.

    `model`: name or folder of another picture or layout model; where its input exists it alone decides the type.
    Nothing on a page makes it raise; ModelError names the file of a model that is missing or damaged. A page without any content is an
    article with score 0 and the flag `empty`.
    """
    own = models.load(model) if model and model != DEFAULT_MODEL else None
    said, kinds = _ask(document, models)
    article = _combined(said, models)
    evidence = {PARTS[part]: round(probability, 4) for part, probability in said.items()}
    if own is not None and (answer := _ask_own(document, own)) is not None:
        article = answer
        evidence[own.name] = round(answer, 4)
    page_type: Type = "article" if article is None or article >= 0.5 else "list"
    score = 0.0 if article is None else max(article, 1 - article)
    return PageType(page_type, _kind(page_type, kinds), round(score, 4), page_flags(document), evidence)


def load_models(model: str | None = None, *, models: ModelRegistry = SHIPPED) -> None:
    """Checks and opens every model that `classify_document` needs with these arguments, so that a crawl fails before its first page."""
    for name in (*PARTS.values(), DEFAULT_MODEL, *([model] if model else [])):
        opened = models.load(name)
        opened.session  # noqa: B018  (opens it)
        if name == model:
            _check_input(opened)


def _ask(document: Document, models: ModelRegistry) -> tuple[dict[str, float], NDArray[np.float32] | None]:
    """Probability of `article` by part, and those of the kinds where there is markup."""
    said: dict[str, float] = {}
    kinds = None
    boxes = read_boxes(document.boxes) if document.boxes else None
    if boxes is not None:
        network = models.load(PARTS["layout"])
        said["layout"] = _article(network.run(layout=_layout(boxes, network))[0])
        said["boxes"] = _article(models.load(PARTS["boxes"]).run(features=box_figures(boxes))[0])
    elif document.screenshot:
        network = models.load(PARTS["picture"])
        if (pixels := _pixels(document.screenshot, network)) is not None:
            said["picture"] = _article(network.run(**pixels)[0])
    if len(document.blocks):
        forest = models.load(PARTS["dom"])
        article, by_kind = forest.run(features=dom_features(document, forest.config["vocabulary"]))
        kinds = by_kind[0]
        said["dom"] = article_probability(article[0], kinds)
    return said, kinds


def _article(output: NDArray[np.float32]) -> float:
    """Probability of `article`: a forest gives it as it is, a network as the second of two."""
    return float(np.asarray(output).reshape(-1)[-1])


def _combined(said: dict[str, float], models: ModelRegistry) -> float | None:
    if not said:
        return None
    combiner = models.load(DEFAULT_MODEL)
    parts = combiner.config["parts"]
    present = np.array([[part in said for part in parts]], dtype=np.float32)
    logits = np.array([[logit(said.get(part, 0.5)) for part in parts]], dtype=np.float32)
    return _article(combiner.run(logits=logits, present=present)[0])


def logit(probability: float) -> float:
    """Log-odds, kept within what one model is believed."""
    limit = 1 / (1 + np.exp(-MAX_LOGIT))
    probability = min(max(probability, 1 - limit), limit)
    return float(np.log(probability / (1 - probability)))


def _ask_own(document: Document, network: Model) -> float | None:
    """Calibrated probability of `article` by a model that the user named; None where the page lacks its input."""
    inputs: dict[str, NDArray[Any]] | None = None
    if _check_input(network) == "layout":
        boxes = read_boxes(document.boxes) if document.boxes else None
        inputs = None if boxes is None else {"layout": _layout(boxes, network)}
    elif document.screenshot:
        inputs = _pixels(document.screenshot, network)
    if inputs is None:
        return None
    scale, shift = network.config.get("calibration", (1.0, 0.0))
    return float(1 / (1 + np.exp(-(scale * logit(_article(network.run(**inputs)[0])) + shift))))


def _layout(boxes: Boxes, network: Model) -> NDArray[np.float32]:
    """The channels that a network sees, by the names in its config: those of the first networks were fewer."""
    wanted = [CHANNELS.index(name) for name in network.config["channels"]]
    return np.ascontiguousarray(layout_picture(boxes)[:, wanted])


def _pixels(screenshot: bytes, network: Model) -> dict[str, NDArray[Any]] | None:
    """A screenshot as a network takes it: a `strip` of the page as wide as it is, or the whole page in a square `picture`."""
    name = _check_input(network)
    if name == "strip":
        pixels: NDArray[Any] | None = strip(screenshot)
    else:
        pixels = picture(screenshot, int(network.config.get("size", 224)), len(network.config.get("channels", ("grey",))))
    return None if pixels is None else {name: pixels}


def _check_input(network: Model) -> str:
    """The one input of a picture or layout model; ModelError names the model when it has another, or channels that nobody draws."""
    names = list(network.config.get("inputs", {}))
    if names not in (["picture"], ["strip"], ["layout"]):
        raise ModelError(f"{network.folder} is no page type model: its input is {names!r}; there are picture, strip and layout.")
    channels = network.config.get("channels")
    if names == ["layout"] and not (isinstance(channels, list) and channels and all(name in CHANNELS for name in channels)):
        raise ModelError(f"{network.folder} is no page type model: of its layout's channels there are only {', '.join(CHANNELS)}.")
    return str(names[0])


def _kind(page_type: Type, kinds: NDArray[np.float32] | None) -> str:
    """The likeliest kind of those that belong to the type."""
    if kinds is None:
        return "article" if page_type == ARTICLE else "listing"
    allowed = [kind for kind in KINDS if (kind in LIST_KINDS) == (page_type == LIST)]
    return max(allowed, key=lambda kind: kinds[KINDS.index(kind)])
