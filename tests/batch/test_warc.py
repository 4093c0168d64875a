"""Real archives are often damaged. Every intact page is read."""

from __future__ import annotations

import gzip
import os
from io import FileIO
from tempfile import TemporaryFile

import pytest

from tests.batch.warc_records import compressed, numbered_record, page, record
from webcontent.batch.warc import iter_pages, iter_records

RECORDS = [numbered_record(number) for number in range(5)]
GARBAGE = b"\x00\x01 no record \xff" * 20


class Counting(FileIO):
    """A file that counts the bytes that are read, and closes itself."""

    count = 0
    __del__ = FileIO.close

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size) or b""
        self.count += len(data)
        return data


def as_file(archive: bytes) -> Counting:
    """A file without a name that holds the archive."""
    with TemporaryFile() as file:
        file.write(archive)
        file.seek(0)
        return Counting(os.dup(file.fileno()))


def numbers(archive: bytes) -> list[int]:
    """The numbers of the pages that were read."""
    pages = [one.page for one in iter_records(as_file(archive)) if one.page is not None]
    return [int((one.url or "").rpartition("/")[2].partition(".")[0]) for one in pages]


def damages(archive: bytes) -> int:
    """The number of damaged places."""
    return sum(one.is_damaged for one in iter_records(as_file(archive)))


def flipped(archive: bytes, start: int, count: int = 30) -> bytes:
    """The archive with some flipped bits."""
    return archive[:start] + bytes(byte ^ 0x55 for byte in archive[start : start + count]) + archive[start + count :]


MEMBERS = [gzip.compress(one) for one in RECORDS]
START_OF_2 = len(MEMBERS[0]) + len(MEMBERS[1])


@pytest.mark.parametrize(
    ("archive", "expected", "damaged"),
    [
        (compressed(*RECORDS), [0, 1, 2, 3, 4], 0),
        (b"".join(RECORDS), [0, 1, 2, 3, 4], 0),
        (gzip.compress(b"".join(RECORDS)), [0, 1, 2, 3, 4], 0),
        (b"", [], 0),
        (GARBAGE, [], 1),
        (flipped(compressed(*RECORDS), START_OF_2 + 30), [0, 1, 3, 4], 1),
        (flipped(compressed(*RECORDS), START_OF_2 + 120), [0, 1, 3, 4], 1),
        (flipped(compressed(*RECORDS), 40), [1, 2, 3, 4], 1),
        (b"".join(MEMBERS[:2]) + GARBAGE + b"".join(MEMBERS[2:]), [0, 1, 2, 3, 4], 1),
        (b"".join(MEMBERS[:2]) + gzip.compress(b"no record\r\n") + b"".join(MEMBERS[2:]), [0, 1, 2, 3, 4], 1),
        (b"".join(RECORDS[:2]) + b"no record\r\n" * 9 + b"".join(RECORDS[2:]), [0, 1, 2, 3, 4], 1),
        (compressed(*RECORDS)[:-40], [0, 1, 2, 3, 4], 0),
        (compressed(*RECORDS)[: 20 - len(MEMBERS[4])], [0, 1, 2, 3], 0),
        (compressed(RECORDS[0], record("http://example.com/9.html", page(9), length=99_999), RECORDS[2]), [0, 9, 2], 0),
        (b"".join((RECORDS[0], record("http://example.com/9.html", page(9), length=99_999), RECORDS[2])), [0, 9, 2], 0),
        (compressed(RECORDS[0], record("http://example.com/9.html", page(9), length=300), RECORDS[2]), [0, 9, 2], 1),
    ],
    ids=[
        "one member per record", "not compressed", "one member", "empty", "not an archive", "damaged header", "damaged body", "damaged first record",
        "garbage between", "a member that is not a record", "garbage in plain text", "cut off in a body", "cut off in a header",
        "a length too large", "a length too large, not compressed", "a length too small",
    ],
)  # fmt: skip
def test_damage_costs_only_what_is_damaged(archive: bytes, expected: list[int], damaged: int):
    """Each page is read once, in order. A damaged place is counted once."""
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
    ids=["gzip", "declared as gzip", "chunked", "declared as chunked", "xhtml", "no content type"],
)
def test_bodies_are_decoded(headers: str, body: bytes, html: bytes):
    """Bodies that lack their declared encoding are read, too, and so is the next record."""
    archive = compressed(record("http://example.com/1.html", body, headers=headers), RECORDS[2])
    first, second = (one.page for one in iter_records(as_file(archive)))
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
    ids=["image", "redirect", "request", "revisit", "no body"],
)
def test_other_records_give_no_page(other: bytes):
    """They are not counted as damage."""
    assert numbers(compressed(RECORDS[0], other, RECORDS[1])) == [0, 1]
    assert damages(compressed(RECORDS[0], other, RECORDS[1])) == 0


