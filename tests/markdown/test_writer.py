"""Cleaned HTML as Markdown: small cases, HTML before, Markdown after."""

from __future__ import annotations

import time

import pytest

from webcontent.markdown.writer import html_to_markdown

HEAD = "<tr><th>A</th><th>B</th></tr>"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("", ""),
        ("<p>one</p><p>two<br>three</p>", "one\n\ntwo  \nthree"),
        ("<h2>Head <b>bold</b> <code>x_y</code></h2>", "## Head bold `x_y`"),
        ("<p>snake_case, 2 * 3, C#, *star*</p>", "snake_case, 2 * 3, C#, \\*star\\*"),
        ("<p>a<br>- b<br>1. c</p>", "a  \n\\- b  \n1\\. c"),
        ("<p>10<sup>6</sup> and H<sub>2</sub>O <sup>[1]</sup></p>", "10<sup>6</sup> and H<sub>2</sub>O [1]"),
        ("<p>正文<b>粗体，</b>字。</p>", "正文**粗体**，字。"),
        ("<p>a<b> b</b>c <b>d</b><b>e</b> <b><b>f</b></b></p>", "a **b**c **de** **f**"),
        ("<a href='http://e.org/'><h3>T</h3><p>p</p></a>", "### [T](http://e.org/)\n\np"),
        ("<p><a>none</a> <a href='http://e.org/'></a></p>", "none"),
        ("<pre><code class='language-py'>a\n\n  b  \n\tc</code></pre>", "```py\na\n\n  b  \n\tc\n```"),
        ("<pre>```\nx</pre>", "````\n```\nx\n````"),
        ("<ol start='3'><li>x<ul><li>y</li></ul></li></ol>", "3. x\n   - y"),
        ("<dl><dt>T</dt><dd>D</dd></dl>", "**T**\n\nD"),
        ("<figure><img src='http://e.org/a.png' alt='x'><figcaption><p>Cap</p></figcaption></figure>", "![x](http://e.org/a.png)\n\n*Cap*"),
        (
            "<figure><img src='http://e.org/a.png'><figcaption>Cap. <cite>By Ada</cite> (2024)</figcaption></figure>",
            "![](http://e.org/a.png)\n\n*Cap. By Ada (2024)*",
        ),
        ("<figure><img src='http://e.org/a.png'> <cite>© Ada</cite></figure>", "![](http://e.org/a.png) © Ada"),
        ("<figure><blockquote><p>a</p></blockquote><figcaption>B, <cite>C</cite></figcaption></figure>", "> a\n\n*B, C*"),
        ("<figure><img src='http://e.org/a.png'><figcaption><p>a</p><p>b</p></figcaption></figure>", "![](http://e.org/a.png)\n\n*a b*"),
        ("<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>", "> a\n\n> b"),
        ("<ul><li><blockquote>a</blockquote><blockquote>b</blockquote></li></ul>", "- > a\n\n  > b"),
        ("<p>a <a href='#fn-1'>1</a></p><ol><li id='fn-1'>. Note</li></ol>", "a [^1]\n\n[^1]: Note &nbsp;"),
        ("<p>a <a href='#fn-1'>1</a></p><ol><li id='fn-1'>Two words</li></ol>", "a [^1]\n\n[^1]: Two words"),
        (
            "<p>Wow!<a href='http://e.org/'>x</a> 字<b><a href='http://e.org/'>x</a></b>字</p>",
            "Wow\\![x](http://e.org/) 字[x](http://e.org/)字",
        ),
        ("<p>a<br><br>b<br></p>", "a\n\nb"),
        ("<ul>a<li>b</li>c<li>d</li></ul>", "a\n\n- b\n\n  c\n\n- d"),
        ("<ol><li>a</li></ol><ol><li>b</li></ol>", "1. a\n\n1) b"),
        ("<h2>C#</h2><p>#tag</p>", "## C\\#\n\n\\#tag"),
        ("<p>3~5 days, 6~8</p><p>done~</p>", "3\\~5 days, 6\\~8\n\ndone~"),
        ("<p><a href='http://e.org/a)b c&lt;'>x]</a></p>", "[x\\]](http://e.org/a%29b%20c%3C)"),
        ("<ul><li><pre>a < b</pre></li><li><pre>&lt;b></pre></li></ul>", "- ```\n  a < b\n  ```\n- <pre><code>&lt;b&gt;</code></pre>"),
        ("<p>so<span class='math display'>\\[x\\]</span>and<span class='math display'>\\[y\\]</span></p>", "so\n\n$$x$$\n\nand\n\n$$y$$"),
        ("<p>text</p><blockquote><p>a</p><p>— <cite>B</cite></p></blockquote>", "text\n\n> a\n>\n> — B"),
    ],
)
def test_html_becomes_markdown(html: str, markdown: str):
    assert html_to_markdown(html) == markdown


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        (f"<table>{HEAD}<tr><td>1|2</td><td>x<br>y</td></tr></table>", ["| A | B |", "| --- | --- |", "| 1\\|2 | x<br>y |"]),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", ["|  |  |", "| --- | --- |", "| 1 | 2 |", "| 3 |  |"]),
        (
            f"<table>{HEAD}<tr><td rowspan=2>x</td><td>1</td></tr><tr><td>2</td></tr></table>",
            ["| A | B |", "| --- | --- |", "| x | 1 |", "| x | 2 |"],
        ),
        (f"<table>{HEAD}<tr><td colspan=2>x</td></tr></table>", ["| A | B |", "| --- | --- |", "| x | x |"]),
        (
            f"<table>{HEAD}<tr><td><p>a</p><p>b</p></td><td><ul><li>c</li></ul></td></tr></table>",
            ["| A | B |", "| --- | --- |", "| a<br>b | • c |"],
        ),
        ("<table><tr><td><p>a</p></td></tr><tr><td>b</td></tr></table>", ["a", "", "b"]),
        (
            f"<table>{HEAD}<tr><td><pre>x\n\ny</pre></td><td>z</td></tr></table>",
            ["A", "", "B", "", "```", "x", "", "y", "```", "", "z"],
        ),
    ],
    ids=["escaped", "no-header", "rowspan", "colspan", "blocks", "layout", "wild"],
)
def test_tables(html: str, lines: list[str]):
    """Spans are filled in, one column is layout, and what Markdown can't hold is written cell by cell."""
    assert html_to_markdown(html).split("\n") == lines


