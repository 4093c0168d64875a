"""How many links and images, and how much of each, are looked at: a size at which something counts, beside one at which it does not."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.fields.pages import ENGLISH, article_of, listing_of, signals_of
from webcontent.fields.links.anchors import Anchors
from webcontent.fields.links.next_page import find_next_page
from webcontent.fields.links.record_groups import Record, find_record_groups
from webcontent.fields.links.related import find_related

if TYPE_CHECKING:
    from collections.abc import Callable

    from webcontent.items import Candidate, Entry

TITLE = "<h1>Ice stops the ferry</h1>"
LINE = "<p>Line"


def anchors_of(html: str) -> Anchors:
    return Anchors(signals_of(html).document)


@cache
def many_links() -> int:
    return len(anchors_of("".join(f"<a href=/{number}>x</a>" for number in range(5001))).all)


# ------------------------------------------------------------------------------------------- entries
def records(count: int, inner: str = "", title: str = "A story of the harbour", path: str = "s") -> str:
    """Records; # stands for their numbers."""
    return "".join(f"<li><a href=/{path}/#>{title}</a>{inner}</li>".replace("#", str(number)) for number in range(count))


def entry(inner: str, title: str = "A story of the harbour") -> Entry:
    return listing_of(f"<ul>{records(4, inner, title)}</ul>").entries[0]


def adds(title: int, chars: int) -> bool:
    """Whether one more character of a record's title, or of its text, adds to its score."""
    anchor = anchors_of("<a href=/x>y").all[0]
    now, more = (
        Record(0, 1, anchor, "t" * size, text, has_time=False, in_heading=False).score
        for size, text in ((title, chars), (title + (chars == 0), chars + (chars > 0)))
    )
    return more > now


def best_list(in_menu: int) -> str:
    """The list that leads on, of three records in the text and so many in a menu."""
    html = f"<nav><ul>{records(in_menu, ' 5 May 2024', path='menu')}</ul></nav><div><ul>{records(3, ' 5 May 2024', path='text')}</ul></div>"
    return find_record_groups(anchors_of(html))[0].records[0].anchor.href


def are_records(inner: str, title: str) -> bool:
    """Whether each item of a list leads to one article."""
    return any(group.key == "li" for group in find_record_groups(anchors_of(f"<ul>{records(3, inner, title)}</ul>")))


def two_lists(second: int) -> list[Entry]:
    """Entries of a list of 20 records, and of one in other markup."""
    html = f"<ul>{records(20, ' 5 May 2024')}</ul><ol class=x>{records(second, ' 5 May 2024', path='other')}</ol>"
    return [entry for entry in listing_of(html).entries if "other" in entry.url]


# ------------------------------------------------------------------------------------------- related links
def related(html: str, labels: list[int] | None = None) -> list[Candidate]:
    signals = signals_of(html, labels=labels)
    return find_related(signals, Anchors(signals.document))


def after(text: str, title: str = "Another story", heading: str = "Related") -> list[Candidate]:
    return related(f"<div><h3>{heading}</h3>{text}<a href=/a>{title}</a></div>")


def lists(count: int) -> list[Candidate]:
    html = "".join(f"<div><h3>Related</h3><a href=/{number}>Another story</a></div>" for number in range(count))
    return related(html, labels=[1] * 2 * count)


def further_list(lines: int) -> bool:
    """Whether a second list counts that begins so many blocks behind the body."""
    html = f"<p>Body<div><h3>Related</h3><a href=/a>Another story</a></div>{LINE * (lines - 3)}<div><h3>Related</h3><a href=/b>Another story</a></div>"
    return len(related(html, labels=[1, *[0] * (lines + 1)])) > 1


# ------------------------------------------------------------------------------------------- images
def image(inner: str = "", behind: str = "", lines: int = 1) -> list[object]:
    """Images of an article, with these attributes, and lines between its title and text."""
    item = article_of(f"{TITLE}<img src=/a.jpg {inner}>{LINE * lines}{ENGLISH}{behind}{ENGLISH}")
    return [picture.caption for picture in item.images]


