"""Twelve systems of documentation."""

from __future__ import annotations

from tests.markdown.pages.common import ENGLISH, TestPage, document, paragraphs

CODE = "def run(jobs):\n    for job in jobs:\n\n        job.start()  # begin\n"


def sphinx() -> TestPage:
    side = (
        '<div class="sphinxsidebar" role="navigation"><div class="sphinxsidebarwrapper"><h3><a href="#">Table of Contents</a></h3><ul><li>'
        '<a class="reference internal" href="#jobs">Running jobs</a></li></ul><div role="note" aria-label="source link"><h3>This Page</h3>'
        '<ul class="this-page-menu"><li><a href="_sources/jobs.rst.txt">Show Source</a></li></ul></div></div></div>'
    )
    code = (
        '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="k">def</span> <span class="nf">run'
        '</span><span class="p">(</span><span class="n">jobs</span><span class="p">):</span>\n    <span class="k">for</span> <span class="n">'
        'job</span> <span class="ow">in</span> <span class="n">jobs</span><span class="p">:</span>\n\n        <span class="n">job</span>'
        '<span class="o">.</span><span class="n">start</span><span class="p">()</span>  <span class="c1"># begin</span>\n</pre></div></div>'
    )
    api = (
        '<dl class="py function"><dt class="sig sig-object py" id="q.run"><span class="sig-prename descclassname"><span class="pre">quarry.'
        '</span></span><span class="sig-name descname"><span class="pre">run</span></span><span class="sig-paren">(</span><em class="sig-param">'
        '<span class="n"><span class="pre">jobs</span></span></em><span class="sig-paren">)</span><a class="headerlink" href="#q.run" '
        'title="Link to this definition">¶</a></dt><dd><p>Run all jobs and wait until the last one has finished. Errors of single jobs are '
        "collected and raised together at the end.</p></dd></dl>"
    )
    note = (
        '<p>The order of results may differ <a class="footnote-reference brackets" href="#id3" id="id1" role="doc-noteref"><span class='
        '"fn-bracket">[</span>1<span class="fn-bracket">]</span></a> from the order of jobs.</p>'
    )
    notes = (
        '<aside class="footnote-list brackets"><aside class="footnote brackets" id="id3" role="doc-footnote"><span class="label"><span class='
        '"fn-bracket">[</span><a role="doc-backlink" href="#id1">1</a><span class="fn-bracket">]</span></span><p>Unless the option ordered '
        "is set when the queue is created.</p></aside></aside>"
    )
    main = (
        f'<section id="jobs"><h1>Running jobs<a class="headerlink" href="#jobs" title="Link to this heading">¶</a></h1>{paragraphs(0, 1)}'
        f'<p>A job is started like this:</p>{code}{note}<section id="api"><h2>Functions<a class="headerlink" href="#api">¶</a></h2>{api}'
        f'{paragraphs(2, 3)}<div class="admonition warning"><p class="admonition-title">Warning</p><p>Never start the same job twice in one '
        f"process, because its results would overwrite each other.</p></div>{notes}</section></section>"
    )
    body = (
        '<div class="related" role="navigation"><h3>Navigation</h3><ul><li class="right"><a href="genindex.html">index</a></li></ul></div>'
        f'<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">{main}</div></div></div>'
        f'{side}</div><div class="footer">© Copyright 2026, Quarry. Created using Sphinx 8.1.</div>'
    )
    return TestPage(
        name="sphinx",
        html=document("Running jobs — Quarry 2.0 documentation", body),
        has=(
            f"```python\n{CODE}```",
            "[^1]",
            "[^1]: Unless the option ordered",
            "## Functions\n",
            "quarry.run(*jobs*)",
            "Never start the same job",
        ),
        lacks=("¶", "Show Source", "Table of Contents", "Created using Sphinx", "[1]"),
    )


