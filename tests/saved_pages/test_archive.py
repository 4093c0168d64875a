"""Pages kept with their items, corrected by hand, and held against today's."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import TEXTS, article, crawl_seeds, listing, scrapy, serve
from webcontent import extract
from webcontent.crawl.pipelines import ExtractionPipeline
from webcontent.crawl.workers import WorkerPool
from webcontent.evaluation.corpora import load_corpus
from webcontent.items import Page
from webcontent.pipeline import Options
from webcontent.saved_pages.archive import PageArchive, as_json, folder_name, is_checked, load_item, load_page, saved_pages
from webcontent.saved_pages.check import Check, Difference, check_folder, is_same, report

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://news.example.org/2024/bridge.html"
BOXES = [["/html/body/h1", "h1", 8, 16, 1350, 18, 16, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]]


def make_page(**changes: Any) -> Page:
    return Page(
        **{
            "url": URL,
            "html": article("大桥开工").encode("gb18030"),
            "encoding": "gb18030",
            "fetched_at": "2024-03-06T08:00:00+00:00",
            **changes,
        }
    )


def make_item(page: Page) -> dict[str, Any]:
    return as_json(extract(page.html, url=page.url, encoding=page.encoding, fetched_at=page.fetched_at))


def save(folder: Path, **changes: Any) -> Path:
    page = make_page(**changes)
    place = PageArchive(folder).save(page, make_item(page))
    assert place is not None
    return place


def edit(place: Path, **changes: Any) -> None:
    """What a user does with an editor."""
    item = json.loads((place / "item.json").read_text(encoding="utf-8"))
    (place / "item.json").write_text(json.dumps({**item, **changes}, ensure_ascii=False), encoding="utf-8")


# Saving


def test_a_page_comes_back_as_it_was(tmp_path: Path):
    """Byte for byte, with boxes, picture, headers, flags and time."""
    page = make_page(boxes=BOXES, screenshot=b"\x89PNG...", headers={"content-type": "text/html"}, flags=["truncated"], status=404)
    place = PageArchive(tmp_path).save(page, make_item(page))
    assert place is not None
    assert load_page(place) == page
    assert sorted(file.name for file in place.iterdir()) == ["boxes.json", "item.json", "page.html", "page.json", "screenshot.png"]


def test_the_item_is_plain_json_to_be_corrected(tmp_path: Path):
    """A line a line of the body; what nobody corrects is left out."""
    item = json.loads((save(tmp_path) / "item.json").read_text(encoding="utf-8"))
    assert item["title"] == "大桥开工"
    assert item["body"] == [f"大桥开工: {text}" for text in TEXTS]
    assert item["checked"] is False
    assert not {"evidence", "score", "fingerprint", "body_html", "extractor", "fetched_at"} & set(item)
    assert "大桥开工" in (tmp_path / folder_name(make_page()) / "item.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("url", "begins"),
    [
        (URL, "news.example.org-2024-bridge.html-"),
        ("https://example.org/../../etc/passwd", "example.org-etc-passwd-"),
        ("https://example.org/a%2F..%2Fb?x=../y&z=\x00", "example.org-a-2f-2fb-x-y-z-"),
        ("https://新闻.example/新闻", "example-"),
        ("https://example.org/" + "long/" * 500, "example.org-long-long-"),
        ("javascript:alert(1)", "page-alert-1-"),
        ("https://[bad/", "page-"),
        (None, "page-"),
    ],
)
def test_names_of_folders_are_safe(tmp_path: Path, url: str | None, begins: str):
    """Whatever the address: plain letters, one folder deep, not hidden, not long; another address, another name."""
    name = folder_name(make_page(url=url))
    assert name.startswith(begins)
    assert len(name) <= 72
    assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert not name.startswith(".")
    assert save(tmp_path, url=url).parent == tmp_path
    assert name != folder_name(make_page(url=f"{url}x", html=b"<p>another"))


def test_a_corrected_page_is_never_overwritten(tmp_path: Path):
    """The next crawl meets it again and leaves it."""
    place = save(tmp_path)
    edit(place, title="Corrected")
    page = make_page(html=article("Another"))
    assert PageArchive(tmp_path).save(page, make_item(page)) is None
    assert load_item(place)["title"] == "Corrected"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_recorder_stops_at_its_limit(tmp_path: Path):
    """From several threads, too."""
    recorder = PageArchive(tmp_path, limit=5)
    pages = [make_page(url=f"https://example.org/{n}") for n in range(20)]
    item = make_item(pages[0])
    threads = [Thread(target=lambda some=pages[n::4]: [recorder.save(page, item) for page in some]) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(saved_pages(tmp_path))) == recorder.saved == 5
    assert recorder.is_full


def test_a_page_that_can_not_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """No half page, and the error is the disk's."""
    recorder = PageArchive(tmp_path)
    page = make_page(boxes=BOXES)
    item = make_item(page)

    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webcontent.saved_pages.archive._write_json", fail)
    with pytest.raises(OSError, match="No space left"):
        recorder.save(page, item)
    assert list(tmp_path.iterdir()) == []
    assert recorder.saved == 0


