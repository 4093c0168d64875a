"""Small pages modelled on consent tools, prompts, lists and articles of the real web, each with what a good renderer ends with.

They were written before the product saw them. Overlays hold a `mark` element, which nobody may see; their buttons ask for /clicked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.crawl.server import page, script

SENTENCE = "The council of the island decided on Tuesday to repair the old bridge, and the work will begin after the summer holidays. "
CHINESE = "市议会周二决定修复旧桥，工程将在暑假结束后开始，预计持续八个月，期间渡轮照常运行。"
JAPANESE = "市議会は火曜日、古い橋を修復することを決めた。工事は夏休みの後に始まり、フェリーは通常どおり運航する。"
ACCEPT = "<button onclick=\"fetch('/clicked?accept')\">{}</button>"
END = "The last line of the story."


def story(sentence: str = SENTENCE, paragraphs: int = 14) -> str:
    parts = "".join(f"<p>{sentence * 3}</p>" for _ in range(paragraphs))
    return f"<header style='height:60px;background:#135'>Island News</header><main><article><h1>The bridge is repaired</h1>{parts}<p>{END}</p></article></main>"


def rows(first: int, last: int, tag: str = "li") -> str:
    return "".join(
        f"<{tag} class=row style='min-height:90px'><h3><a href='/story/{n}'>Report number {n} of the island council</a></h3>"
        f"<p>What was said in session {n}.</p></{tag}>"
        for n in range(first, last + 1)
    )


ROWS = (
    "const rows = (first, last, tag = 'li') => Array.from({length: last - first + 1}, (_, i) => first + i).map(n => `<${tag} class=row"
    " style='min-height:90px'><h3><a href='/story/${n}'>Report number ${n} of the island council</a></h3><p>What was said in session"
    " ${n}.</p></${tag}>`).join('');"
)
LATER = "const later = (ms, work) => setTimeout(work, ms); const add = html => document.body.insertAdjacentHTML('beforeend', html);"
FIXED = "position:fixed;z-index:2147483000;background:#fff;box-shadow:0 0 9px;padding:20px"
MODAL = f"{FIXED};left:50%;top:50%;transform:translate(-50%,-50%);width:600px"
VEIL = "position:fixed;inset:0;background:rgba(0,0,0,.6);z-index:2147482000"


@dataclass(frozen=True, slots=True)
class Model:
    """A page and what must be true of it."""

    kind: str
    html: str
    has: tuple[str, ...] = (END,)
    """Texts of the response."""
    lacks: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ("mark",)
    """Tags without a box."""
    seen: tuple[str, ...] = ("h1",)
    """Tags with a box."""
    min_height: int = 0
    """CSS px down to the lowest box."""
    min_links: int = 0
    """Boxes of links."""
    meta: dict[str, object] = field(default_factory=dict)


def overlay(html: str, text: str = "", after_ms: int = 0, more: str = "") -> str:
    """A story over which a script lays something."""
    return page((text or story()) + script(f"{LATER} later({after_ms}, () => {{ add(`{html}`); {more} }})"))


def scrolled(html: str) -> str:
    """A story over which something is laid when half of it has been read."""
    return page(
        story()
        + script(f"{LATER} let done; addEventListener('scroll', () => {{ if (scrollY > 600 && !done) {{ done = 1; add(`{html}`) }} }})")
    )


MODELS = {
    # Consent tools
    "cookiebot": Model("overlay", overlay(
        f"<div id=CybotCookiebotDialogBodyUnderlay style='{VEIL}'></div><div id=CybotCookiebotDialog role=dialog style='{MODAL}'><mark>This website uses"
        f" cookies</mark><div id=CybotCookiebotDialogFooter>{ACCEPT.format('Allow all')}</div></div>", after_ms=400)),
    "trustarc": Model("overlay", overlay(
        f"<div id=truste-consent-track style='{FIXED};left:0;right:0;bottom:0'><div id=truste-consent-content><mark>We use cookies and similar"
        f" technologies</mark>{ACCEPT.format('Agree and proceed')}</div></div>", after_ms=300)),
    "trustarc frame": Model("overlay", overlay(
        f"<div class=truste_overlay style='{VEIL}'></div><div class=truste_box_overlay style='{MODAL};height:500px'><iframe class=truste_popframe"
        " srcdoc='<mark>Your choices</mark>' style='width:100%;height:100%'></iframe></div>", more="document.body.style.overflow = 'hidden'")),
    "quantcast": Model("overlay", overlay(
        f"<div class=qc-cmp2-container id=qc-cmp2-container><div class=qc-cmp2-main id=qc-cmp2-main><div style='{VEIL}'></div><div class=qc-cmp2-ui role=dialog"
        f" style='{MODAL}'><mark>We value your privacy</mark>{ACCEPT.format('AGREE')}</div></div></div>",
        more="document.body.style.overflow = 'hidden'")),
    "complianz": Model("overlay", overlay(
        f"<div id=cmplz-cookiebanner-container><div class='cmplz-cookiebanner cmplz-bottom-right' role=dialog style='{FIXED};right:10px;bottom:10px;width:500px'>"
        f"<mark>Manage consent</mark>{ACCEPT.format('Accept')}</div></div>")),
    "cookieyes": Model("overlay", overlay(
        f"<div class='cky-overlay' style='{VEIL}'></div><div class='cky-consent-container cky-popup-center' style='{MODAL}'><div class=cky-consent-bar>"
        f"<mark>We respect your privacy</mark>{ACCEPT.format('Accept All')}</div></div>", after_ms=200)),
    "borlabs": Model("overlay", overlay(
        f"<div data-nosnippet data-borlabs-cookie-consent-required=true id=BorlabsCookieBox class=brlbs-cmpnt-container><div class=brlbs-cmpnt-dialog"
        f" style='{VEIL}'><div style='{MODAL}'><mark>Datenschutz-Präferenz</mark>{ACCEPT.format('Alle akzeptieren')}</div></div></div>")),
    "klaro": Model("overlay", overlay(
        f"<div id=klaro><div class=klaro><div class='cookie-modal'><div class=cm-bg style='{VEIL}'></div><div class=cm-modal style='{MODAL}'>"
        f"<mark>Services we would like to use</mark>{ACCEPT.format('Accept all')}</div></div></div></div>")),
    # Overlays of no known tool
    "unknown consent bar": Model("overlay", overlay(
        f"<div class=css-1q2w3e style='{FIXED};left:0;right:0;bottom:0'><mark>Wir und unsere Partner verarbeiten Daten auf Ihrem Gerät. Mit Ihrer Einwilligung"
        f"</mark>{ACCEPT.format('Zustimmen')}</div>", after_ms=300)),
    "unknown consent in a root": Model("overlay", page(
        "<x-privacy></x-privacy>" + story() + script(
            "document.querySelector('x-privacy').attachShadow({mode: 'open'}).innerHTML = `<div style='" + MODAL
            + "'><mark>Votre vie privée : avec votre consentement, nos partenaires</mark><button>Tout accepter</button></div>`"))),
    "chinese login": Model("overlay", overlay(
        f"<div class=Modal-backdrop style='{VEIL}'></div><div class='Modal signFlowModal' style='{MODAL}'><mark>登录后即可查看更多优质内容</mark><input"
        " placeholder=手机号><button>登录/注册</button></div>", story(CHINESE * 2), 500, "document.documentElement.style.overflow = 'hidden'")),
    "chinese app bar": Model("overlay", overlay(
        f"<div class=openapp-fixed style='{FIXED};left:0;right:0;bottom:0'><mark>打开APP，阅读体验更佳</mark><a href=/leave>立即打开</a></div>",
        story(CHINESE * 2))),
    "chinese code to scan": Model("overlay", scrolled(
        f"<div class=mask-2f style='{VEIL}'></div><div class=pop-8a style='{MODAL}'><mark>微信扫码关注公众号，获取验证码继续阅读</mark><input></div>")),
    "japanese registration": Model("overlay", overlay(
        f"<section class=p-modal style='{VEIL}'><div style='{MODAL}'><mark>この先は会員登録（無料）が必要です</mark><button>無料会員登録</button></div></section>",
        story(JAPANESE * 2), 300, "document.body.style.position = 'fixed'")),
    "japanese notification": Model("overlay", overlay(
        f"<div class=c-push style='{FIXED};left:40%;top:0;width:420px'><mark>最新ニュースの通知を受け取りますか？</mark><button>あとで</button><button>受け取る</button></div>",
        story(JAPANESE * 2))),
    "newsletter at half": Model("overlay", scrolled(
        f"<div class=sp-fancybox-overlay style='{VEIL}'><div style='{MODAL}'><mark>Get the best of the island in your inbox</mark><form><input type=email>"
        "<button>Subscribe</button></form></div></div>")),
    "own dialog": Model("overlay", page(
        story() + f"<dialog id=d><mark>Before you go: sign up for alerts</mark>{ACCEPT.format('Yes please')}</dialog>" + script("d.showModal()"))),
    # What is no overlay
    "fixed header and sidebar": Model("no overlay", page(
        "<nav style='position:fixed;top:0;left:0;right:0;height:50px;z-index:99;background:#ddd'><b>Island News</b> <a href=/privacy>Privacy policy</a></nav>"
        "<aside style='position:fixed;left:0;top:50px;bottom:0;width:220px;z-index:5'><u>Sections</u><a href=/x>Subscribe</a></aside>"
        f"<div style='margin-left:240px'>{story()}</div>"), seen=("h1", "b", "u"), unseen=()),
    "story about cookies in a modal route": Model("no overlay", page(
        "<div style='position:fixed;inset:0;z-index:1000;overflow:auto;background:#fff'>" + story("Regulators want consent banners to be simpler. " * 3)
        + "<em>The very end</em></div>"), seen=("h1", "em"), unseen=(), min_height=1100),
    "fixed pane": Model("pane", page(
        f"<div id=app style='position:fixed;inset:0;display:flex;flex-direction:column'><header style='height:50px'>Menu</header><div style='flex:1;overflow:auto'>"
        f"{story(paragraphs=25)}</div></div>" + script("0")), unseen=(), min_height=1500),
    # Lazy content
    "lazy by scroll events": Model("lazy", page(
        story(paragraphs=30) + "".join(f"<img data-lazy=/image/20?{n} width=600 height=300>" for n in range(8)) + script(
            "let waits; addEventListener('scroll', () => { if (!waits) waits = setTimeout(() => { waits = 0; for (const img of"
            " document.querySelectorAll('[data-lazy]')) if (img.getBoundingClientRect().top < innerHeight + 200) { img.src = img.dataset.lazy;"
            " img.removeAttribute('data-lazy') } }, 20) })")), seen=("h1", "img"), lacks=("data-lazy",), unseen=()),
    "sections under a hero": Model("lazy", page(
        "<div style='height:100vh;background:#246'>Hero</div>" + "".join(
            f"<section style='height:700px'><h2>Part {n}</h2><p data-part={n}></p></section>" for n in range(9)) + script(
            "const seen = new IntersectionObserver(list => { for (const entry of list) if (entry.isIntersecting) entry.target.querySelector('p').textContent ="
            f" `Text of part ${{entry.target.querySelector('p').dataset.part}}: {SENTENCE}` }}, {{threshold: 0.6}});"
            " for (const part of document.querySelectorAll('section')) seen.observe(part)")),
        has=tuple(f"Text of part {n}" for n in range(9)), seen=("h2",), unseen=()),
    "endless stories": Model("lazy", page(story(paragraphs=20) + "<div id=end style='height:10px'></div>" + script(
        "let n = 0; new IntersectionObserver(list => { if (!list[0].isIntersecting || n) return; n++; end.insertAdjacentHTML('beforebegin',"
        f" `<article><h1>Another story</h1>${{'<p>{SENTENCE * 2} Of the other story.</p>'.repeat(6)}}</article>`); history.pushState(0, '', '/model/another')"
        " }, {rootMargin: '200px'}).observe(end)")),
        lacks=("Of the other story",), unseen=()),
    # Lists
    "endless by scroll events": Model("list", page(
        f"<h1>Reports</h1><ul id=list>{rows(1, 12)}</ul>" + script(
            ROWS + "let n = 12, busy; addEventListener('scroll', () => { if (!busy && n < 48 && scrollY + innerHeight > document.body.scrollHeight - 300)"
            " { busy = 1; setTimeout(() => { list.insertAdjacentHTML('beforeend', rows(n + 1, n + 12)); n += 12; busy = 0 }, 250) } })")),
        has=("Report number 48 ",), min_links=48, unseen=()),
    "endless with a spinner": Model("list", page(
        f"<h1>Reports</h1><div id=list>{rows(1, 12, 'article')}</div><div id=spin style='height:60px'>Loading</div>" + script(
            ROWS + "let n = 12, busy; new IntersectionObserver(async list_ => { if (!list_.some(e => e.isIntersecting) || busy || n >= 36) return; busy = 1;"
            " await fetch('/slow-data?' + n); list.insertAdjacentHTML('beforeend', rows(n + 1, n + 12, 'article')); n += 12; busy = 0 },"
            " {rootMargin: '400px'}).observe(spin)")),
        has=("Report number 36 ",), min_links=36, unseen=()),
    "chinese more link": Model("list", page(
        f"<h1>要闻</h1><ul id=list>{rows(1, 10)}</ul><a href='javascript:;' id=more>点击加载更多</a><a href=/leave>更多新闻</a>" + script(
            ROWS + "let n = 10; more.onclick = () => setTimeout(() => { list.insertAdjacentHTML('beforeend', rows(n + 1, n + 10)); n += 10;"
            " if (n >= 40) more.remove() }, 200)")),
        has=("Report number 40 ",), min_links=40, unseen=()),
    "japanese more button": Model("list", page(
        f"<h1>一覧</h1><div id=list>{rows(1, 10, 'div')}</div><div id=more role=button tabindex=0>もっと見る</div>" + script(
            ROWS + "let n = 10; more.onclick = async () => { more.setAttribute('aria-busy', 'true'); await fetch('/slow-data?' + n);"
            " list.insertAdjacentHTML('beforeend', rows(n + 1, n + 10, 'div')); n += 10; if (n >= 30) more.style.display = 'none' }")),
        has=("Report number 30 ",), min_links=30, unseen=()),
    "rows written anew": Model("list", page(
        "<h1>Reports</h1><div id=list style='position:relative;height:9000px'></div>" + script(
            "const H = 90; for (let i = 0; i < 20; i++) list.insertAdjacentHTML('beforeend', `<div class=cell style='position:absolute;height:${H}px;width:100%'><a></a></div>`);"
            " const draw = () => { const first = Math.min(80, Math.max(0, Math.floor((scrollY - 300) / H))); [...list.children].forEach((cell, i) => { const n = first + i + 1;"
            " cell.style.transform = `translateY(${(n - 1) * H}px)`; cell.firstChild.href = '/story/' + n; cell.firstChild.textContent ="
            " `Report number ${n} of the island council` }) }; draw(); addEventListener('scroll', draw)")),
        has=("Report number 1 ", "Report number 50 ", "Report number 100 "), min_links=85, unseen=()),
    "rows in threes": Model("list", page(
        "<h1>Reports</h1><div id=list style='padding-top:0'></div>" + script(
            ROWS + "const H = 130; const draw = () => { const first = Math.max(0, Math.min(22, Math.floor((scrollY - 200) / H))); list.style.paddingTop = first * H + 'px';"
            " list.style.paddingBottom = (30 - first - 8) * H + 'px'; list.innerHTML = Array.from({length: 8}, (_, i) => first + i).map(r =>"
            " `<div class=line style='display:flex;height:${H}px'>${rows(r * 3 + 1, r * 3 + 3, 'div')}</div>`).join('') }; draw(); addEventListener('scroll', draw)")),
        has=("Report number 1 ", "Report number 45 ", "Report number 90 "), min_links=85, unseen=()),
    # Panes that scroll
    "article in a pane": Model("pane", page(
        f"<div style='display:flex;height:100vh;overflow:hidden'><nav style='width:200px'>Menu</nav><div id=pane style='flex:1;overflow-y:auto'>{story(paragraphs=25)}"
        "<p id=last style='height:80px'></p></div></div>" + script(
            "new IntersectionObserver(list => { if (list[0].isIntersecting) last.textContent = 'Comments were loaded.' }, {root: pane}).observe(last)")),
        has=(END, "Comments were loaded."), unseen=()),
    "list in a pane": Model("pane", page(
        f"<div id=pane style='height:100vh;overflow:auto'><h1>Reports</h1><div id=list>{rows(1, 12, 'div')}</div></div>" + script(
            ROWS + "let n = 12; pane.onscroll = () => { if (n < 36 && pane.scrollTop + pane.clientHeight > pane.scrollHeight - 100) {"
            " list.insertAdjacentHTML('beforeend', rows(n + 1, n + 12, 'div')); n += 12 } }")),
        has=("Report number 36 ",), min_links=36, unseen=()),
    # Folds
    "clamped lines": Model("fold", page(
        "<h1>The bridge</h1><div style='display:-webkit-box;-webkit-line-clamp:4;-webkit-box-orient:vertical;overflow:hidden'>"
         f"{SENTENCE * 20}<strong>{END}</strong></div><button>もっと読む</button>"), seen=("h1", "strong"), unseen=("button",)),
    "masked text": Model("fold", page(
        f"<h1>The bridge</h1><div class=body style='max-height:300px;overflow:hidden;mask-image:linear-gradient(#000,transparent)'>{'<p>' + SENTENCE * 3 + '</p>'}"
        + f"<p>{SENTENCE * 9}</p>" * 6 + f"<p><strong>{END}</strong></p></div><div class=more><a href='#'>Read full article</a></div>"), seen=("h1", "strong"), unseen=()),
    "details": Model("fold", page(
        f"{story(paragraphs=3)}<details><summary>What the engineers say</summary><p><strong>{SENTENCE * 2}</strong></p></details>"), seen=("h1", "strong"), unseen=()),
    "rest by a button": Model("fold", page(
        f"<h1>The bridge</h1><p>{SENTENCE * 3}</p><div id=rest></div><button id=more type=button aria-expanded=false>Continue reading</button><a href=/leave>Read more</a>"
        + script(f"more.onclick = async () => {{ await fetch('/slow-data'); rest.innerHTML = `<p>{SENTENCE * 5}{END}</p>`; more.remove() }}")),
        meta={"webcontent": {"expand": "click"}}, unseen=()),
    # Shadow roots
    "open roots in open roots": Model("root", page("<x-app></x-app>" + script(
        "const open = (host, html) => { const root = host.attachShadow({mode: 'open'}); root.innerHTML = html; return root };"
        "const outer = open(document.querySelector('x-app'), '<style>h1 {color:red}</style><x-body><em slot=by>Anna Berg</em></x-body>');"
        f"open(outer.querySelector('x-body'), `{story()}<slot name=by></slot>`)")), has=(END, "Anna Berg"), lacks=("color:red",), unseen=()),
    "root with a story of slots": Model("root", page(
        f"<x-story><h1>The bridge</h1><p>{SENTENCE * 4}{END}</p></x-story>" + script(
            "document.querySelector('x-story').attachShadow({mode: 'open'}).innerHTML = '<section><h6>Island desk</h6><slot></slot></section>'")),
        has=(END, "Island desk"), seen=("h1", "h6"), unseen=()),
    "overlay in a closed root": Model("root", page(story() + "<x-box></x-box>" + script(
        f"document.querySelector('x-box').attachShadow({{mode: 'closed'}}).innerHTML = `<div style='{VEIL}'><div style='{MODAL}'><mark>Cookies</mark></div></div>`"))),
    # Frames
    "story in a frame": Model("frame", page("<h1>Archive</h1><iframe src=/model/frame-inner width=900 height=500></iframe>"), unseen=()),
    "story in a frame of another origin": Model("frame", page("<h1>Archive</h1><iframe id=f width=900 height=500></iframe>" + script(
        "f.src = location.origin.replace('127.0.0.1', 'localhost') + '/model/frame-inner'")), unseen=()),
    "frame inner": Model("frame", page(f"<h2>The bridge</h2><p>{SENTENCE * 5}</p><p>{END}</p>"), seen=("h2",), unseen=()),
    "advertising frame": Model("frame", page(story() + f"<iframe aria-hidden=true width=970 height=250 srcdoc='<p>{'Buy a boat now. ' * 30}</p>'></iframe>"),
        lacks=(), unseen=()),
    # Hydration
    "emptied and written again": Model("hydration", page(f"<div id=root><h1>Loading</h1><p>{SENTENCE * 3}</p></div>" + script(
        f"onload = () => setTimeout(() => {{ root.innerHTML = ''; setTimeout(() => {{ root.innerHTML = `{story()}` }}, 200) }}, 200)")), unseen=()),
    "three answers in a row": Model("hydration", page("<h1>The bridge</h1><div id=root><p class=skeleton></p></div>" + script(
        "(async () => { for (const n of [1, 2, 3]) { await fetch('/slow-data?' + n); await new Promise(done => setTimeout(done, 150));"
        f" root.insertAdjacentHTML('beforeend', `<p>Part ${{n}}: {SENTENCE * 2}</p>`) }} root.insertAdjacentHTML('beforeend', '<p>{END}</p>') }})()")), unseen=()),
    "script that loads a script": Model("hydration", page("<div id=root></div>" + script(
        "const tag = document.createElement('script'); tag.src = '/model-script'; tag.async = true; setTimeout(() => document.head.append(tag), 100)")), unseen=()),
}  # fmt: skip
OTHERS = {
    "/model-script": (
        200,
        {"Content-Type": "text/javascript; charset=utf-8"},
        f"setTimeout(() => {{ root.innerHTML = `{story()}` }}, 150)".encode(),
    ),
}
PAGES = {f"/model/{name.replace(' ', '-')}": model.html for name, model in MODELS.items()}
