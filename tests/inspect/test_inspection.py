"""What `scrapy inspect` shows: where each value came from, what other extractors give, and nothing that the page could run."""

from __future__ import annotations

import base64
import json
import re
import time
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from tests.crawl.crawls import TEXTS
from webcontent.crawl.rendering.browser import find_browser
from webcontent.document.features import FEATURES, features
from webcontent.inspect.diff import MAX_LINES, align, matches
from webcontent.inspect.html import html
from webcontent.inspect.inspection import COLORS, Inspection, Rectangle, inspect_page, union
from webcontent.inspect.markup import tag
from webcontent.inspect.png import HEADER_PX, png
from webcontent.items import Page
from webcontent.pipeline import Options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webcontent.extraction import Extraction

HOSTILE = "</script></title></style><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"' onmouseover=window.hacked=3 \u2028"
LINKS = ("Ferry stays in the harbour", "Winter timetable printed", "Market moves to the square")
NAV, TITLE, TIME, FIRST = 0, 3, 4, 5
"""Blocks of the page below."""


def make_page(
    title: str = "The bridge opens in May", *, drawn: bool = True, url: str | None = "https://news.example.org/2024/bridge.html"
) -> Page:
    """A story with boxes and a picture as a browser would give them."""
    shown = title.replace("&", "&amp;").replace("<", "&lt;")
    quoted = shown.replace('"', "&quot;")
    nav = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("News", "Sport", "Weather"))
    body = "".join(f"<p>{text}</p>" for text in TEXTS)
    related = "".join(f'<li><a href="/{n}.html">{text}</a></li>' for n, text in enumerate(LINKS))
    source = (
        f'<html><head><title>{shown} - The Example</title><meta property="og:title" content="{quoted}"></head><body><nav><ul>{nav}</ul></nav>'
        f'<article><h1>{shown}</h1><time datetime="2024-03-05T14:22">5 March 2024, 14:22</time><div>{body}</div></article>'
        f"<aside><h2>Related stories</h2><ul>{related}</ul></aside></body></html>"
    )
    if not drawn:
        return Page(url=url, html=source)
    paths = [
        *(f"/html/body/nav/ul/li[{n}]/a" for n in (1, 2, 3)),
        "/html/body/article/h1",
        "/html/body/article/time",
        *(f"/html/body/article/div/p[{n}]" for n in range(1, len(TEXTS) + 1)),
        "/html/body/aside/h2",
        *(f"/html/body/aside/ul/li[{n}]/a" for n in range(1, len(LINKS) + 1)),
    ]
    rows = [
        [path, path.rpartition("/")[2].split("[")[0], 20, 20 + 60 * n, 600, 40, 16, 400, "#000000", "#ffffff", 9, 9, 0, 0, 0]
        for n, path in enumerate(paths)
    ]
    written = BytesIO()
    Image.new("RGB", (1366, 900), "white").save(written, "PNG")
    return Page(url=url, html=source, boxes=rows, screenshot=written.getvalue(), fetched_at="2024-03-06T08:00:00+00:00")


@pytest.fixture(scope="module")
def options() -> Options:
    return Options(extractors={"broken": "tests.inspect.test_inspection:Broken"}, evidence=True)


@pytest.fixture(scope="module")
def inspection(options: Options) -> Inspection:
    return inspect_page(make_page(), options, ["awce", "broken"])


class Broken:
    """An extractor of a user's that fails on every page."""

    name = "broken"
    needs: frozenset[str] = frozenset()

    def __call__(self, document: Any) -> Extraction:
        raise RuntimeError("no answer today")


# What is found


def test_every_stage_has_its_time(inspection: Inspection):
    """In the order of a page's life, without the time that opening the models takes."""
    assert list(inspection.stages) == ["reading", "blocks", "page type", "extraction", "fields"]
    assert all(ms > 0 for ms in inspection.stages.values())


