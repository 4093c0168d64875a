"""Pages, screenshots and boxes for the tests of page types."""

from __future__ import annotations

import io
import struct
import zlib

from PIL import Image

from webcontent.document.parsing import Document
from webcontent.items import Page

SENTENCE = "The council met on Tuesday evening and agreed on the plan for the harbour, which had been open since the storm of last winter. "
ARTICLE = (
    "<html><head><title>Harbour plan agreed</title></head><body><nav><a href=/>Home</a> <a href=/news>News</a></nav><main><article>"
    "<h1>Harbour plan agreed</h1><p>5 March 2024</p>" + f"<p>{SENTENCE * 3}</p>" * 8 + "</article></main></body></html>"
)
RECORD = (
    "<li class=item><h2><a href=/news/{0}>Story number {0} of the harbour and the long road to it</a></h2><p>An excerpt of it.</p></li>"
)
LISTING = (
    "<html><head><title>News</title></head><body><h1>News</h1><ul>" + "".join(RECORD.format(i) for i in range(25)) + "</ul></body></html>"
)


def document_of(html: bytes | str = "", **page) -> Document:
    return Document(Page(html=html, **page))


def encoded(image: Image.Image, form: str = "PNG") -> bytes:
    stream = io.BytesIO()
    image.save(stream, form)
    return stream.getvalue()


def image_bytes(size: tuple[int, int] = (1366, 900), form: str = "PNG") -> bytes:
    """A white screenshot."""
    return encoded(Image.new("RGB", size, "white"), form)


def png_that_claims(width: int, height: int) -> bytes:
    """A small file with a header of any size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 5000)) + chunk(b"IEND", b"")


BAD_SCREENSHOTS = {
    "nothing": b"",
    "text": b"not an image",
    "gif": b"GIF89a" + b"\0" * 100,
    "cut png": image_bytes()[:300],
    "cut jpeg": image_bytes(form="JPEG")[:700],
    "cut webp": image_bytes(form="WEBP")[:40],
    "bomb": png_that_claims(60_000, 60_000),
    "no width": png_that_claims(0, 10),
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>",
    "pdf": b"%PDF-1.4",
}
"""Bytes that are no WebP, JPEG or PNG of a sane size."""


def box(path: str, y: int, length: int, *, linked: bool = False, tag: str = "p", font: float = 16) -> list:
    """A row of a table of boxes."""
    return [path, tag, 200, y, 700, 40, font, 400, "#000", "#fff", length, length, length if linked else 0, int(linked), 0]


ARTICLE_BOXES = [
    box("/html/body/h1", 40, 30, tag="h1", font=32),
    *[box(f"/html/body/div/p[{i}]", 100 + 120 * i, 420) for i in range(1, 14)],
    *[box(f"/html/body/ul/li[{i}]/a", 1900 + 30 * i, 12, linked=True, tag="a") for i in range(1, 5)],
]
LIST_BOXES = [
    row
    for i in range(1, 16)
    for row in (
        box(f"/html/body/div[{i}]/h2/a", 60 + 200 * i, 48, linked=True, tag="a", font=22),
        box(f"/html/body/div[{i}]/p", 110 + 200 * i, 90),
    )
]
BAD_BOXES = {
    "none": [],
    "empty row": [[]],
    "no rows": [None, 3, "text", {}],
    "short": [["/html", "p"]],
    "nan": [["/html", "p", *[float("nan")] * 13]],
    "text": [["/html", "p", *["x"] * 13]],
    "infinite": [[None, None, *[float("inf")] * 13]],
}
"""Tables without a valid row."""
