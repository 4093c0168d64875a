"""Eight wikis and encyclopedias."""

from __future__ import annotations

from tests.markdown.pages.common import CHINESE, ENGLISH, TestPage, chinese, document, paragraphs


def mediawiki(body: str, title: str, language: str = "en") -> str:
    """A page in the manner of MediaWiki's Vector skin."""
    return document(
        f"{title} - Wiki",
        '<div class="vector-header-container"><a href="/wiki/Main_Page">Main page</a><a href="/w/index.php?title=Special:UserLogin">Log in</a>'
        '</div><div class="mw-page-container"><nav class="vector-toc" id="mw-panel-toc"><h2 class="vector-pinnable-header-label">Contents</h2><ul><li class="vector-toc-list-item"><a '
        f'href="#History"><span>1 History</span></a></li></ul></nav><main id="content" class="mw-body"><header class="mw-body-header"><h1 id="firstHeading" class="firstHeading"><span '
        f'class="mw-page-title-main">{title}</span></h1></header><div id="bodyContent" class="vector-body"><div id="siteSub" class="noprint">From Wiki, the free encyclopedia</div>'
        f'<div id="mw-content-text" class="mw-body-content"><div class="mw-content-ltr mw-parser-output" lang="{language}">{body}</div></div><div id="catlinks" class="catlinks"><a '
        'href="/wiki/Help:Category">Categories</a>: <ul><li><a href="/wiki/Category:Valleys">Valleys of the coast</a></li></ul></div></div></main></div>'
        '<footer id="footer" class="mw-footer"><ul><li id="footer-info-lastmod"> This page was last edited on 5 March 2026.</li></ul></footer>',
        language=language,
    )


def edit_link(name: str) -> str:
    return f'<span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="/w/index.php?action=edit&amp;section={name}">edit</a><span class="mw-editsection-bracket">]</span></span>'


def cite(number: int) -> str:
    return f'<sup id="cite_ref-{number}" class="reference"><a href="#cite_note-{number}"><span class="cite-bracket">[</span>{number}<span class="cite-bracket">]</span></a></sup>'


REFERENCES = (
    '<div class="mw-references-wrap"><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1" aria-label="Jump up">^</a></b></span> '
    '<span class="reference-text"><cite class="citation book">Byron, Ada (1999). <i>Valleys of the coast</i>. Harbour Press.</cite></span></li><li id="cite_note-2"><span class='
    '"mw-cite-backlink">^ <a href="#cite_ref-2a"><sup><i><b>a</b></i></sup></a> <a href="#cite_ref-2b"><sup><i><b>b</b></i></sup></a></span> <span class="reference-text">Gauss, Carl (2004). '
    "A survey of the terraces above the road.</span></li></ol></div>"
)
MATH = (
    '<span class="mwe-math-element mwe-math-element-inline"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML" '
    'alttext="{\\displaystyle E=mc^{2}}"><semantics><mrow><mstyle displaystyle="true" scriptlevel="0"><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mrow><mn>2</mn></mrow></msup></mstyle></mrow>'
    '<annotation encoding="application/x-tex">{\\displaystyle E=mc^{2}}</annotation></semantics></math></span><img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/9f73" class='
    '"mwe-math-fallback-image-inline mw-invert" aria-hidden="true" alt="{\\displaystyle E=mc^{2}}"></span>'
)


