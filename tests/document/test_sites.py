"""What is remembered of sites: fingerprints, bounded tables, the file."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from webcontent.document.parsing import Document
from webcontent.history import host as module
from webcontent.history.host import PLACE_KINDS, SITE_FEATURES, HostProfile, SiteHistory, Table, host_of, location_key
from webcontent.items import Page, PageType

MENU = "<nav class='menu'><a href='/'>Home</a><a href='/news'>News of the town</a></nav>"
FOOT = "<footer><p>All rights reserved by the town's paper since 1901.</p></footer>"
FACT = SITE_FEATURES.index


def story(n: int) -> str:
    """A text of its own: its words differ from any other's in more than digits."""
    letters = np.random.default_rng(n).integers(97, 123, (25, 6)).astype(np.uint8)
    return " ".join(bytes(word).decode() for word in letters)


def document_of(text: str, *, url: str | None = None, head: str = "", is_list: bool = False) -> Document:
    title = f"<title>{text[:30]} - The Town Paper</title>"
    html = f"<html><head>{title}</head><body>{head}{MENU}<main class='story'><h1>{text[:20]}</h1><p>{text}</p></main>{FOOT}</body></html>"
    document = Document.from_page(Page(url=url or f"http://town.example/{text[:12]}", html=html))
    document.page_type = PageType(type="list" if is_list else "article", kind="listing" if is_list else "article", score=1.0)
    return document


def words_of(document: Document) -> np.ndarray:
    return document.blocks.words.astype(float)


def opinion_of(document: Document) -> np.ndarray:
    """As an extractor would say: long blocks outside the footer are main text."""
    return np.where((document.blocks.words > 8) & (np.arange(len(document.blocks)) < len(document.blocks) - 1), 0.9, 0.1)


def learned(*texts: str) -> HostProfile:
    site = HostProfile()
    for text in texts:
        document = document_of(text)
        site.learn(document, opinion_of(document), words_of(document), {})
    return site


def facts_of(site: HostProfile, document: Document) -> dict[str, np.ndarray]:
    """SITE_FEATURES by the text of the block."""
    x = site.features(document, np.zeros(len(document.blocks)), words_of(document))
    assert x is not None
    return dict(zip(document.blocks.texts, x, strict=True))


STORIES = tuple(
    f"{name} said on Monday that the bridge over the river will be built anew before the next winter, after two years of planning for it {n}."
    for n, name in enumerate(("Alice Miller", "The mayor", "A speaker of the county", "An engineer from abroad"))
)


def test_a_text_on_every_page_is_known_and_a_new_one_is_not():
    """The footer stood on all pages, the story on none."""
    facts = facts_of(learned(*STORIES[:3]), document_of(STORIES[3]))
    footer = next(text for text in facts if text.startswith("All rights"))
    assert facts[footer][FACT("text_pages")] == 3
    assert facts[footer][FACT("text_share")] == 1
    assert facts[STORIES[3]][FACT("text_pages")] == 0


def test_a_place_keeps_what_was_thought_of_its_blocks():
    """Where main text stood before, and where it did not."""
    facts = facts_of(learned(*STORIES[:3]), document_of(STORIES[3]))
    footer = next(text for text in facts if text.startswith("All rights"))
    for kind in PLACE_KINDS:
        assert facts[STORIES[3]][FACT(f"{kind}_share")] == 1
    assert facts[STORIES[3]][FACT("named_opinion")] > 1
    assert facts[footer][FACT("named_opinion")] < -1
    assert facts[footer][FACT("named_repeats")] > facts[STORIES[3]][FACT("named_repeats")]


def test_a_banner_shifts_numbers_not_names():
    """One element more at the top: the path of names still says where the story stands."""
    document = document_of(STORIES[3], head="<main>A short banner</main>")
    facts = facts_of(learned(*STORIES[:3]), document)
    assert facts[STORIES[3]][FACT("named_pages")] == 3
    assert facts[STORIES[3]][FACT("numbered_pages")] == 0


def test_case_and_digits_do_not_part_texts():
    """ "3 comments" and "12 Comments" differ in length only; "3 comments" and "4 Comments" in nothing."""
    fingerprints = [module._text_prints([text])[0] for text in ("3 comments", "4 Comments", "12 comments", "3 comment")]
    assert fingerprints[0] == fingerprints[1]
    assert len(set(fingerprints)) == 3


def test_lists_are_neither_looked_up_nor_remembered():
    """What is their main text changes from page to page, and front pages show whole stories."""
    site = learned(*STORIES[:3])
    first_list = document_of(STORIES[3], url="http://town.example/", is_list=True)
    assert site.features(first_list, np.zeros(len(first_list.blocks)), words_of(first_list)) is None
    site.learn(first_list, opinion_of(first_list), words_of(first_list), {})
    assert site.count == 3


