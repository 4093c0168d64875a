"""What a profile knows of its host: repeated texts, paths and their priors, shared title parts."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.history.pages import (
    ARTICLES,
    FEATURE,
    document_of,
    features_by_text,
    features_of,
    learn,
    profile_of,
    random_text,
    words_of,
)
from webcontent.document.fingerprints import PATH_KINDS
from webcontent.document.parsing import Document
from webcontent.history.host import HISTORY_FEATURES, HostProfile, SiteHistory, host_of
from webcontent.items import Page


def test_a_text_on_every_page_is_known_and_a_new_one_is_not():
    """The footer stood on all pages, the article on none."""
    x = features_by_text(profile_of(*ARTICLES[:3]), document_of(ARTICLES[3]))
    footer = next(text for text in x if text.startswith("All rights"))
    assert x[footer][FEATURE("text_pages")] == 3
    assert x[footer][FEATURE("text_share")] == 1
    assert x[ARTICLES[3]][FEATURE("text_pages")] == 0


def test_a_path_keeps_the_prior_of_its_blocks():
    """Where main text stood before, and where it did not."""
    x = features_by_text(profile_of(*ARTICLES[:3]), document_of(ARTICLES[3]))
    footer = next(text for text in x if text.startswith("All rights"))
    for kind in PATH_KINDS:
        assert x[ARTICLES[3]][FEATURE(f"{kind}_share")] == 1
    assert x[ARTICLES[3]][FEATURE("named_prior")] > 1
    assert x[footer][FEATURE("named_prior")] < -1
    assert x[footer][FEATURE("named_repeats")] > x[ARTICLES[3]][FEATURE("named_repeats")]


def test_a_banner_shifts_numbers_not_names():
    """One element more at the top: the path of names still tells where the article is."""
    document = document_of(ARTICLES[3], head="<main>A short banner</main>")
    x = features_by_text(profile_of(*ARTICLES[:3]), document)
    assert x[ARTICLES[3]][FEATURE("named_pages")] == 3
    assert x[ARTICLES[3]][FEATURE("numbered_pages")] == 0


def test_a_revisit_is_not_counted_twice():
    """The same address again: its own counts are subtracted, and it is not learned twice."""
    profile = profile_of(*ARTICLES[:3])
    document = document_of(ARTICLES[0])
    x = features_by_text(profile, document)
    footer = next(text for text in x if text.startswith("All rights"))
    assert x[ARTICLES[0]][FEATURE("text_pages")] == 0
    assert x[footer][FEATURE("text_pages")] == 2
    assert x[footer][FEATURE("pages")] == 2
    learn(profile, document)
    assert profile.count == 3
    assert features_of(profile_of(ARTICLES[0]), document) is None


def test_a_copy_under_another_address_is_no_second_page():
    """A print version: its text stood on one earlier page, which does not count for it; nor is it learned."""
    profile = profile_of(*ARTICLES[:2])
    document = document_of(ARTICLES[0], url="http://town.example/print?id=1")
    assert features_by_text(profile, document)[ARTICLES[0]][FEATURE("text_pages")] == 0
    learn(profile, document)
    assert (profile.count, profile.copies) == (2, 1)


def test_a_host_of_little_but_its_template_is_learned():
    """Where most pages look like copies of the first, they are not: it is the template that repeats."""
    profile = HostProfile()
    for n in range(6):
        document = document_of("Film", url=f"http://town.example/{n}", head=f"<p>{random_text(1)}</p>")
        profile.learn(document, np.full(len(document.blocks), 0.9), words_of(document))
    assert profile.count >= 3


def test_an_unknown_host_an_empty_or_a_huge_page_has_no_features():
    """None: the page stays as it is. Nor are such pages learned."""
    assert features_of(HostProfile(), document_of(ARTICLES[0])) is None
    profile = profile_of(*ARTICLES)
    empty = Document.from_page(Page(html=""))
    huge = Document.from_page(Page(html="".join(f"<p>Number {n}</p>" for n in range(4001))))
    for document in (empty, huge):
        assert features_of(profile, document) is None
        profile.learn(document, np.zeros(len(document.blocks)), words_of(document))
    assert profile.count == len(ARTICLES)


def test_features_are_finite_and_in_order():
    """One row a block, one column a name."""
    document = document_of(ARTICLES[3])
    x = profile_of(*ARTICLES[:3]).features(document, np.full(len(document.blocks), 0.5), words_of(document))
    assert x.shape == (len(document.blocks), len(HISTORY_FEATURES))
    assert x.dtype == np.float32
    assert np.isfinite(x).all()
    assert (x[:, FEATURE("logit")] == 0.5).all()
    assert (x[:, FEATURE("pages")] == 3).all()


@pytest.mark.parametrize("html", ["<p>\ud800 lone surrogate", "<p>" + "x" * 100_000, "<x-y class='\ud83d'>a</x-y>" * 50, "<p>1</p>" * 3000])
def test_hostile_pages_are_learned(html):
    """Whatever a page holds, it has fingerprints."""
    profile = HostProfile()
    for n in range(4):
        document = Document.from_page(Page(url=f"http://town.example/{n}", html=html))
        profile.learn(document, np.full(len(document.blocks), 0.4), words_of(document))
    assert np.isfinite(features_of(profile, document)).all()


def test_a_profile_is_bounded_and_forgets_slowly():
    """Counts are halved, so a new design soon outweighs the old one."""
    profile = HostProfile()
    for n in range(140):
        learn(profile, document_of(random_text(n)))
    assert profile.pages < 120
    assert profile.count == 140
    assert len(profile.texts.keys) <= 2500
    assert len(profile.paths.keys) <= 1200


@pytest.mark.parametrize(("count", "is_whole"), [(2400, True), (2600, False)])
def test_a_profile_holds_2500_texts(count: int, is_whole: bool):
    profile = HostProfile()
    names = ["".join("abcdefghij"[int(digit)] for digit in str(n)) for n in range(count)]
    learn(
        profile, Document.from_page(Page(url="http://town.example/1", html="".join(f"<p>The long line {name} of a page" for name in names)))
    )
    assert (len(profile.texts.keys) >= count) is is_whole


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.example.com/a", "example.com"),
        ("http://news.example.com", "news.example.com"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://[broken", ""),
        ("http://a.example:99999999/", ""),
        ("/only/a/path", ""),
        (None, ""),
    ],
)
def test_host_of(url, host):
    """Host and port without www; nothing for an address without a host."""
    assert host_of(url) == host


def test_threads_may_share_a_profile():
    """Readers and writers at once: nothing raises, every page is counted."""
    profile, errors = HostProfile(), []
    documents = [document_of(random_text(n)) for n in range(24)]
    for document in documents:
        document.fingerprints  # noqa: B018

    def work(part: list[Document]) -> None:
        try:
            for document in part:
                features_of(profile, document)
                learn(profile, document)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(documents[place::4],)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert profile.count == 24


def test_the_hosts_asked_for_last_are_kept():
    """A limit on hosts, by use."""
    history = SiteHistory(limit=2)
    first = history.find("http://a.example/1")
    history.find("http://b.example/1")
    assert history.find("http://www.a.example/2") is first
    history.find("http://c.example/1")
    assert len(history) == 2
    assert history.find("http://a.example/3") is first


@pytest.mark.parametrize("url", ["http://[broken", "http://a.example:99999999/", "/only/a/path", "", None])
def test_an_address_without_a_host_has_no_profile(url):
    """Nor does it make one."""
    history = SiteHistory()
    assert history.find(url) is None
    assert len(history) == 0
