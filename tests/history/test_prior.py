"""How site history changes the extraction of a page, and what it must not change."""

from __future__ import annotations

import numpy as np
import pytest

from tests.references import read_reference
from webcontent.api import extract, extract_many
from webcontent.document.parsing import Document
from webcontent.extraction import Extraction, PageContext
from webcontent.extractors import load_extractor
from webcontent.history.host import HISTORY_FEATURES, HostProfile, SiteHistory
from webcontent.history.prior import MODEL, changed_probabilities, logits_of, with_history
from webcontent.items import Article, Page, PageType
from webcontent.models import SHIPPED
from webcontent.pipeline import Options, learn, page_item

WORDS = "river bridge mayor loan flour mill county spring flood engineer council cart market winter harvest ferry".split()
NOTICE = "The paper of this town has been printed every morning since the year 1901, and it is read in all the villages around it."


def sentence(number: int) -> str:
    return " ".join(np.random.default_rng(number).choice(WORDS, 28)).capitalize() + "."


def page(number: int, *, site: str = "http://town.example") -> Page:
    """A story between a menu and a notice that looks like a paragraph of the story and stands on every page."""
    story = "".join(f"<p>{sentence(10 * number + i)}</p>" for i in range(3))
    html = (
        f"<html><head><title>Story {number} of the river - The Town Paper</title></head><body><nav><a href='/'>Home</a> <a href='/n'>News</a></nav>"
        f"<div class='text'><h1>Story {number} of the river</h1><p class='date'>2024-03-{number + 1:02}</p>{story}<p>{NOTICE}</p></div></body></html>"
    )
    return Page(url=f"{site}/story/{number}", html=html, fetched_at="2025-01-01T00:00:00+00:00")


def single(given: Page) -> Article:
    return extract(given.html, url=given.url, fetched_at=given.fetched_at)


def test_an_unknown_host_changes_nothing():
    """The same array, and the same item with and without a history, bit by bit."""
    document = Document.from_page(page(1))
    probabilities = np.linspace(0, 1, len(document.blocks)).astype(np.float32)
    assert with_history(HostProfile(), document, probabilities, document.blocks.words, SHIPPED) is probabilities
    assert load_extractor("fusion")(document).page_scores is None
    assert load_extractor("fusion")(document, PageContext(host=HostProfile())).page_scores is None
    assert page_item(page(1), Options(evidence=True)) == single(page(1))


def test_the_first_page_of_a_site_is_as_it_is_alone():
    """Nothing is known yet: the same item, evidence and scores included."""
    for each in (page(1), page(2, site="http://other.example")):
        assert next(extract_many([each])) == single(each)


def test_a_paragraph_of_every_page_is_no_story():
    """By itself each page seems to say it; once it came on some pages it goes."""
    pages = [page(number) for number in range(16)]
    *_, last = extract_many(pages)
    assert NOTICE in single(pages[15]).body
    assert NOTICE not in last.body
    assert all(sentence(150 + i) in last.body for i in range(3))


def test_sites_do_not_mix():
    """What repeats on one site says nothing of another."""
    pages = [page(number) for number in range(7)]
    *_, last = extract_many([*pages, page(7, site="http://other.example")])
    assert last == single(page(7, site="http://other.example"))


def test_a_page_asked_for_twice_comes_out_alike():
    """Its own text does not speak against it; what other pages say still counts."""
    pages = [page(number) for number in range(16)]
    *_, again = extract_many([*pages, pages[3]])
    assert all(sentence(30 + i) in again.body for i in range(3))
    assert NOTICE not in again.body


def test_the_same_pages_in_the_same_order_give_the_same_items():
    pages = [page(number) for number in range(5)]
    assert list(extract_many(pages)) == list(extract_many(pages))


def test_learning_goes_by_the_page_alone():
    """Otherwise a wrong extraction would confirm itself."""
    history = SiteHistory()
    list(extract_many([page(number) for number in range(4)], history=history))
    document = Document.from_page(page(5))
    alone = load_extractor("fusion")(Document.from_page(page(5)))
    extraction = load_extractor("fusion")(document, PageContext(host=history.find(document.url)))
    assert np.array_equal(extraction.page_scores, alone.scores)
    assert np.array_equal(extraction.body_probabilities(), alone.scores)
    assert not np.array_equal(extraction.scores, alone.scores)


