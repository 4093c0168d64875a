"""Small pages with gold, and miniatures of corpora, for the tests of the trainers."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WORDS = "river bridge mayor loan flour mill county spring flood engineer council cart market winter harvest ferry".split()


def sentences(number: int, count: int) -> list[str]:
    """So many paragraphs of one sentence; the same ones for the same number."""
    random = np.random.default_rng(number)
    return [" ".join(random.choice(WORDS, 25)) + "." for _ in range(count)]


def framed_page(number: int, *, paragraphs: int | None = None, sites: int | None = None) -> dict[str, Any]:
    """A page with its text between a menu and a footer.

    `paragraphs`: their number (default: two to five); `sites`: pages are of so many sites (default: each of its own).
    """
    random = np.random.default_rng(number)
    texts = sentences(number, int(random.integers(2, 6)) if paragraphs is None else paragraphs)
    site = f"s{number if sites is None else number % sites}.example"
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in (*random.choice(WORDS, 4), site))
    shown = "".join(f"<p>{text}</p>" for text in texts)
    html = f"<title>Page</title><nav><ul>{menu}</ul></nav><div class='story'>{shown}</div><footer>All rights reserved</footer>"
    gold = {"body": "\n".join(texts), "with": texts[:1], "without": ["All rights reserved"]}
    return {"id": f"p{number}", "url": f"https://{site}/{number}", "site": site, "lang": "en", "type": "", "html": html, "gold": gold}


def news_page(number: int) -> dict[str, Any]:
    """An article of a site of its own, with a title, a time, a source and a related article."""
    random = np.random.default_rng(number)
    title = " ".join(random.permutation(WORDS)[:4])
    texts = [f"{title} {text}" for text in sentences(number, int(random.integers(3, 7)))]
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in random.choice(WORDS, 6))
    day = f"2024-03-{number % 20 + 10}"
    html = (
        f"<title>{title} - Site</title><ul>{menu}</ul><h1>{title}</h1><div>{day} 08:30</div><div>Source: The Paper</div>"
        f"{''.join(f'<p>{text}</p>' for text in texts)}<h3>Related</h3><a href='/story'>Another story of it</a><div>All rights reserved</div>"
    )
    site = f"s{number}.example"
    related = [{"title": "Another story of it", "url": f"https://{site}/story"}]
    gold = {"body": "\n".join(texts), "title": title, "time": f"{day}T08:30", "source": "The Paper", "related": related}
    return {"id": f"p{number}", "url": f"https://{site}/", "site": site, "lang": "en", "type": "article", "html": html, "gold": gold}


def write_corpus(folder: Path, name: str, pages: Sequence[dict[str, Any]]) -> None:
    """Writes a corpus of pages to FOLDER/<name>."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "pages.jsonl.xz").write_bytes(lzma.compress("\n".join(map(json.dumps, pages)).encode()))


def files_of(folder: Path) -> dict[str, bytes]:
    """The contents of the files of a model folder, by name."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}