@pytest.mark.parametrize(("blanks", "pages"), [(500, [7]), (512, [])])
def test_without_a_content_type_the_first_bytes_decide(blanks: int, pages: list[int]):
    """512 of them."""
    archive = compressed(record("http://example.com/7.html", b" " * blanks + page(7), headers=""))
    assert numbers(archive) == pages


def test_a_page_has_the_fields_of_its_record():
    """These are URL, date, status, content type and time of the last change. Error pages are pages."""
    headers = "Content-Type: text/html; charset=gbk\r\nLast-Modified: Fri, 02 Jan 2026 00:00:00 GMT\r\nX-Other: 1\r\n"
    archive = compressed(record("<http://example.com/gone>", page(1), status="404 Not Found", headers=headers))
    (only,) = (one.page for one in iter_records(as_file(archive)))
    assert only is not None
    assert (only.url, only.status, only.fetched_at) == ("http://example.com/gone", 404, "2026-01-02T03:04:05Z")
    assert only.headers == {"content-type": "text/html; charset=gbk", "last-modified": "Fri, 02 Jan 2026 00:00:00 GMT"}


def test_a_resource_is_a_page():
    """Archives of browsers and of files have pages without HTTP headers."""
    (only,) = (one.page for one in iter_records(as_file(compressed(record("http://example.com/1.html", page(1), kind="resource")))))
    assert only is not None
    assert only.html == page(1)


def test_a_page_is_read_to_its_limit(tmp_path):
    """A decompression bomb is cut there, and the next page is read."""
    file = tmp_path / "bomb.warc.gz"
    file.write_bytes(compressed(record("http://example.com/0.html", b"<p>" + b" " * 50_000_000), RECORDS[1]))
    first, second = iter_pages(file, max_bytes=1000)
    assert len(first.html) == 1001
    assert second.url == "http://example.com/1.html"


@pytest.mark.parametrize("is_compressed", [True, False])
@pytest.mark.parametrize("mark", [b"\r\n\r\nWARC/1.0 is a format.", b"\r\n\r\nWARC/1.", b"\x1f\x8b\x08 ", b"\nWARC/1.1\r\nno header"])
def test_false_marks_are_read_once(mark: bytes, is_compressed: bool):
    """A page about WARC files, or one made to look like many: what is read does not grow with the number of marks."""
    reads = []
    for marks in (10, 1_000):
        body = b"<html><p>" + bytes(range(256)) * 40 + mark * marks + b"x" * 22 * (1_000 - marks)
        records = [record("http://example.com/1.html", body), numbered_record(2)]
        file = as_file(compressed(*records) if is_compressed else b"".join(records))
        list(iter_records(file))
        reads.append(file.count)
    assert reads[1] < 2 * reads[0] + 200_000


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "../../etc/passwd",
        "data:text/html,x",
        "http://example.com/" + "x" * 3_000,
        "http://[::1",
    ],
)
def test_addresses_that_are_none_are_left_out_and_flagged(address: str):
    """An archive may name anything as the address of a page."""
    (page_of_record,) = (one.page for one in iter_records(as_file(compressed(record(address, page(1))))))
    assert page_of_record is not None
    assert page_of_record.url is None
    assert page_of_record.flags == ["bad-address"]
