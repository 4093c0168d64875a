"""The demo's articles: text files in `articles/`, with a head of `name: value` lines and a body in a small subset of Markdown.

Empty lines separate the parts of a body: `## subheading`, `- item`, `1. item`, `> quote`, `| cell | cell |` (the first row is the
head), `![caption](image 960x540)`. Everything else is a paragraph. `*emphasis*` may stand within a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

DAY_LENGTH, MINUTE_LENGTH = len("2025-09-05"), len("2025-09-05T18:45")
"""Characters of an ISO time up to its day and up to its minute."""
FOLDER = Path(__file__).parent / "articles"
IMAGE = re.compile(r"!\[(?P<caption>.*)\]\((?P<name>[a-z]+) (?P<width>\d+)x(?P<height>\d+)\)")
EMPHASIS = re.compile(r"\*([^*]+)\*")


@dataclass(frozen=True, slots=True)
class ArticleImage:
    """An image of an article, with its caption and its size in pixels."""

    name: str
    caption: str
    width: int
    height: int

    @property
    def path(self) -> str:
        return f"/pictures/{self.name}-{self.width}x{self.height}.jpg"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an article's body."""

    kind: Literal["paragraph", "subheading", "list", "steps", "quote", "table", "image"]
    lines: tuple[str, ...] = ()
    """The text: one line, or a line per item. Tables keep their cells in `rows`."""
    rows: tuple[tuple[str, ...], ...] = ()
    image: ArticleImage | None = None


@dataclass(frozen=True)
class ArticleFile:
    """One article: the content of its page, and the page's address and design."""

    slug: str
    head: dict[str, str]
    text: str

    @property
    def title(self) -> str:
        return self.head["title"]

    @property
    def path(self) -> str:
        return self.head["path"]

    @property
    def design(self) -> str:
        """classic, magazine or script."""
        return self.head["design"]

    @property
    def channel(self) -> str:
        """zh or en: the language, and the channel that lists the article."""
        return self.head["channel"]

    @property
    def displayed_time(self) -> str:
        """The time as the page shows it."""
        return self.head["shown"]

    @property
    def time(self) -> str:
        """The time in ISO 8601, as precise as the page shows it."""
        return self.head["time"]

    @property
    def modified(self) -> str | None:
        return self.head.get("modified")

    @property
    def source(self) -> str:
        return self.head["source"]

    @property
    def summary(self) -> str:
        return self.head["summary"]

    @cached_property
    def authors(self) -> list[str]:
        return [name.strip() for name in self.head["authors"].split(";")]

    @cached_property
    def editors(self) -> list[str]:
        """Those whom the page names."""
        return [self.head["editor"]] if "editor" in self.head else []

    @cached_property
    def related(self) -> list[ArticleFile]:
        by_slug = {article.slug: article for article in load_articles()}
        return [by_slug[slug] for slug in self.head["related"].split()]

    @cached_property
    def parts(self) -> list[Part]:
        return [part_from_text(text) for text in self.text.split("\n\n")]

    @property
    def images(self) -> list[ArticleImage]:
        return [part.image for part in self.parts if part.image]


@lru_cache(maxsize=1)
def load_articles() -> tuple[ArticleFile, ...]:
    """All articles, the latest first."""
    articles = [article_from_text(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.txt"))]
    return tuple(sorted(articles, key=lambda article: article.time[:MINUTE_LENGTH], reverse=True))


def article_from_text(slug: str, text: str) -> ArticleFile:
    head, body = text.strip().split("\n\n", 1)
    return ArticleFile(slug, dict(line.split(": ", 1) for line in head.splitlines()), body)


def part_from_text(text: str) -> Part:
    """One part of a body.

    >>> part_from_text("- one\\n- two").lines
    ('one', 'two')
    """
    lines = text.strip().splitlines()
    if match := IMAGE.fullmatch(lines[0]):
        return Part("image", image=ArticleImage(match["name"], match["caption"], int(match["width"]), int(match["height"])))
    if lines[0].startswith("## "):
        return Part("subheading", (lines[0][3:],))
    if lines[0].startswith("> "):
        return Part("quote", (lines[0][2:],))
    if lines[0].startswith("- "):
        return Part("list", tuple(line[2:] for line in lines))
    if lines[0].startswith("1. "):
        return Part("steps", tuple(line.split(". ", 1)[1] for line in lines))
    if lines[0].startswith("|"):
        return Part("table", rows=tuple(tuple(cell.strip() for cell in line.strip()[1:-1].split("|")) for line in lines))
    return Part("paragraph", (" ".join(lines),))


def plain_text(line: str) -> str:
    """A line without marks.

    >>> plain_text("all *quiet* here")
    'all quiet here'
    """
    return EMPHASIS.sub(r"\1", line)
