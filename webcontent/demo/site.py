"""The demo site as a table: path -> what the server answers. Every page is built once, from the stories and the templates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.demo.stories import STRESS, Part, Story, load_stories
from webcontent.demo.words import LANGUAGES, MONTHS, SITES, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = Path(__file__).parent
HTML, JSON, CSS, SCRIPT, TEXT = "text/html; charset=utf-8", "application/json", "text/css", "text/javascript", "text/plain"
PER_PAGE = 6
FRONT_STORIES = 12
RANKED = 8
ROBOTS = "User-agent: *\nDisallow: /about/\nDisallow: /login\nDisallow: /ads/\nCrawl-delay: 0\n"


@dataclass(frozen=True, slots=True)
class Resource:
    """What the server sends for a path."""

    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of the front or of a channel."""

    path: str
    title: str
    language: str
    design: str
    """front, classic or magazine."""
    stories: tuple[Story, ...]
    previous: str | None = None
    next: str | None = None


def build_site(base_url: str) -> dict[str, Resource]:
    """All fixed resources of the site at `base_url` (no slash at its end), by path; pictures are drawn by the server."""
    site = {page.path: Resource(HTML, list_html(page, base_url).encode()) for page in list_pages()}
    for story in load_stories():
        site[story.path] = Resource(HTML, article_html(story, base_url).encode())
        if story.design == "script":
            site[data_path(story)] = Resource(JSON, story_json(story).encode())
    for path in sorted((FOLDER / "static").iterdir()):
        site[f"/static/{path.name}"] = Resource(SCRIPT if path.suffix == ".js" else CSS, path.read_bytes())
    site["/robots.txt"] = Resource(TEXT, ROBOTS.encode())
    return site


def list_pages() -> list[ListPage]:
    """The front page and the pages of both channels."""
    stories = load_stories()
    front = ListPage("/", "最新报道", "zh", "front", stories[:FRONT_STORIES])
    chinese = [story for story in stories if story.channel == "zh"]
    english = [story for story in stories if story.channel == "en"]
    return [
        front,
        *_channel("要闻", "zh", "classic", chinese, "/yaowen/", "/yaowen/index_{}.html"),
        *_channel("Latest stories", "en", "magazine", english, "/en/", "/en/page/{}/"),
    ]


def _channel(title: str, language: str, design: str, stories: Sequence[Story], first: str, further: str) -> list[ListPage]:
    groups = [tuple(stories[start : start + PER_PAGE]) for start in range(0, len(stories), PER_PAGE)]
    paths = [first, *(further.format(number) for number in range(2, len(groups) + 1))]
    around = [None, *paths, None]
    return [
        ListPage(path, title, language, design, group, around[number], around[number + 2])
        for number, (path, group) in enumerate(zip(paths, groups, strict=True))
    ]


def data_path(story: Story) -> str:
    """Where the script design finds a story's JSON."""
    return f"/data{story.path}.json"


# Pages


def article_html(story: Story, base_url: str) -> str:
    words = WORDS[story.channel]
    comma = words["comma"]
    channel = next(page for page in list_pages()[1:] if page.language == story.channel)
    return _fill(
        f"{story.design}_article.html",
        base_url,
        story.channel,
        SITES[story.design, story.channel],
        title=escape(story.title),
        summary=escape(story.summary),
        url=base_url + story.path,
        picture_url=base_url + story.pictures[0].path if story.pictures else "",
        shown=story.shown,
        source=escape(story.source),
        authors=escape(comma.join(story.authors)),
        editor=escape(story.head.get("editor", "")),
        body=body_html(story.parts),
        related="\n".join(_related(story, other) for other in story.related),
        json_ld=json_ld(story, base_url),
        data_path=data_path(story),
        channel_path=channel.path,
        channel_name=escape(channel.title),
    )


def list_html(page: ListPage, base_url: str) -> str:
    record = _card if page.design == "magazine" else _record if page.design == "classic" else _front_record
    return _fill(
        "magazine_list.html" if page.design == "magazine" else "classic_list.html",
        base_url,
        page.language,
        SITES["classic", page.language],
        title=escape(page.title),
        url=base_url + page.path,
        list_class="records front" if page.design == "front" else "records",
        records="\n".join(record(story) for story in page.stories),
        rel_next=f'<link rel="next" href="{page.next}">' if page.next and page.design == "magazine" else "",
        pager=_pager(page),
    )


def story_json(story: Story) -> str:
    """What the script design fetches."""
    words = WORDS[story.channel]
    return json.dumps(
        {
            "title": story.title,
            "site": SITES["script", story.channel],
            "time": story.time,
            "shown": story.shown,
            "authors": story.authors,
            "parts": [_part_json(part) for part in story.parts],
            "related": [{"title": other.title, "path": other.path} for other in story.related],
            "words": {"related": words["related"], "rights": words["rights"], "about": words["about"]},
        },
        ensure_ascii=False,
    )


def json_ld(story: Story, base_url: str) -> str:
    """The magazine's description of a story for machines."""
    about = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "mainEntityOfPage": base_url + story.path,
        "headline": story.title,
        "datePublished": story.time,
        "author": [{"@type": "Person", "name": name} for name in story.authors],
        "publisher": {"@type": "NewsMediaOrganization", "name": story.source},
        "image": [base_url + picture.path for picture in story.pictures],
    }
    if story.modified:
        about["dateModified"] = story.modified
    return json.dumps(about, ensure_ascii=False)