def mkdocs_material() -> TestPage:
    lines = (
        '<span id="__span-0-1"><a id="__codelineno-0-1" name="__codelineno-0-1" href="#__codelineno-0-1"></a><span class="nt">queue</span>'
    )
    code = (
        '<div class="language-yaml highlight"><table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre><span></span>'
        '<span class="normal">1</span>\n<span class="normal">2</span></pre></div></td><td class="code"><div><pre><span></span><code>'
        f'{lines}<span class="p">:</span>\n</span><span id="__span-0-2"><a id="__codelineno-0-2" name="__codelineno-0-2" '
        'href="#__codelineno-0-2"></a><span class="w">  </span><span class="nt">limit</span><span class="p">:</span> <span class="m">8</span>'
        "\n</span></code></pre></div></td></tr></table></div>"
    )
    tabs = (
        '<div class="tabbed-set tabbed-alternate" data-tabs="1:2"><input checked="checked" id="__tabbed_1_1" name="__tabbed_1" type="radio">'
        '<input id="__tabbed_1_2" name="__tabbed_1" type="radio"><div class="tabbed-labels"><label for="__tabbed_1_1">Linux</label><label '
        'for="__tabbed_1_2">Windows</label></div><div class="tabbed-content"><div class="tabbed-block"><div class="language-bash highlight">'
        '<pre><span></span><code>sudo quarry start\n</code></pre></div></div><div class="tabbed-block"><div class="language-powershell '
        'highlight"><pre><span></span><code>Start-Quarry -All\n</code></pre></div></div></div></div>'
    )
    math = '<div class="arithmatex">\\[ t = \\frac{n}{w} \\]</div><p>where <span class="arithmatex">\\(w\\)</span> is the number of workers.</p>'
    notes = (
        '<div class="footnote"><hr><ol><li id="fn:1"><p>Measured with version 2.1 on a machine with eight cores.&#160;<a class='
        '"footnote-backref" href="#fnref:1" title="Jump back">&#8617;</a></p></li></ol></div>'
    )
    main = (
        '<a href="https://github.com/q/q/edit/main/docs/limits.md" title="Edit this page" class="md-content__button md-icon">'
        '<svg></svg></a><h1 id="limits">Limits<a class="headerlink" href="#limits" title="Permanent link">&para;</a></h1>'
        f'{paragraphs(1)}<p>The default is eight<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup>.</p>{code}{paragraphs(2)}'
        f'<h2 id="start">Start<a class="headerlink" href="#start">&para;</a></h2>{paragraphs(3)}{tabs}{math}<details class="note"><summary>'
        "Why not more?</summary><p>More workers than cores only add switches, and each of them costs time.</p></details>"
        f"{paragraphs(0)}{notes}"
    )
    nav = '<nav class="md-nav md-nav--primary" aria-label="Navigation"><ul><li><a class="md-nav__link" href="../install/">Installation</a></li></ul></nav>'
    toc = '<nav class="md-nav md-nav--secondary" aria-label="Table of contents"><label>Table of contents</label><ul><li><a href="#start">Start</a></li></ul></nav>'
    body = (
        f'<div class="md-container"><main class="md-main"><div class="md-sidebar">{nav}</div><div class="md-sidebar">{toc}</div><div '
        f'class="md-content"><article class="md-content__inner md-typeset">{main}</article></div></main><footer class="md-footer">Made with '
        '<a href="https://squidfunk.github.io/">Material for MkDocs</a></footer></div>'
    )
    return TestPage(
        name="mkdocs-material",
        html=document("Limits - Quarry", body),
        has=(
            "```yaml\nqueue:\n  limit: 8\n```",
            "```bash\nsudo quarry start\n```",
            "```powershell\nStart-Quarry -All\n```",
            "Linux",
            "Windows",
            "$$t = \\frac{n}{w}$$",
            "where $w$ is",
            "eight[^1].",
            "[^1]: Measured with version 2.1",
            "Why not more?",
        ),
        lacks=("¶", "↩", "Table of contents", "Made with", "\n1\n2"),
    )


