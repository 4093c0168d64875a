"""The simplest selector that gives a right value, and how it is written into a site file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.site_files.pages import HOST, TITLES, body_lines, story, story_html
from webcontent.document.parsing import Document
from webcontent.site_files.proposing import propose, write_keys
from webcontent.site_files.reading import SiteFile, SiteFileError, read_site_file

if TYPE_CHECKING:
    from pathlib import Path

DATE = "2024-0{}-0{}T10:15"


@pytest.fixture
def file(tmp_path: Path) -> SiteFile:
    return SiteFile(path=tmp_path / "example.org.toml")


def documents(*numbers: int) -> list[Document]:
    return [Document.from_page(story(number)) for number in numbers]


@pytest.mark.parametrize(
    ("name", "right", "keys"),
    [
        ("title", TITLES, {"title": ".kicker"}),
        ("authors", [[f"Ann Lee {n}"] for n in range(4)], {"authors": {"select": ".pen", "strip": "^Written by "}}),
        ("time", [f"2024-04-0{n + 1}" for n in range(4)], {"time": ".day"}),
        ("publisher", ["The Example"] * 4, {"publisher": ".logo"}),
        ("source", ["Example"] * 4, {"source": {"select": ".logo", "strip": "^The "}}),
        ("body", [body_lines(n) for n in range(4)], {"body": ".text", "drop": [".text .promo"]}),
    ],
)
def test_the_simplest_selector_is_found(file: SiteFile, name: str, right: list[Any], keys: dict[str, Any]):
    """From two pages, and it holds for two others."""
    proposal = propose(file, name, list(zip(documents(0, 1), right[:2], strict=True)), documents(2, 3))
    assert proposal is not None
    assert proposal == (keys, 2)


def test_a_selector_holds_on_all_pages_where_the_value_is_known(file: SiteFile):
    """A class of one page only gives way to one that all pages have, and an attribute to none."""
    pages = [
        Document.from_page(
            story(number, story_html(number).replace('class="kicker"', f'class="kicker k{number}" title="{TITLES[number]}"'))
        )
        for number in (0, 1)
    ]
    proposal = propose(file, "title", list(zip(pages, TITLES, strict=False)), [])
    assert proposal is not None
    assert proposal[0] == {"title": ".kicker"}
    assert propose(file, "title", [(pages[0], TITLES[0]), (pages[1], "Words that no page has")], []) is None
    assert propose(file, "body", [(pages[0], ["Words that no page has"])], []) is None


def test_of_several_selectors_that_counts_which_other_pages_have(file: SiteFile):
    """The shorter one finds nothing on the others."""
    first = Document.from_page(story(0, story_html(0).replace('class="kicker"', 'class="kicker k"')))
    proposal = propose(file, "title", [(first, TITLES[0])], documents(1, 2))
    assert proposal is not None
    assert proposal == ({"title": ".kicker"}, 2)


def test_an_address_is_found_by_its_link(file: SiteFile):
    html = story_html(0).replace("<h1>", '<a class="more" href="/news/?page=2">next</a><h1>')
    proposal = propose(file, "next_page", [(Document.from_page(story(0, html)), f"{HOST}/news/?page=2")], [])
    assert proposal is not None
    assert proposal[0] == {"next_page": ".more"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'title = ".kicker"\n'),
        ("# mine\nrender = true\n", '# mine\nrender = true\ntitle = ".kicker"\n'),
        ('# mine\ntitle = "h1"\nrender = true\n', '# mine\ntitle = ".kicker"\nrender = true\n'),
        ('[authors]\nselect = ".pen"\n', 'title = ".kicker"\n[authors]\nselect = ".pen"\n'),
    ],
)
def test_a_line_takes_its_place_in_the_file(tmp_path: Path, before: str, after: str):
    """Other lines stay as they are."""
    path = tmp_path / "sites" / "example.org.toml"
    if before:
        path.parent.mkdir()
        path.write_text(before)
    file = write_keys(path, {"title": ".kicker"})
    assert path.read_text() == after
    assert file.fields["title"].select == ".kicker"


def test_tables_and_lists_are_written_as_toml(tmp_path: Path):
    """Quotes, backslashes and characters of other scripts come back as they were."""
    keys = {"authors": {"select": 'span[name="a b"]', "strip": "^作者：|\\.$"}, "drop": [".a", ".b"]}
    file = write_keys(tmp_path / "example.org.toml", keys)
    authors = file.fields["authors"]
    assert authors.strip is not None
    assert {"select": authors.select, "strip": authors.strip.pattern} == keys["authors"]
    assert [one.select for one in file.drop] == keys["drop"]


def test_a_file_that_would_be_wrong_stays_as_it_was(tmp_path: Path):
    """A table of the same name can't be replaced by a line."""
    path = tmp_path / "example.org.toml"
    path.write_text('[title]\nselect = "h1"\n')
    with pytest.raises(SiteFileError, match=r'Write it yourself: title = "\.kicker"'):
        write_keys(path, {"title": ".kicker"})
    assert read_site_file(path).fields["title"].select == "h1"


@pytest.mark.parametrize(("characters", "is_found"), [(250, True), (350, False)])
def test_values_are_looked_for_in_short_texts(file: SiteFile, characters: int, is_found: bool):
    """An element of a longer text holds more than a value."""
    html = story_html(0).replace(TITLES[0], TITLES[0].ljust(characters, "."))
    assert (propose(file, "title", [(Document.from_page(story(0, html)), TITLES[0])], []) is not None) == is_found


@pytest.mark.parametrize(("rest", "is_found"), [(133, True), (300, False)])
def test_a_body_is_an_element_that_holds_little_else(file: SiteFile, rest: int, is_found: bool):
    """F1 of the characters is 0.6 and 0.4."""
    right = "The bridge. " * 8 + "Done"
    page = Document.from_page(story(0, f"<body><p>{right}<br>{'x' * rest}</p></body>"))
    assert (propose(file, "body", [(page, [right])], []) is not None) == is_found
