"""No reader of Markdown sees a tag, an address or a script that cleaned HTML does not hold."""

from __future__ import annotations

import random
import re
from functools import cache
from html import escape
from itertools import product
from typing import TYPE_CHECKING

import pytest

from tests.markdown.readers import NAMES, comparable, live, reader, words
from tests.markdown.test_pages import PAGES, item_of
from webcontent.items import Article, Entry, Listing
from webcontent.markdown.writer import html_to_markdown

if TYPE_CHECKING:
    from collections.abc import Callable


IMAGE = "<img src=x onerror=alert(1)>"
TEXTS = (
    IMAGE,
    '<img src=x onerror=alert(1) title="',
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<div onclick=alert(1)>",
    "<!-- <b> -->",
    "<![CDATA[<b>]]>",
    "<?php x ?>",
    "<http://evil.example/>",
    "<a@evil.example>",
    "<<1@evil.example>",
    "[a](http://evil.example/)",
    "![a](http://evil.example/)",
    '[a]: http://evil.example/ "t"',
    "[a][b]",
    "[^1]",
    "[^1]: http://evil.example/",
    "http://evil.example/",
    "^[x](http://evil.example/)",
    "](http://evil.example/)",
    "]: http://evil.example/",
    "`<img src=x onerror=alert(1)>`",
    "`",
    "``",
    "```\n<img src=x onerror=alert(1)>\n```",
    "    <img src=x>",
    "~~~",
    "$",
    "$$",
    "$<img src=x onerror=alert(1)>$",
    "$`x`$",
    "\\",
    "\\`",
    "\\<img src=x onerror=alert(1)>",
    "&lt;img src=x&gt;",
    "&#60;img src=x&#62;",
    "{onclick=alert(1)}",
    "{: onclick=alert(1) }",
    "{{x}}",
    "{: href=http://evil.example/ }",
    "*x*{onclick=alert(1)}",
    "x _a_{onclick=alert(1)}",
    "# h {onclick=alert(1)}",
    "*[HTML]: <b>",
    "| a | b |\n| --- | --- |\n| <b> | c |",
    "---",
    "===",
    "> q",
    "- i",
    "1. i",
    ": d",
    "!",
    "[",
    "]",
    "(",
    ")",
    "<",
    "&",
    "_x_",
    "**x**",
    "~~x~~",
    "word",
    "字",
    "\n\n",
    "\ufffe",
    "<\uffffimg src=x onerror=alert(1)>",
    "\u2028<img src=x onerror=alert(1)>",
)
ADDRESSES = (
    "http://e.example/",
    "http://e.example/a_(b)",
    "http://e.example/a)b",
    "http://e.example/(a",
    "http://e.example/a b",
    "http://e.example/a\nb",
    "http://e.example/<b>",
    'http://e.example/"onclick=alert(1)',
    "http://e.example/a](http://f.example/)",
    "http://e.example/`x`",
    "http://e.example/a\\)b",
    "http://e.example/?a=1&copy;=2&amp;b",
    "http://e.example/|{x=1}$y$~z~*a*_b_",
    "http://[::1]/x",
)
FRAMES = (
    "<p>{}</p>",
    "<p>{}<br>{}</p>",
    "<h2>{}</h2>",
    "<ul><li>{}</li><li><p>{}</p><p>{}</p></li></ul>",
    "<ol><li>{}<ul><li>{}</li></ul></li></ol>",
    "<blockquote><p>{}</p><p>{}</p></blockquote>",
    "<table><caption>{}</caption><tr><th>{}</th><th>a</th></tr><tr><td>{}</td><td>b</td></tr></table>",
    "<table><tr><td><pre>{}</pre></td><td>{}</td></tr></table>",
    "<figure><img src='http://e.example/i'><figcaption>{}<cite>{}</cite></figcaption></figure>",
    "<p>x<sup><a href='#fn-1'>1</a></sup></p><ol><li id='fn-1'>{}</li></ol>",
    "<p>x<sup><a href='#fn-1'>1</a></sup></p><ol><li id='fn-1'><p>{}</p><pre>{}</pre></li></ol>",
    "<dl><dt>{}</dt><dd>{}</dd></dl>",
    "<details><summary>{}</summary>{}</details>",
    "<pre><code>{}</code></pre>",
    "<ul><li>a<pre><code>{}</code></pre></li></ul>",
    "<blockquote><pre>{}</pre></blockquote>",
)
INLINE = (
    "{}",
    "{}",
    "<b>{}</b>",
    "<i>{}</i>",
    "<del>{}</del>",
    "<u>{}</u>",
    "<code>{}</code>",
    "<sup>{}</sup>",
    "<span class='math inline'>\\({}\\)</span>",
    "<span class='math display'>\\[{}\\]</span>",
    '<a href="{address}">{}</a>',
    '<img src="{address}" alt="{}">',
    "<a href='#fn-1'>1</a>",
)


def drawn(random_: random.Random) -> str:
    """Cleaned HTML with hostile texts."""

    def text() -> str:
        return "".join(random_.choices(TEXTS, k=random_.choice((1, 1, 2))))

    def inline() -> str:
        return "".join(
            random_.choice(INLINE).format(escape(text()), address=escape(random_.choice(ADDRESSES)))
            for _ in range(random_.choice((1, 1, 2, 3)))
        )

    frames = random_.choices(FRAMES, k=random_.choice((1, 1, 2)))
    return "".join(frame.format(*(inline() for _ in range(frame.count("{}")))) for frame in frames)


own = cache(live)