def docusaurus() -> TestPage:
    def line(text: str) -> str:
        return f'<span class="token-line" style="color:#F8F8F2"><span class="token plain">{text}</span><br></span>'

    code = (
        '<div class="language-js codeBlockContainer_Ckt0 theme-code-block" style="--prism-color:#F8F8F2"><div class="codeBlockTitle_Ktv7">'
        'quarry.config.js</div><div class="codeBlockContent_biex"><pre tabindex="0" class="prism-code language-js codeBlock_bY9V"><code class='
        f'"codeBlockLines_e6Vv">{line("module.exports = {")}{line("  limit: 8,")}{line("};")}</code></pre><div class="buttonGroup__atx"><button '
        'type="button" aria-label="Copy code to clipboard" class="clean-btn">Copy</button></div></div></div>'
    )
    tabs = (
        '<div class="tabs-container tabList__CuJ"><ul role="tablist" class="tabs"><li role="tab" tabindex="0" aria-selected="true" class='
        '"tabs__item">npm</li><li role="tab" tabindex="-1" class="tabs__item">Yarn</li></ul><div class="margin-top--md"><div role="tabpanel">'
        '<div class="language-bash"><pre class="prism-code language-bash"><code><span class="token-line"><span class="token plain">npm add '
        'quarry</span><br></span></code></pre></div></div><div role="tabpanel" hidden=""><div class="language-bash"><pre class="prism-code '
        'language-bash"><code><span class="token-line"><span class="token plain">yarn add quarry</span><br></span></code></pre></div></div>'
        "</div></div>"
    )
    main = (
        f'<article><div class="theme-doc-markdown markdown"><header><h1>Configuration</h1></header>{paragraphs(3)}{code}{paragraphs(1)}<h2 '
        'class="anchor" id="install">Install<a class="hash-link" href="#install" aria-label="Direct link to Install">\u200b</a></h2>'
        f'{paragraphs(2)}{tabs}<div class="theme-admonition alert alert--info"><div class="admonitionHeading_tbUL">tip</div><div '
        'class="admonitionContent_S0QG"><p>Keep the file beside your package.json, where all commands find it.</p></div></div></div>'
        '<footer class="theme-doc-footer"><a href="https://github.com/q" class="theme-edit-this-page">Edit this page</a></footer></article>'
        '<nav class="pagination-nav docusaurus-mt-lg" aria-label="Docs pages"><a class="pagination-nav__link" href="/next"><div>Next</div>'
        "<div>Plugins of others</div></a></nav>"
    )
    side = '<aside class="theme-doc-sidebar-container"><ul class="menu__list"><li><a class="menu__link" href="/a">Getting Started</a></li></ul></aside>'
    body = f'<div id="__docusaurus"><nav class="navbar"><a href="/">Quarry</a></nav><div class="main-wrapper">{side}<main>{main}</main></div></div>'
    return TestPage(
        name="docusaurus",
        html=document("Configuration | Quarry", body),
        has=(
            "```js\nmodule.exports = {\n  limit: 8,\n};\n```",
            "quarry.config.js",
            "```bash\nnpm add quarry\n```",
            "```bash\nyarn add quarry\n```",
            "Yarn",
            "Keep the file beside",
        ),
        lacks=("Copy", "Edit this page", "Getting Started", "Plugins of others"),
    )