def test_a_folder_that_can_not_be_is_said(tmp_path: Path):
    """Before the first page, with the setting's name."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"WEBCONTENT_SAVE is .*file.*, which can't be a folder"):
        PageArchive(tmp_path / "file" / "saved")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_others_may_read_what_was_saved(tmp_path: Path):
    """A temporary folder is for its owner alone; a saved page is not."""
    assert stat.S_IMODE(save(tmp_path).stat().st_mode) == 0o755


def test_an_item_is_checked_when_somebody_said_so_or_changed_it(tmp_path: Path):
    """A page as it was saved is nobody's truth."""
    place = save(tmp_path)
    assert not is_checked(place)
    edit(place, checked=True)
    assert is_checked(place)
    edit(place, checked=False)
    assert not is_checked(place)
    edit(place, time="2024-03-05")
    assert is_checked(place)


# Checking


@pytest.fixture(scope="module")
def options() -> Options:
    return Options()


def test_what_was_just_saved_is_the_same_today(tmp_path: Path, options: Options):
    """Every field, from the stored files alone."""
    save(tmp_path, boxes=BOXES)
    (check,) = check_folder(tmp_path, options)
    assert check.is_right
    assert set(check.judged) >= {"title", "time", "source", "authors", "body", "related", "type", "flags"}


def test_a_difference_is_found_field_by_field(tmp_path: Path, options: Options):
    """What was corrected is the truth."""
    place = save(tmp_path)
    edit(place, title="大桥建成", body=[*load_item(place)["body"][:-1], "One line that was missed"])
    (check,) = check_folder(tmp_path, options)
    assert check.is_checked
    assert [difference.field for difference in check.differences] == ["title", "body"]
    assert check.differences[0] == Difference("title", "大桥建成", "大桥开工")


def test_a_field_that_is_left_out_is_not_judged(tmp_path: Path, options: Options):
    """And of the links only what was left."""
    place = save(tmp_path)
    (place / "item.json").write_text('{"title": " 大桥开工 "}', encoding="utf-8")
    (check,) = check_folder(tmp_path, options)
    assert check.is_right
    assert check.judged == ["title"]


def test_a_body_may_be_one_text(tmp_path: Path, options: Options):
    """Some like it better than a list of lines."""
    place = save(tmp_path)
    edit(place, body="\n".join(load_item(place)["body"]))
    assert next(check_folder(tmp_path, options)).is_right


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "item.json is no JSON"),
        ("[]", "item.json holds list; it takes an object"),
        ('{"tittle": "a"}', "item.json has the field 'tittle'; items have authors, body,"),
    ],
)
def test_a_damaged_file_is_a_fault_of_its_page(tmp_path: Path, options: Options, text: str, fault: str):
    """The other pages are checked all the same."""
    (save(tmp_path) / "item.json").write_text(text, encoding="utf-8")
    save(tmp_path, url="https://other.example/")
    first, second = check_folder(tmp_path, options)
    assert fault in first.fault
    assert (first.is_right, second.is_right) == (False, True)


