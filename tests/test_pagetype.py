"""Which page is it: models as they ship, pictures and boxes as they come, flags."""

from __future__ import annotations

import io
import json
import shutil
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from webcontent.document.parsing import Document
from webcontent.items import FLAGS, KINDS, Page
from webcontent.models import SHIPPED, ModelError, ModelRegistry
from webcontent.pagetype import DEFAULT_MODEL, classify_document, load_models
from webcontent.pagetype.classify import PARTS
from webcontent.pagetype.dom import FEATURES, dom_features
from webcontent.pagetype.flags import page_flags
from webcontent.pagetype.layout import CHANNELS, COLUMNS, FIGURES, ROWS, box_figures, layout_picture, read_boxes
from webcontent.pagetype.picture import STRIP_COLUMNS, STRIP_ROWS, picture, strip
from webcontent.training.export import read_reference

if TYPE_CHECKING:
    from pathlib import Path

LENET5 = "pagetype_lenet5_v1"
NAMES = [*PARTS.values(), DEFAULT_MODEL, LENET5]
SENTENCE = "The council met on Tuesday evening and agreed on the plan for the harbour, which had been open since the storm of last winter. "
ARTICLE = (
    "<html><head><title>Harbour plan agreed</title></head><body><nav><a href=/>Home</a> <a href=/news>News</a></nav><main><article>"
    "<h1>Harbour plan agreed</h1><p>5 March 2024</p>" + f"<p>{SENTENCE * 3}</p>" * 8 + "</article></main></body></html>"
)
RECORD = (
    "<li class=item><h2><a href=/news/{0}>Story number {0} of the harbour and the long road to it</a></h2><p>An excerpt of it.</p></li>"
)
HELD_BACK = (
    '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script><h1>Harbour plan</h1>'
    "<p>The council met on Tuesday evening and agreed on the plan.</p><p>Subscribe to continue reading.</p>"
)
LISTING = (
    "<html><head><title>News</title></head><body><h1>News</h1><ul>" + "".join(RECORD.format(i) for i in range(25)) + "</ul></body></html>"
)


def document_of(html: bytes | str = "", **page) -> Document:
    return Document(Page(html=html, **page))


def image_bytes(size: tuple[int, int] = (1366, 900), form: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, "white").save(stream, form)
    return stream.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 5000)) + chunk(b"IEND", b"")


def box(path: str, y: int, length: int, *, linked: bool = False, tag: str = "p", font: float = 16) -> list:
    return [path, tag, 200, y, 700, 40, font, 400, "#000", "#fff", length, length, length if linked else 0, int(linked), 0]


ARTICLE_BOXES = [
    box("/html/body/h1", 40, 30, tag="h1", font=32),
    *[box(f"/html/body/div/p[{i}]", 100 + 120 * i, 420) for i in range(1, 14)],
    *[box(f"/html/body/ul/li[{i}]/a", 1900 + 30 * i, 12, linked=True, tag="a") for i in range(1, 5)],
]
LIST_BOXES = [
    row
    for i in range(1, 16)
    for row in (
        box(f"/html/body/div[{i}]/h2/a", 60 + 200 * i, 48, linked=True, tag="a", font=22),
        box(f"/html/body/div[{i}]/p", 110 + 200 * i, 90),
    )
]


@pytest.mark.parametrize("name", NAMES)
def test_models_give_what_they_gave_in_training(name: str):
    """The frozen inputs of reference.json give the frozen outputs to 1e-4."""
    inputs, outputs = read_reference(SHIPPED.find_folder(name))
    found = SHIPPED.load(name).run(**inputs)
    for (output, wanted), values in zip(outputs.items(), found, strict=True):
        assert np.abs(np.asarray(values, float) - wanted).max() < 1e-4, output


@pytest.mark.parametrize("name", NAMES)
def test_models_stay_small(name: str):
    """Each below 10 MB."""
    assert sum(path.stat().st_size for path in SHIPPED.find_folder(name).iterdir()) < 10e6


def test_config_names_the_features_of_the_code():
    """A model and the code that feeds it name the same columns in the same order."""
    assert SHIPPED.load(PARTS["dom"]).config["features"] == list(FEATURES)
    assert SHIPPED.load(PARTS["dom"]).config["kinds"] == list(KINDS)
    assert SHIPPED.load(PARTS["boxes"]).config["features"] == list(FIGURES)
    assert SHIPPED.load(PARTS["layout"]).config["channels"] == list(CHANNELS)
    assert SHIPPED.load(DEFAULT_MODEL).config["parts"] == list(PARTS)


