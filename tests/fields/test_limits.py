"""How far titles, times and languages are looked for: a size at which something counts, beside one at which it no longer does."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.fields.pages import signals_of, titled
from webcontent.fields.dates import DateContext, parse_time
from webcontent.fields.language import find_languages, language_of
from webcontent.fields.page_signals import plain
from webcontent.fields.times import find_times
from webcontent.fields.times.candidates import script_times, time_candidates
from webcontent.fields.titles import TitleAnchor
from webcontent.fields.titles.candidates import title_groups
from webcontent.fields.titles.features import title_features
from webcontent.fields.titles.site_names import tail_of_title

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Ice stops the ferry"
LINE = "<p>Line"
RUNNING = "<p>" + "word " * 12


def words(count: int) -> str:
    return "word " * (count - 1) + "word"


# ------------------------------------------------------------------------------------------- titles
def origins(html: str, text: str = TITLE) -> set[str]:
    """The places in which a text was found that may be the title."""
    return {origin for group in title_groups(signals_of(html)) if group.text == text for origin in group.origins}


def feature(name: str, html: str, text: str = TITLE) -> float:
    signals = signals_of(html)
    groups = title_groups(signals)
    return title_features(signals, groups)[[group.text for group in groups].index(text)][name]


def headings(count: int) -> str:
    return "".join(f"<h2>Heading {number}</h2>" for number in range(1, count + 1))


def in_text(start: str, word: str) -> bool:
    return feature("in_text", f"<h1>{word}</h1><p>{start} {word} {words(12)}", word) > 0


def window(before: int, behind: int, chars: int = 4) -> int:
    """The number of lines around a title with so many lines before and behind it."""
    html = f"<p>{'x' * chars}" * before + f"<h1>{TITLE}</h1>" + f"<p>{'x' * chars}" * behind
    return len(list(TitleAnchor(signals_of(html), before).lines())) - 1


# ------------------------------------------------------------------------------------------- signals
def running(html: str) -> tuple[int, int] | None:
    return signals_of(html).running


def has_field(blocks: int) -> bool:
    return bool(signals_of(f"<div class=author>{LINE * blocks}</div>").field_rows)


def in_figure(depth: int) -> bool:
    signals = signals_of(f"<figure>{'<div>' * (depth - 1)}<p>x")
    return signals.in_figure(int(signals.blocks.element[0]))


# ------------------------------------------------------------------------------------------- times
def doubts(before: int = 0, behind: int = 0, line: str = "<p><time datetime=2024-05-05>x</time>", labels: list[int] | None = None) -> int:
    """What speaks against a time so many blocks before the title, or behind it."""
    html = f"{line}{LINE * (before - 1)}<h1>{TITLE}</h1>" if before else f"<h1>{TITLE}</h1>{LINE * (behind - 1)}{line}"
    signals = signals_of(html, labels=labels)
    return time_candidates(signals, TitleAnchor(signals, before, plain(TITLE)))[-1].doubts


def behind_body(lines: int) -> bool:
    """Whether a time so many blocks behind a body far from the title may be the page's."""
    return doubts(behind=50 + lines, labels=[*[0] * 40, *[1] * 11, *[0] * lines]) == 1


def marked_time(html: str) -> str | None:
    return next(iter([candidate.value for candidate in find_times(*titled(f"<h1>{TITLE}</h1>{html}"))[0]]), None)


def has_class_time(number: int) -> bool:
    """Whether the time in the nth element whose class names one is seen, far from title and text."""
    days = "".join(
        f"<p class=time>{1 + n // 12} {'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split()[n % 12]} 2023{LINE}" for n in range(number)
    )
    signals = signals_of(f"<h1>{TITLE}</h1>{RUNNING}{LINE * 60}{days}")
    times = time_candidates(signals, TitleAnchor(signals, 0, plain(TITLE)))
    return len([time for time in times if time.origin == "text"]) == number


@cache
def script_page(end: int) -> str:
    script = '<script>{"published_date": "2024-05-03"}</script>'
    return " " * (end - script.index('"}')) + script + '<meta property="og:type" content="article">'