# Parts of pages


def body_html(parts: Sequence[Part]) -> str:
    return "\n".join(_BUILDERS[part.kind](part) for part in parts)


def stressed(line: str) -> str:
    """A line as HTML.

    >>> stressed("a < *b*")
    'a &lt; <em>b</em>'
    """
    return STRESS.sub(r"<em>\1</em>", escape(line))


def _items(part: Part) -> str:
    return "".join(f"<li>{stressed(line)}</li>" for line in part.lines)


def _table(part: Part) -> str:
    rows = [
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for row, tag in zip(part.rows, ["th"] + ["td"] * len(part.rows), strict=False)
    ]
    return "<table>" + "".join(rows) + "</table>"


def _figure(part: Part) -> str:
    picture = part.picture
    assert picture is not None
    image = f'<img src="{picture.path}" alt="" width="{picture.width}" height="{picture.height}">'
    return f"<figure>{image}<figcaption>{escape(picture.caption)}</figcaption></figure>"


_BUILDERS = {
    "paragraph": lambda part: f"<p>{stressed(part.lines[0])}</p>",
    "subhead": lambda part: f"<h2>{escape(part.lines[0])}</h2>",
    "quote": lambda part: f"<blockquote><p>{stressed(part.lines[0])}</p></blockquote>",
    "list": lambda part: f"<ul>{_items(part)}</ul>",
    "steps": lambda part: f"<ol>{_items(part)}</ol>",
    "table": _table,
    "picture": _figure,
}


def _part_json(part: Part) -> dict[str, object]:
    picture = part.picture
    return {
        "kind": part.kind,
        "lines": part.lines,
        "rows": part.rows,
        "picture": picture and {"src": picture.path, "caption": picture.caption, "width": picture.width, "height": picture.height},
    }


def _related(story: Story, other: Story) -> str:
    link = f'<a href="{other.path}">{escape(other.title)}</a>'
    if story.design == "magazine":
        return f'<div class="card">{_thumbnail(other)}<h3>{link}</h3></div>'
    return f"<li>{link}<span>{other.time[:10]}</span></li>"


def _front_record(story: Story) -> str:
    link = f'<a href="{story.path}">{escape(story.title)}</a>'
    return f'<li><h3>{link}</h3><p>{escape(story.summary)}</p><div class="meta">{list_time(story)}</div></li>'


def _record(story: Story) -> str:
    link = f'<a href="{story.path}">{escape(story.title)}</a>'
    meta = f"<span>{WORDS['zh']['source']}{escape(story.source)}</span> <span>{list_time(story)}</span>"
    return f'<li><h3>{link}</h3><p>{escape(story.summary)}</p><div class="meta">{meta}</div></li>'


def _card(story: Story) -> str:
    link = f'<a href="{story.path}">{escape(story.title)}</a>'
    return f'<div class="card">{_thumbnail(story)}<h3>{link}</h3><p>{escape(story.summary)}</p><p class="date">{card_date(story)}</p></div>'


def _thumbnail(story: Story) -> str:
    return f'<a href="{story.path}"><img src="{thumbnail_path(story)}" width="360" height="210" alt=""></a>'


def thumbnail_path(story: Story) -> str:
    return f"/pictures/{story.pictures[0].name if story.pictures else 'bay'}-360x210.jpg"


def list_time(story: Story) -> str:
    """A story's time as the front page and the Chinese channel show it.

    >>> list_time(load_stories()[-1])
    '2025-08-25 08:00'
    """
    return story.time[:16].replace("T", " ")


def card_date(story: Story) -> str:
    """A story's day as the English channel shows it.

    >>> card_date(load_stories()[-1])
    'August 25, 2025'
    """
    year, month, day = story.time[:10].split("-")
    return f"{MONTHS[int(month) - 1]} {int(day)}, {year}"


def _pager(page: ListPage) -> str:
    words = WORDS[page.language]
    links = [
        f'<a href="{path}" rel="{rel}">{word}</a>'
        for path, rel, word in ((page.previous, "prev", words["previous"]), (page.next, "next", words["next"]))
        if path
    ]
    return f'<div class="pager">{" ".join(links)}</div>' if links else ""


def _ranking() -> str:
    """The same everywhere: stories in the order of their titles, as if that were what people read."""
    ranked = sorted(load_stories(), key=lambda story: story.title)[:RANKED]
    return "\n".join(f'<li><a href="{story.path}">{escape(story.title)}</a></li>' for story in ranked)


def _fill(template: str, base_url: str, language: str, site: str, **values: str) -> str:
    words = {f"t_{name}": escape(word) for name, word in WORDS[language].items()}
    fixed = {"lang": LANGUAGES[language], "site": site, "port": str(urlsplit(base_url).port), "ranking": _ranking()}
    return _template(template).substitute(fixed | words | values)


@lru_cache
def _template(name: str) -> Template:
    return Template((FOLDER / "templates" / name).read_text(encoding="utf-8"))
