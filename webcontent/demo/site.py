"""The pages of the demo site by their paths, built once from the article files and the templates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.demo.article_files import DAY_LENGTH, EMPHASIS, MINUTE_LENGTH, ArticleFile, Part, load_articles
from webcontent.demo.words import LANGUAGES, MONTHS, SITES, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = Path(__file__).parent
HTML, JSON, CSS, SCRIPT, TEXT = "text/html; charset=utf-8", "application/json", "text/css", "text/javascript", "text/plain"
PER_PAGE = 6
FRONT_ARTICLES = 12
RANKED = 8
ROBOTS = "User-agent: *\nDisallow: /about/\nDisallow: /login\nDisallow: /ads/\nCrawl-delay: 0\n"


@dataclass(frozen=True, slots=True)
class Resource:
    """The server's answer to a path."""

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
    articles: tuple[ArticleFile, ...]
    previous: str | None = None
    next: str | None = None


def build_site(base_url: str) -> dict[str, Resource]:
    """All fixed resources of the site at `base_url` (without a slash at the end), by path. The server draws the images."""
    site = {page.path: Resource(HTML, list_html(page, base_url).encode()) for page in list_pages()}
    for article in load_articles():
        site[article.path] = Resource(HTML, article_html(article, base_url).encode())
        if article.design == "script":
            site[data_path(article)] = Resource(JSON, article_json(article).encode())
    for path in sorted((FOLDER / "static").iterdir()):
        site[f"/static/{path.name}"] = Resource(SCRIPT if path.suffix == ".js" else CSS, path.read_bytes())
    site["/robots.txt"] = Resource(TEXT, ROBOTS.encode())
    return site


def list_pages() -> list[ListPage]:
    """The front page and the pages of both channels."""
    articles = load_articles()
    front = ListPage("/", "最新报道", "zh", "front", articles[:FRONT_ARTICLES])
    chinese = [article for article in articles if article.channel == "zh"]
    english = [article for article in articles if article.channel == "en"]
    return [
        front,
        *_channel("要闻", "zh", "classic", chinese, "/yaowen/", "/yaowen/index_{}.html"),
        *_channel("Latest stories", "en", "magazine", english, "/en/", "/en/page/{}/"),
    ]


def _channel(title: str, language: str, design: str, articles: Sequence[ArticleFile], first: str, further: str) -> list[ListPage]:
    groups = [tuple(articles[start : start + PER_PAGE]) for start in range(0, len(articles), PER_PAGE)]
    paths = [first, *(further.format(number) for number in range(2, len(groups) + 1))]
    around = [None, *paths, None]
    return [
        ListPage(path, title, language, design, group, around[number], around[number + 2])
        for number, (path, group) in enumerate(zip(paths, groups, strict=True))
    ]


def data_path(article: ArticleFile) -> str:
    """Path of an article's JSON, which the script design fetches."""
    return f"/data{article.path}.json"


# Pages


def article_html(article: ArticleFile, base_url: str) -> str:
    words = WORDS[article.channel]
    comma = words["comma"]
    channel = next(page for page in list_pages()[1:] if page.language == article.channel)
    return _fill(
        f"{article.design}_article.html",
        base_url,
        article.channel,
        SITES[article.design, article.channel],
        title=escape(article.title),
        summary=escape(article.summary),
        url=base_url + article.path,
        image_url=base_url + article.images[0].path if article.images else "",
        shown=article.displayed_time,
        source=escape(article.source),
        authors=escape(comma.join(article.authors)),
        editor=escape(comma.join(article.editors)),
        body=body_html(article.parts),
        related="\n".join(_related(article, other) for other in article.related),
        json_ld=json_ld(article, base_url),
        data_path=data_path(article),
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
        records="\n".join(record(article) for article in page.articles),
        rel_next=f'<link rel="next" href="{page.next}">' if page.next and page.design == "magazine" else "",
        pager=_pager(page),
    )


def article_json(article: ArticleFile) -> str:
    """The JSON that the script design fetches."""
    words = WORDS[article.channel]
    return json.dumps(
        {
            "title": article.title,
            "site": SITES["script", article.channel],
            "time": article.time,
            "shown": article.displayed_time,
            "authors": article.authors,
            "parts": [_part_json(part) for part in article.parts],
            "related": [{"title": other.title, "path": other.path} for other in article.related],
            "words": {"related": words["related"], "rights": words["rights"], "about": words["about"]},
        },
        ensure_ascii=False,
    )


def json_ld(article: ArticleFile, base_url: str) -> str:
    """The JSON-LD of a page in the magazine design."""
    about = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "mainEntityOfPage": base_url + article.path,
        "headline": article.title,
        "datePublished": article.time,
        "author": [{"@type": "Person", "name": name} for name in article.authors],
        "publisher": {"@type": "NewsMediaOrganization", "name": SITES[article.design, article.channel]},
        "image": [base_url + image.path for image in article.images],
    }
    if article.modified:
        about["dateModified"] = article.modified
    return json.dumps(about, ensure_ascii=False)