def vitepress() -> TestPage:
    code = (
        '<div class="language-ts vp-adaptive-theme line-numbers-mode"><button title="Copy Code" class="copy"></button><span class="lang">ts'
        '</span><pre class="shiki shiki-themes vp-code"><code><span class="line"><span style="--shiki-light:#D73A49">const</span><span> limit'
        ': number = </span><span>8</span></span>\n<span class="line"></span>\n<span class="line"><span>start</span><span>(limit)</span></span>'
        '</code></pre><div class="line-numbers-wrapper" aria-hidden="true"><span class="line-number">1</span><br><span class="line-number">2'
        '</span><br><span class="line-number">3</span><br></div></div>'
    )
    table = (
        '<table tabindex="0"><thead><tr><th>Option</th><th style="text-align:right">Default</th></tr></thead><tbody><tr><td><code>limit'
        '</code></td><td style="text-align:right">8</td></tr><tr><td><code>a | b</code></td><td style="text-align:right">none</td></tr></tbody></table>'
    )
    main = (
        f'<div class="vp-doc _guide"><div><h1 id="types" tabindex="-1">Types <a class="header-anchor" href="#types" aria-label="Permalink to '
        f'&quot;Types&quot;">\u200b</a></h1>{paragraphs(0)}{code}{paragraphs(2)}{table}{paragraphs(1)}</div></div>'
    )
    body = (
        '<div id="app"><header class="VPNav"><a href="/">Quarry</a></header><aside class="VPSidebar"><a href="/guide">Guide for beginners</a>'
        f'</aside><div class="VPContent"><main class="main">{main}</main><footer class="VPDocFooter"><a href="https://e.org">Edit this page on '
        "GitHub</a><p>Last updated: 3/5/26</p></footer></div></div>"
    )
    return TestPage(
        name="vitepress",
        html=document("Types | Quarry", body),
        has=(
            "```ts\nconst limit: number = 8\n\nstart(limit)\n```",
            "| Option | Default |",
            "| `limit` | 8 |",
            "`a \\| b`",
        ),
        lacks=("Edit this page", "Guide for beginners", "\n1\n", "```ts\n1"),
    )


def jekyll_rouge() -> TestPage:
    code = (
        '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight"><code><table class="rouge-table"><tbody>'
        '<tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre><span class="k">class</span> '
        '<span class="nc">Job</span>\n<span class="k">end</span>\n</pre></td></tr></tbody></table></code></pre></div></div>'
    )
    math = '<script type="math/tex; mode=display">\\sum_{i=1}^n t_i</script>'
    notes = (
        '<div class="footnotes" role="doc-endnotes"><ol><li id="fn:cost" role="doc-endnote"><p>Of one core, in seconds. <a href='
        '"#fnref:cost" class="reversefootnote" role="doc-backlink">&#8617;</a></p></li></ol></div>'
    )
    body = (
        '<header class="site-header"><a class="site-title" href="/">Quarry blog</a></header><main class="page-content"><article class="post">'
        '<header class="post-header"><h1 class="post-title">The cost of a job</h1><p class="post-meta"><time datetime="2026-03-05T00:00:00'
        f'+00:00">Mar 5, 2026</time></p></header><div class="post-content">{paragraphs(0)}{code}<p>The cost<sup id="fnref:cost" role='
        f'"doc-noteref"><a href="#fn:cost" class="footnote" rel="footnote">1</a></sup> is the sum</p>{math}{paragraphs(1, 2)}{notes}</div>'
        '</article></main><footer class="site-footer"><p>Powered by Jekyll</p></footer>'
    )
    return TestPage(
        name="jekyll-rouge",
        html=document("The cost of a job | Quarry blog", body),
        has=(
            "```ruby\nclass Job\nend\n```",
            "cost[^1] is",
            "[^1]: Of one core, in seconds.",
            "$$\\sum_{i=1}^n t_i$$",
            "# The cost of a job",
        ),
        lacks=("↩", "Powered by", "1\n2"),
    )


