"""Eight sites of questions and answers, and forums."""

from __future__ import annotations

from tests.markdown.pages.common import CHINESE, ENGLISH, SITE_FOOTER, SITE_LACKS, SITE_NAV, TestPage, document


def stack_exchange() -> TestPage:
    def post(kind: str, name: str, text: str) -> str:
        return (
            f'<div class="{kind} js-{kind}" data-score="7"><div class="post-layout"><div class="votecell"><div class="js-voting-container"><button class="js-vote-up-btn" aria-label="Up vote"></button><div class="js-vote-count" itemprop="upvoteCount">7</div></div></div><div class="postcell">'
            f'<div class="s-prose js-post-body" itemprop="text">{text}</div><div class="mt24"><div class="js-post-menu"><a href="/q/1" class="js-share-link">Share</a><a href="/posts/1/edit">Improve this {kind}</a></div><div class="post-signature"><div class="user-info"><div class="user-action-time">asked <span title="2026-03-05">Mar 5</span></div><div class="user-details"><a href="/users/1">{name}</a><span class="reputation-score">1,204</span></div></div></div></div></div></div></div>'
        )

    question = post(
        "question",
        "Ada Byron",
        f'<p>{ENGLISH[0]}</p><p>The bound is <span class="math-container">$T \\le n^2$</span>, and I want</p><p><span class="math-container">$$T = \\sum_i t_i$$</span></p><pre class="lang-py s-code-block"><code class="hljs language-python"><span class="hljs-keyword">for</span> job <span class="hljs-keyword">in</span> jobs:\n    job.wait()\n</code></pre><p>{ENGLISH[2]}</p>',
    )
    answer = post(
        "answer",
        "Carl Gauss",
        f"<p>{ENGLISH[1]}</p><blockquote><p>A queue is a promise.</p></blockquote><p>So do it <em>the other way round</em>, with <code>a_b</code>:</p><pre><code>jobs.wait_all()\n</code></pre><p>{ENGLISH[3]}</p><ol><li>Start them.</li><li>Wait once.</li></ol>",
    )
    side = '<div id="sidebar"><div class="module sidebar-related"><h4>Related</h4><div class="linked"><a href="/q/2">How to stop a job that never ends?</a></div></div><div><h4>Hot Network Questions</h4><ul><li><a href="https://x.example">Why is the sky dark?</a></li></ul></div></div>'
    body = (
        f'{SITE_NAV}<div id="content"><div id="question-header"><h1 itemprop="name"><a href="/q/1">How to wait for all jobs of a queue?</a></h1></div><div><span>Asked</span> <time>today</time> <span>Viewed</span> 41 times</div><div id="mainbar">{question}<div id="answers"><h2>1 Answer</h2>{answer}</div>'
        f"<form><h2>Your Answer</h2><p>Thanks for contributing an answer!</p></form></div>{side}</div>{SITE_FOOTER}"
    )
    return TestPage(
        name="stack-exchange",
        html=document("python - How to wait for all jobs of a queue? - Stack", body),
        has=(
            "$T \\le n^2$",
            "$$T = \\sum_i t_i$$",
            "```python\nfor job in jobs:\n    job.wait()\n```",
            "```\njobs.wait_all()\n```",
            "> A queue is a promise.",
            "*the other way round*",
            "`a_b`",
            "1. Start them.\n2. Wait once.",
        ),
        lacks=("Hot Network Questions", "Improve this", "Why is the sky dark", "Thanks for contributing", *SITE_LACKS),
    )