def test_a_page_does_not_speak_against_itself():
    """The same address again: what it said itself is taken off, and it is not learned twice."""
    site = learned(*STORIES[:3])
    document = document_of(STORIES[0])
    facts = facts_of(site, document)
    footer = next(text for text in facts if text.startswith("All rights"))
    assert facts[STORIES[0]][FACT("text_pages")] == 0
    assert facts[footer][FACT("text_pages")] == 2
    assert facts[footer][FACT("pages")] == 2
    site.learn(document, opinion_of(document), words_of(document), {})
    assert site.count == 3
    alone = learned(STORIES[0])
    assert alone.features(document, np.zeros(len(document.blocks)), words_of(document)) is None


def test_a_copy_under_another_address_is_no_second_page():
    """A print version: its text stood on one earlier page, which does not count for it; nor is it learned."""
    site = learned(*STORIES[:2])
    document = document_of(STORIES[0], url="http://town.example/print?id=1")
    assert facts_of(site, document)[STORIES[0]][FACT("text_pages")] == 0
    site.learn(document, opinion_of(document), words_of(document), {})
    assert site.count == 2


def test_a_site_of_little_but_its_template_is_learned():
    """Where most pages look like copies of the first, they are not: it is the template that repeats."""
    site = HostProfile()
    for n in range(6):
        document = document_of("Film", url=f"http://town.example/{n}", head=f"<p>{story(1)}</p>")
        site.learn(document, np.full(len(document.blocks), 0.9), words_of(document), {})
    assert site.count >= 3


def test_nothing_is_said_of_an_unknown_site_an_empty_or_a_huge_page():
    """None: the page stays as it is."""
    document = document_of(STORIES[0])
    assert HostProfile().features(document, np.zeros(len(document.blocks)), words_of(document)) is None
    site = learned(*STORIES)
    empty = Document.from_page(Page(html=""))
    assert site.features(empty, np.zeros(0), np.zeros(0)) is None
    site.learn(empty, np.zeros(0), np.zeros(0), {})
    huge = Document.from_page(Page(html="".join(f"<p>Number {n}</p>" for n in range(module.MAX_BLOCKS + 1))))
    assert site.features(huge, np.zeros(len(huge.blocks)), words_of(huge)) is None
    site.learn(huge, np.zeros(len(huge.blocks)), words_of(huge), {})
    assert site.count == len(STORIES)


def test_features_are_finite_and_in_order():
    document = document_of(STORIES[3])
    site = learned(*STORIES[:3])
    x = site.features(document, np.full(len(document.blocks), 0.5), words_of(document))
    assert x.shape == (len(document.blocks), len(SITE_FEATURES))
    assert x.dtype == np.float32
    assert np.isfinite(x).all()
    assert (x[:, FACT("logit")] == 0.5).all()
    assert (x[:, FACT("pages")] == 3).all()


@pytest.mark.parametrize("html", ["<p>\ud800 lone surrogate", "<p>" + "x" * 100_000, "<x-y class='\ud83d'>a</x-y>" * 50, "<p>1</p>" * 3000])
def test_hostile_pages_are_learned(html):
    """Whatever a page holds, it has fingerprints."""
    site = HostProfile()
    for n in range(4):
        document = Document.from_page(Page(url=f"http://town.example/{n}", html=html))
        site.learn(document, np.full(len(document.blocks), 0.4), words_of(document), {"title": "h1"})
    x = site.features(document, np.zeros(len(document.blocks)), words_of(document))
    assert np.isfinite(x).all()


# --------------------------------------------------------------------------------------------------------------- bounds
def test_a_table_keeps_what_repeats_and_what_is_new():
    """Over its limit the rows of one page that were not seen for long go first."""
    table = Table(1, 100)
    ever = np.array([1, 2, 3], np.uint64)
    for page in range(50):
        keys = np.concatenate((ever, np.arange(1000 + 10 * page, 1010 + 10 * page, dtype=np.uint64)))
        table.add(keys, np.ones((len(keys), 1), np.float32), page)
    assert len(table.keys) <= 100
    assert (np.diff(table.keys.astype(np.int64)) > 0).all()
    assert table.values[table.find(ever), 0].tolist() == [50, 50, 50]
    assert (table.find(np.arange(1490, 1500, dtype=np.uint64)) >= 0).all()
    assert (table.find(np.arange(1000, 1010, dtype=np.uint64)) < 0).all()