def hugo_chroma() -> TestPage:
    code = (
        '<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd"><pre tabindex="0" class="chroma"><code><span '
        'class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre tabindex="0" class="chroma"><code class='
        '"language-go" data-lang="go"><span class="line"><span class="cl"><span class="kd">func</span> <span class="nf">Run</span>() {\n'
        '</span></span><span class="line"><span class="cl">}\n</span></span></code></pre></td></tr></table></div></div>'
    )
    figure = (
        '<figure><img loading="lazy" src="/img/queue-small.png" srcset="/img/queue-small.png 480w, /img/queue-large.png 1200w" alt="Two queues">'
        "<figcaption><h4>Queues</h4><p>A worker takes from the end.</p></figcaption></figure>"
    )
    body = (
        '<header><nav><a href="/">Quarry</a><a href="/tags/">All tags</a></nav></header><main><article><h1>Work stealing</h1>'
        f'{paragraphs(0)}{code}{paragraphs(2)}{figure}{paragraphs(1)}<ol start="3"><li>Take a job.</li><li>Run it.<ul><li>Report errors.</li>'
        f"</ul></li></ol>{paragraphs(3)}</article></main><footer>Powered by Hugo and a theme</footer>"
    )
    return TestPage(
        name="hugo-chroma",
        html=document("Work stealing", body),
        has=(
            "```go\nfunc Run() {\n}\n```",
            "![Two queues](https://example.org/img/queue-large.png)",
            "A worker takes from the end.",
            "3. Take a job.",
            "4. Run it.\n   - Report errors.",
        ),
        lacks=("queue-small", "All tags", "Powered by", "1\n2"),
    )


def mdn() -> TestPage:
    code = (
        '<div class="code-example"><div class="example-header"><span class="language-name">js</span><button type="button" class="icon copy-icon">'
        '<span class="visually-hidden">Copy to Clipboard</span></button></div><pre class="brush: js notranslate"><code><span class="token '
        'keyword">const</span> queue <span class="token operator">=</span> <span class="token keyword">new</span> Queue();\n</code></pre></div>'
    )
    dl = (
        '<dl><dt id="limit"><a href="#limit"><code>limit</code></a> <span class="badge inline optional">Optional</span></dt><dd><p>The largest '
        "number of jobs that run at the same time. The default is the number of cores.</p></dd></dl>"
    )
    table = (
        '<table class="properties"><tbody><tr><th scope="row">Interface</th><td><a href="/en-US/docs/Queue"><code>Queue</code></a></td></tr>'
        '<tr><th scope="row">Bubbles</th><td>No</td></tr></tbody></table>'
    )
    main = (
        f'<header><h1>Queue: start() method</h1></header><div class="section-content">{paragraphs(0)}</div><section aria-labelledby="syntax">'
        f'<h2 id="syntax"><a href="#syntax">Syntax</a></h2><div class="section-content">{code}</div></section><section><h3 id="parameters">'
        f'<a href="#parameters">Parameters</a></h3><div class="section-content">{dl}{paragraphs(2)}</div></section><section><h2 id="events">'
        f'<a href="#events">Events</a></h2><div class="section-content">{table}{paragraphs(1)}<div class="notecard note"><p><strong>Note:'
        "</strong> A queue that has been closed cannot be started again.</p></div></div></section>"
    )
    body = (
        '<header class="top-navigation"><a href="/">MDN</a><a href="/en-US/docs/Web">References</a></header><div class="main-wrapper"><aside '
        f'class="sidebar"><ol><li><a href="/en-US/docs/Queue/stop">stop()</a></li></ol></aside><main id="content"><article class="main-page-content" lang="en-US">{main}'
        '<aside class="article-footer"><h2>Help improve MDN</h2><p>Was this page helpful to you?</p></aside></article></main></div>'
    )
    return TestPage(
        name="mdn",
        html=document("Queue: start() method - Web APIs", body),
        has=(
            "```js\nconst queue = new Queue();\n```",
            "`limit`",
            "The largest number of jobs",
            "| Interface | [`Queue`](https://example.org/en-US/docs/Queue) |",
            "**Note:** A queue that has been closed",
            "## Syntax",
        ),
        lacks=("Copy to Clipboard", "Was this page helpful", "References", "\njs\n"),
    )


