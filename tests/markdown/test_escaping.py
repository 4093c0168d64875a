"""Single escapes: text before, Markdown after."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import lxml.html
import pytest

from webcontent.document.rich_text.formulas import _tex_in_address, formula_html, with_formulas
from webcontent.document.rich_text.mathml import joined, to_tex
from webcontent.document.unseen import declarations_of
from webcontent.fields.body.edges import is_closing_line
from webcontent.markdown import escaping

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("function", "before", "after"),
    [
        (
            escaping.escape_text,
            "snake_case, *stars*, C#, a < b, <b>, [1], [a](b), &amp;",
            "snake_case, \\*stars\\*, C#, a < b, &lt;b>, [1], [a\\](b), &amp;amp;",
        ),
        (escaping.escape_text, "[a]: b", "\\[a\\]: b"),
        (escaping.escape_text, "[", "\\["),
        (escaping.escape_text, "[1] a [b", "[1] a [b"),
        (escaping.escape_line_start, "- no item", "\\- no item"),
        (escaping.escape_line_start, "1. May", "1\\. May"),
        (escaping.escape_line_start, "-5 degrees", "-5 degrees"),
        (escaping.escape_line_start, "#tag", "\\#tag"),
        (escaping.escape_line_start, "---", "\\---"),
        (escaping.escape_line, "# $a$\n<b>", "# \\$a\\$ &lt;b>"),
        (partial(escaping.heading, level=2), "C#", "## C\\#"),
        (escaping.with_brackets, "[1]", "[1]"),
        (escaping.with_brackets, "1]", "1\\]"),
        (escaping.address, "http://e.org/a b(c)", "http://e.org/a%20b(c)"),
        (escaping.address, "http://e.org/a)b&copy;", "http://e.org/a%29b&amp;copy;"),
        (escaping.code_span, "a`b", "``a`b``"),
        (escaping.code_span, "`", "`` ` ``"),
        (escaping.front_matter_value, '"<b> [a](b)"', '"\\u003cb> [a]\\u0028b)"'),
        (partial(escaping.formula, is_display=False, in_cell=False), "a^2 % squared", "$a^2$"),
        (partial(escaping.formula, is_display=True, in_cell=False), "x\n = <y", "$$x = < y$$"),
        (partial(formula_html, is_display=False), "a<b", '<span class="math inline">\\(a&lt;b\\)</span>'),
        (
            partial(with_formulas, is_rendered=True),
            "For $x_1$ < \\(2\\), $5 and $6",
            'For <span class="math inline">\\(x_1\\)</span> &lt; <span class="math inline">\\(2\\)</span>, $5 and $6',
        ),
        (_tex_in_address, "https://e.org/equation?tex=a%5E2", "a^2"),
        (_tex_in_address, "/cgi-bin/mimetex.cgi?x^2", "x^2"),
        (_tex_in_address, "/formula/%5Cpi", "\\pi"),
    ],
)
def test_a_text_is_escaped(function: Callable[[str], str], before: str, after: str):
    assert function(before) == after


def test_mathml_becomes_tex():
    """A command is parted from a letter behind it."""
    math = "<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mi>π</mi></mfrac></math>"
    assert to_tex(lxml.html.fromstring(math)) == "x^2+\\frac{1}{\\pi}"
    assert [joined(["\\pi", "r", "s"]), joined(["\\pi", "+"])] == ["\\pi rs", "\\pi+"]


@pytest.mark.parametrize(("depth", "tex"), [(60, "x^2"), (61, "x2")])
def test_the_depth_of_mathml_is_bounded(depth: int, tex: str):
    """Below it stands the text alone."""
    math = "<mrow>" * depth + "<msup><mi>x</mi><mn>2</mn></msup>" + "</mrow>" * depth
    assert to_tex(lxml.html.fromstring(math)) == tex


def test_a_style_is_read_with_its_last_declarations():
    assert declarations_of("Left: -9999PX !important; top:0") == {"left": "-9999px", "top": "0"}


@pytest.mark.parametrize(("line", "is_closing"), [("责任编辑：李四", True), ("（供稿：张三）", True), ("他说：很好", False)])
def test_a_closing_line_names_people_and_says_nothing_else(line: str, is_closing: bool):
    assert is_closing_line(line) == is_closing
