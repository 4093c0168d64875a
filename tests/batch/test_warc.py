"""Archives as they are found: every page that is there comes out, whatever stands around it."""

from __future__ import annotations

import gzip
from io import BytesIO

import pytest

from tests.batch.archives import packed, page, record, story
from webcontent.batch.warc import iter_pages, iter_records

STORIES = [story(number) for number in range(5)]
GARBAGE = b"\x00\x01 no record \xff" * 20


def numbers(archive: bytes) -> list[int]:
    """Which stories were read."""
    pages = [found.page for found in iter_records(BytesIO(archive)) if found.page is not None]
    return [int((found.url or "").rpartition("/")[2].partition(".")[0]) for found in pages]


def damages(archive: bytes) -> int:
    return sum(found.is_damaged for found in iter_records(BytesIO(archive)))


def flipped(archive: bytes, start: int, count: int = 30) -> bytes:
    return archive[:start] + bytes(byte ^ 0x55 for byte in archive[start : start + count]) + archive[start + count :]


PACKED = [gzip.compress(one) for one in STORIES]
START_OF_2 = len(PACKED[0]) + len(PACKED[1])


@pytest.mark.parametrize(
    ("archive", "expected", "damaged"),
    [
        (packed(*STORIES), [0, 1, 2, 3, 4], 0),
        (b"".join(STORIES), [0, 1, 2, 3, 4], 0),
        (gzip.compress(b"".join(STORIES)), [0, 1, 2, 3, 4], 0),
        (b"", [], 0),
        (GARBAGE, [], 1),
        (flipped(packed(*STORIES), START_OF_2 + 30), [0, 1, 3, 4], 1),
        (flipped(packed(*STORIES), START_OF_2 + 120), [0, 1, 3, 4], 1),
        (flipped(packed(*STORIES), 40), [1, 2, 3, 4], 1),
        (b"".join(PACKED[:2]) + GARBAGE + b"".join(PACKED[2:]), [0, 1, 2, 3, 4], 1),
        (b"".join(PACKED[:2]) + gzip.compress(b"no record\r\n") + b"".join(PACKED[2:]), [0, 1, 2, 3, 4], 1),
        (b"".join(STORIES[:2]) + b"no record\r\n" * 9 + b"".join(STORIES[2:]), [0, 1, 2, 3, 4], 1),
        (packed(*STORIES)[:-40], [0, 1, 2, 3, 4], 0),
        (packed(*STORIES)[: 20 - len(PACKED[4])], [0, 1, 2, 3], 0),
        (packed(STORIES[0], record("http://example.com/9.html", page(9), length=99_999), STORIES[2]), [0, 9, 2], 0),
        (b"".join((STORIES[0], record("http://example.com/9.html", page(9), length=99_999), STORIES[2])), [0, 9, 2], 0),
        (packed(STORIES[0], record("http://example.com/9.html", page(9), length=300), STORIES[2]), [0, 9, 2], 1),
    ],
    ids=[
        "a member a record", "not compressed", "one member", "empty", "no archive", "damaged header", "damaged body", "damaged first record",
        "garbage between", "a member that is no record", "garbage in plain text", "cut off in a body", "cut off in a header",
        "a length too great", "a length too great, not compressed", "a length too small",
    ],
)  # fmt: skip
def test_damage_costs_only_what_is_damaged(archive: bytes, expected: list[int], damaged: int):
    """Each page once, in order; a damaged place is counted once."""
    assert numbers(archive) == expected
    assert damages(archive) == damaged


@pytest.mark.parametrize(
    ("headers", "body", "html"),
    [
        ("Content-Type: text/html\r\nContent-Encoding: gzip\r\n", gzip.compress(page(1)), page(1)),
        ("Content-Type: text/html\r\nContent-Encoding: gzip\r\n", page(1), page(1)),
        ("Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n", b"%x\r\n%b\r\n0\r\n\r\n" % (len(page(1)), page(1)), page(1)),
        ("Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n", page(1), page(1)),
        ("Content-Type: application/xhtml+xml\r\n", page(1), page(1)),
        ("", page(1), page(1)),
    ],
    ids=["gzip", "gzip that is none", "chunked", "chunked that is not", "xhtml", "no type"],
)
def test_bodies_are_decoded(headers: str, body: bytes, html: bytes):
    """Also where the headers promise an encoding that the body has not; the record behind it is read as well."""
    archive = packed(record("http://example.com/1.html", body, headers=headers), STORIES[2])
    first, second = (found.page for found in iter_records(BytesIO(archive)))
    assert first is not None
    assert first.html == html
    assert second is not None


@pytest.mark.parametrize(
    "other",
    [
        record("http://example.com/a.png", b"\x89PNG", headers="Content-Type: image/png\r\n"),
        record("http://example.com/old", b"<p>Moved", status="301 Moved"),
        record("http://example.com/1.html", page(1), kind="request"),
        record("http://example.com/1.html", b"", kind="revisit"),
        record("http://example.com/1.html", b""),
    ],
    ids=["picture", "redirect", "request", "revisit", "no body"],
)
def test_what_is_no_page_gives_none(other: bytes):
    """And damages nothing."""
    assert numbers(packed(STORIES[0], other, STORIES[1])) == [0, 1]
    assert damages(packed(STORIES[0], other, STORIES[1])) == 0


def test_a_page_knows_what_the_archive_says():
    """Address, date, status and the headers of use; an error page is a page."""
    headers = "Content-Type: text/html; charset=gbk\r\nLast-Modified: Fri, 02 Jan 2026 00:00:00 GMT\r\nX-Other: 1\r\n"
    archive = packed(record("<http://example.com/gone>", page(1), status="404 Not Found", headers=headers))
    (found,) = (one.page for one in iter_records(BytesIO(archive)))
    assert found is not None
    assert (found.url, found.status, found.fetched_at) == ("http://example.com/gone", 404, "2026-01-02T03:04:05Z")
    assert found.headers == {"content-type": "text/html; charset=gbk", "last-modified": "Fri, 02 Jan 2026 00:00:00 GMT"}


def test_a_resource_is_a_page():
    """Archives of browsers and of files hold pages without HTTP headers."""
    (found,) = (one.page for one in iter_records(BytesIO(packed(record("http://example.com/1.html", page(1), kind="resource")))))
    assert found is not None
    assert found.html == page(1)


def test_a_page_is_read_to_its_limit(tmp_path):
    """A bomb unpacks to no more than that; the next page comes."""
    file = tmp_path / "bomb.warc.gz"
    file.write_bytes(packed(record("http://example.com/0.html", b"<p>" + b" " * 50_000_000), STORIES[1]))
    first, second = iter_pages(file, max_bytes=1000)
    assert len(first.html) == 1001
    assert second.url == "http://example.com/1.html"