def pictures(count: int) -> str:
    return "".join(f"<img src=/{number}.jpg>" for number in range(count))


def players(count: int) -> int:
    html = "".join(f"<iframe src=https://www.youtube.com/embed/abcdefgh{number:03}></iframe>" for number in range(count))
    return len(article_of(TITLE + ENGLISH + html + ENGLISH).videos)


LIMITS: dict[str, tuple[Callable[[int], object], int, int]] = {
    "links of a page": (lambda n: many_links() >= n, 5000, 5001),
    "characters of a block with a date": (lambda n: anchors_of(f"<p>{'x' * (n - 5)} 2024").places.date_hints_before[-1], 400, 401),
    "characters of a dated line": (lambda n: entry(f"<p>{'x' * (n - 12)} 5 May 2024,").time, 400, 401),
    "elements before the heading in a link": (lambda n: anchors_of(f"<a href=/x>{'<i></i>' * n}<h3>Story</h3></a>").all[0].is_heading, 38, 39),
    "characters of a title's line": (lambda n: anchors_of(f"<a href=/x><p>{'t' * n}</p><p>A story of the harbour</p></a>").all[0].title == "t" * n, 6, 5),
    "text of a link beside a heading": (lambda n: listing_of(f"<ul>{records(4, '<h3><a href=/h#>Story</a></h3>', 'x' * n)}</ul>").entries, 64, 66),
    "links of a record": (lambda n: are_records(f"{''.join(f'<a href=/#/{i}>x</a>' for i in range(n - 2))}<h3><a href=/h#>The story of the pier</a></h3>", "x"), 40, 41),
    "rivals of a title": (lambda n: are_records(f"<a href=/r#>{'x' * n}</a>", "t" * 100), 54, 56),
    "characters of a good title": (lambda n: find_record_groups(anchors_of(f"<ul>{records(3, ' 5 May 2024', 't' * n)}</ul>"))[0].score, 8, 7),
    "scored characters of a title": (lambda n: adds(n, 0), 39, 40),
    "scored characters of a text": (lambda n: adds(40, n), 149, 150),
    "records of a menu that is better than a list": (lambda n: best_list(n).startswith("/text"), 19, 21),
    "characters of nine titles that an article leads to": (lambda n: article_of(f"<ul>{records(9, title='t' * n)}</ul>", score=0.5).entries, 40, 39),
    "records of another list": (two_lists, 11, 9),
    "lines of a record": (lambda n: (entry("<p>x" * (n - 2) + f"<p>{'s' * 20}").summary or "") > "s", 40, 41),
    "characters of a summary": (lambda n: entry(f"<p>{'s' * n}").summary, 15, 14),
    "characters that are kept of a summary": (lambda n: len(entry(f"<p>{'s' * n}").summary or "") == n, 1000, 1001),
    "text of a link to the next page": (lambda n: find_next_page(anchors_of(f"<a href=/2 rel=next>{'x' * n}</a>")), 30, 31),
    "related links": (lambda n: len(after("".join(f"<a href=/{i}>Another story</a>" for i in range(n - 1)))[0].value) == n, 40, 41),
    "lists of related links": (lambda n: len(lists(n)) == n, 100, 101),
    "heading of related links": (lambda n: after("", heading="Related" + "!" * (n - 7)), 60, 61),
    "line with a related link": (lambda n: related(f"<p>Read more: {'x' * (n - 24)}<a href=/a>Another story</a>"), 300, 301),
    "lines before a second list": (further_list, 39, 40),
    "text before a related link": (lambda n: after(f"<p>{'x' * n}</p>"), 250, 251),
    "title of a related link": (lambda n: after("", title="t" * n), 4, 3),
    "images": (lambda n: len(image("width=1", pictures(n))) == n, 30, 31),
    "width of an image": (lambda n: image(f"width={n}"), 90, 89),
    "lines between a title's image and the text": (lambda n: image(lines=n), 11, 12),
    "alternative text": (lambda n: image(f"alt='{'a' * n}'") == ["a" * n], 300, 301),
    "videos": (lambda n: players(n) == n, 30, 31),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_links_and_images_are_found_up_to_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)
