"""Properties that hold for any input: of addresses, dates, names and cleaned HTML."""

from __future__ import annotations

from datetime import datetime
from html import escape

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.budget import SECONDS
from tests.fuzz.mutations import ATTRIBUTES, TAGS, TEXTS
from tests.fuzz.test_mutated_pages import plain, sanitized
from webcontent.addresses import MAX_ADDRESS_CHARACTERS, encode_unsafe, page_address, site_of, split_url
from webcontent.crawl.discovery.urls import address_key, clean_url, is_private
from webcontent.crawl.server_urls import without_password
from webcontent.document.parsing import Document
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.document.rich_text.writer import body_texts
from webcontent.fields.dates import iter_times, parse_time
from webcontent.fields.names.people import names_of
from webcontent.items import Page

EXAMPLES = settings(
    max_examples=max(50, int(SECONDS * 40)),
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
ADDRESS_PARTS = (
    "http://",
    "https://",
    "//",
    "/",
    "..",
    "?",
    "#",
    ":",
    "@",
    "%31",
    "%zz",
    "[",
    "]",
    "example.org",
    "127.0.0.1",
    "0x7f.1",
    "é",
    " ",
    "\t",
    '"',
    "'",
    "<",
    "\\",
    "a=b",
    "&",
    "javascript:",
    "新",
    "\u202e",
    ".",
    "localhost",
    "1e9",
    "\x00",
    "utm_source=x",
)
addresses = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(ADDRESS_PARTS), max_size=12).map("".join))
DATE_PARTS = (
    "2024",
    "-",
    "03",
    "05",
    "T",
    "14:22",
    ":08",
    "+08:00",
    "Z",
    "年",
    "月",
    "日",
    "March",
    "5",
    "th",
    ",",
    " ",
    "昨天",
    "3 hours ago",
    "小时前",
    "99",
    "0",
    "/",
    ".",
    "PM",
    "٣",
    "令和",
    "元",
    "GMT",
    "1709648528",
)
dates = st.one_of(
    st.datetimes(min_value=datetime(1990, 1, 1)).map(lambda time: time.strftime("%d %B %Y, %H:%M")),  # noqa: DTZ001
    st.text(max_size=60),
    st.lists(st.sampled_from(DATE_PARTS), max_size=12).map("".join),
)
NAME_PARTS = (
    "By ",
    "Jane",
    "Doe",
    " and ",
    ",",
    "张三",
    "记者 ",
    "、",
    "  ",
    "Editor",
    "(",
    ")",
    "@",
    "|",
    "von",
    "O'Neil",
    "-",
    "作者：",
    "\u3000",
    "Dr.",
    "\u202e",
    "Reuters",
)
names = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(NAME_PARTS), max_size=16).map("".join))
tokens = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(TAGS).map("<{}>".format),
    st.sampled_from(TAGS).map("</{}>".format),
    st.tuples(st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)).map(lambda pair: f"<{pair[0]}{pair[1]}>"),
    st.text(max_size=12),
)


@EXAMPLES
@given(addresses)
def test_a_page_address_is_safe_and_stays_so(url: str):
    """Http or https, with a host, short, without a character that ends an attribute; accepted again unchanged."""
    address = page_address(url)
    if address is not None:
        assert address.lower().startswith(("http://", "https://"))
        assert len(address) <= MAX_ADDRESS_CHARACTERS
        assert escape(address).replace("&amp;", "&") == address
        assert split_url(address) is not None
        assert page_address(address) == address


@EXAMPLES
@given(addresses)
def test_functions_of_addresses_take_any_text(url: str):
    """What has no site is private, and what may be requested keeps its site."""
    assert encode_unsafe(encode_unsafe(url)) == encode_unsafe(url)
    address_key(url)
    if site_of(url) is None:
        assert is_private(url)
    if (cleaned := clean_url(url)) is not None:
        assert site_of(cleaned) == site_of(url)


@EXAMPLES
@given(
    st.text(alphabet="abcXYZ019/?#@:%[] ", min_size=3, max_size=20),
    st.sampled_from(["redis://", "redis:/", "postgresql://", "postgres//", ""]),
)
def test_no_address_is_shown_with_its_password(password: str, scheme: str):
    """Whatever the password contains, it is not in what is shown."""
    secret = f"QQ{password}QQ"
    assert "QQ" not in without_password(f"{scheme}user:{secret}@host:6379/0")


@EXAMPLES
@given(addresses, addresses)
def test_links_are_absolute_and_safe(base: str, href: str):
    """For any base and any link."""
    document = Document(Page(html=f'<base href="{escape(base)}"><p>x', url="https://example.org/a/"))
    url = document.absolute(href)
    if url is not None:
        assert url.lower().startswith(("http://", "https://"))
        assert not set(url) & set(" \t\r\n\"'<>`")


@EXAMPLES
@given(dates)
def test_times_are_iso_8601(text: str):
    """Or there is none; the rest of the text never decides about its form."""
    for time in [parse_time(text), *(date.value for date in iter_times(text))]:
        if time:
            padded = time if len(time) >= len("2024-03-05") else time + "-01-01"[len(time) - len("2024") :]
            datetime.fromisoformat(padded)


@EXAMPLES
@given(names)
def test_names_are_single_lines_of_the_text(text: str):
    """Trimmed, not empty, and nothing that the text does not hold."""
    for name in names_of(text):
        assert name == name.strip()
        assert name
        assert "\n" not in name


@EXAMPLES
@given(st.lists(tokens, max_size=40).map("".join))
def test_cleaned_html_is_what_browsers_make_of_it(html: str):
    """A sanitizer with a parser of HTML5 changes nothing."""
    document = Document(Page(html=html, url="https://example.org/a/"))
    cleaned = body_texts(document, np.ones(len(document.blocks), np.bool_), find_constructs(document))[1]
    assert plain(sanitized(cleaned)) == plain(cleaned)