def github_readme() -> TestPage:
    code = (
        '<div class="highlight highlight-source-shell notranslate position-relative overflow-auto" dir="auto"><pre>pip install quarry\n'
        'quarry <span class="pl-c1">--limit</span> 8</pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy" value="x">'
        "<svg></svg></clipboard-copy></div></div>"
    )
    math = (
        '<p dir="auto">The time is <math-renderer class="js-inline-math" style="display: inline-block">$t_n$</math-renderer> and</p>'
        '<math-renderer class="js-display-math" style="display: block">$$t_n = n^2$$</math-renderer>'
    )
    tasks = (
        '<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked>'
        ' Queues</li><li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled> Priorities</li></ul>'
    )
    notes = (
        '<section data-footnotes="" class="footnotes"><h2 id="footnote-label" class="sr-only" dir="auto">Footnotes</h2><ol dir="auto"><li id='
        '"user-content-fn-1-3f"><p dir="auto">On a laptop of 2024. <a href="#user-content-fnref-1-3f" data-footnote-backref="" aria-label='
        '"Back to reference 1" class="data-footnote-backref">↩</a></p></li></ol></section>'
    )
    main = (
        '<div class="markdown-heading" dir="auto"><h1 tabindex="-1" class="heading-element" dir="auto">Quarry</h1><a id="user-content-quarry" '
        f'class="anchor" aria-label="Permalink: Quarry" href="#quarry"><svg></svg></a></div>{paragraphs(0)}{code}{paragraphs(1)}{math}'
        f'<p dir="auto">It is fast<sup><a href="#user-content-fn-1-3f" id="user-content-fnref-1-3f" data-footnote-ref="" aria-describedby='
        f'"footnote-label">1</a></sup>.</p>{tasks}{paragraphs(2)}<div class="markdown-alert markdown-alert-note" dir="auto"><p class='
        f'"markdown-alert-title" dir="auto">Note</p><p dir="auto">The service needs Python 3.11 or a later version of it.</p></div>{notes}'
    )
    body = (
        '<header class="AppHeader"><a href="/login">Sign in</a><a href="/pricing">Pricing</a></header><div class="Layout"><div class="Layout-main"><table aria-labelledby="folders-and-files"><tbody><tr><td>'
        '<a href="/q/q/tree/main/src">src</a></td><td>Fix typo</td></tr></tbody></table><article class="markdown-body entry-content '
        f'container-lg" itemprop="text">{main}</article></div><div class="Layout-sidebar"><h2>About</h2><p>1.2k stars</p></div></div><footer>© 2026 GitHub, Inc.</footer>'
    )
    return TestPage(
        name="github-readme",
        html=document("GitHub - q/quarry: A queue", body),
        has=(
            "pip install quarry\nquarry --limit 8\n```",
            "$t_n$",
            "$$t_n = n^2$$",
            "fast[^1].",
            "[^1]: On a laptop of 2024.",
            "Priorities",
            "The service needs Python 3.11",
        ),
        lacks=("↩", "Sign in", "Fix typo", "1.2k stars"),
    )


