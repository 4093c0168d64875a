"""No field of an item and no feed holds a character that breaks a file or that nobody sees."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

import webcontent
from tests.crawl.output.exported import exported
from webcontent.formats.outputs import OUTPUTS
from webcontent.printable import without_unseen

BROKEN = ("\ud800", "\udfff", "\x00", "\x0b", "\ufffe", "\uffff", "\ufdd0", "\U0001fffe", "\U0010ffff", "\u2060", "\U000e0041")
DECLARED = {
    "@type": "NewsArticle", "headline": "Ice stops the ferry", "datePublished": "2026-01-05", "author": {"name": "Ada Byron"}, "editor": "Bo Lind",
    "publisher": {"name": "Harbour Post"}, "image": {"url": "https://example.org/a.jpg", "caption": "Ice"}, "inLanguage": "en",
    "video": {"embedUrl": "https://example.org/v.mp4", "name": "Ice"}, "articleBody": "The ferry stays in the harbour.",
}  # fmt: skip
TEXT = "The ferry between both towns stays in the harbour because the ice in the sound has grown too thick for its hull."
ENTRY = "<li><h2><a href='/{0}'>The record number {0} of the long list</a></h2><p>What it tells in some words, {1}</p></li>"
EXPORTERS = Settings()["FEED_EXPORTERS_BASE"]
FORMATS = {"json": EXPORTERS["json"], "xml": EXPORTERS["xml"]} | {
    output.names[0]: output.exporter for output in OUTPUTS if output.names[:1] in (("jsonl",), ("csv",), ("md",))
}


def broken(text: str, chooser: random.Random) -> str:
    """The text with characters that break files, at any places."""
    places = sorted(chooser.randrange(len(text)) for _ in range(3))
    return "".join(text[start:end] + chooser.choice(BROKEN) for start, end in zip([0, *places], [*places, len(text)], strict=True))


def items(seed: int) -> list[Any]:
    chooser = random.Random(seed)
    declared = json.loads(
        json.dumps(DECLARED),
        object_hook=lambda value: {k: broken(v, chooser) if isinstance(v, str) and k[0] != "@" else v for k, v in value.items()},
    )
    text = "".join(f"&#x{ord(char):x};" if ord(char) > 127 else char for char in broken(TEXT, chooser))
    head = f"<title>{broken('Ice stops the ferry', chooser)}</title><script type='application/ld+json'>{json.dumps(declared)}</script>"
    article = f"{head}<h1>Ice stops the ferry</h1>{f'<p>{text}</p>' * 6}<figure><img src='/i.jpg' alt='{text}'><figcaption>{text}</figcaption></figure>"
    listing = f"{head}<ul>{''.join(ENTRY.format(number, text) for number in range(12))}</ul>"
    return [webcontent.extract(html, url="https://example.org/2026/01/05/ice.html") for html in (article, listing)]


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in texts(part)]
    return [value] if isinstance(value, str) else [text for part in value for text in texts(part)] if isinstance(value, list) else []


@pytest.mark.parametrize("seed", range(8))
def test_items_and_feeds_hold_characters_that_are_seen(seed: int):
    """Fields, their evidence, and what Markdown and the feeds make of them; readers of JSON, XML and CSV take the files."""
    for item in items(seed):
        assert all(without_unseen(text) == text for text in texts(asdict(item)))
        files = {name: exported(load_object(exporter), item).decode() for name, exporter in FORMATS.items()}
        assert all(without_unseen(text) == text.removeprefix("\ufeff") or name == "csv" for name, text in files.items())
        assert json.loads(files["jsonl"])["title"] == json.loads(files["json"])[0]["title"] == item.title
        assert ET.fromstring(files["xml"]).find("item/title").text == item.title
        assert list(csv.DictReader(io.StringIO(files["csv"])))