def test_a_reference_page_is_another_page_of_the_site(options: Options):
    """For extractors that look at two pages; without one they say so."""
    alone = inspect_page(make_page(), options, ["ngfv"]).answers[1]
    other = make_page("A tunnel under the hill", url="https://news.example.org/2024/tunnel.html")
    other.html = str(other.html).replace(
        TEXTS[0], "Quite another text about the tunnel, which nobody wanted to have built in this way or that."
    )
    other.html = other.html.replace(
        TEXTS[1], "And a second one, that says who will have to pay for it, and until when, and out of which purse."
    )
    found = inspect_page(make_page(), options, ["ngfv"], other)
    assert "no-reference-page" in alone.item.flags
    assert found.answers[1].error == ""


def test_the_item_is_that_of_a_crawl(inspection: Inspection):
    """With all its evidence."""
    assert (inspection.item.title, inspection.item.time) == ("The bridge opens in May", "2024-03-05T14:22")
    assert inspection.item.body.splitlines() == list(TEXTS)
    assert inspection.item.evidence["title"][0].xpath == "/html/body/article/h1"


def test_blocks_bear_the_fields_that_came_from_them(inspection: Inspection):
    """Title, time and related links are no noise, though no body either."""
    labels = dict(zip(inspection.document.blocks.texts, inspection.labels, strict=True))
    assert labels["The bridge opens in May"] == "title"
    assert labels["5 March 2024, 14:22"] == "time"
    assert {labels[text] for text in TEXTS} == {"body"}
    assert {labels[text] for text in LINKS} == {"related"}
    assert labels["News"] == "noise"


def test_a_line_beside_the_author_is_not_the_author(options: Options):
    """Lines of one element, parted by <br>, are told apart by what they say."""
    page = make_page(drawn=False)
    byline = '<div class="meta"><span itemprop="author">Ann Lee</span><br>Phone 12345<br>Fax 67890</div><div>'
    page.html = str(page.html).replace("<div>", byline, 1)
    found = inspect_page(page, options)
    labels = dict(zip(found.document.blocks.texts, found.labels, strict=True))
    assert found.item.authors == ["Ann Lee"]
    assert (labels["Ann Lee"], labels["Phone 12345"], labels["Fax 67890"]) == ("authors", "noise", "noise")


def test_a_place_is_blocks_and_a_rectangle(inspection: Inspection):
    """Of an element, of one that holds others, and of one inside a block."""
    assert inspection.place("/html/body/article/h1").blocks == (TITLE,)
    assert inspection.place("/html/body/article/h1").rectangle == Rectangle(20, 200, 600, 40)
    whole = inspection.place("/html/body/article/div")
    assert whole.blocks == tuple(range(FIRST, FIRST + len(TEXTS)))
    assert whole.rectangle == Rectangle(20, 320, 600, 60 * len(TEXTS) - 20)
    assert inspection.place("/html/body/article/h1/span/b").blocks == (TITLE,)
    assert inspection.place("/html/head/meta") == inspection.place(None)


def test_boxes_inside_boxes_of_the_same_block_are_one(options: Options):
    """A bold word has a box of its own in the browser's table."""
    page = make_page()
    assert page.boxes is not None
    page.boxes.append(["/html/body/article/h1/b", "b", 30, 205, 100, 30, 16, 700, "#000000", "#ffffff", 5, 5, 0, 0, 0])
    found = inspect_page(page, options)
    assert [box.rectangle for box in found.text_boxes if TITLE in box.blocks] == [Rectangle(20, 200, 600, 40)]


@pytest.mark.parametrize(
    "rows",
    [
        [[]],
        [["/html"]],
        [["/html", "p", "a", "b", "c", "d", 0, 0, "", "", 5, 5, 0, 0, 0]],
        [["/html", "p", float("nan"), 1, 1, 1, 16, 400, "", "", 5, 5, 0, 0, 0]],
        [["/html", "p", 1, 1, float("inf"), 1, 16, 400, "", "", 5, 5, 0, 0, 0]],
        [[None] * 15],
    ],
)
def test_damaged_boxes_are_left_out(options: Options, rows: list[list[Any]]):
    """They come from a page, or from a file that a user edited."""
    page = make_page()
    page.boxes = rows
    found = inspect_page(page, options)
    assert found.text_boxes == []
    assert html(found)