def wikipedia() -> TestPage:
    infobox = (
        '<table class="infobox"><tbody><tr><th colspan="2" class="infobox-above">Green Valley</th></tr><tr><th scope="row" class="infobox-label">Area</th><td class="infobox-data">41 km<sup>2</sup>'
        '</td></tr><tr><th scope="row" class="infobox-label">Highest point</th><td class="infobox-data">1,204 m</td></tr></tbody></table>'
    )
    table = (
        '<table class="wikitable sortable"><caption>Population by farm</caption><tbody><tr><th>Farm</th><th>1900</th><th>1930</th></tr><tr><td>Upper</td><td>41</td><td rowspan="2">9</td></tr><tr><td>'
        "Lower</td><td>37</td></tr></tbody></table>"
    )
    thumb = (
        '<figure class="mw-default-size" typeof="mw:File/Thumb"><a href="/wiki/File:Valley.jpg" class="mw-file-description"><img src="//upload.example.org/thumb/Valley.jpg/250px-Valley.jpg" srcset='
        '"//upload.example.org/thumb/Valley.jpg/375px-Valley.jpg 1.5x, //upload.example.org/thumb/Valley.jpg/500px-Valley.jpg 2x" alt="The valley in June"></a><figcaption>The terraces in June</figcaption></figure>'
    )
    body = (
        f'{infobox}<p><b>Green Valley</b> is a valley above the coast road.{cite(1)} {ENGLISH[9]}</p><div class="mw-heading mw-heading2"><h2 id="History">History</h2>{edit_link("1")}</div>{thumb}<p>{ENGLISH[4]}{cite(2)}</p>'
        f'{table}{paragraphs(6)}<div class="mw-heading mw-heading2"><h2 id="Energy">Energy</h2>{edit_link("2")}</div><p>The power of the stream follows from {MATH} and the height of the fall, which is 41 metres.</p>{paragraphs(5)}'
        f'<div class="mw-heading mw-heading2"><h2 id="References">References</h2>{edit_link("3")}</div>{REFERENCES}<div role="navigation" class="navbox"><table><tbody><tr><th>Valleys</th><td><a href="/wiki/A">Red Valley</a> · <a href="/wiki/B">Blue Valley</a></td></tr></tbody></table></div>'
    )
    return TestPage(
        name="wikipedia",
        html=mediawiki(body, "Green Valley"),
        has=(
            "coast road.[1]",
            "$E=mc^{2}$",
            "| Farm | 1900 | 1930 |",
            "| Upper | 41 | 9 |",
            "| Lower | 37 | 9 |",
            "Population by farm",
            "500px-Valley.jpg",
            "The terraces in June",
            "1. Byron, Ada (1999). *Valleys of the coast*. Harbour Press.",
            "2. Gauss, Carl (2004).",
            "## History\n",
        ),
        lacks=("edit", "Contents", "Log in", "displaystyle", "render/svg", "Valleys of the coast)", "[^", "Jump up"),
    )


def wikipedia_chinese() -> TestPage:
    body = (
        f'<p><b>青谷</b>是海岸公路上方的一个山谷，面积41平方公里{cite(1)}。{CHINESE[2]}</p><div class="mw-heading mw-heading2"><h2 id="歷史"><span id=".E6"></span>历史</h2><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a href="/w/index.php?action=edit">编辑</a>'
        f'<span class="mw-editsection-bracket">]</span></span></div>{chinese(3, 4)}<ul><li><a href="/wiki/上村">上村</a>：41人</li><li>下村：37人<ul><li>其中<b>儿童，</b>9人</li></ul></li></ul><p>{CHINESE[5]}</p>'
        '<div class="mw-heading mw-heading2"><h2 id="参考">参考文献</h2></div><div class="reflist"><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span class="reference-text">'
        "青谷县志编纂委员会. 青谷县志. 海岸出版社. 1999年.</span></li></ol></div>"
    )
    return TestPage(
        name="wikipedia-chinese",
        html=mediawiki(body, "青谷", "zh"),
        has=(
            "**青谷**是海岸公路",
            "[1]",
            "## 历史\n",
            "- [上村](https://example.org/wiki/%E4%B8%8A%E6%9D%91)：41人",
            "- 下村：37人\n  - 其中**儿童**，9人",
            "青谷县志. 海岸出版社",
        ),
        lacks=("编辑]", "[编辑", "^", "Log in"),
    )


def fandom() -> TestPage:
    body = (
        '<div class="fandom-community-header"><a href="/f">Discuss</a></div><div class="page__main"><div class="page-header"><h1 class="page-header__title" id="firstHeading">Amber Drill</h1><div class="page-header__actions"><a class="wds-button" href="?action=edit">Edit</a></div></div>'
        '<div id="content" class="page-content"><div class="mw-parser-output"><aside role="region" class="portable-infobox"><h2 class="pi-item pi-title">Amber Drill</h2><div class="pi-item pi-data"><h3 class="pi-data-label">Damage</h3><div class="pi-data-value">41</div></div></aside>'
        f'<p>The <b>Amber Drill</b> is a tool of the third age. {ENGLISH[6]}</p><h2><span class="mw-headline" id="Use">Use</span>{edit_link("1")}</h2>{paragraphs(2)}<dl><dt>First strike</dt><dd>Breaks a wall of stone in one blow, whatever its size is.</dd></dl>'
        '<div class="video-thumbnail"><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0" title="Drill gameplay" allowfullscreen></iframe></div>'
        f'{paragraphs(1)}<div class="mw-collapsible"><table class="article-table"><tbody><tr><th>Level</th><th>Cost</th></tr><tr><td>1</td><td>100</td></tr><tr><td>2</td><td>250</td></tr></tbody></table></div>{paragraphs(3)}</div></div></div>'
        '<footer class="global-footer"><h3>Explore properties</h3><a href="https://f.example">Fan Feed</a></footer>'
    )
    return TestPage(
        name="fandom",
        html=document("Amber Drill | Quarry Wiki", body),
        has=(
            "**Amber Drill** is a tool",
            "## Use\n",
            "**First strike**",
            "[Drill gameplay](https://www.youtube.com/watch?v=dQw4w9WgXcQ)",
            "| Level | Cost |",
            "| 2 | 250 |",
        ),
        lacks=("Edit", "Explore properties", "Fan Feed"),
        videos=("https://www.youtube.com/watch?v=dQw4w9WgXcQ",),
    )