def readthedocs_tabs() -> TestPage:
    tabs = (
        '<div class="sd-tab-set docutils"><input checked="checked" id="sd-tab-item-0" name="sd-tab-set-0" type="radio"><label class="sd-tab-label" '
        'for="sd-tab-item-0">C++</label><div class="sd-tab-content docutils"><div class="highlight-cpp notranslate"><div class="highlight"><pre>'
        '<span></span><span class="kt">int</span><span class="w"> </span><span class="n">limit</span><span class="w"> </span><span class="o">='
        '</span><span class="w"> </span><span class="mi">8</span><span class="p">;</span>\n</pre></div></div></div><input id="sd-tab-item-1" '
        'name="sd-tab-set-0" type="radio"><label class="sd-tab-label" for="sd-tab-item-1">Rust</label><div class="sd-tab-content docutils"><div '
        'class="highlight-rust notranslate"><div class="highlight"><pre><span></span><span class="kd">let</span><span class="w"> limit = 8;'
        "</span>\n</pre></div></div></div></div>"
    )
    math = (
        '<p>The mean is <span class="math notranslate nohighlight">\\(\\bar{t}\\)</span>:</p><div class="math notranslate nohighlight" id="eq-1">'
        '<span class="eqno">(1)<a class="headerlink" href="#eq-1">¶</a></span>\\[\\bar{t} = \\frac{1}{n}\\sum t_i\\]</div>'
    )
    table = (
        '<table class="docutils align-default" id="id1"><caption><span class="caption-number">Table 1 </span><span class="caption-text">Limits '
        'by machine</span><a class="headerlink" href="#id1">¶</a></caption><thead><tr class="row-odd"><th class="head" rowspan="2"><p>Machine</p>'
        '</th><th class="head" colspan="2"><p>Jobs</p></th></tr><tr class="row-even"><th class="head"><p>small</p></th><th class="head"><p>large'
        '</p></th></tr></thead><tbody><tr class="row-odd"><td><p>laptop</p></td><td><p>8</p></td><td><p>2</p></td></tr></tbody></table>'
    )
    body = (
        '<nav class="wy-nav-side"><div class="wy-menu"><p class="caption">Contents</p><ul><li><a href="a.html">Release notes</a></li></ul></div></nav><section class='
        '"wy-nav-content-wrap"><div class="rst-content"><div role="navigation" aria-label="Page navigation"><ul class="wy-breadcrumbs"><li><a href='
        '"#">Home</a></li><li class="wy-breadcrumbs-aside"><a href="_sources/x.txt">View page source</a></li></ul></div><div role="main" class='
        f'"document" itemscope="itemscope"><div itemprop="articleBody"><section id="limits"><h1>Limits<a class="headerlink" href="#limits">¶</a></h1>{paragraphs(1)}{tabs}'
        f'{paragraphs(2)}{math}{table}{paragraphs(3)}</section></div></div><footer><div class="rst-footer-buttons"><a href="n.html">Next</a></div>'
        "<p>Built with Sphinx using a theme provided by Read the Docs.</p></footer></div></section>"
    )
    return TestPage(
        name="readthedocs-tabs",
        html=document("Limits — Quarry documentation", body),
        has=(
            "```cpp\nint limit = 8;\n```",
            "```rust\nlet limit = 8;\n```",
            "C++",
            "Rust",
            "$\\bar{t}$",
            "$$\\bar{t} = \\frac{1}{n}\\sum t_i$$",
            "Limits by machine",
            "| Machine | Jobs small | Jobs large |",
            "| laptop | 8 | 2 |",
        ),
        lacks=("¶", "View page source", "Built with Sphinx", "Release notes"),
    )


def javadoc() -> TestPage:
    body = (
        '<header role="banner"><nav role="navigation"><div class="top-nav" id="navbar-top"><ul class="nav-list"><li><a href="../overview.html">'
        'Overview</a></li><li><a href="../help-doc.html">Help</a></li></ul></div></nav></header><div class="flex-content"><main role="main"><div '
        f'class="header"><h1 title="Class Queue" class="title">Class Queue</h1></div><section class="class-description" id="class-description"><div class="block">{ENGLISH[0]} {ENGLISH[2]}'
        '<p>Example:</p><pre><code>Queue q = new Queue(8);\nq.start();\n</code></pre></div><dl class="notes"><dt>Since:</dt><dd>1.2</dd><dt>See Also:</dt><dd><ul class="see-list">'
        '<li><a href="Job.html"><code>Job</code></a></li></ul></dd></dl></section><section class="summary"><h2>Method Summary</h2><table class="summary-table"><thead><tr><th>Modifier</th><th>Method</th><th>Description</th>'
        f"</tr></thead><tbody><tr><td><code>void</code></td><td><code>start()</code></td><td>{ENGLISH[3]}</td></tr><tr><td><code>int</code></td><td><code>size()</code></td>"
        '<td>The number of jobs that wait in this queue at the moment.</td></tr></tbody></table></section></main></div><footer role="contentinfo">'
        '<p class="legal-copy"><small>Copyright © 2026 Quarry.</small></p></footer>'
    )
    return TestPage(
        name="javadoc",
        html=document("Queue (Quarry API)", body),
        has=(
            "Queue q = new Queue(8);\nq.start();\n```",
            "| Modifier | Method | Description |",
            "| `int` | `size()` | The number of jobs",
            "**Since:**",
            "[`Job`](https://example.org/docs/Job.html)",
        ),
        lacks=("Overview", "Copyright"),
    )


