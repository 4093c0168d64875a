"""What the tests of feed formats share."""

from __future__ import annotations

import io
from typing import Any

from webcontent.items import Article, Entry, Image, Link, Listing

FULL = Article(
    url="http://example.com/1?a=1&b=2",
    title="大桥开工",
    time="2024-03-05T14:22+08:00",
    source="Reuters",
    authors=["张三", "Lee"],
    body="第一段",
    body_html="<p>第一段 &amp; mehr</p>",
    related=[Link("另一条", "http://example.com/2")],
    images=[Image("http://example.com/1.jpg", width=10)],
    score=0.5,
)
LIST = Listing(url="http://example.com/", title="News", entries=[Entry("One", "http://example.com/1")])


def exported(exporter_class: Any, *items: object, **options: object) -> bytes:
    """The bytes of a finished file with the items."""
    file = io.BytesIO()
    file.close, close = lambda: None, file.close  # type: ignore[method-assign]
    exporter = exporter_class(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    data = file.getvalue()
    close()
    return data
