"""An inspection's HTML file in a browser: its views, keys, labels, themes and print, and that nothing of a page runs."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import TEXTS
from tests.inspect.pages import FIRST, HOSTILE, LINKS, NAV, TITLE, make_page
from webcontent.crawl.rendering.chromium import find_browser
from webcontent.document.features.blocks import FEATURES, features
from webcontent.inspect.html import html
from webcontent.inspect.inspection import Inspection, inspect_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webcontent.pipeline import Options


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium that runs the script of the file."""
    from playwright.sync_api import sync_playwright

    installed = find_browser(None)
    assert installed is not None
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(**installed, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


class View:
    """An opened inspection, with the messages of its console and the requests that it sent."""

    def __init__(self, browser: Any, folder: Path, text: str, **options: Any) -> None:
        (folder / "view.html").write_text(text, encoding="utf-8", errors="replace")
        self.page = browser.new_page(viewport={"width": 1300, "height": 800}, **options)
        self.page.set_default_timeout(60_000)
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.messages.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto((folder / "view.html").as_uri())

    def highlights(self, selector: str, *blocks: int) -> bool:
        """Whether exactly these blocks become highlighted among some elements, within a minute."""
        end = time.monotonic() + 60
        while (highlighted := self._highlighted(selector)) != list(blocks) and time.monotonic() < end:
            self.page.wait_for_timeout(20)  # Playwright's own waiting would need eval, which the file forbids
        return highlighted == list(blocks)

    def _highlighted(self, selector: str) -> list[int]:
        script = "all => all.filter(one => one.matches('.highlighted')).flatMap(one => one.dataset.blocks.split(' ').map(Number))"
        blocks: list[int] = self.page.eval_on_selector_all(selector, script)
        return blocks

    def is_shown(self, selector: str) -> bool:
        return bool(self.page.is_visible(selector))


@pytest.fixture(scope="module")
def view(browser: Any, inspection: Inspection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    opened = View(browser, tmp_path_factory.mktemp("view"), html(inspection))
    yield opened
    opened.page.close()
    assert opened.messages == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []


@pytest.mark.browser
def test_the_view_shows_what_the_item_holds(view: View, inspection: Inspection):
    """It shows each field with its value, the page type, the score and the times."""
    item = inspection.result.item
    shown = {name: view.page.inner_text(f"[data-field={name}] .value") for name in ("title", "time", "language")}
    assert shown == {"title": item.title, "time": item.time, "language": item.language}
    view.page.click("[data-field=body] summary")
    assert view.page.inner_text("[data-field=body] pre") == item.body
    view.page.click("[data-field=related] summary")
    assert view.page.locator("[data-field=related] button.place").all_inner_texts() == [link.title for link in item.related]
    head = view.page.inner_text("header")
    assert item.title in head
    assert f"{inspection.page_type.type} · {inspection.page_type.kind}" in head
    assert f"{item.score:.2f}" in head
    assert all(stage in view.page.inner_text("#times") for stage in inspection.stages)
    assert json.loads(view.page.text_content("#json pre"))["body"] == item.body


@pytest.mark.browser
def test_a_field_shows_where_it_came_from(view: View, inspection: Inspection):
    """Its place is highlighted on the screenshot and in the list of blocks. Other candidates can be clicked, too."""
    view.page.click("#tab-screenshot")
    view.page.click("[data-field=title] summary")
    assert view.highlights("rect.box", TITLE)
    assert view.highlights("#block-list tr", TITLE)
    origins = view.page.locator("[data-field=title] .origin").all_inner_texts()
    assert origins[:2] == ["h1", "title"]
    view.page.click("[data-field=body] summary")
    assert view.highlights("#block-list tr", *range(FIRST, FIRST + len(TEXTS)))
    assert not view.page.evaluate("document.querySelector('[data-field=title]').open")
    view.page.click("[data-field=related] summary")
    view.page.click("[data-field=related] button.place >> nth=1")
    (block,) = [i for i, text in enumerate(inspection.document.blocks.texts) if text == LINKS[1]]
    assert view.highlights("rect.box", block)


@pytest.mark.browser
def test_a_block_shows_its_features(view: View, inspection: Inspection):
    """The tip under the pointer shows the most unusual ones, the panel of a pinned block all of them."""
    view.page.click("#tab-screenshot")
    view.page.hover(f"rect.box[data-blocks='{FIRST}']")
    view.page.wait_for_selector("#tip:not([hidden])")
    assert TEXTS[0][:60] in view.page.inner_text("#tip")
    assert 0 < view.page.locator("#tip tbody tr").count() < 20
    view.page.click(f"rect.box[data-blocks='{FIRST}']")
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
def test_the_keyboard_reaches_everything(view: View):
    """Numbers and arrows select views; arrows, Enter and Escape select blocks; a slash starts a search."""
    view.page.keyboard.press("1")
    assert view.is_shown("#view-screenshot")
    view.page.keyboard.press("ArrowRight")
    assert view.is_shown("#view-blocks")
    assert not view.is_shown("#view-screenshot")
    view.page.check("#plain-noise")
    view.page.focus("#block-list")
    view.page.keyboard.press("ArrowDown")
    assert view.highlights("#block-list tr", NAV)
    view.page.keyboard.press("ArrowDown")
    view.page.keyboard.press("ArrowUp")
    view.page.keyboard.press("Enter")
    score = view.page.inner_text(f"#block-list tr[data-blocks='{NAV}'] .score").strip()
    assert view.page.inner_text("#pinned .head").endswith(f"block {NAV} · score {score}")
    view.page.keyboard.press("Escape")
    assert not view.is_shown("#block")
    view.page.keyboard.press("/")
    view.page.keyboard.type("mayor")
    assert view.page.locator("#block-list tbody tr:visible").count() == 1
    view.page.fill("#search", "")
    view.page.keyboard.press("Escape")
    view.page.uncheck("#plain-noise")


@pytest.mark.browser
def test_noise_of_zero_waits_behind_a_switch(view: View, inspection: Inspection):
    """It is hidden in both views, unless the switch is on, a search finds it, or a field is there."""
    plain = [i for i in range(len(inspection.result.labels)) if inspection.result.is_plain_noise(i)]
    assert plain
    assert view.page.inner_text("#plain-count") == str(len(plain))
    for tab, hidden in (("#tab-blocks", "#block-list tr.plain"), ("#tab-screenshot", "rect.box.plain")):
        view.page.click(tab)
        assert view.page.locator(hidden).count() >= 1
        assert view.page.locator(f"{hidden}:visible").count() == 0
        view.page.check("#plain-noise")
        assert view.page.locator(f"{hidden}:visible").count() == view.page.locator(hidden).count()
        view.page.uncheck("#plain-noise")
    view.page.click("#tab-blocks")
    view.page.fill("#search", inspection.document.blocks.texts[plain[0]])
    assert view.is_shown(f"#block-list tr[data-blocks='{plain[0]}']")
    view.page.fill("#search", "")
    view.page.keyboard.press("Escape")


@pytest.mark.browser
def test_labels_can_be_hidden_and_exchanged(view: View, inspection: Inspection):
    """Each label can be hidden, and the labels of another extractor can be shown instead."""
    view.page.click("#tab-screenshot")
    view.page.uncheck("#switches input[value=noise]")
    assert view.page.locator("rect.box[data-label=noise]:visible").count() == 0
    assert view.page.locator("rect.box[data-label=body]:visible").count() == len(TEXTS)
    view.page.check("#switches input[value=noise]")
    view.page.select_option("#extractor", label="broken")
    labels = [view.page.get_attribute(f"#block-list tr[data-blocks='{i}']", "data-label") for i in range(len(inspection.result.labels))]
    assert labels == list(inspection.results[2].labels)
    view.page.select_option("#extractor", label=inspection.results[0].name)
    labels = [view.page.get_attribute(f"#block-list tr[data-blocks='{i}']", "data-label") for i in range(len(inspection.result.labels))]
    assert labels == list(inspection.result.labels)


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
def test_text_is_readable_in_both_schemes(browser: Any, inspection: Inspection, tmp_path: Path, scheme: str):
    """All text has a contrast of at least 4.5 (WCAG 2.2, 1.4.3) in every view, with a field and a block open."""
    opened = View(browser, tmp_path, html(inspection), color_scheme=scheme)
    opened.page.click("#tab-blocks")
    opened.page.click("[data-field=title] summary")
    opened.page.click(f"#block-list tr[data-blocks='{FIRST}'] .text")
    weak = opened.page.evaluate(CONTRAST)
    ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    opened.page.close()
    assert weak == []
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == (scheme == "dark")


@pytest.mark.browser
def test_the_theme_button_overrides_the_system(view: View):
    """It selects light, dark, and the theme of the system."""
    ground = "getComputedStyle(document.body).backgroundColor"
    light = view.page.evaluate(ground)
    themes = []
    for _ in range(3):
        view.page.click("#theme")
        themes.append((view.page.inner_text("#theme"), view.page.evaluate(ground) == light))
    assert themes == [("Theme: light", True), ("Theme: dark", False), ("Theme: auto", True)]


@pytest.mark.browser
def test_nothing_of_a_hostile_page_runs(browser: Any, options: Options, tmp_path: Path):
    """No script of the page runs and nothing is loaded while its blocks and fields are hovered, pinned and opened."""
    page = make_page(HOSTILE, url="javascript:alert(1)//<script>")
    page.html = str(page.html).replace(
        "</article>",
        f"<p>{HOSTILE.replace('<', '&lt;')} {TEXTS[0]}</p><p>{{{{constructor.constructor('window.hacked=4')()}}}} {TEXTS[1]}</p></article>",
    )
    opened = View(browser, tmp_path, html(inspect_page(page, options, ["awce"])))
    assert opened.page.evaluate("document.documentElement.classList.contains('scripted')")
    for name in opened.page.eval_on_selector_all("details.field", "all => all.map(one => one.dataset.field)"):
        opened.page.click(f"[data-field={name}] summary")
    opened.page.hover(f"rect.box[data-blocks='{TITLE}']")
    opened.page.click(f"rect.box[data-blocks='{TITLE}']")
    assert "window.hacked" in opened.page.inner_text("#pinned")
    opened.page.keyboard.press("2")
    assert opened.page.evaluate("window.hacked") is None
    script = "const one = document.createElement('script'); one.textContent = 'window.hacked = 5'; document.body.append(one)"
    opened.page.evaluate(script)
    assert opened.page.evaluate("window.hacked") is None  # a script that is added later does not run either
    opened.page.close()
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []


@pytest.mark.browser
def test_it_prints_all_views(view: View):
    """The item and the views are printed one below the other, without the controls."""
    view.page.click("#tab-blocks")
    view.page.emulate_media(media="print")
    shown = {name: view.is_shown(name) for name in ("#view-screenshot", "#view-blocks", "aside", "#tools", "#theme", "footer")}
    view.page.emulate_media(media="screen")
    assert shown == {
        "#view-screenshot": True,
        "#view-blocks": True,
        "aside": True,
        "#tools": False,
        "#theme": False,
        "footer": False,
    }


@pytest.mark.browser
def test_without_a_screenshot_the_blocks_are_shown(browser: Any, options: Options, tmp_path: Path):
    """The tab of the screenshot says why there is none."""
    opened = View(browser, tmp_path, html(inspect_page(make_page(is_rendered=False), options)))
    assert opened.is_shown("#block-list")
    opened.page.click("#tab-screenshot")
    assert "was not rendered" in opened.page.inner_text("#view-screenshot")
    opened.page.click("[data-field=title] summary")
    assert opened.highlights("#block-list tr", TITLE)
    opened.page.close()
    assert opened.messages == []