@pytest.mark.parametrize(("html", "wanted"), [(ARTICLE, "article"), (LISTING, "list")], ids=["article", "list"])
def test_markup_alone_tells_article_from_list(html: str, wanted: str):
    """A long text is an article, a run of linked titles a list; the score is a probability."""
    found = classify_document(document_of(html, url="https://example.org/a/b"))
    assert found.type == wanted
    assert 0.5 <= found.score <= 1
    assert found.flags == ()


@pytest.mark.parametrize(("boxes", "wanted"), [(ARTICLE_BOXES, "article"), (LIST_BOXES, "list")], ids=["article", "list"])
def test_boxes_alone_tell_article_from_list(boxes: list, wanted: str):
    """A page of which only the browser's boxes are known has a type."""
    found = classify_document(document_of(boxes=boxes))
    assert found.type == wanted
    assert set(found.evidence) == {PARTS["boxes"], PARTS["layout"]}


def test_evidence_says_what_each_part_said():
    """With boxes and markup three models are heard; the picture is asked where there are no boxes."""
    found = classify_document(document_of(ARTICLE, screenshot=image_bytes(), boxes=ARTICLE_BOXES))
    assert set(found.evidence) == {PARTS["layout"], PARTS["boxes"], PARTS["dom"]}
    assert found.type == "article"
    without = classify_document(document_of(ARTICLE, screenshot=image_bytes()))
    assert set(without.evidence) == {PARTS["picture"], PARTS["dom"]}


def test_page_without_content_has_score_0():
    """Nothing to judge: an article by default, score 0, flag empty."""
    found = classify_document(document_of(b""))
    assert (found.type, found.score, found.flags) == ("article", 0.0, ("empty",))


def test_kind_belongs_to_the_type():
    """A list is a collection or a listing, an article never is."""
    assert classify_document(document_of(ARTICLE)).kind not in ("collection", "listing")
    assert classify_document(document_of(LISTING)).kind in ("collection", "listing")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_pictures_are_read_in_three_formats(form: str):
    """Grey values 0 to 1 in a square."""
    pixels = picture(image_bytes((1366, 3000), form), 224)
    assert pixels is not None
    assert pixels.shape == (1, 1, 224, 224)
    assert pixels.dtype == np.float32
    assert pixels.min() > 0.98


def test_picture_shows_the_whole_page():
    """The upper half black, the lower white: so is the square, whatever the page's height."""
    page = Image.new("L", (512, 3000), 255)
    page.paste(0, (0, 0, 512, 1500))
    stream = io.BytesIO()
    page.save(stream, "PNG")
    pixels = picture(stream.getvalue(), 224)
    assert pixels is not None
    assert pixels[0, 0, :110].max() < 0.02
    assert pixels[0, 0, 114:].min() > 0.98


def test_pictures_may_have_colours():
    """Three channels: red, green, blue; a red page is red."""
    stream = io.BytesIO()
    Image.new("RGB", (300, 500), "red").save(stream, "PNG")
    pixels = picture(stream.getvalue(), 64, channels=3)
    assert pixels is not None
    assert pixels.shape == (1, 3, 64, 64)
    assert pixels[0, 0].min() > 0.98
    assert pixels[0, 1:].max() < 0.02


@pytest.mark.parametrize(("width", "form"), [(512, "JPEG"), (1366, "PNG"), (1366, "JPEG"), (390, "WEBP")])
def test_a_strip_keeps_the_proportions_of_the_page(width: int, form: str):
    """However wide the picture, a mark of 100 x 100 px of a page 512 px wide is as large, and white stands below the page's end."""
    scale = width / 512
    page = Image.new("RGB", (width, round(1000 * scale)), "grey")
    page.paste((0, 0, 0), tuple(round(edge * scale) for edge in (200, 600, 300, 700)))
    stream = io.BytesIO()
    page.save(stream, form)
    pixels = strip(stream.getvalue())
    assert pixels is not None
    assert pixels.shape == (1, 1152, STRIP_COLUMNS, 3)  # 1,000 rows, at least 112 white ones, a multiple of 64
    assert pixels[0, 605:695, 205:295].max() < 40
    assert pixels[0, :595].min() > 90
    assert pixels[0, 1002:].min() == 255


