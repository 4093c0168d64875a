"""Which pages are empty shells that scripts fill."""

from __future__ import annotations

import pytest

from webcontent.crawl.rendering.shells import is_shell

TEXT = "A sentence that says something about the day. " * 6


@pytest.mark.parametrize(
    ("html", "shell"),
    [
        ('<html><head><script src="app.js"></script></head><body><div id="app"></div></body></html>', True),
        ('<div id="root">Loading...</div><script>start()</script>', True),
        ("<div></div><script>" + "x = 1;" * 1000 + "</script>", True),
        ("<noscript>" + TEXT + "</noscript><script src=a.js></script>", True),
        ("<!-- " + TEXT + " --><script src=a.js></script>", True),
        ("<style>" + TEXT + "</style><script src=a.js></script><svg><text>" + TEXT + "</text></svg>", True),
        ('<nav><a href="/">' + TEXT + "</a></nav><main></main><script src=a.js></script>", True),
        (f"<p>{TEXT}</p><script src=a.js></script>", False),
        ("<p>Not found.</p>", False),
        ("<script src=a.js></script>" + '<li><a href="/a">A story</a></li>' * 30, False),
        ("", False),
        ("<script>" + "<a" * 50_000, True),
        ("<" * 100_000, False),
        ("<!--" * 50_000, False),
    ],
    ids=[
        *(
            "script in head",
            "loading",
            "inline script",
            "noscript",
            "comment",
            "style and svg",
            "menu",
            "text",
            "no script",
            "list",
            "nothing",
        ),
        *("unclosed script", "angle brackets", "unclosed comments"),
    ],
)
def test_a_shell_has_scripts_and_little_text_beside_them(html, shell):
    assert is_shell(html) is shell