def is_change(label: str) -> bool:
    signals = signals_of(f"<h1>{TITLE}</h1><p>{label}<p>5 May 2024{LINE}")
    return time_candidates(signals, TitleAnchor(signals, 0, plain(TITLE)))[-1].is_change


NOW = DateContext.of("2024-06-15T12:00+00:00")


# ------------------------------------------------------------------------------------------- languages
def by_words(german: int) -> str:
    """The language of a text with 20 common English words and so many German ones that calls itself Polish."""
    return str(find_languages(signals_of(f"<html lang=pl><p>{'the ' * 20}{'der ' * german}"))[0].value)


def shares_heading(chars: int) -> bool:
    """Whether a declared title is that of a heading with so many of its letters."""
    _, anchor = titled(f'<meta property="og:title" content="{"q" * chars} and the rest"><h2>Other</h2><h2>{"q" * chars}</h2>')
    return anchor.block == 1


LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "letters of a heading with a part of the title": (shares_heading, 6, 5),
    "headings": (lambda n: "h2" in origins(headings(n), f"Heading {n}"), 40, 41),
    "lines of a heading": (lambda n: "h1 part" in origins(f"<h1>Aa{'<br>bb' * (n - 1)}</h1>", "Aa" + " bb" * (n - 2)), 4, 5),
    "marked headlines": (lambda n: origins("".join(f"<p itemprop=headline>Headline {i}</p>" for i in range(1, n + 1)), f"Headline {n}"), 3, 4),
    "lines with the title": (lambda n: "text" in origins(f"<title>{TITLE}</title>{LINE * (n - 1)}<p>{TITLE}"), 400, 401),
    "lines before the text": (lambda n: "line" in origins(f"<p>{TITLE}{LINE * (n - 1)}{RUNNING}"), 14, 15),
    "characters of a line": (lambda n: "line" in origins(f"<p>{'t' * n}{RUNNING}", "t" * n), 4, 3),
    "title of a line that repeats a part of it": (lambda n: "text" in origins(f"<title>abcd{'x' * (n - 4)}</title><p>abcd", "abcd"), 20, 21),
    "level of a heading with parts": (lambda n: origins(f"<h{n}><b>Coast</b> Ice stops</h{n}>", "Ice stops"), 2, 3),
    "characters of a title": (lambda n: origins(f"<h1>{'x' * n}</h1>", "x" * n), 300, 301),
    "characters of a site's name": (lambda n: tail_of_title(f"A story - {'n' * n}", "astory"), 40, 41),
    "a site's name in a title": (
        lambda n: feature("holds_site", f'<meta property="og:site_name" content="{"q" * n}"><h1>{"q" * n}{TITLE}</h1>', "q" * n + TITLE),
        4,
        3,
    ),
    "lines before a date": (lambda n: feature("date_behind", f"<h1>{TITLE}</h1>{LINE * (n - 1)}<p>5 May 2024") < feature("date_behind", f"<h1>{TITLE}</h1>"), 4, 5),
    "characters of a date's line": (lambda n: feature("date_behind", f"<h1>{TITLE}</h1><p>2024{'x' * (n - 4)}") == 1, 119, 120),
    "text that shares words with a headline": (lambda n: in_text(("lorem " * 500)[: n - 6], "zebra"), 3000, 3001),
    "letters of a word that headline and text share": (lambda n: in_text(words(9), "z" * n), 4, 3),
    "elements within a bold one": (lambda n: feature("bold", f"<p><b>{'<i>' * n}{TITLE}{'</i>' * n}</b></p>{RUNNING}"), 3, 4),
    "lines before a title": (lambda n: window(n, 0) == n, 15, 16),
    "lines behind a title": (lambda n: window(0, n) == n, 29, 30),
    "characters of a line beside a title": (lambda n: window(0, 1, n), 200, 201),
    "running words": (lambda n: running(f"<p>{words(n)}"), 12, 11),
    "running words in links": (lambda n: running(f"<p>{words(36 - n)} <a href=/x>{words(n)}</a>"), 11, 12),
    "running words of the inner element": (lambda n: running(f"<div>{RUNNING * n}</div>{RUNNING * (10 - n)}") == (0, n - 1), 6, 5),
    "blocks of a field": (has_field, 11, 12),
    "headings of a level": (lambda n: len(signals_of(headings(n)).headings) == n, 60, 61),
    "blocks of a heading": (lambda n: signals_of(f"<h1>a{'<br>b' * (n - 1)}</h1>").headings[0].text.count("b") == n - 1, 4, 5),
    "elements within a figure": (in_figure, 3, 4),
    "lines of a Chinese page": (lambda n: signals_of(f"{LINE * (n - 1)}<p>渡轮").is_han, 40, 41),
    "lines between title and time": (lambda n: doubts(behind=n) == 0, 12, 13),
    "lines between time and title": (lambda n: doubts(before=n) == 0, 4, 5),
    "lines between text and time": (behind_body, 4, 5),
    "characters around a date": (lambda n: doubts(behind=1, line=f"<p>{'x' * (n - 1)} 5 May 2024") == 0, 60, 61),
    "characters of a time element": (lambda n: marked_time(f"<p>{'w ' * 120}<time>{'x' * (n - 11)} 2024-05-05</time>") == "2024-05-05", 100, 101),
    "times by class": (has_class_time, 40, 41),
    "characters of a page with a time in scripts": (lambda n: [time.value for time in script_times(signals_of(script_page(n)))] == ["2024-05-03"], 2_000_000, 2_000_001),
    "characters of a label": (lambda n: is_change("x" * (n - 8) + " Updated"), 40, 41),
    "first year of the web": (lambda n: marked_time(f"<time datetime={n}-05-05></time>"), 1993, 1992),
    "hour at noon": (lambda n: parse_time(f"2024年3月5日中午{n}:10") == f"2024-03-05T{n + 12}:10", 3, 4),
    "characters of a text with a date": (lambda n: parse_time("x" * (n - 11) + " 2024-03-05"), 2000, 2001),
    "month before a day": (lambda n: str(parse_time(f"{n}/5", NOW)).endswith("-05"), 12, 13),
    "months of a year": (lambda n: parse_time(f"2024年{n}月5日"), 12, 13),
    "text whose language is found": (lambda n: find_languages(signals_of(f"<p>{'x' * (n - 11)} the of and")), 3000, 3001),
    "Ukrainian letters": (lambda n: language_of("о" * (1000 - n) + "і" * n)[0] == "uk", 16, 14),
    "words of another language": (lambda n: by_words(n) == "en", 16, 18),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_fields_are_found_up_to_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)


