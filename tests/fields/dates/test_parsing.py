"""What the page says -> ISO 8601, exactly as precise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webcontent.fields.dates import DateContext, iter_times, parse_time, time_from_url

FETCHED = DateContext.of("2024-06-10T12:00:00+08:00")


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024-03-05T14:22:08.123Z", "2024-03-05T14:22:08+00:00"),
        ("2024-03-05 14:22:08+08", "2024-03-05T14:22:08+08:00"),
        ("2024-03-05T14:22:08+08:00[Asia/Shanghai]", "2024-03-05T14:22:08+08:00"),
        ("20240305", "2024-03-05"),
        ("20240305142208", "2024-03-05T14:22:08"),
        ("1709619728", "2024-03-05T06:22:08+00:00"),
        ("1709619728000", "2024-03-05T06:22:08+00:00"),
        ("Tue, 05 Mar 2024 14:22:08 +0800", "2024-03-05T14:22:08+08:00"),
        ("Tue, 05 Mar 2024 14:22:08 GMT", "2024-03-05T14:22:08+00:00"),
        ("Tue Mar 05 14:22:08 UTC 2024", "2024-03-05T14:22:08+00:00"),
        ("Tue Mar 05 14:22:08 CST 2024", "2024-03-05T14:22:08"),
        ("Tue Mar 05 2024 14:22:08 GMT+0800", "2024-03-05T14:22:08+08:00"),
        ("March 2024", "2024-03"),
        ("2024年3月", "2024-03"),
    ],
)
def test_declared_values_are_read_with_their_zone(text: str, time: str) -> None:
    """ISO, RFC 2822, asctime and epoch values, as meta tags and attributes hold them."""
    assert parse_time(text, FETCHED) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2024年3月5日 14:22", "2024-03-05T14:22"),
        ("2024年03月05日14时22分", "2024-03-05T14:22"),
        ("2024年3月5日星期二 14:22", "2024-03-05T14:22"),
        ("2024-3-5", "2024-03-05"),
        ("2024.3.5 14:22:08", "2024-03-05T14:22:08"),
        ("2024/3/5 下午 02:22", "2024-03-05T14:22"),
        ("2024年3月5日 凌晨12:05", "2024-03-05T00:05"),
        ("２０２４年３月５日　１４：２２", "2024-03-05T14:22"),
        ("二〇二四年三月五日", "2024-03-05"),
        ("二零二四年十二月三十一日", None),
        ("二〇二三年十二月三十一日", "2023-12-31"),
        ("民國113年3月5日", "2024-03-05"),
        ("中華民國113年3月5日", "2024-03-05"),
        ("令和6年3月5日 14時22分", "2024-03-05T14:22"),
        ("2024年3月5日(火) 14:22", "2024-03-05T14:22"),
        ("2024년 3월 5일 오후 2:22", "2024-03-05T14:22"),
        ("2024. 3. 5. 14:22", "2024-03-05T14:22"),
        ("发布时间：2024-03-05 14:22 来源：某某网", "2024-03-05T14:22"),
    ],
)
def test_chinese_japanese_and_korean_dates(text: str, time: str | None) -> None:
    """Digits of all forms, eras, and periods of the day."""
    assert parse_time(text, FETCHED) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("By A. Writer | May 1, 2024 11:05 PM EDT", "2024-05-01T23:05-04:00"),
        ("Published 11:05 p.m. ET May 1, 2024", "2024-05-01T23:05-04:00"),
        ("January 9, 2024 at 9:00 a.m. ET", "2024-01-09T09:00-05:00"),
        ("22:49 EDT, 20 July 2012", "2012-07-20T22:49-04:00"),
        ("Wed 5 Jun 2024 09.30 BST", "2024-06-05T09:30+01:00"),
        ("11 Mar 2024 - 14:22 GMT+1", "2024-03-11T14:22+01:00"),
        ("12:30 AM, 5th of March 2024", "2024-03-05T00:30"),
        ("Mar 5th, 2024", "2024-03-05"),
        ("Sept. 26, 2023", "2023-09-26"),
        ("05-Mar-24", "2024-03-05"),
        ("05-Mar-70", "1970-03-05"),
        ("05-Mar-69", None),
        ("Oct 2nd '23", "2023-10-02"),
        ("15/3/2024", "2024-03-15"),
        ("3/15/2024", "2024-03-15"),
        ("3/5/2024", "2024-03-05"),
    ],
)
def test_english_dates(text: str, time: str) -> None:
    """American and British forms with a.m. and p.m. and the usual zones."""
    assert parse_time(text, FETCHED) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("05.03.2024, 14:22 Uhr", "2024-03-05T14:22"),
        ("5. März 2024 um 14.22 Uhr", "2024-03-05T14:22"),
        ("Donnerstag, 5. Januar 2023, 17 Uhr", "2023-01-05T17:00"),
        ("5 mars 2024 à 14h22", "2024-03-05T14:22"),
        ("5 FÉVRIER 2024", "2024-02-05"),
        ("5 de marzo de 2024 a las 14:22", "2024-03-05T14:22"),
        ("5 marca 2024, godz. 14:22", "2024-03-05T14:22"),
        ("2024. március 5. 14:22", "2024-03-05T14:22"),
        ("2024 m. kovo 5 d. 14:22", "2024-03-05T14:22"),
        ("5 марта 2024, 14:22", "2024-03-05T14:22"),
        ("5 EKİM 2023 14:22", "2023-10-05T14:22"),
        ("٥ مارس ٢٠٢٤", "2024-03-05"),
        ("kl. 14.22, 5 mars 2024", "2024-03-05"),
    ],
)
def test_dates_of_other_languages(text: str, time: str) -> None:
    """Names of months come from the CLDR; clock times with dots need a word that says so."""
    assert parse_time(text, FETCHED) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("刚刚", "2024-06-10T12:00+08:00"),
        ("30分钟前", "2024-06-10T11:30+08:00"),
        ("3小时前", "2024-06-10T09:00+08:00"),
        ("昨天 08:30", "2024-06-09T08:30"),
        ("3天前", "2024-06-07"),
        ("3 hours ago", "2024-06-10T09:00+08:00"),
        ("vor 3 Stunden", "2024-06-10T09:00+08:00"),
        ("il y a 2 jours", "2024-06-08"),
        ("hace 3 horas", "2024-06-10T09:00+08:00"),
        ("yesterday", "2024-06-09"),
    ],
)
def test_relative_times_are_counted_back_from_the_fetch(text: str, time: str) -> None:
    """Minutes and hours give a minute, days a day."""
    assert parse_time(text, FETCHED) == time


@pytest.mark.parametrize("text", ["3小时前", "yesterday", "03-05 14:22"])
def test_what_hangs_on_the_fetch_time_is_nothing_without_one(text: str) -> None:
    """Nobody knows when "three hours ago" was."""
    assert parse_time(text) is None


@pytest.mark.parametrize(
    ("text", "year", "time"),
    [
        ("03-05 14:22", 2023, "2023-03-05T14:22"),
        ("3月5日 14:22", 2023, "2023-03-05T14:22"),
        ("03-05 14:22", None, "2024-03-05T14:22"),
        ("12-05 14:22", None, "2023-12-05T14:22"),
        ("Mar 5 at 11:05 PM", 2023, "2023-03-05T23:05"),
        ("19-01-07", 2019, "2019-01-07"),
        ("07-01-19", 2019, "2019-07-01"),
        ("19-01-07", None, "2007-01-19"),
    ],
)
def test_a_missing_year_is_the_pages_or_the_last_possible(text: str, year: int | None, time: str) -> None:
    """The hint first, else the fetch's year or, where that would be the future, the one before."""
    assert parse_time(text, replace(FETCHED, year=year)) == time


