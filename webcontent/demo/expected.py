"""What the crawl of the demo site has to find: every field of every item, from the same stories as the pages.

Fields that depend on the moment or on a model (score, page_type_score, fetched_at, evidence, extractor) are left to the test.
"""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urljoin

from webcontent.demo.site import ListPage, card_date, list_pages, list_time, stressed, thumbnail_path
from webcontent.demo.stories import Part, Story, load_stories, plain
from webcontent.demo.words import WORDS

Item = dict[str, Any]


def expected_items(base_url: str) -> dict[str, Item]:
    """The items of the site at `base_url` as dicts, by the path of their pages."""
    return {story.path: expected_article(story, base_url) for story in load_stories()} | {
        page.path: expected_listing(page, base_url) for page in list_pages()
    }


def expected_article(story: Story, base_url: str) -> Item:
    def absolute(path: str) -> str:
        return urljoin(base_url, path)

    return {
        "url": absolute(story.path),
        "canonical_url": absolute(story.path) if story.design == "magazine" else None,
        "type": "article",
        "kind": "article",
        "title": story.title,
        "time": story.time,
        "modified": story.modified,
        "source": story.source,
        "authors": story.authors,
        "body": "\n".join(line for part in story.parts for line in body_lines(part)),
        "body_html": "".join(part_html(part, base_url) for part in story.parts),
        "related": [
            {"title": other.title, "url": absolute(other.path), "time": other.time[:10] if story.design == "classic" else None}
            for other in story.related
        ],
        "images": [
            {"url": absolute(picture.path), "caption": picture.caption, "width": picture.width, "height": picture.height}
            for picture in story.pictures
        ],
        "language": story.channel,
        "flags": [],
        "screenshot": None,
    }


def expected_listing(page: ListPage, base_url: str) -> Item:
    return {
        "url": urljoin(base_url, page.path),
        "canonical_url": urljoin(base_url, page.path) if page.design == "magazine" else None,
        "type": "list",
        "kind": "listing",
        "title": page.title,
        "entries": [expected_entry(page, story, base_url) for story in page.stories],
        "next_page": urljoin(base_url, page.next) if page.next else None,
        "body": "\n".join(line for story in page.stories for line in record_lines(page, story)),
        "related": [],
        "language": page.language,
        "flags": [],
        "screenshot": None,
    }


def expected_entry(page: ListPage, story: Story, base_url: str) -> Item:
    return {
        "title": story.title,
        "url": urljoin(base_url, story.path),
        "time": story.time[:10] if page.design == "magazine" else story.time[:16],
        "source": story.source if page.design == "classic" else None,
        "summary": story.summary,
        "image": urljoin(base_url, thumbnail_path(story)) if page.design == "magazine" else None,
    }


def record_lines(page: ListPage, story: Story) -> list[str]:
    """The text of one record of a list, a line a part."""
    last = {
        "front": list_time(story),
        "classic": f"{WORDS['zh']['source']}{story.source} {list_time(story)}",
        "magazine": card_date(story),
    }
    return [story.title, story.summary, last[page.design]]


def body_lines(part: Part) -> list[str]:
    """The plain text of one part: a line a paragraph, subhead, list item or row; captions are no body.

    >>> body_lines(Part("table", rows=(("", "Planned"), ("Yield", "148"))))
    ['Planned', 'Yield\\t148']
    """
    if part.rows:
        return ["\t".join(cell for cell in row if cell) for row in part.rows]
    return [plain(line) for line in part.lines]


def part_html(part: Part, base_url: str) -> str:
    """One part as cleaned HTML: no classes, no sizes, absolute addresses, captions below their pictures.

    >>> part_html(Part("quote", ("So *be* it.",)), "")
    '<blockquote><p>So <em>be</em> it.</p></blockquote>'
    """
    items = "".join(f"<li>{stressed(line)}</li>" for line in part.lines)
    match part.kind:
        case "subhead":
            return f"<h2>{escape(part.lines[0])}</h2>"
        case "quote":
            return f"<blockquote><p>{stressed(part.lines[0])}</p></blockquote>"
        case "list":
            return f"<ul>{items}</ul>"
        case "steps":
            return f"<ol>{items}</ol>"
        case "table":
            return "<table>" + "".join(row_html(row, is_head=number == 0) for number, row in enumerate(part.rows)) + "</table>"
        case "picture":
            assert part.picture is not None
            caption = f"<figcaption>{escape(part.picture.caption)}</figcaption>"
            return f'<figure><img src="{urljoin(base_url, part.picture.path)}" alt="">{caption}</figure>'
        case _:
            return f"<p>{stressed(part.lines[0])}</p>"


def row_html(row: tuple[str, ...], *, is_head: bool) -> str:
    tag = "th" if is_head else "td"
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
