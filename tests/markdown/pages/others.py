"""Eight others: shops, blogs, recipes, newsletters, saved mails, generators of sites."""

from __future__ import annotations

from tests.markdown.pages.common import ENGLISH, SITE_FOOTER, SITE_LACKS, SITE_NAV, TestPage, document, paragraphs


def wordpress_blog() -> TestPage:
    code = '<pre class="wp-block-code"><code lang="php" class="language-php">&lt;?php echo "a &amp; b";\n</code></pre>'
    figure = '<figure class="wp-block-image size-large"><img data-lazy-src="https://example.org/wp/ferry-1024x683.jpg" src="data:image/svg+xml,%3Csvg%3E" srcset="" data-lazy-srcset="https://example.org/wp/ferry-1024x683.jpg 1024w, https://example.org/wp/ferry-2048x1365.jpg 2048w" alt="The ferry"><noscript><img src="https://example.org/wp/ferry-1024x683.jpg" alt="The ferry"></noscript><figcaption class="wp-element-caption">The ferry at noon</figcaption></figure>'
    embed = '<figure class="wp-block-embed is-type-video is-provider-youtube"><div class="wp-block-embed__wrapper"><iframe title="A trip to the island" width="500" src="https://www.youtube.com/embed/islandTRIP1?feature=oembed" allowfullscreen></iframe></div></figure>'
    easy = '<p>It was late<sup class="modern-footnotes-footnote"><a href="#footnote_1" id="note_1">1</a></sup>.</p>'
    notes = '<ol class="footnotes"><li id="footnote_1">By forty minutes, as the log says. <a href="#note_1" class="footnote-back-link">↩</a></li></ol>'
    body = (
        f'{SITE_NAV}<div id="content"><article class="post type-post"><header class="entry-header"><h1 class="entry-title">A day on the ferry</h1><div class="entry-meta">Posted on <time datetime="2026-03-05">March 5, 2026</time> by <a rel="author" href="/author/ada">Ada Byron</a></div></header><div class="entry-content">{paragraphs(4)}{figure}{easy}{paragraphs(6)}{embed}{code}'
        f'<blockquote class="wp-block-quote"><p>Slow is smooth.</p><cite>The captain</cite></blockquote>{paragraphs(5)}{notes}<div class="sharedaddy"><h3>Share this:</h3><ul><li><a href="#">Facebook</a></li></ul></div></div></article><div id="comments"><h2>One thought on “A day on the ferry”</h2><ol><li><p>Lovely, I was there too.</p></li></ol></div></div>{SITE_FOOTER}'
    )
    return TestPage(
        name="wordpress-blog",
        html=document("A day on the ferry – Quarry", body),
        has=(
            "ferry-2048x1365.jpg",
            "*The ferry at noon*",
            "[A trip to the island](https://www.youtube.com/watch?v=islandTRIP1)",
            '```php\n<?php echo "a & b";\n```',
            "> Slow is smooth.",
            "The captain",
            "late[^1].",
            "[^1]: By forty minutes",
        ),
        lacks=("Share this", "1024x683", "I was there too", "↩", *SITE_LACKS),
        videos=("https://www.youtube.com/watch?v=islandTRIP1",),
    )


def substack() -> TestPage:
    body = (
        '<div class="main-menu"><a href="/subscribe">Subscribe</a><a href="/signin">Sign in</a></div><article class="newsletter-post post"><div class="post-header"><h1 class="post-title published">On waiting</h1><h3 class="subtitle">Why the other queue is faster</h3></div><div class="available-content"><div class="body markup">'
        f'<p>{ENGLISH[0]}<a class="footnote-anchor" data-component-name="FootnoteAnchorToDOM" id="footnote-anchor-1" href="#footnote-1" target="_self">1</a></p><div class="captioned-image-container"><figure><a class="image-link" href="https://cdn.example.org/w_1456/queue.png"><div class="image2-inset"><picture><source type="image/webp" srcset="https://cdn.example.org/w_424/queue.png 424w, https://cdn.example.org/w_1456/queue.png 1456w"><img src="https://cdn.example.org/w_1456/queue.png" alt="" srcset="https://cdn.example.org/w_424/queue.png 424w, https://cdn.example.org/w_1456/queue.png 1456w"></picture></div></a><figcaption class="image-caption">Two counters</figcaption></figure></div>{paragraphs(2)}<div class="pullquote"><p>The other queue is always faster.</p></div>{paragraphs(8)}<hr>'
        '<div class="footnote" data-component-name="FootnoteToDOM"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number" contenteditable="false" target="_self">1</a><div class="footnote-content"><p>Unless you change queues, of course, which never helps.</p></div></div></div></div><div class="subscribe-widget"><p>Thanks for reading! Subscribe for free.</p></div></article><footer>© 2026 Ada Byron</footer>'
    )
    return TestPage(
        name="substack",
        html=document("On waiting - by Ada Byron", body),
        has=("[^1]", "[^1]: Unless you change queues", "![](https://cdn.example.org/w_1456/queue.png)", "*Two counters*", ENGLISH[8]),
        lacks=("Sign in", "w_424", "© 2026"),
    )