def test_a_site_is_bounded_and_forgets_slowly():
    """Counts are halved, so a new design soon outweighs the old one."""
    site = HostProfile()
    for n in range(module.MAX_PAGES + 20):
        document = document_of(story(n))
        site.learn(document, opinion_of(document), words_of(document), {"title": f"h1 {n}"})
    assert site.pages < module.MAX_PAGES
    assert site.count == module.MAX_PAGES + 20
    assert len(site.texts.keys) <= module.MAX_TEXTS
    assert len(site.places.keys) <= module.MAX_PLACES
    assert len(site.titles) <= module.MAX_TITLES
    assert len(site.habits["title"]) <= module.MAX_HABITS


def test_the_sites_asked_for_last_are_kept():
    """A limit on sites, by use."""
    sites = SiteHistory(limit=2)
    first = sites.find("http://a.example/1")
    sites.find("http://b.example/1")
    assert sites.find("http://www.a.example/2") is first
    sites.find("http://c.example/1")
    assert len(sites) == 2
    assert sites.find("http://a.example/3") is first


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
    assert host_of(url) == host
    assert (SiteHistory().find(url) is None) == (host == "")


def test_threads_may_share_a_site():
    """Readers and writers at once: nothing raises, every page is counted."""
    site, failed = HostProfile(), []
    documents = [document_of(story(n)) for n in range(24)]
    for document in documents:
        document.fingerprints  # noqa: B018

    def work(part: list[Document]) -> None:
        try:
            for document in part:
                site.features(document, np.zeros(len(document.blocks)), words_of(document))
                site.learn(document, opinion_of(document), words_of(document), {"time": "time"})
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(documents[place::4],)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert site.count == 24


# --------------------------------------------------------------------------------------------------------------- fields
def test_titles_share_their_ends():
    """What most title elements of a site have in common is the site's, not the story's."""
    site = learned(*STORIES)
    assert site.title_tail("Something quite new - The Town Paper") == " - The Town Paper"
    assert site.title_head("Something quite new - The Town Paper") == ""
    assert HostProfile().title_tail("Anything - The Town Paper") == ""


def test_habits_count_places():
    """Where a field was found, how often, of how many."""
    site = HostProfile()
    for n in range(4):
        document = document_of(STORIES[n])
        site.learn(
            document, opinion_of(document), words_of(document), {"time": location_key("text", f"/html/body/p[{n + 1}]"), "title": None}
        )
    assert site.bonus("time", "text", "/html/body/p[9]") == module.HABIT
    assert site.bonus("time", "text", "/html/body/div") == 0
    assert site.bonus("time", "time", "/html/body/p[9]") == 0
    assert site.bonus("title", "h1", None) == 0


# ----------------------------------------------------------------------------------------------------------------- file
def test_what_is_saved_comes_back(tmp_path):
    """The same facts before and after, order of use included."""
    sites = SiteHistory(limit=3)
    for host in "abc":
        for text in STORIES:
            document = document_of(text)
            sites.find(f"http://{host}.example/").learn(document, opinion_of(document), words_of(document), {"time": "time"})
    sites.find("http://a.example/")
    sites.save(tmp_path / "folder" / "sites.npz")
    again = SiteHistory.load(tmp_path / "folder" / "sites.npz", limit=3)
    document = document_of("A story that nobody has read before, long enough to be one for the town's paper.")
    before, after = (
        found.find("http://b.example/").features(document, np.zeros(len(document.blocks)), words_of(document)) for found in (sites, again)
    )
    assert np.array_equal(before, after)
    assert again.find("http://b.example/").habits == {"time": {"time": 4}}
    again.find("http://d.example/")
    assert again.find("http://a.example/").count == 4
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["sites.npz"]


@pytest.mark.parametrize("content", [b"", b"no archive at all", b"PK\x03\x04broken"])
def test_a_damaged_file_is_an_empty_memory(tmp_path, content, caplog):
    """The crawl goes on, and the log says why it learns anew."""
    path = tmp_path / "sites.npz"
    path.write_bytes(content)
    assert len(SiteHistory.load(path)) == 0
    assert "learned anew" in caplog.text


def test_no_file_and_another_version(tmp_path, monkeypatch, caplog):
    """A missing file is silent, one of another version is not read."""
    assert len(SiteHistory.load(tmp_path / "none.npz")) == 0
    assert not caplog.text
    sites = SiteHistory()
    sites.find("http://a.example/")
    sites.save(tmp_path / "sites.npz")
    monkeypatch.setattr(module, "VERSION", module.VERSION + 1)
    assert len(SiteHistory.load(tmp_path / "sites.npz")) == 0
    assert "version" in caplog.text
