"""When a page says that it was published."""

from __future__ import annotations

import pytest

from tests.fields.pages import CHINESE, ENGLISH, titled
from webcontent.fields.times import find_times

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"
TITEL = "<title>浮冰阻断渡轮</title><h1>浮冰阻断渡轮</h1>"


def time_of(html: str, **page: str | None) -> str | None:
    candidates = find_times(*titled(html, **page))[0]
    return candidates[0].value if candidates else None


@pytest.mark.parametrize(
    ("html", "time"),
    [
        (f"{TITLE}<p>By A. Writer | May 1, 2024 11:05 PM EDT</p>{ENGLISH}", "2024-05-01T23:05-04:00"),
        (f"{TITLE}<p>Published 3 May 2024</p>{ENGLISH}", "2024-05-03"),
        (f"{TITLE}<time datetime=2024-05-03T10:00:00Z>May 3</time>{ENGLISH}", "2024-05-03T10:00:00+00:00"),
        (f"{TITEL}<p>2024年3月5日 14:22 来源：海峡新闻网</p>{CHINESE}", "2024-03-05T14:22"),
        (f"{TITEL}<p>发布时间：03-05 14:22</p>{CHINESE}", "2024-03-05T14:22"),
        (f"{TITEL}<p>3小时前</p>{CHINESE}", "2024-06-10T09:00+08:00"),
        (f'<meta property="article:published_time" content="2024-05-03T10:00:00Z">{TITLE}{ENGLISH}', "2024-05-03T10:00:00+00:00"),
        (
            f'<script type="application/ld+json">{{"@type":"NewsArticle","headline":"Ice stops the ferry","datePublished":"2024-05-03T10:00:00+02:00"}}</script>{TITLE}{ENGLISH}',
            "2024-05-03T10:00:00+02:00",
        ),
        (f"{TITLE}{ENGLISH}", None),
        (f"{TITLE}{ENGLISH}<time datetime=2024-05-03></time>", "2024-05-03"),
        (f"{TITLE}{ENGLISH}<meta itemprop=datePublished content=2024-05-03>", "2024-05-03"),
    ],
    ids=[
        "byline",
        "label",
        "time element",
        "chinese",
        "no year",
        "relative",
        "meta",
        "json-ld",
        "none",
        "behind all text",
        "meta element behind all text",
    ],
)
def test_the_time_is_found_in_its_usual_places(html: str, time: str | None) -> None:
    """As exact as the page, with the zone where it has one."""
    assert time_of(html) == time


def test_the_visible_clock_takes_the_zone_of_the_same_instant() -> None:
    """18:41 on the page and 10:41 UTC in its meta tags are one moment: told in the page's zone."""
    html = f'<meta property="article:published_time" content="2024-03-05T10:41:20Z">{TITLE}<p>Published 5 March 2024, 18:41</p>{ENGLISH}'
    assert time_of(html) == "2024-03-05T18:41:20+08:00"


@pytest.mark.parametrize(
    ("meta", "line", "time"),
    [
        ("2024-03-05T10:41:20+02:00", "5 March 2024, 12:41", "2024-03-05T10:41:20+02:00"),
        ("2024-03-05T10:41:20Z", "5 March 2024, 10:41</p><p>Next: 5 March 2024, 14:11", "2024-03-05T10:41:20+00:00"),
        ("2024-03-05T10:41:20Z", "5 March 2024, 13:51", "2024-03-05T10:41:20+00:00"),
        ("2024-03-05T10:41:20Z", "5 March 2024, 16:11", "2024-03-05T16:11:20+05:30"),
        ("2024-03-05T13:41:20Z", "5 March 2024, 01:41", "2024-03-05T13:41:20+00:00"),
        ("2024-03-05T13:41:20Z", "5 March 2024, 02:41", "2024-03-05T02:41:20-11:00"),
    ],
    ids=["a declared zone", "its own clock is shown", "no such zone", "half an hour", "twelve-hour clock", "the farthest zone"],
)
def test_another_clock_time_of_the_page_is_no_zone(meta: str, line: str, time: str) -> None:
    """Only the moment in UTC takes the zone of a visible clock, and only a zone that exists."""
    assert time_of(f'<meta property="article:published_time" content="{meta}">{TITLE}<p>Published {line}</p>{ENGLISH}') == time


@pytest.mark.parametrize(
    ("script", "time"),
    [
        ("var createTime = '2024-03-05 14:22';", "2024-03-05T14:22"),
        ("cgi = {create_time: Decode('2024-03-05 14:22'), other: 1}", "2024-03-05T14:22"),
        ('var a = "1", ct=1; var ct = "1709620000";', "2024-03-05T06:26:40+00:00"),
        ('react = "1709620000";', None),
    ],
)
def test_a_page_that_scripts_fill_has_its_time_in_them(script: str, time: str | None) -> None:
    """Also within a call, or as seconds."""
    assert time_of(f"{TITEL}<script>{script}</script>{CHINESE}") == time