def mdbook() -> TestPage:
    code = (
        '<pre><pre class="playground"><code class="language-rust"><span class="boring">fn main() {\n</span>let q = Queue::new(8);\n<span class='
        '"boring">}</span></code></pre></pre>'
    )
    body = (
        '<nav id="sidebar" class="sidebar" aria-label="Table of contents"><ol class="chapter"><li class="chapter-item"><a href="intro.html">1. Foreword'
        '</a></li></ol></nav><div id="page-wrapper" class="page-wrapper"><div class="page"><div id="menu-bar" class="menu-bar"><h1 class="menu-title">'
        f'The Quarry Book</h1></div><div id="content" class="content"><main><h1 id="queues"><a class="header" href="#queues">Queues</a></h1>{paragraphs(0)}'
        f"{code}{paragraphs(1)}<blockquote><p>Nothing is as fast as a job that is not run.</p><footer>— <cite>An old saying</cite></footer></blockquote>"
        f'{paragraphs(2)}</main><nav class="nav-wrapper" aria-label="Page navigation"><a rel="next" href="b.html" class="mobile-nav-chapters">Next chapter</a></nav></div></div></div>'
    )
    return TestPage(
        name="mdbook",
        html=document("Queues - The Quarry Book", body),
        has=("```rust\nfn main() {\nlet q = Queue::new(8);\n}\n```", "> Nothing is as fast as a job that is not run.", "> — An old saying"),
        lacks=("Foreword", "Next chapter"),
    )


def man_page() -> TestPage:
    body = (
        '<div class="nav"><a href="/">Index of all manuals</a></div><div class="manual-text"><h1 class="Sh" id="NAME"><a class="permalink" href="#NAME">NAME</a></h1>'
        '<p class="Pp"><code class="Nm">quarry</code> — run jobs from a queue on all cores of a machine</p><h1 class="Sh">SYNOPSIS</h1><pre>quarry [-l limit]\n'
        f'       [-v] file ...</pre><h1 class="Sh">DESCRIPTION</h1>{paragraphs(0, 1)}<dl class="Bl-tag"><dt><b>-l</b> <i>limit</i></dt><dd>The largest number of jobs '
        "that run at the same time on this machine.</dd><dt><b>-v</b></dt><dd>Print the name of each job before it is started, for debugging.</dd></dl>"
        f'<h1 class="Sh">FILES</h1>{paragraphs(3)}</div><table class="foot"><tr><td>March 5, 2026</td><td>Quarry 2.0</td></tr></table>'
    )
    return TestPage(
        name="man-page",
        html=document("quarry(1) - Manual", body),
        has=("quarry [-l limit]\n       [-v] file ...\n```", "`quarry` — run jobs", "-l *limit*", "Print the name of each job"),
        lacks=("Index of all manuals",),
    )


PAGES = [
    make()
    for make in (
        sphinx, mkdocs_material, docusaurus, vitepress, jekyll_rouge, hugo_chroma, mdn, github_readme, readthedocs_tabs, javadoc, mdbook, man_page,
    )
]  # fmt: skip
