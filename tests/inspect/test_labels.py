"""Labels of blocks for display."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.crawls import TEXTS
from tests.inspect.pages import LINKS, make_page
from webcontent.document.parsing import Document
from webcontent.extraction import Extraction
from webcontent.inspect.inspection import inspect_page
from webcontent.inspect.places import Places, block_labels, field_places
from webcontent.items import Article, Page

if TYPE_CHECKING:
    from webcontent.inspect.inspection import Inspection
    from webcontent.pipeline import Options


def test_blocks_have_the_fields_that_came_from_them(inspection: Inspection):
    """Title, time and related links are labeled, although the extractor found only the body."""
    labels = dict(zip(inspection.document.blocks.texts, inspection.result.labels, strict=True))
    assert labels["The bridge opens in May"] == "title"
    assert labels["5 March 2024, 14:22"] == "time"
    assert {labels[text] for text in TEXTS} == {"body"}
    assert {labels[text] for text in LINKS} == {"related"}
    assert labels["News"] == "noise"


def test_a_line_beside_the_author_is_not_the_author(options: Options):
    """Lines of one element that are separated by <br> are distinguished by their text."""
    page = make_page(is_rendered=False)
    byline = '<div class="meta"><span itemprop="author">Ann Lee</span><br>Phone 12345<br>Fax 67890</div><div>'
    page.html = str(page.html).replace("<div>", byline, 1)
    inspection = inspect_page(page, options)
    labels = dict(zip(inspection.document.blocks.texts, inspection.result.labels, strict=True))
    assert inspection.result.item.authors == ["Ann Lee"]
    assert (labels["Ann Lee"], labels["Phone 12345"], labels["Fax 67890"]) == ("authors", "noise", "noise")


def test_an_item_without_a_title_labels_no_block_as_title():
    """A block without links has an empty link text, which is not taken for the missing title."""
    document = Document.from_page(Page(html=f"<p>{TEXTS[0]}</p><p>{TEXTS[1]}</p>"))
    item = Article(title=None, body=TEXTS[0])
    places = field_places(Places(document), item)
    assert block_labels(Extraction(), len(document.blocks), places) == ("body", "noise")