def test_a_failing_extractor_is_something_to_look_at(inspection: Inspection):
    """The item is made without it, and the view says what it raised."""
    broken = inspection.answers[2]
    assert broken.error == "RuntimeError: no answer today"
    assert broken.item.title == "The bridge opens in May"
    assert "RuntimeError: no answer today" in html(inspection)


def test_visual_blocks_come_level_by_level(inspection: Inspection):
    """Each level covers the same text, in finer parts, with the label of most of it."""
    levels = inspection.visual_levels
    assert levels
    assert all(len(one) < len(other) for one, other in pairwise(levels))
    for level in levels:
        assert {block for area in level for block in area.blocks} == set(range(len(inspection.labels)))
    stories = [area for area in levels[-1] if FIRST in area.blocks]
    assert {area.label for area in stories} == {"body"}
    assert all(1 <= area.doc <= 10 for area in stories)


def test_the_union_of_rectangles():
    assert union([Rectangle(1, 2, 3, 4), Rectangle(0, 5, 2, 9)]) == Rectangle(0, 2, 4, 12)
    assert union([]) is None


# The comparison of bodies


@pytest.mark.parametrize(
    ("bodies", "rows"),
    [
        ([["a", "b"], ["a", "b"]], [["a", "a"], ["b", "b"]]),
        ([["a", "c"], ["a", "b", "c"]], [["a", "a"], [None, "b"], ["c", "c"]]),
        ([[], ["a"]], [[None, "a"]]),
        ([["x", "a"], ["y", "a"]], [["x", None], [None, "y"], ["a", "a"]]),
        ([["a", "a", "b"], ["a", "b"]], [["a", None], ["a", "a"], ["b", "b"]]),
        ([["a"], ["b"], ["a", "b"]], [["a", None, "a"], [None, "b", "b"]]),
        ([["It’s  a “line”."], ['Its a "line".']], [["It’s  a “line”.", 'Its a "line".']]),
        ([["***"], ["* * *"], ["---"]], [["***", "* * *", None], [None, None, "---"]]),
    ],
)
def test_equal_lines_stand_in_one_row(bodies: list[list[str]], rows: list[list[str | None]]):
    """Whatever their blanks and quotes; the order of each body is kept."""
    assert align(bodies) == rows


def test_every_line_is_shown_once_and_in_order():
    """On texts that repeat and are shuffled, too."""
    generator = np.random.default_rng(5)
    for _ in range(50):
        bodies = [[f"line {n}" for n in generator.integers(0, 12, 30)] for _ in range(3)]
        rows = align(bodies)
        for column, body in enumerate(bodies):
            assert [row[column] for row in rows if row[column] is not None] == body


def test_matches_increase_on_both_sides():
    generator = np.random.default_rng(6)
    for _ in range(100):
        left, right = ([str(n) for n in generator.integers(0, 8, 20)] for _ in range(2))
        pairs = matches(left, right)
        assert all(left[i] == right[j] for i, j in pairs)
        assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(pairs))


def test_bodies_without_end_are_cut():
    assert len(align([["line"] * (MAX_LINES + 500)])) == MAX_LINES


# The picture


def test_the_picture_bears_colours_and_scores(inspection: Inspection):
    """A header above the page, its blocks in the colours of their labels."""
    with Image.open(BytesIO(png(inspection))) as picture:
        assert picture.size == (1366, 900 + HEADER_PX)
        drawn = {color for _, color in picture.crop((0, HEADER_PX, 1366, 900)).getcolors(1_000_000)}
        sign = picture.crop((621, HEADER_PX + 320, 660, HEADER_PX + 340)).getcolors(1_000_000)
    assert {bytes.fromhex(COLORS[label][1:]) for label in ("title", "time", "body")} <= {bytes(color) for color in drawn}
    assert len(sign) > 2  # the first paragraph's score beside its box


