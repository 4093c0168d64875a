"""The demo's stories: text files in `articles/`, a head of `name: value` lines and a body of small marks.

Marks of the body, blocks being separated by empty lines: `## subhead`, `- item`, `1. item`, `> quote`, `| cell | cell |`
(the first row is the head), `![caption](picture 960x540)`, everything else is a paragraph; `*stress*` within a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent / "articles"
PICTURE = re.compile(r"!\[(?P<caption>.*)\]\((?P<name>[a-z]+) (?P<width>\d+)x(?P<height>\d+)\)")
STRESS = re.compile(r"\*([^*]+)\*")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its caption."""

    name: str
    caption: str
    width: int
    height: int

    @property
    def path(self) -> str:
        return f"/pictures/{self.name}-{self.width}x{self.height}.jpg"


@dataclass(frozen=True, slots=True)
class Part:
    """One block of a story's body."""

    kind: Literal["paragraph", "subhead", "list", "steps", "quote", "table", "picture"]
    lines: tuple[str, ...] = ()
    """The text: one line, or an item a line; table rows keep their cells in `rows`."""
    rows: tuple[tuple[str, ...], ...] = ()
    picture: Picture | None = None


@dataclass(frozen=True)
class Story:
    """One article: what its page says, and in what form."""

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
        """zh or en: the channel that lists it, and its language."""
        return self.head["channel"]

    @property
    def shown(self) -> str:
        """The time as a reader sees it."""
        return self.head["shown"]

    @property
    def time(self) -> str:
        """The same in ISO 8601, as precise as the page."""
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
    def related(self) -> list[Story]:
        stories = {story.slug: story for story in load_stories()}
        return [stories[slug] for slug in self.head["related"].split()]

    @cached_property
    def parts(self) -> list[Part]:
        return [part_from_text(text) for text in self.text.split("\n\n")]

    @property
    def pictures(self) -> list[Picture]:
        return [part.picture for part in self.parts if part.picture]


@lru_cache(maxsize=1)
def load_stories() -> tuple[Story, ...]:
    """All stories, the latest first."""
    stories = [story_from_text(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.txt"))]
    return tuple(sorted(stories, key=lambda story: story.time[:16], reverse=True))


def story_from_text(slug: str, text: str) -> Story:
    head, body = text.strip().split("\n\n", 1)
    return Story(slug, dict(line.split(": ", 1) for line in head.splitlines()), body)


def part_from_text(text: str) -> Part:
    """One block of a body.

    >>> part_from_text("- one\\n- two").lines
    ('one', 'two')
    """
    lines = text.strip().splitlines()
    if found := PICTURE.fullmatch(lines[0]):
        return Part("picture", picture=Picture(found["name"], found["caption"], int(found["width"]), int(found["height"])))
    if lines[0].startswith("## "):
        return Part("subhead", (lines[0][3:],))
    if lines[0].startswith("> "):
        return Part("quote", (lines[0][2:],))
    if lines[0].startswith("- "):
        return Part("list", tuple(line[2:] for line in lines))
    if lines[0].startswith("1. "):
        return Part("steps", tuple(line.split(". ", 1)[1] for line in lines))
    if lines[0].startswith("|"):
        return Part("table", rows=tuple(tuple(cell.strip() for cell in line.strip()[1:-1].split("|")) for line in lines))
    return Part("paragraph", (" ".join(lines),))


def plain(line: str) -> str:
    """A line without marks.

    >>> plain("all *quiet* here")
    'all quiet here'
    """
    return STRESS.sub(r"\1", line)
