"""A page with places for a text, one for each way in which texts of a page reach patterns."""

from __future__ import annotations

from html import escape

PARAGRAPH = "The council said on Monday that it would build a new bridge over the river before the end of next year. "
SLOTS = (
    "title", "h1", "class", "id", "meta", "json_ld", "byline", "source", "time", "datetime", "link", "href", "rel", "entries", "pre", "alt", "src", "style", "body",
    "attributes", "script", "comment", "lang",
)  # fmt: skip
"""Names of the places."""


def page(slot: str, text: str) -> str:
    """A page with the text in one place."""
    value, quoted = escape(text, quote=False), escape(text)
    parts = {
        "title": f"<title>{value}</title>",
        "h1": f"<h1>{value}</h1>",
        "class": "".join(f'<div class="{quoted}{number}"><h2 class="{quoted}">A story</h2><p>{PARAGRAPH}</p></div>' for number in range(3)),
        "id": "".join(f'<div id="{quoted}{number}"><p>{PARAGRAPH}</p></div>' for number in range(3)),
        "meta": "".join(
            f'<meta name="{name}" property="{name}" content="{quoted}">'
            for name in (
                "author",
                "og:title",
                "og:site_name",
                "article:published_time",
                "description",
                "keywords",
                "og:url",
                "source",
                "og:locale",
                "byl",
            )
        ),
        "json_ld": f'<script type="application/ld+json">{{"@type": "NewsArticle", "headline": {_json(text)}, "datePublished": {_json(text)}, '
        f'"author": {{"name": {_json(text)}}}, "publisher": {{"name": {_json(text)}}}, "url": {_json(text)}}}</script>',
        "byline": f"<p class=byline>By {value}</p><p>作者：{value}</p><p rel=author>{value}</p>",
        "source": f"<p class=source>来源：{value}</p><p>{value} 来源：x</p>",
        "time": f"<time>{value}</time><p class=date>{value}</p><p>2024-03-05 {value}</p>",
        "datetime": f'<time datetime="{quoted}">x</time>',
        "link": "".join(f"<li><a href=/story/{number}.html>{value}</a></li>" for number in range(5)),
        "href": f'<a href="{quoted}">a link with some words</a><a href="/x/{quoted}">2</a><base href="{quoted}"><link rel=canonical href="{quoted}">',
        "rel": f'<a rel="{quoted}" href=/2>2</a>',
        "entries": "".join(f"<li><h3><a href=/s/{number}>Some story {number}</a></h3><span>{value}</span></li>" for number in range(5)),
        "pre": f"<pre>{value}</pre>",
        "alt": f'<img src=a.png alt="{quoted}" width="{quoted}"><figure><img src=b.png><figcaption>{value}</figcaption></figure>',
        "src": f'<img src="{quoted}" srcset="{quoted}" data-src="{quoted}">',
        "style": f'<p style="{quoted}">{PARAGRAPH}</p>',
        "body": f"<p>{value}</p><div>{value}<br>{value}</div>",
        "attributes": f"<p {value}>x",
        "script": f"<script>{text}</script>",
        "comment": f"<!--{text}",
        "lang": f'<p lang="{quoted}" dir="{quoted}">{PARAGRAPH}</p>',
    }
    article = f"<h1>A new bridge</h1><p>By Jane Doe, 5 March 2024</p><p>{PARAGRAPH * 4}</p><p>{PARAGRAPH * 3}</p>"
    return f"<html><head><title>A new bridge</title></head><body>{article}{parts[slot]}<p>{PARAGRAPH * 2}</p></body></html>"


def _json(text: str) -> str:
    import json

    return json.dumps(text)
