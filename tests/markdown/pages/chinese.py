"""Eight Chinese designs: portals, blogs, accounts of messengers, government, documentation."""

from __future__ import annotations

from tests.markdown.pages.common import CHINESE, TestPage, chinese, document


def portal() -> TestPage:
    body = (
        '<div class="top_nav"><a href="/">首页</a><a href="/sports">体育</a><a href="/user/login">登录</a></div><div class="main-content"><h1 class="main-title">老城人行桥明年开工</h1><div class="top-bar"><span class="date">2026年03月05日 14:22</span> <span class="source">海岸通讯社</span></div>'
        f'<div class="article" id="artibody"><p>　　{CHINESE[3]}</p><div class="img_wrapper"><img src="//n.sinaimg.cn/default/bridge.jpg" alt="桥的效果图"><span class="img_descr">桥的效果图。市政厅供图</span></div><p>　　<strong>造价多少？</strong></p><p>　　{CHINESE[2]}</p><iframe src="//player.bilibili.com/player.html?bvid=BV1xx411c7mD&page=1" allowfullscreen="true"></iframe><p>　　{CHINESE[4]}</p><p class="show_author">责任编辑：梁青 </p></div>'
        '</div><div class="right"><div class="hot"><h3>热点新闻</h3><ul><li><a href="/2">渔船全部回港避风</a></li></ul></div></div><div class="footer"><p>版权所有 海岸网</p><p>关于我们 | 广告服务</p></div>'
    )
    return TestPage(
        name="zh-portal",
        html=document("老城人行桥明年开工_海岸网", body, language="zh-CN"),
        has=("# 老城人行桥明年开工", "**造价多少？**", "https://www.bilibili.com/video/BV1xx411c7mD", "bridge.jpg", CHINESE[4]),
        lacks=("登录", "渔船全部回港", "版权所有"),
        videos=("https://www.bilibili.com/video/BV1xx411c7mD",),
    )


def messenger_account() -> TestPage:
    body = (
        '<div id="js_article" class="rich_media"><div class="rich_media_inner"><h1 class="rich_media_title" id="activity-name">工具图书馆开张了</h1><div id="meta_content" class="rich_media_meta_list"><span class="rich_media_meta rich_media_meta_nickname"><a id="js_name">老城故事</a></span> <em id="publish_time" class="rich_media_meta">2026年3月5日 14:22</em></div>'
        f'<div class="rich_media_content" id="js_content"><section><section><p><span style="font-size: 15px;">{CHINESE[4]}</span></p></section></section><section><p style="text-align: center;"><img class="rich_pages wxw-img" data-ratio="0.66" data-src="https://mmbiz.qpic.cn/mmbiz_jpg/tools/640?wx_fmt=jpeg" data-w="1080" src="data:image/gif;base64,iVBOR"></p></section><section><p><strong><span>01</span></strong></p><p><strong>借什么</strong></p>'
        f'<p><span>{CHINESE[2]}</span></p></section><section><iframe class="video_iframe rich_pages" data-vidtype="1" data-src="https://v.qq.com/iframe/preview.html?width=500&amp;height=375&amp;auto=0&amp;vid=k0912abcdef"></iframe></section><section><ul class="list-paddingleft-1"><li><p>电钻</p></li><li><p>梯子</p></li></ul><p>{CHINESE[3]}</p></section></div></div><div class="rich_media_tool"><span>阅读 1204</span><span>在看</span></div></div>'
    )
    return TestPage(
        name="zh-messenger-account",
        html=document("工具图书馆开张了", body, language="zh"),
        has=(
            "# 工具图书馆开张了",
            "https://mmbiz.qpic.cn/mmbiz_jpg/tools/640?wx_fmt=jpeg",
            "**借什么**",
            "(https://v.qq.com/x/page/k0912abcdef.html)",
            "- 电钻\n",
            "- 梯子\n",
        ),
        lacks=("data:image", "在看"),
        videos=("https://v.qq.com/x/page/k0912abcdef.html",),
    )