def discourse() -> TestPage:
    def post(number: int, name: str, text: str) -> str:
        return (
            f'<div id="post_{number}" itemprop="comment" itemscope class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator" itemprop="author"><a rel="nofollow" href="/u/{name}"><span itemprop="name">{name}</span></a></span><span class="crawler-post-infos"><time datetime="2026-03-05T10:0{number}:00Z" class="post-time">March 5, 2026, 10:0{number}am</time></span></div>'
            f'<div class="post" itemprop="text">{text}</div><div><span class="post-likes">{number} Likes</span></div></div>'
        )

    quote = '<aside class="quote no-group" data-username="ada"><div class="title"><div class="quote-controls"></div><img class="avatar" src="/a.png" alt=""> ada:</div><blockquote><p>Is there a limit for each user?</p></blockquote></aside>'
    body = (
        '<header><a href="/">Quarry community</a></header><div id="main-outlet"><div id="topic-title"><h1><a href="/t/1">Limits for each user</a></h1></div>'
        + post(1, "ada", f"<p>Is there a limit for each user? {ENGLISH[2]}</p><ul><li>per user</li><li>per team</li></ul>")
        + post(
            2,
            "carl",
            f'{quote}<p>Yes. {ENGLISH[3]}</p><pre data-code-wrap="yaml"><code class="lang-yaml">users:\n  limit: 3\n</code></pre><p>{ENGLISH[1]}</p>',
        )
        + '<div id="related-topics"><h3>Related topics</h3><table><tbody><tr><td><a href="/t/2">Why are my jobs slow on Monday?</a></td><td>4</td></tr></tbody></table></div></div><footer><p>Powered by Discourse</p></footer>'
    )
    return TestPage(
        name="discourse",
        html=document("Limits for each user - Quarry community", body),
        has=("- per user\n- per team", "> Is there a limit for each user?", "```yaml\nusers:\n  limit: 3\n```", ENGLISH[3]),
        lacks=("Powered by", "Why are my jobs slow", "Related topics"),
    )


def reddit_old() -> TestPage:
    def comment(name: str, text: str) -> str:
        return (
            f'<div class="thing comment"><div class="midcol"><div class="arrow up"></div></div><div class="entry"><p class="tagline"><a href="/u/{name}" class="author">{name}</a> <span class="score">41 points</span> <time>2 hours ago</time></p><form class="usertext"><div class="usertext-body"><div class="md">{text}</div></div></form>'
            '<ul class="flat-list buttons"><li><a href="/p">permalink</a></li><li><a href="/r">report</a></li></ul></div></div>'
        )

    body = (
        f'<div id="header"><a href="/r/all">all</a><a href="/login">Want to join? Log in</a></div><div class="side"><div class="titlebox"><h1><a href="/r/queues">queues</a></h1><p>1,204 readers</p></div></div><div class="content"><div class="thing link"><div class="entry"><p class="title"><a class="title" href="/r/queues/1">What did you learn from your first queue?</a></p>'
        f'<div class="expando"><div class="md"><p>{ENGLISH[0]}</p><p>{ENGLISH[2]} It took 10<sup>6</sup> jobs to see it.</p></div></div></div></div><div class="commentarea">'
        + comment("ada", f"<p>{ENGLISH[1]}</p><p>See <a href='https://e.org/a_(b)'>this page</a>.</p>")
        + comment("carl", f"<p>{ENGLISH[3]}</p><pre><code>limit = 8\n</code></pre>")
        + "</div></div><div class='footer-parent'><p>© 2026 reddit inc. All rights reserved.</p></div>"
    )
    return TestPage(
        name="reddit",
        html=document("What did you learn from your first queue? : queues", body),
        has=("10<sup>6</sup> jobs", "[this page](https://e.org/a_(b))", "```\nlimit = 8\n```", ENGLISH[1]),
        lacks=("permalink", "Log in", "All rights reserved"),
    )


