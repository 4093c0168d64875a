"""The regression check of saved pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.saved_pages.pages import BOXES, edit, save
from webcontent.pipeline import Options
from webcontent.saved_pages.archive import load_item
from webcontent.saved_pages.check import PageCheck, check_folder, is_same, report_lines

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def options() -> Options:
    return Options()


def test_a_page_that_was_just_saved_passes(tmp_path: Path, options: Options):
    """Every field is the same, from the saved files alone."""
    save(tmp_path, boxes=BOXES)
    (check,) = check_folder(tmp_path, options)
    assert check.has_passed
    assert set(check.compared) >= {"title", "time", "source", "authors", "body", "related", "type", "flags"}


def test_a_difference_is_found_field_by_field(tmp_path: Path, options: Options):
    """The corrected values are the expected ones."""
    place = save(tmp_path)
    edit(place, title="大桥建成", body=[*load_item(place)["body"][:-1], "One line that was missed"])
    (check,) = check_folder(tmp_path, options)
    assert check.is_checked
    assert list(check.differences) == ["title", "body"]
    assert check.differences["title"] == ("大桥建成", "大桥开工")


def test_a_field_that_is_removed_is_not_compared(tmp_path: Path, options: Options):
    """White space does not matter."""
    place = save(tmp_path)
    (place / "item.json").write_text('{"title": " 大桥开工 "}', encoding="utf-8")
    (check,) = check_folder(tmp_path, options)
    assert check.has_passed
    assert check.compared == ["title"]


def test_a_body_may_be_one_text(tmp_path: Path, options: Options):
    """Users may write it instead of a list of lines."""
    place = save(tmp_path)
    edit(place, body="\n".join(load_item(place)["body"]))
    assert next(check_folder(tmp_path, options)).has_passed


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "item.json is not JSON"),
        ("[" * 100_000, "item.json is not JSON"),
        ("[]", "item.json holds list; it takes an object"),
        ('{"tittle": "a"}', "item.json has the field 'tittle'; items have audios, authors, body,"),
    ],
)
def test_a_damaged_file_is_an_error_of_its_page(tmp_path: Path, options: Options, text: str, error: str):
    """The other pages are checked as usual."""
    (save(tmp_path) / "item.json").write_text(text, encoding="utf-8")
    save(tmp_path, url="https://other.example/")
    first, second = check_folder(tmp_path, options)
    assert error in first.error
    assert (first.has_passed, second.has_passed) == (False, True)


def test_a_wrong_value_is_an_error_of_its_page(tmp_path: Path, options: Options):
    """The message names the value and what is accepted."""
    place = save(tmp_path)
    (place / "page.json").write_text('{"flags": "none"}', encoding="utf-8")
    (check,) = check_folder(tmp_path, options)
    assert check.error.endswith("page.json has flags 'none'; it takes list.")


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
def test_white_space_and_empty_values_do_not_matter(saved: Any, now: Any, same: bool):
    assert is_same(saved, now) is same


def test_the_report_is_readable():
    """It has the differences by page, a table of the fields and a line with the totals."""
    links = [{"title": "a", "url": "/a"}, {"title": "b", "url": "/b"}]
    differences = {
        "title": ("Old bridge", None),
        "body": (["one", "two", "three"], ["two", "three", "four"]),
        "related": (links, links[:1]),
        "authors": ([f"a{number}" for number in range(9)], []),
    }
    checks = [
        PageCheck("one", True, ["title", "body"], differences),
        PageCheck("two", False, ["title", "body"]),
        PageCheck("three", error="item.json is not JSON"),
    ]
    assert list(report_lines(checks)) == [
        "one",
        "  title, word F1 0.000",
        "    - Old bridge",
        "  body, word F1 0.667",
        "    - one",
        "    + four",
        "  related, word F1 0.667",
        '    - {"title": "b", "url": "/b"}',
        "  authors, word F1 0.000",
        *(f"    - a{number}" for number in range(6)),
        "    and 3 more",
        "",
        "three",
        "  item.json is not JSON",
        "",
        "field           pages   same   share",
        "title               2      1   0.500",
        "body                2      1   0.500",
        "",
        "pages: 3; checked or corrected by hand: 1; differing: 2",
    ]