def test_wrong_facts_are_a_fault_of_their_page(tmp_path: Path, options: Options):
    """As a wrong edit leaves them."""
    place = save(tmp_path)
    (place / "page.json").write_text('{"flags": "none"}', encoding="utf-8")
    (check,) = check_folder(tmp_path, options)
    assert check.fault.endswith("page.json has flags 'none'; it takes a list.")


@pytest.mark.parametrize(
    ("saved", "now", "same"),
    [
        ("a  b\n", " a b", True),
        ("a", "A", False),
        (None, "", True),
        ([], None, True),
        (None, "a", False),
        (["a", "b"], ["b", "a"], False),
        ([{"title": "a"}], [{"title": "a", "url": "/a", "time": None}], True),
        ([{"title": "a", "url": "/b"}], [{"title": "a", "url": "/a"}], False),
        ([{"title": "a"}], [], False),
        (0, None, True),
    ],
)
def test_values_are_compared(saved: Any, now: Any, same: bool):
    assert is_same(saved, now) is same


def test_the_report_can_be_read():
    """What differs by page, a table of the fields, a line for all."""
    links = [{"title": "a", "url": "/a"}, {"title": "b", "url": "/b"}]
    wrong = [
        Difference("title", "Old bridge", None),
        Difference("body", ["one", "two", "three"], ["two", "three", "four"]),
        Difference("related", links, links[:1]),
        Difference("authors", ["a", "b"], ["b", "a"]),
    ]
    checks = [
        Check("one", True, ["title", "body"], wrong),
        Check("two", False, ["title", "body"]),
        Check("three", fault="item.json is no JSON"),
    ]
    assert list(report(checks)) == [
        "one",
        "  title         saved    Old bridge",
        "                now      –",
        "  body          1 line missing, 1 too many of 3, word F1 0.667",
        "                missing  one",
        "                too many four",
        "  related       1 part missing, 0 too many of 2",
        "                missing  b · /b",
        "  authors       0 parts missing, 0 too many of 2; another order, or other details",
        "",
        "three",
        "  item.json is no JSON",
        "",
        "field           pages   same   share",
        "title               2      1   0.500",
        "body                2      1   0.500",
        "",
        "3 pages (1 checked or corrected by hand): 2 differ.",
    ]


# In a pipeline


def run_pipeline(pages: list[Page], **settings: Any) -> tuple[list[Any], Any]:
    """What leaves ExtractionPipeline (the page's type, where it is dropped), and the stats."""
    crawler = get_crawler(
        settings_dict={"WEBCONTENT_SITE_HISTORY": False, **{f"WEBCONTENT_{name}": value for name, value in settings.items()}}
    )
    crawler.spider = crawler._create_spider("test")
    pipeline = ExtractionPipeline.from_crawler(crawler)

    async def through() -> list[Any]:
        made = []
        for page in pages:
            try:
                made.append(await pipeline.process_item(page))
            except DropItem as dropped:
                made.append(dropped)
        return made

    try:
        return asyncio.run(through()), crawler.stats
    finally:
        WorkerPool.of(crawler, 1).close()


def test_what_leaves_the_pipeline_is_kept(tmp_path: Path):
    """With the page that it was made of; counted."""
    (item,), stats = run_pipeline([make_page(boxes=BOXES)], SAVE=str(tmp_path / "saved"))
    (place,) = saved_pages(tmp_path / "saved")
    assert load_item(place)["title"] == item.title
    assert load_page(place).boxes == BOXES
    assert stats.get_value("webcontent/saved") == 1
    assert stats.get_value("webcontent/ms/save") is not None