def zhihu() -> TestPage:
    body = (
        '<header class="AppHeader"><a href="/">首页</a><button>登录/注册</button></header><main class="App-main"><div class="QuestionHeader"><h1 class="QuestionHeader-title">如何理解利特尔法则？</h1></div><div class="QuestionAnswer-content"><div class="AnswerItem"><div class="AuthorInfo"><a href="/people/ada">青山</a><div>排队论爱好者</div></div><div class="RichContent-inner">'
        f'<span class="RichText ztext"><p>{CHINESE[0]}</p><p>公式是 <span class="ztext-math" data-eeimg="1" data-tex="L=\\lambda W"><span></span><span><span class="MathJax_SVG"><svg></svg></span></span></span> ，其中</p><p><img src="https://www.zhihu.com/equation?tex=W%3D%5Cfrac%7B1%7D%7B%5Cmu-%5Clambda%7D" alt="W=\\frac{{1}}{{\\mu-\\lambda}}" eeimg="2"></p>'
        f'<div class="highlight"><pre><code class="language-python"><span></span><span class="n">W</span> <span class="o">=</span> <span class="n">L</span> <span class="o">/</span> <span class="n">rate</span>\n</code></pre></div><p>{CHINESE[1]}</p><figure data-size="normal"><noscript><img src="https://pic1.zhimg.com/v2-a_b.jpg" data-original="https://pic1.zhimg.com/v2-a_r.jpg"/></noscript><img src="data:image/svg+xml;utf8,&lt;svg&gt;&lt;/svg&gt;" data-actualsrc="https://pic1.zhimg.com/v2-a_b.jpg" class="lazy"/><figcaption>两个队列</figcaption></figure><p>{CHINESE[5]}</p></span></div>'
        '<div class="ContentItem-actions"><button>赞同 41</button><button>4 条评论</button><button>收藏</button></div></div></div><aside class="Question-sideColumn"><div class="Card"><a href="/q/2">相关问题：排队为什么总是选错队？</a></div></aside></main>'
    )
    return TestPage(
        name="zhihu",
        html=document("如何理解利特尔法则？ - 知乎", body, language="zh"),
        has=(
            "公式是 $L=\\lambda W$ ，其中",
            "W=\\frac{1}{\\mu-\\lambda}",
            "```python\nW = L / rate\n```",
            "zhimg.com/v2-a_",
            "*两个队列*",
            CHINESE[5],
        ),
        lacks=("登录", "赞同", "排队为什么总是选错队", "equation?tex", "svg"),
    )


def quora_like() -> TestPage:
    body = (
        f'{SITE_NAV}<main><div class="q-text question"><h1>Why do queues at two counters never move at the same speed?</h1></div><div class="answer"><div class="author"><a href="/p/ada">Ada Byron</a><span>Queueing theorist</span></div><div class="answer-text"><p>{ENGLISH[2]}</p><p><b>Short answer: </b>you see only one of them.</p><p>{ENGLISH[0]}</p>'
        f'<ul><li><p>The first counter has slow customers.</p></li><li><p>The second one has many:</p><ul><li>families</li><li>groups</li></ul></li></ul><p>{ENGLISH[1]}</p></div><div class="actions"><button>Upvote · 41</button><button>Share</button></div></div></main><aside><h2>Related questions</h2><ul><li><a href="/q2">What is the shortest queue in the world?</a></li></ul></aside>{SITE_FOOTER}'
    )
    return TestPage(
        name="quora-like",
        html=document("Why do queues at two counters never move at the same speed? - Answers", body),
        has=("**Short answer:** you see", "families", "groups", "- The second one has many:"),
        lacks=("Upvote", "shortest queue in the world", *SITE_LACKS),
    )


def phpbb() -> TestPage:
    def post(number: int, name: str, text: str) -> str:
        return f'<div id="p{number}" class="post has-profile"><div class="inner"><dl class="postprofile"><dt><a href="./u{number}" class="username">{name}</a></dt><dd class="profile-posts"><strong>Posts:</strong> 1204</dd></dl><div class="postbody"><h3><a href="#p{number}">Re: Slow ferry</a></h3><p class="author">by <strong>{name}</strong> » Thu Mar 05, 2026 10:0{number} am</p><div class="content">{text}</div></div></div></div>'

    code = '<div class="codebox"><p>Code: <a href="#" onclick="selectCode(this); return false;">Select all</a></p><pre><code>speed = 12\n  knots = 6</code></pre></div>'
    quote = '<blockquote class="uncited" cite="./p1"><div><cite>Ada wrote: <a href="./p1">↑</a></cite>Has anybody taken the new ferry to the island?</div></blockquote>'
    body = (
        '<div id="page-header"><a href="./index">Board index</a><a href="./faq">FAQ</a></div><div id="page-body"><h2 class="topic-title"><a href="./t1">Slow ferry</a></h2>'
        + post(1, "Ada", f"Has anybody taken the new ferry to the island?<br><br>{ENGLISH[4]}")
        + post(2, "Carl", f"{quote}Yes, twice. {ENGLISH[5]}<br>{code}{ENGLISH[6]}")
        + '<div class="action-bar"><a href="./reply">Post Reply</a></div></div><div id="page-footer"><div class="copyright">Powered by phpBB® Forum Software</div></div>'
    )
    return TestPage(
        name="phpbb",
        html=document("Slow ferry - Harbour board", body),
        has=("```\nspeed = 12\n  knots = 6\n```", "> ", "Has anybody taken the new ferry", ENGLISH[5]),
        lacks=("Powered by", "Board index", "Post Reply"),
    )


