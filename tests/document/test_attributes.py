"""The attributes of a page are bounded before it is parsed, whatever a page hides them in."""

from __future__ import annotations

import random

import lxml.html
import pytest

from webcontent.document.attributes import MIN_BYTES, bound_attributes
from webcontent.document.parsing import Document
from webcontent.items import Page

MANY = b" ".join(b"a%d=b" % number for number in range(20_000))
REST = b"<p>The text behind it.</p>"


@pytest.mark.parametrize(
    "html",
    [
        b"<p " + MANY + b">",
        b"</p " + MANY + b">",
        b"<p " + MANY,
        b"<SCRIPT " + MANY + b"></script>",
        b"<p " + b" ".join(b'a%d=">"' % number for number in range(20_000)) + b">",
        b"<p " + b" ".join(b'a%d="><b c="' % number for number in range(20_000)) + b">",
        b'<script>var a = "<b x=</script><p ' + MANY + b'>"',
        b"<style>a > b {content: '</style><p " + MANY + b">",
        b'<!-- a quote: " --><p ' + MANY + b">",
        b"<!--><p " + MANY + b">-->",
        b'<p ="x><p ' + MANY + b'>"',
        b'<p a=b="c><p ' + MANY + b'>"',
        b"<title><p " + MANY + b"></title><p " + MANY + b">",
        b'<? "><p ' + MANY + b">",
        b"<p/" + MANY.replace(b" ", b"/") + b">",
        b"<p" + b"x" * 5_000 + b" " + MANY + b">",
    ],
)  # fmt: skip
def test_no_tag_has_more_than_the_limit(html: bytes):
    """As libxml2 counts them. The text behind the tag stays."""
    bounded, _ = bound_attributes(html + REST)
    root = lxml.html.document_fromstring(bounded)
    assert max(len(node.attrib) for node in root.iter() if isinstance(node.tag, str)) <= 256
    if not html.endswith((b'>"', b"9=b")):
        assert "The text behind it." in root.text_content()


def test_long_attributes_are_dropped():
    """In all ways to write them; the attributes behind them stay."""
    for quote in (b'"', b"'", b""):
        html = b"<p a=" + quote + b"v" * 100_000 + quote + b" b=c>text"
        node = lxml.html.document_fromstring(bound_attributes(html)[0]).find(".//p")
        assert node.attrib == {"b": "c"}


@pytest.mark.parametrize(("length", "is_kept"), [(32_700, True), (32_800, False)])
def test_a_value_has_at_most_32_kib(length: int, is_kept: bool):
    assert (b"x" * length in bound_attributes(b"<p title='" + b"x" * length + b"'>text")[0]) is is_kept


def test_a_page_within_the_limits_is_the_same_object():
    """Nothing is copied."""
    html = b"<div class='a b' id=c data-x=\"{}\"><br/><input disabled><a href=/x?y=1>z</a></div>" * 1_000
    assert bound_attributes(html)[0] is html


def test_dropped_attributes_are_flagged():
    """As everything that is cut."""
    assert Document(Page(html=b"<p " + MANY + b">text")).flags == {"truncated"}


def test_soups_are_bounded_without_an_error():
    """Any bytes, in any order."""
    pieces = [
        b"<",
        b">",
        b'"',
        b"'",
        b"=",
        b" ",
        b"/",
        b"a",
        b"<p ",
        b"<script>",
        b"</script",
        b"<!--",
        b"-->",
        b"<title ",
        b"x" * 50,
        b"\n",
        b"\xff",
    ]
    chooser = random.Random(5)
    for _ in range(300):
        html = b"".join(chooser.choices(pieces, k=chooser.choice((20, 200, 3_000))))
        html += b" " * max(0, MIN_BYTES - len(html))
        bound_attributes(html)