def test_lists_are_neither_looked_up_nor_learned():
    """Their main text changes from page to page, and front pages show whole articles."""
    history = SiteHistory()
    list(extract_many([page(number) for number in range(4)], history=history))
    document = Document.from_page(page(5))
    context = PageContext(page_type=PageType("list", "listing", 1.0), host=history.find(document.url))
    extraction = load_extractor("fusion")(document, context)
    assert extraction.page_scores is None
    assert np.array_equal(extraction.scores, load_extractor("fusion")(Document.from_page(page(5))).scores)
    learn(document, context, extraction)
    assert context.host.count == 4


def features_of(**columns: float) -> np.ndarray:
    """HISTORY_FEATURES of one block."""
    x = np.zeros((1, len(HISTORY_FEATURES)), np.float32)
    for name, value in columns.items():
        x[0, HISTORY_FEATURES.index(name)] = value
    return x


@pytest.mark.parametrize(
    ("columns", "change", "difference"),
    [
        ({"pages": 1, "named_logit_difference": 9}, 9, 1.5),
        ({"pages": 3, "named_logit_difference": 9}, 9, 3),
        ({"pages": 15, "around_logit_difference": -9}, -9, -6),
        ({"pages": 15, "named_logit_difference": 1, "around_logit_difference": 2}, 9, 2),
        ({"pages": 15, "named_logit_difference": -1, "around_logit_difference": 2}, -9, -1),
        ({"pages": 15, "named_logit_difference": 1, "numbered_logit_difference": 1, "around_logit_difference": 1}, -9, 0),
        ({"pages": 15}, 9, 0),
        ({"pages": 15, "text_pages": 4}, -9, -6),
        ({"pages": 15, "text_pages": 4}, 9, 0),
    ],
    ids=["one page", "three", "fifteen", "up to the highest prior", "down to the lowest", "no prior against it", "unknown path",
         "a text that repeats", "is no main text for that"],
)  # fmt: skip
def test_a_change_has_limits(columns, change, difference):
    """They grow with the number of pages, and end at the priors of the block's paths, whatever the trees say."""
    x = features_of(logit=0.5, **columns)
    assert np.isclose(logits_of(changed_probabilities(x, np.array([change]), 1.5))[0] - 0.5, difference, atol=1e-3)


@pytest.mark.parametrize(
    ("extraction", "pages"),
    [
        (Extraction(labels=np.zeros(7, np.int8)), 1),
        (Extraction(body="A text without labels"), 0),
    ],
    ids=["labels", "text alone"],
)
def test_other_extractors_are_learned_from_as_far_as_they_go(extraction, pages):
    """Labels are probabilities of 0 or 1; a method that gives only a text has nothing to tell of blocks."""
    document = Document.from_page(page(1))
    host = HostProfile()
    if extraction.labels is not None:
        extraction.labels = np.ones(len(document.blocks), np.int8)
    learn(document, PageContext(host=host), extraction)
    assert host.count == pages


def test_the_model_was_trained_on_these_features():
    """Columns as trained; its outputs are those of the reference."""
    model = SHIPPED.load(MODEL)
    assert model.config["features"] == list(HISTORY_FEATURES)
    inputs, outputs = read_reference(model.folder)
    assert np.allclose(model.run(**inputs)[0], outputs["only_raw"], atol=1e-4)


# --------------------------------------------------------------------------------------------------------------- fields
def test_hostile_pages_pass():
    """Whatever comes, an item leaves."""
    pages = [
        Page(url="http://town.example/a", html=b""),
        Page(url="http://town.example/b", html=b"\xff\xfe\x00<p>"),
        Page(url="http://[broken", html="<p>text</p>"),
        Page(url=None, html="<p>text</p>"),
        Page(url="http://town.example/c", html="<p>x</p>" * 5000),
        *(Page(url=f"http://town.example/{n}", html="<title>\ud800</title><p>\udfff" + "word " * 50) for n in range(4)),
    ]
    assert len(list(extract_many(pages))) == len(pages)