def hacker_news() -> TestPage:
    def comment(name: str, text: str) -> str:
        return f'<tr class="athing comtr"><td><table border="0"><tr><td class="ind" indent="0"><img src="s.gif" height="1" width="0"></td><td valign="top" class="votelinks"><a href="vote"><div class="votearrow" title="upvote"></div></a></td><td class="default"><div><span class="comhead"><a href="user?id={name}" class="hnuser">{name}</a> <span class="age"><a href="item">2 hours ago</a></span></span></div><div class="comment"><div class="commtext c00">{text}</div><div class="reply"><p><font size="1"><u><a href="reply">reply</a></u></font></p></div></div></td></tr></table></td></tr>'

    body = (
        '<center><table id="hnmain" border="0" width="85%"><tr><td bgcolor="#ff6600"><table border="0" width="100%"><tr><td><span class="pagetop"><b><a href="news">Queue News</a></b> <a href="newest">new</a> | <a href="submit">submit</a></span></td><td><a href="login">login</a></td></tr></table></td></tr><tr><td><table class="fatitem" border="0"><tr class="athing"><td class="title"><span class="titleline"><a href="https://e.org/q">Show QN: A queue that never waits</a></span></td></tr><tr><td class="subtext"><span class="score">41 points</span></td></tr></table><br><table border="0" class="comment-tree">'
        + comment("ada", f"{ENGLISH[0]}<p>{ENGLISH[2]}</p>")
        + comment("carl", f"{ENGLISH[1]}<p><pre><code>  limit = 8\n</code></pre></p><p><i>{ENGLISH[3]}</i></p>")
        + '</table></td></tr><tr><td><span class="yclinks"><a href="guidelines">Guidelines</a> | <a href="legal">Legal</a></span></td></tr></table></center>'
    )
    return TestPage(
        name="hacker-news",
        html=document("Show QN: A queue that never waits | Queue News", body),
        has=(ENGLISH[0], ENGLISH[1], "limit = 8", f"*{ENGLISH[3]}*"),
        lacks=("| --- |", "<table", "Guidelines", "login"),
    )


def csdn_answer() -> TestPage:
    body = (
        '<div class="toolbar"><a href="/">博客</a><a href="/login">登录</a></div><div class="blog-content-box"><div class="article-header-box"><h1 class="title-article" id="articleContentId">任务队列的三种写法</h1><div class="article-info-box"><span class="time">于 2026-03-05 14:22:08 发布</span><span class="read-count">阅读量1.2k</span></div></div><article class="baidu_pl"><div id="article_content" class="article_content"><div id="content_views" class="markdown_views">'
        f'<p>{CHINESE[0]}</p><h3><a name="t0"></a>第一种</h3><pre data-index="0" class="set-code-show prettyprint"><code class="prism language-python has-numbering"><span class="token keyword">def</span> <span class="token function">run</span><span class="token punctuation">(</span>q<span class="token punctuation">)</span>:\n    q<span class="token punctuation">.</span>get<span class="token punctuation">()</span>\n<div class="hljs-button" data-title="复制"></div></code><ul class="pre-numbering"><li style="color: rgb(153, 153, 153);">1</li><li>2</li></ul></pre>'
        f'<p>{CHINESE[1]}</p><p>时间是 <span class="katex--inline"><span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>O</mi><mo>(</mo><mi>n</mi><mo>)</mo></mrow><annotation encoding="application/x-tex">O(n)</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base">O(n)</span></span></span></span>。</p><p>{CHINESE[5]}</p></div></div></article><div class="more-toolbox"><a class="btn-like">点赞</a><a>收藏</a></div></div><div class="recommend-box"><a href="/2">堆和栈的区别，看这一篇就够了</a></div>'
    )
    return TestPage(
        name="csdn",
        html=document("任务队列的三种写法_CSDN博客", body, language="zh"),
        has=("```python\ndef run(q):\n    q.get()\n```", "### 第一种", "时间是 $O(n)$。", CHINESE[5]),
        lacks=("复制", "\n1\n2", "1\n2", "点赞", "看这一篇就够了", "O(n)O(n)"),
    )


PAGES = [make() for make in (stack_exchange, discourse, reddit_old, zhihu, quora_like, phpbb, hacker_news, csdn_answer)]
