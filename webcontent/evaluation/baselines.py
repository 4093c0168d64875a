"""Other extraction libraries behind one call: the baselines that benchmarks and model cards compare with.

A library is imported when it is first used. The extra `bench` installs all of them.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webcontent.evaluation.corpora import Record

Extracted = dict[str, Any]
"""Those of title, time, authors, body and type that a system gives."""
Run = Callable[[str, str], Extracted]
"""From html and url to what a system extracts. A system sees nothing else of a corpus."""

PROGRESS_S = 10
"""The progress bar is drawn this often, so that logs stay short."""
_BREAKS = (
    "p", "div", "li", "br", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "dt", "dd", "section", "article",
)  # fmt: skip
"""Elements that a line break follows where a library gives a tree, not a text."""
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class System:
    """Something that turns a page into text and fields."""

    name: str
    make: Callable[[], Run]
    """Imports what the system needs. Raises ImportError if that is not installed."""
    package: str | None = None
    """Name of its distribution; None for extractors of this package."""

    @property
    def version(self) -> str:
        """Version of the installed distribution; "" if it is not installed."""
        try:
            return importlib.metadata.version(self.package or "webcontent")
        except importlib.metadata.PackageNotFoundError:
            return "" if self.package else "checkout"


def _trafilatura() -> Run:
    from trafilatura import bare_extraction

    def run(html: str, url: str) -> Extracted:
        document = bare_extraction(html, url=url, with_metadata=True, include_tables=True, include_comments=False)
        if document is None or isinstance(document, dict):
            return {}
        authors = [name.strip() for name in (document.author or "").split(";") if name.strip()]
        return {"title": document.title, "time": document.date, "authors": authors, "body": document.text}

    return run


def _resiliparse() -> Run:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, url: {"body": extract_plain_text(html, main_content=True, alt_texts=False)}


def _readability() -> Run:
    from lxml.html import fromstring
    from readability import Document

    def run(html: str, url: str) -> Extracted:
        document = Document(_NO_XML.sub("", html))
        tree = fromstring(_NO_XML.sub("", document.summary(html_partial=True)))
        return {"title": document.short_title(), "body": _text_of(tree)}

    return run


def _newspaper() -> Run:
    import newspaper

    def run(html: str, url: str) -> Extracted:
        article = newspaper.Article(url, fetch_images=False)
        article.download(input_html=html)
        article.parse()
        time = article.publish_date.isoformat() if article.publish_date else None
        return {"title": article.title, "time": time, "authors": list(article.authors), "body": article.text}

    return run


def _goose() -> Run:
    from goose3 import Goose

    goose = Goose({"enable_image_fetching": False})

    def run(html: str, url: str) -> Extracted:
        article = goose.extract(raw_html=html)
        return {"title": article.title, "time": article.publish_date, "authors": list(article.authors or ()), "body": article.cleaned_text}

    return run


def _boilerpy() -> Run:
    from boilerpy3.extractors import ArticleExtractor

    extractor = ArticleExtractor(raise_on_failure=False)

    def run(html: str, url: str) -> Extracted:
        document = extractor.get_doc(html)
        return {"title": document.title, "body": document.content}

    return run


def _justext() -> Run:
    from justext import justext
    from justext.utils import get_stoplist

    english = get_stoplist("English")  # justext needs the stop words of one language, and has none for Chinese

    def run(html: str, url: str) -> Extracted:
        paragraphs = justext(html.encode("utf-8", "replace"), english)
        return {"body": "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)}

    return run


def _gne() -> Run:
    from gne import GeneralNewsExtractor

    extractor = GeneralNewsExtractor()

    def run(html: str, url: str) -> Extracted:
        article = extractor.extract(html, host=url)
        authors = [article["author"]] if article["author"] else []
        return {"title": article["title"], "time": article["publish_time"], "authors": authors, "body": article["content"]}

    return run


def _all_text() -> Run:
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    def run(html: str, url: str) -> Extracted:
        tree = document_fromstring(html.encode("utf-8", "replace") or b"<p>", parser=HTMLParser(encoding="utf-8", huge_tree=True))
        etree.strip_elements(tree, "script", "style", "noscript", "template", etree.Comment, with_tail=False)
        return {"title": tree.findtext(".//title"), "body": _text_of(tree)}

    return run


def _text_of(tree: Any) -> str:
    """The text of a tree, with a line break after each block element. Changes the tree."""
    for node in tree.iter(*_BREAKS):
        node.tail = "\n" + (node.tail or "")
    text: str = tree.text_content()
    return text


BASELINES = (
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
BASELINE_BY_NAME = {system.name: system for system in BASELINES}


def baseline_texts(system: System, records: Sequence[Record], path: Path) -> dict[str, str]:
    """A library's text of each page, by the page's id; "" if the library fails on it.

    The texts are kept in the file `path`, so that a stopped run goes on where it was. Raises ImportError if the library is not installed.
    """
    run = system.make()
    kept = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    texts: dict[str, str] = dict(map(json.loads, kept))
    logging.disable(logging.CRITICAL)  # some libraries log an error per page
    with path.open("a", encoding="utf-8") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        missing = [record for record in records if record["id"] not in texts]
        for record in tqdm(missing, desc=system.name, unit="page", mininterval=PROGRESS_S):
            texts[record["id"]] = _body_of(run, record)
            stream.write(json.dumps([record["id"], texts[record["id"]]], ensure_ascii=False) + "\n")
    logging.disable(logging.NOTSET)
    return texts


def _body_of(run: Run, record: Record) -> str:
    try:
        return str(run(record["html"], record["url"]).get("body") or "")
    except Exception:  # a failure of a baseline is a result: no text
        return ""