def test_a_screenshot_that_is_none_is_said(options: Options):
    """Not a traceback of the picture library."""
    page = make_page()
    page.screenshot = b"\x89PNG not a picture"
    with pytest.raises(ValueError, match="the screenshot can't be read"):
        png(inspect_page(page, options))


# The file


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert found
    return json.loads(found[1])


def test_all_text_is_escaped():
    """What is no markup of ours is text."""
    assert tag("p", "<b>", class_='"') == '<p class="&quot;">&lt;b&gt;</p>'
    assert tag("p", tag("b", "1 < 2"), None, hidden=False, data_b=0) == '<p data-b="0"><b>1 &lt; 2</b></p>'


def test_the_file_names_what_may_run(inspection: Inspection):
    """One script and one style sheet by their digests, pictures that it brings along, nothing else."""
    text = html(inspection)
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src &#x27;none&#x27;; img-src data:; script-src &#x27;sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r"\s(?:src|href)=\"(?!data:image/png;base64,)", text)
    assert not re.search(r"<[^>]*\son[a-z]+=", text.replace(text[text.rindex("<script>") :], ""))


def test_features_are_those_of_the_document(inspection: Inspection):
    """By name and value, a row a block."""
    data = data_of(html(inspection))
    values = np.frombuffer(base64.b64decode(data["values"]), "<f4").reshape(-1, len(data["features"]))
    assert data["features"] == list(FEATURES)
    assert np.array_equal(values, features(inspection.document))


def test_hostile_text_stays_text(options: Options):
    """In the head, the fields, the blocks and the data of the script."""
    text = html(inspect_page(make_page(HOSTILE, url="javascript:alert('x')//<script>"), options, ["awce"]))
    assert text.count("<script>") == 1
    assert text.count("<script ") == 1
    assert text.count("</script>") == 2
    assert "<img src=x" not in text
    data_of(text)


@pytest.mark.parametrize(
    "source", [b"", b"<p>", "<p>\ud800</p>", b"\x00\xff\xfe", "<p>a" * 3000], ids=["empty", "blank", "surrogate", "bytes", "many"]
)
def test_any_page_gives_a_file(options: Options, source: str | bytes):
    """Whatever came in."""
    text = html(inspect_page(Page(html=source), options, ["awce"]))
    assert text.endswith("</html>\n")
    data_of(text)


# In the browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium that scripts of this module's files run in."""
    from playwright.sync_api import sync_playwright

    found = find_browser(None)
    assert found is not None
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=found.executable, channel=found.channel, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


class View:
    """An inspection, opened."""

    def __init__(self, browser: Any, folder: Path, text: str, **options: Any) -> None:
        (folder / "view.html").write_text(text, encoding="utf-8", errors="replace")
        self.page = browser.new_page(viewport={"width": 1300, "height": 800}, **options)
        self.page.set_default_timeout(60_000)
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto((folder / "view.html").as_uri())

    def lights(self, selector: str, *blocks: int) -> bool:
        """Whether these blocks come to be the ones that are lit among some elements."""
        end = time.monotonic() + 60
        while (found := self._lit(selector)) != list(blocks) and time.monotonic() < end:
            self.page.wait_for_timeout(20)  # Playwright's own waiting would need eval, which the file forbids
        return found == list(blocks)

    def _lit(self, selector: str) -> list[int]:
        asked = "all => all.filter(one => one.matches('.lit')).flatMap(one => one.dataset.b.split(' ').map(Number))"
        found: list[int] = self.page.eval_on_selector_all(selector, asked)
        return found

    def is_shown(self, selector: str) -> bool:
        return bool(self.page.is_visible(selector))