# Parts of pages


def body_html(parts: Sequence[Part]) -> str:
    return "\n".join(_BUILDERS[part.kind](part) for part in parts)


def emphasized(line: str) -> str:
    """A line as HTML.

    >>> emphasized("a < *b*")
    'a &lt; <em>b</em>'
    """
    return EMPHASIS.sub(r"<em>\1</em>", escape(line))


def _items(part: Part) -> str:
    return "".join(f"<li>{emphasized(line)}</li>" for line in part.lines)


def _table(part: Part) -> str:
    rows = [
        "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"
        for row, tag in zip(part.rows, ["th"] + ["td"] * len(part.rows), strict=False)
    ]
    return "<table>" + "".join(rows) + "</table>"


def _figure(part: Part) -> str:
    image = part.image
    assert image is not None
    element = f'<img src="{image.path}" alt="" width="{image.width}" height="{image.height}">'
    return f"<figure>{element}<figcaption>{escape(image.caption)}</figcaption></figure>"


_BUILDERS = {
    "paragraph": lambda part: f"<p>{emphasized(part.lines[0])}</p>",
    "subheading": lambda part: f"<h2>{escape(part.lines[0])}</h2>",
    "quote": lambda part: f"<blockquote><p>{emphasized(part.lines[0])}</p></blockquote>",
    "list": lambda part: f"<ul>{_items(part)}</ul>",
    "steps": lambda part: f"<ol>{_items(part)}</ol>",
    "table": _table,
    "image": _figure,
}


def _part_json(part: Part) -> dict[str, object]:
    image = part.image
    return {
        "kind": part.kind,
        "lines": part.lines,
        "rows": part.rows,
        "image": image and {"src": image.path, "caption": image.caption, "width": image.width, "height": image.height},
    }


def _related(article: ArticleFile, other: ArticleFile) -> str:
    link = f'<a href="{other.path}">{escape(other.title)}</a>'
    if article.design == "magazine":
        return f'<div class="card">{_thumbnail(other)}<h3>{link}</h3></div>'
    return f"<li>{link}<span>{other.time[:DAY_LENGTH]}</span></li>"


def _front_record(article: ArticleFile) -> str:
    link = f'<a href="{article.path}">{escape(article.title)}</a>'
    return f'<li><h3>{link}</h3><p>{escape(article.summary)}</p><div class="meta">{list_time(article)}</div></li>'


def _record(article: ArticleFile) -> str:
    link = f'<a href="{article.path}">{escape(article.title)}</a>'
    meta = f"<span>{WORDS['zh']['source']}{escape(article.source)}</span> <span>{list_time(article)}</span>"
    return f'<li><h3>{link}</h3><p>{escape(article.summary)}</p><div class="meta">{meta}</div></li>'


def _card(article: ArticleFile) -> str:
    heading = f'<h3><a href="{article.path}">{escape(article.title)}</a></h3>'
    texts = f'<p>{escape(article.summary)}</p><p class="date">{card_date(article)}</p>'
    return f'<div class="card">{_thumbnail(article)}{heading}{texts}</div>'


def _thumbnail(article: ArticleFile) -> str:
    return f'<a href="{article.path}"><img src="{thumbnail_path(article)}" width="360" height="210" alt=""></a>'


def thumbnail_path(article: ArticleFile) -> str:
    return f"/pictures/{article.images[0].name if article.images else 'bay'}-360x210.jpg"


def list_time(article: ArticleFile) -> str:
    """An article's time as the front page and the Chinese channel show it.

    >>> list_time(load_articles()[-1])
    '2025-08-25 08:00'
    """
    return article.time[:MINUTE_LENGTH].replace("T", " ")


def card_date(article: ArticleFile) -> str:
    """An article's day as the English channel shows it.

    >>> card_date(load_articles()[-1])
    'August 25, 2025'
    """
    year, month, day = article.time[:DAY_LENGTH].split("-")
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
    """The same ranking for every page: articles in the order of their titles."""
    ranked = sorted(load_articles(), key=lambda article: article.title)[:RANKED]
    return "\n".join(f'<li><a href="{article.path}">{escape(article.title)}</a></li>' for article in ranked)


def _fill(template: str, base_url: str, language: str, site: str, **values: str) -> str:
    words = {f"t_{name}": escape(word) for name, word in WORDS[language].items()}
    fixed = {"lang": LANGUAGES[language], "site": site, "port": str(urlsplit(base_url).port), "ranking": _ranking()}
    return _template(template).substitute(fixed | words | values)


@lru_cache
def _template(name: str) -> Template:
    return Template((FOLDER / "templates" / name).read_text(encoding="utf-8"))