@pytest.mark.parametrize(
    ("lines", "time", "modified"),
    [
        ("<p>更新时间：2024-03-06 09:10</p>", "2024-03-06T09:10", None),
        ("<p>更新时间：2024-03-06 09:10 发布时间：2024-03-05 14:22</p>", "2024-03-05T14:22", "2024-03-06T09:10"),
        ("<p>更新时间：2024-03-06 09:10</p><p>发布时间：2024-03-05 14:22</p>", "2024-03-05T14:22", "2024-03-06T09:10"),
        ("<p>发布时间：2024-03-05 14:22 更新时间：2024-03-06 09:10</p>", "2024-03-05T14:22", "2024-03-06T09:10"),
    ],
)
def test_chinese_pages_that_name_both_times_have_both(lines: str, time: str, modified: str | None) -> None:
    """Alone, "updated" stands before the time of publishing."""
    published, changes = find_times(*titled(f"{TITEL}{lines}{CHINESE}"))
    assert published[0].value == time
    assert (changes[0].value if changes else None) == modified


def test_a_day_in_meta_takes_the_clock_that_the_page_shows() -> None:
    """The most exact form of the same day."""
    assert time_of(f'<meta name="publishdate" content="2024-03-05">{TITEL}<p>2024-03-05 15:13</p>{CHINESE}') == "2024-03-05T15:13"


def test_on_chinese_pages_the_shown_time_wins() -> None:
    """Where the minute differs from the meta tags'."""
    html = f'<meta property="article:published_time" content="2024-03-05T15:20:00+08:00">{TITEL}<p>2024年03月05日 15:13 新报</p>{CHINESE}'
    assert time_of(html) == "2024-03-05T15:13"


def test_the_change_is_kept_apart() -> None:
    """`modified` is never the time of publishing where that is known."""
    published, modified = find_times(*titled(f"{TITLE}<p>Published: 3 May 2024</p><p>Last updated: 7 May 2024</p>{ENGLISH}"))
    assert (published[0].value, modified[0].value) == ("2024-05-03", "2024-05-07")


def test_a_date_in_the_address_helps() -> None:
    """Where nothing else is said."""
    assert time_of(f"{TITLE}{ENGLISH}", url="https://news.example/2024/05/03/ice") == "2024-05-03"


@pytest.mark.parametrize(
    "html",
    [
        f"{TITLE}{ENGLISH}<aside><h3>Events</h3><p>May 3, 2031</p></aside>",
        f"{TITLE}{ENGLISH}<footer>© 2019-2024 The Sound</footer>",
        f"{TITLE}{ENGLISH}<ul><li>May 1, 2024</li><li>May 2, 2024</li><li>May 3, 2024</li></ul>",
    ],
    ids=["future event", "copyright", "calendar"],
)
def test_dates_that_are_not_the_pages_are_left(html: str) -> None:
    """Never the future, never the years of a copyright, never the dates of a list below."""
    assert time_of(html) is None


def test_relative_times_need_a_fetch_time() -> None:
    """Without one nobody knows."""
    assert time_of(f"{TITEL}<p>3小时前</p>{CHINESE}", fetched_at=None) is None


META = '<meta property="article:published_time" content="2024-05-03">'
LINE = "<p>Published 5 May 2024</p>"
OBJECT = '<script type="application/ld+json">{"@type": "VideoObject", "uploadDate": "2024-05-07"}</script>'
ADDRESS = "https://news.example/2024/05/09/ice"
FAR = "".join(f"<div>Section {number} of the paper</div>" for number in range(20))


@pytest.mark.parametrize(
    ("html", "url", "time"),
    [
        (f"{META}{TITLE}{LINE}{ENGLISH}", None, "2024-05-03"),
        (f"{OBJECT}{TITLE}{LINE}{ENGLISH}", None, "2024-05-05"),
        (f"{OBJECT}{TITLE}{ENGLISH}", ADDRESS, "2024-05-07"),
        (f"{OBJECT}{TITLE}{FAR}{LINE}{ENGLISH}", ADDRESS, "2024-05-07"),
        (f"{TITLE}{FAR}{LINE}{ENGLISH}", ADDRESS, "2024-05-09"),
        (f"{META}{TITLE}{LINE}{ENGLISH}", "https://news.example/2024/05/05/ice", "2024-05-05"),
        (f"{META}{OBJECT}{TITLE}{ENGLISH}", "https://news.example/2024/05/07/ice", "2024-05-07"),
        (f"{TITLE}{FAR}{LINE}{ENGLISH}", None, "2024-05-05"),
        (f"{TITLE}{FAR}<p><a href=/x>Published 5 May 2024</a></p>{ENGLISH}", None, None),
        (f"{TITEL}{FAR}<p><a href=/x>2024年3月5日</a></p>{CHINESE}", None, None),
        (f"{TITLE}{FAR}{FAR}<p>Published 5 May 2024</p>{FAR}{ENGLISH}", None, None),
    ],
    ids=[
        "declared before shown",
        "shown before another object's",
        "another object's before the address",
        "far from the title less than another object's",
        "far from the title less than the address",
        "the address supports what is shown",
        "the address supports another object's date",
        "one doubt",
        "two doubts",
        "two doubts where shown times are certain",
        "too far",
    ],
)
def test_evidence_has_an_order(html: str, url: str | None, time: str | None) -> None:
    """By what speaks against it, by the number of other kinds of places with the same day, then by its kind."""
    assert time_of(html, **({"url": url} if url else {})) == time


