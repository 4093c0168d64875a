"""Code, notes, formulas and notices of single generators: HTML before, Markdown after. What Markdown shows is in the plain text, too."""

from __future__ import annotations

import pytest

from tests.document.rich_text.test_constructs import cleaned, plain
from webcontent.markdown.writer import html_to_markdown

CODE = {
    "br": ("<p><code>a<br>b</code></p>", "```\na\nb\n```"),
    "lines": (
        "<div class=line><code>public</code> <code>class</code></div><div class=line><code>  {}</code></div>",
        "```\npublic class\n  {}\n```",
    ),
    "paragraphs": ("<p><code>cd a</code></p><p><code>make</code></p>", "```\ncd a\nmake\n```"),
    "discuz": (
        '<div class=blockcode><div id=c><ol><li>import os<br></li><li>&nbsp; print(1)<br></li></ol></div><em onclick="copycode(1)">复制代码</em></div>',
        "```\nimport os\n  print(1)\n```",
    ),
    "block": ("<code class='hl block'>def m := 1\n  -- x</code>", "```\ndef m := 1\n  -- x\n```"),
    "alone": ("<p><code>a = 1\nb = 2</code></p>", "```\na = 1\nb = 2\n```"),
    "box": ("<div class=code-block data-lang=http>GET /items\nHost: e.org</div>", "```http\nGET /items\nHost: e.org\n```"),
    "figure": ("<figure><div class=samplecode><code>SELECT<br>&nbsp; a</code></div></figure>", "```\nSELECT\n  a\n```"),
    "syntaxhighlighter": (
        (
            "<div class='syntaxhighlighter php'><table><tr><td class=gutter><div class=line>1</div><div class=line>2</div></td><td class=code>"
            "<div class=container><div class=line><code>a</code> <code>b</code></div><div class=line><code>&nbsp; c</code></div></div></td></tr>"
            "</table></div>"
        ),
        "```php\na b\n  c\n```",
    ),
    "crayon": (
        (
            "<div class=crayon-syntax><table><tr><td class=crayon-nums><div>1</div><div>2</div></td><td><div class=crayon-line>a</div>"
            "<div class=crayon-line>b</div></td></tr></table></div>"
        ),
        "```\na\nb\n```",
    ),
    "rows": (
        (
            "<table class=blob><tr><td class=blob-num data-line-number=1></td><td>a</td></tr><tr><td class=blob-num data-line-number=2></td>"
            "<td>&nbsp; b</td></tr></table>"
        ),
        "```\na\n  b\n```",
    ),
    "flex": (
        (
            "<div><div style='display:flex'><span class=lineno>1</span><code>a = 1</code></div><div style='display:flex'>"
            "<span class=lineno>2</span><code>b = 2</code></div></div>"
        ),
        "```\na = 1\nb = 2\n```",
    ),
    "bar": (
        "<pre><code class=hljs><div class=code__header><span>bash</span><button>Copy</button></div>ls -l\ncd</code></pre>",
        "```bash\nls -l\ncd\n```",
    ),
    "codemirror": (
        (
            "<pre><div class=bar><span>Python</span><button>Run</button></div><div class=cm-editor><div class=cm-gutters><div>1</div><div>2</div></div>"
            "<div class=cm-content><div class=cm-line>p = 61</div><div class=cm-line>q</div></div></div></pre>"
        ),
        "```python\np = 61\nq\n```",
    ),
    "unselectable": (
        "<pre><code><span style='user-select:none'> 1</span><span>p = 61\n</span><span style='user-select:none'> 2</span><span>q</span></code></pre>",
        "```\np = 61\nq\n```",
    ),
    "chroma": (
        (
            "<pre class=chroma><code data-lang=go><span class=line><span class=ln>1</span><span class=cl>p = 61\n</span></span>"
            "<span class=line><span class=ln>2</span><span class=cl>q</span></span></code></pre>"
        ),
        "```go\np = 61\nq\n```",
    ),
    "lntable": (
        (
            "<table class=lntable><tr><td class=lntd><pre><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre></td><td class=lntd>"
            "<pre><code class=language-go>a\nb</code></pre></td></tr></table>"
        ),
        "```go\na\nb\n```",
    ),
    "inline": ("<p>Inline <code>a\n b</code> stays.</p>", "Inline `a b` stays."),
    "items": ("<ul><li><code>a</code></li><li><code>b</code></li></ul>", "- `a`\n- `b`"),
    "one line": ("<p><code>make</code></p><p>Then wait.</p>", "`make`\n\nThen wait."),
}
NOTES = {
    "paragraphs": (
        "<p>Claim.<sup>1</sup> More.<sup>2</sup></p><hr><p><sup>1</sup> First note.</p><p><sup>2</sup> Second note.</p>",
        "Claim.[^1] More.[^2]\n\n[^1]: First note.\n\n[^2]: Second note.",
    ),
    "list": (
        "<p>Claim.<sup>1</sup> More.<sup>2</sup></p><h3>Notes</h3><ol><li>First note.</li><li>Second note.</li></ol>",
        "Claim.[^1] More.[^2]\n\n### Notes\n\n[^1]: First note.\n\n[^2]: Second note.",
    ),
    "named list": (
        "<p>Claim.<sup>[1]</sup></p><div class=footnotes><ol><li>First note.</li></ol></div>",
        "Claim.[^1]\n\n[^1]: First note.",
    ),
    "asterisk": ("<p>Claim.<sup>*</sup></p><div><p><sup>*</sup> A note.</p></div>", "Claim.[^1]\n\n[^1]: A note."),
    "exponents": (
        "<p>10<sup>1</sup> m<sup>2</sup></p><ol><li>a</li><li>b</li></ol>",
        "10<sup>1</sup> m<sup>2</sup>\n\n1. a\n2. b",
    ),
    "without notes": ("<p>Claim.<sup>1</sup></p><p>More.</p>", "Claim.<sup>1</sup>\n\nMore."),
}
FORMULAS = {
    "forums": ("<p>the [tex]d(x)[/tex], [itex]a^2[/itex] and <code>[math]b[/math]</code></p>", "the $d(x)$, $a^2$ and $b$"),
    "matrix": (
        "<math display=block><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd></mtr></mtable></math>",
        "$$\\begin{matrix}a & b \\\\ c\\end{matrix}$$",
    ),
    "mediawiki": (
        (
            "<span class=mwe-math-element><span style='display:none'><math display=block><semantics><mi>x</mi><annotation "
            "encoding='application/x-tex'>a^2</annotation></semantics></math></span><img src=/i.svg alt='a^2'></span>"
        ),
        "$$a^2$$",
    ),
    "menclose": ("<p>so <math><menclose notation=top><mi>A</mi><mi>B</mi></menclose></math></p>", "so $\\overline{AB}$"),
    "munderover": ("<p>so <math><munderover><mo>∑</mo><mn>1</mn><mi>n</mi></munderover></math></p>", "so $\\sum_1^n$"),
    "mathjax": (
        (
            "<p>x <mjx-container class=MathJax><mjx-math><mjx-msqrt><mjx-sqrt><mjx-surd><mjx-mo><mjx-c class=mjx-c221A></mjx-c></mjx-mo></mjx-surd>"
            "<mjx-box><mjx-mi><mjx-c class=mjx-c6E></mjx-c></mjx-mi></mjx-box></mjx-sqrt></mjx-msqrt></mjx-math></mjx-container></p>"
        ),
        "x $\\sqrt{n}$",
    ),
    "image with text": ("<p>x <img class=latex src='/latex.php?latex=A%2C+B' alt='A, B'></p>", "x $A, B$"),
    "image with commands": ("<p>x <img src=/eq1.svg alt='\\operatorname{h}(x)=\\exp(x)'></p>", "x $\\operatorname{h}(x)=\\exp(x)$"),
    "image by address": ("<p>x <img src='https://e.org/formula/%5Cfrac%7Bm%7D%7Bv%7D'></p>", "x $\\frac{m}{v}$"),
    "two images": ("<p>f <img class=latex src=/1 alt='a=b'><img class=latex src=/2 alt='c=d'></p>", "f $a=b$ $c=d$"),
}
CALLOUTS = {
    "docutils": (
        "<div class='admonition warning'><p class=admonition-title>Warning</p><p>Do not.</p></div>",
        "> [!WARNING]\n>\n> Do not.",
    ),
    "bootstrap": ("<div class='alert alert-danger'>Do not <b>do</b>.</div>", "> [!CAUTION]\n>\n> Do not **do**."),
    "obsidian": (
        "<div class=callout data-callout=tip><div class=callout-title>Read this</div><div class=callout-content><p>Text</p></div></div>",
        "> [!TIP]\n>\n> Read this\n>\n> Text",
    ),
    "docusaurus": (
        "<div class='theme-admonition theme-admonition-note alert alert--secondary'><div>note</div><div><p>Text</p></div></div>",
        "> [!NOTE]\n>\n> Text",
    ),
    "github": (
        "<div class='markdown-alert markdown-alert-important'><p class=markdown-alert-title><svg></svg>Important</p><p>Text</p></div>",
        "> [!IMPORTANT]\n>\n> Text",
    ),
    "vitepress": (
        "<div class='custom-block info'><p class=custom-block-title>INFO</p><p>Text</p></div>",
        "> [!NOTE]\n>\n> INFO\n>\n> Text",
    ),
    "no kind": ("<div class=alert><p>Text</p></div>", "Text"),
    "no notice": ("<div class=warning><p>Text</p></div>", "Text"),
}
TABLES = {
    "head without row": (
        "<table><thead><th>Day</th><th>Low</th></thead><tbody><tr><td>Monday</td><td>3</td></tr></tbody></table>",
        "| Day | Low |\n| --- | --- |\n| Monday | 3 |",
    ),
}
ROWS = [
    pytest.param(f"<p>Before.</p>{html}<p>After.</p>" if kind is not NOTES else html, after, kind is not NOTES, id=name)
    for kind in (CODE, NOTES, FORMULAS, CALLOUTS, TABLES)
    for name, (html, after) in kind.items()
]


@pytest.mark.parametrize(("html", "after", "is_between"), ROWS)
def test_the_form_of_a_generator(html: str, after: str, is_between: bool):
    assert html_to_markdown(cleaned(html)) == (f"Before.\n\n{after}\n\nAfter." if is_between else after)


@pytest.mark.parametrize("html", [html for html, after in CODE.values() if after.startswith("```")])
def test_code_has_its_lines_in_the_plain_text(html: str):
    code = html_to_markdown(cleaned(html)).removeprefix("```").removesuffix("\n```").partition("\n")[2]
    assert code in plain(html)


def test_formulas_are_in_the_plain_text():
    assert plain("<p>x <img class=latex src=/1 alt='a=b'> and [tex]d(x)[/tex]</p>") == "x $a=b$ and $d(x)$"