def medium() -> TestPage:
    body = (
        '<nav><a href="/">Open in app</a><a href="/signin">Sign in</a></nav><article><h1 class="pw-post-title">Ten thousand jobs</h1><div class="speechify"><a href="/@ada">Ada Byron</a><span>5 min read</span></div>'
        f'<p class="pw-post-body-paragraph">{ENGLISH[0]}</p><figure class="paragraph-image"><div role="button"><picture><source srcset="https://miro.example.org/resize:fit:640/q.png 640w, https://miro.example.org/resize:fit:1400/q.png 1400w" type="image/webp"><img alt="" src="https://miro.example.org/resize:fit:700/q.png"></picture></div><figcaption>Jobs by hour</figcaption></figure><p class="pw-post-body-paragraph">{ENGLISH[2]}</p>'
        f'<pre class="nu nv"><span id="a1" class="hljs" data-selectable-paragraph=""><span class="hljs-keyword">while</span> jobs:<br>    jobs.pop()</span></pre><blockquote class="ro"><p>Keep it simple.</p></blockquote><ul><li>Measure <strong>first</strong>.</li><li>Then <em>change</em>.</li></ul><p class="pw-post-body-paragraph">{ENGLISH[1]}</p></article><footer><button>Follow</button><p>Help Status About Careers</p></footer>'
    )
    return TestPage(
        name="medium",
        html=document("Ten thousand jobs | by Ada Byron | Medium", body),
        has=(
            "resize:fit:1400/q.png",
            "*Jobs by hour*",
            "while jobs:\n    jobs.pop()\n```",
            "> Keep it simple.",
            "- Measure **first**.\n- Then *change*.",
        ),
        lacks=("Open in app", "fit:640", "Careers"),
    )


def recipe() -> TestPage:
    body = (
        f'{SITE_NAV}<main><article><h1>Barley soup of the valley</h1><p>{ENGLISH[9]}</p><img src="/img/soup-300x200.jpg" srcset="/img/soup-300x200.jpg 1x, /img/soup-600x400.jpg 2x" alt="A bowl of soup" width="300" height="200"><div class="recipe"><h2>Ingredients</h2><ul class="ingredients"><li>200 g barley</li><li>1 1/2 l water</li><li>½ onion</li></ul><h2>Method</h2><ol><li>Wash the barley and soak it overnight.</li><li>Boil it for forty minutes:<ol type="a"><li>first with the lid,</li><li>then without it.</li></ol></li><li>Add salt and serve it hot.</li></ol>'
        f"<h2>Per serving</h2><table><tr><th>Energy</th><th>Fat</th></tr><tr><td>220 kcal</td><td>3 g</td></tr></table></div><p>{ENGLISH[6]}</p></article></main>{SITE_FOOTER}"
    )
    return TestPage(
        name="recipe",
        html=document("Barley soup of the valley", body),
        has=(
            "soup-600x400.jpg",
            "- 200 g barley\n- 1 1/2 l water\n- ½ onion",
            "2. Boil it for forty minutes:\n   1. first with the lid,",
            "| Energy | Fat |",
            "| 220 kcal | 3 g |",
        ),
        lacks=SITE_LACKS,
    )


def org_export() -> TestPage:
    body = (
        '<div id="content" class="content"><h1 class="title">Notes on the service</h1><div id="table-of-contents" role="doc-toc"><h2>Table of Contents</h2><div id="text-table-of-contents"><ul><li><a href="#org1">1. Start</a></li><li><a href="#org2">2. Stop</a></li></ul></div></div>'
        f'<div id="outline-container-org1" class="outline-2"><h2 id="org1"><span class="section-number-2">1.</span> Start</h2><div class="outline-text-2" id="text-1"><p>{ENGLISH[3]}<sup><a id="fnr.1" class="footref" href="#fn.1" role="doc-backlink">1</a></sup></p><div class="org-src-container"><pre class="src src-emacs-lisp"><span class="org-keyword">(setq</span> limit 8)\n</pre></div><p>{ENGLISH[1]}</p></div></div>'
        f'<div class="outline-2"><h2 id="org2"><span class="section-number-2">2.</span> Stop</h2><div class="outline-text-2"><p>{ENGLISH[2]}</p><dl class="org-dl"><dt>limit</dt><dd>the largest number of jobs that run at the same time</dd></dl></div></div><div id="footnotes"><h2 class="footnotes">Footnotes: </h2><div id="text-footnotes"><div class="footdef"><sup><a id="fn.1" class="footnum" href="#fnr.1" role="doc-backlink">1</a></sup> <div class="footpara" role="doc-footnote"><p class="footpara">As root, on the first machine.</p></div></div></div></div></div><div id="postamble" class="status"><p class="validation">Validate</p></div>'
    )
    return TestPage(
        name="org-export",
        html=document("Notes on the service", body),
        has=(
            "```emacs-lisp\n(setq limit 8)\n```",
            "[^1]",
            "[^1]: As root, on the first machine.",
            "**limit**",
            "the largest number of jobs",
        ),
        lacks=("Table of Contents", "Validate"),
    )


