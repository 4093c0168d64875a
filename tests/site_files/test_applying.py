"""What a site file changes of an item, and that a selector without a value costs its field only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import webcontent
from tests.site_files.pages import TITLES, body_lines, story, story_html
from webcontent.pipeline import Options, page_item
from webcontent.site_files import SiteFiles

if TYPE_CHECKING:
    from pathlib import Path

    from webcontent.items import Article, Listing, Page


def item_of(folder: Path, text: str, page: Page | None = None) -> Article | Listing:
    (folder / "example.org.toml").write_text(text, encoding="utf-8")
    return page_item(page or story(2), Options(site_files=SiteFiles(folder), evidence=True))


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ('title = ".kicker"', "title", TITLES[2]),
        ("title = \"//div[@class='kicker']\"", "title", TITLES[2]),
        ("title = \"string(//div[@class='kicker'])\"", "title", TITLES[2]),
        ('title = { select = "meta[property=\'og:title\']", attribute = "content", strip = "^The " }', "title", "Example"),
        ('authors = { select = ".pen", strip = "^Written by" }', "authors", ["Ann Lee 2"]),
        ('authors = { select = ".pen", take = "by (.*)" }', "authors", ["Ann Lee 2"]),
        ('source = { select = ".pen", take = "Ann Lee" }', "source", "Ann Lee"),
        ('time = ".day"', "time", "2024-04-03T10:15"),
        ('date_order = "mdy"\ntime = ".day"', "time", "2024-03-04T10:15"),
        ('time_zone = "Asia/Shanghai"\ntime = ".day"', "time", "2024-04-03T10:15+08:00"),
        ('body = ".text"\ndrop = [".promo"]', "body", "\n".join(body_lines(2))),
        ('drop = [".promo"]', "body", "\n".join([TITLES[2], *body_lines(2)])),
    ],
)
def test_a_line_gives_its_field(tmp_path: Path, line: str, name: str, value: Any):
    item = item_of(tmp_path, line)
    assert getattr(item, name) == value
    assert "site-file-missed" not in item.flags
    if name != "body" and "select" in line or line.startswith("title"):
        assert item.evidence[name][0].origin == "site file"


@pytest.mark.parametrize("order", ["dmy", "mdy"])
def test_the_order_of_dates_and_the_zone_hold_without_a_selector(tmp_path: Path, order: str):
    """The models find the time, the file says how it is read."""
    html = story_html(2).replace("Issued 03/04/2024", "Published: 03/04/2024")
    item = item_of(tmp_path, f'date_order = "{order}"\ntime_zone = "Asia/Shanghai"', story(2, html))
    assert item.time == {"dmy": "2024-04-03T10:15+08:00", "mdy": "2024-03-04T10:15+08:00"}[order]


@pytest.mark.parametrize(
    "line",
    [
        'title = ".gone"',
        'title = "//div[mine(.)]"',
        'title = { select = ".kicker", take = "no such words" }',
        'time = ".pen"',
        'body = ".gone"',
    ],
)
def test_a_selector_without_a_value_costs_its_field_only(tmp_path: Path, line: str):
    """The value of the models stays, and the item has a flag; not where the file says that pages may lack it."""
    plain, item = page_item(story(2), Options()), item_of(tmp_path, f'{line}\nauthors = {{ select = ".pen", strip = "^Written by" }}')
    assert "site-file-missed" in item.flags
    assert (item.title, item.time, item.body) == (plain.title, plain.time, plain.body)
    assert item.authors == ["Ann Lee 2"]
    assert "site-file-missed" not in item_of(tmp_path, 'title = { select = ".gone", optional = true }').flags


def test_an_address_decides_the_type(tmp_path: Path):
    """A list has no fields of articles, only `next_page`."""
    listing = item_of(tmp_path, 'lists = ["/news/*"]\ntitle = ".gone"\nnext_page = ".logo a"')
    assert isinstance(listing, webcontent.Listing)
    assert (listing.kind, listing.page_type_score, listing.flags) == ("listing", 1.0, ["site-file-missed"])
    html = story_html(2).replace("<h1>The Example</h1>", '<a href="/news/?page=2">more</a>')
    listing = item_of(tmp_path, 'lists = ["/news/*"]\ntitle = ".gone"\nnext_page = ".logo a"', story(2, html))
    assert isinstance(listing, webcontent.Listing)
    assert (listing.next_page, listing.flags) == ("https://news.example.org/news/?page=2", [])


def test_a_file_names_the_extractor(tmp_path: Path):
    """A page's own route and the caller take precedence."""
    assert item_of(tmp_path, 'extractor = "awce"').extractor == "awce"
    page = story(2)
    page.meta["extractor"] = "bpnn"
    assert item_of(tmp_path, 'extractor = "awce"', page).extractor == "bpnn"


def test_the_library_takes_site_files(tmp_path: Path):
    """`extract` and `extract_many`. Other sites are left alone."""
    (tmp_path / "example.org.toml").write_text('title = ".kicker"')
    files, page = webcontent.SiteFiles(tmp_path), story(1)
    assert webcontent.extract(page.html, url=page.url, site_files=files).title == TITLES[1]
    assert [item.title for item in webcontent.extract_many([story(1), story(2)], site_files=files)] == [TITLES[1], TITLES[2]]
    assert webcontent.extract(page.html, url="https://other.example.com/1", site_files=files).title != TITLES[1]
    with pytest.raises(TypeError, match="site_files is str; it takes SiteFiles or None"):
        webcontent.extract("<p>", site_files="sites")  # type: ignore[arg-type]
