"""The expected items of a crawl of the demo site, made from the same article files as its pages.

Fields that depend on time or on a model (score, page_type_score, fetched_at, evidence, extractor) are left out.
"""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urljoin

from webcontent.demo.article_files import DAY_LENGTH, MINUTE_LENGTH, ArticleFile, Part, load_articles, plain_text
from webcontent.demo.site import ListPage, card_date, emphasized, list_pages, list_time, thumbnail_path
from webcontent.demo.words import SITES, WORDS

Item = dict[str, Any]


def expected_items(base_url: str) -> dict[str, Item]:
    """The items of the site at `base_url` as dicts, by the path of their pages."""
    return {article.path: expected_article(article, base_url) for article in load_articles()} | {
        page.path: expected_listing(page, base_url) for page in list_pages()
    }


def expected_article(article: ArticleFile, base_url: str) -> Item:
    def absolute(path: str) -> str:
        return urljoin(base_url, path)

    return {
        "url": absolute(article.path),
        "canonical_url": absolute(article.path) if article.design == "magazine" else None,
        "type": "article",
        "kind": "article",
        "title": article.title,
        "time": article.time,
        "modified": article.modified,
        "source": article.source if article.design == "classic" else None,
        "publisher": SITES[article.design, article.channel],
        "authors": article.authors,
        "editors": article.editors,
        "body": "\n".join(line for part in article.parts for line in body_lines(part)),
        "body_html": "".join(part_html(part, base_url) for part in article.parts),
        "related": [
            {"title": other.title, "url": absolute(other.path), "time": other.time[:DAY_LENGTH] if article.design == "classic" else None}
            for other in article.related
        ],
        "entries": [],
        "images": [
            {"url": absolute(image.path), "caption": image.caption, "width": image.width, "height": image.height, "credit": None}
            for image in article.images
        ],
        "videos": [],
        "audios": [],
        "markdown": None,
        "language": article.channel,
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
        "entries": [expected_entry(page, article, base_url) for article in page.articles],
        "next_page": urljoin(base_url, page.next) if page.next else None,
        "time": None,
        "modified": None,
        "source": None,
        "publisher": SITES["classic" if page.design == "front" else page.design, page.language],
        "authors": [],
        "editors": [],
        "images": [],
        "body": "\n".join(line for article in page.articles for line in record_lines(page, article)),
        "related": [],
        "markdown": None,
        "language": page.language,
        "flags": [],
        "screenshot": None,
    }


def expected_entry(page: ListPage, article: ArticleFile, base_url: str) -> Item:
    return {
        "title": article.title,
        "url": urljoin(base_url, article.path),
        "time": article.time[:DAY_LENGTH] if page.design == "magazine" else article.time[:MINUTE_LENGTH],
        "source": article.source if page.design == "classic" else None,
        "summary": article.summary,
        "image": urljoin(base_url, thumbnail_path(article)) if page.design == "magazine" else None,
    }


def record_lines(page: ListPage, article: ArticleFile) -> list[str]:
    """The text of one record of a list, a line per part."""
    last = {
        "front": list_time(article),
        "classic": f"{WORDS['zh']['source']}{article.source} {list_time(article)}",
        "magazine": card_date(article),
    }
    return [article.title, article.summary, last[page.design]]


def body_lines(part: Part) -> list[str]:
    """The plain text of one part: a line per paragraph, subheading, list item or row, without captions.

    >>> body_lines(Part("table", rows=(("", "Planned"), ("Yield", "148"))))
    ['Planned', 'Yield\\t148']
    """
    if part.rows:
        return ["\t".join(cell for cell in row if cell) for row in part.rows]
    return [_mark(part.kind, number) + plain_text(line) for number, line in enumerate(part.lines, 1)]


def _mark(kind: str, number: int) -> str:
    """What stands before an item of a list."""
    return {"list": "- ", "steps": f"{number}. "}.get(kind, "")


def part_html(part: Part, base_url: str) -> str:
    """One part as cleaned HTML: no classes, no sizes, absolute addresses, captions below their images.

    >>> part_html(Part("quote", ("So *be* it.",)), "")
    '<blockquote><p>So <em>be</em> it.</p></blockquote>'
    """
    items = "".join(f"<li>{emphasized(line)}</li>" for line in part.lines)
    match part.kind:
        case "subheading":
            return f"<h2>{escape(part.lines[0])}</h2>"
        case "quote":
            return f"<blockquote><p>{emphasized(part.lines[0])}</p></blockquote>"
        case "list":
            return f"<ul>{items}</ul>"
        case "steps":
            return f"<ol>{items}</ol>"
        case "table":
            rows = "".join(row_html(row, is_head=number == 0) for number, row in enumerate(part.rows))
            return f"<table><tbody>{rows}</tbody></table>"
        case "image":
            assert part.image is not None
            caption = f"<figcaption>{escape(part.image.caption)}</figcaption>"
            return f'<figure><img src="{urljoin(base_url, part.image.path)}" alt="">{caption}</figure>'
        case _:
            return f"<p>{emphasized(part.lines[0])}</p>"


def row_html(row: tuple[str, ...], *, is_head: bool) -> str:
    tag = "th" if is_head else "td"
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