def cnblogs() -> TestPage:
    code = '<div class="cnblogs_code"><div class="cnblogs_code_toolbar"><span class="cnblogs_code_copy"><a href="javascript:void(0);" title="复制代码"><img src="//common.cnblogs.com/images/copycode.gif" alt="复制代码"></a></span></div><pre><span style="color: #008080;">1</span> <span style="color: #0000ff;">int</span> limit = 8;\n</pre></div>'.replace(
        '<span style="color: #008080;">1</span> ', ""
    )
    body = (
        '<div id="header"><a href="/">博客园</a><a href="/ada/rss">订阅</a></div><div id="mainContent"><div class="post"><h1 class="postTitle"><a id="cb_post_title_url" href="/p/1.html"><span>任务队列笔记</span></a></h1><div class="postBody"><div id="cnblogs_post_body" class="blogpost-body">'
        f'<p>{CHINESE[0]}</p>{code}<h2>一、默认值</h2><p>{CHINESE[1]}</p><table border="1"><tbody><tr><th>选项</th><th>默认值</th></tr><tr><td>limit</td><td>8</td></tr></tbody></table><p>{CHINESE[5]}</p></div><div id="blog_post_info_block"><div id="EntryTag">标签: <a href="/t">队列</a></div></div></div><div class="postDesc">posted @ <span id="post-date">2026-03-05 14:22</span> <a href="/ada">青山</a> 阅读(41) 评论(0)</div></div></div><div id="sideBar"><h3>随笔分类</h3><a href="/c/1">杂谈(3)</a></div>'
    )
    return TestPage(
        name="zh-cnblogs",
        html=document("任务队列笔记 - 青山 - 博客园", body, language="zh-cn"),
        has=("```\nint limit = 8;\n```", "## 一、默认值", "| 选项 | 默认值 |", "| limit | 8 |"),
        lacks=("复制代码", "订阅", "随笔分类", "阅读(41)"),
    )


def hexo() -> TestPage:
    code = '<figure class="highlight python"><table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span><br></pre></td><td class="code"><pre><span class="line"><span class="keyword">for</span> job <span class="keyword">in</span> jobs:</span><br><span class="line">    job.run()</span><br></pre></td></tr></table></figure>'
    body = (
        '<header id="header"><a href="/">青山的博客</a><ul class="menu"><li><a href="/archives">归档</a></li></ul></header><main><article class="post-block"><header class="post-header"><h1 class="post-title">任务的顺序</h1><div class="post-meta">发表于 <time datetime="2026-03-05T14:22:00+08:00">2026-03-05</time></div></header>'
        f'<div class="post-body"><p>{CHINESE[0]}</p>{code}<h2 id="脚注"><a href="#脚注" class="headerlink" title="脚注"></a>结果的顺序</h2><p>{CHINESE[1]}<sup id="fnref:1"><a href="#fn:1" rel="footnote"><span class="hint--top" aria-label="见手册">[1]</span></a></sup></p><p>{CHINESE[5]}</p><div id="footnotes"><hr><div id="footnotelist"><ol style="list-style: none; padding-left: 0;"><li id="fn:1"><span style="display: inline-block;">1.</span><span>见使用手册第三章的表格。<a href="#fnref:1" rev="footnote"> ↩</a></span></li></ol></div></div></div>'
        '<footer class="post-footer"><div class="post-tags"><a href="/tags/q"># 队列</a></div><div class="post-nav"><a href="/next">下一篇：栈的故事</a></div></footer></article></main><footer class="footer">由 Hexo 强力驱动</footer>'
    )
    return TestPage(
        name="zh-hexo",
        html=document("任务的顺序 | 青山的博客", body, language="zh-CN"),
        has=("```python\nfor job in jobs:\n    job.run()\n```", "## 结果的顺序", "[^1]", "[^1]: 见使用手册第三章的表格。"),
        lacks=("\n1\n2", "1\n2", "栈的故事", "强力驱动", "↩"),
    )


def government() -> TestPage:
    body = (
        '<div class="header"><a href="/">首页</a>&gt;<a href="/zwgk">政务公开</a></div><div class="content"><h1>关于人行桥工程的通知</h1><div class="pages-date">2026-03-05 14:22 来源：市政厅办公室 【字体：<a>大</a> <a>中</a> <a>小</a>】打印</div><div class="pages_content" id="UCAP-CONTENT">'
        f'<p style="text-indent: 2em;">各区人民政府：</p><p style="text-indent: 2em;">{CHINESE[3]}</p><p style="text-indent: 2em;"><b>一、工程范围</b></p><p style="text-indent: 2em;">{CHINESE[2]}</p><table><tbody><tr><td><p>项目</p></td><td><p>金额（万元）</p></td></tr><tr><td><p>桥梁</p></td><td><p>4150</p></td></tr><tr><td><p>引桥</p></td><td><p>900</p></td></tr></tbody></table><p style="text-indent: 2em;">{CHINESE[4]}</p><p style="text-align: right;">市政厅办公室<br>2026年3月5日</p></div></div><div class="footer">网站地图 | 联系我们 | 网站标识码</div>'
    )
    return TestPage(
        name="zh-government",
        html=document("关于人行桥工程的通知_市政厅", body, language="zh"),
        has=("**一、工程范围**", "| 项目 | 金额（万元） |", "| 桥梁 | 4150 |", "| 引桥 | 900 |", "市政厅办公室"),
        lacks=("网站标识码", "打印", "政务公开"),
    )