def more_than(html: str, markdown: str, name: str) -> set[tuple[str, str]]:
    """What a rendering holds beyond HTML and the links between notes and their references."""
    allowed = own(html) | {("tag", "a"), ("tag", "sup")}
    return {
        (kind, value)
        for kind, value in live(reader(name)(markdown)) - allowed
        if not (kind == "address" and value.startswith(("#fn", "#footnote")))
        if not (kind == "attribute" and value == "data-number")
    }


@cache
def written(html: str) -> str:
    """The Markdown of cleaned HTML, which every reader gets."""
    return html_to_markdown(html)


@cache
def drawn_pages() -> list[str]:
    return [drawn(random_) for random_ in map(random.Random, range(8)) for _ in range(150)]


@cache
def single_texts() -> list[str]:
    """Each hostile text in each place where a text may stand."""
    framed = [frame.format(*[escape(text)] * frame.count("{}")) for text in TEXTS for frame in FRAMES]
    return framed + [f"<p>a{inline.format(escape(text), address='http://e.example/')}b</p>" for text in TEXTS for inline in INLINE]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pages", [drawn_pages, single_texts])
def test_hostile_texts_stay_texts(name: str, pages: Callable[[], list[str]]):
    assert [(html, written(html)) for html in pages() if more_than(html, written(html), name)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_bracket_is_not_closed_in_a_later_block(name: str):
    """mistune takes all between them for the name of a link or an abbreviation, the fences of code too."""
    for opening in ("[a]: b", "[", "<em>[</em>"):
        html = f"<p>{opening}</p><pre><code>{escape(IMAGE)}\nx]: http://evil.example/\n{escape(IMAGE)}</code></pre><p>x</p>"
        assert not more_than(html, html_to_markdown(html), name), html_to_markdown(html)


@pytest.mark.parametrize("name", NAMES)
def test_no_alternative_text_pairs_with_what_follows_its_image(name: str):
    for alt in ("$", "a$b", "~", "_", "*"):
        html = f"<p>2<img src='http://e.example/i.png' alt='{alt}'> is larger.<code>{alt}{escape(IMAGE)}{alt}</code></p>"
        assert not more_than(html, html_to_markdown(html), name), html_to_markdown(html)


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_the_address_of_a_note(name: str):
    """Some readers take the number of a note for the text of a link."""
    for before, behind in product(("", "a"), ("(1)", "(http://evil.example/)", "[x](y)", ": http://evil.example/", "<b>(1)</b>")):
        html = f"<p>{before}<a href='#fn-1'>1</a>{behind}</p><ol><li id=fn-1>note</li></ol>"
        assert not more_than(html, html_to_markdown(html), name), html_to_markdown(html)


ATTRIBUTES = (
    "*a*{onclick=alert(1)}", "_a_{b{ onclick=alert(1)}", "**a**{: style=x}", '_a_{x="}" onclick=alert(1)}', "x {onclick=alert(1)}*a*",
    "_a_{b", "a {b", "x {b{", "_a_{x='b", "} _a_{b", "\\_a_{b\\}",
)  # fmt: skip
"""TeX or text that an attribute list may follow, or that is one."""


def test_no_formula_text_or_code_gives_an_element_attributes():
    """python-markdown's attr_list reads them behind emphasis and at the end of headings and cells, whatever stands in the braces."""
    inline = ("<b><span class='math inline'>\\({}\\)</span></b>", "{} 10<sup>2</sup>", "<i>x</i>{}")
    frames = ("<p>a<br>{}</p>", "<h2>x {}</h2>", "<table><tr><th>{}</th><th>a</th></tr></table>", "<ul><li>{}<ul><li>b</li></ul></li></ul>")
    for text in ATTRIBUTES:
        parts = [shape.format(escape(text)) + end for shape in inline for end in (" onclick=alert(1) }", "<i>x</i>", "' onclick=alert(1)}")]
        html = "".join([frame.format(part) for frame in frames for part in parts])
        html += f"<ul><li>a<pre>{escape(text)}</pre></li></ul><blockquote><pre>{escape(text)}</pre></blockquote>"
        assert not more_than(html, html_to_markdown(html), "python-markdown-extra"), text


@cache
def hostile_items() -> list[tuple[str, str]]:
    """Address and Markdown of items with a hostile text in title, authors, source, front matter, entries, and a body without HTML."""
    found = []
    for text, url in product(TEXTS, ADDRESSES):
        address = f"{url}\ud800"
        entry = Entry(text, address, source=text, summary=text, image=address)
        article = Article(title=text, authors=[text, "Ada"], source=text, url=url, body=f"{text}\n\n{text}")
        listing = Listing(title=text, entries=[entry], next_page=url)
        found += [(url, item.to_markdown(front_matter=True)) for item in (article, listing)]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_fields_of_items_stay_texts(name: str):
    for url, markdown in hostile_items():
        html = f"<a href={escape(url)!r}></a><a href={escape(url + '?')!r}></a><img src=x>"
        found = more_than(html, markdown, name)
        assert not {value for _, value in found} - {comparable(url), comparable(f"{url}?")}, (url, markdown, found)


@pytest.mark.parametrize("name", NAMES)
def test_pages_hold_nothing_more(name: str):
    for page in PAGES:
        item = item_of(page)
        if isinstance(item, Article):
            assert not more_than(item.body_html, written(item.body_html), name), page.name


def test_markdown_keeps_all_words():
    """Markdown that another program turns into HTML has each word of the cleaned HTML."""
    for page in PAGES:
        html = item_of(page).body_html
        text = re.sub(r"<a href=.#fn-\d+.>\d+</a>", " ", html)
        missing = words(re.sub(r"<span class=.math.*?</span>", " ", text)) - words(reader("gfm")(written(html)))
        assert not {word for word in missing if f"[!{word.upper()}]" not in written(html)}, page.name
