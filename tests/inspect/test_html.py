"""Inspections as HTML files: everything from the page is escaped, and nothing of it can run."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any

import lxml.html
import numpy as np
import pytest

from tests.inspect.pages import HOSTILE, make_page
from webcontent.document.features.blocks import FEATURES, features
from webcontent.inspect.html import html
from webcontent.inspect.inspection import inspect_page
from webcontent.inspect.markup import cell_text, tag
from webcontent.inspect.text import summary
from webcontent.items import Page

if TYPE_CHECKING:
    from webcontent.inspect.inspection import Inspection
    from webcontent.pipeline import Options


def script_data(text: str) -> dict[str, Any]:
    """The data for the script in an HTML file."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert match
    return json.loads(match[1])


def test_all_text_is_escaped():
    """Only Markup is inserted as it is."""
    assert tag("p", "<b>", class_='"') == '<p class="&quot;">&lt;b&gt;</p>'
    assert tag("p", tag("b", "1 < 2"), None, hidden=False, data_b=0) == '<p data-b="0"><b>1 &lt; 2</b></p>'


def test_the_policy_names_what_may_run(inspection: Inspection):
    """It allows one script and one style sheet by their digests, embedded images, and nothing else."""
    text = html(inspection)
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert policy[1].startswith("default-src &#x27;none&#x27;; img-src data:; script-src &#x27;sha256-")
    assert "unsafe" not in policy[1]
    assert not re.search(r"\s(?:src|href)=\"(?!data:image/png;base64,)", text)
    assert not re.search(r"<[^>]*\son[a-z]+=", text.replace(text[text.rindex("<script>") :], ""))


def test_a_damaged_screenshot_is_an_error_with_a_message(options: Options):
    """The traceback of the image library is not shown."""
    page = make_page()
    page.screenshot = b"\x89PNG not an image"
    with pytest.raises(ValueError, match="the screenshot can't be read"):
        html(inspect_page(page, options))


def test_features_are_those_of_the_document(inspection: Inspection):
    """They are there by name and value, with one row per block."""
    data = script_data(html(inspection))
    values = np.frombuffer(base64.b64decode(data["values"]), "<f4").reshape(-1, len(data["features"]))
    assert data["features"] == list(FEATURES)
    assert np.array_equal(values, features(inspection.document))


def test_the_preparation_of_a_rendered_page_is_shown(options: Options):
    """What was hidden, opened and scrolled, and the milliseconds of each step."""
    page = make_page()
    page.preparation = {
        "hidden": [["consent", "div#box"]],
        "folds": 2,
        "steps": 7,
        "clicked": ["Load <more>"],
        "ms": {"ready": 310, "hide": 4},
    }
    inspection = inspect_page(page, options)
    section = lxml.html.document_fromstring(html(inspection)).get_element_by_id("preparation")
    lines = ["hidden (consent): div#box", "clicked: Load <more>", "folds: 2", "steps: 7"]
    assert section.xpath("ul/li/text()") == lines
    assert [row.text_content() for row in section.iter("tr")] == ["ready310.0 ms", "hide4.0 ms"]
    assert list(summary(inspection))[2:] == lines
    assert 'id="preparation"' not in html(inspect_page(make_page(), options))


def test_hostile_text_stays_text(options: Options):
    """This holds in the header, the fields, the blocks and the data for the script."""
    text = html(inspect_page(make_page(HOSTILE, url="javascript:alert('x')//<script>"), options, ["awce"]))
    assert text.count("<script>") == 1
    assert text.count("<script ") == 1
    assert text.count("</script>") == 2
    assert "<img src=x" not in text
    script_data(text)


@pytest.mark.parametrize(
    "source", [b"", b"<p>", "<p>\ud800</p>", b"\x00\xff\xfe", "<p>a" * 3000], ids=["empty", "blank", "surrogate", "bytes", "many"]
)
def test_any_page_gives_a_file(options: Options, source: str | bytes):
    text = html(inspect_page(Page(html=source), options, ["awce"]))
    assert text.endswith("</html>\n")
    script_data(text)


def test_the_field_body_marks_the_text_of_the_body(options: Options):
    """Not the blocks with that label: on a list the same texts are entries. The same words in a menu are not marked."""
    names = [f"The council decides about bridge number {number} over the river" for number in range(8)]
    menu = "".join(f'<li><a href="/m{name[-5:]}">{name}</a></li>' for name in (names[0], "Sport", "Weather"))
    records = "".join(
        f'<li><h2><a href="/{n}.html">{name}</a></h2><p>What the story is about, part {n}.</p></li>' for n, name in enumerate(names)
    )
    page = Page(
        url="https://news.example.org/", html=f"<title>News</title><nav><ul>{menu}</ul></nav><main><h1>News</h1><ul>{records}</ul></main>"
    )
    inspection = inspect_page(page, options)
    assert set(inspection.result.labels) >= {"entry", "noise"}
    field = lxml.html.fromstring(html(inspection)).xpath('//*[@data-field="body"]')[0]
    marked = [inspection.document.blocks.texts[int(block)] for block in field.get("data-blocks").split()]
    assert marked == inspection.result.item.body.splitlines()


def test_values_of_fields_are_cut():
    assert [len(cell_text(value)) for value in ("x" * 240, "x" * 241, ["x" * 241])] == [240, 240, 240]
