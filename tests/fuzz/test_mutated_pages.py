"""Whatever happens to a page, it gives an item that is safe to show, to store and to send."""

from __future__ import annotations

import json
import logging
import random
import re
from contextlib import nullcontext, suppress
from dataclasses import asdict
from html import escape, unescape
from pathlib import Path
from typing import Any

import nh3
import pytest

import webcontent
from tests.fuzz.budget import SEED, rounds
from tests.fuzz.mutations import mutated
from tests.golden.pages import folders
from tests.markdown.readers import NAMES
from tests.markdown.test_attacks import TEXTS as HOSTILE_TEXTS
from tests.markdown.test_attacks import more_than
from tests.markdown.test_pages import PAGES as OWN_PAGES
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.document.rich_text.writer import KEPT_BLOCKS, KEPT_INLINE
from webcontent.items import Article
from webcontent.markdown.writer import html_to_markdown
from webcontent.printable import without_unseen

PAGES = [(folder / "page.html").read_text(encoding="utf-8", errors="replace") for folder in folders()]
TAGS = {*KEPT_BLOCKS, *KEPT_INLINE, "br", "img", "span"}
ATTRIBUTES = {
    "*": {"class", "id", "title", "datetime"},
    "a": {"href"},
    "img": {"src", "alt"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
MARKDOWN_PAGES = [*PAGES, *(page.html for page in OWN_PAGES)]
HOSTILE_PLACES = (
    "{}", '<img src=/i.png alt="{}">', '<img class=latex src=/i.png alt="{}">', "<code>{}</code>", "<code>{}<br>{}</code>", "[tex]{}[/tex]",
    "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>{}</annotation></semantics></math>", "<h3>{}</h3>",
    "<sup><a href='#fn-x'>1</a></sup><ol><li id=fn-x>{}</li></ol>", "<figure><img src=/j.png><figcaption>{}</figcaption></figure>",
    "<table><caption>{}</caption><tr><th>{}</th><td>{}</td></tr></table>", "<div class='admonition note'>{}</div>", "<li>{}<pre>{}</pre></li>",
)  # fmt: skip
URL = "https://example.org/2024/03/05/story.html"


def sanitized(html: str) -> str:
    """What the sanitizer leaves of cleaned HTML, parsed as browsers parse it."""
    return nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        link_rel=None,
        url_schemes={"http", "https"},
        generic_attribute_prefixes=set(),
        strip_comments=True,
    )


def plain(html: str) -> str:
    """Cleaned HTML in one of the ways in which it can be written: without character references."""
    return unescape(html).replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")


def texts(value: Any) -> list[str]:
    """All strings in a value."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts(part)]


def addresses(item: dict[str, Any]) -> list[str]:
    """All addresses of an item."""
    records = [record for name in ("related", "images", "entries") for record in item.get(name) or ()]
    found = [item.get("canonical_url"), item.get("next_page"), *(record["url"] for record in records)]
    return [address for address in found if address]


def failures(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What is logged as a warning or more. Another test may have switched on lesser records of all libraries."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_mutated_pages_give_safe_items(caplog: pytest.LogCaptureFixture):
    """The sanitizer finds nothing to change in the cleaned HTML; texts and addresses hold no character that can't be seen."""
    chooser = random.Random(SEED)
    for number in rounds(least=60):
        html = mutated(chooser.choice(PAGES), chooser)
        item = webcontent.extract(html, url=URL, fetched_at="2024-06-01T12:00:00+00:00", extractor=chooser.choice((None, "awce", "fusion")))
        assert failures(caplog) == [], (number, html)  # a step that fails is logged, and costs the item its fields
        fields = asdict(item)
        json.dumps(fields, default=str)
        body_html = fields.get("body_html", "")
        assert plain(sanitized(body_html)) == plain(body_html), (number, html)
        assert all(without_unseen(text) == text for text in texts(fields)), (number, html)
        for address in addresses(fields):
            assert address.lower().startswith(("http://", "https://")), (number, address)
            assert not set(address) & set(" \t\r\n\"'<>`"), (number, address)


def test_markdown_of_mutated_pages_holds_nothing_more(caplog: pytest.LogCaptureFixture):
    """No reader of Markdown sees a tag or an address that the cleaned HTML does not have, whatever stands in texts and attributes."""
    chooser = random.Random(SEED)
    for number in rounds(least=8):
        html = mutated(hostile(chooser.choice(MARKDOWN_PAGES), chooser), chooser)
        item = webcontent.extract(html, url=URL)
        assert failures(caplog) == [], (number, html)
        if not isinstance(item, Article):
            continue
        markdown = html_to_markdown(item.body_html)
        for name in NAMES:
            # mistune's own plugins end with an IndexError at some lists in footnotes; no other reader may.
            with suppress(IndexError) if name == "mistune-plugins" else nullcontext():
                assert not more_than(item.body_html, markdown, name), (number, name, html)


def hostile(html: str, chooser: random.Random) -> str:
    """The page with hostile texts in its texts, alternative texts, annotations and notes."""
    tokens = re.split(r"(<[^<>]*>)", html)
    for place in chooser.choices(range(0, len(tokens), 2), k=20):
        text = escape(chooser.choice(HOSTILE_TEXTS))
        tokens[place] += chooser.choice(HOSTILE_PLACES).replace("{}", text)
    return "".join(tokens)


@pytest.mark.parametrize(
    ("html", "cleaned"),
    [
        ("<p>x <a href=/1>one <b><a href=/2>two</a></b></a></p>", None),
        ("<p>one<p>two", "<p>one</p><p>two</p>"),
        ("<p><b>one<ul><li>two</ul>three</b></p>", None),
        ("<table>stray<tr><td>cell</table>", None),
        ("<ul><li><b>one<li>two</b></ul>", None),
        ("<h1>one<h2>two</h2></h1>", None),
        ("<h2>one<p>two<h2>three</h2></p></h2>", None),
        ("<h1>one<ul><li><sup><h1>two</h1></sup></li></ul></h1>", None),
        ("<p>one <span><pre>two</pre></span> three</p>", "<p>one</p><pre><code>two</code></pre><p>three</p>"),
        ("<blockquote>one <b><span><pre>two</pre></span></b> three</blockquote>", None),
        ("<pre>\n\nx</pre>", "<pre><code>x</code></pre>"),
        ("<dl><dt>a<dd>b<dt>c</dl>", None),
        ("<a href=/1><details><a href=/2>one</a> two</details></a>", None),
        ("<table><caption>c</caption><tr><td><table><tr><td>x</table></table>", None),
    ],
)
def test_nesting_is_that_of_browsers(html: str, cleaned: str | None):
    """What a parser of HTML5 would move or close stands nowhere else."""
    from webcontent.document.parsing import Document
    from webcontent.document.rich_text.writer import body_texts
    from webcontent.items import Page

    document = Document(Page(html=html, url=URL))
    import numpy as np

    result = body_texts(document, np.ones(len(document.blocks), np.bool_), find_constructs(document))[1]
    assert plain(sanitized(result)) == plain(result)
    assert cleaned is None or result == cleaned


def test_golden_pages_exist():
    """The fuzzer has something to damage."""
    assert len(PAGES) > 5
    assert all(Path(folder / "page.html").is_file() for folder in folders())
