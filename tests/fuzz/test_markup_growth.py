"""No markup keeps the extraction busy: pages with thousands of copies of it take linear time."""

from __future__ import annotations

import time

import pytest

import webcontent
from tests.fuzz.slots import PARAGRAPH

COPIES = 5_000
MAX_CPU_S = 5.0
"""Ordinary cost: below 1.5 s. Where the time grew with the square of the copies, most of these took from 8 s to minutes."""
URL = "https://example.org/2024/03/05/story.html"
ONCE = {
    "code": ("<div>", "<pre>x = 1</pre>", "</div>"),
    "code-in-boxes": ("<div>", "<div><pre>x = 1</pre></div>", "</div>"),
    "code-with-numbers": ("<div>", "<div class=gutter><pre>1</pre></div><pre>x</pre>", "</div>"),
    "code-in-rows": ("<table>", "<tr><td><pre>1</pre></td><td><pre>x</pre></td></tr>", "</table>"),
    "code-in-cells": ("<table><tr>", "<td><pre>1</pre></td>", "</tr></table>"),
    "tabs": ("<div>", "<ul role=tablist><li role=tab>a</li></ul><div role=tabpanel><pre>x</pre></div>", "</div>"),
    "credits": ("<div>", "<img src=/a{}.png><p class=credit>Photo: Jane Doe</p>", "</div>"),
    "captions": ("<figure><img src=a.png>", "<figcaption>A bridge</figcaption>", "</figure>"),
    "readings": ("<p><ruby>", "漢<rt>kan</rt>", "</ruby></p>"),
    "translations": ("<p><ruby>漢<rt>a word</rt>", "<rp>)</rp>", "</ruby></p>"),
    "references": ("<p>", "<a id=r{0} href=#n{0}><sup>{0}</sup></a>", "</p>"),
    "notes": ("<ol>", "<li id=n{0}><a href=#r{0}>b</a> some words of a note</li>", "</ol>"),
    "formulas": ("<p>", "<span class=katex><math><mi>x</mi></math></span> and ", "</p>"),
    "hidden-parts": ("<p>", "a <span hidden>x</span>", "</p>"),
    "headings": ("", "<h2>Part {}<a href=#p>#</a></h2><p>words of it</p>", ""),
    "related": ("", "<h3>Related news</h3><ul><li><a href=/s/{0}>A story of number {0}</a></li></ul>", ""),
    "links": ("<ul>", "<li><a href=/story/{0}.html>A story of number {0}</a></li>", "</ul>"),
    "cards": ("<div>", "<div class=card><h3><a href=/story/{0}.html>A story of number {0}</a></h3><p>words</p></div>", "</div>"),
    "canonical": ("", "<link rel=canonical href=/x{}>", ""),
    "images": ("<p>", "<img src=/a{}.jpg width=500 height=400>", "</p>"),
    "fallbacks": ("<p>", "<noscript><img src=/a{}.jpg></noscript>", "</p>"),
    "sources": ("<picture>", "<source srcset='/a{0}.jpg 2x'><img src=/b{0}.jpg>", "</picture>"),
    "times": ("", "<p>Published: 5 March 2024</p>", ""),
    "bylines": ("", "<p>作者：张三 来源：新华社 编辑：李四</p>", ""),
    "names": ("<p class=byline>By ", "Jane Doe, ", "</p>"),
}
"""Before the copies, a copy with its number, and behind them."""


@pytest.mark.parametrize("name", ONCE)
def test_copies_of_a_markup_take_linear_time(name: str):
    """Among paragraphs, so that the page is an article, whose text is written with all that it holds."""
    before, copy, behind = ONCE[name]
    story = f"<h1>A new bridge</h1><p>By Jane Doe, 5 March 2024</p><p>{PARAGRAPH * 4}</p><p>{PARAGRAPH * 3}</p>"
    copies = "".join(copy.format(number) for number in range(COPIES))
    html = f"<title>A new bridge</title>{story}{before}{copies}{behind}" + f"<p>{PARAGRAPH * 5}</p>" * 40
    begin = time.thread_time()
    item = webcontent.extract(html, url=URL)
    item.to_markdown()
    assert time.thread_time() - begin < MAX_CPU_S
