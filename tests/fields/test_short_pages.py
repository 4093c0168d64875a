"""Eighty pages of 9 to 60 words, of twenty designs, and others without text. Every second design was not looked at while the rule was written."""

from __future__ import annotations

from collections import Counter

import pytest

import webcontent

TEXTS = [
    ("Two claims", ["The first claim is well-established.", "The second claim is more contested."]),
    (
        "The ferry is late",
        [
            "This morning the ferry left forty minutes late because of ice in the strait.",
            "Nobody was hurt.",
            "The next one leaves at noon.",
        ],
    ),
    ("浮冰阻渡轮", ["今天早上，渡轮因海峡浮冰晚点四十分钟。", "没有人受伤，下一班中午开出。"]),
    (
        "Neue Öffnungszeiten",
        [
            "Ab Montag öffnet das Hafenbüro schon um sieben Uhr.",
            "Fahrkarten gibt es dann auch am Automaten, und wer eine Gruppe anmeldet, bekommt wie bisher zehn Prozent Rabatt auf den Preis.",
        ],
    ),
]
NAV = "<nav><a href=/>Home</a> <a href=/archive>Archive</a> <a href=/about>About</a></nav>"
FOOT = "<footer><p>© 2026 Harbour Post. All rights reserved.</p><a href=/imprint>Imprint</a></footer>"
SIDE = "<div class=sidebar><h3>Recent posts</h3><ul><li><a href=/a>A quiet spring</a></li><li><a href=/b>Old boats</a></li></ul></div>"
DESIGNS = [
    "<article><h1>{title}</h1>{p}</article>",
    "<h1>{title}</h1>{p}",
    "<main><h2>{title}</h2>{p}</main>",
    "<body><div class=post><h1>{title}</h1><div class=post-content>{p}</div></div></body>",
    "<head><title>{title}</title></head><body>{nav}<article><h1>{title}</h1>{p}</article>{foot}</body>",
    "<head><title>{title}</title></head><body>{nav}<div id=content><h1>{title}</h1>{p}</div>{side}{foot}</body>",
    "<head><title>{title} - Harbour Post</title></head><body><header><a href=/>Harbour Post</a></header><main>{p}</main></body>",
    "<body><section><h1>{title}</h1>{div}</section>{foot}</body>",
    "<body>{nav}<main><article><header><h1>{title}</h1><time datetime=2026-03-05>5 March 2026</time></header>{p}</article></main></body>",
    "<body><table><tr><td><h1>{title}</h1>{p}</td></tr></table></body>",
    "<body><center><b>{title}</b></center>{br}</body>",
    "<body><div class=container><div class=row><div class=col><h1>{title}</h1>{p}</div></div></div>{foot}</body>",
    "<body><div class=entry><h2><a href=/e>{title}</a></h2>{p}</div>{foot}</body>",
    "<body>{nav}<div class=note><h1>{title}</h1><ul>{li}</ul></div></body>",
    "<body><div class=status><div class=text>{p}</div></div>{foot}</body>",
    "<body>{nav}<h1>{title}</h1><blockquote>{p}</blockquote></body>",
    "<body><div class=page><div class=title>{title}</div><div class=body>{div}</div></div></body>",
    "<head><title>{title}</title><script>var a = 1</script></head><body><main><h1>{title}</h1>{p}</main><script src=/s.js></script></body>",
    "<body><article class=h-entry><div class=e-content>{p}</div><a class=u-url href=/n><time>2026-03-05</time></a></article></body>",
    "<body>{side}<div id=main><h1>{title}</h1>{p}</div><div class=footer>Powered by Quarry</div></body>",
]


def page_of(design: str, title: str, lines: list[str]) -> str:
    parts = {tag: "".join(f"<{tag}>{line}</{tag}>" for line in lines) for tag in ("p", "div", "li")}
    return design.format(title=title, br="<br>".join(lines), nav=NAV, foot=FOOT, side=SIDE, **parts)


def word_f1(text: str, expected: str) -> float:
    found, wanted = (Counter(part for word in one.split() for part in (word if word > "\u3000" else [word])) for one in (text, expected))
    common = sum((found & wanted).values())
    return 2 * common / max(1, sum(found.values()) + sum(wanted.values()))


@pytest.mark.parametrize("is_held_back", [False, True])
def test_short_pages_have_their_text(is_held_back: bool):
    scores = []
    for design in DESIGNS[is_held_back::2]:
        for title, lines in TEXTS:
            body = webcontent.extract(page_of(design, title, lines), url="https://example.org/2026/note").body
            scores.append(max(word_f1(body, "\n".join(lines)), word_f1(body, "\n".join([title, *lines]))))
    assert sum(scores) / len(scores) > 0.9


@pytest.mark.parametrize(
    "html",
    [
        "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>",
        "<p>Loading…</p>",
        "<div class=spinner>Please wait</div>",
        "<nav><a href=/>Home</a> <a href=/about>About us</a></nav>",
        "<form><p>Enter your name and your password.</p><input name=a><button>Go</button></form>",
        "<div class=cookie-banner><p>We use cookies to improve this site.</p><button>Accept</button></div>",
        "<footer><p>© 2026 Harbour Post. All rights reserved.</p></footer>",
        "<div hidden><p>This text is for search engines alone.</p></div>",
        "<h1>Harbour Post</h1>",
    ],
)
def test_pages_without_text_stay_empty(html: str):
    assert not webcontent.extract(f"<html><body>{html}</body></html>", url="https://example.org/").body