@pytest.mark.parametrize(
    ("text", "time"),
    [("3 weeks ago", "2024-05-25"), ("3 months ago", "2024-03"), ("3 years ago", "2021"), ("3 days ago", "2024-06-12"), ("30 hours ago", "2024-06-14T06:00+00:00")],
)  # fmt: skip
def test_units_have_their_lengths(text: str, time: str):
    assert parse_time(text, NOW) == time


def test_scripts_say_more_than_declarations_and_arguments_more_than_both():
    """The languages of a page, best first."""
    found = find_languages(signals_of(f"<html lang=pl><p>{'渡轮停航' * 9}"))
    assert [candidate.value for candidate in found] == ["zh", "pl"]
    assert all(candidate.score < 1 for candidate in found)


@pytest.mark.parametrize(
    ("mark", "code"), [(": ", 1), ("：", 1), (" | ", 2), (" ｜ ", 2), (" - ", 3), (" – ", 4), (" — ", 4), (" + ", 5), (" ", 0)]
)
def test_the_mark_behind_a_kicker_is_what_the_model_knows(mark: str, code: int):
    text = f"Coast{mark}Ice stops the ferry"
    assert feature("kicker_mark", f"<h1>{text}</h1>", text) == code


def test_what_a_title_lacks_is_what_the_model_knows():
    """A declared title stands nowhere, and a page without a body is far from it."""
    declared = f'<meta property="og:title" content="{TITLE}">'
    assert (feature("block", declared), feature("body_distance", declared)) == (-1, 99)
