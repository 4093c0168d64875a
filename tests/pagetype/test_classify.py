"""The type of a page, by the models that the package ships and by a user's own."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.pagetype.pages import ARTICLE, ARTICLE_BOXES, BAD_BOXES, BAD_SCREENSHOTS, LIST_BOXES, LISTING, document_of, image_bytes
from tests.references import read_reference
from webcontent.items import KINDS
from webcontent.models import SHIPPED, ModelError, ModelRegistry
from webcontent.pagetype.classify import DEFAULT_MODEL, PARTS, classify_document, load_models, logit
from webcontent.pagetype.dom import dom_features
from webcontent.pagetype.layout_raster import CHANNELS

if TYPE_CHECKING:
    from pathlib import Path

LENET5 = "pagetype_lenet5_v1"
NAMES = [*PARTS.values(), DEFAULT_MODEL, LENET5]


@pytest.mark.parametrize("name", NAMES)
def test_models_give_the_outputs_of_their_training(name: str):
    """The frozen inputs of reference.json give the frozen outputs to 1e-4."""
    inputs, outputs = read_reference(SHIPPED.find_folder(name))
    computed = SHIPPED.load(name).run(**inputs)
    for (output, wanted), values in zip(outputs.items(), computed, strict=True):
        assert np.abs(np.asarray(values, float) - wanted).max() < 1e-4, output


@pytest.mark.parametrize("name", NAMES)
def test_models_stay_small(name: str):
    """Each below 10 MB."""
    assert sum(path.stat().st_size for path in SHIPPED.find_folder(name).iterdir()) < 10e6


def test_config_names_the_features_of_the_code():
    """Each column that the model names is made."""
    assert set(SHIPPED.load(PARTS["dom"]).config["features"]) == set(dom_features(document_of(ARTICLE)))
    assert SHIPPED.load(PARTS["dom"]).config["kinds"] == list(KINDS)
    assert SHIPPED.load(PARTS["layout"]).config["channels"] == list(CHANNELS)
    assert SHIPPED.load(DEFAULT_MODEL).config["parts"] == list(PARTS)


@pytest.mark.parametrize(("html", "wanted"), [(ARTICLE, "article"), (LISTING, "list")], ids=["article", "list"])
def test_markup_alone_tells_article_from_list(html: str, wanted: str):
    """A long text is an article, a sequence of linked titles a list; the score is a probability."""
    page_type = classify_document(document_of(html, url="https://example.org/a/b"))
    assert page_type.type == wanted
    assert 0.5 <= page_type.score <= 1
    assert page_type.flags == ()


@pytest.mark.parametrize(("boxes", "wanted"), [(ARTICLE_BOXES, "article"), (LIST_BOXES, "list")], ids=["article", "list"])
def test_boxes_alone_tell_article_from_list(boxes: list, wanted: str):
    """A page has a type when only its boxes are known."""
    page_type = classify_document(document_of(boxes=boxes))
    assert page_type.type == wanted
    assert set(page_type.evidence) == {PARTS["layout"]}


def test_evidence_has_the_probability_of_each_part():
    """With boxes and markup two models are used; the screenshot is used where there are no boxes."""
    page_type = classify_document(document_of(ARTICLE, screenshot=image_bytes(), boxes=ARTICLE_BOXES))
    assert set(page_type.evidence) == {PARTS["layout"], PARTS["dom"]}
    assert page_type.type == "article"
    without = classify_document(document_of(ARTICLE, screenshot=image_bytes()))
    assert set(without.evidence) == {PARTS["picture"], PARTS["dom"]}


def test_page_without_content_has_score_0():
    """It is an article by default, with score 0 and the flag empty."""
    page_type = classify_document(document_of(b""))
    assert (page_type.type, page_type.score, page_type.flags) == ("article", 0.0, ("empty",))


def test_kind_belongs_to_the_type():
    """A list is a collection or a listing; an article is neither."""
    assert classify_document(document_of(ARTICLE)).kind not in ("collection", "listing")
    assert classify_document(document_of(LISTING)).kind in ("collection", "listing")


@pytest.mark.parametrize("screenshot", BAD_SCREENSHOTS.values(), ids=BAD_SCREENSHOTS)
def test_a_bad_screenshot_is_left_out(screenshot: bytes):
    """The rest of the page decides."""
    page_type = classify_document(document_of(ARTICLE, screenshot=screenshot))
    assert set(page_type.evidence) == {PARTS["dom"]}
    assert page_type.type == "article"


@pytest.mark.parametrize("boxes", BAD_BOXES.values(), ids=BAD_BOXES)
def test_bad_boxes_are_left_out(boxes: list):
    """The rest of the page decides."""
    assert set(classify_document(document_of(ARTICLE, boxes=boxes)).evidence) == {PARTS["dom"]}


@pytest.mark.parametrize(("probability", "odds"), [(0.5, 0.0), (0.9, 2.1972), (0.0, -8), (1.0, 8)])
def test_log_odds_are_finite(probability: float, odds: float):
    """They are cut, so that no model decides alone."""
    assert logit(probability) == pytest.approx(odds, abs=1e-3)


def copied_models(folder: Path) -> Path:
    for name in NAMES:
        shutil.copytree(SHIPPED.find_folder(name), folder / name)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_or_damaged_model_is_named(name: str, tmp_path: Path):
    """The error names the file, before the first page is classified."""
    models = copied_models(tmp_path / "models")
    (models / name / "model.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelError, match=rf"{name}.model\.onnx is damaged"):
        load_models(LENET5, models=ModelRegistry(models))


def test_a_named_model_decides_alone_where_its_input_exists():
    """With a screenshot the network of the paper decides, without one the default model."""
    page_type = classify_document(document_of(LISTING, screenshot=image_bytes()), model=LENET5)
    assert page_type.type == ("article" if page_type.evidence[LENET5] >= 0.5 else "list")
    assert page_type.score == pytest.approx(max(page_type.evidence[LENET5], 1 - page_type.evidence[LENET5]), abs=1e-3)
    assert classify_document(document_of(LISTING), model=LENET5).type == "list"


def test_a_named_model_may_be_a_folder(tmp_path: Path):
    """A user's own model is given by its path."""
    own = shutil.copytree(SHIPPED.find_folder(PARTS["layout"]), tmp_path / "mine")
    page_type = classify_document(document_of(ARTICLE, boxes=ARTICLE_BOXES), model=str(own))
    assert "mine" in page_type.evidence


def test_a_model_with_another_input_is_refused():
    """A page type model takes a screenshot or a layout raster; the message names the model."""
    with pytest.raises(ModelError, match="pagetype_dom_v1 is no page type model"):
        load_models(model=str(SHIPPED.find_folder(PARTS["dom"])))


def test_a_layout_model_has_channels_that_are_drawn(tmp_path: Path):
    """Channels are chosen by name; one that is not drawn is refused before the first page."""
    folder = tmp_path / "own"
    shutil.copytree(SHIPPED.find_folder(PARTS["layout"]), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "channels": ["text", "smell"]}))
    with pytest.raises(ModelError, match=r"own is no page type model: its channels are \['text', 'smell'\]"):
        load_models(str(folder))


def test_the_metrics_of_the_card_are_those_of_the_config():
    """Training writes both."""
    folder = SHIPPED.find_folder(PARTS["dom"])
    metrics = json.loads((folder / "config.json").read_text(encoding="utf-8"))["metrics"]
    assert f"{metrics['accuracy']:.3f}" in (folder / "CARD.md").read_text(encoding="utf-8")
    assert 0.9 < metrics["accuracy"] < 1