@pytest.mark.parametrize(("blocks", "found"), [(10, True), (15, False)])
def test_a_time_beside_the_title_is_the_pages(blocks: int, found: bool) -> None:
    """Up to twelve blocks behind it: a linked one counts there, and no longer farther away."""
    sections = "".join(f"<div>Section {number} of the paper</div>" for number in range(blocks))
    assert (time_of(f"{TITLE}{sections}<p><a href=/x>Published 5 May 2024</a></p>{ENGLISH}") is not None) == found


@pytest.mark.parametrize(("year", "found"), [(1993, True), (1992, False)])
def test_no_page_is_older_than_the_web(year: int, found: bool) -> None:
    """An older date is that of what the text is about."""
    assert (time_of(f"{TITLE}<p>Published 5 May {year}</p>{ENGLISH}") is not None) == found


@pytest.mark.parametrize(("blocks", "found"), [(3, True), (8, False)])
def test_the_end_of_the_body_may_have_the_time(blocks: int, found: bool) -> None:
    """Up to four blocks behind it; what follows is the page's frame."""
    long = ENGLISH * 12
    menu = "".join(f"<div><a href=/{number}>Section {number}</a></div>" for number in range(blocks))
    assert (time_of(f"{TITLE}{long}{menu}<p class=time>5 May 2024</p>") is not None) == found


@pytest.mark.parametrize(("words", "found"), [(10, True), (25, False)])
def test_a_date_in_a_sentence_is_doubtful(words: int, found: bool) -> None:
    """Far from the title it is none."""
    assert (time_of(f"{TITLE}{FAR}<p>5 May 2024 {'ice ' * words}</p>{ENGLISH}") is not None) == found


BUILD = "".join(f'<meta property="article:{name}_time" content="2024-05-07T10:00:00Z">' for name in ("published", "modified"))


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("Published 5 May 2024", "2024-05-05"),
        ("Published 7 May 2024", "2024-05-07T10:00:00+00:00"),
        ("By A. Writer", "2024-05-07T10:00:00+00:00"),
        ("5 May 2024. Updated 8 May 2024", "2024-05-07T10:00:00+00:00"),
    ],
    ids=["another day is shown", "the same day is shown", "none is shown", "a later change is shown"],
)
def test_a_declared_time_that_is_not_before_the_last_change_may_be_a_build(line: str, time: str) -> None:
    """Systems that declare the last build as publishing declare it as the change, too: the shown day is believed before it."""
    assert time_of(f"{BUILD}{TITLE}<p>{line}</p>{ENGLISH}") == time


@pytest.mark.parametrize("kind", ["product", "service", "documentation", "collection"])
def test_pages_of_products_and_manuals_have_the_day_that_they_declare(kind: str) -> None:
    """The days that they show are those of releases, offers and changes; "updated" stays that of the change."""
    signals, anchor = titled(f"{TITLE}<p>7 May 2024</p><p>Last updated: 9 May 2024</p>{ENGLISH}")
    published, modified = find_times(signals, anchor, kind)
    assert (published, modified[0].value) == ([], "2024-05-09")
    assert find_times(*titled(f"{META}{TITLE}{ENGLISH}"), kind)[0][0].value == "2024-05-03"
    assert find_times(*titled(f"{BUILD}{TITLE}{ENGLISH}"), kind)[0] == []


@pytest.mark.parametrize(
    ("lines", "time"),
    [
        ("<p class=updated>Published: 3 May 2024</p>", "2024-05-03"),
        ("<p>Founded: Dec 11, 2021</p>", None),
    ],
)
def test_the_label_of_a_line_counts_before_its_class(lines: str, time: str | None) -> None:
    """A line that says "published" is no time of change, whatever its class."""
    assert time_of(f"{TITLE}{lines}{ENGLISH}") == time


@pytest.mark.parametrize(("days", "time"), [((4,), "2024-05-04"), ((4, 3, 2), None)])
def test_several_days_of_a_listing_are_those_of_its_entries(days: tuple[int, ...], time: str | None) -> None:
    """One dated story keeps its date."""
    lines = "".join(f"<h2>Story {day}</h2><p>Posted May {day}, 2024</p>" for day in days)
    found = find_times(*titled(f"{TITLE}{lines}{ENGLISH}"), "listing")[0]
    assert (found[0].value if found else None) == time
