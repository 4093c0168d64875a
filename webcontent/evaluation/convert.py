"""Converts a public corpus that you have downloaded: `python -m webcontent.evaluation.convert dragnet FOLDER --out corpora`.

For corpora that name no licence, allow research only, or whose files are partly held back for evaluation: fetching them is your own
decision. The result is a folder for `--data`.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.addresses import site_of
from webcontent.document.encoding import decode
from webcontent.evaluation.fetch import PAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from webcontent.evaluation.corpora import Record

COMMENTS = re.compile(r"^[!@#$%^&*() ]{6,}COMMENTS *$", re.M)
"""What separates the article from its comments in a text of Dragnet. It was typed by hand, with variants."""
WRAPPER = re.compile(r"\s*<text\b(?P<attributes>[^>]*)>(?P<html>.*?)(?:</text>\s*)?\Z", re.S)
"""What the organisers of CleanEval put around each page."""
ENCODING = re.compile(rb"""\s*<text\b[^>]*\bencoding=["']?([\w.:-]+)""")
MARKER = re.compile(r"\s*<(?P<kind>[hpl])>\s*", re.I)
"""Begins a heading, a paragraph or a list item in a text of CleanEval."""
OWN_URL = re.compile(
    r"""<link\b[^>]*\brel=["']?canonical["']?[^>]*\bhref=["'](?P<link>https?://[^"'\s]+)"""
    r"""|<meta\b[^>]*\bproperty=["']og:url["'][^>]*\bcontent=["'](?P<meta>https?://[^"'\s]+)""",
    re.I,
)
LINK = re.compile(r"""\bhref=["']?(https?://[^"'\s>]+)""", re.I)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="python -m webcontent.evaluation.convert", description="Convert a public corpus that you have.")
    parser.add_argument("form", choices=tuple(FORMS), help="; ".join(f"{name}: {form.__doc__}" for name, form in FORMS.items()))
    parser.add_argument("folder", type=Path, help="the unpacked download")
    parser.add_argument("--out", type=Path, default=Path("corpora"), metavar="DIR", help="folder of the corpora (default: %(default)s)")
    options = parser.parse_args(arguments)
    target = options.out / options.form / PAGES
    if target.exists():
        parser.error(f"{target} exists. Remove it to convert the corpus again.")
    if not (records := list(FORMS[options.form](options.folder))):
        parser.error(f"{options.folder} has no pages of this form: {FORMS[options.form].__doc__}")
    target.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    target.write_bytes(lzma.compress(text.encode("utf-8", "replace"), preset=1))
    print(f"{target.parent}: {len(records)} pages.")


def dragnet(folder: Path) -> Iterator[Record]:
    """HTML/X.html with Corrected/X.html.corrected.txt"""
    for path in sorted((folder / "HTML").glob("*.html")):
        gold = folder / "Corrected" / f"{path.name}.corrected.txt"
        if not gold.is_file():
            continue
        html = decode(path.read_bytes())[0]
        body, *comments = COMMENTS.split(_text(gold))
        record = _record(f"dragnet-{path.stem}", html, _own_url(html), "article", _lines(body))
        record["gold"]["blocks"] = [["comments", line] for text in comments for line in _lines(text)]
        yield record


def cleaneval(folder: Path) -> Iterator[Record]:
    """pages N.html in any folder, with N.txt or N-cleaned.txt in any other, whose first line is their URL"""
    texts = {path.stem.removesuffix("-cleaned"): path for path in sorted(folder.rglob("*.txt"))}
    for path in sorted(folder.rglob("*.html")):
        if path.stem not in texts:
            continue
        first, _, gold = _text(texts[path.stem]).lstrip().partition("\n")
        if not first.upper().startswith("URL:"):
            continue
        url = first[len("URL:") :].strip()
        html = path.read_bytes()
        named = ENCODING.match(html)
        text = decode(html, named.group(1).decode() if named else None)[0]
        wrapped = WRAPPER.match(text)
        yield _record(f"cleaneval-{path.stem}", wrapped["html"] if wrapped else text, url, "", _paragraphs(gold))


FORMS: dict[str, Callable[[Path], Iterator[Record]]] = {"dragnet": dragnet, "cleaneval": cleaneval}


def _record(record_id: str, html: str, url: str, page_type: str, body: list[str]) -> Record:
    """A page in the form of all corpora. Both corpora are English."""
    gold = {"body": "\n".join(body)}
    return {"id": record_id, "url": url, "site": site_of(url) or "", "lang": "en", "type": page_type, "html": html, "gold": gold}


def _text(path: Path) -> str:
    """A text that people wrote, in UTF-8 or UTF-16 or as Windows did in English."""
    content = path.read_bytes()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("windows-1252", "replace")


def _lines(text: str) -> list[str]:
    return [joined for line in text.splitlines() if (joined := " ".join(line.split()))]


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a text of CleanEval: each begins with a marker or after an empty line; other line ends are of the rendering."""
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        if (marker := MARKER.match(line)) or not line.strip():
            paragraphs.append([])
        paragraphs[-1].append(line[marker.end() :] if marker else line)
    return [joined for lines in paragraphs if (joined := " ".join(" ".join(lines).split()))]


def _own_url(html: str) -> str:
    """The address that a page gives for itself, else one on the host that it links to most, since folds are by site."""
    if named := OWN_URL.search(html):
        return str(named["link"] or named["meta"])
    hosts = Counter(urlsplit(link).netloc for link in LINK.findall(html))
    return f"http://{hosts.most_common(1)[0][0]}/" if hosts else ""


if __name__ == "__main__":
    main()