def test_what_is_dropped_is_not_kept(tmp_path: Path):
    """An item of a type that nobody wants is no test case either."""
    (dropped,), stats = run_pipeline([make_page()], SAVE=str(tmp_path / "saved"), EMIT="list")
    assert isinstance(dropped, DropItem)
    assert list(saved_pages(tmp_path / "saved")) == []
    assert stats.get_value("webcontent/saved") is None


def test_flags_of_the_crawl_are_not_kept(tmp_path: Path):
    """A duplicate is one beside other pages, not by itself: checked alone it would differ."""
    pages = [make_page(), make_page(url="https://news.example.org/copy.html")]
    items, _ = run_pipeline(pages, SAVE=str(tmp_path / "saved"), DUPLICATES="flag")
    assert "duplicate" in items[1].flags
    assert [load_item(place)["flags"] for place in saved_pages(tmp_path / "saved")] == [[], []]


def test_a_full_disk_costs_only_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The item leaves; the fault is counted."""

    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webcontent.saved_pages.archive._write", fail)
    (item,), stats = run_pipeline([make_page()], SAVE=str(tmp_path / "saved"))
    assert item.title == "大桥开工"
    assert stats.get_value("webcontent/errors/save") == 1
    assert list((tmp_path / "saved").iterdir()) == []


# The commands, and a crawl


def test_a_crawl_keeps_its_pages(tmp_path: Path):
    """Articles and lists, up to the limit; what was kept is checked without a net, and trained on once it was corrected."""
    saved = tmp_path / "saved"
    links = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(6)}
    with serve({"/": listing("News", links), **{url: article(text) for url, text in links.items()}}) as site:
        items = crawl_seeds(f"{site.url}/", tmp_path, "-s", f"WEBCONTENT_SAVE={saved}", "-s", "WEBCONTENT_SAVE_LIMIT=4")
    assert len(items) == 7
    places = list(saved_pages(saved))
    assert len(places) == 4
    by_url = {item["url"]: item for item in items}
    for place in places:
        item = load_item(place)
        assert "\n".join(item["body"]) == by_url[item["url"]]["body"]
    done = scrapy("extract", "--check", str(saved), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "4 pages (0 checked or corrected by hand): none differ."
    edit(places[0], title="Corrected by hand")
    done = scrapy("extract", "--check", str(saved), cwd=tmp_path)
    assert done.returncode == 1
    assert "saved    Corrected by hand" in done.stdout
    assert [record["gold"]["title"] for record in load_corpus(str(saved))] == ["Corrected by hand"]


def test_inspect_saves_and_shows_what_was_saved(tmp_path: Path):
    """The folder of a page stands for its file; a page that is there already is not saved again."""
    file, saved = tmp_path / "page.html", tmp_path / "saved"
    file.write_text(article("大桥开工"), encoding="utf-8")
    options = ("--url", URL, "--save", str(saved), "-s", "WEBCONTENT_RENDER=False")
    done = scrapy("inspect", str(file), *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    place = saved / folder_name(make_page())
    assert done.stdout.strip() == str(place)
    assert make_item(make_page())["body"] == load_item(place)["body"]
    done = scrapy("inspect", str(place), "--reference-page", str(place), "--compare", "ngfv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "大桥开工" in done.stdout.splitlines()[1]
    done = scrapy("inspect", str(file), *options, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{URL} is in {saved} already" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--check", "nowhere"), 2, "--check takes one folder of saved pages, and no other page."),
        (("--check", ".", "http://127.0.0.1:9/"), 2, "--check takes one folder of saved pages, and no other page."),
        (("--check", "."), 1, ". holds no saved page"),
    ],
)
def test_wrong_checks_say_what_is_wrong(tmp_path: Path, arguments: tuple[str, ...], code: int, message: str):
    """One sentence."""
    done = scrapy("extract", *arguments, cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert message in done.stderr
