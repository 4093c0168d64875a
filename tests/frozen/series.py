"""Pages by size: each part of a page from one to thousands, each size a third more than the one before.

A limit, a distance or a share that moves by a third lies between two sizes, so the item of one of them changes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 86, 115, 153, 204, 272, 363, 484, 645, 860, 1147, 1530, 2040)
"""Each about 4/3 of the one before."""
WORDS = (
    "the council said on Monday that it would build a new bridge over the river before the end of next year because people had waited "
    "for a long time and the old one was closed after the flood of last spring when water rose above its pillars"
).split()
SENTENCE = "The council said on Monday that it would build a new bridge over the river before the end of next year."
TEXT = "".join(f"<p>{SENTENCE} Part {number} of the plan follows, and people have waited for a long time.</p>" for number in range(5))


def words(count: int, start: int = 0) -> str:
    """So many words, none of them the same as long as few are asked for."""
    return " ".join(WORDS[(start + place) % len(WORDS)] for place in range(count))


def chars(count: int) -> str:
    """Words with so many characters."""
    return words(count // 2 + 1)[: max(1, count - 1)].strip().replace(" ", "x", 0).ljust(count, "s")


def page(body: str = TEXT, *, head: str = "", title: str = "A bridge over the river", top: str = "", below: str = "") -> str:
    """An article with a headline; `top` stands below the headline."""
    return f"<html><head><title>{title}</title>{head}</head><body><div><h1>{title}</h1>{top}<article>{body}</article>{below}</div></body></html>"


def json_ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def meta(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{content}">'


def article_of(**fields: object) -> str:
    return json_ld({"@type": "NewsArticle", **fields})


def repeated(make: Callable[[int], str], count: int) -> str:
    return "".join(map(make, range(count)))


def entries(count: int, *, title: int = 6, summary: int = 0, gap: int = 0) -> str:
    """A list page of so many records, with so many words a title and a summary, and so many lines of text between two of them."""

    def record(number: int) -> str:
        text = f"<p>{words(summary, number)}</p>" if summary else ""
        day = f"<time>{1 + number % 28} May 2024</time>"
        return f"<div class=item><h2><a href=/news/{number}.html>Story {number} {words(title, 3 * number)}</a></h2>{day}{text}{'<p>x</p>' * gap}</div>"

    return f"<html><head><title>News</title></head><body><h1>News</h1><div class=list>{repeated(record, count)}</div></body></html>"


def people(count: int) -> list[str]:
    first, last = ("Anna", "Ben", "Clara", "David", "Eva", "Frank"), ("Miller", "Stone", "Baker", "Fisher", "Cooper", "Mason", "Carter")
    return [f"{first[n % 6]} {last[n % 7]}{'aeiou'[n % 5] * (n // 42)}" for n in range(count)]


def figure(number: int, caption: str = "", size: int = 0) -> str:
    px = f" width={size} height={size}" if size else ""
    return f"<figure><img src=/img/{number}.jpg alt='Picture {number}'{px}><figcaption>{caption}</figcaption></figure>"


def nested(tag: str, depth: int, inner: str) -> str:
    return f"<{tag}>" * depth + inner + f"</{tag}>" * depth


def filler(count: int) -> str:
    return repeated(lambda number: f"<p>Line {number}</p>", count)


BYLINE = "<p class=byline>By Anna Miller, 5 May 2024 10:30</p>"
SERIES: dict[str, Callable[[int], str]] = {
    "title characters": lambda n: page(title=chars(n)),
    "title words": lambda n: page(title=words(n).title()),
    "declared title": lambda n: page(head=meta("og:title", words(n)) + meta("og:site_name", "The Paper")),
    "site name": lambda n: page(head=f"{meta('og:site_name', words(n))}").replace("</title>", f" - {words(n)}</title>", 1),
    "headings": lambda n: page(repeated(lambda i: f"<h2>Heading {i}</h2><p>{SENTENCE}</p>", n)),
    "headlines": lambda n: page(below=repeated(lambda i: f"<h1>Other {i}</h1>", n)),
    "heading words": lambda n: page(f"<h2>{words(n)}</h2>{TEXT}"),
    "author characters": lambda n: page(top=f"<p class=byline>By {chars(n).title()}</p>"),
    "author words": lambda n: page(top=f"<p class=byline>By {words(n).title()}</p>"),
    "authors in a byline": lambda n: page(top=f"<p class=byline>By {', '.join(people(n))}</p>"),
    "bylines": lambda n: page(top=repeated(lambda i: f"<p class=byline>By {people(i + 1)[i]}</p>", min(n, 200))),
    "declared authors": lambda n: page(head=article_of(author=[{"@type": "Person", "name": name} for name in people(n)])),
    "authors in meta elements": lambda n: page(head="".join(f'<meta name="author" content="{name}">' for name in people(n))),
    "lines above the byline": lambda n: page(top=filler(n) + BYLINE),
    "labelled lines": lambda n: page(below=filler(40) + repeated(lambda i: f"<p>Source: Paper {i}</p>", n) + "<p>Author: Anna Miller</p>"),
    "marked lines": lambda n: page(below=filler(40) + repeated(lambda i: f"<p class=author>{people(i + 1)[i]}</p>", min(n, 100))),
    "words beside a name": lambda n: page(top=f"<p>{words(n)} by Anna Miller {words(n)}</p>"),
    "lines before a signature": lambda n: page(TEXT + filler(n) + "<p>Anna Miller</p><p>Editor: Ben Stone</p>"),
    "source characters": lambda n: page(top=f"<p class=info>Source: {chars(n).title()} 5 May 2024</p>"),
    "publisher characters": lambda n: page(head=article_of(publisher={"@type": "Organization", "name": chars(n)})),
    "rights": lambda n: page(below=f"<footer>© 2024 {words(n).title()}. All rights reserved.</footer>"),
    "chinese line": lambda n: page(top=f"<div>来源：{'新' * n}报 作者：张三 编辑：李四 2024-05-05 10:30</div>").replace(SENTENCE, "市议会周一开会讨论大桥问题，市民希望早日建成。"),
    "objects": lambda n: page(head=repeated(lambda i: article_of(headline=f"Story {i}", datePublished=f"2024-05-{1 + i % 28:02}"), n)),
    "graph": lambda n: page(head=json_ld({"@graph": [*({"@type": "Thing", "name": str(i)} for i in range(n)), {"@type": "NewsArticle", "author": "Anna Miller"}]})),
    "meta elements": lambda n: page(head=meta("x", "y") * n + meta("article:published_time", "2024-05-05T10:30:00Z")),
    "value of a meta element": lambda n: page(head=meta("article:published_time", " " * n + "2024-05-05") + meta("og:locale", "x" * n)),
    "times": lambda n: page(top=repeated(lambda i: f"<time datetime=2024-05-{1 + i % 28:02}>x</time>", n)),
    "lines above the time": lambda n: page(top=filler(n) + "<p>5 May 2024</p>"),
    "lines below the text": lambda n: page(below=filler(n) + "<p>Updated: 6 May 2024 11:00</p>"),
    "words beside a time": lambda n: page(top=f"<p>{words(n)} 5 May 2024 {words(n)}</p>"),
    "paragraphs": lambda n: page(repeated(lambda i: f"<p>{words(25, i)}, {i}.</p>", n)),
    "short paragraphs": lambda n: page(repeated(lambda i: f"<p>{words(6, i)}, {i}.</p>", n)),
    "words of a paragraph": lambda n: page(f"<p>{words(n)}.</p>{TEXT}<p>{words(n, 7)}.</p>"),
    "words in a link": lambda n: page(f"{TEXT}<p>{SENTENCE} <a href=/x>{words(n)}</a></p>"),
    "links of a paragraph": lambda n: page(TEXT + f"<p>{repeated(lambda i: f'<a href=/x{i}>link {i}</a> and ', n)}</p>" + TEXT),
    "lists": lambda n: page(TEXT + f"<ul>{repeated(lambda i: f'<li>{words(4, i)}', n)}</ul>"),
    "link lists": lambda n: page(TEXT, below=f"<ul>{repeated(lambda i: f'<li><a href=/{i}.html>{words(5, i)}</a>', n)}</ul>"),
    "related": lambda n: page(below=f"<h3>Related articles</h3><ul>{repeated(lambda i: f'<li><a href=/n/{i}.html>Other story {words(4, i)}</a>', n)}</ul>"),
    "related words": lambda n: page(below=f"<h3>Related articles</h3><ul>{repeated(lambda i: f'<li><a href=/n/{i}.html>Story {i} {words(n, i)}</a>', 4)}</ul>"),
    "lines above related": lambda n: page(below=filler(n) + "<h3>Related articles</h3><ul><li><a href=/n/1.html>Another story of the town</a></ul>"),
    "comments": lambda n: page(below=f"<div id=comments class=comments>{repeated(lambda i: f'<div class=comment><b>reader{i}</b><p>{words(12, i)}</p></div>', n)}</div>"),
    "notes at the end": lambda n: page(TEXT + f"<p>Photo: {words(n)}</p><p>Share this {words(n)}</p><p>Copyright {words(n)}</p>"),
    "further articles": lambda n: page(below=repeated(lambda i: f"<article><h2>Story {i}</h2><p>{words(30, i)}.</p></article>", min(n, 300))),
    "images": lambda n: page(TEXT + repeated(figure, n)),
    "image size": lambda n: page(figure(1, size=n) + TEXT + figure(2, size=2 * n)),
    "caption words": lambda n: page(figure(1, words(n)) + TEXT),
    "lines above an image": lambda n: page(TEXT, top=filler(n) + figure(1)),
    "videos": lambda n: page(TEXT + repeated(lambda i: f"<iframe src=https://www.youtube.com/embed/abcdefgh{i:03}></iframe>", min(n, 400))),
    "rows": lambda n: page(TEXT + f"<table>{repeated(lambda i: f'<tr><td>{i}<td>{words(2, i)}', n)}</table>"),
    "columns": lambda n: page(TEXT + f"<table>{('<tr>' + '<td>1' * n) * 3}</table>"),
    "cell words": lambda n: page(TEXT + f"<table><tr><th>a<th>b<tr><td>{words(n)}<td>{words(n, 3)}</table>"),
    "spans": lambda n: page(TEXT + f"<table><tr><td colspan={n} rowspan={n}>a<td>b<tr><td>c</table>"),
    "depth": lambda n: page(nested("div", min(n, 700), TEXT)),
    "quotes": lambda n: page(TEXT + nested("blockquote", min(n, 100), f"<p>{SENTENCE}</p>")),
    "nested lists": lambda n: page(TEXT + nested("ul><li", min(n, 100), "x")),
    "code lines": lambda n: page(f"{TEXT}<pre><code>{repeated(lambda i: f'x{i} = {i}' + chr(10), n)}</code></pre>"),
    "code width": lambda n: page(f"{TEXT}<pre><code class=language-python>x = '{'y' * n}'</code></pre><p>{words(3)} <code>{'z' * n}</code></p>"),
    "footnotes": lambda n: page(
        TEXT.replace("bridge", "bridge" + repeated(lambda i: f"<sup><a href=#n{i} id=r{i}>{i}</a></sup>", min(n, 200)), 1)
        + f"<ol>{repeated(lambda i: f'<li id=n{i}>Note {i} <a href=#r{i}>↩</a>', min(n, 200))}</ol>"
    ),
    "hidden text": lambda n: page(f"{TEXT}<div style=display:none><p>{words(n)}</p></div><div hidden><p>{words(n)}</p></div>"),
    "tabs": lambda n: page(f"<ul role=tablist>{repeated(lambda i: f'<li role=tab>Tab {i}', min(n, 60))}</ul>" + repeated(lambda i: f"<div role=tabpanel><p>{words(20, i)}</p></div>", min(n, 60))),
    "entries": entries,
    "entry words": lambda n: entries(8, title=n),
    "summary words": lambda n: entries(8, summary=n),
    "lines of an entry": lambda n: entries(8, gap=min(n, 300)),
    "menu and entries": lambda n: entries(6).replace("<h1>", f"<nav>{repeated(lambda i: f'<a href=/m{i}/>{words(2, i)}</a> ', n)}</nav><h1>"),
    "text above entries": lambda n: entries(8).replace("<div class=list>", f"<p>{words(n)}.</p><div class=list>"),
    "next page": lambda n: page(below=f"<div class=pages>{repeated(lambda i: f'<a href=?page={i + 1}>{i + 1}</a> ', n)}<a href=?page=2>Next {words(n - 1)}</a></div>"),
    "canonical address": lambda n: page(head=f"<link rel=canonical href=/{'a' * n}>"),
    "class names": lambda n: page(TEXT.replace("<p>", f"<p class='{words(n)}'>")),
    "login form": lambda n: page(f"<form><input type=password></form><p>{words(n)}</p>", title="Sign in"),
    "paywall": lambda n: page(f"<p>{words(n)}.</p><div class=paywall><p>Subscribe to read the whole article.</p></div>", head=article_of(isAccessibleForFree=False)),
    "consent": lambda n: page(f"<p>{words(n)}</p><div id=consent><p>We use cookies. {words(n)}</p><button>Accept all</button></div>"),
    "shell": lambda n: f"<html><head><title>App</title></head><body><div id=root></div><noscript>{words(n)}</noscript><script>{'x();' * n}</script></body></html>",
    "forum": lambda n: page(repeated(lambda i: f"<div class=post><a href=/u/{i}>user{i}</a> <span>5 May 2024</span><p>{words(20, i)}</p></div>", min(n, 300)), title="A question about bridges"),
    "spaces": lambda n: page(TEXT.replace(" ", " " * n if n < 50 else " ")),
    "copies": lambda n: page(TEXT + f"<div><p>{words(n)}.</p></div><section><span>{words(n)}.</span></section>"),
}  # fmt: skip
"""Name -> the page of a size."""
LIGHT = (
    "characters",
    "words",
    "title",
    "name",
    "size",
    "value",
    "spans",
    "width",
    "address",
    "line",
    "text",
    "shell",
    "consent",
    "paywall",
)
"""In the names of series whose pages are small; the others are made up to the size of 363."""


def sizes(name: str) -> tuple[int, ...]:
    is_light = any(word in name for word in LIGHT) and "lines" not in name and "entries" not in name
    return tuple(size for size in SIZES if size <= (SIZES[-1] if is_light else 363))
