"""Code, formulas, notes, images and players of single generators: HTML before, cleaned HTML or text after."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.parsing import Document
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.document.rich_text.writer import body_texts
from webcontent.items import Page

URL = "https://example.org/a/b.html"


def document_of(html: str) -> Document:
    return Document.from_page(Page(html=html, url=URL))


def cleaned(html: str) -> str:
    document = document_of(html)
    return body_texts(document, np.ones(len(document.blocks), bool), find_constructs(document))[1]


def plain(html: str) -> str:
    document = document_of(html)
    return body_texts(document, np.ones(len(document.blocks), bool), find_constructs(document))[0]


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
        ("<pre><p>A paragraph.</p><p>Another.</p></pre>", "<p>A paragraph.</p><p>Another.</p>"),
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
        (
            "<p>a</p><iframe src='/media/oembed?url=https%3A//vimeo.com/123456789&amp;max_width=0'></iframe><p>b</p>",
            '<p>a</p><p><a href="https://vimeo.com/123456789">https://vimeo.com/123456789</a></p><p>b</p>',
        ),
        (
            "<p>a</p><lite-youtube videoid='abcdefghijk'></lite-youtube><p>b</p>",
            '<p>a</p><p><a href="https://www.youtube.com/watch?v=abcdefghijk">https://www.youtube.com/watch?v=abcdefghijk</a></p><p>b</p>',
        ),
        (
            "<figure><img src=/a.jpg><figcaption>A bridge.<span class=photo-credit>Ada</span></figcaption></figure>",
            '<figure><img src="https://example.org/a.jpg" alt=""><figcaption>A bridge. <cite>Ada</cite></figcaption></figure>',
        ),
        (
            "<div class=fragment><div class=line><span class=lineno>1</span>a</div><div class=line><span class=lineno>2</span>  b</div></div>",
            "<pre><code>a\n  b</code></pre>",
        ),
        ("<p>so <d-math><math alttext='a^2'><mi>a</mi></math></d-math> is</p>", '<p>so <span class="math inline">\\(a^2\\)</span> is</p>'),
        (
            "<p>x <span class=ztext-math data-tex='a^2'><script type='math/tex'>a^2</script></span> y</p>",
            '<p>x <span class="math inline">\\(a^2\\)</span> y</p>',
        ),
        ("<p>a</p><iframe src='https://maps.example/x'></iframe><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><video src='javascript:alert(1)'></video><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><img src=/s.gif width=1 height=1><p>b</p>", "<p>a</p><p>b</p>"),
        ("<p>a</p><img src=/s.jpg srcset='/m.jpg 2x, /l.jpg 3x'><p>b</p>", '<p>a</p><img src="https://example.org/l.jpg" alt=""><p>b</p>'),
        ("<ul><li><div>Ada Byron</div><div>Carl Gauss</div></li></ul>", "<ul><li>Ada Byron<br>Carl Gauss</li></ul>"),
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
        ("<p>10<sup>6</sup> m<sup>2</sup>, sp<sup><b>3 </b></sup>x, the 1<sup>st</sup></p>", "10^6 m^2, sp^3 x, the 1st"),
        ("<p><a href=/1>Ada Byron</a><a href=/2>Carl Gauss</a></p>", "Ada Byron Carl Gauss"),
        ("<ul><li>a<pre>b\n  c</pre></li><li><pre>d</pre>e</li></ul>", "- a\nb\n  c\nd\ne"),
        ("<p>L is <math alttext='\\lambda W'><mi>L</mi></math>.</p>", "L is $\\lambda W$."),
        ("<p><code><span>get</span><span>Name</span></code></p>", "getName"),
        ("<p><ruby>邨<rt>cūn</rt></ruby>字</p>", "邨字"),
        ("<p><ruby>北京<rt>Beijing</rt></ruby>，<ruby>東京<rt>toukyou</rt></ruby></p>", "北京（Beijing），東京（toukyou）"),
        (
            "<p><ruby>容器<rt>container</rt></ruby>里的<ruby>内核<rp>(</rp><rt>kernel</rt><rp>)</rp></ruby></p>",
            "容器（container）里的内核（kernel）",
        ),
        ("<p>1958<span style='display:none'>key 1958</span> and <span hidden>x</span>later</p>", "1958 and later"),
        ("<p>Read <span class=more style='display: none'>the rest</span> here</p>", "Read the rest here"),
        ("<p>so <span style='display:none'><math alttext='a^2'><mi>a</mi></math></span> is</p>", "so $a^2$ is"),
        ("<p>a <sup><a href='#n'>1</a></sup></p><ol><li id=n>The text of the note</li></ol>", "a [1]\n1. The text of the note"),
    ],
)
def test_the_plain_text_says_the_same(html: str, text: str):
    """List items have marks, raised figures a caret, formulas are TeX, and names are not glued."""
    assert plain(html) == text


def test_the_language_of_code_is_that_of_its_own_container():
    html = cleaned("<div class='language-py'><pre>a</pre></div><div class='language-js'><pre>b</pre></div>")
    assert html == '<pre><code class="language-py">a</code></pre><pre><code class="language-js">b</code></pre>'


def test_a_note_that_is_referred_to_twice_loses_all_its_links_back():
    html = (
        "<p>a<sup id=r0 class=reference><a href='#n1'>[1]</a></sup> b<sup id=r1 class=reference><a href='#n1'>[1]</a></sup></p><ol><li id=n1>"
        "<span class=mw-cite-backlink>↑ <sup><a href='#r0'>1.0</a></sup> <sup><a href='#r1'>1.1</a></sup></span> The survey of 1992</li></ol>"
    )
    assert plain(html).endswith("\n1. The survey of 1992")


def test_a_picture_beside_a_shown_caption_is_shown():
    """Lead images stand above the element with the text."""
    document = document_of("<div><figure><img src=/a.jpg alt=''><figcaption>Cap</figcaption></figure></div><div><p>x</p><p>y</p></div>")
    assert body_texts(document, np.ones(len(document.blocks), bool), find_constructs(document))[1].startswith(
        '<figure><img src="https://example.org/a.jpg"'
    )


def test_a_construct_is_the_text_of_its_first_kept_block():
    """Blocks of it may be shown without being kept: the line numbers of a listing."""
    listing = "<table><tr><td class=gutter><pre>1\n2</pre></td><td class=code><pre>ls\ncd</pre></td></tr></table>"
    document = document_of(f"<p>Two commands.</p>{listing}<p>Done.</p>")
    shown = np.ones(len(document.blocks), bool)
    kept = np.array([not text[0].isdigit() for text in document.blocks.texts])
    assert not kept.all()
    assert body_texts(document, kept, find_constructs(document), shown)[0] == "Two commands.\nls\ncd\nDone."


def test_a_formula_behind_what_is_left_out_begins_a_text():
    """The reading aid before it gives no HTML, and no blank."""
    assert not cleaned('<rt>For all <script type="math/tex"><h3>').startswith(" ")