@pytest.fixture(scope="module")
def view(browser: Any, inspection: Inspection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    opened = View(browser, tmp_path_factory.mktemp("view"), html(inspection))
    yield opened
    opened.page.close()
    assert opened.complaints == []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.browser
def test_the_view_shows_what_the_item_holds(view: View, inspection: Inspection):
    """Each field with its value, type, score, the times."""
    item = inspection.item
    shown = {name: view.page.inner_text(f"[data-field={name}] .value") for name in ("title", "time", "language")}
    assert shown == {"title": item.title, "time": item.time, "language": item.language}
    view.page.click("[data-field=body] summary")
    assert view.page.inner_text("[data-field=body] pre") == item.body
    view.page.click("[data-field=related] summary")
    assert view.page.locator("[data-field=related] button.seen").all_inner_texts() == [link.title for link in item.related]
    head = view.page.inner_text("header")
    assert item.title in head
    assert f"{inspection.page_type.type} · {inspection.page_type.kind}" in head
    assert f"{item.score:.2f}" in head
    assert all(stage in view.page.inner_text("#times") for stage in inspection.stages)
    assert json.loads(view.page.text_content("#raw pre"))["body"] == item.body


@pytest.mark.browser
def test_a_field_shows_where_it_came_from(view: View, inspection: Inspection):
    """In the picture and in the lines; other candidates can be pressed, too."""
    view.page.click("#tab-picture")
    view.page.click("[data-field=title] summary")
    assert view.lights("rect.box", TITLE)
    assert view.lights("#lines tr", TITLE)
    assert view.page.locator(".lit-places rect").count() == 1
    origins = view.page.locator("[data-field=title] .origin").all_inner_texts()
    assert origins[:2] == ["h1", "title"]
    view.page.click("[data-field=body] summary")
    assert view.lights("#lines tr", *range(FIRST, FIRST + len(TEXTS)))
    assert not view.page.evaluate("document.querySelector('[data-field=title]').open")
    view.page.click("[data-field=related] summary")
    view.page.click("[data-field=related] button.seen >> nth=1")
    (block,) = [i for i, text in enumerate(inspection.document.blocks.texts) if text == LINKS[1]]
    assert view.lights("rect.box", block)


@pytest.mark.browser
def test_a_block_shows_its_features(view: View, inspection: Inspection):
    """Under the pointer what stands out, pinned all of them."""
    view.page.click("#tab-picture")
    view.page.hover(f"rect.box[data-b='{FIRST}']")
    view.page.wait_for_selector("#tip:not([hidden])")
    assert TEXTS[0][:60] in view.page.inner_text("#tip")
    assert 0 < view.page.locator("#tip tbody tr").count() < 20
    view.page.click(f"rect.box[data-b='{FIRST}']")
    assert view.page.locator("#pinned tbody tr").count() == len(FEATURES)
    words = view.page.inner_text("#pinned tr[data-name=words] td:nth-child(2)")
    assert float(words.strip("▲▼ ")) == features(inspection.document)[FIRST, FEATURES.index("words")]
    view.page.fill("#pinned input", "link_share")
    assert view.page.locator("#pinned tbody tr:visible").all_inner_texts() != []
    assert all("link_share" in text for text in view.page.locator("#pinned tbody tr:visible").all_inner_texts())
    view.page.keyboard.press("Escape")
    view.page.keyboard.press("Escape")
    assert not view.is_shown("#block")


@pytest.mark.browser
def test_the_keyboard_goes_everywhere(view: View):
    """Views by number and arrows, blocks by arrows, Enter and Escape, search by a slash."""
    view.page.keyboard.press("1")
    assert view.is_shown("#view-picture")
    view.page.keyboard.press("ArrowRight")
    assert view.is_shown("#view-blocks")
    assert not view.is_shown("#view-picture")
    view.page.focus("#lines")
    view.page.keyboard.press("ArrowDown")
    assert view.lights("#lines tr", NAV)
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("ArrowUp")
    view.page.keyboard.press("Enter")
    score = view.page.inner_text(f"#lines tr[data-b='{NAV}'] .score").strip()
    assert view.page.inner_text("#pinned .head").endswith(f"block {NAV} · score {score}")
    view.page.keyboard.press("Escape")
    assert not view.is_shown("#block")
    view.page.keyboard.press("/")
    view.page.keyboard.type("mayor")
    assert view.page.locator("#lines tbody tr:visible").count() == 1
    view.page.fill("#find", "")
    view.page.keyboard.press("Escape")


@pytest.mark.browser
def test_labels_are_switched_and_changed(view: View, inspection: Inspection):
    """Off and on by label; those of another extractor on the same picture."""
    view.page.click("#tab-picture")
    view.page.uncheck("#switches input[value=noise]")
    assert view.page.locator("rect.box[data-label=noise]:visible").count() == 0
    assert view.page.locator("rect.box[data-label=body]:visible").count() == len(TEXTS)
    view.page.check("#switches input[value=noise]")
    view.page.select_option("#answer", label="broken")
    labels = [view.page.get_attribute(f"#lines tr[data-b='{i}']", "data-label") for i in range(len(inspection.labels))]
    assert labels == list(inspection.answers[2].labels)
    view.page.select_option("#answer", label=inspection.answers[0].name)
    labels = [view.page.get_attribute(f"#lines tr[data-b='{i}']", "data-label") for i in range(len(inspection.labels))]
    assert labels == list(inspection.labels)


@pytest.mark.browser
def test_visual_blocks_are_drawn_by_level(view: View, inspection: Inspection):
    """One level at a time, in the place of the text boxes."""
    view.page.click("#tab-picture")
    for level, areas in enumerate(inspection.visual_levels, 1):
        view.page.select_option("#level", str(level))
        assert view.page.locator(".area:visible").count() == len(areas)
    assert view.page.locator("rect.box:visible").count() == 0
    area = view.page.locator(f"[data-level='{len(inspection.visual_levels)}'] .area").last
    area.hover()
    assert f"degree of coherence {inspection.visual_levels[-1][-1].doc}" in view.page.inner_text("#tip")
    area.click()
    assert view.lights("#lines tr", *inspection.visual_levels[-1][-1].blocks)
    view.page.keyboard.press("Escape")
    view.page.select_option("#level", "0")
    assert view.page.locator(".area:visible").count() == 0
    assert view.page.locator("rect.box:visible").count() == len(inspection.text_boxes)


@pytest.mark.browser
def test_answers_stand_side_by_side(view: View, inspection: Inspection):
    """A column an extractor; only what differs, if that is wanted."""
    view.page.click("#tab-compare")
    heads = view.page.locator("#compared thead th").all_inner_texts()
    assert heads == [answer.name for answer in inspection.answers]
    assert view.page.locator("#compared td.some").count() == 2 * len(TEXTS)  # of the two that did not fail
    assert view.page.locator("#compared td.none").count() == len(TEXTS)
    view.page.check("#only")
    assert view.page.locator("#compared tr.same:visible").count() == 0
    view.page.uncheck("#only")
    view.page.uncheck("input.column >> nth=2")
    assert view.page.locator("#compared thead th:visible").count() == 2
    assert view.page.locator("#compared tr.differs").count() == 0  # the two that are left agree
    view.page.check("input.column >> nth=2")


CONTRAST = """() => {
  const channel = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (node) => { for (; node; node = node.parentElement) { const color = rgba(getComputedStyle(node).backgroundColor); if (color[3] === 255) return color; } return rgba("white"); };
  const weak = [];
  for (const node of document.querySelectorAll("body *:not(svg *, script)")) {
    if (!node.checkVisibility() || ![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
    const [one, other] = [light(rgba(getComputedStyle(node).color)), light(behind(node))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) weak.push(node.tagName + "." + node.className + " " + contrast.toFixed(2) + " " + node.textContent.slice(0, 20));
  }
  return weak;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(browser: Any, inspection: Inspection, tmp_path: Path, scheme: str):
    """A contrast of 4.5 or more (WCAG 2.2, 1.4.3) of all text, in every view, with a field and a block open."""
    opened = View(browser, tmp_path, html(inspection), color_scheme=scheme)
    opened.page.click("#tab-blocks")
    opened.page.click("[data-field=title] summary")
    opened.page.click(f"#lines tr[data-b='{FIRST}'] .text")
    weak = opened.page.evaluate(CONTRAST)
    opened.page.click("#tab-compare")
    weak += opened.page.evaluate(CONTRAST)
    ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    opened.page.close()
    assert weak == []
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == (scheme == "dark")


@pytest.mark.browser
def test_the_switch_overrides_the_system(view: View):
    """Light, dark, and as the system has it."""
    ground = "getComputedStyle(document.body).backgroundColor"
    light = view.page.evaluate(ground)
    seen = []
    for _ in range(3):
        view.page.click("#theme")
        seen.append((view.page.inner_text("#theme"), view.page.evaluate(ground) == light))
    assert seen == [("Theme: light", True), ("Theme: dark", False), ("Theme: auto", True)]


@pytest.mark.browser
def test_nothing_of_a_hostile_page_runs(browser: Any, options: Options, tmp_path: Path):
    """Whatever a page says, hovered, pinned, opened and compared: no script of it runs, nothing is loaded."""
    page = make_page(HOSTILE, url="javascript:alert(1)//<script>")
    page.html = str(page.html).replace(
        "</article>",
        f"<p>{HOSTILE.replace('<', '&lt;')} {TEXTS[0]}</p><p>{{{{constructor.constructor('window.hacked=4')()}}}} {TEXTS[1]}</p></article>",
    )
    opened = View(browser, tmp_path, html(inspect_page(page, options, ["awce"])))
    assert opened.page.evaluate("document.documentElement.classList.contains('live')")
    for name in opened.page.eval_on_selector_all("details.field", "all => all.map(one => one.dataset.field)"):
        opened.page.click(f"[data-field={name}] summary")
    opened.page.hover(f"rect.box[data-b='{TITLE}']")
    opened.page.click(f"rect.box[data-b='{TITLE}']")
    assert "window.hacked" in opened.page.inner_text("#pinned")
    for number in "23":
        opened.page.keyboard.press(number)
    assert opened.page.evaluate("window.hacked") is None
    refused = "const one = document.createElement('script'); one.textContent = 'window.hacked = 5'; document.body.append(one)"
    opened.page.evaluate(refused)
    assert opened.page.evaluate("window.hacked") is None  # and what is put in later does not run either
    opened.page.close()
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.browser
def test_it_prints_all_views(view: View):
    """Item and views one below the other, without what only a screen needs."""
    view.page.click("#tab-blocks")
    view.page.emulate_media(media="print")
    shown = {
        name: view.is_shown(name) for name in ("#view-picture", "#view-blocks", "#view-compare", "aside", "#tools", "#theme", "footer")
    }
    view.page.emulate_media(media="screen")
    assert shown == {
        "#view-picture": True,
        "#view-blocks": True,
        "#view-compare": True,
        "aside": True,
        "#tools": False,
        "#theme": False,
        "footer": False,
    }


@pytest.mark.browser
def test_without_a_picture_the_blocks_are_shown(browser: Any, options: Options, tmp_path: Path):
    """And the picture's tab says why there is none."""
    opened = View(browser, tmp_path, html(inspect_page(make_page(drawn=False), options)))
    assert opened.is_shown("#lines")
    opened.page.click("#tab-picture")
    assert "was not rendered" in opened.page.inner_text("#view-picture")
    opened.page.click("[data-field=title] summary")
    assert opened.lights("#lines tr", TITLE)
    opened.page.close()
    assert opened.complaints == []
