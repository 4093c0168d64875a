"""Pages with random damage: tags moved, nested, cut, repeated; hostile texts and addresses put in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

_TOKEN = re.compile(r"<[^<>]*>|[^<]+|<")
TAGS = (
    "a", "p", "b", "i", "ul", "ol", "li", "table", "tr", "td", "th", "tbody", "caption", "h1", "h2", "pre", "code", "blockquote", "dl", "dt", "dd", "figure",
    "figcaption", "span", "div", "form", "em", "section", "script", "style", "title", "svg", "math", "template", "noscript", "select", "option", "textarea",
    "button", "iframe", "font", "center", "s", "u", "sup", "time", "q", "article", "header", "body", "html", "head", "frameset", "tt", "ruby", "rt", "details",
)  # fmt: skip
TEXTS = (
    "\u202e", "\u2066", "\x85", "&#146;", "&#x202e;", "&#0;", "\x00", "]]>", "<!--", "-->", "&lt;script&gt;", "\ud800", "\U0010ffff", "\ufeff", "</", "<", ">", '"', "'",
    "&", "`", "\r\n", "\n\n", "  ", "\t", "新闻", "2024-03-05", "By Jane Doe", "来源：x", "javascript:alert(1)", "{{x}}", "\\u0000", "\x1b[2J", "&amp;lt;", "&nbsp;", "\xa0",
)  # fmt: skip
ATTRIBUTES = (
    ' href="javascript:alert(1)"', " href='/a b\"c<d>'", ' href="http://[::1"', ' href="//x.example/é?a=\'b"', ' href="/x"', " onclick=alert(1)", ' style="display:none"',
    ' src="data:text/html,x"', ' src="/i.png"', ' colspan="2"', ' rowspan="99999"', ' class="page next title"', " hidden", ' href="http://%31%32%37.0.0.1/"', ' id="a b"',
    ' href="java\nscript:x"', ' href="HTTP://EXAMPLE.ORG:80/../x"', " =", ' a="', ' colspan="٣"',
)  # fmt: skip


def mutated(html: str, chooser: random.Random) -> str:
    """The page with one to forty changes."""
    tokens = _TOKEN.findall(html) or [""]
    for _ in range(chooser.choice((1, 3, 10, 40))):
        place = chooser.randrange(len(tokens))
        change = chooser.choice(_CHANGES)
        change(tokens, place, chooser)
        if not tokens:
            tokens.append("")
    return "".join(tokens)


def _remove(tokens: list[str], place: int, chooser: random.Random) -> None:
    del tokens[place : place + chooser.choice((1, 1, 2, 20))]


def _repeat(tokens: list[str], place: int, chooser: random.Random) -> None:
    part = tokens[place : place + chooser.choice((1, 2, 5, 30))]
    tokens[place:place] = part * chooser.choice((1, 1, 2, 5))


def _swap(tokens: list[str], place: int, chooser: random.Random) -> None:
    other = chooser.randrange(len(tokens))
    tokens[place], tokens[other] = tokens[other], tokens[place]


def _put_tag(tokens: list[str], place: int, chooser: random.Random) -> None:
    name = chooser.choice(TAGS)
    attribute = chooser.choice(ATTRIBUTES) if chooser.random() < 0.5 else ""
    tokens.insert(place, chooser.choice((f"<{name}{attribute}>", f"<{name}{attribute}>", f"</{name}>", f"<{name}/>")))


def _wrap(tokens: list[str], place: int, chooser: random.Random) -> None:
    name = chooser.choice(TAGS)
    end = min(len(tokens), place + chooser.choice((1, 3, 10, 100)))
    tokens[place:end] = [f"<{name}{chooser.choice(ATTRIBUTES)}>", *tokens[place:end], f"</{name}>"]


def _put_text(tokens: list[str], place: int, chooser: random.Random) -> None:
    tokens.insert(place, chooser.choice(TEXTS))


def _cut(tokens: list[str], place: int, chooser: random.Random) -> None:
    tokens[place] = tokens[place][: chooser.randrange(len(tokens[place]) + 1)]


_CHANGES = (_remove, _repeat, _swap, _put_tag, _put_tag, _wrap, _wrap, _put_text, _cut)
