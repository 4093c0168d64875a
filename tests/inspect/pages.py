"""The page that the tests of this folder inspect, and an extractor that fails."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from PIL import Image

from tests.crawl.crawls import TEXTS
from webcontent.items import Page

if TYPE_CHECKING:
    from webcontent.extraction import Extraction

HOSTILE = "</script></title></style><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\"' onmouseover=window.hacked=3 \u2028"
LINKS = ("Ferry stays in the harbour", "Winter timetable printed", "Market moves to the square")
NAV, TITLE, TIME, FIRST = 0, 3, 4, 5
"""Blocks of the page: the first navigation link, the title, the time, the first paragraph."""
WIDTH_PX, HEIGHT_PX = 1366, 900


def make_page(
    title: str = "The bridge opens in May", *, is_rendered: bool = True, url: str | None = "https://news.example.org/2024/bridge.html"
) -> Page:
    """An article, with the boxes and the screenshot of a browser if it is rendered."""
    shown = title.replace("&", "&amp;").replace("<", "&lt;")
    quoted = shown.replace('"', "&quot;")
    nav = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("News", "Sport", "Weather"))
    body = "".join(f"<p>{text}</p>" for text in TEXTS)
    related = "".join(f'<li><a href="/{n}.html">{text}</a></li>' for n, text in enumerate(LINKS))
    source = (
        f'<html><head><title>{shown} - The Example</title><meta property="og:title" content="{quoted}"></head><body><nav><ul>{nav}</ul></nav>'
        f'<article><h1>{shown}</h1><time datetime="2024-03-05T14:22">5 March 2024, 14:22</time><div>{body}</div></article>'
        f"<aside><h2>Related stories</h2><ul>{related}</ul></aside></body></html>"
    )
    if not is_rendered:
        return Page(url=url, html=source)
    return Page(url=url, html=source, boxes=_boxes(), screenshot=_screenshot(), fetched_at="2024-03-06T08:00:00+00:00")


def _boxes() -> list[list[Any]]:
    paths = [
        *(f"/html/body/nav/ul/li[{n}]/a" for n in (1, 2, 3)),
        "/html/body/article/h1",
        "/html/body/article/time",
        *(f"/html/body/article/div/p[{n}]" for n in range(1, len(TEXTS) + 1)),
        "/html/body/aside/h2",
        *(f"/html/body/aside/ul/li[{n}]/a" for n in range(1, len(LINKS) + 1)),
    ]
    return [
        [path, path.rpartition("/")[2].split("[")[0], 20, 20 + 60 * n, 600, 40, 16, 400, "#000000", "#ffffff", 9, 9, 0, 0, 0]
        for n, path in enumerate(paths)
    ]


def _screenshot() -> bytes:
    file = BytesIO()
    Image.new("RGB", (WIDTH_PX, HEIGHT_PX), "white").save(file, "PNG")
    return file.getvalue()


class Broken:
    """A user's extractor that fails on every page."""

    name = "broken"
    needs: frozenset[str] = frozenset()

    def __call__(self, document: Any) -> Extraction:
        raise RuntimeError("no result today")