def pandoc() -> TestPage:
    code = '<div class="sourceCode" id="cb1"><pre class="sourceCode numberSource haskell numberLines"><code class="sourceCode haskell"><span id="cb1-1"><a href="#cb1-1"></a><span class="ot">run ::</span> <span class="dt">Job</span> <span class="ot">-&gt;</span> <span class="dt">IO</span> ()</span>\n<span id="cb1-2"><a href="#cb1-2"></a>run <span class="ot">=</span> start</span></code></pre></div>'
    body = (
        f'<header id="title-block-header"><h1 class="title">Running jobs</h1><p class="author">Carl Gauss</p></header><nav id="TOC" role="doc-toc"><ul><li><a href="#intro">Introduction to jobs</a></li></ul></nav><h2 id="intro">Introduction</h2>{paragraphs(0)}<p>With <span class="math inline">\\(n\\)</span> workers<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a> the time is <span class="math display">\\[t = \\frac{{T}}{{n}}\\]</span></p>{code}{paragraphs(1)}<table><caption>Times by workers</caption><thead><tr class="header"><th style="text-align: right;">n</th><th>t</th></tr></thead><tbody><tr class="odd"><td style="text-align: right;">1</td><td>8 s</td></tr></tbody></table>{paragraphs(2)}'
        '<section id="footnotes" class="footnotes footnotes-end-of-document" role="doc-endnotes"><hr /><ol><li id="fn1"><p>On one machine.<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>'
    )
    return TestPage(
        name="pandoc",
        html=document("Running jobs", body),
        has=(
            "With $n$ workers[^1]",
            "$$t = \\frac{T}{n}$$",
            "```haskell\nrun :: Job -> IO ()\nrun = start\n```",
            "Times by workers",
            "| n | t |",
            "[^1]: On one machine.",
        ),
        lacks=("↩", "Introduction to jobs"),
    )


def product() -> TestPage:
    body = (
        f'{SITE_NAV}<div class="product"><h1>Amber Drill 18 V</h1><div class="price">€ 129.00</div><button>Add to cart</button><div class="tabs"><div class="tab-content active" id="description"><h2>Description</h2><p>{ENGLISH[6]} It drills wood, stone and steel, and its battery is charged in forty minutes.</p><ul><li>Two speeds</li><li>Light that follows the bit</li></ul></div>'
        '<div class="tab-content" id="specs"><h2>Specification</h2><table><tr><th>Weight</th><td>1.4 kg</td></tr><tr><th>Torque</th><td>41 Nm</td></tr></table></div></div></div>'
        f'<section class="also"><h2>Customers also bought</h2><a href="/p/2">Steel bits, 20 pieces</a></section>{SITE_FOOTER}'
    )
    return TestPage(
        name="product",
        html=document("Amber Drill 18 V - Quarry Tools", body),
        has=("# Amber Drill 18 V", "- Two speeds\n- Light that follows the bit", "charged in forty minutes"),
        lacks=("Steel bits", *SITE_LACKS),
    )


def escapes() -> TestPage:
    body = f'{SITE_NAV}<main><article><h1>Names &amp; signs_in *C#*</h1>{paragraphs(3)}<p>Use snake_case, 2 * 3, a &lt;b&gt; tag, `ticks`, [brackets](x), $5 and $6, and # in C#.</p><p>1. is no list here<br>- nor is this<br>+ or that</p><p># not a heading</p>{paragraphs(1)}<p>A path: C:\\_old\\*new, and 5 &gt; 3 &amp;amp; so.</p><pre>```\nfence\n```</pre><p><b>bold</b><i>italic</i> and <b>two </b>words, <a href="https://e.org/a b(c)">link</a>.</p>{paragraphs(2)}</article></main>{SITE_FOOTER}'
    return TestPage(
        name="escapes",
        html=document("Names & signs", body),
        has=(
            "Use snake_case, 2 * 3, a &lt;b> tag, \\`ticks\\`, [brackets\\](x), $5 and $6, and # in C#.",
            "1\\. is no list here",
            "\\- nor is this",
            "\\# not a heading",
            "C:\\\\\\_old\\\\\\*new",
            "&amp;amp;",
            "````\n```\nfence\n```\n````",
            "**two** words",
        ),
        lacks=SITE_LACKS,
    )


PAGES = [make() for make in (wordpress_blog, substack, medium, recipe, org_export, pandoc, product, escapes)]