def test_formulas_and_notes():
    html = (
        '<p>E <span class="math inline">\\(a_b | x\\)</span><sup><a href="#fn-1">1</a></sup> is</p><p>so <span class="math display">\\[x\n% no\n= y\\]</span> it</p>'
        '<ol><li id="fn-1"><p>One.</p><p>Two.</p></li></ol>'
    )
    assert html_to_markdown(html) == "E $a_b | x$[^1] is\n\nso\n\n$$x = y$$\n\nit\n\n[^1]: One. &nbsp;\n\n    Two."


def test_links_and_images_may_be_left_out():
    html = '<p><a href="http://e.org/">text</a> <img src="http://e.org/a.png" alt="x"></p>'
    assert html_to_markdown(html) == "[text](http://e.org/) ![x](http://e.org/a.png)"
    assert html_to_markdown(html, links=False, images=False) == "text"


def test_hostile_html_is_harmless():
    """Noncharacters, scripts, deep nesting and broken tables give text."""
    assert html_to_markdown("<p>\ufdd00\ufdd1 \ufdd2x<script>alert(1)</script></p>") == "0 x"
    assert "deep" in html_to_markdown("<blockquote>" * 80 + "deep")
    assert html_to_markdown("<table><tr><td rowspan='99999' colspan='99999'>x</td><td>y</td></tr></table>")
    assert html_to_markdown("<p>&lt;script&gt; a&#xFFFE;b &#xFFFF; <code>&#xFFFE;c</code></p>") == "&lt;script> ab `c`"


@pytest.mark.parametrize("count", [99, 100, 101, 250])
@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<a href='http://e.org/'>x</a>, ", "[x](http://e.org/), "),
        ("a <b>b</b> <code>c_d</code> ", "a **b** `c_d` "),
        ("m<sup>2</sup> ", "m<sup>2</sup> "),
        ("<span class='math inline'>\\(x_1\\)</span> - ", "$x_1$ - "),
    ],
    ids=["links", "marks", "raised", "formulas"],
)
def test_a_long_line_is_the_same_as_many_short_ones(html: str, markdown: str, count: int):
    """However many parts there are."""
    assert html_to_markdown(f"<p>{html * count}</p>") == (markdown * count).strip()
    assert html_to_markdown(f"<ul><li><p>{html * count}</p><p>end</p></li></ul>") == f"- {(markdown * count).strip()}\n\n  end"


@pytest.mark.parametrize(
    "html", ["<br>x", "<b>x</b>", "<b>x</b><i>,</i>y", "<u>x</u>", "<code>`</code>", "<a href='x('>]</a>", "&lt;a@", "{", "$x "]
)
@pytest.mark.parametrize(
    "around", ["<p>{}</p>", "<pre>{}</pre>", "<ul><li><pre>{}</pre></li></ul>", "<table><tr><td>{}</td><td>x</td></tr></table>"]
)
def test_copies_take_linear_time(html: str, around: str):
    begin = time.thread_time()
    html_to_markdown(around.format(html * 20_000))
    assert time.thread_time() - begin < 5


@pytest.mark.parametrize(
    "html", ["<ol><li>x</li></ol>", "<p id='fn-{}'>x<a href='#fn-{}'>1</a></p>", "<figure><img src='x'><cite>a</cite></figure>"]
)
def test_copies_of_blocks_take_linear_time(html: str):
    begin = time.thread_time()
    html_to_markdown("".join(html.format(number, number) for number in range(20_000)))
    assert time.thread_time() - begin < 5


def test_many_notes():
    """They stay apart."""
    references = "".join(f"<sup><a href='#fn-{n}'>{n}</a></sup>" for n in range(1, 31))
    notes = "".join(f"<li id='fn-{n}'><p>Note {n}</p><ul><li>x</li></ul></li>" for n in range(1, 31))
    lines = html_to_markdown(f"<p>a{references}</p><ol>{notes}</ol>").split("\n")
    assert lines[0] == "a" + "".join(f"[^{n}]" for n in range(1, 31))
    assert lines[2:] == [line for n in range(1, 31) for line in (f"[^{n}]: Note {n}", "", "    - x", "")][:-1]
