"""Chosen blocks as plain text and as cleaned HTML."""

from __future__ import annotations

import re

import lxml.html
import numpy as np
import pytest
from lxml import etree

from webcontent.document.parsing import Document
from webcontent.document.rich_text.constructs import find_constructs
from webcontent.document.rich_text.writer import KEPT_BLOCKS, KEPT_INLINE, body_texts
from webcontent.document.text import body_text
from webcontent.items import Page

URL = "https://example.org/a/b.html"


def document_of(html: str) -> Document:
    return Document.from_page(Page(html=html, url=URL))


def everything(document: Document) -> np.ndarray:
    return np.ones(len(document.blocks), bool)


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("<h2>Head</h2>text<br>more", "Head\ntext\nmore"),
        ("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>", "A\tB\n1\t2"),
        ("<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>", "a\nb\nc"),
        ("<table><tr><td>1<br>2</td><td>3</td></tr></table>", "1\n2\n3"),
        ("<ul><li>one<ol><li>inner</li></ol></li><li>two</li></ul>", "one\ninner\ntwo"),
        ("<pre>  one\n    two</pre>", "  one\n    two"),
    ],
)
def test_a_line_is_a_paragraph_heading_item_or_row(html: str, body: str) -> None:
    """Cells of a row share a line, parted by a tab, unless a cell is itself several lines."""
    document = document_of(html)
    assert body_text(document.blocks, everything(document)) == body


@pytest.mark.parametrize(
    ("html", "cleaned"),
    [
        ("<p class=a style=b onclick=c id=d>t</p>", "<p>t</p>"),
        ("<div>bare<p>para</p></div>", "<p>bare</p><p>para</p>"),
        ("<div>one<br>two</div>", "<p>one</p><p>two</p>"),
        ("<td>stray</td>", "<p>stray</p>"),
        ("<p>one<br>two</p>", "<p>one<br>two</p>"),
        ("<p>a <b>b</b> <span>c</span> <font>d</font></p>", "<p>a <b>b</b> c d</p>"),
        ("<h1>T</h1><blockquote><p>q</p></blockquote>", "<h1>T</h1><blockquote><p>q</p></blockquote>"),
        ("<ul><li>one<ul><li>in</li></ul></li></ul>", "<ul><li>one<ul><li>in</li></ul></li></ul>"),
        ("<pre><code>a &lt; b\n  c</code></pre>", "<pre><code>a &lt; b\n  c</code></pre>"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td colspan=2 rowspan='x'>c</td></tr></table>",
            '<table><tbody><tr><th>a</th><th>b</th></tr><tr><td colspan="2">c</td></tr></tbody></table>',
        ),
        ("<a href='../ok?a=1&b=2'>ok</a>", '<p><a href="https://example.org/ok?a=1&amp;b=2">ok</a></p>'),
        ("<a href='javascript:alert(1)'>bad</a>", "<p><a>bad</a></p>"),
        ("<a href=' JaVa\nScRiPt:alert(1)'>bad</a>", "<p><a>bad</a></p>"),
        ("<a href='data:text/html,<script>x</script>'>bad</a>", "<p><a>bad</a></p>"),
        ("<a href='vbscript:x'>bad</a>", "<p><a>bad</a></p>"),
        ("<a href='/x\"onclick=\"y'>quote</a>", '<p><a href="https://example.org/x%22onclick=%22y">quote</a></p>'),
        ("<p>&lt;script&gt;x&lt;/script&gt;</p>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
        ("<p>x<img src=y onerror=z>w</p>", '<p>x<img src="https://example.org/a/y" alt="">w</p>'),
        ("<p>x</p><img src='javascript:alert(1)'><p>y</p>", "<p>x</p><p>y</p>"),
        (
            "<p>x</p><img data-src=l.png src='data:image/gif;base64,R0' alt='\"q\"'><p>y</p>",
            '<p>x</p><img src="https://example.org/a/l.png" alt="&quot;q&quot;"><p>y</p>',
        ),
        ("<form><input value=v><button>go</button></form>", "<p>go</p>"),
    ],
)
def test_cleaned_html_has_only_whitelisted_tags(html: str, cleaned: str) -> None:
    """Attributes go but absolute addresses and spans of cells; everything else is escaped."""
    document = document_of(html)
    assert body_texts(document, everything(document), find_constructs(document))[1] == cleaned


HOSTILE = (
    "<div><p>one <a href='/x'>two<div>three</a></div><table><tr><td>4<td>5<p>6</table><ul><li>7<li>8<ul><li>9</ul>10</ul>"
    "<p>11<b>12<p>13</b>14</p><pre>15\n 16</pre><h2>17<h3>18</h2><dl><dt>19<dd>20</dl><blockquote>21<br>22</blockquote>"
    "<a href=/a><a href=/b>23</a></a><p><ul><li>24</ul></p><img src=/i alt='<b>'><noscript><p>25</noscript><i><p>26</p></i></div>"
)


@pytest.mark.parametrize("picked", ["all", "odd", "even", "third", "none"])
def test_cleaned_html_is_well_formed_and_says_what_the_text_says(picked: str) -> None:
    """Whatever blocks are chosen of a broken page: an XML parser takes the result, and its text is the body's."""
    document = document_of(HOSTILE)
    numbers = np.arange(len(document.blocks))
    chosen = {"all": numbers >= 0, "odd": numbers % 2 == 1, "even": numbers % 2 == 0, "third": numbers % 3 == 0, "none": numbers < 0}[
        picked
    ]
    cleaned = body_texts(document, chosen, find_constructs(document))[1]
    as_xml = re.sub(r"(<br|<img [^>]*)>", r"\1/>", cleaned)
    tags = {node.tag for node in etree.fromstring(f"<div>{as_xml}</div>").iter()}
    assert tags <= KEPT_BLOCKS | KEPT_INLINE | {"div", "br", "img"}
    shown = lxml.html.fromstring(f"<div>{cleaned}</div>").text_content()
    assert "".join(shown.split()) == "".join(body_text(document.blocks, chosen).split())


@pytest.mark.parametrize(("cells", "lines"), [(64, 1), (65, 65)])
def test_a_row_of_many_cells_is_no_line(cells: int, lines: int) -> None:
    document = document_of(f"<table><tr>{'<td>x</td>' * cells}</tr></table>")
    assert len(body_text(document.blocks, everything(document)).splitlines()) == lines