def test_a_strip_shows_the_first_part_of_a_long_page():
    """What lies below 4,096 px of a page 1,366 px wide is cut off."""
    page = Image.new("L", (512, 4000), 255)
    page.paste(0, (0, STRIP_ROWS, 512, 4000))
    stream = io.BytesIO()
    page.save(stream, "PNG")
    pixels = strip(stream.getvalue())
    assert pixels is not None
    assert pixels.shape[1] == STRIP_ROWS
    assert pixels.min() == 255


@pytest.mark.parametrize(
    "screenshot",
    [
        b"",
        b"not a picture",
        b"GIF89a" + b"\0" * 100,
        image_bytes()[:300],
        image_bytes(form="JPEG")[:700],
        image_bytes(form="WEBP")[:40],
        png_that_claims(60_000, 60_000),
        png_that_claims(0, 10),
        b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>",
        b"%PDF-1.4",
    ],
    ids=["nothing", "text", "gif", "cut png", "cut jpeg", "cut webp", "bomb", "no width", "svg", "pdf"],
)
def test_a_bad_screenshot_gives_no_picture_score(screenshot: bytes):
    """What can't be decoded is left out; the rest of the page decides."""
    assert picture(screenshot, 224) is None
    assert strip(screenshot) is None
    found = classify_document(document_of(ARTICLE, screenshot=screenshot))
    assert set(found.evidence) == {PARTS["dom"]}
    assert found.type == "article"


@pytest.mark.parametrize(
    "boxes",
    [
        [],
        [[]],
        [None, 3, "text", {}],
        [["/html", "p"]],
        [["/html", "p", *[float("nan")] * 13]],
        [["/html", "p", *["x"] * 13]],
        [[None, None, *[float("inf")] * 13]],
    ],
    ids=["none", "empty row", "no rows", "short", "nan", "text", "infinite"],
)
def test_bad_boxes_are_left_out(boxes: list):
    """A table without one good row is no table."""
    assert read_boxes(boxes) is None
    assert set(classify_document(document_of(ARTICLE, boxes=boxes)).evidence) == {PARTS["dom"]}


def test_wild_boxes_give_finite_figures():
    """Negative, huge and zero sizes: figures and picture stay finite and of their shape."""
    numbers = np.random.default_rng(0).choice([-1e9, -5, 0, 3, 1e12], (200, 13))
    boxes = read_boxes([[f"/p[{i}]", "p", *row.tolist()] for i, row in enumerate(numbers)])
    assert boxes is not None
    assert np.isfinite(box_figures(boxes)).all()
    drawn = layout_picture(boxes)
    assert drawn.shape == (1, len(CHANNELS), ROWS, COLUMNS)
    assert np.isfinite(drawn).all()


def test_layout_picture_shows_where_text_and_links_are():
    """A plain box above a linked one: text in both places, links in the second only."""
    boxes = read_boxes([box("/p[1]", 0, 100), box("/p[2]", 400, 100, linked=True)])
    assert boxes is not None
    text, link = layout_picture(boxes)[0, :2]
    assert text[0, 20] > 0.9
    assert text[19, 20] > 0.9
    assert link[0, 20] == 0
    assert link[19, 20] > 0.9
    assert text[100].max() == 0


def test_the_head_of_a_record_is_no_page_header():
    """Titles in <article><header> break a run of text like others."""
    record = "<article><header><h2><a href=/a>A linked title of some words</a></h2></header><p>An excerpt of eight words stands below.</p></article>"
    figures = dict(zip(FEATURES, dom_features(document_of(record * 6))[0], strict=True))
    assert figures["main_run"] < np.log1p(20)


def test_dom_figures_are_finite_for_odd_pages():
    """No text, one word, only links, broken addresses: always the same columns, always finite."""
    for html in ("", "x", "<a href=x>link</a>" * 300, "<h1></h1><table>", "<template>x</template>"):
        for url in (None, "http://[", "https://example.org/%zz?a=1"):
            figures = dom_features(document_of(html, url=url), ["post", "meta:author"])
            assert figures.shape == (1, len(FEATURES) + 2)
            assert np.isfinite(figures).all()


