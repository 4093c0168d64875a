"""Code, formulas, notes, images and players of single generators: HTML before, cleaned HTML or text after."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.parsing import Document
from webcontent.document.rich_text.code import code_text, language_of
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.document.rich_text.plain import plain_text
from webcontent.document.rich_text.writer import body_html
from webcontent.items import Page

URL = "https://example.org/a/b.html"


def document_of(html: str) -> Document:
    return Document.from_page(Page(html=html, url=URL))


def cleaned(html: str) -> str:
    document = document_of(html)
    return body_html(document, np.ones(len(document.blocks), bool))


def plain(html: str) -> str:
    document = document_of(html)
    return plain_text(document.blocks, np.ones(len(document.blocks), bool), find_constructs(document))


@pytest.mark.parametrize(
    ("html", "after"),
    [
        ("<pre class='brush: php'>a\n  b</pre>", '<pre><code class="language-php">a\n  b</code></pre>'),
        ("<div class='highlight-source-js'><pre>a</pre></div>", '<pre><code class="language-js">a</code></pre>'),
        ("<pre><code class='hljs go'>a</code></pre>", '<pre><code class="language-go">a</code></pre>'),
        ("<pre><code class='language-plaintext'>a</code></pre>", "<pre><code>a</code></pre>"),
        (
            "<pre><code><div class='line'>a</div><div class='line'></div><div class='line'>b</div></code></pre>",
            "<pre><code>a\n\nb</code></pre>",
        ),
        ("<pre>a<br>b</pre>", "<pre><code>a\nb</code></pre>"),
        (
            "<table class='highlighttable'><tr><td class='linenos'><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>",
            "<pre><code>a\nb</code></pre>",
        ),
        ("<p>x<math alttext='a^2'><mi>a</mi></math> y</p>", '<p>x<span class="math inline">\\(a^2\\)</span> y</p>'),
        (
            "<p><math display='block'><mfrac><mn>1</mn><mi>x</mi></mfrac></math></p>",
            '<p><span class="math display">\\[\\frac{1}{x}\\]</span></p>',
        ),
        ("<p>x <script type='math/tex'>a<b</script> y</p>", '<p>x <span class="math inline">\\(a&lt;b\\)</span> y</p>'),
        ("<p>so <img src='/cgi-bin/mimetex.cgi?x^2' alt='x^2'> is</p>", '<p>so <span class="math inline">\\(x^2\\)</span> is</p>'),
        (
            "<p>a</p><iframe src='https://www.youtube.com/embed/abcdefghijk'></iframe><p>b</p>",
            '<p>a</p><p><a href="https://www.youtube.com/watch?v=abcdefghijk">https://www.youtube.com/watch?v=abcdefghijk</a></p><p>b</p>',
        ),
        ("<p>a</p><iframe src='https://maps.example/x'></iframe><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><video src='javascript:alert(1)'></video><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><img src=/s.gif width=1 height=1><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><img src=/s.jpg srcset='/m.jpg 2x, /l.jpg 3x'><p>b</p>", '<p>a</p><img src="https://example.org/l.jpg" alt=""><p>b</p>'),
        ("<ul><li><div>Ada Byron</div><div>Carl Gauss</div></li></ul>", "<ul><li>Ada Byron<br>Carl Gauss</li></ul>"),
        (
            "<p><a href=/1>Ada Byron</a><a href=/2>Carl Gauss</a></p>",
            '<p><a href="https://example.org/1">Ada Byron</a> <a href="https://example.org/2">Carl Gauss</a></p>',
        ),
        ("<ol start=3><li>a</li></ol>", '<ol start="3"><li>a</li></ol>'),
        ("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", "<p>a</p><p>b</p>"),
        ("<p><ruby>邨<rp>(</rp><rt>cūn</rt><rp>)</rp></ruby>字</p>", "<p>邨字</p>"),
        ("<h2>Head<a class='headerlink' href='#h'>¶</a></h2>", "<h2>Head</h2>"),
    ],
)
def test_constructs_have_one_form(html: str, after: str):
    assert cleaned(html) == after


def test_footnotes_have_one_form():
    """The link back and the number of the note go; a citation keeps both number and list."""
    html = "<p>a<sup id=r><a href='#n'>1</a></sup></p><ol><li id=n>The text of the note <a href='#r'>↩</a></li></ol>"
    assert cleaned(html) == '<p>a<sup><a href="#fn-1">1</a></sup></p><ol><li id="fn-1">The text of the note </li></ol>'
    cited = "<p>a<sup class=reference><a href='#cite_note-1'>[1]</a></sup></p><ol class=references><li id=cite_note-1>Byron, Valleys of the coast</li></ol>"
    assert cleaned(cited) == "<p>a<sup><a>[1]</a></sup></p><ol><li>Byron, Valleys of the coast</li></ol>"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li>a<ol><li>b</li><li>c</li></ol></li><li>d</li></ul>", "- a\n  1. b\n  2. c\n- d"),
        ("<ul><li>• a</li></ul>", "• a"),
        ("<p>10<sup>6</sup> m<sup>2</sup>, the 1<sup>st</sup></p>", "10^6 m^2, the 1st"),
        ("<p>L is <math alttext='\\lambda W'><mi>L</mi></math>.</p>", "L is $\\lambda W$."),
        ("<p><a href=/1>Ada Byron</a><a href=/2>Carl Gauss</a></p>", "Ada Byron Carl Gauss"),
        ("<p><code><span>get</span><span>Name</span></code></p>", "getName"),
        ("<p><ruby>邨<rt>cūn</rt></ruby>字</p>", "邨字"),
        ("<p>a <sup><a href='#n'>1</a></sup></p><ol><li id=n>The text of the note</li></ol>", "a [1]\n1. The text of the note"),
    ],
)
def test_the_plain_text_says_the_same(html: str, text: str):
    """List items have marks, raised figures a caret, formulas are TeX, and names are not glued."""
    assert plain(html) == text


def test_the_language_of_code_is_that_of_its_own_container():
    nodes = document_of("<div class='language-py'><pre>a</pre></div><div class='language-js'><pre>b</pre></div>").root.iter("pre")
    assert [(code_text(node), language_of(node)) for node in nodes] == [("a", "py"), ("b", "js")]