def baike() -> TestPage:
    body = (
        '<div class="header-wrapper"><a href="/login">登录</a><a href="/">百科首页</a></div><div class="body-wrapper"><div class="main-content"><h1 class="lemmaTitle">青谷</h1><div class="lemma-summary">'
        f'<div class="para">青谷位于海岸公路上方，是<a href="/item/大山">大山</a>中的一个山谷。<sup class="sup--normal" data-sup="1">[1]</sup> {CHINESE[2]}</div></div><dl class="basic-info"><dt>面积</dt><dd>41 km²</dd><dt>最高点</dt><dd>1204米</dd></dl>'
        f'<h2 class="title-text">历史沿革</h2><div class="para">{CHINESE[3]}</div><div class="para">{CHINESE[4]}</div><h2 class="title-text">水力</h2><div class="para">水流功率与高度的关系为<img class="latex" src="/latex?q=1" alt="P=\\rho g h Q">，'
        f'其中高度为41米。</div><div class="para">{CHINESE[5]}</div></div><div class="side-content"><p>词条统计：浏览次数1204次</p></div></div>'
    )
    return TestPage(
        name="baike",
        html=document("青谷_百科", body, language="zh"),
        has=("# 青谷", "[1]", "## 历史沿革", "$P=\\rho g h Q$", "**面积**", "1204米", CHINESE[3]),
        lacks=("登录", "浏览次数", "latex?q"),
    )


def dokuwiki() -> TestPage:
    body = (
        '<div id="dokuwiki__site"><div id="dokuwiki__header"><ul><li><a href="/start?do=login">Log In</a></li></ul></div><div class="page group"><div id="dw__toc" class="dw__toc"><h3>Table of Contents</h3><ul><li><a href="#install">Install</a></li></ul></div>'
        f'<h1 class="sectionedit1" id="queue">Queue</h1><div class="level1"><p>{ENGLISH[0]}<sup><a href="#fn__1" id="fnt__1" class="fn_top">1)</a></sup></p><pre class="code bash">quarry <span class="re5">--limit</span> <span class="nu0">8</span>\n</pre></div>'
        '<div class="secedit editbutton_section"><form><button type="submit">Edit</button></form></div>'
        f'<h2 id="install">Install</h2><div class="level2">{paragraphs(1, 3)}<table class="inline"><tr class="row0"><th class="col0"> System </th><td class="col1"> Command </td></tr><tr class="row1"><th> Linux </th><td> <code>apt install</code> </td></tr></table>{paragraphs(2)}</div>'
        '<div class="footnotes"><div class="fn"><sup><a href="#fnt__1" id="fn__1" class="fn_bot">1)</a></sup> <div class="content">Since version 2 of the service.</div></div></div></div><div class="docInfo">Last modified: 2026/03/05 by ada</div></div>'
    )
    return TestPage(
        name="dokuwiki",
        html=document("queue [Quarry wiki]", body),
        has=("```bash\nquarry --limit 8\n```", "[^1]", "[^1]: Since version 2", "| Linux | `apt install` |"),
        lacks=("Log In", "Table of Contents", "1)", "Last modified"),
    )