def juejin() -> TestPage:
    body = (
        '<header class="main-header"><a href="/">掘金</a><button>登录</button></header><main><article class="article"><h1 class="article-title">一次队列优化</h1><div class="author-info-block"><a href="/user/1"><span class="name">青山</span></a><time datetime="2026-03-05T06:22:00.000Z">2026-03-05</time><span>阅读5分钟</span></div>'
        f'<div id="article-root" class="article-viewer markdown-body"><p>{CHINESE[0]}</p><blockquote><p>先测量，再优化。</p></blockquote><pre><div class="code-block-extension-header"><div class="code-block-extension-headerLeft"><span class="code-block-extension-lang">ts</span></div><div class="code-block-extension-headerRight"><span class="code-block-extension-copyCodeBtn">复制代码</span></div></div><code class="hljs language-ts code-block-extension-codeShowNum" lang="ts"><span class="code-block-extension-codeLine" data-line-num="1"><span class="hljs-keyword">let</span> limit = <span class="hljs-number">8</span></span>\n</code></pre>'
        f'<ol><li>测量；</li><li>修改<code>limit</code>；</li></ol><p>{CHINESE[1]}</p><p>{CHINESE[5]}</p></div></article></main><div class="article-suspended-panel"><div>41</div><div>收藏</div></div><div class="recommended-area"><a href="/p/2">队列和栈，到底有什么不同</a></div>'
    )
    return TestPage(
        name="zh-juejin",
        html=document("一次队列优化 - 掘金", body, language="zh"),
        has=("> 先测量，再优化。", "```ts\nlet limit = 8\n```", "1. 测量；\n2. 修改`limit`；", CHINESE[5]),
        lacks=("复制代码", "登录", "到底有什么不同"),
    )


def ruby_and_bold() -> TestPage:
    body = f'<div id="wrap"><div class="nav"><a href="/">文学网</a><a href="/login">登录</a></div><article><h1>山谷里的字</h1><p class="info">作者：青山　2026-03-05</p><p>这里的<ruby>邨<rp>(</rp><rt>cūn</rt><rp>)</rp></ruby>字，意思是村庄，<b>“村庄”</b>在山谷里。{CHINESE[2]}</p><p>他说：<em>好。</em>然后走了，价格是5*3*2元。{CHINESE[3]}</p>{chinese(4, 5)}</article><div class="foot">联系我们 | 备案号</div></div>'
    return TestPage(
        name="zh-ruby-and-bold",
        html=document("山谷里的字", body, language="zh"),
        has=("这里的邨字，意思是村庄", "“**村庄**”在山谷里", "*好*。然后走了", "5\\*3\\*2元"),
        lacks=("cūn", "登录", "备案号"),
    )


def youku_baijia() -> TestPage:
    body = (
        f'<div class="app-module_headerWrapper"><a href="/">百家</a></div><div id="ssr-content"><div class="index-module_headerWrap"><h1 class="index-module_articleTitle">渡轮恢复运行</h1><div class="index-module_articleSource"><span class="bjh-p">海岸观察</span> <span>2026-03-05 14:22</span></div></div><div class="index-module_articleWrap"><div class="index-module_textWrap"><p><span class="bjh-p">{CHINESE[2]}</span></p></div><div class="index-module_mediaWrap"><img src="https://pics.example.org/feed/ferry.jpeg@f_auto?token=1" class="index-module_large"></div>'
        f'<div class="index-module_textWrap"><p><span class="bjh-p">{CHINESE[3]}</span></p></div><iframe src="https://player.youku.com/embed/XNDAxMjM0NTY3Ng==" allowfullscreen></iframe><div class="index-module_textWrap"><p><span class="bjh-p">{CHINESE[4]}</span></p></div></div></div><div class="sidebar"><h2>作者最新文章</h2><a href="/3">台风过后的码头</a></div>'
    )
    return TestPage(
        name="zh-youku",
        html=document("渡轮恢复运行", body, language="zh"),
        has=(
            "https://pics.example.org/feed/ferry.jpeg@f_auto?token=1",
            "(https://v.youku.com/v_show/id_XNDAxMjM0NTY3Ng==.html)",
            CHINESE[4],
        ),
        lacks=("台风过后的码头", "作者最新文章"),
        videos=("https://v.youku.com/v_show/id_XNDAxMjM0NTY3Ng==.html",),
    )


PAGES = [make() for make in (portal, messenger_account, cnblogs, hexo, government, juejin, ruby_and_bold, youku_baijia)]