@pytest.mark.parametrize(
    "text",
    [
        "2024-13-45", "2024-02-30", "2030-01-01", "2024-06-12", "20241345", "99999999999999", "192.168.10.24", "1.2.10", "12:30", "", " ", "no date",
        "2024", "call 555-1234", "1-2-3-4", "٣" * 3000, "9" * 3000, "1/" * 2000,
    ],
)  # fmt: skip
def test_no_date_is_made_of_what_is_none(text: str) -> None:
    """Impossible days, the future (but for a day's grace), addresses, versions, clock times alone."""
    assert parse_time(text, FETCHED) is None


def test_a_day_of_grace_covers_zones() -> None:
    """A page of the far east may be dated tomorrow."""
    assert parse_time("2024-06-11", FETCHED) == "2024-06-11"


def test_day_first_is_the_custom_of_the_region() -> None:
    """3/4/2024 is in March in America and in April elsewhere."""
    assert parse_time("3/4/2024", replace(FETCHED, day_first=True)) == "2024-04-03"


def test_an_ambiguous_date_is_never_in_the_future() -> None:
    """7/5/2024 can't be in July where the page was fetched in June."""
    assert parse_time("7/5/2024", FETCHED) == "2024-05-07"


def test_all_dates_of_a_line_are_found_with_their_places() -> None:
    """Each with the characters that were read, clock time included."""
    text = "发布：2024-03-05 14:22 更新：2024-03-06 08:00"
    assert [(match.value, text[match.start : match.end].strip()) for match in iter_times(text, FETCHED)] == [
        ("2024-03-05T14:22", "2024-03-05 14:22"),
        ("2024-03-06T08:00", "2024-03-06 08:00"),
    ]


@pytest.mark.parametrize(
    ("url", "time"),
    [
        ("https://example.org/2024/03/05/story.html", "2024-03-05"),
        ("https://example.org/2024-03-05-story", "2024-03-05"),
        ("https://example.org/n1/2024/0305/c1-2.html", "2024-03-05"),
        ("https://example.org/202403/05/story.html", "2024-03-05"),
        ("https://example.org/t20240305_123.html", "2024-03-05"),
        ("https://example.org/2024/03/story", "2024-03"),
        ("https://example.org/story-123456789", None),
        ("https://example.org/2024/13/45/", None),
        (None, None),
    ],
)
def test_dates_in_addresses(url: str | None, time: str | None) -> None:
    """By day where the address has it, else by month."""
    assert time_from_url(url, FETCHED) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("5 Mar 08:11 PDT 2018", "2018-03-05T08:11-07:00"),
        ("2 March 10:14 2019", "2019-03-02T10:14"),
        ("Mar 27, 20255 mins", "2025-03-27"),
        ("3 de mayo de 202221:25", "2022-05-03T21:25"),
        ("2025-11-0314 min read", "2025-11-03"),
        ("06/21/20230 comments", "2023-06-21"),
        ("November 7th. 2012, 9:39pm", "2012-11-07T21:39"),
        ("NewsMARCH 5, 2024", "2024-03-05"),
    ],
)
def test_joined_elements_and_clock_times_before_the_year_are_read(text: str, time: str) -> None:
    """Two elements side by side leave no space between a date and its neighbours."""
    assert parse_time(text) == time
