"""What is measured: our extractors and other libraries, each behind one call. A library that is not installed is left out."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webcontent.extractors import DEFAULT, TABLE

Found = dict[str, Any]
"""Of title, time, authors, body, type: what the library gives."""
Run = Callable[[str, str], Found]
"""html and url -> what was found; nothing else of the corpus is told."""

_BREAKS = (
    "p", "div", "li", "br", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "dt", "dd", "section", "article",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class System:
    """Something that turns a page into text and fields."""

    name: str
    make: Callable[[], Run]
    """Imports what it needs; ImportError where that is not installed."""
    package: str | None = None
    """Name of its distribution; None for our own."""

    @property
    def version(self) -> str:
        """Of the installed package; "" where there is none."""
        try:
            return importlib.metadata.version(self.package or "webcontent")
        except importlib.metadata.PackageNotFoundError:
            return "" if self.package else "checkout"


def _ours(extractor: str) -> Run:
    import webcontent

    def run(html: str, url: str) -> Found:
        item = webcontent.extract(html, url=url, extractor=extractor)
        names = ("title", "time", "authors", "body", "type")
        return {name: getattr(item, name, None) for name in names}

    return run


def _trafilatura() -> Run:
    from trafilatura import bare_extraction

    def run(html: str, url: str) -> Found:
        found = bare_extraction(html, url=url, with_metadata=True, include_tables=True, include_comments=False)
        if found is None or isinstance(found, dict):
            return {}
        authors = [name.strip() for name in (found.author or "").split(";") if name.strip()]
        return {"title": found.title, "time": found.date, "authors": authors, "body": found.text}

    return run


def _resiliparse() -> Run:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, url: {"body": extract_plain_text(html, main_content=True, alt_texts=False)}


def _readability() -> Run:
    from lxml.html import fromstring
    from readability import Document

    no_xml = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")

    def run(html: str, url: str) -> Found:
        found = Document(no_xml.sub("", html))
        tree = fromstring(no_xml.sub("", found.summary(html_partial=True)))
        for node in tree.iter(*_BREAKS):
            node.tail = "\n" + (node.tail or "")
        return {"title": found.short_title(), "body": tree.text_content()}

    return run


def _newspaper() -> Run:
    import newspaper

    def run(html: str, url: str) -> Found:
        found = newspaper.Article(url, fetch_images=False)
        found.download(input_html=html)
        found.parse()
        time = found.publish_date.isoformat() if found.publish_date else None
        return {"title": found.title, "time": time, "authors": list(found.authors), "body": found.text}

    return run


def _goose() -> Run:
    from goose3 import Goose

    goose = Goose({"enable_image_fetching": False})

    def run(html: str, url: str) -> Found:
        found = goose.extract(raw_html=html)
        return {"title": found.title, "time": found.publish_date, "authors": list(found.authors or ()), "body": found.cleaned_text}

    return run


def _boilerpy() -> Run:
    from boilerpy3.extractors import ArticleExtractor

    extractor = ArticleExtractor(raise_on_failure=False)

    def run(html: str, url: str) -> Found:
        found = extractor.get_doc(html)
        return {"title": found.title, "body": found.content}

    return run


def _justext() -> Run:
    from justext import justext
    from justext.utils import get_stoplist

    english = get_stoplist("English")  # it knows no Chinese; its method wants a language

    def run(html: str, url: str) -> Found:
        return {"body": "\n".join(part.text for part in justext(html.encode("utf-8", "replace"), english) if not part.is_boilerplate)}

    return run


def _gne() -> Run:
    from gne import GeneralNewsExtractor

    extractor = GeneralNewsExtractor()

    def run(html: str, url: str) -> Found:
        found = extractor.extract(html, host=url)
        authors = [found["author"]] if found["author"] else []
        return {"title": found["title"], "time": found["publish_time"], "authors": authors, "body": found["content"]}

    return run


def _all_text() -> Run:
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    def run(html: str, url: str) -> Found:
        tree = document_fromstring(html.encode("utf-8", "replace") or b"<p>", parser=HTMLParser(encoding="utf-8", huge_tree=True))
        etree.strip_elements(tree, "script", "style", "noscript", "template", etree.Comment, with_tail=False)
        for node in tree.iter(*_BREAKS):
            node.tail = "\n" + (node.tail or "")
        return {"title": tree.findtext(".//title"), "body": tree.text_content()}

    return run


OWN = tuple(System(f"webcontent:{name}", lambda name=name: _ours(name)) for name in sorted(TABLE, key=lambda name: (name != DEFAULT, name)))  # type: ignore[misc]
"""The default extractor first."""
PEERS = (
    System("trafilatura", _trafilatura, "trafilatura"),
    System("resiliparse", _resiliparse, "resiliparse"),
    System("readability-lxml", _readability, "readability-lxml"),
    System("newspaper4k", _newspaper, "newspaper4k"),
    System("goose3", _goose, "goose3"),
    System("boilerpy3", _boilerpy, "boilerpy3"),
    System("justext", _justext, "justext"),
    System("gne", _gne, "gne"),
    System("all text", _all_text, "lxml"),
)
SYSTEMS = {system.name: system for system in (*OWN, *PEERS)}
