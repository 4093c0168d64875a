"""Five pages for each class of notes, formulas, images, threads and boxes: what their Markdown must and must not hold."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import webcontent
from tests.markdown.pages.common import ENGLISH, SITE_FOOTER, SITE_NAV, document
from tests.markdown.test_pages import missing_words, rendered
from webcontent.markdown.writer import html_to_markdown

ROWS: list[dict[str, Any]] = [
    row
    for name in ("classes", "structure")
    for row in tomllib.loads((Path(__file__).parent / "pages" / f"{name}.toml").read_text(encoding="utf-8"))["page"]
]
TEXTS = {f"{{{number}}}": ENGLISH[number] for number in (1, 2, 3)}
TITLE = "Walls and harbours"


def item_of(row: dict[str, Any]) -> Any:
    html = row["html"]
    for mark, text in TEXTS.items():
        html = html.replace(mark, f"<p>{text}</p>").replace(f"{{plain {mark[1:]}", text)
    around = f"<p>{ENGLISH[0]}</p>", f"<p>{ENGLISH[4]}</p>"
    if not row.get("whole"):
        html = f"<article><h1>{TITLE}</h1>{around[0]}{html if row['class'] in BEHIND else html + around[1]}</article>"
    page = document(TITLE, SITE_NAV + html + SITE_FOOTER, head=row.get("head", ""))
    return webcontent.extract(page, url=row.get("url", "https://example.org/a/b.html"))


BEHIND = ("behind the text", "notes by script", "several notes in an element", "notes without links", "last things")
"""Classes whose text ends the article."""


def failures(row: dict[str, Any]) -> list[str]:
    """The checks that do not hold, the stable Markdown and the words of the body among them."""
    item = item_of(row)
    markdown = item.to_markdown()
    failed = [text for text in row.get("has", ()) if TEXTS.get(text, text) not in markdown]
    failed += [text for text in row.get("lacks", ()) if text in markdown]
    failed += [] if re.findall("|".join(order := row.get("order", ())), markdown) == [*order] or not order else ["order"]
    failed += ["title"] if row["class"] == "titles" and item.title != TITLE else []
    failed += ["author"] if "author" in row and row["author"] not in item.authors else []
    failed += ["time"] if "time" in row and not (item.time or "").startswith(row["time"]) else []
    failed += ["stable"] if html_to_markdown(rendered(markdown)) != markdown.rstrip("\n") else []
    return failed + (["body"] if missing_words(item) else [])


def test_pages():
    """Markdown is stable, holds the body, and has the notes, formulas and images of the page, and nothing from behind the text."""
    assert {(row["name"], check) for row in ROWS for check in failures(row)} == set()