@pytest.mark.parametrize(
    ("html", "status", "flags"),
    [
        (ARTICLE, 200, ()),
        (LISTING, 200, ()),
        (ARTICLE, 404, ("error-page",)),
        ("<title>404 Not Found</title><h1>Not Found</h1><p>The page that you asked for is not here any more.", 200, ("error-page",)),
        ("<title>出错了</title><h1>您访问的页面不存在</h1><p>请返回首页。", 200, ("error-page",)),
        ("<title>Sign in</title><h1>Sign in</h1><form><input name=user><input type=password></form>", 200, ("login",)),
        ("<title>用户登录</title><form>用户名<input>密码<input type=password><button>登录</button></form>", 200, ("login",)),
        ("<title>Just a moment...</title><h1>example.org</h1><p>Checking your browser before you access the site.", 200, ("robot-check",)),
        ("<title>安全验证</title><p>请完成下方验证后继续访问，拖动滑块完成拼图。", 200, ("robot-check",)),
        ("<title>Before you continue</title><p>Before you continue, our partners ask for consent to cookies.<p>Accept cookies", 200,
         ("consent-wall",)),
        ('<title>App</title><div id="root"></div><script src="/main.js"></script><noscript>You need JavaScript.</noscript>', 200,
         ("empty", "not-rendered")),
        (HELD_BACK, 200, ("paywall",)),
    ],
    ids=["article", "list", "status", "not found", "不存在", "sign in", "登录", "moment", "验证", "consent", "shell", "paywall"],
)  # fmt: skip
def test_flags_name_what_is_no_normal_page(html: str, status: int, flags: tuple[str, ...]):
    """Walls, checks, errors, shells; a normal page has none."""
    found = page_flags(document_of(html, status=status))
    assert found == flags
    assert set(found) <= set(FLAGS)


@pytest.mark.parametrize(
    "text",
    [
        "404 ways to cook rice",
        "Why you must sign in to read the news",
        "Are you a robot? The question that made a career",
        "页面不存在的年代",
    ],
)
def test_an_article_about_such_pages_is_a_normal_page(text: str):
    """What a title says counts only where there is hardly any text below it."""
    assert page_flags(document_of(ARTICLE.replace("Harbour plan agreed", text))) == ()


def copied_models(folder: Path) -> Path:
    for name in NAMES:
        shutil.copytree(SHIPPED.find_folder(name), folder / name)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_or_damaged_model_is_named(name: str, tmp_path: Path):
    """The error names the file, before a page is judged."""
    models = copied_models(tmp_path / "models")
    (models / name / "model.onnx").write_bytes(b"damaged")
    with pytest.raises(ModelError, match=rf"{name}.model\.onnx is damaged"):
        load_models(LENET5, models=ModelRegistry(models))


def test_a_named_model_decides_alone_where_its_input_exists():
    """`model` names the paper's network: with a screenshot it decides, without one the default does."""
    found = classify_document(document_of(LISTING, screenshot=image_bytes()), model=LENET5)
    assert found.type == ("article" if found.evidence[LENET5] >= 0.5 else "list")
    assert found.score == pytest.approx(max(found.evidence[LENET5], 1 - found.evidence[LENET5]), abs=1e-3)
    assert classify_document(document_of(LISTING), model=LENET5).type == "list"


def test_a_named_model_may_be_a_folder(tmp_path: Path):
    """A user's own model is given by its path."""
    own = shutil.copytree(SHIPPED.find_folder(PARTS["layout"]), tmp_path / "mine")
    found = classify_document(document_of(ARTICLE, boxes=ARTICLE_BOXES), model=str(own))
    assert "mine" in found.evidence


def test_a_model_of_another_sort_is_refused():
    """A folder whose model takes neither a picture nor a layout is no page type model; the message names it."""
    with pytest.raises(ModelError, match="pagetype_dom_v1 is no page type model"):
        load_models(model=str(SHIPPED.find_folder(PARTS["dom"])))


def test_a_layout_model_names_channels_that_are_drawn(tmp_path: Path):
    """Fewer channels than today's are picked by name; one that nobody draws is refused before the first page."""
    folder = tmp_path / "own"
    shutil.copytree(SHIPPED.find_folder(PARTS["layout"]), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "channels": ["text", "smell"]}))
    with pytest.raises(ModelError, match="own is no page type model: of its layout's channels"):
        load_models(str(folder))


def test_the_figures_of_the_card_are_those_of_the_config():
    """Cards are written by the run: the accuracy in the text stands in config.json."""
    for name in (PARTS["boxes"], PARTS["dom"]):
        folder = SHIPPED.find_folder(name)
        figures = json.loads((folder / "config.json").read_text(encoding="utf-8"))["figures"]
        assert f"{figures['accuracy']:.3f}" in (folder / "CARD.md").read_text(encoding="utf-8")
        assert 0.9 < figures["accuracy"] < 1