def confluence() -> TestPage:
    body = (
        '<div id="header"><a href="/login.action">Log in</a></div><div id="main"><div id="main-header"><ol id="breadcrumbs"><li><a href="/pages">Pages</a></li></ol><h1 id="title-text"><a href="/x">Deploying the queue</a></h1></div><div id="content" class="view">'
        f'<div class="wiki-content"><p>{ENGLISH[3]}</p><div class="code panel pdl" style="border-width: 1px;"><div class="codeHeader panelHeader pdl"><b>deploy.sh</b></div><div class="codeContent panelContent pdl"><pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: bash; gutter: false" data-theme="Confluence">set -e\nquarry deploy --all</pre></div></div>'
        f'{paragraphs(1)}<div class="confluence-information-macro confluence-information-macro-warning"><p class="title">Careful</p><div class="confluence-information-macro-body"><p>Never deploy while the queue is not empty, or jobs are lost.</p></div></div>'
        f'<div class="table-wrap"><table class="confluenceTable"><tbody><tr><th class="confluenceTh"><p>Stage</p></th><th class="confluenceTh"><p>Owner</p></th></tr><tr><td class="confluenceTd"><p>Test</p></td><td class="confluenceTd"><ul><li>Ada</li><li>Carl</li></ul></td></tr></tbody></table></div>{paragraphs(2)}</div></div></div>'
        '<div id="footer"><p>Powered by Atlassian Confluence 8.5</p></div>'
    )
    return TestPage(
        name="confluence",
        html=document("Deploying the queue - Confluence", body),
        has=("set -e\nquarry deploy --all\n```", "deploy.sh", "Never deploy while", "| Stage | Owner |", "| Test | • Ada<br>• Carl |"),
        lacks=("Powered by", "Log in"),
    )


def notion() -> TestPage:
    body = (
        '<article class="page sans"><header><h1 class="page-title">Notes on queues</h1></header><div class="page-body">'
        f'<p>{ENGLISH[0]}</p><ul class="toggle"><li><details open=""><summary>Why not a stack?</summary><p>A stack would leave the oldest jobs waiting for ever, which is worse.</p></details></li></ul><figure class="equation"><div class="equation-container"><span class="katex-display"><span class="katex"><span class="katex-mathml">'
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><semantics><mrow><mi>L</mi><mo>=</mo><mi>λ</mi><mi>W</mi></mrow><annotation encoding="application/x-tex">L = \\lambda W</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="mord mathnormal">L</span><span class="mrel">=</span>'
        f'<span class="mord mathnormal">λW</span></span></span></span></span></div></figure>{paragraphs(1)}<pre class="code"><code class="language-SQL">SELECT *\n  FROM jobs;</code></pre>{paragraphs(2)}<figure class="callout"><div><span class="icon">💡</span></div><div style="width:100%">Measure before you change a limit, and write down what you measured.</div></figure></div></article>'
    )
    return TestPage(
        name="notion",
        html=document("Notes on queues", body),
        has=(
            "Why not a stack?",
            "A stack would leave",
            "$$L = \\lambda W$$",
            "```sql\nSELECT *\n  FROM jobs;\n```",
            "Measure before you change",
        ),
        lacks=("λW", "L=λ"),
    )


def tiddly_gitbook() -> TestPage:
    body = (
        '<div class="flex"><header><a href="/">Quarry</a><button>Ask AI</button></header><aside class="toc"><ul><li><a href="/intro">Introduction</a></li><li><a href="/plugins">Plugins</a></li></ul></aside><main><header><h1>Priorities</h1><p>How jobs overtake each other</p></header>'
        f'<p>{ENGLISH[2]}</p><div class="group/codeblock"><div class="codeblock-header"><span>queue.json</span></div><button class="copy-button">Copy</button><pre><code class="language-json"><span class="highlight-line"><span>{{</span></span>\n<span class="highlight-line"><span>  "limit": 8</span></span>\n<span class="highlight-line"><span>}}</span></span></code></pre></div>'
        f'{paragraphs(1)}<ol><li><p>Give each job a number.</p></li><li><p>Start the largest first:</p><pre><code class="language-bash">quarry next</code></pre></li><li><p>Repeat until nothing is left.</p></li></ol>{paragraphs(3)}'
        "<blockquote><p>Priorities are promises.</p></blockquote></main><footer><p>Last updated 2 days ago</p><p>Was this helpful?</p></footer></div>"
    )
    return TestPage(
        name="gitbook",
        html=document("Priorities | Quarry", body),
        has=(
            '```json\n{\n  "limit": 8\n}\n```',
            "1. Give each job a number.",
            "2. Start the largest first:\n\n   ```bash\n   quarry next\n   ```",
            "3. Repeat until",
            "> Priorities are promises.",
        ),
        lacks=("Copy", "Ask AI", "Was this helpful", "Plugins"),
    )


PAGES = [make() for make in (wikipedia, wikipedia_chinese, fandom, baike, dokuwiki, confluence, notion, tiddly_gitbook)]
