"""Clock times and zones."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from webcontent.fields.dates import parse_time


def offset_by_law(zone: str, day: date) -> str:
    """US law since 2007: daylight saving from the second Sunday of March to the first of November."""
    march, november = (date(day.year, month, 1) for month in (3, 11))
    start = march + timedelta(days=(6 - march.weekday()) % 7 + 7)
    end = november + timedelta(days=(6 - november.weekday()) % 7)
    return f"-0{-({'ET': -5, 'CT': -6, 'MT': -7, 'PT': -8}[zone] + (start <= day < end))}:00"


@pytest.mark.parametrize("zone", ["ET", "CT", "MT", "PT"])
@pytest.mark.parametrize("year", [2007, 2016, 2024])
def test_american_zones_have_the_offset_of_the_day(zone: str, year: int) -> None:
    """At noon of every third day."""
    days = [date(year, 1, 1) + timedelta(days=n) for n in range(0, 365, 3)]
    times = [parse_time(f"{day:%B} {day.day}, {day.year} 12:00 p.m. {zone}") for day in days]
    assert times == [f"{day}T12:00{offset_by_law(zone, day)}" for day in days]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("March 20, 2005 12:00 p.m. ET", "2005-03-20T12:00-05:00"),
        ("April 10, 2005 12:00 p.m. ET", "2005-04-10T12:00-04:00"),
        ("March 10, 2024 1:59 a.m. ET", "2024-03-10T01:59-05:00"),
        ("March 10, 2024 3:00 a.m. ET", "2024-03-10T03:00-04:00"),
    ],
)
def test_american_zones_follow_the_tz_database(text: str, time: str) -> None:
    """Older laws, and the hour of the change."""
    assert parse_time(text) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2024-03-05 12:05 AM", "2024-03-05T00:05"),
        ("2024-03-05 12:05 PM", "2024-03-05T12:05"),
        ("2024-03-05 中午 2:05", "2024-03-05T14:05"),
        ("2024-03-05 中午 11:50", "2024-03-05T11:50"),
        ("2024-03-05 오전 12:05", "2024-03-05T00:05"),
        ("2024-03-05 14:22 CST", "2024-03-05T14:22"),
        ("2024-03-05 2:22 p.m. CST", "2024-03-05T14:22-06:00"),
        ("2024-03-05 14:22 IST", "2024-03-05T14:22"),
        ("2024-03-05 14:22 +0530", "2024-03-05T14:22+05:30"),
        ("2024-03-05 14:22 +2500", "2024-03-05T14:22"),
        ("2024-03-05 14:22 UTC+8", "2024-03-05T14:22+08:00"),
    ],
)
def test_clock_times_and_zones(text: str, time: str) -> None:
    """Periods of the day, zones whose names mean one offset only, offsets that exist."""
    assert parse_time(text) == time
